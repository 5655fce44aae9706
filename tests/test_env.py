"""The single environment: what Gymnasium asks of it, and what its checker does not see."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import fc_env
from fc_env import engine, scenarios
from fc_env import errors as err
from fc_env.dice import Purpose
from fc_env.env import FleetCaptainEnv
from fc_env.events import Rule
from fc_env.state import GAME, Phase, digest
from tests.adapters import Log, pick, play_one


def tiny(**arguments: Any) -> FleetCaptainEnv:
    return FleetCaptainEnv("tiny", **arguments)


class Lenient(FleetCaptainEnv):
    """Plays another action for one that is not legal: Gymnasium's checker uses an action sampled before a reset."""

    def step(self, action: Any) -> Any:
        legal = self.action_masks()
        return super().step(action if legal[action] else legal.argmax())


def test_gymnasium_checker_accepts_it_but_for_its_refusals() -> None:
    check_env(Lenient("tiny"))


@pytest.mark.filterwarnings("error")
def test_sb3_checker_accepts_it_as_it_is() -> None:
    sb3_check_env(FleetCaptainEnv("crossing", "dense"), warn=True)


@pytest.mark.parametrize("name", ["FleetCaptain/Crossing-v0", "FleetCaptain/Tiny-v0", "fc_env:FleetCaptain/Tiny-v0"])
def test_ids_make_the_scenario_they_name(name: str) -> None:
    env = gymnasium.make(name)
    wanted = scenarios.load("tiny" if "Tiny" in name else "crossing")
    env.reset(seed=0)
    assert env.unwrapped.game["width"] == wanted["game"]["width"][0]
    assert env.unwrapped.game["n_markers"] == wanted["game"]["n_markers"][0]


def test_keywords_reach_the_scenario() -> None:
    env = gymnasium.make("FleetCaptain/Crossing-v0", field="dense", rules={"turn_limit": 3})
    env.reset(seed=1)
    assert env.unwrapped.game["n_markers"] == 18
    assert env.unwrapped.game["rules"]["turn_limit"] == 3


def test_registering_again_does_nothing() -> None:
    before = dict(gymnasium.registry)
    fc_env.register_environments()
    assert dict(gymnasium.registry) == before


def test_import_is_light() -> None:
    code = "import fc_env, sys; print([m for m in ('numba', 'torch', 'stable_baselines3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_turn_limit_terminates() -> None:
    env = tiny(rules={"turn_limit": 1, "first_drift_safe": True})
    env.reset(seed=3)
    ends = []
    for step in range(50):
        _, _, terminated, truncated, info = env.step(pick(env.action_masks()[None], step)[0])
        assert truncated is False
        if terminated:
            ends.append(info["outcome"])
            _, info = env.reset()
            assert "outcome" not in info
    assert "out_of_time" in ends


def test_space_contains_everything_and_the_mask_is_what_is_legal() -> None:
    env = tiny()
    for seed in range(30):
        obs, info = env.reset(seed=seed)
        over, step = False, 0
        while not over:
            assert env.observation_space.contains(obs)
            legal = [env.why_illegal(action) == "" for action in range(env.action_space.n)]
            assert legal == info["action_mask"].tolist() == env.action_masks().tolist()
            assert sum(legal) >= 2
            obs, _, over, _, info = env.step(pick(info["action_mask"][None], step)[0])
            step += 1
        assert env.observation_space.contains(obs)
        assert info["action_mask"].tolist() == [True] + [False] * (env.action_space.n - 1)


def test_every_illegal_action_is_refused_and_changes_nothing() -> None:
    env = tiny()
    _, info = env.reset(seed=4)
    for step in range(8):
        before = digest(env.game)
        for action in np.flatnonzero(~info["action_mask"]):
            with pytest.raises(err.IllegalActionError, match=f"action {action}"):
                env.step(int(action))
        assert digest(env.game) == before
        _, _, terminated, _, info = env.step(pick(info["action_mask"][None], step)[0])
        if terminated:
            break
    assert step >= 3


@pytest.mark.parametrize(
    "action",
    [True, np.True_, 1.0, np.float64(1), "1", None, [1], np.array([1]), np.array([[1]]), -1, 32, 2**70, 1 + 0j],
)
def test_what_is_no_action_is_refused(action: Any) -> None:
    env = tiny()
    env.reset(seed=0)
    before = digest(env.game)
    with pytest.raises(err.IllegalActionError, match=r"want an integer|there are actions"):
        env.step(action)
    assert digest(env.game) == before


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int64, np.uint64, np.array])
def test_any_integer_is_an_action(kind: Any) -> None:
    ends = []
    for form in (int, kind):
        env = tiny()
        env.reset(seed=0)
        env.step(form(2))
        ends.append(digest(env.game))
    assert ends[0] == ends[1]


def test_order_of_calls() -> None:
    env = tiny()
    for call in (lambda: env.step(0), lambda: env.game, env.action_masks, lambda: env.why_illegal(0)):
        with pytest.raises(err.NotResetError):
            call()
    play_one(env, 1, 1)
    before = digest(env.game)
    with pytest.raises(err.GameOverError, match="reset"):
        env.step(0)
    assert digest(env.game) == before


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**32, 2**63 - 1])
def test_seeds_are_applied(seed: int) -> None:
    digests = set()
    for _ in range(2):
        env = tiny()
        play_one(env, 77, 1)
        env.reset(seed=seed)
        digests.add(digest(env.game))
    assert digests == {digest(engine.new(scenarios.load("tiny"), [seed])[0])}


