"""What the audit knows while it goes through what happened: where it takes each piece to be, and what is still due."""

from __future__ import annotations

import numpy as np

from fc_env.dice import Purpose
from fc_env.jit import jit, kernel_view
from fc_env.lab.fuzzing.invariants import N_INVARIANTS
from fc_env.ruleset import LADDER
from fc_env.state import MAX_MARKERS, MAX_SHIPS, SEATS, Flaw, Status
from fc_env.tape import N_DICE

BY_PHASE = -1
"""In place of an action: a phase was run."""
PIECES = SEATS * MAX_SHIPS
"""Ships are numbered ``seat * MAX_SHIPS + index`` here, as in events."""
SHOTS = 16
"""More than the shots of one ship's salvo."""

# Places in Notes.now, what is going on.
AVOID_DIE, SLIP, UNSURE = range(3)
DRIFTING, TO_GO, AWAITED, PUSHED, WRAPPED = range(3, 8)
SALVO, FIRED, N_SHOTS, GUNNER, ALPHA = range(8, 13)
BLASTING, BLAST_NEXT, BLASTS = range(13, 16)
END_NEXT, CASUALTY, REPAIR, SHOOTER, TARGET, WEAPON, COLUMN, DENSITY, TOLD = range(16, 25)
HAZARD, ACTING, MOVED, ATTACKS = range(25, 29)
N_NOW = 29


NOTES = np.dtype(
    [
        ("broken", np.int64, (N_INVARIANTS,)),
        ("muted", np.int64, (N_INVARIANTS,)),  # those that are not looked at
        # by ship
        ("q", np.int64, (PIECES,)),
        ("r", np.int64, (PIECES,)),
        ("facing", np.int64, (PIECES,)),
        ("alive", np.int64, (PIECES,)),
        ("hull", np.int64, (PIECES,)),
        ("crew", np.int64, (PIECES,)),
        ("duck", np.int64, (PIECES,)),
        ("jammed", np.int64, (PIECES,)),
        ("doom", np.int64, (PIECES,)),
        ("met", np.int64, (PIECES,)),  # contacts that its way leads to
        ("seen", np.int64, (PIECES,)),  # contacts it has rolled for
        ("jolt", np.int64, (PIECES,)),  # roll of a sitting duck that damage may set off, -1 for none
        ("jolted", np.int64, (PIECES,)),  # whether that set it off
        ("bursting", np.int64, (PIECES,)),  # its blast is to come
        ("doom_due", np.int64, (PIECES,)),
        ("drift_due", np.int64, (PIECES,)),
        ("turned", np.int64, (PIECES,)),
        ("passing", np.int64, (PIECES,)),  # other ships it has to roll for in passing
        ("passed", np.int64, (PIECES,)),  # those it has rolled for
        ("how", np.int64, (PIECES,)),  # the Invariant that its place is a matter of
        # by marker
        ("marker_q", np.int64, (MAX_MARKERS,)),
        ("marker_r", np.int64, (MAX_MARKERS,)),
        ("marker_how", np.int64, (MAX_MARKERS,)),
        # the shots of a salvo
        ("shot_weapon", np.int64, (SHOTS,)),
        ("shot_target", np.int64, (SHOTS,)),
        ("cursor", np.int64, (len(Purpose),)),  # the next row of dice to look at, by purpose
        ("now", np.int64, (N_NOW,)),
    ],
    align=True,
)
"""Work space of the audit: one record, which costs a call nothing to be handed."""


def new_notes() -> np.ndarray:
    """Empty notes, NOTES (1,)."""
    return kernel_view(np.zeros(1, NOTES))


