"""The hex grid against exact geometry: integer centres, so nothing is rounded anywhere (MAP-1, MAP-2, MAP-3, MAP-6).

The centre of a flat-top hex with sides of length 2 lies at ``(3 x, sqrt(3) y)`` with integers ``x``, the column, and
``y``, twice the row, plus one in the lower columns. Squares of lengths are ``9 x**2 + 3 y**2``.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fc_env import hexgrid
from fc_env.hexgrid import DIRECTIONS, DQ, DR
from fc_env.state import MAX_HEIGHT, MAX_WIDTH

WIDTH, HEIGHT = 30, 20
BOARD = [(q, row - q // 2) for q in range(WIDTH) for row in range(HEIGHT)]
# Clockwise from north, y growing downward.
UNIT = [(0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)]
SMALL_MAPS = [(2, 1), (2, 2), (2, 9), (6, 5), (8, 1), (10, 3), (98, 98)]

hexes = st.tuples(st.integers(-200, 200), st.integers(-300, 300))
directions = st.integers(0, DIRECTIONS - 1)


def centre(q: int, r: int) -> tuple[int, int]:
    """Integer coordinates (x, y) of a hex's centre, from its printed column and row alone."""
    column, row = q, r + q // 2
    return column, 2 * row + column % 2


def squared(x: int, y: int) -> int:
    return 9 * x * x + 3 * y * y


def ahead(q: int, r: int, direction: int, steps: int = 1) -> tuple[int, int]:
    return q + steps * int(DQ[direction]), r + steps * int(DR[direction])


def board(width: int, height: int) -> list[tuple[int, int]]:
    return [(q, row - q // 2) for q in range(width) for row in range(height)]


@pytest.fixture(scope="module")
def steps_between() -> dict[tuple[int, int], int]:
    """Fewest steps over touching hexes on the unbounded grid, by difference of centres: breadth first from one hex."""
    found = {(0, 0): 0}
    waiting = deque([(0, 0)])
    while waiting:
        x, y = waiting.popleft()
        if found[x, y] == 45:
            continue
        for dx in (-1, 0, 1):
            for dy in (-2, -1, 0, 1, 2):
                # Centres of touching hexes, and only those, are twice the inner radius apart: 2 * sqrt(3).
                if squared(dx, dy) == 12 and (x + dx, y + dy) not in found:
                    found[x + dx, y + dy] = found[x, y] + 1
                    waiting.append((x + dx, y + dy))
    return found


def test_map_1_centres_of_all_hexes_differ_and_touch_as_drawn() -> None:
    """MAP-1: the second, fourth, ... column stands half a hex lower."""
    assert len({centre(q, r) for q, r in BOARD}) == WIDTH * HEIGHT == 600
    first, second, third = (centre(*hexgrid.parse_label(label)) for label in ("0101", "0201", "0301"))
    assert second[1] - first[1] == 1 and third[1] == first[1]  # a hex is 2 high


def test_map_2_the_six_neighbours_of_every_hex_are_clockwise_from_north() -> None:
    """MAP-2"""
    for q, r in BOARD:
        x, y = centre(q, r)
        around = [centre(*ahead(q, r, direction)) for direction in range(DIRECTIONS)]
        assert around == [(x + dx, y + dy) for dx, dy in UNIT]
        touching = {centre(*other) for other in BOARD if squared(centre(*other)[0] - x, centre(*other)[1] - y) == 12}
        assert touching == {place for place in around if 0 <= place[0] < WIDTH and 0 <= place[1] // 2 < HEIGHT}


def test_map_2_opposite_is_half_a_turn() -> None:
    for direction in range(DIRECTIONS):
        dx, dy = UNIT[direction]
        assert UNIT[hexgrid.opposite(direction)] == (-dx, -dy)


def test_map_3_distance_is_the_fewest_steps_for_every_pair_of_the_board(steps_between: dict) -> None:
    """MAP-3: all 360,000 ordered pairs."""
    places = [(q, r, *centre(q, r)) for q, r in BOARD]
    for q1, r1, x1, y1 in places:
        for q2, r2, x2, y2 in places:
            assert hexgrid.distance(q1, r1, q2, r2) == steps_between[x2 - x1, y2 - y1]


@pytest.mark.parametrize(
    ("start", "end", "steps"),
    [("0110", "3010", 29), ("0101", "3020", 34), ("0120", "3001", 33), ("0101", "0120", 19), ("1213", "1213", 0)],
)
def test_map_3_distances_counted_on_the_map(start: str, end: str, steps: int) -> None:
    """MAP-3: 29 columns take 29 steps, in which the row may change by 14 or 15 (half a hex each) for nothing."""
    assert hexgrid.distance(*hexgrid.parse_label(start), *hexgrid.parse_label(end)) == steps


@given(hexes, hexes, hexes, hexes)
def test_map_3_distance_is_a_metric(a: tuple, b: tuple, c: tuple, by: tuple) -> None:
    def distance(one: tuple, other: tuple) -> int:
        return int(hexgrid.distance(*one, *other))

    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, b) == distance(b, a)
    assert distance(a, c) <= distance(a, b) + distance(b, c)
    shifted = [(q + by[0], r + by[1]) for q, r in (a, b)]
    assert distance(*shifted) == distance(a, b)


@given(hexes, hexes)
def test_map_3_distance_lies_between_the_straight_lines_bounds(a: tuple, b: tuple) -> None:
    """A step is 2 * sqrt(3) long, and the detour of a hex path is at most the factor 2 / sqrt(3)."""
    (x1, y1), (x2, y2) = centre(*a), centre(*b)
    straight = Fraction(squared(x2 - x1, y2 - y1), 12)  # the square of the straight distance in steps
    steps = int(hexgrid.distance(*a, *b))
    assert straight <= steps * steps <= straight * Fraction(4, 3)


@given(hexes, directions, st.integers(0, 60))
def test_steps_ahead_finds_what_lies_straight_ahead(start: tuple[int, int], direction: int, steps: int) -> None:
    assert hexgrid.steps_ahead(*start, direction, *ahead(*start, direction, steps)) == steps


@given(hexes, directions, hexes)
def test_steps_ahead_finds_nothing_else(start: tuple, direction: int, end: tuple) -> None:
    (x1, y1), (x2, y2) = centre(*start), centre(*end)
    dx, dy = UNIT[direction]
    on_line = (x2 - x1) * dy == (y2 - y1) * dx and (x2 - x1) * dx + (y2 - y1) * dy >= 0
    assert (hexgrid.steps_ahead(*start, direction, *end) >= 0) == on_line


def test_steps_ahead_on_the_whole_board() -> None:
    for q, r in BOARD[::7]:
        for direction in range(DIRECTIONS):
            seen = {hexgrid.steps_ahead(q, r, direction, *end) for end in BOARD} - {-1}
            assert seen == set(range(hexgrid.row_length(WIDTH, HEIGHT, q, r, direction)))


@pytest.mark.parametrize("family", range(3))
@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), *SMALL_MAPS[:-1]])
def test_map_3_rows_partition_the_map(width: int, height: int, family: int) -> None:
    """MAP-3: every hex lies in exactly one row of each family; rows are straight, whole, and as long as said."""
    covered: list[tuple[int, int]] = []
    first = (hexgrid.row_start(width, height, q, r, family) for q, r in board(width, height))
    starts = {(int(q), int(r)) for q, r in first}
    for start in starts:
        length = int(hexgrid.row_length(width, height, *start, family))
        row = [ahead(*start, family, step) for step in range(length)]
        for one, other in pairwise(row):
            (x1, y1), (x2, y2) = centre(*one), centre(*other)
            assert (x2 - x1, y2 - y1) == UNIT[family]
        assert not hexgrid.on_map(width, height, *ahead(*start, family, -1))
        assert not hexgrid.on_map(width, height, *ahead(*start, family, length))
        for place in row:
            assert tuple(hexgrid.row_start(width, height, *place, family)) == start
            assert tuple(hexgrid.row_start(width, height, *place, family + 3)) == row[-1]
        assert hexgrid.row_length(width, height, *row[-1], family + 3) == length
        covered += row
    assert sorted(covered) == sorted(board(width, height))


