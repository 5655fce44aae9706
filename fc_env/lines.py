"""Straight lines between the centres of two hexes: which hexes they pass (FIR-3). Integers only, and no game words.

A line depends on the displacement ``(dq, dr)`` between its ends alone, wherever on the map it begins. It crosses the
inside of some hexes. If its direction is that of a hexside, it also runs along hexsides, between hexes on its left and
hexes on its right; of those it takes one side only, the same all along.

Three times an axial offset is a lattice in which the corners of hexes are points too: those around the origin are
``(1, -2), (2, -1), (1, 1)`` and their opposites. The cross product of the displacement and a point tells how far to
the right of the line the point lies, and a hex reaches as far to both sides of its centre as its farthest corner.
"""

from __future__ import annotations

from fc_env.hexgrid import on_map
from fc_env.jit import jit

OFF, CROSSED, LEFT, RIGHT = 0, 1, 2, 3
"""How a hex lies to a line: not on it, crossed by it, or with a whole side along it, on its left or right."""


@jit
def place_on_line(dq: int, dr: int, mq: int, mr: int) -> int:
    """OFF, CROSSED, LEFT or RIGHT: how the hex at offset ``(mq, mr)`` from the first end of a line lies to it (FIR-3).

    The second end is at offset ``(dq, dr)``. The ends themselves are OFF. Left and right are those of one who looks
    from the first end to the second.
    """
    # What depends on the line alone is computed once where this is called in a loop; what turns most hexes away is
    # asked first, since a branch that hardly ever goes the other way costs little.
    u, v = 2 * dq + dr, dq + 2 * dr
    reach = max(abs(u), abs(v), abs(u - v))  # of the farthest corner; u, v, u - v: one for each pair of corners
    aside = 3 * (dq * mr - dr * mq)
    if abs(aside) > reach:
        return OFF
    # Twice the dot product, in true angles. From one hex that a line passes to the next it grows.
    along = mq * u + mr * v
    if along <= 0 or along >= dq * u + dr * v:
        return OFF
    if abs(aside) < reach:
        return CROSSED
    if u != 0 and v != 0 and u != v:
        return OFF  # no two corners are equally far: it touches the line with one corner only
    return LEFT if aside < 0 else RIGHT


@jit
def weight_between(width: int, height: int, q1: int, r1: int, q2: int, r2: int, qs, rs, weights) -> int:
    """Weight of what the line between two hexes of a map passes, on the side that comes out lighter (FIR-3, COR-15).

    The pieces lie in the hexes ``(qs[i], rs[i])`` and weigh ``weights[i]``, int (n,) each; those off the map count
    nothing. The same from both ends.
    """
    common, left, right = 0, 0, 0
    for i in range(len(qs)):
        place = place_on_line(q2 - q1, r2 - r1, qs[i] - q1, rs[i] - r1)
        if place == OFF or not on_map(width, height, qs[i], rs[i]):
            continue
        if place == CROSSED:
            common += weights[i]
        elif place == LEFT:
            left += weights[i]
        else:
            right += weights[i]
    return common + min(left, right)


def crossed(dq: int, dr: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]]]:
    """The hexes that a line crosses, and those along its left and along its right, as offsets from its first end.

    Each in order from the first end to the second at offset ``(dq, dr)``; left and right are as in
    ``place_on_line``, and empty unless the line runs along hexsides. Hexes off the map are listed like others.
    """
    found: dict[int, list[tuple[int, int]]] = {CROSSED: [], LEFT: [], RIGHT: []}
    for mq in range(min(dq, 0), max(dq, 0) + 1):
        for mr in range(min(dr, 0), max(dr, 0) + 1):
            place = int(place_on_line(dq, dr, mq, mr))
            if place != OFF:
                found[place].append((mq, mr))
    for hexes in found.values():
        hexes.sort(key=lambda offset: offset[0] * (2 * dq + dr) + offset[1] * (dq + 2 * dr))
    return found[CROSSED], found[LEFT], found[RIGHT]
