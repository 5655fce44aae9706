"""The maps of what lies near a ship, turned so that it faces north, and the prospects of its next move.

These are the parts of an observation made for learning: derived from the rest, one turn ahead, by the same exact odds
that ``odds`` gives to anyone. Displacement of markers by markers (DRF-3) is left out.
"""

from __future__ import annotations

import itertools

import numpy as np

from fc_env import schema
from fc_env.dice import stepped
from fc_env.hexgrid import DIRECTIONS, DQ, DR, EAST, NORTH, SOUTH, WEST, ahead_and_right, edges_beyond, on_map
from fc_env.jit import jit, plain
from fc_env.odds import enters_next, enters_second, hit_chance, lands_next
from fc_env.rules.board import waiting
from fc_env.rules.movement import contact_die, hexes_of, slip_heading
from fc_env.rules.power import MOVEMENT, die_of
from fc_env.ruleset import LADDER
from fc_env.schema import NEAR_HEXES, NEAR_RADIUS, SLIPS
from fc_env.state import MAX_DENSITY, Phase, Slip

_SPAN = 2 * NEAR_RADIUS + 1


def _turned_offsets() -> np.ndarray:
    """Axial offsets of the places of a near map by the ship's facing: int32 (6, 2, NEAR_HEXES)."""
    turned = [schema.near_offsets().T]
    for _ in range(DIRECTIONS - 1):
        q, r = turned[-1]
        turned.append(np.array([-r, q + r]))  # a turn of 60 degrees clockwise
    return np.array(turned, np.int32)


OFFSETS = _turned_offsets()


def _rotated_index() -> np.ndarray:
    """Place in a near map by the ship's facing and by offset + NEAR_RADIUS, -1 outside: int64 (6, _SPAN, _SPAN)."""
    index = np.full((DIRECTIONS, _SPAN, _SPAN), -1, np.int64)
    for facing, (qs, rs) in enumerate(OFFSETS):
        index[facing, qs + NEAR_RADIUS, rs + NEAR_RADIUS] = np.arange(NEAR_HEXES)
    return index


NEAR_INDEX = _rotated_index()


def _place_beside(offset: tuple[int, int]) -> int:
    """Place of a hex in the near maps by its offset from a ship that faces north, -1 outside."""
    if max(map(abs, offset)) > NEAR_RADIUS:
        return -1
    return int(NEAR_INDEX[0, offset[0] + NEAR_RADIUS, offset[1] + NEAR_RADIUS])


def _places_of_ends() -> np.ndarray:
    """Place of the last hex of a move straight ahead but for its last hex, by its hexes and that: int64 (6, 3)."""
    ends = np.zeros((NEAR_RADIUS + 1, SLIPS), np.int64)
    for hexes, slip in itertools.product(range(1, NEAR_RADIUS + 1), Slip):
        heading = plain(slip_heading)(0, slip)
        ends[hexes, slip] = _place_beside((int(DQ[heading]), int(DR[heading]) - hexes + 1))
    return ends


PLACE_OF_END = _places_of_ends()
PLACE_AHEAD = np.array([_place_beside((q, r - 1)) for q, r in schema.near_offsets()], np.int64)
"""Place of the hex straight ahead of each, -1 outside: int64 (NEAR_HEXES,)."""


def _chances_of_hexes() -> np.ndarray:
    """MOV-1. Chance by Slowness, movement die and hexes of a move, those beyond NEAR_RADIUS taken as so many."""
    chances = np.zeros((LADDER[-1] + 1, LADDER[-1] + 1, NEAR_RADIUS + 1))
    for slowness, die in itertools.product(range(1, LADDER[-1] + 1), LADDER):
        for roll in range(1, die + 1):
            chances[slowness, die, min(plain(hexes_of)(roll, slowness), NEAR_RADIUS)] += 1 / die
    return chances


CHANCE_OF_HEXES = _chances_of_hexes()

MOST_HITS = 6.0
"""Hits beyond which an expectation is not told apart."""


@jit
def before_drift(game) -> bool:
    """Whether the drift of this turn is still to come, so that the near maps show expectations (TURN-2, TURN-3)."""
    return game.phase == Phase.POWER or game.phase == Phase.ORDERS


