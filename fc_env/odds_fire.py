"""Exact questions anyone may ask about fire (rules.md section 5): one attack, and one ship's weapons as they bear now.

Chances are exact for each attack. Left out is what changes between the attacks of one activation (a target that is
gone, a torpedo that jams) and the volleys that poor fire control sends astray.
"""

from __future__ import annotations

import itertools

import numpy as np

from fc_env.dice import stepped
from fc_env.hexgrid import distance
from fc_env.jit import jit, plain
from fc_env.rules.attack import attenuated, damage_of, shields_die
from fc_env.rules.board import in_play
from fc_env.rules.fire import density_between, torpedo_column
from fc_env.rules.flaws import is_blind, lowered
from fc_env.ruleset import LADDER
from fc_env.state import MAX_SHIPS, SEATS, SHIP, Flaw

MOST_BONUS = 6
"""Of ``torpedo_beside_bonus``."""
MOST_ATTACK = LADDER[-1] + MOST_BONUS
MOST_LOST = LADDER[-1]
"""Of what an attack loses on the way: no roll is left beyond it."""


def _sums_over_attacks() -> np.ndarray:
    """Sums over all attacks up to some value of the mean damage and of the chance of a hit, by shields die, by what is
    taken off its roll, and by that value: float64 (2, 21, 2, MOST_ATTACK + 1), by enumeration.

    The mean over a die with a bonus is the difference of two of them, divided by its faces.
    """
    sums = np.zeros((2, LADDER[-1] + 1, 2, MOST_ATTACK + 1))
    rolls, attacks = range(1, LADDER[-1] + 1), range(MOST_ATTACK + 1)
    damage = np.array([[plain(damage_of)(attack, roll) for roll in rolls] for attack in attacks])
    ship = np.zeros(1, SHIP).view(np.recarray)[0]
    for less, flaw in enumerate((Flaw.NONE, Flaw.SIMPLY_MEDIOCRE)):
        ship.flaw = flaw
        counts = np.array([plain(lowered)(ship, roll) for roll in rolls])
        for die in LADDER:
            met = damage[:, counts[:die] - 1]
            sums[:, die, less] = met.mean(axis=1), (met > 0).mean(axis=1)
    return sums.cumsum(axis=3)


def _means_over_attacks(sums: np.ndarray) -> np.ndarray:
    """Means over an attack die of ``_sums_over_attacks``, float64 (21, 2, MOST_ATTACK + 1), by that die, by what is
    taken off its roll, and by the bonus less what is lost on the way, from -20 on: float64 (21, 21, 2, 2, 27)."""
    means = np.zeros((LADDER[-1] + 1, LADDER[-1] + 1, 2, 2, MOST_ATTACK + 1))
    for die, less, place in itertools.product(LADDER, range(2), range(MOST_ATTACK + 1)):
        bonus = place - MOST_LOST
        least = max(bonus, 0)
        total = sums[..., max(bonus + die - less, 0)] - sums[..., least]
        if less:  # a roll of 1 counts 1 all the same
            total = total + (sums[..., max(bonus + 1, 0)] - sums[..., least])
        means[:, die, :, less, place] = total / die
    return means


_DAMAGE, _HITS = (_means_over_attacks(sums) for sums in _sums_over_attacks())


@jit
def mean_damage(attack_die: int, bonus: int, shields_faces: int, lost: int, less: int, shields_less: int) -> float:
    """FIR-1, FIR-2. Mean damage of an attack: a die of the ladder, plus a bonus 0..6, minus what is ``lost`` on the
    way, against a shields die. ``less`` and ``shields_less`` are what flaws take off the rolls, see ``roll_less``."""
    return _DAMAGE[shields_faces, attack_die, shields_less, less, max(bonus - lost + MOST_LOST, 0)]


@jit
def hit_odds(attack_die: int, bonus: int, shields_faces: int, lost: int, less: int, shields_less: int) -> float:
    """FIR-1, FIR-2. Chance that such an attack does damage."""
    return _HITS[shields_faces, attack_die, shields_less, less, max(bonus - lost + MOST_LOST, 0)]


@jit
def roll_less(ship) -> int:
    """What a ship's own flaw takes off an attack or shields roll, 0 or 1 (COR-23)."""
    return 2 - lowered(ship, 2)


