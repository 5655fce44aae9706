"""Section 4: moving a ship."""

from __future__ import annotations

import pytest
from stating import (
    CARD,
    FACINGS,
    FLAGSHIP,
    LESSER,
    NEXT_POWER,
    ahead,
    at,
    faces,
    fly,
    mover,
    of_rule,
    rules,
    ship,
    stated,
    status,
)

from fc_env.errors import ForcedDiceError
from fc_env.rules.movement import hexes_of
from fc_env.rules.power import WAY_NAMES

ENEMY = "ship 1 3020 N {} power LMH shown order drift activated"


@pytest.mark.rule("MOV-1")
@pytest.mark.parametrize("slowness", [1, 2, 3, 4])
def test_hexes_are_the_roll_divided_by_slowness(slowness):
    for roll in range(1, 21):
        assert hexes_of(roll, slowness) == sum(1 for pips in range(1, roll + 1) if pips % slowness == 0)


@pytest.mark.rule("MOV-1")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("roll, hexes", [(2, 1), (3, 1), (9, 4), (10, 5)])
def test_ship_moves_straight_ahead_all_of_them(facing, roll, hexes):
    moved = fly(mover("1510", facing, "forward"), roll)
    assert at(moved) == f"{ahead('1510', facing, hexes)} {facing}"
    assert of_rule(stated(mover("1510", facing, "forward")).act("ship 0 acts", dice=[roll]), "MOV-1")[0].value == hexes


@pytest.mark.rule("MOV-1", "POW-1")
@pytest.mark.parametrize("way, die", [("LMH", 10), ("LHM", 8), ("MLH", 10), ("MHL", 6), ("HLM", 8), ("HML", 6)])
def test_movement_die_is_the_one_on_movement(way, die):
    text = mover("1510", "N", "right").replace("LMH", way)
    assert faces(stated(text).act("ship 0 acts", dice=[die]), "movement") == [die]
    with pytest.raises(ForcedDiceError):
        stated(text).act("ship 0 acts", dice=[die + 1])


@pytest.mark.rule("MOV-1")
@pytest.mark.parametrize("slowness, hexes", [(1, 9), (3, 3), (4, 2)])
def test_slowness_is_the_ships_own(slowness, hexes):
    text = mover("1512", "N", "right").replace("slowness 2", f"slowness {slowness}")
    assert at(stated(text).act("ship 0 acts", dice=[9])) == f"{ahead('1512', 'N', hexes)} NE"


@pytest.mark.rule("MOV-2")
@pytest.mark.parametrize("order, facing", [("forward", "SE"), ("right", "S"), ("left", "NE")])
def test_move_of_no_hexes_is_a_drift_and_the_turn_still_happens(order, facing):
    moved = stated(mover("1510", "SE", order)).act("ship 0 acts", dice=[1])
    assert at(moved) == f"{ahead('1510', 'SE')} {facing}"
    assert "END-2" in rules(moved)


@pytest.mark.rule("MOV-2", "END-2")
@pytest.mark.field("drift_hexes")
@pytest.mark.parametrize("hexes", [0, 2, 3])
def test_drift_hexes_is_a_field(hexes):
    text = f"rules drift_hexes={hexes}\n"
    assert at(stated(text + mover("1510", "N", "forward")).act("ship 0 acts", dice=[1])) == f"{1510 - hexes} N"
    assert at(stated(text + mover("1510", "N", "drift")).act("ship 0 acts", dice=[])) == f"{1510 - hexes} N"
    drifted = stated(f"{text}phase end_drift\nship 0 1510 N {FLAGSHIP}").run("end_drift", dice=[])
    assert at(drifted) == f"{1510 - hexes} N"


@pytest.mark.rule("MOV-3")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("slip, by", [("left", -1), ("right", 1)])
def test_last_hex_may_be_a_sideslip_keeping_the_facing(facing, slip, by):
    moved = fly(mover("1510", facing, "forward"), 7, slip=slip)
    aside = FACINGS[(FACINGS.index(facing) + by) % 6]
    assert at(moved) == f"{ahead(ahead('1510', facing, 2), aside)} {facing}"


