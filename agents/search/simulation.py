"""One simulated game, from an action at the root to what it is worth."""

from __future__ import annotations

import numpy as np

from agents.search.luck import take
from agents.search.playing import answer, chosen, deal
from agents.search.room import PLAY, ROOT
from agents.search.tree import MADE, grow, learn, node_key, note, place_of, select
from agents.search.worth import worth, worth_of_luck
from fc_env import actions as act
from fc_env import playout
from fc_env.jit import jit
from fc_env.state import Phase

_START = np.uint64(0)


@jit
def descend(room, tree, path, growing: bool):
    """What the seat does where it is asked below the root, and whether the tree may still grow in this simulation."""
    usual = chosen(PLAY, room)
    game = room.games[PLAY]
    key = node_key(game, path)
    place = place_of(tree, key)
    if tree.slots[place] < 0:
        if not growing or tree.count[MADE] >= tree.keys.shape[0]:
            return usual, False
        grow(tree, place, key)
        growing = False
    act.write_mask(game, room.mask)
    node = tree.slots[place]
    action = select(tree, node, room.mask, usual, room.settings.explore, room.settings.trust)
    note(tree, node, action)
    return action, growing


@jit
def play_through(room, tree, turn: int, seed, path, growing: bool):
    """Play a simulated game on to the end of a turn, or of all; returns seat 0's luck, and where in the tree it is."""
    game, luck = room.games[PLAY], 0.0
    while game.phase != Phase.OVER and game.turn <= turn:
        if game.actor == 0 and growing:
            action, growing = descend(room, tree, path, growing)
            path = playout.hashed(path, action)
        else:
            action = answer(room, seed)
        luck += take(room, action)
    return luck, path, growing


@jit
def simulate(room, tree, action: int, seed) -> float:
    """Worth of an action at the root in one simulated game: the mean over the ends of its turns, of which each counts
    ``onward`` of what the one before it left. The tree learns from it."""
    deal(room, seed)
    luck, how = take(room, action), room.settings
    path, growing = playout.hashed(_START, action), tree.keys.shape[0] > 0
    found, weight = 0.0, 1.0
    for later in range(how.turns + 1):
        turn = room.games[ROOT].turn + later
        more, path, growing = play_through(room, tree, turn, seed, path, growing)
        luck += more
        share = 1.0 if later == how.turns else 1.0 - how.onward
        found += weight * share * (worth(room) - worth_of_luck(room, luck))
        weight *= how.onward
    learn(tree, found)
    return found
