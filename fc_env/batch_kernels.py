"""What a batch does with each of its games at every step, compiled: act, play on, and look, game by game."""

from __future__ import annotations

from fc_env import actions as act
from fc_env import atomic, sequence
from fc_env.crew import DONE, LEADS, begin, end, next_chunk, offer
from fc_env.encoding import NOTHING, encode, encode_again, focus_of, scratch_of, stands
from fc_env.jit import jit
from fc_env.opponents import answer_by_lot
from fc_env.reward import result
from fc_env.state import MAX_SHIPS, SEATS, Phase


@jit
def note(game, i: int, seats, over, actors, turns, results, masks) -> None:
    """Note of one game whether it is over, who acts, its turn and results, and what is legal.

    A game that is over is seen by the seat of ``seats``.
    """
    over[i] = game.phase == Phase.OVER
    actors[i] = seats[i] if over[i] else game.actor
    turns[i] = game.turn
    for seat in range(SEATS):
        results[i, seat] = result(game, seat)
    act.write_mask(game, masks[i])


@jit
def moment(game) -> int:
    """A number that tells the decisions of one game apart; other games may share it."""
    asked = (game.phase * SEATS + game.actor) * (MAX_SHIPS + 1) + game.asked + 1
    return ((asked * (SEATS + 1) + game.to_answer) * 64 + game.flips) * 1024 + game.turn


@jit
def look_at(
    lo: int, hi: int, games, slots, by_lot, answers,
    seats, over, actors, turns, results, masks, shown, counts, scratch, flat,
) -> int:  # fmt: skip
    """Look anew at the games in the slots from place ``lo`` to ``hi`` - 1, once opponents by lot have acted.

    ``shown``, int64 (N,), tells what moment of each game its row shows. Returns -1: it cannot fail.
    """
    own = scratch_of(lo, len(slots), scratch)
    for place in range(lo, hi):
        i = slots[place]
        if by_lot[i]:
            answers[i] = answer_by_lot(games[i], seats[i], answers[i], masks[i])
        note(games[i], i, seats, over, actors, turns, results, masks)
        encode(games[i], actors[i], counts, own, flat[i])
        shown[i] = moment(games[i])
    return -1


@jit
def first_refusal(games, actions, sits_out) -> int:
    """The first game that neither sits out nor takes its action, or -1. The games are asked, whatever a mask says."""
    for i in range(len(games)):
        if not sits_out[i] and not act.may_take(games[i], actions[i]):
            return i
    return -1


@jit
def step_and_look(
    lo: int, hi: int, games, actions, sits_out, tape, by_lot, answers,
    seats, over, actors, turns, results, masks, shown, counts, scratch, flat,
) -> None:  # fmt: skip
    """One legal action in each game but those that sit out, of those from ``lo`` to ``hi`` - 1, and the answers by
    lot."""
    own = scratch_of(lo, len(games), scratch)
    for i in range(lo, hi):
        if sits_out[i]:
            continue
        game, seat, answered = games[i], actors[i], answers[i]
        phase, turn, focus, known = game.phase, game.turn, focus_of(game, seat), shown[i] == moment(game)
        act.apply(game, tape, actions[i])
        sequence.advance(game, tape)
        if by_lot[i]:
            answers[i] = answer_by_lot(game, seats[i], answers[i], masks[i])
        note(game, i, seats, over, actors, turns, results, masks)
        alone = actors[i] == seat and answers[i] == answered
        standing = stands(phase, turn, actions[i], game) if known and alone else NOTHING
        if standing == NOTHING:
            encode(game, actors[i], counts, own, flat[i])
        else:
            encode_again(game, seat, focus, standing, counts, own, flat[i])
        shown[i] = moment(game)


@jit
def step_together(
    role: int, size: int, shared, games, actions, sits_out, tape, by_lot, answers,
    seats, over, actors, turns, results, masks, shown, counts, scratch, flat,
) -> int:  # fmt: skip
    """A step of all games, in chunks of ``size``, by one thread that leads and by those that help; see ``crew.Crew``.

    The leader returns the first game that refuses its action, and then none has changed, or -1 when all are carried
    out. A helper returns -1 when there was nothing to do for a while.
    """
    n = len(games)
    begin(role, shared)
    bad = first_refusal(games, actions, sits_out) if role == LEADS else -1
    if bad >= 0:
        end(role, shared)
        return bad
    offer(role, shared)
    chunks = -(-n // size)
    chunk = next_chunk(role, chunks, shared)
    while chunk >= 0:
        lo = chunk * size
        step_and_look(
            lo, min(lo + size, n), games, actions, sits_out, tape, by_lot, answers,
            seats, over, actors, turns, results, masks, shown, counts, scratch, flat,
        )  # fmt: skip
        atomic.add(shared, DONE, 1)
        chunk = next_chunk(role, chunks, shared)
    end(role, shared)
    return -1
