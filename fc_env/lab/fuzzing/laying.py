"""Whether a field was laid as the rules say (section 7), looked at in the game that was made of a scenario."""

from __future__ import annotations

from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import axial_step, column_step, inside
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import expect
from fc_env.lab.fuzzing.standing import hexes_unshared
from fc_env.ruleset import SHARE_UNIT


@jit
def hexes_in_row(game, q: int, r: int, facing: int) -> int:
    """Hexes of the row through a hex along a facing (MAP-3)."""
    count = 1
    for heading in (facing, (facing + 3) % 6):
        at_q, at_r = q + column_step(heading), r + axial_step(heading)
        while inside(game, at_q, at_r):
            count += 1
            at_q, at_r = at_q + column_step(heading), at_r + axial_step(heading)
    return count


@jit
def longest_row(game, facing: int) -> int:
    """Hexes of the longest row along a facing; each begins at an edge of the map."""
    longest = 0
    for q in range(game.width):
        for r in range(-(q // 2), game.height - q // 2):
            if not inside(game, q - column_step(facing), r - axial_step(facing)):
                longest = max(longest, hexes_in_row(game, q, r, facing))
    return longest


@jit
def check_laid(setups, games, all_notes) -> None:
    """SET-1, SET-2. Whether the markers that were diced lie on long rows of their facings, in hexes of their own.

    A scenario SETUP (1,), the game made from it GAME (1,), and NOTES (1,).
    """
    setup, game, notes = setups[0], games[0], all_notes[0]
    expect(notes, Invariant.HEXES_UNSHARED, hexes_unshared(game))
    longest = 0
    for index in range(setup.n_placed, game.n_markers):
        marker, first = game.markers[index], game.markers[setup.n_placed]
        shared = setup.drift_each == 0
        if shared:
            expect(notes, Invariant.FIELD_FACINGS, marker.facing == first.facing)
            if setup.field_facing >= 0:
                expect(notes, Invariant.FIELD_FACINGS, marker.facing == setup.field_facing)
        expect(notes, Invariant.FIELD_FACINGS, marker.facing >= 0 and marker.facing < 6)
        if not shared or index == setup.n_placed:
            longest = longest_row(game, marker.facing)
        length = hexes_in_row(game, marker.q, marker.r, marker.facing)
        on_map = inside(game, marker.q, marker.r)
        expect(notes, Invariant.FIELD_ROWS, on_map and length * SHARE_UNIT >= longest * game.rules.long_row_share)
