"""What is to be drawn of one game, as plain data. Painters read a Scene and nothing else.

Only what the GAME record holds is here, and only what lies open on the table (COR-1): an order not yet shown is "face
down" and a power setting not yet shown is left out, unless the game has one side or the picture is drawn for the side
that gave it. It is what ``engine.view`` lets a side know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fc_env.describe import EDGE_NAMES, ORDER_NAMES, card_name
from fc_env.errors import ScenarioError
from fc_env.hexgrid import DQ, DR, label, on_map, parse_label
from fc_env.jit import kernel_view
from fc_env.rules.power import MOVEMENT, SHIELDS, WAY_NAMES, WEAPONS, die_of
from fc_env.state import GAME, MAX_SHIPS, SEATS, Doom, Facing, Flaw, Order, Outcome, Phase, Status

FACE_DOWN = "face down"
Hex = tuple[int, int]
"""Axial (q, r)."""


@dataclass(frozen=True, slots=True)
class Rocks:
    """An asteroid marker."""

    index: int
    at: Hex
    facing: Facing
    density: int
    waiting: bool  # off the map, just before its row (DRF-4)

    @property
    def ahead(self) -> Hex:
        """The next hex along its drift; of one that waits, the first of its row."""
        return self.at[0] + int(DQ[self.facing]), self.at[1] + int(DR[self.facing])


@dataclass(frozen=True, slots=True)
class Vessel:
    """A ship that is, or was, in the game."""

    seat: int
    name: str  # a letter: A.. of seat 0, U.. of seat 1
    at: Hex
    facing: Facing
    flagship: bool
    status: Status
    hull: int  # hull points
    full_hull: int
    lasers: int
    power: str  # such as "LMH: shields d6, weapons d8, movement d10", or ""
    order: str  # such as "forward", "face down", or ""
    activated: bool
    marks: tuple[str, ...] = ()  # convoy, a flaw, and what it has suffered, in words

    @property
    def words(self) -> str:
        """One line: everything about the ship."""
        kind = "flagship" if self.flagship else "ship"
        where = f"in {label(*self.at)} facing {self.facing.name}"
        if self.status != Status.IN_PLAY:
            where = "destroyed" if self.status == Status.DESTROYED else f"left the map to {label(*self.at)}"
        parts = [f"{self.name}, {kind} of seat {self.seat}, {where}", f"hull {self.hull}/{self.full_hull}"]
        if self.lasers:
            parts.append(f"lasers {self.lasers}")
        if self.power:
            parts.append(f"power {self.power}")
        if self.order:
            parts.append(f"order {self.order}")
        if self.activated:
            parts.append("activated")
        parts += self.marks
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture."""

    title: str
    status: str  # one line: turn, phase, open card, how it ended
    width: int  # columns
    height: int  # hexes of a column
    goal: int  # edges, as bits of hexgrid.NORTH..WEST
    drift_die: int  # faces: the hexes a marker may drift in a turn (DRF-1)
    rocks: tuple[Rocks, ...]
    vessels: tuple[Vessel, ...]
    path: tuple[Hex, ...]  # a course to draw
    highlights: tuple[Hex, ...]

    def holds(self, at: Hex) -> bool:
        """Whether a hex is on the map."""
        return bool(on_map(self.width, self.height, *at))


def scene_of(
    game: Any, *, title: str = "", seat: int | None = None, path: Iterable[str] = (), highlights: Iterable[str] = ()
) -> Scene:
    """The scene of one GAME record, shape () or (1,), in any state of the turn (MAP-1, MAP-2, MAP-6).

    ``title``: any text. ``seat``: draw for this side, with its own orders. ``path``, ``highlights``: CCRR labels of
    hexes to join or to frame. Raises ScenarioError for anything else.
    """
    record = _record(game)
    if seat is not None and seat not in range(SEATS):
        raise ScenarioError(f"seat {seat!r}: want 0, 1 or None")
    return Scene(
        title="".join(letter if letter.isprintable() else "\ufffd" for letter in str(title)),
        status=_status(record),
        width=int(record["width"]),
        height=int(record["height"]),
        goal=int(record["goal"]),
        drift_die=int(record["rules"]["drift_die"]),
        rocks=tuple(_rocks(record)),
        vessels=tuple(_vessels(record, seat)),
        path=_hexes(path, "path"),
        highlights=_hexes(highlights, "highlights"),
    )


