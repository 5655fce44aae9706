"""What a side may choose between, and what each choice comes to when the game is played on from a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fc_env import actions as act
from fc_env import dice, engine
from fc_env.lab.recording import Recorded, worth
from fc_env.lab.referee import Player
from fc_env.lab.statistics import Interval, share_difference
from fc_env.rules.cards import is_black
from fc_env.state import Phase

NEAR = 0.02
"""Points in a hundred games by which an option may be worse than the best and still be right."""
PHASES = (Phase.POWER, Phase.ORDERS, Phase.CARD, Phase.SIDESLIP)
"""Where what is chosen has a name; an Alpha Strike's targets have none."""


def option_of(game: np.void, action: int) -> str:
    """What an action is called whatever ship it is for, in a position GAME ()."""
    if action < act.ACT:
        return act.NAMES[action]
    black = is_black(int(game["card"]))
    if action < act.MANOEUVRE:
        return "move" if black else "fire"
    return "Avoid Hazard" if black else "Alpha Strike"


class Met(NamedTuple):
    """A position that was met in a game, in which there are two options or more."""

    game: int  # among those recorded
    decision: int
    position: np.ndarray  # GAME (1,)

    @property
    def options(self) -> dict[str, list[int]]:
        """The actions of each option."""
        found: dict[str, list[int]] = {}
        for action in engine.legal_actions(self.position):
            found.setdefault(option_of(self.position[0], action), []).append(action)
        return found


def met(recorded: Recorded, wanted: int, rng: np.random.Generator) -> list[Met]:
    """So many positions of games, or as many as there are, spread evenly over the kinds of choices."""
    by_phase: dict[int, list[Met]] = {int(phase): [] for phase in PHASES}
    for game, decisions in enumerate(recorded.decisions):
        now = recorded.starts[game : game + 1].copy()
        for decision, action in enumerate(decisions):
            here = Met(game, decision, now.copy())
            if int(now[0]["phase"]) in by_phase and len(here.options) > 1:
                by_phase[int(now[0]["phase"])].append(here)
            engine.step(now, [action])
    kinds = sorted((found for found in by_phase.values() if found), key=len)
    chosen: list[Met] = []
    for place, found in enumerate(kinds):
        many = min(len(found), (wanted - len(chosen)) // (len(kinds) - place))
        chosen += [found[i] for i in sorted(rng.choice(len(found), many, replace=False))]
    return chosen


# ---- what they are worth


class Table(NamedTuple):
    """What each action in a position came to for the side that was asked, on the same dice."""

    options: dict[str, list[int]]
    worth: dict[int, np.ndarray]  # float64 (K,) by action

    def best_of(self, option: str) -> np.ndarray:
        """The worth of an option's best action."""
        return max((self.worth[action] for action in self.options[option]), key=np.mean)

    def others(self, option: str) -> list[np.ndarray]:
        """The best of each other option."""
        return [self.best_of(other) for other in self.options if other != option]

    def lead(self, option: str) -> float:
        """By how much an option seems better than the best other."""
        return float(self.best_of(option).mean() - max(other.mean() for other in self.others(option)))

    def leads(self, option: str) -> list[Interval]:
        """By how much an option is better than each other."""
        return [share_difference(self.best_of(option) - other) for other in self.others(option)]

    def is_right(self, option: str) -> bool:
        """Whether an option is surely within ``NEAR`` of all others."""
        return min(lead.low for lead in self.leads(option)) > -NEAR

    def is_wrong(self, option: str) -> bool:
        """Whether an option is surely more than ``NEAR`` worse than another."""
        return min(lead.high for lead in self.leads(option)) < -NEAR

    def matters(self) -> bool:
        """Whether some option is surely more than ``NEAR`` worse than another: in a game that is decided none is."""
        return any(self.is_wrong(option) for option in self.options)


def _seeds(here: Met, times: int, key: int) -> np.ndarray:
    """Of the games that are played on from a position, uint64 (K,), whatever other positions there are."""
    place = np.uint64(dice.hashed(np.uint64(dice.hashed(np.uint64(key), here.game)), here.decision))
    return np.array([dice.hashed(place, i) for i in range(times)], np.uint64)


def tables(player: Player, positions: Sequence[Met], times: int, key: int) -> list[Table]:
    """Take each action in each position so many times and let an agent play all sides on, with dice and cards anew.

    Hidden orders stay as they are. Actions of one position share their seeds, so that differences are sharp.
    """
    batches, shapes = [], []
    for here in positions:
        options = here.options
        chosen = [action for actions in options.values() for action in actions]
        seeds = _seeds(here, times, key)
        games = np.repeat(here.position, times * len(chosen))
        games["seed"] = np.tile(seeds, len(chosen))
        engine.step(games, np.repeat(chosen, times))
        batches.append(games)
        shapes.append((here, options, chosen))
    came_to = worth(player, np.concatenate(batches))
    parts = np.split(came_to, np.cumsum([len(games) for games in batches])[:-1])
    found = []
    for part, (here, options, chosen) in zip(parts, shapes, strict=True):
        mine = part if here.position[0]["actor"] == 0 else 1.0 - part
        found.append(Table(options, dict(zip(chosen, mine.reshape(len(chosen), times), strict=True))))
    return found
