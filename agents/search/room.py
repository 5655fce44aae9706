"""The settings of a search, and the memory that its kernels work in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.captain import Captain
from agents.captain_worth import Mind, survey
from fc_env import actions as act
from fc_env import playout
from fc_env.jit import jit, kernel_view
from fc_env.state import GAME, MAX_SHIPS, SEATS

SETTINGS = np.dtype(
    [
        ("simulations", np.int64),  # a decision, in all
        ("turns", np.int64),  # turns that are played on after the one that is under way
        ("onward", np.float64),  # share of its weight that each turn's end leaves to those after it
        ("luck", np.float64),  # what hull taken by luck counts, of what all hull does
        ("stray", np.float64),  # how often the enemy of a simulation does any legal thing
        ("doubt", np.float64),  # standard errors that another action must be better by than the captain's own
        ("hope", np.float64),  # standard errors behind the captain's own choice at which another is tried no more
        ("shares", np.float64),  # what a lead in shares of hull counts, in log odds, for each ship of a side
        ("ratio", np.float64),  # what the ratio of hull counts
        ("flagship", np.float64),  # what it counts that a side's flagship is in play, and the other's is not
        ("places", np.float64),  # what a lead in the worth of places counts in the first turn, in shares of hull
        ("explore", np.float64),  # of a tree: what is little tried counts, in shares of a win
        ("trust", np.float64),  # of a tree: how much of what is tried first is the captain's own choice
    ],
    align=True,
)


class Room(NamedTuple):
    """What the kernels of a search are handed."""

    settings: Any  # SETTINGS ()
    mind: Mind  # the captain whose choices simulated sides make
    games: Any  # GAME (2,): at ROOT the position as seen, at PLAY the one that is played on
    eyes: Any  # GAME (1,): what a simulated side sees
    mask: Any  # bool (N_ACTIONS,)
    guess: Any  # int64 (SEATS, MAX_SHIPS + 1): what sides would do with power and markers at the root, 0 if not asked
    values: Any  # float64 (N_ACTIONS, simulations): what came of each action in each simulation
    counts: Any  # int64 (N_ACTIONS,): simulations of each action


ROOT, PLAY = 0, 1
"""Places in ``Room.games``."""
POWER_GUESS = MAX_SHIPS
"""Place of the flagship's power in ``Room.guess``."""

USUAL = {
    "turns": 1,
    "onward": 1.0,
    "luck": 0.0,
    "stray": 0.1,
    "doubt": 1.0,
    "hope": 1.5,
    "shares": 2.5,
    "ratio": 0.7,
    "flagship": 2.8,
    "places": 1.0,
    "explore": 0.5,
    "trust": 0.9,
}  # fmt: skip
"""Those of the leads are about what ``agents.search.fitting`` finds in the duel and in the skirmish."""


@jit
def surveyed(room, place: int, seat: int):
    """What a side sees of ``room.games[place]``, GAME (), where its captain has looked over the board."""
    playout.look(room.games, place, seat, room.eyes)
    eye = room.eyes[0]
    survey(eye, room.mind)
    return eye


def new_room(captain: Captain, simulations: int, **changed: float) -> Room:
    """Memory for searches of so many simulations a decision, with settings as usual but for those given."""
    settings = np.zeros(1, SETTINGS)
    for name, value in ({"simulations": simulations} | USUAL | changed).items():
        settings[name] = value
    return Room(
        kernel_view(settings)[0],
        captain.mind,
        kernel_view(np.zeros(2, GAME)),
        kernel_view(np.zeros(1, GAME)),
        np.zeros(act.N_ACTIONS, np.bool_),
        np.zeros((SEATS, MAX_SHIPS + 1), np.int64),
        np.zeros((act.N_ACTIONS, simulations)),
        np.zeros(act.N_ACTIONS, np.int64),
    )
