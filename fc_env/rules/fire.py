"""Fire (rules.md section 5)."""

from __future__ import annotations

from fc_env.jit import jit


@jit
def bears(game, seat: int, index: int, alpha_strike: bool) -> bool:
    """COR-5. Firing is legal only if some weapon bears on an enemy: never where there is no enemy.

    The weapons themselves are not played yet; until they are, no weapon bears on anything.
    """
    return False


@jit
def may_be_struck(game, seat: int, index: int, enemy: int) -> bool:
    """FIR-7. Whether an enemy ship may be the one that a ship's Alpha Strike goes at."""
    return False


@jit
def open_fire(game, tape, seat: int, index: int) -> None:
    """Activate a ship to fire all its weapons (FIR-4 to FIR-6)."""


@jit
def alpha_strike(game, tape, seat: int, index: int, enemy: int) -> None:
    """Activate a ship to fire all that bears at one enemy (FIR-7)."""
