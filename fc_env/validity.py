"""Whether a game record is a position of the game: what is wrong with it, in words, and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from pydantic import ValidationError

from fc_env.errors import ConfigError
from fc_env.hexgrid import DIRECTIONS, DQ, DR, label, on_map
from fc_env.jit import kernel_view
from fc_env.rules.cards import SUITED_CARDS, can_act, is_black
from fc_env.ruleset import LADDER, Aces, MapEdge, from_record
from fc_env.ship_validity import MAX_TOKEN, Problem, Where, check_ranges, last_hex, ship_problems
from fc_env.state import (
    GAME,
    MAX_DENSITY,
    MAX_HEIGHT,
    MAX_MARKERS,
    MAX_SHIPS,
    MAX_WIDTH,
    SEATS,
    Mode,
    Order,
    Outcome,
    Phase,
    Status,
)

GOAL_BITS = 15
CARD_PHASES = (Phase.CARD, Phase.TARGET, Phase.SIDESLIP)
"""The phases in which a card lies open."""

GAME_RANGES: dict[str, tuple[int, int]] = {
    "mode": (0, max(Mode)),
    "goal": (0, GOAL_BITS),
    "width": (2, MAX_WIDTH),
    "height": (1, MAX_HEIGHT),
    "n_markers": (0, MAX_MARKERS),
    "turn": (1, 1000),
    "phase": (0, max(Phase)),
    "outcome": (0, max(Outcome)),
    "actor": (0, SEATS - 1),
    "asked": (-1, MAX_SHIPS - 1),
    "first": (0, SEATS - 1),
    "to_answer": (0, SEATS),
    "card_acts": (0, 6),
    "move_hexes": (0, max(LADDER)),
    "spare": (0, 0),
}
"""Lowest and highest value of the fields of a game."""


def _rules(game: Any) -> Iterator[Problem]:
    record = game["rules"]
    for name, kind in (("aces", Aces), ("map_edge", MapEdge)):
        if int(record[name]) not in list(kind):
            yield ("rules",), f"rules.{name} {int(record[name])}: want 0..{max(kind)}"
            return
    for name in ("sideslip", "small_hexes", "countdown_to_doom", "first_drift_safe"):
        if int(record[name]) not in (0, 1):
            yield ("rules",), f"rules.{name} {int(record[name])}: want 0 or 1"
            return
    try:
        from_record(record)
    except ValidationError as error:
        first = error.errors()[0]
        yield ("rules",), f"rules.{first['loc'][0]} {first['input']!r}: want another value, {first['msg'].lower()}"


def _board(game: Any) -> Iterator[Problem]:
    yield from check_ranges(game, GAME_RANGES, ())
    if game["width"] % 2:
        yield ("width",), f"width {int(game['width'])} is odd: want an even number of columns (MAP-1)"
    for seat in range(SEATS):
        if not 0 <= game["n_ships"][seat] <= MAX_SHIPS:
            yield ("n_ships",), f"n_ships {int(game['n_ships'][seat])} of seat {seat}: want 0..{MAX_SHIPS}"
        if not 0 <= game["side_token"][seat] <= MAX_TOKEN:
            yield ("side_token",), f"side_token {int(game['side_token'][seat])}: want 0..{MAX_TOKEN}"
    if not (game["n_ships"] > 0).any():
        yield ("n_ships",), "there is no ship: want at least one line 'ship SEAT HEX FACING ...'"


def _marker(game: Any, index: int) -> Iterator[Problem]:
    marker, where = game["markers"][index], ("markers", index)
    width, height = int(game["width"]), int(game["height"])
    q, r, facing = int(marker["q"]), int(marker["r"]), int(marker["facing"])
    if not 1 <= marker["density"] <= MAX_DENSITY:
        yield where, f"density {int(marker['density'])}: want 1..{MAX_DENSITY}"
    if not 0 <= facing < DIRECTIONS:
        yield where, f"facing {facing}: want 0..{DIRECTIONS - 1}"
    elif not on_map(width, height, q, r) and not on_map(width, height, q + int(DQ[facing]), r + int(DR[facing])):
        off = f"hex {label(q, r)} is off the {width}x{height} map"
        before = "one just before the first hex of the marker's row, where it waits (DRF-4)"
        yield where, f"{off}: want a hex 0101..{last_hex(game)}, or {before}"


def _one_piece_a_hex(game: Any) -> Iterator[Problem]:
    """MAP-5; several markers may wait at one place (DRF-4)."""
    taken: dict[tuple[int, int], str] = {}
    pieces: list[tuple[Where, str, Any]] = [
        (("ships", seat, index), f"ship {index} of seat {seat}", game["ships"][seat, index])
        for seat in range(SEATS)
        for index in range(int(game["n_ships"][seat]))
        if game["ships"][seat, index]["status"] == Status.IN_PLAY
    ]
    pieces += [(("markers", i), f"marker {i}", game["markers"][i]) for i in range(int(game["n_markers"]))]
    for where, name, piece in pieces:
        place = (int(piece["q"]), int(piece["r"]))
        if not on_map(int(game["width"]), int(game["height"]), *place):
            continue
        if place in taken:
            yield where, f"hex {label(*place)} holds {taken[place]} already: want one piece a hex (MAP-5)"
        taken[place] = name


def _sides(game: Any) -> Iterator[Problem]:
    tokens: set[int] = set()
    flagships = [0, 0]
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat])):
            ship, where = game["ships"][seat, index], ("ships", seat, index)
            if int(ship["token"]) in tokens:
                yield where, f"token {int(ship['token'])} is another ship's: want a number 0..{MAX_TOKEN} of its own"
            tokens.add(int(ship["token"]))
            flagships[seat] += int(ship["flagship"])
            if flagships[seat] > 1:
                yield where, f"a second flagship of seat {seat}: want one a side (SHIP-1)"
    if game["n_ships"].all() and game["side_token"][0] == game["side_token"][1]:
        token = int(game["side_token"][0])
        yield ("side_token",), f"side_tokens {token} {token}: want two numbers, or initiative never falls (CARD-1)"
    if game["mode"] == Mode.CROSSING and not flagships[0]:
        yield ("n_ships",), "no flagship of seat 0: want the word flagship in one of its ship lines (SHIP-1, WIN-2)"
    elif not any(flagships):
        yield ("n_ships",), "no flagship: want the word flagship in one ship line of a side (SHIP-1)"
    if game["mode"] == Mode.CROSSING and game["n_ships"][1]:
        yield ("ships", 1, 0), "a ship of seat 1 in a crossing: want ships of seat 0 only, or mode battle (WIN-2)"
    yield from _convoy(game)


def _convoy(game: Any) -> Iterator[Problem]:
    """WIN-3: in a convoy, and nowhere else, one side has ships to bring across."""
    escorted = game["ships"]["convoy"] != 0
    for seat, index in zip(*escorted.nonzero(), strict=True):
        if game["mode"] != Mode.CONVOY:
            mode = Mode(game["mode"]).name.lower()
            yield ("ships", seat, index), f"a convoy ship in mode {mode}: want mode convoy, or it no convoy ship"
        elif seat and escorted[0].any():
            yield ("ships", seat, index), "a convoy ship of seat 1, and there is one of seat 0: want one side's (WIN-3)"
    if game["mode"] == Mode.CONVOY and not escorted.any():
        yield ("mode",), "no convoy ship: want the word convoy in a ship line, or another mode (WIN-3)"


def _blasts(game: Any) -> Iterator[Problem]:
    """COR-20: explosions that wait their turn are counted 1, 2, ..."""
    places = sorted(int(place) for place in game["ships"]["blast"].ravel() if place)
    if places != list(range(1, len(places) + 1)):
        yield ("ships",), f"blast {', '.join(map(str, places))}: want the places 1 to {len(places)}, each once (COR-20)"


def _cards(game: Any) -> Iterator[Problem]:
    deck = SUITED_CARDS + int(game["rules"]["jokers"])
    flipped, card = int(game["flipped"]), int(game["card"])
    if flipped >> deck:
        yield ("flipped",), f"a flipped card is beyond the deck: want cards out of its {deck} (rules.jokers, CARD-2)"
    if int(game["flips"]) != flipped.bit_count():
        want = flipped.bit_count()
        yield ("flips",), f"flips {int(game['flips'])}: want the number of flipped cards, {want}"
    if card != -1 and not (0 <= card < SUITED_CARDS and flipped >> card & 1):
        yield ("card",), f"open card {card}: want -1, or a card 0..{SUITED_CARDS - 1} that was flipped (CARD-2)"
    if game["card_acts"] > game["rules"]["activations_per_card"]:
        most = int(game["rules"]["activations_per_card"])
        yield ("card_acts",), f"card_acts {int(game['card_acts'])}: want 0..{most} (rules.activations_per_card)"


def _ready(game: Any) -> Iterator[Problem]:
    """When cards lie open every ship in play has its power, and its marker unless it has fired (POW-1, ORD-2)."""
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat])):
            ship = game["ships"][seat, index]
            if ship["status"] == Status.IN_PLAY and not (ship["power"] and (ship["order"] or ship["activated"])):
                missing = "order, want order forward, right, left or drift (ORD-1)"
                if not ship["power"]:
                    missing = "power, want power LMH, LHM, MLH, MHL, HLM or HML (POW-1)"
                yield ("ships", seat, index), f"a card lies open and ship {index} of seat {seat} has no {missing}"


def _moment(game: Any) -> Iterator[Problem]:
    phase, outcome = int(game["phase"]), int(game["outcome"])
    if (phase == Phase.OVER) != (outcome != Outcome.NONE):
        yield ("outcome",), "want an outcome if, and only if, the phase is over"
    if game["turn"] > game["rules"]["turn_limit"]:
        yield ("turn",), f"turn {int(game['turn'])}: want 1..{int(game['rules']['turn_limit'])} (rules.turn_limit)"
    if phase in CARD_PHASES and game["card"] < 0:
        yield ("phase",), f"phase {Phase(phase).name.lower()} without an open card: want a line such as 'card KS'"
    if phase in CARD_PHASES:
        yield from _ready(game)
    if game["asked"] >= game["n_ships"][game["actor"]]:
        most = int(game["n_ships"][game["actor"]]) - 1
        yield ("asked",), f"asked {int(game['asked'])}: want a ship 0..{most} of the actor, or -1 for none"
    elif phase == Phase.TARGET:
        yield from _target(game)
    if phase == Phase.SIDESLIP:
        if game["asked"] < 0:
            yield ("phase",), "phase sideslip: want 'asked INDEX', the ship whose move waits"
        elif game["ships"][game["actor"], game["asked"]]["order"] != Order.FORWARD:
            yield ("asked",), f"asked {int(game['asked'])} in phase sideslip: want a ship of order forward (MOV-3)"
        if game["move_hexes"] < 1:
            yield ("phase",), "phase sideslip: want 'move_hexes N', 1 or more (COR-9)"
        if int(game["move_avoid_die"]) not in LADDER:
            yield ("move_avoid_die",), f"move_avoid_die {int(game['move_avoid_die'])}: want one of {LADDER}"
    elif game["move_hexes"] or game["move_avoid_die"]:
        yield ("move_hexes",), "a move waits for its sideslip: want phase sideslip, or neither move_hexes nor its die"


def _target(game: Any) -> Iterator[Problem]:
    """COR-4: a ship that has not acted yet attempts an Alpha Strike on a red card."""
    if game["asked"] < 0:
        yield ("phase",), "phase target: want 'asked INDEX', the ship whose Alpha Strike waits"
        return
    ship = game["ships"][game["actor"], game["asked"]]
    if ship["status"] != Status.IN_PLAY or ship["activated"]:
        yield ("asked",), f"asked {int(game['asked'])} in phase target: want a ship in play, not activated yet (ORD-2)"
    if game["card"] >= 0 and is_black(int(game["card"])):
        yield ("phase",), "phase target on a black card: want a red one, such as 'card KH' (CARD-3)"
    elif game["card"] >= 0 and not can_act(kernel_view(np.atleast_1d(game))[0], game["actor"], game["asked"], True):
        yield ("asked",), f"asked {int(game['asked'])} in phase target: want a ship that may attempt it (CARD-5, COR-5)"


def _slots(game: Any) -> Iterator[Problem]:
    """Places of the record that hold no piece are zero, so that equal positions have equal bytes."""
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat]), MAX_SHIPS):
            if any(game["ships"][seat, index].tobytes()):
                yield ("ships", seat, index), f"there is no ship {index} of seat {seat}: want all its fields 0"
    for index in range(int(game["n_markers"]), MAX_MARKERS):
        if any(game["markers"][index].tobytes()):
            yield ("markers", index), f"there is no marker {index}: want all its fields 0"


def problems(game: np.ndarray) -> Iterator[Problem]:
    """What keeps a GAME record, shape (), from being a position; nothing if it is one.

    Each problem is ``(where, message)``; the message says the value and what would be right. The checks of
    single fields come first, and those that build on them only when these found nothing.
    """
    if game.dtype != GAME:
        yield ("dtype",), f"a record of {game.dtype}: want state.GAME"
        return
    found = False
    for check in (_rules, _board):
        for problem in check(game):
            found = True
            yield problem
    if found:
        return
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat])):
            for problem in ship_problems(game, seat, index):
                found = True
                yield problem
    for index in range(int(game["n_markers"])):
        for problem in _marker(game, index):
            found = True
            yield problem
    if found:
        return
    for check in (_sides, _one_piece_a_hex, _cards, _moment, _blasts, _slots):
        yield from check(game)


def check_array(state: Mapping[str, np.ndarray], name: str, like: np.ndarray) -> None:
    """Raise ConfigError unless ``state`` holds an array of that name with the dtype and shape of ``like``."""
    if name not in state:
        raise ConfigError(f"saved state: {name} is missing: want {like.dtype} {like.shape}")
    array = np.asarray(state[name])
    if array.dtype != like.dtype or array.shape != like.shape:
        raise ConfigError(f"saved {name} is {array.dtype} {array.shape}: want {like.dtype} {like.shape}")
