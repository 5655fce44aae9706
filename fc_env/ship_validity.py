"""Whether one ship of a game record may be so: its class, what is left of it, and where it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fc_env.hexgrid import DIRECTIONS, DQ, DR, label, on_map
from fc_env.ruleset import LADDER
from fc_env.state import JACK, KING, LOW_RANK, MAX_SHIPS, SEATS, Doom, Flaw, Order, Slip, Status

MAX_TOKEN = 255
"""Tokens are eight bits of a die's label."""
CREW_RANKS = range(LOW_RANK, JACK)
CAPTAIN_RANKS = range(JACK, KING + 1)
FLAW_SIDES: dict[int, tuple[int, int]] = {
    Flaw.BLIND_SPOT: (0, DIRECTIONS - 1),
    Flaw.SHIELD_FLAW: (0, DIRECTIONS - 1),
    Flaw.ENGINE_IMBALANCE: (Slip.LEFT, Slip.RIGHT),
}
"""Lowest and highest side of the flaws that have one; of the others it is 0."""
DOOMS_OUT_OF_PLAY = (Doom.STRIKES_COLOURS, Doom.EXPLODES, Doom.ABANDONS_SHIP)
DOOMS_WITHOUT_HULL = (*DOOMS_OUT_OF_PLAY, Doom.SITTING_DUCK, Doom.VENTING, Doom.ENGINE_STALL, Doom.SPITE_STRIKE,
                      Doom.CORE_BREACH)  # fmt: skip
"""The results of DOOM-2 that leave a ship at 0 hull; the others give it some, which it may lose again."""
LESSER_DOOM_DIE = 6
"""A lesser ship rolls d6, a flagship 2d6 (DOOM-2)."""

Where = tuple[Any, ...]
"""What a problem is about: ``("ships", seat, index)``, ``("markers", index)`` or ``(field,)``."""
Problem = tuple[Where, str]


SHIP_RANGES: dict[str, tuple[int, int]] = {
    "status": (Status.IN_PLAY, Status.LEFT),
    "token": (0, MAX_TOKEN),
    "flagship": (0, 1),
    "slowness": (1, max(LADDER)),
    "volleys": (0, 6),
    "torpedoes": (0, 1),
    "lasers": (0, 20),
    "full_hull": (1, 1000),
    "flaw": (0, max(Flaw)),
    "convoy": (0, 1),
    "facing": (0, DIRECTIONS - 1),
    "hull": (0, 1000),
    "power": (0, 6),
    "power_shown": (0, 1),
    "order": (0, Order.HIDDEN),
    "order_shown": (0, 1),
    "activated": (0, 1),
    "contacts": (0, 10_000),
    "jammed": (0, 1),
    "sitting_duck": (0, 1),
    "packets": (0, 10_000),
    "doom": (0, max(Doom)),
    "blast": (0, SEATS * MAX_SHIPS),
}
"""Lowest and highest value of the fields of a ship."""


def _bits(ranks: range) -> int:
    return sum(1 << rank for rank in ranks)


def check_ranges(record: Any, ranges: dict[str, tuple[int, int]], where: Where) -> Iterator[Problem]:
    """The fields of a record that lie outside their ranges."""
    for name, (low, high) in ranges.items():
        if not low <= record[name] <= high:
            yield where or (name,), f"{name} {int(record[name])}: want {low}..{high}"


def last_hex(game: Any) -> str:
    """Label of the map's last hex."""
    return f"{int(game['width']):02d}{int(game['height']):02d}"


def _off_by_one(game: Any, q: int, r: int) -> bool:
    """Whether a hex lies just off the map."""
    width, height = int(game["width"]), int(game["height"])
    if on_map(width, height, q, r):
        return False
    return any(on_map(width, height, q + int(DQ[d]), r + int(DR[d])) for d in range(DIRECTIONS))


def _flaw(ship: Any, where: Where) -> Iterator[Problem]:
    """Section 9: a side belongs to the flaws that have one, and only the flaw that jams torpedoes jams them."""
    flaw, side = int(ship["flaw"]), int(ship["flaw_side"])
    low, high = FLAW_SIDES.get(flaw, (0, 0))
    if not low <= side <= high:
        yield where, f"flaw_side {side} of flaw {Flaw(flaw).name.lower()}: want {low}..{high}"
    if ship["jammed"] and not (ship["torpedoes"] and flaw == Flaw.TORPEDO_JAMS):
        yield where, "jammed without the words torpedo and flaw torpedo_jams: want both, or it not jammed (section 9)"


