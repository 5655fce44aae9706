"""Threads that share out the games of a batch.

Compiled kernels let go of Python's lock and no game looks at another, so that ranges of one batch can be played side by
side. Which thread plays which range changes nothing in the results.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from fc_env.errors import ConfigError

CHUNKS_OF_A_THREAD = 4
"""More than one, so that a thread whose core is busy with other work leaves more of them to the rest."""

Kernel = Callable[..., int]
"""kernel(lo, hi, *args) does the things from ``lo`` to ``hi`` - 1 and returns the first of them that fails, or -1."""


def check_threads(threads: Any) -> int:
    """The number of threads as an int. Raises ConfigError unless it is an integer from 1."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ConfigError(f"threads {threads!r}: want an integer from 1")
    return int(threads)


class Workers:
    """A number of threads, this one among them. The others start when they are first needed; ``close`` ends them."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = check_threads(threads)
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    @property
    def most_chunks(self) -> int:
        """Into how many chunks ``run`` divides what it is given at the most."""
        return self.threads * CHUNKS_OF_A_THREAD

    def share(self, n: int, least: int) -> bool:
        """Whether ``n`` things are enough to be shared out, ``least`` of them to a chunk."""
        return self.threads > 1 and n >= 2 * least

    def size_of(self, n: int, least: int) -> int:
        """How many of ``n`` things go into a chunk; all of them where they are not shared out."""
        return max(least, -(-n // self.most_chunks)) if self.share(n, least) else n

    def run(self, kernel: Kernel, n: int, least: int, args: tuple) -> int:
        """Run a kernel over ``n`` things, in chunks of ``least`` or more; the first thing that failed, or -1.

        Whatever is raised meanwhile, an interrupt too, is raised once all of them are done.
        """
        size = self.size_of(n, least)
        if size == n:
            return kernel(0, n, *args)
        waiting = deque(range(0, n, size))
        failed: list[int] = []

        def work() -> None:
            while waiting:
                try:
                    lo = waiting.popleft()
                except IndexError:  # another thread took the last one
                    return
                bad = kernel(lo, min(lo + size, n), *args)
                if bad >= 0:
                    failed.append(bad)

        others: list[Future[None]] = []
        try:
            pool = self._started()
            for _ in range(min(self.threads, len(waiting)) - 1):
                others.append(pool.submit(work))
            work()
        finally:
            try:
                work()
            finally:
                wait(others)
        for other in others:
            other.result()
        return min(failed, default=-1)

    def _started(self) -> ThreadPoolExecutor:
        """The other threads; those of a parent process are not there in its fork."""
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, "fc_env")
            self._process = os.getpid()
        return self._pool

    def close(self) -> None:
        """End the other threads; they start again when needed."""
        if self._pool is not None and self._process == os.getpid():
            self._pool.shutdown()
        self._pool = None


SERIAL = Workers()
"""This thread alone."""
