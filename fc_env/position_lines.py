"""What one line of a position's text says. ``notation`` explains the form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from pydantic import ValidationError

from fc_env.describe import EDGE_NAMES, ORDER_NAMES
from fc_env.errors import ForcedDiceError
from fc_env.hexgrid import DQ, DR, axial_r, on_map
from fc_env.rules.cards import card_name, card_value
from fc_env.rules.power import WAY_NAMES
from fc_env.ruleset import LADDER, RuleSet, to_record
from fc_env.ship_validity import CAPTAIN_RANKS, CREW_RANKS, FLAW_SIDES, SHIP_RANGES, Where
from fc_env.state import MAX_MARKERS, MAX_SHIPS, SEATS, Doom, Facing, Flaw, Mode, Outcome, Phase, Slip, Status
from fc_env.validity import GAME_RANGES

CAPTAIN_LETTERS = dict(zip("JQK", CAPTAIN_RANKS, strict=True))
MAX_UINT64 = 2**64 - 1


class Refused(Exception):
    """What is wrong with a line; who reads the text adds which line."""


def _refuse(message: str) -> NoReturn:
    raise Refused(message)


def _number(word: str, what: str, low: int, high: int) -> int:
    if not re.fullmatch(r"-?[0-9]{1,20}", word) or not low <= int(word) <= high:
        _refuse(f"{what} {word!r}: want a whole number {low}..{high}")
    return int(word)


def _choice(word: str, what: str, names: Any) -> int:
    """Place of a word among names, whatever its case."""
    lowered = [name.lower() for name in names]
    if word.lower() not in lowered:
        _refuse(f"{what} {word!r}: want one of {', '.join(names)}")
    return lowered.index(word.lower())


def _hex(word: str) -> tuple[int, int]:
    """Axial hex of a CCRR label; 00 and one beyond the last are just off the map."""
    if not re.fullmatch(r"[0-9]{4}", word):
        _refuse(f"hex {word!r}: want a label CCRR, column and row counted from 1, such as '1213'")
    column = int(word[:2]) - 1
    return column, int(axial_r(column, int(word[2:]) - 1))


def _die(word: str, what: str) -> int:
    if word not in [f"d{faces}" for faces in LADDER]:
        _refuse(f"{what} {word!r}: want one of {', '.join(f'd{faces}' for faces in LADDER)}")
    return int(word[1:])


def _names(enumeration: Any) -> list[str]:
    return [member.name.lower() for member in enumeration]


class Words:
    """The words of a line, taken one by one."""

    def __init__(self, words: list[str], form: str) -> None:
        self.left = words
        self.form = form

    def take(self, what: str) -> str:
        if not self.left:
            _refuse(f"{what} is missing: want {self.form}")
        return self.left.pop(0)

    def end(self) -> None:
        if self.left:
            _refuse(f"{self.left[0]!r} is not expected there: want {self.form}")


_SHIP_FORM = (
    "ship SEAT HEX FACING, then in any order: flagship, crew 2-4,7, captain JQ, dice d6 d8 d10, slowness N, "
    "hull N or N/FULL, lasers N, volleys N, torpedo, flaw NAME [SIDE], convoy, power LMH [shown], "
    "order forward [shown], activated, contacts N, jammed, sitting_duck, packets N, doom NAME, blast N, token N, "
    "destroyed, left"
)
_MARKER_FORM = "marker HEX FACING DENSITY, or marker waiting HEX FACING DENSITY with the hex it will enter by"


def _crew(word: str) -> int:
    bits = 0
    for part in word.split(","):
        found = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", part)
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if low > high or low not in CREW_RANKS or high not in CREW_RANKS:
            _refuse(f"crew {word!r}: want ranks out of 2..10, such as 2-4,7 (SHIP-2)")
        for rank in range(low, high + 1):
            bits |= 1 << rank
    return bits


def crew_text(bits: int) -> str:
    parts: list[str] = []
    ranks = [rank for rank in CREW_RANKS if bits >> rank & 1]
    while ranks:
        run = [rank for at, rank in enumerate(ranks) if rank == ranks[0] + at]
        parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
        ranks = ranks[len(run) :]
    return ",".join(parts)


def _captain(word: str) -> int:
    bits = 0
    for letter in word.upper().replace(",", ""):
        if letter not in CAPTAIN_LETTERS or bits >> CAPTAIN_LETTERS[letter] & 1:
            _refuse(f"captain {word!r}: want ranks out of J, Q, K, such as JQ (SHIP-2)")
        bits |= 1 << CAPTAIN_LETTERS[letter]
    return bits


def _hull(word: str) -> tuple[int, int]:
    if not re.fullmatch(r"[0-9]{1,5}(/[0-9]{1,5})?", word):
        _refuse(f"hull {word!r}: want N, or N/FULL such as 8/10")
    hull, _, full = word.partition("/")
    return int(hull), int(full or hull)


def _shown(words: Words) -> int:
    if words.left and words.left[0] == "shown":
        words.take("shown")
        return 1
    return 0


def _flaw(words: Words) -> tuple[int, int]:
    """A flaw and its side: facings clockwise from the nose, or left or right; 0 for a flaw that has none."""
    flaw = Flaw(_choice(words.take("the name after flaw"), "flaw", _names(Flaw)))
    if flaw not in FLAW_SIDES:
        return flaw, 0
    name, (low, high) = flaw.name.lower(), FLAW_SIDES[flaw]
    if flaw != Flaw.ENGINE_IMBALANCE:
        return flaw, _number(words.take(f"the hexside after flaw {name}"), f"side of {name}", low, high)
    sides = [slip.name.lower() for slip in Slip if low <= slip <= high]
    return flaw, low + _choice(words.take(f"the side after flaw {name}"), f"side of {name}", sides)


_SHIP_NUMBERS = ("slowness", "lasers", "volleys", "contacts", "packets", "blast", "token")
_SHIP_FLAGS = {"torpedo": "torpedoes"} | {
    name: name for name in ("flagship", "convoy", "activated", "jammed", "sitting_duck")
}


def _ship_item(ship: Any, item: str, words: Words) -> None:
    """Read what follows one of a ship line's words."""
    if item in _SHIP_FLAGS:
        ship[_SHIP_FLAGS[item]] = 1
    elif item in _SHIP_NUMBERS:
        ship[item] = _number(words.take(f"the number after {item}"), item, *SHIP_RANGES[item])
    elif item in ("destroyed", "left"):
        ship["status"] = Status[item.upper()]
    elif item == "dice":
        ship["power_dice"] = [_die(words.take("a die after dice"), "dice") for _ in range(3)]
    elif item == "hull":
        ship["hull"], ship["full_hull"] = _hull(words.take("the number after hull"))
    elif item == "crew":
        ship["crew"] = _crew(words.take("the ranks after crew"))
    elif item == "captain":
        ship["captain"] = _captain(words.take("the ranks after captain"))
    elif item == "flaw":
        ship["flaw"], ship["flaw_side"] = _flaw(words)
    elif item == "doom":
        ship["doom"] = _choice(words.take("the name after doom"), "doom", _names(Doom))
    elif item == "power":
        ship["power"] = _choice(words.take("the way after power"), "power", WAY_NAMES)
        ship["power_shown"] = _shown(words)
    elif item == "order":
        ship["order"] = _choice(words.take("the marker after order"), "order", ORDER_NAMES)
        ship["order_shown"] = _shown(words)
    else:
        _refuse(f"{item!r} is not a word of a ship line: want {_SHIP_FORM}")


