"""``random``: uniform over the legal actions. As an opponent it is ``random`` or ``easy``."""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, no_argument
from fc_env.opponents import AnyLegal, Opponent


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; its lots follow from ``seed``."""
    no_argument("random", argument)
    generator = np.random.default_rng(seed)

    def act(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        chosen: np.ndarray = (masks * (1.0 - generator.random(masks.shape))).argmax(axis=1)
        return chosen

    return act


def opponent(setups: np.ndarray, argument: str) -> Opponent:
    """The factory of the entry points ``random`` and ``easy``."""
    no_argument("random", argument)
    return AnyLegal()  # type: ignore[return-value]  # it takes lots too
