"""A scenario file to change, and what loading it says."""

from __future__ import annotations

import pytest

from fc_env import scenarios
from fc_env.errors import ScenarioError

BASE = """\
name: test
map: 8x6
goal: east
rules:
  turn_limit: 9
ships:
  - hex: "0103"
    facing: NE
    flagship: true
    dice: d6 d8 d10
    slowness: 2
    hull: 10
fields:
  open: {}
"""
LESSER = """\
  - hex: "0105"
    facing: SE
    dice: d4 d6 d8
    slowness: 1
    hull: 5
    crew: 2-4,7
    captain: JQ
"""


def refusal(path, *args, **kwargs):
    """The lines of the ScenarioError that loading raises, without the file's name."""
    with pytest.raises(ScenarioError) as refused:
        scenarios.load(path, *args, **kwargs)
    lines = str(refused.value).splitlines()
    assert all(line.startswith(f"{path}:") for line in lines), lines
    return [line.removeprefix(f"{path}:") for line in lines]
