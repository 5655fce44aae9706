"""What a scenario file says: its keys and their ranges. ``scenario_checks`` has what needs more than one of them.

See ``data/crossing.yaml`` and ``data/battle.yaml`` for examples and ``data/scenario.schema.json`` for the JSON schema.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST, half_turn, label, opposite, parse_label
from fc_env.ruleset import Die, RuleSet, is_whole
from fc_env.state import MAX_DENSITY, MAX_HEIGHT, MAX_MARKERS, MAX_SHIPS, MAX_WIDTH, Facing

EDGES = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
MAX_SETS = MAX_MARKERS // MAX_DENSITY

FacingName = Literal["N", "NE", "SE", "S", "SW", "NW"]
Edge = Literal["north", "east", "south", "west"]
Captain = Literal["J", "Q", "K"]
FlawName = Literal[
    "tends_to_explode", "torpedo_jams", "simply_mediocre", "blind_spot", "shield_flaw", "engine_imbalance",
    "faulty_sensors", "poor_fire_control",
]  # fmt: skip
FlawSide = Annotated[Literal[0, 1, 2, 3, 4, 5, "left", "right"], BeforeValidator(is_whole)]

TURN_LIMITS = {"crossing": 40, "battle": 20, "convoy": 40}
"""Turns after which a game of each mode ends, if the file does not say."""


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _no_twice(values: list[Any]) -> list[Any]:
    if len(set(values)) < len(values):
        raise ValueError("want each only once")
    return values


def _as_label(value: Any) -> Any:
    """YAML reads an unquoted 0110 as the number 110."""
    return f"{value:04d}" if isinstance(value, int) and not isinstance(value, bool) and value > 0 else value


def _check_label(value: str) -> str:
    try:
        parse_label(value)
    except ValueError:
        raise ValueError("want a label CCRR such as '1213'") from None
    return value


def _as_dice(value: Any) -> Any:
    """``d6 d8 d10``, or a list of such names or of faces, as a list of faces."""
    names = value.split() if isinstance(value, str) else value
    if not isinstance(names, list):
        return value
    return [_as_die(name) for name in names]


def _three_sorted(dice: list[int]) -> list[int]:
    if len(dice) != 3:
        raise ValueError("want three dice")
    return sorted(dice)


def _as_die(value: Any) -> Any:
    return int(value[1:]) if isinstance(value, str) and re.fullmatch(r"d[0-9]{1,2}", value) else value


def _as_ranks(value: Any) -> Any:
    """``2-4,7``, a rank, or a list of ranks, as a list of ranks."""
    if not isinstance(value, str):
        return _as_list(value)
    ranks: list[int] = []
    for part in value.split(","):
        found = re.fullmatch(r"\s*([0-9]{1,2})(?:\s*-\s*([0-9]{1,2}))?\s*", part)
        if not found:
            raise ValueError("want ranks out of 2..10 such as '2-4,7'")
        low, high = int(found[1]), int(found[2] or found[1])
        if low > high:
            raise ValueError(f"want the lower rank first, {high}-{low}")
        ranks += range(low, high + 1)
    return ranks


def _as_captain(value: Any) -> Any:
    return list(value) if isinstance(value, str) else value


Hex = Annotated[str, BeforeValidator(_as_label, json_schema_input_type=str | int), AfterValidator(_check_label)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


PowerDice = Annotated[
    list[Die],
    BeforeValidator(_as_dice, json_schema_input_type=str | list[str | int]),
    AfterValidator(_three_sorted),
]


class ShipClass(_Part):
    """What ships of one class share."""

    dice: PowerDice | None = Field(
        None, description="POW-1: its three power dice out of d4 d6 d8 d10 d12 d20, such as d6 d8 d10"
    )
    slowness: int | None = Field(None, ge=1, le=20, description="MOV-1: pips per hex")
    hull: int | None = Field(None, ge=1, le=1000, description="hull points")
    lasers: int = Field(0, ge=0, le=20, description="CON-2, FIR-6: number of lasers")
    volleys: int = Field(1, ge=0, le=6, description="FIR-4: phaser volleys")
    torpedoes: bool = Field(False, description="FIR-5: whether it has torpedoes")
    flaw: FlawName | None = Field(None, description="section 9: what is wrong with ships of this class")
    flaw_side: FlawSide | None = Field(
        None,
        description="COR-23: where a blind_spot or shield_flaw is, in facings clockwise from the nose, or the way an "
        "engine_imbalance slips",
    )


class ShipEntry(ShipClass):
    """One ship: of a class, or with attributes of its own."""

    ship_class: str | None = Field(None, alias="class", description="its class, a name under classes")
    hex: Hex = Field(description="MAP-6: where it starts, CCRR counted from 1")
    facing: Annotated[
        list[FacingName],
        BeforeValidator(_as_list, json_schema_input_type=FacingName | list[FacingName]),
        AfterValidator(_no_twice),
        Field(min_length=1),
    ] = Field(description="MAP-2: the hexside it faces; of a list one is diced, each as likely")
    flagship: bool = Field(False, description="SHIP-1: whether it is the flagship")
    convoy: bool = Field(False, description="WIN-3: whether it is to be brought across")
    crew: Annotated[
        list[Annotated[int, Field(ge=2, le=10)]],
        BeforeValidator(_as_ranks, json_schema_input_type=str | int | list[int]),
        AfterValidator(_no_twice),
    ] = Field([], description="SHIP-2: ranks out of 2..10 a lesser ship acts on, such as '2-4,7'")
    captain: Annotated[
        list[Captain],
        BeforeValidator(_as_captain, json_schema_input_type=str | list[Captain]),
        AfterValidator(_no_twice),
    ] = Field([], description="SHIP-2: ranks out of J, Q, K a lesser captain manoeuvres on, such as 'JQ'")

    def turned(self, width: int, height: int) -> ShipEntry:
        """The same ship on the board turned by half a turn (MAP-1)."""
        at = half_turn(width, height, *parse_label(self.hex))
        facings = [Facing(int(opposite(Facing[name]))).name for name in self.facing]
        return self.model_copy(update={"hex": label(*at), "facing": facings})


class MarkerEntry(_Part):
    """One asteroid marker that is placed, not diced."""

    hex: Hex = Field(description="MAP-6: where it starts, CCRR counted from 1")
    facing: FacingName = Field(description="MAP-2: the hexside it drifts to")
    density: int = Field(ge=1, le=MAX_DENSITY, description="CON-1: density")


class FieldEntry(_Part):
    """How one field is laid: markers placed one by one, then sets of densities 1 to 6 by the dice."""

    sets: int = Field(0, ge=0, le=MAX_SETS, description="SET-3: sets of markers of densities 1 to 6")
    drift: Literal["same", "each"] = Field("same", description="SET-2: one facing for all, or a facing per marker")
    facing: FacingName | None = Field(None, description="COR-24: the facing all share; left out, it is diced")
    markers: list[MarkerEntry] = Field([], description="COR-24: markers placed one by one")

    @property
    def n_markers(self) -> int:
        """Number of markers."""
        return len(self.markers) + self.sets * MAX_DENSITY


_MAP = r"[0-9]{1,3}x[0-9]{1,3}"
_NAME = r"[a-z][a-z0-9_-]*"


def _map_size(text: str) -> tuple[int, int]:
    width, height = text.split("x")
    return int(width), int(height)


def _check_map(text: str) -> str:
    if not re.fullmatch(_MAP, text):
        raise ValueError("want columns times hexes of a column, such as 30x20")
    width, height = _map_size(text)
    if not (2 <= width <= MAX_WIDTH and width % 2 == 0):
        raise ValueError(f"want an even width from 2 to {MAX_WIDTH}")
    if not 1 <= height <= MAX_HEIGHT:
        raise ValueError(f"want a height from 1 to {MAX_HEIGHT}")
    return text


def _check_name(text: str) -> str:
    if not re.fullmatch(_NAME, text):
        raise ValueError("want small letters, digits, - and _, a letter first")
    return text


class Scenario(_Part):
    """A scenario file."""

    name: str = Field(min_length=1, max_length=60, description="the scenario's name")
    description: str = Field("", description="what it is about")
    mode: Literal["crossing", "battle", "convoy"] = Field("crossing", description="section 8: what the game is about")
    map: Annotated[str, AfterValidator(_check_map)] = Field(
        description="MAP-1: columns, an even number, times hexes of a column, such as 30x20",
        json_schema_extra={"pattern": f"^{_MAP}$"},
    )
    goal: (
        Annotated[
            list[Edge],
            BeforeValidator(_as_list, json_schema_input_type=Edge | list[Edge]),
            AfterValidator(_no_twice),
            Field(min_length=1),
        ]
        | None
    ) = Field(None, description="WIN-2, WIN-3: the edge, or edges, to leave by; a battle needs none")
    rules: RuleSet = Field(
        RuleSet(),
        description="section 12: changes from the usual rules; what is left out of turn_limit is 20 in a battle, else "
        "40, and of countdown_to_doom false in a crossing, else true",
    )
    classes: dict[Annotated[str, AfterValidator(_check_name)], ShipClass] = Field(
        {},
        description="ship classes by name",
        json_schema_extra={"propertyNames": {"pattern": f"^{_NAME}$"}},
    )
    ships: list[ShipEntry] = Field(
        min_length=1, max_length=MAX_SHIPS, description="the ships of seat 0, one of them the flagship"
    )
    enemies: list[ShipEntry] = Field([], max_length=MAX_SHIPS, description="the ships of seat 1, one its flagship")
    mirror: bool = Field(
        False, description="COR-7: whether the enemies are the same ships, on the board turned by half a turn"
    )
    fields: dict[Annotated[str, AfterValidator(_check_name)], FieldEntry] = Field(
        min_length=1,
        description="SET-1 to SET-3: the fields it can be played in, by name",
        json_schema_extra={"propertyNames": {"pattern": f"^{_NAME}$"}},
    )
    default_field: str | None = Field(None, description="the field that is meant when none is named")

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map."""
        return _map_size(self.map)

    @property
    def rule_set(self) -> RuleSet:
        """The rules of section 12: what the file says, else what is usual in its mode."""
        usual = {"turn_limit": TURN_LIMITS[self.mode], "countdown_to_doom": self.mode != "crossing"}
        unsaid = usual.keys() - self.rules.model_fields_set
        return self.rules.model_copy(update={name: usual[name] for name in unsaid})

    @property
    def sides(self) -> tuple[list[ShipEntry], list[ShipEntry]]:
        """The ships of seat 0 and of seat 1."""
        enemies = [ship.turned(*self.size) for ship in self.ships] if self.mirror else self.enemies
        return self.ships, enemies

    def class_of(self, ship: ShipEntry) -> ShipClass:
        """The attributes of a ship: those of its class, or its own."""
        return ship if ship.ship_class is None else self.classes[ship.ship_class]

    @property
    def usual_field(self) -> str:
        """Name of the field that is meant when none is named."""
        return self.default_field or next(iter(self.fields))
