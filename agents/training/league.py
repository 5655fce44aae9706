"""League self-play: the learner against its own past selves and fixed anchors, the harder ones more often.

At fixed intervals the policy is frozen and becomes an opponent (a past self) for good: its file is written once, its
digest never changes, and its number is used for no other, so that no game's opponent ever changes. Only some of the
past selves play at a time: the newest, and others drawn anew at each birth, so that none is forgotten for good.
Opponents are drawn in proportion to how hard they are for the learner, (1 - win rate) ** power: prioritised fictitious
self-play (Vinyals et al. 2019, "Grandmaster level in StarCraft II using multi-agent reinforcement learning").
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as tensors_from
from safetensors.numpy import save as tensors_to

from agents.forward import Network, drawn
from agents.training.checkpoints import write_file
from agents.training.config import TrainConfig
from fc_env.curriculum import RECENT_GAMES, Progress
from fc_env.errors import ConfigError

FOLDER = "past_selves"
"""Of a run's folder: where the frozen policies lie."""
EVEN_GAMES = 10
"""Games, half of them won, that an opponent is taken to have played before any: it is given time to show itself."""


def digest_of(tensors: Mapping[str, np.ndarray]) -> str:
    """Digest of named weights."""
    return hashlib.sha256(tensors_to(dict(tensors))).hexdigest()


