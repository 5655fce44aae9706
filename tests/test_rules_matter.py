"""Every rule is claimed by a test that fails when the rule is made a no-op."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rule_mutants import MUTANTS, Change
from test_rule_homes import IN_PLAY

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def noticed() -> list[str | None]:
    """For each change the test that noticed it; all are tried in one process, uncompiled."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "tests" / "rule_mutants.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert [(rule, Change(*change)) for rule, change, _ in found] == MUTANTS
    return [test for _, _, test in found]


def test_every_rule_in_play_is_made_a_no_op():
    assert {rule for rule, _ in MUTANTS} == set(IN_PLAY)


@pytest.mark.parametrize("number", range(len(MUTANTS)), ids=[f"{rule} {change.function}" for rule, change in MUTANTS])
def test_a_rule_made_a_no_op_is_noticed(noticed, number):
    rule, change = MUTANTS[number]
    assert noticed[number], f"no test that claims {rule} fails under {change}"
