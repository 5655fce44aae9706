"""What a ship's flaw does to it (rules.md section 9); the rules that a flaw bends ask here."""

from __future__ import annotations

from fc_env import events
from fc_env.events import Rule
from fc_env.hexgrid import DIRECTIONS, steps_ahead
from fc_env.jit import jit
from fc_env.state import Flaw


@jit
def lowered(ship, roll: int) -> int:
    """COR-23. What an attack, shields or movement die of a ship counts: one less if it is simply mediocre, at least 1.

    The die itself is changed: bonuses and attenuation come after. The die of an explosion is an attack die too; what
    lasers take off the damage of a contact (CON-2) is none of these.
    """
    return max(roll - 1, 1) if ship.flaw == Flaw.SIMPLY_MEDIOCRE else roll


@jit
def sensed(ship, roll: int) -> int:
    """What a CON-1 die of a ship counts: one less too with faulty astrogation sensors, at least 1 (COR-23)."""
    return max(roll - 1, 1) if ship.flaw == Flaw.FAULTY_SENSORS else lowered(ship, roll)


@jit
def lies_along(ship, q: int, r: int) -> bool:
    """Whether a hex lies exactly along the row of a ship's blind spot or shield flaw (COR-23)."""
    return steps_ahead(ship.q, ship.r, (ship.facing + ship.flaw_side) % DIRECTIONS, q, r) >= 1


@jit
def is_blind(ship, q: int, r: int) -> bool:
    """Whether no weapon of a ship can fire at a hex, for its blind spot (COR-23)."""
    return ship.flaw == Flaw.BLIND_SPOT and lies_along(ship, q, r)


@jit
def note(game, tape, seat: int, index: int, roll: int) -> None:
    """Write that a ship's flaw has told, on a roll or -1 (COR-23)."""
    events.write_ship(game, tape, Rule.COR_23, seat, index, roll, game.ships[seat, index].flaw)


@jit
def told(game, tape, seat: int, index: int, roll: int, counts: int) -> int:
    """What a roll counts; if that is something else, the flaw has told."""
    if counts != roll:
        note(game, tape, seat, index, roll)
    return counts