class PastSelf:
    """A place for one frozen policy: an opponent that draws its actions by the policy's chances, as the learner did.

    ``columns``, int64 (K,), are the places of the floats that it is shown, of observations with or without ``aids``.
    """

    takes_lots = True

    def __init__(self, name: str, columns: np.ndarray, activation: str, aids: bool = True) -> None:
        self.name, self.aids = name, aids
        self._columns, self._activation = columns, activation
        self._tensors: dict[str, np.ndarray] = {}
        self._policy: Network | None = None

    def freeze(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Become this policy, for good: the weights are copied and cannot be written to. Raises ConfigError twice."""
        if self._policy is not None:
            raise ConfigError(f"{self.name} is frozen already: want a place of its own for each policy")
        self._tensors = {key: array.copy() for key, array in tensors.items()}
        for array in self._tensors.values():
            array.flags.writeable = False
        self._policy = Network(self._tensors, self._activation)

    def clear(self) -> None:
        """Become an empty place again."""
        self._tensors, self._policy = {}, None

    @property
    def digest(self) -> str:
        """Of the weights as they are now."""
        return digest_of(self._tensors)

    def __call__(self, observations: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> np.ndarray:
        """A legal action for each game, int64 (M,), as ``fc_env.opponents.Opponent`` says. Raises ConfigError."""
        if self._policy is None:
            raise ConfigError(f"{self.name} was asked to play before it was born")
        return drawn(self._policy(observations.take(self._columns, axis=1)), masks, lots)


def hardness(games: np.ndarray, win_rate: np.ndarray, power: float) -> np.ndarray:
    """How hard opponents are for the learner, float64 (S,): (1 - win rate) ** power, from results so far.

    ``games``, int64 (S,), and ``win_rate``, float64 (S,), of the recent ones, as a ``Progress`` has them.
    """
    seen = np.minimum(games, RECENT_GAMES)
    rates = (seen * win_rate + 0.5 * EVEN_GAMES) / (seen + EVEN_GAMES)
    hard: np.ndarray = (1.0 - rates) ** power
    return hard


class League:
    """The opponents of one run, and who of them plays.

    ``anchors``: what plays for the names in ``config.opponents``; ``columns`` as for ``PastSelf``; ``folder``: that of
    the run.
    """

    def __init__(self, config: TrainConfig, anchors: list[Any], columns: np.ndarray, folder: Path) -> None:
        self.config = config
        self.folder = folder / FOLDER
        births = -(-config.total_steps // config.rollout) // config.snapshot_every
        self.places = [
            PastSelf(f"past-{number:04d}", columns, config.activation, config.aids) for number in range(1, births + 1)
        ]
        self.players = [*anchors, *self.places]
        """Every opponent there can be in the run, by ``opponent_id``"""
        self.names = [*config.opponents, *(place.name for place in self.places)]
        self.weights = np.array(list(config.opponents.values()))
        self.born: list[str] = []
        """Digests of the past selves so far"""
        self.active: list[int] = []
        """Which of them play now"""

    @property
    def anchors(self) -> int:
        """How many of the opponents are anchors; past self k is opponent ``anchors + k``."""
        return len(self.weights)

    def sample(self, progress: Progress) -> np.ndarray:
        """The chance of each opponent in the next game, float64 (S,)."""
        hard = hardness(progress.games, progress.win_rate, self.config.pfsp_power)
        chances = np.zeros(len(self.players))
        shares = [(np.arange(self.anchors), self.config.anchor_share if self.active else 1.0)]
        if self.active:
            shares.append((self.anchors + np.array(self.active), 1.0 - self.config.anchor_share))
        for places, share in shares:
            weights = hard[places] * (self.weights if places[0] == 0 else 1.0)
            chances[places] = share * weights / weights.sum()
        return chances

    # ---- births

    def due(self, rollouts: int) -> bool:
        """Whether the policy is to be frozen after so many rollouts."""
        return rollouts % self.config.snapshot_every == 0 and len(self.born) < len(self.places)

    def admit(self, policy: Mapping[str, np.ndarray], games: np.ndarray, win_rate: np.ndarray) -> str:
        """Freeze a policy, given the tensors of its network; returns the name it plays by. Raises OSError.

        ``games`` and ``win_rate`` as for ``hardness``: by these others are drawn to play beside it.
        """
        number = len(self.born)
        place = self.places[number]
        raw = tensors_to(dict(policy))
        self.folder.mkdir(exist_ok=True)
        write_file(self._file(number), raw)
        self.born.append(hashlib.sha256(raw).hexdigest())
        self._read(number)
        hard = hardness(games, win_rate, self.config.pfsp_power)[self.anchors : self.anchors + number]
        self.active = [number]
        if others := min(number, self.config.pool_size - 1):
            generator = np.random.default_rng([self.config.seed, number])
            chosen = generator.choice(number, others, replace=False, p=hard / hard.sum())
            self.active = [*sorted(chosen.tolist()), number]
        return place.name

    def _file(self, number: int) -> Path:
        return self.folder / f"{self.places[number].name}.safetensors"

    def _read(self, number: int) -> None:
        """Take a past self from its file. Raises ConfigError if that is not what was written at its birth."""
        file, digest = self._file(number), self.born[number]
        try:
            raw = file.read_bytes()
            found = hashlib.sha256(raw).hexdigest()
            if found != digest:
                raise ConfigError(f"{file}: its digest is {found:.12}: want {digest:.12}, as when it was frozen")
            tensors = tensors_from(raw)
        except (OSError, SafetensorError, ValueError) as problem:
            if isinstance(problem, ConfigError):
                raise
            raise ConfigError(f"{file}: cannot be read ({problem})") from None
        self.places[number].freeze(tensors)

    # ---- saving

    def state(self) -> dict[str, Any]:
        """Plain data: ``restore`` goes on from there, with the files in the run's folder. Raises ConfigError if a
        past self is no longer what it was."""
        for number, digest in enumerate(self.born):
            if self.places[number].digest != digest:
                raise ConfigError(f"{self.places[number].name} has changed since it was frozen")
        return {"born": list(self.born), "active": list(self.active)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from what ``state`` gave. Raises ConfigError for a past self that is missing or another."""
        self.born, self.active = list(state["born"]), list(state["active"])
        for number, place in enumerate(self.places):
            place.clear()
            if number < len(self.born):
                self._read(number)


__all__ = ["FOLDER", "League", "PastSelf", "digest_of", "hardness"]
