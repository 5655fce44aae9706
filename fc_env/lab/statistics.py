"""Figures with honest intervals. Pairs of games on one seed are what is counted, not games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, bootstrap, t, trim_mean

from fc_env.errors import ConfigError

RESAMPLES = 5000
_CELLS = 20_000_000
"""Numbers that are resampled at a time; bounds the memory."""
_Z = 1.959964


class Interval(NamedTuple):
    """A figure with the two ends of its 95% interval."""

    value: float
    low: float
    high: float


def wilson(won: int, games: int) -> Interval:
    """Share of independent games that were won, with its Wilson interval (Wilson 1927)."""
    tested = binomtest(won, games)
    ends = tested.proportion_ci(confidence_level=0.95, method="wilson")
    return Interval(float(tested.statistic), float(ends.low), float(ends.high))


def mean(values: np.ndarray) -> Interval:
    """Mean of independent values, float64 (N,) of two or more, with its interval by Student's t."""
    n, middle = len(values), float(values.mean())
    wide = float(t.ppf(0.975, n - 1) * values.std(ddof=1) / math.sqrt(n))
    return Interval(middle, middle - wide, middle + wide)


def share(values: np.ndarray) -> Interval:
    """Mean of shares, float64 (N,) from 0 to 1, such as games won with draws of a half.

    Two of 1 and two of 0 are added for the interval (Agresti and Coull 1998), so that it is honest near the ends too.
    """
    return _with_added(values, 4, 2.0, 2.0, 0.0)


def share_difference(values: np.ndarray) -> Interval:
    """Mean of differences of shares within seeds, float64 (N,) from -1 to 1, with its interval.

    Half a pair is added to each of the four kinds of pairs, as in ``paired_difference``.
    """
    return _with_added(values, 2, 0.0, 1.0, -1.0)


def _with_added(values: np.ndarray, added: int, total: float, squares: float, low: float) -> Interval:
    """Mean, with an interval that pretends that so many more values were seen, of some sum and sum of squares."""
    n = len(values) + added
    middle = (float(values.sum()) + total) / n
    spread = (float((values**2).sum()) + squares) / n - middle**2
    wide = _Z * math.sqrt(max(spread, 0.0) / n)
    return Interval(float(values.mean()), max(middle - wide, low), min(middle + wide, 1.0))


def paired_mean(worth: np.ndarray, resamples: int = RESAMPLES) -> Interval:
    """Mean of what games are worth, float (N, 2) from 0 to 1, with a bootstrap interval whose unit is the pair.

    One pair that was won and one that was lost are added before resampling (as Agresti and Caffo 2000 do), so that the
    interval is honest for few games and for one-sided matches too; the figure itself is without them.
    """
    pairs = worth.mean(axis=1)
    sample = np.sort([*pairs, 0.0, 1.0])  # so that the order in which they were played is no matter
    found = bootstrap(
        (sample,), np.mean, n_resamples=resamples, batch=_batch(len(sample)), method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return Interval(float(pairs.mean()), float(found.low), float(found.high))


def _batch(size: int) -> int:
    return max(_CELLS // size, 1)


def paired_difference(a: np.ndarray, b: np.ndarray) -> Interval:
    """Success rate of ``a`` less that of ``b``, bool (N,) each on the same seeds, with the interval for matched pairs.

    Half a pair is added to each of the four kinds of pairs (Agresti and Min 2005), so that the interval is honest for
    few games too. Raises ConfigError for another number of games.
    """
    if a.shape != b.shape:
        raise ConfigError(f"a paired difference of {len(a)} games and {len(b)}: want the same seeds in the same order")
    n = len(a)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    centre = (only_a - only_b) / (n + 2)
    share = (only_a + only_b + 1) / (n + 2)
    width = _Z * math.sqrt((share - centre**2) / (n + 2))
    return Interval((only_a - only_b) / n, max(centre - width, -1.0), min(centre + width, 1.0))


def interquartile_mean(samples: Mapping[str, np.ndarray], zero: Sequence[float], hundred: Sequence[float]) -> Interval:
    """Interquartile mean over tasks of normalised scores, with its stratified bootstrap interval.

    ``samples``: what each seed was worth, float (N,), by task; ``zero`` and ``hundred``: the mean worth in each task
    that scores 0 and 100. A quarter of the tasks is cut off at each end (of six the best and the worst one), and seeds
    are resampled within each task (Agarwal et al. 2021). Raises ConfigError where the two references are the same.
    """
    low, high = np.asarray(zero, np.float64), np.asarray(hundred, np.float64)
    for task, span in zip(samples, high - low, strict=True):
        if not span:
            raise ConfigError(f"task {task}: both references score {low[0]:.3f} there: want two that differ")

    def mean_of_tasks(*tasks: np.ndarray, axis: int = -1) -> np.ndarray:
        means = np.stack([task.mean(axis=axis) for task in tasks])
        shape = (-1, *[1] * (means.ndim - 1))
        scores = 100.0 * (means - low.reshape(shape)) / (high - low).reshape(shape)
        return np.asarray(trim_mean(scores, 0.25, axis=0))

    data = tuple(samples.values())
    found = bootstrap(
        data, mean_of_tasks, n_resamples=RESAMPLES, batch=_batch(max(map(len, data))), method="percentile",
        vectorized=True, rng=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return Interval(float(mean_of_tasks(*data)), float(found.low), float(found.high))


__all__ = ["RESAMPLES", "Interval", "interquartile_mean", "paired_difference", "paired_mean", "wilson"]
