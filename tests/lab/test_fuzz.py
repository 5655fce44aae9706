"""The fuzzer finds nothing in sound rules, what was planted in others, and hands over what can be used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fc_env.commandline import BAD_INPUT, commands
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import COMPILED
from fc_env.lab import faults, saved
from fc_env.lab.__main__ import COMMANDS
from fc_env.lab.changes import Change, changed_module
from fc_env.lab.fuzz import FOUND_SOMETHING, OF_LAYING, Hunt, hunt_down
from fc_env.lab.fuzzing import cases
from fc_env.lab.fuzzing.fairness import biased
from fc_env.lab.fuzzing.invariants import WORDS, Invariant
from fc_env.lab.fuzzing.running import seeker_of
from fc_env.lab.fuzzing.scenes import KINDS, scene
from fc_env.lab.fuzzing.seekers import Seeker
from fc_env.lab.fuzzing.walk import MOST_FACES
from fc_env.lab.planted import FAULTS, Fault

compiled_only = pytest.mark.skipif(not COMPILED, reason="too slow uncompiled")
LAB = "python -m fc_env.lab"
UNCOMPILED = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
"""A copy of the rules that is run for a moment only is not worth compiling."""


def lab(*arguments: str) -> int:
    return commands(LAB, "", COMMANDS, arguments)


# ---- sound rules


@compiled_only
def test_nothing_is_broken_in_sound_rules_and_all_of_them_fire() -> None:
    found = hunt_down(Hunt(seed=0, setups=(), games=1500, seconds=None))
    assert found.finding is None and found.games == 1500
    assert biased(found.faces) == []
    assert {rule.id for rule in Rule if not found.rules[rule]} <= {rule.id for rule in OF_LAYING}


@compiled_only
def test_a_report_is_the_same_whoever_plays(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        assert lab("fuzz", "--games", "130", "--seed", "5", "--workers", workers, "--out", str(tmp_path / workers)) == 0
    one, two = ((tmp_path / workers / "report.json").read_text() for workers in ("1", "2"))
    assert one.replace(str(tmp_path / "1"), "") == two.replace(str(tmp_path / "2"), "")
    assert json.loads(one)["games"] == 130


REPAIRED = """\
fleet-captain position 1
map 10x8
mode battle
goal north
rules countdown_to_doom=true
turn 2
phase card
card 2D
ship 0 0502 S flagship dice d10 d12 d20 slowness 1 hull 0/9 torpedo flaw torpedo_jams power HLM shown order left jammed
ship 1 0604 NW flagship dice d8 d10 d12 slowness 1 hull 1/41 power HLM shown order right token 11
"""


def test_a_torpedo_that_a_doom_roll_repairs_is_fired_at_once() -> None:
    """COR-21, DOOM-2: so the engine has it, and the invariants must not object."""
    assert cases.broken_in(REPAIRED, action="ship 0 acts", dice=[1, 6]) == []


def test_it_ends_by_the_clock_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("fuzz", "--seconds", "0.1", "--scenario", "tiny") == 0
    assert "**Nothing is broken.**" in capsys.readouterr().out


def test_every_kind_of_game_meets_every_seeker() -> None:
    met = {(number % len(KINDS), seeker_of(number)) for number in range(len(KINDS) * 2 * len(Seeker))}
    assert met == {(kind, seeker) for kind in range(len(KINDS)) for seeker in Seeker}


def test_a_scene_depends_on_seed_and_number_only() -> None:
    games = {scene(seed, number)[0].tobytes() for seed in (0, 1) for number in range(12)}
    assert len(games) == 24
    assert {scene(seed, number)[0].tobytes() for seed in (1, 0) for number in range(12)} == games


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--games", "0"], "--games 0: want a number from 1"),
        (["--games", "5", "--seconds", "2"], "--games 5 --seconds 2: want one of them"),
        (["--seconds", "0"], "--seconds 0: want more than 0"),
        (["--seconds", "nan"], "--seconds nan: want more than 0"),
        (["--seed", "-1"], "-1"),
        (["--workers", "0"], "--workers 0: want a number from 1"),
        (["--scenario", "nowhere"], "nowhere"),
        (["--replay", "missing.json"], "missing.json"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(given: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("fuzz", *given) == BAD_INPUT
    out, err = capsys.readouterr()
    assert out == "" and told in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"format": "other"}', "[" * 100_000,
        json.dumps({"format": saved.FORMAT, "version": "", "said": [], "position": 3, "decisions": []}),
        json.dumps({"format": saved.FORMAT, "version": "", "said": [], "position": ["x"], "decisions": []}),
    ],
)  # fmt: skip
def test_a_damaged_game_is_refused_by_name(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.json"
    path.write_text(text)
    assert lab("fuzz", "--replay", str(path)) == BAD_INPUT
    assert capsys.readouterr().err.startswith(f"{path}: ")


def test_fair_dice_pass_and_biased_ones_do_not() -> None:
    rng = np.random.default_rng(0)
    faces = np.zeros((len(Purpose), MOST_FACES + 1, MOST_FACES + 1), np.int64)
    for _ in range(200):
        for sides in (4, 6, 20):
            faces[1, sides, 1 : sides + 1] = rng.multinomial(20_000, [1 / sides] * sides)
        assert biased(faces) == []
    faces[1, 6, 1:7] = [3700, 3260, 3260, 3260, 3260, 3260]
    assert [(bias.faces, bias.rolls) for bias in biased(faces)] == [(6, 20_000)]


# ---- rules with a fault in them


def in_copy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command in a copy of the package."""
    environment = {**UNCOMPILED, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("what", "label", "pieces"),
    [
        ("the side without the initiative is asked first", "first_side_first", 1),
        ("contact one above the density hits", "contact_hits", 2),
    ],
)
def test_a_planted_fault_is_found_shrunk_told_and_replayed(what: str, label: str, pieces: int, tmp_path: Path) -> None:
    """The story, the game and the test that are written tell a faulty copy from the sound rules."""
    faults.copied(tmp_path, next(fault for fault in FAULTS if fault.what == what))
    done = in_copy(tmp_path, "fc_env.lab", "fuzz", "--games", "40", "--out", "out")
    assert done.returncode == FOUND_SOMETHING, done.stderr
    figures = json.loads((tmp_path / "out" / "report.json").read_text())
    assert label.replace("_", "-") in figures["broken"]
    game = tmp_path / "out" / f"fuzz_{figures['game']}_{label}.json"
    test = tmp_path / "out" / f"test_fuzz_{figures['game']}_{label}.py"
    named = Invariant[label.upper()]
    assert f"**Broken: {named.rule} {named.label}: " in (tmp_path / "out" / "report.md").read_text()
    lines = test.read_text().splitlines()
    assert sum(line.startswith(("ship ", "marker ")) for line in lines) == pieces

    assert in_copy(tmp_path, "pytest", "-q", str(test)).returncode == 1
    assert in_copy(tmp_path, "fc_env.lab", "fuzz", "--replay", str(game)).returncode == FOUND_SOMETHING
    sound = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    assert subprocess.run(sound, env=UNCOMPILED, capture_output=True, check=False).returncode == 0
    assert lab("fuzz", "--replay", str(game)) == 0


