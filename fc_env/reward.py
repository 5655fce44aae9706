"""Named reward terms.

The base is the term ``outcome``: in a crossing +1 for getting across and 0 for any other end, so that the mean return
is the crossing rate; in a battle +1 for a win, -1 for a loss and 0 for a draw, zero-sum (WIN-1 to WIN-3).
Shaping adds terms of the form ``gamma * potential(after) - potential(before)`` with the potential 0 at
the end of a game (Ng, Harada, Russell 1999, "Policy invariance under reward transformations"), so with the
same ``gamma`` the best policy stays the best. All terms of a step add up to its reward.

Whoever a reward is for, the potentials are shown the games with that seat's ships as seat 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from fc_env import engine
from fc_env.errors import ConfigError
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST
from fc_env.jit import jit
from fc_env.state import GAME, Mode, Outcome, Phase, Status, as_bytes

Potential = Callable[[np.ndarray], np.ndarray]
"""GAME (N,), own side first, to float (N,)."""

Custom = Callable[[np.ndarray, np.ndarray], Mapping[str, np.ndarray]]
"""GAME (N,), own side first, before and after a step to named terms, float (N,) each."""

_OF_SIDES = ("ships", "n_ships", "side_token")
_OF_ONE_SEAT = ("actor", "first")
_SWAPPED_OUTCOMES = np.array([*range(Outcome.SEAT_0_WINS), Outcome.SEAT_1_WINS, Outcome.SEAT_0_WINS, Outcome.DRAW])


def own_side_first(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Games, GAME (N,), in which the seats, int64 (N,), have become seat 0; the board is left as it lies.

    These are the games themselves, or where any seat is 1 a copy.
    """
    if not seats.any():
        return games
    turned = engine.clone(games)
    other = seats == 1
    for name in _OF_SIDES:
        turned[name][other] = games[name][other][:, ::-1]
    for name in _OF_ONE_SEAT:
        turned[name][other] = 1 - games[name][other]
    turned["outcome"][other] = _SWAPPED_OUTCOMES[games["outcome"][other]]
    return turned


def flagships(games: np.ndarray, seat: int = 0) -> np.ndarray:
    """The flagship of a seat in each game, SHIP (N,)."""
    ships = games["ships"][:, seat]
    chosen: np.ndarray = ships[np.arange(len(games)), ships["flagship"].argmax(axis=1)]
    return chosen


def progress(games: np.ndarray) -> np.ndarray:
    """Share of the map behind the flagship on its way to the nearest goal edge, 0 to 1."""
    ship = flagships(games)
    width, height = games["width"], games["height"]
    row = ship["r"] + (ship["q"] >> 1)
    behind = ((EAST, ship["q"], width), (WEST, width - 1 - ship["q"], width), (SOUTH, row, height),
              (NORTH, height - 1 - row, height))  # fmt: skip
    best = np.zeros(len(games))
    for edge, done, whole in behind:
        best = np.where(games["goal"] & edge, np.maximum(best, done / whole), best)
    return np.clip(best, 0.0, 1.0)


def hull(games: np.ndarray) -> np.ndarray:
    """Share of the flagship's hull points left, 0 to 1."""
    ship = flagships(games)
    left: np.ndarray = ship["hull"] / np.maximum(ship["full_hull"], 1)
    return left


def hull_share(games: np.ndarray, seat: int) -> np.ndarray:
    """Share of a side's full hull points that its ships in play have left (WIN-1), 0 to 1; 0 for a side without any."""
    ships = games["ships"][:, seat]
    left = np.where(ships["status"] == Status.IN_PLAY, ships["hull"], 0).sum(axis=1)
    share: np.ndarray = left / np.maximum(ships["full_hull"].sum(axis=1), 1)
    return share


def hull_lead(games: np.ndarray) -> np.ndarray:
    """Own share of hull less theirs, -1 to 1."""
    return hull_share(games, 0) - hull_share(games, 1)


POTENTIALS: dict[str, Potential] = {"progress": progress, "hull": hull, "hull_lead": hull_lead}


@jit
def result(game, seat: int) -> float:
    """What a game's ending is worth to a seat; 0 while it goes on.

    In a crossing +1 to seat 0 for getting across (WIN-2); in a battle or convoy +1 for a win, -1 for a loss, 0 for a
    draw (WIN-1, WIN-3).
    """
    if game.mode == Mode.CROSSING:
        return 1.0 if seat == 0 and game.outcome == Outcome.CROSSED else 0.0
    if game.outcome == Outcome.SEAT_0_WINS:
        return 1.0 if seat == 0 else -1.0
    if game.outcome == Outcome.SEAT_1_WINS:
        return 1.0 if seat == 1 else -1.0
    return 0.0


def _is_finite_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an int too large for a float
        return False


