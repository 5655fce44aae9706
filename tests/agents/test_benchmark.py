"""The frozen suite: what it is, what it scores, and that a submission is what it says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_battle import small_battle

import agents.__main__ as door
from agents.lab import benchmark, ledger, scores, submission, suite
from agents.lab.players import player
from agents.lab.suite import Task
from fc_env import scenarios
from fc_env.errors import ConfigError
from fc_env.lab.playing import play, sides_of

# ---- the suite as it ships


def test_the_suite_is_frozen() -> None:
    said = suite.about()
    assert (said["name"], said["version"], said["opponent"]) == ("FC-6", 1, "captain")
    assert list(said["tasks"]) == [
        "crossing/standard", "crossing/dense", "crossing/improbable", "duel/standard", "skirmish/standard",
        "battle/standard",
    ]  # fmt: skip
    assert len(suite.SEEDS) == 500 and set(suite.QUICK_SEEDS) < set(suite.SEEDS)
    # The file is refused if the digest is another; then the suite wants a new version.
    reference = suite.read_reference()
    assert {"random", "captain"} <= set(reference)
    for results in reference.values():
        for task in suite.TASKS:
            assert results[task.name].shape == (500, sides_of(task.setups()))


@pytest.mark.parametrize("task", suite.TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("name", ["random", "captain"])
def test_the_reference_is_what_is_played_today(name: str, task: Task) -> None:
    """A change of a rule, the dice, a scenario or the captain that alters games wants a new version of the suite."""
    wanted = suite.read_reference()[name][task.name]
    rows = submission.play_chunk(name, task, suite.SEEDS[:4], None)
    assert suite.results_of(rows)[task.name].tolist() == wanted[:4].tolist()


# ---- a small suite of its own, to be quick


SETUPS = {"tiny/pair": scenarios.load("tiny"), "small/pair": small_battle(hull=4)}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and a suite of two tasks on six seeds, with ``zigzag`` at 100."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "TASKS", (Task("tiny", "pair"), Task("small", "pair")))
    monkeypatch.setattr(suite, "SEEDS", range(50, 56))
    monkeypatch.setattr(suite, "QUICK_SEEDS", range(50, 53))
    monkeypatch.setattr(suite, "OPPONENT", "drifter")
    monkeypatch.setattr(suite, "HUNDRED", "zigzag")
    monkeypatch.setattr(suite, "_load", lambda task: SETUPS[task.name])
    monkeypatch.setattr(submission, "CHUNK", 4)
    return tmp_path


@pytest.fixture
def handed_in(small: Path) -> Path:
    """A submission of ``random``."""
    return benchmark.measure("random", small / "in")


def read_lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def seal(file: Path, lines: list[dict[str, Any]]) -> Path:
    """A submission with these lines and a good digest."""
    first, *rows, _ = lines
    ledger.seal(file, first.pop("kind"), {key: value for key, value in first.items() if key != "format"}, rows)
    return file


def test_every_game_of_the_suite_is_played_and_kept(handed_in: Path) -> None:
    header, rows = submission.read(handed_in)
    assert header["card"] == {"agent": "random"} and header["comparable"] and "numpy" in header["versions"]
    assert sorted((row["task"], row["seed"]) for row in rows) == sorted(
        (task, seed) for task in SETUPS for seed in range(50, 56)
    )
    for name, setups in SETUPS.items():
        players = [player(one, setups) for one in ("random", "drifter")[: sides_of(setups)]]
        played = play(players, setups, range(50, 56))
        assert (2 * suite.results_of(rows)[name] - 1).tolist() == played.result.tolist()


def test_a_run_that_was_cut_off_goes_on(handed_in: Path, small: Path) -> None:
    results = handed_in.with_name(benchmark.RESULTS)
    whole = results.read_bytes()
    handed_in.unlink()
    results.write_bytes(whole[: len(whole) * 2 // 3])
    assert benchmark.measure("random", small / "in") == handed_in
    _, rows = submission.read(handed_in)
    assert len(rows) == 12
    with pytest.raises(ConfigError, match=r'card\.agent is "random" there, here it is "drifter"'):
        benchmark.measure("drifter", small / "in")
    with pytest.raises(ConfigError, match="seeds"):
        benchmark.measure("random", small / "in", quick=True)


def test_a_score_by_hand(small: Path) -> None:
    reference = {
        "random": {"tiny/pair": np.full((6, 1), 0.0), "small/pair": np.full((6, 2), 0.25)},
        "zigzag": {"tiny/pair": np.full((6, 1), 0.5), "small/pair": np.full((6, 2), 0.75)},
    }
    results = {"tiny/pair": np.array([[1.0]] * 3 + [[0.0]] * 3), "small/pair": np.full((6, 2), 0.5)}
    found = scores.figures("me", results, reference)
    assert [task["score"] for task in found["tasks"]] == [100.0, 50.0]
    assert found["score"] == 75.0  # of two tasks none is cut off
    assert found["interval_95"][0] < 75.0 < found["interval_95"][1]
    assert [task["rate"] for task in found["tasks"]] == [0.5, 0.5]
    # By definition.
    for name, score in (("random", 0.0), ("zigzag", 100.0)):
        assert scores.figures(name, reference[name], reference)["score"] == pytest.approx(score)
    del reference["zigzag"]
    assert scores.figures("me", results, reference)["score"] is None


def test_the_command_line_from_reference_to_table(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["benchmark", "--reference", "reference.json"]
    assert door.main([*given, "--make-reference", "random", "zigzag"]) == 0
    again = (small / "reference.json").read_bytes()
    assert door.main([*given, "--make-reference", "zigzag"]) == 0
    assert (small / "reference.json").read_bytes() == again
    assert door.main([*given, "--agent", "naughty:illegal"]) == 0
    printed = capsys.readouterr().out
    assert "FC-6 v1: naughty:illegal" in printed and "games were forfeited" in printed and "quick" not in printed
    folder = small / "runs" / "fc6-naughty_illegal"
    assert (folder / "report.png").read_bytes().startswith(b"\x89PNG")
    report = json.loads((folder / "report.json").read_bytes())
    assert report["forfeits"] > 0 and "naughty:illegal" in (folder / "report.md").read_text(encoding="utf-8")
    assert door.main([*given, "--table", str(folder / benchmark.SUBMISSION)]) == 0
    table = capsys.readouterr().out
    assert [f"`{name}`" in table for name in ("random", "zigzag", "naughty:illegal")] == [True] * 3
    assert f"{report['score']:.1f}" in table


def test_a_quick_run_is_marked_and_does_not_compare(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["benchmark", "--reference", "reference.json"]
    assert door.main([*given, "--make-reference", "random", "zigzag"]) == 0
    assert door.main([*given, "--agent", "drifter", "--quick"]) == 0
    assert "(quick: few seeds, not comparable)" in capsys.readouterr().out
    file = small / "runs" / "fc6-drifter-quick" / benchmark.SUBMISSION
    assert submission.read(file)[0]["comparable"] is False
    assert door.main([*given, "--table", str(file)]) == 2
    assert "which does not compare" in capsys.readouterr().err
    lines = read_lines(file)
    lines[0]["comparable"] = True
    with pytest.raises(ConfigError, match=r"seeds are \[50, 53\]: want \[50, 56\]"):
        submission.read(seal(file, lines))


# ---- what is handed in


def test_a_good_one_is_verified(handed_in: Path, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite.add_reference("random", suite.results_of(submission.read(handed_in)[1]), small / "reference.json")
    given = ["benchmark", "--reference", "reference.json", "--verify", str(handed_in)]
    assert door.main([*given, "--all"]) == 0
    assert "12 of 12 seeds went the same way" in capsys.readouterr().out
    assert submission.replay(handed_in, *submission.read(handed_in), "random", False, lambda n: None) in (4, 6, 8)


def test_an_agent_with_lots_of_its_own_is_verified_and_goes_on_alike(small: Path) -> None:
    file = benchmark.measure("naughty:gambler", small / "in")
    whole = file.read_bytes()
    assert submission.replay(file, *submission.read(file), "naughty:gambler", True, lambda n: None) == 12
    results = file.with_name(benchmark.RESULTS)
    results.write_bytes(b"".join(results.read_bytes().splitlines(keepends=True)[:3]))  # in the middle of a chunk
    _, once = submission.read(file)
    _, again = submission.read(benchmark.measure("naughty:gambler", small / "in"))
    assert file.read_bytes() != whole  # for the times
    for rows in (once, again):
        for row in rows:
            del row["seconds"]
    assert sorted(map(str, once)) == sorted(map(str, again))


def test_damage_is_found_at_every_byte(handed_in: Path) -> None:
    whole = handed_in.read_bytes()
    for place in [*range(0, len(whole), 97), len(whole) - 1]:
        damaged = bytearray(whole)
        damaged[place] ^= 1
        handed_in.write_bytes(bytes(damaged))
        with pytest.raises(ConfigError):
            submission.read(handed_in)
        handed_in.write_bytes(whole[:place])
        with pytest.raises(ConfigError):
            submission.read(handed_in)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda lines: lines[0].update(format=2), "format is 2: want 1; it was written by a newer version"),
        (lambda lines: lines[0].update(kind="a poem"), "does not say that it is a file of kind"),
        (lambda lines: lines[0]["suite"].update(version=2), "made for FC-6 v2, here is v1"),
        (lambda lines: lines[0]["suite"].update(digest="0"), 'digest is "0" there'),
        (lambda lines: lines[0]["suite"]["tasks"].update({"tiny/pair": "0"}), "another suite: tasks.tiny/pair"),
        (lambda lines: lines[0].pop("card"), "it has no agent's card"),
        (lambda lines: lines.pop(3), "1 results are missing, the first is of"),
        (lambda lines: lines.append(lines[3]) or lines.insert(-1, lines.pop(-2)), "or there twice"),
        (lambda lines: lines[1].update(task="chess"), "line 2: task 'chess' on seed"),
        (lambda lines: lines[1].update(seed=7), "on seed 7 is not of the suite"),
        (lambda lines: lines[1].update(result=[3]), "line 2: result is [3]: want -1, 0 or 1 each"),
        (lambda lines: lines[1].update(turns=None), "line 2: turns is None: want one for each game"),
    ],
)
def test_what_is_foreign_is_refused_by_name(changed: Any, said: str, handed_in: Path) -> None:
    lines = read_lines(handed_in)
    changed(lines)
    text = "".join(json.dumps(line) + "\n" for line in lines[:-1])
    end = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    handed_in.write_text(text + json.dumps({"end": end}) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        submission.read(handed_in)
    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["result", "turns", "decisions"])
def test_a_game_that_goes_another_way_is_found(name: str, handed_in: Path) -> None:
    lines = read_lines(handed_in)
    row = next(line for line in lines[1:] if line["task"] == "small/pair")
    row[name] = {"result": [-one for one in row["result"]], "turns": [9, 9], "decisions": [[9, 9], [9, 9]]}[name]
    file = seal(handed_in, lines)
    with pytest.raises(ConfigError) as refused:
        submission.replay(file, *submission.read(file), "random", True, lambda n: None)
    assert f"small/pair on seed {row['seed']} goes another way: {name} is" in str(refused.value)


def test_another_agent_of_the_same_name_is_found(small: Path) -> None:
    file = benchmark.measure("naughty:good", small / "in")
    header, rows = submission.read(file)
    assert len(header["card"]["source"]) == 32
    with pytest.raises(ConfigError, match="the agent 'naughty:good' is another: source"):
        header["card"]["source"] = "0" * 32
        submission.replay(file, header, rows, "naughty:good", False, lambda n: None)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "want --agent, --verify, --table or --make-reference"),
        (["--agent", "capten"], "did you mean 'captain'?"),
        (["--verify", "nowhere"], "nowhere: cannot be written or read"),
        (["--verify", "x", "--table"], "not allowed with"),
        (["--table", "--reference", "nowhere"], "nowhere: cannot be written or read"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    given: list[str], message: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert door.main(["benchmark", *given]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1


@pytest.mark.parametrize("text", ["", "[]", '{"suite": 3}', '{"suite": {}, "agents": 3}'])
def test_a_reference_that_is_none_is_refused(text: str, small: Path) -> None:
    (small / "reference.json").write_text(text)
    with pytest.raises(ConfigError, match=r"reference\.json"):
        suite.read_reference(small / "reference.json")


# ---- agents that do not play everything


def test_an_agent_that_plays_some_tasks_has_results_and_no_score(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["benchmark", "--reference", "reference.json"]
    assert door.main([*given, "--make-reference", "random", "zigzag"]) == 0
    assert door.main([*given, "--agent", "naughty:alone", "--out", "out"]) == 0
    printed = capsys.readouterr().out
    assert "Score -:" in printed and "- small/pair: it has not learned to fight" in printed
    file = small / "out" / benchmark.SUBMISSION
    found = benchmark.report(file, Path("reference.json"))
    assert found["score"] is None and [task["task"] for task in found["tasks"]] == ["tiny/pair"]
    assert door.main([*given, "--verify", str(file)]) == 0
    assert door.main([*given, "--table", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [cell.strip() for cell in lines[-1].split("|")][1:4] == ["`naughty:alone`", "-", "-"]
    assert lines[-1].rstrip(" |").endswith("-")


def test_an_agent_that_plays_nothing_is_refused(small: Path) -> None:
    with pytest.raises(ConfigError, match="it has not learned anything"):
        benchmark.measure("naughty:nowhere", small / "in")


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (["small/pair"], "want tasks with the reason"),
        ({"small/pair": 3}, "want tasks with the reason"),
        ({"huge/pair": "why"}, "want tasks of the suite"),
        ({"tiny/pair": "why", "small/pair": "why"}, "not all of them"),
        ({"small/pair": "why"}, "is not of the suite"),  # its rows are there
    ],
)
def test_tasks_left_out_that_are_none_are_refused(handed_in: Path, left_out: Any, said: str) -> None:
    first, *rest = read_lines(handed_in)
    seal(handed_in, [{**first, "left_out": left_out}, *rest])
    with pytest.raises(ConfigError, match=said):
        submission.read(handed_in)
