"""Asteroid drift (rules.md section 3)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import DQ, DR, on_map, opposite, row_start, steps_ahead
from fc_env.jit import jit
from fc_env.rules.board import in_play, ship_at, step, taken_for_marker, waiting
from fc_env.rules.contact import contact_by_marker
from fc_env.state import SEATS, Phase


@jit
def wait_opposite(game, marker) -> None:
    """DRF-4. Put a marker that has just left the map off the map before the first hex of its row."""
    back = opposite(marker.facing)
    step(marker, back)
    marker.q, marker.r = row_start(game.width, game.height, marker.q, marker.r, marker.facing)
    step(marker, back)


@jit
def advance(game, tape, index: int) -> bool:
    """Move a marker one hex, with its contact (DRF-2); False if it left the map, which ends its move (DRF-4)."""
    marker = game.markers[index]
    step(marker, marker.facing)
    if waiting(game, marker):
        wait_opposite(game, marker)
        events.write(game, tape, Rule.DRF_4, -1, -1, index, marker.q, marker.r, -1, 0)
        return False
    piece = ship_at(game, marker.q, marker.r)
    if piece >= 0:
        contact_by_marker(game, tape, piece, index)
    return True


@jit
def displace(game, tape, index: int) -> None:
    """DRF-3. While its hex is taken, a marker moves one more hex."""
    marker = game.markers[index]
    while taken_for_marker(game, index):
        if not advance(game, tape, index):
            events.write(game, tape, Rule.COR_8, -1, -1, index, marker.q, marker.r, -1, -1)
            return
        events.write(game, tape, Rule.DRF_3, -1, -1, index, marker.q, marker.r, -1, 1)


@jit
def has_clear_way(game, marker, hexes: int) -> bool:
    """Whether a marker's next hexes are all hexes of the map that hold no ship, so that nothing happens on the way; one
    that waits does so just before the first hex of its row (DRF-4)."""
    q, r = marker.q + hexes * DQ[marker.facing], marker.r + hexes * DR[marker.facing]
    if not on_map(game.width, game.height, q, r):
        return False
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if in_play(ship) and 1 <= steps_ahead(marker.q, marker.r, marker.facing, ship.q, ship.r) <= hexes:
                return False
    return True


@jit
def drift_marker(game, tape, index: int) -> None:
    """DRF-1. Roll for one marker and move it that many hexes along its facing."""
    marker = game.markers[index]
    hexes = dice.roll(game, tape, Purpose.DRIFT, index, 0, game.rules.drift_die)
    events.write(game, tape, Rule.DRF_1, -1, -1, index, marker.q, marker.r, hexes, hexes)
    if has_clear_way(game, marker, hexes):
        marker.q += hexes * DQ[marker.facing]
        marker.r += hexes * DR[marker.facing]
    else:
        for _ in range(hexes):
            if not advance(game, tape, index):
                return
    displace(game, tape, index)


@jit
def drift_phase(game, tape) -> None:
    """TURN-3, COR-8. All markers in the order of their index, each resolved before the next one rolls."""
    events.write_game(game, tape, Rule.TURN_3, game.turn)
    for index in range(game.n_markers):
        drift_marker(game, tape, index)
    game.phase = Phase.INITIATIVE
