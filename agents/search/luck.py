"""Luck: what fire did in a simulated game beyond what was to be expected of it, which is no merit of an action.

Taking it off makes the simulations of one action agree better with one another (as backgammon players judge rolls).
"""

from __future__ import annotations

import math

from agents.captain_worth import alpha_damage, sight
from agents.search.room import PLAY
from agents.search.worth import shares
from fc_env import actions as act
from fc_env import playout
from fc_env.jit import jit
from fc_env.odds import SHIELDS, WEAPONS, die_of
from fc_env.odds_cards import is_black
from fc_env.odds_fire import (
    NO_LINE,
    is_torpedo_target,
    nearer_targets,
    open_fire_damage,
    torpedo_bears,
    weapons_damage,
)
from fc_env.state import Phase


@jit
def fires(game, action: int) -> bool:
    """Whether an action is fire: an Alpha Strike once its target is chosen, or other fire on a red card."""
    if game.phase == Phase.TARGET:
        return True
    return game.phase == Phase.CARD and action >= act.ACT and action < act.MANOEUVRE and not is_black(game.card)


@jit
def most(enemy, damage: float) -> float:
    """Mean hull that a mean damage takes from a ship."""
    return enemy.hull * (1.0 - math.exp(-damage / enemy.hull)) if enemy.hull > 0 else 0.0


@jit
def expected(room, action: int, index: int) -> float:
    """Hull points that an action in ``room.games[PLAY]``, fire by the ship ``index``, is expected to take."""
    game = room.games[PLAY]
    playout.look(room.games, PLAY, game.actor, room.eyes)
    eye, lines = room.eyes[0], room.mind.lines
    ship = eye.ships[0, index]
    weapons = die_of(ship, WEAPONS)
    sight(eye, ship, weapons, True, room.mind)
    if game.phase == Phase.TARGET:
        enemy = eye.ships[1, action - act.TARGET]
        arc = torpedo_bears(eye, ship, enemy.q, enemy.r)
        line = lines[action - act.TARGET]
        if line == NO_LINE:
            return 0.0
        return most(enemy, alpha_damage(eye, ship, enemy, line, arc, weapons, die_of(enemy, SHIELDS)))
    total = 0.0
    for other in range(eye.n_ships[1]):
        line, enemy = lines[other], eye.ships[1, other]
        if line == NO_LINE:
            continue
        arc = torpedo_bears(eye, ship, enemy.q, enemy.r)
        aimed = is_torpedo_target(eye, ship, 1, other, lines, arc, weapons)
        volley, torpedo, lasers = weapons_damage(eye, ship, enemy, line, arc, weapons, die_of(enemy, SHIELDS))
        before = nearer_targets(lines, eye.n_ships[1], other)
        total += most(enemy, open_fire_damage(ship, before, aimed, volley, torpedo, lasers))
    return total


@jit
def hull_of(game, seat: int) -> float:
    """Hull points of all ships of a side."""
    total = 0.0
    for index in range(game.n_ships[seat]):
        total += game.ships[seat, index].hull
    return total


@jit
def take(room, action: int) -> float:
    """Take an action in ``room.games[PLAY]``; returns by how much more of its hull the enemy lost to that fire than was
    to be expected, less the same of seat 0, in shares of hull."""
    game = room.games[PLAY]
    if game.phase == Phase.CARD and action >= act.MANOEUVRE and not is_black(game.card):
        playout.do(game, action)
        action = playout.sole_action(game)
        if action < 0:
            return 0.0  # it has a choice of targets
    if not fires(game, action):
        playout.take(game, action)
        return 0.0
    seat, index = game.actor, game.asked if game.phase == Phase.TARGET else action - act.ACT
    if game.ships[seat, index].hull == 0:  # its doom may forbid it to fire
        playout.take(game, action)
        return 0.0
    wanted = expected(room, action, index)
    before = hull_of(game, 1 - seat)
    playout.do(game, action)
    done = before - hull_of(game, 1 - seat)
    playout.play_on(game)
    full, _ = shares(game, 1 - seat)
    luck = (done - wanted) / max(full, 1.0)
    return luck if seat == 0 else -luck
