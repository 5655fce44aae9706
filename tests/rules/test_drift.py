"""Section 3: asteroid drift (DRF), and COR-8."""

from __future__ import annotations

import pytest
from stating import (
    FACINGS,
    FAR,
    FLAGSHIP,
    LESSER,
    ahead,
    at,
    faces,
    is_on,
    marker,
    of_rule,
    rules,
    ship,
    stated,
    status,
)

DRIFT = "phase drift\n"


def drift(text: str, dice: list[int]):
    return stated(DRIFT + text).run("drift", dice=dice)


@pytest.mark.rule("DRF-1")
@pytest.mark.parametrize("facing", FACINGS)
@pytest.mark.parametrize("roll", [1, 4, 6])
def test_marker_moves_as_many_hexes_as_rolled(facing, roll):
    after = drift(f"{FAR}\nmarker 1510 {facing} 3", [roll])
    assert marker(after) == f"{ahead('1510', facing, roll)} {facing} 3"
    assert rules(after) == ["TURN-3", "DRF-1"]
    assert faces(after, "drift") == [6]


@pytest.mark.rule("DRF-1")
@pytest.mark.field("drift_die")
def test_drift_die_is_a_field():
    after = drift(f"rules drift_die=12\n{FAR}\nmarker 1502 S 3", [12])
    assert marker(after) == "1514 S 3"
    assert faces(after, "drift") == [12]


@pytest.mark.rule("DRF-1", "COR-8")
def test_markers_move_in_order_of_index_each_done_before_the_next_rolls():
    # The first leaves 1505, so the second can rest there; the ship is met before the second die falls.
    after = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1505 S 2\nmarker 1504 S 2", [3, 2, 5, 1])
    assert [(die.purpose, die.piece) for die in after.dice] == [
        ("drift", 0), ("avoid", 0), ("contact damage", 0), ("drift", 1)
    ]  # fmt: skip
    assert (marker(after, 0), marker(after, 1)) == ("1508 S 2", "1505 S 2")
    # The other way round the first finds 1505 taken, and then the second 1506 and the ship's hex.
    swapped = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1504 S 2\nmarker 1505 S 2", [1, 1, 6])
    assert (marker(swapped, 0), marker(swapped, 1)) == ("1506 S 2", "1508 S 2")


@pytest.mark.rule("DRF-2")
def test_passing_and_landing_both_touch():
    passing = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1505 S 2", [4, 6])
    assert marker(passing) == "1509 S 2"
    assert rules(passing) == ["TURN-3", "DRF-1", "DRF-2", "CON-1"]
    landing = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1505 S 2", [2, 6])
    assert rules(landing) == ["TURN-3", "DRF-1", "DRF-2", "CON-1", "DRF-3"]
    short = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1505 S 2", [1])
    assert rules(short) == ["TURN-3", "DRF-1"]


@pytest.mark.rule("DRF-2")
def test_each_ship_on_the_way_is_touched_at_once_in_order():
    after = drift(
        f"mode battle\nship 0 1507 N {FLAGSHIP}\nship 1 1508 N {FLAGSHIP}\nship 1 1510 N {LESSER}\nmarker 1506 S 3",
        [6, 3, 4, 4, 3, 1],
    )
    assert [(event.seat, event.ship, event.hex) for event in of_rule(after, "DRF-2")] == [
        (0, 0, "1507"), (1, 0, "1508"), (1, 1, "1510")
    ]  # fmt: skip
    assert [ship(after, 0)["hull"], ship(after, 1)["hull"], ship(after, 1, 1)["hull"]] == [6, 10, 9]


@pytest.mark.rule("DRF-2")
def test_a_ship_may_be_touched_by_several_markers():
    after = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1506 S 1\nmarker 1508 N 1", [3, 1, 2, 4, 1, 3])
    assert ship(after)["hull"] == 5
    assert [event.marker for event in of_rule(after, "DRF-2")] == [0, 1]


