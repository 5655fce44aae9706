"""The game as one record: enums, and the SHIP, MARKER and GAME dtypes.

A batch of N games is a structured array of shape (N,). A clone is a copy of a record, equality and digest
come from its bytes, and no state lives anywhere else. All fields are int32 (the seed and the flipped
cards uint64), so that no narrow integer becomes a silent limit and there are no padding bytes.
"""

from __future__ import annotations

import enum

import numpy as np

from fc_env.ruleset import RULES

SEATS = 2
MAX_SHIPS = 6
"""Ships of one side."""
MAX_MARKERS = 36
MAX_WIDTH = 98
"""Columns; even (MAP-1), and two digits of a CCRR label (MAP-6)."""
MAX_HEIGHT = 98
"""Hexes of a column; two digits of a label, also just off the map."""
MAX_DENSITY = 6

LOW_RANK, JACK, QUEEN, KING, ACE, JOKER = 2, 11, 12, 13, 14, 15
"""Card ranks; 2 to 10 are themselves."""


class Facing(enum.IntEnum):
    """The hexside a piece faces (MAP-2)."""

    N = 0
    NE = 1
    SE = 2
    S = 3
    SW = 4
    NW = 5


class Phase(enum.IntEnum):
    """Where in the turn a game stands (rules.md section 3). The engine stops only where a player chooses."""

    POWER = 0
    ORDERS = 1
    DRIFT = 2
    INITIATIVE = 3
    FLIP = 4
    CARD = 5
    TARGET = 6
    SIDESLIP = 7
    END_DRIFT = 8
    VICTORY = 9
    OVER = 10


ASKING = (Phase.POWER, Phase.ORDERS, Phase.CARD, Phase.TARGET, Phase.SIDESLIP)
"""The phases in which a player has to decide."""


class Order(enum.IntEnum):
    """A ship's movement marker (ORD-1)."""

    NONE = 0
    FORWARD = 1
    RIGHT = 2
    LEFT = 3
    DRIFT = 4
    HIDDEN = 5  # only in a view: given, and not shown to that seat (COR-1)


class Slip(enum.IntEnum):
    """The last hex of a forward move (MOV-3)."""

    STRAIGHT = 0
    LEFT = 1
    RIGHT = 2


class Status(enum.IntEnum):
    """Whether a ship is in play, and if not, why."""

    ABSENT = 0
    IN_PLAY = 1
    DESTROYED = 2
    LEFT = 3


class Flaw(enum.IntEnum):
    """What is wrong with a ship of some class (section 9)."""

    NONE = 0
    TENDS_TO_EXPLODE = 1
    TORPEDO_JAMS = 2
    SIMPLY_MEDIOCRE = 3
    BLIND_SPOT = 4
    SHIELD_FLAW = 5
    ENGINE_IMBALANCE = 6
    FAULTY_SENSORS = 7
    POOR_FIRE_CONTROL = 8


class Doom(enum.IntEnum):
    """What a ship at 0 hull rolled this turn (DOOM-2)."""

    NONE = 0
    STRIKES_COLOURS = 1
    EXPLODES = 2
    ABANDONS_SHIP = 3
    SITTING_DUCK = 4
    VENTING = 5
    GAINS_ONE = 6
    GAINS_DIE = 7
    GAINS_ONE_TOO = 8
    ENGINE_STALL = 9
    SPITE_STRIKE = 10
    CORE_BREACH = 11
    ALL_ERASED = 12


class Mode(enum.IntEnum):
    """What the game is about (section 8)."""

    CROSSING = 0
    BATTLE = 1
    CONVOY = 2


class Outcome(enum.IntEnum):
    """How a game ended."""

    NONE = 0
    CROSSED = 1
    DESTROYED = 2
    LEFT_ELSEWHERE = 3
    OUT_OF_TIME = 4
    SEAT_0_WINS = 5
    SEAT_1_WINS = 6
    DRAW = 7


