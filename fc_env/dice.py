"""The only place chance enters.

A draw is a hash of the game's seed and of what the draw is for: turn, purpose, piece, and the
how-manyeth of these. So a roll does not depend on the batch a game is in, on the order of steps, or on
whether the code is compiled, and two games on one seed share every roll that means the same in both.

The hash is two rounds of the finaliser of SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable
pseudorandom number generators"); 32 of its bits become a die by multiply and shift with rejection
(Lemire 2019, "Fast random integer generation in an interval"), which is exactly fair.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from fc_env.jit import COMPILED, jit
from fc_env.ruleset import LADDER
from fc_env.tape import FORCING, GAME_INDEX, N_DICE, N_USED, NO_SUCH_FACE, RAN_SHORT, REFUSED


class Purpose(enum.IntEnum):
    """What a die is rolled for. The numbers are part of every game's dice: never renumber, only add."""

    POWER = 0
    DRIFT = 1
    AVOID = 2
    CONTACT_DAMAGE = 3
    LASER = 4
    INITIATIVE = 5
    CARD = 6
    MOVEMENT = 7
    SMALL_HEX = 8
    ENTRY_FACING = 9
    FIELD_FACING = 10
    FIELD_ROW = 11
    FIELD_HEX = 12
    ATTACK = 13
    SHIELDS = 14
    BLAST = 15
    DOOM = 16
    DOOM_EXPLOSION = 17
    HULL_GAIN = 18
    FLAW_EXPLOSION = 19
    FIRE_CONTROL = 20


LADDER_FACES = np.array(LADDER, dtype=np.int64)
LADDER_PLACE = np.searchsorted(LADDER_FACES, np.arange(LADDER[-1] + 1))
"""Place on the ladder of the smallest die of at least so many faces."""

_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_TURN, _PURPOSE, _PIECE = np.uint64(48), np.uint64(40), np.uint64(32)
_TWO_32 = 1 << 32


def mix_plain(x: Any) -> Any:
    """The SplitMix64 finaliser: a bijection of 64-bit integers, uint64 (or an array of them) to the same."""
    x = (x ^ (x >> _S30)) * _A
    x = (x ^ (x >> _S27)) * _B
    return x ^ (x >> _S31)


mix = jit(mix_plain)


@jit
def hashed(seed, label):
    """A hash of a seed and a number, uint64; neighbouring numbers have nothing in common."""
    return mix(mix(seed + _GOLDEN) ^ np.uint64(label))


@jit
def uniform(seed, turn: int, purpose: int, piece: int, nth: int, faces: int) -> int:
    """A fair integer 1..faces that depends on nothing but the arguments."""
    label = (np.uint64(turn) << _TURN) | (np.uint64(purpose) << _PURPOSE) | (np.uint64(piece) << _PIECE)
    state = hashed(seed, label | np.uint64(nth))
    state = mix(state + _GOLDEN)
    product = np.int64(state >> _S32) * faces
    leftover = product & (_TWO_32 - 1)
    if leftover < faces:
        threshold = _TWO_32 % faces
        while leftover < threshold:
            state = mix(state + _GOLDEN)
            product = np.int64(state >> _S32) * faces
            leftover = product & (_TWO_32 - 1)
    return int(product >> 32) + 1


if not COMPILED:
    # Plain NumPy scalars warn where 64 bits wrap around, which is what they are to do here.
    hashed, uniform = (np.errstate(over="ignore")(function) for function in (hashed, uniform))


@jit
def roll(game, tape, purpose: int, piece: int, nth: int, faces: int) -> int:
    """Roll one die 1..faces: the next forced value if dice are forced, else by chance."""
    if tape is None:
        return uniform(game.seed, game.turn, purpose, piece, nth, faces)
    return _roll_on_tape(game, tape, purpose, piece, nth, faces)


@jit
def describe(game, tape, row, purpose: int, piece: int, nth: int, faces: int, value: int) -> None:
    row.game = tape.counts[GAME_INDEX]
    row.turn = game.turn
    row.purpose = purpose
    row.piece = piece
    row.nth = nth
    row.faces = faces
    row.value = value


@jit
def _roll_on_tape(game, tape, purpose: int, piece: int, nth: int, faces: int) -> int:
    counts = tape.counts
    value = uniform(game.seed, game.turn, purpose, piece, nth, faces)
    if counts[FORCING] and not counts[REFUSED]:
        # After a refusal chance goes on, so that the step ends; the door then throws it away.
        used = counts[N_USED]
        forced = tape.forced[used] if used < tape.forced.shape[0] else 0
        if used >= tape.forced.shape[0]:
            counts[REFUSED] = RAN_SHORT
        elif forced < 1 or forced > faces:
            counts[REFUSED] = NO_SUCH_FACE
        if counts[REFUSED]:
            describe(game, tape, tape.refused[0], purpose, piece, nth, faces, forced)
        else:
            value = forced
            counts[N_USED] = used + 1
    n = counts[N_DICE]
    if n < tape.dice.shape[0]:
        describe(game, tape, tape.dice[n], purpose, piece, nth, faces, value)
    counts[N_DICE] = n + 1
    return value


@jit
def stepped(faces: int, steps: int):
    """The die ``steps`` up the ladder d4 d6 d8 d10 d12 d20 (down if negative), stopping at its ends."""
    return LADDER_FACES[min(max(LADDER_PLACE[faces] + steps, 0), LADDER_FACES.shape[0] - 1)]
