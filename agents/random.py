"""``random``: uniform over the legal actions."""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, no_argument


def make(setups: np.ndarray, argument: str, seed: int) -> Agent:
    """The agent; its lots follow from ``seed``."""
    no_argument("random", argument)
    generator = np.random.default_rng(seed)

    def act(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        chosen: np.ndarray = (masks * (1.0 - generator.random(masks.shape))).argmax(axis=1)
        return chosen

    return act
