"""Lines between hexes against an exact clipping of the segment by each hexagon, in coordinates of the printed map.

Those are integers throughout: the centre of the hex in column ``x`` and row ``y``, both counted from 0, lies at
``(3 x, 2 y)``, in the lower columns at ``(3 x, 2 y + 1)``. Heights are shrunk, which leaves straight lines straight.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fc_env.hexgrid import DIRECTIONS, DQ, DR, axial_r, distance, on_map, parse_label
from fc_env.lines import CROSSED, LEFT, OFF, RIGHT, crossed, place_on_line, weight_between

WIDTH, HEIGHT = 30, 20
SIDES = [(0, 1, 1), (1, 1, 2), (1, -1, 2)]
"""A hexagon around (0, 0) is ``abs(nx * x + ny * y) <= far`` for these three pairs of sides ``(nx, ny, far)``."""

Hex = tuple[int, int]


def board(width: int, height: int) -> list[Hex]:
    return [(q, row - q // 2) for q in range(width) for row in range(height)]


@cache
def displacements() -> list[Hex]:
    """All displacements between two hexes of the map."""
    hexes = board(WIDTH, HEIGHT)
    return sorted({(q2 - q1, r2 - r1) for q1, r1 in hexes for q2, r2 in hexes} - {(0, 0)})


@cache
def near_displacements() -> list[Hex]:
    """All displacements of up to 20 hexes, as far as anyone shoots: the same when turned or mirrored."""
    span = range(-20, 21)
    return [(q, r) for q in span for r in span if 0 < distance(0, 0, q, r) <= 20]


def centre(q, r):
    return 3 * q, 2 * (r + q // 2) + q % 2


def clipped(start, end, hexes):
    """Exactly how hexes lie to lines: OFF, CROSSED, LEFT or RIGHT. Arguments (q, r) of ints or arrays that broadcast.

    Lengths along a line are counted in units of which the whole line has ``whole``, so many that the line enters and
    leaves every strip between two opposite sides of a hexagon at a whole number.
    """
    (ax, ay), (bx, by), (mx, my) = centre(*start), centre(*end), centre(*hexes)
    dx, dy = bx - ax, by - ay
    slopes = [nx * dx + ny * dy for nx, ny, _ in SIDES]
    whole = 1
    for slope in slopes:
        whole = whole * np.where(slope == 0, 1, abs(slope))
    enter, leave = 0 * whole, whole
    outside, on_side = False, False
    for (nx, ny, far), slope in zip(SIDES, slopes, strict=True):
        begin = nx * (ax - mx) + ny * (ay - my)
        outside |= (slope == 0) & (abs(begin) > far)  # all along
        on_side |= (slope == 0) & (abs(begin) == far)
        unit = whole // np.where(slope == 0, 1, slope)
        one, other = (-far - begin) * unit, (far - begin) * unit
        enter = np.where(slope == 0, enter, np.maximum(enter, np.minimum(one, other)))
        leave = np.where(slope == 0, leave, np.minimum(leave, np.maximum(one, other)))
    passing = ~outside & (enter < leave)
    for x, y in ((ax, ay), (bx, by)):
        passing &= (x != mx) | (y != my)
    side = np.where(dx * (my - ay) < dy * (mx - ax), LEFT, RIGHT)  # y grows downward
    return np.where(passing, np.where(on_side, side, CROSSED), OFF)


def test_fir_3_every_displacement_of_the_map() -> None:
    """FIR-3: all 2,328 displacements, and every hex of their surroundings."""
    assert len(displacements()) == 2328
    met = set()
    for dq, dr in displacements():
        qs = np.arange(min(dq, 0) - 2, max(dq, 0) + 3)[:, None]
        rs = np.arange(min(dr, 0) - 2, max(dr, 0) + 3)[None, :]
        expected = clipped((0, 0), (dq, dr), (qs, rs))
        found = [[place_on_line(dq, dr, q, r) for r in rs[0].tolist()] for q in qs[:, 0].tolist()]
        assert np.array_equal(found, expected), (dq, dr)
        met |= set(expected.ravel().tolist())
    assert met == {OFF, CROSSED, LEFT, RIGHT}


@pytest.mark.slow
def test_fir_3_every_pair_of_hexes_of_the_map() -> None:
    """FIR-3: all 359,400 ordered pairs, and every hex of the map; the line is found from its displacement alone."""
    known = [(0, 0), *displacements()]
    number = {displacement: index for index, displacement in enumerate(known)}
    places = np.array([[place_on_line(*line, *offset) for offset in known] for line in known], np.int8)
    hexes = np.array(board(WIDTH, HEIGHT))
    ends, others = hexes.T[:, :, None], hexes.T[:, None, :]
    pairs = 0
    for q, r in hexes.tolist():
        seen = [number[q2 - q, r2 - r] for q2, r2 in hexes.tolist()]
        assert np.array_equal(places[np.ix_(seen, seen)], clipped((q, r), ends, others)), (q, r)
        pairs += len(seen) - 1
    assert pairs == 359_400


places_on_a_large_map = st.tuples(st.integers(0, 97), st.integers(0, 97)).map(lambda p: (p[0], int(axial_r(*p))))


@settings(max_examples=30)
@given(places_on_a_large_map, places_on_a_large_map)
def test_fir_3_a_line_is_the_same_wherever_it_begins(start: Hex, end: Hex) -> None:
    """FIR-3: on the largest map, from columns that stand high and columns that stand low."""
    (q, r), (q2, r2) = start, end
    common, left, right = crossed(q2 - q, r2 - r)
    qs = np.arange(min(q, q2) - 1, max(q, q2) + 2)[:, None]
    rs = np.arange(min(r, r2) - 1, max(r, r2) + 2)[None, :]
    expected = clipped(start, end, (qs, rs))
    for place, offsets in ((CROSSED, common), (LEFT, left), (RIGHT, right)):
        found = {(int(qs[i, 0]) - q, int(rs[0, j]) - r) for i, j in np.argwhere(expected == place)}
        assert found == set(offsets) and len(found) == len(offsets)


def test_fir_3_the_hexes_of_a_line_are_in_order() -> None:
    """FIR-3: each touches the one before, from one end to the other; those along hexsides touch the common ones."""
    for dq, dr in near_displacements():
        common, left, right = crossed(dq, dr)
        way = [(0, 0), *common, (dq, dr)]
        apart = [distance(*a, *b) for a, b in pairwise(way)]
        if not left:
            assert set(apart) == {1} and not right
            continue
        assert set(apart) == {2} and len(left) == len(right) == len(apart)
        for side in (left, right):
            assert all(distance(*a, *m) == distance(*m, *b) == 1 for (a, b), m in zip(pairwise(way), side, strict=True))


def test_fir_3_the_way_back_passes_the_same_hexes() -> None:
    """FIR-3: seen from the other end, in the other order, and left is right."""
    for dq, dr in near_displacements():
        common, left, right = crossed(dq, dr)
        back = tuple([(q - dq, r - dr) for q, r in reversed(hexes)] for hexes in (common, right, left))
        assert crossed(-dq, -dr) == back


def turned(q: int, r: int) -> Hex:
    """A hex turned by 60 degrees clockwise about (0, 0)."""
    return -r, q + r


def mirrored(q: int, r: int) -> Hex:
    """A hex mirrored at the column of (0, 0), east for west."""
    return -q, q + r


def test_fir_3_turning_and_mirroring_a_line() -> None:
    """FIR-3: turns by 60 degrees, three of which are the board's half turn, keep sides; a mirror swaps them."""
    assert turned(*turned(*turned(3, -5))) == (-3, 5)
    for dq, dr in near_displacements():
        common, left, right = crossed(dq, dr)
        turn, mirror = turned(dq, dr), mirrored(dq, dr)
        assert crossed(*turn) == tuple([turned(*m) for m in hexes] for hexes in (common, left, right))
        assert crossed(*mirror) == tuple([mirrored(*m) for m in hexes] for hexes in (common, right, left))