def _read_ship(game: Any, words: Words) -> Where:
    seat = _number(words.take("the seat"), "seat", 0, SEATS - 1)
    index = int(game["n_ships"][seat])
    if index == MAX_SHIPS:
        _refuse(f"ship {MAX_SHIPS + 1} of seat {seat}: want at most {MAX_SHIPS} a side")
    ship = game["ships"][seat, index]
    ship["q"], ship["r"] = _hex(words.take("the hex"))
    ship["facing"] = _choice(words.take("the facing"), "facing", [facing.name for facing in Facing])
    ship["status"], ship["volleys"], ship["token"] = Status.IN_PLAY, 1, seat * MAX_SHIPS + index
    said: list[str] = []
    while words.left:
        item = words.take("a word")
        if item in said or {item, *said} >= {"destroyed", "left"}:
            _refuse(f"{item!r} is said twice, or against {said[-1]!r}: want it once")
        said.append(item)
        _ship_item(ship, item, words)
    for item in ("dice", "slowness", "hull"):
        if item not in said:
            _refuse(f"{item} is missing: want {_SHIP_FORM}")
    game["n_ships"][seat] += 1
    return ("ships", seat, index)


def _read_marker(game: Any, words: Words) -> Where:
    index = int(game["n_markers"])
    if index == MAX_MARKERS:
        _refuse(f"marker {MAX_MARKERS + 1}: want at most {MAX_MARKERS}")
    marker = game["markers"][index]
    word = words.take("the hex")
    waiting = word == "waiting"
    name = words.take("the hex") if waiting else word
    q, r = _hex(name)
    facing = _choice(words.take("the facing"), "facing", [facing.name for facing in Facing])
    marker["density"] = _number(words.take("the density"), "density", 1, 6)
    words.end()
    width, height = int(game["width"]), int(game["height"])
    if not on_map(width, height, q, r):
        last = f"{width:02d}{height:02d}"
        _refuse(
            f"hex {name} is off the {width}x{height} map: want 0101..{last}, with waiting before it if it waits there"
        )
    if waiting:
        q, r = q - int(DQ[facing]), r - int(DR[facing])
        if on_map(width, height, q, r):
            _refuse(f"hex {name} is not the first of a row along {Facing(facing).name}: want one where a marker enters")
    marker["q"], marker["r"], marker["facing"] = q, r, facing
    game["n_markers"] += 1
    return ("markers", index)


