"""Games played in runs, each from its number, and what is found in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fc_env import dice, engine, seeding
from fc_env.events import Rule
from fc_env.jit import kernel_view
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.laying import check_laid
from fc_env.lab.fuzzing.scenes import KINDS, scene
from fc_env.lab.fuzzing.seekers import N_SEEKERS, Seeker
from fc_env.lab.fuzzing.walk import DECISIONS, LAST, STEPS, TURNS, Desk, new_desk, walk
from fc_env.state import as_bytes
from fc_env.tape import N_DICE, Tape

RUN = 32
"""Games of a run. What is rare is counted within it, so that a game does not depend on which runs came before."""
MOST_DECISIONS = 100_000


class Step(NamedTuple):
    """One phase or decision that broke something."""

    game: np.ndarray  # GAME (1,) before it
    action: int  # or notes.BY_PHASE
    dice: tuple[int, ...]  # as they fell


class Finding(NamedTuple):
    """A game in which something is broken."""

    number: int
    seeker: Seeker
    start: np.ndarray  # GAME (1,)
    decisions: tuple[int, ...]
    broken: tuple[Invariant, ...]
    step: Step | None  # none if the game was laid wrongly


class Found(NamedTuple):
    """What came of a run."""

    games: int
    steps: int
    decisions: int
    turns: int
    rules: np.ndarray  # int64 (len(Rule),): how often each rule fired
    faces: np.ndarray  # int64 (len(Purpose), F + 1, F + 1): dice by faces and value
    finding: Finding | None


def empty() -> Found:
    """Nothing yet."""
    return Found(0, 0, 0, 0, np.zeros(len(Rule), np.int64), np.zeros_like(new_desk().faces), None)


def together(one: Found, other: Found) -> Found:
    """Both; the finding is the first one's if it has one."""
    return Found(
        one.games + other.games,
        one.steps + other.steps,
        one.decisions + other.decisions,
        one.turns + other.turns,
        one.rules + other.rules,
        one.faces + other.faces,
        one.finding or other.finding,
    )


def seeker_of(number: int) -> Seeker:
    """Who plays the game of a number: anything in every other one of a kind, and each seeker in turn."""
    place = number // len(KINDS) % (2 * (N_SEEKERS - 1))
    return Seeker(1 + place // 2) if place % 2 else Seeker.ANYTHING


def broken_now(desk: Desk) -> tuple[Invariant, ...]:
    """What is broken of the last step."""
    return tuple(Invariant(int(number)) for number in np.flatnonzero(desk.notes["broken"][0]))


def fallen(tape: Tape) -> np.ndarray:
    """The dice as they fell, DIE (D,)."""
    return np.asarray(tape.dice)[: int(tape.counts[N_DICE])].copy()


def last_step(desk: Desk) -> Step:
    """The last step."""
    dice = tuple(fallen(desk.tape)["value"].tolist())
    return Step(np.asarray(desk.games)[:1].copy(), int(desk.counts[LAST]), dice)


def play_game(seed: int, number: int, setups: Sequence[np.ndarray], desk: Desk) -> Finding | None:
    """Play the game of a number among those of a seed; what is found in it.

    ``setups``: scenarios, SETUP (1,) each, to be played in turn; none for drawn ones.
    """
    if setups:
        setup = setups[number % len(setups)]
        start = engine.new(setup, seeding.game_seeds([seed], number))
    else:
        start, setup = scene(seed, number)
    seeker = seeker_of(number)
    desk.notes["broken"] = 0
    check_laid(kernel_view(setup), kernel_view(start), desk.notes)
    broken = broken_now(desk)
    if broken:
        return Finding(number, seeker, start, (), broken, None)
    taken = np.zeros(MOST_DECISIONS, np.int64)
    key = np.uint64(dice.hashed(np.uint64(seed), number))
    decisions = walk(as_bytes(start)[0], int(seeker), key, desk, taken)
    broken = broken_now(desk)
    if not broken:
        return None
    return Finding(number, seeker, start, tuple(taken[:decisions].tolist()), broken, last_step(desk))


def play_run(seed: int, first: int, count: int, setups: Sequence[np.ndarray] = (), muted: Sequence[int] = ()) -> Found:
    """Play the games from a number on, until something is broken; ``muted`` invariants are not looked at."""
    desk = new_desk()
    desk.notes["muted"][0, list(muted)] = 1
    finding, games = None, 0
    for number in range(first, first + count):
        games += 1
        finding = play_game(seed, number, setups, desk)
        if finding:
            break
    steps, decisions, turns = (int(desk.counts[place]) for place in (STEPS, DECISIONS, TURNS))
    return Found(games, steps, decisions, turns, desk.tallies, desk.faces, finding)
