"""``selfplay``: the model, trained by playing against its own past selves, that ships for the scenario at hand."""

from __future__ import annotations

import numpy as np

from agents.ppo import PPOAgent, read_card, shipped
from agents.protocol import no_argument
from fc_env.observation import Layout


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> PPOAgent:
    """The agent for games of these scenarios, SETUP (S,). Raises ConfigError if no model ships that fits them."""
    no_argument("selfplay", argument)
    path = shipped("selfplay", setups)
    return PPOAgent(path, Layout.of(setups, read_card(path).observation.aids), seed=seed)
