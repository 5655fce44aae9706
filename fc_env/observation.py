"""What the acting seat sees, as float32: the encoder and its layout.

The acting seat sees itself first and the board from its own end. An observation is a flat float32 row; the
structured views ``parts`` (head, own ships, their ships, markers, near maps) lie on the same memory. It holds all that
rules.md calls open (COR-1) and nothing it calls hidden: the encoder never reads the seed, and never an order or a
power of the other side that was not shown.

Two parts are made for learning, and derived from the rest. The near maps show the hexes around the ship in focus,
turned so that it faces north, with the density it would meet and the hits to expect from the drift. Where there is an
enemy they are followed by what fire would do, see ``targets``. ``odds`` and ``odds_fire`` are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fc_env import schema
from fc_env.hexgrid import DIRECTIONS, DQ, DR
from fc_env.jit import jit, kernel_view, record_at
from fc_env.near import columns_to_goal, write_near_edge, write_near_markers, write_prospects
from fc_env.odds_cards import jokers_left
from fc_env.rules.board import in_play, waiting
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS, is_black, is_flipped, rank_of
from fc_env.rules.power import MOVEMENT, SHIELDS, WEAPONS, die_of
from fc_env.schema import (
    FIREPOWER_DTYPE,
    HEAD_DTYPE,
    HEAD_FLOATS,
    MARKER_DTYPE,
    MARKER_FLOATS,
    NEAR_DTYPE,
    NEAR_FLOATS,
    NEAR_HEXES,
    PROSPECT_DTYPE,
    PROSPECT_FLOATS,
    SALVO_DTYPE,
    SCRATCH,
    SHIP_DTYPE,
    SHIP_FLOATS,
    SIXTHS,
    TARGET_DTYPE,
    THIRDS,
    TWENTIETHS,
    Slot,
)
from fc_env.state import ACE, ASKING, JACK, LOW_RANK, MAX_SHIPS, SEATS, Flaw, Order, Outcome, Phase, Slip
from fc_env.targets import write_fire

_PLACE_OF_PHASE = np.full(len(Phase), len(ASKING), np.int64)
for _place, _phase in enumerate(ASKING):
    _PLACE_OF_PHASE[_phase] = _place


class Parts(NamedTuple):
    """Structured views of a flat batch of observations (N, D)."""

    head: np.ndarray  # schema.HEAD_DTYPE (N, 1)
    own: np.ndarray  # schema.SHIP_DTYPE (N, own ships)
    theirs: np.ndarray  # schema.SHIP_DTYPE (N, their ships)
    markers: np.ndarray  # schema.MARKER_DTYPE (N, markers)
    near: np.ndarray  # schema.NEAR_DTYPE (N, 1)
    prospects: np.ndarray  # schema.PROSPECT_DTYPE (N, 1)
    # Empty where there is no enemy:
    firepower: np.ndarray  # schema.FIREPOWER_DTYPE (N, own ships)
    targets: np.ndarray  # schema.TARGET_DTYPE (N, their ships)
    outgoing: np.ndarray  # schema.SALVO_DTYPE (N, their ships), from the ship in focus at each
    incoming: np.ndarray  # schema.SALVO_DTYPE (N, their ships), from each at the ship in focus


class Layout(NamedTuple):
    """How many of each an observation has room for. One scenario, or the largest of several."""

    own: int
    theirs: int
    markers: int

    @classmethod
    def of(cls, setups: np.ndarray) -> Layout:
        """The layout for games of these scenarios, SETUP (S,).

        With two sides there is room for the larger one on either, so that one layout serves both seats.
        """
        games = np.atleast_1d(setups)["game"]
        own, theirs = games["n_ships"].max(axis=0).tolist()
        if theirs:
            own = theirs = max(own, theirs)
        return cls(own, theirs, int(games["n_markers"].max()))

    def groups(self) -> list[tuple[str, tuple[Slot, ...]]]:
        """The rows of an observation in order: a name and its slots."""
        rows: list[tuple[str, tuple[Slot, ...]]] = [("game", schema.HEAD)]
        rows += [(f"own ship {index}", schema.SHIP) for index in range(self.own)]
        rows += [(f"their ship {index}", schema.SHIP) for index in range(self.theirs)]
        rows += [(f"marker {index}", schema.MARKER) for index in range(self.markers)]
        rows += [("near", schema.NEAR), ("prospects", schema.PROSPECTS)]
        if self.theirs:
            rows += [(f"firepower {index}", schema.FIREPOWER) for index in range(self.own)]
        for kind, slots in (("target", schema.TARGET), ("outgoing", schema.SALVO), ("incoming", schema.SALVO)):
            rows += [(f"{kind} {index}", slots) for index in range(self.theirs)]
        return rows

    def slots(self) -> Iterator[tuple[str, str, Slot]]:
        """Every float of an observation in order: group, full name, slot."""
        for group, slots in self.groups():
            for slot in slots:
                for place in range(slot.size):
                    label = slot.labels[place] if slot.labels else str(place)
                    yield group, f"{slot.name}[{label}]" if slot.size > 1 else slot.name, slot

    @property
    def counts(self) -> np.ndarray:
        """The three numbers as kernels take them, int64 (3,)."""
        return np.array(self, np.int64)

    @property
    def size(self) -> int:
        """Number of floats."""
        return sum(slot.size for _, slots in self.groups() for slot in slots)

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest value of each float, float32 (D,) each."""
        low = np.array([slot.low for _, _, slot in self.slots()], np.float32)
        high = np.array([slot.high for _, _, slot in self.slots()], np.float32)
        return low, high

    def parts(self, flat: np.ndarray) -> Parts:
        """Structured views of float32 (N, D), C-contiguous; they share its memory."""
        if flat.ndim != 2 or flat.dtype != np.float32 or flat.shape[1] != self.size:
            raise ValueError(f"observations of {flat.dtype} {flat.shape}: want float32 (N, {self.size})")
        views, start = [], 0
        for dtype, count in (
            (HEAD_DTYPE, 1),
            (SHIP_DTYPE, self.own),
            (SHIP_DTYPE, self.theirs),
            (MARKER_DTYPE, self.markers),
            (NEAR_DTYPE, 1),
            (PROSPECT_DTYPE, 1),
            (FIREPOWER_DTYPE, self.own if self.theirs else 0),
            (TARGET_DTYPE, self.theirs),
            (SALVO_DTYPE, self.theirs),
            (SALVO_DTYPE, self.theirs),
        ):
            end = start + count * dtype.itemsize // schema.FLOAT
            views.append(flat[:, start:end].view(dtype) if count else np.zeros((len(flat), 0), dtype))
            start = end
        return Parts(*views)

    def digest(self) -> str:
        """Digest of all names, ranges and places (hex, 16 digits); what a trained model was made for."""
        import hashlib

        text = "\n".join(f"{group}/{name}/{slot.low}/{slot.high}/{slot.unit}" for group, name, slot in self.slots())
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def describe(layout: Layout) -> str:
    """A table of every slot: number, group, name, meaning, unit, range."""
    lines = [f"{'slot':>4}  {'group':<12} {'name':<28} {'range':<11} {'unit':<24} meaning"]
    for number, (group, name, slot) in enumerate(layout.slots()):
        bounds = f"{slot.low:g}..{slot.high:g}"
        lines.append(f"{number:>4}  {group:<12} {name:<28} {bounds:<11} {slot.unit:<24} {slot.meaning}")
    return "\n".join(lines)


