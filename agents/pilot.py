"""``pilot``: a scripted navigator for crossings.

At each decision it looks one turn ahead. For every power setting, order, and choice on a card it adds up, from
the exact odds, the chance and cost of contact on the way and in the next drift after the move, over all rolls of the
movement die and the best sideslip after each; against that stand the columns gained. It knows only what its
seat may know: it works on the position decoded from its observation.
"""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, no_argument
from fc_env import actions as act
from fc_env import odds
from fc_env.decoder import Decoder
from fc_env.hexgrid import DIRECTIONS, DQ, DR, edges_beyond, on_map, row_of
from fc_env.jit import jit, kernel_view
from fc_env.state import Facing, Order, Phase, Slip

# Weights in units of "one ship lost", tuned on training seeds of the dense field.
PER_COLUMN = 0.012
HURT = 0.35
SIDEWAYS = 0.03
NEAR_RIM = 0.10
LOST = 1.0


@jit
def hit_cost(ship, kills) -> float:
    """What a hit costs: the chance that it kills, and the hull it is likely to take from what is left."""
    return kills[ship.hull] + HURT * (1.0 - kills[ship.hull])


@jit
def standing(game, q: int, r: int, facing: int, cost: float, before_drift: bool, urgency: float) -> float:
    """Worth of resting in a hex with a facing at the end of a turn."""
    worth = PER_COLUMN * urgency * q - cost * odds.drift_hits(game, q, r, before_drift)
    if facing != Facing.NE and facing != Facing.SE:
        worth -= SIDEWAYS * urgency
    # Room to go on: a facing that leads over the northern or southern rim soon must be turned away from.
    row = row_of(q, r)
    to_go = game.width - q
    rows = row if facing == Facing.NE or facing == Facing.N else game.height - 1 - row
    room = 2 * rows + 1
    if room < min(to_go, 6):
        worth -= NEAR_RIM * (1.0 - room / 6.0)
    return worth


@jit
def flight(game, ship, order: int, hexes: int, slip: int, die: int, cost: float, before: bool, urgency: float) -> float:
    """Worth of one move: contacts on the way and what it leads to."""
    q, r, facing = ship.q, ship.r, ship.facing
    worth = 0.0
    for flown in range(1, hexes + 20):
        heading = odds.slip_heading(facing, slip) if flown == hexes else facing
        q, r = q + DQ[heading], r + DR[heading]
        if not on_map(game.width, game.height, q, r):
            if edges_beyond(game.width, game.height, q, r) & game.goal:
                return worth + LOST
            return worth - LOST
        if before:
            worth -= cost * odds.landing_hits(game, q, r, die)
        else:
            worth -= cost * odds.entering_hits(game, q, r, die)
        if flown >= hexes and (before or odds.density_at(game, q, r) == 0):
            break
    if order == Order.RIGHT:
        facing = (facing + 1) % DIRECTIONS
    elif order == Order.LEFT:
        facing = (facing + DIRECTIONS - 1) % DIRECTIONS
    return worth + standing(game, q, r, facing, cost, before, urgency)


@jit
def best_slip(game, ship, order: int, hexes: int, die: int, cost: float, before: bool, urgency: float):
    """The best sideslip of a move of so many hexes: its worth and which."""
    best, which = flight(game, ship, order, hexes, Slip.STRAIGHT, die, cost, before, urgency), 0
    if order == Order.FORWARD and game.rules.sideslip:
        left = flight(game, ship, order, hexes, Slip.LEFT, die, cost, before, urgency)
        right = flight(game, ship, order, hexes, Slip.RIGHT, die, cost, before, urgency)
        if left > best:
            best, which = left, 1
        if right > best:
            best, which = right, 2
    return best, which


@jit
def drifting(game, ship, order: int, die: int, cost: float, before: bool, urgency: float) -> float:
    """Worth of a drift, which keeps the facing unless the ship is activated with a turn marker."""
    if game.rules.drift_hexes == 0:
        return standing(game, ship.q, ship.r, ship.facing, cost, before, urgency)
    return flight(game, ship, order, game.rules.drift_hexes, Slip.STRAIGHT, die, cost, before, urgency)


