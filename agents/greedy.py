"""``greedy``: the action that is worth most right away, by exact expected values.

It weighs what the captain weighs, over all rolls: what its fire may do, what the enemy's may, the asteroids on the way
and in the next drift, and where a move leads. But it never thinks of a later card: a ship acts as soon as that is worth
more than to stay as it is. That makes it a good deal weaker, and a yardstick of what patience is worth.
"""

from __future__ import annotations

import numpy as np

from agents.captain import Captain, best_of_ship, best_order, may_alpha, moving
from agents.captain_worth import fire_worth, rest, survey, threat
from agents.protocol import Agent, no_argument
from fc_env import actions as act
from fc_env import odds
from fc_env.jit import jit, kernel_view
from fc_env.odds import DICE_OF_WAYS, MOVEMENT, SHIELDS, WAYS, WEAPONS, die_of
from fc_env.odds_cards import is_black
from fc_env.state import Phase


@jit
def best_power(game, ship, mind) -> int:
    """The way after which the best marker, or fire from where the ship is, is worth most."""
    best, which = -1e9, 1
    for way in range(1, WAYS + 1):
        shields = ship.power_dice[DICE_OF_WAYS[way, SHIELDS]]
        weapons = ship.power_dice[DICE_OF_WAYS[way, WEAPONS]]
        worth = best_order(game, ship, ship.power_dice[DICE_OF_WAYS[way, MOVEMENT]], shields, mind)[0]
        fired = fire_worth(game, ship, weapons, may_alpha(ship, mind), False, mind)
        if fired > 0.0:
            worth = max(worth, fired + threat(game, ship, shields, False, mind) + rest(game, ship, False, mind))
        if worth > best:
            best, which = worth, way
    return which


@jit
def gain(game, ship, black: bool, manoeuvre: bool, mind) -> float:
    """What a ship's activation on the open card is worth more than staying as it is."""
    shields = die_of(ship, SHIELDS)
    if not black:
        return fire_worth(game, ship, die_of(ship, WEAPONS), manoeuvre, True, mind)
    stays = threat(game, ship, shields, True, mind) + rest(game, ship, True, mind)
    move_die = odds.movement_die(game, ship, manoeuvre)
    avoid_die = odds.contact_die(game, ship, manoeuvre)
    return moving(game, ship, ship.order, move_die, avoid_die, shields, True, mind) - stays


@jit
def best_on_card(game, mask, mind) -> int:
    """The activation on the open card that is worth most, or to pass if none is worth anything."""
    best, which, black = 0.0, act.PASS, is_black(game.card)
    for index in range(game.n_ships[0]):
        ship = game.ships[0, index]
        for manoeuvre in range(2):
            action = act.MANOEUVRE + index if manoeuvre else act.ACT + index
            if mask[action]:
                worth = gain(game, ship, black, manoeuvre != 0, mind)
                if worth > best:
                    best, which = worth, action
    return which


@jit
def decide(game, mask, mind) -> int:
    """The action of one game."""
    survey(game, mind)
    if game.phase == Phase.CARD:
        return best_on_card(game, mask, mind)
    ship = game.ships[0, max(game.asked, 0)]
    if game.phase == Phase.POWER:
        return act.POWER + best_power(game, ship, mind) - 1
    return best_of_ship(game, ship, mind)


@jit
def _decide_range(games, masks, mind, actions) -> None:
    for i in range(games.shape[0]):
        actions[i] = decide(games[i], masks[i], mind)


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; ``seed`` makes no difference to it."""
    no_argument("greedy", argument)
    captain = Captain(setups)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(masks), np.int64)
        _decide_range(kernel_view(captain.position(observations)), masks, captain.mind, actions)
        legal = masks[np.arange(len(masks)), actions]
        chosen: np.ndarray = np.where(legal, actions, masks.argmax(axis=1))
        return chosen

    return choose
