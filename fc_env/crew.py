"""Threads that take the same step again and again, together with the one that asks for it.

Handing out work by Python's means takes longer than stepping some hundred games. Here the helpers stay for a while
inside the compiled step after each: they look at two counters that all share, take chunks as long as there are any,
and go to sleep only when nothing came for a while. Which thread takes which chunk changes nothing in the results.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable

import numpy as np

from fc_env import atomic
from fc_env.jit import COMPILED, jit

LEADS, HELPS = 0, 1
"""Roles in a step: of the thread that asks for it, and of the others."""

NEXT, DONE, UNDER_WAY = 0, 8, 16
"""Places of the counters: the next chunk to be taken, how many are done, and 1 from the beginning to the end of a step;
too far apart to share a cache line."""

COUNTERS = 24

PATIENCE = 16000
"""Looks at the counters, while no step is under way, before a helper goes to sleep: some tenths of a millisecond, so
that it is awake for the next step of whoever does little between two of them, and out of the way of others."""


@jit
def begin(role: int, shared) -> None:
    """Let the leader begin a step: helpers wait for its chunks."""
    if role == LEADS:
        atomic.store(shared, UNDER_WAY, 1)


@jit
def end(role: int, shared) -> None:
    """Let the leader end a step, with its chunks done or none offered."""
    if role == LEADS:
        atomic.store(shared, UNDER_WAY, 0)


@jit
def offer(role: int, shared) -> None:
    """Let the leader offer the chunks of a step."""
    if role == LEADS:
        atomic.store(shared, DONE, 0)
        atomic.store(shared, NEXT, 0)


@jit
def next_chunk(role: int, chunks: int, shared) -> int:
    """Take a chunk; -1 for the leader when all are done, for a helper when none came for a while."""
    looks = 0
    while role == LEADS or looks < PATIENCE:
        if atomic.load(shared, NEXT) < chunks:
            chunk = atomic.add(shared, NEXT, 1)
            if chunk < chunks:
                return chunk
        elif role == LEADS and atomic.load(shared, DONE) == chunks:
            return -1
        looks += 1 - atomic.load(shared, UNDER_WAY)
        atomic.pause()
    return -1


class _Helper:
    """One thread beside the leader."""

    def __init__(self) -> None:
        self.leaves = False
        self.called = threading.Event()
        """Set when a step begins. If that was while the helper still looked for work, it looks once more."""

    def run(self, kernel: Callable[..., int], args: tuple) -> None:
        """Help until told to leave."""
        while self.called.wait() and not self.leaves:
            self.called.clear()
            kernel(HELPS, *args)


class Crew:
    """A number of threads, the one that calls it among them, for one kernel with the same arguments each time.

    The kernel is called with a role, ``LEADS`` or ``HELPS``, and the arguments, the second of which is ``shared``. It
    calls ``begin``, ``offer``, ``next_chunk`` until there is none, counting those done, and ``end``. Uncompiled, the
    leader is alone.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads if COMPILED else 1
        self.shared = np.zeros(COUNTERS, np.int64)
        """int64 (COUNTERS,), for the kernel"""
        self.shared[NEXT] = np.iinfo(np.int64).max // 2  # nothing to do
        self._helpers: list[_Helper] = []
        self._running: list[threading.Thread] = []
        self._process = 0

    def run(self, kernel: Callable[..., int], args: tuple) -> int:
        """Take a step; what the kernel gives the leader."""
        if self.threads > 1 and (not self._helpers or self._process != os.getpid()):
            self._start(kernel, args)
        for helper in self._helpers:
            helper.called.set()
        return kernel(LEADS, *args)

    def _start(self, kernel: Callable[..., int], args: tuple) -> None:
        """Start the helpers; those of a parent process are not there in its fork."""
        self._process = os.getpid()
        self._helpers = [_Helper() for _ in range(self.threads - 1)]
        self._running = [
            threading.Thread(target=helper.run, args=(kernel, args), name="fc_env", daemon=True)
            for helper in self._helpers
        ]
        for thread in self._running:
            thread.start()
        weakref.finalize(self, _dismiss, self._helpers)

    def close(self) -> None:
        """End the helpers; they start again when needed."""
        _dismiss(self._helpers)
        if self._process == os.getpid():
            for thread in self._running:
                thread.join()
        self._helpers, self._running = [], []


def _dismiss(helpers: list[_Helper]) -> None:
    for helper in helpers:
        helper.leaves = True
        helper.called.set()


__all__ = ["COUNTERS", "DONE", "HELPS", "LEADS", "NEXT", "Crew", "begin", "end", "next_chunk", "offer"]
