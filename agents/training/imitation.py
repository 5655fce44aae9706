"""Learning from a teacher before learning from play.

The teacher plays the learner's seat in games of their own. The policy is fitted to what it chose (behaviour cloning:
Pomerleau 1991, "Efficient training of artificial neural networks for autonomous navigation") and the value to how its
games went on, so that the policy gradient starts from sensible play and sensible values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents.protocol import Agent
from agents.training.config import TrainConfig

STEPS = 256
"""Decisions of each game that are played, fitted to and forgotten at a time; long enough for most games to end."""


class Lesson(NamedTuple):
    """What the teacher did in K decisions."""

    observations: np.ndarray  # float32 (K, D)
    masks: np.ndarray  # bool (K, A)
    actions: np.ndarray  # int64 (K,)
    returns: np.ndarray  # float32 (K,), discounted, of the rest of the game
    known: np.ndarray  # bool (K,), whether that rest was seen


def returns_of(rewards: np.ndarray, dones: np.ndarray, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """Discounted returns of the rest of each game, float32 (T, N), and whether its end was seen, bool (T, N)."""
    returns, known = np.zeros_like(rewards), np.zeros_like(dones)
    later, ended = np.zeros(rewards.shape[1], rewards.dtype), np.zeros(rewards.shape[1], np.bool_)
    for step in range(len(rewards) - 1, -1, -1):
        later = rewards[step] + gamma * np.where(dones[step], 0.0, later)
        ended = ended | dones[step]
        returns[step], known[step] = later, ended
    return returns, known


class Classroom:
    """A teacher at play, ``env`` being a FleetCaptainVecEnv of its own."""

    def __init__(self, env: Any, teacher: Agent, gamma: float) -> None:
        self.env, self.teacher, self.gamma = env, teacher, gamma
        self._seen = env.reset()

    def lesson(self, steps: int) -> Lesson:
        """So many decisions in each game."""
        rows: list[tuple[np.ndarray, ...]] = []
        for _ in range(steps):
            seen, masks = self._seen, self.env.action_masks()
            actions = self.teacher(seen, masks)
            self._seen, rewards, dones, _ = self.env.step(actions)
            rows.append((seen, masks, actions, rewards, dones))
        observations, masks, actions, rewards, dones = (np.stack(column) for column in zip(*rows, strict=True))
        returns, known = returns_of(rewards, dones, self.gamma)
        return Lesson(
            *(array.reshape(-1, *array.shape[2:]) for array in (observations, masks, actions, returns, known))
        )


def fit(model: MaskablePPO, optimiser: torch.optim.Optimizer, lesson: Lesson, config: TrainConfig) -> float:
    """Fit policy and value to a lesson, some passes over it; returns how often the policy gave the teacher's choice
    more than half of its chance in the last of them."""
    policy: Any = model.policy
    policy.set_training_mode(True)
    parts = [torch.from_numpy(array) for array in lesson]
    agreed = 0.0
    for _ in range(config.imitation_epochs):
        agreed = 0.0
        for chosen in torch.randperm(len(lesson.actions)).split(config.batch_size):
            observations, masks, actions, returns, known = (part[chosen] for part in parts)
            values, log_chances, _ = policy.evaluate_actions(observations, actions, action_masks=masks)
            errors = (values.flatten() - returns) ** 2 * known
            loss = -log_chances.mean() + config.vf_coef * errors.sum() / known.sum().clamp(min=1)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), config.max_grad_norm)
            optimiser.step()
            agreed += float((log_chances > np.log(0.5)).sum())
    return agreed / len(lesson.actions)


def imitate(
    model: MaskablePPO,
    classroom: Classroom,
    config: TrainConfig,
    note: Callable[[int, float], None],
    stop: Callable[[], bool],
) -> bool:
    """Learn from the teacher for ``config.imitation_decisions``; False if it was stopped.

    ``note`` is told the decisions so far and how often the policy gave the teacher's choice more than half of its
    chance.
    """
    optimiser = torch.optim.Adam(model.policy.parameters(), lr=config.imitation_rate)
    done = 0
    while done < config.imitation_decisions:
        if stop():
            return False
        left = -(-(config.imitation_decisions - done) // config.n_envs)
        lesson = classroom.lesson(min(STEPS, left))
        done += len(lesson.actions)
        note(done, fit(model, optimiser, lesson, config))
    return True


__all__ = ["Classroom", "Lesson", "fit", "imitate", "returns_of"]
