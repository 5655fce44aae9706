"""What a step reads and writes besides the game: forced dice in, events and dice out.

A ``Tape`` is made anew by the door for each call and handed down to every rule, so nothing is kept
between calls. Where nothing is recorded and no die is forced, None is handed down in its place (``SILENT``): each
``if tape is None`` is decided when the rules are compiled, so that play without events costs nothing for them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fc_env.jit import jit, kernel_view

EVENT = np.dtype(
    [
        ("rule", np.int32),  # an events.Rule
        ("game", np.int32),  # index in the batch
        ("turn", np.int32),
        ("seat", np.int32),  # -1 for none, as all below
        ("ship", np.int32),
        ("marker", np.int32),
        ("q", np.int32),
        ("r", np.int32),
        ("roll", np.int32),  # the die that decided, -1 for none
        ("value", np.int32),  # what came of it; the meaning is the rule's, see describe.ROWS
    ],
    align=True,
)

DIE = np.dtype(
    [
        ("game", np.int32),
        ("turn", np.int32),
        ("purpose", np.int32),  # a dice.Purpose
        ("piece", np.int32),  # token of the ship or side, or index of the marker
        ("nth", np.int32),  # the how-manyeth of these this turn
        ("faces", np.int32),
        ("value", np.int32),
    ],
    align=True,
)

# Places in Tape.counts.
GAME_INDEX, N_EVENTS, N_DICE, FORCING, N_USED, REFUSED = range(6)

# Values of counts[REFUSED]: why a forced die could not be used.
RAN_SHORT, NO_SUCH_FACE = 1, 2


class Tape(NamedTuple):
    """Forced dice in, events and dice out."""

    counts: np.ndarray  # int64 (8,), see the names above
    forced: np.ndarray  # int64 (F,), the values of the coming dice in order
    events: np.ndarray  # EVENT (E,), the first counts[N_EVENTS] are written
    dice: np.ndarray  # DIE (D,), the first counts[N_DICE] are written
    refused: np.ndarray  # DIE (1,), the die that could not be had


SILENT = None
"""What rules are handed when nothing is recorded and no die is forced."""


@jit
def note_game(tape, index: int) -> None:
    """Note which game of the batch the rows to come are of."""
    if tape is None:
        return
    tape.counts[GAME_INDEX] = index


def new_tape(capacity: int = 0, forced: list[int] | None = None) -> Tape:
    """A tape that records up to ``capacity`` rows of each kind, with dice to force (None: chance)."""
    counts = np.zeros(8, np.int64)
    counts[FORCING] = forced is not None
    return Tape(
        counts,
        np.array(forced or [], np.int64),
        kernel_view(np.zeros(capacity, EVENT)),
        kernel_view(np.zeros(capacity, DIE)),
        kernel_view(np.zeros(1, DIE)),
    )


def overflowed(tape: Tape) -> bool:
    """Whether more rows were due than the tape holds."""
    return bool(tape.counts[N_EVENTS] > len(tape.events) or tape.counts[N_DICE] > len(tape.dice))
