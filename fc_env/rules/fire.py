"""Fire (rules.md section 5)."""

from __future__ import annotations

from fc_env.jit import jit


@jit
def bears(game, seat: int, index: int, alpha_strike: bool) -> bool:
    """COR-5. Firing is legal only if some weapon bears on an enemy: never where there is no enemy.

    The weapons themselves are not played yet; until they are, no weapon bears on anything.
    """
    return False
