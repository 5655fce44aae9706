"""Agents made ready to play, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import protocol
from fc_env import opponents
from fc_env.errors import ConfigError
from fc_env.lab.referee import Player, of_callable
from fc_env.observation import Layout


def player(name: str, setups: np.ndarray, seed: int = 0) -> Player:
    """An agent by its name, one that a package declares, or ``module:factory``, for games of scenarios, SETUP (S,).

    ``seed`` is for one of ours that draws lots of its own, and not those that it is given. A trained agent may have
    been made for more pieces than these scenarios have. Raises ConfigError.
    """
    kind, _, path = name.partition(":")
    if kind == "ppo" and path:
        from agents import ppo

        own = ppo.layout_of(path)
        if all(room >= needed for room, needed in zip(own, Layout.of(setups, own.aids), strict=True)):
            return Player(name, ppo.PPOAgent(path, own), own)
    return of_callable(agent(name, setups, seed), setups, name)


def agent(name: str, setups: np.ndarray, seed: int = 0) -> Any:
    """The same as a callable that sees what the scenarios' own layout has room for. Raises ConfigError."""
    if name.partition(":")[0] in protocol.names():
        return protocol.make_opponent(name, setups, seed)
    try:
        return opponents.resolve(name, setups)
    except ConfigError as refused:
        if ":" not in name:
            protocol.make_opponent(name, setups)  # says which names there are
        raise ConfigError(str(refused).replace("opponent", "agent", 1)) from None
