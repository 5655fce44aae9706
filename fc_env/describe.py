"""Events and dice in words: one readable line each, with rule id, hex label and roll."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST, label
from fc_env.rules.power import WAY_NAMES
from fc_env.state import Facing, Order, Outcome, Slip

SUITS = "CSHD"
RANKS = (*(str(rank) for rank in range(2, 11)), "J", "Q", "K", "A")
EDGE_NAMES = {NORTH: "north", EAST: "east", SOUTH: "south", WEST: "west"}
ORDER_NAMES = ("none", "forward", "right", "left", "drift", "hidden")


def card_name(value: int) -> str:
    """Name of the card of a die value 1..56: ``"10C"``, ``"KS"``, ``"joker"``, ``"joker2"``."""
    if value > len(SUITS) * len(RANKS):
        number = value - len(SUITS) * len(RANKS)
        return "joker" if number == 1 else f"joker{number}"
    suit, rank = divmod(value - 1, len(RANKS))
    return RANKS[rank] + SUITS[suit]


CARD_VALUES = {card_name(value): value for value in range(1, 57)}
"""Die value of each card's name."""


def edge_names(bits: int) -> str:
    """The edges named by bits of ``hexgrid.NORTH..WEST``, with blanks between."""
    return " ".join(name for bit, name in EDGE_NAMES.items() if bits & bit)


class Event(NamedTuple):
    """One thing that happened. Numbers are -1 and ``hex`` is "" where there is none; ``value`` is as the rule says."""

    rule: str  # the rule id, such as "CON-1"
    turn: int
    seat: int
    ship: int
    marker: int
    hex: str  # CCRR label (MAP-6)
    roll: int
    value: int


class Die(NamedTuple):
    """One die that fell."""

    turn: int
    purpose: str  # such as "drift" or "contact damage"
    piece: int  # token of the ship or side, or index of the marker
    nth: int  # the how-manyeth of these this turn
    faces: int
    value: int


def event_of(row: Any) -> Event:
    """The event of a row of ``tape.EVENT``."""
    q, r = int(row["q"]), int(row["r"])
    return Event(
        Rule(int(row["rule"])).id,
        int(row["turn"]),
        int(row["seat"]),
        int(row["ship"]),
        int(row["marker"]),
        "" if (q, r) == (-1, -1) else label(q, r),
        int(row["roll"]),
        int(row["value"]),
    )


def die_of(row: Any) -> Die:
    """The die of a row of ``tape.DIE``."""
    purpose = Purpose(int(row["purpose"])).name.lower().replace("_", " ")
    return Die(*(int(row["turn"]), purpose), *(int(row[name]) for name in ("piece", "nth", "faces", "value")))


def _hit(e: Event) -> str:
    return f"{e.roll}, {'hit' if e.value else 'safe'}"


def _edge(e: Event) -> str:
    if e.value == 0:
        return f"stops at the wall, in {e.hex}"
    return f"leaves the map to {e.hex}, by the edge {edge_names(e.value)}"


