"""What a designer would hate is found where it was planted, and nothing where it was not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fc_env import engine, opponents, scenarios
from fc_env.commandline import BAD_INPUT, commands
from fc_env.lab import degenerate, options, saved, standoffs
from fc_env.lab.__main__ import COMMANDS
from fc_env.lab.measuring import scene_setups
from fc_env.lab.options import Met, Table, met
from fc_env.lab.recording import Recorded, record, worth
from fc_env.lab.referee import Player, of_callable
from fc_env.lab.replay import told
from fc_env.lab.spreading import Spread
from fc_env.state import Outcome, Phase
from fc_env.tape import EVENT


def lab(*arguments: str) -> int:
    return commands("python -m fc_env.lab", "", COMMANDS, arguments)


def first_legal(setups: np.ndarray, text: str = "") -> object:
    """An agent that takes the first action it may, and so passes on every card."""

    def answer(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.argmax(axis=1)

    return answer


def player(name: str, setups: np.ndarray) -> Player:
    return of_callable(opponents.resolve(name, setups), setups, name)


def drifters(games: int) -> Recorded:
    setups = scenarios.load("duel", "dense")
    return record(player("drifter", setups), setups, range(games))


# ---- games


def test_what_was_recorded_is_what_was_played() -> None:
    recorded = drifters(6)
    assert (recorded.ends["phase"] == Phase.OVER).all()
    for game, decisions in enumerate(recorded.decisions):
        now = recorded.starts[game : game + 1].copy()
        for decision, action in enumerate(decisions):
            if decision == 7:
                assert recorded.at(game, 7).tobytes() == now.tobytes()
            engine.step(now, [action])
        assert now.tobytes() == recorded.ends[game : game + 1].tobytes()
    won = recorded.ends["outcome"] == Outcome.SEAT_0_WINS
    drawn = recorded.ends["outcome"] == Outcome.DRAW
    assert (recorded.worth == won + 0.5 * drawn).all()


def test_a_game_goes_the_same_way_in_every_batch() -> None:
    setups = scenarios.load("duel", "dense")
    alone = record(player("random", setups), setups, [4])
    together = record(player("random", setups), setups, range(8))
    assert alone.decisions[0] == together.decisions[4]


def test_playing_on_leaves_the_position_as_it_was() -> None:
    recorded = drifters(3)
    games = recorded.starts.copy()
    assert (worth(player("drifter", scenarios.load("duel", "dense")), games) == recorded.worth).all()
    assert games.tobytes() == recorded.starts.tobytes()


def test_quiet_times_are_those_between_what_hurts() -> None:
    events = np.zeros(4, EVENT)
    events["game"], events["turn"], events["value"] = [0, 0, 1, 0], [2, 9, 3, 9], [1, 3, 0, 1]
    events["rule"] = standoffs.Rule.FIR_1
    quiet = standoffs.Quiet(2)
    quiet.watch(events)
    assert quiet.end(np.array([12, 5])).tolist() == [6, 5]  # turns 3 to 8; and a shot that did nothing ends none


def test_fleets_are_alike_or_not_wherever_they_stand() -> None:
    for name, even in (("ambush", False), ("skirmish", True), ("duel", True)):
        assert standoffs.alike(scenarios.load(name)["game"][0]) is even


def test_a_wall_ends_no_quiet_time_and_a_ship_that_is_abandoned_does() -> None:
    events = np.zeros(2, EVENT)
    events["turn"], events["rule"], events["roll"] = [4, 6], [standoffs.Rule.MOV_8, standoffs.Rule.DOOM_2], [-1, 3]
    quiet = standoffs.Quiet(1)
    quiet.watch(events)
    assert quiet.end(np.array([8])).tolist() == [5]


# ---- what is planted is found


def variant(tmp_path: Path, name: str, *changes: tuple[str, str]) -> str:
    """A shipped scenario with some of its text changed."""
    text = scenarios.source(name)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = tmp_path / f"{name}.yaml"
    path.write_text(text)
    return str(path)


def looked_at(scene: str, agent: str, games: int = 40) -> degenerate.Looked:
    return degenerate.look(scene, agent, range(games), "test", 0, Spread())


def kinds(looked: degenerate.Looked) -> set[str]:
    said = degenerate.report("here", looked, None, {"command": "", "versions": {}})
    return {one["kind"] for one in said.figures["findings"]}


def test_sides_that_never_fire_stall() -> None:
    found = kinds(looked_at("duel:open", f"{__name__}:first_legal"))
    assert "stall" in found


def test_a_seat_with_its_back_to_the_edge_loses(tmp_path: Path) -> None:
    text = scenarios.source("duel")
    assert "mirror: true" in text
    enemies = "enemies: [{class: cruiser, flagship: true, hex: '2208', facing: NE}]"
    scene = variant(tmp_path, "duel", ("mirror: true", enemies))
    looked = looked_at(scene, "random")
    assert looked.seat_0.mean() > 0.7 and "seat" in kinds(looked)
    assert "seat" not in kinds(looked_at("duel", "random", games=60))


def test_classes_meet_one_on_one_in_both_seats() -> None:
    setups = scene_setups("skirmish:open")
    ships = standoffs.classes("skirmish:open")
    assert set(ships) == {"cruiser", "escort"}
    alone = standoffs.one_on_one(setups, ships["escort"], ships["cruiser"])["game"][0]
    assert alone["n_ships"].tolist() == [1, 1] and alone["ships"]["flagship"].sum() == 2
    for seat, name in enumerate(("escort", "cruiser")):
        ship, lead = alone["ships"][seat, 0], setups["game"][0]["ships"][seat, 0]
        assert ship["full_hull"] == ships[name]["full_hull"]
        assert [ship[where] for where in ("q", "r", "facing")] == [lead[where] for where in ("q", "r", "facing")]
    fought = standoffs.duels(player("captain", setups), setups, ships, range(40), "test")
    assert fought["cruiser"]["escort"].shape == (80,) and fought["cruiser"]["escort"].mean() > 0.7
    assert (fought["escort"]["cruiser"] == 1.0 - fought["cruiser"]["escort"]).all()
    assert degenerate._classes(fought) == []


def test_a_class_that_never_wins_is_named() -> None:
    never, always, half = np.zeros(200), np.ones(200), np.tile([0.0, 1.0], 100)
    fought = {
        "tug": {"ram": never, "gun": never},
        "ram": {"tug": always, "gun": half},
        "gun": {"tug": always, "ram": half},
    }
    assert [one.text.split("`")[1] for one in degenerate._classes(fought)] == ["tug"]
    assert degenerate._classes({"tug": {}}) == []


# ---- options


def table(means: dict[str, float], times: int, rng: np.random.Generator) -> Table:
    """A position in which options win so often."""
    worths = {place: (rng.random(times) < mean).astype(np.float64) for place, mean in enumerate(means.values())}
    return Table({option: [place] for place, option in enumerate(means)}, worths)


def test_right_and_wrong_are_said_of_what_is_sure() -> None:
    rng = np.random.default_rng(0)
    clear = table({"a": 0.7, "b": 0.5, "c": 0.69}, 4000, rng)
    assert clear.is_right("a") and not clear.is_wrong("a") and clear.matters()
    assert clear.is_wrong("b") and not clear.is_right("b")
    level = table({"a": 0.5, "b": 0.5}, 40_000, rng)
    assert level.is_right("a") and not level.matters()
    unsure = table({"a": 0.6, "b": 0.5}, 16, rng)
    assert not any(said(option) for option in "ab" for said in (unsure.is_right, unsure.is_wrong))


def test_an_option_that_is_never_right_and_one_that_is_never_wrong_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = drifters(30)
    positions = [here for here in met(recorded, 400, np.random.default_rng(0)) if "order drift" in here.options]
    assert len(positions) >= 40

    def planted(player: Player, positions: list[Met], times: int, key: int) -> list[Table]:
        found = []
        for here in positions:
            rng = np.random.default_rng((here.game, here.decision, times))
            means = dict.fromkeys(here.options, 0.5) | {"order drift": 0.3, "order forward": 0.7}
            better = ("order right turn", "order left turn")[here.game % 2]
            means[better] = 0.695  # sometimes near the best, sometimes not
            found.append(table(means, times * 10, rng))
        return found

    monkeypatch.setattr(degenerate, "tables", planted)
    judge = degenerate.Judge("drifter", scenarios.load("duel", "dense"), 200, 1000)
    found = degenerate.verdicts(judge, positions, Spread())
    said = {(one.kind, one.text.split("`")[1]) for one in degenerate._of_options(found)}
    assert said == {("never right", "order drift"), ("never wrong", "order forward")}


def test_options_are_named_whatever_the_ship() -> None:
    seen: set[str] = set()
    setups = scenarios.load("duel", "dense")
    recorded = record(player("captain", setups), setups, range(20))
    positions = met(recorded, 200, np.random.default_rng(1))
    by_phase = {Phase(int(here.position[0]["phase"])) for here in positions}
    assert by_phase == set(options.PHASES) and len(positions) == 200
    for here in positions:
        assert len(here.options) > 1
        actions = [action for chosen in here.options.values() for action in chosen]
        assert sorted(actions) == engine.legal_actions(here.position)
        assert recorded.at(here.game, here.decision).tobytes() == here.position.tobytes()
        seen |= set(here.options)
    assert {"pass", "move", "fire", "power LMH", "order drift", "last hex left"} <= seen


def test_every_action_is_played_on_with_the_same_dice() -> None:
    setups = scenarios.load("duel", "dense")
    recorded = drifters(4)
    positions = met(recorded, 8, np.random.default_rng(2))
    who = player("drifter", setups)
    one = options.tables(who, positions, 3, 5)
    assert [sorted(found.worth) for found in one] == [engine.legal_actions(here.position) for here in positions]
    for here, found in zip(positions, one, strict=True):
        for action, came_to in found.worth.items():
            games = np.repeat(here.position, 3)
            games["seed"] = options._seeds(here, 3, 5)
            engine.step(games, [action] * 3)
            mine = worth(who, games)
            assert (came_to == (mine if here.position[0]["actor"] == 0 else 1 - mine)).all()


# ---- the command


def test_a_report_is_the_same_twice_and_its_games_can_be_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, times in (("SCREENED", 2), ("GLANCED", 10), ("CONFIRMED", 20)):
        monkeypatch.setattr(degenerate, name, times)
    command = ["degenerate", "--scenario", "duel:open", "--agents", f"{__name__}:first_legal", "--games", "24",
               "--positions", "8"]  # fmt: skip
    for name, workers in (("a", "1"), ("b", "2")):
        assert lab(*command, "--workers", workers, "--out", str(tmp_path / name)) == 0
    one, two = (json.loads((tmp_path / name / "report.json").read_text()) for name in ("a", "b"))
    assert {**one, "command": ""} == {**two, "command": ""}
    assert "stall" in {finding["kind"] for finding in one["findings"]}
    game = tmp_path / "a" / "finding-0.json"
    lines = list(told(saved.read(game)))
    assert lines[0] == "turn 1" and any("WIN-1" in line for line in lines)
    capsys.readouterr()
    assert lab("replay", str(game)) == 0
    assert capsys.readouterr().out.splitlines()[1:] == lines


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--positions", "0"], "--positions 0: want a number from 1"),
        (["--games", "1"], "--games 1: want at least 2"),
        (["--scenario", "nowhere"], "nowhere"),
        (["--agents", "nobody"], "nobody"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(given: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("degenerate", *given) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1