@jit
def steps_in_view(game, ship, marker, first: int, last: int):
    """Of a marker's steps straight ahead from ``first`` to ``last``, the first and the last that lie on the map and
    within NEAR_RADIUS of a ship."""
    ahead, right = ahead_and_right(marker.q, marker.r, marker.facing, ship.q, ship.r)
    # After so many steps the ship is ``ahead - steps`` and ``right`` away: the larger of these and of their sum counts.
    first = max(first, ahead + max(right, 0) - NEAR_RADIUS)
    last = min(last, ahead + min(right, 0) + NEAR_RADIUS) if abs(right) <= NEAR_RADIUS else -1
    ahead_q, ahead_r = DQ[marker.facing], DR[marker.facing]
    # A row is in one piece, so that only its end needs a look.
    while last >= first and not on_map(game.width, game.height, marker.q + last * ahead_q, marker.r + last * ahead_r):
        last -= 1
    return first, last


@jit
def place_of(ship, q: int, r: int) -> int:
    """Place in a ship's near maps of a hex within NEAR_RADIUS of it."""
    return NEAR_INDEX[ship.facing, q - ship.q + NEAR_RADIUS, r - ship.r + NEAR_RADIUS]


@jit
def add_marker(near, place: int, density: float, hits: float) -> None:
    """Add the density and the hits to expect from a marker in one hex."""
    near.near_density[place] = min(near.near_density[place] + density, 1.0)
    near.near_risk[place] = min(near.near_risk[place] + hits, MOST_HITS)


@jit
def write_near_markers(game, ship, near, prospects) -> None:
    """The near maps of density and of risk, and the risk of the ship's own hex; whole rolls only, so no displacement
    (see ``odds`` for exact questions)."""
    before = before_drift(game)
    die = game.rules.drift_die
    reach = 2 * die if before else die
    for index in range(game.n_markers):
        marker = game.markers[index]
        first, last = steps_in_view(game, ship, marker, 1 if before else 0, reach)
        if first > last:
            continue
        density = marker.density / MAX_DENSITY
        hits = hit_chance(marker.density, game.rules.avoid_die)
        if first == 0:
            if not waiting(game, marker):
                add_marker(near, place_of(ship, marker.q, marker.r), density, 0.0)
            first = 1
        for steps in range(first, last + 1):
            q, r = marker.q + steps * DQ[marker.facing], marker.r + steps * DR[marker.facing]
            place = place_of(ship, q, r)
            entered = hits * enters_next(steps, die)
            if place == 0:
                prospects.own_hex_risk[0] = min(prospects.own_hex_risk[0] + entered, MOST_HITS)
            if before:
                add_marker(near, place, density * lands_next(steps, die), hits * enters_second(steps, die))
            else:
                add_marker(near, place, 0.0, entered)


@jit
def write_near_edge(game, ship, near) -> None:
    """The near map of what lies beyond the map; nothing to do far from the edges."""
    column, row = ship.q, ship.r + (ship.q >> 1)
    inside = NEAR_RADIUS <= column < game.width - NEAR_RADIUS and NEAR_RADIUS < row < game.height - NEAR_RADIUS - 1
    if inside:
        return
    width, height, goal = game.width, game.height, game.goal
    q, r, facing = ship.q, ship.r, ship.facing
    for place in range(NEAR_HEXES):
        edges = edges_beyond(width, height, q + OFFSETS[facing, 0, place], r + OFFSETS[facing, 1, place])
        beyond = 1.0 if edges & goal else -1.0
        near.near_edge[place] = beyond if edges else 0.0


@jit
def write_end(near, out, settled: bool, hexes: int, slip: int, way: float) -> None:
    """MOV-7, MOV-8. Where a move of so many hexes with such a last hex ends, and what it meets: one prospect. Before
    the drift it is not ``settled`` which hexes will be taken."""
    place = PLACE_OF_END[hexes, slip]
    way += near.near_density[place]
    while settled and place >= 0 and near.near_density[place] > 0.0:  # a taken hex: on, straight ahead
        place = PLACE_AHEAD[place]
        if place >= 0:
            way += near.near_density[place]
    number = (hexes - 1) * SLIPS + slip
    out.way[number] = min(way, 5.0)
    if place >= 0:
        out.end_risk[number] = near.near_risk[place]
        out.end_edge[number] = near.near_edge[place]


