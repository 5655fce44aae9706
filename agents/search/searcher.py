"""What ``rollout`` and ``mcts`` are as agents: so many simulations, and the same choice whenever they see the same."""

from __future__ import annotations

import numpy as np

from agents.captain import Captain, decide
from agents.search.halving import best_of
from agents.search.playing import begin, chosen
from agents.search.room import ROOT, new_room
from agents.search.tree import Tree
from fc_env import playout
from fc_env.errors import ConfigError
from fc_env.jit import jit, kernel_view
from fc_env.state import as_bytes

MOST = 100_000
"""Simulations of a decision; bounds the memory for them."""


def simulations(name: str, argument: str) -> int:
    """The number behind the colon of an agent's name. Raises ConfigError for anything else."""
    if argument.isascii() and argument.isdigit() and 1 <= int(argument) <= MOST:
        return int(argument)
    said = f"{name}:{argument}" if argument else name
    raise ConfigError(f"agent {said!r}: want {name}:N, N simulations a decision from 1 to {MOST:,}, as in {name}:200")


@jit
def key_of(words, seed):
    """A seed for the search out of a position, its bytes as uint64 (W,), and the agent's own seed."""
    key = seed
    for place in range(words.shape[0]):
        if words[place] != 0:
            key = playout.hashed(key ^ words[place], place)
    return key


@jit
def root_of(games, i: int, mask, room) -> int:
    """Begin the search of one of the positions; returns what the captain would do there."""
    begin(games, i, room)
    usual = decide(games[i], mask, room.mind)
    return usual if mask[usual] else chosen(ROOT, room)


@jit
def _decide_range(games, words, masks, seed, room, tree, actions) -> None:
    for i in range(games.shape[0]):
        base = root_of(games, i, masks[i], room)
        actions[i] = best_of(masks[i], base, key_of(words[i], seed), room, tree)


class Searcher:
    """A batched agent whose choice depends on nothing but its seed and what it sees of a game."""

    def __init__(self, setups: np.ndarray, n: int, seed: int, tree: Tree, **settings: float) -> None:
        """For games of the scenarios, SETUP (S,): ``n`` simulations a decision; settings other than ``room.USUAL``."""
        self._captain = Captain(setups)
        self._seed = np.uint64(seed)
        self._memory = (new_room(self._captain, n, **settings), tree)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Actions, int64 (N,)."""
        actions = np.zeros(len(masks), np.int64)
        if len(masks):
            positions = self._captain.position(observations)
            words = as_bytes(positions).view(np.uint64)
            _decide_range(kernel_view(positions), words, masks, self._seed, *self._memory, actions)
        return actions