@pytest.mark.rule("MOV-3", "COR-9")
def test_sideslip_of_a_one_hex_move_and_of_lesser_ships_is_asked_after_the_roll():
    asked = stated(f"mode battle\n{CARD}ship 0 1510 N {LESSER} power LMH shown order forward\n{ENEMY.format(FLAGSHIP)}")
    asked = asked.act("ship 0 acts", dice=[2])
    assert asked.legal == ["last hex straight", "last hex left", "last hex right"]
    assert at(asked) == "1510 N"  # before the first hex
    assert at(asked.act("last hex left", dice=[NEXT_POWER])).startswith(ahead("1510", "NW"))


@pytest.mark.rule("MOV-3")
@pytest.mark.field("sideslip")
def test_sideslip_is_a_field():
    moved = stated("rules sideslip=false\n" + mover("1510", "N", "forward")).act("ship 0 acts", dice=[6])
    assert at(moved) == "1507 N"
    assert "MOV-3" not in rules(moved)


@pytest.mark.rule("COR-9", "MOV-3")
@pytest.mark.parametrize("order, dice", [("forward", [1]), ("drift", []), ("right", [6]), ("left", [6])])
def test_sideslip_is_never_asked_on_a_drift_a_move_of_no_hexes_or_a_turn(order, dice):
    moved = stated(mover("1510", "N", order)).act("ship 0 acts", dice=dice)
    assert moved.game["turn"] == 2


@pytest.mark.rule("MOV-4")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("order, by", [("right", 1), ("left", -1)])
def test_turn_markers_move_the_full_amount_then_turn_one_hexside(facing, order, by):
    moved = stated(mover("1510", facing, order)).act("ship 0 acts", dice=[8])
    assert at(moved) == f"{ahead('1510', facing, 4)} {FACINGS[(FACINGS.index(facing) + by) % 6]}"


@pytest.mark.rule("MOV-5")
def test_drift_marker_is_a_drift_without_a_roll():
    moved = stated(mover("1510", "NE", "drift")).act("ship 0 acts", dice=[])
    assert at(moved) == f"{ahead('1510', 'NE')} NE"
    assert "MOV-1" not in rules(moved)


@pytest.mark.rule("MOV-6")
def test_each_hex_with_a_marker_is_a_contact():
    text = mover("1510", "N", "forward", hull="hull 30") + "marker 1509 S 2\nmarker 1508 SE 3\nmarker 1506 N 6"
    moved = fly(text, 10, dice=[3, 3, 5, 6, 7])  # safe at 1509, 5 at 1508, none at 1507, 7 at 1506, on to 1505
    assert [(event.hex, event.marker) for event in of_rule(moved, "MOV-6")] == [("1509", 0), ("1508", 1), ("1506", 2)]
    assert ship(moved)["hull"] == 18
    assert at(moved) == "1505 N"
    assert faces(moved, "avoid") == [6, 6, 6]


@pytest.mark.rule("MOV-6")
def test_ships_are_passed_freely():
    text = f"mode battle\n{mover('1510', 'N', 'forward')}ship 1 1509 N {LESSER} power LMH shown order drift activated"
    moved = stated(text).act("ship 0 acts", dice=[6]).act("last hex straight", dice=[NEXT_POWER])
    assert at(moved) == "1507 N" and not of_rule(moved, "CON-1")
    assert ship(moved)["hull"] == 10


@pytest.mark.rule("MOV-7")
def test_ship_ending_on_a_marker_moves_one_more_hex():
    moved = fly(mover("1510", "N", "forward") + "marker 1507 S 2", 6, dice=[5])
    assert at(moved) == "1506 N"
    assert [event.hex for event in of_rule(moved, "MOV-7")] == ["1506"]


