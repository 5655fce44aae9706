"""The turn (rules.md section 3), as one short function.

``advance`` plays on until a player has a real choice or the game is over. It keeps no state of its own:
a game record says where in the turn it stands, so play can stop and go on anywhere.
"""

from __future__ import annotations

from fc_env.actions import apply, end_action, first_action, is_legal_here, next_action
from fc_env.jit import jit
from fc_env.rules.cards import card_phase, flip_phase, initiative_phase
from fc_env.rules.drift import drift_phase
from fc_env.rules.movement import end_drift_phase
from fc_env.rules.orders import orders_phase
from fc_env.rules.power import power_phase
from fc_env.rules.victory import victory_phase
from fc_env.state import Phase


@jit
def run_phase(game, tape) -> bool:
    """TURN-1 to TURN-7: carry on with the phase a game is in; True if a player has to decide now."""
    phase = game.phase
    if phase == Phase.POWER:
        return power_phase(game, tape)
    if phase == Phase.ORDERS:
        return orders_phase(game, tape)
    if phase == Phase.DRIFT:
        drift_phase(game, tape)
    elif phase == Phase.INITIATIVE:
        initiative_phase(game, tape)
    elif phase == Phase.FLIP:
        flip_phase(game, tape)
    elif phase == Phase.CARD:
        return card_phase(game, tape)
    elif phase == Phase.TARGET or phase == Phase.SIDESLIP:
        return True
    elif phase == Phase.END_DRIFT:
        end_drift_phase(game, tape)
    elif phase == Phase.VICTORY:
        victory_phase(game, tape)
    return False


@jit
def sole_action(game) -> int:
    """The only legal action, or -1 if there are several."""
    sole, action, end = -1, first_action(game.phase), end_action(game.phase)
    while action < end:
        if is_legal_here(game, action):
            if sole >= 0:
                return -1
            sole = action
        action = next_action(game, action)
    return sole


@jit
def advance(game, tape) -> None:
    """Play on to the next decision with two choices or more, or to the end of the game."""
    while game.phase != Phase.OVER:
        if run_phase(game, tape):
            sole = sole_action(game)
            if sole < 0:
                return
            apply(game, tape, sole)
