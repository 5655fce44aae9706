"""What long work shows while it goes on: a bar on a terminal, a line every few seconds anywhere else."""

from __future__ import annotations

import sys
import time
from typing import IO, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from fc_env.lab.measuring import duration


class Display:
    """How much is done of a ``total``, the rate and the time left; ``unit`` is what is counted, ``stream`` where to.

    ``done``: how much was before; ``seconds``: between two lines; ``vanishes``: whether the bar goes away at the end.
    """

    def __init__(self, total: int, done: int, unit: str, stream: IO[str], seconds: float, vanishes: bool) -> None:
        self._total, self._unit, self._first, self._done = total, unit, done, done
        self._seconds = seconds
        self._begun = self._last_line = time.monotonic()
        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        if self._console.is_terminal:
            columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, refresh_per_second=4, transient=vanishes)
            self._task = self._bar.add_task("", total=total, completed=done)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def rate(self) -> float:
        """How much was done in a second by this process."""
        return (self._done - self._first) / max(time.monotonic() - self._begun, 1e-9)

    def words(self) -> str:
        """What a line says."""
        rate = self.rate()
        left = duration((self._total - self._done) / rate) if rate > 0 else "-"
        digits = 0 if rate >= 100 else 1
        return f"{self._done:,} of {self._total:,} {self._unit}, {rate:,.{digits}f}/s, {left} left"

    def show(self, line_too: bool = True) -> None:
        """Bring the bar up to date, or print a line if it is time for one, or all is done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=self.words())
            return
        now = time.monotonic()
        if line_too and now - self._last_line >= self._seconds:
            self._last_line = now
            self.note(self.words())

    def note(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)


SECONDS_BETWEEN_LINES = 10.0


class Counting(Display):
    """What a long measurement shows on stderr; ``unit`` is what is counted."""

    def __init__(self, total: int, unit: str, done: int = 0) -> None:
        super().__init__(total, done, unit, sys.stderr, SECONDS_BETWEEN_LINES, vanishes=True)

    def add(self, n: int) -> None:
        """So many more are done."""
        self._done += n
        self.show()
