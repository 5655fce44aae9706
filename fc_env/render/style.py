"""Colours of the SVG pictures, light and dark, and the shapes that are used many times.

The density scale grows steadily darker in light (lighter in dark), so it can be told without seeing hue. Blue and
purple are told apart by all usual kinds of colour blindness; sides differ in shape too. No CSS variables: many programs
that show SVG know none.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin, sqrt

from fc_env.state import MAX_DENSITY

_LIGHT = {
    ".page": "fill:#faf9f6",
    ".hex": "fill:#fff;stroke:#d6d1c6",
    ".label": "fill:#a39c8e",
    ".axis,.small": "fill:#6b655a",
    ".text": "fill:#1f1c17",
    ".rock": "fill:#4a423a;stroke:#fff8ea",
    ".arrow": "fill:#7a2e00;stroke:#fff8ea",
    ".chip": "fill:#fff;stroke:#4a423a",
    ".number": "fill:#1f1c17",
    ".trail": "stroke:#a8480c",
    ".d1": "fill:#fff6d6",
    ".d2": "fill:#feeaa8",
    ".d3": "fill:#fed676",
    ".d4": "fill:#fdb94b",
    ".d5": "fill:#f79433",
    ".d6": "fill:#e56d17",
    ".rim": "stroke:#7a5a30",
    ".goal": "stroke:#00785c",
    ".goal-fill": "fill:#00785c",
    ".s0": "fill:#0061a8;stroke:#fff",
    ".s1": "fill:#9c2a7b;stroke:#fff",
    ".way0": "stroke:#0061a8",
    ".way1": "stroke:#9c2a7b",
    ".tag": "fill:#fff;stroke:#b9b3a6",
    ".bar": "fill:#d9d4ca",
    ".frame": "stroke:#9c2a7b",
}
_DARK = {
    ".page": "fill:#0d1220",
    ".hex": "fill:#151c2e;stroke:#2c3653",
    ".label": "fill:#5f6c90",
    ".axis,.small": "fill:#9aa6c4",
    ".text": "fill:#eef1f8",
    ".rock": "fill:#e4dccf;stroke:#1a1409",
    ".arrow": "fill:#ffd08a;stroke:#1a1409",
    ".chip": "fill:#10131c;stroke:#e4dccf",
    ".number": "fill:#fff",
    ".trail": "stroke:#ffb454",
    ".d1": "fill:#33270f",
    ".d2": "fill:#4b3812",
    ".d3": "fill:#674a13",
    ".d4": "fill:#865d12",
    ".d5": "fill:#a87012",
    ".d6": "fill:#cc8410",
    ".rim": "stroke:#e0b060",
    ".goal": "stroke:#2fd3a5",
    ".goal-fill": "fill:#2fd3a5",
    ".s0": "fill:#5cb8ff;stroke:#08101f",
    ".s1": "fill:#f08bd0;stroke:#08101f",
    ".way0": "stroke:#5cb8ff",
    ".way1": "stroke:#f08bd0",
    ".tag": "fill:#0d1220;stroke:#55618a",
    ".bar": "fill:#3a4566",
    ".frame": "stroke:#f08bd0",
}
_ALWAYS = (
    "text{font-family:system-ui,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;text-anchor:middle}"
    ".hex{stroke-width:1}.label{font-size:7.5px}.axis{font-size:13px}.small{font-size:15px;text-anchor:start}"
    ".title{font-size:24px;font-weight:700;text-anchor:start}.say{font-size:16px;text-anchor:start}"
    ".rock{stroke-width:.6}.arrow{stroke-width:1.2;stroke-linejoin:round}.chip{stroke-width:1.2}"
    ".number{font-size:15px;font-weight:700}.goal{fill:none;stroke-width:6;stroke-linecap:round;stroke-linejoin:round}"
    ".rim{fill:none;stroke-width:1.4}.dashed{stroke-dasharray:4 3}.goal-word{font-size:17px;font-weight:700;"
    "letter-spacing:4px}.trail{fill:none;stroke-width:3.2}.s0,.s1{stroke-width:2;stroke-linejoin:round}.way0,.way1{fill:none;stroke-width:2.6;"
    "stroke-linecap:round;stroke-linejoin:round}.ahead{stroke-dasharray:.1 6.4}.gone{opacity:.4}"
    ".tag{stroke-width:1}.hull{font-size:13px;font-weight:600}.frame{fill:none;stroke-width:3}"
)


def _rules(colours: dict[str, str]) -> str:
    return "".join(f"{name}{{{value}}}" for name, value in colours.items())


STYLE = f"{_ALWAYS}{_rules(_LIGHT)}@media (prefers-color-scheme:dark){{{_rules(_DARK)}}}"
"""The style sheet."""

_ROCK = ((1.05, 0.15), (0.45, 0.9), (-0.45, 0.8), (-1.05, 0.1), (-0.6, -0.9), (0.2, -0.75), (0.8, -0.7))
SHIPS = (
    "M0 -.8 L.2 -.3 L.58 .5 L.2 .38 L0 .56 L-.2 .38 L-.58 .5 L-.2 -.3 Z",
    "M0 -.78 L.34 -.1 L.6 .04 L.5 .52 L-.5 .52 L-.6 .04 L-.34 -.1 Z",
)
"""Outlines by seat, nose to the north, in units of a hex's size."""


