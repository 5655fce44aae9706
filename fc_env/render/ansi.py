"""A picture of a game for a terminal: flat-top hexes, every second column half a hex lower (MAP-1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from fc_env.hexgrid import DIRECTIONS, DQ, DR, axial_r, edges_beyond, label, row_of
from fc_env.render.scene import Hex, Scene, scene_of
from fc_env.state import Status

ARROWS = "↑↗↘↓↙↖"
"""By facing."""
_GOAL, _TITLE, _FRAME = "1;32", "1", "7"
_GRID = "90"
_DENSITY = {1: "33", 2: "33", 3: "1;33", 4: "1;33", 5: "1;31", 6: "1;31"}
_SEAT = {0: "1;37;44", 1: "1;37;45"}
_GONE = "9;90"
_SIDES = ((1, -1, "_"), (3, 0, "\\"), (3, 1, "/"), (1, 1, "_"), (0, 1, "\\"), (0, 0, "/"))
"""Column, line and sign of a hex's sides by direction, from the left end of its upper line."""


class _Canvas:
    """Signs and their colours by line and column."""

    def __init__(self, lines: int, columns: int, colour: bool) -> None:
        self.signs = [[" "] * columns for _ in range(lines)]
        self.colours = [[""] * columns for _ in range(lines)]
        self.colour = colour

    def put(self, line: int, column: int, text: str, colour: str = "") -> None:
        """Write text; what lies outside is left out."""
        for k, sign in enumerate(text, column):
            if 0 <= line < len(self.signs) and 0 <= k < len(self.signs[line]):
                self.signs[line][k], self.colours[line][k] = sign, colour

    def lines(self) -> Iterator[str]:
        """The lines, without blanks at their ends."""
        for signs, colours in zip(self.signs, self.colours, strict=True):
            if not self.colour:
                yield "".join(signs).rstrip()
                continue
            end = len("".join(signs).rstrip())
            text, current = "", ""
            for sign, colour in zip(signs[:end], colours[:end], strict=True):
                if colour != current:
                    text += ("\x1b[0m" if current else "") + (f"\x1b[{colour}m" if colour else "")
                    current = colour
                text += sign
            yield text + ("\x1b[0m" if current else "")


def ansi(game: Any, *, title: str = "", colour: bool = True, **what: Any) -> str:
    """The board of one GAME record, shape () or (1,), as text for a terminal, with a line of status and a legend.

    ``title`` is any text; ``colour``: with ANSI colour codes; ``what`` is ``seat``, ``path`` and ``highlights`` as
    ``scene.scene_of`` explains them. Raises ScenarioError for anything that is no GAME record.
    """
    return paint(scene_of(game, title=title, **what), colour)


def paint(scene: Scene, colour: bool = True) -> str:
    """A scene as text."""
    canvas = _Canvas(2 * scene.height + 6, 3 * (scene.width + 2) + 4, colour)
    _draw_grid(scene, canvas)
    for place in scene.path:
        canvas.put(*_inside(place), "··", _SEAT[0][:-3])
    _draw_pieces(scene, canvas)
    head = f"{scene.title} · {scene.status}" if scene.title else scene.status
    board = filter(None, canvas.lines())
    return "\n".join([_painted(head, _TITLE, colour), *board, *_legend(scene, colour)])


def _painted(text: str, colour: str, wanted: bool) -> str:
    return f"\x1b[{colour}m{text}\x1b[0m" if wanted else text


def _inside(place: Hex) -> tuple[int, int]:
    """Line and column of the two signs inside a hex; a ring of one hex around the map is drawn too."""
    q, r = place
    return 2 * (int(row_of(q, r)) + 1) + (q & 1) + 2, 3 * (q + 1) + 4


def _draw_grid(scene: Scene, canvas: _Canvas) -> None:
    goal = []
    for q in range(scene.width):
        line, column = _inside((q, int(axial_r(q, -1))))
        canvas.put(0, column, f"{q + 1:02d}", _GRID)
        for row in range(scene.height):
            r = int(axial_r(q, row))
            line, column = _inside((q, r))
            for way in range(DIRECTIONS):
                right, down, sign = _SIDES[way]
                text = sign * 2 if sign == "_" else sign
                beyond = edges_beyond(scene.width, scene.height, q + int(DQ[way]), r + int(DR[way]))
                side = (line + down, column - 1 + right, text)
                canvas.put(*side, _GRID)
                if beyond & scene.goal:
                    goal.append(side)
    for row in range(scene.height):
        line, _ = _inside((0, row))
        canvas.put(line, 0, f"{row + 1:02d}", _GRID)
    for side in goal:
        canvas.put(*side, _GOAL)
    for place in scene.highlights:
        canvas.put(*_inside(place), "  ", _FRAME)


def _draw_pieces(scene: Scene, canvas: _Canvas) -> None:
    for ship in scene.vessels:
        if ship.status != Status.IN_PLAY:
            canvas.put(*_inside(ship.at), ship.name + ("x" if ship.status == Status.DESTROYED else "»"), _GONE)
    at: dict[Hex, list[str]] = defaultdict(list)
    for rocks in scene.rocks:
        text = f"{rocks.density}{ARROWS[rocks.facing]}"
        at[rocks.at].append(text)
        several = f"+{len(at[rocks.at])}"
        canvas.put(*_inside(rocks.at), text if len(at[rocks.at]) == 1 else several[-2:], _DENSITY[rocks.density])
    for ship in scene.vessels:
        if ship.status == Status.IN_PLAY:
            canvas.put(*_inside(ship.at), ship.name + ARROWS[ship.facing], _SEAT[ship.seat])


def _legend(scene: Scene, colour: bool) -> Iterator[str]:
    for ship in scene.vessels:
        yield f"{_painted(ship.name + ARROWS[ship.facing], _SEAT[ship.seat], colour)} {ship.words}"
    waiting = [
        f"{rocks.density}{ARROWS[rocks.facing]} before {label(*rocks.ahead)}" for rocks in scene.rocks if rocks.waiting
    ]
    if waiting:
        yield f"waiting off the map: {', '.join(waiting)}"
    signs = [f"{_painted('A' + ARROWS[1], _SEAT[0], colour)} ship, heading"]
    if scene.rocks:
        signs.append(f"{_painted('4' + ARROWS[2], _DENSITY[4], colour)} asteroids of density 4, drifting")
    if scene.goal and colour:
        signs.append(f"{_painted('/', _GOAL, colour)} goal edge")
    yield " · ".join(signs)
