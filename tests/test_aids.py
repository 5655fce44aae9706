"""Aids: what is derived for learning follows the plain observation, for those that ask for it."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from fc_env import errors as err
from fc_env import scenarios
from fc_env.batch import Batch
from fc_env.decoder import Decoder
from fc_env.env import FleetCaptainEnv
from fc_env.observation import Layout
from fc_env.pettingzoo_env import env as two_seat_env
from fc_env.sb3_env import FleetCaptainVecEnv
from fc_env.state import digest
from fc_env.vector_env import FleetCaptainVectorEnv
from fc_env.versus import Versus
from tests.adapters import pick
from tests.battles import duel

N = 8
ALL = [("crossing", "dense"), ("tiny", None), *((name, "dense") for name in ("duel", "battle", "ambush", "convoy"))]


@pytest.mark.parametrize("pair", ALL, ids=lambda pair: pair[0])
def test_a_plain_observation_begins_one_with_aids(pair: tuple[str, str | None]) -> None:
    setups = scenarios.load(*pair)
    plain, aided = Batch(setups, N), Batch(setups, N, aids=True)
    decoder = Decoder(setups)
    for batch in (plain, aided):
        batch.reset(1)
    for step in range(60):
        size = plain.layout.size
        assert plain.observations.shape == (N, size) and aided.observations.shape[1] > size
        assert np.array_equal(plain.observations, aided.observations[:, :size])
        assert digest(decoder(plain.observations)) == digest(decoder(aided.observations))
        for batch in (plain, aided):
            batch.step(pick(batch.masks, step))
            batch.reset(slots=np.flatnonzero(batch.over))
        assert digest(plain.games) == digest(aided.games)


def test_every_environment_has_them_on_demand() -> None:
    setups = duel(1)
    want = {aids: Layout.of(setups, aids).size for aids in (False, True)}
    assert want[False] < want[True]
    for aids, size in want.items():
        more: dict[str, Any] = {"aids": aids}
        single = FleetCaptainEnv(setups, opponent="easy", **more)
        vector = FleetCaptainVectorEnv(num_envs=2, scenarios=setups, opponent="easy", **more)
        sb3 = FleetCaptainVecEnv(setups, 2, seed=0, opponent="easy", **more)
        two = two_seat_env(scenario=setups, **more)
        two.reset(seed=0)
        assert single.reset(seed=0)[0].shape == (size,)
        assert vector.reset(seed=0)[0].shape == (2, size)
        assert np.shape(sb3.reset()) == (2, size)
        assert two.observe(two.agent_selection)["observation"].shape == (size,)
        assert gym.make("FleetCaptain/Crossing-v0", **more).observation_space.shape == (
            Layout.of(scenarios.load("crossing"), aids).size,
        )


class Watcher:
    """Takes the first legal action, and notes what it was shown."""

    def __init__(self, aids: bool) -> None:
        self.aids = aids
        self.shown: list[np.ndarray] = []

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        self.shown.append(observations.copy())
        return masks.argmax(axis=1)


def shown_to(watcher: Watcher, aids: bool) -> np.ndarray:
    """What an opponent is shown in some games of a learner with or without aids."""
    batch = Versus(duel(1), N, opponent=watcher, seat=1, aids=aids)
    batch.reset(5)
    for step in range(30):
        batch.step(pick(batch.masks, step), batch.over.copy())
    return np.concatenate(watcher.shown)


def test_an_opponent_sees_them_if_it_wants_to_whatever_the_learner_sees() -> None:
    plain, aided = Layout.of(duel(1)), Layout.of(duel(1), aids=True)
    seen = {(wants, has): shown_to(Watcher(wants), has) for wants in (False, True) for has in (False, True)}
    assert np.array_equal(seen[False, False], seen[False, True])
    assert np.array_equal(seen[True, False], seen[True, True])
    assert seen[False, False].shape[1] == plain.size and seen[True, False].shape[1] == aided.size
    assert np.array_equal(seen[True, True][:, : plain.size], seen[False, False])
    assert seen[True, True][:, plain.size :].any()


@pytest.mark.parametrize("aids", [1, None, "yes"])
def test_what_is_no_truth_value_is_refused(aids: Any) -> None:
    with pytest.raises(err.ConfigError, match=r"aids .*want True or False"):
        Batch(duel(1), 2, aids=aids)