@jit
def moving(game, ship, order: int, move_die: int, die: int, cost: float, before: bool, urgency: float) -> float:
    """Worth of an activation to move, over all rolls of the movement die."""
    if order == Order.DRIFT:
        return drifting(game, ship, order, die, cost, before, urgency)
    total = 0.0
    for roll in range(1, move_die + 1):
        hexes = odds.hexes_of(roll, ship.slowness)
        if hexes == 0:
            total += drifting(game, ship, order, die, cost, before, urgency)
        else:
            total += best_slip(game, ship, order, hexes, die, cost, before, urgency)[0]
    return total / move_die


@jit
def on_card(game, ship, order: int, move_die: int, cost: float, before: bool, urgency: float):
    """Worth of acting normally, of Avoid Hazard, and of letting all cards pass."""
    plain = moving(game, ship, order, move_die, odds.contact_die(game, ship, False), cost, before, urgency)
    slow = odds.stepped(move_die, game.rules.avoid_hazard_move_steps)
    careful = moving(game, ship, order, slow, odds.contact_die(game, ship, True), cost, before, urgency)
    wait = drifting(game, ship, Order.DRIFT, game.rules.avoid_die, cost, before, urgency)
    return plain, careful, wait


@jit
def planned(game, ship, order: int, move_die: int, cost: float, urgency: float, chance: float) -> float:
    """Worth of an order before the drift: it can be carried out with ``chance``, and only if that pays."""
    plain, careful, wait = on_card(game, ship, order, move_die, cost, True, urgency)
    return chance * max(plain, careful, wait) + (1.0 - chance) * wait


@jit
def best_order(game, ship, move_die: int, cost: float, urgency: float, chance: float):
    """The best order with a movement die: its worth and which."""
    best, which = -1e9, 0
    for order in range(Order.FORWARD, Order.DRIFT + 1):
        worth = planned(game, ship, order, move_die, cost, urgency, chance)
        if worth > best:
            best, which = worth, order
    return best, which


@jit
def urgency_of(game, ship) -> float:
    """How much a column counts: more when the turns left hardly suffice at a careful pace."""
    turns = max(game.rules.turn_limit - game.turn + 1, 1)
    needed = (game.width - ship.q) / turns
    return 1.0 if needed < 1.2 else min(needed / 1.2, 4.0) ** 2


@jit
def black_card_chance(game) -> float:
    """Chance that a black card comes before a joker, from a whole deck: all black ones let a flagship move."""
    return 26.0 / (26.0 + game.rules.jokers)


@jit
def decide(game, kills) -> int:
    """The action of one game."""
    index = max(game.asked, 0)
    ship = game.ships[0, index]
    cost, urgency = hit_cost(ship, kills), urgency_of(game, ship)
    if game.phase == Phase.POWER:
        best, way = -1e9, 0
        # Ways 1, 2 and 4 put the high, middle and low die on movement; shields and weapons do not matter here.
        for candidate, place in ((1, 2), (2, 1), (4, 0)):
            worth = best_order(game, ship, ship.power_dice[place], cost, urgency, black_card_chance(game))[0]
            if worth > best:
                best, way = worth, candidate
        return act.POWER + way - 1
    move_die = odds.movement_die(game, ship, False)
    if game.phase == Phase.ORDERS:
        return act.ORDER + best_order(game, ship, move_die, cost, urgency, black_card_chance(game))[1] - Order.FORWARD
    if game.phase == Phase.SIDESLIP:
        avoid = game.move_avoid_die
        return act.SLIP + best_slip(game, ship, ship.order, game.move_hexes, avoid, cost, False, urgency)[1]
    plain, careful, wait = on_card(game, ship, ship.order, move_die, cost, False, urgency)
    if wait > max(plain, careful):
        return act.PASS
    return act.MANOEUVRE + index if careful > plain else act.ACT + index


@jit
def _decide_range(games, kills, actions) -> None:
    for i in range(games.shape[0]):
        actions[i] = decide(games[i], kills)


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; ``seed`` makes no difference to it."""
    no_argument("pilot", argument)
    decoder = Decoder(setups)
    games = decoder.setups["game"]
    rules, ships = games["rules"][0], games["ships"][:, 0]
    kills = odds.kill_chances(
        int(rules["contact_damage_die"]), int(rules["laser_reduction_die"]), int(ships["lasers"].max()),
        int(ships["full_hull"].max()),
    )  # fmt: skip

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(observations), np.int64)
        _decide_range(kernel_view(decoder(observations)), kills, actions)
        legal = masks[np.arange(len(masks)), actions]
        chosen: np.ndarray = np.where(legal, actions, masks.argmax(axis=1))
        return chosen

    return choose
