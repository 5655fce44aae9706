"""Fire (rules.md section 5)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import ahead_and_right, distance
from fc_env.jit import jit
from fc_env.lines import weight_between
from fc_env.rules import doom, flaws
from fc_env.rules.attack import strike
from fc_env.rules.board import in_play
from fc_env.rules.power import WEAPONS, die_of
from fc_env.state import MAX_SHIPS, SEATS, Flaw

PHASERS, TORPEDO, LASERS = 0, 1, 2
"""Weapons."""
FIRST_ATTACK = 100
"""A ship's attacks of one turn are numbered from 0 for its volleys, 100 for its torpedo, 200 for its lasers."""
FIRE_CONTROL_DIE = 6
"""COR-7: "1 in 6"; not a field of the rule set."""
ANY = -1
"""In place of the one enemy that an Alpha Strike goes at."""

_DISTANCES, _DENSITIES = 256, 4096  # more than there are, so that a target's key is one number


@jit
def density_between(game, ship, target) -> int:
    """FIR-3, COR-15. Density that fire from one ship at another passes through; 0 where it does not attenuate."""
    if game.rules.attenuation == 0 or game.n_markers == 0:
        return 0
    markers = game.markers[: game.n_markers]
    qs, rs, densities = markers["q"], markers["r"], markers["density"]
    return int(weight_between(game.width, game.height, ship.q, ship.r, target.q, target.r, qs, rs, densities))


@jit
def torpedo_column(game, ship, q: int, r: int) -> int:
    """COR-14. 0 for a hex dead ahead, n for one on the row n hexes to the left or right of that, else -1.

    The nth row to a side starts n hexes off in the direction ahead-left or ahead-right.
    """
    x, y = ahead_and_right(ship.q, ship.r, ship.facing, q, r)
    if y == 0:
        return 0 if x > 0 else -1
    steps = x if y > 0 else x + y
    return abs(y) if steps >= 0 and abs(y) <= game.rules.torpedo_columns else -1


@jit
def weapon_bears(game, ship, weapon: int, target) -> bool:
    """Whether a weapon of a ship can fire at another: it has it, it is in range, in its arc, in no blind spot."""
    hexes = distance(ship.q, ship.r, target.q, target.r)
    if weapon == PHASERS:
        able = ship.volleys > 0 and hexes <= die_of(ship, WEAPONS)
    elif weapon == TORPEDO:
        able = ship.torpedoes != 0 and ship.jammed == 0 and hexes <= die_of(ship, WEAPONS)
        able = able and torpedo_column(game, ship, target.q, target.r) >= 0
    else:
        able = ship.lasers > 0 and game.rules.laser_attack_die > 0 and hexes <= game.rules.laser_range
    return able and not flaws.is_blind(ship, target.q, target.r)


@jit
def may_be_struck(game, seat: int, index: int, enemy: int) -> bool:
    """Whether an enemy ship may be the one that a ship's Alpha Strike goes at: a phaser is in range (FIR-7, COR-5)."""
    if index < 0 or enemy < 0 or enemy >= game.n_ships[1 - seat] or not in_play(game.ships[1 - seat, enemy]):
        return False
    return weapon_bears(game, game.ships[seat, index], PHASERS, game.ships[1 - seat, enemy])


@jit
def bears(game, seat: int, index: int, alpha_strike: bool) -> bool:
    """COR-5. Firing is legal only if some weapon bears on an enemy; for an Alpha Strike it has to be a phaser."""
    ship = game.ships[seat, index]
    reach = die_of(ship, WEAPONS)
    if ship.lasers > 0:
        reach = max(reach, game.rules.laser_range)
    for enemy in range(game.n_ships[1 - seat]):
        target = game.ships[1 - seat, enemy]
        if not in_play(target) or distance(ship.q, ship.r, target.q, target.r) > reach:
            continue  # asked at every card: most are told by their distance alone
        if weapon_bears(game, ship, PHASERS, target):
            return True
        if not alpha_strike and (weapon_bears(game, ship, TORPEDO, target) or weapon_bears(game, ship, LASERS, target)):
            return True
    return False


