"""Ratings while training: how strong the learner was, window by window, on one scale with all its opponents.

The learner of each window of rollouts is a player of its own, and so is each opponent; the games between them are rated
as those of a tournament are (``agents.lab.ratings``). Standard errors are those of the likelihood's curvature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from agents.lab import ratings as lab
from agents.lab.ratings import ELO

WEAK = 1e-3
"""Curvature added for each player, so that one that was never met has an error, though a large one."""


class Ratings(NamedTuple):
    """Ratings of P players in Elo points, with their standard errors."""

    value: np.ndarray  # float64 (P,)
    error: np.ndarray  # float64 (P,)


def fit(scores: np.ndarray, reference: int = 0) -> Ratings:
    """Ratings from scores, float64 (P, P): row i, column j is what i won of its games against j, draws by half.

    The player ``reference`` is at 0, and errors are those of the difference to it. Seats are even in training, so half
    of the games is counted in each.
    """
    games = scores + scores.T
    strengths = lab.fit(scores[None] / 2.0, games[None] / 2.0)[: len(scores)]
    chances = expit(strengths[:, None] - strengths[None, :])
    bends = games * chances * (1.0 - chances)
    spread = np.linalg.inv(np.diag(bends.sum(axis=1) + WEAK) - bends)
    variances = np.diag(spread) + spread[reference, reference] - 2.0 * spread[reference]
    return Ratings(ELO * (strengths - strengths[reference]), ELO * np.sqrt(np.maximum(variances, 0.0)))


class History(NamedTuple):
    """Ratings over a run."""

    steps: list[int]
    """Decisions trained on at the end of each window"""
    learner: Ratings
    """Of the learner in each window"""
    names: list[str]
    """Of the opponents that were met"""
    opponents: Ratings
    """Of these"""


def over_time(lines: Sequence[Mapping[str, Any]], every: int, reference: str) -> History:
    """Ratings from the metrics of a run, in windows of so many rollouts; the opponent ``reference`` is at 0."""
    windows = -(-len(lines) // every)
    names = [reference]
    for line in lines:
        names += [name for name in line["results_against"] if name not in names]
    scores = np.zeros((windows + len(names), windows + len(names)))
    for number, line in enumerate(lines):
        for name, (won, drawn, lost) in line["results_against"].items():
            learner, other = number // every, windows + names.index(name)
            scores[learner, other] += won + 0.5 * drawn
            scores[other, learner] += lost + 0.5 * drawn
    rated = fit(scores, windows)
    steps = [lines[min((window + 1) * every, len(lines)) - 1]["steps"] for window in range(windows)]
    split = ([part[:windows] for part in rated], [part[windows:] for part in rated])
    return History(steps, Ratings(*split[0]), names, Ratings(*split[1]))


__all__ = ["History", "Ratings", "fit", "over_time"]