@jit
def begin(before, notes) -> None:
    """Take over how things stood."""
    notes.now[:] = 0
    notes.now[DRIFTING], notes.now[AWAITED], notes.now[BLASTING] = -1, -1, -1
    notes.cursor[:] = 0
    for piece in range(PIECES):
        ship = before.ships[piece // MAX_SHIPS, piece % MAX_SHIPS]
        notes.q[piece], notes.r[piece], notes.facing[piece] = ship.q, ship.r, ship.facing
        notes.alive[piece] = ship.status == Status.IN_PLAY
        notes.hull[piece], notes.crew[piece] = ship.hull, ship.crew
        notes.duck[piece], notes.jammed[piece], notes.doom[piece] = ship.sitting_duck, ship.jammed, ship.doom
        notes.jolt[piece], notes.bursting[piece] = -1, 0
        notes.how[piece] = -1
    for counts in (notes.met, notes.seen, notes.jolted, notes.doom_due, notes.drift_due):
        counts[:] = 0
    for counts in (notes.turned, notes.passing, notes.passed):
        counts[:] = 0
    for index in range(before.n_markers):
        notes.marker_q[index], notes.marker_r[index] = before.markers[index].q, before.markers[index].r
        notes.marker_how[index] = -1


@jit
def expect(notes, invariant: int, holds: bool) -> None:
    """Note an invariant as broken unless it holds."""
    if not holds and not notes.muted[invariant]:
        notes.broken[invariant] = 1


@jit
def next_die(tape, notes, purpose: int) -> int:
    """Row of the next die of a purpose, in the order they fell; -1 if there is none."""
    row = notes.cursor[purpose]
    while row < tape.counts[N_DICE]:
        if tape.dice[row].purpose == purpose:
            notes.cursor[purpose] = row + 1
            return row
        row += 1
    notes.cursor[purpose] = row
    return -1


@jit
def count_dice(tape, purpose: int) -> int:
    """How many dice of a purpose fell."""
    count = 0
    for row in range(tape.counts[N_DICE]):
        count += tape.dice[row].purpose == purpose
    return count


@jit
def value_of(tape, purpose: int, token: int, nth: int, faces: int) -> int:
    """Value of the die of a piece with a number and so many faces; 0 if none such fell."""
    for row in range(tape.counts[N_DICE]):
        die = tape.dice[row]
        if die.purpose == purpose and die.piece == token and die.nth == nth and die.faces == faces:
            return die.value
    return 0


@jit
def ship_of(game, piece: int):
    """The record of a ship."""
    return game.ships[piece // MAX_SHIPS, piece % MAX_SHIPS]


@jit
def is_there(game, piece: int) -> bool:
    """Whether there is such a ship in the game at all."""
    return piece % MAX_SHIPS < game.n_ships[piece // MAX_SHIPS]


@jit
def ship_in(game, notes, q: int, r: int, but: int) -> int:
    """A ship in play in a hex, other than one; -1 if there is none."""
    for piece in range(PIECES):
        there = piece != but and is_there(game, piece) and notes.alive[piece]
        if there and notes.q[piece] == q and notes.r[piece] == r:
            return piece
    return -1


@jit
def marker_in(game, notes, q: int, r: int, but: int) -> int:
    """A marker in a hex, other than one; -1 if there is none."""
    for index in range(game.n_markers):
        if index != but and notes.marker_q[index] == q and notes.marker_r[index] == r:
            return index
    return -1


@jit
def was_flipped(game, card: int) -> bool:
    """CARD-2. Whether a card lies among those of the turn."""
    return (game.flipped >> np.uint64(card)) & np.uint64(1) != np.uint64(0)


@jit
def larger(faces: int, steps: int) -> int:
    """The die so many steps up the ladder, or down."""
    place = 0
    for number in range(len(LADDER)):
        if LADDER[number] == faces:
            place = number
    return LADDER[max(0, min(place + steps, len(LADDER) - 1))]


@jit
def allotted(ship, system: int) -> int:
    """POW-1, POW-2. Faces of the die on shields (0), weapons (1) or movement (2): 1..6 are LMH LHM MLH MHL HLM HML."""
    way = ship.power - 1
    first = way // 2
    if system == 0:
        return ship.power_dice[first]
    others = (1, 2) if first == 0 else ((0, 2) if first == 1 else (0, 1))
    return ship.power_dice[others[(way + system + 1) % 2]]


@jit
def counts_as(ship, roll: int) -> int:
    """What a die of a simply mediocre ship counts (COR-23)."""
    return max(1, roll - 1) if ship.flaw == Flaw.SIMPLY_MEDIOCRE else roll
