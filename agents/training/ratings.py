"""Ratings while training: how strong the learner was, window by window, on one scale with all its opponents.

The learner of each window of rollouts is a player of its own, and so is each opponent; from the games between them the
Bradley-Terry model (Bradley and Terry 1952) gives each a rating. It is written in Elo points: 400 more are odds of ten
to one. Of an opponent that is hardly met little is known, so all ratings are held together by a weak normal prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

ELO = 400.0 / np.log(10.0)
"""Elo points of one unit of log odds."""
PRIOR = 400.0 / ELO
"""Standard deviation of the prior, in log odds."""
_ROUNDS = 100


class Ratings(NamedTuple):
    """Ratings of P players in Elo points, with their standard errors."""

    value: np.ndarray  # float64 (P,)
    error: np.ndarray  # float64 (P,)


def fit(scores: np.ndarray, reference: int = 0) -> Ratings:
    """Ratings from scores, float64 (P, P): row i, column j is what i won of its games against j, draws by half.

    The player ``reference`` is at 0, and errors are those of the difference to it.
    """
    games = scores + scores.T
    n = len(scores)
    strengths, spread = np.zeros(n), np.eye(n)
    for _ in range(_ROUNDS):
        chances = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
        slope = scores.sum(axis=1) - (games * chances).sum(axis=1) - strengths / PRIOR**2
        bends = games * chances * (1.0 - chances)
        curvature = np.diag(bends.sum(axis=1) + 1.0 / PRIOR**2) - bends
        spread = np.linalg.inv(curvature)
        step = spread @ slope
        strengths = strengths + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-9:
            break
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
