"""Ratings while training."""

from __future__ import annotations

import numpy as np
import pytest

from agents.lab.ratings import ELO
from agents.training.ratings import fit, over_time


def played(strengths: list[float], games: float) -> np.ndarray:
    """Scores that players of these Elo points expect of so many games between each two."""
    elo = np.array(strengths)
    scores = games / (1.0 + 10.0 ** ((elo[None, :] - elo[:, None]) / 400.0))
    np.fill_diagonal(scores, 0.0)
    return scores


def test_strengths_are_found_again() -> None:
    strengths = [100.0, 0.0, 250.0, -80.0]
    rated = fit(played(strengths, 1e7), reference=1)
    assert rated.value == pytest.approx(strengths, abs=0.5)
    assert rated.error[1] == pytest.approx(0.0, abs=1e-6) and (rated.error < 0.3).all()


def test_errors_shrink_with_games_and_one_that_never_played_is_unknown() -> None:
    few, many = (fit(played([0.0, 50.0], games)).error[1] for games in (10.0, 1000.0))
    assert many == pytest.approx(2.0 * ELO / np.sqrt(1000.0), rel=0.05) and few > 5 * many
    scores = np.zeros((3, 3))
    scores[:2, :2] = played([0.0, 50.0], 100.0)
    rated = fit(scores)
    assert rated.error[2] > 400.0


def test_one_that_won_every_game_has_a_rating() -> None:
    rated = fit(np.array([[0.0, 0.0], [100.0, 0.0]]))
    assert 400.0 < rated.value[1] < 2000.0 and np.isfinite(rated.error).all()


def test_a_learner_that_grows_is_rated_window_by_window() -> None:
    lines = [
        {"steps": 100 * (number + 1), "results_against": {"fixed": [won, 20, 80 - won], "late": [20, 0, 20]}}
        for number, won in enumerate([10, 10, 40, 40, 70])
    ]
    del lines[0]["results_against"]["late"], lines[1]["results_against"]["late"]  # type: ignore[attr-defined]
    history = over_time(lines, 2, "fixed")
    assert (history.steps, history.names) == ([200, 400, 500], ["fixed", "late"])
    first, middle, last = history.learner.value
    assert middle == pytest.approx(0.0, abs=30.0) and first == pytest.approx(-240.0, abs=15.0)
    assert last > middle and history.opponents.value[0] == 0.0
    assert first < history.opponents.value[1] < last
