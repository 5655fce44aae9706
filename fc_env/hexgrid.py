"""Axial hex maths: neighbours, distance, rows. Integers only, and no game words.

Flat-top hexes in columns; the second, fourth, ... column stands half a hex lower (MAP-1). A hex is
``(q, r)`` with ``q`` the column counted from 0 and ``r = row - q // 2``. The six directions are numbered
clockwise from north: 0 N, 1 NE, 2 SE, 3 S, 4 SW, 5 NW (MAP-2).
"""

from __future__ import annotations

import numpy as np

from fc_env.jit import jit

DIRECTIONS = 6
DQ = np.array([0, 1, 1, 0, -1, -1], dtype=np.int64)
DR = np.array([-1, -1, 0, 1, 1, 0], dtype=np.int64)
_RIGHT_Q, _RIGHT_R = np.roll(DQ, -1), np.roll(DR, -1)
"""One hex along the next direction clockwise."""

_FIRST_STRIDE = 64
"""A power of two, at least half of the hexes of any row."""

NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8
"""Edges of the map, as bits."""


@jit
def row_of(q: int, r: int) -> int:
    """Row within the column, counted from 0 at the top."""
    return r + (q >> 1)


@jit
def axial_r(column: int, row: int) -> int:
    """The ``r`` of the hex in ``row`` of ``column``, both counted from 0."""
    return row - (column >> 1)


@jit
def on_map(width: int, height: int, q: int, r: int) -> bool:
    """Whether the hex lies on a map of ``width`` columns of ``height`` hexes."""
    row = r + (q >> 1)
    return q >= 0 and q < width and row >= 0 and row < height


@jit
def distance(q1: int, r1: int, q2: int, r2: int) -> int:
    """Hex distance (MAP-3)."""
    dq = q2 - q1
    dr = r2 - r1
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


@jit
def opposite(direction: int) -> int:
    """The direction half a turn away."""
    return (direction + 3) % DIRECTIONS


@jit
def hexes_ahead(width: int, height: int, q: int, r: int, direction: int) -> int:
    """How many hexes of the map follow an on-map hex straight along ``direction``; a row has no gaps, so its end is
    found by halves."""
    ahead, stride = 0, _FIRST_STRIDE
    while stride > 0:
        further = ahead + stride
        if on_map(width, height, q + further * DQ[direction], r + further * DR[direction]):
            ahead = further
        stride >>= 1
    return ahead


@jit
def row_start(width: int, height: int, q: int, r: int, direction: int):
    """First hex of the row through an on-map hex, in the sense of moving along ``direction`` (MAP-3)."""
    back = hexes_ahead(width, height, q, r, opposite(direction))
    return q - back * DQ[direction], r - back * DR[direction]


@jit
def row_length(width: int, height: int, q: int, r: int, direction: int) -> int:
    """Number of hexes of a row from its first hex ``(q, r)`` on."""
    return 1 + hexes_ahead(width, height, q, r, direction) if on_map(width, height, q, r) else 0


@jit
def steps_ahead(q1: int, r1: int, direction: int, q2: int, r2: int) -> int:
    """Hexes from the first hex straight along ``direction`` to the second; -1 if it is not on that line."""
    dq = q2 - q1
    dr = r2 - r1
    steps = distance(q1, r1, q2, r2)
    if steps * DQ[direction] == dq and steps * DR[direction] == dr:
        return steps
    return -1


@jit
def ahead_and_right(q1: int, r1: int, direction: int, q2: int, r2: int):
    """The second hex as steps from the first: ``(x, y)``, x along ``direction`` and y along the next one clockwise; y
    counts the rows to the right of the row along ``direction``, negative to its left."""
    dq = q2 - q1
    dr = r2 - r1
    return dq * _RIGHT_R[direction] - dr * _RIGHT_Q[direction], dr * DQ[direction] - dq * DR[direction]


@jit
def edges_beyond(width: int, height: int, q: int, r: int) -> int:
    """Edges, as bits, beyond which a hex off the map lies (COR-10); 0 on the map.

    Beyond the first or last column is west or east, beyond the top or bottom of its own column north or
    south; both may hold.
    """
    edges = 0
    if q < 0:
        edges |= WEST
    elif q >= width:
        edges |= EAST
    row = r + (q >> 1)
    if row < 0:
        edges |= NORTH
    elif row >= height:
        edges |= SOUTH
    return edges


def label(q: int, r: int) -> str:
    """CCRR label of a hex, counted from 1 (MAP-6): ``label(11, 7)`` is ``"1213"``."""
    return f"{q + 1:02d}{row_of(q, r) + 1:02d}"


def parse_label(text: str) -> tuple[int, int]:
    """Axial ``(q, r)`` of a CCRR label (MAP-6). Raises ValueError for anything else."""
    if len(text) != 4 or not (text.isascii() and text.isdigit()) or "00" in (text[:2], text[2:]):
        raise ValueError(f"hex {text!r}: want a label CCRR, column and row counted from 1, such as '1213'")
    column, row = int(text[:2]) - 1, int(text[2:]) - 1
    return column, int(axial_r(column, row))


def half_turn(width: int, height: int, q: int, r: int) -> tuple[int, int]:
    """The hex that takes this hex's place when the board is turned by 180 degrees (MAP-1)."""
    column, row = width - 1 - q, height - 1 - int(row_of(q, r))
    return column, int(axial_r(column, row))
