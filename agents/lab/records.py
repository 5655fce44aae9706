"""Games as rows of a ledger: one row for each seed, with both games of a pair."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from fc_env import actions as act
from fc_env.lab.playing import Played
from fc_env.state import GAME

ALIKE = ("result", "outcome", "turns", "decisions", "forfeit")
"""What is the same whenever the same agents play the same games."""


def rows_of(played: Played, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each seed: what it is ``about``, the seed, and what became of its games, in lists by game."""
    rows = []
    for row, seed in enumerate(played.seeds.tolist()):
        said: dict[str, Any] = {**about, "seed": seed}
        for name in ALIKE:
            said[name] = getattr(played, name)[row].tolist()
        said["hull_lost"] = played.hull_lost[row].tolist()
        said["seconds"] = [round(float(seconds), 6) for seconds in played.seconds[row].sum(axis=0)]
        rows.append(said)
    for row, _, why in played.faults:
        rows[row].setdefault("faults", []).append(why)
    return rows


def worth(rows: list[dict[str, Any]]) -> np.ndarray:
    """What the games of rows were worth to the first side, float64 (N, G): a win 1, a draw 1/2."""
    return (np.array([row["result"] for row in rows], np.float64) + 1.0) / 2.0


def digest_of(setups: np.ndarray) -> str:
    """Digest of scenarios with their rules, of the form of a game and of the actions (hex, 16 digits)."""
    said = hashlib.blake2b(digest_size=8)
    said.update(np.ascontiguousarray(setups).tobytes())
    said.update(repr((setups.dtype.descr, GAME.descr, act.NAMES)).encode())
    return said.hexdigest()
