"""The tree of a search: what own choices below the root led to, over all dice, cards and answers (open loop).

A node is what the seat has chosen so far and what it is now asked, with the colour of the open card; dice and the enemy
are chance. A choice in a node weighs what came of each action so far against how little it was tried, the captain's
own first (PUCT: Rosin 2011).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from agents.search.playing import label_of
from fc_env import actions as act
from fc_env import playout
from fc_env.jit import jit
from fc_env.odds_cards import is_black

DEEPEST = 64
"""Own choices below the root that one simulation may note."""


class Tree(NamedTuple):
    """A table of nodes, at most one new one for each simulation."""

    slots: Any  # int64 (S,): number of the node whose key falls here, -1 if free; S is a power of 2
    keys: Any  # uint64 (M,)
    tried: Any  # int64 (M, N_ACTIONS)
    total: Any  # float64 (M, N_ACTIONS): worth of all simulations that took the action there
    nodes: Any  # int64 (DEEPEST,): nodes of the simulation that is under way
    taken: Any  # int64 (DEEPEST,): actions taken there
    count: Any  # int64 (2,): nodes made, and depth of the simulation that is under way


MADE, DEPTH = 0, 1
"""Places in ``Tree.count``."""


def new_tree(simulations: int) -> Tree:
    """An empty tree with room for so many simulations."""
    places = 1 << (2 * simulations).bit_length()
    return Tree(
        np.full(places, -1, np.int64),
        np.zeros(simulations, np.uint64),
        np.zeros((simulations, act.N_ACTIONS), np.int64),
        np.zeros((simulations, act.N_ACTIONS)),
        np.zeros(DEEPEST, np.int64),
        np.zeros(DEEPEST, np.int64),
        np.zeros(2, np.int64),
    )


@jit
def clear(tree) -> None:
    """Forget everything."""
    tree.slots[:] = -1
    tree.count[:] = 0


@jit
def node_key(game, path):
    """The key of what seat 0 is asked after the choices that ``path``, uint64, stands for."""
    colour = 0 if game.card < 0 else 1 + is_black(game.card)
    asked = label_of(game, 0) & ~(63 << 3)  # whatever number of cards was flipped before
    return playout.hashed(path, asked * 4 + colour)


@jit
def place_of(tree, key):
    """The place in the table where a key is, or would be put."""
    last = tree.slots.shape[0] - 1
    place = np.int64(key & np.uint64(last))  # not int(): of a uint64 that stays one
    while tree.slots[place] >= 0 and tree.keys[tree.slots[place]] != key:
        place = (place + 1) & last
    return place


@jit
def grow(tree, place: int, key) -> None:
    """Put a new node at a place that is free."""
    node = tree.count[MADE]
    tree.count[MADE] = node + 1
    tree.slots[place] = node
    tree.keys[node] = key
    tree.tried[node, :] = 0
    tree.total[node, :] = 0.0


@jit
def select(tree, node: int, mask, usual: int, explore: float, trust: float) -> int:
    """The action to try next in a node; ``usual`` is the captain's own."""
    tried, total, legal = 0, 0.0, 0
    for action in range(mask.shape[0]):
        tried += tree.tried[node, action]
        total += tree.total[node, action]
        legal += mask[action]
    mean = total / tried if tried > 0 else 0.5
    root = math.sqrt(tried + 1.0)
    best, which = -1e9, usual
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        times = tree.tried[node, action]
        prior = (1.0 - trust) / legal + (trust if action == usual else 0.0)
        worth = (tree.total[node, action] + mean) / (times + 1.0)
        worth += explore * prior * root / (1.0 + times)
        if worth > best:
            best, which = worth, action
    return which


@jit
def note(tree, node: int, action: int) -> None:
    """The simulation that is under way takes an action in a node."""
    depth = tree.count[DEPTH]
    if depth < DEEPEST:
        tree.nodes[depth], tree.taken[depth] = node, action
        tree.count[DEPTH] = depth + 1


@jit
def learn(tree, worth: float) -> None:
    """What came of the simulation that was under way."""
    for depth in range(tree.count[DEPTH]):
        node, action = tree.nodes[depth], tree.taken[depth]
        tree.tried[node, action] += 1
        tree.total[node, action] += worth
    tree.count[DEPTH] = 0
