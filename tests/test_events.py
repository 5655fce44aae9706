"""Every rule of the rules either writes rows when it fires or is known never to, and why."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from random_play import mixed_games, play

from fc_env.describe import ROWS
from fc_env.events import NEVER, Rule
from fc_env.jit import COMPILED

RULES_TEXT = (Path(__file__).resolve().parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")
EVERY_ID = frozenset(re.findall(r"\*\*([A-Z]+-\d+)\*\*", RULES_TEXT))


def test_no_rule_id_is_forgotten():
    writing = {rule.id for rule in Rule}
    assert len(EVERY_ID) > 80
    assert writing | set(NEVER) == EVERY_ID
    assert not writing & set(NEVER)


def test_a_rule_that_writes_no_row_names_those_that_tell_of_it():
    named = {mentioned for reason in NEVER.values() for mentioned in re.findall(r"[A-Z]+-\d+", reason)}
    assert named and named <= {rule.id for rule in Rule}


def test_every_rule_that_writes_rows_says_what_they_mean():
    assert set(ROWS) == set(Rule)


@pytest.mark.parametrize("rule", list(Rule))
def test_numbers_of_rules_run_on(rule):
    assert list(Rule)[rule] is rule


def test_rows_hold_a_roll_and_a_value_where_their_meaning_is_told_and_only_there() -> None:
    games, keys = mixed_games(range(3000, 3100 if COMPILED else 3006))
    traces = [play(games, keys, first=first, decisions=20, record=True) for first in range(0, 200, 20)]
    events = np.concatenate([trace.events for calls in traces for trace in calls])
    for rule, row in ROWS.items():
        mine = events[events["rule"] == rule]
        assert row.roll or (mine["roll"] == -1).all(), rule
        assert (mine["value"] >= 0).all() if row.value else (mine["value"] == -1).all(), rule
