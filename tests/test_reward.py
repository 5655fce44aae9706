"""Rewards: terms that add up, shaping that cannot change what is best, terms of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fc_env import engine, scenarios
from fc_env import errors as err
from fc_env.batch import Batch
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST
from fc_env.jit import kernel_view
from fc_env.reward import POTENTIALS, RewardConfig, Rewarder, hull, progress, result
from fc_env.state import Outcome, Phase
from tests.adapters import pick


def batch(n: int = 4, scenario: str = "tiny", **fields: Any) -> Batch:
    made = Batch(scenarios.load(scenario), n, "train", fields or None)
    made.reset(0)
    return made


def test_the_base_is_the_crossing_rate() -> None:
    games = batch(64)
    total, crossed = np.zeros(64), np.zeros(64)
    for step in range(200):
        alive = ~games.over
        actions = np.where(alive, pick(games.masks, step), 0)
        rewards, terms = games.step(actions, ~alive)
        assert list(terms) == ["outcome"] and rewards.dtype == np.float32
        total += rewards
        crossed[alive & games.over] = games.games["outcome"][alive & games.over] == Outcome.CROSSED
    assert games.over.all() and 0 < crossed.sum() < 64
    assert (total == crossed).all()


@pytest.mark.parametrize("gamma", [0.9, 1.0])
def test_shaping_telescopes(gamma: float) -> None:
    games = batch(6, shaping={"progress": 0.5, "hull": 2.0}, gamma=gamma)
    for _ in range(3):
        start = {name: POTENTIALS[name](games.games) for name in ("progress", "hull")}
        total = {name: np.zeros(6) for name in ("progress", "hull")}
        factor = np.ones(6)
        step = 0
        while not games.over.all():
            alive = ~games.over
            rewards, terms = games.step(np.where(alive, pick(games.masks, step), 0), ~alive)
            assert np.allclose(rewards, sum(terms.values()), atol=1e-6)
            assert all((term[~alive] == 0).all() for term in terms.values())
            for name in total:
                total[name] += factor * terms[name]
            factor[alive] *= gamma
            step += 1
        # All that is left of a discounted sum is the first potential: the one at the end is 0.
        assert np.allclose(total["progress"], -0.5 * start["progress"])
        assert np.allclose(total["hull"], -2.0 * start["hull"])
        games.reset()


def test_each_step_is_a_discounted_difference() -> None:
    games = batch(6, shaping={"progress": 1.0}, gamma=0.9)
    before = progress(games.games)
    _, terms = games.step(pick(games.masks, 0))
    now = np.where(games.over, 0.0, progress(games.games))
    assert np.allclose(terms["progress"], 0.9 * now - before)
    games.step(pick(games.masks, 1))
    games.reset(slots=np.array([2]))
    before = np.where(games.over, 0.0, progress(games.games))
    over = games.over.copy()
    _, terms = games.step(np.where(over, 0, pick(games.masks, 2)), over)
    now = np.where(games.over, 0.0, progress(games.games))
    assert np.allclose(terms["progress"], np.where(over, 0.0, 0.9 * now - before))


def test_potentials_know_each_goal() -> None:
    games = engine.new(scenarios.load("tiny"), [0])
    ship = games["ships"][:, 0, 0]
    ship["q"], ship["r"] = 2, 0  # column 2 of 6, row 1 of 5
    for goal, share in ((EAST, 2 / 6), (WEST, 3 / 6), (SOUTH, 1 / 5), (NORTH, 3 / 5), (EAST | NORTH, 3 / 5), (0, 0)):
        games["goal"] = goal
        assert progress(games)[0] == pytest.approx(share)
    ship["hull"], ship["full_hull"] = 3, 4
    assert hull(games)[0] == pytest.approx(3 / 4)


def test_only_a_crossing_counts() -> None:
    games = np.repeat(engine.new(scenarios.load("tiny"), [0]), len(Outcome))
    games["outcome"] = list(Outcome)
    games["phase"] = Phase.OVER
    crossed = [float(end == Outcome.CROSSED) for end in Outcome]
    assert [result(game, 0) for game in kernel_view(games)] == crossed
    assert not any(result(game, 1) for game in kernel_view(games))


def test_a_reward_of_ones_own() -> None:
    seen = []

    def custom(before: np.ndarray, after: np.ndarray) -> dict[str, np.ndarray]:
        seen.append((before["turn"].copy(), after["turn"].copy()))
        return {"turns": after["turn"] - before["turn"], "fixed": np.full(len(after), 0.25)}

    games = Batch(scenarios.load("tiny"), 3, "train", custom)
    games.reset(0)
    turns = games.games["turn"].copy()
    for step in range(60):
        alive = ~games.over
        rewards, terms = games.step(np.where(alive, pick(games.masks, step), 0), ~alive)
        wanted = np.where(alive, games.games["turn"] - turns, 0)
        assert terms["turns"].tolist() == wanted.tolist()
        assert np.allclose(rewards, wanted + np.where(alive, 0.25, 0.0))
        assert seen[-1][0].tolist() == turns.tolist()
        if games.over.any():
            games.reset(slots=np.flatnonzero(games.over))
        turns = games.games["turn"].copy()


@pytest.mark.parametrize("answer", [5, None, [1.0], {"x": np.zeros(4)}, {"x": 1.0}, {"x": np.zeros((3, 1))}])
def test_a_reward_that_is_none_is_refused(answer: Any) -> None:
    games = Batch(scenarios.load("tiny"), 3, "train", lambda before, after: answer)
    games.reset(0)
    with pytest.raises(err.ConfigError, match="custom reward"):
        games.step(pick(games.masks, 0))


def test_potentials_of_ones_own() -> None:
    config = RewardConfig(shaping={"turn": 2.0}, gamma=1.0, potentials={"turn": lambda games: games["turn"] * 1.0})
    games = Batch(scenarios.load("tiny"), 3, "train", config)
    games.reset(0)
    turns = games.games["turn"].copy()
    _, terms = games.step(pick(games.masks, 0))
    assert terms["turn"].tolist() == (2.0 * (np.where(games.over, 0, games.games["turn"]) - turns)).tolist()


@pytest.mark.parametrize(
    "fields",
    [
        {"shaping": {"luck": 1.0}},
        {"shaping": {"outcome": 1.0}},
        {"shaping": ["hull"]},
        {"potentials": {"outcome": hull}},
        {"potentials": {"outcome": hull}, "shaping": {"outcome": 1.0}},
        {"potentials": {"hull": progress}},
        {"potentials": [hull]},
        *({"shaping": {"hull": weight}} for weight in ("1", float("nan"), float("-inf"), True, None, 10**400)),
        *({"gamma": gamma} for gamma in (1.1, -0.1, "0.9", float("nan"), True, None)),
    ],
)
def test_settings_that_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(err.ConfigError, match="want"):
        RewardConfig(**fields)


def test_a_reward_is_the_sum_of_its_terms_rounded_once() -> None:
    third = 1 / 3
    reward = RewardConfig(custom=lambda before, after: {"a": np.full(2, 1e8), "b": np.full(2, third - 1e8)})
    games = engine.new(scenarios.load("tiny"), range(2))
    rewarder = Rewarder(reward, 2)
    rewarder.reset(games)
    rewards, terms = rewarder.step(games, np.zeros(2))
    assert rewards.tolist() == (terms["a"] + terms["b"]).astype(np.float32).tolist() and rewards[0] != 0


def test_state_is_restored() -> None:
    for reward in ({"shaping": {"progress": 1.0}}, {"custom": lambda before, after: {"t": before["turn"] * 1.0}}):
        games = engine.new(scenarios.load("tiny"), range(3))
        first, second = (Rewarder(RewardConfig(**reward), 3) for _ in range(2))
        first.reset(games)
        second.set_state(first.get_state())
        engine.step(games, pick(engine.legal_mask(games), 0))
        assert first.step(games, np.zeros(3))[0].tolist() == second.step(games, np.zeros(3))[0].tolist()
