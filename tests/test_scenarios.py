"""Scenario files: what is shipped, what a record comes out as, and how it may be said."""

from __future__ import annotations

import importlib.resources
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scenario_texts import LESSER, refusal

from fc_env import engine, scenarios
from fc_env.errors import ScenarioError
from fc_env.events import Rule
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST, label, parse_label
from fc_env.rules.setup import SETUP
from fc_env.ruleset import RuleSet, from_record
from fc_env.state import MAX_MARKERS, Facing, Mode, Phase, Status

# ---- what is shipped


def test_shipped_scenarios():
    assert scenarios.names() == ["ambush", "battle", "convoy", "crossing", "duel", "skirmish", "tiny"]
    assert scenarios.fields("crossing") == ["open", "standard", "dense", "improbable"]
    for name in scenarios.names():
        said = scenarios.scenario(name)
        assert said.name == name and len(said.description) > 40


@pytest.mark.parametrize(("field", "sets"), [("open", 0), ("standard", 1), ("dense", 3), ("improbable", 6)])
def test_crossing(field, sets):
    setups = scenarios.load("crossing", field=field)
    assert setups.shape == (1,) and setups.dtype == SETUP
    setup, game = setups[0], setups[0]["game"]
    assert (game["width"], game["height"], game["goal"], game["mode"]) == (30, 20, EAST, Mode.CROSSING)
    assert from_record(game["rules"]) == RuleSet(turn_limit=40)
    assert (game["turn"], game["phase"], game["card"], game["asked"]) == (1, Phase.POWER, -1, -1)
    assert list(game["n_ships"]) == [1, 0] and list(game["side_token"]) == [0, 1]
    ship = game["ships"][0, 0]
    values = {"status": Status.IN_PLAY, "token": 0, "flagship": 1, "slowness": 2, "volleys": 2, "torpedoes": 0,
              "lasers": 1, "hull": 10, "full_hull": 10, "crew": 0, "captain": 0, "power": 0, "order": 0}  # fmt: skip
    assert {key: ship[key] for key in values} == values
    assert list(ship["power_dice"]) == [6, 8, 10] and label(ship["q"], ship["r"]) == "0110"
    assert not game["ships"][1].view(np.int32).any()
    assert setup["facing_choices"][0, 0] == (1 << Facing.NE) | (1 << Facing.SE)
    assert (game["n_markers"], setup["n_placed"], setup["drift_each"], setup["field_facing"]) == (6 * sets, 0, 0, -1)
    assert list(game["markers"]["density"]) == [1, 2, 3, 4, 5, 6] * sets + [0] * (MAX_MARKERS - 6 * sets)
    # Rows north and south are 20 long, and slanting ones at most 30: of the longest at least 80%.
    assert list(setup["n_rows"]) == [30, 11, 12, 30, 11, 12]


def test_crossing_is_standard_by_default():
    assert scenarios.load("crossing") == scenarios.load("crossing", "standard")


@pytest.mark.rule("SET-2", "SET-3", "MAP-5")
@pytest.mark.parametrize(("field", "n"), [("standard", 12), ("dense", 12), ("improbable", 2)])
def test_set_2_and_set_3_games_laid_from_it(field, n):
    games = engine.new(scenarios.load("crossing", field), range(n))
    count = int(games["n_markers"][0])
    facings = games["ships"]["facing"][:, 0, 0]
    assert set(facings) == {Facing.NE, Facing.SE} or n == 2
    markers = games["markers"][:, :count]
    assert (markers["facing"] == markers["facing"][:, :1]).all()
    assert len(set(markers["facing"][:, 0])) > min(2, n - 2)
    for game in markers:
        assert len({(int(q), int(r)) for q, r in zip(game["q"], game["r"], strict=True)}) == count
    contacts = engine.run_phase(games, "drift").events
    assert not np.isin(contacts["rule"], [Rule.CON_1, Rule.CON_2]).any()


def test_tiny_is_small_and_placed():
    setup = scenarios.load("tiny")[0]
    game = setup["game"]
    assert (game["width"], game["height"], game["n_markers"], setup["n_placed"]) == (6, 5, 2, 2)
    assert game["rules"]["turn_limit"] <= 12 and game["ships"][0, 0]["hull"] <= 6
    first, second = engine.new(scenarios.load("tiny"), [0, 1])["markers"]
    assert (first == second).all()


def test_data_is_found_as_package_data():
    data = importlib.resources.files("fc_env") / "data"
    assert {"crossing.yaml", "tiny.yaml", "scenario.schema.json"} <= {file.name for file in data.iterdir()}


