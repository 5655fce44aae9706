"""Scenario files -> starting records.

A scenario is a YAML file: one that is shipped, by its name, or any other, by its path. ``load`` gives what
``engine.new`` starts games from.

>>> from fc_env import scenarios
>>> scenarios.names()
['ambush', 'battle', 'convoy', 'crossing', 'duel', 'skirmish', 'tiny']
>>> setups = scenarios.load("crossing", field="dense", rules={"jokers": 0})

``python -m fc_env.scenarios check FILE ...`` says what is wrong with files; ``python -m fc_env.scenarios schema``
prints the JSON schema of a scenario file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from os import PathLike
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from fc_env import engine
from fc_env.errors import ConfigError, ScenarioError
from fc_env.hexgrid import DIRECTIONS, parse_label
from fc_env.jit import kernel_view
from fc_env.rules import setup as laying
from fc_env.rules.setup import SETUP
from fc_env.ruleset import RuleSet, to_record
from fc_env.scenario_checks import problems
from fc_env.scenario_file import EDGES, FieldEntry, MarkerEntry, Scenario, ShipClass, ShipEntry
from fc_env.state import (
    JACK,
    KING,
    MAX_DENSITY,
    MAX_MARKERS,
    MAX_SHIPS,
    QUEEN,
    SEATS,
    Facing,
    Flaw,
    Mode,
    Phase,
    Slip,
    Status,
)
from fc_env.strict_yaml import Document, did_you_mean, parse, read, validate

_DATA = resources.files("fc_env") / "data"
_RANK = {"J": JACK, "Q": QUEEN, "K": KING}
_SCHEMA_VERSION = "https://json-schema.org/draft/2020-12/schema"


def names() -> list[str]:
    """Names of the scenarios that are shipped, sorted."""
    return sorted(PurePath(file.name).stem for file in _DATA.iterdir() if file.name.endswith(".yaml"))


def fields(name_or_path: str | PathLike[str]) -> list[str]:
    """Names of the fields a scenario can be played in, in the file's order. Raises ScenarioError."""
    return list(scenario(name_or_path).fields)


def schema() -> dict[str, Any]:
    """JSON schema of a scenario file, the rule set included."""
    return {"$schema": _SCHEMA_VERSION, **Scenario.model_json_schema()}


def scenario(name_or_path: str | PathLike[str]) -> Scenario:
    """What a scenario file says, validated. Raises ScenarioError, one line for every problem."""
    return validate(_document(name_or_path), Scenario, ScenarioError, problems)


def load(
    name_or_path: str | PathLike[str],
    field: str | None = None,
    rules: RuleSet | Mapping[str, Any] | None = None,
    **changes: Any,
) -> np.ndarray:
    """A scenario, ready for ``engine.new``: SETUP, shape (1,).

    ``name_or_path``: a shipped scenario's name, or a path (it has a separator, or ends in .yaml or .yml). ``field``:
    one of its fields, by default the one the file says. ``rules``: changes of the rule set (section 12), or a whole
    RuleSet in place of the file's. ``changes``: other keys of the file, such as ``goal="north"``. Raises
    ScenarioError, one line for every problem: file, line, key, value, and what would be right (SET-4, SET-5 included).
    """
    document = _changed(_document(name_or_path), changes)
    if isinstance(rules, RuleSet):
        document = document.with_value(("rules",), rules.model_dump())
    elif rules is not None:
        if not isinstance(rules, Mapping):
            raise ScenarioError(f"rules is {rules!r}: want a mapping of fields of the rule set, or a RuleSet")
        for key, value in rules.items():
            document = document.with_value(("rules", str(key)), value)
    return _loaded(document, field)


def load_changed(name_or_path: str | PathLike[str], field: str | None, changes: Mapping[str, Any]) -> np.ndarray:
    """The same with any keys of the file changed, with dots between those of what lies deeper, such as
    ``{"classes.cruiser.hull": 14, "ships.0.facing": "SE", "rules.jokers": 1}``."""
    return _loaded(_changed(_document(name_or_path), changes), field)


def key_path(key: str) -> tuple[str | int, ...]:
    """The parts of a key with dots; numbers are places in a list."""
    return tuple(int(part) if part.isdecimal() else part for part in key.split("."))


