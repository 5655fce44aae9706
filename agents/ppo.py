"""A trained pilot: its files, and the agent that plays from them.

``ppo`` is the model that ships for the scenario at hand, ``ppo:PATH`` any other. A model is a folder with two files.
``model.safetensors`` holds the weights of two networks, ``actor.0.weight``, ``actor.0.bias``, ``actor.2.weight``, ...
and ``critic...`` likewise; ``model.json`` is its card: the shape of the networks, the observation it was made for, and
how it was trained. Neither can hold code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from safetensors.numpy import load as tensors_from
from safetensors.numpy import save as tensors_to

from agents.forward import ACTIVATIONS, Network, drawn, likeliest, shapes
from agents.seen import ObservationCard, columns, difference, observation_card
from fc_env import actions as act
from fc_env.errors import ConfigError
from fc_env.observation import Layout

FORMAT = 1
"""Version of the two files."""
WEIGHTS, CARD = "model.safetensors", "model.json"
MAX_CARD_BYTES = 1 << 20
MAX_WEIGHTS_BYTES = 1 << 30
SHIPPED = Path(__file__).resolve().parent / "models"
"""Models that come with the package: folders named by agent and scenario, as in ``ppo-duel``."""
_ROWS = 8192
"""Observations that pass the network at a time."""


class ModelError(ConfigError):
    """A model that cannot be read, or was made for something else."""


class Card(BaseModel):
    """``model.json``."""

    model_config = ConfigDict(strict=True, extra="forbid")

    format: int
    kind: Literal["fleet-captain ppo"] = "fleet-captain ppo"
    scenario: str
    fields: list[str]
    rules: str = ""
    """Digest of the rule set it was trained under, see ``rules_digest``."""
    observation: ObservationCard
    actions: list[str]
    actor_net: list[int]
    critic_net: list[int] | None
    """None where the file holds the policy alone, as of a model that ships."""
    activation: str
    training: dict[str, Any] = {}
    curve: list[list[float]] = []
    """Decisions trained on, and the share of the recent games that were successes."""
    results: list[dict[str, Any]] = []


def rules_digest(setups: np.ndarray) -> str:
    """Digest of the rule sets of scenarios, SETUP (S,), each counted once."""
    sets = sorted({setup["game"]["rules"].tobytes() for setup in setups})
    return hashlib.blake2b(b"".join(sets), digest_size=8).hexdigest()


def policy_alone(path: str | Path) -> tuple[bytes, bytes]:
    """The contents of a model's two files without its critic, which nobody needs to play it. Raises ModelError."""
    card, nets = read_networks(path)
    return actor_bytes(nets["actor"].layers), card_bytes(card.model_copy(update={"critic_net": None}))


def actor_bytes(layers: Sequence[tuple[np.ndarray, np.ndarray]]) -> bytes:
    """The contents of ``model.safetensors`` of a policy: weight, float32 (outputs, inputs), and bias of each layer."""
    return tensors_to(
        {
            f"actor.{2 * number}.{kind}": np.ascontiguousarray(tensor)
            for number, layer in enumerate(layers)
            for kind, tensor in zip(("weight", "bias"), layer, strict=True)
        }
    )


def card_bytes(card: Card) -> bytes:
    """The contents of ``model.json``."""
    return (json.dumps(card.model_dump(), indent=2, ensure_ascii=False) + "\n").encode()


def model_folder(path: str | Path) -> Path:
    """The folder of a model, given it or one of its files. Raises ModelError if there is none."""
    folder = Path(path)
    if folder.name in (WEIGHTS, CARD):
        folder = folder.parent
    for name in (CARD, WEIGHTS):
        if not (folder / name).is_file():
            raise ModelError(f"model {path}: there is no {name}: want a folder with {CARD} and {WEIGHTS}")
    return folder


def _read(file: Path, limit: int) -> bytes:
    try:
        with file.open("rb") as stream:
            raw = stream.read(limit + 1)
    except OSError as problem:
        raise ModelError(f"{file}: cannot be read ({problem.strerror})") from None
    if len(raw) > limit:
        raise ModelError(f"{file}: larger than {limit} bytes: not a model of this package")
    return raw


def read_card(path: str | Path) -> Card:
    """The card of a model. Raises ModelError."""
    file = model_folder(path) / CARD
    contents = _read(file, MAX_CARD_BYTES)
    try:
        said = json.loads(contents)
    except (ValueError, RecursionError) as problem:
        raise ModelError(f"{file}: not JSON ({problem})") from None
    version = said.get("format") if isinstance(said, dict) else None
    if version != FORMAT:
        raise ModelError(f"{file}: format is {version!r}: want {FORMAT}")
    try:
        card = Card.model_validate(said)
    except ValidationError as refused:
        first = refused.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelError(f"{file}: {where}: {first['msg']}") from None
    check_card(card, str(file))
    return card


