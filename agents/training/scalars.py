"""The metrics for TensorBoard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

_GROUPS = {
    "success_rate": "games", "recent_success_rate": "games", "mean_return": "games", "mean_decisions": "games",
    "rating": "games", "steps_per_second": "time",
}  # fmt: skip
_LEFT_OUT = ("steps", "rollout", "seconds")


class Scalars:
    """Writes event files into a folder; what an earlier process wrote from ``steps`` on is hidden."""

    def __init__(self, folder: Path, steps: int) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=steps + 1 if steps else None)

    def __enter__(self) -> Scalars:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, figures: Mapping[str, Any]) -> None:
        """Write the figures of one rollout."""
        for name, value in figures.items():
            if isinstance(value, (int, float)) and name not in _LEFT_OUT:
                self._writer.add_scalar(f"{_GROUPS.get(name, 'learning')}/{name}", value, figures["steps"])