def _changed(document: Document, changes: Mapping[str, Any]) -> Document:
    for key, value in changes.items():
        where = key_path(key)
        try:
            document = document.with_value(where, value)
        except IndexError:
            raise ScenarioError(f"{document.at(where)}: there are not so many: want a smaller number") from None
    return document


def _loaded(document: Document, field: str | None) -> np.ndarray:
    said = validate(document, Scenario, ScenarioError, problems)
    name = said.usual_field if field is None else field
    if not isinstance(name, str) or name not in said.fields:
        hint = did_you_mean(str(name), said.fields)
        raise ScenarioError(f"{document.name}: field {name!r}: {hint}want one of {', '.join(said.fields)}")
    return _checked_setup(document, said, name)


def source(name_or_path: str | PathLike[str]) -> str:
    """The text of a scenario file. Raises ScenarioError if there is none such, or it is not as it should be."""
    scenario(name_or_path)
    if _is_path(name_or_path):
        return Path(name_or_path).read_text(encoding="utf-8-sig")
    return (_DATA / f"{name_or_path}.yaml").read_text(encoding="utf-8")


def _is_path(name_or_path: str | PathLike[str]) -> bool:
    text = str(name_or_path)
    return isinstance(name_or_path, PathLike) or text.endswith((".yaml", ".yml")) or "/" in text or "\\" in text


def _document(name_or_path: str | PathLike[str]) -> Document:
    if not isinstance(name_or_path, (str, PathLike)):
        raise ScenarioError(f"scenario {name_or_path!r}: want a name ({', '.join(names())}) or a path")
    text = str(name_or_path)
    if _is_path(name_or_path):
        return read(name_or_path, ScenarioError)
    known = names()
    if text not in known:
        raise ScenarioError(
            f"scenario {text!r}: {did_you_mean(text, known)}want one of {', '.join(known)}, or a path ending in .yaml"
        )
    return parse((_DATA / f"{text}.yaml").read_bytes(), f"{text}.yaml", ScenarioError)


# ---- from what the file says to a record


def _setup(said: Scenario, field: FieldEntry) -> np.ndarray:
    setups = np.zeros(1, laying.SETUP)
    setup = setups[0]
    game = setup["game"]
    game["rules"] = to_record(said.rule_set)
    game["mode"] = Mode[said.mode.upper()]
    game["goal"] = sum(EDGES[edge] for edge in said.goal or ())
    game["width"], game["height"] = said.size
    game["side_token"] = range(SEATS)
    game["turn"], game["phase"], game["card"], game["asked"] = 1, Phase.POWER, -1, -1
    for seat, side in enumerate(said.sides):
        game["n_ships"][seat] = len(side)
        for index, entry in enumerate(side):
            ship = game["ships"][seat, index]
            ship["token"] = seat * MAX_SHIPS + index
            _fill_ship(ship, entry, said.class_of(entry))
            if len(entry.facing) > 1:
                setup["facing_choices"][seat, index] = sum(1 << Facing[facing] for facing in entry.facing)
    game["n_markers"] = field.n_markers
    for index, marker in enumerate(field.markers):
        _fill_marker(game["markers"][index], marker)
    setup["n_placed"] = len(field.markers)
    for index in range(len(field.markers), field.n_markers):
        game["markers"][index]["density"] = (index - len(field.markers)) % MAX_DENSITY + 1
    setup["drift_each"] = field.drift == "each"
    setup["field_facing"] = -1 if field.facing is None else Facing[field.facing]
    laying.find_rows(kernel_view(setups)[0])
    return setups


def _fill_ship(ship: np.ndarray, entry: ShipEntry, of_class: ShipClass) -> None:
    ship["status"] = Status.IN_PLAY
    ship["flagship"], ship["convoy"] = entry.flagship, entry.convoy
    ship["power_dice"] = of_class.dice
    ship["slowness"], ship["volleys"], ship["torpedoes"] = of_class.slowness, of_class.volleys, of_class.torpedoes
    ship["lasers"] = of_class.lasers
    ship["hull"] = ship["full_hull"] = of_class.hull
    side = of_class.flaw_side
    ship["flaw"] = Flaw[of_class.flaw.upper()] if of_class.flaw else Flaw.NONE
    ship["flaw_side"] = Slip[side.upper()] if isinstance(side, str) else side or 0
    ship["crew"] = sum(1 << rank for rank in entry.crew)
    ship["captain"] = sum(1 << _RANK[rank] for rank in entry.captain)
    ship["q"], ship["r"] = parse_label(entry.hex)
    ship["facing"] = Facing[entry.facing[0]]


