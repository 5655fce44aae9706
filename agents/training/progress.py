"""What a run shows while it goes on: a bar on a terminal, a line every few seconds anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from agents.measuring import duration, percent

SECONDS_BETWEEN_LINES = 5.0


class Display:
    """Steps, rate, time left and success rate of one run; ``success`` is what that rate is called."""

    def __init__(self, total: int, done: int, success: str) -> None:
        self._success = success
        self._total, self._first = total, done
        self._begun = self._last_line = time.monotonic()
        self._console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        if self._console.is_terminal:
            columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=self._console, refresh_per_second=4)
            self._task = self._bar.add_task("", total=total, completed=done)

    def __enter__(self) -> Display:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def rate(self, steps: int) -> float:
        """Steps a second of this process."""
        return (steps - self._first) / max(time.monotonic() - self._begun, 1e-9)

    def _words(self, steps: int, success_rate: float | None) -> str:
        rate = self.rate(steps)
        left = duration((self._total - steps) / rate) if rate > 0 else "-"
        return (
            f"{steps:,} of {self._total:,} steps, {rate:,.0f}/s, {left} left, {self._success} {percent(success_rate)}"
        )

    def step(self, steps: int, success_rate: float | None) -> None:
        """A step of the batch was taken."""
        if self._bar is not None:
            self._bar.update(self._task, completed=steps, description=self._words(steps, success_rate))

    def rollout(self, figures: Mapping[str, Any]) -> None:
        """A rollout is done."""
        steps, now = figures["steps"], time.monotonic()
        last = steps >= self._total
        if self._bar is None and (last or now - self._last_line >= SECONDS_BETWEEN_LINES):
            self._last_line = now
            self.note(self._words(steps, figures["recent_success_rate"]))

    def note(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False)
