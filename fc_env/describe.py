"""Events and dice in words: one readable line each, with rule id, hex label and roll."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST, label
from fc_env.rules.cards import card_name
from fc_env.rules.orders import FACE_DOWN
from fc_env.rules.power import WAY_NAMES
from fc_env.ruleset import Aces
from fc_env.state import MAX_SHIPS, Doom, Facing, Flaw, Order, Outcome, Slip

EDGE_NAMES = {NORTH: "north", EAST: "east", SOUTH: "south", WEST: "west"}
ORDER_NAMES = ("none", "forward", "right", "left", "drift", "hidden")


def edge_names(bits: int) -> str:
    """The edges named by bits of ``hexgrid.NORTH..WEST``, with blanks between."""
    return " ".join(name for bit, name in EDGE_NAMES.items() if bits & bit)


class Event(NamedTuple):
    """One thing that happened. Numbers are -1 and ``hex`` is "" where there is none; ``ROWS`` tells roll and value."""

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


def _order(e: Event) -> str:
    name = ORDER_NAMES[Order(e.value)]
    return f"gets its order face down: {name}" if e.roll == FACE_DOWN else f"shows its order {name}"


def _facing(e: Event) -> str:
    how = f", roll {e.roll}" if e.roll >= 0 else ", as the scenario says"
    verb = "enters facing" if e.ship >= 0 else "is to drift" if e.marker >= 0 else "all markers are to drift"
    return f"{verb} {Facing(e.value).name}{how}"


def _activation(e: Event) -> str:
    return f"acts on {card_name(e.value)}" if e.ship >= 0 else f"passes on {card_name(e.value)}"


def _at_the_wall(e: Event) -> str:
    if e.value == 0:
        return f"falls back from {e.hex}, which is taken"
    return f"finds the edge {edge_names(e.value)} open, as it is the goal, in spite of the walls"


def _flying_on(e: Event) -> str:
    return f"is at 0 hull in {e.hex} and finishes its move" + (f", hexes to go {e.value}" if e.value else "")


def _no_hull(e: Event) -> str:
    return f"ends its move at 0 hull, {'off the map' if e.value else 'in ' + e.hex}"


def _target(e: Event) -> str:
    return f"seat {e.value // MAX_SHIPS} ship {e.value % MAX_SHIPS} in {e.hex}"


def _torpedo(e: Event) -> str:
    where = "dead ahead" if e.roll == 0 else f"{e.roll} off the row ahead"
    return f"fires its torpedo {where}, at {_target(e)}"


def _doom(value: int) -> str:
    return Doom(value).name.lower().replace("_", " ")


def _lost_act(e: Event) -> str:
    return "loses its act" + (f": {_doom(e.value)}" if e.value else ", as it has exploded")


def _at_the_end(e: Event) -> str:
    if e.roll < 0:
        return "explodes by its core breach" if e.value else "is destroyed off the map, without a blast"
    return f"rolls {e.roll} after its spite strike: {'explodes' if e.value else 'holds'}"


def _set_off(e: Event) -> str:
    return "is set off" if e.value else "holds"


def _casualty(e: Event) -> str:
    return f"loses the rank {e.value} of its crew" if e.value else "has no rank of its crew to lose"


def _flaw(e: Event) -> str:
    return f"has a flaw that tells: {Flaw(e.value).name.lower().replace('_', ' ')}" + (
        f", roll {e.roll}" if e.roll >= 0 else ""
    )


class Row(NamedTuple):
    """What a rule's rows say: the meaning of ``roll`` and of ``value`` ("" where they are always -1), and the words."""

    roll: str
    value: str
    words: Callable[[Event], str]


_CARD = "the card, 1..56"
_ENDING = Row("", "how it ended, an Outcome", lambda e: f"the game is over: {Outcome(e.value).name.lower()}")
_PIECE = "the target, 6 * seat + ship"
_ACES = {Aces.FLAGSHIPS: "only flagships act", Aces.ALL: "all ships act", Aces.NONE: "no ship acts"}

