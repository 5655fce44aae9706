"""Counts of what happened to each side of games, gathered from events as they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from fc_env.events import Rule
from fc_env.state import MAX_SHIPS, SEATS

_SHOTS = (Rule.FIR_4, Rule.FIR_5, Rule.FIR_6)

COUNTS = {
    "decisions": "decisions made",
    "attacks": "attacks rolled for by its weapons (FIR-1)",
    "density": "taken off the rolls of these by the field (FIR-2)",
    "dealt": "damage done by its fire, strays included",
    "lost_to_fire": "damage to it by anyone's fire",
    "lost_to_blasts": "damage to it by explosions (DOOM-3)",
    "lost_to_asteroids": "damage to it by contact (CON-2)",
    "contacts": "contacts it rolled for (CON-1)",
    "avoided": "those of them that left it unhurt",
    "hazards": "times it flew by Avoid Hazard (MOV-9)",
    "hazard_contacts": "contacts it rolled for in such a move",
    "hazard_avoided": "those of them that left it unhurt",
}
"""What is counted for each side of a game; damage is in hull points."""


class Tally:
    """``counts`` by name, each int64 (G, S), for G games of S sides; the first side may sit in either seat.

    With one side, S is 1 and every seat is its.
    """

    def __init__(self, seat_of_first: np.ndarray, sides: int) -> None:
        self._seat_of_first, self._sides = seat_of_first, sides
        self.counts = {name: np.zeros((len(seat_of_first), sides), np.int64) for name in COUNTS}
        self._flew = np.zeros((len(seat_of_first), SEATS, MAX_SHIPS), np.int64)
        """The turn in which each ship flew by Avoid Hazard last; in that turn it moves no more after it."""

    def add(self, events: np.ndarray) -> None:
        """Count the events of a step, EVENT (E,), by their ``game``."""
        rule, value, game = events["rule"], events["value"], events["game"]
        # Senseless where there is no seat, and not used there.
        side = (events["seat"] ^ self._seat_of_first[game]) if self._sides > 1 else np.zeros(len(events), np.int64)

        def count(name: str, rows: np.ndarray, sides: np.ndarray, values: Any = 1) -> None:
            np.add.at(self.counts[name], (game[rows], sides), values)

        shot = np.isin(rule, _SHOTS)
        # An attack's row follows that of the shot, or of the explosion, which it is part of.
        cause = np.maximum.accumulate(np.where(shot | (rule == Rule.DOOM_3), np.arange(len(rule)), 0))
        attacks = np.flatnonzero(rule == Rule.FIR_1)
        by_fire = shot[cause[attacks]]
        fired, blown = attacks[by_fire], attacks[~by_fire]
        count("attacks", fired, side[cause[fired]])
        count("dealt", fired, side[cause[fired]], value[fired])
        count("lost_to_fire", fired, side[fired], value[fired])
        count("lost_to_blasts", blown, side[blown], value[blown])
        for name, one in (("density", Rule.FIR_2), ("lost_to_asteroids", Rule.CON_2)):
            rows = np.flatnonzero(rule == one)
            count(name, rows, side[rows], value[rows])
        self._count_contacts(events, game, side, count)

    def _count_contacts(self, events: np.ndarray, game: np.ndarray, side: np.ndarray, count: Any) -> None:
        flights = np.flatnonzero(events["rule"] == Rule.MOV_9)
        ship = game, events["seat"], events["ship"]
        self._flew[tuple(index[flights] for index in ship)] = events["turn"][flights]
        count("hazards", flights, side[flights])
        met = np.flatnonzero(events["rule"] == Rule.CON_1)
        careful = met[self._flew[tuple(index[met] for index in ship)] == events["turn"][met]]
        for contacts, avoided, rows in (
            ("contacts", "avoided", met),
            ("hazard_contacts", "hazard_avoided", careful),
        ):
            count(contacts, rows, side[rows])
            count(avoided, rows, side[rows], events["value"][rows] == 0)
