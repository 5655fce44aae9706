"""``mcts:N``: Monte Carlo tree search over the captain, N simulations a decision.

At the root it goes about as ``rollout`` does, but what it simulates tells it more: its own choices further on are
searched too, in a tree in which dice, cards and the enemy are chance (``agents.search.tree``); it looks two turns ahead
and weighs what each turn's end leaves; and it takes off what fire did by luck (``agents.search.luck``).
"""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent
from agents.search.searcher import Searcher, simulations
from agents.search.tree import new_tree

FARTHER = {"turns": 2, "onward": 0.6, "luck": 0.75}
"""Settings other than those of ``rollout``."""


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; its simulations follow from ``seed`` and from what it sees."""
    n = simulations("mcts", argument)
    return Searcher(setups, n, seed, new_tree(n), **FARTHER)
