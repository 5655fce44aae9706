"""Short ways to state a position in a rule test, and a geometry of its own to compare with.

Nothing here calls the rules: hexes are counted in columns and rows, as a player counts them on the map.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fc_env.hexgrid import label
from fc_env.notation import Position
from fc_env.state import Facing, Outcome, Status

FACINGS = ("N", "NE", "SE", "S", "SW", "NW")

# What a step does to (column, row), for columns that stand high (first, third, ...) and low (second, fourth, ...).
_HIGH = {"N": (0, -1), "NE": (1, -1), "SE": (1, 0), "S": (0, 1), "SW": (-1, 0), "NW": (-1, -1)}
_LOW = {"N": (0, -1), "NE": (1, 0), "SE": (1, 1), "S": (0, 1), "SW": (-1, 1), "NW": (-1, 0)}

FLAGSHIP = "flagship dice d6 d8 d10 slowness 2 hull 10"
LESSER = "crew 2-10 captain JQK dice d6 d8 d10 slowness 2 hull 10"
READY = "power LMH shown order"
"""Movement on the largest die (d10); the marker's name follows."""
CARD = "phase card\ncard 10C\n"
NEXT_POWER = 1
"""The die by which a lesser ship gets its power at the start of the next turn (POW-2)."""
FAR = f"ship 0 3020 N {FLAGSHIP}"
"""A flagship in the map's last corner, out of everybody's way; a crossing needs one."""


def stated(text: str) -> Position:
    """The position of a text without its first line."""
    return Position.parse("fleet-captain position 1\n" + text)


def ahead(hexname: str, facing: str, hexes: int = 1) -> str:
    """The hex so many hexes along a facing, also off the map."""
    column, row = int(hexname[:2]), int(hexname[2:])
    for _ in range(hexes):
        more_columns, more_rows = (_HIGH if column % 2 else _LOW)[facing]
        column, row = column + more_columns, row + more_rows
    return f"{column:02d}{row:02d}"


def is_on(width: int, height: int, hexname: str) -> bool:
    """Whether a hex is on a map of that size."""
    return 1 <= int(hexname[:2]) <= width and 1 <= int(hexname[2:]) <= height


def ship(position: Position, seat: int = 0, index: int = 0) -> Any:
    """A ship's record."""
    return position.game["ships"][seat, index]


def at(position: Position, seat: int = 0, index: int = 0) -> str:
    """Hex and facing of a ship, such as ``"1213 NE"``."""
    record = ship(position, seat, index)
    return f"{label(int(record['q']), int(record['r']))} {Facing(int(record['facing'])).name}"


def status(position: Position, seat: int = 0, index: int = 0) -> str:
    """A ship's status in lower case."""
    return Status(int(ship(position, seat, index)["status"])).name.lower()


def marker(position: Position, index: int = 0) -> str:
    """What the text says of a marker, such as ``"0506 S 3"`` or ``"waiting 0105 NE 3"``."""
    lines = [line for line in position.text.splitlines() if line.startswith("marker ")]
    return lines[index].removeprefix("marker ")


def rules(position: Position) -> list[str]:
    """Rule ids of what happened, in order."""
    return [event.rule for event in position.events]


def of_rule(position: Position, rule: str) -> list[Any]:
    """The events of one rule."""
    return [event for event in position.events if event.rule == rule]


def faces(position: Position, purpose: str) -> list[int]:
    """Faces of the dice that fell for a purpose, in order."""
    return [die.faces for die in position.dice if die.purpose == purpose]


def line_of(position: Position, start: str) -> str:
    """The line of the text that starts so."""
    return next(line for line in position.text.splitlines() if line.startswith(start))


def outcome(position: Position) -> str:
    """How the game ended, in lower case."""
    return Outcome(int(position.game["outcome"])).name.lower()


def mover(hexname: str, facing: str, order: str, more: str = "", hull: str = "hull 10") -> str:
    """A lone flagship with its largest die, d10, on movement and Slowness 2, on a card it may move on."""
    return (
        f"{CARD}ship 0 {hexname} {facing} flagship dice d6 d8 d10 slowness 2 {hull} "
        f"power LMH shown order {order} {more}\n"
    )


def fly(text: str, roll: int, dice: Sequence[int] = (), slip: str = "straight") -> Position:
    """Move a ship with a forward marker: its roll, its last hex, and the dice that fall on the way."""
    return stated(text).act("ship 0 acts", dice=[roll]).act(f"last hex {slip}", dice=list(dice))
