"""What holds of any position, and of any two of which one comes right after the other."""

from __future__ import annotations

from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import inside
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import PIECES, expect, is_there, ship_of, was_flipped
from fc_env.state import MAX_DENSITY, Flaw, Outcome, Phase, Status

CARDS_OF_SUITS = 52


@jit
def markers_kept(before, game) -> bool:
    """MAP-4."""
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
def hexes_unshared(game) -> bool:
    """MAP-5."""
    for piece in range(PIECES):
        ship = ship_of(game, piece)
        if not is_there(game, piece) or ship.status != Status.IN_PLAY:
            continue
        for other in range(piece):
            near = ship_of(game, other)
            if is_there(game, other) and near.status == Status.IN_PLAY and near.q == ship.q and near.r == ship.r:
                return False
        for index in range(game.n_markers):
            if game.markers[index].q == ship.q and game.markers[index].r == ship.r:
                return False
    for index in range(game.n_markers):
        marker = game.markers[index]
        if not inside(game, marker.q, marker.r):
            continue
        for other in range(index):
            if game.markers[other].q == marker.q and game.markers[other].r == marker.r:
                return False
    return True


@jit
def same_build(ship, old) -> bool:
    """SHIP-1. Whether all is as it was that no rule changes; crew ranks are looked at elsewhere (DOOM-4)."""
    for place in range(3):
        if ship.power_dice[place] != old.power_dice[place]:
            return False
    same = ship.token == old.token and ship.flagship == old.flagship and ship.slowness == old.slowness
    same = same and ship.volleys == old.volleys and ship.torpedoes == old.torpedoes and ship.lasers == old.lasers
    same = same and ship.full_hull == old.full_hull and ship.captain == old.captain and ship.convoy == old.convoy
    return same and ship.flaw == old.flaw and ship.flaw_side == old.flaw_side


@jit
def as_built(before, game) -> bool:
    """SHIP-1, MAP-1."""
    same = game.width == before.width and game.height == before.height and game.goal == before.goal
    return same and game.mode == before.mode and game.seed == before.seed


@jit
def flips_counted(before, game) -> bool:
    """CARD-2."""
    count = 0
    for card in range(64):
        flipped = was_flipped(game, card)
        count += flipped
        if flipped and card >= CARDS_OF_SUITS + game.rules.jokers:
            return False
        if not flipped and game.turn == before.turn and was_flipped(before, card):
            return False
    return count == game.flips


@jit
def turns_counted(before, game) -> bool:
    """TURN-7."""
    if game.turn < before.turn or game.turn > before.turn + 1 or game.turn > game.rules.turn_limit:
        return False
    return (game.phase == Phase.OVER) == (game.outcome != Outcome.NONE)


@jit
def ship_invariants(before, game, piece: int, notes) -> None:
    """Those of one ship."""
    ship, old = ship_of(game, piece), ship_of(before, piece)
    in_play = ship.status == Status.IN_PLAY
    expect(notes, Invariant.SHIPS_AS_BUILT, same_build(ship, old))
    expect(notes, Invariant.NO_BLAST_WAITS, ship.blast == 0)
    stands = not in_play or ship.hull > 0 or game.rules.countdown_to_doom != 0
    expect(notes, Invariant.DESTROYED_AT_NO_HULL, stands)
    jam_fits = ship.flaw == Flaw.TORPEDO_JAMS and ship.torpedoes != 0
    expect(notes, Invariant.REPAIRS_AND_JAMS, ship.jammed == 0 or jam_fits)


@jit
def check_standing(before, game, notes) -> None:
    """All of these."""
    expect(notes, Invariant.MARKERS_KEPT, markers_kept(before, game))
    expect(notes, Invariant.HEXES_UNSHARED, hexes_unshared(game))
    expect(notes, Invariant.SHIPS_AS_BUILT, as_built(before, game))
    expect(notes, Invariant.FLIPS_COUNTED, flips_counted(before, game))
    expect(notes, Invariant.TURNS_COUNTED, turns_counted(before, game))
    for piece in range(PIECES):
        if is_there(game, piece):
            ship_invariants(before, game, piece, notes)
