"""Hull damage (rules.md section 6)."""

from __future__ import annotations

from fc_env.jit import jit


@jit
def suffer(game, tape, seat: int, index: int, damage: int) -> int:
    """DOOM-1. Take damage off a ship's hull, never below 0; returns the hull points lost."""
    ship = game.ships[seat, index]
    lost = min(damage, ship.hull)
    ship.hull -= lost
    return lost
