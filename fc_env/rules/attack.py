"""One attack on one ship (rules.md section 5)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.jit import jit
from fc_env.rules.damage import suffer
from fc_env.rules.power import SHIELDS, die_of

TOKENS = 64
"""More than any ship's token, so that a token and a number make one number."""


@jit
def damage_of(attack: int, shields: int) -> int:
    """FIR-1. Damage of an attack above the shields: the one divided by the other; else none."""
    return attack // shields if attack > shields else 0


@jit
def attenuated(roll: int, density: int, attenuation: int) -> int:
    """FIR-2. An attack roll less the density that the fire passes through."""
    return roll - density * attenuation


@jit
def strike(game, tape, rule: int, firer, seat: int, index: int, nth: int, faces: int, bonus: int, density: int) -> int:
    """One attack of a ship on the ship ``index`` of a seat, through a density; returns the attack die's roll.

    ``nth`` numbers the firer's attacks of this turn, ``bonus`` is added to the roll.
    """
    target = game.ships[seat, index]
    roll = dice.roll(game, tape, Purpose.ATTACK, firer.token, nth, faces)
    attack = attenuated(roll + bonus, density, game.rules.attenuation)
    shields = dice.roll(game, tape, Purpose.SHIELDS, target.token, nth * TOKENS + firer.token, die_of(target, SHIELDS))
    lost = suffer(game, tape, seat, index, damage_of(attack, shields))
    events.write_ship(game, tape, rule, seat, index, roll, lost)
    return roll