@pytest.mark.parametrize("direction", range(DIRECTIONS))
def test_fir_3_straight_ahead_it_crosses_the_row(direction: int) -> None:
    """FIR-3: and nothing beside it."""
    q, r = int(DQ[direction]), int(DR[direction])
    assert crossed(q, r) == ([], [], [])
    assert crossed(5 * q, 5 * r) == ([(k * q, k * r) for k in range(1, 5)], [], [])


@pytest.mark.parametrize("direction", range(DIRECTIONS))
def test_fir_3_along_hexsides_it_takes_either_side(direction: int) -> None:
    """FIR-3: halfway between two directions it crosses hexes, and has those of either direction beside it in turn."""
    to_left = np.array([DQ[direction], DR[direction]])
    to_right = np.array([DQ[(direction + 1) % DIRECTIONS], DR[(direction + 1) % DIRECTIONS]])
    step = to_left + to_right
    for steps in range(1, 8):
        common, left, right = (np.array(hexes).reshape(-1, 2) for hexes in crossed(*(steps * step).tolist()))
        assert np.array_equal(common, np.arange(1, steps)[:, None] * step)
        assert np.array_equal(left, np.arange(steps)[:, None] * step + to_left)
        assert np.array_equal(right, np.arange(steps)[:, None] * step + to_right)


@pytest.mark.parametrize(
    ("start", "end", "passed"),
    [
        ("1010", "1110", []),
        ("1010", "1108", ["1009", "1109"]),
        ("1010", "1311", ["1111", "1210"]),
        ("1010", "1115", ["1011", "1012", "1113", "1114"]),
    ],
)
def test_fir_3_lines_drawn_on_the_map(start: str, end: str, passed: list[str]) -> None:
    (q, r), (q2, r2) = parse_label(start), parse_label(end)
    offsets = [(mq - q, mr - r) for mq, mr in map(parse_label, passed)]
    assert crossed(q2 - q, r2 - r) == (offsets, [], [])


