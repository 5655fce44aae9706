"""``python -m fc_env.lab rules``: what a designer can change, and which defaults are rulings of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fc_env.commandline import Parser
from fc_env.lab import measuring
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.ruleset import RuleSet

PROGRAM = "python -m fc_env.lab rules"


def fields() -> list[dict[str, Any]]:
    """Every field of the rule set: its name, rule id, default, values, meaning, and if the default is our ruling."""
    schema = RuleSet.model_json_schema()["properties"]
    found = []
    for name, said in schema.items():
        rule, _, meaning = said["description"].partition(": ")
        found.append(
            {
                "field": name,
                "rule": rule,
                "default": said["default"],
                "values": _values(said),
                "house": said["house"],
                "meaning": meaning,
            }
        )
    return found


def _values(said: dict[str, Any]) -> str:
    if "enum" in said:
        return ", ".join(map(str, said["enum"]))
    if said["type"] == "boolean":
        return "true, false"
    return f"{said['minimum']} to {said['maximum']}"


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def report(made: dict[str, Any]) -> Report:
    """The list as a report."""
    found = fields()
    said = Report("Fields of the rule set", made, {"fields": found})
    said.text(
        "A scenario's `rules:` and `rules=` of an environment change them. **[H]**: the source pages are silent, and "
        "the default is a ruling of ours. Where a scenario does not say, a battle has "
        "`turn_limit: 20` and `countdown_to_doom: true`."
    )
    heads = ["field", "rule", "default", "[H]", "values", "meaning"]
    lines = [
        [f"`{one['field']}`", one["rule"], _word(one["default"]), "[H]" if one["house"] else "", one["values"],
         one["meaning"]]
        for one in found
    ]  # fmt: skip
    said.text(measuring.table(heads, lines))
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "What a designer can change, and which defaults are rulings of ours, [H].")
    add_options(parser)
    given = parser.parse_args(arguments)
    check_out(given.out)
    hand_over(report(made_by(PROGRAM, arguments)), given.out)