@pytest.mark.rule("DRF-3")
def test_marker_ending_on_a_ship_moves_one_more_hex():
    after = drift(f"ship 0 1507 N {FLAGSHIP}\nmarker 1505 S 2", [2, 3])
    assert (marker(after), at(after)) == ("1508 S 2", "1507 N")


@pytest.mark.rule("DRF-3")
def test_marker_ending_on_a_marker_moves_one_more_hex():
    after = drift(f"{FAR}\nmarker 1505 S 2\nmarker 1507 SE 1", [2, 1])
    assert marker(after, 0) == "1508 S 2"
    assert "DRF-2" not in rules(after)


@pytest.mark.rule("DRF-3")
def test_chain_of_ships_and_markers():
    after = drift(
        f"mode battle\nship 0 1507 N {FLAGSHIP}\nship 1 1509 N {FLAGSHIP}\n"
        "marker 1504 S 1\nmarker 1508 SE 1\nmarker 1510 NE 2",
        [3, 2, 3, 1, 1],
    )
    # 1507 a ship, 1508 a marker, 1509 a ship, 1510 a marker: it rests in 1511, having met both ships.
    assert marker(after, 0) == "1511 S 1"
    assert [event.hex for event in of_rule(after, "DRF-3")] == ["1508", "1509", "1510", "1511"]
    assert [event.hex for event in of_rule(after, "DRF-2")] == ["1507", "1509"]


@pytest.mark.rule("DRF-3", "COR-8", "DRF-4")
def test_extra_hex_off_the_map_means_leaving():
    after = drift(f"ship 0 1520 N {FLAGSHIP}\nmarker 1519 S 2", [1, 6])
    assert marker(after) == "waiting 1501 S 2"
    assert at(after) == "1520 N"
    assert rules(after) == ["TURN-3", "DRF-1", "DRF-2", "CON-1", "DRF-4", "COR-8"]


@pytest.mark.rule("DRF-3", "DOOM-1", "COR-8")
def test_destroyed_ship_frees_its_hex():
    after = drift("ship 0 1507 N flagship dice d6 d8 d10 slowness 2 hull 1\nmarker 1505 S 6", [2, 6, 1])
    assert status(after) == "destroyed"
    assert marker(after) == "1507 S 6"
    assert "DRF-3" not in rules(after)


@pytest.mark.rule("DOOM-1", "COR-8", "DRF-2")
def test_destroyed_ship_is_not_met_again_in_the_same_drift():
    text = "ship 0 1510 N flagship dice d6 d8 d10 slowness 2 hull 10\nmarker 1512 N 6\nmarker 1513 N 6"
    after = drift(text, [4, 6, 20, 3])
    assert status(after) == "destroyed"
    assert (marker(after, 0), marker(after, 1)) == ("1508 N 6", "1510 N 6")
    assert [event.marker for event in of_rule(after, "DRF-2")] == [0]


@pytest.mark.rule("COR-8")
@pytest.mark.parametrize("gone", ["destroyed", "left"])
def test_ship_out_of_play_holds_no_hex_and_is_not_touched(gone):
    where = "1507" if gone == "destroyed" else "1500"
    after = drift(f"{FAR}\nship 0 {where} N {LESSER} {gone}\nmarker 1505 S 6", [2])
    assert marker(after) == "1507 S 6"
    assert rules(after) == ["TURN-3", "DRF-1"]


SIZE = (10, 8)


def row_ends(facing: str) -> tuple[str, str]:
    """First and last hex of the row through 0504 on a 10x8 map."""
    back = FACINGS[(FACINGS.index(facing) + 3) % 6]
    first = last = "0504"
    while is_on(*SIZE, ahead(first, back)):
        first = ahead(first, back)
    while is_on(*SIZE, ahead(last, facing)):
        last = ahead(last, facing)
    return first, last


