"""A network that was trained anywhere as a model that ``ppo:PATH`` plays, and that can be handed over.

>>> from agents.publish import publish
>>> publish("my_model", layers, scenario="duel", fields=["standard"], activation="tanh")

Whoever gets the folder plays it without the training code and without torch, and nothing in it can hold code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents import ppo
from agents.forward import ACTIVATIONS
from agents.seen import observation_card
from fc_env import actions as act
from fc_env import scenarios as scenario_files
from fc_env.errors import ConfigError
from fc_env.files import write_bytes
from fc_env.observation import Layout


def publish(
    folder: str | Path,
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    scenario: str,
    fields: Sequence[str],
    aids: bool = False,
    activation: str = "tanh",
    training: Mapping[str, Any] | None = None,
) -> Path:
    """Write a policy as ``model.safetensors`` and ``model.json`` into a folder, which is made if need be; returns it.

    ``layers``: weight, float (outputs, inputs), and bias, float (outputs,), of each linear layer, as torch keeps them,
    from the observation to a logit for each action; between them goes ``activation``. ``scenario`` and ``fields``: what
    it was trained on, which its observations are laid out for, with ``aids`` or without. ``training``: anything to be
    told about how, which JSON can hold. Raises ConfigError, and OSError where the folder cannot be written.
    """
    setups = scenario_files.load_setups([(scenario, field) for field in fields])
    observation = observation_card(Layout.of(setups, aids))
    arrays = [(np.asarray(weight, np.float32), np.asarray(bias, np.float32)) for weight, bias in layers]
    _check([observation.size], arrays, activation)
    card = ppo.Card(
        format=ppo.FORMAT,
        scenario=scenario,
        fields=list(fields),
        rules=ppo.rules_digest(setups),
        observation=observation,
        actions=list(act.NAMES),
        actor_net=[len(bias) for _, bias in arrays[:-1]],
        critic_net=None,
        activation=activation,
        training=dict(training or {}),
    )
    weights = ppo.actor_bytes(arrays)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_bytes(target / ppo.WEIGHTS, weights)
    write_bytes(target / ppo.CARD, ppo.card_bytes(card))
    return target


def _check(sizes: list[int], arrays: list[tuple[np.ndarray, np.ndarray]], activation: str) -> None:
    """Raise ConfigError unless the layers lead from the first of the sizes to the actions, in finite numbers."""
    if activation not in ACTIVATIONS:
        raise ConfigError(f"activation {activation!r}: want one of {', '.join(ACTIVATIONS)}")
    for number, (weight, bias) in enumerate(arrays):
        if bias.ndim != 1 or weight.shape != (len(bias), sizes[-1]):
            raise ConfigError(
                f"layer {number}: weight {weight.shape} and bias {bias.shape}: "
                f"want (outputs, {sizes[-1]}) and (outputs,)"
            )
        if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
            raise ConfigError(f"layer {number}: want finite numbers")
        sizes.append(len(bias))
    if not arrays or sizes[-1] != act.N_ACTIONS:
        raise ConfigError(f"layers end in {sizes[-1]} outputs: want a logit for each of the {act.N_ACTIONS} actions")