@jit
def column_from(game, seat: int, q: int) -> int:
    """Column counted from the seat's own end of the board (MAP-1)."""
    return q if seat == 0 else game.width - 1 - q


@jit
def row_from(game, seat: int, q: int, r: int) -> int:
    """Row counted from the seat's own end of the board."""
    row = r + (q >> 1)
    return row if seat == 0 else game.height - 1 - row


@jit
def facing_from(seat: int, facing: int) -> int:
    """Facing as seen from the seat's own end of the board."""
    return facing if seat == 0 else (facing + DIRECTIONS // 2) % DIRECTIONS


@jit
def focus_of(game, seat: int) -> int:
    """Index of the seat's ship in focus: the one asked about, else its flagship, else its first in play; -1 if none."""
    if game.phase != Phase.OVER and game.actor == seat and game.asked >= 0:
        return game.asked
    first = -1
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        if in_play(ship):
            if ship.flagship:
                return index
            if first < 0:
                first = index
    return first


@jit
def write_cards(game, head) -> None:
    """The open card and what is left of the deck."""
    if game.card >= 0:
        head.card_colour[0 if is_black(game.card) else 1] = 1.0
        head.card_rank[rank_of(game.card) - LOW_RANK] = 1.0
    head.black_left[:] = 1.0
    head.red_left[:] = 1.0
    if game.flips > 0:
        for card in range(SUITED_CARDS):
            if is_flipped(game, card):
                place = card % RANKS_OF_A_SUIT
                if is_black(card):
                    head.black_left[place] -= 0.5
                else:
                    head.red_left[place] -= 0.5
    jokers = jokers_left(game)
    left = SUITED_CARDS + game.rules.jokers - game.flips
    head.jokers_left[0] = jokers / 4
    head.joker_next[0] = jokers / left if left > 0 else 0.0


@jit
def outcome_for(seat: int, outcome: int) -> int:
    """An outcome as if the seat were seat 0."""
    if seat == 1 and outcome == Outcome.SEAT_0_WINS:
        return Outcome.SEAT_1_WINS
    if seat == 1 and outcome == Outcome.SEAT_1_WINS:
        return Outcome.SEAT_0_WINS
    return outcome


@jit
def write_flaw(ship, out) -> None:
    """What is wrong with a ship (section 9)."""
    if ship.flaw == Flaw.NONE:
        return
    out.flaw[ship.flaw - 1] = 1.0
    if ship.flaw == Flaw.ENGINE_IMBALANCE:
        out.slips_right[0] = 1.0 if ship.flaw_side == Slip.RIGHT else 0.0
    else:
        out.flaw_side[0] = ship.flaw_side / DIRECTIONS


@jit
def write_head(game, seat: int, head) -> None:
    """What is asked, the turn, the cards, and a move that waits."""
    head.phase[_PLACE_OF_PHASE[game.phase]] = 1.0
    if game.outcome > 0:
        head.outcome[outcome_for(seat, game.outcome) - 1] = 1.0
    head.turns_left[0] = max(game.rules.turn_limit - game.turn + 1, 0) / game.rules.turn_limit
    # Before the initiative roll nobody does, but for a side that is alone (COR-3, COR-7).
    settled = game.phase >= Phase.FLIP or game.n_ships[1 - seat] == 0
    head.decides_first[0] = 1.0 if settled and game.first == seat else 0.0
    write_cards(game, head)
    head.sides_to_answer[0] = game.to_answer / SEATS
    head.acts_left[0] = game.card_acts / MAX_SHIPS
    head.move_hexes[0] = game.move_hexes / 20
    head.move_avoid_die[0] = game.move_avoid_die / 20


@jit
def write_ship(game, seat: int, side: int, index: int, focus: int, out) -> None:
    """One ship as the seat may know it (COR-1)."""
    ship = game.ships[side, index]
    known = side == seat
    out.status[ship.status] = 1.0
    out.flagship[0] = ship.flagship
    out.in_focus[0] = 1.0 if known and index == focus else 0.0
    out.column[0] = column_from(game, seat, ship.q) / game.width
    out.row[0] = row_from(game, seat, ship.q, ship.r) / game.height
    out.facing[facing_from(seat, ship.facing)] = 1.0
    out.hull[0] = ship.hull / max(ship.full_hull, 1)
    out.full_hull[0] = ship.full_hull / 10
    for place in range(3):
        out.power_dice[place] = TWENTIETHS[ship.power_dice[place]]
    if ship.power > 0 and (known or ship.power_shown):
        out.power[SHIELDS] = TWENTIETHS[die_of(ship, SHIELDS)]
        out.power[WEAPONS] = TWENTIETHS[die_of(ship, WEAPONS)]
        out.power[MOVEMENT] = TWENTIETHS[die_of(ship, MOVEMENT)]
    out.slowness[0] = ship.slowness / 4
    out.volleys[0] = THIRDS[ship.volleys]
    out.torpedoes[0] = ship.torpedoes
    out.lasers[0] = THIRDS[ship.lasers]
    for rank in range(LOW_RANK, JACK):
        out.crew[rank - LOW_RANK] = (ship.crew >> rank) & 1
    for rank in range(JACK, ACE):
        out.captain[rank - JACK] = (ship.captain >> rank) & 1
    write_flaw(ship, out)
    out.convoy[0] = ship.convoy
    out.jammed[0] = ship.jammed
    out.sitting_duck[0] = ship.sitting_duck
    if ship.doom > 0:
        out.doom[0] = ship.doom / 12
    if ship.order != Order.NONE:
        place = ship.order - Order.FORWARD
        if not known and not ship.order_shown:
            place = Order.HIDDEN - Order.FORWARD
        out.order[place] = 1.0
    out.order_shown[0] = ship.order_shown
    out.activated[0] = ship.activated


@jit
def write_marker(game, seat: int, index: int, out) -> None:
    """One marker; of one that waits, the hex that its first hex of movement brings it to."""
    marker = game.markers[index]
    q, r = marker.q, marker.r
    out.present[0] = 1.0
    if waiting(game, marker):
        out.waiting[0] = 1.0
        q, r = q + DQ[marker.facing], r + DR[marker.facing]
    out.column[0] = column_from(game, seat, q) / game.width
    out.row[0] = row_from(game, seat, q, r) / game.height
    out.facing[facing_from(seat, marker.facing)] = 1.0
    out.density[0] = SIXTHS[marker.density]


@jit
def encode(game, seat: int, counts, scratch, row) -> None:
    """What a seat sees of a game, into float32 (D,); ``counts``, int64 (3,), is the layout (``Layout.counts``), and
    ``scratch`` a record of ``schema.SCRATCH``."""
    row[:] = 0.0
    # The same places as in Layout.parts.
    own = HEAD_FLOATS
    theirs = own + counts[0] * SHIP_FLOATS
    markers = theirs + counts[1] * SHIP_FLOATS
    focus = focus_of(game, seat)
    write_head(game, seat, record_at(row, 0, HEAD_DTYPE))
    for index in range(game.n_ships[seat]):
        write_ship(game, seat, seat, index, focus, record_at(row, own + index * SHIP_FLOATS, SHIP_DTYPE))
    for index in range(game.n_ships[1 - seat]):
        write_ship(game, seat, 1 - seat, index, focus, record_at(row, theirs + index * SHIP_FLOATS, SHIP_DTYPE))
    for index in range(game.n_markers):
        write_marker(game, seat, index, record_at(row, markers + index * MARKER_FLOATS, MARKER_DTYPE))
    if focus >= 0 and in_play(game.ships[seat, focus]):
        near = markers + counts[2] * MARKER_FLOATS
        write_near(game, game.ships[seat, focus], near, row, scratch)
        if counts[1] > 0:
            write_fire(game, seat, focus, counts, near + NEAR_FLOATS + PROSPECT_FLOATS, row, scratch)


@jit
def write_near(game, ship, start: int, row, scratch) -> None:
    """What is derived for the ship in focus, from place ``start`` of the observation on."""
    head = record_at(row, 0, HEAD_DTYPE)
    near = record_at(row, start, NEAR_DTYPE)
    head.to_goal[0] = columns_to_goal(game, ship.q, ship.r) / 100
    write_near_markers(game, ship, near, head)
    write_near_edge(game, ship, near)
    write_prospects(game, ship, near, record_at(row, start + NEAR_FLOATS, PROSPECT_DTYPE), scratch)


@jit
def _encode_range(games, seats, counts, scratch, flat) -> None:
    for i in range(games.shape[0]):
        encode(games[i], seats[i], counts, scratch[0], flat[i])


class Encoder:
    """Writes observations of one seat of each of N games into one buffer, again and again."""

    def __init__(self, layout: Layout, n: int) -> None:
        self.layout = layout
        self.flat = np.zeros((n, layout.size), np.float32)
        """float32 (N, D), overwritten by each call; copy what must last."""
        self.views = (layout.counts, kernel_view(np.zeros(1, SCRATCH)), kernel_view(self.flat))
        """The layout, a scratch record and ``flat``, as kernels take them."""

    def __call__(self, games: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """Encode games, GAME (N,), as ``seats`` see them, int64 (N,), by default those that act; returns ``flat``."""
        chosen = games["actor"].astype(np.int64) if seats is None else seats
        _encode_range(kernel_view(games), chosen, *self.views)
        return self.flat


def observe(games: np.ndarray, layout: Layout, seats: np.ndarray | None = None) -> np.ndarray:
    """What the acting seat of each game, or that of ``seats``, int64 (N,), sees: float32 (N, D), memory of its own."""
    return Encoder(layout, len(games))(games, seats)


__all__ = ["NEAR_HEXES", "Encoder", "Layout", "Parts", "describe", "encode", "observe"]
