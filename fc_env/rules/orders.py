"""Orders (rules.md section 3)."""

from __future__ import annotations

from fc_env import events
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules.board import in_play
from fc_env.state import SEATS, Order, Phase

FACE_DOWN = 0
"""In place of a roll in ORD-1's row of a marker that is given, which the other side does not see (COR-1)."""


@jit
def orders_phase(game, tape) -> bool:
    """TURN-2. Find the next ship without a marker, seat 0 first (COR-1); True while there is one."""
    if game.asked < 0:  # nobody has been asked for an order yet
        events.write_game(game, tape, Rule.TURN_2, game.turn)
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if in_play(ship) and ship.order == Order.NONE:
                game.actor = seat
                game.asked = index
                return True
    game.asked = -1
    game.phase = Phase.DRIFT
    return False


@jit
def give(game, tape, order: int) -> None:
    """ORD-1. Put a marker face down at the ship that is asked."""
    ship = game.ships[game.actor, game.asked]
    ship.order = order
    ship.order_shown = 0
    events.write_ship(game, tape, Rule.ORD_1, game.actor, game.asked, FACE_DOWN, order)


@jit
def show(game, tape, seat: int, index: int) -> None:
    """A ship that moves shows its marker (ORD-1)."""
    ship = game.ships[seat, index]
    ship.order_shown = 1
    events.write_ship(game, tape, Rule.ORD_1, seat, index, -1, ship.order)


@jit
def discard(game, tape, seat: int, index: int) -> None:
    """A ship that is activated to fire discards its marker unseen (ORD-2)."""
    ship = game.ships[seat, index]
    ship.activated = 1
    ship.order, ship.order_shown = Order.NONE, 0
    events.write_ship(game, tape, Rule.ORD_2, seat, index, -1, 0)


@jit
def may_be_activated(ship) -> bool:
    """ORD-2. A ship in play is activated at most once a turn."""
    return in_play(ship) and not ship.activated
