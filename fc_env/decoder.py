"""From an observation back to the position, as far as its seat may know it.

Scripted and searching agents get observations like all others; this gives them records again. The seat that
was shown the observation becomes seat 0, at its own end of the board. Cards of one rank and colour are alike to every
rule, so of two such cards it does not matter which was flipped.
"""

from __future__ import annotations

import numpy as np

from fc_env.errors import ScenarioError
from fc_env.hexgrid import DIRECTIONS, DQ, DR
from fc_env.observation import Layout
from fc_env.rules.cards import RANKS_OF_A_SUIT, SUITED_CARDS
from fc_env.rules.power import DICE_OF_WAYS, WAYS
from fc_env.state import ASKING, MAX_SHIPS, SEATS, Flaw, Order, Phase, Slip, Status

_PHASES = np.array([*ASKING, Phase.OVER])
_COLOUR_SUITS = ((0, 1), (2, 3))  # clubs and spades are black, hearts and diamonds red


def _whole(values: np.ndarray) -> np.ndarray:
    rounded: np.ndarray = np.rint(values).astype(np.int64)
    return rounded


class Decoder:
    """Rebuilds positions of the games of one map and rule set from their observations."""

    def __init__(self, setups: np.ndarray) -> None:
        """``setups``: SETUP (S,). Raises ScenarioError if they differ in map, goal or rules: a record needs these."""
        self.setups = np.atleast_1d(setups)
        self.layout = Layout.of(self.setups)
        games = self.setups["game"]
        for field in ("width", "height", "goal", "mode", "rules"):
            if (games[field] != games[field][0]).any():
                raise ScenarioError(f"scenarios that differ in their {field} cannot be decoded together: want one")
        self._template = games[0].copy()
        self._template["n_markers"] = 0
        self._template["ships"] = 0

    def __call__(self, flat: np.ndarray) -> np.ndarray:
        """Positions, GAME (N,), of observations, float32 (N, D)."""
        parts = self.layout.parts(np.ascontiguousarray(flat, np.float32))
        games = np.repeat(self._template[None], len(flat))
        self._read_game(parts.head[:, 0], games)
        self._read_ships(parts.own, games, 0)
        self._read_ships(parts.theirs, games, 1)
        self._read_markers(parts.markers, games)
        return games

    def _read_game(self, head: np.ndarray, games: np.ndarray) -> None:
        limit = int(self._template["rules"]["turn_limit"])
        games["phase"] = _PHASES[head["phase"].argmax(axis=1)]
        games["outcome"] = np.where(head["outcome"].any(axis=1), head["outcome"].argmax(axis=1) + 1, 0)
        games["turn"] = limit + 1 - _whole(head["turns_left"][:, 0] * limit)
        games["first"] = np.where(head["decides_first"][:, 0] > 0.5, 0, 1)
        games["to_answer"] = _whole(head["sides_to_answer"][:, 0] * SEATS)
        games["card_acts"] = _whole(head["acts_left"][:, 0] * MAX_SHIPS)
        games["move_hexes"] = _whole(head["move_hexes"][:, 0] * 20)
        games["move_avoid_die"] = _whole(head["move_avoid_die"][:, 0] * 20)
        games["actor"] = 0
        self._read_cards(head, games)

    def _read_cards(self, head: np.ndarray, games: np.ndarray) -> None:
        flipped = np.zeros(len(games), np.uint64)
        for suits, left in zip(_COLOUR_SUITS, (head["black_left"], head["red_left"]), strict=True):
            gone = 2 - _whole(left * 2)
            for copy, suit in enumerate(suits):
                for rank in range(RANKS_OF_A_SUIT):
                    bit = np.uint64(1) << np.uint64(suit * RANKS_OF_A_SUIT + rank)
                    flipped |= np.where(gone[:, rank] > copy, bit, np.uint64(0))
        jokers = int(self._template["rules"]["jokers"])
        jokers_gone = jokers - _whole(head["jokers_left"][:, 0] * 4)
        for joker in range(jokers):
            bit = np.uint64(1) << np.uint64(SUITED_CARDS + joker)
            flipped |= np.where(jokers_gone > joker, bit, np.uint64(0))
        games["flipped"] = flipped
        games["flips"] = np.bitwise_count(flipped)
        open_card = head["card_colour"].argmax(axis=1) * 2 * RANKS_OF_A_SUIT + head["card_rank"].argmax(axis=1)
        games["card"] = np.where(head["card_colour"].any(axis=1), open_card, -1)

    def _read_ships(self, rows: np.ndarray, games: np.ndarray, side: int) -> None:
        # A row without a ship, room for a larger side, has no status at all.
        there = np.zeros(rows.shape, np.bool_)
        if rows.shape[1]:
            there[:] = (rows["status"][:, :, 1:] > 0.5).any(axis=2)
        games["n_ships"][:, side] = there.sum(axis=1)
        for index in range(rows.shape[1]):
            row, ship = rows[:, index], games["ships"][:, side, index]
            for name, scale in (("slowness", 4), ("volleys", 3), ("torpedoes", 1), ("lasers", 3), ("full_hull", 10),
                                ("flagship", 1), ("order_shown", 1), ("activated", 1), ("convoy", 1), ("jammed", 1),
                                ("sitting_duck", 1), ("doom", 12)):  # fmt: skip
                ship[name] = _whole(row[name][:, 0] * scale)
            ship["flaw"] = np.where(row["flaw"].any(axis=1), row["flaw"].argmax(axis=1) + 1, Flaw.NONE)
            imbalanced = ship["flaw"] == Flaw.ENGINE_IMBALANCE
            slip = np.where(row["slips_right"][:, 0] > 0.5, Slip.RIGHT, Slip.LEFT)
            ship["flaw_side"] = np.where(imbalanced, slip, _whole(row["flaw_side"][:, 0] * DIRECTIONS))
            ship["status"] = row["status"].argmax(axis=1)
            ship["token"] = np.where(ship["status"] == Status.ABSENT, 0, side * MAX_SHIPS + index)
            ship["power_dice"] = _whole(row["power_dice"] * 20)
            ship["hull"] = _whole(row["hull"][:, 0] * ship["full_hull"])
            ship["crew"] = (_whole(row["crew"]) << np.arange(2, 11)).sum(axis=1)
            ship["captain"] = (_whole(row["captain"]) << np.arange(11, 14)).sum(axis=1)
            ship["facing"] = row["facing"].argmax(axis=1)
            ship["q"] = _whole(row["column"][:, 0] * games["width"])
            ship["r"] = _whole(row["row"][:, 0] * games["height"]) - (ship["q"] >> 1)
            given = row["order"].any(axis=1)
            ship["order"] = np.where(given, row["order"].argmax(axis=1) + Order.FORWARD, Order.NONE)
            way = self._way_of(ship["power_dice"], _whole(row["power"] * 20))
            ship["power"] = np.where(there[:, index], way, 0)
            ship["power_shown"] = ship["power"] > 0
            if side == 0:
                asked = (row["in_focus"][:, 0] > 0.5) & (games["phase"] < Phase.DRIFT)
                asked |= (row["in_focus"][:, 0] > 0.5) & np.isin(games["phase"], (Phase.TARGET, Phase.SIDESLIP))
                games["asked"] = np.where(asked, index, games["asked"])

    @staticmethod
    def _way_of(power_dice: np.ndarray, systems: np.ndarray) -> np.ndarray:
        """The way, 1..6, that puts the ship's dice so on its systems; 0 if no power is given or shown."""
        way = np.zeros(len(systems), np.int64)
        for candidate in range(WAYS, 0, -1):
            fits = (systems > 0).all(axis=1) & (power_dice[:, DICE_OF_WAYS[candidate]] == systems).all(axis=1)
            way = np.where(fits, candidate, way)
        return way

    def _read_markers(self, rows: np.ndarray, games: np.ndarray) -> None:
        games["n_markers"] = (rows["present"][:, :, 0] > 0.5).sum(axis=1) if rows.shape[1] else 0
        for index in range(rows.shape[1]):
            row, marker = rows[:, index], games["markers"][:, index]
            facing = row["facing"].argmax(axis=1)
            back = _whole(row["waiting"][:, 0])
            q = _whole(row["column"][:, 0] * games["width"])
            r = _whole(row["row"][:, 0] * games["height"]) - (q >> 1)
            marker["q"], marker["r"] = q - back * DQ[facing], r - back * DR[facing]
            marker["facing"] = facing
            marker["density"] = _whole(row["density"][:, 0] * 6)
