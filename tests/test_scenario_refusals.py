"""Scenario files: what is refused, in which words, and fields that cannot be laid."""

from __future__ import annotations

import pytest
from scenario_texts import LESSER, refusal

from fc_env import scenarios
from fc_env.errors import ScenarioError
from fc_env.state import Facing

# ---- what is refused

FLAGSHIP_TWICE = LESSER.replace("    crew: 2-4,7\n    captain: JQ\n", "    flagship: true\n")
MARKERS_37 = ", ".join(f"{{hex: {c:02d}{r:02d}, facing: N, density: 1}}" for c in range(2, 8) for r in range(1, 8))

REFUSED = {
    "unknown key": (("name: test", "name: test\nmaps: 8x6"), 2, "maps is not a key: did you mean 'map'?"),
    "unknown rule": (("turn_limit", "turnlimit"), 5, "rules.turnlimit is not a key: did you mean 'turn_limit'?"),
    "turn limit at the top": (("goal: east", "turn_limit: 3\ngoal: east"), 3, "turn_limit is not a key"),
    "no map": (("map: 8x6\n", ""), 1, "map is missing"),
    "odd width": (("8x6", "7x6"), 2, "map is '7x6': want an even width from 2 to 98"),
    "width 0": (("8x6", "0x6"), 2, "map is 6: want text (MAP-1: columns, an even number, times hexes"),
    "width 100": (("8x6", "100x6"), 2, "map is '100x6': want an even width from 2 to 98"),
    "height 0": (("8x6", "8x0"), 2, "map is '8x0': want a height from 1 to 98"),
    "height 99": (("8x6", "8x99"), 2, "map is '8x99': want a height from 1 to 98"),
    "map of one number": (("8x6", "'8'"), 2, "map is '8': want columns times hexes of a column, such as 30x20"),
    "map with spaces": (("8x6", "8 x 6"), 2, "map is '8 x 6': want columns times"),
    "map with another x": (("8x6", "８x６"), 2, "map is '８x６': want columns times"),
    "no goal": (("goal: east\n", ""), 1, "goal is missing"),
    "unknown goal": (("goal: east", "goal: up"), 3, "goal is 'up': want 'north', 'east', 'south' or 'west'"),
    "goal twice": (("goal: east", "goal: [east, east]"), 3, "goal is ['east', 'east']: want each only once"),
    "empty goal": (("goal: east", "goal: []"), 3, "goal is []: want a length of at least 1"),
    "unknown mode": (
        ("goal: east", "goal: east\nmode: race"), 4, "mode is 'race': want 'crossing', 'battle' or 'convoy'"),
    "doom": (("turn_limit: 9", "countdown_to_doom: 1"), 5, "rules.countdown_to_doom is 1: want true or false"),
    "die not of the ladder": (("turn_limit: 9", "drift_die: 7"), 5, "rules.drift_die is 7: want 4, 6, 8, 10, 12 or 20"),
    "die as float": (("turn_limit: 9", "drift_die: 6.0"), 5, "rules.drift_die is 6.0: want an integer"),
    "no ships": (("ships:\n", "ships: []\nnone:\n"), 6, "ships is []: want a length of at least 1"),
    "hex off the map": (('"0103"', '"0907"'), 7, "ships[0].hex is '0907', off the map: want 0101 to 0806 (MAP-6)"),
    "column off the map": (('"0103"', '"0906"'), 7, "ships[0].hex is '0906', off the map"),
    "row off the map": (('"0103"', "0107"), 7, "ships[0].hex is '0107', off the map"),
    "hex 0": (('"0103"', '"0003"'), 7, "ships[0].hex is '0003': want a label CCRR such as '1213'"),
    "hex of three digits": (('"0103"', '"103"'), 7, "ships[0].hex is '103': want a label CCRR"),
    "hex as list": (('"0103"', "[1, 3]"), 7, "ships[0].hex is [1, 3]: want text"),
    "unknown facing": (("facing: NE", "facing: E"), 8, "ships[0].facing is 'E': want 'N', 'NE', 'SE', 'S', 'SW' or "),
    "small facing": (("facing: NE", "facing: ne"), 8, "ships[0].facing is 'ne': want 'N', 'NE'"),
    "facing as number": (("facing: NE", "facing: 1"), 8, "ships[0].facing is 1: want 'N', 'NE'"),
    "one of two facings": (("facing: NE", "facing: [NE, E]"), 8, "ships[0].facing[1] is 'E': want"),
    "facing twice": (("facing: NE", "facing: [NE, NE]"), 8, "ships[0].facing is ['NE', 'NE']: want each only once"),
    "no facing": (("facing: NE", "facing: []"), 8, "ships[0].facing is []: want a length of at least 1"),
    "no flagship": (("flagship: true", "crew: 2-4"), 6, "ships has no flagship: want flagship: true for one"),
    "flagship as text": (("flagship: true", "flagship: yes"), 9, "ships[0].flagship is 'yes': want true or false"),
    "power die": (("d6 d8 d10", "d6 d7 d10"), 10, "ships[0].dice is 'd6 d7 d10': want 4, 6, 8, 10, 12 or 20"),
    "power die of a list": (("d6 d8 d10", "[10, 7, 6]"), 10, "ships[0].dice[1] is 7: want 4, 6, 8, 10, 12 or 20"),
    "d0": (("d6 d8 d10", "d0 d8 d10"), 10, "ships[0].dice is 'd0 d8 d10': want 4, 6"),
    "two power dice": (("d6 d8 d10", "d6 d8"), 10, "ships[0].dice is 'd6 d8': want three dice"),
    "four power dice": (("d6 d8 d10", "[6, 6, 6, 6]"), 10, "ships[0].dice is [6, 6, 6, 6]: want three dice"),
    "slowness 0": (("slowness: 2", "slowness: 0"), 11, "ships[0].slowness is 0: want a value from 1 to 20"),
    "hull 0": (("hull: 10", "hull: 0"), 12, "ships[0].hull is 0: want a value from 1 to 1000"),
    "hull as float": (("hull: 10", "hull: 1e1"), 12, "ships[0].hull is 10.0: want an integer"),
    "hull missing": (("    hull: 10\n", ""), 7, "ships[0].hull is missing: want it set (hull points)"),
    "lasers below 0": (("hull: 10", "hull: 10\n    lasers: -1"), 13, "ships[0].lasers is -1: want a value from 0 to"),
    "torpedoes as number": (
        ("hull: 10", "hull: 10\n    torpedoes: 1"), 13, "ships[0].torpedoes is 1: want true or false"),
    "flagship with crew": (("hull: 10", "hull: 10\n    crew: 2-4"), 13, "ships[0].crew is [2, 3, 4]: want none"),
    "flagship with captain": (("hull: 10", "hull: 10\n    captain: J"), 13, "ships[0].captain is ['J']: want none"),
    "crew of 11": (("fields:\n", LESSER.replace("2-4,7", "2-11") + "fields:\n"), 18,
                   "ships[1].crew is '2-11': want a value of at most 10"),
    "crew of 1": (("fields:\n", LESSER.replace("2-4,7", "[1]") + "fields:\n"), 18,
                  "ships[1].crew[0] is 1: want a value of at least 2"),
    "crew twice": (("fields:\n", LESSER.replace("2-4,7", "2-4,3") + "fields:\n"), 18,
                   "ships[1].crew is '2-4,3': want each only once"),
    "crew backwards": (("fields:\n", LESSER.replace("2-4,7", "4-2") + "fields:\n"), 18,
                       "ships[1].crew is '4-2': want the lower rank first, 2-4"),
    "crew of words": (("fields:\n", LESSER.replace("2-4,7", "all") + "fields:\n"), 18,
                      "ships[1].crew is 'all': want ranks out of 2..10 such as '2-4,7'"),
    "captain A": (("fields:\n", LESSER.replace("JQ", "JA") + "fields:\n"), 19,
                  "ships[1].captain is 'JA': want 'J', 'Q' or 'K'"),
    "lesser without ratings": (
        ("fields:\n", LESSER.replace("    crew: 2-4,7\n    captain: JQ\n", "") + "fields:\n"), 13,
        "ships[1].crew is missing: want ranks for a lesser ship"),
    "two flagships": (("fields:\n", FLAGSHIP_TWICE + "fields:\n"), 18,
                      "ships[1].flagship is true, and so it is of ships[0]: want one flagship a side (SHIP-1)"),
    "two ships in one hex": (("fields:\n", LESSER.replace("0105", "0103") + "fields:\n"), 13,
                             "ships[1].hex is '0103', where ships[0] stands: want a free hex (MAP-5)"),
    "seven ships": (("fields:\n", LESSER * 6 + "fields:\n"), 6, "ships is a list of 7: want a length of at most 6"),
    "no fields": (("  open: {}\n", "  {}\n"), 13, "fields is a mapping: want a length of at least 1"),
    "name of a field": (("open: {}", "Open Sky: {}"), 14, "fields.Open Sky is not a possible name: want small letters"),
    "empty field": (("open: {}", "open:"), 14, "fields.open is empty: want a mapping of keys to values"),
    "no default of two": (("open: {}", "open: {}\n  full: {sets: 1}"), 1, "default_field is missing: want one of"),
    "default unknown": (("open: {}", "open: {}\ndefault_field: opne"), 15, "default_field is 'opne': want one of open"),
    "seven sets": (("open: {}", "open: {sets: 7}"), 14, "fields.open.sets is 7: want a value from 0 to 6"),
    "minus a set": (("open: {}", "open: {sets: -1}"), 14, "fields.open.sets is -1: want a value from 0 to 6"),
    "unknown drift": (("open: {}", "open: {drift: all}"), 14, "fields.open.drift is 'all': want 'same' or 'each'"),
    "drift each and facing": (("open: {}", "open: {sets: 1, drift: each, facing: N}"), 14,
                              "fields.open.facing is 'N' with drift: each"),
    "facing of nothing": (("open: {}", "open: {facing: N}"), 14, "fields.open.facing is 'N' without sets"),
    "density 7": (("open: {}", "open: {markers: [{hex: 0501, facing: N, density: 7}]}"), 14,
                  "fields.open.markers[0].density is 7: want a value from 1 to 6"),
    "density 0": (("open: {}", "open: {markers: [{hex: 0501, facing: N, density: 0}]}"), 14,
                  "fields.open.markers[0].density is 0: want a value from 1 to 6"),
    "marker without facing": (("open: {}", "open: {markers: [{hex: 0501, density: 1}]}"), 14,
                              "fields.open.markers[0].facing is missing"),
    "marker off the map": (("open: {}", "open: {markers: [{hex: 0507, facing: N, density: 1}]}"), 14,
                           "fields.open.markers[0].hex is '0507', off the map: want 0101 to 0806"),
    "marker on a ship": (("open: {}", "open: {markers: [{hex: 0103, facing: S, density: 1}]}"), 14,
                         "fields.open.markers[0].hex is '0103', where ships[0] stands: want a free hex (MAP-5)"),
    "two markers in one hex": (
        ("open: {}", "open:\n    markers:\n      - {hex: 0503, facing: S, density: 1}\n"
                     '      - {hex: "0503", facing: N, density: 1}'), 17,
        "fields.open.markers[1].hex is '0503', where fields.open.markers[0] stands"),
    "too many markers": (("open: {}", f"open: {{sets: 6, markers: [{MARKERS_37.split(', {')[0]}]}}"), 14,
                         "fields.open has 37 markers: want at most 36"),
    "duplicate key": (("name: test", "name: test\nname: other"), 2, "name is given twice, first in line 1"),
    "alias": (("name: test", "name: *x"), 1, "'x' is an anchor or alias"),
}  # fmt: skip


