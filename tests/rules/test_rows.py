"""Each rule that fires writes a row: for whom, where, on what roll, with what value.

Rows that the tests of their own rules read already are not repeated here; those of setting up are in test_setup.
"""

from __future__ import annotations

from typing import Any

import pytest
from stating import FAR, FLAGSHIP, LESSER, READY, fly, mover, rules, stated

from fc_env.hexgrid import EAST, NORTH, WEST
from fc_env.notation import Position
from fc_env.ruleset import Aces
from fc_env.state import Order, Slip

RIGHT = f"{READY} right"
LONE = f"ship 0 1510 N {FLAGSHIP} {RIGHT}\n"
DUEL = f"mode battle\nship 0 0510 N {FLAGSHIP} {RIGHT}\nship 1 2510 S {FLAGSHIP} {RIGHT}\n"
NONE = -1
TEN_OF_CLUBS, NINE_OF_HEARTS = 9, 34
"""As dice 1..56."""
WALL = "rules map_edge=wall\n"
WEAK = "hull 3"


def rows(position: Position, rule: str) -> list[tuple[Any, ...]]:
    """Seat, ship, marker, hex, roll and value of the rows of a rule."""
    return [tuple(event[2:]) for event in position.events if event.rule == rule]


def game_row(value: int) -> list[tuple[Any, ...]]:
    """The one row of the game as a whole."""
    return [(NONE, NONE, NONE, "", NONE, value)]


@pytest.mark.rule("TURN-1")
def test_a_turn_begins_once_however_many_are_asked_for_power():
    start = stated(f"turn 4\nphase victory\n{DUEL}").advance(dice=[])
    assert rows(start, "TURN-1") == game_row(5)
    assert not rows(start.act("power LMH"), "TURN-1")


@pytest.mark.rule("TURN-2")
def test_orders_begin_once_however_many_are_asked():
    text = DUEL.replace(RIGHT, "")
    position = stated(f"turn 4\n{text}").act("power LMH").act("power LMH")
    assert rows(position, "TURN-2") == game_row(4)
    last = position.act("order drift").act("order drift", dice=[6, 1, "9C"])
    assert rules(last)[:2] == ["ORD-1", "TURN-3"]


@pytest.mark.rule("TURN-3", "TURN-4", "TURN-6", "TURN-7")
@pytest.mark.parametrize(
    "phase, rule, dice", [("drift", 3, []), ("initiative", 4, [6, 1]), ("end_drift", 6, []), ("victory", 7, [])]
)
def test_a_phase_begins_with_its_row(phase, rule, dice):
    after = stated(f"turn 4\n{DUEL}").run(phase, dice=dice)
    assert after.events[0].rule == f"TURN-{rule}" and rows(after, f"TURN-{rule}") == game_row(4)


@pytest.mark.rule("TURN-5")
def test_cards_begin_once_however_many_are_flipped():
    after = stated(f"turn 4\nphase flip\n{LONE}").advance(dice=["9H", "10C"])
    assert rules(after) == ["TURN-5", "CARD-2", "CARD-3", "CARD-8", "CARD-2", "CARD-3"]
    assert rows(after, "TURN-5") == game_row(4)


@pytest.mark.rule("ORD-1")
def test_a_marker_has_a_row_when_it_is_given_and_one_when_it_is_shown():
    position = stated("phase orders\n" + LONE.replace(" order right", "")).act("order left turn", dice=["10C"])
    assert rows(position, "ORD-1") == [(0, 0, NONE, "1510", 0, Order.LEFT)]
    assert rows(position.act("ship 0 acts", dice=[4]), "ORD-1") == [(0, 0, NONE, "1510", NONE, Order.LEFT)]


@pytest.mark.rule("ORD-2")
def test_an_activation():
    after = stated(f"phase card\ncard 10C\n{DUEL}").act("pass").act("ship 0 acts", dice=[4, "joker"])
    assert rows(after, "ORD-2") == [(1, 0, NONE, "2510", NONE, 1)]


