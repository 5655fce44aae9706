"""``captain``: a scripted commander of battles.

At each decision it looks one turn ahead and adds up, in hull points, what it may do to the enemy and the enemy to it,
the asteroids in its way and in the next drift, the map's edge and, in a convoy, the way to the goal. Power is
chosen for the better of two plans, to fire or to move; orders, sideslips and targets are those of most worth; on a
card the ship acts that gains most over waiting for a later card, by the chance that one comes before a joker. It knows
only what its seat may know: it works on the position decoded from its observation.

``captain:-cover`` is the same without one of its skills (``captain_worth.SKILLS``), ``captain:err=0.3`` does any legal
thing that often.
"""

from __future__ import annotations

import difflib

import numpy as np

from agents.captain_lines import new_haze
from agents.captain_worth import (
    MIND,
    SCENE,
    SKILLS,
    WEIGHTS,
    Mind,
    best_alpha,
    fire_worth,
    hit_cost,
    left_worth,
    rest,
    sight,
    survey,
    threat,
)
from agents.protocol import Agent, no_argument
from agents.random import AnyLegal
from fc_env import actions as act
from fc_env import odds
from fc_env.decoder import Decoder
from fc_env.errors import ConfigError
from fc_env.hexgrid import DIRECTIONS, DQ, DR, EAST, NORTH, SOUTH, WEST, on_map, opposite
from fc_env.jit import jit, kernel_view
from fc_env.odds import DICE_OF_WAYS, MOVEMENT, SHIELDS, WAYS, WEAPONS, die_of
from fc_env.odds_cards import before_joker, is_black, jokers_left, useful_cards
from fc_env.opponents import Opponent
from fc_env.ruleset import MapEdge
from fc_env.state import MAX_SHIPS, SEATS, Mode, Order, Phase, Slip

NOTHING = -1e9
MEDIUM = "err=0.3"
"""A captain of medium difficulty."""


# ---- moves


@jit
def shares_hex(game, ship) -> bool:
    """Whether another ship is in a ship's hex (MAP-5)."""
    found = 0
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            other = game.ships[seat, index]
            found += other.q == ship.q and other.r == ship.r and odds.in_play(other)
    return found > 1


@jit
def leaves(game, ship, want) -> bool:
    """Whether a ship that has come to a hex is off the map; one without an eye for the edge sees the goal only."""
    if on_map(game.width, game.height, ship.q, ship.r):
        return False
    return want.edge != 0 or left_worth(game, ship, want) > 0.0


@jit
def flight(game, ship, order: int, hexes: int, slip: int, avoid_die: int, shields: int, settled: bool, mind) -> float:
    """Worth of one move: contacts on the way, then the enemy's fire and what comes of it."""
    q, r, facing = ship.q, ship.r, ship.facing
    worth, cost, out = 0.0, hit_cost(game, ship, mind), False
    for flown in range(1, hexes + 20):
        heading = odds.slip_heading(facing, slip) if flown == hexes else facing
        ship.q += DQ[heading]
        ship.r += DR[heading]
        if leaves(game, ship, mind.want):
            out = True
            break
        if cost > 0.0:
            if settled:
                worth -= cost * odds.entering_hits(game, ship.q, ship.r, avoid_die)
            else:
                worth -= cost * odds.landing_hits(game, ship.q, ship.r, avoid_die)
        taken = shares_hex(game, ship) or (settled and odds.density_at(game, ship.q, ship.r) > 0)
        if flown >= hexes and not taken:
            break
    if out and game.rules.map_edge == MapEdge.WALL and left_worth(game, ship, mind.want) <= 0.0:
        back = opposite(facing)
        ship.q += DQ[back]
        ship.r += DR[back]
        out = False
    if out:
        worth += left_worth(game, ship, mind.want)
    else:
        if order == Order.RIGHT:
            ship.facing = (facing + 1) % DIRECTIONS
        elif order == Order.LEFT:
            ship.facing = (facing + DIRECTIONS - 1) % DIRECTIONS
        worth += threat(game, ship, shields, settled, mind) + rest(game, ship, settled, mind)
    ship.q, ship.r, ship.facing = q, r, facing
    return worth


