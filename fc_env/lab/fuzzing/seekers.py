"""Players who look for trouble: each tries what it may do on a copy of the game and takes what leads to its own kind of
rare position. They see all dice to come; that is no fair play, but legal.
"""

from __future__ import annotations

import enum

from fc_env import actions, dice, sequence
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import apart, edges_off, inside
from fc_env.lab.fuzzing.notes import PIECES, is_there, ship_of
from fc_env.state import LOW_RANK, Phase, Status
from fc_env.tape import N_DICE, N_EVENTS


class Seeker(enum.IntEnum):
    """What a player looks for."""

    ANYTHING = 0
    CROWDS = 1
    EDGES = 2
    CORNERS = 3
    NO_HULL = 4
    CHAINS = 5
    EMPTY_CREWS = 6
    WAITING = 7
    LONG_GAMES = 8
    RARE_RULES = 9


N_SEEKERS = len(Seeker)
CHOICE = 254  # a purpose of its own, so that lots and the game's dice have nothing in common
LOOK_AHEAD = 12
"""Phases that are tried after a choice, at most, before somebody has to decide again."""
WILFUL = 4
"""One choice in so many is taken at random."""


@jit
def by_lot(mask, key, number: int, count: int) -> int:
    """One of the ``count`` actions of a mask, each as likely."""
    wanted = dice.uniform(key, 0, CHOICE, 0, number, count)
    for action in range(mask.shape[0]):
        wanted -= mask[action]
        if mask[action] and wanted == 0:
            return action
    return -1


@jit
def rewind(tape) -> None:
    """Forget what was recorded."""
    tape.counts[N_EVENTS] = 0
    tape.counts[N_DICE] = 0


@jit
def choose(games, rows, seeker: int, mask, count: int, key, number: int, tape, tallies) -> int:
    """An action for the game that stands in place 1 of GAME (4,), tried in place 3; ``number`` is the decision's."""
    if seeker == Seeker.ANYTHING or dice.uniform(key, 1, CHOICE, 0, number, WILFUL) == 1:
        return by_lot(mask, key, number, count)
    best, best_score = -1, 0.0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        rows[3] = rows[1]
        rewind(tape)
        actions.apply(games[3], tape, action)
        for _ in range(LOOK_AHEAD):
            if games[3].phase == Phase.OVER or sequence.run_phase(games[3], tape):
                break
        # A little chance decides between what is as good.
        score = worth(games[3], seeker, tape, tallies) + 1e-6 * dice.uniform(key, 2 + action, CHOICE, 0, number, 1000)
        if best < 0 or score > best_score:
            best, best_score = action, score
    return best


@jit
def worth(game, seeker: int, tape, tallies) -> float:
    """How much of what a seeker looks for there is in a position, and in what has led to it."""
    if seeker == Seeker.CROWDS:
        return crowding(game)
    if seeker == Seeker.EDGES or seeker == Seeker.CORNERS:
        return sides_touched(game, 1 if seeker == Seeker.EDGES else 2)
    if seeker == Seeker.NO_HULL:
        return lost_hulls(game)
    if seeker == Seeker.CHAINS:
        return float(count_rows(tape, Rule.DRF_3) + count_rows(tape, Rule.MOV_7) + 2 * count_rows(tape, Rule.DOOM_3))
    if seeker == Seeker.EMPTY_CREWS:
        return missing_ranks(game) + 0.1 * lost_hulls(game)
    if seeker == Seeker.WAITING:
        return float(most_waiting(game)) + 0.1 * count_rows(tape, Rule.DRF_4)
    if seeker == Seeker.LONG_GAMES:
        return float(in_play(game)) + 0.01 * crowding(game)
    return rarity(tape, tallies)


@jit
def in_play(game) -> int:
    """Ships in play."""
    count = 0
    for piece in range(PIECES):
        count += is_there(game, piece) and ship_of(game, piece).status == Status.IN_PLAY
    return count


@jit
def crowding(game) -> float:
    """Pieces near each ship in play, near ones more."""
    total = 0.0
    for piece in range(PIECES):
        ship = ship_of(game, piece)
        if not is_there(game, piece) or ship.status != Status.IN_PLAY:
            continue
        for other in range(PIECES):
            near = ship_of(game, other)
            if other != piece and is_there(game, other) and near.status == Status.IN_PLAY:
                total += 1.0 / max(1, apart(ship.q, ship.r, near.q, near.r))
        for index in range(game.n_markers):
            total += 1.0 / max(1, apart(ship.q, ship.r, game.markers[index].q, game.markers[index].r))
    return total


@jit
def sides_touched(game, wanted: int) -> float:
    """How many ships stand so near the edge that they have ``wanted`` edges of the map within two hexes."""
    total = 0.0
    for piece in range(PIECES):
        ship = ship_of(game, piece)
        if not is_there(game, piece) or ship.status != Status.IN_PLAY:
            continue
        across = edges_off(game, ship.q - 2, ship.r + 1) > 0 or edges_off(game, ship.q + 2, ship.r - 1) > 0
        upright = edges_off(game, ship.q, ship.r - 2) > 0 or edges_off(game, ship.q, ship.r + 2) > 0
        touched = (1 if across else 0) + (1 if upright else 0)
        total += 1.0 if touched >= wanted else 0.3 * touched
    return total


@jit
def lost_hulls(game) -> float:
    """Ships in play at 0 hull, and hull lost by the others."""
    total = 0.0
    for piece in range(PIECES):
        ship = ship_of(game, piece)
        if is_there(game, piece) and ship.status == Status.IN_PLAY:
            total += 2.0 if ship.hull == 0 else 1.0 - ship.hull / ship.full_hull
    return total


@jit
def missing_ranks(game) -> float:
    """Crew ranks that ships in play do not have."""
    total = 0.0
    for piece in range(PIECES):
        ship = ship_of(game, piece)
        if is_there(game, piece) and ship.status == Status.IN_PLAY and not ship.flagship:
            for rank in range(LOW_RANK, 11):
                total += 1 - (ship.crew >> rank) % 2
    return total


@jit
def most_waiting(game) -> int:
    """Markers that wait in one place, of the place where most do."""
    most = 0
    for index in range(game.n_markers):
        marker, here = game.markers[index], 0
        if inside(game, marker.q, marker.r):
            continue
        for other in range(game.n_markers):
            here += game.markers[other].q == marker.q and game.markers[other].r == marker.r
        most = max(most, here)
    return most


@jit
def count_rows(tape, rule: int) -> int:
    """Events of a rule."""
    count = 0
    for row in range(tape.counts[N_EVENTS]):
        count += tape.events[row].rule == rule
    return count


@jit
def rarity(tape, tallies) -> float:
    """How rare the rules are that have fired, by how often each has in this run, int64 by Rule."""
    total = 0.0
    for row in range(tape.counts[N_EVENTS]):
        total += 1.0 / (1.0 + tallies[tape.events[row].rule])
    return total
