"""Where rock may come to lie between ships once the markers have drifted (DRF-1), as ``captain`` foresees it."""

from __future__ import annotations

import numpy as np

from fc_env.hexgrid import DQ, DR, distance, on_map
from fc_env.jit import jit

DRIFTS = 2
"""Drifts that are looked ahead: what is decided before a drift is about fire after it, and after the next one."""

STOPPED = 0.8
"""Share of the damage that a wall of ``WALL`` takes off, about, with the dice of a cruiser (FIR-2)."""
WALL = 4.0

_NUDGE = 1e-6  # off the hexsides, so that the same side is taken all along


def new_haze(game: np.ndarray) -> np.ndarray:
    """Room for ``foresee`` on the map of a game, GAME (): float64 (DRIFTS, columns, rows)."""
    return np.zeros((DRIFTS, int(game["width"]), int(game["height"])))


@jit
def foresee(game, haze) -> None:
    """Mean density in each hex after one drift and after two, into ``haze``; markers in each other's way are not
    looked at."""
    haze[:] = 0.0
    die = game.rules.drift_die
    for index in range(game.n_markers):
        marker = game.markers[index]
        q, r = marker.q, marker.r
        for steps in range(1, 2 * die + 1):
            q, r = q + DQ[marker.facing], r + DR[marker.facing]
            if not on_map(game.width, game.height, q, r):
                break
            if steps <= die:
                haze[0, q, r + (q >> 1)] += marker.density / die
            ways = min(steps - 1, 2 * die + 1 - steps)
            haze[1, q, r + (q >> 1)] += marker.density * ways / (die * die)


@jit
def haze_between(haze, q1: int, r1: int, q2: int, r2: int) -> float:
    """Mean density that the line between two hexes of the map passes, by one layer of ``haze``, (columns, rows).

    Of a line along hexsides one side only, unlike FIR-3: near enough for a mean.
    """
    far = distance(q1, r1, q2, r2)
    total = 0.0
    for step in range(1, far):
        x = q1 + (q2 - q1) * step / far + _NUDGE
        y = r1 + (r2 - r1) * step / far + _NUDGE
        q, r = round(x), round(y)
        off_x, off_y, off_z = abs(q - x), abs(r - y), abs(x + y - round(x + y))
        if off_x > off_y and off_x > off_z:
            q = round(x + y) - r
        elif off_y > off_z:
            r = round(x + y) - q
        q, row = int(q), int(r) + (int(q) >> 1)
        if 0 <= q < haze.shape[0] and 0 <= row < haze.shape[1]:
            total += haze[q, row]
    return total


@jit
def share_through(mean: float) -> float:
    """Share of the damage of fire that gets through a mean density, the mean being made of a wall or none at all."""
    return 1.0 - STOPPED * min(mean / WALL, 1.0)
