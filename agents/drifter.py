"""``drifter``: gives every ship the drift marker and lets every card pass; the field carries it along."""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, no_argument
from fc_env import actions as act
from fc_env.state import Order

_DRIFT_ORDER = act.ORDER + Order.DRIFT - Order.FORWARD


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; ``setups`` and ``seed`` make no difference to it."""
    no_argument("drifter", argument)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        first_legal = masks.argmax(axis=1)  # pass, where it is legal
        chosen: np.ndarray = np.where(masks[:, _DRIFT_ORDER], _DRIFT_ORDER, first_legal)
        return chosen

    return choose