@pytest.mark.rule("CON-3")
@pytest.mark.parametrize("density, die, roll, unavoidable", [(6, 6, 2, True), (5, 6, 2, False), (4, 4, 1, True)])
def test_a_contact_that_could_not_be_avoided(density, die, roll, unavoidable):
    text = f"rules avoid_die={die}\nphase drift\nship 0 1507 N {FLAGSHIP}\nmarker 1506 S {density}"
    after = stated(text).run("drift", dice=[2, roll, 5])
    assert rows(after, "CON-3") == ([(0, 0, 0, "1507", roll, die)] if unavoidable else [])


@pytest.mark.rule("CON-3", "MOV-9")
def test_with_avoid_hazard_density_six_can_be_avoided():
    text = mover("1510", "N", "drift") + "marker 1509 S 6"
    assert not rows(stated(text).act("ship 0 manoeuvres", dice=[9]), "CON-3")
    assert rows(stated(text).act("ship 0 acts", dice=[6, 1]), "CON-3") == [(0, 0, 0, "1509", 6, 6)]


@pytest.mark.rule("CON-4", "COR-12")
def test_a_ship_brought_to_no_hull_in_the_middle_of_its_move():
    dying = fly(mover("1510", "N", "forward", hull=WEAK) + "marker 1509 S 6", 6, [1, 9])
    assert rows(dying, "CON-4") == [(0, 0, NONE, "1509", NONE, 2)]
    assert rows(dying, "COR-12") == [(0, 0, NONE, "1507", NONE, 0)]
    pushed = fly(mover("1510", "N", "forward", hull=WEAK) + "marker 1507 S 6", 6, [1, 9])
    assert rows(pushed, "CON-4") == [(0, 0, NONE, "1507", NONE, 0)]
    again = fly(mover("1510", "N", "forward", hull=WEAK) + "marker 1509 S 6\nmarker 1508 S 6", 6, [1, 9, 1, 9])
    assert len(rows(again, "CON-4")) == 1


@pytest.mark.rule("CON-4")
def test_a_ship_that_keeps_some_hull_or_has_nothing_more_to_fly():
    hurt = fly(mover("1510", "N", "forward") + "marker 1509 S 6", 6, [1, 9])
    assert not rows(hurt, "CON-4") and not rows(hurt, "COR-12")
    text = (
        f"mode battle\nrules small_hexes=true\nphase end_drift\nship 0 1510 N {LESSER}\n"
        f"{FAR} activated\nship 1 1509 N {LESSER} activated\nship 1 0101 N {FLAGSHIP} activated"
    )
    last = stated(text).run("end_drift", dice=[100, 100])  # the other ship is destroyed and frees the hex
    assert not rows(last, "CON-4") and rows(last, "COR-12") == [(0, 0, NONE, "1509", NONE, 0)]


@pytest.mark.rule("COR-12")
@pytest.mark.field("countdown_to_doom")
@pytest.mark.parametrize("goal, countdown, written", [("east", "true", 1), ("east", "false", 1), ("west", "true", 0)])
def test_a_ship_at_no_hull_off_the_map(goal, countdown, written):
    text = f"rules countdown_to_doom={countdown}\ngoal {goal}\n{mover('2910', 'NE', 'forward', hull=WEAK)}"
    after = fly(text + "marker 3009 N 6", 4, [1, 9])
    assert rows(after, "COR-12") == [(0, 0, NONE, "3109", NONE, EAST)] * written


@pytest.mark.rule("CARD-3")
def test_the_colour_of_each_card_but_the_joker():
    after = stated(f"phase flip\n{LONE}").advance(dice=["9H", "10C"])
    assert rows(after, "CARD-3") == game_row(0) + game_row(1)
    assert not rows(stated(f"phase flip\n{LONE}").advance(dice=["joker"]), "CARD-3")


