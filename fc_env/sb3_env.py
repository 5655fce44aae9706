"""Stable-Baselines3 VecEnv: one batch of games behind the interface PPO and its kind expect.

>>> from sb3_contrib import MaskablePPO
>>> from fc_env.sb3_env import FleetCaptainVecEnv
>>> env = FleetCaptainVecEnv([("crossing", "standard"), ("crossing", "dense")], n_envs=64, seed=0)
>>> model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512)

It needs ``stable-baselines3`` (the ``train`` extra).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvObs, VecEnvStepReturn

from fc_env import actions as act
from fc_env import seeding
from fc_env.actions import action_name
from fc_env.batch import OUTCOMES, Batch, Seeds
from fc_env.curriculum import Curriculum
from fc_env.errors import ConfigError
from fc_env.jit import Settled, jit
from fc_env.opponents import OpponentLike
from fc_env.reward import RewardLike
from fc_env.ruleset import RuleSet
from fc_env.scenarios import load_setups
from fc_env.validity import check_array
from fc_env.versus import SeatLike, Versus, make_batch


@jit
def _count_step(rewards, returns, lengths) -> None:
    for i in range(len(rewards)):
        returns[i] += rewards[i]
        lengths[i] += 1


_tally = Settled(_count_step)


class Slot:
    """One game of the batch, as ``env_method`` and ``get_attr`` meet it."""

    render_mode: str | None = None
    spec = None

    def __init__(self, batch: Batch, index: int) -> None:
        self._batch = batch
        self._index = index

    @property
    def game(self) -> np.ndarray:
        """A copy of the game, GAME ()."""
        return self._batch.games[self._index].copy()

    @property
    def scenario(self) -> int:
        """Index of the scenario the game is of."""
        return int(self._batch.which[self._index])

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, bool (32,)."""
        return self._batch.masks[self._index].copy()

    def action_name(self, action: int) -> str:
        """The action in words. Raises IllegalActionError if there is no such action."""
        return action_name(action)

    def why_illegal(self, action: int) -> str:
        """A sentence: why an action is not legal now; empty if it is."""
        return self._batch.why_illegal(self._index, action)


