"""The linter, the formatter and the type checker find nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = ("fc_env", "agents", "tests", "train.py")


@pytest.mark.parametrize("tool", ["ruff check", "ruff format --check", "mypy"])
def test_finds_nothing(tool: str) -> None:
    command = [sys.executable, "-m", *tool.split(), *CODE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
