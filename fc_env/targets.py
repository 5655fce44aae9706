"""What fire would do now, for the eyes of one seat: rows for each own ship and for each enemy.

These are the parts of an observation made for learning battles: derived from the rest, by the same exact odds that
``odds_fire`` gives to anyone. All that has a direction is told from a ship's nose, so that both seats see the same.
"""

from __future__ import annotations

from fc_env.hexgrid import DQ, DR, ahead_and_right, distance
from fc_env.jit import jit, record_at
from fc_env.odds_fire import (
    BESIDE,
    DEAD_AHEAD,
    NO_LINE,
    alpha_strike_damage,
    find_lines,
    hexes_along,
    is_torpedo_target,
    lost_along,
    nearer_targets,
    open_fire_damage,
    torpedo_arc,
    torpedo_bears,
    volley_odds,
    weapons_damage,
)
from fc_env.rules.attack import shields_die
from fc_env.rules.board import in_play
from fc_env.rules.power import SHIELDS, WEAPONS, die_of
from fc_env.schema import (
    FIREPOWER_DTYPE,
    FIREPOWER_FLOATS,
    NEAR_RADIUS,
    SALVO_DTYPE,
    SALVO_FLOATS,
    TARGET_DTYPE,
    TARGET_FLOATS,
    TWENTIETHS,
)
from fc_env.state import MAX_SHIPS

KNOWN = 3
"""Place of the die that a ship has on a system, after the places of its three dice."""
TENTH = 0.1
"""Damage is told in tens of points."""


@jit
def first_die(ship, own: bool) -> int:
    """Place of the first die that a seat has to think of for one of a ship's systems: KNOWN if it knows its power."""
    return KNOWN if ship.power > 0 and (own or ship.power_shown) else 0


@jit
def share_of_each(first: int) -> float:
    """Share of one of a ship's dice from place ``first`` on in a mean over them, in tens of points."""
    return TENTH if first == KNOWN else TENTH / 3


@jit
def end_of_dice(first: int) -> int:
    """The place after the last of them."""
    return KNOWN + 1 if first == KNOWN else KNOWN


@jit
def die_at(ship, system: int, place: int) -> int:
    """Faces of one of a ship's three dice, or of the one it has on a system (KNOWN)."""
    return die_of(ship, system) if place == KNOWN else ship.power_dice[place]


@jit
def write_sector(ship, q: int, r: int, sector) -> None:
    """Flags of the rows from a ship's nose that come nearest to a hex; float32 (6,)."""
    x, y = ahead_and_right(ship.q, ship.r, ship.facing, q, r)
    # Twice the dot products with ahead, ahead right and behind right; those with the other three are their opposites.
    a, b, c = 2 * x + y, x + 2 * y, y - x
    most = max(abs(a), abs(b), abs(c))
    for place, value in enumerate((a, b, c)):
        if value == most:
            sector[place] = 1.0
        elif value == -most:
            sector[place + 3] = 1.0


@jit
def write_arc(game, ship, q: int, r: int, flags) -> None:
    """Flags of how a hex lies to a ship's torpedo arc; float32 (2,)."""
    arc = torpedo_arc(game, ship, q, r)
    flags[0] = 1.0 if arc == DEAD_AHEAD else 0.0
    flags[1] = 1.0 if arc == BESIDE else 0.0


@jit
def write_target(game, ship, enemy, line: int, out) -> None:
    """How one enemy and the ship in focus lie to each other; of two lines between them the shorter."""
    x, y = ahead_and_right(ship.q, ship.r, ship.facing, enemy.q, enemy.r)
    out.fights[0] = 1.0
    out.distance[0] = TWENTIETHS[distance(ship.q, ship.r, enemy.q, enemy.r)]
    write_sector(ship, enemy.q, enemy.r, out.sector)
    out.ahead[0] = (2 * x + y) / 40
    out.right[0] = y / 20
    write_arc(game, ship, enemy.q, enemy.r, out.in_arc)
    write_sector(enemy, ship.q, ship.r, out.its_sector)
    write_arc(game, enemy, ship.q, ship.r, out.in_its_arc)
    out.attenuation[0] = TWENTIETHS[min(lost_along(line), 100)]
    if first_die(enemy, False) == KNOWN:
        out.shields[0] = TWENTIETHS[shields_die(enemy, die_of(enemy, SHIELDS), ship.q, ship.r)]
    out.hull[0] = enemy.hull * TENTH
    for hexes in range(1, NEAR_RADIUS + 1):
        q, r = ship.q + hexes * DQ[ship.facing], ship.r + hexes * DR[ship.facing]
        out.distance_after[hexes - 1] = TWENTIETHS[distance(q, r, enemy.q, enemy.r)]


