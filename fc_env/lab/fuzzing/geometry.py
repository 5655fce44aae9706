"""Hexes once more, worked out in another way than ``fc_env.hexgrid`` and ``fc_env.lines``, so that neither can hide a
fault of the other.
"""

from __future__ import annotations

from fc_env.jit import jit


@jit
def column_step(facing: int) -> int:
    """How many columns a step along a facing leads east."""
    if facing == 1 or facing == 2:
        return 1
    return -1 if facing == 4 or facing == 5 else 0


@jit
def axial_step(facing: int) -> int:
    """How far the same step changes ``r``."""
    if facing == 0 or facing == 1:
        return -1
    return 1 if facing == 3 or facing == 4 else 0


@jit
def inside(game, q: int, r: int) -> bool:
    """Whether a hex is one of the map's (MAP-1): of column ``q``, and the row that is ``r`` plus half the columns."""
    row = 2 * r + q - (q & 1)
    return q >= 0 and q < game.width and row >= 0 and row < 2 * game.height


@jit
def apart(q: int, r: int, other_q: int, other_r: int) -> int:
    """Hexes between two hexes (MAP-3): the largest of the three cube differences."""
    dq, dr = other_q - q, other_r - r
    return max(abs(dq), abs(dr), abs(dq + dr))


@jit
def hexes_along(q: int, r: int, facing: int, other_q: int, other_r: int) -> int:
    """How many steps along a facing lead from one hex to another; 0 if none do."""
    hexes = apart(q, r, other_q, other_r)
    straight = q + hexes * column_step(facing) == other_q and r + hexes * axial_step(facing) == other_r
    return hexes if straight else 0


@jit
def edges_off(game, q: int, r: int) -> int:
    """The edges by which a hex lies off the map (COR-10): north 1, east 2, south 4, west 8."""
    row = (2 * r + q - (q & 1)) // 2
    north = 1 if row < 0 else 0
    east = 2 if q >= game.width else 0
    south = 4 if row >= game.height else 0
    west = 8 if q < 0 else 0
    return north + east + south + west


@jit
def crossing(from_q: int, from_r: int, to_q: int, to_r: int, q: int, r: int) -> int:
    """How the straight line between two hex centres goes by a third hex (FIR-3): 2 through its inside, 1 or -1 along a
    hexside of it (which of the line's sides it lies on), 0 not at all.

    In cube coordinates a hex is where three differences of a point to its centre are between -1 and 1. Along the line
    each of these is ``a + b t`` with t from 0 to 1, and the line passes through the hex if there is a t for all three.
    """
    low_top, low_bottom = 0, 1  # the t that are left lie between these two fractions
    high_top, high_bottom = 1, 1
    side = 0
    for axis in range(3):
        a, b = _difference(from_q - q, from_r - r, axis), _difference(to_q - from_q, to_r - from_r, axis)
        if b == 0:
            if a == 1 or a == -1:
                side = a
            elif a != 0:
                return 0
            continue
        # a + b t = -1 and = 1, in rising order
        first, second = (-1 - a, 1 - a) if b > 0 else (a - 1, a + 1)
        bottom = abs(b)
        if first * low_bottom > low_top * bottom:
            low_top, low_bottom = first, bottom
        if second * high_bottom < high_top * bottom:
            high_top, high_bottom = second, bottom
    if low_top * high_bottom >= high_top * low_bottom:
        return 0
    return side if side != 0 else 2


@jit
def _difference(q: int, r: int, axis: int) -> int:
    """One of the three differences of the cube coordinates ``(q, r, -q - r)``."""
    s = -q - r
    if axis == 0:
        return q - r
    return r - s if axis == 1 else s - q


@jit
def density_on_line(game, from_q: int, from_r: int, to_q: int, to_r: int) -> int:
    """The density that fire passes through (FIR-3, COR-15); where it runs along hexsides, of the clearer side."""
    inner, one, other = 0, 0, 0
    for index in range(game.n_markers):
        marker = game.markers[index]
        ends = (marker.q == from_q and marker.r == from_r) or (marker.q == to_q and marker.r == to_r)
        if ends or not inside(game, marker.q, marker.r):
            continue
        found = crossing(from_q, from_r, to_q, to_r, marker.q, marker.r)
        if found == 2:
            inner += marker.density
        elif found == 1:
            one += marker.density
        elif found == -1:
            other += marker.density
    return inner + min(one, other)


@jit
def torpedo_row(game, ship, q: int, r: int) -> int:
    """COR-14. 0 for a hex dead ahead of a ship, n for one on the nth row beside that, else -1."""
    if hexes_along(ship.q, ship.r, ship.facing, q, r) > 0:
        return 0
    for column in range(1, game.rules.torpedo_columns + 1):
        for turn in (1, 5):
            heading = (ship.facing + turn) % 6
            start_q, start_r = ship.q + column * column_step(heading), ship.r + column * axial_step(heading)
            if (start_q == q and start_r == r) or hexes_along(start_q, start_r, ship.facing, q, r) > 0:
                return column
    return -1
