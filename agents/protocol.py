"""The one protocol of all agents, and ``make``.

An agent is a callable: a batch of observations and action masks in, actions out. It sees nothing else.
"""

from __future__ import annotations

import difflib
import importlib
from typing import Any, Protocol

import numpy as np

from fc_env import scenarios
from fc_env.errors import ConfigError
from fc_env.opponents import Opponent


class Agent(Protocol):
    """A batched player.

    ``observations``: float32 (N, D), laid out as ``fc_env.observation.Layout.of(setups)``, with aids
    (``Layout.of(setups, aids=True)``) for one that sets the attribute ``aids`` to True; ``masks``: bool (N, A), at
    least one legal action in each row. Returns actions, int64 (N,).
    """

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose one legal action for each game."""
        ...


_MODULES = {
    "random": "agents.random",
    "drifter": "agents.drifter",
    "zigzag": "agents.zigzag",
    "pilot": "agents.pilot",
    "captain": "agents.captain",
    "greedy": "agents.greedy",
    "rollout": "agents.rollout",
    "mcts": "agents.mcts",
    "ppo": "agents.ppo",
    "selfplay": "agents.selfplay",
}


def names() -> list[str]:
    """The names ``make`` knows; ``ppo`` also takes the path of a model behind a colon."""
    return list(_MODULES)


def make(name: str, setups: np.ndarray | None = None, seed: int = 0) -> Agent:
    """An agent by name, such as ``"pilot"`` or ``"ppo:runs/best"``, for games of the scenarios ``setups``, SETUP (S,).

    Without ``setups`` it is for the scenario ``crossing``. ``seed`` is for agents that draw lots. Raises ConfigError
    for a name that does not exist, or a model that does not fit.
    """
    module, argument = _module(name)
    if setups is None:
        setups = scenarios.load("crossing")
    agent: Agent = module.make(setups, argument, seed)
    return agent


def make_opponent(name: str, setups: np.ndarray, seed: int = 0) -> Opponent:
    """An agent by name that plays inside an environment, where its lots, if it draws any, follow from the games.

    ``seed`` is for one that draws lots of its own all the same. Raises ConfigError as ``make`` does.
    """
    module, argument = _module(name)
    if hasattr(module, "opponent"):
        opponent: Opponent = module.opponent(setups, argument)
        return opponent
    agent: Agent = module.make(setups, argument, seed)
    return agent


def _module(name: str) -> tuple[Any, str]:
    """The module of an agent, and what stands behind the colon in its name."""
    kind, _, argument = name.partition(":")
    if kind not in _MODULES:
        close = difflib.get_close_matches(kind, _MODULES, 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"agent {name!r}: want one of {', '.join(_MODULES)} (rollout:N, mcts:N, ppo:PATH){hint}")
    return importlib.import_module(_MODULES[kind]), argument


def no_argument(name: str, argument: str) -> None:
    """Raise ConfigError if an agent that takes no argument was given one."""
    if argument:
        raise ConfigError(f"agent '{name}:{argument}': {name} takes no argument; want {name!r}")
