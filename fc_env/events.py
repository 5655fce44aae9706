"""What happened, as rows: which rule fired, for whom, where, on what roll.

Replays, pictures, logs and statistics all read these rows. Each rule that fires at a moment of play writes one, of a
``Rule``; ``describe.ROWS`` says what roll and value mean in it. One fact is one row: where two rules say the same, one
of them writes it. ``NEVER`` names the rules that write none, and why. When nothing records, writing costs nothing
(see ``tape``).

Rows are for onlookers, not for players: a power (POW-1) and a marker (ORD-1) are in them when they are chosen, before
the other side may see them (COR-1).
"""

from __future__ import annotations

import enum

from fc_env.jit import jit
from fc_env.tape import GAME_INDEX, N_EVENTS


class Rule(enum.IntEnum):
    """Rules that write events. The printed id is the name with a hyphen: ``CON_1`` is CON-1."""

    SET_1 = 0
    SET_2 = 1
    SET_4 = 2
    TURN_1 = 3
    TURN_2 = 4
    TURN_3 = 5
    TURN_4 = 6
    TURN_5 = 7
    TURN_6 = 8
    TURN_7 = 9
    POW_1 = 10
    POW_2 = 11
    POW_3 = 12
    ORD_1 = 13
    ORD_2 = 14
    DRF_1 = 15
    DRF_2 = 16
    DRF_3 = 17
    DRF_4 = 18
    CON_1 = 19
    CON_2 = 20
    CON_3 = 21
    CON_4 = 22
    CARD_1 = 23
    CARD_2 = 24
    CARD_3 = 25
    CARD_4 = 26
    CARD_5 = 27
    CARD_6 = 28
    CARD_7 = 29
    CARD_8 = 30
    END_1 = 31
    END_2 = 32
    MOV_1 = 33
    MOV_2 = 34
    MOV_3 = 35
    MOV_4 = 36
    MOV_5 = 37
    MOV_6 = 38
    MOV_7 = 39
    MOV_8 = 40
    MOV_9 = 41
    MOV_10 = 42
    DOOM_1 = 43
    WIN_1 = 44
    WIN_2 = 45
    COR_3 = 46
    COR_6 = 47
    COR_8 = 48
    COR_9 = 49
    COR_10 = 50
    COR_11 = 51
    COR_12 = 52
    COR_22 = 53
    COR_24 = 54
    FIR_1 = 55
    FIR_2 = 56
    FIR_4 = 57
    FIR_5 = 58
    FIR_6 = 59
    FIR_7 = 60
    FIR_8 = 61
    DOOM_2 = 62
    DOOM_3 = 63
    DOOM_4 = 64
    COR_17 = 65
    COR_18 = 66
    COR_19 = 67
    COR_20 = 68
    COR_21 = 69
    COR_23 = 70
    WIN_3 = 71

    @property
    def id(self) -> str:
        """The rule id as printed in the rules."""
        return self.name.replace("_", "-")


NEVER = {
    "MAP-1": "says what the map is",
    "MAP-2": "says what a facing is",
    "MAP-3": "says what a row and a distance are",
    "MAP-4": "says that a hex without a marker has no effect: nothing happens",
    "MAP-5": "shows where it pushes on (DRF-3, MOV-7), in a hex fallen back from (COR-10) and in one refused (COR-24)",
    "MAP-6": "says how hexes are read",
    "SHIP-1": "says what a flagship is",
    "SHIP-2": "says what ratings are; who acts on which card is in CARD-4 and CARD-5",
    "SHIP-3": "says that a flagship has no ratings",
    "SET-3": "says how many markers a field has; each is laid with a row of SET-1",
    "SET-5": "is an error: a refused scenario makes no game",
    "COR-1": "says who is asked first and what is hidden: it shows in the order of the rows",
    "COR-2": "says which decisions there are; each has a row of its own (POW-1, ORD-1, CARD-4, CARD-5, MOV-3)",
    "COR-4": "says who may attempt a manoeuvre; an attempt is a row of CARD-5",
    "COR-5": "limits what may be chosen; a side left without a choice is a row of CARD-8",
    "FIR-3": "says which hexes fire passes; what that takes off an attack is a row of FIR-2",
    "COR-7": "says how pieces are named and counted",
    "COR-13": "says in which order weapons fire and who is gone: it shows in the order of the rows",
    "COR-14": "says where torpedo and lasers bear; a shot is a row of FIR-5 or FIR-6",
    "COR-15": "says what lies off the map; what fire passes shows in FIR-2",
    "COR-16": "says that contact and fire go on at 0 hull, without effect: rows of CON-1, CON-2 and FIR-1",
}
"""Rules that never write a row, and why: they define, limit or order, or another rule's row is the same fact."""


@jit
def write(game, tape, rule: int, seat: int, ship: int, marker: int, q: int, r: int, roll: int, value: int) -> None:
    """Write one event row; -1 stands for "none" in every field."""
    if tape is None:
        return
    counts = tape.counts
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


@jit
def write_game(game, tape, rule: int, value: int) -> None:
    """Write one event row of the game as a whole, without side, piece, hex or roll."""
    write(game, tape, rule, -1, -1, -1, -1, -1, -1, value)
