"""What a long measurement shows while it goes on, on stderr: how much is done, the rate and the time left."""

from __future__ import annotations

import sys

from agents import progress

SECONDS_BETWEEN_LINES = 10.0


class Display(progress.Display):
    """``unit`` is what is counted."""

    def __init__(self, total: int, unit: str, done: int = 0) -> None:
        super().__init__(total, done, unit, sys.stderr, SECONDS_BETWEEN_LINES, vanishes=True)

    def add(self, n: int) -> None:
        """So many more are done."""
        self._done += n
        self.show()