ROWS: dict[Rule, Row] = {
    Rule.SET_1: Row("", "density", lambda e: f"of density {e.value} is laid in {e.hex}"),
    # for all markers, for one, or of the ship that enters
    Rule.SET_2: Row("the die that chose, -1 if the scenario did", "facing", _facing),
    Rule.SET_4: Row(
        "", "places refused so far", lambda e: f"is diced again: with it in {e.hex} the first drift could touch a ship"
    ),
    Rule.TURN_1: Row("", "the turn", lambda e: f"turn {e.value} begins"),
    Rule.TURN_2: Row("", "the turn", lambda e: f"orders of turn {e.value}"),
    Rule.TURN_3: Row("", "the turn", lambda e: f"asteroid drift of turn {e.value}"),
    Rule.TURN_4: Row("", "the turn", lambda e: f"initiative of turn {e.value}"),
    Rule.TURN_5: Row("", "the turn", lambda e: f"cards of turn {e.value}"),
    Rule.TURN_6: Row("", "the turn", lambda e: f"end drift of turn {e.value}"),
    Rule.TURN_7: Row("", "the turn", lambda e: f"victory check of turn {e.value}"),
    # hidden from the other side until POW-3
    Rule.POW_1: Row("", "the way, 1..6", lambda e: f"chooses power {WAY_NAMES[e.value]}"),
    Rule.POW_2: Row("the die", "the way, 1..6", lambda e: f"rolls {e.roll} for power: {WAY_NAMES[e.value]}"),
    Rule.POW_3: Row("", "the way, 1..6", lambda e: f"shows power {WAY_NAMES[e.value]}"),
    # given, and then hidden from the other side until it is shown; or shown
    Rule.ORD_1: Row("0 given face down, -1 shown", "the Order", _order),
    Rule.ORD_2: Row(
        "",
        "1 it moves and shows its marker, 0 it fires and discards it unseen",
        lambda e: f"is activated, to {'move' if e.value else 'fire'}",
    ),
    Rule.DRF_1: Row("the die", "hexes to drift", lambda e: f"rolls {e.roll} for drift at {e.hex}"),
    Rule.DRF_2: Row("", "density", lambda e: f"of density {e.value} meets it in {e.hex}"),
    Rule.DRF_3: Row("", "1: one more hex", lambda e: f"is moved on to {e.hex}, as its hex is taken"),
    Rule.DRF_4: Row("", "always 0", lambda e: f"leaves the map and waits at {e.hex}"),
    Rule.CON_1: Row("the die", "1 hit, 0 safe", lambda e: f"rolls {_hit(e)}, contact in {e.hex}"),
    Rule.CON_2: Row("the die", "hull lost", lambda e: f"damage roll {e.roll}, loses {e.value} hull in {e.hex}"),
    Rule.CON_3: Row("the die", "its faces", lambda e: f"could not have avoided it on a d{e.value} in {e.hex}"),
    Rule.CON_4: Row("", "hexes to go, 0 if only pushed on", _flying_on),
    Rule.CARD_1: Row("the higher die", "the lower die", lambda e: f"wins the initiative, {e.roll} to {e.value}"),
    Rule.CARD_2: Row(_CARD, "its rank", lambda e: f"card {card_name(e.roll)} is flipped"),
    Rule.CARD_3: Row("", "1 black, 0 red", lambda e: f"the card lets ships {'move' if e.value else 'fire'}"),
    # of a ship that acts, or of a side that passes
    Rule.CARD_4: Row("", _CARD, _activation),
    Rule.CARD_5: Row("", _CARD, lambda e: f"attempts a captain's manoeuvre on {card_name(e.value)}"),
    Rule.CARD_6: Row("", "who acts, as Aces", lambda e: f"on an ace {_ACES[Aces(e.value)]}"),
    Rule.CARD_7: Row("", "cards flipped", lambda e: f"a joker ends the cards, as card {e.value}"),
    Rule.CARD_8: Row("", _CARD, lambda e: f"has no activation on {card_name(e.value)} and is not asked"),
    Rule.END_1: Row("", "0 first side, 1 second", lambda e: f"was not activated and drifts from {e.hex}"),
    Rule.END_2: Row("", "hexes", lambda e: f"drifts {e.value} from {e.hex}"),
    Rule.MOV_1: Row("the die", "hexes", lambda e: f"rolls {e.roll} for movement at {e.hex}: hexes {e.value}"),
    Rule.MOV_2: Row("", "", lambda e: "moves no hex and so drifts"),
    Rule.MOV_3: Row("", "the Slip", lambda e: f"last hex {Slip(e.value).name.lower()}"),
    Rule.MOV_4: Row("", "the new facing", lambda e: f"turns to {Facing(e.value).name} in {e.hex}"),
    Rule.MOV_5: Row("", "", lambda e: "drifts, as its marker says"),
    Rule.MOV_6: Row("", "density", lambda e: f"of density {e.value} is entered by it in {e.hex}"),
    Rule.MOV_7: Row("", "the how-manyeth hex more", lambda e: f"moves on to {e.hex}, as its hex is taken"),
    Rule.MOV_8: Row("", "edges it left by, as bits; 0 at a wall", _edge),
    Rule.MOV_9: Row("", "faces of its contact die", lambda e: f"avoids hazard with a d{e.value}"),
    Rule.MOV_10: Row("its die", "the other's die", lambda e: f"passes a ship in {e.hex}: rolls {e.roll} and {e.value}"),
    Rule.DOOM_1: Row("", "always 0", lambda e: f"is destroyed in {e.hex}"),
    Rule.WIN_1: _ENDING,
    Rule.WIN_2: _ENDING,
    Rule.WIN_3: _ENDING,
    Rule.COR_3: Row("", "", lambda e: "is alone and rolls no initiative"),
    Rule.COR_6: Row(
        "",
        "1 the deck is used up, 0 no ship could act",
        lambda e: "the deck is used up" if e.value else "no ship left could act on any card",
    ),
    Rule.COR_8: Row("", "", lambda e: f"went off the map by an extra hex, to {e.hex}"),
    Rule.COR_9: Row(
        "", "the Slip", lambda e: f"cannot slip {Slip(e.value).name.lower()} from {e.hex} for a wall: straight ahead"
    ),
    # before MOV-8 says where it stops or leaves
    Rule.COR_10: Row("", "0 falls back; or the goal edges it leaves by, as bits", _at_the_wall),
    # after the rows of what it met
    Rule.COR_11: Row("", "contacts", lambda e: f"drifts by the rules of a move: contacts {e.value}, to {e.hex}"),
    Rule.COR_12: Row("", "edges it left by, as bits; 0 on the map", _no_hull),
    Rule.COR_22: Row(
        "",
        "1 a ship's leaving ends the game, 0 elimination comes before the turn limit",
        lambda e: "leaves, which ends the game at once" if e.value else "elimination counts before the turn limit",
    ),
    Rule.COR_24: Row("", "places refused so far", lambda e: f"is diced again: {e.hex} is taken"),
    # of the ship that is attacked, after its shields die; the attack die as it fell
    Rule.FIR_1: Row(
        "the attack die", "hull lost", lambda e: f"is attacked in {e.hex}, roll {e.roll}: loses {e.value} hull"
    ),
    Rule.FIR_2: Row("the attack die", "what it loses", lambda e: f"rolls {e.roll} through asteroids: less {e.value}"),
    # in the hex of the target, as in all of FIR-4 to FIR-8
    Rule.FIR_4: Row("", _PIECE, lambda e: f"fires a volley at {_target(e)}"),
    Rule.FIR_5: Row("0 dead ahead, n on the nth row beside", _PIECE, _torpedo),
    Rule.FIR_6: Row("", _PIECE, lambda e: f"fires a laser at {_target(e)}"),
    Rule.FIR_7: Row("", _PIECE, lambda e: f"makes an Alpha Strike at {_target(e)}"),
    Rule.FIR_8: Row("", _PIECE, lambda e: f"loses a shot at {_target(e)}, which is gone"),
    Rule.DOOM_2: Row(
        "the dice", "its hull then", lambda e: f"rolls {e.roll} for doom: {_doom(e.roll)}, hull {e.value}"
    ),
    Rule.DOOM_3: Row("", "faces of its attack die", lambda e: f"blasts the hexes around {e.hex} with a d{e.value}"),
    Rule.DOOM_4: Row("", "the rank lost, 0 for none", _casualty),
    Rule.COR_17: Row("", "the Doom; 0 for a flaw", _lost_act),
    Rule.COR_18: Row("the die", "1 it explodes, 0 not", lambda e: f"rolls {e.roll} as a sitting duck: {_set_off(e)}"),
    Rule.COR_19: Row("the die of a spite strike", "1 it explodes, 0 not", _at_the_end),
    Rule.COR_20: Row("", "place among the blasts to come", lambda e: f"explodes in {e.hex}, as blast {e.value}"),
    Rule.COR_21: Row("", "always 1", lambda e: "has its torpedo repaired"),
    Rule.COR_23: Row("the die, -1 for none", "the Flaw", _flaw),
}
"""The rows of each rule; what is not said here is as in ``Event``: the piece that acts, and the hex it is in."""


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
    words = ROWS[Rule[e.rule.replace("-", "_")]].words(e)
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
