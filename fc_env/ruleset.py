"""The rule set: every number of the game a designer may change (rules.md section 12).

``RuleSet`` is what a scenario file says, validated; ``RULES`` is the same as a record inside each game.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

LADDER = (4, 6, 8, 10, 12, 20)
"""The dice ladder; "one step up" moves along it and stops at its ends."""

SHARE_UNIT = 1_000_000
"""Shares are kept in the record as whole millionths, so that comparing them is exact."""


def is_whole(value: Any) -> Any:
    """A literal would let through 8.0, and false for 0."""
    if isinstance(value, (bool, float)):
        raise ValueError("want an integer")
    return value


Die = Annotated[Literal[4, 6, 8, 10, 12, 20], BeforeValidator(is_whole)]


class Aces(enum.IntEnum):
    """Who can act on an ace (CARD-6)."""

    FLAGSHIPS = 0
    ALL = 1
    NONE = 2


class MapEdge(enum.IntEnum):
    """What the map's edge is to a ship (MOV-8)."""

    LEAVE = 0
    WALL = 1


def _rule(default: Any, rule: str, text: str, house: bool = False, **limits: Any) -> Any:
    """A field; ``house``: its default is a ruling of ours, [H] in rules.md."""
    return Field(default, description=f"{rule}: {text}", json_schema_extra={"rule": rule, "house": house}, **limits)


class RuleSet(BaseModel):
    """One set of rules. Each field names the rule it belongs to and refuses values outside its range."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    drift_die: Die = _rule(6, "DRF-1", "die for the hexes a marker drifts")
    avoid_die: Die = _rule(6, "CON-1", "die to avoid contact")
    contact_damage_die: Die = _rule(20, "CON-2", "die for the hull damage of a contact")
    laser_reduction_die: Die = _rule(6, "CON-2", "die each laser takes off that damage")
    avoid_hazard_die: Die = _rule(8, "MOV-9", "die to avoid contact under Avoid Hazard, lesser ships", house=True)
    avoid_hazard_die_flagship: Die = _rule(10, "MOV-9", "the same for a flagship", house=True)
    avoid_hazard_move_steps: Annotated[int, Field(ge=-3, le=0)] = _rule(
        -1, "MOV-9", "steps on the ladder the movement die loses under Avoid Hazard", house=True
    )
    jokers: Annotated[int, Field(ge=0, le=4)] = _rule(2, "CARD-2", "jokers in the deck", house=True)
    aces: Literal["flagships", "all", "none"] = _rule("flagships", "CARD-6", "who can act on an ace", house=True)
    activations_per_card: Annotated[int, Field(ge=1, le=6)] = _rule(
        1, "CARD-4", "ships a side may activate on a card", house=True
    )
    drift_hexes: Annotated[int, Field(ge=0, le=3)] = _rule(1, "END-2", "hexes of a ship's drift", house=True)
    sideslip: bool = _rule(True, "MOV-3", "whether the last hex of a forward move may be a sideslip")
    map_edge: Literal["leave", "wall"] = _rule("leave", "MOV-8", "what the map's edge is to a ship", house=True)
    small_hexes: bool = _rule(False, "MOV-10", "whether lesser ships passing in one hex may collide")
    attenuation: Annotated[int, Field(ge=0, le=3)] = _rule(1, "FIR-2", "times the density, off an attack roll")
    torpedo_centre_steps: Annotated[int, Field(ge=0, le=3)] = _rule(1, "FIR-5", "steps up for a torpedo dead ahead")
    torpedo_beside_bonus: Annotated[int, Field(ge=0, le=6)] = _rule(
        1, "FIR-5", "bonus for a torpedo beside the row", house=True
    )
    torpedo_columns: Annotated[int, Field(ge=0, le=3)] = _rule(
        1, "FIR-5", "hexes to either side a torpedo reaches", house=True
    )
    laser_attack_die: Annotated[Literal[0, 4, 6, 8, 10, 12, 20], BeforeValidator(is_whole)] = _rule(
        4, "FIR-6", "attack die of a laser, 0 for none", house=True
    )
    laser_range: Annotated[int, Field(ge=1, le=20)] = _rule(4, "FIR-6", "range of a laser in hexes", house=True)
    countdown_to_doom: bool = _rule(False, "DOOM-1", "whether a ship at 0 hull counts down instead of being destroyed")
    explosion_steps: Annotated[int, Field(ge=0, le=3)] = _rule(
        1, "DOOM-3", "steps up for the die of an explosion", house=True
    )
    long_row_share: Annotated[float, Field(ge=0, le=1)] = _rule(
        0.8, "SET-1", "how long a candidate row is at least, as a share of the longest", house=True
    )
    first_drift_safe: bool = _rule(True, "SET-4", "whether the first drift must be unable to touch a ship")
    turn_limit: Annotated[int, Field(ge=1, le=1000)] = _rule(40, "WIN-2", "turns after which the game ends", house=True)
    convoy_share: Annotated[float, Field(ge=0, le=1)] = _rule(
        0.5, "WIN-3", "share of the convoy's hull to bring across", house=True
    )


RULES = np.dtype([(name, np.int32) for name in RuleSet.model_fields], align=True)
"""The rule set inside a game record: booleans as 0 or 1, choices as enums, shares in millionths."""

_CHOICES: dict[str, type[enum.IntEnum]] = {"aces": Aces, "map_edge": MapEdge}


def to_record(rules: RuleSet) -> np.ndarray:
    """The rule set as a RULES record, shape ()."""
    record = np.zeros((), RULES)
    for name, value in rules.model_dump().items():
        if name in _CHOICES:
            value = _CHOICES[name][value.upper()]
        elif isinstance(value, float):
            value = round(value * SHARE_UNIT)
        record[name] = value
    return record


def from_record(record: np.ndarray) -> RuleSet:
    """The rule set held by a RULES record."""
    values: dict[str, Any] = {}
    for name, field in RuleSet.model_fields.items():
        value = int(record[name])
        if name in _CHOICES:
            values[name] = _CHOICES[name](value).name.lower()
        elif field.annotation is float:
            values[name] = value / SHARE_UNIT
        elif field.annotation is bool:
            values[name] = bool(value)
        else:
            values[name] = value
    return RuleSet(**values)
