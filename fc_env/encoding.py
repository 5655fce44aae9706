"""How an observation is written: the kernels that put what one seat may know of a game (COR-1) into a flat row.

The encoder never reads the seed, and never an order or a power of the other side that was not shown. What a row holds
is told by ``schema``, where its parts lie by ``observation.Layout``.
"""

from __future__ import annotations

import numpy as np

from fc_env.actions import PASS
from fc_env.hexgrid import DIRECTIONS, DQ, DR
from fc_env.jit import jit, record_at
from fc_env.near import columns_to_goal, write_all_rolls, write_near_edge, write_near_markers, write_prospects
from fc_env.odds_cards import jokers_left
from fc_env.odds_fire import find_lines
from fc_env.rules.board import in_play, waiting
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS, copies_left, is_black, rank_of
from fc_env.rules.power import MOVEMENT, SHIELDS, WEAPONS, die_of
from fc_env.schema import (
    FIREPOWER_FLOATS,
    HEAD_DTYPE,
    HEAD_FLOATS,
    MARKER_DTYPE,
    MARKER_FLOATS,
    NEAR_DTYPE,
    NEAR_FLOATS,
    PROSPECT_DTYPE,
    PROSPECT_FLOATS,
    SHIP_DTYPE,
    SHIP_FLOATS,
    SIXTHS,
    THIRDS,
    TWENTIETHS,
)
from fc_env.state import ACE, ASKING, JACK, LOW_RANK, MAX_SHIPS, SEATS, Flaw, Order, Outcome, Phase, Slip
from fc_env.targets import write_fire, write_targets

_PLACE_OF_PHASE = np.full(len(Phase), len(ASKING), np.int64)
for _place, _phase in enumerate(ASKING):
    _PLACE_OF_PHASE[_phase] = _place


@jit
def column_from(game, seat: int, q: int) -> int:
    """Column counted from the seat's own end of the board (MAP-1)."""
    return q if seat == 0 else game.width - 1 - q


@jit
def row_from(game, seat: int, q: int, r: int) -> int:
    """Row counted from the seat's own end of the board."""
    row = r + (q >> 1)
    return row if seat == 0 else game.height - 1 - row


