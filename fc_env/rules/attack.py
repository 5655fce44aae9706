"""One attack on one ship (rules.md section 5)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules.damage import suffer
from fc_env.rules.flaws import lies_along, lowered, told
from fc_env.rules.power import SHIELDS, die_of
from fc_env.state import Flaw

TOKENS = 256
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
def shields_die(target, faces: int, q: int, r: int) -> int:
    """Faces of a ship's shields die against an attack from a hex: one step smaller along a shield flaw (COR-23)."""
    if target.flaw == Flaw.SHIELD_FLAW and lies_along(target, q, r):
        return dice.stepped(faces, -1)
    return faces


@jit
def strike(
    game, tape, seat: int, index: int, side: int, target: int, nth: int, roll: int, bonus: int, density: int
) -> int:
    """One attack of ship ``index`` of ``seat`` on ship ``target`` of ``side``, through a density; the hull lost.

    ``roll`` is the attack die and ``bonus`` is added to it; ``nth`` numbers the attacker's attacks of this turn.
    """
    attacker, struck = game.ships[seat, index], game.ships[side, target]
    attack = told(game, tape, seat, index, roll, lowered(attacker, roll)) + bonus
    if density > 0:
        events.write_ship(game, tape, Rule.FIR_2, seat, index, roll, density * game.rules.attenuation)
    faces = shields_die(struck, die_of(struck, SHIELDS), attacker.q, attacker.r)
    if faces != die_of(struck, SHIELDS):
        events.write_ship(game, tape, Rule.COR_23, side, target, -1, struck.flaw)
    shields = dice.roll(game, tape, Purpose.SHIELDS, struck.token, nth * TOKENS + attacker.token, faces)
    shields = told(game, tape, side, target, shields, lowered(struck, shields))
    damage = damage_of(attenuated(attack, density, game.rules.attenuation), shields)
    lost = suffer(game, tape, side, target, damage)
    events.write_ship(game, tape, Rule.FIR_1, side, target, roll, lost)
    return lost