SHIP = np.dtype(
    [
        # what it is
        ("status", np.int32),  # a Status
        ("token", np.int32),  # names the piece to the dice; stays with it when seats are swapped (COR-7)
        ("flagship", np.int32),  # 0 or 1 (SHIP-1)
        ("power_dice", np.int32, (3,)),  # faces, smallest first (POW-1)
        ("slowness", np.int32),  # pips per hex (MOV-1)
        ("volleys", np.int32),  # phaser volleys (FIR-4)
        ("torpedoes", np.int32),  # 0 or 1 (FIR-5)
        ("lasers", np.int32),  # number (CON-2, FIR-6)
        ("full_hull", np.int32),  # hull points at the start
        ("crew", np.int32),  # bit k set: acts on rank k, 2..10 (SHIP-2); 0 for a flagship
        ("captain", np.int32),  # bit k set: manoeuvres on rank k, 11..13 (SHIP-2); 0 for a flagship
        ("flaw", np.int32),  # a Flaw
        ("flaw_side", np.int32),  # blind spot, shield flaw: facings clockwise from the nose; engine imbalance: a Slip
        ("convoy", np.int32),  # 0 or 1: it is to be brought across (WIN-3)
        # where it is
        ("q", np.int32),  # axial hex; of a ship that left, the hex off the map it left to
        ("r", np.int32),
        ("facing", np.int32),  # a Facing
        ("hull", np.int32),  # hull points, never below 0 (DOOM-1)
        ("jammed", np.int32),  # 0 or 1: its torpedoes are jammed (section 9)
        ("sitting_duck", np.int32),  # 0 or 1: until it rolls doom again (COR-18)
        # this turn
        ("power", np.int32),  # 0 not given, 1..6 = LMH, LHM, MLH, MHL, HLM, HML as (shields, weapons, movement)
        ("power_shown", np.int32),  # 0 or 1 (POW-3)
        ("order", np.int32),  # an Order
        ("order_shown", np.int32),  # 0 or 1 (ORD-1)
        ("activated", np.int32),  # 0 or 1 (ORD-2)
        ("contacts", np.int32),  # contacts so far, which number their dice
        ("packets", np.int32),  # packets of damage so far as a sitting duck, which number their dice (COR-18)
        ("doom", np.int32),  # a Doom
        ("blast", np.int32),  # place among the explosions that wait their turn, from 1; 0 for none (COR-20)
    ],
    align=True,
)

MARKER = np.dtype(
    [
        ("q", np.int32),  # axial hex; off the map while it waits, just before the first hex of its row (DRF-4)
        ("r", np.int32),
        ("facing", np.int32),  # a Facing
        ("density", np.int32),  # 1..6
    ],
    align=True,
)

GAME = np.dtype(
    [
        ("seed", np.uint64),  # of all the game's dice; hidden from players (COR-1)
        ("flipped", np.uint64),  # bit c set: card c was flipped this turn
        ("rules", RULES),
        # what is played
        ("mode", np.int32),  # a Mode
        ("goal", np.int32),  # edges that are the goal, as bits of hexgrid.NORTH..WEST; 0 for none
        ("width", np.int32),  # columns
        ("height", np.int32),  # hexes of a column
        ("n_markers", np.int32),
        ("n_ships", np.int32, (SEATS,)),
        ("side_token", np.int32, (SEATS,)),  # names the side to the dice (COR-7)
        # where in the turn it stands
        ("turn", np.int32),  # counted from 1
        ("phase", np.int32),  # a Phase
        ("outcome", np.int32),  # an Outcome
        ("actor", np.int32),  # the seat that is asked
        ("asked", np.int32),  # index of the actor's ship that is asked about, -1 if no one ship
        ("first", np.int32),  # the seat that decides first on a card (CARD-1)
        ("card", np.int32),  # the card that lies open, -1 if none
        ("flips", np.int32),  # cards flipped this turn
        ("to_answer", np.int32),  # seats that have still to decide on this card, 0..2
        ("card_acts", np.int32),  # activations the actor may still make on this card
        # a move that waits for its sideslip
        ("move_hexes", np.int32),
        ("move_avoid_die", np.int32),  # faces of the CON-1 die of this activation
        ("spare", np.int32),  # always 0: without it the record would end in padding, whose bytes copies do not keep
        ("ships", SHIP, (SEATS, MAX_SHIPS)),
        ("markers", MARKER, (MAX_MARKERS,)),
    ],
    align=True,
)


def as_bytes(games: np.ndarray) -> np.ndarray:
    """The bytes of games, uint8 (N, bytes of a record), on the same memory: copying these is fast."""
    return games.view(np.uint8).reshape(len(games), GAME.itemsize)


def digest(games: np.ndarray) -> str:
    """Digest of the bytes of games (hex, 32 digits): equal for equal positions on every machine."""
    import hashlib

    return hashlib.blake2b(np.ascontiguousarray(games).tobytes(), digest_size=16).hexdigest()
