"""A hunt in a copy of the rules: ``python -m fc_env.lab.fuzzing.trial SEED SECONDS``, run by ``fc_env.lab.faults``.

Prints a line when all is compiled, and then what was found, as JSON: which invariants were broken first, in which game,
and which others break in the same games when the first one is not looked at.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence

import numpy as np

from fc_env.jit import kernel_view
from fc_env.lab.fuzzing.fairness import biased
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.laying import check_laid
from fc_env.lab.fuzzing.running import RUN, Found, empty, play_run, together
from fc_env.lab.fuzzing.seekers import Seeker
from fc_env.lab.fuzzing.walk import new_desk, walk
from fc_env.rules.setup import SETUP
from fc_env.state import GAME, Phase, as_bytes

READY = "ready"
"""The line that is printed when all is compiled."""
RUNS_PER_LOOK = 20
"""After so many runs the dice are looked at."""
LEAST_GAMES = 1_000
"""Games that are played again without the one invariant that was broken, at least."""


def compile_all() -> None:
    """Compile what takes long, on a game that is over."""
    desk = new_desk()
    over = np.zeros(1, GAME)
    over["phase"] = Phase.OVER
    walk(as_bytes(over)[0], int(Seeker.ANYTHING), np.uint64(0), desk, np.zeros(1, np.int64))
    check_laid(kernel_view(np.zeros(1, SETUP)), kernel_view(over), desk.notes)


def _runs(seed: int, muted: Sequence[int] = ()) -> Iterator[Found]:
    first = 0
    while True:
        yield play_run(seed, first, RUN, (), muted)
        first += RUN


def hunt(seed: int, seconds: float) -> tuple[tuple[Invariant, ...], int]:
    """What is broken first, none if nothing is within the time, and how many games that took."""
    end = time.monotonic() + seconds
    found = empty()
    for number, run in enumerate(_runs(seed), 1):
        found = together(found, run)
        if found.finding:
            return found.finding.broken, found.games
        over = time.monotonic() >= end
        if (over or number % RUNS_PER_LOOK == 0) and biased(found.faces):
            return (Invariant.FAIR_DICE,), found.games
        if over:
            return (), found.games
    raise AssertionError("runs never end")


def others(seed: int, one: Invariant, games: int) -> tuple[Invariant, ...]:
    """What is broken in so many games if one invariant is not looked at."""
    found = empty()
    for run in _runs(seed, [one]):
        found = together(found, run)
        if found.finding:
            return found.finding.broken
        if found.games >= games:
            break
    return (Invariant.FAIR_DICE,) if one != Invariant.FAIR_DICE and biased(found.faces) else ()


def main(seed: int, seconds: float) -> None:
    """Hunt, and print what was found."""
    compile_all()
    print(READY, flush=True)
    broken, games = hunt(seed, seconds)
    also = others(seed, broken[0], max(games, LEAST_GAMES)) if len(broken) == 1 else ()
    print(json.dumps({"broken": [one.name for one in broken], "games": games, "others": [one.name for one in also]}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
