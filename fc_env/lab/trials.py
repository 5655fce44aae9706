"""The engine's own rules on many seeds: what it makes of the questions that ``exact`` answers by enumeration."""

from __future__ import annotations

import numpy as np

from fc_env import dice, seeding
from fc_env.dice import Purpose
from fc_env.jit import jit, kernel_view
from fc_env.notation import Position
from fc_env.rules import doom
from fc_env.rules.attack import strike
from fc_env.rules.contact import contact
from fc_env.rules.movement import contact_die
from fc_env.rules.power import WEAPONS, die_of
from fc_env.state import Doom
from fc_env.tape import SILENT

MOST_HULL = 100
"""Hull points of a ship that can be asked about."""
_FLAGSHIP, _LESSER = "flagship", "crew 2-9"
_BATTLE = "fleet-captain position 1\nmap 12x8\nmode battle\n"
_ME = "ship 0 0203 NE flagship dice d6 d8 d10 slowness 2 hull 9 power LMH shown\n"
_FOE = "ship 1 1005 SW flagship dice d6 d8 d10 slowness 2 hull 9 power LMH shown\n"


def _game(rules: str, ships: str, markers: str = "") -> np.ndarray:
    """GAME (1,) of a battle with some ships. Raises ScenarioError for rules that cannot be."""
    changed = f"rules {rules}\n" if rules else ""
    return Position.parse(f"{_BATTLE}{changed}{ships}{markers}").games


def rules_of(rules: str) -> np.ndarray:
    """The rule set as a RULES record, from changes such as ``avoid_die=8 jokers=1``. Raises ScenarioError."""
    record: np.ndarray = _game(rules, _ME + _FOE)["rules"][0]
    return record


@jit
def _on_seed(start, seed):
    """A copy of the position, GAME (1,), with dice of its own."""
    games = start.copy()
    games[0].seed = seed
    return games


@jit
def _contacts(start, seeds, densities, avoid_hazard, left) -> None:
    for i in range(seeds.shape[0]):
        game = _on_seed(start, seeds[i])[0]
        avoid_die = contact_die(game, game.ships[0, 0], avoid_hazard)
        for place in range(densities.shape[0]):
            game.markers[0].density = densities[place]
            contact(game, SILENT, 0, 0, 0, avoid_die)
        left[i] = game.ships[0, 0].hull


@jit
def _attacks(start, seeds, bonus, density, lost) -> None:
    for i in range(seeds.shape[0]):
        game = _on_seed(start, seeds[i])[0]
        ship = game.ships[0, 0]
        roll = dice.roll(game, SILENT, Purpose.ATTACK, ship.token, 0, die_of(ship, WEAPONS))
        lost[i] = strike(game, SILENT, 0, 0, 1, 0, 0, roll, bonus, density)


@jit
def _dooms(start, seeds, rolled) -> None:
    for i in range(seeds.shape[0]):
        game = _on_seed(start, seeds[i])[0]
        doom.declare(game, SILENT, 0, 0)
        rolled[i] = game.ships[0, 0].doom


def _seeds(n: int) -> np.ndarray:
    return seeding.game_seeds(np.arange(n), 0, "test")


def hull_after(
    n: int, rules: str, hull: int, lasers: int, densities: list[int], avoid_hazard: bool, flagship: bool
) -> np.ndarray:
    """Hull that a ship has left after contacts with markers of some densities, int64 (N,) for N seeds."""
    kind = _FLAGSHIP if flagship else _LESSER
    ship = f"ship 0 0203 NE {kind} dice d6 d8 d10 slowness 2 hull {hull} lasers {lasers} power LMH shown\n"
    other = "" if flagship else "ship 0 0306 NE flagship dice d6 d8 d10 slowness 2 hull 9 power LMH shown\n"
    left = np.zeros(n, np.int64)
    start = kernel_view(_game(rules, ship + other + _FOE, "marker 0604 SE 6\n"))
    _contacts(start, _seeds(n), np.array(densities, np.int64), avoid_hazard, left)
    return left


def attack_damage(n: int, rules: str, weapons_die: int, bonus: int, shields_die: int, density: int) -> np.ndarray:
    """Hull that attacks through a density take, int64 (N,) for N seeds."""
    dies = [
        f"dice d{faces} d{faces} d{faces} slowness 2 hull 40 power LMH shown" for faces in (weapons_die, shields_die)
    ]
    ships = f"ship 0 0203 NE flagship {dies[0]}\nship 1 1005 SW flagship {dies[1]}\n"
    lost = np.zeros(n, np.int64)
    _attacks(kernel_view(_game(rules, ships)), _seeds(n), bonus, density, lost)
    return lost


def doom_rolls(n: int, rules: str, flagship: bool) -> np.ndarray:
    """What ships at 0 hull roll for doom, int64 (N,) for N seeds."""
    ships = f"ship 0 0203 NE flagship dice d6 d8 d10 slowness 2 hull {0 if flagship else 9}/9 power LMH shown\n"
    if not flagship:
        ships = f"ship 0 0306 NE {_LESSER} dice d4 d6 d8 slowness 1 hull 0/5 power LMH shown\n" + ships
    rolled = np.full(n, Doom.NONE, np.int64)
    _dooms(kernel_view(_game(f"countdown_to_doom=true {rules}".strip(), ships + _FOE)), _seeds(n), rolled)
    return rolled
