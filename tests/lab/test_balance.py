"""A balance is searched for on common seeds and judged on others, and the file written plays as it was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fc_env import scenarios
from fc_env.commandline import commands
from fc_env.lab import balance, cells, measuring
from fc_env.lab.__main__ import COMMANDS


def run(*arguments: str) -> int:
    return commands("lab", "", COMMANDS, ["balance", *arguments])


@pytest.mark.parametrize(("candidates", "games"), [(1, 100), (2, 100), (5, 400), (64, 1000), (400, 20), (7, 1)])
def test_a_schedule_halves_candidates_and_grows_seeds(candidates: int, games: int) -> None:
    rounds = balance.schedule(candidates, games)
    assert [kept for kept, _ in rounds] == [n for n in _halves(candidates) if n > 1]
    seeds = [upto for _, upto in rounds]
    assert seeds == sorted(seeds) and all(1 <= upto <= games for upto in seeds)
    assert not rounds or seeds[-1] == games


def _halves(n: int) -> list[int]:
    return [n] if n == 1 else [n, *_halves((n + 1) // 2)]


def test_the_candidate_nearest_to_the_target_is_found() -> None:
    asked: dict[int, list[int]] = {}

    def play(values: balance.Values, seeds: Sequence[int]) -> np.ndarray:
        """A candidate wins more the greater its hull is, on the same luck as all others."""
        hull = values["hull"]
        asked.setdefault(hull, []).extend(seeds)
        luck = np.array([np.random.default_rng(seed).random() for seed in seeds])
        return (luck < hull / 20.0).astype(np.float64)

    candidates = [{"hull": hull} for hull in range(1, 20)]
    found = balance.search(candidates, 0.6, range(2000), play)
    assert found[0]["values"] == {"hull": 12} and found[0]["games"] == 2000
    assert sorted(one["values"]["hull"] for one in found) == list(range(1, 20))
    for hull, seeds in asked.items():
        assert seeds == list(range(len(seeds))), hull  # common seeds, none twice
    assert sum(map(len, asked.values())) == sum(balance._games(19, 2000))


def test_the_file_written_plays_as_it_was_found_and_keeps_its_words(tmp_path: Path) -> None:
    values = {"classes.cruiser.hull": 9, "rules.avoid_die": 8, "ships.0.facing": "SE"}
    file = tmp_path / "new.yaml"
    file.write_text(balance.written("duel", values, "made\nby hand"), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# made\n# by hand\n# A duel: one cruiser each") and "hull: 9" in text
    assert "# Of a countdown to doom" in text
    for field in scenarios.fields("duel"):
        assert scenarios.load(file, field) == measuring.scene_setups(f"duel:{field}", values)


def test_two_fleets_are_balanced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "even.yaml"
    # In one turn nobody comes to fire, in twenty the drifter is lost.
    given = ["--scenario", "duel", "--agents", "drifter", "captain", "--vary", "rules.turn_limit=20,1"]
    assert run(*given, "--games", "60", "--write", str(file), "--out", str(tmp_path)) == 0
    said = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert said["best"] == {"rules.turn_limit": 1} and 0.4 < said["won"] < 0.6
    assert [one["values"]["rules.turn_limit"] for one in said["candidates"]] == [1, 20]
    assert said["candidates"][1]["won"] < 0.1
    assert scenarios.load(file)["game"]["rules"]["turn_limit"][0] == 1
    judged = cells.played(
        ["drifter", "captain"], measuring.scene_setups("duel", said["best"]), range(60, 120), "test", lambda n: None
    )
    assert said["won"] == judged["won"].mean()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--vary", "rules.jokers=1,2", "--target", "1.5"], "--target 1.5: want a share"),
        (["--vary", "rules.jokers=1,9"], "rules.jokers is 9"),
        (["--vary", "rules.jokers=1", "rules.jokers=2"], "each once"),
        (["--vary", "rules.jokers=1,2", "--write", "/nowhere/at/all.yaml"], "/nowhere/at/all.yaml"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out
