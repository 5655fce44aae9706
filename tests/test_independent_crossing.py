"""The engine and an independent simulation of the crossing, written from the rules alone, agree on what happens."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import independent_crossing
import numpy as np
import pytest
from tiny_solver import hex_at

from agents.evaluate import evaluate
from fc_env import scenarios
from fc_env.errors import ScenarioError
from fc_env.jit import COMPILED

SETS = {"standard": 1, "dense": 3, "improbable": 6}
SIGMAS = 4
"""Seeds are fixed on both sides, so the result is too. Of the 24 means compared here, equal players would miss one in
about 1 of 650 choices of seeds; a miss is a difference to be found, not bad luck."""


def assert_same_mean(name: str, engine: Sequence[float], independent: Sequence[float]) -> None:
    """Means of two samples differ by no more than four standard errors of the difference."""
    error = np.sqrt(np.var(engine) / len(engine) + np.var(independent) / len(independent))
    means = np.mean(engine), np.mean(independent)
    assert abs(means[0] - means[1]) <= SIGMAS * error, f"{name}: engine {means[0]:.4f}, independent {means[1]:.4f}"


def compare(field: str, in_engine: int, independent: int) -> None:
    setups = scenarios.load("crossing", field=field)
    games = evaluate(["zigzag"], setups, range(in_engine))["zigzag"]
    results = [independent_crossing.play(seed, SETS[field]) for seed in range(independent)]
    assert_same_mean("crossing rate", games.crossed, [r.outcome == "crossed" for r in results])
    assert_same_mean("turns", games.turns.ravel(), [r.turns for r in results])
    assert_same_mean("contacts", games.contacts.ravel(), [r.contacts for r in results])
    assert_same_mean("hull lost", games.hull_lost.ravel(), [independent_crossing.HULL - r.hull for r in results])


class Forced(random.Random):
    """Dice that fall as they are told; all of them are to be used."""

    def __init__(self, values: Sequence[int]) -> None:
        super().__init__(0)
        self.values: Iterator[int] = iter(values)

    def randint(self, a: int, b: int) -> int:
        return next(self.values)


def game_with(dice: list[int], hull: int, *markers: str) -> independent_crossing.Game:
    """The independent player's game with the ship in its entry hex and markers such as ``"0112 N 3"``."""
    stand = []
    for text in markers:
        where, heading, density = text.split()
        stand.append(independent_crossing.Marker(hex_at(where), heading, int(density)))
    game = independent_crossing.Game(Forced(dice), stand)
    game.result.hull = hull
    return game


def test_independent_ship_that_a_drift_destroys_is_out_of_play_at_once():
    # DOOM-1, COR-8: the second marker rolls 3 and stops in the hex of the wreck, and touches nothing.
    game = game_with([4, 6, 20, 1, 3], 10, "0112 N 6", "0113 N 6")
    independent_crossing.drift(game)
    assert (game.result.hull, game.result.contacts) == (0, 1)
    assert [marker.hex for marker in game.markers] == [hex_at("0108"), hex_at("0110")]
    assert next(game.dice.values, None) is None


def test_independent_ship_that_lives_is_met_by_each_marker():
    game = game_with([4, 6, 3, 1, 3, 6, 4, 1], 10, "0112 N 6", "0113 N 6")
    independent_crossing.drift(game)
    assert (game.result.hull, game.result.contacts) == (5, 2)
    assert [marker.hex for marker in game.markers] == [hex_at("0108"), hex_at("0109")]
    assert next(game.dice.values, None) is None


def allowed_by_engine(hexes: list[str], facing: str) -> bool:
    """Whether the crossing may start with markers in these hexes (SET-4)."""
    markers = [{"hex": where, "facing": facing, "density": 1} for where in hexes]
    try:
        scenarios.load("crossing", fields={"only": {"markers": markers}}, default_field="only")
    except ScenarioError as problem:
        assert "SET-4" in str(problem)
        return False
    return True


# Rows of the ship's column where the answer hangs on the other markers: at least 6 hexes behind it, and before it.
OPEN_ROWS = {"N": [*range(1, 10), *range(16, 21)], "S": [*range(1, 5), *range(11, 21)]}


def test_same_first_drifts_are_safe():
    choose = random.Random(4)
    answers = []
    for _ in range(60):
        facing = choose.choice("NS")
        hexes = [f"01{row:02}" for row in choose.sample(OPEN_ROWS[facing], choose.randint(1, 5))]
        markers = [independent_crossing.Marker(hex_at(where), facing, 1) for where in hexes]
        answers.append(independent_crossing.legal(markers))
        assert answers[-1] == allowed_by_engine(hexes, facing), f"{facing} {hexes}"
    assert 15 <= sum(answers) <= 45


@pytest.mark.skipif(not COMPILED, reason="whole games by the hundred want compiled rules")
@pytest.mark.parametrize("field", SETS)
def test_same_distribution(field):
    compare(field, 2000, 400)


@pytest.mark.slow
@pytest.mark.parametrize("field", SETS)
def test_same_distribution_in_many_games(field):
    compare(field, 20_000, 10_000)