@jit
def best_slip(game, ship, order: int, hexes: int, avoid_die: int, shields: int, settled: bool, mind):
    """The best last hex of a move of so many hexes: its worth and which."""
    best, which = flight(game, ship, order, hexes, Slip.STRAIGHT, avoid_die, shields, settled, mind), 0
    if order == Order.FORWARD and game.rules.sideslip:
        for slip in range(Slip.LEFT, Slip.RIGHT + 1):
            worth = flight(game, ship, order, hexes, slip, avoid_die, shields, settled, mind)
            if worth > best:
                best, which = worth, slip
    return best, which


@jit
def drifting(game, ship, order: int, avoid_die: int, shields: int, settled: bool, mind) -> float:
    """Worth of a drift; with the marker of a ship that is activated it may turn (MOV-2)."""
    if game.rules.drift_hexes == 0:
        return threat(game, ship, shields, settled, mind) + rest(game, ship, settled, mind)
    return flight(game, ship, order, game.rules.drift_hexes, Slip.STRAIGHT, avoid_die, shields, settled, mind)


@jit
def moving(game, ship, order: int, move_die: int, avoid_die: int, shields: int, settled: bool, mind) -> float:
    """Worth of an activation to move, over all rolls of the movement die."""
    if order == Order.DRIFT or order == Order.NONE:
        return drifting(game, ship, Order.DRIFT, avoid_die, shields, settled, mind)
    total = 0.0
    for hexes in range(odds.hexes_of(move_die, ship.slowness) + 1):
        rolls = min((hexes + 1) * ship.slowness - 1, move_die) - max(hexes * ship.slowness, 1) + 1
        if rolls <= 0:
            continue
        if hexes == 0:
            worth = drifting(game, ship, order, avoid_die, shields, settled, mind)
        else:
            worth = best_slip(game, ship, order, hexes, avoid_die, shields, settled, mind)[0]
        total += rolls * worth
    return total / move_die


# ---- plans before the cards


@jit
def best_order(game, ship, move_die: int, shields: int, mind):
    """The best marker for a ship that will move: its worth and which."""
    best, which = NOTHING, 0
    for order in range(Order.FORWARD, Order.DRIFT + 1):
        worth = moving(game, ship, order, move_die, game.rules.avoid_die, shields, False, mind)
        if worth > best:
            best, which = worth, order
    return best, which


@jit
def may_alpha(ship, mind) -> bool:
    """Whether a ship can count on an Alpha Strike: a flagship may on any red card."""
    return ship.flagship != 0 and mind.want.alpha_strike != 0


@jit
def best_power(game, ship, mind) -> int:
    """The way that serves best the better of two plans: to fire, or to move."""
    if not mind.want.power:
        return 1 + game.turn % WAYS
    chance = before_joker(useful_cards(game, ship, False), jokers_left(game))
    best, which = NOTHING, 1
    for way in range(1, WAYS + 1):
        shields = ship.power_dice[DICE_OF_WAYS[way, SHIELDS]]
        weapons = ship.power_dice[DICE_OF_WAYS[way, WEAPONS]]
        moved = best_order(game, ship, ship.power_dice[DICE_OF_WAYS[way, MOVEMENT]], shields, mind)[0]
        fired = fire_worth(game, ship, weapons, may_alpha(ship, mind), False, mind)
        worth = moved
        if fired > 0.0:
            stays = threat(game, ship, shields, False, mind) + rest(game, ship, False, mind)
            worth = max(moved, chance * (fired + stays) + (1.0 - chance) * moved) + 0.1 * fired
        if worth > best:
            best, which = worth, way
    return which


# ---- cards


