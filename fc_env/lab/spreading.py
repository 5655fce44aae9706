"""Work spread over processes. Results come in the order of the tasks, so that their number changes nothing."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Self, TypeVar

from fc_env.commandline import Parser
from fc_env.errors import ConfigError

MOST_WORKERS = 256
OPTION = "--workers"
R = TypeVar("R")


def add_workers(parser: Parser) -> None:
    """How many processes play."""
    parser.add_argument(OPTION, type=int, default=1, help="processes that play; they change nothing (default: 1)")


def without_workers(arguments: Sequence[str]) -> list[str]:
    """A command's arguments but for how many processes there are."""
    kept = list(arguments)
    while OPTION in kept:
        place = kept.index(OPTION)
        del kept[place : place + 2]
    return [one for one in kept if not one.startswith(f"{OPTION}=")]


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Spread:
    """Some processes, or this one alone. Raises ConfigError for a number that cannot be."""

    def __init__(self, workers: int = 1) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise ConfigError(f"{OPTION} {workers}: want a number from 1 to {MOST_WORKERS}")
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.workers > 1:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, context, initializer=_leave_interrupts_to_the_parent)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def results(self, work: Callable[..., R], tasks: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """What comes of a function of a module, by tasks, each its arguments; no more than some wait at a time.

        Raises what the function raises, and ConfigError if a process is killed.
        """
        if self._pool is None:
            for task in tasks:
                yield work(*task)
            return
        waiting: list[Future[R]] = []
        try:
            for task in tasks:
                waiting.append(self._pool.submit(work, *task))
                if len(waiting) > 2 * self.workers:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        except BrokenProcessPool:
            raise ConfigError(
                f"{OPTION} {self.workers}: a process that played was killed: want fewer, or more memory"
            ) from None
