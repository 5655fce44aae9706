"""One scenario under one rule set, played on seeds that other cells share, and the figures of each of its games.

Dice are hashed by what they are rolled for, so that two cells on one seed share every roll that means the same in both:
differences between cells are sharp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.events import Rule
from fc_env.lab import measuring, named
from fc_env.lab.playing import BATCH, Played, batches
from fc_env.lab.spreading import Spread
from fc_env.strict_yaml import parse_value

FIGURES = {
    "won": "won by seat 0 (crossed, where there is one side), a draw half",
    "drawn": "drawn",
    "turns": "turns",
    "decisions": "decisions",
    "lost_to_fire": "hull points lost to fire, both sides, before repairs",
    "lost_to_asteroids": "hull points lost to asteroids, both sides, before repairs",
    "lost_to_blasts": "hull points lost to explosions, both sides, before repairs",
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


SHARES = ("won", "drawn", "field")
"""Figures that are shares of games."""


def without_field(setups: np.ndarray) -> np.ndarray:
    """The same fleets, SETUP (1,), where there is no rock at all."""
    bare = setups.copy()
    bare["game"]["n_markers"], bare["n_placed"] = 0, 0
    bare["game"]["markers"] = np.zeros((), bare["game"]["markers"].dtype)
    return bare


def changed(text: str, name: str) -> tuple[str, list[Any]]:
    """Key and values of ``KEY=VALUE,VALUE``. Raises ConfigError."""
    key, equals, values = text.partition("=")
    if not (key and equals and values):
        raise ConfigError(f"{name} {text!r}: want KEY=VALUE, or KEY=VALUE,VALUE where there may be several")
    found: list[Any] = parse_value(f"[{values}]", f"{name} {key}")
    if not found or len({repr(value) for value in found}) < len(found):
        raise ConfigError(f"{name} {text!r}: want one or more values, each once")
    return key, found


MOST_CELLS = 400
LEAST_OF_A_TASK = 16
"""Seeds that are worth a process's while."""


def combinations(texts: Sequence[str], most: int = 8) -> list[dict[str, Any]]:
    """All combinations of ``KEY=VALUE,VALUE`` texts, at most so many keys: a value for each key. Raises ConfigError."""
    varied = dict(changed(text, "--vary") for text in texts)
    if len(texts) > most or len(varied) < len(texts):
        raise ConfigError(f"--vary {' '.join(texts)}: want at most {most} keys, each once")
    n = math.prod(map(len, varied.values()))
    if n > MOST_CELLS:
        raise ConfigError(f"--vary {' '.join(texts)}: {n} combinations: want at most {MOST_CELLS}")
    return [dict(zip(varied, values, strict=True)) for values in product(*varied.values())]


def add_agents(parser: Parser) -> None:
    """Who plays."""
    parser.add_argument("--agents", nargs="+", default=["captain"], metavar="AGENT",
                        help="who plays seat 0, and who seat 1 (default: captain both)")  # fmt: skip


def chosen_seeds(given: Any) -> range:
    """The seeds that the options ask for, of which figures with intervals want two. Raises ConfigError, SeedError."""
    seeds = measuring.chosen_seeds(given)
    if len(seeds) < 2:
        raise ConfigError(f"--games {given.games}: want at least 2, for intervals")
    return seeds


def played(
    agents: Sequence[str], setups: np.ndarray, seeds: Sequence[int], space: str, note: Callable[[int], object]
) -> dict[str, np.ndarray]:
    """The figures but ``field`` of one game on each seed, float64 (N,) each; the first agent sits in seat 0.

    Raises SeedError, and ConfigError for what an agent does wrong.
    """
    found: list[dict[str, np.ndarray]] = []
    for some in batches(seeds, 1):
        early = _Early(setups, len(some))
        games = named.play(agents, setups, some, space, note=note, watch=early.watch)
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


def many(
    agents: Sequence[str],
    scenes: Sequence[np.ndarray],
    seeds: Sequence[int],
    space: str,
    note: Callable[[int], object],
    spread: Spread,
) -> list[dict[str, np.ndarray]]:
    """``played`` in each of several scenarios, SETUP (1,) each."""
    if spread.workers == 1:
        return [played(agents, one, seeds, space, note) for one in scenes]
    step = min(BATCH, max(LEAST_OF_A_TASK, -(-len(seeds) // spread.workers)))
    shares = [seeds[low : low + step] for low in range(0, len(seeds), step)]
    parts: list[dict[str, np.ndarray]] = []
    for part in spread.results(_part, ((agents, one, some, space) for one in scenes for some in shares)):
        parts.append(part)
        note(len(part["won"]))
    each = len(shares)
    return [
        {name: np.concatenate([one[name] for one in parts[low : low + each]]) for name in parts[low]}
        for low in range(0, len(parts), each)
    ]


def _part(agents: Sequence[str], setups: np.ndarray, seeds: Sequence[int], space: str) -> dict[str, np.ndarray]:
    return played(agents, setups, seeds, space, lambda games: None)


def full(
    agents: Sequence[str],
    scenes: Sequence[np.ndarray],
    seeds: Sequence[int],
    space: str,
    note: Callable[[int], object],
    spread: Spread,
) -> list[dict[str, np.ndarray]]:
    """All figures of one game on each seed in each scenario, float64 (N,) each. Raises as ``played``."""
    both = [setups for one in scenes for setups in (one, without_field(one))]
    played_in = many(agents, both, seeds, space, note, spread)
    found = []
    for here, open_space in zip(played_in[::2], played_in[1::2], strict=True):
        found.append({**here, "field": (here["won"] != open_space["won"]).astype(np.float64)})
    return found
