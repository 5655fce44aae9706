"""Chances by enumeration are those of the rules, and the engine's dice fall by them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fc_env.commandline import commands
from fc_env.lab import exact, odds, trials
from fc_env.lab.__main__ import COMMANDS


def run(*arguments: str) -> int:
    return commands("lab", "", COMMANDS, ["odds", *arguments])


def test_chances_worked_by_hand() -> None:
    assert exact.hit(4, 6) == {0: Fraction(1, 3), 1: Fraction(2, 3)}
    assert exact.hit(6, 6) == {1: Fraction(1)} and exact.hit(6, 10)[0] == Fraction(2, 5)
    assert exact.contact_damage(20, 6, 0) == exact.die(20)
    # d20 less d6 is 0 or below for 1 + 2 + ... + 6 of the 120 rolls.
    assert exact.contact_damage(20, 6, 1)[0] == Fraction(21, 120)
    assert exact.contact_damage(20, 6, 2)[18] == Fraction(1, 20 * 36)
    attack = exact.attack_damage(8, 0, 6, 2)
    assert attack[6] == Fraction(1, 48) and attack[3] == Fraction(2, 48)  # 8 over 1; 5 over 1, 8 over 2
    assert exact.attack_damage(4, 1, 4, 6) == {0: Fraction(1)}
    assert exact.doom(True)[7] == Fraction(1, 6) and exact.doom(False) == exact.die(6)
    once = exact.hull_after(10, [exact.hit(3, 6)], exact.die(20))
    assert once[10] == Fraction(1, 2) and once[0] == Fraction(11, 40) and once[9] == Fraction(1, 40)
    assert sum(exact.hull_after(10, [exact.hit(3, 6)] * 3, exact.die(20)).values()) == 1


@pytest.mark.parametrize(
    "question",
    [
        "contact --density 4",
        "contact --density 6",
        "contact --density 5 --avoid-hazard --no-flagship --rules avoid_hazard_die=12",
        "contact --density 5 --avoid-hazard",
        "path --density 3 6 2 --hull 12 --lasers 2",
        "path --density 3 4 --lasers 1 --avoid-hazard --rules contact_damage_die=12 laser_reduction_die=4",
        "attack --weapons d8 --shields d6",
        "attack --weapons d12 --shields d8 --density 7 --bonus 1 --rules attenuation=1",
        "attack --weapons 20 --shields 4 --density 3 --rules attenuation=2",
        "doom",
        "doom --no-flagship",
    ],
)
def test_the_engine_agrees(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*question.split(), "--games", "20000") == 0
    printed = capsys.readouterr().out
    assert "Chances and frequencies agree." in printed and "| no |" not in printed and ".png" not in printed


@pytest.mark.parametrize(
    ("question", "name", "fault"),
    [
        ("contact --density 4", "hull_after", lambda seen: np.where(np.arange(len(seen)) % 20 == 0, 1, seen)),
        ("attack --weapons d8 --shields d6", "attack_damage", lambda seen: seen + (seen > 4)),
        ("doom", "doom_rolls", lambda seen: np.where(seen == 12, 2, seen)),
    ],
)
def test_a_wrong_rule_is_flagged(
    question: str, name: str, fault: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right = getattr(trials, name)
    monkeypatch.setattr(trials, name, lambda *given: fault(right(*given)))  # type: ignore[operator]
    assert run(*question.split(), "--games", "20000", "--out", str(tmp_path)) == 1
    said = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert not all(row["agrees"] for row in said["rows"])
    assert "**They disagree** in: " in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_what_never_happened_and_what_cannot_are_told() -> None:
    answer = odds.Answer("", "", {0: Fraction(1, 2), 1: Fraction(1, 2)}, np.array([0, 0, 2]), str)
    rows = odds.figures_of(answer)
    assert [(row["number"], row["exact"], row["seen"]) for row in rows] == [(0, "1/2", 2), (1, "1/2", 0), (2, "0", 1)]
    assert [row["agrees"] for row in rows] == [True, True, False]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "QUESTION"),
        ("luck", "'luck'"),
        ("contact", "--density"),
        ("contact --density 7", "'7': want an integer from 1 to 6"),
        ("attack --weapons d7 --shields d6", "'d7': want one of d4, d6, d8, d10, d12, d20"),
        ("doom --lasers 1", "--lasers 1"),
        ("doom --rules luck=1", "luck"),
        ("doom --rules avoid_die=7", "avoid_die=7"),
        ("doom --games 0", "'0': want an integer from 1"),
    ],
)
def test_bad_questions_are_one_line(question: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*question.split()) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out
