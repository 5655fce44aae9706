"""The exact odds of fire against enumeration, the worked figures, and the engine."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from fc_env import actions, engine, odds_fire
from fc_env.jit import COMPILED, kernel_view
from fc_env.notation import Position
from fc_env.ruleset import LADDER
from fc_env.schema import SCRATCH

FIGHT = """fleet-captain position 1
map 30x20
mode battle
turn 2
phase card
card 5H
ship 0 1010 NE flagship dice d8 d10 d12 slowness 3 hull 90 lasers 2 volleys 2 torpedo{own} power LMH order forward
ship 1 {ahead} S flagship dice d6 d8 d10 slowness 2 hull 900 power MHL order forward
ship 1 1011 N crew 2-9 dice d4 d6 d8 slowness 1 hull 900{their} power HML order drift
ship 1 1405 SW crew 2-9 dice d4 d6 d8 slowness 1 hull 900 power LMH order drift
marker 1209 SE 2
marker 1109 N 1
"""
MANY = 2000 if COMPILED else 60
CASES = {
    "dead ahead": ("1308", "", ""),
    "beside": ("1309", "", ""),
    "mediocre": ("1309", " flaw simply_mediocre", ""),
    "mediocre target": ("1408", "", " flaw simply_mediocre"),
    "blind spot": ("1308", " flaw blind_spot 0", ""),
    "shield flaw": ("1308", "", " flaw shield_flaw 0"),
}


def fight(case: str) -> Position:
    ahead, own, their = CASES[case]
    return Position.parse(FIGHT.format(ahead=ahead, own=own, their=their))


def as_kernels_take_it(position: Position) -> Any:
    return kernel_view(position.game.reshape(1))[0]


def slow_odds(attack_die: int, bonus: int, shields_die: int, lost: int, less: int, shields_less: int) -> list[float]:
    """Mean damage and chance of a hit by going through all rolls."""
    damages = []
    for roll, shields in product(range(1, attack_die + 1), range(1, shields_die + 1)):
        attack, guard = max(roll - less, 1) + bonus - lost, max(shields - shields_less, 1)
        damages.append(attack // guard if attack > guard else 0)
    return [float(np.mean(damages)), float(np.mean(np.array(damages) > 0))]


@pytest.mark.parametrize(
    ("attack_die", "shields_die", "density", "hit", "mean"),
    [(12, 8, 0, 5 / 8, 173 / 96), (12, 8, 3, 3 / 8, 91 / 96), (10, 6, 4, 1 / 4, 7 / 12)],
)
def test_the_worked_figures(attack_die: int, shields_die: int, density: int, hit: float, mean: float) -> None:
    assert odds_fire.hit_odds(attack_die, 0, shields_die, density, 0, 0) == pytest.approx(hit)
    assert odds_fire.mean_damage(attack_die, 0, shields_die, density, 0, 0) == pytest.approx(mean)


def test_all_odds_equal_going_through_all_rolls() -> None:
    for attack_die, shields_die in product(LADDER, LADDER):
        for bonus, lost, less, shields_less in product((0, 1, 6), (0, 1, 3, 19, 26, 500), (0, 1), (0, 1)):
            given = (attack_die, bonus, shields_die, lost, less, shields_less)
            found = [odds_fire.mean_damage(*given), odds_fire.hit_odds(*given)]
            assert found == pytest.approx(slow_odds(*given), abs=1e-12), given


@pytest.mark.parametrize("times", [0, 1, 3])
def test_attenuation_is_that_of_the_markers_between(times: int) -> None:
    position = Position.parse(
        "fleet-captain position 1\nmode battle\nphase power\n"
        f"rules attenuation={times}\n"
        "ship 0 1010 N flagship dice d4 d6 d8 slowness 1 hull 9\n"
        "ship 1 1015 N flagship dice d4 d6 d8 slowness 1 hull 9\n"
        "marker 1012 N 2\nmarker 1013 N 1\nmarker 1112 N 6\nmarker 1009 N 6\nmarker 1016 N 6\n"
    )
    game = as_kernels_take_it(position)
    ships = game["ships"]
    for one, other in ((ships[0, 0], ships[1, 0]), (ships[1, 0], ships[0, 0])):
        assert odds_fire.attenuation_between(game, one, other) == 3 * times


def means(position: Position, alpha: bool) -> list[float]:
    """Mean damage that the first ship's fire does to each enemy."""
    game = as_kernels_take_it(position)
    scratch = kernel_view(np.zeros(1, SCRATCH))[0]
    odds_fire.find_lines(game, 0, scratch)
    mine, ship, found = scratch["lines"][0, 0], game["ships"][0, 0], []
    for index in range(3):
        enemy = game["ships"][1, index]
        arc = odds_fire.torpedo_bears(game, ship, enemy["q"], enemy["r"])
        weapons, shields = 10, int(enemy["power_dice"][{4: 1, 6: 2, 1: 0}[int(enemy["power"])]])
        each = odds_fire.weapons_damage(game, ship, enemy, mine[index], arc, weapons, shields)
        if alpha:
            found.append(odds_fire.alpha_strike_damage(ship, mine[index], weapons, *each))
        else:
            aimed = odds_fire.is_torpedo_target(game, ship, 1, index, mine, arc, weapons)
            before = odds_fire.nearer_targets(mine, 3, index)
            found.append(odds_fire.open_fire_damage(ship, before, aimed, *each))
    return found


@pytest.mark.parametrize("case", CASES)
def test_open_fire_does_what_the_odds_say(case: str) -> None:
    position, n = fight(case), MANY
    games = np.repeat(position.game.reshape(1), n)
    games["seed"] = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    engine.step(games, np.full(n, actions.ACT))
    lost = 900 - games["ships"]["hull"][:, 1, :3]
    expected = means(position, False)
    assert sum(mean > 0 for mean in expected) >= 2
    assert lost.mean(axis=0) == pytest.approx(expected, abs=4.5 * lost.std() / n**0.5)
    assert ((lost.mean(axis=0) > 0) == (np.array(expected) > 0)).all()


@pytest.mark.parametrize("case", CASES)
def test_an_alpha_strike_does_what_the_odds_say(case: str) -> None:
    position, n = fight(case), MANY
    expected = means(position, True)
    assert sum(mean > 0 for mean in expected) >= 2
    for enemy, mean in enumerate(expected):
        games = np.repeat(position.game.reshape(1), n)
        games["seed"] = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        engine.step(games, np.full(n, actions.MANOEUVRE))
        if not mean:
            assert not engine.legal_mask(games)[0, actions.TARGET + enemy]
            continue
        engine.step(games, np.full(n, actions.TARGET + enemy))
        lost = 900 - games["ships"]["hull"][:, 1, enemy]
        assert lost.mean() == pytest.approx(mean, abs=4.5 * lost.std() / n**0.5)