@jit
def attenuation_between(game, ship, target) -> int:
    """FIR-2, FIR-3. What an attack roll of one ship at another loses on the way."""
    return -attenuated(0, density_between(game, ship, target), game.rules.attenuation)


# ---- all lines of fire between two sides

_UNIT = 1024  # more than all markers at the greatest attenuation take off
NO_LINE = (LADDER[-1] + 1) * _UNIT
"""The line to a ship that cannot be fired at: out of play, beyond what the firer could reach, or in a blind spot."""


@jit
def reach_of(game, ship) -> int:
    """Hexes that the farthest of a ship's weapons reaches with any of its dice (FIR-4 to FIR-6); -1 for none."""
    if not in_play(ship):
        return -1
    reach = ship.power_dice[2] if ship.volleys > 0 or ship.torpedoes > 0 else -1
    if ship.lasers > 0 and game.rules.laser_attack_die > 0:
        reach = max(reach, game.rules.laser_range)
    return reach


@jit
def find_pairs(game, seat: int, scratch) -> int:
    """List the ships of the given seat and of the other that reach one another, either way, in the order of their
    indices: ``scratch.pairs``, as ``index * MAX_SHIPS + other``; returns how many. Notes ``scratch.reach``."""
    for side in range(SEATS):
        for index in range(game.n_ships[side]):
            scratch.reach[side, index] = reach_of(game, game.ships[side, index])
    found = 0
    for index in range(game.n_ships[seat]):
        ship, reach = game.ships[seat, index], scratch.reach[seat, index]
        if not in_play(ship):
            continue
        for other in range(game.n_ships[1 - seat]):
            enemy = game.ships[1 - seat, other]
            near = distance(ship.q, ship.r, enemy.q, enemy.r) <= max(reach, scratch.reach[1 - seat, other])
            scratch.pairs[found] = index * MAX_SHIPS + other
            found += near & in_play(enemy)  # no branch, since nobody could foretell it
    return found


@jit
def find_lines(game, seat: int, scratch) -> int:
    """All lines of fire, ``scratch.lines[side, firer, target]``; side 0 is the given seat's. A line tells how far it is
    and what an attack loses along it, and of two lines the smaller comes first in FIR-4. Returns the number of pairs
    of ships with lines, see ``find_pairs``."""
    lines, reach = scratch.lines, scratch.reach
    lines[:] = NO_LINE
    found = find_pairs(game, seat, scratch)
    for place in range(found):
        index, other = scratch.pairs[place] // MAX_SHIPS, scratch.pairs[place] % MAX_SHIPS
        ship, enemy = game.ships[seat, index], game.ships[1 - seat, other]
        far = distance(ship.q, ship.r, enemy.q, enemy.r)
        line = line_of(far, attenuation_between(game, ship, enemy))
        if far <= reach[seat, index] and not is_blind(ship, enemy.q, enemy.r):
            lines[0, index, other] = line
        if far <= reach[1 - seat, other] and not is_blind(enemy, ship.q, ship.r):
            lines[1, other, index] = line
    return found


@jit
def line_of(hexes: int, lost: int) -> int:
    """The line of fire that is so many hexes long and takes so much off an attack."""
    return hexes * _UNIT + lost


@jit
def hexes_along(line: int) -> int:
    """Hexes from end to end of a line of fire."""
    return line // _UNIT


@jit
def lost_along(line: int) -> int:
    """What an attack roll loses along a line of fire (FIR-2)."""
    return line % _UNIT


@jit
def nearer_targets(lines, n: int, target: int) -> int:
    """FIR-4. How many of a ship's ``n`` lines, int64 (MAX_SHIPS,), lead to targets that come before one."""
    before = 0
    for other in range(n):
        before += lines[other] < lines[target] or (lines[other] == lines[target] and other < target)
    return before


NO_ARC, DEAD_AHEAD, BESIDE = 0, 1, 2


@jit
def torpedo_arc(game, ship, q: int, r: int) -> int:
    """FIR-5. DEAD_AHEAD, BESIDE or NO_ARC: how a hex lies to the rows that a ship's torpedoes go along."""
    column = torpedo_column(game, ship, q, r)
    if column < 0:
        return NO_ARC
    return DEAD_AHEAD if column == 0 else BESIDE


