"""Which of a run's fields the next game is laid in, and against which of its opponents."""

from __future__ import annotations

import numpy as np

from fc_env.curriculum import RECENT_GAMES, Curriculum, Progress


def ladder(rate: float) -> Curriculum:
    """One after the other: the next joins when the recent success rate with the one before has reached ``rate``.

    Half of the games are with the newest, the others are spread evenly over those before.
    """

    def choose(progress: Progress) -> np.ndarray:
        ready = (progress.games >= RECENT_GAMES) & (progress.win_rate >= rate)
        newest = int(np.argmin(ready[:-1])) if not ready[:-1].all() else len(ready) - 1
        chances = np.zeros(len(ready))
        chances[newest] = 1.0
        if newest:
            chances[: newest + 1] = 0.5 / newest
            chances[newest] = 0.5
        return chances

    return choose