def test_shipped_schema_is_the_models():
    shipped = (importlib.resources.files("fc_env") / "data" / "scenario.schema.json").read_text(encoding="utf-8")
    assert json.loads(shipped) == scenarios.schema(), (
        "run: python -m fc_env.scenarios schema > fc_env/data/scenario.schema.json"
    )


def test_schema_says_what_is_refused():
    schema = scenarios.schema()
    assert schema["additionalProperties"] is False
    rules = schema["$defs"]["RuleSet"]["properties"]
    assert set(rules) == set(RuleSet.model_fields)
    assert rules["turn_limit"] | {"minimum": 1, "maximum": 1000, "default": 40} == rules["turn_limit"]
    assert rules["drift_die"]["enum"] == [4, 6, 8, 10, 12, 20]
    assert schema["$defs"]["MarkerEntry"]["properties"]["density"]["maximum"] == 6
    assert set(schema["required"]) == {"name", "map", "ships", "fields"}


# ---- what a file may say


def test_usual_values_and_path_kinds(write):
    path = write()
    setup = scenarios.load(path)[0]
    ship = setup["game"]["ships"][0, 0]
    assert (ship["lasers"], ship["volleys"], ship["torpedoes"]) == (0, 1, 0)
    assert (ship["facing"], setup["facing_choices"][0, 0], setup["game"]["n_markers"]) == (Facing.NE, 0, 0)
    assert scenarios.load(str(path)) == scenarios.load(path)
    assert scenarios.fields(str(path)) == ["open"]


def test_path_without_a_folder(write, monkeypatch):
    monkeypatch.chdir(write().parent)
    Path("some.yaml").rename("other.yml")
    assert scenarios.fields("other.yml") == ["open"]
    Path("other.yml").rename("other")
    assert scenarios.fields("./other") == scenarios.fields(Path("other")) == ["open"]
    with pytest.raises(ScenarioError, match="scenario 'other': want one of ambush, battle, convoy"):
        scenarios.load("other")


@pytest.mark.rule("SHIP-2")
def test_ship_2_lesser_ships(write):
    game = scenarios.load(write(("fields:\n", LESSER + "fields:\n")))[0]["game"]
    ship = game["ships"][0, 1]
    assert list(game["n_ships"]) == [2, 0] and ship["token"] == 1 and not ship["flagship"]
    assert ship["crew"] == sum(1 << rank for rank in (2, 3, 4, 7)) and ship["captain"] == (1 << 11) | (1 << 12)


SAME = [
    ('hex: "0103"', "hex: 0103"),
    ("dice: d6 d8 d10", "dice: [d6, d8, d10]"),
    ("dice: d6 d8 d10", "dice: [10, d6, 8]"),
    ("dice: d6 d8 d10", "dice: d10 d8 d6"),
    ("facing: NE", "facing: [NE]"),
    ("goal: east", "goal: [east]"),
    ("goal: east", "goal: east\nmode: crossing\ndefault_field: open"),
    ("open: {}", "open: {sets: 0, drift: same, markers: []}"),
]


@pytest.mark.parametrize("change", SAME, ids=[new for _, new in SAME])
def test_other_ways_to_say_the_same(write, change):
    expected = scenarios.load(write())
    assert scenarios.load(write(change)) == expected


@pytest.mark.parametrize("crew", ["2-4,7", "'2 - 4, 7'", "[2, 3, 4, 7]", "7,2-4"])
def test_crew_spellings(write, crew):
    path = write(("fields:\n", LESSER.replace("2-4,7", crew) + "fields:\n"))
    assert scenarios.load(path)[0]["game"]["ships"][0, 1]["crew"] == 0b10011100


def test_crew_of_one_rank_and_captain_list(write):
    lesser = LESSER.replace("2-4,7", "9").replace("JQ", "[K]")
    ship = scenarios.load(write(("fields:\n", lesser + "fields:\n")))[0]["game"]["ships"][0, 1]
    assert (ship["crew"], ship["captain"]) == (1 << 9, 1 << 13)


def test_several_goal_edges(write):
    goals = write(("goal: east", "goal: [north, west, south]"))
    assert scenarios.load(goals)[0]["game"]["goal"] == NORTH | WEST | SOUTH


