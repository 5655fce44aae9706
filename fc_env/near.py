"""The maps of what lies near a ship, turned so that it faces north, and the prospects of its next move.

These are the parts of an observation made for learning: derived from the rest, one turn ahead, by the same exact odds
that ``odds`` gives to anyone. Displacement of markers by markers (DRF-3) is left out.
"""

from __future__ import annotations

import numpy as np

from fc_env import schema
from fc_env.dice import stepped
from fc_env.hexgrid import DIRECTIONS, DQ, DR, EAST, NORTH, SOUTH, WEST, distance, edges_beyond, on_map
from fc_env.jit import jit
from fc_env.odds import enters_next, enters_second, hit_chance, lands_next
from fc_env.rules.board import waiting
from fc_env.rules.movement import contact_die, hexes_of, slip_heading
from fc_env.rules.power import MOVEMENT, die_of
from fc_env.schema import NEAR_RADIUS, SLIPS
from fc_env.state import MAX_DENSITY, Phase, Slip

_SPAN = 2 * NEAR_RADIUS + 1


def _rotated_index() -> np.ndarray:
    """Place in a near map by the ship's facing and by offset + NEAR_RADIUS, -1 outside: int64 (6, _SPAN, _SPAN)."""
    index = np.full((DIRECTIONS, _SPAN, _SPAN), -1, np.int64)
    for place, (q, r) in enumerate(schema.near_offsets()):
        for facing in range(DIRECTIONS):
            index[facing, q + NEAR_RADIUS, r + NEAR_RADIUS] = place
            q, r = -r, q + r  # a turn of 60 degrees clockwise
    return index


NEAR_INDEX = _rotated_index()

MOST_HITS = 6.0
"""Hits beyond which an expectation is not told apart."""


@jit
def near_place(ship, q: int, r: int) -> int:
    """Place of a hex in the near maps of a ship, -1 if it is too far."""
    dq, dr = q - ship.q, r - ship.r
    if abs(dq) > NEAR_RADIUS or abs(dr) > NEAR_RADIUS:
        return -1
    return NEAR_INDEX[ship.facing, dq + NEAR_RADIUS, dr + NEAR_RADIUS]


@jit
def clipped(offset: int, step: int, first: int, last: int):
    """Of the steps ``first`` to ``last`` along one axis, the first and the last within NEAR_RADIUS of the ship."""
    if step > 0:
        return max(first, -NEAR_RADIUS - offset), min(last, NEAR_RADIUS - offset)
    if step < 0:
        return max(first, offset - NEAR_RADIUS), min(last, offset + NEAR_RADIUS)
    return first, last if abs(offset) <= NEAR_RADIUS else first - 1


@jit
def before_drift(game) -> bool:
    """Whether the drift of this turn is still to come, so that the near maps show expectations (TURN-2, TURN-3)."""
    return game.phase == Phase.POWER or game.phase == Phase.ORDERS


@jit
def write_near_markers(game, ship, near, head) -> None:
    """The near maps of density and of risk; whole rolls only, so no displacement (see ``odds`` for exact questions)."""
    die = game.rules.drift_die
    before = before_drift(game)
    reach = 2 * die if before else die
    for index in range(game.n_markers):
        marker = game.markers[index]
        if distance(marker.q, marker.r, ship.q, ship.r) > NEAR_RADIUS + reach:
            continue
        density = marker.density / 6
        hits = hit_chance(marker.density, game.rules.avoid_die)
        first = 1 if before or waiting(game, marker) else 0
        first, last = clipped(marker.q - ship.q, DQ[marker.facing], first, reach)
        first, last = clipped(marker.r - ship.r, DR[marker.facing], first, last)
        for steps in range(first, last + 1):
            q, r = marker.q + steps * DQ[marker.facing], marker.r + steps * DR[marker.facing]
            if not on_map(game.width, game.height, q, r):
                break
            place = near_place(ship, q, r)
            if place < 0:
                continue
            entered = enters_next(steps, die) if steps > 0 else 0.0
            if place == 0:
                head.own_hex_risk[0] = min(head.own_hex_risk[0] + hits * entered, 6.0)
            here = 1.0 if steps == 0 else 0.0
            if before:
                here = lands_next(steps, die)
                entered = enters_second(steps, die)
            near.near_density[place] = min(near.near_density[place] + density * here, 1.0)
            near.near_risk[place] = min(near.near_risk[place] + hits * entered, 6.0)


