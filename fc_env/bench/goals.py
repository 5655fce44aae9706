"""What a goal is, what was found, and how the two compare."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fc_env.bench.playing import Player

WARM_UP = 2
"""Rounds before those that count: until then the games of a batch are all at their start."""


class Effort(NamedTuple):
    """How long to measure."""

    rounds: int
    seconds: float
    """Length of a round, where it can be chosen"""


class AbsentError(Exception):
    """What is to be measured needs something that is not installed; the message says what."""


@dataclass
class Found:
    """What the rounds gave."""

    values: list[float]
    beside: dict[str, float] = field(default_factory=dict)
    """Medians of what is told beside it, by name"""
    limit: float | None = None
    """Floor and aim in one, where they can be known only once it was measured"""


@dataclass(frozen=True)
class Goal:
    """One row: what is measured, and what it should come to."""

    name: str
    what: str
    unit: str
    measure: Callable[[Effort], Found]
    floor: float | None = None
    """What it should reach at least, on a machine of today"""
    aim: float | None = None
    """What is aimed at"""
    lower: bool = False
    """Whether less is better"""
    slow: bool = False
    """Whether it takes so long that ``--quick`` leaves it out"""

    def met(self, median: float, floor: float | None, aim: float | None) -> str:
        """Whether a median meets the aim, the floor or neither: "aim", "floor", "no", or "" where there is no goal."""
        for name, goal in (("aim", aim), ("floor", floor)):
            if goal is not None and (median <= goal if self.lower else median >= goal):
                return name
        return "" if floor is None and aim is None else "no"

    def result(self, found: Found | AbsentError) -> dict[str, Any]:
        """What was found as plain data, as ``--json`` writes it. What is absent has a reason and no numbers."""
        told = {"name": self.name, "what": self.what, "unit": self.unit, "floor": self.floor, "aim": self.aim}
        if isinstance(found, AbsentError):
            return told | {"absent": str(found)}
        low, median, high = (significant(value) for value in np.percentile(found.values, (25, 50, 75)))
        numbers = {"median": median, "low_quartile": low, "high_quartile": high, "rounds": len(found.values)}
        floor, aim = (self.floor, self.aim) if found.limit is None else (found.limit, found.limit)
        return (
            told | numbers | {"floor": floor, "aim": aim, "met": self.met(median, floor, aim), "beside": found.beside}
        )


def joined(parts: Sequence[Found]) -> Found:
    """What several laps gave, as one."""
    beside = {name: significant(float(np.median([part.beside[name] for part in parts]))) for name in parts[0].beside}
    limits = [part.limit for part in parts if part.limit is not None]
    values = [value for part in parts for value in part.values]
    return Found(values, beside, significant(float(np.median(limits))) if limits else None)


def measured(rows: Sequence[Goal], effort: Effort, laps: int) -> list[dict[str, Any]]:
    """The results of rows, measured in laps: a part of the rounds of every row, then the next part.

    A machine that others use too is slow for a minute now and then; in laps that falls on some rounds of every row,
    which medians leave out, and not on all rounds of one.
    """
    parts: list[list[Found]] = [[] for _ in rows]
    absent: dict[str, AbsentError] = {}
    laps = min(laps, effort.rounds)
    for lap in range(laps):
        some = effort._replace(rounds=effort.rounds // laps + (lap < effort.rounds % laps))
        for row, found in zip(rows, parts, strict=True):
            if row.name not in absent:
                try:
                    found.append(row.measure(some))
                except AbsentError as reason:
                    absent[row.name] = reason
    return [row.result(absent.get(row.name) or joined(found)) for row, found in zip(rows, parts, strict=True)]


def significant(value: float) -> float:
    """Rounded to what can be told: whole numbers from 1,000 on, else four digits."""
    return float(round(value)) if abs(value) >= 1000 else float(f"{value:.4g}")


def rates(play: Player, effort: Effort) -> Found:
    """Decisions per second over some rounds, with turns and games beside them; one round before them warms up."""
    play(effort.seconds / 4)
    counts = [play(effort.seconds) for _ in range(effort.rounds)]
    beside = {
        f"{what}_per_second": significant(float(np.median([getattr(count, what) / count.seconds for count in counts])))
        for what in ("turns", "games")
    }
    return Found([count.decisions / count.seconds for count in counts], beside)


def ratios(ours: Player, theirs: Player, effort: Effort) -> Found:
    """How many times as many decisions a second the one plays as the other, round by round in turn."""
    for play in (ours, theirs):
        play(effort.seconds * WARM_UP)
    values: list[float] = []
    ours_found: list[float] = []
    theirs_found: list[float] = []
    for _ in range(effort.rounds):
        for play, found in ((ours, ours_found), (theirs, theirs_found)):
            count = play(effort.seconds)
            found.append(count.decisions / count.seconds)
        values.append(ours_found[-1] / theirs_found[-1])
    medians = {"ours_per_second": ours_found, "theirs_per_second": theirs_found}
    return Found(values, {name: significant(float(np.median(found))) for name, found in medians.items()})


def in_words(value: float) -> str:
    """A number for people."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def report(results: dict[str, Any]) -> str:
    """The results as a table for people."""
    lines = [f"{key}: {value}" for key, value in results["machine"].items()]
    head = f"{'':<22}{'median':>12}{'quartiles':>26}{'unit':>14}{'floor':>12}{'aim':>12}  met"
    lines += ["", head]
    for row in results["rows"]:
        if "absent" in row:
            lines.append(f"{row['name']:<22}{'absent: ' + row['absent']}")
            continue
        spread = f"{in_words(row['low_quartile'])} to {in_words(row['high_quartile'])}"
        goals = "".join(f"{in_words(row[goal]) if row[goal] is not None else '':>12}" for goal in ("floor", "aim"))
        line = f"{row['name']:<22}{in_words(row['median']):>12}{spread:>26}{row['unit']:>14}{goals}  {row['met']}"
        lines.append(line.rstrip())
        beside = [f"{name.replace('_', ' ')} {in_words(value)}" for name, value in row["beside"].items()]
        if beside:
            lines.append(f"{'':<22}{', '.join(beside)}")
    return "\n".join(lines)