def _read_rules(game: Any, words: Words) -> None:
    given: dict[str, Any] = {}
    for word in words.left:
        name, equals, value = word.partition("=")
        if not equals or name in given:
            _refuse(f"rules {word!r}: want name=value, each name once, such as drift_die=8")
        given[name] = _rule_value(value)
    if not given:
        _refuse("rules: want name=value, such as drift_die=8")
    try:
        game["rules"] = to_record(RuleSet(**given))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            _refuse(f"rules {name!r} is not a rule: want one of {', '.join(RuleSet.model_fields)}")
        _refuse(f"rules {name}={first['input']}: want another value, {first['msg'].lower()}")
    words.left = []


def _rule_value(text: str) -> Any:
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        return int(text)
    if re.fullmatch(r"[0-9]\.[0-9]{1,6}", text):
        return float(text)
    return {"true": True, "false": False}.get(text, text)


def _read_map(game: Any, words: Words) -> None:
    word = words.take("the size")
    found = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})", word)
    if not found:
        _refuse(f"map {word!r}: want WIDTHxHEIGHT such as 30x20")
    game["width"], game["height"] = int(found[1]), int(found[2])
    for name in ("width", "height"):
        low, high = GAME_RANGES[name]
        if not low <= game[name] <= high:
            _refuse(f"map {word}: want a {name} of {low}..{high}")
    if game["width"] % 2:
        _refuse(f"map {word}: want an even number of columns (MAP-1)")


def _read_goal(game: Any, words: Words) -> None:
    game["goal"] = 0
    while True:
        game["goal"] |= 1 << _choice(words.take("the edge"), "goal", list(EDGE_NAMES.values()))
        if not words.left:
            return


def _read_flipped(game: Any, words: Words) -> None:
    while words.left:
        value = _card(words.take("a card"), "flipped")
        if int(game["flipped"]) >> (value - 1) & 1:
            _refuse(f"flipped {card_name(value)!r} is said twice: want each card once")
        game["flipped"] = np.uint64(int(game["flipped"]) | 1 << (value - 1))


def _card(word: str, what: str) -> int:
    try:
        return card_value(word)
    except ForcedDiceError:
        _refuse(f"{what} {word!r}: want a rank 2..10 J Q K A and a suit C S H D, such as 10C, or joker")


def _read_side_tokens(game: Any, words: Words) -> None:
    for seat in range(SEATS):
        game["side_token"][seat] = _number(words.take("a token"), "side_tokens", 0, 255)


def _setter(name: str, low: int | None = None, high: int = 0) -> Callable[[Any, Words], None]:
    limits = GAME_RANGES[name] if low is None else (low, high)

    def read(game: Any, words: Words) -> None:
        game[name] = _number(words.take("the number"), name, *limits)

    return read


def _chooser(name: str, names: list[str]) -> Callable[[Any, Words], None]:
    def read(game: Any, words: Words) -> None:
        game[name] = _choice(words.take("the word"), name, names)

    return read


def _read_card(game: Any, words: Words) -> None:
    game["card"] = _card(words.take("the card"), "card") - 1
    game["flipped"] = np.uint64(int(game["flipped"]) | 1 << int(game["card"]))


def _read_avoid_die(game: Any, words: Words) -> None:
    game["move_avoid_die"] = _die(words.take("the die"), "move_avoid_die")


READERS: dict[str, tuple[Callable[[Any, Words], Any], str]] = {
    "map": (_read_map, "map WIDTHxHEIGHT"),
    "mode": (_chooser("mode", _names(Mode)), "mode crossing, mode battle or mode convoy"),
    "goal": (_read_goal, "goal and edges out of north east south west"),
    "rules": (_read_rules, "rules NAME=VALUE ..."),
    "turn": (_setter("turn"), "turn N"),
    "phase": (_chooser("phase", _names(Phase)), "phase NAME"),
    "outcome": (_chooser("outcome", _names(Outcome)), "outcome NAME"),
    "seed": (_setter("seed", 0, MAX_UINT64), "seed N"),
    "flipped": (_read_flipped, "flipped and the cards flipped this turn"),
    "card": (_read_card, "card NAME, the card that lies open"),
    "first": (_setter("first"), "first SEAT"),
    "side_tokens": (_read_side_tokens, "side_tokens N N"),
    "ship": (_read_ship, _SHIP_FORM),
    "marker": (_read_marker, _MARKER_FORM),
    "flips": (_setter("flips", 0, 56), "flips N"),
    "to_answer": (_setter("to_answer"), "to_answer N"),
    "card_acts": (_setter("card_acts"), "card_acts N"),
    "actor": (_setter("actor"), "actor SEAT"),
    "asked": (_setter("asked"), "asked INDEX, -1 for no one ship"),
    "move_hexes": (_setter("move_hexes"), "move_hexes N"),
    "move_avoid_die": (_read_avoid_die, "move_avoid_die DIE such as d10"),
}
"""How each item is read, in the order in which they build on one another."""