@jit
def write_near_edge(game, ship, near) -> None:
    """The near map of what lies beyond the map; nothing to do far from the edges."""
    column, row = ship.q, ship.r + (ship.q >> 1)
    inside = NEAR_RADIUS <= column < game.width - NEAR_RADIUS and NEAR_RADIUS < row < game.height - NEAR_RADIUS - 1
    if inside:
        return
    for q in range(ship.q - NEAR_RADIUS, ship.q + NEAR_RADIUS + 1):
        # Of a column of the map only what lies above its top and below its bottom.
        top, bottom = -(q >> 1), game.height - (q >> 1)
        beyond = q < 0 or q >= game.width
        for r in range(ship.r - NEAR_RADIUS, ship.r + NEAR_RADIUS + 1):
            place = near_place(ship, q, r) if beyond or r < top or r >= bottom else -1
            if place >= 0:
                goal = edges_beyond(game.width, game.height, q, r) & game.goal != 0
                near.near_edge[place] = 1.0 if goal else -1.0


@jit
def write_end(game, ship, near, out, hexes: int, slip: int, q: int, r: int, way: float) -> None:
    """MOV-7, MOV-8. Where a move of so many hexes with such a last hex ends, and what it meets: one prospect."""
    place = near_place(ship, q, r)
    if not before_drift(game):
        while place >= 0 and near.near_density[place] > 0.0:  # a taken hex: on, straight ahead
            q, r = q + DQ[ship.facing], r + DR[ship.facing]
            place = near_place(ship, q, r)
            if place >= 0:
                way += near.near_density[place]
    number = (hexes - 1) * SLIPS + slip
    out.way[number] = min(way, 5.0)
    if place >= 0:
        out.end_risk[number] = near.near_risk[place]
        out.end_edge[number] = near.near_edge[place]


@jit
def write_ends(game, ship, near, out) -> None:
    """The prospects of all moves of 1 to NEAR_RADIUS hexes, with each last hex (MOV-1, MOV-3)."""
    q, r = ship.q, ship.r
    way = 0.0
    for hexes in range(1, NEAR_RADIUS + 1):
        for slip in range(SLIPS):
            heading = slip_heading(ship.facing, slip)
            end_q, end_r = q + DQ[heading], r + DR[heading]
            met = near.near_density[near_place(ship, end_q, end_r)]
            write_end(game, ship, near, out, hexes, slip, end_q, end_r, way + met)
        q, r = q + DQ[ship.facing], r + DR[ship.facing]
        way += near.near_density[near_place(ship, q, r)]


@jit
def hits_of(out, hexes: int, slip: int, avoid_die: int) -> float:
    """Hits to expect of one prospect, on the way and from the drift after it; leaving by no goal counts as many."""
    number = (min(hexes, NEAR_RADIUS) - 1) * SLIPS + slip
    if out.end_edge[number] > 0.0:
        return out.way[number] * MAX_DENSITY / avoid_die
    if out.end_edge[number] < 0.0:
        return MOST_HITS
    return min(out.way[number] * MAX_DENSITY / avoid_die + out.end_risk[number], MOST_HITS)


@jit
def least_hits(out, hexes: int, avoid_die: int) -> float:
    """MOV-3. The same with the best last hex."""
    straight = hits_of(out, hexes, Slip.STRAIGHT, avoid_die)
    left = hits_of(out, hexes, Slip.LEFT, avoid_die)
    return min(straight, left, hits_of(out, hexes, Slip.RIGHT, avoid_die))


