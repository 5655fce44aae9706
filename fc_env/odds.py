"""Exact questions anyone may ask: contact, drift, damage, reach.

Chances are exact for one marker and one ship. Where several markers matter, their contacts are taken one by
one and the rare displacement of a marker by another (DRF-3) is left out; ``lab`` style simulation answers that.
"""

from __future__ import annotations

import itertools

import numpy as np

from fc_env.dice import stepped
from fc_env.hexgrid import distance, on_map, steps_ahead
from fc_env.jit import jit, plain
from fc_env.rules.board import in_play, marker_at
from fc_env.rules.contact import hull_damage, is_hit
from fc_env.rules.flaws import is_blind
from fc_env.rules.movement import contact_die, hexes_of, movement_die, slip_heading
from fc_env.rules.power import DICE_OF_WAYS, MOVEMENT, SHIELDS, WAYS, WEAPONS, die_of
from fc_env.ruleset import LADDER
from fc_env.state import MAX_DENSITY


def _hit_chances() -> np.ndarray:
    """Chances by density and by die of ``hit_chance``, float64 (MAX_DENSITY + 1, 21), by enumeration."""
    chances = np.zeros((MAX_DENSITY + 1, LADDER[-1] + 1))
    for density, die in itertools.product(range(MAX_DENSITY + 1), range(1, LADDER[-1] + 1)):
        chances[density, die] = sum(plain(is_hit)(roll, density) for roll in range(1, die + 1)) / die
    return chances


_HIT = _hit_chances()


@jit
def hit_chance(density: int, die: int) -> float:
    """CON-1. Chance of a hit on contact with a marker of a density, on an avoid die of ``die`` faces."""
    return _HIT[density, die]


def damage_distribution(damage_die: int, laser_die: int, lasers: int) -> np.ndarray:
    """CON-2. Chance of each damage 0..damage_die of a hit, float64 (damage_die + 1,), by enumeration of all dice."""
    lasers_total: dict[int, int] = {0: 1}
    for _ in range(lasers):
        following: dict[int, int] = {}
        for (total, ways), roll in itertools.product(lasers_total.items(), range(1, laser_die + 1)):
            following[total + roll] = following.get(total + roll, 0) + ways
        lasers_total = following
    counts = np.zeros(damage_die + 1)
    for roll in range(1, damage_die + 1):
        for total, ways in lasers_total.items():
            counts[hull_damage(roll, total)] += ways
    chances: np.ndarray = counts / counts.sum()
    return chances


def kill_chances(damage_die: int, laser_die: int, lasers: int, full_hull: int) -> np.ndarray:
    """Chance that one hit takes all of 0..full_hull hull points, float64 (full_hull + 1,)."""
    at_least = damage_distribution(damage_die, laser_die, lasers)[::-1].cumsum()[::-1]
    chances = np.zeros(full_hull + 1)
    within = min(full_hull, damage_die)
    chances[: within + 1] = at_least[: within + 1]
    return chances


def _next_drifts(most: int) -> np.ndarray:
    """Chances by die and by steps of ``enters_next``, float64 (most + 1, most + 1), by enumeration."""
    chances = np.zeros((most + 1, most + 1))
    for die in range(1, most + 1):
        chances[die, 1 : die + 1] = np.arange(die, 0, -1) / die
    return chances


_NEXT = _next_drifts(LADDER[-1])


@jit
def enters_next(steps: int, die: int) -> float:
    """DRF-1. Chance that a marker's next drift takes it into or past the hex ``steps`` (1 or more) ahead of it."""
    return _NEXT[die, steps] if steps <= die else 0.0


def _second_drifts(most: int) -> np.ndarray:
    """Chances by die and by steps of ``enters_second``, float64 (most + 1, 2 * most + 1), by enumeration."""
    chances = np.zeros((most + 1, 2 * most + 1))
    for die in range(1, most + 1):
        for first, later in itertools.product(range(1, die + 1), repeat=2):
            chances[die, first + 1 : first + later + 1] += 1 / die**2
    return chances


_SECOND = _second_drifts(LADDER[-1])


@jit
def enters_second(steps: int, die: int) -> float:
    """Chance that a marker enters, in its second drift from now, the hex ``steps`` (1 or more) ahead of it."""
    return _SECOND[die, steps] if steps <= 2 * die else 0.0


@jit
def lands_next(steps: int, die: int) -> float:
    """DRF-1. Chance that a marker's next drift ends ``steps`` (1 or more) ahead of it."""
    return 1.0 / die if steps <= die else 0.0


@jit
def density_at(game, q: int, r: int) -> int:
    """Density of the marker in a hex, 0 if there is none (MAP-4)."""
    marker = marker_at(game, q, r)
    return game.markers[marker].density if marker >= 0 else 0


@jit
def drift_hits(game, q: int, r: int, second: bool) -> float:
    """Hits a ship in a hex has to expect from the next drift, or from the one after it (``second``)."""
    die = game.rules.drift_die
    hits = 0.0
    for index in range(game.n_markers):
        marker = game.markers[index]
        if distance(marker.q, marker.r, q, r) > 2 * die:
            continue
        steps = steps_ahead(marker.q, marker.r, marker.facing, q, r)
        if steps >= 1:
            chance = enters_second(steps, die) if second else enters_next(steps, die)
            hits += chance * hit_chance(marker.density, game.rules.avoid_die)
    return hits


@jit
def landing_hits(game, q: int, r: int, avoid_die: int) -> float:
    """Hits to expect on entering a hex after the next drift, from the markers that may have come to rest there."""
    die = game.rules.drift_die
    hits = 0.0
    for index in range(game.n_markers):
        marker = game.markers[index]
        if distance(marker.q, marker.r, q, r) > die:
            continue
        steps = steps_ahead(marker.q, marker.r, marker.facing, q, r)
        if steps >= 1:
            hits += lands_next(steps, die) * hit_chance(marker.density, avoid_die)
    return hits


@jit
def entering_hits(game, q: int, r: int, avoid_die: int) -> float:
    """MOV-6. Hits to expect on entering a hex now."""
    density = density_at(game, q, r)
    return hit_chance(density, avoid_die) if density else 0.0


__all__ = [
    "DICE_OF_WAYS", "MOVEMENT", "SHIELDS", "WAYS", "WEAPONS", "contact_die", "damage_distribution", "density_at",
    "die_of", "drift_hits", "entering_hits", "enters_next", "enters_second", "hexes_of", "hit_chance", "in_play",
    "is_blind", "kill_chances", "landing_hits", "lands_next", "movement_die", "on_map", "slip_heading", "stepped",
]  # fmt: skip
