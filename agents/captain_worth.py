"""What ``captain`` weighs: the worth of fire, of being fired at, and of places, all in hull points of its own.

Everything is from the exact odds of ``fc_env.odds`` and ``fc_env.odds_fire``, looked up for a ship where it stands; to
ask about another place the ship is put there in the decoded record, which is the captain's own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from agents.captain_lines import foresee, haze_between, share_through
from fc_env import odds
from fc_env.hexgrid import DQ, DR, ahead_and_right, distance, edges_beyond, on_map
from fc_env.jit import jit
from fc_env.near import columns_to_goal
from fc_env.odds import SHIELDS, WEAPONS, in_play, is_blind
from fc_env.odds_cards import before_joker, jokers_left, useful_cards
from fc_env.odds_fire import (
    BESIDE,
    NO_LINE,
    alpha_strike_damage,
    attenuation_between,
    hexes_along,
    is_torpedo_target,
    line_of,
    nearer_targets,
    open_fire_damage,
    torpedo_bears,
    weapons_damage,
)
from fc_env.ruleset import MapEdge
from fc_env.state import MAX_SHIPS, Mode
from fc_env.targets import die_at, end_of_dice, first_die

SKILLS = (
    "power", "torpedo_arc", "clear_lines", "cover", "markers", "edge", "timing", "alpha_strike", "avoid_hazard",
    "focus",
)  # fmt: skip
"""What a captain can be made to do without, each by its name."""

WEIGHTS = {
    "kill": 3.0,  # bringing a ship to 0 hull
    "duck": 5.0,  # exploding a sitting duck
    "spent": 0.3,  # a good salvo at a ship at 0 hull, which may have gained some by then
    "future": 1.0,  # what the next turn's fire counts, for the present's
    "nearer": 0.15,  # each hex nearer to an enemy out of range
    "shy": 1.0,  # what a hit by a marker counts, for what it costs
    "bold": 1.0,  # what the enemy's hull counts, for own
    "caution": 1.0,  # how fast a lead in shares of hull makes own hull dearer than the enemy's
    "enough": 0.4,  # a lead that need not be made greater
    "away": 0.3,  # each hex farther from an enemy at 0 hull
    "blast": 1.0,  # damage to expect from an enemy at 0 hull in the next hex
    "reach": 0.6,  # what fire counts for each hex that a target is out of range
    "heading": 0.4,  # having an enemy straight ahead rather than behind
    "rim": 4.0,  # one hex short of flying over the edge
    "lost": 14.0,  # leaving the battle
    "goal": 0.4,  # a column nearer to the goal
    "escort": 0.4,  # a hull point that is not the convoy's, where there is one
    "care": 0.3,  # what careful flying has to save before it is done
    "delay": 0.05,  # acting later rather than now
}
"""In hull points, or shares of them; tuned on training seeds."""

SAFE = 13
"""Hexes from which an enemy at 0 hull cannot soon come within range."""
ABLE_IN_DOOM = 0.75
"""Chance, about, that a ship at 0 hull rolls doom and can still fire (DOOM-2)."""

MIND = np.dtype([(name, np.int32) for name in SKILLS] + [(name, np.float64) for name in WEIGHTS], align=True)
SCENE = np.dtype(
    [("chance", np.float64, (MAX_SHIPS,)), ("share", np.float64), ("exchange", np.float64), ("lead", np.float64)],
    align=True,
)


class Mind(NamedTuple):
    """What a captain's kernels are handed: what it can and wants, and room for what it makes of a position."""

    want: Any  # MIND ()
    hit_cost: Any  # float64 (lasers + 1, hull + 1), of one hit by a marker
    scene: Any  # SCENE (): chance that each enemy fires this turn, share of it that one ship meets, exchange of hull
    lines: Any  # int64 (MAX_SHIPS,)
    through: Any  # float64 (MAX_SHIPS,): share of fire that rock is likely to let through to each enemy
    haze: Any  # float64 (DRIFTS, columns, rows), see captain_lines