@pytest.mark.rule("CARD-4")
def test_a_pass_is_a_row_of_the_side_without_a_ship():
    position = stated(f"phase card\ncard 10C\n{DUEL}").act("pass")
    assert rows(position, "CARD-4") == [(0, NONE, NONE, "", NONE, TEN_OF_CLUBS)]
    assert rows(position.act("ship 0 acts", dice=[4, "joker"]), "CARD-4") == [(1, 0, NONE, "2510", NONE, TEN_OF_CLUBS)]


@pytest.mark.rule("CARD-6")
@pytest.mark.field("aces")
@pytest.mark.parametrize("aces", list(Aces))
def test_an_ace_says_who_acts(aces):
    after = stated(f"rules aces={aces.name.lower()}\nphase flip\n{LONE}").run("flip", dice=["AC"])
    assert rows(after, "CARD-6") == game_row(aces)
    assert not rows(stated(f"phase flip\n{LONE}").run("flip", dice=["KC"]), "CARD-6")


@pytest.mark.rule("CARD-8")
def test_a_side_that_is_not_asked():
    after = stated(f"phase flip\n{DUEL}").advance(dice=["9H", "10C"])
    assert rows(after, "CARD-8") == [(seat, NONE, NONE, "", NONE, NINE_OF_HEARTS) for seat in (0, 1)]
    acted = stated(f"phase card\ncard 10C\n{DUEL}").act("ship 0 acts", dice=[4])
    assert not rows(acted, "CARD-8")  # it was asked
    lone = stated(f"phase flip\n{LONE}").advance(dice=["9H", "10C"])
    assert rows(lone, "CARD-8") == [(0, NONE, NONE, "", NONE, NINE_OF_HEARTS)]  # and there is no other side


@pytest.mark.rule("COR-3")
def test_one_side_alone():
    assert rows(stated(LONE).run("initiative", dice=[]), "COR-3") == [(0, NONE, NONE, "", NONE, NONE)]
    assert not rows(stated(DUEL).run("initiative", dice=[6, 1]), "COR-3")


@pytest.mark.rule("COR-6")
def test_the_card_phase_is_over_without_a_joker():
    acted = stated(f"phase card\ncard 10C\n{LONE}").act("ship 0 acts", dice=[4])
    assert rows(acted, "COR-6") == game_row(0)
    gone = " ".join(f"{rank}{suit}" for suit in "CSHD" for rank in [*range(2, 11), *"JQKA"] if f"{rank}{suit}" != "2C")
    used_up = stated(f"rules jokers=0\nphase card\nflipped {gone}\ncard 2C\n{LONE}").act("pass", dice=[])
    assert rows(used_up, "COR-6") == game_row(1)
    assert not rows(stated(f"phase flip\n{LONE}").advance(dice=["joker"]), "COR-6")


@pytest.mark.rule("COR-8")
def test_an_extra_hex_off_the_map():
    after = stated(f"phase drift\nship 0 1520 N {FLAGSHIP}\nmarker 1519 S 2").run("drift", dice=[1, 6])
    assert rows(after, "COR-8") == [(NONE, NONE, 0, "1500", NONE, NONE)]
    left = stated(f"phase drift\n{FAR}\nmarker 1519 S 2").run("drift", dice=[4])
    assert rows(left, "DRF-4") and not rows(left, "COR-8")


@pytest.mark.rule("COR-9")
@pytest.mark.parametrize("slip", [Slip.STRAIGHT, Slip.RIGHT])
def test_a_sideslip_against_a_wall(slip):
    after = fly(WALL + mover("3010", "N", "forward"), 6, slip=slip.name.lower())
    assert rows(after, "COR-9") == ([(0, 0, NONE, "3008", NONE, Slip.RIGHT)] if slip else [])


@pytest.mark.rule("COR-10")
def test_falling_back_at_a_wall():
    text = WALL + mover("1502", "N", "drift")
    fallen = stated(text + "marker 1501 SE 1").act("ship 0 acts", dice=[6])
    assert rows(fallen, "COR-10") == [(0, 0, NONE, "1501", NONE, 0)]
    assert rows(fallen, "MOV-8") == [(0, 0, NONE, "1502", NONE, 0)]
    stopped = stated(WALL + mover("1501", "N", "drift")).act("ship 0 acts", dice=[])
    assert rows(stopped, "MOV-8") and not rows(stopped, "COR-10")