_WORDS: dict[Rule, Callable[[Event], str]] = {
    Rule.TURN_1: lambda e: f"turn {e.value} begins",
    Rule.POW_1: lambda e: f"chooses power {WAY_NAMES[e.value]}",
    Rule.POW_2: lambda e: f"rolls {e.roll} for power: {WAY_NAMES[e.value]}",
    Rule.POW_3: lambda e: f"shows power {WAY_NAMES[e.value]}",
    Rule.ORD_1: lambda e: f"shows its order {ORDER_NAMES[Order(e.value)]}",
    Rule.DRF_1: lambda e: f"rolls {e.roll} for drift at {e.hex}",
    Rule.DRF_2: lambda e: f"of density {e.value} meets it in {e.hex}",
    Rule.DRF_3: lambda e: f"is moved on to {e.hex}, as its hex is taken",
    Rule.DRF_4: lambda e: f"leaves the map and waits at {e.hex}",
    Rule.CON_1: lambda e: f"rolls {_hit(e)}, contact in {e.hex}",
    Rule.CON_2: lambda e: f"damage roll {e.roll}, loses {e.value} hull in {e.hex}",
    Rule.CARD_1: lambda e: f"wins the initiative, {e.roll} to {e.value}",
    Rule.CARD_2: lambda e: f"card {card_name(e.roll)} is flipped",
    Rule.CARD_4: lambda e: f"acts on {card_name(e.value)}",
    Rule.CARD_5: lambda e: f"attempts a captain's manoeuvre on {card_name(e.value)}",
    Rule.CARD_7: lambda e: f"a joker ends the cards, as card {e.value}",
    Rule.END_1: lambda e: f"was not activated and drifts from {e.hex}",
    Rule.END_2: lambda e: f"drifts {e.value} from {e.hex}",
    Rule.MOV_1: lambda e: f"rolls {e.roll} for movement at {e.hex}: hexes {e.value}",
    Rule.MOV_3: lambda e: f"last hex {Slip(e.value).name.lower()}",
    Rule.MOV_4: lambda e: f"turns to {Facing(e.value).name} in {e.hex}",
    Rule.MOV_6: lambda e: f"of density {e.value} is entered by it in {e.hex}",
    Rule.MOV_7: lambda e: f"moves on to {e.hex}, as its hex is taken",
    Rule.MOV_8: _edge,
    Rule.MOV_9: lambda e: f"avoids hazard with a d{e.value}",
    Rule.MOV_10: lambda e: f"passes a ship in {e.hex}: rolls {e.roll} and {e.value}",
    Rule.DOOM_1: lambda e: f"is destroyed in {e.hex}",
    Rule.SET_1: lambda e: f"of density {e.value} is laid in {e.hex}",
    Rule.WIN_1: lambda e: f"the game is over: {Outcome(e.value).name.lower()}",
    Rule.WIN_2: lambda e: f"the game is over: {Outcome(e.value).name.lower()}",
}


def _who(e: Event) -> str:
    ship = f"seat {e.seat} ship {e.ship}" if e.ship >= 0 else f"seat {e.seat}" if e.seat >= 0 else ""
    marker = f"marker {e.marker}" if e.marker >= 0 else ""
    by_marker = e.rule in ("DRF-2", "MOV-6")
    parts = (marker,) if by_marker else (ship, f"(marker {e.marker})" if ship and marker else marker)
    return " ".join(part for part in parts if part)


def describe_event(event: Event | np.void) -> str:
    """One line: rule id, who, what, where, on what roll. Takes an Event or a row of ``tape.EVENT``.

    >>> describe_event(Event("CON-1", 3, 0, 0, 2, "1213", 4, 1))
    'CON-1 seat 0 ship 0 (marker 2) rolls 4, hit, contact in 1213'
    """
    e = event if isinstance(event, Event) else event_of(event)
    words = _WORDS[Rule[e.rule.replace("-", "_")]](e)
    met = f" (seat {e.seat} ship {e.ship})" if e.rule in ("DRF-2", "MOV-6") else ""
    return " ".join(part for part in (e.rule, _who(e), words) if part) + met


_PIECES = {"drift": "marker", "field row": "marker", "field hex": "marker", "field facing": "marker"}


def describe_die(die: Die | np.void) -> str:
    """One line: the die, its value and what it was rolled for. Takes a Die or a row of ``tape.DIE``.

    >>> describe_die(Die(3, "drift", 0, 0, 6, 4))
    'd6 = 4 for drift of marker 0, turn 3'
    """
    d = die if isinstance(die, Die) else die_of(die)
    if d.purpose == "card":
        return f"card {card_name(d.value)} of {d.faces}, turn {d.turn}"
    piece = _PIECES.get(d.purpose, "side" if d.purpose == "initiative" else "ship with token")
    return f"d{d.faces} = {d.value} for {d.purpose} of {piece} {d.piece}, turn {d.turn}"
