"""What a run shows while it goes on: steps, rate, time left and how the games go."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from fc_env.lab import progress
from fc_env.lab.measuring import percent

SECONDS_BETWEEN_LINES = 5.0


class Display(progress.Display):
    """Steps, rate, time left and success rate of one run; ``success`` is what that rate is called."""

    def __init__(self, total: int, done: int, success: str) -> None:
        super().__init__(total, done, "steps", sys.stdout, SECONDS_BETWEEN_LINES, vanishes=False)
        self._success = success
        self._success_rate: float | None = None

    def words(self) -> str:
        """What a line says."""
        return f"{super().words()}, {self._success} {percent(self._success_rate)}"

    def step(self, steps: int, success_rate: float | None) -> None:
        """A step of the batch was taken."""
        self._done, self._success_rate = steps, success_rate
        self.show(line_too=False)

    def rollout(self, figures: Mapping[str, Any]) -> None:
        """A rollout is done; of the last one there is always a line."""
        self._done, self._success_rate = figures["steps"], figures["recent_success_rate"]
        if self._done >= self._total:
            self._last_line = float("-inf")
        self.show()