@pytest.mark.rule("COR-10")
@pytest.mark.field("map_edge")
def test_the_goal_edge_is_open_in_spite_of_walls():
    text = "goal west\n" + mover("0101", "NW", "drift")
    assert rows(stated(WALL + text).act("ship 0 acts", dice=[]), "COR-10") == [(0, 0, NONE, "0000", NONE, WEST)]
    left = stated(text).act("ship 0 acts", dice=[])
    assert not rows(left, "COR-10")
    assert rows(left, "MOV-8") == [(0, 0, NONE, "0000", NONE, NORTH | WEST)]


@pytest.mark.rule("COR-11")
@pytest.mark.parametrize(
    "text, dice, expected",
    [
        ("ship 0 1510 N {}\nmarker 1509 N 4", [6], [("1508", 1)]),
        (f"ship 0 1510 N {{}}\nship 0 1509 N {LESSER} activated", [], [("1508", 0)]),
        ("rules drift_hexes=2\nship 0 1510 N {}\nmarker 1509 N 4", [6], [("1508", 1)]),
        (WALL + "ship 0 1501 N {}", [], [("1501", 0)]),
        ("ship 0 1501 N {}", [], [("1500", 0)]),
        ("ship 0 1510 N {}\nmarker 1508 N 4", [], []),
        ("rules drift_hexes=0\nship 0 1510 N {}", [], []),
    ],
)
def test_a_drift_that_meets_something(text, dice, expected):
    after = stated(f"phase end_drift\n{text.format(FLAGSHIP)}").run("end_drift", dice=dice)
    assert rows(after, "COR-11") == [(0, 0, NONE, where, NONE, contacts) for where, contacts in expected]


@pytest.mark.rule("COR-22")
def test_a_crossing_ships_leaving_ends_the_game():
    after = stated(f"phase end_drift\nship 0 1501 N {FLAGSHIP}").run("end_drift", dice=[])
    assert rows(after, "COR-22") == [(0, 0, NONE, "1500", NONE, 1)]
    assert rules(after)[-1] == "WIN-2"
    lesser = stated(f"phase end_drift\n{FAR}\nship 0 1501 N {LESSER}").run("end_drift", dice=[])
    assert not rows(lesser, "COR-22")


@pytest.mark.rule("COR-22")
@pytest.mark.parametrize("turn, written", [(3, True), (2, False)])
@pytest.mark.parametrize(
    "text", [f"ship 0 1510 N {FLAGSHIP} destroyed", DUEL.replace("right\nship 1", "right destroyed\nship 1")]
)
def test_elimination_comes_before_the_turn_limit(turn, written, text):
    after = stated(f"rules turn_limit=3\nturn {turn}\nphase victory\n{text}").run("victory", dice=[])
    assert rows(after, "COR-22") == (game_row(0) if written else [])


@pytest.mark.rule("COR-22")
@pytest.mark.parametrize("text", [LONE, DUEL])
def test_nothing_is_eliminated_at_the_turn_limit(text):
    after = stated(f"rules turn_limit=3\nturn 3\nphase victory\n{text}").run("victory", dice=[])
    assert len(after.events) == 2 and not rows(after, "COR-22")


def moved(order: str, dice: list[Any]) -> Position:
    return stated(mover("1510", "N", order)).act("ship 0 acts", dice=dice)


@pytest.mark.rule("MOV-2", "MOV-5")
def test_a_move_of_no_hexes_and_a_drift_marker():
    none = (0, 0, NONE, "1510", NONE, NONE)
    assert (rows(moved("left", [1]), "MOV-2"), rows(moved("left", [1]), "MOV-5")) == ([none], [])
    assert (rows(moved("drift", []), "MOV-2"), rows(moved("drift", []), "MOV-5")) == ([], [none])
    assert not rows(moved("left", [2]), "MOV-2")
