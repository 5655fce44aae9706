"""Winning (rules.md section 8)."""

from __future__ import annotations

import numpy as np

from fc_env import events
from fc_env.events import Rule
from fc_env.hexgrid import edges_beyond
from fc_env.jit import jit
from fc_env.rules.board import in_play
from fc_env.ruleset import SHARE_UNIT
from fc_env.state import MAX_SHIPS, SEATS, Mode, Order, Outcome, Phase, Status


@jit
def end(game, tape, rule: int, outcome: int) -> None:
    """The game is over."""
    game.outcome = outcome
    game.phase = Phase.OVER
    game.actor, game.asked = 0, -1
    events.write_game(game, tape, rule, outcome)


@jit
def has_crossed(game, ship) -> bool:
    """Whether a ship has left by the goal edge; one that is destroyed beyond it (COR-12) has not."""
    return ship.status == Status.LEFT and edges_beyond(game.width, game.height, ship.q, ship.r) & game.goal != 0


@jit
def check_leaving(game, tape, seat: int, index: int) -> None:
    """COR-22. In a crossing the flagship's leaving ends the game at once: by the goal edge it has won."""
    ship = game.ships[seat, index]
    if game.mode != Mode.CROSSING or ship.status != Status.LEFT or not ship.flagship:
        return
    events.write_ship(game, tape, Rule.COR_22, seat, index, -1, 1)
    if has_crossed(game, ship):
        end(game, tape, Rule.WIN_2, Outcome.CROSSED)
    else:
        end(game, tape, Rule.WIN_2, Outcome.LEFT_ELSEWHERE)


@jit
def note_elimination(game, tape) -> None:
    """Write that a side gone in the last turn counts before the turn limit does (COR-22)."""
    if game.turn >= game.rules.turn_limit:
        events.write_game(game, tape, Rule.COR_22, 0)


@jit
def check_crossing(game, tape) -> None:
    """WIN-2. A crossing whose flagship is gone has failed; at the turn limit it is out of time."""
    alive = False
    for index in range(game.n_ships[0]):
        ship = game.ships[0, index]
        alive = alive or (ship.flagship != 0 and in_play(ship))
    if not alive:
        note_elimination(game, tape)
        end(game, tape, Rule.WIN_2, Outcome.DESTROYED)
    elif game.turn >= game.rules.turn_limit:
        end(game, tape, Rule.WIN_2, Outcome.OUT_OF_TIME)


@jit
def ships_in_play(game, seat: int) -> int:
    """Number of a side's ships in play."""
    count = 0
    for index in range(game.n_ships[seat]):
        count += in_play(game.ships[seat, index])
    return count


@jit
def hull_in_play(game, seat: int) -> int:
    """Hull points of a side's ships in play."""
    hull = 0
    for index in range(game.n_ships[seat]):
        if in_play(game.ships[seat, index]):
            hull += int(game.ships[seat, index].hull)
    return hull


@jit
def full_hull(game, seat: int) -> int:
    """A side's full starting hull points."""
    hull = 0
    for index in range(game.n_ships[seat]):
        hull += int(game.ships[seat, index].full_hull)
    return hull


@jit
def check_battle(game, tape) -> None:
    """WIN-1. A side with no ship in play has lost; at the turn limit the greater share of hull wins."""
    left_0, left_1 = ships_in_play(game, 0), ships_in_play(game, 1)
    if left_0 and left_1 and game.turn < game.rules.turn_limit:
        return
    if not left_0 or not left_1:
        note_elimination(game, tape)
    # Shares are compared as cross products, exactly; a side with none in play has share 0.
    share_0 = hull_in_play(game, 0) * full_hull(game, 1)
    share_1 = hull_in_play(game, 1) * full_hull(game, 0)
    if left_0 and not left_1:
        share_0, share_1 = 1, 0
    elif left_1 and not left_0:
        share_0, share_1 = 0, 1
    if share_0 > share_1:
        end(game, tape, Rule.WIN_1, Outcome.SEAT_0_WINS)
    elif share_1 > share_0:
        end(game, tape, Rule.WIN_1, Outcome.SEAT_1_WINS)
    else:
        end(game, tape, Rule.WIN_1, Outcome.DRAW)


@jit
def convoy_seat(game) -> int:
    """The seat whose ships are to be brought across."""
    for index in range(game.n_ships[1]):
        if game.ships[1, index].convoy:
            return 1
    return 0


@jit
def check_convoy(game, tape) -> None:
    """WIN-3. Over when no convoy ship is in play, or at the turn limit.

    The hull points that have left by the goal edge, as a share of those the convoy started with, are compared with
    ``convoy_share``: exactly, as whole numbers (COR-22).
    """
    seat = convoy_seat(game)
    brought, started, going = 0, 0, False
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        if ship.convoy:
            started += int(ship.full_hull)
            going = going or in_play(ship)
            if has_crossed(game, ship):
                brought += int(ship.hull)
    if going and game.turn < game.rules.turn_limit:
        return
    if not going:
        note_elimination(game, tape)
    above = brought * SHARE_UNIT - started * int(game.rules.convoy_share)
    if above == 0:
        end(game, tape, Rule.WIN_3, Outcome.DRAW)
    elif (above > 0) == (seat == 0):
        end(game, tape, Rule.WIN_3, Outcome.SEAT_0_WINS)
    else:
        end(game, tape, Rule.WIN_3, Outcome.SEAT_1_WINS)


@jit
def next_turn(game) -> None:
    """A new turn: the deck is whole, and no ship has power, a marker or an activation (CARD-2, ORD-2)."""
    game.turn += 1
    game.phase = Phase.POWER
    game.flipped = np.uint64(0)
    game.flips = 0
    game.first = 0
    for seat in range(SEATS):
        for index in range(MAX_SHIPS):
            ship = game.ships[seat, index]
            ship.power, ship.power_shown = 0, 0
            ship.order, ship.order_shown = Order.NONE, 0
            ship.activated, ship.contacts = 0, 0
            ship.packets, ship.doom = 0, 0


@jit
def victory_phase(game, tape) -> None:
    """TURN-7. Check for victory; if nobody has won, the next turn begins."""
    events.write_game(game, tape, Rule.TURN_7, game.turn)
    if game.mode == Mode.CROSSING:
        check_crossing(game, tape)
    elif game.mode == Mode.CONVOY:
        check_convoy(game, tape)
    else:
        check_battle(game, tape)
    if game.phase != Phase.OVER:
        next_turn(game)