SHIP_CASES = {
    "SHIP-1": ["no flagship", "two flagships"],
    "SHIP-2": ["lesser without ratings", "crew of 11", "crew of 1", "captain A"],
    "SHIP-3": ["flagship with crew", "flagship with captain"],
}


@pytest.mark.rule("SHIP-1", "SHIP-2", "SHIP-3")
@pytest.mark.parametrize("rule", SHIP_CASES)
def test_ship_1_to_3_ratings_and_flagships(write, rule):
    for case in SHIP_CASES[rule]:
        change, _, says = REFUSED[case]
        lines = refusal(write(change))
        assert any(says in line and rule in line for line in lines), lines


@pytest.mark.parametrize("case", REFUSED)
def test_refused(write, case):
    change, line, says = REFUSED[case]
    lines = refusal(write(change))
    assert any(one.startswith(f"{line}: {says}") for one in lines), lines


def test_every_field_of_a_file_is_checked(write):
    path = write(("open: {}", "open: {}\n  bad: {markers: [{hex: 0901, facing: N, density: 1}]}\ndefault_field: open"))
    assert "fields.bad.markers[0].hex is '0901'" in refusal(path, "open")[0]


def test_all_problems_are_named_at_once(write):
    changes = ("8x6", "7x6"), ("goal: east", "goal: up"), ("hull: 10", "hull: 0"), ("facing: NE", "facing: E")
    lines = refusal(write(*changes, ("turn_limit", "turnlimit")))
    wrong = ["2: map", "3: goal", "5: rules.turnlimit", "8: ships[0].facing", "12: ships[0].hull"]
    assert sorted(line.split(" is ")[0] for line in lines) == sorted(wrong)