@jit
def write_ends(game, near, out) -> None:
    """The prospects of all moves of 1 to NEAR_RADIUS hexes, with each last hex (MOV-1, MOV-3)."""
    settled = not before_drift(game)
    way = 0.0
    for hexes in range(1, NEAR_RADIUS + 1):
        for slip in range(SLIPS):
            write_end(near, out, settled, hexes, slip, way)
        way += near.near_density[PLACE_OF_END[hexes, Slip.STRAIGHT]]


@jit
def hits_of(out, hexes: int, slip: int, avoid_die: int) -> float:
    """Hits to expect of one prospect, on the way and from the drift after it; leaving by no goal counts as many."""
    number = (min(hexes, NEAR_RADIUS) - 1) * SLIPS + slip
    if out.end_edge[number] < 0.0:
        return MOST_HITS
    hits = out.way[number] * MAX_DENSITY / avoid_die
    if out.end_edge[number] > 0.0:
        return hits
    return min(hits + out.end_risk[number], MOST_HITS)


@jit
def least_hits(out, hexes: int, avoid_die: int, straight: float) -> float:
    """MOV-3. The same with the best last hex, given that of straight ahead."""
    left, right = hits_of(out, hexes, Slip.LEFT, avoid_die), hits_of(out, hexes, Slip.RIGHT, avoid_die)
    return min(straight, left, right)


@jit
def hits_of_drift(game, out, avoid_die: int) -> float:
    """END-2. Hits to expect of a drift, on the way and from the drift after it."""
    hexes = game.rules.drift_hexes
    return hits_of(out, hexes, Slip.STRAIGHT, avoid_die) if hexes > 0 else out.stay_risk[0]


@jit
def find_hits(game, out, avoid_die: int, farthest: int, scratch) -> None:
    """Hits to expect of moves of 0 to ``farthest`` hexes, to ``scratch``; a move of 0 hexes is a drift (MOV-2)."""
    scratch.straight[0] = scratch.best[0] = hits_of_drift(game, out, avoid_die)
    for hexes in range(1, farthest + 1):
        straight = hits_of(out, hexes, Slip.STRAIGHT, avoid_die)
        scratch.straight[hexes] = straight
        scratch.best[hexes] = least_hits(out, hexes, avoid_die, straight)


@jit
def write_rolls(game, ship, out, careful: bool, first: int, last: int, scratch) -> None:
    """MOV-1. Mean hits over all rolls of movement dice: each power die, then the one on movement; plain or under
    Avoid Hazard (MOV-9)."""
    slots = 4 if careful else 0
    largest = ship.power_dice[2] if first < 3 else die_of(ship, MOVEMENT)
    farthest = min(hexes_of(largest, ship.slowness), NEAR_RADIUS)
    find_hits(game, out, contact_die(game, ship, careful), farthest, scratch)
    for place in range(first, last):
        die = ship.power_dice[place] if place < 3 else die_of(ship, MOVEMENT)
        if careful:
            die = stepped(die, game.rules.avoid_hazard_move_steps)
        straight, best = np.float32(0.0), np.float32(0.0)
        for hexes in range(farthest + 1):
            chance = CHANCE_OF_HEXES[ship.slowness, die, hexes]
            straight = np.float32(straight + chance * scratch.straight[hexes])
            best = np.float32(best + chance * scratch.best[hexes])
        out.roll_straight[slots + place] = straight
        out.roll_best[slots + place] = best


@jit
def write_all_rolls(game, ship, out, scratch) -> None:
    """Mean hits of all movement dice that the ship in focus may roll, plain and under Avoid Hazard."""
    first = 0 if before_drift(game) else 3  # after it the die on movement is known
    last = 3 if ship.power == 0 else 4
    write_rolls(game, ship, out, False, first, last, scratch)
    write_rolls(game, ship, out, True, first, last, scratch)


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
def write_prospects(game, ship, near, out, scratch) -> None:
    """All prospects of the ship in focus."""
    write_ends(game, near, out)
    if game.phase == Phase.SIDESLIP:
        write_slips(game, ship, out)
    out.stay_risk[0] = near.near_risk[0]
    out.drift_hits[0] = hits_of_drift(game, out, game.rules.avoid_die)
    write_all_rolls(game, ship, out, scratch)
