"""From an observation back to the position, as far as its seat may know it.

Scripted and searching agents get observations like all others; this gives them records again. The seat that
was shown the observation becomes seat 0, at its own end of the board. Cards of one rank and colour are alike to every
rule, so of two such cards it does not matter which was flipped.
"""

from __future__ import annotations

import math

import numpy as np

from fc_env.encoding import start_of_markers, start_of_theirs
from fc_env.errors import ScenarioError
from fc_env.hexgrid import DIRECTIONS, DQ, DR
from fc_env.jit import jit, kernel_view, record_at
from fc_env.observation import Layout
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS, note_flipped
from fc_env.rules.power import DICE_OF_WAYS, WAYS
from fc_env.schema import HEAD_DTYPE, HEAD_FLOATS, MARKER_DTYPE, MARKER_FLOATS, SHIP_DTYPE, SHIP_FLOATS
from fc_env.state import ASKING, JACK, LOW_RANK, MAX_SHIPS, SEATS, Flaw, Order, Phase, Slip, Status

_PHASES = np.array([*ASKING, Phase.OVER])


@jit
def whole(share: float, scale: float) -> int:
    """The number that was written as a share of ``scale``."""
    return math.floor(share * scale + 0.5)


@jit
def flag_of(flags) -> int:
    """Place of the one flag that is set, -1 if none is."""
    for place in range(len(flags)):
        if flags[place] > 0.5:
            return place
    return -1


@jit
def bits_of(flags, low: int) -> int:
    """Flags as a number, the first of them bit ``low``."""
    bits = 0
    for place in range(len(flags)):
        bits |= (1 if flags[place] > 0.5 else 0) << (low + place)
    return bits


@jit
def read_cards(head, game) -> None:
    """The open card and those flipped."""
    game.flipped, game.flips = 0, 0
    for rank in range(RANKS_OF_A_SUIT):
        for copy in range(2 - whole(head.black_left[rank], 2)):  # clubs, spades
            note_flipped(game, copy * RANKS_OF_A_SUIT + rank)
        for copy in range(2 - whole(head.red_left[rank], 2)):  # hearts, diamonds
            note_flipped(game, (2 + copy) * RANKS_OF_A_SUIT + rank)
    for joker in range(game.rules.jokers - whole(head.jokers_left[0], 4)):
        note_flipped(game, SUITED_CARDS + joker)
    colour = flag_of(head.card_colour)
    game.card = -1 if colour < 0 else colour * 2 * RANKS_OF_A_SUIT + flag_of(head.card_rank)


@jit
def read_game(head, game) -> None:
    """What is asked, the turn, the cards, and a move that waits."""
    game.phase = _PHASES[flag_of(head.phase)]
    game.outcome = flag_of(head.outcome) + 1
    game.turn = game.rules.turn_limit + 1 - whole(head.turns_left[0], game.rules.turn_limit)
    game.first = 0 if head.decides_first[0] > 0.5 else 1
    game.to_answer = whole(head.sides_to_answer[0], SEATS)
    game.card_acts = whole(head.acts_left[0], MAX_SHIPS)
    game.move_hexes = whole(head.move_hexes[0], 20)
    game.move_avoid_die = whole(head.move_avoid_die[0], 20)
    game.actor = 0
    read_cards(head, game)


@jit
def way_of(ship, systems) -> int:
    """The way, 1..6, that puts the ship's dice so on its systems; 0 if no power is given or shown."""
    for way in range(1, WAYS + 1):
        fits = True
        for system in range(3):
            die = whole(systems[system], 20)
            fits = fits and die > 0 and ship.power_dice[DICE_OF_WAYS[way, system]] == die
        if fits:
            return way
    return 0


@jit
def read_class(row, ship) -> None:
    """What a ship is, whatever becomes of it."""
    ship.flagship = whole(row.flagship[0], 1)
    ship.full_hull = whole(row.full_hull[0], 10)
    for place in range(3):
        ship.power_dice[place] = whole(row.power_dice[place], 20)
    ship.slowness = whole(row.slowness[0], 4)
    ship.volleys = whole(row.volleys[0], 3)
    ship.torpedoes = whole(row.torpedoes[0], 1)
    ship.lasers = whole(row.lasers[0], 3)
    ship.convoy = whole(row.convoy[0], 1)
    ship.flaw = flag_of(row.flaw) + 1
    if ship.flaw == Flaw.ENGINE_IMBALANCE:
        ship.flaw_side = Slip.RIGHT if row.slips_right[0] > 0.5 else Slip.LEFT
    else:
        ship.flaw_side = whole(row.flaw_side[0], DIRECTIONS)


