"""The door: what it refuses, and what it leaves alone."""

from typing import Any

import numpy as np
import pytest

from fc_env import engine, scenarios
from fc_env.errors import IllegalActionError, ScenarioError, SeedError
from fc_env.seeding import game_seeds
from fc_env.state import GAME, Phase, digest


@pytest.fixture
def games() -> np.ndarray:
    return engine.new(scenarios.load("tiny"), [1, 2], space="test")


def test_a_clone_with_other_dice_stays_in_its_seed_space(games: np.ndarray) -> None:
    other = engine.clone(games, seeds=[8, 9])
    np.testing.assert_array_equal(other["seed"], game_seeds([8, 9], space="test"))
    trained = engine.new(scenarios.load("tiny"), [1, 2], space="train")
    np.testing.assert_array_equal(engine.clone(trained, seeds=[8, 9])["seed"], game_seeds([8, 9], space="train"))
    assert digest(engine.clone(games)) == digest(games)


def test_rows_are_cloned_as_often_as_they_are_named(games: np.ndarray) -> None:
    before = digest(games)
    copies = engine.clone(games, rows=[1, 0, 1])
    assert [digest(copy) for copy in copies] == [digest(games[i]) for i in (1, 0, 1)]
    out = engine.new(scenarios.load("tiny"), [5, 6, 7])
    assert engine.clone(games, rows=np.array([1, 0, 1]), out=out) is out and digest(out) == digest(copies)
    reseeded = engine.clone(games, [8, 9, 8], rows=[1, 0, 1])
    np.testing.assert_array_equal(reseeded["seed"], game_seeds([8, 9, 8], space="test"))
    assert digest(engine.clone(games[::-1])) == digest(engine.clone(games, rows=[1, 0]))
    assert len(engine.clone(games, rows=[])) == 0
    copies["turn"] += 1
    assert digest(games) == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"rows": [0, 2]}, r"rows \[0, 2\]: want integers 0..1"),
        ({"rows": [-1]}, "want integers 0..1"),
        ({"rows": [0.5]}, "want integers 0..1"),
        ({"rows": [[0], [1]]}, "want integers 0..1"),
        ({"seeds": [1]}, "1 seeds for 2 copies: want one for each"),
        ({"out": np.zeros(3, GAME)}, r"want a contiguous array of GAME \(2,\)"),
        ({"out": np.zeros(4, GAME)[::2]}, "want a contiguous array of GAME"),
        ({"out": np.zeros(2)}, r"out is float64 \(2,\): want a contiguous array of GAME"),
    ],
)
def test_clones_that_cannot_be_are_refused(games: np.ndarray, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        engine.clone(games, **arguments)


def test_a_clone_that_is_refused_its_seeds_changes_nothing(games: np.ndarray) -> None:
    out = np.zeros(2, GAME)
    with pytest.raises(SeedError, match="seed -1"):
        engine.clone(games, seeds=[1, -1], out=out)
    assert digest(out) == digest(np.zeros(2, GAME))


@pytest.mark.parametrize(
    ("phase", "told"),
    [("drifft", "want one of power"), (3, "phase 3: want one of"), ("sideslip", "waits for its last")],
)
def test_a_phase_that_cannot_be_run_is_refused(games: np.ndarray, phase: Any, told: str) -> None:
    before = digest(games)
    with pytest.raises(ScenarioError, match=told):
        engine.run_phase(games, phase)
    assert digest(games) == before


def test_no_phase_is_run_in_a_game_that_is_over(games: np.ndarray) -> None:
    while games["phase"][0] != Phase.OVER:
        going = games[games["phase"] != Phase.OVER].copy()
        engine.step(going, engine.legal_mask(going).argmax(axis=1))
        games[games["phase"] != Phase.OVER] = going
    before = digest(games)
    with pytest.raises(ScenarioError, match="a game is over"):
        engine.run_phase(games, "drift")
    assert digest(games) == before


@pytest.mark.parametrize("action", ["x", None, True, 1.0])
def test_what_is_no_action_is_refused_by_name(games: np.ndarray, action: Any) -> None:
    with pytest.raises(IllegalActionError, match=r"want an integer 0\.\.31"):
        engine.why_illegal(games[0], action)


@pytest.mark.parametrize("seat", [2, -1, True])
def test_a_seat_that_does_not_exist_has_no_view(games: np.ndarray, seat: int) -> None:
    with pytest.raises(ScenarioError, match="want 0 or 1"):
        engine.view(games, seat)


def test_calls_that_do_not_record_return_no_rows_and_play_the_same(games: np.ndarray) -> None:
    twins = engine.clone(games)
    silent = engine.step(games, engine.legal_mask(games).argmax(axis=1))
    recorded = engine.step(twins, engine.legal_mask(twins).argmax(axis=1), record=True)
    assert not len(silent.events) and not len(silent.dice)
    assert len(recorded.events) and digest(games) == digest(twins)
