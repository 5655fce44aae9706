"""A network that was trained anywhere as a model that ``ppo:PATH`` plays, and that can be handed over.

>>> from agents.publish import publish
>>> publish("my_model", layers, scenario="duel", fields=["standard"], activation="tanh")

Whoever gets the folder plays it without the training code and without torch, and nothing in it can hold code.
"""

from __future__ import annotations

import json
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

    ``layers``: weight, float (outputs, inputs), and bias, float (outputs,), of each linear layer, arrays of the shapes
    that torch has them in, from the observation to a logit for each action; between them goes ``activation``.
    ``scenario`` and ``fields``: what it was trained on, which its observations are laid out for, with ``aids`` or
    without. ``training``: anything to be told about how, as plain data. Raises ConfigError, and then nothing is
    written, and OSError where the folder cannot be.
    """
    if isinstance(fields, str):
        raise ConfigError(f"fields {fields!r}: want a list of names")
    setups = scenario_files.load_setups([(scenario, field) for field in fields])
    observation = observation_card(Layout.of(setups, aids))
    arrays = [_arrays(number, layer) for number, layer in enumerate(layers)]
    _check([observation.size], arrays, activation)
    card = ppo.Card(
        format=ppo.FORMAT,
        scenario=str(scenario),
        fields=[str(field) for field in fields],
        rules=ppo.rules_digest(setups),
        observation=observation,
        actions=list(act.NAMES),
        actor_net=[len(bias) for _, bias in arrays[:-1]],
        critic_net=None,
        activation=activation,
        training=_plain(training or {}),
    )
    weights, about = ppo.actor_bytes(arrays), ppo.card_bytes(card)
    ppo.check_card(card, "the model")
    if len(about) > ppo.MAX_CARD_BYTES:
        raise ConfigError(f"training: makes a card of {len(about):,} bytes: want {ppo.MAX_CARD_BYTES:,} at most")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_bytes(target / ppo.WEIGHTS, weights)
    write_bytes(target / ppo.CARD, about)
    return target


def _arrays(number: int, layer: Any) -> tuple[np.ndarray, np.ndarray]:
    """Weight and bias of one of the layers, float32. Raises ConfigError for anything else."""
    try:
        weight, bias = (np.asarray(part) for part in layer)
    except (TypeError, ValueError, RuntimeError) as problem:  # the last is torch's word for what wants detach()
        raise ConfigError(f"layer {number}: want a pair of arrays, weight and bias ({problem})") from None
    if not all(np.issubdtype(part.dtype, np.number) and not np.iscomplexobj(part) for part in (weight, bias)):
        raise ConfigError(f"layer {number}: of {weight.dtype} and {bias.dtype}: want numbers")
    return weight.astype(np.float32), bias.astype(np.float32)


def _plain(training: Mapping[str, Any]) -> dict[str, Any]:
    """What is told about the training, as JSON gives it back. Raises ConfigError for what it cannot hold."""
    try:
        told: dict[str, Any] = json.loads(json.dumps(dict(training), allow_nan=False, default=_number))
    except (TypeError, ValueError) as problem:
        raise ConfigError(f"training: want plain data ({problem})") from None
    return told


def _number(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is none")


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
