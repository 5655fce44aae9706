"""Honest statistics: intervals that cover the truth, ratings that no seat's edge moves, tests that err seldom."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agents.lab import ratings, sprt
from agents.lab.ratings import ELO, Table, average_ranks, cycles, rate
from fc_env.errors import ConfigError
from fc_env.lab.statistics import interquartile_mean, paired_difference, paired_mean


def pairs(generator: np.random.Generator, strength: float, edge: float, n: int, noise: float = 1.0) -> np.ndarray:
    """Worth of two games on each of n seeds, float (n, 2), of an agent so much stronger (in logits) than the other.

    In game g it sits in seat g, and seat 0 has an edge. ``noise``: the share of pairs whose games share no luck.
    """
    luck = generator.logistic(size=(n, 1))
    other = np.where(generator.random((n, 1)) < noise, generator.logistic(size=(n, 1)), -luck)
    ahead = strength + edge * np.array([1.0, -1.0])
    return (np.hstack([luck, other]) < ahead).astype(float)


@pytest.mark.parametrize(("edge", "noise"), [(0.0, 1.0), (1.5, 0.5)])
def test_an_agent_against_itself_is_covered_at_one_half(edge: float, noise: float) -> None:
    """In 95 of 100 repetitions, give or take 3, with and without an edge of one seat."""
    generator = np.random.default_rng(11)
    inside = 0
    for _ in range(400):
        found = paired_mean(pairs(generator, 0.0, edge, 150, noise), 600)
        inside += found.low <= 0.5 <= found.high
    assert 0.92 * 400 <= inside <= 0.98 * 400


def test_games_are_not_taken_for_pairs() -> None:
    # Where both games of a pair go to the same seat every pair is shared: nothing at all is uncertain then.
    shared = np.tile([1.0, 0.0], (300, 1))
    assert paired_mean(shared).value == 0.5
    assert paired_mean(shared).high - paired_mean(shared).low < 0.02
    alike = np.repeat(np.random.default_rng(0).random((300, 1)) < 0.5, 2, axis=1).astype(float)
    assert paired_mean(alike).high - paired_mean(alike).low > 0.1


def test_a_difference_of_other_games_is_refused() -> None:
    with pytest.raises(ConfigError, match="want the same seeds"):
        paired_difference(np.ones(3, bool), np.ones(4, bool))


# ---- ratings


def round_robin(strengths: list[float], edge: float, n: int, seed: int = 3) -> Table:
    """All against all on n seeds."""
    generator = np.random.default_rng(seed)
    k = len(strengths)
    points, games = np.zeros((n, k, k)), np.zeros((n, k, k))
    for i in range(k):
        for j in range(i + 1, k):
            worth = pairs(generator, strengths[i] - strengths[j], edge, n)
            points[:, i, j], points[:, j, i] = worth[:, 0], 1.0 - worth[:, 1]
            games[:, i, j] = games[:, j, i] = 1
    return Table(points, games)


@pytest.mark.parametrize("edge", [0.0, 2.0, -2.0])
def test_equal_agents_rate_equal_under_a_planted_seat_edge(edge: float) -> None:
    found = rate([round_robin([0.0] * 4, edge, 400)], 200)
    assert all(abs(one.value) < 30 and one.low < 0 < one.high for one in found.ratings)
    assert found.edges[0].value == pytest.approx(ELO * edge, abs=40)
    assert found.edges[0].low < ELO * edge < found.edges[0].high


def test_a_seat_edge_does_not_move_ratings() -> None:
    strengths = [1.0, 0.3, -0.3, -1.0]
    plain, edged = (rate([round_robin(strengths, edge, 3000)], 100) for edge in (0.0, 2.0))
    for one, other, strength in zip(plain.ratings, edged.ratings, strengths, strict=True):
        assert one.value == pytest.approx(ELO * strength, abs=20)
        assert other.value == pytest.approx(ELO * strength, abs=20)
    # Without the edge in the model they would be squeezed together: that is what this test is about.
    table = round_robin(strengths, 2.0, 3000)
    blind = [Table((t + (1 - t.transpose(0, 2, 1)) * g) / 2, g) for t, g in [table]]
    assert ELO * ratings.fit(blind[0].points.sum(0)[None], blind[0].games.sum(0)[None])[0] < ELO * 1.0 - 40


def test_intervals_of_ratings_cover_the_truth() -> None:
    inside = total = 0
    for seed in range(30):
        found = rate([round_robin([0.6, 0.0, -0.6], 0.5, 100, seed)], 100)
        for one, strength in zip(found.ratings, (0.6, 0.0, -0.6), strict=True):
            inside += one.low <= ELO * strength <= one.high
            total += 1
    assert inside / total >= 0.86


def test_scenarios_have_edges_of_their_own() -> None:
    found = rate([round_robin([0.5, -0.5], 1.0, 2000), round_robin([0.5, -0.5], -1.0, 2000, 4)], 50)
    assert [one.value for one in found.ratings] == pytest.approx([ELO * 0.5, -ELO * 0.5], abs=15)
    assert [one.value for one in found.edges] == pytest.approx([ELO, -ELO], abs=30)


def test_one_who_wins_all_has_a_rating_that_grows_with_the_games() -> None:
    few, many = (rate([round_robin([50.0, 0.0], 0.0, n)], 10).ratings[0].value for n in (5, 50))
    assert 0 < few < many < 2000


def test_a_bootstrap_draws_all_games_of_a_seed_together() -> None:
    """Three agents whose games on one seed all go the same way: the interval is as wide as the seeds are few."""
    table = round_robin([0.0, 0.0], 0.0, 50)
    doubled = Table(np.repeat(table.points, 1, axis=0) * 2, table.games * 2)
    one, two = (rate([t], 300).ratings[0] for t in (table, doubled))
    assert two.high - two.low == pytest.approx(one.high - one.low, rel=0.1)


def test_average_ranks() -> None:
    assert average_ranks([[10.0, 5.0, 0.0], [0.0, 10.0, 5.0]]) == [2.0, 1.5, 2.5]
    assert average_ranks([[1.0, 1.0]]) == [1.5, 1.5]


def test_cycles_are_shown_without_short_cuts() -> None:
    names = ["rock", "scissors", "paper", "well"]
    beats = np.zeros((4, 4), bool)
    for one, other in ((0, 1), (1, 2), (2, 0), (3, 0), (3, 1), (2, 3)):
        beats[one, other] = True
    assert cycles(names, beats) == [["rock", "scissors", "paper"], ["scissors", "paper", "well"]]
    beats[2, 0] = beats[2, 3] = False
    assert cycles(names, beats) == []


# ---- the sequential test


def test_a_ratio_by_hand() -> None:
    # With pairs of two kinds only, 0 and 1, the likelihoods are those of coins with these chances of heads.
    better, worse = sprt.expected_score(100), sprt.expected_score(-100)
    by_hand = 30 * math.log(better / worse) + 10 * math.log((1 - better) / (1 - worse))
    assert sprt.log_likelihood_ratio([1.0] * 30 + [0.0] * 10, 100) == pytest.approx(by_hand, rel=1e-3)
    assert sprt.log_likelihood_ratio([0.5] * 20, 100) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("better", [1, -1])
def test_the_test_errs_as_seldom_as_it_says(better: int) -> None:
    generator = np.random.default_rng(23)
    strength = better * 60 / ELO
    found = [sprt.verdict(pairs(generator, strength, 0.0, 600).mean(axis=1), 60) for _ in range(150)]
    wrong = sum(one.better == -better for one in found)
    assert wrong <= 0.08 * 150 and sum(one.better == better for one in found) > 0.9 * 150
    assert np.mean([one.pairs for one in found]) < 200


def test_a_verdict_is_that_of_the_first_look_that_decides() -> None:
    scores = [1.0] * 200
    found = sprt.verdict(scores, 50)
    assert found.better == 1 and found.pairs % sprt.LOOK_EVERY == 0
    assert sprt.verdict(scores[: found.pairs], 50) == found
    assert sprt.verdict(scores[: found.pairs - 1], 50).better == 0
    # What came after the decision changes nothing.
    assert sprt.verdict(scores[: found.pairs] + [0.0] * 100, 50) == found


# ---- the interquartile mean


def test_an_interquartile_mean_by_hand() -> None:
    tasks = {name: np.full(8, worth) for name, worth in zip("abcdef", (0.1, 0.9, 0.5, 0.6, 0.7, 0.8), strict=True)}
    found = interquartile_mean(tasks, [0.0] * 6, [1.0] * 6)
    assert found == pytest.approx((65.0, 65.0, 65.0))  # 0.1 and 0.9 are cut off
    scaled = interquartile_mean({"a": np.full(8, 0.6)}, [0.2], [0.7])
    assert scaled.value == pytest.approx(80.0)
    with pytest.raises(ConfigError, match="want two that differ"):
        interquartile_mean({"a": np.full(8, 0.6)}, [0.2], [0.2])


def test_its_interval_covers_the_truth() -> None:
    generator = np.random.default_rng(1)
    rates = np.array([0.5, 0.55, 0.6, 0.65, 0.05, 0.95])  # the extremes are always the ones that are cut off
    inside = 0
    for _ in range(60):
        tasks = {str(rate): (generator.random(100) < rate).astype(float) for rate in rates}
        found = interquartile_mean(tasks, [0.0] * 6, [1.0] * 6)
        inside += found.low <= 57.5 <= found.high
    assert inside >= 53