def test_map_3_numbers_of_rows_in_the_three_families() -> None:
    """30 columns; rows to the north-east from 0101 alone to 3020 alone, rows to the south-east from 0120 to 2901."""
    counts = [
        len({tuple(hexgrid.row_start(WIDTH, HEIGHT, q, r, family)) for q, r in BOARD}) for family in range(DIRECTIONS)
    ]
    # The centres of a slanting row share y + x or y - x, which is even and takes every value between its ends.
    rising = {centre(q, r)[1] + centre(q, r)[0] for q, r in BOARD}
    falling = {centre(q, r)[1] - centre(q, r)[0] for q, r in BOARD}
    assert counts == [30, len(rising), len(falling)] * 2
    assert rising == set(range(0, 29 + 39 + 1, 2)) and falling == set(range(-28, 38 + 1, 2))


@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), *SMALL_MAPS])
def test_on_map_is_the_printed_columns_and_rows(width: int, height: int) -> None:
    for column in (-2, -1, 0, 1, width - 2, width - 1, width, width + 1):
        for row in (-2, -1, 0, 1, height - 1, height, height + 1):
            expected = 0 <= column < width and 0 <= row < height
            q, r = column, row - column // 2
            assert hexgrid.on_map(width, height, q, r) == expected
            assert hexgrid.row_of(q, r) == row and hexgrid.axial_r(column, row) == r


