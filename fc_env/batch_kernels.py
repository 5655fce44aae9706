"""What a batch does with each of its games at every step, compiled: act, play on, and look, game by game."""

from __future__ import annotations

from fc_env import actions as act
from fc_env import sequence
from fc_env.encoding import NOTHING, encode, encode_again, focus_of, stands
from fc_env.jit import jit
from fc_env.reward import result
from fc_env.state import MAX_SHIPS, SEATS, Phase


@jit
def note(game, i: int, seats, over, actors, results, masks) -> None:
    """Note of one game whether it is over, who acts, its results, and what is legal.

    A game that is over is seen by the seat of ``seats``.
    """
    over[i] = game.phase == Phase.OVER
    actors[i] = seats[i] if over[i] else game.actor
    for seat in range(SEATS):
        results[i, seat] = result(game, seat)
    act.write_mask(game, masks[i])


@jit
def moment(game) -> int:
    """A number that tells a game's decisions apart, so that a row of another one is never written on."""
    asked = (game.phase * SEATS + game.actor) * (MAX_SHIPS + 1) + game.asked + 1
    return ((asked * (SEATS + 1) + game.to_answer) * 64 + game.flips) * 1024 + game.turn


@jit
def look_at(games, slots, seats, over, actors, results, masks, shown, counts, scratch, flat) -> None:
    """Look at the games in some slots anew; ``shown``, int64 (N,), tells what moment of each game its row shows."""
    for i in slots:
        note(games[i], i, seats, over, actors, results, masks)
        encode(games[i], actors[i], counts, scratch[0], flat[i])
        shown[i] = moment(games[i])


@jit
def step_and_look(games, actions, sits_out, tape, seats, over, actors, results, masks, shown, counts, scratch, flat):
    """One action in each game but those that sit out; the first game that refuses, or -1 and all are carried out."""
    for i in range(games.shape[0]):
        if not sits_out[i] and (games[i].phase == Phase.OVER or not act.is_legal(games[i], actions[i])):
            return i
    for i in range(games.shape[0]):
        if sits_out[i]:
            continue
        game, seat = games[i], actors[i]
        phase, turn, focus, known = game.phase, game.turn, focus_of(game, seat), shown[i] == moment(game)
        act.apply(game, tape, actions[i])
        sequence.advance(game, tape)
        note(game, i, seats, over, actors, results, masks)
        standing = stands(phase, turn, actions[i], game) if known and actors[i] == seat else NOTHING
        if standing == NOTHING:
            encode(game, actors[i], counts, scratch[0], flat[i])
        else:
            encode_again(game, seat, focus, standing, counts, scratch[0], flat[i])
        shown[i] = moment(game)
    return -1
