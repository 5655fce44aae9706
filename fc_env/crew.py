"""Threads that take the same step again and again, together with the one that asks for it.

Handing out work by Python's means takes longer than stepping some hundred games. Here the helpers stay for a while
inside the compiled step after each: they look at two counters that all share, take chunks as long as there are any,
and go to sleep only when nothing came for a while. Which thread takes which chunk changes nothing in the results.
"""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from fc_env import atomic
from fc_env.jit import CHECKED, COMPILED, Settled, jit

LEADS, HELPS = 0, 1
"""Roles in a step: of the thread that asks for it, and of the others."""

NEXT, DONE, UNDER_WAY = 0, 8, 16
"""Places of the counters: the next chunk to be taken, how many are done, and 1 from the beginning to the end of a step;
too far apart to share a cache line (of 64 bytes)."""

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


def usable_cores() -> int:
    """How many cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Helper:
    """One thread beside the leader."""

    def __init__(self) -> None:
        self.leaves = False
        self._asleep = threading.Lock()  # waiting for it takes no step of Python's that could be interrupted halfway
        self._asleep.acquire()

    def run(self, kernel: Callable[..., int], args: tuple) -> None:
        """Help until told to leave."""
        while self._asleep.acquire() and not self.leaves:
            kernel(HELPS, *args)

    def call(self) -> None:
        """Wake it; if it still looks for work it will look once more."""
        with contextlib.suppress(RuntimeError):  # it was called before
            self._asleep.release()


class Crew:
    """A number of threads, the one that calls it among them, that run one kernel with the same arguments each time.

    Its arguments are a role, ``LEADS`` or ``HELPS``, the ``size`` of a chunk, the counters, int64 (COUNTERS,), and what
    is ``given``. It calls ``begin``, ``offer``, ``next_chunk`` until there is none, counting those done, and ``end``.

    There are no more threads than cores, since a helper that waits for a core holds up the others; and the leader is
    alone where code is uncompiled, or checked so that a kernel may raise.
    """

    def __init__(self, threads: int, kernel: Any, size: int, *given: Any) -> None:
        self.threads = min(threads, usable_cores()) if COMPILED and not CHECKED else 1
        shared = np.zeros(COUNTERS, np.int64)
        shared[NEXT] = np.iinfo(np.int64).max // 2  # nothing to do
        self.args = (size, shared, *given)
        self._kernel = Settled(kernel)
        self.running: list[threading.Thread] = []
        """The helpers' threads"""
        self._helpers: list[_Helper] = []
        self._dismiss: Any = None
        self._process = 0

    def run(self) -> int:
        """Take a step; what the kernel gives the leader. Only one thread may lead at a time."""
        if self._kernel.entry is None:
            self._kernel.settle(LEADS, *self.args)
        if self.threads > 1:
            if self._dismiss is None or self._process != os.getpid():
                self._start()
            for helper in self._helpers:
                helper.call()
        led: int = self._kernel.entry(LEADS, *self.args)
        return led

    def _start(self) -> None:
        """Start the helpers; those of a parent process are not there in its fork."""
        self._helpers, self.running, self._process = [], [], os.getpid()
        self._dismiss = weakref.finalize(self, _dismiss, self._helpers, self._process)
        try:
            for _ in range(self.threads - 1):
                helper = _Helper()
                thread = threading.Thread(
                    target=helper.run, args=(self._kernel.entry, self.args), name="fc_env", daemon=True
                )
                thread.start()
                self._helpers.append(helper)
                self.running.append(thread)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the helpers; they start again when needed."""
        if self._dismiss is not None:
            self._dismiss()
            if self._process == os.getpid():
                for thread in self.running:
                    if thread is not threading.current_thread():
                        thread.join()
        self._helpers, self.running, self._dismiss = [], [], None


def _dismiss(helpers: list[_Helper], process: int) -> None:
    if process != os.getpid():
        return
    for helper in helpers:
        helper.leaves = True
        helper.call()


__all__ = [
    "COUNTERS", "DONE", "HELPS", "LEADS", "NEXT", "PATIENCE", "UNDER_WAY", "Crew", "begin", "end", "next_chunk",
    "offer", "usable_cores",
]  # fmt: skip