def test_placed_markers_and_sets(write):
    field = "open: {sets: 1, facing: S, markers: [{hex: 0802, facing: N, density: 6}]}"
    setups = scenarios.load(write(("open: {}", field)))
    setup, markers = setups[0], setups[0]["game"]["markers"]
    assert (setup["n_placed"], setup["game"]["n_markers"], setup["field_facing"]) == (1, 7, Facing.S)
    assert (markers[0]["q"], markers[0]["r"]) == parse_label("0802") and markers[0]["facing"] == Facing.N
    assert list(markers["density"][:8]) == [6, 1, 2, 3, 4, 5, 6, 0]
    game = engine.new(setups, [3])[0]
    assert game["markers"][0] == markers[0] and set(game["markers"]["facing"][1:7]) == {Facing.S}


@pytest.mark.rule("SET-2", "COR-24")
def test_set_2_drift_each(write):
    setups = scenarios.load("crossing", fields={"each": {"sets": 6, "drift": "each"}}, default_field="each")
    assert setups[0]["drift_each"] == 1
    facings = engine.new(setups, [1])["markers"]["facing"]
    assert len(set(facings.ravel())) == 6


# ---- changes by argument


def test_rules_by_argument(write):
    path = write()
    rules = from_record(scenarios.load(path, rules={"jokers": 0, "map_edge": "wall"})[0]["game"]["rules"])
    assert rules == RuleSet(turn_limit=9, jokers=0, map_edge="wall")
    whole = RuleSet(jokers=1)
    assert from_record(scenarios.load(path, rules=whole)[0]["game"]["rules"]) == whole


def test_keys_by_argument(write):
    game = scenarios.load(write(), goal="north", map="10x6")[0]["game"]
    assert (game["goal"], game["width"]) == (NORTH, 10)


def test_bad_arguments_are_named_without_a_line(write):
    path = write()
    assert refusal(path, rules={"jokers": 5}) == [
        " rules.jokers is 5: want a value from 0 to 4 (CARD-2: jokers in the deck)"
    ]
    assert refusal(path, rules={"joker": 1})[0].startswith(" rules.joker is not a key: did you mean 'jokers'? ")
    assert refusal(path, goals="east")[0].startswith(" goals is not a key: did you mean 'goal'? ")
    assert refusal(path, map="7x6")[0].startswith(" map is '7x6': want an even width from 2 to 98")
    assert refusal(path, field="opne") == [" field 'opne': did you mean 'open'? want one of open"]
    for field in (3, ["open"], True):
        assert "want one of open" in refusal(path, field=field)[0]
    with pytest.raises(ScenarioError, match=r"rules is 5: want a mapping"):
        scenarios.load(path, rules=5)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("crosing", "scenario 'crosing': did you mean 'crossing'? want one of ambush, battle, convoy, crossing"),
        ("", "scenario '': want one of ambush, battle"),
        ("zzz", "scenario 'zzz': want one of"),
        (5, "scenario 5: want a name"),
        (None, "scenario None: want a name"),
        ("none/such.yaml", "none/such.yaml: there is no such file"),
        ("../crossing", "../crossing: there is no such file"),
    ],
)
def test_unknown_scenario(name, says):
    with pytest.raises(ScenarioError) as refused:
        scenarios.load(name)
    assert str(refused.value).startswith(says)


# ---- the command line


def run(*arguments):
    return scenarios.main(list(arguments))


def test_check_command(write, capsys):
    path = str(write())
    assert run("check", "crossing", path) == 0
    assert capsys.readouterr().out.splitlines() == [
        "crossing: good, fields open, standard, dense, improbable",
        f"{path}: good, fields open",
    ]
    path = str(write(("8x6", "7x6")))
    assert run("check", path, "tiny") == 2
    out, err = capsys.readouterr()
    assert out == "tiny: good, fields pair\n"
    assert err.splitlines() == [
        f"{path}:2: map is '7x6': want an even width from 2 to 98 (MAP-1: columns, an even number, times hexes of a "
        "column, such as 30x20)"
    ]


def test_schema_command(capsys):
    assert run("schema") == 0
    assert json.loads(capsys.readouterr().out) == scenarios.schema()


@pytest.mark.parametrize(("arguments", "status"), [([], 2), (["check"], 2), (["draw"], 2), (["--help"], 0)])
def test_usage(arguments, status, capsys):
    assert run(*arguments) == status
    assert "usage: python -m fc_env.scenarios" in "".join(capsys.readouterr())


def test_command_ends_with_status_2_and_no_traceback(write):
    path = write(("hull: 10", "hull: 0"))
    done = subprocess.run(
        [sys.executable, "-m", "fc_env.scenarios", "check", str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    said = [line for line in done.stderr.splitlines() if not line.startswith("fc_env: compiling")]
    assert said == [f"{path}:12: ships[0].hull is 0: want a value from 1 to 1000 (hull points)"]
