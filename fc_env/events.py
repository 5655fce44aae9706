"""What happened, as rows: which rule fired, for whom, where, on what roll.

Replays, pictures, logs and statistics all read these rows. A rule that only limits, orders or calculates (MAP-5,
CARD-3, COR-6, MOV-2, the phases of the turn) writes none of its own: it shows in which rows are there, in their order
and values. When nothing records, writing them costs nothing (see ``tape``).
"""

from __future__ import annotations

import enum

from fc_env.jit import jit
from fc_env.tape import GAME_INDEX, N_EVENTS, RECORDING


class Rule(enum.IntEnum):
    """Rules that write events. The printed id is the name with a hyphen: ``CON_1`` is CON-1."""

    TURN_1 = 0
    POW_1 = 1
    POW_2 = 2
    POW_3 = 3
    ORD_1 = 4
    DRF_1 = 5
    DRF_2 = 6
    DRF_3 = 7
    DRF_4 = 8
    CON_1 = 9
    CON_2 = 10
    CARD_1 = 11
    CARD_2 = 12
    CARD_4 = 13
    CARD_5 = 14
    CARD_7 = 15
    END_1 = 16
    END_2 = 17
    MOV_1 = 18
    MOV_3 = 19
    MOV_4 = 20
    MOV_6 = 21
    MOV_7 = 22
    MOV_8 = 23
    MOV_9 = 24
    MOV_10 = 25
    DOOM_1 = 26
    SET_1 = 27
    WIN_1 = 28
    WIN_2 = 29

    @property
    def id(self) -> str:
        """The rule id as printed in the rules."""
        return self.name.replace("_", "-")


@jit
def write(game, tape, rule: int, seat: int, ship: int, marker: int, q: int, r: int, roll: int, value: int) -> None:
    """Write one event row; -1 stands for "none" in every field."""
    if tape is None:
        return
    counts = tape.counts
    if not counts[RECORDING]:
        return
    n = counts[N_EVENTS]
    if n < tape.events.shape[0]:
        row = tape.events[n]
        row.rule = rule
        row.game = counts[GAME_INDEX]
        row.turn = game.turn
        row.seat = seat
        row.ship = ship
        row.marker = marker
        row.q = q
        row.r = r
        row.roll = roll
        row.value = value
    counts[N_EVENTS] = n + 1


@jit
def write_ship(game, tape, rule: int, seat: int, ship: int, roll: int, value: int) -> None:
    """Write one event row of a ship, at the hex where it is."""
    if tape is None:
        return
    piece = game.ships[seat, ship]
    write(game, tape, rule, seat, ship, -1, piece.q, piece.r, roll, value)
