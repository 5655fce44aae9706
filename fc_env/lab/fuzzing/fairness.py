"""Whether dice are fair, by how often each face came up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import chisquare

from fc_env.dice import Purpose

LEVEL = 1e-6
"""How likely it may be, at the most, that fair dice of a run are taken for biased ones."""
LEAST_PER_FACE = 10
"""Rolls a face, on the average, below which nothing is said."""


class Bias(NamedTuple):
    """A die that is not fair."""

    purpose: str
    faces: int
    rolls: int
    chance: float  # that a fair one would come out as unevenly


def biased(faces: np.ndarray) -> list[Bias]:
    """The dice that are not fair, by how often they came up, int64 (len(Purpose), F + 1, F + 1) by faces and value.

    Pearson's chi-square test of each kind of die that was rolled often enough, all of them together at ``LEVEL``
    (Bonferroni).
    """
    enough = [
        (purpose, sides)
        for purpose in Purpose
        for sides in range(2, faces.shape[1])
        if faces[purpose, sides].sum() >= LEAST_PER_FACE * sides
    ]
    found = []
    for purpose, sides in enough:
        counts = faces[purpose, sides, 1 : sides + 1]
        chance = float(chisquare(counts).pvalue)
        if chance < LEVEL / len(enough):
            found.append(Bias(purpose.name.lower().replace("_", " "), sides, int(counts.sum()), chance))
    return found
