"""Power (rules.md section 3)."""

from __future__ import annotations

import numpy as np

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules.board import in_play
from fc_env.state import SEATS, Phase

SHIELDS, WEAPONS, MOVEMENT = 0, 1, 2
WAYS = 6
POWER_DIE = 6
"""POW-2: the die that chooses among the six ways; one face a way, so not a field of the rule set."""

WAY_NAMES = ("none", "LMH", "LHM", "MLH", "MHL", "HLM", "HML")
DICE_OF_WAYS = np.array([[0, 0, 0], [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], dtype=np.int64)


@jit
def die_of(ship, system: int) -> int:
    """POW-1. Faces of the die a ship has on shields (0), weapons (1) or movement (2) this turn."""
    return ship.power_dice[DICE_OF_WAYS[ship.power, system]]


@jit
def roll_lesser(game, tape) -> None:
    """POW-2. A d6 chooses among the six ways for each lesser ship; shown at once (POW-3)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if in_play(ship) and not ship.flagship and ship.power == 0:
                ship.power = dice.roll(game, tape, Purpose.POWER, ship.token, 0, POWER_DIE)
                ship.power_shown = 1
                events.write_ship(game, tape, Rule.POW_2, seat, index, ship.power, ship.power)


@jit
def ask(game) -> bool:
    """COR-1. Find the next flagship without power, seat 0 first; False if there is none."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if in_play(ship) and ship.flagship and ship.power == 0:
                game.actor = seat
                game.asked = index
                return True
    return False


@jit
def show(game, tape) -> None:
    """POW-3. Powers chosen unseen are shown together."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if in_play(ship) and not ship.power_shown:
                ship.power_shown = 1
                events.write_ship(game, tape, Rule.POW_3, seat, index, -1, ship.power)


@jit
def power_phase(game, tape) -> bool:
    """TURN-1. True while a flagship's power is to be chosen (POW-1)."""
    if game.asked < 0:  # nobody has been asked yet this turn
        events.write_game(game, tape, Rule.TURN_1, game.turn)
    roll_lesser(game, tape)
    if ask(game):
        return True
    show(game, tape)
    game.asked = -1
    game.phase = Phase.ORDERS
    return False


@jit
def choose(game, tape, way: int) -> None:
    """Give the flagship that is asked one of the six ways, 1..6."""
    game.ships[game.actor, game.asked].power = way
    events.write_ship(game, tape, Rule.POW_1, game.actor, game.asked, -1, way)
