"""The whole report is the reports of its parts, and says what they found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fc_env.commandline import BAD_INPUT, commands
from fc_env.lab import degenerate, full
from fc_env.lab.__main__ import COMMANDS


def lab(*arguments: str) -> int:
    return commands("python -m fc_env.lab", "", COMMANDS, arguments)


def test_the_whole_report_names_its_parts_and_each_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, times in (("SCREENED", 2), ("GLANCED", 4), ("CONFIRMED", 8)):
        monkeypatch.setattr(degenerate, name, times)
    command = ["full", "--scenario", "duel:dense", "--agents", "drifter", "--games", "3"]
    assert lab(*command, "--out", str(tmp_path)) == 0
    whole = json.loads((tmp_path / "report.json").read_text())
    page = (tmp_path / "report.html").read_text()
    assert list(whole["parts"]) == [part.folder for part in full.parts("duel:dense", 3, ["drifter"])]
    for folder, said in whole["parts"].items():
        part = json.loads((tmp_path / folder / "report.json").read_text())
        assert part["command"] == said["command"] and (tmp_path / folder / "report.html").exists()
        assert f'href="{folder}/report.html"' in page
    assert whole["parts"]["fuzz"]["found"].startswith("Nothing is broken in ")
    assert "dense: asteroids take" in whole["parts"]["fields"]["found"]
    assert str(tmp_path / "report.html") in capsys.readouterr().out


def test_odds_are_asked_under_the_rules_of_the_scenario(tmp_path: Path) -> None:
    assert full.rule_changes("duel") == ["turn_limit=20"]
    assert full.rule_changes("battle:dense") == ["countdown_to_doom=true", "turn_limit=20"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--scenario", "nowhere"], "nowhere"),
        (["--games", "1"], "--games 1: want a number from 2"),
        (["--games", "20000"], "--games 20000: want a number from 2 to 10000"),
        (["--agents", "nobody"], "nobody"),
        (["--scenario", "crossing", "--agents", "pilot", "captain"], "want at most one for each of 1 sides"),
        (["--workers", "0"], "--workers 0: want a number from 1"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_written(
    given: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report"
    assert lab("full", *given, "--out", str(out)) == BAD_INPUT
    assert message in capsys.readouterr().err and not out.exists()
