"""Games in which nothing happens, sides that win by their seat, and ship classes that never win."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fc_env import scenarios
from fc_env.events import Rule
from fc_env.lab import measuring
from fc_env.lab.recording import Recorded, record
from fc_env.lab.referee import Player
from fc_env.state import SEATS, SHIP, Mode

_HURT = (Rule.CON_2, Rule.FIR_1, Rule.MOV_8)  # by their values: hull lost, or the edges that a ship left by
_GONE = (Rule.DOOM_1, Rule.DOOM_3)
_LOST_BY_DOOM = (1, 3)  # results by which a ship strikes its colours, or is abandoned


class Quiet:
    """Finds the longest time in each of N games in which no ship lost hull or left."""

    def __init__(self, n: int) -> None:
        self._last = np.zeros(n, np.int64)  # turn in which something happened, 0 for the beginning
        self.longest = np.zeros(n, np.int64)  # turns

    def watch(self, events: np.ndarray) -> None:
        """See events, EVENT (E,)."""
        rule = events["rule"]
        told = (np.isin(rule, _HURT) & (events["value"] > 0)) | np.isin(rule, _GONE)
        told |= (rule == Rule.DOOM_2) & np.isin(events["roll"], _LOST_BY_DOOM)
        for row in events[told]:
            self._note(int(row["game"]), int(row["turn"]))

    def end(self, turns: np.ndarray) -> np.ndarray:
        """The longest of each game, int64 (N,), that ended after so many turns."""
        for game, turn in enumerate(turns.tolist()):
            self._note(game, turn + 1)
        return self.longest

    def _note(self, game: int, turn: int) -> None:
        self.longest[game] = max(self.longest[game], turn - self._last[game] - 1)
        self._last[game] = turn


def _build(ship: np.ndarray) -> tuple[object, ...]:
    """What a ship is, wherever it stands."""
    placed = ("q", "r", "facing", "token", "status")
    return tuple(ship[name].tolist() for name in SHIP.names or () if name not in placed)


def alike(game: np.void) -> bool:
    """Whether both seats of a game, GAME (), have the same ships."""
    fleets = [sorted(map(repr, map(_build, game["ships"][seat][: game["n_ships"][seat]]))) for seat in range(SEATS)]
    return fleets[0] == fleets[1]


def classes(scene: str) -> dict[str, np.ndarray]:
    """A ship of each class that plays in a scenario, SHIP ()."""
    name, field = measuring.split_scene(scene)
    said = scenarios.scenario(name)
    setups = scenarios.load(name, field)
    found: dict[str, np.ndarray] = {}
    for seat, ships in enumerate(said.sides):
        for index, entry in enumerate(ships):
            if entry.ship_class is not None:
                found.setdefault(entry.ship_class, setups["game"][0]["ships"][seat, index].copy())
    return found


def one_on_one(setups: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A battle, SETUP (1,), of two ships, SHIP (), where the flagships of a scenario stand."""
    found = setups.copy()
    game = found["game"][0]
    game["mode"] = Mode.BATTLE
    for seat, ship in enumerate((one, other)):
        fleet = game["ships"][seat]
        lead = fleet[int(np.argmax(fleet["flagship"]))].copy()
        new = ship.copy()
        for name in ("q", "r", "facing", "token"):
            new[name] = lead[name]
        new["flagship"], new["convoy"], new["crew"], new["captain"] = 1, 0, 0, 0
        fleet[:] = np.zeros((), SHIP)
        fleet[0] = new
        game["n_ships"][seat] = 1
    return found


def duels(
    player: Player, setups: np.ndarray, ships: dict[str, np.ndarray], seeds: Sequence[int], space: str
) -> dict[str, dict[str, np.ndarray]]:
    """How each class fares against each other, one on one, in both seats: worth, float64 (2 N,), by the two names."""
    found: dict[str, dict[str, np.ndarray]] = {name: {} for name in ships}
    for one, other in combinations(ships, 2):
        here = record(player, one_on_one(setups, ships[one], ships[other]), seeds, space).worth
        there = 1.0 - record(player, one_on_one(setups, ships[other], ships[one]), seeds, space).worth
        found[one][other] = np.concatenate([here, there])
        found[other][one] = 1.0 - found[one][other]
    return found


def watched(player: Player, setups: np.ndarray, seeds: Sequence[int], space: str) -> tuple[Recorded, np.ndarray]:
    """Games that an agent plays for all sides, and the longest quiet time of each in turns, int64 (N,)."""
    quiet = Quiet(len(seeds))
    recorded = record(player, setups, seeds, space, quiet.watch)
    return recorded, quiet.end(recorded.ends["turn"].astype(np.int64))
