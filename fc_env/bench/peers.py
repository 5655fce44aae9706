"""Other environments, played in the same way in the same run: random legal play with observation and mask.

Each has its own adapter here, which raises AbsentError where its package is not installed. Of games with masks only
decisions with two or more choices count, as with ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from fc_env.bench.goals import AbsentError
from fc_env.bench.playing import Counts, Player
from fc_env.opponents import any_legal

PACKAGES = ("envpool", "pettingzoo", "open_spiel")
ENVS = 64


def _counting(step: Callable[[], int]) -> Player:
    """A player of whatever makes some decisions at each call and says how many of them count."""

    def play(seconds: float) -> Counts:
        decisions = 0
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            decisions += step()
        return Counts(decisions, 0, 0, spent)

    return play


def cart_pole() -> Player:
    """Gymnasium's ``CartPole-v1``, a ``SyncVectorEnv`` of 64."""
    env = gym.make_vec("CartPole-v1", num_envs=ENVS, vectorization_mode="sync")
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def step() -> int:
        env.step(rng.integers(0, 2, ENVS))
        return ENVS

    return _counting(step)


def envpool_backgammon() -> Player:
    """EnvPool's ``Backgammon-v1`` in C++, 64 games by one thread."""
    try:
        import envpool

        env: Any = envpool.make("Backgammon-v1", env_type="gymnasium", num_envs=ENVS, num_threads=1, seed=0)
    except Exception as problem:  # it also fails in ways of its own where files of other games are missing
        raise AbsentError(f"envpool cannot be used ({type(problem).__name__}: {problem})") from None
    rng = np.random.default_rng(0)
    masks = env.reset()[1]["legal_action_mask"]

    def step() -> int:
        nonlocal masks
        legal = masks.reshape(ENVS, -1)
        counts = legal.cumsum(axis=1)
        wanted = rng.random(ENVS) * counts[:, -1]
        actions = (counts > wanted[:, None]).argmax(axis=1).astype(np.int32)
        masks = env.step(actions)[4]["legal_action_mask"]
        return int((counts[:, -1] > 1).sum())

    return _counting(step)


def connect_four() -> Player:
    """PettingZoo's Connect Four."""
    try:
        from pettingzoo.classic import connect_four_v3
    except ImportError as problem:
        raise AbsentError(f"pettingzoo's classic games cannot be used ({problem})") from None
    env = connect_four_v3.env()
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def step() -> int:
        observation, _, over, truncated, _ = env.last()
        if over or truncated:
            env.reset()
            return 0
        mask = observation["action_mask"].astype(np.bool_)
        env.step(any_legal(mask, rng.random()))
        return int(mask.sum() > 1)

    return _counting(step)


def open_spiel_backgammon() -> Player:
    """OpenSpiel's Backgammon, with the observation tensor and the mask of each decision."""
    try:
        import pyspiel
    except ImportError as problem:
        raise AbsentError(f"open_spiel is not installed ({problem})") from None
    game = pyspiel.load_game("backgammon")
    state = game.new_initial_state()
    rng = np.random.default_rng(0)

    def step() -> int:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        while state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(outcomes[rng.choice(len(outcomes), p=chances)])
        np.asarray(state.observation_tensor(), np.float32)
        mask = np.asarray(state.legal_actions_mask(), np.bool_)
        state.apply_action(any_legal(mask, rng.random()))
        return int(mask.sum() > 1)

    return _counting(step)