@jit
def facing_from(seat: int, facing: int) -> int:
    """Facing as seen from the seat's own end of the board."""
    return facing if seat == 0 else (facing + DIRECTIONS // 2) % DIRECTIONS


@jit
def focus_of(game, seat: int) -> int:
    """Index of the seat's ship in focus: the one asked about, else its flagship, else its first in play; -1 if none."""
    if game.phase != Phase.OVER and game.actor == seat and game.asked >= 0:
        return game.asked
    first = -1
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        if in_play(ship):
            if ship.flagship:
                return index
            if first < 0:
                first = index
    return first


@jit
def write_cards(game, head) -> None:
    """The open card and what is left of the deck."""
    if game.card >= 0:
        head.card_colour[0 if is_black(game.card) else 1] = 1.0
        head.card_rank[rank_of(game.card) - LOW_RANK] = 1.0
    head.black_left[:] = 1.0
    head.red_left[:] = 1.0
    if game.flips > 0:
        for place in range(RANKS_OF_A_SUIT):
            head.black_left[place] = copies_left(game, place) / 2
            head.red_left[place] = copies_left(game, place + 2 * RANKS_OF_A_SUIT) / 2
    jokers = jokers_left(game)
    left = SUITED_CARDS + game.rules.jokers - game.flips
    head.jokers_left[0] = jokers / 4
    head.joker_next[0] = jokers / left if left > 0 else 0.0


@jit
def outcome_for(seat: int, outcome: int) -> int:
    """An outcome as if the seat were seat 0."""
    if seat == 1 and outcome == Outcome.SEAT_0_WINS:
        return Outcome.SEAT_1_WINS
    if seat == 1 and outcome == Outcome.SEAT_1_WINS:
        return Outcome.SEAT_0_WINS
    return outcome


@jit
def write_flaw(ship, out) -> None:
    """What is wrong with a ship (section 9)."""
    if ship.flaw == Flaw.NONE:
        return
    out.flaw[ship.flaw - 1] = 1.0
    if ship.flaw == Flaw.ENGINE_IMBALANCE:
        out.slips_right[0] = 1.0 if ship.flaw_side == Slip.RIGHT else 0.0
    else:
        out.flaw_side[0] = ship.flaw_side / DIRECTIONS


@jit
def write_head(game, seat: int, focus: int, head) -> None:
    """What is asked, the turn, the cards, a move that waits, and the way to the goal."""
    head.phase[_PLACE_OF_PHASE[game.phase]] = 1.0
    if game.outcome > 0:
        head.outcome[outcome_for(seat, game.outcome) - 1] = 1.0
    head.turns_left[0] = max(game.rules.turn_limit - game.turn + 1, 0) / game.rules.turn_limit
    # Before the initiative roll nobody does, but for a side that is alone (COR-3, COR-7).
    settled = game.phase >= Phase.FLIP or game.n_ships[1 - seat] == 0
    head.decides_first[0] = 1.0 if settled and game.first == seat else 0.0
    write_cards(game, head)
    head.sides_to_answer[0] = game.to_answer / SEATS
    head.acts_left[0] = game.card_acts / MAX_SHIPS
    head.move_hexes[0] = game.move_hexes / 20
    head.move_avoid_die[0] = game.move_avoid_die / 20
    if focus >= 0 and in_play(game.ships[seat, focus]):
        ship = game.ships[seat, focus]
        head.to_goal[0] = columns_to_goal(game, ship.q, ship.r) / 100


@jit
def write_ship(game, seat: int, side: int, index: int, focus: int, out) -> None:
    """One ship as the seat may know it (COR-1)."""
    ship = game.ships[side, index]
    known = side == seat
    out.status[ship.status] = 1.0
    out.flagship[0] = ship.flagship
    out.in_focus[0] = 1.0 if known and index == focus else 0.0
    out.column[0] = column_from(game, seat, ship.q) / game.width
    out.row[0] = row_from(game, seat, ship.q, ship.r) / game.height
    out.facing[facing_from(seat, ship.facing)] = 1.0
    out.hull[0] = ship.hull / max(ship.full_hull, 1)
    out.full_hull[0] = ship.full_hull / 10
    for place in range(3):
        out.power_dice[place] = TWENTIETHS[ship.power_dice[place]]
    if ship.power > 0 and (known or ship.power_shown):
        out.power[SHIELDS] = TWENTIETHS[die_of(ship, SHIELDS)]
        out.power[WEAPONS] = TWENTIETHS[die_of(ship, WEAPONS)]
        out.power[MOVEMENT] = TWENTIETHS[die_of(ship, MOVEMENT)]
    out.slowness[0] = ship.slowness / 4
    out.volleys[0] = THIRDS[ship.volleys]
    out.torpedoes[0] = ship.torpedoes
    out.lasers[0] = THIRDS[ship.lasers]
    for rank in range(LOW_RANK, JACK):
        out.crew[rank - LOW_RANK] = (ship.crew >> rank) & 1
    for rank in range(JACK, ACE):
        out.captain[rank - JACK] = (ship.captain >> rank) & 1
    write_flaw(ship, out)
    out.convoy[0] = ship.convoy
    out.jammed[0] = ship.jammed
    out.sitting_duck[0] = ship.sitting_duck
    if ship.doom > 0:
        out.doom[0] = ship.doom / 12
    if ship.order != Order.NONE:
        place = ship.order - Order.FORWARD
        if not known and not ship.order_shown:
            place = Order.HIDDEN - Order.FORWARD
        out.order[place] = 1.0
    out.order_shown[0] = ship.order_shown
    out.activated[0] = ship.activated


@jit
def write_marker(game, seat: int, index: int, out) -> None:
    """One marker; of one that waits, the hex that its first hex of movement brings it to."""
    marker = game.markers[index]
    q, r = marker.q, marker.r
    out.present[0] = 1.0
    if waiting(game, marker):
        out.waiting[0] = 1.0
        q, r = q + DQ[marker.facing], r + DR[marker.facing]
    out.column[0] = column_from(game, seat, q) / game.width
    out.row[0] = row_from(game, seat, q, r) / game.height
    out.facing[facing_from(seat, marker.facing)] = 1.0
    out.density[0] = SIXTHS[marker.density]


@jit
def start_of_theirs(counts) -> int:
    """Place of the other side's first ship in an observation, as in ``Layout.parts``."""
    return HEAD_FLOATS + counts[0] * SHIP_FLOATS


@jit
def start_of_markers(counts) -> int:
    """Place of the first marker."""
    return start_of_theirs(counts) + counts[1] * SHIP_FLOATS


@jit
def write_ships(game, seat: int, focus: int, counts, row) -> None:
    """The ships of both sides, the seat's own first."""
    theirs = start_of_theirs(counts)
    for index in range(game.n_ships[seat]):
        write_ship(game, seat, seat, index, focus, record_at(row, HEAD_FLOATS + index * SHIP_FLOATS, SHIP_DTYPE))
    for index in range(game.n_ships[1 - seat]):
        write_ship(game, seat, 1 - seat, index, focus, record_at(row, theirs + index * SHIP_FLOATS, SHIP_DTYPE))


@jit
def start_of_aids(counts) -> int:
    """Place of what is derived from the rest, where an observation has that."""
    return start_of_markers(counts) + counts[2] * MARKER_FLOATS


@jit
def write_near(game, ship, start: int, row, scratch) -> None:
    """What is derived for the ship in focus, from place ``start`` of the observation on."""
    near, prospects = record_at(row, start, NEAR_DTYPE), record_at(row, start + NEAR_FLOATS, PROSPECT_DTYPE)
    write_near_markers(game, ship, near, prospects)
    write_near_edge(game, ship, near)
    write_prospects(game, ship, near, prospects, scratch)


@jit
def write_aids(game, seat: int, focus: int, counts, scratch, row) -> None:
    """What is derived from the rest; nothing without a ``scratch`` record."""
    if scratch is None:
        return
    if focus >= 0 and in_play(game.ships[seat, focus]):
        near = start_of_aids(counts)
        write_near(game, game.ships[seat, focus], near, row, scratch)
        if counts[1] > 0:
            write_fire(game, seat, focus, counts, near + NEAR_FLOATS + PROSPECT_FLOATS, row, scratch)


@jit
def scratch_of(lo: int, n: int, scratch):
    """The scratch record of the chunk of ``n`` games that starts at ``lo``; no two chunks share one as long as there
    are not more of them than records. None without aids."""
    if scratch is None:
        return None
    return scratch[lo * len(scratch) // max(n, 1)]


@jit
def encode(game, seat: int, counts, scratch, row) -> None:
    """What a seat sees of a game, into float32 (D,); ``counts``, int64 (3,), is the layout (``Layout.counts``), and
    ``scratch`` a record of ``schema.SCRATCH``, or None for an observation without aids."""
    row[:] = 0.0
    markers = start_of_markers(counts)
    focus = focus_of(game, seat)
    write_head(game, seat, focus, record_at(row, 0, HEAD_DTYPE))
    write_ships(game, seat, focus, counts, row)
    for index in range(game.n_markers):
        write_marker(game, seat, index, record_at(row, markers + index * MARKER_FLOATS, MARKER_DTYPE))
    write_aids(game, seat, focus, counts, scratch, row)


# ---- writing only what a decision has changed

NOTHING, PLACES, SHIPS = 0, 1, 2
"""What of a seat's view stands after a decision of its own: nothing; where all pieces are and in what state, but for
powers and orders; that and all of the ships but the seat's own orders."""


@jit
def stands(phase: int, turn: int, action: int, game) -> int:
    """What stands of the view of a seat that is asked again, in ``game`` as it is now, by the phase and turn that its
    last decision was of: pieces are moved and struck by activations and drifts only, and in the cards who passes
    activates no ship (TURN-2 to TURN-6)."""
    if game.turn != turn:
        return NOTHING
    if phase == Phase.CARD:
        return SHIPS if action == PASS and game.phase == Phase.CARD else NOTHING
    if game.phase != Phase.ORDERS:
        return NOTHING
    if phase == Phase.ORDERS:
        return SHIPS
    return PLACES if phase == Phase.POWER else NOTHING


@jit
def write_ships_again(game, seat: int, last: int, focus: int, standing: int, counts, row) -> None:
    """The ships after a decision about the own ship ``last``."""
    if standing < SHIPS:
        row[HEAD_FLOATS : start_of_markers(counts)] = 0.0
        write_ships(game, seat, focus, counts, row)
        return
    for index in (last, focus):
        start = HEAD_FLOATS + index * SHIP_FLOATS
        row[start : start + SHIP_FLOATS] = 0.0
        write_ship(game, seat, seat, index, focus, record_at(row, start, SHIP_DTYPE))


@jit
def write_aids_again(game, seat: int, last: int, focus: int, standing: int, counts, scratch, row) -> None:
    """What is derived from the rest, after a decision about the own ship ``last``."""
    if scratch is None:
        return
    near = start_of_aids(counts)
    fire = near + NEAR_FLOATS + PROSPECT_FLOATS
    ship = game.ships[seat, focus]
    if focus != last:
        row[near:fire] = 0.0
        write_near(game, ship, near, row, scratch)
    elif standing < SHIPS:
        write_all_rolls(game, ship, record_at(row, near + NEAR_FLOATS, PROSPECT_DTYPE), scratch)
    if counts[1] > 0 and standing < SHIPS:
        row[fire:] = 0.0
        write_fire(game, seat, focus, counts, fire, row, scratch)
    elif counts[1] > 0 and focus != last:
        row[fire + counts[0] * FIREPOWER_FLOATS :] = 0.0
        find_lines(game, seat, scratch)
        write_targets(game, seat, focus, counts, fire, row, scratch)


@jit
def encode_again(game, seat: int, last: int, standing: int, counts, scratch, row) -> None:
    """The same as ``encode``, of a row that shows the same seat's view before its decision, of which PLACES or SHIPS
    still stand; the ship in focus was ``last``."""
    row[:HEAD_FLOATS] = 0.0
    focus = focus_of(game, seat)
    write_head(game, seat, focus, record_at(row, 0, HEAD_DTYPE))
    write_ships_again(game, seat, last, focus, standing, counts, row)
    write_aids_again(game, seat, last, focus, standing, counts, scratch, row)
