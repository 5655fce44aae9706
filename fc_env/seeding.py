"""From the seeds people give to the seeds of games.

Seeds for training and for testing live in two spaces that share no game: the space is the top bit of a
game's seed. The rest of it is a hash of the given seed and of the number of the episode, so neighbouring
seeds share nothing, and the n-th game after ``reset(seed)`` is the same in every environment.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from fc_env.dice import hashed
from fc_env.errors import SeedError
from fc_env.jit import Settled, jit

Space = Literal["train", "test"]
SPACES: tuple[Space, ...] = ("train", "test")
MAX_SEED = 2**63 - 1

_BATCH_LABEL = np.uint64(1 << 62)
_ZERO, _ONE, _TOP = np.uint64(0), np.uint64(1), np.uint64(63)


def check_seed(seed: Any) -> int:
    """The seed as an int. Raises SeedError unless it is an integer from 0 to 2**63 - 1."""
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)):
        raise SeedError(f"seed {seed!r} is a {type(seed).__name__}: want an integer from 0 to 2**63 - 1")
    if not 0 <= seed <= MAX_SEED:
        raise SeedError(f"seed {seed}: want an integer from 0 to 2**63 - 1")
    return int(seed)


_SPACE_BITS = {space: np.uint64(place) << _TOP for place, space in enumerate(SPACES)}


def _space_bit(space: str) -> np.uint64:
    if space not in SPACES:
        raise SeedError(f"seed space {space!r}: want one of {', '.join(SPACES)}")
    return _SPACE_BITS[space]


@jit
def _hash_all(seeds, labels, space_bit, found) -> None:
    for i in range(len(seeds)):
        found[i] = hashed(seeds[i], labels[i]) >> _ONE | space_bit


_hash_into = Settled(_hash_all)


def _hash(seeds: np.ndarray, labels: Any, space_bit: np.uint64 = _ZERO) -> np.ndarray:
    """63-bit hashes of seeds, uint64 (N,), and labels, as many or one for all, below the bit of a space."""
    each, found = np.empty((2, len(seeds)), np.uint64)
    each[:] = labels
    _hash_into(np.ascontiguousarray(seeds), each, space_bit, found)
    return found


def game_seeds(seeds: Any, episodes: Any = 0, space: str = "train") -> np.ndarray:
    """Seeds of games, uint64 (N,): of the ``episodes``-th game after a reset with each of the ``seeds``.

    ``episodes``: one for all, or (N,). Raises SeedError for a seed or a space that does not exist.
    """
    return hashed_seeds(np.array([check_seed(seed) for seed in seeds], np.uint64), episodes, space)


def hashed_seeds(seeds: np.ndarray, episodes: Any, space: str) -> np.ndarray:
    """The same of seeds that were checked, uint64 (N,)."""
    return _hash(seeds, episodes, _space_bit(space))


def other_seeds(seeds_of_games: np.ndarray, seeds: Any) -> np.ndarray:
    """Seeds of games, uint64 (N,), of the ``seeds``, each in the space of the game's own seed."""
    space = np.asarray(seeds_of_games, np.uint64) >> _TOP << _TOP
    return game_seeds(seeds) | space


def batch_seeds(seed: int, n: int) -> np.ndarray:
    """``n`` seeds, uint64 (n,), for the games of a batch that is given one seed: hashed with each one's place."""
    base = np.full(n, check_seed(seed), np.uint64)
    return _hash(base, np.arange(n, dtype=np.uint64) | _BATCH_LABEL)


def fresh_seed() -> int:
    """A seed from the operating system, for a first reset without one."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> _ONE)
