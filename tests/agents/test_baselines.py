"""The scripted agents: legal always, and each true to its description."""

import numpy as np
import pytest

import agents
from fc_env import actions as act
from fc_env import engine, scenarios
from fc_env.errors import ConfigError
from fc_env.observation import Layout, observe
from fc_env.state import Order, Outcome, Phase, digest

SCRIPTED = ("random", "drifter", "zigzag", "pilot")


def _play(name: str, field: str, n: int, seed: int = 0) -> tuple[np.ndarray, list[np.ndarray]]:
    """Final records, GAME (n,), and all (phase, action) pairs."""
    setups = scenarios.load("crossing", field=field)
    agent = agents.make(name, setups, seed=seed)
    layout = Layout.of(setups)
    games = engine.new(setups, range(n), space="test")
    live, last, made = np.arange(n), games.copy(), []
    while len(games):
        masks = engine.legal_mask(games)
        actions = agent(observe(games, layout), masks)
        assert masks[np.arange(len(games)), actions].all()
        made.append(np.stack([games["phase"], actions], axis=1))
        engine.step(games, actions)
        last[live] = games
        going = games["phase"] != Phase.OVER
        games, live = games[going].copy(), live[going]
    return last, made


@pytest.mark.parametrize("name", SCRIPTED)
def test_the_same_games_again_give_the_same_endings(name: str) -> None:
    first, _ = _play(name, "dense", 5)
    again, _ = _play(name, "dense", 5)
    assert digest(first) == digest(again)


def test_random_is_uniform_over_legal_actions() -> None:
    agent = agents.make("random", scenarios.load("crossing"), seed=3)
    masks = np.zeros((12_000, act.N_ACTIONS), bool)
    masks[:, [0, 14, 20]] = True
    chosen = agent(np.zeros((12_000, 1), np.float32), masks)
    counts = np.bincount(chosen, minlength=act.N_ACTIONS)[[0, 14, 20]]
    assert counts.sum() == 12_000
    assert abs(counts - 4000).max() < 4 * np.sqrt(12_000 * (1 / 3) * (2 / 3))


def test_random_differs_by_seed() -> None:
    one, _ = _play("random", "open", 4, seed=0)
    other, _ = _play("random", "open", 4, seed=1)
    assert digest(one) != digest(other)


def test_drifter_only_drifts() -> None:
    ends, made = _play("drifter", "open", 4)
    for rows in made:
        assert (rows[rows[:, 0] == Phase.ORDERS, 1] == act.ORDER + Order.DRIFT - 1).all()
        assert (rows[rows[:, 0] == Phase.CARD, 1] == act.PASS).all()
    assert (ends["outcome"] == Outcome.LEFT_ELSEWHERE).all()


def test_zigzag_turns_by_turns_at_full_speed_and_never_waits() -> None:
    ends, made = _play("zigzag", "open", 6)
    assert (ends["outcome"] == Outcome.CROSSED).all()
    orders = []
    for rows in made:
        assert (rows[rows[:, 0] == Phase.POWER, 1] == act.POWER).all()
        assert (rows[rows[:, 0] == Phase.CARD, 1] == act.ACT).all()
        assert (rows[:, 0] != Phase.SIDESLIP).all()
        orders += rows[rows[:, 0] == Phase.ORDERS, 1].tolist()
    assert set(orders) == {act.ORDER + 1, act.ORDER + 2}


def test_pilot_beats_zigzag_on_a_dense_field() -> None:
    pilot, _ = _play("pilot", "dense", 60)
    zigzag, _ = _play("zigzag", "dense", 60)
    crossed = [(ends["outcome"] == Outcome.CROSSED).sum() for ends in (pilot, zigzag)]
    assert crossed[0] > crossed[1]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("pilto", "did you mean 'pilot'"),
        ("", "want one of random"),
        ("pilot:fast", "takes no argument"),
        ("zigzag:1", "takes no argument"),
        ("random:7", "takes no argument"),
        ("drifter:x", "takes no argument"),
    ],
)
def test_a_name_that_does_not_exist_is_refused(name: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        agents.make(name, scenarios.load("crossing"))


PILOT_DIGEST = "048e16a7fc6d8833c2b5509d7a075408"
"""Of the final positions of 40 held-out dense games: the pilot is a yardstick, and must not change unnoticed."""


def test_pilot_plays_as_recorded() -> None:
    ends, _ = _play("pilot", "dense", 40)
    assert digest(ends) == PILOT_DIGEST
