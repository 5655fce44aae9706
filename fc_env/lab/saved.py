"""A game in a small file: where it began and what was decided, to be played again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fc_env import __version__, actions, position_text
from fc_env.errors import ConfigError, FleetCaptainError
from fc_env.files import write_text
from fc_env.notation import action_id

FORMAT = "fleet-captain game 1"
_KEYS = ("format", "version", "said", "position", "decisions")


class Saved(NamedTuple):
    """A game up to some point."""

    start: np.ndarray  # GAME (1,)
    decisions: np.ndarray  # int64 (D,)
    said: tuple[str, ...]  # why it was kept


def write(path: Path, start: np.ndarray, decisions: Sequence[int] | np.ndarray, said: Sequence[str]) -> None:
    """Write a game, GAME (1,) and actions (D,), with some words on why. Raises OSError."""
    data = {
        "format": FORMAT,
        "version": __version__,
        "said": list(said),
        "position": position_text.write(start[0]).splitlines(),
        "decisions": [actions.NAMES[action] for action in decisions],
    }
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _data(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"{path}: no whole JSON file ({problem}): want a game that the lab wrote") from None
    if not isinstance(data, dict) or sorted(data) != sorted(_KEYS) or data["format"] != FORMAT:
        raise ConfigError(f"{path}: want {', '.join(_KEYS)}, and {FORMAT!r} as the format")
    for key in ("said", "position", "decisions"):
        if not isinstance(data[key], list) or not all(isinstance(one, str) for one in data[key]):
            raise ConfigError(f"{path}: {key} is no list of texts: want one, as the lab writes it")
    return data


def read(path: Path) -> Saved:
    """Read a game. Raises ConfigError for another file, naming what is wrong, and OSError."""
    data = _data(path)
    try:
        start = position_text.read("\n".join(data["position"]) + "\n")
        decisions = np.array([action_id(name) for name in data["decisions"]], np.int64)
    except FleetCaptainError as problem:
        raise ConfigError(f"{path}: {problem}") from None
    return Saved(start, decisions, tuple(data["said"]))
