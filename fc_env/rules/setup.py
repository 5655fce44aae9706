"""Setting up the field (rules.md section 7)."""

from __future__ import annotations

import numpy as np

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import DIRECTIONS, DQ, DR, on_map, opposite, row_length, steps_ahead
from fc_env.jit import jit
from fc_env.rules.board import taken_for_marker
from fc_env.ruleset import SHARE_UNIT
from fc_env.state import GAME, MAX_HEIGHT, MAX_MARKERS, MAX_SHIPS, MAX_WIDTH, SEATS

MAX_ROWS = MAX_WIDTH + MAX_HEIGHT

ROW = np.dtype([("q", np.int32), ("r", np.int32), ("length", np.int32)], align=True)

SETUP = np.dtype(
    [
        ("game", GAME),  # the position to start from; markers still to be laid have their density only
        ("facing_choices", np.int32, (SEATS, MAX_SHIPS)),  # facings to dice among, as bits; 0: as the position says
        ("n_placed", np.int32),  # markers that the scenario placed one by one
        ("drift_each", np.int32),  # 0: all markers share one facing; 1: a facing per marker (SET-2)
        ("field_facing", np.int32),  # the shared facing, -1: diced
        ("n_rows", np.int32, (DIRECTIONS,)),
        ("rows", ROW, (DIRECTIONS, MAX_ROWS)),  # candidate rows by facing (SET-1), by their first hex
    ],
    align=True,
)

TRIES_BEFORE_COUNTING = 256
"""After so many illegal hexes in a row it is worth looking whether a legal one is left."""


@jit
def is_long_enough(length: int, longest: int, long_row_share: int) -> bool:
    """Whether a row is at least that share (in millionths) of the longest one (SET-1)."""
    return length * SHARE_UNIT >= longest * long_row_share


@jit
def find_rows(setup) -> None:
    """SET-1. Fill in the candidate rows of each facing."""
    game = setup.game
    width, height = game.width, game.height
    for facing in range(DIRECTIONS):
        back = opposite(facing)
        longest = 0
        for chosen in range(2):  # first look for the longest row, then keep the long ones
            count = 0
            for q in range(width):
                for row in range(height):
                    r = row - (q >> 1)
                    if on_map(width, height, q + DQ[back], r + DR[back]):
                        continue
                    length = row_length(width, height, q, r, facing)
                    if chosen == 0:
                        longest = max(longest, length)
                    elif is_long_enough(length, longest, game.rules.long_row_share):
                        place = setup.rows[facing, count]
                        place.q, place.r, place.length = q, r, length
                        count += 1
            setup.n_rows[facing] = count


@jit
def in_one_row(one, other) -> bool:
    """Whether two markers of one facing stand in the same row."""
    ahead = steps_ahead(one.q, one.r, one.facing, other.q, other.r)
    return ahead >= 0 or steps_ahead(other.q, other.r, other.facing, one.q, one.r) >= 0


@jit
def way_meets(game, one: int, reach_one: int, other: int, reach_other: int) -> bool:
    """Whether a marker stands on, or could come to, the ``reach_one`` hexes ahead of another marker."""
    ahead, piece = game.markers[one], game.markers[other]
    q, r = piece.q, piece.r
    if ahead.facing == piece.facing and not in_one_row(ahead, piece):
        return False  # parallel ways never meet
    for _ in range(reach_other + 1):
        steps = steps_ahead(ahead.q, ahead.r, ahead.facing, q, r)
        if 1 <= steps <= reach_one:
            return True
        q, r = q + DQ[piece.facing], r + DR[piece.facing]
        if not on_map(game.width, game.height, q, r):
            return False
    return False


@jit
def ship_within(game, index: int, reach: int) -> bool:
    """Whether a ship stands within ``reach`` hexes ahead of a marker along its row."""
    marker = game.markers[index]
    for seat in range(SEATS):
        for place in range(game.n_ships[seat]):
            ship = game.ships[seat, place]
            if 1 <= steps_ahead(marker.q, marker.r, marker.facing, ship.q, ship.r) <= reach:
                return True
    return False


@jit
def greatest_reaches(game, n_markers: int, reaches) -> None:
    """SET-4. Greatest reach of each marker: the drift die, plus one for every other piece that stands on, or could
    in that drift come to, the way ahead; repeated until nothing changes. A ship there is a threat by itself."""
    reaches[:n_markers] = game.rules.drift_die
    changed = True
    while changed:
        changed = False
        for one in range(n_markers):
            reach = game.rules.drift_die
            for other in range(n_markers):
                if other != one and way_meets(game, one, reaches[one], other, reaches[other]):
                    reach += 1
            if reach > reaches[one]:
                reaches[one] = reach
                changed = True


@jit
def could_touch(game, n_markers: int, index: int) -> bool:
    """A quick bound: whether a marker might touch a ship if each other one came as far as all of them could push it."""
    most = game.rules.drift_die + n_markers - 1
    if not ship_within(game, index, most):
        return False
    reach = game.rules.drift_die
    while True:
        wider = game.rules.drift_die
        for other in range(n_markers):
            if other != index and way_meets(game, index, reach, other, most):
                wider += 1
        if wider <= reach:
            return ship_within(game, index, reach)
        reach = wider


@jit
def bit_if_ship_ahead(game, index: int) -> int:
    """The bit of a marker if a ship stands ahead of it along its row, however far; else 0."""
    return 1 << index if ship_within(game, index, MAX_ROWS) else 0