@pytest.mark.parametrize("seed", [-1, 1.5, "5", True, 2**63, np.float64(1)])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    env = tiny()
    env.reset(seed=1)
    before = digest(env.game)
    with pytest.raises(err.SeedError):
        env.reset(seed=seed)
    assert digest(env.game) == before


def test_seeds_and_spaces_give_games_of_their_own() -> None:
    first = set()
    for space in ("train", "test"):
        env = FleetCaptainEnv("crossing", seed_space=space)
        for seed in range(20):
            env.reset(seed=seed)
            first.add(digest(env.game))
        env.reset()
        first.add(digest(env.game))
    assert len(first) == 42


def test_without_a_seed_chance_decides() -> None:
    games = []
    for _ in range(2):
        env = tiny()
        env.reset()
        games.append(int(env.game["seed"]))
    assert games[0] != games[1]


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike_and_apart(how: Any) -> None:
    env = FleetCaptainEnv(
        "crossing", "dense", {"turn_limit": 9}, "test", {"shaping": {"progress": 0.5}, "gamma": 0.9}, record=True
    )
    obs, info = env.reset(seed=5)
    for step in range(7):
        obs, _, _, _, info = env.step(pick(info["action_mask"][None], step)[0])
    twin = how(env)
    assert digest(twin.game) == digest(env.game)
    assert np.array_equal(twin.events, env.events)
    twin.action_space.seed(0)
    assert env.action_masks()[twin.action_space.sample()]
    logs = []
    before = digest(env.game)
    for one in (twin, env):
        log, step = Log(), 0
        mask = one.action_masks()
        for _ in range(3):
            over = False
            while not over:
                obs, reward, over, _, info = one.step(pick(mask[None], step)[0])
                mask, step = info["action_mask"], step + 1
                log.add("step", obs, mask, one.game, reward, tuple(info["reward_terms"].items()))
            obs, info = one.reset()
            mask = info["action_mask"]
        if one is twin:
            assert digest(env.game) == before
        logs.append(log.entries)
    assert logs[0] == logs[1]


def test_what_is_returned_stays_as_it_is() -> None:
    env = tiny()
    obs, info = env.reset(seed=0)
    kept = obs.copy(), info["action_mask"].copy(), env.game.copy()
    game = env.game
    env.step(2)
    assert np.array_equal(obs, kept[0])
    assert np.array_equal(info["action_mask"], kept[1])
    assert np.array_equal(game, kept[2])


def test_events_of_the_last_step() -> None:
    silent, env = tiny(), tiny(record=True)
    assert silent.events is None
    env.reset(seed=2)
    assert env.dice is not None and env.dice["purpose"].tolist() == [Purpose.ENTRY_FACING]
    env.step(2)
    assert env.events is not None and Rule.POW_1 in env.events["rule"]
    assert play_one(env, 2, 3) == play_one(silent, 2, 3)
    assert env.events["turn"].max() == env.game["turn"]


def test_names() -> None:
    env = tiny()
    env.reset(seed=0)
    assert env.action_name(2) == "power LHM"
    assert env.why_illegal(2) == ""
    assert "legal are 1 (power LMH)" in env.why_illegal(7)
    for action in (32, -1, "2", True, np.True_, None):
        with pytest.raises(err.IllegalActionError, match="want an integer"):
            env.action_name(action)  # type: ignore[arg-type]
    for action in ("x", None, True, 1.0):
        with pytest.raises(err.IllegalActionError, match="want an integer"):
            env.why_illegal(action)  # type: ignore[arg-type]
    assert "there are actions 0..31" in env.why_illegal(32)
    game = env.game
    assert game.dtype == GAME and game.shape == () and game["phase"] == Phase.POWER


def test_sample_draws_legal_actions() -> None:
    env = tiny()
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    drawn = set()
    for _ in range(60):
        drawn.add(int(env.action_space.sample()))
    assert drawn == set(np.flatnonzero(info["action_mask"]).tolist())
    for kind in (np.int8, np.bool_):
        assert env.action_space.sample(np.eye(32, dtype=kind)[20]) == 20
    assert type(copy.deepcopy(env.action_space)) is gymnasium.spaces.Discrete
    assert env.action_space == gymnasium.spaces.Discrete(32)


def test_rendering() -> None:
    with pytest.raises(err.ConfigError, match="render_mode 'picture'"):
        tiny(render_mode="picture")
    env = tiny()
    env.reset(seed=0)
    assert env.render() is None
    for mode in env.metadata["render_modes"]:
        env = tiny(render_mode=mode)
        with pytest.raises(err.NotResetError):
            env.render()
        play_one(env, 6, 1)
        env.reset(seed=0)
        first = env.render()
        env.step(2)
        again = tiny(render_mode=mode)
        again.reset(seed=0)
        assert np.array_equal(again.render(), first)


def test_arguments_that_are_refused() -> None:
    for arguments in (
        {"scenario": "no such"},
        {"field": "no such"},
        {"rules": {"turn_limit": 0}},
        {"seed_space": "exam"},
        {"reward": 5},
        {"reward": {"no such": 1}},
        {"reward": {"shaping": {"no such": 1}}},
    ):
        with pytest.raises(err.FleetCaptainError, match=r"want|turn_limit"):
            FleetCaptainEnv(**arguments)  # type: ignore[arg-type]
    with pytest.raises(err.ConfigError, match="options"):
        tiny().reset(options={"start": 1})
