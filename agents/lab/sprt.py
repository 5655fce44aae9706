"""A sequential test of which of two agents is better, whose unit is the pair of games on one seed.

It is the generalised sequential probability ratio test with which chess engines are tested: the likelihood of the
pairs' results (of five kinds, from 0 to 2 points) is maximised once under each of two expected scores. Wald 1945;
Van den Bergh, "A practical introduction to the GSPRT", of which fishtest's pentanomial test is the best known use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

ALPHA = BETA = 0.05
"""Chances to be wrong, where the truth is one of the two hypotheses."""
UPPER, LOWER = math.log((1 - BETA) / ALPHA), math.log(BETA / (1 - ALPHA))
LOOK_EVERY = 10
"""Pairs between two looks."""
_KINDS = np.linspace(0.0, 1.0, 5)
_TRACE = 1e-3  # of a pair of each kind, so that what never came up is not impossible


class Verdict(NamedTuple):
    """How a test ended: after how many pairs, with which log likelihood ratio, and who is better: 1, -1 or 0."""

    pairs: int
    ratio: float
    better: int


def expected_score(elo: float) -> float:
    """Points a game of one that is so many points of Elo better."""
    return 1.0 / (1.0 + 10.0 ** (-elo / 400.0))


def _most_likely(chances: np.ndarray, score: float) -> np.ndarray:
    """The chances of the five kinds, of all that have this mean, under which observed ones are likeliest."""
    ahead = _KINDS - score
    # Those are chances / (1 + x * ahead); x is between the poles, and the mean falls as it grows.
    low, high = -1.0 / ahead.max(), -1.0 / ahead.min()
    inset = 1e-9 * (high - low)
    x = brentq(lambda x: float((chances * ahead / (1.0 + x * ahead)).sum()), low + inset, high - inset)
    return chances / (1.0 + x * ahead)


def log_likelihood_ratio(scores: Sequence[float] | np.ndarray, elo: float) -> float:
    """Of "the first is ``elo`` points better" to "it is so much worse", from what pairs were worth, (N,) in 0..1."""
    kinds = np.rint(4.0 * np.asarray(scores, np.float64)).astype(np.int64)
    counts = np.bincount(kinds, minlength=5) + _TRACE
    chances = counts / counts.sum()
    better, worse = (_most_likely(chances, expected_score(sign * elo)) for sign in (1, -1))
    return float(len(kinds) * (chances * np.log(better / worse)).sum())


def verdict(scores: Sequence[float] | np.ndarray, elo: float) -> Verdict:
    """The test of pairs in their order, looked at every so many; it ends at the first look that decides.

    If none does, ``better`` is 0 and all pairs of whole looks count.
    """
    ratio, n = 0.0, 0
    for n in range(LOOK_EVERY, len(scores) + 1, LOOK_EVERY):
        ratio = log_likelihood_ratio(scores[:n], elo)
        if not LOWER < ratio < UPPER:
            return Verdict(n, ratio, 1 if ratio > 0 else -1)
    return Verdict(n, ratio, 0)
