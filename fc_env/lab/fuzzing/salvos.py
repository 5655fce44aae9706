"""Whom a ship's weapons go at, and what an attack does, worked out anew (sections 5 and 6)."""

from __future__ import annotations

from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import apart, density_on_line, hexes_along, torpedo_row
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import (
    ALPHA,
    ATTACKS,
    BLASTING,
    COLUMN,
    DENSITY,
    FIRED,
    GUNNER,
    N_SHOTS,
    PIECES,
    SALVO,
    SHOOTER,
    TARGET,
    TOLD,
    WEAPON,
    allotted,
    counts_as,
    expect,
    is_there,
    larger,
    next_die,
    ship_of,
)
from fc_env.state import MAX_SHIPS, Flaw

PHASERS, TORPEDO, LASERS, BLAST = 0, 1, 2, 3
_FAR = 1 << 40


@jit
def blind(ship, q: int, r: int) -> bool:
    """COR-23. Whether a hex lies in a ship's blind spot."""
    return ship.flaw == Flaw.BLIND_SPOT and hexes_along(ship.q, ship.r, (ship.facing + ship.flaw_side) % 6, q, r) > 0


@jit
def reaches(game, ship, jammed: int, weapon: int, target) -> bool:
    """FIR-4 to FIR-6, COR-14. Whether a weapon bears on a ship, both where they stand in the game.

    ``jammed`` is told apart, for a doom roll right before may have repaired its torpedo (COR-21).
    """
    hexes = apart(ship.q, ship.r, target.q, target.r)
    if blind(ship, target.q, target.r):
        return False
    if weapon == PHASERS:
        return ship.volleys > 0 and hexes <= allotted(ship, 1)
    if weapon == TORPEDO:
        able = ship.torpedoes == 1 and jammed == 0 and hexes <= allotted(ship, 1)
        return able and torpedo_row(game, ship, target.q, target.r) >= 0
    return ship.lasers > 0 and game.rules.laser_attack_die > 0 and hexes <= game.rules.laser_range


@jit
def order_of(game, ship, weapon: int, target, index: int) -> int:
    """FIR-4, FIR-5. A number that is the less, the sooner a target is chosen."""
    number = 0
    if weapon == TORPEDO and torpedo_row(game, ship, target.q, target.r) > 0:
        number = 1
    number = number * 1000 + apart(ship.q, ship.r, target.q, target.r)
    # Where there is no attenuation all lines are as clear.
    if game.rules.attenuation > 0:
        number = number * 1000 + density_on_line(game, ship.q, ship.r, target.q, target.r)
    return number * MAX_SHIPS + index


@jit
def foremost(before, notes, piece: int, weapon: int, beyond: int) -> int:
    """The least of those numbers that is beyond another, of the enemies that the weapon bears on; ``_FAR`` for none."""
    ship, side = ship_of(before, piece), 1 - piece // MAX_SHIPS
    least = _FAR
    for index in range(before.n_ships[side]):
        target = before.ships[side, index]
        if notes.alive[side * MAX_SHIPS + index] and reaches(before, ship, notes.jammed[piece], weapon, target):
            number = order_of(before, ship, weapon, target, index)
            if number > beyond and number < least:
                least = number
    return least


@jit
def _add_shot(notes, weapon: int, target: int) -> None:
    notes.shot_weapon[notes.now[N_SHOTS]], notes.shot_target[notes.now[N_SHOTS]] = weapon, target
    notes.now[N_SHOTS] += 1


@jit
def expect_salvo(before, notes, piece: int, chosen: int) -> None:
    """COR-13, FIR-7. The shots that a ship is about to make: at its weapons' own targets, or at one that was chosen
    (-1 for none), in order."""
    notes.now[SALVO], notes.now[N_SHOTS], notes.now[FIRED], notes.now[GUNNER] = 1, 0, 0, piece
    notes.now[ATTACKS] = 0
    notes.now[ALPHA] = 1 if chosen >= 0 else 0
    ship, side = ship_of(before, piece), 1 - piece // MAX_SHIPS
    beyond = -1
    for _ in range(ship.volleys):
        if chosen >= 0:
            _add_shot(notes, PHASERS, chosen)
            continue
        beyond = foremost(before, notes, piece, PHASERS, beyond)
        if beyond == _FAR:
            break
        _add_shot(notes, PHASERS, side * MAX_SHIPS + beyond % MAX_SHIPS)
    for weapon in (TORPEDO, LASERS):
        target = chosen
        if chosen < 0:
            first = foremost(before, notes, piece, weapon, -1)
            target = side * MAX_SHIPS + first % MAX_SHIPS if first != _FAR else -1
        if target >= 0 and reaches(before, ship, notes.jammed[piece], weapon, ship_of(before, target)):
            for _ in range(1 if weapon == TORPEDO else ship.lasers):
                _add_shot(notes, weapon, target)


@jit
def of_weapon(notes, weapon: int) -> int:
    """The invariant that the shots of a weapon are a matter of."""
    if notes.now[ALPHA]:
        return Invariant.ALPHA_STRIKE
    if weapon == PHASERS:
        return Invariant.VOLLEYS
    return Invariant.TORPEDO if weapon == TORPEDO else Invariant.LASERS


@jit
def strays(before, notes) -> bool:
    """Whether volleys of the ship that fires may go astray (COR-23)."""
    return ship_of(before, notes.now[GUNNER]).flaw == Flaw.POOR_FIRE_CONTROL


