"""Games to be walked through: drawn scenarios, also odd ones, and shipped ones, each made from a number of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fc_env import engine, scenarios
from fc_env.errors import ScenarioError
from fc_env.jit import kernel_view
from fc_env.rules import setup as laying
from fc_env.ruleset import LADDER, RuleSet, to_record
from fc_env.state import MAX_MARKERS, MAX_SHIPS, SEATS, Flaw, Mode, Slip, Status

FEW_MARKERS = 10
"""As many as are soon laid, uncompiled too."""
TOUGH_HULL = 1000


def drawn_rules(rng: np.random.Generator) -> RuleSet:
    """A rule set with every field that matters here drawn from its whole range."""

    def die() -> Any:
        return int(rng.choice(LADDER))

    drawn: dict[str, Any] = {
        "drift_die": die(),
        "avoid_die": die(),
        "contact_damage_die": die(),
        "laser_reduction_die": die(),
        "avoid_hazard_die": die(),
        "avoid_hazard_die_flagship": die(),
        "avoid_hazard_move_steps": int(rng.integers(-3, 1)),
        "jokers": int(rng.integers(0, 5)),
        "aces": ["flagships", "all", "none"][rng.integers(3)],
        "activations_per_card": int(rng.integers(1, 7)),
        "drift_hexes": int(rng.integers(0, 4)),
        "sideslip": bool(rng.integers(2)),
        "map_edge": ["leave", "wall"][rng.integers(2)],
        "small_hexes": bool(rng.integers(2)),
        "attenuation": int(rng.integers(0, 4)),
        "torpedo_centre_steps": int(rng.integers(0, 4)),
        "torpedo_beside_bonus": int(rng.integers(0, 7)),
        "torpedo_columns": int(rng.integers(0, 4)),
        "laser_attack_die": [0, *LADDER][rng.integers(7)],
        "laser_range": int(rng.integers(1, 21)),
        "countdown_to_doom": bool(rng.integers(2)),
        "explosion_steps": int(rng.integers(0, 4)),
        "long_row_share": float(rng.choice([0.0, 0.5, 0.8, 1.0])),
        "first_drift_safe": bool(rng.integers(2)),
        "turn_limit": int(rng.integers(1, 12)),
    }
    return RuleSet(**drawn)


def drawn_ship(rng: np.random.Generator, ship: Any, flagship: bool) -> None:
    """Draw a ship into a record, SHIP, without a place."""
    first = int(rng.integers(0, 4))
    ship["status"], ship["flagship"] = Status.IN_PLAY, flagship
    ship["power_dice"] = LADDER[first : first + 3]
    ship["slowness"], ship["volleys"], ship["torpedoes"] = rng.integers(1, 5), rng.integers(1, 4), rng.integers(2)
    ship["lasers"], ship["facing"] = rng.integers(0, 4), rng.integers(6)
    ship["hull"] = ship["full_hull"] = rng.integers(1, 60)
    ship["flaw"] = rng.choice(list(Flaw))
    if ship["flaw"] in (Flaw.BLIND_SPOT, Flaw.SHIELD_FLAW):
        ship["flaw_side"] = rng.integers(6)
    elif ship["flaw"] == Flaw.ENGINE_IMBALANCE:
        ship["flaw_side"] = rng.integers(Slip.LEFT, Slip.RIGHT + 1)
    if not flagship:
        ship["crew"] = int(rng.integers(0, 512)) << 2
        ship["captain"] = int(rng.integers(0, 8)) << 11


def drawn_setup(seed: int, crowded: bool = False) -> np.ndarray:
    """A scenario, SETUP (1,): a crossing or a battle of up to six ships a side on a map of any size, with up to ten
    markers, some of them placed, drifting one way or each its own, under a drawn rule set."""
    rng = np.random.default_rng(seed)
    setups = np.zeros(1, laying.SETUP)
    setup = setups[0]
    game = setup["game"]
    game["rules"] = to_record(drawn_rules(rng))
    width, height = (10, 8) if crowded else (2 * int(rng.integers(3, 16)), int(rng.integers(5, 21)))
    game["width"], game["height"], game["turn"], game["goal"] = width, height, 1, rng.integers(1, 16)
    game["card"], game["asked"], game["side_token"] = -1, -1, [0, 1]
    sides = 2 if crowded else int(rng.integers(1, 3))
    game["mode"] = Mode.CROSSING if sides == 1 else Mode.BATTLE
    hexes = rng.permutation(width * height)
    pieces = iter([(int(place) // height, int(place) % height) for place in hexes])
    for seat in range(sides):
        game["n_ships"][seat] = MAX_SHIPS if crowded else rng.integers(1, MAX_SHIPS + 1)
        for index in range(game["n_ships"][seat]):
            ship = game["ships"][seat, index]
            drawn_ship(rng, ship, flagship=index == 0)
            column, row = next(pieces)
            ship["q"], ship["r"], ship["token"] = column, row - column // 2, seat * MAX_SHIPS + index
    game["n_markers"] = MAX_MARKERS if crowded else rng.integers(0, FEW_MARKERS + 1)
    setup["n_placed"] = rng.integers(0, game["n_markers"] + 1)
    setup["drift_each"], setup["field_facing"] = rng.integers(2), rng.integers(-1, 6)
    for index in range(game["n_markers"]):
        marker = game["markers"][index]
        marker["density"] = rng.integers(1, 7)
        if index < setup["n_placed"]:
            column, row = next(pieces)
            marker["q"], marker["r"], marker["facing"] = column, row - column // 2, rng.integers(6)
    if crowded:
        game["rules"]["turn_limit"], game["rules"]["first_drift_safe"], game["rules"]["long_row_share"] = 60, 0, 0
    laying.find_rows(kernel_view(setups)[0])
    return setups


def new_game(setups: np.ndarray, seed: int) -> np.ndarray:
    """A game GAME (1,); where the field cannot be laid safely, laid without that care."""
    if setups["n_placed"][0] == setups["game"]["n_markers"][0]:
        setups["game"]["rules"]["first_drift_safe"] = 0  # nothing is laid, and what was placed is not looked at
    try:
        return engine.new(setups, [seed])
    except ScenarioError:
        setups["game"]["rules"]["first_drift_safe"] = 0
        return engine.new(setups, [seed])


# ---- kinds of games


def _drawn(rng: np.random.Generator) -> np.ndarray:
    return drawn_setup(int(rng.integers(2**32)))


def _crowded(rng: np.random.Generator) -> np.ndarray:
    """36 markers and 12 ships on 80 hexes."""
    return drawn_setup(int(rng.integers(2**32)), crowded=True)


def _tough(rng: np.random.Generator) -> np.ndarray:
    """Ships that last, among walls, so that it stays crowded."""
    setups = drawn_setup(int(rng.integers(2**32)), crowded=bool(rng.integers(2)))
    game = setups["game"][0]
    game["ships"]["hull"] = game["ships"]["full_hull"] = np.where(
        game["ships"]["status"] == Status.IN_PLAY, TOUGH_HULL, 0
    )
    game["rules"]["map_edge"], game["goal"] = 1, 0
    return setups


def _worn(rng: np.random.Generator) -> np.ndarray:
    """Ships near or at 0 hull under the countdown, near one another; some have jammed torpedoes to repair."""
    setups = drawn_setup(int(rng.integers(2**32)), crowded=True)
    game = setups["game"][0]
    game["n_markers"] = setups["n_placed"][0] = min(int(setups["n_placed"][0]), FEW_MARKERS)
    game["rules"]["countdown_to_doom"] = 1
    game["rules"]["turn_limit"] = 12
    ships = game["ships"]
    ships["hull"] = np.minimum(ships["hull"], rng.integers(0, 4, ships.shape))
    jams = (ships["status"] == Status.IN_PLAY) & (ships["flagship"] != 0) & bool(rng.integers(2))
    ships["flaw"] = np.where(jams, Flaw.TORPEDO_JAMS, ships["flaw"])
    ships["flaw_side"] = np.where(jams, 0, ships["flaw_side"])
    for name in ("torpedoes", "jammed"):
        ships[name] = np.where(jams, 1, ships[name])
    return setups


def _waiting(rng: np.random.Generator) -> np.ndarray:
    """All markers on one row and about to leave it, so that many wait at one place."""
    setups = drawn_setup(int(rng.integers(2**32)))
    game = setups["game"][0]
    taken = {(int(ship["q"]), int(ship["r"])) for ship in game["ships"].ravel() if ship["status"] == Status.IN_PLAY}
    facing, column = (0, 3)[rng.integers(2)], int(rng.integers(game["width"]))
    rows = [row for row in range(int(game["height"])) if (column, row - column // 2) not in taken]
    game["n_markers"] = setups["n_placed"][0] = min(len(rows), FEW_MARKERS)
    for index in range(int(game["n_markers"])):
        marker = game["markers"][index]
        marker["q"], marker["r"], marker["facing"] = column, rows[index] - column // 2, facing
        marker["density"] = rng.integers(1, 7)
    game["rules"]["drift_die"], game["rules"]["first_drift_safe"] = 20, 0
    return setups


def _convoy(rng: np.random.Generator) -> np.ndarray:
    """A drawn battle in which some ships of one side are to be brought across."""
    setups = drawn_setup(int(rng.integers(2**32)))
    game = setups["game"][0]
    if game["mode"] != Mode.BATTLE:
        return setups
    seat = int(rng.integers(SEATS))
    game["mode"] = Mode.CONVOY
    game["rules"]["convoy_share"] = int(rng.integers(0, 11)) * 100_000
    n = int(game["n_ships"][seat])
    for index in rng.permutation(n)[: int(rng.integers(1, n + 1))]:
        game["ships"][seat, index]["convoy"] = 1
    return setups


def _shipped(rng: np.random.Generator) -> np.ndarray:
    names = scenarios.names()
    return scenarios.load(names[rng.integers(len(names))])


KINDS: tuple[Callable[[np.random.Generator], np.ndarray], ...] = (
    _drawn, _crowded, _drawn, _worn, _drawn, _waiting, _drawn, _convoy, _drawn, _tough, _drawn, _shipped
)  # fmt: skip


def scene(seed: int, number: int) -> tuple[np.ndarray, np.ndarray]:
    """The game of a number among those of a seed, GAME (1,), and the scenario that it was made from, SETUP (1,)."""
    rng = np.random.default_rng((seed, number))
    setups = KINDS[number % len(KINDS)](rng)
    setups["game"]["markers"][0, int(setups["game"]["n_markers"][0]) :] = 0
    return new_game(setups, int(rng.integers(2**63))), setups