def test_fir_3_touching_a_corner_is_not_passing() -> None:
    """FIR-3: to the hex 4 south of the south-eastern neighbour, past a corner of (1, 1) and one of (0, 3)."""
    assert place_on_line(1, 4, 0, 3) == place_on_line(1, 4, 1, 1) == OFF
    assert crossed(1, 4) == ([(0, 1), (0, 2), (1, 2), (1, 3)], [], [])


# ---- weights


def weight(start: str, end: str, pieces: dict[Hex, int], width: int = WIDTH, height: int = HEIGHT) -> int:
    """Weight between two hexes of labels, the same from both ends, of pieces by axial hex."""
    hexes = np.array(list(pieces), np.int32).reshape(-1, 2)
    weights = np.array(list(pieces.values()), np.int32)
    one, other = parse_label(start), parse_label(end)
    there = weight_between(width, height, *one, *other, hexes[:, 0], hexes[:, 1], weights)
    assert weight_between(width, height, *other, *one, hexes[:, 0], hexes[:, 1], weights) == there
    return int(there)


def at(**weights: int) -> dict[Hex, int]:
    """Weights by label, written ``h0101=3``."""
    return {parse_label(label[1:]): number for label, number in weights.items()}


def test_fir_3_the_same_side_for_the_whole_line() -> None:
    """FIR-3: from 0505 to 0905 through 0705; 0604 and 0804 lie on its left, 0605 and 0805 on its right."""
    assert weight("0505", "0905", at(h0705=4, h0505=6, h0905=6)) == 4
    assert weight("0505", "0905", at(h0705=4, h0604=1, h0804=2)) == 4
    assert weight("0505", "0905", at(h0705=4, h0604=1, h0805=2)) == 5
    assert weight("0505", "0905", at(h0604=1, h0804=4, h0605=3, h0805=3)) == 5
    assert weight("0505", "0905", {}) == 0


@pytest.mark.parametrize(("start", "end", "beside"), [("0101", "0501", "0201"), ("0220", "0620", "0320")])
def test_cor_15_along_the_edge_of_the_map_it_is_clear(start: str, end: str, beside: str) -> None:
    """COR-15: at the top and at the bottom, even when something waits beyond the edge."""
    hexes = at(**{f"h{beside}": 5})
    assert weight(start, end, hexes) == 0
    (q, r), down = parse_label(beside), 1 if start == "0220" else -1
    assert not on_map(WIDTH, HEIGHT, q, r + down)
    assert weight(start, end, hexes | {(q, r + down): 3}) == 0
    assert weight(start, end, hexes | {(q, r + down): 3}, height=HEIGHT + 1) == (3 if down == 1 else 0)


def test_cor_15_no_line_crosses_a_hex_off_the_map() -> None:
    """COR-15 decides only lines along the top or bottom edge: nowhere else does a line touch a hex beyond it."""
    width, height = 8, 5
    hexes = board(width, height)
    for q, r in hexes:
        for q2, r2 in hexes:
            common, left, right = crossed(q2 - q, r2 - r)
            off = [(q + mq, r + mr) for mq, mr in common + left + right if not on_map(width, height, q + mq, r + mr)]
            assert all(mq + q in range(width) for mq, _ in left + right)
            if off:
                assert q2 - q == -2 * (r2 - r) and not set(off) & {(q + mq, r + mr) for mq, mr in common}


def test_fir_3_the_weight_of_many_lines() -> None:
    """FIR-3, COR-15: from the corners, the edges and the middle to every hex, with pieces on the map and around it."""
    hexes = np.array(board(WIDTH, HEIGHT))
    around = np.array([(q, row - q // 2) for q in range(-1, WIDTH + 1) for row in range(-1, HEIGHT + 1)])
    rng = np.random.default_rng(18)
    sides = 0
    for label in ("0101", "3001", "0120", "3020", "1501", "1620", "0110", "3011", "1510", "1611"):
        start = parse_label(label)
        pieces = rng.choice(around, 80, replace=False).astype(np.int32)
        weights = rng.integers(1, 7, len(pieces)).astype(np.int32)
        inside = [bool(on_map(WIDTH, HEIGHT, q, r)) for q, r in pieces.tolist()]
        counted = np.where(inside, weights, 0)
        places = clipped(start, hexes.T[:, :, None], pieces.T[:, None, :])
        common, left, right = ((places == place) @ counted for place in (CROSSED, LEFT, RIGHT))
        sides += np.count_nonzero(left != right)
        found = [weight_between(WIDTH, HEIGHT, *start, q, r, *pieces.T, weights) for q, r in hexes.tolist()]
        assert np.array_equal(found, common + np.minimum(left, right)), label
    assert sides > 50
