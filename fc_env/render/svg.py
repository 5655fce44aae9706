"""A picture of a game as SVG: crisp at any size, light or dark as the reader's screen is, safe for the colour-blind.

Density is told three times (the number, as many rocks, the hex's shade), a direction by an arrow and the way ahead,
a side by shape and colour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import ceil, sqrt
from typing import Any
from xml.sax.saxutils import escape

from fc_env.hexgrid import DIRECTIONS, DQ, DR, EAST, NORTH, SOUTH, WEST, axial_r, edges_beyond, label, row_of
from fc_env.render.scene import Hex, Rocks, Scene, Vessel, scene_of
from fc_env.render.style import STYLE, definitions, hexagon, points
from fc_env.state import Facing, Status

SIZE = 26.0
"""Pixels from a hex's centre to its corner."""
HALF = SIZE * sqrt(3) / 2
"""Pixels from a hex's centre to a side."""
MARGIN, HEAD, LINE = 12.0, 60.0, 36.0
"""Pixels around everything, above the board, and of a line of the legend."""
LEAST_WIDTH = 760.0
COURSE = 3
"""Hexes of the line ahead of a ship's nose."""
_LETTER = 7.2
"""Pixels of a letter of the legend, about."""


def svg(game: Any, *, title: str = "Fleet Captain", **what: Any) -> str:
    """The board of one GAME record, shape () or (1,), as the text of an SVG file.

    ``title`` is any text; ``what`` is ``seat``, ``path`` and ``highlights`` as ``scene.scene_of`` explains them.
    Raises ScenarioError for anything that is no GAME record.
    """
    return paint(scene_of(game, title=title, **what))


def paint(scene: Scene) -> str:
    """A scene as the text of an SVG file."""
    board = _Board(scene)
    legend = list(_legend(scene, board))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(board.width)} {_n(board.height)}" role="img" '
        'aria-labelledby="title desc">',
        f'<title id="title">{escape(scene.title)}: {escape(scene.status)}</title>',
        f'<desc id="desc">{escape("; ".join(_words(scene)))}</desc>',
        f"<style>{STYLE}</style>",
        "<defs>",
        *definitions(SIZE, scene.drift_die),
        f'<clipPath id="board"><path d="{board.outline}"/></clipPath>',
        "</defs>",
        '<rect class="page" width="100%" height="100%"/>',
        f'<text class="text title" x="{_n(MARGIN)}" y="30">{escape(scene.title)}</text>',
        f'<text class="text say" x="{_n(MARGIN)}" y="52">{escape(scene.status)}</text>',
        *_grid(scene, board),
        *_goal(scene, board),
        *_path(scene, board),
        *_markers(scene, board),
        *_headings(scene, board),
        *_ships(scene, board),
        *legend,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _n(number: float) -> str:
    """A coordinate, short."""
    return f"{number:.1f}".removesuffix(".0")


