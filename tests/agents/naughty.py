"""Agents that now and then do what they should not; ``naughty:raises`` and the like are factories."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from fc_env.errors import ConfigError


def _unless(fault: Any) -> Any:
    """A factory of agents that pick the first legal action, and have the fault where an observation is odd: seldom."""

    def factory(setups: np.ndarray, argument: str = "") -> Any:
        def act(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            actions = masks.argmax(axis=1)
            odd = np.round(observations.sum(axis=1) * 64).astype(np.int64) % 64 == 0
            return np.asarray(fault(actions, odd, masks))

        return act

    return factory


def _raise(actions: np.ndarray, odd: np.ndarray, masks: np.ndarray) -> np.ndarray:
    if odd.any():
        raise RuntimeError("no idea\nat all")
    return actions


def _quit(actions: np.ndarray, odd: np.ndarray, masks: np.ndarray) -> np.ndarray:
    if odd.any():
        sys.exit("enough")
    return actions


def _sleep(actions: np.ndarray, odd: np.ndarray, masks: np.ndarray) -> np.ndarray:
    if odd.any():
        time.sleep(60)
    return actions


def _swallow(actions: np.ndarray, odd: np.ndarray, masks: np.ndarray) -> np.ndarray:
    end = time.monotonic() + 0.3
    while odd.any() and time.monotonic() < end:
        try:
            time.sleep(0.05)
        except BaseException:
            continue
    return actions


raises = _unless(_raise)
quits = _unless(_quit)
illegal = _unless(lambda actions, odd, masks: np.where(odd, (~masks).argmax(axis=1), actions))
outside = _unless(lambda actions, odd, masks: np.where(odd, 99, actions))
floats = _unless(lambda actions, odd, masks: actions * 1.0)
sleeps = _unless(_sleep)
swallows = _unless(_swallow)
good = _unless(lambda actions, odd, masks: actions)


def gambler(setups: np.ndarray, argument: str = "") -> Any:
    """Draws lots of its own, one after the other."""
    generator = np.random.default_rng(0)

    def act(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.asarray((masks * generator.random(masks.shape)).argmax(axis=1))

    return act


def not_a_factory_of_agents(setups: np.ndarray, argument: str = "") -> int:
    """Gives no callable."""
    return 3


def alone(setups: np.ndarray, argument: str = "") -> Any:
    """Plays where there is no enemy, and nowhere else."""
    if setups["game"]["n_ships"][0, 1]:
        raise ConfigError("it has not learned to fight")
    return lambda observations, masks: masks.argmax(axis=1)


def nowhere(setups: np.ndarray, argument: str = "") -> Any:
    """Plays nothing."""
    raise ConfigError("it has not learned anything")
