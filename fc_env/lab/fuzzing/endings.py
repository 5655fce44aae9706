"""When a game is over and who has won, worked out anew (section 8)."""

from __future__ import annotations

from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import edges_off
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import expect
from fc_env.ruleset import SHARE_UNIT
from fc_env.state import SEATS, Mode, Outcome, Status


@jit
def hull_of(game, seat: int, full: bool) -> int:
    """Hull points of a side: those of its ships in play, or all that it started with."""
    total = 0
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        if full:
            total += int(ship.full_hull)
        elif ship.status == Status.IN_PLAY:
            total += int(ship.hull)
    return total


@jit
def has_ships(game, seat: int) -> bool:
    """Whether a side has a ship in play."""
    for index in range(game.n_ships[seat]):
        if game.ships[seat, index].status == Status.IN_PLAY:
            return True
    return False


@jit
def by_sign(balance: int) -> int:
    """The outcome where seat 0 is ahead by so much."""
    if balance == 0:
        return Outcome.DRAW
    return Outcome.SEAT_0_WINS if balance > 0 else Outcome.SEAT_1_WINS


@jit
def battle(game, last_turn: bool) -> int:
    """WIN-1."""
    ours, theirs = has_ships(game, 0), has_ships(game, 1)
    if ours != theirs:
        return Outcome.SEAT_0_WINS if ours else Outcome.SEAT_1_WINS
    if not ours:
        return Outcome.DRAW
    if not last_turn:
        return Outcome.NONE
    # ours of all ours against theirs of all theirs, without fractions
    return by_sign(hull_of(game, 0, False) * hull_of(game, 1, True) - hull_of(game, 1, False) * hull_of(game, 0, True))


@jit
def crossed(game, ship) -> bool:
    """WIN-2. Whether a ship has left by the goal edge."""
    return ship.status == Status.LEFT and (edges_off(game, ship.q, ship.r) & game.goal) > 0


@jit
def crossing(game, last_turn: bool) -> int:
    """WIN-2, COR-22. At the victory check; that a flagship has left is dealt with when it leaves."""
    for index in range(game.n_ships[0]):
        ship = game.ships[0, index]
        if ship.flagship and ship.status == Status.IN_PLAY:
            return Outcome.OUT_OF_TIME if last_turn else Outcome.NONE
    return Outcome.DESTROYED


@jit
def convoy(game, last_turn: bool) -> int:
    """WIN-3. Brought across, in millionths of the convoy's hull, against the share asked for."""
    for seat in range(SEATS):
        started, brought, under_way = 0, 0, False
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if ship.convoy:
                started += int(ship.full_hull)
                under_way = under_way or ship.status == Status.IN_PLAY
                brought += int(ship.hull) if crossed(game, ship) else 0
        if started > 0:
            if under_way and not last_turn:
                return Outcome.NONE
            balance = brought * SHARE_UNIT - started * int(game.rules.convoy_share)
            return by_sign(balance if seat == 0 else -balance)
    return Outcome.NONE


@jit
def of_mode(game) -> int:
    """The invariant that a game's end is a matter of."""
    if game.mode == Mode.BATTLE:
        return Invariant.BATTLE_DECIDED
    return Invariant.CROSSING_DECIDED if game.mode == Mode.CROSSING else Invariant.CONVOY_DECIDED


@jit
def check_victory(before, game, notes) -> None:
    """TURN-7. After the victory check."""
    last_turn = before.turn >= before.rules.turn_limit
    if before.mode == Mode.BATTLE:
        outcome = battle(before, last_turn)
    elif before.mode == Mode.CROSSING:
        outcome = crossing(before, last_turn)
    else:
        outcome = convoy(before, last_turn)
    expect(notes, of_mode(game), game.outcome == outcome)


@jit
def check_leaving(before, game, notes) -> None:
    """COR-22. In a crossing the flagship's leaving ends the game at once; nothing else ends one before its check."""
    outcome = Outcome.NONE
    if game.mode == Mode.CROSSING:
        for index in range(game.n_ships[0]):
            ship = game.ships[0, index]
            if ship.flagship and ship.status == Status.LEFT:
                outcome = Outcome.CROSSED if crossed(game, ship) else Outcome.LEFT_ELSEWHERE
    expect(notes, of_mode(game), game.outcome == outcome)
