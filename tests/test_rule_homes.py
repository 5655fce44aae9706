"""One rule id, one home, and a test that names it.

The home of a rule is the function of ``fc_env/rules`` whose docstring begins with its id; other functions may
mention it later in theirs. A few rules are data or geometry and live elsewhere: they are listed here.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fc_env.ruleset import RuleSet

ROOT = Path(__file__).resolve().parent.parent
RULE_FILES = sorted((ROOT / "fc_env" / "rules").glob("*.py"))
TEST_FILES = sorted((ROOT / "tests" / "rules").glob("test_*.py"))

CHAPTERS = {"MAP": 6, "SHIP": 3, "TURN": 7, "POW": 3, "ORD": 2, "DRF": 4, "CON": 4, "CARD": 8, "END": 2, "MOV": 10,
            "SET": 5, "FIR": 8, "DOOM": 4, "WIN": 3}  # fmt: skip
CORNERS = range(1, 25)
IN_PLAY = [f"{name}-{n}" for name, count in CHAPTERS.items() for n in range(1, count + 1)]
IN_PLAY += [f"COR-{n}" for n in CORNERS]
"""All rules that are played."""

ELSEWHERE = {
    "MAP-1": ("fc_env/hexgrid.py", "MAP-1"),  # how columns stand: on_map, axial_r, half_turn
    "MAP-2": ("fc_env/hexgrid.py", "MAP-2"),  # the six directions: DQ, DR
    "MAP-3": ("fc_env/hexgrid.py", "MAP-3"),  # rows and distance
    "MAP-6": ("fc_env/hexgrid.py", "MAP-6"),  # labels
    "SHIP-1": ("fc_env/state.py", "SHIP-1"),  # SHIP.flagship
    "SHIP-2": ("fc_env/state.py", "SHIP-2"),  # SHIP.crew, SHIP.captain
    "SHIP-3": ("fc_env/ship_validity.py", "SHIP-3"),  # a flagship with ratings is refused
    "SET-3": ("fc_env/scenario_file.py", "SET-3"),  # FieldEntry.sets
    "COR-2": ("fc_env/actions.py", "COR-2"),  # which decisions there are
    "COR-7": ("fc_env/state.py", "COR-7"),  # SHIP.token, GAME.side_token
}


ID = re.compile(r"[A-Z]+-\d+")
BEGINNING = re.compile(r"[A-Z]+-\d+(?:, [A-Z]+-\d+)*(?=\.)")


def homes() -> dict[str, list[str]]:
    """The functions whose docstring begins with each rule id."""
    found: dict[str, list[str]] = {}
    for path in RULE_FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                beginning = BEGINNING.match(ast.get_docstring(node) or "")
                for rule in ID.findall(beginning[0]) if beginning else ():
                    found.setdefault(rule, []).append(f"{path.name}:{node.name}")
    return found


def marked(name: str) -> set[str]:
    """What the tests' markers of one name say."""
    said: set[str] = set()
    for path in TEST_FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == f"pytest.mark.{name}":
                said.update(str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))
    return said


@pytest.mark.parametrize("rule", IN_PLAY)
def test_rule_has_exactly_one_home(rule):
    where = homes().get(rule, [])
    if rule in ELSEWHERE:
        path, mention = ELSEWHERE[rule]
        assert not where, f"{rule} has a home in the rules, {where}: it need not be listed"
        assert mention in (ROOT / path).read_text("utf-8"), f"{path} does not mention {rule}"
    else:
        assert len(where) == 1, f"homes of {rule}: {where or 'none'}"


def test_every_rule_in_play_is_claimed_by_a_test():
    assert set(IN_PLAY) - marked("rule") == set()


def test_tests_claim_no_rule_that_does_not_exist():
    assert marked("rule") - set(IN_PLAY) - set(homes()) == set()


def test_every_field_of_the_rule_set_that_is_played_is_varied_by_a_test():
    assert marked("field") == set(RuleSet.model_fields)
