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

NEXT, DONE = 0, 8
"""Places of the counters: the next chunk to be taken, and how many are done; too far apart to share a cache line."""

COUNTERS = 16

PATIENCE = 16000
"""Looks at the counters before a helper goes to sleep: some tenths of a millisecond, so that it is awake for the next
step of whoever does little between two of them, and out of the way of others."""


@jit
def open_work(role: int, chunks: int, shared) -> int:
    """Let the leader offer so many chunks; returns their number."""
    if role == LEADS:
        atomic.store(shared, DONE, 0)
        atomic.store(shared, NEXT, 0)
    return chunks


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
        looks += 1
        atomic.pause()
    return -1


class _Helper:
    """One thread beside the leader."""

    def __init__(self) -> None:
        self.asleep = False
        self.leaves = False
        self.wake = threading.Lock()
        self.wake.acquire()

    def run(self, kernel: Callable[..., int], args: tuple) -> None:
        """Help until told to leave."""
        while not self.leaves:
            kernel(HELPS, *args)
            self.asleep = True
            self.wake.acquire()

    def rouse(self) -> None:
        """Wake it if it sleeps. If it is just about to, it misses a step, which goes on without it."""
        if self.asleep:
            self.asleep = False
            self.wake.release()


class Crew:
    """A number of threads, the one that calls it among them, for one kernel with the same arguments each time.

    The kernel is called with a role, ``LEADS`` or ``HELPS``, and the arguments, the second of which is ``shared``. It
    takes chunks by ``open_work`` and ``next_chunk``, and counts those it has done. Uncompiled, the leader is alone.
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
            helper.rouse()
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
        if helper.wake.locked():
            helper.wake.release()


__all__ = ["COUNTERS", "DONE", "HELPS", "LEADS", "NEXT", "Crew", "next_chunk", "open_work"]