@jit
def survey(game, mind) -> None:
    """What of a position does not depend on where one's own ship goes."""
    foresee(game, mind.haze)
    jokers = jokers_left(game)
    scene = mind.scene
    mine, theirs, mine_left, theirs_left, own = 0.0, 0.0, 0.0, 0.0, 0
    for index in range(game.n_ships[0]):
        ship = game.ships[0, index]
        mine += ship.full_hull
        if in_play(ship):
            own += 1
            mine_left += ship.hull
    for index in range(game.n_ships[1]):
        ship = game.ships[1, index]
        theirs += ship.full_hull
        scene.chance[index] = 0.0
        if not in_play(ship):
            continue
        theirs_left += ship.hull
        if not ship.activated:
            able = ABLE_IN_DOOM if ship.hull == 0 else 1.0
            scene.chance[index] = able * before_joker(useful_cards(game, ship, False), jokers)
    scene.share = 2.0 / (1.0 + max(own, 1))
    scene.lead = mine_left / max(mine, 1.0) - theirs_left / max(theirs, 1.0)
    exchange = min(max(mine / max(theirs, 1.0), 0.5), 2.0)
    scene.exchange = mind.want.bold * exchange * math.exp(-mind.want.caution * scene.lead)


# ---- fire


@jit
def stake(game, ship, want) -> float:
    """What a hull point of a ship counts."""
    return want.escort if game.mode == Mode.CONVOY and not ship.convoy else 1.0


@jit
def hurt(ship, damage: float, want) -> float:
    """Worth of a mean damage to a ship: what hull it is likely to take, and that it may take all."""
    if damage <= 0.0:
        return 0.0
    if not want.focus:
        return damage
    if ship.hull == 0:
        return want.duck * min(damage / 6.0, 1.0) if ship.sitting_duck else want.spent * min(damage / 3.0, 1.0)
    part = damage / ship.hull
    return ship.hull * (1.0 - math.exp(-part)) + want.kill * (1.0 - math.exp(-0.7 * part * part))


@jit
def sight(game, ship, weapons_die: int, settled: bool, mind) -> None:
    """Lines of fire from a ship of seat 0 to each enemy within its reach, and what the drift may put on them."""
    lines, counts = mind.lines, mind.want.clear_lines != 0
    reach = max(weapons_die, game.rules.laser_range if ship.lasers > 0 else 0)
    for index in range(game.n_ships[1]):
        enemy = game.ships[1, index]
        lines[index] = NO_LINE
        far = distance(ship.q, ship.r, enemy.q, enemy.r)
        if in_play(enemy) and far <= reach and not is_blind(ship, enemy.q, enemy.r):
            lost = attenuation_between(game, ship, enemy) if settled and counts else 0
            lines[index] = line_of(far, lost)
            mind.through[index] = 1.0 if settled or not counts else share_between(game, mind.haze[0], ship, enemy)


@jit
def share_between(game, haze, ship, enemy) -> float:
    """Share of fire between two ships that gets through what rock is to be expected, by one layer of ``mind.haze``."""
    return share_through(game.rules.attenuation * haze_between(haze, ship.q, ship.r, enemy.q, enemy.r))


@jit
def alpha_damage(game, firer, target, line: int, arc: int, weapons_die: int, shields_die: int) -> float:
    """FIR-7. Mean damage of an Alpha Strike."""
    volley, torpedo, lasers = weapons_damage(game, firer, target, line, arc, weapons_die, shields_die)
    return alpha_strike_damage(firer, line, weapons_die, volley, torpedo, lasers)


@jit
def alpha_worth(game, ship, weapons_die: int, mind, index: int) -> float:
    """Worth of an Alpha Strike at one enemy along its line in ``mind.lines``, over the shields it may have."""
    line, enemy = mind.lines[index], game.ships[1, index]
    if line == NO_LINE or hexes_along(line) > weapons_die:
        return 0.0
    arc = torpedo_bears(game, ship, enemy.q, enemy.r)
    total, first = 0.0, first_die(enemy, False)
    last = end_of_dice(first)
    for place in range(first, last):
        total += alpha_damage(game, ship, enemy, line, arc, weapons_die, die_at(enemy, SHIELDS, place))
    mean = mind.through[index] * total / (last - first)
    return hurt(enemy, mean, mind.want) * stake(game, enemy, mind.want)


@jit
def best_alpha(game, ship, weapons_die: int, mind):
    """The best enemy for an Alpha Strike along the lines in ``mind.lines``: its worth and which; -1 for none."""
    best, which = 0.0, -1
    for index in range(game.n_ships[1]):
        worth = alpha_worth(game, ship, weapons_die, mind, index)
        if worth > best:
            best, which = worth, index
    return best, which


