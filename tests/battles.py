"""Small battles for tests of the two seats: scenarios made by hand, since what is tested is who is asked and shown."""

from __future__ import annotations

import numpy as np

from fc_env import engine, scenarios
from fc_env.hexgrid import DIRECTIONS
from fc_env.rules.setup import SETUP
from fc_env.state import Mode, Order


def duel(lesser: int = 0, turn_limit: int = 4) -> np.ndarray:
    """A battle on the map of ``tiny``, SETUP (1,): a flagship each, seat 1's being seat 0's after a half turn.

    Seat 1 has so many lesser ships besides, so that sides may be of different size.
    """
    setups: np.ndarray = scenarios.load("tiny").copy()
    assert setups.dtype == SETUP
    game = setups["game"][0]
    game["mode"], game["goal"] = Mode.BATTLE, 0
    game["rules"]["turn_limit"] = turn_limit
    mine = game["ships"][0, 0]
    game["ships"][1, 0] = mine
    theirs = game["ships"][1, 0]
    row = mine["r"] + (mine["q"] >> 1)
    place(theirs, int(game["width"] - 1 - mine["q"]), int(game["height"] - 1 - row))
    theirs["facing"], theirs["token"] = (mine["facing"] + 3) % DIRECTIONS, 6
    for index in range(1, lesser + 1):
        ship = game["ships"][1, index]
        game["ships"][1, index] = theirs
        ship["flagship"], ship["token"], ship["crew"], ship["captain"] = 0, 6 + index, 0b1111100, 1 << 12
        place(ship, int(theirs["q"]), int((theirs["r"] + (theirs["q"] >> 1) + index) % game["height"]))
    game["n_ships"] = 1, 1 + lesser
    return setups


def hidden_otherwise(games: np.ndarray) -> tuple[np.ndarray, int]:
    """Copies of some games that the seat to act cannot tell from them (COR-1), and how many of its enemies' markers and
    powers were changed: other seeds, and other ones in place of those not shown."""
    others, changed = engine.clone(games, seeds=range(len(games))), 0
    for game in others:
        ship = game["ships"][1 - game["actor"], 0]
        if ship["order"] != Order.NONE and not ship["order_shown"]:
            ship["order"] = ship["order"] % 4 + 1
            changed += 1
        if ship["power"] and not ship["power_shown"]:
            ship["power"] = ship["power"] % 6 + 1
            changed += 1
    return others, changed


def place(ship: np.ndarray, column: int, row: int) -> None:
    """Put a ship in a column and row."""
    ship["q"], ship["r"] = column, row - (column >> 1)
