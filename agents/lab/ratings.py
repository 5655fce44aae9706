"""Ratings by Bradley and Terry, in points of Elo, that an edge of one seat does not move.

The chance that agent i in seat 0 beats agent j is logistic in ``strength[i] - strength[j] + edge``, with an edge of
seat 0 for each scenario (Davidson and Beaver 1977); a draw is half a win. Intervals are by bootstrap, and its unit is
the seed: all games of all pairings on one seed share their dice, so they are drawn together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import bootstrap, rankdata

from fc_env.lab.statistics import Interval

ELO = 400.0 / np.log(10.0)
"""Points of a strength of 1."""
RESAMPLES = 1000


class Table(NamedTuple):
    """What K agents scored in one scenario, by seed; games that were not played are 0 in both."""

    points: np.ndarray  # float64 (N, K, K): by i in seat 0 against j in seat 1, a win 1 and a draw 1/2
    games: np.ndarray  # float64 (N, K, K): played by i in seat 0 against j in seat 1


class Ratings(NamedTuple):
    """Ratings of K agents in points of Elo, their mean 0, and the edge of seat 0 in each of S scenarios."""

    ratings: list[Interval]
    edges: list[Interval]


def fit(points: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Strengths of K agents, their mean 0, and edges of S scenarios, float64 (K + S,), from points and games (S, K, K).

    One drawn pair is added for each two agents that met in a scenario, so that who won all games has a rating too.
    """
    n_scenarios, n_agents = points.shape[:2]
    met = (games + games.transpose(0, 2, 1)) > 0
    won, played = points + 0.5 * met, games + met
    lost = played - won

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        strength, edge = parameters[:n_agents], parameters[n_agents:]
        ahead = strength[None, :, None] - strength[None, None, :] + edge[:, None, None]
        value = -float((won * log_expit(ahead) + lost * log_expit(-ahead)).sum())
        excess = played * expit(ahead) - won
        slope = excess.sum(axis=(0, 2)) - excess.sum(axis=(0, 1))
        return value, np.concatenate([slope, excess.sum(axis=(1, 2))])

    found = minimize(loss, np.zeros(n_agents + n_scenarios), jac=True, method="L-BFGS-B").x
    found[:n_agents] -= found[:n_agents].mean()
    return np.asarray(found)


def rate(tables: Sequence[Table], resamples: int | None = None) -> Ratings:
    """Ratings over some scenarios together, with their intervals; seeds are resampled within each scenario."""
    n_agents = tables[0].points.shape[1]
    cells = [(t.points.reshape(len(t.points), -1), t.games.reshape(len(t.games), -1)) for t in tables]

    def of_seeds(*drawn: np.ndarray) -> np.ndarray:
        times = [np.bincount(rows, minlength=len(points)) for rows, (points, _) in zip(drawn, cells, strict=True)]
        sums = [(n @ points, n @ games) for n, (points, games) in zip(times, cells, strict=True)]
        shape = (len(cells), n_agents, n_agents)
        return ELO * fit(*(np.stack(part).reshape(shape) for part in zip(*sums, strict=True)))

    rows = tuple(np.arange(len(points)) for points, _ in cells)
    value = of_seeds(*rows)
    if all(len(seeds) < 2 for seeds in rows):
        low = high = np.full(len(value), np.nan)  # one seed tells nothing of others
    else:
        low, high = bootstrap(
            rows,
            of_seeds,
            vectorized=False,
            n_resamples=resamples or RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
    every = [Interval(*map(float, three)) for three in zip(value, low, high, strict=True)]
    return Ratings(every[:n_agents], every[n_agents:])


def average_ranks(ratings: Sequence[Sequence[float]]) -> list[float]:
    """The rank of each of K agents, 1 the best, averaged over scenarios, from its ratings in each (S, K)."""
    return [float(rank) for rank in rankdata(-np.asarray(ratings), axis=1).mean(axis=0)]


def cycles(names: Sequence[str], beaten: Any) -> list[list[str]]:
    """Where strength is not transitive: rounds of agents each of which beats the next, none of them with a short cut.

    ``beaten``, bool (K, K): whether agent i beats agent j. Each starts with the agent that comes first in ``names``.
    """
    import networkx as nx

    graph = nx.from_numpy_array(np.asarray(beaten, bool), create_using=nx.DiGraph)
    found = []
    for circle in nx.chordless_cycles(graph):
        start = circle.index(min(circle))
        found.append([*circle[start:], *circle[:start]])
    return [[names[place] for place in circle] for circle in sorted(found, key=lambda circle: (len(circle), circle))]
