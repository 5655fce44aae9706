"""The captain in haste: the same worths, but of each move only the mean roll straight ahead, ten times as fast.

It is what both sides of a simulated game go by.
"""

from __future__ import annotations

from agents.captain import best_power, best_slip, drifting, flight, may_alpha
from agents.captain_worth import best_alpha, fire_worth, rest, sight, survey, threat
from fc_env import actions as act
from fc_env import odds
from fc_env.hexgrid import distance
from fc_env.jit import jit
from fc_env.odds import SHIELDS, WEAPONS, die_of, in_play
from fc_env.odds_cards import before_joker, is_black, jokers_left, useful_cards
from fc_env.state import Order, Phase, Slip

LMH, MHL, HLM = 1, 4, 5
"""Ways to give power: to move, to fire, and between the two."""
CLOSING = 3
"""Hexes beyond the range of a ship's best die from which it may be under fire next turn."""


@jit
def hasty_power(game, ship, mind) -> int:
    """The way that a captain mostly chooses, by how far the nearest enemy is; in a crossing the captain's own."""
    near, enemies = 1000, 0
    for index in range(game.n_ships[1]):
        enemy = game.ships[1, index]
        if in_play(enemy):
            near = min(near, distance(ship.q, ship.r, enemy.q, enemy.r))
            enemies += 1
    if enemies == 0:
        survey(game, mind)
        return best_power(game, ship, mind)
    if near <= ship.power_dice[2]:
        return MHL
    return HLM if near <= ship.power_dice[2] + CLOSING else LMH


@jit
def mean_move(game, ship, order: int, move_die: int, avoid_die: int, shields: int, settled: bool, mind) -> float:
    """Worth of a move of the mean roll, straight ahead."""
    hexes = (move_die + 1) // (2 * ship.slowness)
    if hexes == 0 or order == Order.DRIFT or order == Order.NONE:
        return drifting(game, ship, order, avoid_die, shields, settled, mind)
    return flight(game, ship, order, hexes, Slip.STRAIGHT, avoid_die, shields, settled, mind)


@jit
def hasty_order(game, ship, mind) -> int:
    """The marker whose mean move is worth most."""
    move_die, shields = odds.movement_die(game, ship, False), die_of(ship, SHIELDS)
    best, which = -1e9, 0
    for order in range(Order.FORWARD, Order.DRIFT + 1):
        worth = mean_move(game, ship, order, move_die, game.rules.avoid_die, shields, False, mind)
        if worth > best:
            best, which = worth, order
    return which


@jit
def gain_on_card(game, ship, index: int, mask, mind):
    """What a ship gains by acting on the open card over waiting, and its action there."""
    shields, weapons = die_of(ship, SHIELDS), die_of(ship, WEAPONS)
    wait = drifting(game, ship, Order.DRIFT, game.rules.avoid_die, shields, True, mind)
    stays = threat(game, ship, shields, True, mind) + rest(game, ship, True, mind)
    fired = fire_worth(game, ship, weapons, may_alpha(ship, mind) or not mask[act.ACT + index], True, mind)
    move_die = odds.movement_die(game, ship, False)
    avoid_die = odds.contact_die(game, ship, not mask[act.ACT + index])
    moved = mean_move(game, ship, ship.order, move_die, avoid_die, shields, True, mind)
    jokers = jokers_left(game)
    red = before_joker(useful_cards(game, ship, False), jokers)
    black = before_joker(useful_cards(game, ship, True), jokers)
    later = max(wait, black * moved + (1.0 - black) * wait)
    if fired > 0.0:
        later = max(later, red * (fired + stays) + (1.0 - red) * wait)
    if is_black(game.card):
        return moved - later, act.ACT + index if mask[act.ACT + index] else act.MANOEUVRE + index
    gain = fired + stays - later if fired > 0.0 else -1.0
    return gain, act.MANOEUVRE + index if mask[act.MANOEUVRE + index] else act.ACT + index


@jit
def hasty(game, mask, mind) -> int:
    """The action of the side that a game is shown to, GAME () as ``playout.look`` writes it; legal by the mask."""
    if game.phase == Phase.POWER:
        return act.POWER + hasty_power(game, game.ships[0, game.asked], mind) - 1
    survey(game, mind)
    if game.phase == Phase.CARD:
        best, which = 0.0, act.PASS
        for index in range(game.n_ships[0]):
            if mask[act.ACT + index] or mask[act.MANOEUVRE + index]:
                gain, action = gain_on_card(game, game.ships[0, index], index, mask, mind)
                if gain > best:
                    best, which = gain, action
        return which
    ship = game.ships[0, game.asked]
    if game.phase == Phase.ORDERS:
        return act.ORDER + hasty_order(game, ship, mind) - Order.FORWARD
    if game.phase == Phase.TARGET:
        weapons = die_of(ship, WEAPONS)
        sight(game, ship, weapons, True, mind)
        target = best_alpha(game, ship, weapons, mind)[1]
        return act.TARGET + target if target >= 0 else mask.argmax()
    shields, avoid_die = die_of(ship, SHIELDS), game.move_avoid_die
    slip = best_slip(game, ship, ship.order, game.move_hexes, avoid_die, shields, True, mind)[1]
    return act.SLIP + slip if mask[act.SLIP + slip] else mask.argmax()
