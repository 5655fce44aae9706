"""Actions: one int is one decision a player has (COR-2). Names, legality, and what an action does."""

from __future__ import annotations

from typing import Any

import numpy as np

from fc_env.errors import IllegalActionError
from fc_env.jit import jit
from fc_env.rules import cards, fire, movement, orders, power
from fc_env.rules.cards import can_act
from fc_env.state import MAX_SHIPS, Order, Phase, Slip

PASS = 0
POWER = 1
"""First of six: the ways LMH, LHM, MLH, MHL, HLM, HML (POW-2)."""
ORDER = POWER + power.WAYS
"""First of four: forward, right turn, left turn, drift (ORD-1)."""
SLIP = ORDER + 4
"""First of three: the last hex straight ahead, ahead-left, ahead-right (MOV-3)."""
ACT = SLIP + 3
"""First of six: a ship of the side acts normally on the open card (CARD-4)."""
MANOEUVRE = ACT + MAX_SHIPS
"""First of six: a ship of the side attempts a captain's manoeuvre on it (CARD-5)."""
TARGET = MANOEUVRE + MAX_SHIPS
"""First of six: the enemy ship that an Alpha Strike goes at (FIR-7)."""
N_ACTIONS = TARGET + MAX_SHIPS

NAMES: tuple[str, ...] = (
    "pass",
    *(f"power {way}" for way in power.WAY_NAMES[1:]),
    *(f"order {name}" for name in ("forward", "right turn", "left turn", "drift")),
    *(f"last hex {name}" for name in ("straight", "left", "right")),
    *(f"ship {index} acts" for index in range(MAX_SHIPS)),
    *(f"ship {index} manoeuvres" for index in range(MAX_SHIPS)),
    *(f"target {index}" for index in range(MAX_SHIPS)),
)


@jit
def first_action(phase: int) -> int:
    """The lowest action id that may be legal in a phase."""
    if phase == Phase.POWER:
        return POWER
    if phase == Phase.ORDERS:
        return ORDER
    if phase == Phase.SIDESLIP:
        return SLIP
    if phase == Phase.TARGET:
        return TARGET
    return PASS


@jit
def end_action(phase: int) -> int:
    """One more than the highest action id that may be legal in a phase."""
    if phase == Phase.POWER:
        return ORDER
    if phase == Phase.ORDERS:
        return SLIP
    if phase == Phase.SIDESLIP:
        return ACT
    if phase == Phase.CARD:
        return TARGET
    if phase == Phase.TARGET:
        return N_ACTIONS
    return PASS + 1 if phase == Phase.OVER else PASS  # no other phase asks


@jit
def next_action(game, action: int) -> int:
    """The id to be looked at after an action's: in the cards, ids of ships that the side does not have are skipped."""
    if game.phase == Phase.CARD:
        n_ships = game.n_ships[game.actor]
        if action < ACT:
            return ACT
        if action == ACT + n_ships - 1:
            return MANOEUVRE
        if action == MANOEUVRE + n_ships - 1:
            return TARGET
    return action + 1


@jit
def is_legal(game, action: int) -> bool:
    """Whether an action is legal for the seat that is asked. In a game that is over only ``pass`` is."""
    return first_action(game.phase) <= action < end_action(game.phase) and is_legal_here(game, action)


@jit
def is_legal_here(game, action: int) -> bool:
    """The same of an action that may be legal in the phase at hand."""
    if game.phase == Phase.OVER:
        return True
    if game.phase == Phase.TARGET:
        return fire.may_be_struck(game, game.actor, game.asked, action - TARGET)
    if game.phase != Phase.CARD:
        if game.asked < 0:
            return False  # a position whose phase has not asked yet
        slips = game.phase == Phase.SIDESLIP
        return not slips or movement.may_slip_to(game.ships[game.actor, game.asked], action - SLIP)
    if game.to_answer == 0:
        return False
    if action == PASS:
        return True
    if action >= MANOEUVRE:
        return action - MANOEUVRE < game.n_ships[game.actor] and can_act(game, game.actor, action - MANOEUVRE, True)
    if action >= ACT:
        return action - ACT < game.n_ships[game.actor] and can_act(game, game.actor, action - ACT, False)
    return False


@jit
def may_take(game, action: int) -> bool:
    """Whether a game goes on and takes an action."""
    return game.phase != Phase.OVER and is_legal(game, action)


@jit
def write_mask(game, mask) -> int:
    """Write the action mask, bool (N_ACTIONS,); returns the number of legal actions."""
    count = 0
    mask[:] = False
    action, end = first_action(game.phase), end_action(game.phase)
    while action < end:
        if is_legal_here(game, action):
            mask[action] = True
            count += 1
        action = next_action(game, action)
    return count


@jit
def apply(game, tape, action: int) -> None:
    """Carry out a legal action of the seat that is asked."""
    if game.phase == Phase.POWER:
        power.choose(game, tape, action - POWER + 1)
    elif game.phase == Phase.ORDERS:
        orders.give(game, tape, action - ORDER + Order.FORWARD)
    elif game.phase == Phase.SIDESLIP:
        movement.sideslip(game, tape, action - SLIP + Slip.STRAIGHT)
    elif game.phase == Phase.TARGET:
        cards.choose_target(game, tape, action - TARGET)
    elif action == PASS:
        cards.choose_pass(game, tape)
    elif action >= MANOEUVRE:
        cards.activate(game, tape, action - MANOEUVRE, True)
    else:
        cards.activate(game, tape, action - ACT, False)


def whole_action(action: Any) -> int:
    """One action as an int, of whatever size. Raises IllegalActionError for what is no integer; bools are none."""
    if type(action) is int:  # the usual case first: this is asked at each step
        return action
    whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    if not whole and isinstance(action, np.ndarray):
        whole = action.shape == () and action.dtype.kind in "iu"
    if not whole:
        kind = f"{action.dtype} {action.shape}" if isinstance(action, np.ndarray) else type(action).__name__
        raise IllegalActionError(f"action {action!r} is of type {kind}: want an integer 0..{N_ACTIONS - 1}")
    return int(action)


def action_name(action: Any) -> str:
    """One action in words. Raises IllegalActionError if there is no such action."""
    number = whole_action(action)
    if not 0 <= number < N_ACTIONS:
        raise IllegalActionError(f"action {number}: want an integer 0..{N_ACTIONS - 1}")
    return NAMES[number]
