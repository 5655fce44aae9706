"""``zigzag``: the naive baseline. North-east and south-east by turns, the largest die to movement, never waiting, never
Avoid Hazard, never a sideslip."""

from __future__ import annotations

import numpy as np

from agents.protocol import Agent, no_argument
from fc_env import actions as act
from fc_env.observation import Layout
from fc_env.state import MAX_SHIPS, Facing, Order

_FASTEST = act.POWER  # LMH: the largest die to movement


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> Agent:
    """The agent; ``seed`` makes no difference to it."""
    no_argument("zigzag", argument)
    layout = Layout.of(setups)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        ships = layout.parts(np.ascontiguousarray(observations[:, : layout.size])).own
        asked = ships["in_focus"][:, :, 0].argmax(axis=1)
        facing = ships["facing"][np.arange(len(ships)), asked].argmax(axis=1)
        turn = np.where(facing < Facing.SE, Order.RIGHT, Order.LEFT)  # NE turns right to SE, SE left to NE
        chosen = masks.argmax(axis=1)
        for ship in range(MAX_SHIPS):
            chosen = np.where(masks[:, act.ACT + ship], act.ACT + ship, chosen)
        chosen = np.where(masks[:, act.ORDER], act.ORDER + turn - Order.FORWARD, chosen)
        chosen = np.where(masks[:, act.SLIP], act.SLIP, chosen)
        picked: np.ndarray = np.where(masks[:, act.POWER], _FASTEST, chosen)
        return picked

    return choose
