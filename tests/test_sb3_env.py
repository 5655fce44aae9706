"""The Stable-Baselines3 VecEnv, with the library's own wrappers and learner on top."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

from fc_env import errors as err
from fc_env import scenarios
from fc_env.curriculum import Chooser, Progress
from fc_env.env import FleetCaptainEnv
from fc_env.sb3_env import FleetCaptainVecEnv
from fc_env.seeding import batch_seeds, game_seeds
from fc_env.state import digest
from tests.adapters import pick, play_one

TINY = [("tiny", None)]
SEEDS = [5, 6, 7]


def tiny(seed: Any = 0, n: int = 3, **arguments: Any) -> FleetCaptainVecEnv:
    return FleetCaptainVecEnv(TINY, n, seed, **arguments)


def test_lengths_and_returns_are_exact_over_five_games() -> None:
    reward = {"shaping": {"progress": 0.5}}
    wanted = [play_one(FleetCaptainEnv("tiny", reward=reward), seed, 5) for seed in SEEDS]
    env = tiny(SEEDS, reward=reward)
    env.reset()
    found: list[list[tuple[int, float, str]]] = [[] for _ in SEEDS]
    steps = 0
    finals = 0
    while min(map(len, found)) < 5:
        masks = env.action_masks()
        actions = np.array([pick(mask[None], steps)[0] for mask in masks])
        obs, rewards, dones, infos = env.step(actions)
        assert env.observation_space.contains(obs[0]) and rewards.dtype == np.float32
        steps += 1
        for i, info in enumerate(infos):
            assert info.get("TimeLimit.truncated") is (False if dones[i] else None)
            assert ("terminal_observation" in info) == ("episode" in info) == dones[i]
            if dones[i]:
                finals += 1
                assert env.observation_space.contains(info["terminal_observation"])
                assert info["is_success"] == (info["outcome"] == "crossed")
                found[i].append((info["episode"]["l"], round(info["episode"]["r"], 6), info["outcome"]))
    assert finals >= 15
    assert [results[:5] for results in found] == wanted


def test_what_the_library_asks() -> None:
    env = tiny()
    assert isinstance(env, VecEnv)
    env.reset()
    masks = env.action_masks()
    assert masks.shape == (3, 32) and masks.dtype == np.bool_
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), masks)
    assert np.array_equal(np.stack(env.env_method("action_masks", indices=[2, 0])), masks[[2, 0]])
    assert env.get_attr("render_mode") == [None] * 3
    assert env.env_method("why_illegal", 25, indices=1)[0].startswith("action 25")
    assert env.env_method("action_name", 2) == ["power LHM"] * 3
    assert [digest(game) for game in env.get_attr("game")] == [digest(game) for game in env.batch.games]
    assert env.get_attr("scenario") == [0, 0, 0]
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    assert not env.has_attr("no_such_thing")
    env.set_attr("note", 7, indices=1)
    assert env.get_attr("note", indices=1) == [7]


def test_seeds() -> None:
    one, other = tiny(5), tiny()
    one.reset()
    assert other.seed(5) == batch_seeds(5, 3).tolist()
    other.reset()
    assert digest(one.batch.games) == digest(other.batch.games)
    assert one.batch.games["seed"].tolist() == game_seeds(batch_seeds(5, 3)).tolist()
    other.reset()
    assert digest(one.batch.games) != digest(other.batch.games)
    first, second = tiny(None), tiny(None)
    first.reset(), second.reset()
    assert digest(first.batch.games) != digest(second.batch.games)
    for seed in (-1, 1.5, "5", True, [1, 2, -3]):
        with pytest.raises(err.SeedError):
            tiny(seed)
    with pytest.raises(err.FleetCaptainError, match="want one for each"):
        tiny([1, 2])


def test_refusals() -> None:
    env = tiny()
    with pytest.raises(err.NotResetError):
        env.step(np.zeros(3, int))
    env.reset()
    before = digest(env.batch.games)
    actions = pick(env.action_masks(), 0)
    actions[2] = 25
    with pytest.raises(err.IllegalActionError, match="game 2"):
        env.step(actions)
    assert digest(env.batch.games) == before
    for n in (0, -1, True, 2.0):
        with pytest.raises(err.ConfigError, match="number of games"):
            tiny(n=n)  # type: ignore[arg-type]
    for given in ([], "tiny", [("tiny",)], 5, None):
        with pytest.raises(err.ConfigError, match="scenarios"):
            FleetCaptainVecEnv(given, 2)
    with pytest.raises(err.SeedError):
        tiny(space="exam")


@pytest.mark.parametrize("many", [False, True])
def test_state_goes_on_as_it_would_have(many: bool) -> None:
    given = [("tiny", None), ("crossing", "open")] if many else TINY
    arguments: dict[str, Any] = {"reward": {"shaping": {"progress": 0.5}}, "space": "test"}
    env = FleetCaptainVecEnv(given, 3, 1, **arguments)
    env.reset()
    state, logs = {}, []

    def step(one: FleetCaptainVecEnv, number: int) -> tuple[Any, ...]:
        obs, rewards, dones, infos = one.step(pick(one.action_masks(), number))
        ends = [{k: v for k, v in info.get("episode", {}).items() if k != "t"} for info in infos]
        return obs.tobytes(), rewards.tobytes(), dones.tobytes(), str(ends), digest(one.batch.games)

    for number in range(80):
        if number == 40:
            state = env.get_state()
        logs.append(step(env, number))
    assert all(isinstance(array, np.ndarray) and array.dtype.kind in "iufb" for array in state.values())
    for other in (FleetCaptainVecEnv(given, 3, 9, **arguments), copy.deepcopy(env)):
        obs = other.set_state(state)
        assert np.array_equal(obs, other.batch.observations)
        assert [step(other, number) for number in range(40, 80)] == logs[40:]


def test_scenarios_take_turns() -> None:
    setups = np.concatenate([scenarios.load("crossing", field) for field in ("open", "standard", "dense")])
    env = FleetCaptainVecEnv(setups, 4, 0)
    obs = env.reset()
    assert env.get_attr("scenario") == [0, 1, 2, 0]
    assert env.batch.games["n_markers"].tolist() == [0, 6, 18, 0]
    assert obs.shape == (4, env.batch.layout.size) and env.batch.layout.markers == 18
    env.reset()
    assert env.get_attr("scenario") == [1, 2, 0, 1]


def test_rules_are_changed_in_every_scenario() -> None:
    env = FleetCaptainVecEnv([("crossing", "open"), ("tiny", None)], 2, 0, rules={"turn_limit": 3})
    env.reset()
    assert env.batch.games["rules"]["turn_limit"].tolist() == [3, 3]
    with pytest.raises(err.ScenarioError, match="turn_limit"):
        FleetCaptainVecEnv(TINY, 2, rules={"turn_limit": 0})


def test_a_curriculum_is_told_and_obeyed() -> None:
    told: list[Progress] = []

    def curriculum(progress: Progress) -> np.ndarray:
        told.append(progress)
        return np.array([0.0, 1.0]) if progress.games.sum() else np.zeros(len(progress.slots), int)

    env = FleetCaptainVecEnv([("tiny", None), ("crossing", "open")], 3, 0, curriculum=curriculum)
    env.reset()
    assert env.get_attr("scenario") == [0, 0, 0]
    ended, crossed, step = 0, 0, 0
    while ended < 3:
        _, _, _, infos = env.step(pick(env.action_masks(), step))
        step += 1
        for info in infos:
            if "outcome" in info and info["scenario"] == 0:
                ended, crossed = ended + 1, crossed + info["is_success"]
    assert env.get_attr("scenario") == [1, 1, 1]
    env.reset()
    assert told[-1].games[0] == 3 and told[-1].crossing_rate[0] == pytest.approx(crossed / 3)
    assert told[0].slots.tolist() == [0, 1, 2] and told[0].episodes.tolist() == [0, 0, 0]


def test_chances_of_a_curriculum_are_kept() -> None:
    chances = np.array([0.2, 0.0, 0.5, 0.3, 0.0])
    chooser = Chooser(lambda progress: chances, 5)
    slots = np.arange(20_000)
    found = np.bincount(chooser.choose(slots, slots * 0, game_seeds(slots)), minlength=5) / len(slots)
    assert found[[1, 4]].tolist() == [0.0, 0.0]
    assert np.abs(found - chances).max() < 0.02


NO_ANSWERS = [[0, 1, 2], [0.5, 0.6], [-0.5, 1.5], [np.nan, 1.0], [0.0] * 5, "x"]


@pytest.mark.parametrize("answer", NO_ANSWERS)
def test_a_curriculum_that_is_none_is_refused(answer: Any) -> None:
    env = FleetCaptainVecEnv([("tiny", None), ("crossing", "open")], 3, 0, curriculum=lambda progress: np.array(answer))
    with pytest.raises(err.ConfigError, match="curriculum"):
        env.reset()


def test_learning_with_wrappers() -> None:
    env = VecNormalize(VecMonitor(tiny(n=4)), norm_obs=True)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, seed=3, device="cpu")
    model.learn(256)
    assert model.num_timesteps == 256
    assert len(model.ep_info_buffer) > 3 and len(model.ep_success_buffer) > 3
    assert {"r", "l", "t"} <= set(model.ep_info_buffer[0])
    obs = env.reset()
    actions, _ = model.predict(obs, action_masks=get_action_masks(env))
    env.step(actions)


def test_masks_asked_of_all_games_are_those_of_each() -> None:
    env = FleetCaptainVecEnv([("crossing", "dense")], 5, seed=3)
    env.reset()
    together = env.env_method("action_masks")
    assert np.array_equal(together, env.env_method("action_masks", indices=range(5)))
    kept = env.action_masks()
    together[0][:] = ~together[0]
    assert np.array_equal(env.action_masks(), kept)
    env.set_attr("action_masks", lambda: kept[0], indices=1)  # a game that was given its own
    assert np.array_equal(env.env_method("action_masks")[1], kept[0])
