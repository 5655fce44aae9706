"""The door for players that search: a game goes on inside compiled code, on a copy with dice of its own.

A searching player starts from what its seat may know (``fc_env.decoder``), fills in what is hidden, gives the copy a
seed of its own and plays on. Neither the real seed nor anything that was hidden is there to be read, so that it can
neither peek nor foresee.
"""

from __future__ import annotations

import numpy as np

from fc_env import actions as act
from fc_env import dice, sequence
from fc_env.hexgrid import DIRECTIONS, EAST, NORTH, SOUTH, WEST, axial_r, row_of
from fc_env.jit import jit
from fc_env.state import SEATS, Order
from fc_env.tape import SILENT

_ALL_EDGES = NORTH | EAST | SOUTH | WEST
_NO_SEED = np.uint64(0)


@jit
def do(game, action: int) -> None:
    """Carry out a legal action and nothing more; then ``play_on``."""
    act.apply(game, SILENT, action)


@jit
def take(game, action: int) -> None:
    """Carry out a legal action and play on to the next decision or the end; nothing is recorded."""
    act.apply(game, SILENT, action)
    sequence.advance(game, SILENT)


@jit
def play_on(game) -> None:
    """Play on to the next decision or the end."""
    sequence.advance(game, SILENT)


@jit
def sole_action(game) -> int:
    """The only legal action, or -1 if there are several."""
    return sequence.sole_action(game)


@jit
def half_turned(edges: int) -> int:
    """Edges of the map, as bits, on the board turned by half a turn."""
    return (edges << 2 | edges >> 2) & _ALL_EDGES


@jit
def turn_piece(piece, width: int, height: int) -> None:
    """Put a ship or a marker to where it is on the board turned by half a turn (MAP-1)."""
    row = height - 1 - row_of(piece.q, piece.r)
    piece.q = width - 1 - piece.q
    piece.r = axial_r(piece.q, row)
    piece.facing = (piece.facing + DIRECTIONS // 2) % DIRECTIONS


@jit
def hide(game) -> None:
    """Take out of a game what seat 0 may not know (COR-1)."""
    game.seed = _NO_SEED
    for index in range(game.n_ships[1]):
        ship = game.ships[1, index]
        if ship.order != Order.NONE and not ship.order_shown:
            ship.order = Order.HIDDEN
        if not ship.power_shown:
            ship.power = 0


@jit
def look(games, place: int, seat: int, eyes) -> None:
    """Write what a seat may know of ``games[place]`` to ``eyes[0]``, GAME (1,): it is seat 0 there and has the board
    from its own end, as ``fc_env.decoder`` shows it."""
    eyes[0] = games[place]
    eye = eyes[0]
    if seat != 0:
        game = games[place]
        for side in range(SEATS):
            eye.n_ships[side] = game.n_ships[1 - side]
            eye.side_token[side] = game.side_token[1 - side]
            for index in range(game.n_ships[1 - side]):
                eye.ships[side, index] = game.ships[1 - side, index]
                turn_piece(eye.ships[side, index], game.width, game.height)
        for index in range(game.n_markers):
            turn_piece(eye.markers[index], game.width, game.height)
        eye.goal = half_turned(game.goal)
        eye.actor = 1 - game.actor
        eye.first = 1 - game.first
    hide(eye)


hashed = dice.hashed
"""A seed out of another and a number."""
