"""What a position is worth to seat 0: 1 for a game that is won, 0 for one that is lost."""

from __future__ import annotations

import math

from agents.captain_worth import crosses, left_worth, rest
from agents.search.room import PLAY, surveyed
from fc_env.jit import jit
from fc_env.odds import in_play
from fc_env.state import Mode, Outcome, Phase, Status

EVEN = 0.2
"""Share of hull that is added to both sides before their ratio is taken."""


@jit
def ended(game) -> float:
    """Worth of a game that is over."""
    if game.outcome == Outcome.SEAT_0_WINS or game.outcome == Outcome.CROSSED:
        return 1.0
    return 0.5 if game.outcome == Outcome.DRAW else 0.0


@jit
def places(room, seat: int) -> float:
    """What the captain of a side gives for its ships' being where they are, in hull points."""
    eye, total = surveyed(room, PLAY, seat), 0.0
    for index in range(eye.n_ships[0]):
        ship = eye.ships[0, index]
        if in_play(ship):
            total += rest(eye, ship, False, room.mind)
        elif crosses(eye, ship) and ship.status == Status.LEFT:
            total += left_worth(eye, ship, room.mind.want)
    return total


@jit
def shares(game, seat: int):
    """Hull points that a side set out with, and the share of them that is in play."""
    full, left = 0.0, 0.0
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        full += ship.full_hull
        if in_play(ship):
            left += ship.hull
    return full, left / max(full, 1.0)


@jit
def has_flagship(game, seat: int) -> int:
    """Whether a side's flagship is in play."""
    for index in range(game.n_ships[seat]):
        ship = game.ships[seat, index]
        if ship.flagship and in_play(ship):
            return 1
    return 0


@jit
def of_shares(game, how) -> float:
    """What a lead in shares of hull counts: less where there are more ships, each of which fires until it is lost."""
    return 2.0 * how.shares / (game.n_ships[0] + game.n_ships[1])


@jit
def worth_of_luck(room, luck: float) -> float:
    """What it is worth where the sides are about even that the enemy lost so much more of its hull, in shares of it."""
    how = room.settings
    return how.luck * luck * 0.25 * (of_shares(room.games[PLAY], how) + how.ratio)


@jit
def leads(room):
    """Leads of seat 0 in ``room.games[PLAY]``: in shares of hull, their log ratio, in flagships, and in the worth of
    places, in shares of hull and of the turns that are left for it to tell."""
    game = room.games[PLAY]
    full, mine = shares(game, 0)
    _, theirs = shares(game, 1)
    flagships = has_flagship(game, 0) - has_flagship(game, 1)
    to_go = 1.0 - game.turn / game.rules.turn_limit
    better = (places(room, 0) - places(room, 1)) / full
    return mine - theirs, math.log((mine + EVEN) / (theirs + EVEN)), flagships, to_go * better


@jit
def worth(room) -> float:
    """Worth of ``room.games[PLAY]``, from 0 to 1."""
    game, how = room.games[PLAY], room.settings
    if game.phase == Phase.OVER:
        return ended(game)
    if game.mode == Mode.CROSSING:
        _, mine = shares(game, 0)
        return 1.0 / (1.0 + math.exp(-(2.0 * mine + places(room, 0) / 5.0)))
    hull, ratio, flagships, better = leads(room)
    lead = of_shares(game, how) * (hull + how.places * better) + how.ratio * ratio + how.flagship * flagships
    return 1.0 / (1.0 + math.exp(-lead))
