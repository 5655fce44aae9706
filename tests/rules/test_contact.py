"""Section 3: contact (CON), and the figures of section 11 that belong to it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from stating import FLAGSHIP, LESSER, at, faces, of_rule, rules, ship, stated, status

from fc_env import engine
from fc_env.events import Rule
from fc_env.jit import kernel_view
from fc_env.rules.contact import hull_damage, is_hit
from fc_env.rules.damage import suffer

SHIP = "ship 0 1507 N flagship dice d6 d8 d10 slowness 2 hull 30"


def contact(density: int, dice: list[int], ship_line: str = SHIP, set_rules: str = ""):
    text = f"phase drift\n{set_rules}\n{ship_line}\nmarker 1506 S {density}"
    return stated(text).run("drift", dice=[3, *dice])


@pytest.mark.rule("CON-1")
@pytest.mark.parametrize("density", range(1, 7))
@pytest.mark.parametrize("roll", range(1, 7))
def test_above_the_density_is_safe(density, roll):
    hit = roll <= density
    after = contact(density, [roll, 7] if hit else [roll])
    assert ship(after)["hull"] == (23 if hit else 30)
    assert of_rule(after, "CON-1")[0].value == hit
    assert faces(after, "avoid") == [6]


@pytest.mark.rule("CON-1")
@pytest.mark.field("avoid_die")
def test_avoid_die_is_a_field():
    assert faces(contact(6, [7], set_rules="rules avoid_die=8"), "avoid") == [8]


@pytest.mark.rule("CON-2")
def test_hit_does_the_damage_die():
    after = contact(6, [6, 20])
    assert ship(after)["hull"] == 10
    assert faces(after, "contact damage") == [20]


@pytest.mark.rule("CON-2")
@pytest.mark.parametrize("power", ["HML", "LMH"])
def test_shields_do_not_help(power):
    assert ship(contact(6, [6, 9], f"{SHIP} power {power} shown"))["hull"] == 21


@pytest.mark.rule("CON-2")
@pytest.mark.parametrize(
    "lasers, rolls, lost", [(1, [5], 4), (2, [5, 3], 1), (3, [1, 1, 2], 5), (2, [6, 6], 0), (3, [6, 6, 6], 0)]
)
def test_each_laser_takes_its_die_off_and_not_below_zero(lasers, rolls, lost):
    after = contact(3, [2, 9, *rolls], f"{SHIP} lasers {lasers}")
    assert ship(after)["hull"] == 30 - lost
    assert faces(after, "laser") == [6] * lasers
    assert of_rule(after, "CON-2")[0].value == lost


@pytest.mark.rule("CON-2")
def test_no_laser_die_on_a_miss():
    assert len(contact(3, [4], f"{SHIP} lasers 2").dice) == 2


@pytest.mark.rule("CON-2")
@pytest.mark.field("contact_damage_die", "laser_reduction_die")
def test_damage_and_laser_dice_are_fields():
    after = contact(3, [2, 12, 10], f"{SHIP} lasers 1", "rules contact_damage_die=12 laser_reduction_die=10")
    assert (faces(after, "contact damage"), faces(after, "laser")) == ([12], [10])
    assert ship(after)["hull"] == 28


@pytest.mark.rule("CON-3")
@pytest.mark.parametrize("roll", range(1, 7))
def test_density_six_is_never_avoided_on_a_plain_d6(roll):
    assert ship(contact(6, [roll, 5]))["hull"] == 25


@pytest.mark.rule("CON-4", "COR-12")
def test_ship_at_no_hull_finishes_its_move_with_its_further_contacts():
    position = stated(
        "phase card\ncard 10C\nship 0 1510 N flagship dice d6 d8 d10 slowness 2 hull 3 power LMH shown order forward\n"
        "marker 1509 N 4\nmarker 1508 N 2"
    )
    moved = position.act("ship 0 acts", dice=[6]).act("last hex straight", dice=[4, 5, 2, 9])
    assert [event.value for event in of_rule(moved, "CON-2")] == [3, 0]
    assert rules(moved).index("DOOM-1") > rules(moved).index("CON-2") + 1
    assert at(moved) == "1507 N" and status(moved) == "destroyed"


@pytest.mark.rule("CON-4")
@pytest.mark.field("countdown_to_doom")
def test_with_the_countdown_on_a_ship_at_no_hull_stays():
    text = (
        "phase end_drift\nrules countdown_to_doom={}\nmarker 1509 N 4\n"
        "ship 0 1510 N flagship dice d6 d8 d10 slowness 2 hull 3"
    )
    assert status(stated(text.format("false")).run("end_drift", dice=[4, 5])) == "destroyed"
    assert status(stated(text.format("true")).run("end_drift", dice=[4, 5])) == "in_play"


@pytest.mark.rule("DOOM-1")
def test_hull_never_goes_below_zero_and_a_ship_at_zero_is_destroyed_at_once():
    after = contact(6, [6, 20], "ship 0 1507 N flagship dice d6 d8 d10 slowness 2 hull 7/10")
    assert ship(after)["hull"] == 0
    assert of_rule(after, "CON-2")[0].value == 7
    assert status(after) == "destroyed"
    assert rules(after)[-1] == "DOOM-1"


@pytest.mark.rule("DOOM-1")
def test_ship_with_one_hull_point_left_is_not_destroyed():
    assert status(contact(6, [6, 6], "ship 0 1507 N flagship dice d6 d8 d10 slowness 2 hull 7")) == "in_play"


# ---- the figures of section 11, exactly


@pytest.mark.rule("CON-1")
@pytest.mark.parametrize("die", [6, 8, 10])
@pytest.mark.parametrize("density", range(1, 7))
def test_chance_of_being_hit_is_density_over_die(die, density):
    hits = sum(bool(is_hit(roll, density)) for roll in range(1, die + 1))
    assert Fraction(hits, die) == Fraction(density, die)


@pytest.mark.rule("CON-2")
@pytest.mark.parametrize("lasers, mean", [(0, Fraction(21, 2)), (1, Fraction(175, 24)), (2, Fraction(1127, 240))])
def test_mean_contact_damage(lasers, mean):
    total = sum(
        int(hull_damage(damage, sum(taken))) for damage in range(1, 21) for taken in product(range(1, 7), repeat=lasers)
    )
    assert Fraction(total, 20 * 6**lasers) == mean


# ---- and the engine, by many games on fixed seeds

GAMES = 2500 if engine.COMPILED else 300
BOUND = 5.0  # standard errors


def many(text: str, phase: str) -> engine.Trace:
    games = np.repeat(stated(text).games, GAMES)
    games["seed"] = np.arange(GAMES, dtype=np.uint64) * np.uint64(2654435761)
    return engine.run_phase(games, phase, record=True)


def close(mean: float, expected: float, variance: float) -> bool:
    return abs(mean - expected) <= BOUND * (variance / GAMES) ** 0.5


@pytest.mark.rule("CON-1")
@pytest.mark.parametrize("density", [1, 3, 6])
def test_engine_hits_as_often_as_the_figure_says(density):
    trace = many(f"phase drift\n{SHIP}0\nmarker 1506 S {density}", "drift")
    hits = trace.events[trace.events["rule"] == Rule.CON_1]["value"]
    assert len(hits) == GAMES
    chance = density / 6
    assert close(hits.mean(), chance, chance * (1 - chance))


@pytest.mark.rule("CON-2")
@pytest.mark.parametrize("lasers, mean", [(0, 21 / 2), (1, 175 / 24), (2, 1127 / 240)])
def test_engine_damage_is_as_the_figure_says(lasers, mean):
    trace = many(f"phase drift\n{SHIP}0 lasers {lasers}\nmarker 1506 S 6", "drift")
    lost = trace.events[trace.events["rule"] == Rule.CON_2]["value"]
    assert len(lost) == GAMES
    assert close(lost.mean(), mean, 34.0)


@pytest.mark.rule("MOV-9")
@pytest.mark.parametrize("kind, die", [(FLAGSHIP, 10), (LESSER, 8)])
def test_engine_avoid_hazard_hits_as_the_figure_says(kind, die):
    position = stated(
        f"mode battle\nphase card\ncard JC\nship 0 1510 N {kind} power LMH shown order drift\nmarker 1509 N 5\n"
        f"ship 1 3020 N {FLAGSHIP} power LMH shown order drift activated"
    )
    games = np.repeat(position.games, GAMES)
    games["seed"] = np.arange(GAMES, dtype=np.uint64) * np.uint64(40503)
    trace = engine.step(games, np.full(GAMES, 20), record=True)
    hits = trace.events[(trace.events["rule"] == Rule.CON_1) & (trace.events["turn"] == 1)]["value"]
    chance = 5 / die
    assert len(hits) == GAMES and close(hits.mean(), chance, chance * (1 - chance))


def test_suffering_is_the_hull_lost():
    game = kernel_view(stated(SHIP).games)[0]
    assert suffer(game, None, 0, 0, 12) == 12 and suffer(game, None, 0, 0, 40) == 18
    assert game["ships"][0, 0]["hull"] == 0
