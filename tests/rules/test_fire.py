"""Section 5: fire, the corner cases that belong to it, and the figures of section 11."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from stating import FACINGS, ahead, faces, of_rule, rules, ship, stated, status

from fc_env import engine
from fc_env.errors import ForcedDiceError
from fc_env.events import Rule
from fc_env.jit import kernel_view
from fc_env.rules.attack import attenuated, damage_of
from fc_env.rules.fire import bears

ME = "1510"
SHOTS = ("FIR-4", "FIR-5", "FIR-6")


def firer(more: str = "", dice: str = "d6 d8 d10", facing: str = "N") -> str:
    """A flagship in 1510 with its smallest die on shields and its largest on weapons."""
    return f"ship 0 {ME} {facing} flagship dice {dice} slowness 2 hull 30 power LHM shown order forward {more}\n"


def foe(hexname: str, more: str = "hull 40", dice: str = "d6 d8 d10") -> str:
    """An enemy that will be asked on the same card, as it may fire too: so nothing follows the fire of a test."""
    return f"ship 1 {hexname} S crew 2-10 dice {dice} slowness 2 {more} power LHM shown order drift\n"


def red(ships: str, set_rules: str = "", card: str = "10H"):
    return stated(f"mode battle\n{set_rules}\nphase card\ncard {card}\n{ships}").advance()


def fire(ships: str, dice: list[int], set_rules: str = "", action: str = "ship 0 acts"):
    return red(ships, set_rules).act(action, dice=dice)


def shots(position) -> list[tuple[str, int]]:
    """Rule and enemy of each shot."""
    return [(event.rule, event.value - 6) for event in position.events if event.rule in SHOTS]


def north(hexes: int) -> str:
    return ahead(ME, "N", hexes)


# ---- one attack


@pytest.mark.rule("FIR-1")
@pytest.mark.parametrize(
    "attack, shields, damage", [(10, 3, 3), (10, 5, 2), (10, 6, 1), (6, 6, 0), (5, 6, 0), (0, 1, 0)]
)
def test_an_attack_above_the_shields_does_their_quotient(attack, shields, damage):
    assert damage_of(attack, shields) == damage
    if 1 <= attack <= 10:
        after = fire(firer("volleys 1") + foe(north(3)), [attack, shields])
        assert ship(after, 1)["hull"] == 40 - damage
        assert [(event.roll, event.value) for event in of_rule(after, "FIR-1")] == [(attack, damage)]
        assert (faces(after, "attack"), faces(after, "shields")) == ([10], [6])


@pytest.mark.rule("FIR-2")
@pytest.mark.field("attenuation")
@pytest.mark.parametrize("factor, damage", [(0, 10), (1, 6), (2, 2), (3, 0)])
def test_densities_on_the_way_come_off_the_attack_roll(factor, damage):
    asteroids = f"marker {north(1)} N 1\nmarker {north(2)} S 3\nmarker {north(4)} S 6\nmarker {ahead(ME, 'S')} S 6\n"
    after = fire(firer() + foe(north(3)) + asteroids, [10, 1], f"rules attenuation={factor}")
    assert ship(after, 1)["hull"] == 40 - damage
    assert [event.value for event in of_rule(after, "FIR-2")] == ([4 * factor] if factor else [])


@pytest.mark.rule("FIR-3")
@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("left, right, taken", [(5, 0, 0), (0, 5, 0), (4, 2, 2), (3, 6, 3)])
def test_a_line_along_hexsides_takes_its_clearer_side(facing, left, right, taken):
    one, other = FACINGS[facing], FACINGS[(facing + 1) % 6]
    there = ahead(ahead(ME, one), other)
    asteroids = "".join(f"marker {ahead(ME, name)} S {n}\n" for name, n in ((one, left), (other, right)) if n)
    after = fire(firer() + foe(there) + asteroids, [9, 1])
    assert ship(after, 1)["hull"] == 40 - (9 - taken)
    back = after.act("ship 0 acts", dice=[9, 1, 1])  # and the way back is as clear
    assert ship(back)["hull"] == 30 - (9 - taken)


@pytest.mark.rule("FIR-3")
def test_ships_do_not_block_fire_and_corners_are_not_passed():
    between = f"ship 0 {north(1)} N crew 2-4 dice d6 d8 d10 slowness 2 hull 9 power LHM shown order drift\n"
    corner = f"marker {ahead(ME, 'NE')} S 6\nmarker {ahead(ME, 'NW')} S 6\n"
    after = fire(firer() + between + foe(north(3)) + corner, [9, 1])
    assert ship(after, 1)["hull"] == 31


@pytest.mark.rule("COR-15")
@pytest.mark.parametrize("row, taken", [("01", 0), ("02", 4)])
def test_along_the_edge_of_the_map_the_side_off_it_is_clear(row, taken):
    ships = firer().replace(ME, f"05{row}") + foe(f"07{row}")
    above = "marker 0601 S 5\n" if row == "02" else "marker waiting 0601 S 5\n"  # one off the map hides nothing
    after = fire(ships + f"marker 06{row} S 4\n" + above, [9, 1])
    assert ship(after, 1)["hull"] == 40 - (9 - taken)


# ---- phasers


@pytest.mark.rule("FIR-4")
@pytest.mark.parametrize("volleys", [1, 2, 3])
def test_each_volley_goes_to_a_different_enemy_nearest_first(volleys):
    foes = foe(north(7)) + foe(north(5)) + foe(ahead(ME, "SW", 6))
    after = fire(firer(f"volleys {volleys}") + foes, [9, 3] * volleys)
    assert shots(after) == [("FIR-4", 1), ("FIR-4", 2), ("FIR-4", 0)][:volleys]
    assert [40 - ship(after, 1, index)["hull"] for index in range(3)] == [3 * (volleys > n) for n in (2, 0, 1)]


@pytest.mark.rule("FIR-4")
def test_volleys_beyond_the_number_of_targets_are_lost():
    after = fire(firer("volleys 3") + foe(north(3)), [9, 3])
    assert shots(after) == [("FIR-4", 0)]


@pytest.mark.rule("FIR-4")
@pytest.mark.parametrize("density, first", [(0, 0), (2, 1)])
def test_ties_are_for_the_least_attenuated_then_for_the_lowest_index(density, first):
    asteroid = f"marker {north(1)} S {density}\n" if density else ""
    ships = firer() + foe(north(4)) + foe(ahead(ME, "SE", 4)) + asteroid
    assert shots(fire(ships, [1, 1])) == [("FIR-4", first)]
    assert shots(fire(ships, [1, 1], "rules attenuation=0")) == [("FIR-4", 0)]


@pytest.mark.rule("FIR-4", "COR-5")
@pytest.mark.parametrize("way, weapons", [("LHM", 10), ("LMH", 8), ("HLM", 6)])
def test_range_is_the_faces_of_the_weapons_die(way, weapons):
    for hexes in (weapons, weapons + 1):
        hexname = ahead("1518", "N", hexes)
        ships = firer().replace("LHM", way).replace(ME, "1518") + foe(hexname, "hull 40", "d12 d20 d20")
        asked = red(ships)
        if hexes > weapons:
            assert asked.game["actor"] == 1  # nothing bears on it: not asked
        else:
            assert faces(asked.act("ship 0 acts", dice=[1, 1]), "attack") == [weapons]


@pytest.mark.rule("FIR-4")
def test_no_volley_goes_at_an_enemy_out_of_range():
    near, far = foe(north(3)), foe(ahead(ME, "SE", 11))
    assert shots(fire(firer("volleys 2") + near + far, [9, 3])) == [("FIR-4", 0)]
    assert shots(fire(firer("volleys 0 lasers 1") + near, [3, 2])) == [("FIR-6", 0)]


# ---- torpedo


def torpedo(hexname: str, dice: list[int], set_rules: str = "", facing: str = "N"):
    return fire(firer("volleys 0 torpedo", facing=facing) + foe(hexname), dice, set_rules)


@pytest.mark.rule("FIR-5")
@pytest.mark.field("torpedo_centre_steps")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("steps, die", [(0, 10), (1, 12), (2, 20), (3, 20)])
def test_torpedo_dead_ahead_is_the_weapons_die_stepped_up(facing, steps, die):
    after = torpedo(ahead(ME, facing, 4), [10, 2], f"rules torpedo_centre_steps={steps}", facing)
    assert (shots(after), faces(after, "attack")) == ([("FIR-5", 0)], [die])
    assert ship(after, 1)["hull"] == 35


@pytest.mark.rule("FIR-5", "COR-14")
@pytest.mark.field("torpedo_beside_bonus")
@pytest.mark.parametrize("aside", [-1, 1])
@pytest.mark.parametrize("hexes", [0, 1, 5])
@pytest.mark.parametrize("bonus, damage", [(0, 3), (1, 4), (6, 6)])
def test_torpedo_beside_that_row_is_the_weapons_die_and_a_bonus(aside, hexes, bonus, damage):
    beside = ahead(ME, FACINGS[aside % 6])
    after = torpedo(ahead(beside, "N", hexes), [7, 2], f"rules torpedo_beside_bonus={bonus}")
    assert (shots(after), faces(after, "attack")) == ([("FIR-5", 0)], [10])
    assert ship(after, 1)["hull"] == 40 - damage


@pytest.mark.rule("COR-14", "COR-5")
@pytest.mark.field("torpedo_columns")
@pytest.mark.parametrize("columns", range(4))
def test_torpedo_reaches_so_many_rows_to_either_side_forward_only(columns):
    def reached(hexname: str) -> bool:
        position = red(firer("volleys 0 torpedo") + foe(hexname), f"rules torpedo_columns={columns}")
        return bool(bears(kernel_view(position.games)[0], 0, 0, False))

    for aside in ("NW", "NE"):
        for column in range(4):
            first = ahead(ME, aside, column)
            assert reached(ahead(first, "N", 2)) == (column <= columns)
            assert not column or reached(first) == (column <= columns)
            assert not column or not reached(ahead(first, "S"))
    assert not reached(ahead(ME, "S", 2))


@pytest.mark.rule("FIR-5")
def test_torpedo_takes_those_dead_ahead_first_then_the_nearest_then_the_least_attenuated():
    near, beside = foe(ahead(ahead(ME, "NE"), "N", 2)), foe(ahead(ME, "NW"))
    mine = firer("volleys 0 torpedo")
    assert shots(fire(mine + near + beside + foe(north(8)), [2, 3])) == [("FIR-5", 2)]
    assert shots(fire(mine + near + beside, [2, 3])) == [("FIR-5", 1)]
    other = foe(ahead(ahead(ME, "NW"), "N", 2))
    assert shots(fire(mine + near + other, [2, 3])) == [("FIR-5", 0)]
    assert shots(fire(mine + near + other + f"marker {ahead(ahead(ME, 'NE'), 'N')} N 1\n", [2, 3])) == [("FIR-5", 1)]


# ---- lasers


@pytest.mark.rule("FIR-6")
@pytest.mark.field("laser_attack_die")
@pytest.mark.parametrize("die", [4, 8, 20])
def test_each_laser_is_one_more_attack_at_the_nearest_enemy(die):
    ships = firer("volleys 0 lasers 3") + foe(ahead(ME, "S", 3)) + foe(ahead(ME, "SW", 2))
    after = fire(ships, [4, 2, 1, 3, 4, 1], f"rules laser_attack_die={die}")
    assert (shots(after), faces(after, "attack")) == ([("FIR-6", 1)] * 3, [die] * 3)
    assert [ship(after, 1, index)["hull"] for index in (0, 1)] == [40, 34]


@pytest.mark.rule("FIR-6", "COR-5")
@pytest.mark.field("laser_range", "laser_attack_die")
@pytest.mark.parametrize("reach", [1, 4, 9])
def test_lasers_reach_no_farther_than_their_range_and_may_be_off(reach):
    def legal(hexes: int, die: int) -> bool:
        text = f"rules laser_range={reach} laser_attack_die={die}"
        position = red(firer("volleys 0 lasers 1") + foe(ahead(ME, "S", hexes)), text)
        return bool(bears(kernel_view(position.games)[0], 0, 0, False))

    assert legal(reach, 4) and not legal(reach + 1, 4) and not legal(reach, 0)


# ---- Alpha Strike, and the order of fire


@pytest.mark.rule("FIR-7")
def test_alpha_strike_sends_all_at_the_enemy_that_is_chosen():
    ships = firer("volleys 2 torpedo lasers 1") + foe(ahead(ME, "S", 2)) + foe(north(9)) + foe(north(4))
    asked = red(ships).act("ship 0 manoeuvres", dice=[])
    assert asked.legal == ["target 0", "target 1", "target 2"]
    assert not ship(asked)["activated"]
    after = asked.act("target 2", dice=[9, 3, 8, 4, 12, 6, 4, 1])
    assert shots(after) == [("FIR-4", 2), ("FIR-4", 2), ("FIR-5", 2), ("FIR-6", 2)]
    assert ship(after, 1, 2)["hull"] == 40 - 3 - 2 - 2 - 4
    assert [event.value for event in of_rule(after, "FIR-7")] == [8]


@pytest.mark.rule("FIR-7", "COR-14")
def test_torpedo_and_lasers_that_do_not_bear_are_not_fired_in_an_alpha_strike():
    ships = firer("volleys 1 torpedo lasers 2") + foe(ahead(ME, "S", 7)) + foe(north(2))
    after = red(ships).act("ship 0 manoeuvres", dice=[]).act("target 0", dice=[9, 3])
    assert shots(after) == [("FIR-4", 0)]


@pytest.mark.rule("FIR-7", "COR-5")
def test_only_enemies_in_phaser_range_can_be_chosen_and_one_is_not_asked():
    far = foe("1501", dice="d10 d12 d20")
    ships = firer("volleys 1", "d4 d6 d8") + far + foe(north(5))
    after = fire(ships, [5, 5], action="ship 0 manoeuvres")
    assert [event.value - 6 for event in of_rule(after, "FIR-7")] == [1]
    lasers = red(firer("volleys 0 lasers 1") + foe(north(2)))
    assert lasers.legal == ["pass", "ship 0 acts"]


@pytest.mark.rule("COR-13")
def test_order_is_phasers_then_torpedo_then_lasers():
    after = fire(firer("volleys 2 torpedo lasers 2") + foe(north(3)) + foe(north(5)), [1, 1] * 5)
    assert [rule for rule, _ in shots(after)] == ["FIR-4", "FIR-4", "FIR-5", "FIR-6", "FIR-6"]


@pytest.mark.rule("FIR-8", "COR-13")
@pytest.mark.parametrize("countdown", [False, True])
def test_what_was_left_for_a_target_that_is_gone_is_lost(countdown):
    text = f"rules countdown_to_doom={str(countdown).lower()}"
    ships = firer("volleys 2 torpedo lasers 1") + foe(north(3), "hull 3") + foe(north(5))
    dice = [9, 3, 7, 6, *([12, 1, 4, 1] if countdown else [])]
    after = fire(ships, dice, text)
    assert status(after, 1) == ("in_play" if countdown else "destroyed")
    assert len(of_rule(after, "FIR-8")) == (0 if countdown else 2)
    assert [target for _, target in shots(after)] == ([0, 1, 0, 0] if countdown else [0, 1])


@pytest.mark.rule("COR-5")
def test_nobody_fires_where_no_weapon_bears_but_everybody_may_move():
    ships = firer("volleys 0 torpedo lasers 1") + foe(ahead(ME, "S", 7))
    assert red(ships).game["actor"] == 1
    assert red(ships, card="10C").legal == ["pass", "ship 0 acts", "ship 0 manoeuvres"]
    gone = red(firer() + foe(north(2), "hull 40 destroyed") + foe(north(9)))
    assert shots(gone.act("ship 0 acts", dice=[1, 1])) == [("FIR-4", 1)]


@pytest.mark.rule("ORD-2")
def test_firing_discards_the_marker_unseen_and_the_ship_neither_moves_nor_drifts():
    fired = fire(firer() + foe(north(3)), [1, 1])
    assert (ship(fired)["activated"], ship(fired)["order"], ship(fired)["order_shown"]) == (1, 0, 0)
    assert "ORD-1" not in rules(fired)
    after = fired.act("pass", dice=["joker", 1])
    assert (ship(after)["q"], ship(after)["r"]) == (ship(fired)["q"], ship(fired)["r"])
    assert [event.seat for event in of_rule(after, "END-1")] == [1]


def test_dice_that_do_not_fall_are_refused():
    with pytest.raises(ForcedDiceError):
        fire(firer() + foe(north(3)), [1, 1, 1])


# ---- the figures of section 11, exactly and by the engine

FIGURES = [
    ("d8 d10 d12", "d8 d10 d12", 0, Fraction(5, 8), Fraction(173, 96)),
    ("d8 d10 d12", "d8 d10 d12", 3, Fraction(3, 8), Fraction(91, 96)),
    ("d6 d8 d10", "d6 d8 d10", 4, Fraction(1, 4), Fraction(7, 12)),
]
GAMES = 2500 if engine.COMPILED else 300
BOUND = 5.0  # standard errors


@pytest.mark.rule("FIR-1", "FIR-2")
@pytest.mark.parametrize("mine, theirs, density, chance, mean", FIGURES)
def test_figures_of_an_attack(mine, theirs, density, chance, mean):
    attack, shields = int(mine.split("d")[-1]), int(theirs.split()[0][1:])
    rolls = list(product(range(1, attack + 1), range(1, shields + 1)))
    damages = [int(damage_of(attenuated(roll, density, 1), shield)) for roll, shield in rolls]
    assert Fraction(sum(damage > 0 for damage in damages), len(rolls)) == chance
    assert Fraction(sum(damages), len(rolls)) == mean


@pytest.mark.rule("FIR-1", "FIR-2")
@pytest.mark.parametrize("mine, theirs, density, chance, mean", FIGURES)
def test_engine_attacks_are_as_the_figures_say(mine, theirs, density, chance, mean):
    asteroid = f"marker {north(1)} S {density}\n" if density else ""
    games = np.repeat(red(firer("volleys 1", mine) + foe(north(3), dice=theirs) + asteroid).games, GAMES)
    games["seed"] = np.arange(GAMES, dtype=np.uint64) * np.uint64(2654435761)
    trace = engine.step(games, np.full(GAMES, 14), record=True)
    lost = trace.events[trace.events["rule"] == Rule.FIR_1]["value"]
    assert len(lost) == GAMES
    spread = (float(chance * (1 - chance)) / GAMES) ** 0.5
    assert abs((lost > 0).mean() - float(chance)) <= BOUND * spread
    assert abs(lost.mean() - float(mean)) <= BOUND * max(lost.std(), 0.1) / GAMES**0.5