@jit
def shot(before, notes, rule: int, piece: int, target: int) -> None:
    """A ship fires (FIR-4 to FIR-6) or loses a shot (FIR-8): the next one of its salvo."""
    weapon = PHASERS if rule == Rule.FIR_4 else TORPEDO if rule == Rule.FIR_5 else LASERS
    place = notes.now[FIRED]
    notes.now[FIRED] += 1
    if place >= notes.now[N_SHOTS]:
        expect(notes, of_weapon(notes, weapon), False)
    else:
        due, at = notes.shot_weapon[place], notes.shot_target[place]
        if rule != Rule.FIR_8:
            expect(notes, of_weapon(notes, due), weapon == due)
        if not (due == PHASERS and strays(before, notes)):
            expect(notes, of_weapon(notes, due), target == at)
        weapon = due
    gone = notes.alive[target] == 0
    expect(notes, Invariant.LOST_SHOTS, (rule == Rule.FIR_8) == gone)
    if rule != Rule.FIR_8:
        notes.now[ATTACKS] += 1
        aim(before, notes, weapon, piece, target)


@jit
def aim(before, notes, weapon: int, piece: int, target: int) -> None:
    """Note the attack that is being made."""
    notes.now[WEAPON], notes.now[SHOOTER], notes.now[TARGET] = weapon, piece, target
    ship, struck = ship_of(before, piece), ship_of(before, target)
    notes.now[DENSITY], notes.now[COLUMN], notes.now[TOLD] = 0, 0, 0
    if weapon != BLAST:
        notes.now[DENSITY] = density_on_line(before, ship.q, ship.r, struck.q, struck.r)
        notes.now[COLUMN] = torpedo_row(before, ship, struck.q, struck.r)


@jit
def attack_faces(before, notes) -> int:
    """FIR-4 to FIR-6, DOOM-3. Faces of the die of the attack that is being made."""
    ship, weapon = ship_of(before, notes.now[SHOOTER]), notes.now[WEAPON]
    if weapon == LASERS:
        return before.rules.laser_attack_die
    if weapon == BLAST:
        return larger(ship.power_dice[2], before.rules.explosion_steps)
    if weapon == TORPEDO and notes.now[COLUMN] == 0:
        return larger(allotted(ship, 1), before.rules.torpedo_centre_steps)
    return allotted(ship, 1)


@jit
def attenuation_told(before, notes, less: int) -> None:
    """FIR-2, FIR-3. It was told that an attack loses so much to the density on its line."""
    expect(notes, Invariant.LINE_OF_FIRE, less == notes.now[DENSITY] * before.rules.attenuation and less > 0)
    notes.now[TOLD] = less


@jit
def shields_faces(before, notes, target: int) -> int:
    """POW-1, COR-23. Faces of the shields die of a ship that is attacked; by a blast or by fire, from where that is."""
    struck, shooter = ship_of(before, target), notes.now[SHOOTER]
    q, r, own_q, own_r = notes.q[shooter], notes.r[shooter], notes.q[target], notes.r[target]
    heading = (notes.facing[target] + struck.flaw_side) % 6
    if struck.flaw == Flaw.SHIELD_FLAW and hexes_along(own_q, own_r, heading, q, r) > 0:
        return larger(allotted(struck, 0), -1)
    return allotted(struck, 0)


@jit
def attack(before, notes, tape, target: int, roll: int) -> int:
    """FIR-1, FIR-2. A ship has been attacked, by a roll; returns the damage that this does."""
    purpose = Purpose.BLAST if notes.now[WEAPON] == BLAST else Purpose.ATTACK
    shooter = ship_of(before, notes.now[SHOOTER])
    row, against = next_die(tape, notes, purpose), next_die(tape, notes, Purpose.SHIELDS)
    expect(notes, Invariant.DAMAGE_OF_ATTACK, row >= 0 and against >= 0 and notes.now[TARGET] == target)
    if row < 0 or against < 0:
        return 0
    expect(notes, Invariant.WEAPON_DIE, tape.dice[row].faces == attack_faces(before, notes))
    expect(notes, Invariant.SHIELDS_DIE, tape.dice[against].faces == shields_faces(before, notes, target))
    weakens = notes.now[DENSITY] > 0 and before.rules.attenuation > 0
    expect(notes, Invariant.LINE_OF_FIRE, weakens == (notes.now[TOLD] > 0))
    strength = counts_as(shooter, roll)
    if notes.now[WEAPON] == TORPEDO and notes.now[COLUMN] > 0:
        strength += before.rules.torpedo_beside_bonus
    strength -= notes.now[TOLD]
    shields = counts_as(ship_of(before, target), tape.dice[against].value)
    return strength // shields if strength > shields else 0


@jit
def end_of_salvo(notes) -> None:
    """After an activation all shots of the salvo have been made."""
    if notes.now[SALVO] and notes.now[FIRED] < notes.now[N_SHOTS]:
        expect(notes, of_weapon(notes, notes.shot_weapon[notes.now[FIRED]]), False)


# ---- blasts (DOOM-3)


@jit
def place_of(exploding: int, number: int) -> int:
    """The how-manyeth ship a blast comes to: its enemies first, then its friends, by index (COR-20)."""
    side = 1 - exploding // MAX_SHIPS if number < MAX_SHIPS else exploding // MAX_SHIPS
    return side * MAX_SHIPS + number % MAX_SHIPS


@jit
def in_blast(before, notes, piece: int) -> bool:
    """Whether the blast that is going on reaches a ship."""
    exploding = notes.now[BLASTING]
    near = apart(notes.q[exploding], notes.r[exploding], notes.q[piece], notes.r[piece]) == 1
    return near and is_there(before, piece) and notes.alive[piece] != 0


@jit
def next_in_blast(before, notes, after: int) -> int:
    """Number of the next ship that the blast reaches, from a number on; PIECES for none."""
    for number in range(after, PIECES):
        if in_blast(before, notes, place_of(notes.now[BLASTING], number)):
            return number
    return PIECES