@jit
def open_fire_worth(game, ship, weapons_die: int, mind) -> float:
    """Worth of firing at the targets of the rules along the lines in ``mind.lines``."""
    worth, lines = 0.0, mind.lines
    for index in range(game.n_ships[1]):
        line, enemy = lines[index], game.ships[1, index]
        if line == NO_LINE:
            continue
        before = nearer_targets(lines, game.n_ships[1], index)
        arc = torpedo_bears(game, ship, enemy.q, enemy.r)
        aimed = is_torpedo_target(game, ship, 1, index, lines, arc, weapons_die)
        total, first = 0.0, first_die(enemy, False)
        last = end_of_dice(first)
        for place in range(first, last):
            shields = die_at(enemy, SHIELDS, place)
            volley, torpedo, lasers = weapons_damage(game, ship, enemy, line, arc, weapons_die, shields)
            total += open_fire_damage(ship, before, aimed, volley, torpedo, lasers)
        mean = mind.through[index] * total / (last - first)
        worth += hurt(enemy, mean, mind.want) * stake(game, enemy, mind.want)
    return worth


@jit
def fire_worth(game, ship, weapons_die: int, alpha: bool, settled: bool, mind) -> float:
    """Worth of firing from where a ship is; what lies on the lines is known once the markers' drift is ``settled``."""
    sight(game, ship, weapons_die, settled, mind)
    if alpha:
        return best_alpha(game, ship, weapons_die, mind)[0] * mind.scene.exchange
    return open_fire_worth(game, ship, weapons_die, mind) * mind.scene.exchange


@jit
def volleys_damage(game, firer, target, line: int, arc: int, weapons_die: int, shields_die: int) -> float:
    """Mean damage to a ship that is fired at: all volleys of a flagship, one of others."""
    volley, torpedo, lasers = weapons_damage(game, firer, target, line, arc, weapons_die, shields_die)
    return (firer.volleys if firer.flagship else min(firer.volleys, 1)) * volley + torpedo + lasers


@jit
def threat(game, ship, shields_die: int, settled: bool, mind) -> float:
    """Worth, at most 0, of what the enemies may still fire this turn at a ship where it is."""
    total = 0.0
    for index in range(game.n_ships[1]):
        chance, enemy = mind.scene.chance[index], game.ships[1, index]
        if chance == 0.0:
            continue
        far = distance(ship.q, ship.r, enemy.q, enemy.r)
        first = first_die(enemy, False)
        last = end_of_dice(first)
        if far > max(die_at(enemy, WEAPONS, last - 1), game.rules.laser_range):
            continue
        if is_blind(enemy, ship.q, ship.r):
            continue
        counts = mind.want.cover != 0
        line = line_of(far, attenuation_between(game, ship, enemy) if settled and counts else 0)
        arc = torpedo_bears(game, enemy, ship.q, ship.r)
        damage = 0.0
        for place in range(first, last):
            damage += volleys_damage(game, enemy, ship, line, arc, die_at(enemy, WEAPONS, place), shields_die)
        if counts and not settled:
            damage *= share_between(game, mind.haze[0], ship, enemy)
        total += chance * damage / (last - first)
    return -hurt(ship, total * mind.scene.share, mind.want) * stake(game, ship, mind.want)


@jit
def usual(ship, system: int) -> int:
    """The die that a ship is likely to have on a system next turn: a flagship that fights puts its best on weapons."""
    return ship.power_dice[2] if ship.flagship and system == WEAPONS else ship.power_dice[1]


