"""What becomes of a ship at 0 hull (rules.md section 6)."""

from __future__ import annotations

from fc_env import events
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.state import Status


@jit
def settle(game, tape, seat: int, index: int) -> None:
    """With the countdown off, a ship at 0 hull is destroyed (DOOM-1), even one that has just left (COR-12)."""
    ship = game.ships[seat, index]
    if ship.hull == 0 and not game.rules.countdown_to_doom and ship.status != Status.DESTROYED:
        ship.status = Status.DESTROYED
        events.write_ship(game, tape, Rule.DOOM_1, seat, index, -1, 0)
