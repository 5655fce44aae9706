"""The board turned by half a turn with the seats swapped: positions, and players that decide alike on both (COR-7)."""

from __future__ import annotations

import numpy as np

from fc_env import dice, engine
from fc_env.hexgrid import EAST, NORTH, SOUTH, WEST
from fc_env.state import Outcome, Phase

_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
_TURNED_OUTCOME = np.arange(len(Outcome))
_TURNED_OUTCOME[[Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS]] = Outcome.SEAT_1_WINS, Outcome.SEAT_0_WINS
BY_SEAT = (Phase.CARD, Phase.TARGET, Phase.SIDESLIP)
"""Phases in which who is asked, and who decides first, belongs to a side; in the others it is seat 0 as a matter of
course (COR-1)."""


def _turn(pieces: np.ndarray, games: np.ndarray) -> None:
    """Turn pieces, (N, K) ships or markers, on and off the map."""
    column = games["width"][:, None] - 1 - pieces["q"]
    row = games["height"][:, None] - 1 - (pieces["r"] + (pieces["q"] >> 1))
    pieces["q"], pieces["r"] = column, row - (column >> 1)
    pieces["facing"] = (pieces["facing"] + 3) % 6


def turned(games: np.ndarray) -> np.ndarray:
    """Games (N,) on the board turned by half a turn, each side's ships on the other seat, with their names to the dice
    (``token``, ``side_token``). Markers keep their index, which names them."""
    other = games.copy()
    for field in ("n_ships", "side_token", "ships"):
        other[field] = games[field][:, ::-1]
    for pieces, there in (
        (other["ships"][:, 0], other["ships"]["status"][:, 0] > 0),
        (other["ships"][:, 1], other["ships"]["status"][:, 1] > 0),
        (other["markers"], np.arange(games["markers"].shape[1]) < games["n_markers"][:, None]),
    ):
        whole = pieces.copy()
        _turn(whole, games)
        pieces[there] = whole[there]
    other["goal"] = [sum(_OPPOSITE[edge] for edge in _OPPOSITE if goal & edge) for goal in games["goal"]]
    other["outcome"] = _TURNED_OUTCOME[games["outcome"]]
    for field, phases in (("actor", BY_SEAT), ("first", (*BY_SEAT, Phase.OVER))):
        other[field] = np.where(np.isin(games["phase"], phases), 1 - games[field], games[field])
    return other


def play(games: np.ndarray, keys: np.ndarray) -> list[np.ndarray]:
    """Play a game, GAME (1,), to its end; returns copies of it at its start of each turn, at each decision on a card,
    and at its end.

    A side's decisions depend on ``keys`` (an uint64), its ``side_token``, the turn, the phase and how many it has made
    in this phase of this turn, so they are the same whichever seat it has.
    """
    seen: list[np.ndarray] = []
    made: dict[tuple[int, int, int], int] = {}
    turn = 0
    while games["phase"][0] != Phase.OVER:
        if games["turn"][0] != turn or games["phase"][0] in BY_SEAT:
            seen.append(games.copy())
        turn = int(games["turn"][0])
        side = int(games["side_token"][0, games["actor"][0]])
        place = (turn, int(games["phase"][0]), side)
        made[place] = made.get(place, 0) + 1
        label = np.uint64(((turn * 16 + place[1]) * 256 + side) * 4096 + made[place])
        with np.errstate(over="ignore"):
            number = int(dice.mix_plain(keys + dice.mix_plain(label))) >> 33
        legal = np.flatnonzero(engine.legal_mask(games)[0])
        engine.step(games, [legal[number % len(legal)]])
    return [*seen, games.copy()]


def same_but_for_who_is_asked(game: np.ndarray, other: np.ndarray) -> bool:
    """Whether two games (1,) are the same byte for byte, leaving out who is asked where that says nothing."""
    game, other = game.copy(), other.copy()
    if game["phase"][0] not in BY_SEAT:
        for field in ("actor", "asked"):
            game[field] = other[field] = 0
    return game.tobytes() == other.tobytes()