@jit
def first_drift_is_safe(game, n_markers: int, ship_ahead: int) -> bool:
    """Whether the first drift of the markers laid so far cannot touch a ship (SET-4); ``ship_ahead`` has the bits of
    those that have one ahead."""
    if ship_ahead == 0:
        return True
    threatened = False
    for index in range(n_markers):
        threatened = threatened or (ship_ahead >> index & 1 == 1 and could_touch(game, n_markers, index))
    if not threatened:
        return True
    reaches = np.zeros(MAX_MARKERS, np.int64)
    greatest_reaches(game, n_markers, reaches)
    for index in range(n_markers):
        if ship_within(game, index, reaches[index]):
            return False
    return True


@jit
def is_legal_place(game, index: int, ship_ahead: int) -> bool:
    """Whether a marker may stand where it is (MAP-5, SET-4), all before it having been laid; ``ship_ahead`` has the
    bits of those among them that have a ship ahead."""
    if taken_for_marker(game, index):
        return False
    if not game.rules.first_drift_safe:
        return True
    return first_drift_is_safe(game, index + 1, ship_ahead | bit_if_ship_ahead(game, index))


@jit
def place(game, index: int, row, along: int, facing: int) -> None:
    """Put a marker on the ``along``-th hex of a row, counted from 0."""
    marker = game.markers[index]
    marker.facing = facing
    marker.q = row.q + along * DQ[facing]
    marker.r = row.r + along * DR[facing]


@jit
def has_legal_place(setup, game, index: int, facing: int, ship_ahead: int) -> bool:
    """SET-5. Whether any hex of a candidate row is legal for a marker."""
    for number in range(setup.n_rows[facing]):
        row = setup.rows[facing, number]
        for along in range(row.length):
            place(game, index, row, along, facing)
            if is_legal_place(game, index, ship_ahead):
                return True
    return False


@jit
def note_refused_place(game, tape, index: int, number: int) -> None:
    """Write why a marker has to be diced again (COR-24): its hex is taken, or it threatens a ship (SET-4)."""
    if tape is None:
        return
    rule = Rule.COR_24 if taken_for_marker(game, index) else Rule.SET_4
    marker = game.markers[index]
    events.write(game, tape, rule, -1, -1, index, marker.q, marker.r, -1, number)


@jit
def lay_marker(setup, game, tape, index: int, facing: int, ship_ahead: int) -> bool:
    """COR-24. A uniform row, then a uniform hex on it, diced again while illegal; False if none is legal."""
    tries = 0
    while True:
        number = dice.roll(game, tape, Purpose.FIELD_ROW, index, tries, setup.n_rows[facing]) - 1
        row = setup.rows[facing, number]
        along = dice.roll(game, tape, Purpose.FIELD_HEX, index, tries, row.length) - 1
        place(game, index, row, along, facing)
        if is_legal_place(game, index, ship_ahead):
            marker = game.markers[index]
            events.write(game, tape, Rule.SET_1, -1, -1, index, marker.q, marker.r, -1, marker.density)
            return True
        tries += 1
        note_refused_place(game, tape, index, tries)
        if tries % TRIES_BEFORE_COUNTING == 0 and not has_legal_place(setup, game, index, facing, ship_ahead):
            return False


@jit
def field_facing(setup, game, tape, index: int) -> int:
    """SET-2. One facing for all unless the scenario gives it, or one per marker (COR-24)."""
    if setup.drift_each:
        roll = dice.roll(game, tape, Purpose.FIELD_FACING, index, 0, DIRECTIONS)
        events.write(game, tape, Rule.SET_2, -1, -1, index, -1, -1, roll, roll - 1)
        return roll - 1
    if index > setup.n_placed:
        return game.markers[index - 1].facing
    if setup.field_facing >= 0:
        events.write_game(game, tape, Rule.SET_2, setup.field_facing)
        return setup.field_facing
    roll = dice.roll(game, tape, Purpose.FIELD_FACING, 0, 0, DIRECTIONS)
    events.write(game, tape, Rule.SET_2, -1, -1, -1, -1, -1, roll, roll - 1)
    return roll - 1


@jit
def lay_field(setup, game, tape) -> bool:
    """Lay the markers that the scenario has not placed; False if that cannot be done (SET-5)."""
    total, ship_ahead = game.n_markers, 0
    for index in range(setup.n_placed):
        ship_ahead |= bit_if_ship_ahead(game, index)
    for index in range(setup.n_placed, total):
        game.n_markers = index + 1  # so that markers not yet laid take no hex
        if not lay_marker(setup, game, tape, index, field_facing(setup, game, tape, index), ship_ahead):
            game.n_markers = total
            return False
        ship_ahead |= bit_if_ship_ahead(game, index)
    return True


@jit
def choose_facings(setup, game, tape) -> None:
    """Dice the facing of each ship whose scenario leaves it to chance, each as likely."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            choices = setup.facing_choices[seat, index]
            count = 0
            for facing in range(DIRECTIONS):
                count += (choices >> facing) & 1
            if count == 0:
                continue
            ship = game.ships[seat, index]
            roll = dice.roll(game, tape, Purpose.ENTRY_FACING, ship.token, 0, count)
            wanted = roll
            for facing in range(DIRECTIONS):
                wanted -= (choices >> facing) & 1
                if wanted == 0:
                    ship.facing = facing
                    break
            events.write_ship(game, tape, Rule.SET_2, seat, index, roll, ship.facing)