@dataclass(frozen=True)
class RewardConfig:
    """What a step is worth.

    ``shaping`` gives the weight of each potential by name (``POTENTIALS``, or one of ``potentials``); empty switches
    shaping off. ``custom`` replaces all of it by the user's own terms. Raises ConfigError for an unknown name, a name
    in ``potentials`` that another term has, a weight that is no finite number, and a ``gamma`` not from 0 to 1.
    """

    shaping: Mapping[str, float] = field(default_factory=dict)
    gamma: float = 0.997
    potentials: Mapping[str, Potential] = field(default_factory=dict)
    custom: Custom | None = None

    def __post_init__(self) -> None:
        for key, given in (("shaping", self.shaping), ("potentials", self.potentials)):
            if not isinstance(given, Mapping):
                raise ConfigError(f"reward {key} {given!r}: want a mapping by name")
        taken = ("outcome", *POTENTIALS)
        for name in self.potentials:
            if name in taken:
                raise ConfigError(f"reward potentials {name!r}: want another name than {', '.join(taken)}")
        known = {**POTENTIALS, **self.potentials}
        for name, weight in self.shaping.items():
            if name not in known:
                raise ConfigError(f"reward shaping {name!r}: want one of {', '.join(known)}")
            if not _is_finite_number(weight):
                raise ConfigError(f"reward shaping {name!r} has the weight {weight!r}: want a finite number")
        if not (_is_finite_number(self.gamma) and 0.0 <= self.gamma <= 1.0):
            raise ConfigError(f"reward gamma {self.gamma!r}: want a number from 0 to 1")


RewardLike = RewardConfig | Mapping[str, Any] | Callable[..., Any] | None


def reward_config(reward: RewardLike) -> RewardConfig:
    """A RewardConfig from what users give: one, its fields, a callable of their own, or None for the base reward.

    Raises ConfigError for anything else.
    """
    if reward is None:
        return RewardConfig()
    if isinstance(reward, RewardConfig):
        return reward
    if isinstance(reward, Mapping):
        unknown = [str(key) for key in reward if key not in RewardConfig.__dataclass_fields__]
        if unknown:
            known = ", ".join(RewardConfig.__dataclass_fields__)
            raise ConfigError(f"reward {', '.join(unknown)}: want fields out of {known}")
        return RewardConfig(**reward)
    if callable(reward):
        return RewardConfig(custom=reward)
    raise ConfigError(f"reward {reward!r}: want a RewardConfig, a mapping of its fields, a callable, or None")


class Rewarder:
    """Rewards of a batch of games, step by step; it remembers the potential each game stood at."""

    def __init__(self, config: RewardConfig, n: int) -> None:
        self.config = config
        known = {**POTENTIALS, **config.potentials}
        self._potentials = [(name, weight, known[name]) for name, weight in config.shaping.items()]
        self._last = np.zeros((len(self._potentials), n))
        self._before: np.ndarray | None = None
        self._nobody = np.zeros(n, np.int64)
        self._rows = np.arange(n)

    def _now(self, games: np.ndarray) -> np.ndarray:
        over = games["phase"] == Phase.OVER
        now = np.zeros((len(self._potentials), len(games)))
        for row, (_, weight, potential) in enumerate(self._potentials):
            now[row] = np.where(over, 0.0, weight * potential(games))
        return now

    def reset(
        self, games: np.ndarray, where: np.ndarray | slice = slice(None), seats: np.ndarray | None = None
    ) -> None:
        """Note where games stand that were just started, GAME (N,); ``where`` picks them.

        ``seats``, int64 (N,): whom the rewards are for, by default seat 0.
        """
        if not self._potentials and self.config.custom is None:
            return
        rows = self._rows[where]
        own = own_side_first(engine.clone(games, rows=rows), (self._nobody if seats is None else seats)[rows])
        if self._potentials:
            self._last[:, where] = self._now(own)
        if self.config.custom is not None:
            if self._before is None:
                self._before = engine.clone(games)
            as_bytes(self._before)[where] = as_bytes(own)

    def step(
        self, games: np.ndarray, results: np.ndarray, seats: np.ndarray | None = None
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Rewards float32 (N,) of the step that led to ``games``, and their named terms, float64 (N,).

        ``results``: the ``result`` of each game for its seat, float64 (N,).

        A reward is the sum of its terms, taken in float64 and then rounded to float32.
        """
        if self.config.custom is not None and self._before is not None:
            own = own_side_first(games, self._nobody if seats is None else seats)
            terms = self._custom_terms(self.config.custom(self._before, own), len(games))
            self._before = engine.clone(own)
        else:
            terms = {"outcome": results.copy()}
            if not self._potentials:
                return terms["outcome"].astype(np.float32), terms
            now = self._now(own_side_first(games, self._nobody if seats is None else seats))
            change = self.config.gamma * now - self._last
            self._last = now
            terms.update({name: change[row] for row, (name, _, _) in enumerate(self._potentials)})
        total = sum(terms.values(), np.zeros(len(games)))
        return total.astype(np.float32), terms

    @staticmethod
    def _custom_terms(given: object, n: int) -> dict[str, np.ndarray]:
        """The terms of a user's own reward as float64 (n,). Raises ConfigError for anything but named numbers."""
        if not isinstance(given, Mapping):
            raise ConfigError(f"custom reward is a {type(given).__name__}: want named terms, each float ({n},)")
        terms = {}
        for name, term in given.items():
            values = np.array(term, np.float64)
            if values.shape != (n,):
                raise ConfigError(f"custom reward term {name!r} has shape {values.shape}: want ({n},)")
            terms[str(name)] = values
        return terms

    def get_state(self) -> dict[str, np.ndarray]:
        """What is remembered, as plain arrays: potentials float64 (P, N), games before the step as uint8 (N, bytes)."""
        state: dict[str, np.ndarray] = {"potentials": self._last.copy()}
        if self.config.custom is not None:
            before = np.zeros(self._last.shape[1], GAME) if self._before is None else self._before
            state["before"] = as_bytes(before).copy()
        return state

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` gave."""
        self._last = np.array(state["potentials"])
        if self.config.custom is not None:
            self._before = np.array(state["before"]).reshape(-1).view(GAME)