def test_all_problems_of_values_that_are_each_in_their_range_are_named_at_once(write):
    changes = (("goal: east\n", ""), ("flagship: true", "crew: 2-4"), ('"0103"', '"0907"'), ("    slowness: 2\n", ""))
    lines = refusal(write(*changes))
    assert [line.split(" is ")[0] for line in lines] == [
        "1: goal",
        "6: ships[0].slowness",
        "5: ships has no flagship: want flagship: true for one ship (SHIP-1)",
        "6: ships[0].hex",
    ]


# ---- SET-1, SET-4 and SET-5


@pytest.mark.rule("SET-1")
@pytest.mark.field("long_row_share")
@pytest.mark.parametrize(
    ("long_row_share", "n_rows"),
    [(0.0, [8, 10, 9]), (0.5, [8, 6, 7]), (0.8, [8, 4, 3]), (1, [8, 2, 3])],
)
def test_set_1_candidate_rows(write, long_row_share, n_rows):
    setup = scenarios.load(write(), rules={"long_row_share": long_row_share})[0]
    assert list(setup["n_rows"]) == n_rows + n_rows
    for facing in Facing:
        lengths = setup["rows"][facing, : setup["n_rows"][facing]]["length"]
        assert min(lengths) >= long_row_share * max(lengths)