class FleetCaptainVecEnv(VecEnv):
    """N games over one or several scenarios, stepped by one compiled call.

    Arguments: ``scenarios``, (name or path, field) pairs or an array of SETUP (S,); ``n_envs``; ``seed``, an integer
    that is hashed with the place of each game, a list of ``n_envs`` seeds, or None for chance; ``space``, "train" or
    "test"; ``reward``, a RewardConfig, a mapping of its fields, or a callable; ``curriculum``, see
    ``fc_env.curriculum``; ``rules``, changes of the rule set for all (name or path, field) pairs; ``opponent``, see
    ``fc_env.opponents``, and ``seat``, the learner's, 0, 1 or "random", for scenarios with two sides; ``threads``, how
    many play the games of a large batch, and ``aids``, see ``fc_env.batch.Batch``. Raises ConfigError, ScenarioError
    or SeedError.

    Observations float32 (N, D), rewards float32 (N,). A game that ends is followed by the next one in the same step:
    its info holds ``terminal_observation``, ``outcome`` (such as "crossed"), ``is_success`` (crossed, or won),
    ``scenario``, ``reward_terms`` of its last step, and ``episode`` with the return ``r``, the length ``l`` in
    decisions and the seconds ``t`` since the start; against an opponent also ``seat`` and ``opponent_id``.
    ``TimeLimit.truncated`` is False: the turn limit is part of the game. The info of a game that goes on is empty.
    """

    def __init__(
        self,
        scenarios: Any,
        n_envs: int,
        seed: Seeds = None,
        space: str = "train",
        reward: RewardLike = None,
        curriculum: Curriculum | None = None,
        rules: RuleSet | Mapping[str, Any] | None = None,
        opponent: OpponentLike | None = None,
        seat: SeatLike = 0,
        threads: int = 1,
        aids: bool = False,
    ) -> None:
        setups = load_setups(scenarios, rules)
        self.batch = make_batch(setups, n_envs, space, reward, curriculum, opponent, seat, threads, aids)
        self.slots = [Slot(self.batch, index) for index in range(n_envs)]
        low, high = self.batch.layout.bounds()
        super().__init__(n_envs, gym.spaces.Box(low, high, dtype=np.float32), gym.spaces.Discrete(act.N_ACTIONS))
        self._returns, self._lengths = np.zeros(n_envs), np.zeros(n_envs, np.int64)
        self._slots_are_own = False
        self._actions = np.zeros(n_envs, np.int64)
        self._started = time.time()
        self.seed(seed) if seed is not None else None

    @property
    def returns(self) -> np.ndarray:
        """float64 (N,): rewards of each game so far."""
        return self._returns

    @property
    def lengths(self) -> np.ndarray:
        """int64 (N,): decisions of each game so far."""
        return self._lengths

    # ---- playing

    def seed(self, seed: Seeds = None) -> list[int]:
        """Seeds for the next ``reset``: one integer, hashed for each game, or a list. Returns those of the games."""
        given: Any = seeding.fresh_seed() if seed is None else seed
        if not isinstance(given, (list, tuple, np.ndarray)):
            given = seeding.batch_seeds(given, self.num_envs)
        checked = [seeding.check_seed(one) for one in given]
        if len(checked) != self.num_envs:
            raise ConfigError(f"{len(checked)} seeds for {self.num_envs} games: want one for each")
        self._seeds = list(checked)
        return checked

    def reset(self) -> VecEnvObs:
        """Start all games anew; observations float32 (N, D), a copy."""
        self.batch.reset(self._seeds)
        self._reset_seeds()
        self._reset_options()
        self.returns[:] = 0.0
        self.lengths[:] = 0
        return self.batch.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Raises IllegalActionError naming the game, or NotResetError; then no game has changed."""
        batch = self.batch
        rewards, terms = batch.step(self._actions)
        _tally(rewards, self._returns, self._lengths)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        dones = batch.over.copy()
        ended = np.flatnonzero(dones)
        if len(ended):
            for i, ending in zip(ended.tolist(), self._endings(ended, terms), strict=True):
                infos[i] = ending
            batch.reset(slots=ended)
            self.returns[ended] = 0.0
            self.lengths[ended] = 0
        return batch.observations.copy(), rewards, dones, infos

    def _endings(self, ended: np.ndarray, terms: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
        """What is told of the games that have just ended, int64 (K,)."""
        batch = self.batch
        outcomes, seconds = batch.games["outcome"], round(time.time() - self._started, 6)
        infos: list[dict[str, Any]] = [
            {
                "TimeLimit.truncated": False,
                "terminal_observation": batch.observations[i].copy(),
                "outcome": OUTCOMES[outcomes.item(i)],
                "is_success": batch.results.item(i, batch.seats.item(i)) > 0,
                "scenario": batch.which.item(i),
                "reward_terms": {name: term.item(i) for name, term in terms.items()},
                "episode": {"r": self.returns.item(i), "l": self.lengths.item(i), "t": seconds},
            }
            for i in ended.tolist()
        ]
        if isinstance(batch, Versus):
            for i, info in zip(ended.tolist(), infos, strict=True):
                info["seat"], info["opponent_id"] = batch.seats.item(i), batch.opponent_id.item(i)
        return infos

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, bool (N, 32), a copy."""
        return self.batch.masks.copy()

    def close(self) -> None:
        """End the threads there may be."""
        self.batch.close()

    # ---- what the interface asks of single environments

    def _chosen(self, indices: VecEnvIndices) -> list[Slot]:
        return [self.slots[i] for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        return [getattr(slot, attr_name) for slot in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        self._slots_are_own = True
        for slot in self._chosen(indices):
            setattr(slot, attr_name, value)

    def env_method(self, method_name: str, *method_args, indices: VecEnvIndices = None, **method_kwargs) -> Any:
        """What a method of each chosen game gives, a list; the masks of all games, bool (N, 32), are one array."""
        if method_name == "action_masks" and indices is None and not self._slots_are_own:
            return self.action_masks(*method_args, **method_kwargs)  # MaskablePPO asks at each step
        return [getattr(slot, method_name)(*method_args, **method_kwargs) for slot in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        return [False for _ in self._chosen(indices)]

    # ---- saving

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything play depends on but the arguments, as plain arrays; ``set_state`` goes on from there."""
        return {**self.batch.get_state(), "returns": self.returns.copy(), "lengths": self.lengths.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Restore what ``get_state`` gave; returns the observations, float32 (N, D). Raises ConfigError if it is not
        such a state; then nothing has changed."""
        check_array(state, "returns", self.returns)
        check_array(state, "lengths", self.lengths)
        self.batch.set_state(state)
        self.returns[:], self.lengths[:] = state["returns"], state["lengths"]
        return self.batch.observations.copy()


__all__ = ["FleetCaptainVecEnv", "Slot"]