def test_every_fault_applies_and_has_a_name_of_its_own() -> None:
    assert len({fault.what for fault in FAULTS}) == len(FAULTS) >= 40
    for fault in FAULTS:
        changed_module(fault.change)
    assert set(WORDS) == set(Invariant) and len(Invariant) >= 40


def _outcome(monkeypatch: pytest.MonkeyPatch, body: str, seconds: float = 1.0) -> faults.Outcome:
    """What comes of the phase of orders doing something else, uncompiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(faults, "FAULTS", [Fault("ORD-1", "", Change("rules.orders", "orders_phase", "", body))])
    return faults.tried(0, 0, seconds)


def test_a_fault_that_breaks_something_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = _outcome(monkeypatch, "game.turn += 2\ngame.phase = Phase.DRIFT\nreturn False", seconds=60)
    assert Invariant.TURNS_COUNTED in outcome.broken and outcome.noticed and outcome.games == 1


def test_a_fault_that_raises_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = _outcome(monkeypatch, 'raise ValueError("lost")', seconds=60)
    assert outcome.noticed and outcome.failed == "raises ValueError: lost"


def test_a_fault_that_hangs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "GRACE", 1.0)
    outcome = _outcome(monkeypatch, "while True:\n    pass", seconds=2)
    assert outcome.noticed and outcome.failed == "hangs"


def test_a_copy_that_cannot_be_started_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(faults.ConfigError, match=r"fault 0: .* SyntaxError"):
        _outcome(monkeypatch, "this is no Python")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--only", "MAP-99"], "--only MAP-99: want numbers from 0 to"),
        (["--only", "1000"], "--only 1000: want numbers from 0 to"),
        (["--seconds", "0"], "--seconds 0: want more than 0"),
        (["--workers", "0"], "--workers 0: want a number from 1"),
    ],
)
def test_what_is_wrong_about_faults_is_told(given: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lab("faults", *given) == BAD_INPUT
    assert told in capsys.readouterr().err


@compiled_only
@pytest.mark.slow
def test_all_planted_faults_are_noticed_and_every_invariant_notices_one_alone(tmp_path: Path) -> None:
    status = lab("faults", "--workers", "2", "--out", str(tmp_path))
    figures = json.loads((tmp_path / "report.json").read_text())
    assert figures["noticed"] >= 0.95 * figures["planted"]
    assert [one["broken"] for one in figures["sound"]] == [[]]
    assert figures["idle"] == [] and status == 0