def check_card(card: Card, name: str) -> None:
    """Raise ModelError, calling the card by a name, if it tells of a network that is not read."""
    if card.activation not in ACTIVATIONS:
        raise ModelError(f"{name}: activation is {card.activation!r}: want one of {', '.join(ACTIVATIONS)}")
    for net, widths in (("actor_net", card.actor_net), ("critic_net", card.critic_net or [])):
        if len(widths) > 16 or any(not 1 <= width <= 65536 for width in widths):
            raise ModelError(f"{name}: {net} is {widths}: want at most 16 widths from 1 to 65536")


def layout_of(path: str | Path) -> Layout:
    """The layout a model was made for; 0 of a kind that it does not see. Raises ModelError."""
    made_for = read_card(path).observation
    return Layout(made_for.own, made_for.theirs, made_for.markers, made_for.aids)


def read_networks(path: str | Path) -> tuple[Card, dict[str, Network]]:
    """The card and the networks ``actor`` and, if it is there, ``critic`` of a model. Raises ModelError."""
    card = read_card(path)
    file = model_folder(path) / WEIGHTS
    return card, networks_from(_read(file, MAX_WEIGHTS_BYTES), card, str(file))


def networks_from(raw: bytes, card: Card, name: str) -> dict[str, Network]:
    """The networks in the contents of ``model.safetensors``. Raises ModelError, calling the file by a name."""
    try:
        tensors = tensors_from(raw)
    except (SafetensorError, KeyError, TypeError, ValueError) as problem:
        raise ModelError(f"{name}: damaged, or not a safetensors file ({problem})") from None
    wanted = {"actor": shapes(card.observation.size, card.actor_net, len(card.actions))}
    if card.critic_net is not None:
        wanted["critic"] = shapes(card.observation.size, card.critic_net, 1)
    every = {f"{net}.{key}": shape for net, own in wanted.items() for key, shape in own.items()}
    for key in sorted(set(every) | set(tensors)):
        found = tensors[key].shape if key in tensors else None
        if found != every.get(key) or tensors[key].dtype != np.float32:
            raise ModelError(f"{name}: {key} has shape {found}: the card wants {every.get(key)} of float32")
        if not np.isfinite(tensors[key]).all():
            raise ModelError(f"{name}: {key} holds numbers that are not finite")
    return {net: Network({key: tensors[f"{net}.{key}"] for key in own}, card.activation) for net, own in wanted.items()}


def shipped(kind: str, setups: np.ndarray) -> Path:
    """The model of an agent, ``ppo`` or ``selfplay``, that ships for scenarios like these, SETUP (S,).

    Raises ModelError if none fits, saying of each why.
    """
    refusals = []
    for folder in sorted(SHIPPED.glob(f"{kind}-*")):
        made_for = read_card(folder).observation
        differs = difference(made_for, observation_card(Layout.of(setups, made_for.aids), made_for.left_out))
        if not differs:
            return folder
        refusals.append(f"{folder.name}: {differs}")
    known = "; ".join(refusals) or "none ships"
    raise ModelError(f"agent '{kind}': no model ships that fits these scenarios ({known}): want ppo:PATH")


def make(setups: np.ndarray, argument: str = "", seed: int = 0) -> PPOAgent:
    """The agent ``ppo`` or ``ppo:PATH`` for games of these scenarios, SETUP (S,). Raises ModelError."""
    path = argument or shipped("ppo", setups)
    return PPOAgent(path, Layout.of(setups, read_card(path).observation.aids), seed=seed)


class PPOAgent:
    """Plays the trained policy: of the legal actions the likeliest, or one drawn by their chances.

    Raises ModelError if the model was made for other observations or actions.
    """

    def __init__(self, path: str | Path, layout: Layout, greedy: bool = True, seed: int = 0) -> None:
        self.card, nets = read_networks(path)
        left_out = self.card.observation.left_out
        differs = difference(self.card.observation, observation_card(layout, left_out))
        if differs:
            raise ModelError(f"model {path}: made for other observations: {differs}")
        if self.card.actions != list(act.NAMES):
            raise ModelError(f"model {path}: made for other actions: {len(self.card.actions)} of them")
        self._actor = nets["actor"]
        self.aids = layout.aids
        self._columns = columns(layout, left_out)
        self._greedy = greedy
        self._generator = np.random.default_rng(seed)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Actions int64 (N,) for observations float32 (N, D) and masks bool (N, A)."""
        actions = np.zeros(len(observations), np.int64)
        for start in range(0, len(observations), _ROWS):
            rows = slice(start, start + _ROWS)
            actions[rows] = self._choose(observations[rows], masks[rows])
        return actions

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """The policy's logits, float32 (N, A), of illegal actions too, for observations float32 (N, D)."""
        return self._actor(observations.take(self._columns, axis=1))

    def _choose(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        logits = self.logits(observations)
        if self._greedy:
            return likeliest(logits, masks)
        return drawn(logits, masks, self._generator.random(len(masks)))
