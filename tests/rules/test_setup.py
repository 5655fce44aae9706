"""Section 7: setting up the field (SET), and COR-24."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stating import FACINGS, ahead, is_on

from fc_env import engine, scenarios
from fc_env.errors import ForcedDiceError, ScenarioError
from fc_env.events import Rule
from fc_env.hexgrid import label
from fc_env.state import GAME

SEEDS = range(12 if engine.COMPILED else 3)
SHIP = {"hex": "0103", "facing": "NE", "flagship": True, "dice": "d6 d8 d10", "slowness": 2, "hull": 10}


def load(field: dict[str, Any], size: str = "6x5", ship: str = "0103", **rules: Any) -> np.ndarray:
    """A scenario with one ship and one field."""
    return scenarios.load("crossing", map=size, ships=[{**SHIP, "hex": ship}], rules=rules, fields={"only": field},
                          default_field="only")  # fmt: skip


def placed(*markers: str) -> dict[str, Any]:
    """A field of markers such as ``"0501 S 3"``."""
    names = ("hex", "facing", "density")
    return {"markers": [dict(zip(names, [*m.split()[:2], int(m.split()[2])], strict=True)) for m in markers]}


def markers_of(game: np.void) -> list[tuple[str, str, int]]:
    """Hex, facing and density of each marker."""
    return [
        (label(int(m["q"]), int(m["r"])), FACINGS[m["facing"]], int(m["density"]))
        for m in game["markers"][: game["n_markers"]]
    ]


def rows(width: int, height: int, facing: str) -> dict[str, int]:
    """First hex and length of every row along a facing."""
    back, found = FACINGS[(FACINGS.index(facing) + 3) % 6], {}
    for column in range(1, width + 1):
        for row in range(1, height + 1):
            first = f"{column:02d}{row:02d}"
            if not is_on(width, height, ahead(first, back)):
                found[first] = sum(is_on(width, height, ahead(first, facing, n)) for n in range(width + height))
    return found


@pytest.mark.rule("SET-1")
@pytest.mark.field("long_row_share")
@pytest.mark.parametrize("share", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("size", [(6, 5), (30, 20)])
def test_candidate_rows_are_those_at_least_so_long(size, share):
    setup = load({"sets": 0}, f"{size[0]}x{size[1]}", long_row_share=share)[0]
    for number, facing in enumerate(FACINGS):
        every = rows(*size, facing)
        wanted = {first: length for first, length in every.items() if length >= share * max(every.values())}
        got = setup["rows"][number, : setup["n_rows"][number]]
        assert {label(int(row["q"]), int(row["r"])): int(row["length"]) for row in got} == wanted


@pytest.mark.rule("SET-1", "COR-24")
@pytest.mark.parametrize("seed", range(5))
def test_markers_are_laid_on_candidate_rows(seed):
    game = engine.new(load({"sets": 1, "facing": "NE"}, "30x20", "0110"), [seed])[0]
    every = rows(30, 20, "NE")
    allowed = {
        ahead(first, "NE", n)
        for first, length in every.items()
        if length >= 0.8 * max(every.values())
        for n in range(length)
    }
    assert {where for where, _, _ in markers_of(game)} <= allowed


@pytest.mark.rule("COR-24", "SET-1")
def test_row_and_hex_are_diced_and_again_while_illegal():
    setup = load({"sets": 1, "facing": "N"}, first_drift_safe=False)
    # Along N the rows are the six columns, each from its lowest hex. The ship stands in 0103.
    dice = [1, 3, 2, 1, 2, 1, 2, 2, 6, 5, 1, 1, 3, 1, 4, 1]
    #       ship  0205  taken 0204  0601  0105  0305  0405
    game = engine.new(setup, [1], dice=dice)[0]
    assert [where for where, _, _ in markers_of(game)] == ["0205", "0204", "0601", "0105", "0305", "0405"]
    with pytest.raises(ForcedDiceError):
        engine.new(setup, [1], dice=dice[:-2])


@pytest.mark.rule("COR-24")
def test_rows_and_hexes_are_uniform():
    setup = load({"sets": 1, "facing": "N"}, "6x5", first_drift_safe=False, long_row_share=0.0)
    games = engine.new(setup, range(400))
    first = games["markers"][:, 0]
    columns = np.bincount(first["q"], minlength=6)
    height = np.bincount(first["r"] + (first["q"] >> 1), minlength=5)
    assert columns.min() > 400 / 6 - 40 and columns.max() < 400 / 6 + 40
    assert height.min() > 400 / 5 - 45 and height.max() < 400 / 5 + 45


@pytest.mark.rule("SET-2", "COR-24")
def test_same_means_one_facing_diced_for_all_unless_the_scenario_gives_it():
    games = engine.new(load({"sets": 1}, "30x20", "0110"), range(30))
    facings = games["markers"]["facing"][:, :6]
    assert (facings == facings[:, :1]).all()
    assert len(set(facings[:, 0])) == 6
    given = engine.new(load({"sets": 1, "facing": "SW"}, "30x20", "0110"), range(3))
    assert (given["markers"]["facing"][:, :6] == 4).all()


@pytest.mark.rule("SET-2")
def test_each_means_a_facing_per_marker():
    games = engine.new(load({"sets": 1, "drift": "each"}, "30x20", "0110"), range(20))
    facings = games["markers"]["facing"][:, :6]
    assert len({tuple(row) for row in facings}) == 20
    assert set(facings.ravel()) == set(range(6))


@pytest.mark.rule("SET-2", "COR-24")
def test_markers_placed_one_by_one_keep_their_facings():
    field = {**placed("1510 NW 2"), "sets": 1, "facing": "S"}
    game = engine.new(load(field, "30x20", "0110"), [3])[0]
    assert markers_of(game)[0] == ("1510", "NW", 2)
    assert {facing for _, facing, _ in markers_of(game)[1:]} == {"S"}
    diced = engine.new(load({**placed("1510 NW 2"), "sets": 1}, "30x20", "0110"), range(12))
    assert len(set(diced["markers"]["facing"][:, 1])) > 1


@pytest.mark.rule("SET-3")
@pytest.mark.parametrize("field, sets", [("open", 0), ("standard", 1), ("dense", 3), ("improbable", 6)])
def test_sets_of_the_six_densities(field, sets):
    game = engine.new(scenarios.load("crossing", field=field), [5])[0]
    assert sorted(density for _, _, density in markers_of(game)) == sorted([1, 2, 3, 4, 5, 6] * sets)


def greatest_reaches(markers: list[tuple[str, str, int]], width: int, height: int, die: int) -> list[int]:
    """SET-4 once more, by walking: the die, plus one for each other piece that could be on the way."""
    reaches = [die] * len(markers)

    def way(index: int) -> list[str]:
        hexname, facing, _ = markers[index]
        hexes = []
        for n in range(1, reaches[index] + 1):
            if not is_on(width, height, ahead(hexname, facing, n)):
                break
            hexes.append(ahead(hexname, facing, n))
        return hexes

    while True:
        ways = [way(index) for index in range(len(markers))]
        wider = []
        for index in range(len(markers)):
            others = [
                other for other in range(len(markers))
                if other != index and {markers[other][0], *ways[other]} & set(ways[index])
            ]  # fmt: skip
            wider.append(max(reaches[index], die + len(others)))
        if wider == reaches:
            return reaches
        reaches = wider


@pytest.mark.rule("SET-4")
@pytest.mark.parametrize("field, size, die", [({"sets": 3}, "14x10", 6), ({"sets": 2, "drift": "each"}, "12x9", 4)])
def test_no_ship_stands_within_the_greatest_reach(field, size, die):
    width, height = map(int, size.split("x"))
    ship = "0705"
    games = engine.new(load(field, size, ship, drift_die=die), SEEDS)
    for game in games:
        markers = markers_of(game)
        reaches = greatest_reaches(markers, width, height, die)
        for (hexname, facing, _), reach in zip(markers, reaches, strict=True):
            assert ship not in [ahead(hexname, facing, n) for n in range(1, reach + 1)]


@pytest.mark.rule("SET-4")
@pytest.mark.field("first_drift_safe")
def test_first_drift_safe_is_a_field():
    setup = load({"sets": 3}, "14x10", "0705", first_drift_safe=False)
    touched = 0
    for game in engine.new(setup, range(12)):
        touched += any("0705" in [ahead(w, f, n) for n in range(1, 7)] for w, f, _ in markers_of(game))
    assert touched


@pytest.mark.rule("SET-4")
@pytest.mark.parametrize(
    "ship, markers, safe",
    [
        ("0508", ["0501 S 3"], True),  # seven ahead, reach six
        ("0507", ["0501 S 3"], False),  # six ahead
        ("0501", ["0508 S 3"], True),  # behind
        ("0508", ["0501 S 3", "0503 N 1"], False),  # a marker on the way: reach seven
        ("0509", ["0501 S 3", "0503 N 1"], True),
        ("0508", ["0501 S 3", "0605 NW 1"], False),  # one that could come to the way
        ("0508", ["0501 S 3", "0605 SE 1"], True),  # one that moves away from it
        ("0509", ["0501 S 3", "0503 N 1", "0807 NW 1"], False),  # the first widens the reach to the second
        ("0509", ["0501 S 3", "0807 NW 1"], True),
        ("0508", ["0501 S 3", "0509 S 1"], True),  # beyond the ship, moving away
    ],
)
def test_reach_is_widened_by_other_pieces(ship, markers, safe):
    field = placed(*markers)
    if safe:
        load(field, "20x20", ship)
    else:
        with pytest.raises(ScenarioError, match="SET-4"):
            load(field, "20x20", ship)
        load(field, "20x20", ship, first_drift_safe=False)


@pytest.mark.rule("SET-4")
@pytest.mark.field("drift_die")
def test_reach_follows_the_drift_die():
    load(placed("0501 S 3"), "20x20", "0507", drift_die=4)
    with pytest.raises(ScenarioError, match="SET-4"):
        load(placed("0501 S 3"), "20x20", "0508", drift_die=8)


@pytest.mark.rule("SET-5")
@pytest.mark.parametrize("field", [{"sets": 2}, {"sets": 2, "facing": "N"}, {"sets": 2, "drift": "each"}])
def test_field_that_cannot_be_laid_is_refused_and_never_thinned(field):
    with pytest.raises(ScenarioError, match="SET-5"):
        load(field, "4x2", "0101")


@pytest.mark.rule("SET-5")
def test_refusal_leaves_games_unchanged():
    setup = load({"sets": 1, "facing": "N"}, "6x5", "0103", first_drift_safe=False)
    crowded = setup.copy()
    crowded["game"]["width"], crowded["n_rows"] = 2, 1  # five hexes for six markers
    games = engine.new(setup, [1, 2])
    before = games.tobytes()
    with pytest.raises(ScenarioError, match="SET-5"):
        engine.new_into(games, np.concatenate([setup, crowded]), np.array([3, 4], np.uint64), [0, 1])
    assert games.tobytes() == before


def test_facings_a_scenario_leaves_open_are_diced():
    setup = scenarios.load("crossing", field="open")
    assert [int(engine.new(setup, [1], dice=[die])["ships"][0, 0, 0]["facing"]) for die in (1, 2)] == [1, 2]


def laid(setup: np.ndarray, dice: list[int | str] | None, *rules: Rule) -> list[tuple[Any, ...]]:
    """Ship, marker, hex, roll and value of the rows of some rules when a game is set up."""
    games = np.zeros(1, GAME)
    events = engine.new_into(games, setup, np.array([1], np.uint64), dice=dice, record=True).events
    return [
        (int(e["ship"]), int(e["marker"]), label(int(e["q"]), int(e["r"])), int(e["roll"]), int(e["value"]))
        for e in events[np.isin(events["rule"], rules)]
    ]


OFF = label(-1, -1)


@pytest.mark.rule("SET-2")
def test_rows_of_the_facing():
    assert laid(load({"sets": 1, "facing": "SW"}), None, Rule.SET_2) == [(-1, -1, OFF, -1, 4)]
    (diced,) = laid(load({"sets": 1}), None, Rule.SET_2)
    assert diced[:3] == (-1, -1, OFF) and diced[3] == diced[4] + 1
    each = laid(load({"sets": 1, "drift": "each"}, "30x20"), None, Rule.SET_2)
    assert [row[1] for row in each] == list(range(6)) and all(row[3] == row[4] + 1 for row in each)
    entering = laid(scenarios.load("crossing", field="open"), [2], Rule.SET_2)
    assert [(ship, marker, roll, value) for ship, marker, _, roll, value in entering] == [(0, -1, 2, 2)]


@pytest.mark.rule("COR-24", "SET-4")
def test_rows_of_places_that_are_refused():
    dice = [1, 3, 2, 1, 2, 1, 2, 2, 6, 5, 1, 1, 3, 1, 4, 1]
    taken = load({"sets": 1, "facing": "N"}, first_drift_safe=False)
    assert laid(taken, dice, Rule.COR_24, Rule.SET_4) == [(-1, 0, "0103", -1, 1), (-1, 1, "0205", -1, 1)]
    # Along N in column 01 a marker below the ship threatens it, and a hex that is taken is taken first.
    safe = load({"sets": 1, "facing": "N"})
    dice = [1, 2, 1, 3, 2, 1, 2, 2, 2, 3, 3, 1, 3, 2, 3, 3]
    rows = laid(safe, dice, Rule.COR_24, Rule.SET_4)
    assert rows == [(-1, 0, "0104", -1, 1), (-1, 0, "0103", -1, 2)]
    assert [row[:2] for row in laid(safe, dice, Rule.SET_4)] == [(-1, 0)]


@pytest.mark.rule("TURN-1")
def test_the_first_turn_begins_after_the_field_is_laid():
    games = np.zeros(1, GAME)
    events = engine.new_into(games, load({"sets": 1}), np.array([1], np.uint64), record=True).events
    assert [int(rule) for rule in events["rule"][-2:]] == [Rule.SET_1, Rule.TURN_1]
    assert events["value"][-1] == 1
