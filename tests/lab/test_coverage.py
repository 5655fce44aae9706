"""The lab counts what the rules wrote, and its reports say how they were made."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from fc_env import engine, opponents, scenarios
from fc_env.commandline import commands
from fc_env.events import NEVER, Rule
from fc_env.lab import playing, rules
from fc_env.lab.__main__ import COMMANDS
from fc_env.lab.coverage import BRANCHES, Counts, count, figures_of
from fc_env.observation import Layout, observe
from fc_env.ruleset import RuleSet
from fc_env.seeding import game_seeds
from fc_env.state import GAME, Phase
from fc_env.tape import EVENT

SCENES = (("crossing", "improbable"), ("duel", "dense"))
SEEDS = range(3, 9)


def written(scenario: str, field: str) -> list[np.ndarray]:
    """The events of each game that the drifter plays to its end, one game at a time."""
    setups = scenarios.load(scenario, field)
    drifter = opponents.resolve("drifter", setups)
    found = []
    for seed in SEEDS:
        game = np.zeros(1, GAME)
        rows = [engine.new_into(game, setups, game_seeds([seed], 0, "test"), record=True).events]
        while game[0]["phase"] != Phase.OVER:
            masks = engine.legal_mask(game)
            action = drifter(observe(game, Layout.of(setups)), masks)
            rows.append(engine.step(game, action, record=True).events)
        found.append(np.concatenate(rows))
    return found


@pytest.mark.parametrize("scene", SCENES, ids=" ".join)
def test_every_row_of_every_game_is_counted(scene: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    setups = scenarios.load(*scene)
    monkeypatch.setattr(playing, "BATCH", 4)
    ended: list[int] = []
    counts = count(["drifter"], setups, SEEDS, "test", ended.append)
    games = written(*scene)
    assert sum(ended) == len(games) == counts.fired.shape[1]
    for rule in Rule:
        rows = [int((game["rule"] == rule).sum()) for game in games]
        assert counts.rows[rule] == sum(rows), rule
        assert counts.fired[rule].tolist() == [n > 0 for n in rows], rule
    doom = np.concatenate(games)
    for rule, kind in BRANCHES.items():
        if kind.column != "depth":
            numbers = doom[kind.column][doom["rule"] == rule]
            assert [counts.branches[rule][n] for n in kind.numbers] == [(numbers == n).sum() for n in kind.numbers]


def test_depth_is_told_by_marker_turn_and_game() -> None:
    events = np.zeros(7, EVENT)
    events["rule"] = Rule.DRF_3
    events["marker"] = [1, 1, 2, 1, 1, 1, 1]
    events["game"] = [0, 0, 0, 0, 1, 1, 1]
    events["turn"] = [1, 1, 1, 1, 1, 2, 2]
    counts = Counts(2)
    counts.watch(events)
    assert counts.branches[Rule.DRF_3][:5].tolist() == [0, 4, 2, 1, 0]
    assert figures_of(counts)["branches"]["DRF-3"]["1"] == 4


def test_what_no_branch_is_named_for_is_told_as_other() -> None:
    events = np.zeros(2, EVENT)
    events["rule"], events["roll"] = Rule.FIR_5, [0, 3]
    counts = Counts(1)
    counts.watch(events)
    arcs = figures_of(counts)["branches"]["FIR-5"]
    assert arcs == {"what": "arc of a torpedo", "dead ahead": 1, "on the next row": 0, "farther aside": 1}


def run(*arguments: str) -> int:
    return commands("lab", "", COMMANDS, arguments)


def test_the_report_is_the_same_bytes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["coverage", "--agents", "drifter", "--scenario", "duel:dense", "--games", "3", "--out", "report"]
    files = []
    for _ in range(2):
        assert run(*given) == 0
        files.append({path.name: path.read_bytes() for path in sorted((tmp_path / "report").iterdir())})
    assert files[0] == files[1] and list(files[0]) == ["report-3.png", "report.html", "report.json", "report.md"]
    said = json.loads(files[0]["report.json"])
    assert said["command"] == "python -m fc_env.lab coverage " + " ".join(given[1:])
    assert said["scenarios"]["duel:dense"]["games"] == 3
    assert said["never_fired"] == [
        rule.id for rule in Rule if not said["scenarios"]["duel:dense"]["rules"][rule.id]["rows"]
    ]
    assert "MOV-10" in said["never_fired"] and "DRF-1" not in said["never_fired"]
    page = files[0]["report.html"].decode()
    assert page.count("<table>") >= 3 and "data:image/png;base64," in page and "http" not in page.lower()
    text = files[0]["report.md"].decode()
    assert all(f"| {rule}" in text for rule in NEVER) and said["command"] in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--agents", "nobody"], "'nobody'"),
        (["--scenario", "duel:foggy"], "foggy"),
        (["--agents", "random", "random"], "--agents random random: want each once"),
        (["--games", "0"], "--games 0: want a number from 1"),
        (["--out", __file__], "there is a file of that name: want a folder"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("coverage", *arguments) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out


def test_what_is_not_installed_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands("lab", "", {"odd": ("no_such_package.part", "")}, ["odd"]) == 2
    assert capsys.readouterr().err == "lab odd needs no_such_package: want pip install -e '.[train]'\n"
    with pytest.raises(ModuleNotFoundError):
        commands("lab", "", {"odd": ("fc_env.no_such_module", "")}, ["odd"])


def test_rules_tells_every_field_and_what_is_ours(capsys: pytest.CaptureFixture[str]) -> None:
    assert [one["field"] for one in rules.fields()] == list(RuleSet.model_fields)
    assert run("rules") == 0
    printed = capsys.readouterr().out
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
    for one in rules.fields():
        [line] = [line for line in printed.splitlines() if line.startswith(f"| `{one['field']}`")]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1] == one["rule"] and ("[H]" in cells[3]) == one["house"]
        [rule] = re.findall(rf"^- \*\*{one['rule']}\*\*.*?(?=^- \*\*|^## |\Z)", text, re.MULTILINE | re.DOTALL)
        assert not one["house"] or "[H]" in rule, one["field"]
