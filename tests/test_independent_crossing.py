"""The engine and an independent simulation of the crossing, written from the rules alone, agree on what happens."""

from __future__ import annotations

from collections.abc import Sequence

import independent_crossing
import numpy as np
import pytest

from agents.evaluate import play
from agents.protocol import make
from fc_env import scenarios
from fc_env.jit import COMPILED

SETS = {"standard": 1, "dense": 3, "improbable": 6}
SIGMAS = 4


def assert_same_mean(name: str, engine: Sequence[float], independent: Sequence[float]) -> None:
    """Means of two samples differ by no more than four standard errors of the difference."""
    error = np.sqrt(np.var(engine) / len(engine) + np.var(independent) / len(independent))
    means = np.mean(engine), np.mean(independent)
    assert abs(means[0] - means[1]) <= SIGMAS * error, f"{name}: engine {means[0]:.4f}, independent {means[1]:.4f}"


def compare(field: str, in_engine: int, independent: int) -> None:
    setups = scenarios.load("crossing", field=field)
    games = play(make("zigzag", setups), setups, range(in_engine), "test")
    results = [independent_crossing.play(seed, SETS[field]) for seed in range(independent)]
    assert_same_mean("crossing rate", games.crossed, [r.outcome == "crossed" for r in results])
    assert_same_mean("turns", games.turns, [r.turns for r in results])
    assert_same_mean("contacts", games.contacts, [r.contacts for r in results])
    assert_same_mean("hull lost", games.hull_lost, [independent_crossing.HULL - r.hull for r in results])


@pytest.mark.skipif(not COMPILED, reason="whole games by the hundred want compiled rules")
@pytest.mark.parametrize("field", SETS)
def test_same_distribution(field):
    compare(field, 2000, 400)


@pytest.mark.slow
@pytest.mark.parametrize("field", SETS)
def test_same_distribution_in_many_games(field):
    compare(field, 20_000, 10_000)