@jit
def hits_by_hexes(game, out, avoid_die: int):
    """Hits to expect by the hexes of a move, float64 (NEAR_RADIUS + 1,) each: straight ahead, and with the best slip.

    A move of 0 hexes is a drift (MOV-2).
    """
    straight, best = np.empty(NEAR_RADIUS + 1), np.empty(NEAR_RADIUS + 1)
    for hexes in range(1, NEAR_RADIUS + 1):
        straight[hexes] = hits_of(out, hexes, Slip.STRAIGHT, avoid_die)
        best[hexes] = least_hits(out, hexes, avoid_die)
    drift = game.rules.drift_hexes
    straight[0] = straight[drift] if drift > 0 else out.stay_risk[0]
    best[0] = straight[0]
    return straight, best


@jit
def mean_over_rolls(ship, hits, move_die: int) -> float:
    """Mean over all rolls of a movement die of what ``hits``, float64 (NEAR_RADIUS + 1,), says of its hexes (MOV-1)."""
    total = 0.0
    for roll in range(1, move_die + 1):
        total += hits[min(hexes_of(roll, ship.slowness), NEAR_RADIUS)]
    return total / move_die


@jit
def columns_to_goal(game, q: int, r: int) -> int:
    """Columns or rows from a hex to the nearest goal edge, counting the step over it; 0 without a goal."""
    row = r + (q >> 1)
    nearest = 0
    for edge, far in ((WEST, q + 1), (EAST, game.width - q), (NORTH, row + 1), (SOUTH, game.height - row)):
        if game.goal & edge and (nearest == 0 or far < nearest):
            nearest = far
    return nearest


@jit
def write_slips(game, ship, out) -> None:
    """COR-9. What each last hex means for the move that waits for its sideslip."""
    hexes = min(game.move_hexes, NEAR_RADIUS)
    for slip in range(SLIPS):
        heading = slip_heading(ship.facing, slip)
        q = ship.q + (hexes - 1) * DQ[ship.facing] + DQ[heading]
        r = ship.r + (hexes - 1) * DR[ship.facing] + DR[heading]
        nearer = columns_to_goal(game, ship.q, ship.r) - columns_to_goal(game, q, r)
        out.slip_hits[slip] = hits_of(out, hexes, slip, game.move_avoid_die)
        out.slip_edge[slip] = out.end_edge[(hexes - 1) * SLIPS + slip]
        out.slip_gain[slip] = nearer / NEAR_RADIUS


@jit
def write_prospects(game, ship, near, out) -> None:
    """All prospects of the ship in focus. Slots of rolls: each power die, then the one on movement; plain, then under
    Avoid Hazard (MOV-9)."""
    write_ends(game, ship, near, out)
    if game.phase == Phase.SIDESLIP:
        write_slips(game, ship, out)
    out.stay_risk[0] = near.near_risk[0]
    drift = game.rules.drift_hexes
    out.drift_hits[0] = out.stay_risk[0]
    if drift > 0:
        out.drift_hits[0] = hits_of(out, drift, Slip.STRAIGHT, game.rules.avoid_die)
    for careful in range(2):
        straight, best = hits_by_hexes(game, out, contact_die(game, ship, careful != 0))
        for place in range(4):
            move_die = ship.power_dice[place] if place < 3 else die_of(ship, MOVEMENT)
            if place < 3 and not before_drift(game):
                continue  # the die on movement is known by now
            if place == 3 and ship.power == 0:
                continue
            if careful:
                move_die = stepped(move_die, game.rules.avoid_hazard_move_steps)
            out.roll_straight[careful * 4 + place] = mean_over_rolls(ship, straight, move_die)
            out.roll_best[careful * 4 + place] = mean_over_rolls(ship, best, move_die)
