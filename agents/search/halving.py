"""Which action at the root the simulations go to, and which is taken: sequential halving on shared games.

Every action is tried on the same simulated games, so that what is compared are differences in what became of one game.
After each round the worse half is given up (Karnin, Koren, Somekh 2013), and at any time what is behind the captain's
own choice, the base, by so many standard errors; the base stays, and another one is taken only if it was better by so
many standard errors.
"""

from __future__ import annotations

import math

from agents.search.simulation import simulate
from agents.search.tree import clear
from fc_env import playout
from fc_env.jit import jit

LEAST = 8
"""Simulations of an action without which nothing is made of how it did, and after which it is looked at again."""


@jit
def lead_over(values, counts, action: int, base: int, doubt: float) -> float:
    """How much better an action was than another in the simulations of both, less ``doubt`` standard errors."""
    n = counts[action]
    total, squares = 0.0, 0.0
    for place in range(n):
        less = values[action, place] - values[base, place]
        total += less
        squares += less * less
    mean = total / n
    return mean - doubt * math.sqrt(max(squares / n - mean * mean, 0.0) / n)


@jit
def halve(alive, base: int, room) -> int:
    """Give up the worse half of the actions that are left besides the base; returns how many are left."""
    left = 0
    for action in range(alive.shape[0]):
        left += alive[action]
    for _ in range((left - 1) // 2):
        worst, least = -1, 1e9
        for action in range(alive.shape[0]):
            if alive[action] and action != base:
                lead = lead_over(room.values, room.counts, action, base, 0.0)
                if lead < least:
                    worst, least = action, lead
        alive[worst] = False
        left -= 1
    return left


@jit
def try_more(alive, times: int, key, room, tree) -> None:
    """Simulate each action that is left so many times more."""
    for action in range(alive.shape[0]):
        if alive[action]:
            for _ in range(times):
                place = room.counts[action]
                room.values[action, place] = simulate(room, tree, action, playout.hashed(key, place))
                room.counts[action] = place + 1


@jit
def leader(alive, base: int, room) -> int:
    """The action that leads the base by most, of those that do so beyond doubt; else the base."""
    best, most = base, 0.0
    for action in range(alive.shape[0]):
        if alive[action] and action != base and room.counts[action] >= LEAST:
            lead = lead_over(room.values, room.counts, action, base, room.settings.doubt)
            if lead > most:
                best, most = action, lead
    return best


@jit
def give_up(alive, base: int, room) -> int:
    """Give up the actions that are behind the base beyond hope; returns how many are left."""
    left = 0
    for action in range(alive.shape[0]):
        if alive[action] and action != base and room.counts[action] >= LEAST:
            alive[action] = lead_over(room.values, room.counts, action, base, -room.settings.hope) > 0.0
        left += alive[action]
    return left


@jit
def best_of(mask, base: int, key, room, tree) -> int:
    """The action of a root that was begun, given the captain's own and a seed, uint64, for its simulations."""
    clear(tree)
    room.counts[:] = 0
    alive = mask.copy()
    left, rounds = mask.sum(), 1
    while (2 << rounds) < 2 * left:
        rounds += 1
    to_spend = room.settings.simulations
    for later in range(rounds, 0, -1):
        times = to_spend // (later * left)
        while times > 0 and left > 1:
            some = min(times, LEAST)
            try_more(alive, some, key, room, tree)
            to_spend -= some * left
            times -= some
            left = give_up(alive, base, room)
        if later > 1 and room.counts[base] > 0:
            left = halve(alive, base, room)
    return leader(alive, base, room)