@jit
def on_card(game, ship, index: int, mask, mind):
    """What a ship gains by acting on the open card over waiting, and its best action there."""
    shields, weapons = die_of(ship, SHIELDS), die_of(ship, WEAPONS)
    wait = drifting(game, ship, Order.DRIFT, game.rules.avoid_die, shields, True, mind)
    stays = threat(game, ship, shields, True, mind) + rest(game, ship, True, mind)
    alpha = may_alpha(ship, mind) or (
        not is_black(game.card) and mask[act.MANOEUVRE + index] and mind.want.alpha_strike
    )
    fired = fire_worth(game, ship, weapons, alpha, True, mind)
    move_die = odds.movement_die(game, ship, False)
    plain = moving(game, ship, ship.order, move_die, odds.contact_die(game, ship, False), shields, True, mind)
    jokers = jokers_left(game)
    red = before_joker(useful_cards(game, ship, False), jokers)
    black = before_joker(useful_cards(game, ship, True), jokers)
    later = wait
    if mind.want.timing:
        if fired > 0.0:
            later = max(later, red * (fired + stays) + (1.0 - red) * wait - mind.want.delay)
        later = max(later, black * plain + (1.0 - black) * wait - mind.want.delay)
    best, which = NOTHING, act.PASS
    if is_black(game.card):
        if mask[act.ACT + index]:
            best, which = plain, act.ACT + index
        if mask[act.MANOEUVRE + index] and (mind.want.avoid_hazard or not mask[act.ACT + index]):
            slow = odds.stepped(move_die, game.rules.avoid_hazard_move_steps)
            careful = moving(game, ship, ship.order, slow, odds.contact_die(game, ship, True), shields, True, mind)
            if careful > best + mind.want.care:
                best, which = careful, act.MANOEUVRE + index
    elif fired > 0.0:
        if mask[act.MANOEUVRE + index] and mind.want.alpha_strike:
            best, which = fired + stays, act.MANOEUVRE + index
            if mask[act.ACT + index]:
                opened = fire_worth(game, ship, weapons, False, True, mind)
                if opened > fired:
                    best, which = opened + stays, act.ACT + index
        elif mask[act.ACT + index]:
            best, which = fired + stays, act.ACT + index
    return best - later, which


@jit
def best_on_card(game, mask, mind) -> int:
    """The ship and its act on the open card that gain most, or to pass."""
    best, which = 0.0, act.PASS
    for index in range(game.n_ships[0]):
        if mask[act.ACT + index] or mask[act.MANOEUVRE + index]:
            gain, action = on_card(game, game.ships[0, index], index, mask, mind)
            if gain > best:
                best, which = gain, action
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
def best_of_ship(game, ship, mind) -> int:
    """The action of the ship that is asked for its marker, a target or its last hex."""
    shields = die_of(ship, SHIELDS)
    if game.phase == Phase.ORDERS:
        move_die = odds.movement_die(game, ship, False)
        return act.ORDER + best_order(game, ship, move_die, shields, mind)[1] - Order.FORWARD
    if game.phase == Phase.TARGET:
        weapons = die_of(ship, WEAPONS)
        sight(game, ship, weapons, True, mind)
        return act.TARGET + max(best_alpha(game, ship, weapons, mind)[1], 0)
    return act.SLIP + best_slip(game, ship, ship.order, game.move_hexes, game.move_avoid_die, shields, True, mind)[1]


@jit
def _decide_range(games, masks, mind, actions) -> None:
    for i in range(games.shape[0]):
        actions[i] = decide(games[i], masks[i], mind)


# ---- making one


def _hit_costs(games: np.ndarray) -> np.ndarray:
    """Hull points that a hit is worth, by lasers and hull, float64 (lasers + 1, hull + 1)."""
    rules, ships = games["rules"][0], games["ships"]
    lasers, hull = int(ships["lasers"].max()), int(ships["full_hull"].max())
    costs = np.zeros((lasers + 1, hull + 1))
    for number in range(lasers + 1):
        dice = int(rules["contact_damage_die"]), int(rules["laser_reduction_die"])
        at_least = odds.kill_chances(*dice, number, hull)
        costs[number, 1:] = at_least[1:].cumsum() + WEIGHTS["kill"] * at_least[1:]
        costs[number, 0] = 0.1
    return costs