@jit
def outlook(game, ship, settled: bool, mind) -> float:
    """Worth of the next turn's fire to and fro, as the ships stand, and of coming nearer where there is none."""
    want, haze = mind.want, mind.haze[0 if settled else 1]
    weapons, shields = usual(ship, WEAPONS), usual(ship, SHIELDS)
    best, damage, coming = 0.0, 0.0, -1e9
    for index in range(game.n_ships[1]):
        enemy = game.ships[1, index]
        if not in_play(enemy):
            continue
        far = distance(ship.q, ship.r, enemy.q, enemy.r)
        line, through = line_of(far, 0), 1.0
        if (want.clear_lines or want.cover) and far <= max(weapons + 4, enemy.power_dice[2]):
            through = share_between(game, haze, ship, enemy)
        if far <= weapons + 4:
            arc = torpedo_bears(game, ship, enemy.q, enemy.r) if want.torpedo_arc or not ship.torpedoes else BESIDE
            near = line_of(min(far, weapons), 0)
            out = volleys_damage(game, ship, enemy, near, arc, weapons, usual(enemy, SHIELDS))
            out *= want.reach ** max(far - weapons, 0)
            if want.clear_lines:
                out *= through
            best = max(best, hurt(enemy, out, want) * stake(game, enemy, want))
        if far <= enemy.power_dice[2]:
            arc = torpedo_bears(game, enemy, ship.q, ship.r)
            fire = 0.0
            for place in range(3):
                fire += volleys_damage(game, enemy, ship, line, arc, enemy.power_dice[place], shields) / 3.0
            damage += fire * through if want.cover else fire
        if far == 1 and enemy.hull == 0:
            damage += want.blast
        coming = max(coming, approach(game, ship, enemy, far, weapons, mind))
    worth = best * mind.scene.exchange - hurt(ship, damage * mind.scene.share, want) * stake(game, ship, want)
    return want.future * worth + max(coming, -100.0)


@jit
def approach(game, ship, enemy, far: int, weapons_die: int, mind) -> float:
    """Worth of how an enemy lies to a ship that wants to fire at it: not too far, and ahead."""
    want = mind.want
    if (enemy.hull == 0 and ship.hull > 0) or mind.scene.lead > want.enough:  # its doom, or the end, will come
        return -want.away * max(SAFE - far, 0)
    worth = -want.nearer * max(far - weapons_die + 1, 0) * stake(game, enemy, want)
    if want.torpedo_arc and far > 0 and ship.torpedoes:
        x, y = ahead_and_right(ship.q, ship.r, ship.facing, enemy.q, enemy.r)
        worth += want.heading * ((2 * x + y) / (2.0 * far) - 1.0)
    return worth


# ---- places


@jit
def crosses(game, ship) -> bool:
    """Whether a ship is to leave by the goal edge."""
    return game.goal != 0 and (game.mode == Mode.CROSSING or ship.convoy != 0)


@jit
def left_worth(game, ship, want) -> float:
    """Worth of a ship's having left the map to where it is."""
    if crosses(game, ship) and edges_beyond(game.width, game.height, ship.q, ship.r) & game.goal:
        return want.lost
    return -want.lost


@jit
def edge_worth(game, ship, want) -> float:
    """Worth, at most 0, of the room that a ship has ahead of it."""
    if not want.edge or game.rules.map_edge == MapEdge.WALL:
        return 0.0
    # A move goes all the way that its die says, so that a fast ship wants more room to turn in.
    wanted = odds.hexes_of(ship.power_dice[1], ship.slowness) + 1
    q, r = ship.q, ship.r
    for room in range(wanted):
        q, r = q + DQ[ship.facing], r + DR[ship.facing]
        if not on_map(game.width, game.height, q, r):
            if crosses(game, ship) and edges_beyond(game.width, game.height, q, r) & game.goal:
                return 0.0
            return -want.rim * (1.0 - room / wanted) ** 2
    return 0.0


@jit
def hit_cost(game, ship, mind) -> float:
    """What a hit by a marker costs a ship."""
    return (
        mind.want.shy * mind.hit_cost[ship.lasers, ship.hull] * stake(game, ship, mind.want)
        if mind.want.markers
        else 0.0
    )


@jit
def rest(game, ship, settled: bool, mind) -> float:
    """Worth of a ship's being where it is at the end of the turn, with the facing it has."""
    want = mind.want
    worth = edge_worth(game, ship, want)
    cost = hit_cost(game, ship, mind)
    if cost > 0.0:
        worth -= cost * odds.drift_hits(game, ship.q, ship.r, not settled)
    if crosses(game, ship):
        turns = max(game.rules.turn_limit - game.turn + 1, 1)
        to_go = columns_to_goal(game, ship.q, ship.r)
        return worth - want.goal * to_go * min(max(to_go / turns, 1.0), 4.0)
    return worth + outlook(game, ship, settled, mind)
