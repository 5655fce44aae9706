"""The networks of a trained model in NumPy, so that whoever plays it needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np


def _tanh(values: np.ndarray) -> None:
    np.tanh(values, out=values)


def _relu(values: np.ndarray) -> None:
    np.maximum(values, 0.0, out=values)


def _elu(values: np.ndarray) -> None:
    np.copyto(values, np.expm1(np.minimum(values, 0.0)), where=values < 0.0)


def _silu(values: np.ndarray) -> None:
    values *= 0.5 + 0.5 * np.tanh(0.5 * values)  # the logistic function, in a form that never overflows


ACTIVATIONS: dict[str, Callable[[np.ndarray], None]] = {"tanh": _tanh, "relu": _relu, "elu": _elu, "silu": _silu}
"""What stands between the layers, by name; each works in place."""


class Layer(NamedTuple):
    """A linear layer."""

    weight: np.ndarray  # float32 (outputs, inputs)
    bias: np.ndarray  # float32 (outputs,)


def shapes(inputs: int, hidden: Sequence[int], outputs: int) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors of a network, as torch names those of linear layers with activations between."""
    found: dict[str, tuple[int, ...]] = {}
    for number, width in enumerate([*hidden, outputs]):
        found[f"{2 * number}.weight"], found[f"{2 * number}.bias"] = (width, inputs), (width,)
        inputs = width
    return found


class Network:
    """Linear layers with one activation between them, from tensors named as ``shapes`` names them."""

    def __init__(self, tensors: dict[str, np.ndarray], activation: str) -> None:
        self.layers = [
            Layer(tensors[f"{2 * number}.weight"], tensors[f"{2 * number}.bias"]) for number in range(len(tensors) // 2)
        ]
        self._activate = ACTIVATIONS[activation]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs, float32 (N, outputs), for inputs float32 (N, inputs)."""
        *hidden, last = self.layers
        values = inputs
        for layer in hidden:
            values = values @ layer.weight.T
            values += layer.bias
            self._activate(values)
        values = values @ last.weight.T
        values += last.bias
        return values


def likeliest(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The legal action of the greatest logit, int64 (N,), for logits float32 (N, A) and masks bool (N, A)."""
    chosen: np.ndarray = np.where(masks, logits, -np.inf).argmax(axis=1)
    return chosen


def drawn(logits: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> np.ndarray:
    """The legal action that each lot, float64 (N,) from 0 to below 1, falls on by the policy's chances, int64 (N,)."""
    legal = np.where(masks, logits, -np.inf).astype(np.float64)
    bounds = np.cumsum(np.exp(legal - legal.max(axis=1, keepdims=True)), axis=1)
    # A lot below 1 times the sum may round to the sum itself, which only the last legal action reaches.
    passed = bounds <= np.minimum(lots * bounds[:, -1], np.nextafter(bounds[:, -1], 0.0))[:, None]
    chosen: np.ndarray = passed.sum(axis=1)
    return chosen