class _Board:
    """Where things are: the map with a ring of one hex around it for what waits off the map."""

    def __init__(self, scene: Scene) -> None:
        self.hexes = [(q, int(axial_r(q, row))) for q in range(scene.width) for row in range(scene.height)]
        across = (scene.width + 1) * 1.5 * SIZE + 2 * SIZE
        self.width = max(across + 2 * MARGIN, LEAST_WIDTH)
        self.left = (self.width - across) / 2 + SIZE
        self.bottom = HEAD + (2 * (scene.height + 2) + 1) * HALF
        self.height = self.bottom + MARGIN
        corners = hexagon(SIZE)
        steps = [(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in pairwise(corners)]
        ring = "".join(f"l{dx:.1f} {dy:.1f}" for dx, dy in steps) + "z"
        starts = [(x + corners[0][0], y + corners[0][1]) for x, y in map(self.at, self.hexes)]
        self.outline = "".join(f"M{x:.1f} {y:.1f}{ring}" for x, y in starts)

    def at(self, place: Hex) -> tuple[float, float]:
        """Centre of a hex, also off the map, in pixels."""
        q, r = place
        return self.left + (q + 1) * 1.5 * SIZE, HEAD + HALF * (2 * int(row_of(q, r)) + 3 + (q & 1))

    def move(self, place: Hex) -> str:
        """The same as a transform."""
        x, y = self.at(place)
        return f"translate({_n(x)} {_n(y)})"


def _use(shape: str, css: str, transform: str) -> str:
    return f'<use href="#{shape}" class="{css}" transform="{transform}"/>'


def _turned(facing: Facing) -> str:
    return f" rotate({60 * facing})" if facing else ""


def _grid(scene: Scene, board: _Board) -> Iterator[str]:
    yield f'<path class="hex" d="{board.outline}"/>'
    for q, r in board.hexes:
        x, y = board.at((q, r))
        yield f'<text class="label" x="{_n(x)}" y="{_n(y - 0.58 * HALF)}">{label(q, r)}</text>'
    for q in range(scene.width):
        x, y = board.at((q, int(axial_r(q, -1))))
        yield f'<text class="axis" x="{_n(x)}" y="{_n(y + 0.7 * HALF)}">{q + 1}</text>'
    for row in range(scene.height):
        x, y = board.at((0, row))
        yield f'<text class="axis" x="{_n(x - 1.4 * SIZE)}" y="{_n(y + 4)}">{row + 1}</text>'


# ---- the goal

_SIDES = {NORTH: (0.5, 0.0, 0), EAST: (1.0, 0.5, 90), SOUTH: (0.5, 1.0, 180), WEST: (0.0, 0.5, 270)}
"""Middle of each edge in shares of the board, and the turn of an arrow that leaves by it."""


def _goal(scene: Scene, board: _Board) -> Iterator[str]:
    """The outer sides of the goal edge (COR-10), and a word outside it."""
    sides = []
    corners = hexagon(SIZE)
    for q, r in board.hexes:
        x, y = board.at((q, r))
        for way in range(DIRECTIONS):
            beyond = edges_beyond(scene.width, scene.height, q + int(DQ[way]), r + int(DR[way]))
            if beyond & scene.goal:
                (x1, y1), (x2, y2) = corners[way], corners[(way + 1) % DIRECTIONS]
                sides.append(f"M{_n(x + x1)} {_n(y + y1)}L{_n(x + x2)} {_n(y + y2)}")
    if sides:
        yield f'<path class="goal" d="{"".join(sides)}"/>'
    left, top = board.at((0, 0))
    right, bottom = board.at((scene.width - 1, int(axial_r(scene.width - 1, scene.height - 1))))
    for edge, (across, down, turn) in _SIDES.items():
        if scene.goal & edge:
            x = left + across * (right - left) + {EAST: 1.75, WEST: -1.95}.get(edge, 0) * SIZE
            y = top + down * (bottom - top) + {NORTH: -1.9, SOUTH: 1.9}.get(edge, 0) * HALF
            word_turn = turn if turn % 180 else 0
            yield (
                f'<text class="goal-fill goal-word" transform="translate({_n(x)} {_n(y)}) rotate({word_turn})" '
                'dy="6">GOAL</text>'
            )
            along = 74 if turn % 180 else 0, 0 if turn % 180 else 74
            for sign in (-1, 1):
                spot = f"translate({_n(x + sign * along[1])} {_n(y + sign * along[0])}) rotate({turn})"
                yield f'<path class="goal-fill" transform="{spot}" d="M0 -11L10 4H3.5V11H-3.5V4H-10Z"/>'


# ---- asteroids


def _markers(scene: Scene, board: _Board) -> Iterator[str]:
    drifting = [rocks for rocks in scene.rocks if not rocks.waiting]
    for rocks in drifting:
        yield _use("h", f"d{rocks.density} rim", board.move(rocks.at))
    yield '<g clip-path="url(#board)">'
    for rocks in drifting:
        yield _use("t", "trail", f"{board.move(rocks.at)}{_turned(rocks.facing)}")
    yield "</g>"
    for rocks in drifting:
        yield from _marker(rocks, board.move(rocks.at))
    together: dict[Hex, list[Rocks]] = defaultdict(list)
    for rocks in scene.rocks:
        if rocks.waiting:
            together[rocks.at].append(rocks)
    for place, several in together.items():
        yield from _waiting(several, board.move(place))


def _marker(rocks: Rocks, transform: str) -> Iterator[str]:
    yield f'<g transform="{transform}">'
    turned = _turned(rocks.facing).strip()
    yield f'<use href="#r{rocks.density}"' + (f' transform="{turned}"/>' if turned else "/>")
    yield f'<circle class="chip" r="{_n(0.33 * SIZE)}"/><text class="number" y="5">{rocks.density}</text></g>'


def _waiting(several: list[Rocks], transform: str) -> Iterator[str]:
    """All that wait before one row, side by side in one hex off the map (DRF-4)."""
    side = ceil(sqrt(len(several)))
    scale = 1 / side
    for k, rocks in enumerate(several):
        x = (k % side - (side - 1) / 2) * 2 * HALF * scale
        y = (k // side - (side - 1) / 2) * 2 * HALF * scale
        spot = f"{transform} translate({_n(x)} {_n(y)}) scale({scale * 0.92:.2f})"
        yield _use("h", f"d{rocks.density} rim dashed", spot)
        yield from _marker(rocks, spot)


# ---- ships


def _path(scene: Scene, board: _Board) -> Iterator[str]:
    if scene.path:
        corners = [board.at(place) for place in scene.path]
        yield f'<polyline class="way0" points="{points(corners)}"/>'
        for x, y in corners:
            yield f'<circle class="s0" style="stroke-width:1.2" cx="{_n(x)}" cy="{_n(y)}" r="4.5"/>'


def _headings(scene: Scene, board: _Board) -> Iterator[str]:
    """The highlights, and a line ahead of each ship in play."""
    for place in scene.highlights:
        yield _use("h", "frame", board.move(place))
    for ship in scene.vessels:
        q, r = ship.at
        if ship.status == Status.IN_PLAY:
            end = q + COURSE * int(DQ[ship.facing]), r + COURSE * int(DR[ship.facing])
            yield f'<polyline class="way{ship.seat} ahead" points="{points([board.at(ship.at), board.at(end)])}"/>'


def _ships(scene: Scene, board: _Board) -> Iterator[str]:
    several = len(scene.vessels) > 1
    for ship in scene.vessels:
        gone = "" if ship.status == Status.IN_PLAY else " gone"
        where = board.move(ship.at)
        yield f'<g class="ship{gone}"><title>{escape(ship.words)}</title>'
        yield _use(f"s{ship.seat}", f"s{ship.seat}", f"{where}{_turned(ship.facing)} scale(1.4)")
        if ship.flagship:
            yield f'<circle class="chip" transform="{where}" r="{_n(0.15 * SIZE)}"/>'
        if ship.status == Status.DESTROYED:
            yield f'<path class="way{ship.seat}" transform="{where}" d="M-16 -16L16 16M16 -16L-16 16"/>'
        if not gone:
            yield from _tag(ship, where, several)
        yield "</g>"


def _tag(ship: Vessel, where: str, named: bool) -> Iterator[str]:
    """Hull points, behind the ship where its nose does not point."""
    words = (f"{ship.name} " if named else "") + f"hull {ship.hull}/{ship.full_hull}"
    wide = 7.2 * len(words) + 12
    y = -HALF - 27 if ship.facing in (Facing.SE, Facing.S, Facing.SW) else HALF + 6
    left, full = 4 - wide / 2, wide - 8
    share = min(1.0, ship.hull / max(1, ship.full_hull))
    yield f'<g transform="{where} translate(0 {_n(y)})">'
    yield f'<rect class="tag" x="{_n(-wide / 2)}" width="{_n(wide)}" height="20.5" rx="4"/>'
    yield f'<text class="text hull" y="13">{escape(words)}</text>'
    for css, length in (('class="bar"', full), (f'class="s{ship.seat}" style="stroke:none"', full * share)):
        yield f'<rect {css} x="{_n(left)}" y="16" width="{_n(length)}" height="2.4"/>'
    yield "</g>"


# ---- the legend


def _items(scene: Scene) -> Iterator[tuple[str, str]]:
    """Drawings around the origin, and what each means."""
    for seat in sorted({ship.seat for ship in scene.vessels}):
        ship = _use(f"s{seat}", f"s{seat}", "rotate(60) scale(.8)")
        yield ship + f'<path class="way{seat} ahead" d="M15 -9L28 -16"/>', f"ship of seat {seat}, nose to its heading"
    if scene.rocks:
        rocks = Rocks(0, (0, 0), Facing.NE, 4, False)
        drawn = _use("h", "d4 rim", "scale(.72)") + "".join(_marker(rocks, "scale(.72)"))
        yield drawn, "asteroids: as many rocks as their density"
        way = "".join(f'<path d="M{x - 4} -7L{x + 4} 0L{x - 4} 7"/>' for x in (-1, 10, 21))
        arrow = '<path class="arrow" transform="translate(-17 0) rotate(90)" d="M0 -11L10 5L0 0L-10 5Z"/>'
        yield f'{arrow}<g class="trail">{way}</g>', f"drift: d{scene.drift_die} hexes a turn, where the arrow points"
    if any(rocks.waiting for rocks in scene.rocks):
        yield _use("h", "d3 rim dashed", "scale(.6)"), "waits off the map, enters next"
    if scene.goal:
        yield '<path class="goal" d="M-14 0H14"/>', "edge to leave by"
    if scene.path:
        yield '<path class="way0" d="M-14 0H14"/><circle class="s0" r="4"/>', "course flown"


def _legend(scene: Scene, board: _Board) -> Iterator[str]:
    """What the signs mean, and a line for each ship; makes the board's picture as high as it needs."""
    x, y = MARGIN, board.bottom + LINE / 2
    for drawn, words in _items(scene):
        wide = 62 + _LETTER * len(words)
        if x > MARGIN and x + wide > board.width:
            x, y = MARGIN, y + LINE
        yield f'<g transform="translate({_n(x + 24)} {_n(y)})">{drawn}</g>'
        yield f'<text class="small" x="{_n(x + 56)}" y="{_n(y + 4.5)}">{escape(words)}</text>'
        x += wide + 18
    y += LINE / 2
    for ship in scene.vessels:
        y += 22
        yield f'<text class="text say" x="{_n(MARGIN)}" y="{_n(y)}">{escape(ship.words)}</text>'
    board.height = y + MARGIN


def _words(scene: Scene) -> Iterator[str]:
    """Everything in the picture, for those who cannot see it."""
    yield from (ship.words for ship in scene.vessels)
    for rocks in scene.rocks:
        where = f"wait off the map before {label(*rocks.ahead)}" if rocks.waiting else f"in {label(*rocks.at)}"
        yield f"asteroids of density {rocks.density} {where}, drift {rocks.facing.name}"
