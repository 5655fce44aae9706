"""The benchmark works and counts right; it asserts no times."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fc_env.bench import __main__ as command
from fc_env.bench import peers, rows, training
from fc_env.bench.document import MARKED, blocks, update
from fc_env.bench.goals import AbsentError, Effort, Found, Goal, measured, rates, ratios, report, significant
from fc_env.bench.playing import Counts, batch_player, single_player
from fc_env.errors import ConfigError
from fc_env.opponents import any_legal_range

BRIEF = Effort(2, 0.02)


def test_pick_takes_each_legal_action() -> None:
    masks = np.zeros((3, 26), np.bool_)
    masks[0, [1, 4]] = masks[1, [0, 20, 25]] = masks[2, 7] = True
    actions = np.zeros(3, np.int64)
    found: list[set[int]] = [set(), set(), set()]
    for draw in (0.0, 0.4, 0.6, 0.999999):
        any_legal_range(masks, np.full(3, draw), actions)
        for i, action in enumerate(actions):
            found[i].add(int(action))
    assert found == [{1, 4}, {0, 20, 25}, {7}]


@pytest.mark.parametrize("player", [lambda: batch_player("tiny", None, 4), lambda: single_player("tiny", None)])
def test_what_is_counted(player: Any) -> None:
    play = player()
    rounds = [play(0.05) for _ in range(3)]
    decisions, turns, games = (sum(getattr(c, what) for c in rounds) for what in ("decisions", "turns", "games"))
    assert decisions > 0 and all(count.seconds >= 0.05 for count in rounds)
    assert games <= turns + 4 and turns <= 8 * (games + 4) and turns < decisions


# ---- goals


def constant(rate: int) -> Any:
    return lambda seconds: Counts(rate, rate // 10, rate // 100, 1.0)


def test_rates_and_ratios() -> None:
    found = rates(constant(1000), Effort(5, 1.0))
    assert found.values == [1000.0] * 5 and found.beside == {"turns_per_second": 100.0, "games_per_second": 10.0}
    found = ratios(constant(3000), constant(1500), Effort(5, 1.0))
    assert found.values == [2.0] * 5 and found.beside == {"ours_per_second": 3000.0, "theirs_per_second": 1500.0}


@pytest.mark.parametrize(
    ("values", "lower", "limit", "met"),
    [
        ([1.0, 9.0, 9.0], False, None, "no"),
        ([10.0, 10.0, 99.0], False, None, "floor"),
        ([20.0, 20.0, 0.0], False, None, "aim"),
        ([21.0], True, None, "no"),
        ([15.0], True, None, "floor"),
        ([5.0], True, 4.0, "no"),
        ([4.0], True, 4.0, "aim"),
    ],
)
def test_what_is_met(values: list[float], lower: bool, limit: float | None, met: str) -> None:
    floor, aim = (20.0, 10.0) if lower else (10.0, 20.0)
    goal = Goal("some", "something", "s", lambda effort: Found(values, {}, limit), floor, aim, lower)
    result = measured([goal], BRIEF, 1)[0]
    assert result["met"] == met and result["median"] == np.median(values) and result["rounds"] == len(values)
    assert (result["floor"], result["aim"]) == ((floor, aim) if limit is None else (limit, limit))


def test_a_row_without_a_goal_and_one_that_is_absent() -> None:
    def absent(effort: Effort) -> Found:
        raise AbsentError("nothing is installed")

    told = [Goal("some", "something", "s", lambda effort: Found([2.0, 2.0])), Goal("other", "other", "s", absent, 1, 2)]
    results = [measured([goal], BRIEF, 1)[0] for goal in told]
    assert results[0]["met"] == "" and results[1]["absent"] == "nothing is installed" and "median" not in results[1]
    printed = report({"machine": {"cores": 2}, "rows": results})
    assert "cores: 2" in printed and "absent: nothing is installed" in printed


def test_numbers_are_rounded_to_what_can_be_told() -> None:
    assert [significant(value) for value in (123456.7, 1.23456, 0.0, 999.94)] == [123457.0, 1.235, 0.0, 999.9]


def test_names_are_unique_and_goals_the_right_way_round() -> None:
    names = [row.name for row in rows.ALL]
    assert len(set(names)) == len(names)
    for row in rows.ALL:
        if row.floor is not None and row.aim is not None:
            assert (row.aim < row.floor) == row.lower, row.name
    assert {row.name for row in rows.GOALS if not row.floor} == {
        "events-off", "battle-aids", "duel-aids", "crossing-aids", "ppo-share-aids", "ppo-steps-aids",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["threads-1024", "clone", "memory", "cartpole", "part-rules", "part-mask", "markers-36"]
)
def test_rows_are_measured(name: str) -> None:
    row = next(row for row in rows.ALL if row.name == name)
    result = measured([row], BRIEF, 1)[0]
    assert result["rounds"] == 2 and 0 < result["low_quartile"] <= result["median"] <= result["high_quartile"]


def test_the_parts_add_up() -> None:
    shares = {row.name: measured([row], BRIEF, 1)[0]["beside"]["percent_of_all"] for row in rows.PARTS}
    in_place_of_the_plain_one = shares.pop("part-aided-observation")
    assert sum(shares.values()) == pytest.approx(100, abs=0.5)
    assert in_place_of_the_plain_one > shares["part-observation"]


@pytest.mark.parametrize("peer", [peers.envpool_backgammon, peers.connect_four, peers.open_spiel_backgammon])
def test_peers_play_or_are_absent(peer: Any) -> None:
    try:
        play = peer()
    except AbsentError as reason:
        assert len(str(reason).splitlines()) == 1
        return
    assert play(0.05).decisions > 0


def test_training_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sb3_contrib")
    import torch
    from torch.distributions import Distribution

    # What measuring sets is set back, so that later tests find it as it was.
    threads, validates = torch.get_num_threads(), Distribution._validate_args
    for name, value in (("N_ENVS", 4), ("N_STEPS", 8), ("BATCH_SIZE", 16), ("EPOCHS", 1), ("TWO", 1)):
        monkeypatch.setattr(training, name, value)
    training._rollouts.cache_clear()
    try:
        shares, steps = training.share(True, BRIEF), training.steps(True, BRIEF)
    finally:
        torch.set_num_threads(threads)
        Distribution.set_default_validate_args(validates)
        training._rollouts.cache_clear()
    assert len(shares.values) == len(steps.values) == 2
    assert all(0 < share < 100 for share in shares.values) and all(rate > 0 for rate in steps.values)


# ---- the command line


def test_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "numbers.json"
    given = ["--quick", "--rounds", "1", "--json", str(path), "--only", "single", "clone"]
    assert command.main(given) == 0
    results = json.loads(path.read_text(encoding="utf-8"))
    assert results["machine"]["cores"] >= 1 and [row["name"] for row in results["rows"]] == ["single", "clone"]
    printed = capsys.readouterr().out
    single = results["rows"][0]
    assert single["floor"] == 100_000 and single["met"] in ("aim", "floor", "no")
    assert {"turns_per_second", "games_per_second"} == set(single["beside"]) and "games per second" in printed
    assert f"{single['median']:,.0f}" in printed and "\nclone " in printed


def test_what_is_measured_when_nothing_is_named() -> None:
    def names(*arguments: str) -> list[str]:
        return [row.name for row in command.chosen(command._parser().parse_args(arguments))]

    assert names() == [row.name for row in rows.GOALS]
    slow = {row.name for row in rows.GOALS if row.name.endswith("-aids")} | {"import-cold", "events-off"}
    assert set(names()) - set(names("--quick")) == slow
    assert names("--peers", "--parts") == [row.name for row in (*rows.PEERS, *rows.PARTS)]
    assert names("--all") == [row.name for row in rows.ALL]
    assert names("--quick", "--only", "import-cold", "duel") == ["duel", "import-cold"]


def a_row(name: str) -> dict[str, Any]:
    told = {"name": name, "what": f"what {name} is", "unit": "s", "floor": 1.0, "aim": None, "met": "floor"}
    numbers = {"median": 2.0, "low_quartile": 1.5, "high_quartile": 2500.0, "rounds": 5}
    return told | numbers | {"beside": {"turns_per_second": 7.0, "games_per_second": 3.0}}


def test_tables_are_put_between_their_marks(tmp_path: Path) -> None:
    machine = {"processor": "Some", "cores": 2, "system": "Linux", "numba": "0.68"}
    results = {"machine": machine, "rows": [a_row(row.name) for row in (*rows.GOALS, *rows.PARTS, rows.PEERS[0])]}
    found = blocks(results)
    assert set(found) == {"goals", "parts", "rates", "machine"}, "peers were not all measured"
    path = tmp_path / "some.md"
    marked = "<!-- bench: {} -->\n{}\n<!-- end -->\n"
    path.write_text("one\n" + "two\n".join(marked.format(*x) for x in (("goals", "stale"), ("peers", "kept"))), "utf-8")
    update(path, results)
    text = path.read_text("utf-8")
    assert "stale" not in text and "\nkept\n" in text and text.startswith("one\n<!-- bench: goals -->\n| what |")
    assert "| `clone`: what clone is | 2 s | 1.5 to 2,500 | 1 |  | floor |\n" in text
    update(path, results)
    assert path.read_text("utf-8") == text
    path.write_text("nothing", "utf-8")
    with pytest.raises(ConfigError, match="has no marks"):
        update(path, results)


def test_the_documents_have_the_marks_that_are_filled() -> None:
    root = Path(__file__).resolve().parent.parent
    texts = [(root / name).read_text(encoding="utf-8") for name in ("README.md", "docs/performance.md")]
    known = {*rows.groups(), "rates", "machine"}
    assert {match[2] for text in texts for match in MARKED.finditer(text)} == known


def test_bad_input_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    missing = str(tmp_path / "no" / "such.json")
    for wrong in (["--rounds", "0"], ["--rounds", "3"], ["--rounds", "x"], ["--sounds"], ["--only", "noise"]):
        assert command.main(wrong) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and wrong[-1] in error
    assert command.main(["--quick", "--only", "clone", "--json", missing]) == 2
    assert missing in capsys.readouterr().err


def test_laps_share_out_the_rounds_of_every_row() -> None:
    order: list[tuple[str, int]] = []

    def row(name: str, limit: float | None) -> Goal:
        def measure(effort: Effort) -> Found:
            order.append((name, effort.rounds))
            if name == "gone":
                raise AbsentError("is not here")
            return Found([float(len(order))] * effort.rounds, {"beside": float(len(order))}, limit)

        return Goal(name, "", "", measure)

    first, second, gone = measured([row("a", None), row("b", 2.0), row("gone", None)], Effort(5, 1.0), 3)
    assert order == [("a", 2), ("b", 2), ("gone", 2), ("a", 2), ("b", 2), ("a", 1), ("b", 1)]
    assert (first["rounds"], first["median"], first["beside"]) == (5, 4.0, {"beside": 4.0})
    assert (second["floor"], second["aim"], gone["absent"]) == (2.0, 2.0, "is not here")
