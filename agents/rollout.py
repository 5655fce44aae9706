"""``rollout:N``: flat Monte Carlo over the captain, N simulated continuations a decision.

Every legal action is tried on the same simulated games: what is hidden is guessed, dice and cards are new, and both
sides are played on by the captain, in haste, to the end of the next turn, where hull and places are weighed.
Simulations go to the actions that do best (``agents.search.halving``), and one that does better than the captain's own
choice by more than chance would have it is taken in its place.
"""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent
from agents.search.searcher import Searcher, simulations
from agents.search.tree import new_tree


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; its simulations follow from ``seed`` and from what it sees."""
    return Searcher(setups, simulations("rollout", argument), seed, new_tree(0))
