"""Where markers drift and ships fly, worked out anew from how things stand and what was rolled (sections 3 and 4)."""

from __future__ import annotations

from fc_env.dice import Purpose
from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import axial_step, column_step, edges_off, inside
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import (
    AVOID_DIE,
    AWAITED,
    DRIFTING,
    MOVED,
    PUSHED,
    TO_GO,
    UNSURE,
    WRAPPED,
    allotted,
    count_dice,
    counts_as,
    expect,
    larger,
    marker_in,
    next_die,
    ship_in,
    ship_of,
    value_of,
)
from fc_env.ruleset import MapEdge
from fc_env.state import Flaw, Order, Phase, Slip

NOBODY = -1


# ---- markers (DRF-1 to DRF-4)


@jit
def begin_drift(game, notes, tape, marker: int, roll: int) -> None:
    """A marker has rolled: the one before it must have arrived, and this one is the next by index (COR-8)."""
    go_on(game, notes)
    row = next_die(tape, notes, Purpose.DRIFT)
    fits = row >= 0 and tape.dice[row].piece == marker and tape.dice[row].faces == game.rules.drift_die
    fits = fits and tape.dice[row].value == roll and marker == notes.now[DRIFTING] + 1
    expect(notes, Invariant.MARKERS_ALL_ROLL, fits)
    if fits:
        notes.now[DRIFTING] = marker
        notes.now[TO_GO], notes.now[AWAITED] = roll, NOBODY
        notes.now[PUSHED], notes.now[WRAPPED] = 0, 0
        fly_on(game, notes, marker)


@jit
def go_on(game, notes) -> None:
    """The marker that is drifting flies on to its end: no more contacts of it are to come, unless one is still due."""
    if notes.now[DRIFTING] >= 0:
        expect(notes, Invariant.MARKERS_MEET, notes.now[AWAITED] == NOBODY)
        while notes.now[AWAITED] == NOBODY and notes.now[TO_GO] >= 0:
            fly_on(game, notes, notes.now[DRIFTING])
            expect(notes, Invariant.MARKERS_MEET, notes.now[AWAITED] == NOBODY)


@jit
def wrap(game, notes, marker: int) -> None:
    """DRF-4. To the hex just off the map at the other end of its row."""
    facing = game.markers[marker].facing
    q, r = notes.marker_q[marker] - column_step(facing), notes.marker_r[marker] - axial_step(facing)
    while inside(game, q, r):
        q, r = q - column_step(facing), r - axial_step(facing)
    notes.marker_q[marker], notes.marker_r[marker] = q, r
    notes.now[WRAPPED], notes.now[TO_GO] = 1, -1


@jit
def fly_on(game, notes, marker: int) -> None:
    """Fly a marker to the next ship that it meets, or to its end."""
    facing = game.markers[marker].facing
    while notes.now[TO_GO] >= 0:
        q, r = notes.marker_q[marker], notes.marker_r[marker]
        if notes.now[TO_GO] == 0:
            if marker_in(game, notes, q, r, marker) < 0 and ship_in(game, notes, q, r, NOBODY) < 0:
                notes.now[TO_GO] = -1
                break
            notes.now[PUSHED] += 1
        else:
            notes.now[TO_GO] -= 1
        q, r = q + column_step(facing), r + axial_step(facing)
        notes.marker_q[marker], notes.marker_r[marker] = q, r
        if not inside(game, q, r):
            wrap(game, notes, marker)
            break
        met = ship_in(game, notes, q, r, NOBODY)
        if met >= 0:
            notes.now[AWAITED] = met
            notes.met[met] += 1
            return
    how = Invariant.MARKERS_MOVE_ON if notes.now[PUSHED] else Invariant.MARKERS_DRIFT
    notes.marker_how[marker] = Invariant.MARKERS_WRAP if notes.now[WRAPPED] else how


@jit
def met_by_marker(game, notes, piece: int, marker: int) -> None:
    """DRF-2. A marker has met a ship."""
    if notes.now[AWAITED] == NOBODY and notes.now[TO_GO] >= 0 and notes.now[DRIFTING] >= 0:
        fly_on(game, notes, notes.now[DRIFTING])
    expect(notes, Invariant.MARKERS_MEET, notes.now[AWAITED] == piece and notes.now[DRIFTING] == marker)
    notes.now[AWAITED] = NOBODY


