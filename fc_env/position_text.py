"""A position as text: reading and writing. ``notation`` explains the form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from pydantic import ValidationError

from fc_env.describe import CARD_VALUES, EDGE_NAMES, ORDER_NAMES, card_name, edge_names
from fc_env.errors import ScenarioError
from fc_env.hexgrid import DQ, DR, axial_r, label, on_map
from fc_env.rules.power import WAY_NAMES
from fc_env.ruleset import LADDER, RuleSet, from_record, to_record
from fc_env.state import GAME, MAX_MARKERS, MAX_SHIPS, SEATS, Facing, Mode, Outcome, Phase, Status
from fc_env.validity import CAPTAIN_RANKS, CREW_RANKS, GAME_RANGES, SHIP_RANGES, Where, problems

FIRST_LINE = "fleet-captain position 1"
CAPTAIN_LETTERS = dict(zip("JQK", CAPTAIN_RANKS, strict=True))
MAX_UINT64 = 2**64 - 1
_MAP_DEFAULT = (30, 20)


class _Refused(Exception):
    """What is wrong with a line; the reader adds where."""


def _refuse(message: str) -> NoReturn:
    raise _Refused(message)


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


class _Words:
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
    "hull N or N/FULL, lasers N, volleys N, torpedo, power LMH [shown], order forward [shown], activated, contacts N, "
    "token N, destroyed, left"
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


def _crew_text(bits: int) -> str:
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


def _shown(words: _Words) -> int:
    if words.left and words.left[0] == "shown":
        words.take("shown")
        return 1
    return 0


_SHIP_NUMBERS = ("slowness", "lasers", "volleys", "contacts", "token")
_SHIP_FLAGS = {"flagship": "flagship", "torpedo": "torpedoes", "activated": "activated"}


def _ship_item(ship: Any, item: str, words: _Words) -> None:
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
    elif item == "power":
        ship["power"] = _choice(words.take("the way after power"), "power", WAY_NAMES)
        ship["power_shown"] = _shown(words)
    elif item == "order":
        ship["order"] = _choice(words.take("the marker after order"), "order", ORDER_NAMES)
        ship["order_shown"] = _shown(words)
    else:
        _refuse(f"{item!r} is not a word of a ship line: want {_SHIP_FORM}")


def _read_ship(game: Any, words: _Words) -> Where:
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


def _read_marker(game: Any, words: _Words) -> Where:
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


def _read_rules(game: Any, words: _Words) -> None:
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
        _refuse(f"rules {name}={first['input']}: {first['msg'][0].lower()}{first['msg'][1:]}")
    words.left = []


def _rule_value(text: str) -> Any:
    if re.fullmatch(r"-?[0-9]{1,9}", text):
        return int(text)
    if re.fullmatch(r"[0-9]\.[0-9]{1,6}", text):
        return float(text)
    return {"true": True, "false": False}.get(text, text)


def _read_map(game: Any, words: _Words) -> None:
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


def _read_goal(game: Any, words: _Words) -> None:
    game["goal"] = 0
    while True:
        game["goal"] |= 1 << _choice(words.take("the edge"), "goal", list(EDGE_NAMES.values()))
        if not words.left:
            return


def _read_flipped(game: Any, words: _Words) -> None:
    while words.left:
        value = _card(words.take("a card"), "flipped")
        if int(game["flipped"]) >> (value - 1) & 1:
            _refuse(f"flipped {card_name(value)!r} is said twice: want each card once")
        game["flipped"] = np.uint64(int(game["flipped"]) | 1 << (value - 1))


def _card(word: str, what: str) -> int:
    names = {name.lower(): value for name, value in CARD_VALUES.items()}
    if word.lower() not in names:
        _refuse(f"{what} {word!r}: want a rank 2..10 J Q K A and a suit C S H D, such as 10C, or joker")
    return names[word.lower()]


def _read_side_tokens(game: Any, words: _Words) -> None:
    for seat in range(SEATS):
        game["side_token"][seat] = _number(words.take("a token"), "side_tokens", 0, 255)


def _setter(name: str, low: int | None = None, high: int = 0) -> Callable[[Any, _Words], None]:
    limits = GAME_RANGES[name] if low is None else (low, high)

    def read(game: Any, words: _Words) -> None:
        game[name] = _number(words.take("the number"), name, *limits)

    return read


def _chooser(name: str, names: list[str]) -> Callable[[Any, _Words], None]:
    def read(game: Any, words: _Words) -> None:
        game[name] = _choice(words.take("the word"), name, names)

    return read


def _read_card(game: Any, words: _Words) -> None:
    game["card"] = _card(words.take("the card"), "card") - 1
    game["flipped"] = np.uint64(int(game["flipped"]) | 1 << int(game["card"]))


def _read_avoid_die(game: Any, words: _Words) -> None:
    game["move_avoid_die"] = _die(words.take("the die"), "move_avoid_die")


_READERS: dict[str, tuple[Callable[[Any, _Words], Any], str]] = {
    "map": (_read_map, "map WIDTHxHEIGHT"),
    "mode": (_chooser("mode", _names(Mode)), "mode crossing or mode battle"),
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

_MANY = ("ship", "marker")


def _usual_to_answer(game: Any) -> int:
    return SEATS if game["phase"] in (Phase.CARD, Phase.SIDESLIP) else 0


def _usual_acts(game: Any) -> int:
    if game["card"] < 0:
        return 0
    return int(game["rules"]["activations_per_card"]) - (1 if game["phase"] == Phase.SIDESLIP else 0)


def _usual_ask(game: Any) -> tuple[int, int]:
    """The seat and ship that power and orders ask next (COR-1), else seat 0 and no ship."""
    phase = game["phase"]
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat])):
            ship = game["ships"][seat, index]
            if ship["status"] != Status.IN_PLAY:
                continue
            if phase == Phase.POWER and ship["flagship"] and not ship["power"]:
                return seat, index
            if phase == Phase.ORDERS and not ship["order"]:
                return seat, index
    return 0, -1


def _usual_actor(game: Any) -> int:
    if game["phase"] in (Phase.CARD, Phase.SIDESLIP):
        first = int(game["first"])
        return first if game["to_answer"] == SEATS else 1 - first
    return _usual_ask(game)[0]


def _usual_asked(game: Any) -> int:
    seat, index = _usual_ask(game)
    return index if seat == game["actor"] else -1


_USUAL: dict[str, Callable[[Any], int]] = {
    "flips": lambda game: int(game["flipped"]).bit_count(),
    "to_answer": _usual_to_answer,
    "card_acts": _usual_acts,
    "actor": _usual_actor,
    "asked": _usual_asked,
    "move_hexes": lambda game: 0,
    "move_avoid_die": lambda game: int(game["rules"]["avoid_die"]) if game["phase"] == Phase.SIDESLIP else 0,
}
"""What an item is when no line says it, given the items before it in ``_READERS``."""


def _error(line: int, message: str) -> ScenarioError:
    return ScenarioError(f"position line {line}: {message}")


def _split(text: str) -> list[tuple[int, list[str]]]:
    """The words of each line that says something, with its number; the first one must name the form."""
    if not isinstance(text, str):
        raise ScenarioError(f"position {text!r}: want text")
    lines = [(number, line.split("#")[0].split()) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, words) for number, words in lines if words]
    number, words = lines[0] if lines else (1, [])
    if " ".join(words) != FIRST_LINE:
        raise _error(number, f"{' '.join(words)!r}: want {FIRST_LINE!r} first")
    for number, words in lines[1:]:
        if words[0] not in _READERS:
            raise _error(number, f"{words[0]!r} is not an item: want one of {', '.join(_READERS)}")
    return lines[1:]


def _empty() -> np.ndarray:
    """A position of which nothing has been said yet, GAME (1,)."""
    games = np.zeros(1, GAME)
    game = games[0]
    game["width"], game["height"] = _MAP_DEFAULT
    game["rules"] = to_record(RuleSet())
    game["turn"], game["asked"], game["card"] = 1, -1, -1
    game["side_token"] = range(SEATS)
    return games


def _read_line(game: Any, item: str, number: int, words: list[str]) -> Where:
    reader, form = _READERS[item]
    rest = _Words(words, form)
    try:
        about = reader(game, rest)
        rest.end()
    except _Refused as refused:
        raise _error(number, str(refused)) from None
    return about or (item,)


def read(text: str) -> np.ndarray:
    """The position a text states, GAME (1,). Raises ScenarioError with line, what is wrong and what would be right."""
    games = _empty()
    game = games[0]
    lines = _split(text)
    where: dict[Where, int] = {}
    for item in _READERS:
        mine = [(number, words[1:]) for number, words in lines if words[0] == item]
        if len(mine) > 1 and item not in _MANY:
            raise _error(mine[1][0], f"{item} is said twice: want it once")
        if item in _USUAL:
            game[item] = _USUAL[item](game)
        for number, words in mine:
            where[_read_line(game, item, number, words)] = number
    check(game, where)
    return games


_LINE_OF = {"width": "map", "height": "map", "side_token": "side_tokens"}


def check(game: Any, where: dict[Where, int] | None = None) -> None:
    """Raise ScenarioError if a record is no position of the game; ``where`` gives the lines that stated it."""
    for about, message in problems(game):
        name = _LINE_OF.get(about[0], about[0])
        number = (where or {}).get(about) or (where or {}).get((name,))
        if number:
            raise _error(number, message)
        place = f"{about[0]}{''.join(f'[{i}]' for i in about[1:])}: " if len(about) > 1 else ""
        raise ScenarioError(f"position: {place}{message}")


def _rules_text(record: Any) -> str:
    default = RuleSet().model_dump()
    words = []
    for name, value in from_record(record).model_dump().items():
        if value == default[name]:
            continue
        if isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, float):
            value = f"{value:.6f}".rstrip("0").rstrip(".")
        words.append(f"{name}={value}")
    return " ".join(words)


def _turn_words(ship: Any) -> list[str]:
    """What a ship line says of this turn."""
    words = []
    for item, names in (("power", WAY_NAMES), ("order", ORDER_NAMES)):
        if ship[item] or ship[f"{item}_shown"]:
            words.append(f"{item} {names[ship[item]]}" + (" shown" if ship[f"{item}_shown"] else ""))
    if ship["activated"]:
        words.append("activated")
    if ship["contacts"]:
        words.append(f"contacts {ship['contacts']}")
    return words


def _ship_text(game: Any, seat: int, index: int) -> str:
    ship = game["ships"][seat, index]
    words = [f"ship {seat} {label(int(ship['q']), int(ship['r']))} {Facing(ship['facing']).name}"]
    if ship["flagship"]:
        words.append("flagship")
    if ship["crew"]:
        words.append(f"crew {_crew_text(int(ship['crew']))}")
    if ship["captain"]:
        ranks = (letter for letter, rank in CAPTAIN_LETTERS.items() if int(ship["captain"]) >> rank & 1)
        words.append(f"captain {''.join(ranks)}")
    words.append("dice " + " ".join(f"d{faces}" for faces in ship["power_dice"]))
    full = f"/{ship['full_hull']}" if ship["hull"] != ship["full_hull"] else ""
    words.append(f"slowness {ship['slowness']} hull {ship['hull']}{full}")
    for name, usual in (("lasers", 0), ("volleys", 1)):
        if ship[name] != usual:
            words.append(f"{name} {ship[name]}")
    if ship["torpedoes"]:
        words.append("torpedo")
    words += _turn_words(ship)
    if ship["token"] != seat * MAX_SHIPS + index:
        words.append(f"token {ship['token']}")
    if ship["status"] != Status.IN_PLAY:
        words.append(Status(ship["status"]).name.lower())
    return " ".join(words)


def _marker_text(game: Any, index: int) -> str:
    marker = game["markers"][index]
    q, r, facing = int(marker["q"]), int(marker["r"]), Facing(marker["facing"])
    if on_map(int(game["width"]), int(game["height"]), q, r):
        return f"marker {label(q, r)} {facing.name} {marker['density']}"
    return f"marker waiting {label(q + int(DQ[facing]), r + int(DR[facing]))} {facing.name} {marker['density']}"


def _items(game: Any) -> dict[str, str]:
    """What each line says that stands once; empty where it is as usual."""
    unsaid, card = int(game["flipped"]), int(game["card"])
    if card >= 0:
        unsaid &= ~(1 << card)
    tokens = [int(token) for token in game["side_token"]]
    items = {
        "map": f"{game['width']}x{game['height']}",
        "mode": Mode(game["mode"]).name.lower(),
        "goal": edge_names(int(game["goal"])),
        "rules": _rules_text(game["rules"]),
        "turn": str(game["turn"]),
        "phase": Phase(game["phase"]).name.lower(),
        "outcome": Outcome(game["outcome"]).name.lower() if game["outcome"] else "",
        "seed": str(game["seed"]) if game["seed"] else "",
        "flipped": " ".join(card_name(c + 1) for c in range(unsaid.bit_length()) if unsaid >> c & 1),
        "card": card_name(card + 1) if card >= 0 else "",
        "first": str(game["first"]) if game["first"] else "",
        "side_tokens": " ".join(map(str, tokens)) if tokens != list(range(SEATS)) else "",
    }
    for item, usual in _USUAL.items():
        items[item] = str(game[item]) if game[item] != usual(game) else ""
    if items["move_avoid_die"]:
        items["move_avoid_die"] = f"d{items['move_avoid_die']}"
    return items


def write(game: Any) -> str:
    """The text of a position, GAME (), that ``read`` gives back byte for byte. What is as usual is left out."""
    check(game)
    lines = [FIRST_LINE, *(f"{item} {words}" for item, words in _items(game).items() if words)]
    for seat in range(SEATS):
        lines += [_ship_text(game, seat, index) for index in range(int(game["n_ships"][seat]))]
    lines += [_marker_text(game, index) for index in range(int(game["n_markers"]))]
    return "\n".join(lines) + "\n"
