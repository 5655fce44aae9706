"""Which scenario the next game of a batch is of, and by the same rules which opponent it is against."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fc_env.dice import mix_plain
from fc_env.errors import ConfigError

RECENT_GAMES = 100
"""About how many games of a scenario its recent crossing rate looks back."""

_LABEL = np.uint64(0xC0FFEE5EED)
_TO_53_BITS = np.uint64(11)


class Progress(NamedTuple):
    """What a curriculum may look at when some slots of a batch are about to start a game.

    Where opponents are chosen from a pool, S are the opponents.
    """

    slots: np.ndarray  # int64 (K,): places in the batch that start a game
    episodes: np.ndarray  # int64 (K,): number of that game, 0 for the first after a seed
    games: np.ndarray  # int64 (S,): games of each scenario that have ended
    crossing_rate: np.ndarray  # float64 (S,): share of the recent ones that were won, 0 where none has ended

    @property
    def win_rate(self) -> np.ndarray:
        """The same by its other name, since in battles to win is not to cross."""
        return self.crossing_rate


Curriculum = Callable[[Progress], np.ndarray]
"""Gives the chance of each scenario, float (S,), or the index of one for each slot, int (K,).

It should depend on its argument only: then a batch that is saved and restored goes on as it would have.
Chances are drawn by a hash of the game's own seed, so they too are the same in every run.
"""


def round_robin(progress: Progress) -> np.ndarray:
    """The usual curriculum: each slot plays one scenario after the other, and neighbours start one apart."""
    chosen: np.ndarray = (progress.slots + progress.episodes) % len(progress.games)
    return chosen


def evenly(progress: Progress) -> np.ndarray:
    """Equal chances for all."""
    n = len(progress.games)
    return np.full(n, 1.0 / n)


class Chooser:
    """Picks scenarios for the games of a batch, and keeps count of how they ended.

    Or it picks opponents: ``words`` name the rule and what it picks in errors, and a ``label`` of its own keeps the
    lots of one chooser from those of another.
    """

    def __init__(
        self,
        curriculum: Curriculum | None,
        n_scenarios: int,
        words: tuple[str, str] = ("curriculum", "scenarios"),
        label: np.uint64 = _LABEL,
    ) -> None:
        self._curriculum = round_robin if curriculum is None else curriculum
        self._words = words
        self._label = label
        self.games = np.zeros(n_scenarios, np.int64)
        self.crossing_rate = np.zeros(n_scenarios)

    def choose(self, slots: np.ndarray, episodes: np.ndarray, raw_seeds: np.ndarray) -> np.ndarray:
        """A scenario for the next game of each slot, int64 (K,). Raises ConfigError for an answer of another form."""
        n = len(self.games)
        rule, things = self._words
        if n == 1:
            return np.zeros(len(slots), np.int64)
        progress = Progress(slots.copy(), episodes.copy(), self.games.copy(), self.crossing_rate.copy())
        answer = np.asarray(self._curriculum(progress))
        if answer.dtype.kind in "iu" and answer.shape == slots.shape:
            if ((answer < 0) | (answer >= n)).any():
                raise ConfigError(f"{rule} chose {answer.tolist()}: want {things} 0..{n - 1}")
            return answer.astype(np.int64)
        if answer.dtype.kind != "f" or answer.shape != (n,):
            raise ConfigError(
                f"{rule} gave {answer.dtype} {answer.shape}: want chances, float ({n},), or choices, int "
                f"({len(slots)},)"
            )
        if not (answer >= 0).all() or not np.isclose(answer.sum(), 1.0):
            raise ConfigError(f"{rule} gave {answer.tolist()}: want chances from 0 that add up to 1")
        uniform = (mix_plain(raw_seeds ^ self._label) >> _TO_53_BITS) * 2.0**-53
        bounds = np.cumsum(answer)
        bounds[np.flatnonzero(answer)[-1] :] = 1.0  # so that rounding never picks a scenario of chance 0
        return np.searchsorted(bounds, uniform, side="right").astype(np.int64)

    def note(self, scenarios: np.ndarray, won_games: np.ndarray) -> None:
        """Count games that have just ended: their scenarios, int64 (K,), and whether they were won, bool (K,)."""
        for scenario, won in zip(scenarios, won_games, strict=True):
            self.games[scenario] += 1
            weight = 1.0 / min(self.games[scenario], RECENT_GAMES)
            self.crossing_rate[scenario] += weight * (won - self.crossing_rate[scenario])
