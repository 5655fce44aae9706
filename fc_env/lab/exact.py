"""Exact chances from the words of the rules, by enumeration in fractions.

Nothing here is shared with the engine or with the tables of ``fc_env.odds``, so that the one can be held against the
other. ``Chances`` is a distribution: whole numbers and how likely each is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

Chances = dict[int, Fraction]


def die(faces: int) -> Chances:
    """A fair die."""
    return {face: Fraction(1, faces) for face in range(1, faces + 1)}


def combined(of: Callable[..., int], *parts: Chances) -> Chances:
    """What ``of`` makes of independent numbers."""
    found: defaultdict[int, Fraction] = defaultdict(Fraction)
    for numbers in product(*parts):
        chance = Fraction(1)
        for part, number in zip(parts, numbers, strict=True):
            chance *= part[number]
        found[of(*numbers)] += chance
    return dict(sorted(found.items()))


def dice(number: int, faces: int) -> Chances:
    """The sum of so many dice; 0 without any."""
    total: Chances = {0: Fraction(1)}
    for _ in range(number):
        total = combined(lambda one, other: one + other, total, die(faces))
    return total


def hit(density: int, avoid_die: int) -> Chances:
    """CON-1: 1 for a hit, 0 for none: the die must come above the density."""
    return combined(lambda roll: int(roll <= density), die(avoid_die))


def contact_damage(damage_die: int, laser_die: int, lasers: int) -> Chances:
    """CON-2: hull damage of a hit, less a die for each laser, not below 0."""
    return combined(lambda damage, off: max(damage - off, 0), die(damage_die), dice(lasers, laser_die))


def attack_damage(weapons_die: int, bonus: int, shields_die: int, off: int) -> Chances:
    """FIR-1, FIR-2: the attack roll, with its bonus and less what the field takes off, divided by the shields roll if
    it is above that; else nothing."""

    def damage(weapons: int, shields: int) -> int:
        attack = weapons + bonus - off
        return attack // shields if attack > shields else 0

    return combined(damage, die(weapons_die), die(shields_die))


def hull_after(hull: int, contacts: Sequence[Chances], damage: Chances) -> Chances:
    """Hull left after contacts one by one, each a hit or not, and each hit of some damage; never below 0 (DOOM-1)."""
    left: Chances = {hull: Fraction(1)}
    for contact in contacts:
        lost = combined(lambda is_hit, points: is_hit * points, contact, damage)
        left = combined(lambda had, points: max(had - points, 0), left, lost)
    return left


def doom(flagship: bool) -> Chances:
    """DOOM-2: the doom roll: a d6, of a flagship 2d6."""
    return dice(2 if flagship else 1, 6)