def _number(argument: str, word: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < float("inf"):
        raise ConfigError(f"agent 'captain:{argument}': {word!r}: want a number from 0")
    return number


def _mind(argument: str) -> tuple[np.ndarray, float]:
    """What a captain can and wants, MIND (1,), and how often it errs, as said behind the colon of its name."""
    want = np.zeros(1, MIND)
    for name in SKILLS:
        want[name] = 1
    for name, weight in WEIGHTS.items():
        want[name] = weight
    errs = 0.0
    for word in argument.split(",") if argument else []:
        name, _, value = word.partition("=")
        if value and (name == "err" or name in WEIGHTS):
            number = _number(argument, word, value)
            if name == "err":
                errs = number
            else:
                want[name] = number
        elif word.startswith("-") and word[1:] in SKILLS:
            want[word[1:]] = 0
        else:
            close = difflib.get_close_matches(word.lstrip("-"), SKILLS, 1)
            hint = f"; did you mean '-{close[0]}'?" if close else ""
            raise ConfigError(f"agent 'captain:{argument}': {word!r}: want - and one of {', '.join(SKILLS)}{hint}")
    return want, errs


class Captain:
    """The agent for games of some scenarios, SETUP (S,)."""

    takes_lots = False

    def __init__(self, setups: np.ndarray, argument: str = "") -> None:
        """``argument``: what stands behind the colon of its name. Raises ConfigError."""
        want, self.errs = _mind(argument)
        self._decoder = Decoder(setups)
        games = self._decoder.setups["game"]
        self._convoy_seat = int(games["ships"]["convoy"][:, 1].any())
        scene, lines = np.zeros(1, SCENE), np.zeros(MAX_SHIPS, np.int64)
        through, haze = np.ones(MAX_SHIPS), new_haze(games[0])
        self.mind = Mind(kernel_view(want)[0], _hit_costs(games), kernel_view(scene)[0], lines, through, haze)

    def position(self, observations: np.ndarray) -> np.ndarray:
        """The positions as seen, GAME (N,), with the goal where it lies from the seat's own end of the board."""
        games = self._decoder(observations)
        if (games["mode"] == Mode.CONVOY).any():  # all or none: they are of one rule set
            with_convoy = games["ships"]["convoy"][:, 0].any(axis=1)
            from_seat_1 = with_convoy == (self._convoy_seat == 1)
            goal = games["goal"]
            goal[from_seat_1] = (goal[from_seat_1] << 2 | goal[from_seat_1] >> 2) & (NORTH | EAST | SOUTH | WEST)
        return games

    def __call__(self, observations: np.ndarray, masks: np.ndarray, lots: np.ndarray | None = None) -> np.ndarray:
        """Actions, int64 (N,). By ``lots``, float64 (N,) from 0 to below 1, one that errs does any legal thing."""
        actions = np.zeros(len(observations), np.int64)
        _decide_range(kernel_view(self.position(observations)), masks, self.mind, actions)
        legal = masks[np.arange(len(masks)), actions]
        actions = np.where(legal, actions, masks.argmax(axis=1))
        if lots is not None and self.errs:
            actions = np.where(lots < self.errs, AnyLegal()(observations, masks, lots / self.errs % 1.0), actions)
        return actions


class ErringCaptain(Captain):
    """One that errs, for environments, which give it its lots (``fc_env.opponents``)."""

    takes_lots = True


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; ``seed`` is for one that errs."""
    captain = Captain(setups, argument)
    generator = np.random.default_rng(seed)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return captain(observations, masks, generator.random(len(masks)))

    return choose


def opponent(setups: np.ndarray, argument: str) -> Opponent:
    """The factory of the entry points ``captain`` and ``hard``."""
    captain = Captain(setups, argument)
    return ErringCaptain(setups, argument) if captain.errs else captain


def medium(setups: np.ndarray, argument: str) -> Opponent:
    """The factory of the entry point ``medium``: a captain that errs."""
    no_argument("medium", argument)
    return ErringCaptain(setups, MEDIUM)