@jit
def standing(game, seat: int) -> int:
    """The ships of a side that are in play, as bits: those that fire may choose from (FIR-8)."""
    bits = 0
    for index in range(game.n_ships[seat]):
        if in_play(game.ships[seat, index]):
            bits |= 1 << index
    return bits


@jit
def target_key(game, ship, weapon: int, side: int, enemy: int) -> int:
    """The place of a target among a weapon's: the least number is chosen first; -1 where the weapon does not bear.

    A torpedo takes those dead ahead first; then it is the nearest, the least attenuated, the lowest index.
    """
    target = game.ships[side, enemy]
    if not weapon_bears(game, ship, weapon, target):
        return -1
    beside = 1 if weapon == TORPEDO and torpedo_column(game, ship, target.q, target.r) > 0 else 0
    hexes = distance(ship.q, ship.r, target.q, target.r)
    return ((beside * _DISTANCES + hexes) * _DENSITIES + density_between(game, ship, target)) * MAX_SHIPS + enemy


@jit
def next_key(game, ship, weapon: int, side: int, choice: int, after: int) -> int:
    """The least of a weapon's keys beyond ``after``, of the ships of the bits ``choice``; -1 if there is none."""
    best = -1
    for enemy in range(game.n_ships[side]):
        if (choice >> enemy) & 1:
            key = target_key(game, ship, weapon, side, enemy)
            if key > after and (best < 0 or key < best):
                best = key
    return best


@jit
def shoot(
    game, tape, rule: int, seat: int, index: int, side: int, target: int, nth: int, faces: int, bonus: int
) -> int:
    """FIR-8. One attack at a target chosen before any roll; returns the attack die, or 0 if the target is gone."""
    ship, struck = game.ships[seat, index], game.ships[side, target]
    piece = side * MAX_SHIPS + target
    if not in_play(struck):
        events.write(game, tape, Rule.FIR_8, seat, index, -1, struck.q, struck.r, -1, piece)
        return 0
    column = torpedo_column(game, ship, struck.q, struck.r) if rule == Rule.FIR_5 else -1
    events.write(game, tape, rule, seat, index, -1, struck.q, struck.r, column, piece)
    roll = dice.roll(game, tape, Purpose.ATTACK, ship.token, nth, faces)
    strike(game, tape, seat, index, side, target, nth, roll, bonus, density_between(game, ship, struck))
    doom.settle(game, tape, side, target)
    return roll


@jit
def neighbour(game, seat: int, index: int, side: int, target: int) -> int:
    """The ship next to a target that a stray volley goes at, as ``seat * MAX_SHIPS + index``, or -1: of the target's
    own side first, by index, never the firer (COR-23)."""
    struck = game.ships[side, target]
    for place in range(SEATS):
        own = (side + place) % SEATS
        for other in range(game.n_ships[own]):
            near = game.ships[own, other]
            if own == seat and other == index:
                continue
            if in_play(near) and distance(struck.q, struck.r, near.q, near.r) == 1:
                return own * MAX_SHIPS + other
    return -1


@jit
def stray(game, tape, seat: int, index: int, side: int, target: int, volley: int) -> int:
    """The ship a volley really goes at, as ``seat * MAX_SHIPS + index``: with poor fire control 1 in 6 that it is one
    next to the target, whatever its distance and arc (COR-23)."""
    ship = game.ships[seat, index]
    aimed = side * MAX_SHIPS + target
    if ship.flaw != Flaw.POOR_FIRE_CONTROL or not in_play(game.ships[side, target]):
        return aimed
    roll = dice.roll(game, tape, Purpose.FIRE_CONTROL, ship.token, volley, FIRE_CONTROL_DIE)
    found = neighbour(game, seat, index, side, target) if roll == 1 else -1
    if found < 0:
        return aimed
    flaws.note(game, tape, seat, index, roll)
    return found


