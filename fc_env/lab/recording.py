"""Games that one agent plays for all sides, with every decision kept, and games that are played on from a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fc_env import engine
from fc_env.lab.playing import Watch
from fc_env.lab.referee import Player, Referee
from fc_env.opponents import lots
from fc_env.state import Outcome, Phase, as_bytes

BATCH = 4096
"""Games that are played on side by side; bounds the memory."""

_WORTH = {Outcome.SEAT_0_WINS: 1.0, Outcome.CROSSED: 1.0, Outcome.DRAW: 0.5}
WORTH = np.array([_WORTH.get(outcome, 0.0) for outcome in Outcome])
"""What an outcome is worth to seat 0."""


class Recorded(NamedTuple):
    """Games that were played to their ends."""

    seeds: Sequence[int]
    starts: np.ndarray  # GAME (N,)
    ends: np.ndarray  # GAME (N,)
    decisions: list[list[int]]  # of each game

    @property
    def worth(self) -> np.ndarray:
        """What each was worth to seat 0, float64 (N,)."""
        return WORTH[self.ends["outcome"]]

    def at(self, game: int, decision: int) -> np.ndarray:
        """A game as it stood at one of its decisions, GAME (1,)."""
        now = self.starts[game : game + 1].copy()
        for action in self.decisions[game][:decision]:
            engine.step(now, [action])
        return now


def _played_on(
    player: Player,
    games: np.ndarray,
    first: Callable[[np.ndarray, np.ndarray], object] | None = None,
    watch: Watch | None = None,
) -> None:
    """Play games, GAME (N,), on to their ends in place; ``first`` is shown rows and actions before they are taken."""
    referee, number = Referee(), 0
    going = np.flatnonzero(games["phase"] != Phase.OVER)
    active = engine.clone(games, rows=going)
    while len(going):
        drawn = lots(active["seed"], number * 2 + active["actor"].astype(np.int64))
        actions = referee.ask(player, active, engine.legal_mask(active), drawn).actions
        if first is not None:
            first(going, actions)
        events = engine.step(active, actions, record=watch is not None).events
        if watch is not None:
            events["game"] = going[events["game"]]
            watch(events)
        over = active["phase"] == Phase.OVER
        if over.any():
            as_bytes(games)[going[over]] = as_bytes(active)[over]
            kept = np.flatnonzero(~over)
            active, going = engine.clone(active, rows=kept), going[kept]
        number += 1


def record(
    player: Player, setups: np.ndarray, seeds: Sequence[int], space: str = "test", watch: Watch | None = None
) -> Recorded:
    """Let an agent play all sides of a scenario, SETUP (1,), on each seed. Raises what the agent does wrong."""
    starts = engine.new(setups, seeds, space)
    ends = starts.copy()
    decisions: list[list[int]] = [[] for _ in seeds]

    def keep(rows: np.ndarray, actions: np.ndarray) -> None:
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            decisions[row].append(action)

    _played_on(player, ends, keep, watch)
    return Recorded(seeds, starts, ends, decisions)


def worth(player: Player, games: np.ndarray) -> np.ndarray:
    """What games, GAME (N,), come to for seat 0 if an agent plays all sides on, float64 (N,); they are unchanged."""
    found = np.zeros(len(games))
    for low in range(0, len(games), BATCH):
        some = games[low : low + BATCH].copy()
        _played_on(player, some)
        found[low : low + BATCH] = WORTH[some["outcome"]]
    return found
