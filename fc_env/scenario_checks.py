"""What is wrong with a scenario file whose every value is in its range."""

from __future__ import annotations

from collections.abc import Iterator

from fc_env.hexgrid import label, on_map, parse_label
from fc_env.scenario_file import FieldEntry, Scenario, ShipClass, ShipEntry
from fc_env.ship_validity import FLAW_SIDES
from fc_env.state import MAX_MARKERS, Flaw
from fc_env.strict_yaml import Where, did_you_mean, spell

Problem = tuple[Where, str]
"""A key path, and the words that follow it."""

_OPPOSITE_EDGES = {"north": "south", "south": "north", "east": "west", "west": "east"}


def problems(scenario: Scenario) -> Iterator[Problem]:
    """What is wrong with a scenario whose every value is in its range: key paths, and words that follow them."""
    if scenario.default_field is None and len(scenario.fields) > 1:
        yield ("default_field",), f"is missing: want one of {', '.join(scenario.fields)}"
    elif scenario.usual_field not in scenario.fields:
        yield ("default_field",), f"is {scenario.default_field!r}: want one of {', '.join(scenario.fields)}"
    yield from _mode_problems(scenario)
    for name, ship_class in scenario.classes.items():
        yield from _class_problems(("classes", name), ship_class)
    for key, side in (("ships", scenario.ships), ("enemies", scenario.enemies)):
        for number, ship in enumerate(side):
            yield from _ship_problems(scenario, (key, number), ship)
        if side:
            yield from _flagship_problems(key, side)
    yield from _convoy_problems(scenario)
    yield from _place_problems(scenario)


def _mode_problems(scenario: Scenario) -> Iterator[Problem]:
    """Section 8: which sides there are, and where they are to go."""
    crossing, other_side = scenario.mode == "crossing", scenario.mirror or bool(scenario.enemies)
    if scenario.goal is None and scenario.mode != "battle":
        rule = "WIN-2" if crossing else "WIN-3"
        yield ("goal",), f"is missing: want the edge, or edges, to leave by in a {scenario.mode} ({rule})"
    if crossing and scenario.enemies:
        yield ("enemies",), f"has {len(scenario.enemies)} ships: want none in a crossing, or mode: battle (WIN-2)"
    if crossing and scenario.mirror:
        yield ("mirror",), "is true: want false in a crossing, or mode: battle (WIN-2)"
    if not crossing and not other_side:
        mirror = ", or mirror: true" if scenario.mode == "battle" else ""
        yield ("enemies",), f"is missing: want the other side's ships{mirror} ({scenario.mode}, section 8)"
    if scenario.mirror and scenario.enemies:
        yield ("mirror",), "is true, and there are enemies: want one or the other"
    if scenario.mirror and scenario.mode == "convoy":
        yield ("mirror",), "is true in a convoy: want enemies, as one side only has ships to bring across (WIN-3)"
    if scenario.mirror and {_OPPOSITE_EDGES[edge] for edge in scenario.goal or ()} != set(scenario.goal or ()):
        yield ("goal",), f"is {scenario.goal} with mirror: true: want none, or opposite edges (COR-7)"


def _class_problems(where: Where, ship: ShipClass) -> Iterator[Problem]:
    """What a class, or a ship of none, must say; and section 9."""
    for name in ("dice", "slowness", "hull"):
        if getattr(ship, name) is None:
            yield (*where, name), f"is missing: want it set ({ShipClass.model_fields[name].description})"
    if ship.flaw == "torpedo_jams" and not ship.torpedoes:
        yield (*where, "flaw"), "is 'torpedo_jams' without torpedoes: want torpedoes: true (section 9)"
    flaw = Flaw[ship.flaw.upper()] if ship.flaw else Flaw.NONE
    sided = flaw in FLAW_SIDES
    wanted: tuple[str | int, ...] = ("left", "right") if flaw == Flaw.ENGINE_IMBALANCE else tuple(range(6))
    words = "left or right" if flaw == Flaw.ENGINE_IMBALANCE else "0..5, facings clockwise from the nose"
    if sided and ship.flaw_side is None:
        yield (*where, "flaw_side"), f"is missing: want {words} of a {ship.flaw} (COR-23)"
    elif sided and ship.flaw_side not in wanted:
        yield (*where, "flaw_side"), f"is {ship.flaw_side!r}: want {words} of a {ship.flaw} (COR-23)"
    elif not sided and ship.flaw_side is not None:
        yield (*where, "flaw_side"), f"is {ship.flaw_side!r}: want none without a flaw that has a side (COR-23)"


