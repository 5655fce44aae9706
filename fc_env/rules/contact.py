"""Contact of a ship with a marker (rules.md section 3)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules import doom, flaws
from fc_env.rules.damage import suffer
from fc_env.state import MAX_SHIPS


@jit
def is_hit(roll: int, density: int) -> bool:
    """CON-1, CON-3. Above the density is safe; so density 6 cannot be avoided on a d6."""
    return roll <= density


@jit
def hull_damage(damage_roll: int, lasers_roll: int) -> int:
    """CON-2. The damage die less what the lasers take off, not below 0; shields do not help."""
    return max(damage_roll - lasers_roll, 0)


@jit
def roll_lasers(game, tape, ship) -> int:
    """The sum of one die for each laser (CON-2)."""
    total = 0
    for laser in range(ship.lasers):
        nth = ship.contacts * 256 + laser
        total += dice.roll(game, tape, Purpose.LASER, ship.token, nth, game.rules.laser_reduction_die)
    return total


@jit
def contact(game, tape, seat: int, index: int, marker: int, avoid_die: int) -> None:
    """Roll for a ship in a hex with a marker (CON-1, CON-2); what happens at 0 hull comes later (CON-4)."""
    ship = game.ships[seat, index]
    density = game.markers[marker].density
    roll = dice.roll(game, tape, Purpose.AVOID, ship.token, ship.contacts, avoid_die)
    hit = is_hit(flaws.told(game, tape, seat, index, roll, flaws.sensed(ship, roll)), density)
    events.write(game, tape, Rule.CON_1, seat, index, marker, ship.q, ship.r, roll, 1 if hit else 0)
    if is_hit(flaws.sensed(ship, avoid_die), density):
        events.write(game, tape, Rule.CON_3, seat, index, marker, ship.q, ship.r, roll, avoid_die)
    if hit:
        faces = game.rules.contact_damage_die
        damage_roll = dice.roll(game, tape, Purpose.CONTACT_DAMAGE, ship.token, ship.contacts, faces)
        lost = suffer(game, tape, seat, index, hull_damage(damage_roll, roll_lasers(game, tape, ship)))
        events.write(game, tape, Rule.CON_2, seat, index, marker, ship.q, ship.r, damage_roll, lost)
    ship.contacts += 1


@jit
def contact_by_marker(game, tape, piece: int, marker: int) -> None:
    """DRF-2. A drifting marker meets a ship (``seat * MAX_SHIPS + index``); it is settled at once, a blast too."""
    seat, index = piece // MAX_SHIPS, piece % MAX_SHIPS
    ship = game.ships[seat, index]
    events.write(game, tape, Rule.DRF_2, seat, index, marker, ship.q, ship.r, -1, game.markers[marker].density)
    contact(game, tape, seat, index, marker, game.rules.avoid_die)
    doom.settle(game, tape, seat, index)
    doom.blasts(game, tape)
