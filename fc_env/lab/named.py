"""Agents by name at play in the lab: what goes wrong with one is told by its name, and ends the command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fc_env import opponents
from fc_env.errors import ConfigError, FleetCaptainError
from fc_env.lab import playing
from fc_env.lab.playing import Played, sides_of
from fc_env.lab.referee import RAISED, of_callable


@contextlib.contextmanager
def blaming(who: str) -> Iterator[None]:
    """Turns what an agent raises into a ConfigError that names it."""
    try:
        yield
    except FleetCaptainError:
        raise
    except RAISED as raised:
        said = " ".join(str(raised).split())
        raise ConfigError(f"agent {who} raised {type(raised).__name__}: {said}"[:300]) from raised


def play(names: Sequence[str], setups: np.ndarray, seeds: Any, space: str, **more: Any) -> Played:
    """One game on each seed, see ``playing.play``: the first agent sits in seat 0, and one alone in both.

    Raises ConfigError for more agents than there are sides, and for one that raises.
    """
    sides = sides_of(setups)
    if len(names) > sides:
        raise ConfigError(f"agents {' '.join(names)}: there are sides: {sides}: want at most one agent for each")
    players = []
    for name in (list(names) * sides)[:sides]:
        with blaming(name):
            players.append(of_callable(opponents.resolve(name, setups), setups, name))
    with blaming(" or ".join(dict.fromkeys(names))):
        return playing.play(players, setups, seeds, space, swapped=False, **more)
