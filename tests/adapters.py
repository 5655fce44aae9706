"""Helpers of the adapter tests: legal play that depends on nothing but seeds and step numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from fc_env.state import digest


def pick(masks: np.ndarray, step: int, salt: int = 0) -> np.ndarray:
    """A legal action for each game, int64 (N,), that looks random and is the same everywhere."""
    actions = np.zeros(len(masks), np.int64)
    for i, mask in enumerate(masks):
        legal = np.flatnonzero(mask)
        actions[i] = legal[(step * 7919 + int(mask.dot(np.arange(len(mask)))) * 31 + salt) % len(legal)]
    return actions


class Log:
    """Bytes of everything that happened to one game, in order."""

    def __init__(self) -> None:
        self.entries: list[tuple[Any, ...]] = []

    def add(self, what: str, obs: np.ndarray, mask: np.ndarray, game: np.ndarray | None, *rest: Any) -> None:
        assert obs.dtype == np.float32
        assert mask.dtype == np.bool_
        state = "" if game is None else digest(game)
        self.entries.append((what, obs.tobytes(), mask.tobytes(), state, *rest))


def play_one(env: Any, seed: int | None, games: int, log: Log | None = None) -> list[tuple[int, float, str]]:
    """Play games with the single environment; length, return and ending of each."""
    results = []
    step = 0
    obs, info = env.reset(seed=seed)
    for game in range(games):
        if game:
            obs, info = env.reset()
        length, total, over = 0, 0.0, False
        while not over:
            action = pick(info["action_mask"][None], step)[0]
            obs, reward, over, truncated, info = env.step(action)
            assert truncated is False
            length, total, step = length + 1, total + reward, step + 1
            if log is not None:
                log.add("step", obs, info["action_mask"], env.unwrapped.game, reward, over)
        results.append((length, round(total, 6), info["outcome"]))
    return results
