"""One scenario under one rule set, played on seeds that other cells share, and the figures of each of its games.

Dice are hashed by what they are rolled for, so that two cells on one seed share every roll that means the same in both:
differences between cells are sharp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from fc_env import opponents, scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.events import Rule
from fc_env.lab.playing import Played, batches, play, sides_of
from fc_env.lab.referee import of_callable
from fc_env.strict_yaml import parse_value

FIGURES = {
    "won": "won by seat 0 (crossed, where there is one side), a draw half",
    "drawn": "drawn",
    "turns": "turns",
    "decisions": "decisions",
    "lost_to_fire": "hull points lost to fire, both sides",
    "lost_to_asteroids": "hull points lost to asteroids, both sides",
    "lost_to_blasts": "hull points lost to explosions, both sides",
    "contacts": "contacts",
    "hazards": "moves by Avoid Hazard",
    "early": "ships brought to 0 hull before the first card",
    "field": "ended otherwise than without the field",
}
"""What is found out about every game."""


class _Early:
    """Counts the ships of each game that are brought to 0 hull before its first card."""

    def __init__(self, setups: np.ndarray, n: int) -> None:
        self._full = setups[0]["game"]["ships"]["full_hull"]
        self._lost = np.zeros((n, *self._full.shape), np.int64)
        self._begun = np.zeros(n, np.bool_)

    def watch(self, events: np.ndarray) -> None:
        """See events, EVENT (E,)."""
        game, place = events["game"], np.arange(len(events))
        first = np.where(self._begun, 0, len(events))
        cards = np.flatnonzero(events["rule"] == Rule.CARD_2)
        np.minimum.at(first, game[cards], cards)
        self._begun[game[cards]] = True
        hurt = np.isin(events["rule"], (Rule.CON_2, Rule.FIR_1)) & (place < first[game])
        ship = game[hurt], events["seat"][hurt], events["ship"][hurt]
        np.add.at(self._lost, ship, events["value"][hurt])

    @property
    def ships(self) -> np.ndarray:
        """How many, int64 (N,)."""
        found: np.ndarray = ((self._full > 0) & (self._lost >= self._full)).sum(axis=(1, 2))
        return found


def setups_of(scene: str, changes: Mapping[str, Any]) -> np.ndarray:
    """SETUP (1,) of a scenario given as NAME or NAME:FIELD, with keys of its file changed. Raises ScenarioError."""
    name, _, field = scene.partition(":")
    return scenarios.load(name, field or None, None, **changes)


def without_field(scene: str, changes: Mapping[str, Any]) -> np.ndarray:
    """The same fleets where there is no rock at all. Raises ScenarioError."""
    name, _, field = scene.partition(":")
    place = f"fields.{field or scenarios.scenario(name).usual_field}"
    kept = {key: value for key, value in changes.items() if not f"{key}.".startswith(f"{place}.")}
    return setups_of(scene, {**kept, place: {"sets": 0}})


def changed(text: str, name: str) -> tuple[str, list[Any]]:
    """Key and values of ``KEY=VALUE,VALUE``. Raises ConfigError."""
    key, equals, values = text.partition("=")
    if not (key and equals and values):
        raise ConfigError(f"{name} {text!r}: want KEY=VALUE, or KEY=VALUE,VALUE where there may be several")
    found: list[Any] = parse_value(f"[{values}]", f"{name} {key}")
    return key, found


MOST_CELLS = 400


def combinations(texts: Sequence[str], most: int = 8) -> list[dict[str, Any]]:
    """All combinations of ``KEY=VALUE,VALUE`` texts, at most so many keys: a value for each key. Raises ConfigError."""
    varied = dict(changed(text, "--vary") for text in texts)
    if len(texts) > most or len(varied) < len(texts):
        raise ConfigError(f"--vary {' '.join(texts)}: want at most {most} keys, each once")
    found = [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]
    if len(found) > MOST_CELLS:
        raise ConfigError(f"--vary {' '.join(texts)}: {len(found)} combinations: want at most {MOST_CELLS}")
    return found


def add_agents(parser: Parser) -> None:
    """Who plays."""
    parser.add_argument("--agents", nargs="+", default=["captain"], metavar="AGENT",
                        help="who plays seat 0, and who seat 1 (default: captain both)")  # fmt: skip


def check_agents(agents: Sequence[str]) -> None:
    """Raise ConfigError for more agents than sides."""
    if len(agents) > 2:
        raise ConfigError(f"--agents {' '.join(agents)}: want one for both sides, or one for each")


def played(
    agents: Sequence[str], setups: np.ndarray, seeds: Sequence[int], space: str, note: Callable[[int], object]
) -> dict[str, np.ndarray]:
    """The figures but ``field`` of one game on each seed, float64 (N,) each; the first agent sits in seat 0."""
    sides = sides_of(setups)
    names = (list(agents) * sides)[:sides]
    found: list[dict[str, np.ndarray]] = []
    for some in batches(seeds, 1):
        players = [of_callable(opponents.resolve(name, setups), setups, name) for name in names]
        early = _Early(setups, len(some))
        games = play(players, setups, some, space, note=note, watch=early.watch, swapped=False)
        found.append({**_figures(games), "early": early.ships.astype(np.float64)})
    return {name: np.concatenate([one[name] for one in found]) for name in found[0]}


def _figures(games: Played) -> dict[str, np.ndarray]:
    result = games.result[:, 0]
    both = ("decisions", "lost_to_fire", "lost_to_asteroids", "lost_to_blasts", "contacts", "hazards")
    sums = {name: games.counts[name][:, 0].sum(axis=1).astype(np.float64) for name in both}
    one_sided = games.hull_lost.shape[2] == 1
    won = (result > 0).astype(np.float64) if one_sided else (1.0 + result) / 2.0
    return {
        "won": won,
        "drawn": (result == 0).astype(np.float64),
        "turns": games.turns[:, 0].astype(np.float64),
        **sums,
    }


def cell(
    scene: str,
    changes: Mapping[str, Any],
    agents: Sequence[str],
    seeds: Sequence[int],
    space: str,
    note: Callable[[int], object],
) -> dict[str, np.ndarray]:
    """All figures of one game on each seed, float64 (N,) each. Raises ScenarioError, ConfigError, SeedError."""
    found = played(agents, setups_of(scene, changes), seeds, space, note)
    open_space = played(agents, without_field(scene, changes), seeds, space, note)
    found["field"] = (found["won"] != open_space["won"]).astype(np.float64)
    return found  # fmt: skip
