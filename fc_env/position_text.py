"""A position as text: reading and writing. ``notation`` explains the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fc_env.describe import ORDER_NAMES, card_name, edge_names
from fc_env.errors import ScenarioError
from fc_env.hexgrid import DQ, DR, label, on_map
from fc_env.position_lines import CAPTAIN_LETTERS, READERS, Refused, Words, crew_text
from fc_env.rules.power import WAY_NAMES
from fc_env.ruleset import RuleSet, from_record, to_record
from fc_env.ship_validity import FLAW_SIDES, Where
from fc_env.state import GAME, MAX_SHIPS, SEATS, Doom, Facing, Flaw, Mode, Outcome, Phase, Slip, Status
from fc_env.validity import CARD_PHASES, problems

FIRST_LINE = "fleet-captain position 1"
_MAP_DEFAULT = (30, 20)
_MANY = ("ship", "marker")


def _usual_to_answer(game: Any) -> int:
    return SEATS if game["phase"] in CARD_PHASES else 0


def _usual_acts(game: Any) -> int:
    if game["card"] < 0:
        return 0
    return int(game["rules"]["activations_per_card"]) - (1 if game["phase"] in (Phase.TARGET, Phase.SIDESLIP) else 0)


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
    if game["phase"] in CARD_PHASES:
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
"""What an item is when no line says it, given the items before it in ``READERS``."""


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
        if words[0] not in READERS:
            raise _error(number, f"{words[0]!r} is not an item: want one of {', '.join(READERS)}")
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
    reader, form = READERS[item]
    rest = Words(words, form)
    try:
        about = reader(game, rest)
        rest.end()
    except Refused as refused:
        raise _error(number, str(refused)) from None
    return about or (item,)


def read(text: str) -> np.ndarray:
    """The position a text states, GAME (1,). Raises ScenarioError with line, what is wrong and what would be right."""
    games = _empty()
    game = games[0]
    lines = _split(text)
    where: dict[Where, int] = {}
    for item in READERS:
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
    """What a ship line says of this turn, and of what it has suffered."""
    words = []
    for item, names in (("power", WAY_NAMES), ("order", ORDER_NAMES)):
        if ship[item] or ship[f"{item}_shown"]:
            words.append(f"{item} {names[ship[item]]}" + (" shown" if ship[f"{item}_shown"] else ""))
    if ship["activated"]:
        words.append("activated")
    if ship["contacts"]:
        words.append(f"contacts {ship['contacts']}")
    words += [name for name in ("jammed", "sitting_duck") if ship[name]]
    if ship["packets"]:
        words.append(f"packets {ship['packets']}")
    if ship["doom"]:
        words.append(f"doom {Doom(ship['doom']).name.lower()}")
    if ship["blast"]:
        words.append(f"blast {ship['blast']}")
    return words


def _flaw_words(ship: Any) -> list[str]:
    flaw, side = Flaw(ship["flaw"]), int(ship["flaw_side"])
    if not flaw:
        return []
    words = ["flaw", flaw.name.lower()]
    if flaw == Flaw.ENGINE_IMBALANCE:
        words.append(Slip(side).name.lower())
    elif flaw in FLAW_SIDES:
        words.append(str(side))
    return words


def _ship_text(game: Any, seat: int, index: int) -> str:
    ship = game["ships"][seat, index]
    words = [f"ship {seat} {label(int(ship['q']), int(ship['r']))} {Facing(ship['facing']).name}"]
    if ship["flagship"]:
        words.append("flagship")
    if ship["crew"]:
        words.append(f"crew {crew_text(int(ship['crew']))}")
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
    words += _flaw_words(ship)
    if ship["convoy"]:
        words.append("convoy")
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