@pytest.mark.rule("MOV-7", "MOV-6")
def test_ship_is_moved_on_through_markers_and_ships_each_hex_resolved():
    text = (
        f"mode battle\n{mover('1510', 'N', 'forward')}ship 1 1507 N {LESSER} power LMH shown order drift activated\n"
        "marker 1508 S 2\nmarker 1506 S 3"
    )
    moved = stated(text).act("ship 0 acts", dice=[4]).act("last hex straight", dice=[6, 6, NEXT_POWER])
    assert at(moved) == "1505 N"
    assert [event.hex for event in of_rule(moved, "MOV-6")] == ["1508", "1506"]
    assert [event.hex for event in of_rule(moved, "MOV-7")] == ["1507", "1506", "1505"]


@pytest.mark.rule("MOV-7", "END-2")
def test_drift_into_a_taken_hex_goes_on():
    after = stated(f"phase end_drift\nship 0 1510 N {FLAGSHIP}\nmarker 1509 S 2\nmarker 1508 S 1").run(
        "end_drift", dice=[3, 2]
    )
    assert at(after) == "1507 N"


@pytest.mark.rule("MOV-9", "COR-4")
@pytest.mark.parametrize("order, dice", [("forward", [8]), ("right", [8]), ("left", [8]), ("drift", [])])
def test_avoid_hazard_works_with_any_marker_on_better_odds_and_a_smaller_movement_die(order, dice):
    text = mover("1510", "N", order, hull="hull 40") + "".join(
        f"marker {row} S 6\n" for row in (1509, 1508, 1507, 1506)
    )
    moved = stated(text).act("ship 0 manoeuvres", dice=[*dice, *([] if order == "forward" else [7, 8, 9, 10])])
    if order == "forward":
        assert faces(moved, "movement") == [8]
        moved = moved.act("last hex straight", dice=[7, 8, 9, 10])
    assert faces(moved, "avoid") == [10] * 4
    turned = {"right": "NE", "left": "NW"}.get(order, "N")
    assert at(moved) == f"1505 {turned}" and ship(moved)["hull"] == 40


@pytest.mark.rule("MOV-9", "MOV-2")
def test_avoid_hazard_lasts_through_a_move_of_no_hexes():
    moved = stated(mover("1510", "N", "left") + "marker 1509 S 6").act("ship 0 manoeuvres", dice=[1, 10])
    assert (faces(moved, "avoid"), at(moved)) == ([10], "1508 NW")


@pytest.mark.rule("MOV-9")
def test_avoid_hazard_of_a_lesser_captain():
    text = (
        f"mode battle\nphase card\ncard JS\nship 0 1510 N {LESSER} power LMH shown order right\nmarker 1509 S 6\n"
        f"{ENEMY.format(FLAGSHIP)}"
    )
    moved = stated(text).act("ship 0 manoeuvres", dice=[2, 8, NEXT_POWER])
    assert (faces(moved, "movement"), faces(moved, "avoid")) == ([8], [8])
    assert ship(moved)["hull"] == 10


@pytest.mark.rule("MOV-9")
@pytest.mark.field("avoid_hazard_die", "avoid_hazard_die_flagship")
def test_avoid_hazard_dice_are_fields():
    text = "rules avoid_hazard_die=4 avoid_hazard_die_flagship=20\n"
    lone = text + mover("1510", "N", "drift") + "marker 1509 S 6"
    assert faces(stated(lone).act("ship 0 manoeuvres", dice=[20]), "avoid") == [20]
    lesser = (
        f"{text}mode battle\nphase card\ncard JS\nship 0 1510 N {LESSER} power LMH shown order drift\n"
        f"marker 1509 S 3\n{ENEMY.format(FLAGSHIP)}"
    )
    assert faces(stated(lesser).act("ship 0 manoeuvres", dice=[4, NEXT_POWER]), "avoid") == [4]


