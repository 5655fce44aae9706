"""What the README tells to type is what CI types, and what it points at is there."""

from __future__ import annotations

import re
from pathlib import Path

import gymnasium
import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8") if (ROOT / "README.md").exists() else ""
SELFPLAY = (ROOT / "docs" / "selfplay.md").read_text(encoding="utf-8")
PYTHON, MORE = (re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) for text in (README, SELFPLAY))
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """The commands of its shell lines, those joined by && apart."""
    return [part.strip() for line in text.splitlines() for part in line.split("&&")]


def test_ci_sets_up_and_tests_as_the_readme_says() -> None:
    told = commands(README)
    installs = {command for command in told if command.startswith("pip install -c")}
    assert len(installs) == 1 and installs <= set(commands(CI))
    assert "python -m pytest -q" in told and 'python -m pytest -q "$@"' in commands(CI)
    assert "python train.py" in told


def test_the_readme_shows_the_board_and_its_links_lead_somewhere() -> None:
    targets = re.findall(r"(?:\]\(|src=\"|href=\")([^)\"#]+)", README)
    assert "docs/board.svg" in targets
    assert not [target for target in targets if "://" not in target and not (ROOT / target).exists()]


def test_ci_runs_as_it_stands() -> None:
    assert CI.startswith("#!/usr/bin/env bash\n") and "set -euo pipefail" in CI
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_the_readme_has_examples() -> None:
    assert len(PYTHON) >= 4


@pytest.mark.parametrize("example", [*PYTHON, *MORE])
def test_the_readme_s_examples_run(example: str) -> None:
    # Only what its first example imports for the reader is shared.
    exec(compile(example, "README.md", "exec"), {"__name__": "example", "gymnasium": gymnasium})


def test_the_bounds_of_a_duel_are_those_that_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(MORE[0], "selfplay.md", "exec"), {"__name__": "example"})
    printed = re.findall(r"\d+%", capsys.readouterr().out)
    assert "It prints {}, {} and {}.".format(*printed) in SELFPLAY
