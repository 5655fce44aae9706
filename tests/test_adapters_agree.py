"""One explicit list of seeds gives the same bytes through every adapter, over several games."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from fc_env.env import FleetCaptainEnv
from fc_env.sb3_env import FleetCaptainVecEnv
from fc_env.vector_env import FleetCaptainVectorEnv
from tests.adapters import pick

SEEDS = [0, 5, 2**32, 2**63 - 1]
N = len(SEEDS)
GAMES = 3
REWARD = {"shaping": {"progress": 0.3, "hull": 0.1}, "gamma": 0.99}
Step = tuple[bytes, bytes, float, bool]
Logs = list[list[Step]]
"""For each seed: observation, mask, reward and end of each step of the first ``GAMES`` games."""


def make() -> FleetCaptainEnv:
    return FleetCaptainEnv("tiny", reward=REWARD)


class Recorder:
    """Collects what each slot showed, and says what it does next; a slot is done after its games."""

    def __init__(self) -> None:
        self.logs: Logs = [[] for _ in SEEDS]
        self.games = np.zeros(N, int)

    def done(self) -> bool:
        return bool((self.games >= GAMES).all())

    def actions(self, masks: np.ndarray) -> np.ndarray:
        steps = [len(log) for log in self.logs]
        return np.array([pick(mask[None], step)[0] for mask, step in zip(masks, steps, strict=True)])

    def start(self, i: int, obs: np.ndarray, mask: np.ndarray) -> None:
        if self.games[i] < GAMES:
            self.logs[i].append((obs.tobytes(), mask.tobytes(), 0.0, False))

    def step(self, i: int, obs: np.ndarray, mask: np.ndarray | None, reward: float, over: bool) -> None:
        if self.games[i] < GAMES:
            seen = b"" if mask is None or over else mask.tobytes()
            self.logs[i].append((obs.tobytes(), seen, float(reward), bool(over)))
            self.games[i] += over


def single() -> Logs:
    recorder = Recorder()
    for i, seed in enumerate(SEEDS):
        env = make()
        obs, info = env.reset(seed=seed)
        recorder.start(i, obs, info["action_mask"])
        while True:
            action = recorder.actions(np.tile(info["action_mask"], (N, 1)))[i]
            obs, reward, over, _, info = env.step(action)
            recorder.step(i, obs, info["action_mask"], float(reward), over)
            if over:
                if recorder.games[i] == GAMES:
                    break
                obs, info = env.reset()
                recorder.start(i, obs, info["action_mask"])
    return recorder.logs


def through_vector(env: VectorEnv, mode: AutoresetMode) -> Logs:
    recorder = Recorder()
    obs, infos = env.reset(seed=SEEDS)
    masks = infos["action_mask"].copy()
    for i in range(N):
        recorder.start(i, obs[i], masks[i])
    ended = np.zeros(N, bool)
    while not recorder.done():
        obs, rewards, terminations, _, infos = env.step(recorder.actions(masks))
        masks = infos["action_mask"].copy()
        for i in range(N):
            if mode == AutoresetMode.NEXT_STEP and ended[i]:
                recorder.start(i, obs[i], masks[i])
            elif mode == AutoresetMode.SAME_STEP and terminations[i]:
                recorder.step(i, infos["final_obs"][i], None, rewards[i], True)
                recorder.start(i, obs[i], masks[i])
            else:
                recorder.step(i, obs[i], masks[i], rewards[i], terminations[i])
        ended = terminations.copy()
        if mode == AutoresetMode.DISABLED and ended.any():
            obs, infos = env.reset(options={"reset_mask": ended.copy()})
            for i in np.flatnonzero(ended):
                masks[i] = infos["action_mask"][i]
                recorder.start(i, obs[i], masks[i])
    env.close()
    return recorder.logs


def through_sb3(env: VecEnv) -> Logs:
    recorder = Recorder()
    env._seeds = list(SEEDS)
    obs = env.reset()
    masks = np.stack(env.env_method("action_masks"))
    for i in range(N):
        recorder.start(i, obs[i], masks[i])
    while not recorder.done():
        obs, rewards, dones, infos = env.step(recorder.actions(masks))
        masks = np.stack(env.env_method("action_masks"))
        for i in range(N):
            assert infos[i].get("TimeLimit.truncated", False) is False
            if dones[i]:
                recorder.step(i, infos[i]["terminal_observation"], None, rewards[i], True)
                recorder.start(i, obs[i], masks[i])
            else:
                recorder.step(i, obs[i], masks[i], rewards[i], False)
    env.close()
    return recorder.logs


@pytest.fixture(scope="module")
def wanted() -> Logs:
    return single()


def test_the_record_is_what_it_should_be(wanted: Logs) -> None:
    assert [sum(step[3] for step in log) for log in wanted] == [GAMES] * N
    assert len({log[0][0] for log in wanted}) > 1
    assert any(step[2] != 0.0 for log in wanted for step in log)


NATIVE: dict[str, Callable[[AutoresetMode], VectorEnv]] = {
    "sync": lambda mode: SyncVectorEnv([make] * N, autoreset_mode=mode),
    "async": lambda mode: AsyncVectorEnv([make] * N, autoreset_mode=mode),
    "native": lambda mode: FleetCaptainVectorEnv("tiny", N, reward=REWARD, autoreset_mode=mode),
}


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("kind", NATIVE)
def test_vector_environments(wanted: Logs, kind: str, mode: AutoresetMode) -> None:
    assert through_vector(NATIVE[kind](mode), mode) == wanted


# Forked workers need not import everything again.
QUICK_START = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
SB3: dict[str, Callable[[], VecEnv]] = {
    "dummy": lambda: DummyVecEnv([make] * N),
    "subprocess": lambda: SubprocVecEnv([make] * N, start_method=QUICK_START),
    "native": lambda: FleetCaptainVecEnv([("tiny", None)], N, SEEDS, reward=REWARD),
}


@pytest.mark.parametrize("kind", SB3)
def test_sb3_environments(wanted: Logs, kind: str) -> None:
    assert through_sb3(SB3[kind]()) == wanted


def same(one: Any, other: Any, where: str = "infos") -> None:
    """Assert that two infos are equal wherever their presence masks say so, and in keys and types."""
    assert sorted(one) == sorted(other), where
    for key, value in one.items():
        if key.startswith("_"):
            assert np.array_equal(value, other[key]), f"{where}.{key}"
        elif isinstance(value, dict):
            same(value, other[key], f"{where}.{key}")
        else:
            assert value.dtype == other[key].dtype, f"{where}.{key}"
            for i in np.flatnonzero(one[f"_{key}"]):
                assert np.array_equal(value[i], other[key][i]), f"{where}.{key}[{i}]"


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_infos_of_the_batch_are_those_of_single_games(mode: AutoresetMode) -> None:
    one, other = NATIVE["sync"](mode), NATIVE["native"](mode)
    (_, infos), (_, infos2) = one.reset(seed=SEEDS), other.reset(seed=SEEDS)
    same(infos, infos2)
    ends = 0
    masks = infos["action_mask"].copy()
    for step in range(60):
        actions = pick(masks, step)
        returned, returned2 = one.step(actions), other.step(actions)
        for array, array2 in zip(returned[:4], returned2[:4], strict=True):
            assert array.dtype == array2.dtype and np.array_equal(array, array2)
        same(returned[4], returned2[4])
        masks, over = returned[4]["action_mask"].copy(), returned[2]
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            reset = [env.reset(options={"reset_mask": over.copy()}) for env in (one, other)]
            assert np.array_equal(reset[0][0], reset[1][0])
            same(reset[0][1], reset[1][1])
            masks[over] = reset[0][1]["action_mask"][over]
    assert ends > 4