@jit
def fire_phasers(game, tape, seat: int, index: int, choice: int, enemy: int) -> int:
    """FIR-4. Fire the volleys, each at a different enemy, nearest first, or all at one; returns the attacks made."""
    ship = game.ships[seat, index]
    side = 1 - seat
    made, key = 0, -1
    for volley in range(ship.volleys):
        target = enemy
        if enemy == ANY:
            key = next_key(game, ship, PHASERS, side, choice, key)
            if key < 0:
                break
            target = key % MAX_SHIPS
        piece = stray(game, tape, seat, index, side, target, volley)
        to, at = piece // MAX_SHIPS, piece % MAX_SHIPS
        roll = shoot(game, tape, Rule.FIR_4, seat, index, to, at, volley, die_of(ship, WEAPONS), 0)
        made += 1 if roll > 0 else 0
    return made


@jit
def sole_target(game, ship, weapon: int, side: int, choice: int, enemy: int) -> int:
    """The enemy that a weapon with one target fires at: the first of its keys, or the one of an Alpha Strike; -1 if it
    bears on none."""
    only = choice if enemy == ANY else 1 << enemy
    key = next_key(game, ship, weapon, side, only, -1)
    return key % MAX_SHIPS if key >= 0 else -1


@jit
def fire_torpedo(game, tape, seat: int, index: int, choice: int, enemy: int) -> int:
    """FIR-5. Fire the torpedo: a larger die dead ahead, a bonus beside that row; returns the attacks made."""
    ship = game.ships[seat, index]
    target = sole_target(game, ship, TORPEDO, 1 - seat, choice, enemy)
    if target < 0:
        return 0
    struck = game.ships[1 - seat, target]
    faces, bonus = die_of(ship, WEAPONS), 0
    if torpedo_column(game, ship, struck.q, struck.r) == 0:
        faces = dice.stepped(faces, game.rules.torpedo_centre_steps)
    else:
        bonus = game.rules.torpedo_beside_bonus
    roll = shoot(game, tape, Rule.FIR_5, seat, index, 1 - seat, target, FIRST_ATTACK, faces, bonus)
    if roll == 1 and ship.flaw == Flaw.TORPEDO_JAMS:
        ship.jammed = 1
        flaws.note(game, tape, seat, index, roll)
    return 1 if roll > 0 else 0


@jit
def fire_lasers(game, tape, seat: int, index: int, choice: int, enemy: int) -> int:
    """FIR-6. Fire each laser at the nearest enemy within their range; returns the attacks made."""
    ship = game.ships[seat, index]
    target = sole_target(game, ship, LASERS, 1 - seat, choice, enemy)
    made = 0
    if target >= 0:
        for laser in range(ship.lasers):
            nth = 2 * FIRST_ATTACK + laser
            faces = game.rules.laser_attack_die
            roll = shoot(game, tape, Rule.FIR_6, seat, index, 1 - seat, target, nth, faces, 0)
            made += 1 if roll > 0 else 0
    return made


@jit
def open_fire(game, tape, seat: int, index: int, enemy: int) -> int:
    """COR-13. Fire all that bears, phasers, then torpedo, then lasers, at the weapons' own targets or at one enemy;
    returns the attacks made."""
    choice = standing(game, 1 - seat)
    made = fire_phasers(game, tape, seat, index, choice, enemy)
    made += fire_torpedo(game, tape, seat, index, choice, enemy)
    return made + fire_lasers(game, tape, seat, index, choice, enemy)


@jit
def alpha_strike(game, tape, seat: int, index: int, enemy: int) -> None:
    """FIR-7. All volleys go at one enemy, torpedo and lasers too where they bear on it."""
    target = game.ships[1 - seat, enemy]
    events.write(game, tape, Rule.FIR_7, seat, index, -1, target.q, target.r, -1, (1 - seat) * MAX_SHIPS + enemy)
    open_fire(game, tape, seat, index, enemy)


@jit
def spite_strike(game, tape, seat: int, index: int) -> int:
    """Everything that bears fires, in place of move or drift, and may explode the ship (COR-19); the attacks made."""
    made = open_fire(game, tape, seat, index, ANY)
    doom.risk_spite(game, tape, seat, index, made)
    return made
