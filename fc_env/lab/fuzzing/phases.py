"""What each phase has to do besides what its events tell: power, orders, initiative, cards, the end drift, the end."""

from __future__ import annotations

from fc_env.actions import ORDER, POWER
from fc_env.dice import Purpose
from fc_env.jit import jit
from fc_env.lab.fuzzing import choices, endings
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE, END_NEXT, PIECES, UNSURE, expect, is_there, next_die, ship_of
from fc_env.state import MAX_SHIPS, SEATS, Order, Phase, Status


@jit
def piece_at(now, place: int) -> int:
    """The how-manyeth ship of the end drift: of the side with the initiative first, by index."""
    seat = now.first if place < MAX_SHIPS else 1 - now.first
    return seat * MAX_SHIPS + place % MAX_SHIPS


@jit
def drifts_at_end(now, notes, place: int) -> bool:
    """Whether that ship is one that drifts."""
    piece = piece_at(now, place)
    return is_there(now, piece) and notes.alive[piece] != 0 and ship_of(now, piece).activated == 0


@jit
def close_phase(before, game, now, action: int, tape, notes) -> None:
    """What a phase has to do besides."""
    phase = before.phase
    if phase == Phase.POWER:
        close_power(before, game, action, tape, notes)
    elif phase == Phase.ORDERS:
        close_orders(before, game, action, notes)
    elif phase == Phase.DRIFT and before.turn == 1 and before.rules.first_drift_safe:
        for piece in range(PIECES):
            expect(notes, Invariant.FIRST_DRIFT_SAFE, notes.seen[piece] == 0)
    elif phase == Phase.INITIATIVE:
        close_initiative(before, game, tape, notes)
    elif phase == Phase.FLIP:
        row = next_die(tape, notes, Purpose.CARD)
        choices.check_flip(before, game, notes, tape.dice[row].value if row >= 0 else 0)
    elif phase == Phase.CARD and action == BY_PHASE:
        choices.check_not_asked(before, game, notes)
    elif phase == Phase.END_DRIFT:
        place = notes.now[END_NEXT]
        while place < PIECES and not drifts_at_end(now, notes, place):
            place += 1
        ends = game.phase == Phase.OVER or notes.now[UNSURE] != 0
        expect(notes, Invariant.END_DRIFT_OF_ALL, place == PIECES or ends)
    if phase == Phase.VICTORY:
        endings.check_victory(before, game, notes)
    else:
        endings.check_leaving(before, game, notes)


@jit
def close_power(before, game, action: int, tape, notes) -> None:
    """POW-1 to POW-3."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship, old = game.ships[seat, index], before.ships[seat, index]
            if ship.status != Status.IN_PLAY:
                continue
            chosen = action >= POWER and seat == before.actor and index == before.asked
            if chosen:
                expect(notes, Invariant.POWER_GIVEN, ship.power == action - POWER + 1)
            elif ship.power != old.power or (not ship.flagship and action == BY_PHASE and old.power == 0):
                row = next_die(tape, notes, Purpose.POWER)
                fits = row >= 0 and tape.dice[row].value == ship.power and tape.dice[row].faces == 6
                fits = fits and tape.dice[row].piece == ship.token and old.power == 0 and not ship.flagship
                expect(notes, Invariant.POWER_ROLLED, fits)
            if game.phase == Phase.ORDERS:
                expect(notes, Invariant.POWER_SHOWN, ship.power_shown == 1 and ship.power >= 1 and ship.power <= 6)
            elif ship.flagship:
                expect(notes, Invariant.POWER_SHOWN, ship.power_shown == 0)


@jit
def close_orders(before, game, action: int, notes) -> None:
    """ORD-1, COR-2."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship, old = game.ships[seat, index], before.ships[seat, index]
            given = action >= ORDER and seat == before.actor and index == before.asked
            wanted = action - ORDER + Order.FORWARD.value if given else old.order
            expect(notes, Invariant.ORDERS_GIVEN, ship.order == wanted)
            expect(notes, Invariant.ORDERS_HIDDEN, ship.order_shown == 0 or ship.status != Status.IN_PLAY)
            if game.phase == Phase.DRIFT and ship.status == Status.IN_PLAY:
                expect(notes, Invariant.ORDERS_GIVEN, ship.order != Order.NONE)


@jit
def close_initiative(before, game, tape, notes) -> None:
    """CARD-1, COR-3. The last two dice decide; those before them were ties."""
    first = next_die(tape, notes, Purpose.INITIATIVE)
    if game.n_ships[1] == 0:
        expect(notes, Invariant.INITIATIVE_WON, first < 0 and game.first == 0)
        return
    mine, theirs = 0, 0
    while first >= 0:
        second = next_die(tape, notes, Purpose.INITIATIVE)
        fits = second >= 0 and mine == theirs
        fits = fits and tape.dice[first].piece == game.side_token[0] and tape.dice[second].piece == game.side_token[1]
        expect(notes, Invariant.INITIATIVE_WON, fits and tape.dice[first].faces == 6 and tape.dice[second].faces == 6)
        mine = tape.dice[first].value
        theirs = tape.dice[second].value if second >= 0 else 0
        first = next_die(tape, notes, Purpose.INITIATIVE)
    expect(notes, Invariant.INITIATIVE_WON, mine != theirs and game.first == (0 if mine > theirs else 1))
