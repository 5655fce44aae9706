"""What holds after every phase and every decision, whatever the scenario, the rule set and the dice.

Tests and fuzzers call ``broken`` with a game and a copy of it from one phase before; the game itself never does.
"""

from __future__ import annotations

import enum

from fc_env.hexgrid import DQ, DR, on_map
from fc_env.jit import jit
from fc_env.rules.board import in_play, more_markers_at, other_ship_at, ship_at, waiting
from fc_env.rules.cards import SUITED_CARDS, is_flipped
from fc_env.state import MAX_DENSITY, SEATS, Doom, Flaw, Outcome, Phase


class Invariant(enum.IntEnum):
    """The rule that a broken invariant belongs to; ``NONE`` if all hold."""

    NONE = 0
    MAP_4 = 1
    MAP_5 = 2
    DRF_4 = 3
    DOOM_1 = 4
    COR_8 = 5
    ORD_2 = 6
    CARD_2 = 7
    CON_1 = 8
    TURN_7 = 9
    DOOM_2 = 10
    DOOM_4 = 11
    COR_18 = 12
    COR_20 = 13
    COR_21 = 14

    @property
    def id(self) -> str:
        """The rule id as printed in the rules."""
        return self.name.replace("_", "-")


@jit
def markers_are_kept(before, game) -> bool:
    """Whether no marker came, went, turned or changed its density (MAP-4)."""
    if game.n_markers != before.n_markers:
        return False
    for index in range(game.n_markers):
        marker, old = game.markers[index], before.markers[index]
        if marker.facing != old.facing or marker.density != old.density:
            return False
        if marker.density < 1 or marker.density > MAX_DENSITY:
            return False
    return True


@jit
def no_hex_is_shared(game) -> bool:
    """Whether every ship in play is on the map, and no hex of it holds two pieces (MAP-5)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if not in_play(ship):
                continue
            if not on_map(game.width, game.height, ship.q, ship.r):
                return False
            if other_ship_at(game, seat, index, ship.q, ship.r) >= 0:
                return False
    for index in range(game.n_markers):
        marker = game.markers[index]
        if waiting(game, marker):
            continue
        if more_markers_at(game, 1, marker.q, marker.r) or ship_at(game, marker.q, marker.r) >= 0:
            return False
    return True


@jit
def waiting_markers_stand_before_their_rows(game) -> bool:
    """Whether each marker that waits would come onto the map with its first hex of movement (DRF-4)."""
    for index in range(game.n_markers):
        marker = game.markers[index]
        q, r = marker.q + DQ[marker.facing], marker.r + DR[marker.facing]
        if waiting(game, marker) and not on_map(game.width, game.height, q, r):
            return False
    return True


@jit
def hulls_are_in_bounds(game) -> bool:
    """Whether no hull is below 0 or above what it was at the start, and with the countdown off no ship in play is at
    0 (DOOM-1)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if ship.hull < 0 or ship.hull > ship.full_hull:
                return False
            if ship.hull == 0 and in_play(ship) and not game.rules.countdown_to_doom:
                return False
    return True


@jit
def ships_out_of_play_stay_so(before, game) -> bool:
    """Whether no ship that was out of play moved, turned, lost hull, was activated, or came back (COR-8)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship, old = game.ships[seat, index], before.ships[seat, index]
            if in_play(old):
                continue
            if ship.status != old.status or ship.q != old.q or ship.r != old.r or ship.facing != old.facing:
                return False
            if ship.hull != old.hull or ship.activated > old.activated or ship.contacts > old.contacts:
                return False
    return True


@jit
def activations_are_single(before, game) -> bool:
    """Whether every ship was activated at most once this turn, and none lost its activation in it (ORD-2).

    More activations than cards flipped and ships allowed to act on each cannot be either.
    """
    count = 0
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship, old = game.ships[seat, index], before.ships[seat, index]
            if ship.activated != 0 and ship.activated != 1:
                return False
            if game.turn == before.turn and ship.activated < old.activated:
                return False
            count += ship.activated
    return count <= game.flips * SEATS * game.rules.activations_per_card


@jit
def flips_are_counted(before, game) -> bool:
    """Whether the cards flipped are as many as counted, are cards of the deck, and stay flipped this turn (CARD-2)."""
    cards = SUITED_CARDS + game.rules.jokers
    count = 0
    for card in range(64):
        if is_flipped(game, card):
            count += 1
            if card >= cards:
                return False
        elif game.turn == before.turn and is_flipped(before, card):
            return False
    if game.card >= 0 and not is_flipped(game, game.card):
        return False
    return count == game.flips


@jit
def contacts_are_counted(before, game) -> bool:
    """Whether contacts are only ever added within a turn, and begin at 0 in a new one (CON-1)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            contacts = game.ships[seat, index].contacts
            least = before.ships[seat, index].contacts if game.turn == before.turn else 0
            if contacts < least or (game.turn != before.turn and contacts != 0):
                return False
    return True