def points(corners: list[tuple[float, float]]) -> str:
    """Corners as SVG wants them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def hexagon(size: float) -> list[tuple[float, float]]:
    """Corners of a flat-top hex around the origin, from the upper left one clockwise."""
    return [(size * cos(radians(60 * k - 120)), size * sin(radians(60 * k - 120))) for k in range(6)]


def _rock_group(density: int, size: float) -> Iterator[str]:
    """The arrow to the north, and as many rocks as the density trailing around the rest of the hex."""
    for k in range(density):
        at = radians(180 + 52 * (k - (density - 1) / 2))
        x, y = 0.58 * size * sin(at), -0.58 * size * cos(at)
        turn, scale = k * 2.4 + density, size * (0.215 + 0.02 * (k % 2))
        corners = [
            (x + scale * (px * cos(turn) - py * sin(turn)), y + scale * (px * sin(turn) + py * cos(turn)))
            for px, py in _ROCK
        ]
        yield f'<polygon class="rock" points="{points(corners)}"/>'
    half = size * sqrt(3) / 2
    head = [(0, -half - 0.4 * size), (0.42 * size, -half + 0.26 * size), (0, -half + 0.06 * size)]
    yield f'<polygon class="arrow" points="{points([*head, (-0.42 * size, -half + 0.26 * size)])}"/>'


def definitions(size: float, drift_die: int) -> Iterator[str]:
    """Shapes used many times, around the origin and heading north: ``h`` a hex, ``r1``.. groups of rocks, ``t``
    chevrons in the hexes that a drift may reach, ``s0`` and ``s1`` ships."""
    half = size * sqrt(3) / 2
    yield f'<polygon id="h" points="{points(hexagon(size))}"/>'
    for density in range(1, MAX_DENSITY + 1):
        yield f'<g id="r{density}">{"".join(_rock_group(density, size))}</g>'
    yield f'<g id="t"><path style="stroke-width:1.4;opacity:.45" d="M0 0V{-2 * half * drift_die:.1f}"/>'
    for k in range(1, drift_die + 1):
        wide, y, faint = 0.27 * size, -2 * half * k, 0.95 - 0.65 * k / drift_die
        line = f"M{-wide:.1f} {y + 0.14 * size:.1f}L0 {y - 0.15 * size:.1f}L{wide:.1f} {y + 0.14 * size:.1f}"
        yield f'<path style="opacity:{faint:.2f}" d="{line}"/>'
    yield "</g>"
    for seat, outline in enumerate(SHIPS):
        scaled = "".join(_scaled(word, size) for word in outline.split())
        yield f'<path id="s{seat}" d="{scaled}"/>'


def _scaled(word: str, size: float) -> str:
    letter = word[0] if word[0].isalpha() else ""
    number = word[len(letter) :]
    return letter + (f"{float(number) * size:.1f} " if number else "")