@pytest.mark.rule("MOV-9")
@pytest.mark.field("avoid_hazard_move_steps")
@pytest.mark.parametrize(
    "way, steps, die", [("LMH", 0, 10), ("LMH", -2, 6), ("LMH", -3, 4), ("HML", -1, 4), ("HML", -3, 4), ("LHM", -1, 6)]
)
def test_avoid_hazard_move_steps_is_a_field_and_stops_at_the_smallest_die(way, steps, die):
    text = f"rules avoid_hazard_move_steps={steps}\n" + mover("1510", "N", "right").replace("LMH", way)
    assert faces(stated(text).act("ship 0 manoeuvres", dice=[1]), "movement") == [die]


@pytest.mark.rule("MOV-9")
def test_avoid_hazard_does_not_help_in_the_asteroid_drift_nor_in_plain_moves():
    activated = f"phase drift\nship 0 1507 N {FLAGSHIP} activated\nmarker 1506 S 6"
    assert faces(stated(activated).run("drift", dice=[3, 6, 1]), "avoid") == [6]
    plain = stated(mover("1510", "N", "drift") + "marker 1509 S 6").act("ship 0 acts", dice=[6, 1])
    assert faces(plain, "avoid") == [6]


SMALL = "mode battle\nrules small_hexes=true\n"


def passing(first: str, second: str, dice: list, small: str = SMALL):
    text = (
        f"{small}{CARD}ship 0 1510 N {first} power LMH shown order forward\n"
        f"ship 0 1509 N {second} power LMH shown order drift activated\n"
        f"ship 1 3020 N {FLAGSHIP} power LMH shown order drift activated"
    )
    return stated(text).act("ship 0 acts", dice=[4]).act("last hex straight", dice=dice)


@pytest.mark.rule("MOV-10")
@pytest.mark.field("small_hexes")
def test_two_lesser_ships_passing_in_one_hex_may_collide():
    collided = passing(LESSER, LESSER, [7, 7, NEXT_POWER, NEXT_POWER])
    assert (ship(collided, 0, 0)["hull"], ship(collided, 0, 1)["hull"]) == (3, 3)
    assert faces(collided, "small hex") == [100, 100]
    missed = passing(LESSER, LESSER, [7, 8, NEXT_POWER, NEXT_POWER])
    assert (ship(missed, 0, 0)["hull"], ship(missed, 0, 1)["hull"]) == (10, 10)
    assert at(missed) == "1508 N"
    assert not of_rule(passing(LESSER, LESSER, [NEXT_POWER, NEXT_POWER], "mode battle\n"), "MOV-10")


@pytest.mark.rule("MOV-10")
def test_flagships_do_not_collide():
    assert not of_rule(passing(FLAGSHIP, LESSER, [NEXT_POWER]), "MOV-10")
    assert not of_rule(passing(LESSER, FLAGSHIP, [NEXT_POWER]), "MOV-10")


@pytest.mark.rule("MOV-10", "DOOM-1")
def test_collision_may_destroy_both_ships_the_mover_after_its_move():
    both = passing(LESSER, LESSER, [100, 100])
    assert (status(both, 0, 0), status(both, 0, 1)) == ("destroyed", "destroyed")
    assert at(both) == "1508 N"


def test_names_of_the_ways_are_those_of_the_rules():
    assert WAY_NAMES[1:] == ("LMH", "LHM", "MLH", "MHL", "HLM", "HML")


@pytest.mark.rule("MOV-10", "END-2")
def test_ships_of_both_sides_may_collide_in_a_drift():
    text = (
        f"{SMALL}phase end_drift\nship 0 1510 N {LESSER}\nship 1 1509 N {LESSER} activated\n"
        f"ship 1 3020 N {FLAGSHIP} activated"
    )
    after = stated(text).run("end_drift", dice=[4, 4])
    assert (at(after), ship(after)["hull"], ship(after, 1)["hull"]) == ("1508 N", 6, 6)