@jit
def ends_in_time(before, game) -> bool:
    """Whether turns follow one another up to the limit, and a game has an outcome exactly when over (TURN-7)."""
    if game.turn < before.turn or game.turn > before.turn + 1 or game.turn > game.rules.turn_limit:
        return False
    return (game.phase == Phase.OVER) == (game.outcome != Outcome.NONE)


@jit
def hull_comes_from_doom(before, game) -> bool:
    """Whether only a result of the countdown, rolled this turn, has given a ship hull, and only from 0 (DOOM-2)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship, old = game.ships[seat, index], before.ships[seat, index]
            if ship.doom != Doom.NONE and not game.rules.countdown_to_doom:
                return False
            if ship.hull > old.hull and (old.hull > 0 or not game.rules.countdown_to_doom):
                return False
            if game.turn == before.turn and old.doom != Doom.NONE and ship.doom != old.doom:
                return False
    return True


@jit
def crews_only_shrink(before, game) -> bool:
    """Whether no ship has gained a crew rank (DOOM-4)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            crew = game.ships[seat, index].crew
            if crew & before.ships[seat, index].crew != crew:
                return False
    return True


@jit
def sitting_ducks_have_no_hull(game) -> bool:
    """Whether sitting ducks are at 0 hull, and only where there is a countdown (COR-18)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if ship.sitting_duck and (ship.hull > 0 or not game.rules.countdown_to_doom):
                return False
    return True


@jit
def no_blast_waits(game) -> bool:
    """Whether every explosion that was set off has been resolved (COR-20)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            if game.ships[seat, index].blast != 0:
                return False
    return True


@jit
def jams_are_of_that_flaw(game) -> bool:
    """Whether only torpedoes with the flaw are jammed (COR-21)."""
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            ship = game.ships[seat, index]
            if ship.jammed and (ship.flaw != Flaw.TORPEDO_JAMS or not ship.torpedoes):
                return False
    return True


@jit
def broken(before, game) -> int:
    """The first ``Invariant`` that does not hold for a game, given a copy of it from one phase before."""
    if not markers_are_kept(before, game):
        return Invariant.MAP_4
    if not no_hex_is_shared(game):
        return Invariant.MAP_5
    if not waiting_markers_stand_before_their_rows(game):
        return Invariant.DRF_4
    if not hulls_are_in_bounds(game):
        return Invariant.DOOM_1
    if not ships_out_of_play_stay_so(before, game):
        return Invariant.COR_8
    if not activations_are_single(before, game):
        return Invariant.ORD_2
    if not flips_are_counted(before, game):
        return Invariant.CARD_2
    if not contacts_are_counted(before, game):
        return Invariant.CON_1
    if not ends_in_time(before, game):
        return Invariant.TURN_7
    if not hull_comes_from_doom(before, game):
        return Invariant.DOOM_2
    if not crews_only_shrink(before, game):
        return Invariant.DOOM_4
    if not sitting_ducks_have_no_hull(game):
        return Invariant.COR_18
    if not no_blast_waits(game):
        return Invariant.COR_20
    if not jams_are_of_that_flaw(game):
        return Invariant.COR_21
    return Invariant.NONE