@jit
def write_salvo(game, seat: int, firer, side: int, index: int, lines, out) -> None:
    """What one ship's fire would do to the ship ``index`` of a side, as the seat may know it, by the firer's lines,
    int64 (MAX_SHIPS,)."""
    line = lines[index]
    if line == NO_LINE:
        return
    target = game.ships[side, index]
    arc = torpedo_bears(game, firer, target.q, target.r)
    before = nearer_targets(lines, game.n_ships[side], index)
    first, shields = first_die(firer, side != seat), first_die(target, side == seat)
    share = share_of_each(shields)
    for place in range(first, end_of_dice(first)):
        die = die_at(firer, WEAPONS, place)
        aimed = is_torpedo_target(game, firer, side, index, lines, arc, die)
        out.in_range[place] = 1.0 if firer.volleys > 0 and hexes_along(line) <= die else 0.0
        out.lasers[0] = 0.0
        for choice in range(shields, end_of_dice(shields)):
            faces = die_at(target, SHIELDS, choice)
            volley, torpedo, lasers = weapons_damage(game, firer, target, line, arc, die, faces)
            strike = alpha_strike_damage(firer, line, die, volley, torpedo, lasers)
            out.volley[place] += share * volley
            out.volley_hits[place] += share / TENTH * volley_odds(firer, target, line, die, faces)
            out.torpedo[place] += share * torpedo
            out.lasers[0] += share * lasers
            out.alpha_strike[place] += share * strike
            out.open_fire[place] += share * open_fire_damage(firer, before, aimed, volley, torpedo, lasers)


@jit
def add_firepower(game, seat: int, index: int, other: int, lines, out) -> None:
    """Add what one own ship's fire would do to one enemy, ``lines`` being its own, int64 (MAX_SHIPS,)."""
    ship, side, line = game.ships[seat, index], 1 - seat, lines[other]
    if line == NO_LINE:
        return
    enemy = game.ships[side, other]
    arc = torpedo_bears(game, ship, enemy.q, enemy.r)
    before = nearer_targets(lines, game.n_ships[side], other)
    first, shields = first_die(ship, True), first_die(enemy, False)
    share = share_of_each(shields)
    for place in range(first, end_of_dice(first)):
        die = die_at(ship, WEAPONS, place)
        aimed = is_torpedo_target(game, ship, side, other, lines, arc, die)
        strike = 0.0
        for choice in range(shields, end_of_dice(shields)):
            faces = die_at(enemy, SHIELDS, choice)
            volley, torpedo, lasers = weapons_damage(game, ship, enemy, line, arc, die, faces)
            strike += share * alpha_strike_damage(ship, line, die, volley, torpedo, lasers)
            out.open_fire[place] += share * open_fire_damage(ship, before, aimed, volley, torpedo, lasers)
        out.best_strike[place] = max(out.best_strike[place], strike)
        if before < ship.volleys and hexes_along(line) <= die:
            out.volleys[place] += 1.0 / 3


@jit
def add_struck(game, seat: int, index: int, other: int, lines, out) -> None:
    """Add what the fire of one enemy would do to one own ship, ``lines`` being the enemy's, int64 (MAX_SHIPS,)."""
    ship, enemy, line = game.ships[seat, index], game.ships[1 - seat, other], lines[index]
    if enemy.activated or line == NO_LINE:
        return
    arc = torpedo_bears(game, enemy, ship.q, ship.r)
    before = nearer_targets(lines, game.n_ships[seat], index)
    first, own = first_die(enemy, False), first_die(ship, True)
    share = share_of_each(first)
    for choice in range(first, end_of_dice(first)):
        die = die_at(enemy, WEAPONS, choice)
        aimed = is_torpedo_target(game, enemy, seat, index, lines, arc, die)
        for place in range(own, end_of_dice(own)):
            faces = die_at(ship, SHIELDS, place)
            volley, torpedo, lasers = weapons_damage(game, enemy, ship, line, arc, die, faces)
            out.struck[place] += share * open_fire_damage(enemy, before, aimed, volley, torpedo, lasers)


@jit
def write_targets(game, seat: int, focus: int, counts, start: int, row, scratch) -> None:
    """The rows about each enemy and the ship in focus, by the lines in ``scratch``; arguments as of ``write_fire``."""
    targets = start + counts[0] * FIREPOWER_FLOATS
    outgoing = targets + counts[1] * TARGET_FLOATS
    incoming = outgoing + counts[1] * SALVO_FLOATS
    lines, ship = scratch.lines, game.ships[seat, focus]
    for index in range(game.n_ships[1 - seat]):
        enemy = game.ships[1 - seat, index]
        if in_play(enemy):
            line = min(lines[0, focus, index], lines[1, index, focus])  # either may end in a blind spot
            write_target(game, ship, enemy, line, record_at(row, targets + index * TARGET_FLOATS, TARGET_DTYPE))
            there = record_at(row, outgoing + index * SALVO_FLOATS, SALVO_DTYPE)
            write_salvo(game, seat, ship, 1 - seat, index, lines[0, focus], there)
            here = record_at(row, incoming + index * SALVO_FLOATS, SALVO_DTYPE)
            write_salvo(game, seat, enemy, seat, focus, lines[1, index], here)


@jit
def write_fire(game, seat: int, focus: int, counts, start: int, row, scratch) -> None:
    """All rows about fire, from place ``start`` of the observation on; ``counts`` is the layout (``Layout.counts``)."""
    lines = scratch.lines
    for place in range(find_lines(game, seat, scratch)):
        index, other = scratch.pairs[place] // MAX_SHIPS, scratch.pairs[place] % MAX_SHIPS
        out = record_at(row, start + index * FIREPOWER_FLOATS, FIREPOWER_DTYPE)
        add_firepower(game, seat, index, other, lines[0, index], out)
        add_struck(game, seat, index, other, lines[1, other], out)
    write_targets(game, seat, focus, counts, start, row, scratch)
