"""MaskablePPO over our ``VecEnv``, set up as the trainer of this project does it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from fc_env.bench.goals import AbsentError, Effort, Found, significant
from fc_env.torch_threads import torch_spins_briefly

N_ENVS, N_STEPS, BATCH_SIZE, EPOCHS = 256, 64, 4096, 4
ONE, TWO = 1, 2
"""Threads of the learner; the environment has one."""
SHORT = 4
"""So many times shorter are rollouts where rounds are to be shorter than a second."""


def _timed(function: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    def timed(*given: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            spent[0] += time.perf_counter() - start

    return timed


def _learner(n_steps: int, aids: bool, threads: int) -> tuple[Any, list[float]]:
    """A learner with rollouts of so many steps, and a list of one: seconds that its environment has taken so far."""
    torch_spins_briefly()
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from torch.distributions import Distribution

        from fc_env.sb3_env import FleetCaptainVecEnv
    except ImportError as problem:
        raise AbsentError(f"{problem.name} is not installed, want the extra 'train'") from None
    torch.set_num_threads(threads)
    Distribution.set_default_validate_args(False)
    env: Any = FleetCaptainVecEnv([("crossing", "dense")], N_ENVS, seed=0, aids=aids)
    spent = [0.0]
    for name in ("step_async", "step_wait", "env_method"):
        setattr(env, name, _timed(getattr(env, name), spent))
    policy = {"net_arch": [64, 64]}
    model = MaskablePPO("MlpPolicy", env, n_steps=n_steps, batch_size=BATCH_SIZE, n_epochs=EPOCHS,
                        policy_kwargs=policy, seed=0, device="cpu")  # fmt: skip
    return model, spent


@cache
def _rollouts(aids: bool, threads: int, effort: Effort) -> tuple[list[float], list[float]]:
    """Steps per second, and the environment's share of the time in per cent, of some rollouts and their training."""
    n_steps = N_STEPS if effort.seconds >= 1 else max(N_STEPS // SHORT, 1)
    model, spent = _learner(n_steps, aids, threads)
    rates, shares = [], []
    for index in range(effort.rounds + 1):
        before, start = spent[0], time.perf_counter()
        model.learn(N_ENVS * n_steps, reset_num_timesteps=False)
        seconds = time.perf_counter() - start
        if index:  # the first warms up
            rates.append(N_ENVS * n_steps / seconds)
            shares.append(100 * (spent[0] - before) / seconds)
    return rates, shares


def steps(aids: bool, effort: Effort) -> Found:
    """Steps per second of playing and learning together, the learner on two threads."""
    rates, shares = _rollouts(aids, TWO, effort)
    return Found(rates, {"env_share_percent": significant(float(np.median(shares)))})


def share(aids: bool, effort: Effort) -> Found:
    """The environment's share of the time in per cent, all on one thread."""
    rates, shares = _rollouts(aids, ONE, effort)
    return Found(shares, {"steps_per_second": significant(float(np.median(rates)))})