def _fill_marker(marker: np.ndarray, entry: MarkerEntry) -> None:
    marker["q"], marker["r"] = parse_label(entry.hex)
    marker["facing"], marker["density"] = Facing[entry.facing], entry.density


def _checked_setup(document: Document, said: Scenario, name: str) -> np.ndarray:
    """The setup of one field; refused if it breaks SET-4 or cannot be laid (SET-5)."""
    field = said.fields[name]
    setups = _setup(said, field)
    where = ("fields", name)
    if said.rule_set.first_drift_safe:
        found = [
            f"{document.at((*where, 'markers', index))} could move up to {reach} hexes and touch a ship in the first "
            "drift (SET-4): want it further away, or rules.first_drift_safe: false"
            for index, reach in _threats(setups)
        ]
        if found:
            raise ScenarioError("\n".join(found))
    if field.sets:
        try:
            _try_to_lay(setups)
        except ScenarioError as problem:
            raise ScenarioError(f"{document.at(where)}: {problem}") from None
    return setups


def load_setups(given: Any, rules: RuleSet | Mapping[str, Any] | None = None) -> np.ndarray:
    """SETUP (S,) from such an array, or from a sequence of (scenario name or path, field) pairs.

    ``rules``: changes of the rule set, for all of the pairs; an array has its rules in it. Raises ScenarioError for a
    scenario, field or rules that are refused, ConfigError for anything else.
    """
    if isinstance(given, np.ndarray) and given.dtype == SETUP:
        if rules is not None:
            raise ConfigError("rules with an array of SETUP, which holds its own: want (name or path, field) pairs")
        setups = np.atleast_1d(given)
    else:
        try:
            pairs = [(name, field) for name, field in given]
        except (TypeError, ValueError):
            raise ConfigError(f"scenarios {given!r}: want (name or path, field) pairs, or an array of SETUP") from None
        setups = np.concatenate([load(name, field, rules) for name, field in pairs] or [np.zeros(0, SETUP)])
    if not len(setups):
        raise ConfigError("scenarios is empty: want one or more")
    return setups


def have_two_sides(setups: np.ndarray) -> bool:
    """Whether both sides have ships in each of some scenarios, SETUP (S,)."""
    return bool((np.atleast_1d(setups)["game"]["n_ships"] > 0).all())


def _threats(setups: np.ndarray) -> list[tuple[int, int]]:
    """SET-4. Placed markers that could touch a ship in the first drift, with their greatest reach in hexes."""
    game = kernel_view(setups["game"])[0]
    placed = int(setups[0]["n_placed"])
    reaches = np.zeros(MAX_MARKERS, np.int64)
    laying.greatest_reaches(game, placed, reaches)
    return [(i, int(reaches[i])) for i in range(placed) if laying.ship_within(game, i, reaches[i])]


def _try_to_lay(setups: np.ndarray) -> None:
    """SET-5. Lay the field once along each facing that the dice may choose."""
    one = setups[0]
    if one["drift_each"] or one["field_facing"] >= 0:
        engine.new(setups, range(DIRECTIONS))
        return
    along_each = np.repeat(setups, DIRECTIONS)
    along_each["field_facing"] = np.arange(DIRECTIONS)
    engine.new(along_each, range(DIRECTIONS), which=range(DIRECTIONS))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["schema"]:
        print(json.dumps(schema(), indent=2, ensure_ascii=False))
        return 0
    if len(given) < 2 or given[0] != "check":
        print("usage: python -m fc_env.scenarios schema | check SCENARIO ...", file=sys.stderr)
        return 0 if given in (["-h"], ["--help"]) else 2
    status = 0
    for file in given[1:]:
        try:
            for field in fields(file):
                load(file, field)
            print(f"{file}: good, fields {', '.join(fields(file))}")
        except ScenarioError as problem:
            print(problem, file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