def _record(game: Any) -> np.void:
    games = np.atleast_1d(np.asarray(game))
    if games.dtype != GAME or games.shape != (1,):
        raise ScenarioError(f"a picture of {games.dtype.name} of shape {games.shape}: want one GAME record")
    return games.view(np.ndarray)[0]


def _hexes(labels: Iterable[str], name: str) -> tuple[Hex, ...]:
    try:
        return tuple(parse_label(text) for text in labels)
    except (TypeError, ValueError) as problem:
        raise ScenarioError(f"{name}: {problem}") from None


def _status(game: np.void) -> str:
    turn = f"turn {game['turn']} of {game['rules']['turn_limit']}"
    if game["phase"] == Phase.OVER:
        return f"{turn} · over: {Outcome(int(game['outcome'])).name.lower().replace('_', ' ')}"
    parts = [turn, f"phase {Phase(int(game['phase'])).name.lower().replace('_', ' ')}"]
    if game["card"] >= 0:
        parts.append(f"open card {card_name(int(game['card']) + 1)}")
    if game["goal"]:
        goal = " and ".join(name for bit, name in EDGE_NAMES.items() if int(game["goal"]) & bit)
        parts.append(f"goal: the {goal} edge")
    return " · ".join(parts)


def _rocks(game: np.void) -> Iterator[Rocks]:
    for index in range(int(game["n_markers"])):
        marker = game["markers"][index]
        at = int(marker["q"]), int(marker["r"])
        waiting = not on_map(int(game["width"]), int(game["height"]), *at)
        yield Rocks(index, at, Facing(int(marker["facing"])), int(marker["density"]), bool(waiting))


def _vessels(game: np.void, viewer: int | None) -> Iterator[Vessel]:
    one_side = 0 in game["n_ships"]
    for seat in range(SEATS):
        for index in range(min(int(game["n_ships"][seat]), MAX_SHIPS)):
            ship = game["ships"][seat, index]
            if ship["status"] == Status.ABSENT:
                continue
            own = one_side or viewer == seat
            yield Vessel(
                seat=seat,
                name=chr(ord("AU"[seat]) + index),
                at=(int(ship["q"]), int(ship["r"])),
                facing=Facing(int(ship["facing"])),
                flagship=bool(ship["flagship"]),
                status=Status(int(ship["status"])),
                hull=int(ship["hull"]),
                full_hull=int(ship["full_hull"]),
                lasers=int(ship["lasers"]),
                power=_power(game["ships"][seat, index : index + 1], own),
                order=_order(ship, own),
                activated=bool(ship["activated"]),
                marks=tuple(_marks(ship)),
            )


def _spoken(member: Doom | Flaw) -> str:
    return member.name.lower().replace("_", " ")


def _marks(ship: np.void) -> Iterator[str]:
    if ship["convoy"]:
        yield "convoy"
    if ship["flaw"]:
        yield f"flaw {_spoken(Flaw(int(ship['flaw'])))}"
    if ship["jammed"]:
        yield "torpedoes jammed"
    if ship["doom"]:
        yield f"doom {_spoken(Doom(int(ship['doom'])))}"
    elif ship["sitting_duck"]:
        yield _spoken(Doom.SITTING_DUCK)


def _power(ships: np.ndarray, own: bool) -> str:
    """Of one ship, as an array of one."""
    way = int(ships["power"][0])
    if way == 0 or not (own or ships["power_shown"][0]):
        return ""
    ship = kernel_view(ships)[0]
    systems = (("shields", SHIELDS), ("weapons", WEAPONS), ("movement", MOVEMENT))
    return f"{WAY_NAMES[way]}: " + ", ".join(f"{name} d{die_of(ship, system)}" for name, system in systems)


def _order(ship: np.void, own: bool) -> str:
    order = Order(int(ship["order"]))
    if order == Order.NONE:
        return ""
    if order == Order.HIDDEN or not (own or ship["order_shown"]):
        return FACE_DOWN
    return ORDER_NAMES[order]
