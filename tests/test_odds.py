"""The exact odds against enumeration by hand and against the engine."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from fc_env import engine, odds
from fc_env.jit import kernel_view
from fc_env.notation import Position

FIELD = """fleet-captain position 1
map 30x20
goal east
turn 1
phase drift
ship 0 1510 NE flagship dice d6 d8 d10 slowness 2 hull 90 lasers 1 power LMH order forward
marker 1514 N 3
marker 1506 S 5
marker 0101 N 6
"""


@pytest.mark.parametrize(("density", "die"), [*product(range(1, 7), (4, 6, 8, 10, 20))])
def test_hit_chance_is_density_over_die(density: int, die: int) -> None:
    assert odds.hit_chance(density, die) == pytest.approx(min(density / die, 1.0))


@pytest.mark.parametrize(("lasers", "mean"), [(0, Fraction(21, 2)), (1, Fraction(175, 24)), (2, Fraction(1127, 240))])
def test_damage_distribution_has_the_worked_means(lasers: int, mean: Fraction) -> None:
    chances = odds.damage_distribution(20, 6, lasers)
    assert chances.sum() == pytest.approx(1.0)
    assert (chances * np.arange(21)).sum() == pytest.approx(float(mean))


def test_kill_chances_count_the_rolls_that_reach_the_hull() -> None:
    kills = odds.kill_chances(20, 6, 1, 12)
    for hull in range(1, 13):
        fatal = sum(max(damage - laser, 0) >= hull for damage in range(1, 21) for laser in range(1, 7))
        assert kills[hull] == pytest.approx(fatal / 120)
    assert kills[0] == pytest.approx(1.0)


def test_a_hull_beyond_the_die_cannot_be_killed_by_one_hit() -> None:
    assert odds.kill_chances(6, 6, 0, 9)[7:].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("die", [4, 6, 8])
@pytest.mark.parametrize("steps", range(1, 14))
def test_drift_chances_by_enumeration(die: int, steps: int) -> None:
    rolls = range(1, die + 1)
    assert odds.enters_next(steps, die) == pytest.approx(sum(roll >= steps for roll in rolls) / die)
    assert odds.lands_next(steps, die) == pytest.approx(sum(roll == steps for roll in rolls) / die)
    second = sum(first < steps <= first + later for first, later in product(rolls, rolls))
    assert odds.enters_second(steps, die) == pytest.approx(second / die**2)


def _as_kernels_take_it(position: Position) -> Any:
    return kernel_view(position.game.reshape(1))[0]


def test_drift_hits_equal_all_forced_dice() -> None:
    position = Position.parse(FIELD)
    game = _as_kernels_take_it(position)
    total = Fraction(0)
    for rolls in product(range(1, 7), range(1, 7)):
        meets = [rolls[0] >= 4, rolls[1] >= 4]
        # One contact each: density 3 and density 5 on a d6.
        total += Fraction(meets[0] * 3 + meets[1] * 5, 6) / 36
    assert odds.drift_hits(game, 14, int(position.game["ships"][0, 0]["r"]), False) == pytest.approx(float(total))


def test_drift_hits_agree_with_the_engine() -> None:
    position = Position.parse(FIELD)
    n = 4000
    games = np.repeat(position.game.reshape(1), n)
    games["seed"] = np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    trace = engine.run_phase(games, "drift", record=True)
    from fc_env.events import Rule

    hits = ((trace.events["rule"] == Rule.CON_1) & (trace.events["value"] == 1)).sum() / n
    game = _as_kernels_take_it(position)
    expected = odds.drift_hits(game, 14, int(position.game["ships"][0, 0]["r"]), False)
    assert hits == pytest.approx(expected, abs=4 * np.sqrt(expected / n))


def test_entering_and_landing_hits() -> None:
    position = Position.parse(FIELD)
    game = _as_kernels_take_it(position)
    marker = position.game["markers"][0]
    assert odds.entering_hits(game, marker["q"], marker["r"], 6) == pytest.approx(3 / 6)
    assert odds.entering_hits(game, marker["q"], marker["r"], 10) == pytest.approx(3 / 10)
    assert odds.entering_hits(game, marker["q"], marker["r"] - 1, 6) == 0.0
    assert odds.landing_hits(game, marker["q"], marker["r"] - 1, 6) == pytest.approx(1 / 6 * 3 / 6)
    assert odds.landing_hits(game, marker["q"], marker["r"] + 1, 6) == 0.0
