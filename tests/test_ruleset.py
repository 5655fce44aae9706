"""Rules.md section 12: every field of the rule set, its default, its range, and its place in a record."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from fc_env.ruleset import LADDER, RULES, Aces, MapEdge, RuleSet, from_record, to_record

LADDER_NEAR = [0, 1, 2, 3, 5, 7, 9, 11, 13, 19, 21, 100, -6]
NO_DIE = [6.0, "6", "d6", True, False, None, [6]]
NO_INT = [1.0, 1.5, "1", True, False, None, [1]]
NO_BOOL = [0, 1, "true", "yes", None, 1.0]
NO_SHARE = ["0.5", True, False, None, [0.5], float("nan"), float("inf"), -float("inf")]


def die(rule, default):
    return rule, default, list(LADDER), [*LADDER_NEAR, *NO_DIE]


def whole(rule, default, low, high):
    return rule, default, [low, high], [low - 1, high + 1, *NO_INT]


def switch(rule, default):
    return rule, default, [True, False], NO_BOOL


def share(rule, default):
    return rule, default, [0, 0.0, 0.5, 1, 1.0], [-0.001, 1.001, 2, -1, *NO_SHARE]


def choice(rule, default, *words):
    return rule, default, list(words), [words[0].upper(), "", "other", 0, 1, True, None, [words[0]]]


# field: (rule, default, values accepted, values refused)
FIELDS = {
    "drift_die": die("DRF-1", 6),
    "avoid_die": die("CON-1", 6),
    "contact_damage_die": die("CON-2", 20),
    "laser_reduction_die": die("CON-2", 6),
    "avoid_hazard_die": die("MOV-9", 8),
    "avoid_hazard_die_flagship": die("MOV-9", 10),
    "avoid_hazard_move_steps": whole("MOV-9", -1, -3, 0),
    "jokers": whole("CARD-2", 2, 0, 4),
    "aces": choice("CARD-6", "flagships", "flagships", "all", "none"),
    "activations_per_card": whole("CARD-4", 1, 1, 6),
    "drift_hexes": whole("END-2", 1, 0, 3),
    "sideslip": switch("MOV-3", True),
    "map_edge": choice("MOV-8", "leave", "leave", "wall"),
    "small_hexes": switch("MOV-10", False),
    "attenuation": whole("FIR-2", 1, 0, 3),
    "torpedo_centre_steps": whole("FIR-5", 1, 0, 3),
    "torpedo_beside_bonus": whole("FIR-5", 1, 0, 6),
    "torpedo_columns": whole("FIR-5", 1, 0, 3),
    "laser_attack_die": ("FIR-6", 4, [0, *LADDER], [n for n in LADDER_NEAR if n] + [4.0, 0.0, "4", True, False, None]),
    "laser_range": whole("FIR-6", 4, 1, 20),
    "countdown_to_doom": switch("DOOM-1", False),
    "explosion_steps": whole("DOOM-3", 1, 0, 3),
    "long_row_share": share("SET-1", 0.8),
    "first_drift_safe": switch("SET-4", True),
    "turn_limit": whole("WIN-2", 40, 1, 1000),
    "convoy_share": share("WIN-3", 0.5),
}
HOUSE = {
    "avoid_hazard_die", "avoid_hazard_die_flagship", "avoid_hazard_move_steps", "jokers", "aces",
    "activations_per_card", "drift_hexes", "map_edge", "torpedo_beside_bonus", "torpedo_columns", "laser_attack_die",
    "laser_range",
    "explosion_steps", "long_row_share", "turn_limit", "convoy_share",
}  # fmt: skip
ACCEPTED = [(name, value) for name, (_, _, good, _) in FIELDS.items() for value in good]
REFUSED = [(name, value) for name, (_, _, _, bad) in FIELDS.items() for value in bad]


def spelled(case):
    return f"{case[0]}={case[1]!r}"


def test_fields_are_those_of_section_12():
    assert list(RuleSet.model_fields) == list(FIELDS)
    assert RULES.names == tuple(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_default_and_rule(name):
    rule, default, _, _ = FIELDS[name]
    value = getattr(RuleSet(), name)
    assert value == default and type(value) is type(default)
    field = RuleSet.model_fields[name]
    assert field.json_schema_extra == {"rule": rule, "house": name in HOUSE}
    assert field.description.startswith(f"{rule}: ")


@pytest.mark.parametrize("case", ACCEPTED, ids=spelled)
def test_accepted_and_kept_in_a_record(case):
    name, value = case
    rules = RuleSet(**{name: value})
    assert getattr(rules, name) == value
    assert from_record(to_record(rules)) == rules
    others = [other for other in FIELDS if other != name]
    assert to_record(rules)[others] == to_record(RuleSet())[others]


@pytest.mark.parametrize("case", REFUSED, ids=spelled)
def test_refused(case):
    name, value = case
    with pytest.raises(ValidationError) as refused:
        RuleSet(**{name: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {name}


@pytest.mark.parametrize("name", ["drift_dice", "Drift_die", "turn limit", ""])
def test_unknown_field_refused(name):
    with pytest.raises(ValidationError, match="Extra inputs"):
        RuleSet(**{name: 6})


def test_record_holds_whole_numbers():
    record = to_record(RuleSet(aces="none", map_edge="wall", sideslip=False, long_row_share=0.123456, convoy_share=1))
    assert record.shape == () and record.dtype == RULES
    assert {RULES[name] for name in RULES.names} == {np.dtype(np.int32)}
    assert (record["aces"], record["map_edge"], record["sideslip"]) == (Aces.NONE, MapEdge.WALL, 0)
    assert (record["long_row_share"], record["convoy_share"]) == (123456, 1_000_000)


@pytest.mark.parametrize("millionths", [0, 1, 499_999, 500_000, 700_001, 800_000, 999_999, 1_000_000])
def test_shares_are_exact_to_a_millionth(millionths):
    rules = RuleSet(long_row_share=millionths / 1e6, convoy_share=millionths / 1e6)
    record = to_record(rules)
    assert record["long_row_share"] == record["convoy_share"] == millionths
    assert to_record(from_record(record)) == record


def test_rule_set_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        RuleSet().jokers = 3
