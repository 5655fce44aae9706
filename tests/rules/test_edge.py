"""Section 4: the edge of the map (MOV-8), and the corner cases of moving (COR-9 to COR-12)."""

from __future__ import annotations

import pytest
from stating import FACINGS, FLAGSHIP, ahead, at, faces, fly, mover, of_rule, outcome, ship, stated, status


@pytest.mark.rule("MOV-7", "MOV-8")
def test_moved_on_off_the_map_means_leaving():
    moved = fly("goal east\n" + mover("1502", "N", "forward") + "marker 1501 S 2", 2, dice=[5])
    assert status(moved) == "left"
    assert outcome(moved) == "left_elsewhere"


@pytest.mark.rule("MOV-8")
@pytest.mark.parametrize("facing", FACINGS)
def test_ship_that_moves_off_the_map_has_left(facing):
    start = {"N": "1502", "NE": "3010", "SE": "3010", "S": "1519", "SW": "0110", "NW": "0110"}[facing]
    moved = fly(mover(start, facing, "forward"), 6)
    assert status(moved) == "left" and ship(moved)["hull"] == 10
    assert of_rule(moved, "MOV-8")


@pytest.mark.rule("MOV-8")
@pytest.mark.field("map_edge")
def test_wall_stops_a_ship_in_the_last_free_hex():
    text = mover("1503", "N", "forward")
    assert at(fly("rules map_edge=wall\n" + text, 10)) == "1501 N"
    assert status(fly("rules map_edge=leave\n" + text, 10)) == "left"


@pytest.mark.rule("MOV-8", "COR-10")
def test_at_a_wall_hexes_entered_are_resolved_once_and_falling_back_is_no_contact():
    text = "rules map_edge=wall\n" + mover("1505", "N", "forward")
    text += "marker 1504 S 1\nmarker 1502 S 2\nmarker 1501 S 3"
    moved = fly(text, 8, dice=[6, 6, 6])
    assert at(moved) == "1503 N"
    assert [event.hex for event in of_rule(moved, "CON-1")] == ["1504", "1502", "1501"]


@pytest.mark.rule("MOV-8")
def test_at_a_wall_at_worst_the_hex_it_started_from():
    text = "rules map_edge=wall\n" + mover("1502", "N", "forward") + "marker 1501 S 3"
    assert at(fly(text, 10, dice=[6])) == "1502 N"
    drifted = stated(f"rules map_edge=wall\nphase end_drift\nship 0 1501 N {FLAGSHIP}").run("end_drift", dice=[])
    assert at(drifted) == "1501 N"


@pytest.mark.rule("COR-10", "MOV-4")
@pytest.mark.parametrize("order, facing", [("right", "NE"), ("left", "NW")])
def test_turn_still_happens_at_a_wall(order, facing):
    moved = stated("rules map_edge=wall\n" + mover("1502", "N", order)).act("ship 0 acts", dice=[10])
    assert at(moved) == f"1501 {facing}"


@pytest.mark.rule("COR-10", "MOV-8")
def test_goal_edge_is_open_even_with_walls():
    text = "rules map_edge=wall\ngoal {}\n" + mover("3010", "NE", "forward")
    assert outcome(fly(text.format("east"), 4)) == "crossed"
    assert at(fly(text.format("west"), 4)) == "3010 NE"


@pytest.mark.rule("COR-10")
@pytest.mark.parametrize(
    "hexname, facing, edges",
    [
        ("0101", "NW", {"north", "west"}),
        ("0101", "SW", {"west"}),
        ("0101", "N", {"north"}),
        ("0101", "NE", {"north"}),
        ("0120", "SW", {"west"}),
        ("0120", "S", {"south"}),
        ("0220", "SW", {"south"}),
        ("3001", "NE", {"east"}),
        ("3001", "N", {"north"}),
        ("3001", "SE", {"east"}),
        ("3020", "SE", {"east", "south"}),
        ("3020", "NE", {"east"}),
        ("3020", "SW", {"south"}),
        ("2901", "NE", {"north"}),
    ],
)
@pytest.mark.parametrize("edge", ["north", "east", "south", "west"])
@pytest.mark.parametrize("walls", ["leave", "wall"])
def test_edge_is_where_the_next_hex_would_lie_and_a_corner_counts_for_both(hexname, facing, edges, edge, walls):
    text = f"rules map_edge={walls}\ngoal {edge}\n{mover(hexname, facing, 'drift')}"
    moved = stated(text).act("ship 0 acts", dice=[])
    if edge in edges:
        assert outcome(moved) == "crossed"
    elif walls == "leave":
        assert outcome(moved) == "left_elsewhere"
    else:
        assert at(moved) == f"{hexname} {facing}"


