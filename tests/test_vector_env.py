"""The native vector environment: autoreset, infos, seeds, and refusals."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from fc_env import errors as err
from fc_env.env import FleetCaptainEnv
from fc_env.scenarios import load_setups
from fc_env.seeding import batch_seeds, game_seeds
from fc_env.state import digest
from fc_env.vector_env import FleetCaptainVectorEnv
from tests.adapters import pick, play_one

MODES = list(AutoresetMode)
SEEDS = [5, 6, 7]


def tiny(n: int = 3, **arguments: Any) -> FleetCaptainVectorEnv:
    return FleetCaptainVectorEnv("tiny", n, **arguments)


def pick_slots(masks: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """As ``pick``, with a step number of its own for each game."""
    return np.array([pick(mask[None], int(step))[0] for mask, step in zip(masks, steps, strict=True)])


@pytest.mark.parametrize("mode", MODES)
def test_lengths_and_returns_are_exact_over_five_games(mode: AutoresetMode) -> None:
    wanted = [play_one(FleetCaptainEnv("tiny"), seed, 5) for seed in SEEDS]
    env = tiny(autoreset_mode=mode)
    _, infos = env.reset(seed=SEEDS)
    found: list[list[tuple[int, float, str]]] = [[] for _ in SEEDS]
    steps, lengths, totals = np.zeros(3, int), np.zeros(3, int), np.zeros(3)
    masks, fresh = infos["action_mask"], np.zeros(3, bool)
    for _ in range(130):
        _, rewards, terminations, truncations, infos = env.step(pick_slots(masks, steps))
        assert not truncations.any()
        acted = infos.get("_reward_terms", np.zeros(3, bool))
        if mode == AutoresetMode.SAME_STEP:
            acted = np.ones(3, bool)
        assert (acted == ~fresh).all()
        assert (rewards[fresh] == 0).all() and not terminations[fresh].any()
        steps, lengths, totals = steps + acted, lengths + acted, totals + rewards
        told = infos["final_info"] if mode == AutoresetMode.SAME_STEP and terminations.any() else infos
        for i in np.flatnonzero(terminations):
            assert told["_outcome"][i]
            found[i].append((int(lengths[i]), round(float(totals[i]), 6), told["outcome"][i]))
            lengths[i], totals[i] = 0, 0.0
        masks = infos["action_mask"]
        fresh = terminations if mode == AutoresetMode.NEXT_STEP else np.zeros(3, bool)
        if mode == AutoresetMode.DISABLED and terminations.any():
            _, infos = env.reset(options={"reset_mask": terminations})
            assert (infos["_action_mask"] == terminations).all()
            masks = infos["action_mask"]
    assert [results[:5] for results in found] == wanted


@pytest.mark.parametrize("mode", MODES)
def test_a_manual_reset_leaves_nothing_behind(mode: AutoresetMode) -> None:
    env = tiny(autoreset_mode=mode)
    _, infos = env.reset(seed=1)
    for step in range(200):
        _, _, terminations, _, infos = env.step(pick(infos["action_mask"], step))
        if terminations.any():
            break
    ends = []
    for one in (env, tiny(autoreset_mode=mode)):
        _, infos = one.reset(seed=5)
        for step in range(50):
            _, _, terminations, _, infos = one.step(pick(infos["action_mask"], step))
            if mode == AutoresetMode.DISABLED and terminations.any():
                _, infos = one.reset(options={"reset_mask": terminations})
        ends.append(digest(one.games))
    assert ends[0] == ends[1]


def check_infos(infos: dict[str, Any], n: int) -> None:
    for key, value in infos.items():
        if key.startswith("_"):
            assert value.dtype == np.bool_ and value.shape == (n,)
            assert key[1:] in infos
        else:
            assert f"_{key}" in infos
            if isinstance(value, dict):
                check_infos(value, n)
            else:
                assert len(value) == n


@pytest.mark.parametrize("mode", MODES)
def test_every_info_has_a_presence_mask(mode: AutoresetMode) -> None:
    env = tiny(autoreset_mode=mode, reward={"shaping": {"progress": 1.0}})
    _, infos = env.reset(seed=1)
    check_infos(infos, 3)
    ended = 0
    for step in range(80):
        obs, _, terminations, _, infos = env.step(pick(infos["action_mask"], step))
        check_infos(infos, 3)
        assert env.observation_space.contains(obs)
        if mode == AutoresetMode.SAME_STEP and terminations.any():
            ended += 1
            assert (infos["_final_obs"] == terminations).all()
            assert (infos["_final_info"] == terminations).all()
            for i, final in enumerate(infos["final_obs"]):
                assert (final is not None) == terminations[i]
                if final is not None:
                    assert env.single_observation_space.contains(final)
                    assert not np.array_equal(final, obs[i])
            assert env.action_masks()[:, 1:].any(axis=1).all()
        if mode == AutoresetMode.DISABLED and terminations.any():
            _, infos = env.reset(options={"reset_mask": terminations})
    assert ended or mode != AutoresetMode.SAME_STEP


def test_make_vec_takes_the_batch() -> None:
    for mode in (None, "vector_entry_point"):
        env = gymnasium.make_vec("FleetCaptain/Crossing-v0", num_envs=8, vectorization_mode=mode, field="dense")
        assert isinstance(env.unwrapped, FleetCaptainVectorEnv)
        assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
        obs, infos = env.reset(seed=0)
        assert (
            obs.shape[1:] == env.single_observation_space.shape
            and len(obs) == 8
            and infos["action_mask"].shape == (8, 32)
        )
        assert (env.unwrapped.games["n_markers"] == 18).all()


def test_scenarios_are_mixed_as_the_curriculum_says() -> None:
    pairs = [("crossing", "open"), ("crossing", "dense")]
    arguments: dict[str, Any] = {"scenarios": pairs, "rules": {"turn_limit": 3}}
    env = gymnasium.make_vec("FleetCaptain/Crossing-v0", num_envs=3, **arguments).unwrapped
    obs, _ = env.reset(seed=0)
    assert obs.shape == (3, env.layout.size)
    assert env.games["n_markers"].tolist() == [0, 18, 0] and env.batch.which.tolist() == [0, 1, 0]
    assert (env.games["rules"]["turn_limit"] == 3).all()
    env = FleetCaptainVectorEnv(num_envs=3, curriculum=lambda progress: np.array([0.0, 1.0]), **arguments)
    env.reset(seed=0)
    assert env.games["n_markers"].tolist() == [18, 18, 18]
    setups = load_setups(pairs)
    env = FleetCaptainVectorEnv(num_envs=2, scenarios=setups)
    env.reset(seed=0)
    assert env.games["n_markers"].tolist() == [0, 18]
    for extra in ({"scenario": "tiny"}, {"field": "open"}):
        with pytest.raises(err.ConfigError, match="one or the other"):
            FleetCaptainVectorEnv(scenarios=pairs, **extra)
    with pytest.raises(err.ConfigError, match="rules with an array"):
        FleetCaptainVectorEnv(scenarios=setups, rules={"turn_limit": 3})


def test_an_autoreset_mode_that_is_none_is_refused() -> None:
    for mode in ("bogus", None, 1):
        with pytest.raises(err.ConfigError, match=r"autoreset_mode .*NextStep, SameStep, Disabled"):
            tiny(autoreset_mode=mode)


def test_actions_in_words() -> None:
    env = tiny()
    with pytest.raises(err.NotResetError):
        env.why_illegal(0, 1)
    env.reset(seed=3)
    legal = int(env.action_masks()[1].argmax())
    assert env.why_illegal(1, legal) == "" and "is not legal" in env.why_illegal(1, 25)
    assert env.action_name(2) == "power LHM"
    for action in ("x", None, True):
        with pytest.raises(err.IllegalActionError, match="want an integer"):
            env.why_illegal(1, action)  # type: ignore[arg-type]
        with pytest.raises(err.IllegalActionError, match="want an integer"):
            env.action_name(action)  # type: ignore[arg-type]
    for index in (3, -1, True, "x", None):
        with pytest.raises(err.ConfigError, match=r"want an integer 0\.\.2"):
            env.why_illegal(index, 1)  # type: ignore[arg-type]
    env.games["turn"] = 99
    assert (env.games["turn"] == 1).all()


@pytest.mark.parametrize("mode", MODES)
def test_one_illegal_action_stops_all(mode: AutoresetMode) -> None:
    env = tiny(autoreset_mode=mode)
    _, infos = env.reset(seed=3)
    actions = pick(infos["action_mask"], 0)
    before = digest(env.games), env.action_masks().tobytes()
    for bad in (25, -1, 32):
        wrong = actions.copy()
        wrong[1] = bad
        with pytest.raises(err.IllegalActionError, match="game 1"):
            env.step(wrong)
    for wrong in (actions.astype(float), actions[:2], actions[None], actions > 0, ["1", "2", "3"], None):
        with pytest.raises(err.IllegalActionError, match="want"):
            env.step(wrong)  # type: ignore[arg-type]
    assert (digest(env.games), env.action_masks().tobytes()) == before
    env.step(actions.astype(np.uint8))


def test_a_game_that_is_over_is_refused_when_nothing_resets() -> None:
    env = tiny(autoreset_mode=AutoresetMode.DISABLED)
    with pytest.raises(err.NotResetError):
        env.step(np.zeros(3, int))
    _, infos = env.reset(seed=3)
    terminations = np.zeros(3, bool)
    step = 0
    while not terminations.any():
        _, _, terminations, _, infos = env.step(pick(infos["action_mask"], step))
        step += 1
    before = digest(env.games)
    with pytest.raises(err.GameOverError, match=f"game {terminations.argmax()}"):
        env.step(pick(infos["action_mask"], step))
    assert digest(env.games) == before


def test_reset_mask() -> None:
    env = tiny(autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=SEEDS)
    before = env.games
    env.reset(options={"reset_mask": np.array([False, True, False])})
    after = env.games
    assert [digest(before[i]) == digest(after[i]) for i in range(3)] == [True, False, True]
    env.reset(seed=SEEDS, options={"reset_mask": np.array([False, True, False])})
    assert digest(env.games) == digest(before)
    for mask in (np.zeros(3, bool), np.ones(2, bool), [True, False, True], np.ones(3)):
        with pytest.raises(err.ConfigError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(err.ConfigError, match="only reset_mask"):
        env.reset(options={"start": 1})
    assert digest(env.games) == digest(before)


def test_neighbouring_seeds_share_no_game() -> None:
    env = FleetCaptainVectorEnv("tiny", 64)
    env.reset(seed=3)
    assert env.games["seed"].tolist() == game_seeds(batch_seeds(3, 64)).tolist()
    seen: set[int] = set()
    for seed in range(100):
        seen.update(game_seeds(batch_seeds(seed, 64)).tolist())
    assert len(seen) == 6400


@pytest.mark.parametrize("seed", [-1, 1.5, "5", True, 2**63, [1, 2], [1, 2, -3], [1, 2, 3.0], np.array([1.0, 2, 3])])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    env = tiny()
    env.reset(seed=1)
    before = digest(env.games)
    with pytest.raises(err.SeedError):
        env.reset(seed=seed)
    assert digest(env.games) == before


def test_some_seeds_of_a_list_may_be_none() -> None:
    one, other = tiny(), tiny()
    one.reset(seed=[1, 2, 3])
    other.reset(seed=[1, 2, 3])
    one.reset(seed=[None, 9, None])
    other.reset()
    same = [digest(one.games[i]) == digest(other.games[i]) for i in range(3)]
    assert same == [True, False, True]


def test_copies_or_not() -> None:
    for keep in (True, False):
        env = tiny(copy=keep)
        obs, infos = env.reset(seed=1)
        mask, kept = infos["action_mask"], obs.copy()
        following, *_ = env.step(pick(mask, 0))
        assert np.array_equal(obs, kept) == keep
        assert np.shares_memory(obs, following) != keep


def test_limits_from_outside_truncate() -> None:
    env = tiny(max_episode_steps=4)
    _, infos = env.reset(seed=1)
    for step in range(1, 31):
        _, _, terminations, truncations, infos = env.step(pick(infos["action_mask"], step))
        assert not (terminations & truncations).any()
        if step == 4:
            assert truncations.all()
        if step == 5:
            assert not infos["reward_terms"]["_outcome"].any() if "reward_terms" in infos else True
            assert not truncations.any() and (env.games["turn"] == 1).all()
    for limit in (0, True, -3, 2.5, "5"):
        with pytest.raises(err.ConfigError, match="max_episode_steps"):
            tiny(max_episode_steps=limit)


@pytest.mark.parametrize("mode", MODES)
def test_state_goes_on_as_it_would_have(mode: AutoresetMode) -> None:
    arguments: dict[str, Any] = {"autoreset_mode": mode, "reward": {"shaping": {"progress": 1.0, "hull": 0.5}}}
    env = tiny(**arguments)
    env.reset(seed=1)
    state, logs = {}, []
    for step in range(60):
        if step == 30:
            state = env.get_state()
        obs, rewards, terminations, _, _ = env.step(pick(env.action_masks(), step))
        if mode == AutoresetMode.DISABLED and terminations.any():
            obs, _ = env.reset(options={"reset_mask": terminations})
        if step >= 30:
            logs.append((obs.tobytes(), rewards.tobytes(), terminations.tobytes(), digest(env.games)))
    other = tiny(**arguments)
    other.set_state(state)
    for step, wanted in zip(range(30, 60), logs, strict=True):
        obs, rewards, terminations, _, _ = other.step(pick(other.action_masks(), step))
        if mode == AutoresetMode.DISABLED and terminations.any():
            obs, _ = other.reset(options={"reset_mask": terminations})
        assert (obs.tobytes(), rewards.tobytes(), terminations.tobytes(), digest(other.games)) == wanted


def test_a_state_that_is_none_is_refused() -> None:
    env = tiny(reward={"shaping": {"progress": 1.0}})
    env.reset(seed=1)
    good, before = env.get_state(), digest(env.games)
    broken: list[dict[str, Any]] = [{k: v for k, v in good.items() if k != name} for name in good]
    broken += [{**good, name: value[:-1]} for name, value in good.items()]
    broken += [{**good, name: value.astype(np.float32)} for name, value in good.items()]
    broken += [{**good, "games": np.full_like(good["games"], 255)}, {**good, "which": good["which"] + 1}]
    for state in broken:
        with pytest.raises(err.ConfigError, match=r"saved|want"):
            env.set_state(state)
    assert digest(env.games) == before
