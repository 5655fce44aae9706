"""Gymnasium VectorEnv: one batch of games, stepped by one compiled call."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from fc_env import actions as act
from fc_env import engine
from fc_env.actions import action_name
from fc_env.batch import OUTCOMES, Seeds
from fc_env.curriculum import Curriculum
from fc_env.errors import ConfigError, GameOverError
from fc_env.opponents import OpponentLike
from fc_env.render import MODES, renderer
from fc_env.reward import RewardLike
from fc_env.ruleset import RuleSet
from fc_env.scenarios import load_setups
from fc_env.validity import check_array
from fc_env.versus import SeatLike, Versus, make_batch

_OUTCOME_NAMES = np.array(OUTCOMES, object)


def _autoreset_mode(given: Any) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        modes = ", ".join(mode.value for mode in AutoresetMode)
        raise ConfigError(f"autoreset_mode {given!r}: want one of {modes}") from None


def _step_limit(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise ConfigError(f"max_episode_steps {given!r}: want an integer from 1, or None")
    return int(given)


class FleetCaptainVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """N games of one or several scenarios: ``FleetCaptainEnv`` N times over in what ``reset`` and ``step`` return.

    Arguments beyond those of ``FleetCaptainEnv``, of which it has all but ``record``: ``num_envs``;
    ``autoreset_mode``, what follows the end of a game (by default ``NEXT_STEP``); ``max_episode_steps``, decisions
    after which a game is truncated, or None; ``copy``, False to return the batch's own observations and masks, not to
    be written to, which the next call overwrites; ``scenarios``, in place of ``scenario`` and ``field``, (name or path,
    field) pairs or an array of SETUP (S,); ``curriculum``, see ``fc_env.curriculum``; ``threads``, how many play the
    games of a large batch, see ``fc_env.batch.Batch``. ``batch.which``, int64 (N,), says which of the scenarios each
    game is of. Raises as that class does. An opponent answers for all games that wait for it at once.

    Observations float32 (N, D), rewards float64 (N,), terminations and truncations bool (N,). ``infos`` holds the
    entries of the single environment as arrays over the games, each with a presence mask ``_key``, bool (N,): where
    it is False the entry was not written in this call. In ``SAME_STEP`` mode ``final_obs`` and ``final_info`` hold
    what a game that ended showed last, all of a step in one block of memory.

    ``reset(seed=int)`` hashes the seed with the place of each game; a list gives each game its own, and the same list
    gives the same games in every kind of environment. ``reset(options={"reset_mask": mask})``, bool (N,), starts the
    chosen games only.
    """

    def __init__(
        self,
        scenario: str | PathLike[str] | None = None,
        num_envs: int = 1,
        field: str | None = None,
        rules: RuleSet | Mapping[str, Any] | None = None,
        seed_space: str = "train",
        reward: RewardLike = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        scenarios: Any = None,
        curriculum: Curriculum | None = None,
        opponent: OpponentLike | None = None,
        seat: SeatLike = 0,
        threads: int = 1,
        aids: bool = False,
    ) -> None:
        renderer(render_mode)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        if scenarios is None:
            scenarios = [("crossing" if scenario is None else scenario, field)]
        elif scenario is not None or field is not None:
            raise ConfigError(f"scenario {scenario!r}, field {field!r} with scenarios: want one or the other")
        setups = load_setups(scenarios, rules)
        self.batch = make_batch(setups, num_envs, seed_space, reward, curriculum, opponent, seat, threads, aids)
        self.layout = self.batch.layout
        self.num_envs = self.batch.n
        self.render_mode = render_mode
        self.metadata = {"render_modes": list(MODES), "render_fps": 4, "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        low, high = self.layout.bounds()
        self.single_observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.single_action_space = gym.spaces.Discrete(act.N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._max_episode_steps = _step_limit(max_episode_steps)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._ended = np.zeros(self.num_envs, np.bool_)
        """Games whose end was reported and that have not been started anew."""

    # ---- Gymnasium

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Start all games, or those of ``options["reset_mask"]``. Raises SeedError, ConfigError, ScenarioError."""
        chosen = self._reset_mask(options)
        self._start(chosen, seed)
        return self._observations(), self._infos(chosen)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action in each game, integers (N,).

        In ``NEXT_STEP`` mode a game that ended in the last step starts anew instead, and its action is not looked at.
        Raises IllegalActionError, GameOverError or NotResetError, naming the game; then no game has changed.
        """
        batch = self.batch
        batch.need_reset()
        starting = None
        if self.autoreset_mode != AutoresetMode.SAME_STEP and self._ended.any():
            if self.autoreset_mode == AutoresetMode.DISABLED:
                index = int(self._ended.argmax())
                raise GameOverError(f"game {index}: the game is over: want reset(options={{'reset_mask': ...}})")
            starting = self._ended.copy()
        rewards, terms = batch.step(actions, starting)
        acted = np.ones(self.num_envs, np.bool_) if starting is None else ~starting
        self._steps += acted
        if starting is not None:
            self._start(starting, None)
        terminations = batch.over.copy()
        truncations = self._too_long(acted) & ~terminations
        self._ended = terminations | truncations
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._ended.any():
            infos = self._restart_now(terms)
        else:
            infos = self._infos(np.ones_like(acted), acted, terms)
        return self._observations(), rewards.astype(np.float64), terminations, truncations, infos

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each game, None without a render mode. Raises NotResetError."""
        draw = renderer(self.render_mode)
        if draw is None:
            return None
        self.batch.need_reset()
        return tuple(draw(game) for game in self.games)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads there may be."""
        if hasattr(self, "batch"):  # it has none where arguments were refused
            self.batch.close()

    # ---- beyond Gymnasium

    @property
    def games(self) -> np.ndarray:
        """A copy of the games, GAME (N,)."""
        return engine.clone(self.batch.games)

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, bool (N, 32)."""
        return self.batch.masks.copy()

    def action_name(self, action: int) -> str:
        """The action in words. Raises IllegalActionError if there is no such action."""
        return action_name(action)

    def why_illegal(self, index: int, action: int) -> str:
        """A sentence: why an action is not legal now in one game, and which are; empty if it is legal.

        Raises NotResetError, ConfigError for an index of no game, IllegalActionError for what is no integer.
        """
        return self.batch.why_illegal(index, action)

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything play depends on but the arguments, as plain arrays; ``set_state`` goes on from there."""
        return {**self.batch.get_state(), "steps": self._steps.copy(), "ended": self._ended.copy()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Restore what ``get_state`` gave; returns the observations. Raises ConfigError; then nothing has changed."""
        for name, own in (("steps", self._steps), ("ended", self._ended)):
            check_array(state, name, own)
        self.batch.set_state(state)
        self._steps[:], self._ended[:] = state["steps"], state["ended"]
        return self._observations()

    # ---- inside

    def _reset_mask(self, options: Mapping[str, Any] | None) -> np.ndarray:
        unknown = [str(key) for key in options or {} if key != "reset_mask"]
        if unknown:
            raise ConfigError(f"reset options {', '.join(unknown)}: want only reset_mask")
        if not options:
            return np.ones(self.num_envs, np.bool_)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ConfigError(f"reset_mask {mask!r}: want a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise ConfigError("reset_mask chooses no game: want one or more")
        return mask.copy()

    def _start(self, chosen: np.ndarray, seed: Seeds) -> None:
        self.batch.reset(seed, np.flatnonzero(chosen))
        self._steps[chosen] = 0
        self._ended[chosen] = False

    def _too_long(self, acted: np.ndarray) -> np.ndarray:
        if self._max_episode_steps is None:
            return np.zeros(self.num_envs, np.bool_)
        reached: np.ndarray = acted & (self._steps >= self._max_episode_steps)
        return reached

    def _restart_now(self, terms: dict[str, np.ndarray]) -> dict[str, Any]:
        """``SAME_STEP``: keep the last of the games that ended, start the next ones, and tell of both."""
        ended = self._ended.copy()
        final_obs = np.full(self.num_envs, None, object)
        places = np.flatnonzero(ended)
        for place, last in zip(places.tolist(), self.batch.observations[places], strict=True):
            final_obs[place] = last
        final_info = self._infos(ended, ended, terms, copy=True)
        self._start(ended, None)
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
            **self._infos(np.ones_like(ended), ~ended, terms),
        }

    def _infos(
        self,
        present: np.ndarray,
        acted: np.ndarray | None = None,
        terms: Mapping[str, np.ndarray] | None = None,
        copy: bool | None = None,
    ) -> dict[str, Any]:
        """Infos of the games that are present, bool (N,), with what the step gave those that acted, bool (N,)."""
        batch = self.batch
        masks = batch.masks.copy() if self.copy or copy else batch.masks
        infos: dict[str, Any] = {
            "action_mask": masks,
            "_action_mask": present.copy(),
            "turn": batch.turns.copy(),
            "_turn": present.copy(),
        }
        if isinstance(batch, Versus):
            infos["seat"], infos["_seat"] = batch.seats.copy(), present.copy()
        if acted is None or terms is None or not acted.any():
            return infos
        inner: dict[str, np.ndarray] = {}
        for name, term in terms.items():
            inner[name], inner[f"_{name}"] = np.where(acted, term, 0.0), acted.copy()
        infos["reward_terms"], infos["_reward_terms"] = inner, acted.copy()
        over = batch.over & acted
        if over.any():
            names = np.full(self.num_envs, None, object)
            names[over] = _OUTCOME_NAMES[batch.games["outcome"][over]]
            infos["outcome"], infos["_outcome"] = names, over
            if isinstance(batch, Versus):
                infos["opponent_id"], infos["_opponent_id"] = np.where(over, batch.opponent_id, 0), over.copy()
        return infos

    def _observations(self) -> np.ndarray:
        return self.batch.observations.copy() if self.copy else self.batch.observations


__all__ = ["FleetCaptainVectorEnv"]
