"""A model's networks in torch, as they are trained, and the file that keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from safetensors.numpy import save
from torch import nn

ACTIVATIONS: dict[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU, "silu": nn.SiLU}
"""The modules for the names in ``agents.forward.ACTIVATIONS``."""


def network(inputs: int, hidden: Sequence[int], outputs: int, activation: str) -> nn.Sequential:
    """Linear layers with the activation between them."""
    layers: list[nn.Module] = []
    for width in hidden:
        layers += [nn.Linear(inputs, width), ACTIVATIONS[activation]()]
        inputs = width
    return nn.Sequential(*layers, nn.Linear(inputs, outputs))


def tensors_of(networks: Mapping[str, nn.Sequential]) -> dict[str, np.ndarray]:
    """Copies of the weights, float32, named ``actor.0.weight`` and so on, of the networks ``actor`` and ``critic``."""
    return {
        f"{name}.{key}": tensor.detach().cpu().numpy().copy()
        for name, net in networks.items()
        for key, tensor in net.state_dict().items()
    }


def model_bytes(networks: Mapping[str, nn.Sequential]) -> bytes:
    """The contents of ``model.safetensors`` for the networks ``actor`` and ``critic``."""
    return save(tensors_of(networks))