@jit
def torpedo_bears(game, firer, q: int, r: int) -> int:
    """FIR-5. The ``torpedo_arc`` of a ship that has torpedoes which work; NO_ARC for others."""
    return torpedo_arc(game, firer, q, r) if firer.torpedoes > 0 and not firer.jammed else NO_ARC


@jit
def is_torpedo_target(game, firer, side: int, index: int, lines, arc: int, weapons_die: int) -> bool:
    """FIR-5. Whether a ship's torpedo goes at the ship ``index`` of a side, on which it bears along ``arc``; ``lines``
    are the firer's, int64 (MAX_SHIPS,)."""
    if arc == NO_ARC or hexes_along(lines[index]) > weapons_die:
        return False
    for other in range(game.n_ships[side]):
        if other == index or hexes_along(lines[other]) > weapons_die:
            continue
        rival = game.ships[side, other]
        its_arc = torpedo_arc(game, firer, rival.q, rival.r)
        if its_arc != NO_ARC and its_arc < arc:
            return False
        nearer = lines[other] < lines[index] or (lines[other] == lines[index] and other < index)
        if its_arc == arc and nearer:
            return False
    return True


# ---- what a ship's weapons do to one enemy


@jit
def lasers_bear(game, firer, line: int) -> bool:
    """FIR-6. Whether a ship's lasers reach along a line of fire."""
    return firer.lasers > 0 and game.rules.laser_attack_die > 0 and hexes_along(line) <= game.rules.laser_range


@jit
def weapons_damage(game, firer, target, line: int, arc: int, weapons_die: int, shields_faces: int):
    """FIR-4 to FIR-6. Mean damage of one phaser volley, of the torpedo, which bears along ``arc``, and of all lasers of
    a ship along a line of fire to another; 0 for what does not bear."""
    volley, torpedo, lasers = 0.0, 0.0, 0.0
    shields, lost = shields_die(target, shields_faces, firer.q, firer.r), lost_along(line)
    less, shields_less = roll_less(firer), roll_less(target)
    if hexes_along(line) <= weapons_die:
        if firer.volleys > 0:
            volley = mean_damage(weapons_die, 0, shields, lost, less, shields_less)
        if arc == DEAD_AHEAD:
            die = stepped(weapons_die, game.rules.torpedo_centre_steps)
            torpedo = mean_damage(die, 0, shields, lost, less, shields_less)
        elif arc == BESIDE:
            bonus = game.rules.torpedo_beside_bonus
            torpedo = mean_damage(weapons_die, bonus, shields, lost, less, shields_less)
    if lasers_bear(game, firer, line):
        lasers = firer.lasers * mean_damage(game.rules.laser_attack_die, 0, shields, lost, less, shields_less)
    return volley, torpedo, lasers


@jit
def volley_odds(firer, target, line: int, weapons_die: int, shields_faces: int) -> float:
    """FIR-4. Chance that one phaser volley along a line of fire does damage; 0 out of range."""
    if hexes_along(line) > weapons_die or firer.volleys == 0:
        return 0.0
    shields = shields_die(target, shields_faces, firer.q, firer.r)
    return hit_odds(weapons_die, 0, shields, lost_along(line), roll_less(firer), roll_less(target))


@jit
def alpha_strike_damage(firer, line: int, weapons_die: int, volley: float, torpedo: float, lasers: float) -> float:
    """FIR-7. Mean damage of an Alpha Strike, given what each weapon does; 0 without a phaser in range."""
    if hexes_along(line) > weapons_die or firer.volleys == 0:
        return 0.0
    return firer.volleys * volley + torpedo + lasers


@jit
def open_fire_damage(firer, before: int, aimed: bool, volley: float, torpedo: float, lasers: float) -> float:
    """FIR-4 to FIR-6. Mean damage to one enemy of fire at the targets of the rules, given what each weapon does:
    ``before`` are its ``nearer_targets``, ``aimed`` says whether it is the torpedo's target."""
    damage = volley if before < firer.volleys else 0.0
    if aimed:
        damage += torpedo
    if before == 0:
        damage += lasers
    return damage
