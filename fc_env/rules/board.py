"""Who is where (rules.md sections 1 and 2)."""

from __future__ import annotations

import numpy as np

from fc_env.hexgrid import DQ, DR, on_map
from fc_env.jit import jit
from fc_env.state import MAX_SHIPS, SEATS, Status


@jit
def in_play(ship) -> bool:
    """Only a ship in play holds a hex, acts, or can be touched (COR-8)."""
    return ship.status == Status.IN_PLAY


@jit
def ship_at(game, q: int, r: int) -> int:
    """The ship in play in a hex as ``seat * MAX_SHIPS + index``, or -1; the first one in that order."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if ship.q == q and ship.r == r and in_play(ship):
                return seat * MAX_SHIPS + index
    return -1


@jit
def other_ship_at(game, seat: int, index: int, q: int, r: int) -> int:
    """The same, leaving one ship out."""
    for side in range(SEATS):
        for place in range(game.n_ships[side]):
            if side == seat and place == index:
                continue
            ship = game.ships[side, place]
            if ship.q == q and ship.r == r and in_play(ship):
                return side * MAX_SHIPS + place
    return -1


@jit
def marker_at(game, q: int, r: int) -> int:
    """MAP-4. Index of the marker in a hex of the map, or -1: such a hex has no effect."""
    for index in range(game.n_markers):
        marker = game.markers[index]
        if marker.q == q and marker.r == r:
            return index
    return -1


@jit
def more_markers_at(game, known: int, q: int, r: int) -> bool:
    """Whether more markers than those that are ``known`` to be there are in a hex of the map."""
    there = np.int32(0)
    for index in range(game.n_markers):  # all of them, since a loop that may not stop takes several at once
        marker = game.markers[index]
        there += np.int32((marker.q == q) & (marker.r == r))
    return bool(there > known)


@jit
def is_taken(game, q: int, r: int, seat: int, index: int, own_markers: int) -> bool:
    """MAP-5. Whether a hex of the map holds an object other than the given ship, or than the one marker that is known
    to be there (0 or 1), which cannot rest there."""
    return more_markers_at(game, own_markers, q, r) or other_ship_at(game, seat, index, q, r) >= 0


@jit
def taken_for_ship(game, seat: int, index: int) -> bool:
    """Whether the hex a ship is in holds another object (MAP-5)."""
    ship = game.ships[seat, index]
    return is_taken(game, ship.q, ship.r, seat, index, 0)


@jit
def taken_for_marker(game, index: int) -> bool:
    """Whether the hex of the map a marker is in holds another object (MAP-5)."""
    marker = game.markers[index]
    return is_taken(game, marker.q, marker.r, -1, -1, 1)


@jit
def waiting(game, marker) -> bool:
    """Whether a marker waits off the map, touching and hiding nothing (DRF-4)."""
    return not on_map(game.width, game.height, marker.q, marker.r)


@jit
def step(piece, direction: int) -> None:
    """Move a piece one hex."""
    piece.q += DQ[direction]
    piece.r += DR[direction]
