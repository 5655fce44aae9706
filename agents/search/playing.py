"""How a search plays on: what is hidden is guessed anew for each simulation, and both sides go by the captain.

A side decides on what it would see, its own end of the board to itself. Now and then the enemy does any legal thing,
for it need not be the captain. Two simulations on one seed share their guesses and all rolls that mean the same.
"""

from __future__ import annotations

import numpy as np

from agents.captain import best_order, best_power
from agents.search.haste import hasty
from agents.search.room import PLAY, POWER_GUESS, ROOT, surveyed
from fc_env import actions as act
from fc_env import odds, playout
from fc_env.jit import jit
from fc_env.odds import SHIELDS, die_of, in_play
from fc_env.opponents import any_legal
from fc_env.state import MAX_SHIPS, SEATS, Order, Phase

_TO_53_BITS = np.uint64(11)
_HIDDEN, _STRAY, _WHICH = 1 << 40, 2 << 40, 3 << 40


@jit
def lot(seed, label: int) -> float:
    """A number from 0 to below 1 that has nothing to do with the dice."""
    return (playout.hashed(seed, label) >> _TO_53_BITS) * 2.0**-53


@jit
def label_of(game, seat: int) -> int:
    """A number that tells the decisions of a game apart."""
    place = (int(game.turn) * 16 + int(game.phase)) * SEATS + seat
    return (place * 64 + int(game.flips)) * 8 + max(int(game.asked), 0)


# ---- what a side does


@jit
def chosen(place: int, room) -> int:
    """What the captain in haste does in ``room.games[place]`` in place of the side that is asked; legal."""
    game = room.games[place]
    seat, phase = game.actor, game.phase
    at_root = game.turn == room.games[ROOT].turn
    if at_root and phase == Phase.POWER and room.guess[seat, POWER_GUESS] > 0:
        return act.POWER + room.guess[seat, POWER_GUESS] - 1
    if at_root and phase == Phase.ORDERS and room.guess[seat, game.asked] > 0:
        return act.ORDER + room.guess[seat, game.asked] - Order.FORWARD
    playout.look(room.games, place, seat, room.eyes)
    act.write_mask(game, room.mask)
    return hasty(room.eyes[0], room.mask, room.mind)


@jit
def answer(room, seed) -> int:
    """What the side that is asked in a simulation does: the captain's choice, or of an enemy now and then any."""
    game = room.games[PLAY]
    if game.actor != 0:
        label = label_of(game, 1)
        if lot(seed, label | _STRAY) < room.settings.stray:
            act.write_mask(game, room.mask)
            return any_legal(room.mask, lot(seed, label | _WHICH))
    return chosen(PLAY, room)


# ---- what is hidden


@jit
def guess_orders(room, seat: int) -> None:
    """Note the markers that a captain would give a side's ships as the root stands."""
    eye = surveyed(room, ROOT, seat)
    for index in range(eye.n_ships[0]):
        ship = eye.ships[0, index]
        if in_play(ship) and not ship.activated:
            move_die = odds.movement_die(eye, ship, False)
            room.guess[seat, index] = best_order(eye, ship, move_die, die_of(ship, SHIELDS), room.mind)[1]


@jit
def guess_power(room, seat: int) -> None:
    """Note the power that a captain would give a side's flagship as the root stands."""
    eye = surveyed(room, ROOT, seat)
    for index in range(eye.n_ships[0]):
        ship = eye.ships[0, index]
        if in_play(ship) and ship.flagship and ship.power == 0:
            room.guess[seat, POWER_GUESS] = best_power(eye, ship, room.mind)


@jit
def begin(games, i: int, room) -> None:
    """Take the position ``games[i]`` as the root of a search."""
    room.games[ROOT] = games[i]
    root = room.games[ROOT]
    room.guess[:] = 0
    if root.phase == Phase.POWER:
        for seat in range(SEATS):
            guess_power(room, seat)
    else:
        if root.n_ships[1] > 0:
            guess_orders(room, 1)
        if root.phase == Phase.ORDERS:
            guess_orders(room, 0)


@jit
def deal(room, seed) -> None:
    """Put the root on the board with dice of its own, and what is hidden as it may be."""
    room.games[PLAY] = room.games[ROOT]
    game = room.games[PLAY]
    game.seed = seed
    for index in range(game.n_ships[1]):
        ship = game.ships[1, index]
        if ship.order == Order.HIDDEN:
            if game.phase == Phase.ORDERS:
                ship.order = Order.NONE  # it is asked for its marker as if it had none yet
            elif lot(seed, _HIDDEN + index) < room.settings.stray:
                ship.order = Order.FORWARD + int(4 * lot(seed, _HIDDEN + MAX_SHIPS + index))
            else:
                ship.order = max(room.guess[1, index], 1)


__all__ = ["answer", "begin", "chosen", "deal", "lot"]
