"""A second, independent player of the crossing: plain Python from the rules alone, nothing of fc_env.

One medium flagship, no enemy, the ``zigzag`` policy. It exists to catch misreadings: the engine and this file share
no line, so the distributions of what happens can be compared. Hexes are those of ``tiny_solver``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cache

from tiny_solver import STEP, Hex, ahead, hex_at, map_hexes

WIDTH, HEIGHT = 30, 20
ENTRY = hex_at("0110")
TURN_LIMIT = 40
HULL = 10
SLOWNESS = 2
MOVEMENT_DIE = 10
LONG_ROW = 0.8


@dataclass
class Marker:
    """A crest: a hex on the map, or the hex it waits just before (off the map)."""

    hex: Hex
    heading: str
    density: int
    waiting: bool = False


@dataclass
class Result:
    """What one game came to."""

    outcome: str = ""
    turns: int = 0
    contacts: int = 0
    drift_contacts: int = 0
    hits: int = 0
    hull: int = HULL


@dataclass
class Game:
    """One crossing under way."""

    dice: random.Random
    markers: list[Marker]
    ship: Hex = ENTRY
    heading: str = "NE"
    result: Result = field(default_factory=Result)

    def roll(self, faces: int) -> int:
        """One die."""
        return self.dice.randint(1, faces)

    def ship_is_at(self, hex: Hex) -> bool:
        """DOOM-1, COR-8: a ship at 0 hull is destroyed at once, and out of play it holds no hex."""
        return self.result.hull > 0 and hex == self.ship


MAP = set(map_hexes(WIDTH, HEIGHT))


@cache
def row_start(hex: Hex, heading: str) -> Hex:
    """First map hex of the row through a map hex."""
    while (behind := ahead(hex, heading, -1)) in MAP:
        hex = behind
    return hex


def rows(heading: str) -> list[list[Hex]]:
    """MAP-3: every row along a heading, each from its first hex to its last."""
    found: dict[Hex, list[Hex]] = {}
    for hex in MAP:
        found.setdefault(row_start(hex, heading), []).append(hex)
    for start, hexes in found.items():
        hexes.sort(key=lambda hex: abs(hex[0] - start[0]) + abs(hex[1] - start[1]))
    return list(found.values())


def long_rows(heading: str) -> list[list[Hex]]:
    """SET-1: the rows at least four fifths as long as the longest."""
    found = sorted(rows(heading))
    longest = max(len(row) for row in found)
    return [row for row in found if len(row) >= LONG_ROW * longest]


CANDIDATES = {heading: long_rows(heading) for heading in STEP}


def lay_field(dice: random.Random, sets: int) -> list[Marker]:
    """SET-1 to SET-4 with one facing for all: a long row, then a hex on it, again while that is not allowed."""
    heading = dice.choice(sorted(STEP))
    markers: list[Marker] = []
    for density in [1, 2, 3, 4, 5, 6] * sets:
        while True:
            markers.append(Marker(dice.choice(dice.choice(CANDIDATES[heading])), heading, density))
            if legal(markers):
                break
            markers.pop()
    return markers


def legal(markers: list[Marker]) -> bool:
    """MAP-5, and SET-4: where all share a facing, only the markers on the ship's own row can reach it."""
    places = [marker.hex for marker in markers]
    if len(set(places)) < len(places) or ENTRY in places:
        return False
    heading = markers[0].heading
    start = row_start(ENTRY, heading)
    own = [steps_between(start, place) for place in places if row_start(place, heading) == start]
    return first_drift_is_safe(own, steps_between(start, ENTRY))


def steps_between(start: Hex, hex: Hex) -> int:
    """Steps from the first hex of a row to another hex of it."""
    return (abs(hex[0] - start[0]) + abs(hex[1] - start[1])) // 2


def first_drift_is_safe(own: list[int], ship: int) -> bool:
    """SET-4 in one row, with places counted along it: one hex more for each other marker that can come to the way."""
    reach = dict.fromkeys(own, 6)
    while True:
        wider = {
            one: 6 + sum(other != one and one - reach[other] < other <= one + reach[one] for other in own)
            for one in own
        }
        if wider == reach:
            return not any(one < ship <= one + reach[one] for one in own)
        reach = wider


def contact(game: Game, density: int) -> None:
    """CON-1, CON-2 with one laser."""
    game.result.contacts += 1
    if game.roll(6) <= density:
        game.result.hits += 1
        game.result.hull = max(0, game.result.hull - max(0, game.roll(20) - game.roll(6)))


def drift(game: Game) -> None:
    """DRF-1 to DRF-4."""
    taken = {marker.hex for marker in game.markers if not marker.waiting}
    for marker in game.markers:
        steps = game.roll(6)
        if not marker.waiting:
            taken.discard(marker.hex)
        while steps > 0:
            there = marker.hex if marker.waiting else ahead(marker.hex, marker.heading)
            if there not in MAP:
                marker.hex, marker.waiting = row_start(marker.hex, marker.heading), True
                break
            marker.hex, marker.waiting = there, False
            if game.ship_is_at(there):
                game.result.drift_contacts += 1
                contact(game, marker.density)
            steps -= 1
            if steps == 0 and (there in taken or game.ship_is_at(there)):
                steps = 1
        if not marker.waiting:
            taken.add(marker.hex)


def move(game: Game, hexes: int) -> None:
    """MOV-1, MOV-6 to MOV-8: straight ahead, one more while the last is taken; off the map the game is over."""
    while hexes > 0:
        game.ship = ahead(game.ship, game.heading)
        if game.ship not in MAP:
            game.result.outcome = "crossed" if game.ship[0] > WIDTH else "left"
            break
        here = [m for m in game.markers if m.hex == game.ship and not m.waiting]
        for marker in here:
            contact(game, marker.density)
        hexes -= 1
        if hexes == 0 and here:
            hexes = 1
    if game.result.hull == 0:  # COR-12: destroyed even beyond the goal edge
        game.result.outcome = "destroyed"


def black_card_comes(game: Game) -> bool:
    """CARD-2 to CARD-7: does a black card come before the first joker?"""
    deck = ["black"] * 26 + ["red"] * 26 + ["joker"] * 2
    game.dice.shuffle(deck)
    return next(card for card in deck if card != "red") == "black"


def play(seed: int, sets: int) -> Result:
    """One game of zigzag: the largest die to movement, NE and SE by turns, on the first black card."""
    dice = random.Random(seed)
    game = Game(dice, lay_field(dice, sets))
    game.heading = dice.choice(["NE", "SE"])
    result = game.result
    for result.turns in range(1, TURN_LIMIT + 1):
        drift(game)
        if result.hull == 0:
            result.outcome = "destroyed"
            return result
        if black_card_comes(game):
            move(game, max(1, game.roll(MOVEMENT_DIE) // SLOWNESS))
            game.heading = "SE" if game.heading == "NE" else "NE"
        else:
            move(game, 1)
        if result.outcome:
            return result
    result.outcome = "time"
    return result
