"""What an observation holds: every slot by name, with its meaning, unit and range.

The dtypes, the spaces and ``describe()`` are all derived from these tables; nothing is counted by hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fc_env.hexgrid import DIRECTIONS
from fc_env.state import LOW_RANK, MAX_SHIPS, SEATS, Facing, Flaw, Slip

NEAR_RADIUS = 5
"""Hexes around the ship in focus that the ``near`` maps show."""

NEAR_HEXES = 3 * NEAR_RADIUS * (NEAR_RADIUS + 1) + 1

SLIPS = len(Slip)


class Slot(NamedTuple):
    """One named field of an observation."""

    name: str
    size: int
    low: float
    high: float
    unit: str
    meaning: str
    labels: tuple[str, ...] = ()


_RANKS = tuple(str(rank) for rank in range(LOW_RANK, 15))
_FACINGS = tuple(facing.name for facing in Facing)

HEAD: tuple[Slot, ...] = (
    Slot("phase", 6, 0, 1, "flag", "what is asked",
         ("power", "order", "card", "target", "sideslip", "nothing: game over")),
    Slot("outcome", 7, 0, 1, "flag", "how the game ended, none if it goes on",
         ("crossed", "destroyed", "left elsewhere", "out of time", "this side wins", "other side wins", "draw")),
    Slot("turns_left", 1, 0, 1, "share of the turn limit", "turns left, this one included (WIN-2)"),
    Slot("decides_first", 1, 0, 1, "flag", "this side decides first on a card (CARD-1)"),
    Slot("card_colour", 2, 0, 1, "flag", "colour of the open card (CARD-3)", ("black", "red")),
    Slot("card_rank", 13, 0, 1, "flag", "rank of the open card, jack to ace 11 to 14", _RANKS),
    Slot("black_left", 13, 0, 1, "half cards", "black cards of each rank not flipped yet (COR-1)", _RANKS),
    Slot("red_left", 13, 0, 1, "half cards", "red cards of each rank not flipped yet (COR-1)", _RANKS),
    Slot("jokers_left", 1, 0, 1, "quarter cards", "jokers not flipped yet"),
    Slot("joker_next", 1, 0, 1, "chance", "chance that the next card is a joker (CARD-7)"),
    Slot("sides_to_answer", 1, 0, 1, "half sides", "sides that have still to decide on the open card"),
    Slot("acts_left", 1, 0, 1, "sixth activations", "activations this side may still make on it"),
    Slot("move_hexes", 1, 0, 1, "twentieth hexes", "hexes of the move that waits for its sideslip (COR-9)"),
    Slot("move_avoid_die", 1, 0, 1, "twentieth faces", "die to avoid contact in that move (MOV-9)"),
    Slot("to_goal", 1, 0, 1, "hundredth hexes", "columns or rows from the ship in focus to the goal edge"),
)  # fmt: skip

SHIP: tuple[Slot, ...] = (
    Slot("status", 4, 0, 1, "flag", "whether it is in play", ("absent", "in play", "destroyed", "left")),
    Slot("flagship", 1, 0, 1, "flag", "SHIP-1"),
    Slot("in_focus", 1, 0, 1, "flag", "the ship that is asked about, else the flagship; centre of the near maps"),
    Slot("column", 1, -0.5, 1.5, "share of the width", "column, counted from this side's own end"),
    Slot("row", 1, -0.5, 1.5, "share of the height", "row, counted from this side's own end"),
    Slot("facing", 6, 0, 1, "flag", "hexside it faces (MAP-2), the board seen from this side's own end", _FACINGS),
    Slot("hull", 1, 0, 1, "share of full", "hull points left"),
    Slot("full_hull", 1, 0, 100, "tens of points", "hull points at the start"),
    Slot("power_dice", 3, 0, 1, "twentieth faces", "the three power dice", ("low", "middle", "high")),
    Slot("power", 3, 0, 1, "twentieth faces", "die on each system, 0 if not given or not shown",
         ("shields", "weapons", "movement")),
    Slot("slowness", 1, 0, 5, "quarter pips", "pips per hex (MOV-1)"),
    Slot("volleys", 1, 0, 4, "thirds", "phaser volleys"),
    Slot("torpedoes", 1, 0, 1, "flag", "has torpedoes"),
    Slot("lasers", 1, 0, 7, "thirds", "lasers"),
    Slot("crew", 9, 0, 1, "flag", "ranks it acts on (SHIP-2)", _RANKS[:9]),
    Slot("captain", 3, 0, 1, "flag", "ranks its captain manoeuvres on", ("J", "Q", "K")),
    Slot("flaw", len(Flaw) - 1, 0, 1, "flag", "what is wrong with it (section 9)",
         tuple(flaw.name.lower().replace("_", " ") for flaw in Flaw if flaw)),
    Slot("flaw_side", 1, 0, 1, "sixths of a turn", "blind spot, shield flaw: where it is, clockwise from the nose"),
    Slot("slips_right", 1, 0, 1, "flag", "engine imbalance: to the right, else to the left"),
    Slot("convoy", 1, 0, 1, "flag", "to be brought across (WIN-3)"),
    Slot("jammed", 1, 0, 1, "flag", "its torpedoes are jammed"),
    Slot("sitting_duck", 1, 0, 1, "flag", "damage explodes it (COR-18)"),
    Slot("doom", 1, 0, 1, "twelfths", "what it rolled at 0 hull this turn (DOOM-2), 0 for nothing"),
    Slot("order", 5, 0, 1, "flag", "movement marker, as far as this side may know",
         ("forward", "right turn", "left turn", "drift", "hidden")),
    Slot("order_shown", 1, 0, 1, "flag", "the marker was shown"),
    Slot("activated", 1, 0, 1, "flag", "activated this turn (ORD-2)"),
)  # fmt: skip

MARKER: tuple[Slot, ...] = (
    Slot("present", 1, 0, 1, "flag", "there is such a marker"),
    Slot("waiting", 1, 0, 1, "flag", "waits off the map, just before its hex here (DRF-4)"),
    Slot("column", 1, 0, 1, "share of the width", "column, counted from this side's own end"),
    Slot("row", 1, 0, 1, "share of the height", "row, counted from this side's own end"),
    Slot("facing", 6, 0, 1, "flag", "hexside it faces, the board seen from this side's own end", _FACINGS),
    Slot("density", 1, 0, 1, "sixths", "density"),
)

NEAR: tuple[Slot, ...] = (
    Slot("near_density", NEAR_HEXES, 0, 1, "sixths",
         "density to expect in each hex when ships move: known after the drift, expected before it"),
    Slot("near_risk", NEAR_HEXES, 0, 6, "hits",
         "hits to expect in each hex from the first drift after this turn's moves"),
    Slot("near_edge", NEAR_HEXES, -1, 1, "flag", "beyond the map: 1 beyond a goal edge, else -1"),
)  # fmt: skip

_LAST = ("straight", "left", "right")
_MOVES = tuple(f"{hexes} {last}" for hexes in range(1, NEAR_RADIUS + 1) for last in _LAST)
_ROLLS = tuple(f"{die} die{how}" for how in ("", ", Avoid Hazard") for die in ("low", "middle", "high", "movement"))

PROSPECTS: tuple[Slot, ...] = (
    Slot("own_hex_risk", 1, 0, 6, "hits", "hits to expect from the next drift where the ship in focus is now"),
    Slot("way", len(_MOVES), 0, 5, "sixths",
         "density to meet on a move of so many hexes with such a last hex, as near_density", _MOVES),
    Slot("end_risk", len(_MOVES), 0, 6, "hits", "near_risk where that move ends", _MOVES),
    Slot("end_edge", len(_MOVES), -1, 1, "flag", "near_edge where that move ends", _MOVES),
    Slot("slip_hits", SLIPS, 0, 6, "hits",
         "of the move that waits for its sideslip: hits to expect, on the way and after it", _LAST),
    Slot("slip_edge", SLIPS, -1, 1, "flag", "of that move: near_edge where it ends", _LAST),
    Slot("slip_gain", SLIPS, -1, 1, "fifths", "of that move: columns or rows it comes nearer to the goal edge", _LAST),
    Slot("stay_risk", 1, 0, 6, "hits", "near_risk where the ship is now"),
    Slot("drift_hits", 1, 0, 6, "hits", "hits to expect of a drift, on the way and after it"),
    Slot("roll_straight", len(_ROLLS), 0, 6, "hits",
         "mean hits over all rolls of a movement die, on the way and after it, straight ahead", _ROLLS),
    Slot("roll_best", len(_ROLLS), 0, 6, "hits", "the same with the best sideslip after each roll", _ROLLS),
)  # fmt: skip

_DICE = ("low", "middle", "high")
_SECTORS = ("ahead", "ahead right", "behind right", "behind", "behind left", "ahead left")

TARGET: tuple[Slot, ...] = (
    Slot("fights", 1, 0, 1, "flag", "it and the ship in focus are in play; all else of the row is 0 if not"),
    Slot("distance", 1, 0, 8, "twentieth hexes", "distance from the ship in focus"),
    Slot("sector", DIRECTIONS, 0, 1, "flag",
         "where it lies, seen from the nose of the ship in focus: the nearest of the six rows, two if equally near",
         _SECTORS),
    Slot("ahead", 1, -8, 8, "fortieth half hexes", "how far it lies along the facing, behind if negative"),
    Slot("right", 1, -8, 8, "twentieth hexes", "rows to the right of the row of the facing, left if negative"),
    Slot("in_arc", 2, 0, 1, "flag", "it lies where torpedoes bear (FIR-5), however far", ("dead ahead", "beside")),
    Slot("its_sector", DIRECTIONS, 0, 1, "flag", "where the ship in focus lies, seen from its nose", _SECTORS),
    Slot("in_its_arc", 2, 0, 1, "flag", "the ship in focus lies where its torpedoes bear", ("dead ahead", "beside")),
    Slot("attenuation", 1, 0, 5, "twentieths", "what an attack roll loses on the way, as the markers stand (FIR-2); "
         "0 where neither can reach the other"),
    Slot("shields", 1, 0, 1, "twentieth faces", "its shields die against fire from there, 0 if not shown"),
    Slot("hull", 1, 0, 100, "tens of points", "hull points left"),
    Slot("distance_after", NEAR_RADIUS, 0, 8, "twentieth hexes", "distance after so many hexes straight ahead",
         tuple(str(hexes) for hexes in range(1, NEAR_RADIUS + 1))),
)  # fmt: skip

SALVO: tuple[Slot, ...] = (
    Slot("in_range", 4, 0, 1, "flag", "phasers reach it (FIR-4)", (*_DICE, "weapons")),
    Slot("volley", 4, 0, 1, "tens of points", "mean damage of one phaser volley", (*_DICE, "weapons")),
    Slot("volley_hits", 4, 0, 1, "chance", "that one volley does damage (FIR-1, FIR-2)", (*_DICE, "weapons")),
    Slot("torpedo", 4, 0, 2, "tens of points", "mean damage of the torpedo (FIR-5)", (*_DICE, "weapons")),
    Slot("lasers", 1, 0, 20, "tens of points", "mean damage of all lasers (FIR-6)"),
    Slot("alpha_strike", 4, 0, 30, "tens of points", "mean damage of an Alpha Strike (FIR-7)", (*_DICE, "weapons")),
    Slot("open_fire", 4, 0, 30, "tens of points", "mean damage to it of fire at the targets of FIR-4 to FIR-6",
         (*_DICE, "weapons")),
)  # fmt: skip
"""What one ship's fire now would do to another, with each die that may be on its weapons: one of its three while its
power is not known, else the one there. Likewise the mean over its three dice if a shields die is not known."""

FIREPOWER: tuple[Slot, ...] = (
    Slot("best_strike", 4, 0, 30, "tens of points", "alpha_strike where it does most", (*_DICE, "weapons")),
    Slot("open_fire", 4, 0, 90, "tens of points", "open_fire at all enemies together", (*_DICE, "weapons")),
    Slot("volleys", 4, 0, 2, "thirds", "volleys that find an enemy in range", (*_DICE, "weapons")),
    Slot("struck", 4, 0, 90, "tens of points", "mean damage to it if all enemies not yet activated open fire now, "
         "with each die that may be on its shields", (*_DICE, "shields")),
)  # fmt: skip


def dtype_of(slots: tuple[Slot, ...]) -> np.dtype:
    """The all-float32 structured dtype of a table of slots."""
    return np.dtype([(slot.name, np.float32, (slot.size,)) for slot in slots])


HEAD_DTYPE = dtype_of(HEAD)
SHIP_DTYPE = dtype_of(SHIP)
MARKER_DTYPE = dtype_of(MARKER)
NEAR_DTYPE = dtype_of(NEAR)
PROSPECT_DTYPE = dtype_of(PROSPECTS)
FIREPOWER_DTYPE = dtype_of(FIREPOWER)
TARGET_DTYPE = dtype_of(TARGET)
SALVO_DTYPE = dtype_of(SALVO)
FLOAT = np.dtype(np.float32).itemsize
HEAD_FLOATS, SHIP_FLOATS, MARKER_FLOATS, NEAR_FLOATS, PROSPECT_FLOATS = (
    dtype.itemsize // FLOAT for dtype in (HEAD_DTYPE, SHIP_DTYPE, MARKER_DTYPE, NEAR_DTYPE, PROSPECT_DTYPE)
)
FIREPOWER_FLOATS, TARGET_FLOATS, SALVO_FLOATS = (
    dtype.itemsize // FLOAT for dtype in (FIREPOWER_DTYPE, TARGET_DTYPE, SALVO_DTYPE)
)

TWENTIETHS, SIXTHS, THIRDS = (np.array(np.arange(256) / whole, np.float32) for whole in (20, 6, 3))
"""Whole numbers 0..255 divided, as observations show them: a look costs less than a division. float32 (256,) each."""

SCRATCH = np.dtype(
    [
        ("lines", np.int64, (SEATS, MAX_SHIPS, MAX_SHIPS)),  # see odds_fire.find_lines
        ("pairs", np.int64, (MAX_SHIPS * MAX_SHIPS + 1,)),  # see odds_fire.find_pairs
        ("reach", np.int64, (SEATS, MAX_SHIPS)),  # odds_fire.reach_of the ships of each seat
        ("straight", np.float64, (NEAR_RADIUS + 1,)),  # hits to expect by hexes of a move, straight ahead
        ("best", np.float64, (NEAR_RADIUS + 1,)),  # the same with the best last hex
    ],
    align=True,
)
"""What is worked out on the way to an observation; one record serves any number of them, one after the other."""


def near_offsets() -> np.ndarray:
    """Axial offsets of the hexes of a near map for a ship facing N, int64 (NEAR_HEXES, 2), by distance then bearing."""
    radius = range(-NEAR_RADIUS, NEAR_RADIUS + 1)
    disc = [(q, r) for q in radius for r in radius if abs(q + r) <= NEAR_RADIUS]
    disc.sort(key=lambda hex_: ((abs(hex_[0]) + abs(hex_[1]) + abs(sum(hex_))) // 2, hex_))
    return np.array(disc, np.int64)