def touching(distance, *others, rules="turn_limit: 9"):
    """A ship in 0106 of a tall map, a marker ``distance`` hexes south of it facing it, and other markers."""
    first = f"{{hex: 01{6 + distance:02d}, facing: N, density: 2}}"
    return (
        ("8x6", "8x30"),
        ('"0103"', '"0106"'),
        ("turn_limit: 9", rules),
        ("open: {}", f"open: {{markers: [{', '.join([first, *others])}]}}"),
    )


AHEAD = "{hex: 0109, facing: S, density: 1}"  # on the way of the first, and itself no danger
CROSSING_IT = "{hex: 0402, facing: SW, density: 1}"  # comes to the way within a drift
WAITING_BEHIND = "{hex: 0120, facing: N, density: 1}"  # too far to come to the way


@pytest.mark.rule("SET-4")
@pytest.mark.field("first_drift_safe", "drift_die")
@pytest.mark.parametrize(
    ("distance", "others", "rules", "reach"),
    [
        (6, [], "turn_limit: 9", 6),
        (7, [], "turn_limit: 9", None),
        (7, [AHEAD], "turn_limit: 9", 7),
        (8, [AHEAD], "turn_limit: 9", None),
        (8, [WAITING_BEHIND], "turn_limit: 9", None),
        (4, [], "drift_die: 4", 4),
        (5, [], "drift_die: 4", None),
        (20, [], "drift_die: 20", 20),
        (6, [], "first_drift_safe: false", None),
    ],
)
def test_set_4_placed_markers(write, distance, others, rules, reach):
    path = write(*touching(distance, *others, rules=rules))
    if reach is None:
        assert scenarios.load(path)[0]["n_placed"] == 1 + len(others)
        return
    (line,) = refusal(path)
    assert line.startswith(f"14: fields.open.markers[0] could move up to {reach} hexes and touch a ship"), line
    assert "SET-4" in line and "first_drift_safe: false" in line


@pytest.mark.rule("SET-4")
def test_set_4_names_every_marker_that_threatens(write):
    path = write(*touching(3, "{hex: 0103, facing: S, density: 1}", "{hex: 0820, facing: S, density: 1}"))
    assert [line.split(" could")[0] for line in refusal(path)] == [
        "14: fields.open.markers[0]", "14: fields.open.markers[1]"]  # fmt: skip


@pytest.mark.rule("SET-5")
def test_set_5_field_that_cannot_be_laid(write):
    path = write(("8x6", "2x3"), ("open: {}", "open: {}\n  full: {sets: 1}\ndefault_field: open"))
    assert scenarios.load(path).shape == (1,)
    (line,) = refusal(path, "full")
    assert line.startswith("15: fields.full: the field cannot be laid (SET-5)") and "want fewer markers" in line


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize(("width", "can"), [(36, False), (38, True)])
def test_set_5_counts_the_free_hexes(write, width, can):
    """A map of height 1 drifting north: every row is one hex and no marker can reach the ship, so 36 markers need
    36 free hexes beside the ship's own."""
    path = write(("8x6", f"{width}x1"), ('"0103"', '"0101"'), ("open: {}", "open: {sets: 6, facing: N}"))
    if can:
        assert scenarios.load(path).shape == (1,)
    else:
        assert "SET-5" in refusal(path)[0]


@pytest.mark.rule("SET-4", "SET-5", "COR-24")
def test_set_5_tries_each_facing_the_dice_may_choose(write):
    """Six hexes are free for six markers. North and south every hex is a row; along SE the rows are four pairs of
    hexes, and a marker beside a ship moves away from it. Along NW a marker beside a ship threatens it, and along NE
    and SW the last column is in no pair. Left to the dice, the field is refused at once, not in some games only."""
    lesser = LESSER.replace("0105", "0301")
    size = (("8x6", "8x1"), ('"0103"', '"0101"'), ("fields:\n", lesser + "fields:\n"))
    can = []
    for facing in Facing:
        path = write(*size, ("open: {}", f"open: {{sets: 1, facing: {facing.name}}}"))
        try:
            scenarios.load(path)
            can.append(facing.name)
        except ScenarioError as problem:
            assert "SET-5" in str(problem)
    assert can == ["N", "SE", "S"]
    assert "SET-5" in refusal(write(*size, ("open: {}", "open: {sets: 1}")))[0]
