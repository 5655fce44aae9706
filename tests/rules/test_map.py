"""Section 1: the map."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FACINGS, FAR, FLAGSHIP, READY, ahead, at, is_on, marker, rules, ship, stated

from fc_env import engine, scenarios
from fc_env.errors import ScenarioError
from fc_env.hexgrid import DQ, DR, distance, half_turn, label, on_map, parse_label, row_length, row_start
from fc_env.notation import Position

HEXES = [f"{column:02d}{row:02d}" for column in range(1, 31) for row in range(1, 21)]
SMALL = [(2, 1), (4, 3), (6, 5)]


@pytest.mark.rule("MAP-1")
def test_default_map_is_thirty_columns_of_twenty():
    position = stated(FAR)
    assert (position.game["width"], position.game["height"]) == (30, 20)
    assert sum(on_map(30, 20, q, r) for q in range(-2, 33) for r in range(-40, 41)) == 600


@pytest.mark.rule("MAP-1")
def test_even_columns_stand_half_a_hex_lower():
    # 0201 touches 0101 and 0102; 0301 stands high again and touches only 0201 and, above it, nothing.
    neighbours = {ahead("0201", facing) for facing in FACINGS}
    assert {"0101", "0102", "0301", "0302"} < neighbours
    q, r = parse_label("0201")
    assert {label(q + int(DQ[d]), r + int(DR[d])) for d in (4, 5)} == {"0101", "0102"}


@pytest.mark.rule("MAP-1")
@pytest.mark.parametrize("size", [(2, 1), (6, 5), (30, 20)])
def test_half_turn_maps_board_onto_itself_and_keeps_neighbours(size):
    width, height = size
    for column in range(1, width + 1):
        for row in range(1, height + 1):
            name = f"{column:02d}{row:02d}"
            q, r = half_turn(width, height, *parse_label(name))
            assert label(q, r) == f"{width + 1 - column:02d}{height + 1 - row:02d}"
            for number, facing in enumerate(FACINGS):
                near = ahead(name, facing)
                if is_on(width, height, near):
                    back = (number + 3) % 6
                    turned = half_turn(width, height, *parse_label(near))
                    assert turned == (q + int(DQ[back]), r + int(DR[back]))


@pytest.mark.rule("MAP-1")
def test_odd_width_is_refused():
    with pytest.raises(ScenarioError, match="even"):
        stated(f"map 29x20\nship 0 0101 N {FLAGSHIP}")


@pytest.mark.rule("MAP-2")
@pytest.mark.parametrize("number", range(6))
def test_six_facings_clockwise_from_north(number):
    for name in HEXES:
        q, r = parse_label(name)
        q, r = q + int(DQ[number]), r + int(DR[number])
        column, row = q + 1, r + (q >> 1) + 1
        assert f"{column:02d}{row:02d}" == ahead(name, FACINGS[number])


@pytest.mark.rule("MAP-2")
@pytest.mark.parametrize("facing", FACINGS)
def test_ship_drifts_to_the_hexside_it_faces(facing):
    after = stated(f"phase end_drift\nship 0 1210 {facing} {FLAGSHIP}").run("end_drift", dice=[])
    assert at(after) == f"{ahead('1210', facing)} {facing}"


def rows_of_a_map(width: int, height: int, facing: str) -> dict[str, int]:
    """First hex and length of each row along a facing, by walking."""
    back = FACINGS[(FACINGS.index(facing) + 3) % 6]
    rows = {}
    for column in range(1, width + 1):
        for row in range(1, height + 1):
            name = f"{column:02d}{row:02d}"
            if not is_on(width, height, ahead(name, back)):
                length = 1
                while is_on(width, height, ahead(name, facing, length)):
                    length += 1
                rows[name] = length
    return rows


@pytest.mark.rule("MAP-3")
@pytest.mark.parametrize("size", [*SMALL, (30, 20)])
@pytest.mark.parametrize("number", range(6))
def test_rows_by_walking(size, number):
    width, height = size
    rows = rows_of_a_map(width, height, FACINGS[number])
    assert sum(rows.values()) == width * height  # each hex is in one row of a family
    for first, length in rows.items():
        for along in range(length):
            start = row_start(width, height, *parse_label(ahead(first, FACINGS[number], along)), number)
            assert label(*start) == first
        assert row_length(width, height, *parse_label(first), number) == length


@pytest.mark.rule("MAP-3")
def test_lengths_of_rows_differ_and_families_are_three():
    families = {facing: sorted(rows_of_a_map(30, 20, facing).values()) for facing in FACINGS}
    for facing in range(3):
        assert families[FACINGS[facing]] == families[FACINGS[facing + 3]]
    assert set(families["N"]) == {20}
    assert min(families["NE"]) == 1 and max(families["NE"]) == 30


@pytest.mark.rule("MAP-3")
def test_distance_of_far_corners():
    assert distance(*parse_label("0110"), *parse_label("3010")) == 29
    assert distance(*parse_label("0101"), *parse_label("0120")) == 19
    assert distance(*parse_label("0120"), *parse_label("3001")) == 33


@pytest.mark.rule("MAP-3")
@pytest.mark.parametrize("size", SMALL)
def test_distance_is_the_fewest_steps(size):
    width, height = size
    names = [f"{c:02d}{r:02d}" for c in range(1, width + 1) for r in range(1, height + 1)]
    for start in names:
        steps, front = {start: 0}, [start]
        while front:
            nearest = front.pop(0)
            for facing in FACINGS:
                near = ahead(nearest, facing)
                if is_on(width, height, near) and near not in steps:
                    steps[near] = steps[nearest] + 1
                    front.append(near)
        for name in names:
            assert distance(*parse_label(start), *parse_label(name)) == steps[name]


@pytest.mark.rule("MAP-4")
def test_hex_without_marker_has_no_effect_and_with_one_it_has():
    text = f"phase end_drift\nship 0 1210 N {FLAGSHIP}\n"
    assert stated(text).run("end_drift", dice=[]).events[-1].rule == "END-2"
    met = stated(text + "marker 1209 N 2").run("end_drift", dice=[6])
    assert "MOV-6" in rules(met) and "CON-1" in rules(met)


@pytest.mark.rule("MAP-5")
def test_two_objects_in_one_hex_cannot_be_stated():
    for other in ("marker 1210 S 3", "ship 0 1210 N crew 2 dice d6 d8 d10 slowness 2 hull 4"):
        with pytest.raises(ScenarioError, match="MAP-5"):
            stated(f"ship 0 1210 N {FLAGSHIP}\n{other}")


@pytest.mark.rule("MAP-5")
def test_nothing_comes_to_rest_on_another_piece():
    drifted = stated(f"phase drift\nship 0 1212 N {FLAGSHIP}\nmarker 1210 S 1\nmarker 1213 N 1").run(
        "drift", dice=[2, 6, 3, 6]
    )  # to 1212 (the ship) and 1213 (a marker), so 1214; then the other, from 1213 by 1212 (contact) to 1210
    assert [marker(drifted, index) for index in range(2)] == ["1214 S 1", "1210 N 1"]
    assert at(drifted) == "1212 N"


@pytest.mark.rule("MAP-5")
@pytest.mark.parametrize("seed", range(3))
def test_no_two_objects_share_a_hex_in_a_crowded_game(seed):
    ship = {"hex": "0104", "facing": "NE", "flagship": True, "dice": "d6 d8 d10", "slowness": 2, "hull": 900}
    setup = scenarios.load("crossing", "improbable", {"first_drift_safe": False}, map="10x8", ships=[ship])
    games = engine.new(setup, [seed])
    generator = np.random.default_rng(seed)
    for _ in range(60):
        if games[0]["outcome"]:
            break
        engine.step(games, [generator.choice(engine.legal_actions(games))])
        Position.of(games)  # refuses two objects in a hex (MAP-5)
        game = games[0]
        places = [(int(m["q"]), int(m["r"])) for m in game["markers"][: game["n_markers"]]]
        places = [place for place in places if on_map(10, 8, *place)]
        if game["ships"][0, 0]["status"] == 1:
            places.append((int(game["ships"][0, 0]["q"]), int(game["ships"][0, 0]["r"])))
        assert len(set(places)) == len(places)


@pytest.mark.rule("MAP-6")
def test_labels_are_column_and_row_from_one():
    assert parse_label("1213") == (11, 7) and label(11, 7) == "1213"
    assert [label(*parse_label(name)) for name in HEXES] == HEXES
    position = stated(f"ship 0 1213 N {FLAGSHIP}")
    assert (int(ship(position)["q"]), int(ship(position)["r"])) == (11, 7)


@pytest.mark.rule("MAP-6")
@pytest.mark.parametrize("text", ["", "121", "12130", "0013", "1200", "12a3", "-113", "１２１３"])
def test_other_labels_are_refused(text):
    with pytest.raises(ValueError, match="CCRR"):
        parse_label(text)


def test_ready_ship_line_is_understood():
    assert ship(stated(f"ship 0 0505 SE {FLAGSHIP} {READY} forward"))["power"] == 1