@pytest.mark.rule("COR-9")
def test_sideslip_into_a_taken_hex_meets_it_and_goes_straight_on():
    first = ahead(ahead("1510", "N", 2), "NE")
    moved = fly(
        mover("1510", "N", "forward") + f"marker {first} S 2\nmarker {ahead(first, 'N')} S 1", 6, [6, 5], "right"
    )
    assert at(moved) == f"{ahead(first, 'N', 2)} N"
    assert [event.hex for event in of_rule(moved, "CON-1")] == [first, ahead(first, "N")]


@pytest.mark.rule("COR-9")
def test_sideslip_off_the_map_leaves_and_counts_by_its_own_hex():
    assert outcome(fly("goal east\n" + mover("3010", "N", "forward"), 2, slip="right")) == "crossed"
    assert at(fly("goal east\n" + mover("3010", "N", "forward"), 2, slip="straight")) == "3009 N"


@pytest.mark.rule("COR-9")
def test_sideslip_against_a_wall_is_made_straight_ahead_if_it_can_be():
    text = "rules map_edge=wall\n" + mover("3010", "N", "forward")
    assert at(fly(text, 6, slip="right")) == "3007 N"
    corner = "rules map_edge=wall\n" + mover("3002", "N", "forward")
    assert at(fly(corner, 4, slip="right")) == "3001 N"  # neither can be: it stays where it came to
    open_goal = "rules map_edge=wall\ngoal east\n" + mover("3010", "N", "forward")
    assert outcome(fly(open_goal, 6, slip="right")) == "crossed"


@pytest.mark.rule("COR-9", "MOV-7")
def test_displacement_comes_before_the_turn():
    moved = stated(mover("1510", "N", "right") + "marker 1508 S 2").act("ship 0 acts", dice=[4, 6])
    assert at(moved) == "1507 NE"


@pytest.mark.rule("COR-11")
def test_drift_meets_markers_and_edges_like_any_move():
    text = "phase end_drift\n{}ship 0 1501 N flagship dice d6 d8 d10 slowness 2 hull 10\n"
    assert status(stated(text.format("")).run("end_drift", dice=[])) == "left"
    assert at(stated(text.format("rules map_edge=wall\n")).run("end_drift", dice=[])) == "1501 N"
    met = stated(f"phase end_drift\nship 0 1510 N {FLAGSHIP}\nmarker 1509 N 4").run("end_drift", dice=[4, 3])
    assert (at(met), ship(met)["hull"]) == ("1508 N", 7)
    assert faces(met, "avoid") == [6]


@pytest.mark.rule("COR-11")
def test_ships_nose_to_nose_pass_through_each_other():
    after = stated(
        f"mode battle\nphase end_drift\nship 0 1510 N {FLAGSHIP}\nship 1 1509 S {FLAGSHIP}"
    ).run("end_drift", dice=[])  # fmt: skip
    assert (at(after, 0), at(after, 1)) == ("1508 N", "1510 S")
    assert not of_rule(after, "CON-1")


@pytest.mark.rule("COR-12")
@pytest.mark.field("countdown_to_doom")
@pytest.mark.parametrize("countdown, ending", [("false", "destroyed"), ("true", "crossed")])
def test_ship_at_no_hull_beyond_the_goal_edge(countdown, ending):
    text = f"rules countdown_to_doom={countdown}\ngoal east\n" + mover("2910", "NE", "forward", hull="hull 3")
    text += f"marker {ahead('2910', 'NE')} N 6"
    moved = fly(text, 4, dice=[1, 9])
    assert outcome(moved) == ending
    assert status(moved) == {"destroyed": "destroyed", "crossed": "left"}[ending]