def _doom(game: Any, ship: Any, where: Where) -> Iterator[Problem]:
    """DOOM-2, COR-18, COR-20: what a ship may have rolled at 0 hull, and how it then stands."""
    doom = Doom(ship["doom"])
    name, in_play = doom.name.lower(), ship["status"] == Status.IN_PLAY
    if not game["rules"]["countdown_to_doom"] and (doom or ship["sitting_duck"] or ship["packets"]):
        yield where, "doom, sitting_duck or packets without the countdown: want rules countdown_to_doom=true (DOOM-1)"
    low, high = (2, max(Doom)) if ship["flagship"] else (1, LESSER_DOOM_DIE)
    if doom and not low <= doom <= high:
        yield where, f"doom {name}, result {int(doom)}: want {low}..{high} of this ship (DOOM-2)"
    if ship["hull"] and (doom in DOOMS_WITHOUT_HULL or ship["sitting_duck"]):
        said = name if doom in DOOMS_WITHOUT_HULL else Doom.SITTING_DUCK.name.lower()
        yield where, f"hull {int(ship['hull'])} of a ship of doom {said}: want 0 (DOOM-2)"
    if in_play and doom in DOOMS_OUT_OF_PLAY:
        yield where, f"doom {name} of a ship in play: want the word destroyed (DOOM-2)"
    if in_play and doom and (doom == Doom.SITTING_DUCK) != bool(ship["sitting_duck"]):
        want = "sitting_duck with it" if doom == Doom.SITTING_DUCK else "no sitting_duck after another roll"
        yield where, f"doom {name}: want {want} (COR-18)"
    on_board = on_map(int(game["width"]), int(game["height"]), int(ship["q"]), int(ship["r"]))
    if ship["blast"] and not (ship["status"] == Status.DESTROYED and on_board):
        yield where, f"blast {int(ship['blast'])}: want it of a ship destroyed on the map only (COR-19, COR-20)"


def ship_problems(game: Any, seat: int, index: int) -> Iterator[Problem]:
    """What keeps one ship of a game from being one, whatever the other pieces."""
    ship, where = game["ships"][seat, index], ("ships", seat, index)
    found = list(check_ranges(ship, SHIP_RANGES, where))
    yield from found
    if not found:
        yield from _flaw(ship, where)
        yield from _doom(game, ship, where)
    dice = [int(faces) for faces in ship["power_dice"]]
    if any(faces not in LADDER for faces in dice) or dice != sorted(dice):
        listed = " ".join(f"d{faces}" for faces in dice)
        yield where, f"dice {listed}: want three of {' '.join(f'd{f}' for f in LADDER)}, smallest first (POW-1)"
    if int(ship["crew"]) & ~_bits(CREW_RANKS):
        yield where, f"crew {int(ship['crew'])}: want bits of the ranks 2..10 (SHIP-2)"
    if int(ship["captain"]) & ~_bits(CAPTAIN_RANKS):
        yield where, f"captain {int(ship['captain'])}: want bits of the ranks J, Q, K (SHIP-2)"
    if ship["flagship"] and (ship["crew"] or ship["captain"]):
        yield where, "a flagship has no crew or captain rating (SHIP-3): want neither"
    if ship["hull"] > ship["full_hull"]:
        yield where, f"hull {int(ship['hull'])}/{int(ship['full_hull'])}: want no more than its full hull"
    q, r, hexname = int(ship["q"]), int(ship["r"]), label(int(ship["q"]), int(ship["r"]))
    inside = bool(on_map(int(game["width"]), int(game["height"]), q, r))
    size = f"{int(game['width'])}x{int(game['height'])}"
    if ship["status"] == Status.IN_PLAY and not inside:
        yield where, f"hex {hexname} is off the {size} map: want a hex 0101..{last_hex(game)}, or the word left"
    elif ship["status"] == Status.LEFT and not _off_by_one(game, q, r):
        yield where, f"hex {hexname} of a ship that left: want a hex just off the {size} map (MOV-8)"
    elif ship["status"] == Status.DESTROYED and not (inside or _off_by_one(game, q, r)):
        yield where, f"hex {hexname}: want a hex on the {size} map or just off it"