@jit
def end_of_drift(before, game, notes) -> None:
    """After the drift phase every marker has rolled and is where its way leads."""
    go_on(game, notes)
    expect(notes, Invariant.MARKERS_ALL_ROLL, notes.now[DRIFTING] == game.n_markers - 1)
    for index in range(notes.now[DRIFTING] + 1):
        marker = game.markers[index]
        arrived = marker.q == notes.marker_q[index] and marker.r == notes.marker_r[index]
        if notes.marker_how[index] >= 0:
            expect(notes, notes.marker_how[index], arrived)


@jit
def markers_stay(before, game, notes) -> None:
    """DRF-1. Markers move in their drift and at no other time."""
    for index in range(game.n_markers):
        marker, old = game.markers[index], before.markers[index]
        expect(notes, Invariant.MARKERS_DRIFT, marker.q == old.q and marker.r == old.r)


# ---- ships (MOV-1 to MOV-10, END-2)


@jit
def is_way(game, q: int, r: int) -> bool:
    """COR-10. Whether a ship can go to a hex."""
    return inside(game, q, r) or game.rules.map_edge == MapEdge.LEAVE or (edges_off(game, q, r) & game.goal) != 0


@jit
def count_passing(game, notes, piece: int) -> None:
    """MOV-10. One more roll is due if a lesser ship is in the hex of another."""
    if game.rules.small_hexes and not ship_of(game, piece).flagship:
        other = ship_in(game, notes, notes.q[piece], notes.r[piece], piece)
        if other >= 0 and not ship_of(game, other).flagship:
            notes.passing[piece] += 1


@jit
def fly(now, notes, piece: int, hexes: int, slip: int, how: int) -> None:
    """Fly a ship (MOV-1, MOV-3, MOV-6 to MOV-8), its last hex by ``slip``; a plain way is a matter of ``how``."""
    fly_on_notes(now, notes, piece, hexes, slip, how)
    ship = ship_of(now, piece)
    ship.q, ship.r = notes.q[piece], notes.r[piece]
    notes.now[MOVED] = 1


@jit
def fly_on_notes(before, notes, piece: int, hexes: int, slip: int, how: int) -> None:
    """The same on the notes alone."""
    facing = notes.facing[piece]
    heading_of_slip = (facing + (5 if slip == Slip.LEFT else 1 if slip == Slip.RIGHT else 0)) % 6
    free_q, free_r = notes.q[piece], notes.r[piece]
    flown, taken = 0, False
    notes.how[piece] = how
    if slip != Slip.STRAIGHT:
        notes.how[piece] = Invariant.SLIP_MADE
    while flown < hexes or taken:
        heading = heading_of_slip if flown == hexes - 1 else facing
        q, r = notes.q[piece] + column_step(heading), notes.r[piece] + axial_step(heading)
        if not is_way(before, q, r):
            q, r = notes.q[piece] + column_step(facing), notes.r[piece] + axial_step(facing)
        if not is_way(before, q, r):
            notes.q[piece], notes.r[piece] = free_q, free_r
            notes.how[piece] = Invariant.EDGE
            return
        if flown >= hexes:
            notes.how[piece] = Invariant.SHIPS_MOVE_ON
        notes.q[piece], notes.r[piece] = q, r
        flown += 1
        if not inside(before, q, r):
            notes.how[piece] = Invariant.EDGE
            return
        rocks = marker_in(before, notes, q, r, -1) >= 0
        notes.met[piece] += rocks
        count_passing(before, notes, piece)
        taken = rocks or ship_in(before, notes, q, r, piece) >= 0
        if not taken:
            free_q, free_r = q, r


@jit
def drift(before, notes, piece: int, hexes: int) -> None:
    """END-2. A ship drifts: straight ahead, as many hexes as the rule set says."""
    expect(notes, Invariant.DRIFT_MADE, hexes == before.rules.drift_hexes)
    notes.drift_due[piece] = 0
    fly(before, notes, piece, before.rules.drift_hexes, Slip.STRAIGHT, Invariant.DRIFT_MADE)


