"""Games played to their ends, every phase and every decision of them checked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fc_env import actions, sequence
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.jit import jit, kernel_view
from fc_env.lab.fuzzing.audit import check
from fc_env.lab.fuzzing.choices import check_offer
from fc_env.lab.fuzzing.invariants import N_INVARIANTS, Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE, expect, new_notes
from fc_env.lab.fuzzing.seekers import Seeker, choose, rewind
from fc_env.state import GAME, Phase, as_bytes
from fc_env.tape import N_DICE, N_EVENTS, Tape, new_tape

MOST_ROWS = 8192
"""Events, and dice, of one phase or decision; more than any has."""
STEPS_OF_A_TURN = 2000
"""More phases and decisions than a turn can have."""
MOST_FACES = 100


class Desk(NamedTuple):
    """Work space of a walk."""

    games: np.ndarray  # GAME (4,): before a step, after it, before it with the events followed, and to try things on
    rows: np.ndarray  # uint8 (4, bytes of a record), the same memory
    tape: Tape
    trial: Tape  # of what seekers try
    mask: np.ndarray  # bool (N_ACTIONS,)
    notes: np.ndarray  # NOTES (1,)
    tallies: np.ndarray  # int64 (len(Rule),): how often each rule fired
    faces: np.ndarray  # int64 (len(Purpose), MOST_FACES + 1, MOST_FACES + 1): dice by faces and value, of fair play
    counts: np.ndarray  # int64 (4,): steps, decisions and turns so far, and what the last step was


STEPS, DECISIONS, TURNS, LAST = range(4)


def new_desk() -> Desk:
    """An empty one."""
    games = np.zeros(4, GAME)
    return Desk(
        kernel_view(games),
        as_bytes(games),
        new_tape(MOST_ROWS),
        new_tape(MOST_ROWS),
        np.zeros(actions.N_ACTIONS, np.bool_),
        new_notes(),
        np.zeros(len(Rule), np.int64),
        np.zeros((len(Purpose), MOST_FACES + 1, MOST_FACES + 1), np.int64),
        np.zeros(4, np.int64),
    )


@jit
def take_step(games, rows, action: int, tape, mask, notes) -> bool:
    """One phase or decision of the game in place 1, checked; whether a player is asked now.

    ``rows`` are the bytes of the games, uint8 (4, B): copied as such, some times faster than as records.
    """
    rows[0] = rows[1]
    rows[2] = rows[1]
    rewind(tape)
    asks = False
    if action == BY_PHASE:
        asks = sequence.run_phase(games[1], tape)
    else:
        actions.apply(games[1], tape, action)
    check(games[0], games[1], games[2], action, tape, notes)
    if asks:
        actions.write_mask(games[1], mask)
        check_offer(games[1], mask, notes)
    return asks


@jit
def tally(desk, fair: bool) -> None:
    """Count the rules that fired, and the dice that fell where nobody knew them beforehand.

    Of the cards only the first of a turn counts: the others depend on those before.
    """
    for row in range(desk.tape.counts[N_EVENTS]):
        desk.tallies[desk.tape.events[row].rule] += 1
    if fair:
        for row in range(desk.tape.counts[N_DICE]):
            die = desk.tape.dice[row]
            if die.purpose != Purpose.CARD or die.nth < 65536:
                desk.faces[die.purpose, die.faces, die.value] += 1


@jit
def any_broken(notes) -> bool:
    """Whether something does not hold."""
    for number in range(N_INVARIANTS):
        if notes.broken[number]:
            return True
    return False


@jit
def legal_count(mask) -> int:
    """Actions of a mask."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    return count


@jit
def choose_at(desk, seeker: int, key, number: int) -> int:
    """The action that a seeker takes where somebody is asked; -1 where there is none to take."""
    count = legal_count(desk.mask)
    if count == 0:
        return -1
    return choose(desk.games, desk.rows, seeker, desk.mask, count, key, number, desk.trial, desk.tallies)


@jit
def step_and_count(desk, action: int, fair: bool) -> bool:
    """``take_step``, and count what came of it."""
    desk.counts[LAST] = action
    desk.counts[STEPS] += 1
    asks = take_step(desk.games, desk.rows, action, desk.tape, desk.mask, desk.notes[0])
    tally(desk, fair)
    return asks


@jit
def walk(start, seeker: int, key, desk, taken) -> int:
    """Play a game, as bytes uint8 (B,), to its end, or until something is broken; the number of decisions taken.

    The first ``len(taken)`` decisions are written down there, int64 (D,). What is broken is in
    ``desk.notes[0].broken``, the game before the step that broke it in place 0, and ``desk.counts[LAST]`` tells the
    step.
    """
    notes, fair = desk.notes[0], seeker == Seeker.ANYTHING
    notes.broken[:] = 0
    desk.rows[1] = start
    first_turn, decisions, steps = desk.games[1].turn, 0, 0
    while desk.games[1].phase != Phase.OVER:
        steps += 1
        expect(notes, Invariant.TURNS_COUNTED, steps <= STEPS_OF_A_TURN * max(1, desk.games[1].turn))
        asks = step_and_count(desk, BY_PHASE, fair)
        if any_broken(notes):
            break
        if asks:
            action = choose_at(desk, seeker, key, decisions)
            expect(notes, Invariant.OFFERED_BY_PHASE, action >= 0)
            if action < 0:
                break
            if decisions < taken.shape[0]:
                taken[decisions] = action
            decisions += 1
            step_and_count(desk, action, fair)
            if any_broken(notes):
                break
    desk.counts[DECISIONS] += decisions
    desk.counts[TURNS] += desk.games[1].turn - first_turn + 1
    return decisions


@jit
def walk_again(start, decisions, desk) -> int:
    """Play a game, as bytes uint8 (B,), by decisions, int64 (D,), until something is broken; how many were used.

    It also ends where they are used up, or one is not offered.
    """
    notes = desk.notes[0]
    notes.broken[:] = 0
    desk.rows[1] = start
    used = 0
    while desk.games[1].phase != Phase.OVER:
        asks = step_and_count(desk, BY_PHASE, False)
        if any_broken(notes):
            break
        if asks:
            if used == decisions.shape[0] or not desk.mask[decisions[used]]:
                break
            step_and_count(desk, decisions[used], False)
            used += 1
            if any_broken(notes):
                break
    return used
