"""A battle of one ship against one on the small map, over in a few turns."""

from __future__ import annotations

import numpy as np

from fc_env import scenarios
from fc_env.hexgrid import parse_label
from fc_env.state import Facing, Mode


def small_battle(hull: int = 8) -> np.ndarray:
    """SETUP (1,): equal ships face each other on the tiny map, with its two markers; a half turn swaps them."""
    setups = scenarios.load("tiny", rules={"turn_limit": 8, "map_edge": "wall"})
    game = setups["game"]
    game["mode"], game["goal"], game["n_ships"], game["rules"]["countdown_to_doom"] = Mode.BATTLE, 0, (1, 1), 1
    for seat, hex_, facing in ((0, "0103", Facing.SE), (1, "0603", Facing.NW)):
        ship = game["ships"][:, seat, 0]
        ship[:] = game["ships"][0, 0, 0]
        ship["q"], ship["r"] = parse_label(hex_)
        ship["facing"] = facing
        ship["power_dice"], ship["volleys"], ship["torpedoes"] = (6, 8, 10), 2, 1
        ship["hull"] = ship["full_hull"] = hull
        ship["lasers"] = 1
        game["ships"][:, seat, 0] = ship
    setups["facing_choices"] = 0
    return setups
