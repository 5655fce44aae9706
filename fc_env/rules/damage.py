"""Hull damage, and ships that it sets off (rules.md section 6)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules.board import in_play
from fc_env.state import SEATS, Status

CHANCE_DIE = 6
"""COR-7: "X in 6" is a d6 of at most X; not a field of the rule set."""


@jit
def next_place(game) -> int:
    """The place of one more explosion behind those that wait their turn (COR-20)."""
    last = 0
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            last = max(last, int(game.ships[seat, index].blast))
    return last + 1


@jit
def explode(game, tape, seat: int, index: int) -> None:
    """A ship leaves play at once; its blast waits its turn (COR-20)."""
    ship = game.ships[seat, index]
    ship.blast = next_place(game)
    ship.status = Status.DESTROYED
    ship.hull = 0
    ship.sitting_duck = 0
    events.write_ship(game, tape, Rule.COR_20, seat, index, -1, ship.blast)


@jit
def jolt(game, tape, seat: int, index: int, damage: int) -> None:
    """COR-18. Damage X explodes a sitting duck on d6 <= X. One set off in its own drift still ends that drift."""
    ship = game.ships[seat, index]
    ship.packets += 1
    roll = dice.roll(game, tape, Purpose.DOOM_EXPLOSION, ship.token, ship.packets, CHANCE_DIE)
    events.write_ship(game, tape, Rule.COR_18, seat, index, roll, 1 if roll <= damage else 0)
    if roll <= damage:
        explode(game, tape, seat, index)


@jit
def suffer(game, tape, seat: int, index: int, damage: int) -> int:
    """DOOM-1, COR-16. Take damage off a ship's hull, never below 0; returns the hull points lost.

    At 0 hull it does nothing, except to a sitting duck (COR-18).
    """
    ship = game.ships[seat, index]
    lost = min(damage, ship.hull)
    ship.hull -= lost
    if damage > 0 and ship.sitting_duck and in_play(ship):
        jolt(game, tape, seat, index, damage)
    return lost