def _ship_problems(scenario: Scenario, where: Where, ship: ShipEntry) -> Iterator[Problem]:
    name = ship.ship_class
    if name is None:
        yield from _class_problems(where, ship)
    elif name not in scenario.classes:
        known = ", ".join(scenario.classes) or "names under classes, of which there are none"
        yield (*where, "class"), f"is {name!r}: {did_you_mean(name, scenario.classes)}want one of {known}"
    else:
        for key in ShipClass.model_fields:
            if key in ship.model_fields_set:
                yield (*where, key), f"is given beside class: {name}: want it in classes.{name}, or no class"
    if ship.flagship and ship.crew:
        yield (*where, "crew"), f"is {ship.crew}: want none for a flagship (SHIP-3)"
    if ship.flagship and ship.captain:
        yield (*where, "captain"), f"is {ship.captain}: want none for a flagship (SHIP-3)"
    if not ship.flagship and not ship.crew and not ship.captain:
        yield (*where, "crew"), "is missing: want ranks for a lesser ship, such as '2-4,7' (SHIP-2)"


def _flagship_problems(key: str, ships: list[ShipEntry]) -> Iterator[Problem]:
    flagships = [number for number, ship in enumerate(ships) if ship.flagship]
    if not flagships:
        yield (key,), "has no flagship: want flagship: true for one ship (SHIP-1)"
    for number in flagships[1:]:
        first = spell((key, flagships[0]))
        yield (key, number, "flagship"), f"is true, and so it is of {first}: want one flagship a side (SHIP-1)"


def _convoy_problems(scenario: Scenario) -> Iterator[Problem]:
    """WIN-3: in a convoy, and nowhere else, one side has ships to bring across."""
    sides = (("ships", scenario.ships), ("enemies", scenario.enemies))
    found: list[Where] = [(key, number) for key, side in sides for number, ship in enumerate(side) if ship.convoy]
    for where in found:
        if scenario.mode != "convoy":
            yield (*where, "convoy"), f"is true in a {scenario.mode}: want mode: convoy (WIN-3)"
        elif where[0] != found[0][0]:
            yield (*where, "convoy"), f"is true, and so it is of {spell(found[0])}: want it on one side (WIN-3)"
    if scenario.mode == "convoy" and not found:
        yield ("ships",), "has no ship to bring across: want convoy: true for some of one side (WIN-3)"


def _place_problems(scenario: Scenario) -> Iterator[Problem]:
    """MAP-5: where ships and placed markers start."""
    taken: dict[str, Where] = {}
    for key, side in (("ships", scenario.ships), ("enemies", scenario.enemies)):
        for number, ship in enumerate(side):
            yield from _hex_problems(scenario, (key, number), ship.hex, taken)
    if scenario.mirror:
        for number, (ship, turned) in enumerate(zip(*scenario.sides, strict=True)):
            if turned.hex in taken:
                stands = f"where {spell(taken[turned.hex])} stands"
                words = f"is '{ship.hex}', on the turned board '{turned.hex}', {stands}: want a free hex (MAP-5)"
                yield ("ships", number, "hex"), words
    for name, field in scenario.fields.items():
        yield from _field_problems(scenario, ("fields", name), field)
        also_taken = dict(taken)
        for number, marker in enumerate(field.markers):
            yield from _hex_problems(scenario, ("fields", name, "markers", number), marker.hex, also_taken)


def _hex_problems(scenario: Scenario, where: Where, text: str, taken: dict[str, Where]) -> Iterator[Problem]:
    width, height = scenario.size
    where = (*where, "hex")
    if not on_map(width, height, *parse_label(text)):
        last = label(width - 1, height - 1 - (width - 1) // 2)
        yield where, f"is '{text}', off the map: want 0101 to {last} (MAP-6)"
    elif text in taken:
        yield where, f"is '{text}', where {spell(taken[text])} stands: want a free hex (MAP-5)"
    taken.setdefault(text, where[:-1])


def _field_problems(scenario: Scenario, where: Where, field: FieldEntry) -> Iterator[Problem]:
    if field.n_markers > MAX_MARKERS:
        yield where, f"has {field.n_markers} markers: want at most {MAX_MARKERS}"
    if field.facing is not None and field.drift == "each":
        yield (*where, "facing"), f"is {field.facing!r} with drift: each: want drift: same, or no facing (SET-2)"
    if field.facing is not None and not field.sets:
        yield (*where, "facing"), f"is {field.facing!r} without sets: want sets, or a facing for each marker (SET-2)"
    # Only a field that is all dice is as likely to come out turned by half a turn as it is.
    if scenario.mirror and field.facing is not None:
        yield (*where, "facing"), f"is {field.facing!r} with mirror: true: want it diced, to favour no side (COR-7)"
    if scenario.mirror and field.markers:
        yield (*where, "markers"), f"has {len(field.markers)} with mirror: true: want them diced (COR-7)"