@jit
def read_ship(row, game, ship) -> None:
    """How a ship stands."""
    ship.status = flag_of(row.status)
    ship.facing = max(flag_of(row.facing), 0)
    ship.q = whole(row.column[0], game.width)
    ship.r = whole(row.row[0], game.height) - (ship.q >> 1)
    ship.hull = whole(row.hull[0], ship.full_hull)
    ship.crew = bits_of(row.crew, LOW_RANK)
    ship.captain = bits_of(row.captain, JACK)
    ship.jammed = whole(row.jammed[0], 1)
    ship.sitting_duck = whole(row.sitting_duck[0], 1)
    ship.doom = whole(row.doom[0], 12)
    order = flag_of(row.order)
    ship.order = Order.NONE if order < 0 else order + Order.FORWARD
    ship.order_shown = whole(row.order_shown[0], 1)
    ship.activated = whole(row.activated[0], 1)
    ship.power = way_of(ship, row.power)
    ship.power_shown = 1 if ship.power > 0 else 0


@jit
def read_ships(row, start: int, room: int, side: int, game) -> None:
    """The ships of one side, ``room`` rows from place ``start`` on; without a status it is room for a larger side."""
    focus = game.phase < Phase.DRIFT or game.phase == Phase.TARGET or game.phase == Phase.SIDESLIP
    for index in range(room):
        seen = record_at(row, start + index * SHIP_FLOATS, SHIP_DTYPE)
        if flag_of(seen.status) <= Status.ABSENT:
            continue
        ship = game.ships[side, index]
        ship.token = side * MAX_SHIPS + index
        read_class(seen, ship)
        read_ship(seen, game, ship)
        game.n_ships[side] += 1
        if side == 0 and focus and seen.in_focus[0] > 0.5:
            game.asked = index


@jit
def read_markers(row, start: int, room: int, game) -> None:
    """The markers, ``room`` rows from place ``start`` on; one that waits is put where it waits (DRF-4)."""
    for index in range(room):
        seen = record_at(row, start + index * MARKER_FLOATS, MARKER_DTYPE)
        if seen.present[0] < 0.5:
            continue
        marker = game.markers[index]
        marker.facing = flag_of(seen.facing)
        back = whole(seen.waiting[0], 1)
        q = whole(seen.column[0], game.width)
        r = whole(seen.row[0], game.height) - (q >> 1)
        marker.q, marker.r = q - back * DQ[marker.facing], r - back * DR[marker.facing]
        marker.density = whole(seen.density[0], 6)
        game.n_markers += 1


@jit
def decode(row, counts, game) -> None:
    """The position of an observation, float32 (D,) of the layout ``counts``, int64 (3,), into an empty game."""
    read_game(record_at(row, 0, HEAD_DTYPE), game)
    read_ships(row, HEAD_FLOATS, counts[0], 0, game)
    read_ships(row, start_of_theirs(counts), counts[1], 1, game)
    read_markers(row, start_of_markers(counts), counts[2], game)


@jit
def _decode_range(flat, counts, games) -> None:
    for i in range(games.shape[0]):
        decode(flat[i], counts, games[i])


class Decoder:
    """Rebuilds positions of the games of one map and rule set from their observations."""

    def __init__(self, setups: np.ndarray) -> None:
        """``setups``: SETUP (S,). Raises ScenarioError if they differ in map, goal or rules: a record needs these."""
        self.setups = np.atleast_1d(setups)
        self.layout = Layout.of(self.setups)
        self._counts = self.layout.counts
        self._sizes = self.layout.size, self.layout._replace(aids=True).size
        games = self.setups["game"]
        for field in ("width", "height", "goal", "mode", "rules"):
            if (games[field] != games[field][0]).any():
                raise ScenarioError(f"scenarios that differ in their {field} cannot be decoded together: want one")
        self._empty = games[0].copy()
        for field in ("n_markers", "n_ships", "ships", "markers"):
            self._empty[field] = 0

    def __call__(self, flat: np.ndarray) -> np.ndarray:
        """Positions, GAME (N,), of observations, float32 (N, D), plain or with aids, which are not looked at.

        Raises ValueError for another shape.
        """
        rows = np.ascontiguousarray(flat, np.float32)
        if rows.ndim != 2 or rows.shape[1] not in self._sizes:
            plain, aided = self._sizes
            raise ValueError(
                f"observations of {rows.dtype} {rows.shape}: want float32 (N, {plain}), or (N, {aided}) with aids"
            )
        games = np.repeat(self._empty[None], len(rows))
        _decode_range(rows, self._counts, kernel_view(games))
        return games