def on_small_map(facing: str) -> str:
    """A flagship on a 10x8 map, off the row through 0504."""
    first, _ = row_ends(facing)
    row = {ahead(first, facing, n) for n in range(12)}
    corner = next(name for name in ("0101", "1008") if name not in row)
    return f"map 10x8\nship 0 {corner} N {FLAGSHIP}\n"


@pytest.mark.rule("DRF-4")
@pytest.mark.parametrize("facing", FACINGS)
def test_leaving_marker_waits_at_the_other_end_of_its_own_row(facing):
    first, last = row_ends(facing)
    left = drift(on_small_map(facing) + f"marker {last} {facing} 4", [3])
    assert marker(left) == f"waiting {first} {facing} 4"  # the rest of its movement is lost
    assert rules(left) == ["TURN-3", "DRF-1", "DRF-4"]
    assert marker(left.run("drift", dice=[1])) == f"{first} {facing} 4"
    assert marker(left.run("drift", dice=[3])) == f"{ahead(first, facing, 2)} {facing} 4"


@pytest.mark.rule("DRF-4")
@pytest.mark.parametrize("facing", FACINGS)
def test_marker_from_the_middle_loses_the_rest_of_its_roll(facing):
    first, last = row_ends(facing)
    one_before = ahead(last, FACINGS[(FACINGS.index(facing) + 3) % 6])
    after = drift(on_small_map(facing) + f"marker {one_before} {facing} 4", [6])
    assert marker(after) == f"waiting {first} {facing} 4"
    assert marker(drift(on_small_map(facing) + f"marker {one_before} {facing} 4", [1])) == f"{last} {facing} 4"


@pytest.mark.rule("DRF-4")
@pytest.mark.parametrize("corner, facing", [("0101", "NE"), ("0101", "SW"), ("3020", "NE"), ("3020", "SW")])
def test_row_of_length_one_leads_back_to_itself(corner, facing):
    other = "0110"
    text = f"ship 0 {other} N {FLAGSHIP}\nmarker {corner} {facing} 2"
    left = drift(text, [5])
    assert marker(left) == f"waiting {corner} {facing} 2"
    assert marker(left.run("drift", dice=[1])) == f"{corner} {facing} 2"
    assert marker(left.run("drift", dice=[2])) == f"waiting {corner} {facing} 2"


@pytest.mark.rule("DRF-4")
def test_several_markers_wait_at_one_place_and_come_in_one_after_another():
    left = drift(f"{FAR}\nmarker 1519 S 1\nmarker 1520 S 2\nmarker 1518 S 3", [2, 1, 4])
    assert [marker(left, index) for index in range(3)] == [f"waiting 1501 S {d}" for d in (1, 2, 3)]
    back = left.run("drift", dice=[1, 1, 2])
    # The second finds 1501 taken and goes on to 1502; the third finds 1502 taken and goes on to 1503.
    assert [marker(back, index) for index in range(3)] == ["1501 S 1", "1502 S 2", "1503 S 3"]


@pytest.mark.rule("DRF-4")
def test_waiting_marker_touches_nothing():
    after = stated(f"phase end_drift\nship 0 1502 N {FLAGSHIP}\nmarker waiting 1501 S 6").run("end_drift", dice=[])
    assert at(after) == "1501 N"
    assert "CON-1" not in rules(after)


@pytest.mark.rule("DRF-4", "DRF-2")
def test_marker_coming_in_touches_the_ship_on_its_first_hex():
    after = drift(f"ship 0 1501 N {FLAGSHIP}\nmarker waiting 1501 S 3", [1, 4])
    assert marker(after) == "1502 S 3"
    assert rules(after) == ["TURN-3", "DRF-1", "DRF-2", "CON-1", "DRF-3"]


@pytest.mark.rule("DRF-4")
def test_markers_do_not_wrap_in_one_drift():
    after = drift(f"ship 0 1501 N {FLAGSHIP}\nmarker 1520 S 6", [6])
    assert marker(after) == "waiting 1501 S 6"
    assert "CON-1" not in rules(after)
