"""What a long measurement shows while it goes on, on stderr: how much is done, the rate and the time left."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from agents.measuring import duration

SECONDS_BETWEEN_LINES = 10.0


class Display:
    """A bar on a terminal, a line every few seconds anywhere else; ``unit`` is what is counted."""

    def __init__(self, total: int, unit: str, done: int = 0) -> None:
        self._total, self._unit, self._first, self._done = total, unit, done, done
        self._begun = self._last_line = time.monotonic()
        self._console = Console(file=sys.stderr, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        if self._console.is_terminal:
            columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, refresh_per_second=4, transient=True)
            self._task = self._bar.add_task("", total=total, completed=done)

    def __enter__(self) -> Display:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _words(self, now: float) -> str:
        rate = (self._done - self._first) / max(now - self._begun, 1e-9)
        left = duration((self._total - self._done) / rate) if rate else "-"
        return f"{self._done:,} of {self._total:,} {self._unit}, {rate:,.1f}/s, {left} left"

    def add(self, n: int) -> None:
        """So many more are done."""
        self._done += n
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, description=self._words(now))
        elif now - self._last_line >= SECONDS_BETWEEN_LINES:
            self._last_line = now
            self.note(self._words(now))

    def note(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)
