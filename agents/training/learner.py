"""The learner: MaskablePPO over one batch of games, and all of its state as plain data."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.distributions import Distribution

from agents.training.checkpoints import Snapshot
from agents.training.config import TrainConfig
from agents.training.networks import ACTIVATIONS

RECENT_GAMES = 1000
"""Games that the recent success rate looks back on."""


class GamesSeen(BaseCallback):
    """Counts the games that end in a rollout, and passes on each step."""

    def __init__(self) -> None:
        super().__init__()
        self.recent: deque[bool] = deque(maxlen=RECENT_GAMES)
        self.games = 0
        self.begin()

    def begin(self) -> None:
        """A new rollout begins."""
        self.outcomes: dict[str, int] = {}
        self.successes = 0
        self.against: dict[int, list[int]] = {}
        """By ``opponent_id``: games won, drawn and lost"""
        self.returns: list[float] = []
        self.lengths: list[int] = []
        self.on_step_taken: Any = None

    def _on_step(self) -> bool:
        infos = self.locals["infos"]
        for index in np.flatnonzero(self.locals["dones"]):
            info = infos[index]
            self.outcomes[info["outcome"]] = self.outcomes.get(info["outcome"], 0) + 1
            self.returns.append(info["episode"]["r"])
            self.lengths.append(info["episode"]["l"])
            self.successes += info["is_success"]
            self.recent.append(info["is_success"])
            if "opponent_id" in info:
                ended = 0 if info["is_success"] else 1 if info["outcome"] == "draw" else 2
                self.against.setdefault(info["opponent_id"], [0, 0, 0])[ended] += 1
            self.games += 1
        if self.on_step_taken is not None:
            self.on_step_taken()
        return True

    @property
    def success_rate(self) -> float | None:
        """Share of the recent games that were crossed or won, None before the first has ended."""
        return sum(self.recent) / len(self.recent) if self.recent else None


class Seen(BaseFeaturesExtractor):
    """Passes on the floats of an observation that the networks are shown."""

    columns: torch.Tensor

    def __init__(self, space: gym.Space, columns: list[int]) -> None:
        super().__init__(space, len(columns))
        self.register_buffer("columns", torch.tensor(columns), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return observations.index_select(1, self.columns)


class Learner:
    """Trains in rollouts; between two of them its whole state can be taken and given back.

    ``columns``, int64 (K,), are the places of the floats that the networks are shown; ``opponents`` are the names of
    those in the environment.
    """

    def __init__(
        self, config: TrainConfig, env: VecEnv, columns: np.ndarray, opponents: Sequence[str] | None = None
    ) -> None:
        torch.set_num_threads(config.threads)
        Distribution.set_default_validate_args(False)  # it takes a third of the time
        self.config = config
        self.env = env
        self.opponents = list(config.opponents if opponents is None else opponents)
        self.rollouts = 0
        self.seen = GamesSeen()
        self.model = MaskablePPO(
            "MlpPolicy",
            env,
            learning_rate=self._learning_rate,
            n_steps=config.n_steps,
            batch_size=config.batch_size,
            n_epochs=config.n_epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            ent_coef=config.ent_coef,
            vf_coef=config.vf_coef,
            max_grad_norm=config.max_grad_norm,
            target_kl=config.target_kl,
            policy_kwargs={
                "net_arch": {"pi": list(config.actor_net), "vf": list(config.critic_net)},
                "activation_fn": ACTIVATIONS[config.activation],
                "features_extractor_class": Seen,
                "features_extractor_kwargs": {"columns": columns.tolist()},
            },
            seed=_seed32(config.seed),
            device="cpu",
        )
        self.model.set_logger(Logger(folder=None, output_formats=[]))
        self.model._setup_learn(config.total_steps, self.seen)
        self.seen.init_callback(self.model)

    @property
    def steps(self) -> int:
        """Decisions trained on so far."""
        return self.model.num_timesteps

    @property
    def done(self) -> bool:
        """Whether all rollouts are done."""
        return self.steps >= self.config.total_steps

    def _left(self) -> float:
        """Share of the run that is left, by whole rollouts."""
        whole = -(-self.config.total_steps // self.config.rollout)
        return max(1.0 - self.rollouts / whole, 0.0)

    def _learning_rate(self, left: float) -> float:
        return self.config.learning_rate_end + left * (self.config.learning_rate - self.config.learning_rate_end)

    def rollout(self, on_step_taken: Any = None) -> None:
        """Play one rollout and learn from it; ``on_step_taken`` is called after each step of the batch."""
        model = self.model
        self.seen.begin()
        self.seen.on_step_taken = on_step_taken
        left = self._left()
        model._current_progress_remaining = left
        model.ent_coef = self.config.ent_coef_end + left * (self.config.ent_coef - self.config.ent_coef_end)
        model.collect_rollouts(self.env, self.seen, model.rollout_buffer, self.config.n_steps)
        model.train()
        self.rollouts += 1

    def metrics(self) -> dict[str, Any]:
        """Figures of the last rollout, plain data."""
        logged = self.model.logger.name_to_value
        seen = self.seen
        games = len(seen.lengths)
        figures: dict[str, Any] = {
            "rollout": self.rollouts,
            "steps": self.steps,
            "games": games,
            "success_rate": seen.successes / games if games else None,
            "recent_success_rate": seen.success_rate,
            "mean_return": float(np.mean(seen.returns)) if games else None,
            "mean_decisions": float(np.mean(seen.lengths)) if games else None,
            "outcomes": dict(sorted(seen.outcomes.items())),
        }
        if self.opponents:
            against = {self.opponents[i]: ended for i, ended in sorted(seen.against.items())}
            figures["success_rate_against"] = {name: ended[0] / sum(ended) for name, ended in against.items()}
            figures["results_against"] = against
        for name in ("learning_rate", "entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl",
                     "clip_fraction", "explained_variance"):  # fmt: skip
            value = logged.get(f"train/{name}")
            figures[name] = float(value) if value is not None and np.isfinite(value) else None
        figures["ent_coef"] = self.model.ent_coef
        return figures

    def networks(self) -> dict[str, nn.Sequential]:
        """The policy's and the value's network, as ``agents.ppo`` keeps them."""
        policy = self.model.policy
        return {
            "actor": nn.Sequential(*policy.mlp_extractor.policy_net, policy.action_net),
            "critic": nn.Sequential(*policy.mlp_extractor.value_net, policy.value_net),
        }

    def policy(self) -> dict[str, np.ndarray]:
        """Copies of the weights of the policy's network, float32, named as ``agents.forward.shapes`` names them."""
        return {key: tensor.numpy().copy() for key, tensor in self.networks()["actor"].state_dict().items()}

    # ---- all of its state

    def snapshot(self) -> Snapshot:
        """Everything, between two rollouts."""
        model = self.model
        optimiser = model.policy.optimizer.state_dict()
        moments = {
            f"{number}.{name}": tensor.numpy().copy()
            for number, entry in optimiser["state"].items()
            for name, tensor in entry.items()
        }
        arrays = {
            "weights": {name: tensor.numpy().copy() for name, tensor in model.policy.state_dict().items()},
            "optimiser": moments,
            "environment": dict(self.env.get_state()),  # type: ignore[attr-defined]
            "rollout": {
                "observations": np.array(model._last_obs),
                "episode_starts": np.array(model._last_episode_starts),
            },
        }
        state = {
            "steps": model.num_timesteps,
            "rollouts": self.rollouts,
            "updates": model._n_updates,
            "games": self.seen.games,
            "recent": [bool(success) for success in self.seen.recent],
            "optimiser_groups": [
                {key: value for key, value in group.items() if key != "params"} for group in optimiser["param_groups"]
            ],
            "generators": _generators(),
        }
        return Snapshot(arrays, state)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot that a learner with the same configuration took."""
        model, arrays, state = self.model, snapshot.arrays, snapshot.state
        model.policy.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in arrays["weights"].items()})
        self._restore_optimiser(arrays["optimiser"], state["optimiser_groups"])
        self.env.set_state(arrays["environment"])  # type: ignore[attr-defined]
        model._last_obs = arrays["rollout"]["observations"].copy()
        model._last_episode_starts = arrays["rollout"]["episode_starts"].copy()
        model.num_timesteps, model._n_updates = state["steps"], state["updates"]
        self.rollouts = state["rollouts"]
        self.seen.games = state["games"]
        self.seen.recent = deque(state["recent"], maxlen=RECENT_GAMES)
        _set_generators(state["generators"])

    def _restore_optimiser(self, moments: Mapping[str, np.ndarray], groups: list[dict[str, Any]]) -> None:
        optimiser = self.model.policy.optimizer
        now = optimiser.state_dict()
        entries: dict[int, dict[str, torch.Tensor]] = {}
        for key, array in moments.items():
            number, _, name = key.partition(".")
            entries.setdefault(int(number), {})[name] = torch.from_numpy(array.copy())
        now["state"] = entries
        now["param_groups"] = [
            {**saved, "betas": tuple(saved["betas"]), "params": group["params"]}
            for saved, group in zip(groups, now["param_groups"], strict=True)
        ]
        optimiser.load_state_dict(now)


def _seed32(seed: int) -> int:
    """The generators' seed: theirs have 32 bits, so a large one is hashed."""
    return seed if seed < 2**32 else int(np.random.SeedSequence(seed).generate_state(1)[0])


def _generators() -> dict[str, Any]:
    """State of every generator that training draws from, as plain data."""
    _, keys, place, has_gauss, gauss = np.random.get_state(legacy=True)
    version, words, spare = random.getstate()
    return {
        "torch": torch.get_rng_state().numpy().tobytes().hex(),
        "numpy": {
            "keys": np.asarray(keys).tolist(),
            "place": int(place),
            "has_gauss": int(has_gauss),
            "gauss": float(gauss),
        },
        "python": {"version": version, "words": list(words), "spare": spare},
    }


def _set_generators(saved: Mapping[str, Any]) -> None:
    torch.set_rng_state(torch.frombuffer(bytearray.fromhex(saved["torch"]), dtype=torch.uint8).clone())
    mt = saved["numpy"]
    np.random.set_state(("MT19937", np.array(mt["keys"], np.uint32), mt["place"], mt["has_gauss"], mt["gauss"]))
    words = saved["python"]
    random.setstate((words["version"], tuple(words["words"]), words["spare"]))
