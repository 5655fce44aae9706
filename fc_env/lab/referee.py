"""Agents that are ready to play, and how they are asked: what breaks the rules, or takes too long, is told apart.

Whatever draws lots is given them, hashed from each game's seed and the number of the decision, where it takes them
(``fc_env.opponents``): then a game goes the same way in every batch, order and process.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from fc_env import engine, opponents
from fc_env.errors import ConfigError
from fc_env.observation import Layout, observe
from fc_env.state import Phase

FIRST, SECOND = 0, 1
"""The sides of a match; where there is one side it is the first."""
WARM_UP_SECONDS = 60.0


@dataclass(frozen=True)
class Player:
    """An agent that is ready to play."""

    name: str
    agent: Any
    layout: Layout


def of_callable(given: Any, setups: np.ndarray, name: str | None = None) -> Player:
    """A player of a callable, which sees what the scenarios' own layout has room for, with aids if it wants them."""
    return Player(
        name or str(getattr(given, "__name__", type(given).__name__)),
        given,
        Layout.of(setups, opponents.wants_aids(given)),
    )


RAISED = (Exception, SystemExit)
"""What an agent may raise that loses it the game and no more; an interrupt is the user's own."""


class _OutOfTime(BaseException):
    """Raised inside an agent that takes too long; no ``except Exception`` of its own catches it."""


@contextlib.contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Interrupts the body after so many seconds, where that can be done: in a main thread of a POSIX system."""
    here = threading.current_thread() is threading.main_thread()
    if seconds is None or not here or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _OutOfTime

    old = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # it may ring in the last moment, inside the other one
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@dataclass(frozen=True)
class Answers:
    """What a player answered in N games."""

    actions: np.ndarray  # int64 (N,)
    seconds: np.ndarray  # float64 (N,): its share of the time that it took
    faults: dict[int, str]  # rows in which it forfeits, and why; their actions mean nothing


class Referee:
    """Asks players.

    ``forfeits``: an agent that raises, answers illegally or takes too long loses that game; else what it raises is
    raised, and an illegal answer is an IllegalActionError. ``time_limit``: seconds that a decision may take; then each
    is asked for by itself, so that its time is its own. Raises ConfigError for a limit that is none.
    """

    def __init__(self, forfeits: bool = False, time_limit: float | None = None) -> None:
        if time_limit is not None and not 0 < time_limit < 1e6:
            raise ConfigError(f"time limit {time_limit}: want seconds above 0")
        if time_limit is not None and not forfeits:
            raise ConfigError("a time limit without forfeits: want both")
        self.forfeits, self.time_limit = forfeits, time_limit
        self._warm: set[str] = set()

    def ask(self, who: Player, games: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> Answers:
        """Let a player answer in games GAME (N,) with masks bool (N, A) and lots float64 (N,), in which it acts."""
        seen = observe(games, who.layout)
        n = len(games)
        if self.time_limit is None:
            begun = time.perf_counter()
            try:
                actions = self._answer(who, seen, masks, lots)
                return Answers(actions, np.full(n, (time.perf_counter() - begun) / n), {})
            except RAISED:
                if not self.forfeits:
                    raise
        return self._ask_alone(who, seen, masks, lots)

    def _answer(self, who: Player, seen: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> np.ndarray:
        return opponents.answer(who.agent, f"agent {who.name!r}", seen, masks, lots)

    def _ask_alone(self, who: Player, seen: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> Answers:
        """One game at a time: what is wrong in one of them is no matter of the others."""
        n = len(seen)
        actions, seconds, faults = np.zeros(n, np.int64), np.zeros(n), {}
        for row in range(n):
            one = slice(row, row + 1)
            begun = time.perf_counter()
            try:
                with _alarm(self.time_limit):
                    actions[row] = self._answer(who, seen[one], masks[one], lots[one])[0]
            except _OutOfTime:
                pass  # told by the clock
            except RAISED as raised:
                faults[row] = f"{type(raised).__name__}: {' '.join(str(raised).split())}"[:300]
            seconds[row] = time.perf_counter() - begun
            if self.time_limit is not None and seconds[row] > self.time_limit:
                faults[row] = f"took more than {self.time_limit:g} s for a decision"
        return Answers(actions, seconds, faults)

    def warm_up(self, who: Player, setups: np.ndarray) -> None:
        """Let a player play a game that does not count, so that what it compiles at first is not on the clock.

        It plays all seats, once, for at most a minute or a hundred decisions' time; what it does wrong is no matter.
        """
        if self.time_limit is None or who.name in self._warm:
            return
        self._warm.add(who.name)
        games = engine.new(setups, [0], "train")
        lots = np.full(1, 0.5)
        with contextlib.suppress(*RAISED, _OutOfTime), _alarm(max(WARM_UP_SECONDS, 100 * self.time_limit)):
            while games[0]["phase"] != Phase.OVER:
                masks = engine.legal_mask(games)
                engine.step(games, self._answer(who, observe(games, who.layout), masks, lots))


__all__ = ["FIRST", "SECOND", "Answers", "Player", "Referee", "of_callable"]