@jit
def move(before, game, notes, tape, piece: int, roll: int, hexes: int, hazard: bool) -> None:
    """MOV-1. A ship has rolled for its move, which follows at once unless its last hex is to be chosen."""
    ship = ship_of(before, piece)
    expect(notes, Invariant.DRIFT_ORDER, ship.order != Order.DRIFT)
    row = next_die(tape, notes, Purpose.MOVEMENT)
    faces = allotted(ship, 2)
    if hazard:
        faces = larger(faces, before.rules.avoid_hazard_move_steps)
    if row >= 0:
        expect(notes, Invariant.HAZARD_MOVE_DIE, tape.dice[row].faces == faces)
    expect(notes, Invariant.MOVE_ROLLED, row >= 0 and hexes == counts_as(ship, roll) // ship.slowness)
    if hexes == 0:
        notes.drift_due[piece] = 1
    elif slips(before, ship):
        waits = game.phase == Phase.SIDESLIP and game.move_hexes == hexes
        expect(notes, Invariant.SLIPS_OFFERED, waits)
        expect(notes, Invariant.CONTACT_DIE, not waits or game.move_avoid_die == notes.now[AVOID_DIE])
    else:
        expect(notes, Invariant.SLIPS_OFFERED, game.phase != Phase.SIDESLIP)
        fly(before, notes, piece, hexes, Slip.STRAIGHT, Invariant.MOVE_MADE)


@jit
def slips(game, ship) -> bool:
    """MOV-3. Whether the last hex of a ship's move is to be chosen."""
    return game.rules.sideslip != 0 and ship.order == Order.FORWARD


@jit
def pass_ship(before, notes, tape, piece: int, mine: int, theirs: int) -> None:
    """MOV-10. A ship has rolled in passing; on equal dice both are hurt, and what follows is not foreseen here."""
    notes.passed[piece] += 1
    first, second = next_die(tape, notes, Purpose.SMALL_HEX), next_die(tape, notes, Purpose.SMALL_HEX)
    fits = first >= 0 and second >= 0 and tape.dice[first].faces == 100 and tape.dice[second].faces == 100
    expect(notes, Invariant.SMALL_HEXES, fits and tape.dice[first].value == mine and tape.dice[second].value == theirs)
    if mine == theirs:
        notes.now[UNSURE] = 1


# ---- contact (CON-1, CON-2)


@jit
def contact(before, notes, tape, piece: int, marker: int, roll: int, hit: int) -> None:
    """CON-1. A ship has rolled for a contact."""
    ship = ship_of(before, piece)
    row = next_die(tape, notes, Purpose.AVOID)
    fits = row >= 0 and tape.dice[row].faces == notes.now[AVOID_DIE] and tape.dice[row].piece == ship.token
    expect(notes, Invariant.CONTACT_DIE, fits and tape.dice[row].value == roll)
    lowers = ship.flaw == Flaw.FAULTY_SENSORS or ship.flaw == Flaw.SIMPLY_MEDIOCRE
    counted = max(1, roll - 1) if lowers else roll
    expect(notes, Invariant.CONTACT_HITS, hit == (counted <= before.markers[marker].density))
    notes.seen[piece] += 1


@jit
def contact_damage(before, notes, tape, piece: int, roll: int) -> int:
    """CON-2. What the hit of the last contact does: its die less one die for each laser."""
    ship = ship_of(before, piece)
    row = next_die(tape, notes, Purpose.CONTACT_DAMAGE)
    fits = row >= 0 and tape.dice[row].faces == before.rules.contact_damage_die and tape.dice[row].value == roll
    expect(notes, Invariant.CONTACT_DAMAGE, fits)
    taken_off = 0
    for laser in range(ship.lasers):
        nth = 256 * (ship.contacts + notes.seen[piece] - 1) + laser
        value = value_of(tape, Purpose.LASER, ship.token, nth, before.rules.laser_reduction_die)
        expect(notes, Invariant.CONTACT_DAMAGE, value > 0)
        taken_off += value
    return max(0, roll - taken_off)


@jit
def no_stray_dice(before, notes, tape) -> None:
    """Whether each contact die, and each die of a move, was one that something came of."""
    expect(notes, Invariant.CONTACT_DIE, next_die(tape, notes, Purpose.AVOID) < 0)
    expect(notes, Invariant.CONTACT_DAMAGE, next_die(tape, notes, Purpose.CONTACT_DAMAGE) < 0)
    expect(notes, Invariant.MOVE_ROLLED, next_die(tape, notes, Purpose.MOVEMENT) < 0)
    expect(notes, Invariant.MARKERS_ALL_ROLL, next_die(tape, notes, Purpose.DRIFT) < 0)
    if not before.rules.small_hexes:
        expect(notes, Invariant.SMALL_HEXES, count_dice(tape, Purpose.SMALL_HEX) == 0)