@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), *SMALL_MAPS])
def test_map_1_half_turn_maps_the_board_onto_itself(width: int, height: int) -> None:
    """MAP-1: an involution without a fixed hex that turns every direction around and keeps rows together."""
    places = board(width, height)
    turned = [hexgrid.half_turn(width, height, q, r) for q, r in places]
    assert sorted(turned) == sorted(places)
    middle = (width - 1, 2 * height - 1)  # twice the centre of the board
    for (q, r), image in zip(places, turned, strict=True):
        assert hexgrid.half_turn(width, height, *image) == (q, r) != image
        (x1, y1), (x2, y2) = centre(q, r), centre(*image)
        assert (x1 + x2, y1 + y2) == middle
        for direction in range(DIRECTIONS):
            neighbour = hexgrid.half_turn(width, height, *ahead(q, r, direction))
            assert neighbour == ahead(*image, hexgrid.opposite(direction))


def test_map_1_half_turn_keeps_distances_and_rows() -> None:
    for one in BOARD[::17]:
        image = hexgrid.half_turn(WIDTH, HEIGHT, *one)
        for other in BOARD:
            there = hexgrid.half_turn(WIDTH, HEIGHT, *other)
            assert hexgrid.distance(*one, *other) == hexgrid.distance(*image, *there)
        for direction in range(DIRECTIONS):
            back = hexgrid.opposite(direction)
            start = hexgrid.half_turn(WIDTH, HEIGHT, *map(int, hexgrid.row_start(WIDTH, HEIGHT, *one, direction)))
            assert tuple(hexgrid.row_start(WIDTH, HEIGHT, *image, back)) == start


def test_map_6_labels_round_trip() -> None:
    """MAP-6: on the largest map every hex has its own label of four digits."""
    labels = {}
    for q, r in board(98, 98):
        text = hexgrid.label(q, r)
        assert len(text) == 4 and hexgrid.parse_label(text) == (q, r)
        labels[text] = (q, r)
    assert len(labels) == 98 * 98


def test_map_6_a_label_is_column_then_row_counted_from_1() -> None:
    """MAP-6: 1213 is column 12, row 13."""
    assert centre(*hexgrid.parse_label("1213")) == (11, 2 * 12 + 1)
    assert hexgrid.label(11, 7) == "1213"
    assert hexgrid.label(*hexgrid.parse_label("0101")) == "0101"


@pytest.mark.parametrize(
    "text",
    ["", "1", "121", "12130", "0012", "1200", "0000", "12a3", " 121", "-101", "1.13", "１２１３", "+113", "12 3"],
)
def test_map_6_bad_labels_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="want a label CCRR"):
        hexgrid.parse_label(text)


@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), *SMALL_MAPS[:-1]])
def test_cor_10_edges_beyond_every_rim_hex(width: int, height: int) -> None:
    """COR-10: beyond the first or last column west or east, beyond its column's ends north or south; both count."""
    left = 0
    for q, r in board(width, height):
        assert hexgrid.edges_beyond(width, height, q, r) == 0
        for direction in range(DIRECTIONS):
            place = ahead(q, r, direction)
            x, y = centre(*place)
            row = Fraction(y - x % 2, 2)
            edges = {
                hexgrid.WEST: x < 0,
                hexgrid.EAST: x >= width,
                hexgrid.NORTH: row < 0,
                hexgrid.SOUTH: row >= height,
            }
            assert hexgrid.edges_beyond(width, height, *place) == sum(edge for edge, beyond in edges.items() if beyond)
            left += any(edges.values())
    # Hexsides of the rim: at each column's ends one; two slanting ones at the top of each higher and the bottom of
    # each lower column; two on each hex of the outer columns; less one at each of the two corners counted twice.
    assert left == 2 * width + 2 * width + 4 * height - 2


def test_cor_10_corners_by_label() -> None:
    """COR-10: from 3001 to the north-east it is both north and east; from 3020 only east."""
    corner, lower = hexgrid.parse_label("0101"), hexgrid.parse_label("3020")
    assert hexgrid.edges_beyond(WIDTH, HEIGHT, *ahead(*corner, 5)) == hexgrid.NORTH | hexgrid.WEST
    assert hexgrid.edges_beyond(WIDTH, HEIGHT, *ahead(*corner, 1)) == hexgrid.NORTH
    assert hexgrid.edges_beyond(WIDTH, HEIGHT, *ahead(*corner, 4)) == hexgrid.WEST
    assert hexgrid.edges_beyond(WIDTH, HEIGHT, *ahead(*lower, 2)) == hexgrid.SOUTH | hexgrid.EAST
    assert hexgrid.edges_beyond(WIDTH, HEIGHT, *ahead(*lower, 1)) == hexgrid.EAST


def test_the_longest_rows_there_are_end_where_a_walk_ends() -> None:
    width, height = MAX_WIDTH, MAX_HEIGHT
    for q, r in [(q, row - (q >> 1)) for q in (0, width // 2, width - 1) for row in (0, height // 2, height - 1)]:
        for direction in range(DIRECTIONS):
            steps = 0
            while hexgrid.on_map(width, height, *ahead(q, r, direction, steps + 1)):
                steps += 1
            assert hexgrid.hexes_ahead(width, height, q, r, direction) == steps
