"""Who plays the other seat: what an opponent is, how it is named, and pools of them.

An opponent is a callable: a batch of observations and action masks in, actions out. Wherever ``opponent=`` is asked
for, it may be given as

- such a callable;
- a name: one that an installed package declares as an entry point of the group ``fc_env.opponents``, among them the
  difficulties ``easy`` (any legal action), ``medium`` and ``hard``; what follows a colon is handed to it;
- ``module:factory``, or ``module:factory:TEXT``, for whatever can be imported;
- several of these: a sequence with equal chances, a mapping to weights, or a ``Pool``.

A factory is called with the scenarios, SETUP (S,), and the text after its colon, which may be empty, and gives the
callable.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

import numpy as np

from fc_env import actions as act
from fc_env import sequence
from fc_env.curriculum import Chooser, Curriculum, Progress, evenly
from fc_env.dice import mix, mix_plain
from fc_env.errors import ConfigError, IllegalActionError
from fc_env.jit import COMPILED, jit
from fc_env.observation import Layout
from fc_env.state import Phase
from fc_env.tape import SILENT

GROUP = "fc_env.opponents"
"""The entry-point group in which packages declare opponents by name."""

LEVELS = ("easy", "medium", "hard")
"""Names in that group for those who build games and want a difficulty."""

MOST_WEIGHT = 1_000_000_000
"""Of an opponent in a pool, so that sums stay exact enough."""

_POOL_LABEL = np.uint64(0x0FF05E77EA)
_LOTS_LABEL = np.uint64(0x10755EED)
_TO_53_BITS = np.uint64(11)


class Opponent(Protocol):
    """A batched player of one seat.

    ``observations``: float32 (M, D), laid out as ``fc_env.observation.Layout.of(setups)``, what its seat may know, and
    with aids (``Layout.of(setups, aids=True)``) for one that sets the attribute ``aids`` to True; ``masks``: bool
    (M, 32). Returns one legal action for each, integers (M,).

    One that draws lots sets the attribute ``takes_lots`` to True and gets a third argument, float64 (M,) from 0 to
    below 1, hashed from each game's seed and the number of the decision: then a game goes the same way in every batch,
    process and restored copy. It has nothing to do with the dice.
    """

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose one legal action for each game."""
        ...


OpponentLike = Any
"""A callable, a name, ``module:factory``, a sequence or mapping of these, or a Pool."""


@dataclass(frozen=True)
class Pool:
    """Opponents of which each game gets one, drawn by a hash of the game's own seed when it starts.

    ``weights``: chances in proportion, by default equal. ``sample``: in their place, a rule as in
    ``fc_env.curriculum``, a callable that is shown how the games against each have gone. Raises ConfigError.
    """

    opponents: Sequence[OpponentLike]
    weights: Sequence[float] | None = None
    sample: Curriculum | None = None

    def __post_init__(self) -> None:
        if isinstance(self.opponents, str) or not isinstance(self.opponents, Sequence) or not self.opponents:
            raise ConfigError(f"opponents {self.opponents!r}: want a sequence of one or more")
        for one in self.opponents:
            if not isinstance(one, str) and not callable(one):
                raise ConfigError(f"opponent {one!r} in a pool: want a callable or a name")
        if self.sample is not None:
            if self.weights is not None:
                raise ConfigError("a pool with weights and a sampling rule: want one or the other")
            if not callable(self.sample):
                raise ConfigError(f"pool sampling rule {self.sample!r}: want a callable")
        if self.weights is not None:
            self._check_weights(self.weights)

    def _check_weights(self, weights: Any) -> None:
        if isinstance(weights, str) or not isinstance(weights, (Sequence, np.ndarray)):
            raise ConfigError(f"opponent weights {weights!r}: want a sequence of numbers")
        if len(weights) != len(self.opponents):
            raise ConfigError(f"{len(weights)} weights for {len(self.opponents)} opponents: want one for each")
        for weight in weights:
            number = isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool)
            if not number or not 0 <= weight <= MOST_WEIGHT:
                raise ConfigError(f"opponent weight {weight!r}: want a number from 0 to {MOST_WEIGHT}")
        if not sum(weights) > 0:
            raise ConfigError(f"opponent weights {list(weights)}: want one above 0")

    @property
    def rule(self) -> Curriculum:
        """How the next opponents are drawn."""
        if self.sample is not None:
            return self.sample
        if self.weights is None:
            return evenly
        chances = np.asarray(self.weights, np.float64) / np.sum(self.weights, dtype=np.float64)

        def fixed(progress: Progress) -> np.ndarray:
            return chances

        return fixed


def as_pool(given: OpponentLike) -> Pool:
    """A Pool of whatever ``opponent=`` may be. Raises ConfigError for anything else."""
    if isinstance(given, Pool):
        return given
    if isinstance(given, Mapping):
        return Pool(list(given), list(given.values()))
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
        return Pool(given)
    if not isinstance(given, str) and not callable(given):
        raise ConfigError(f"opponent {given!r}: want a name, module:factory, a callable, or several of these")
    return Pool([given])


def _declared() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def names() -> list[str]:
    """The names that installed packages declare."""
    return sorted(_declared())


def _factory(given: str) -> tuple[Callable[..., Any], str]:
    """The factory that a text names, and its argument."""
    name, _, rest = given.partition(":")
    declared = _declared()
    try:
        if name in declared:
            return declared[name].load(), rest
        if rest:
            factory, _, argument = rest.partition(":")
            return getattr(importlib.import_module(name), factory), argument
    except (ImportError, AttributeError, TypeError, ValueError) as problem:
        raise ConfigError(f"opponent {given!r} cannot be loaded ({problem})") from None
    known = ", ".join(sorted(declared)) or "none is declared, is the package installed?"
    close = difflib.get_close_matches(name, declared, 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ConfigError(f"opponent {given!r}: want a declared name ({known}), module:factory or a callable{hint}")


def resolve(given: Opponent | str, setups: np.ndarray) -> Opponent:
    """One opponent from a callable or a text, for games of the scenarios, SETUP (S,). Raises ConfigError."""
    if isinstance(given, type):
        raise ConfigError(f"opponent {given.__name__} is a class: want one that was made of it")
    if not isinstance(given, str):
        return given
    factory, argument = _factory(given)
    if not callable(factory):
        raise ConfigError(f"opponent {given!r} names a {type(factory).__name__}: want a factory")
    try:
        made = factory(setups, argument)
    except TypeError as problem:
        raise ConfigError(f"opponent {given!r}: want a factory of (setups, argument) ({problem})") from problem
    if not callable(made):
        raise ConfigError(f"opponent {given!r}: its factory gave a {type(made).__name__}: want a callable")
    opponent: Opponent = made
    return opponent


def _lot_by(mix: Any) -> Any:
    """The lot of a game and a decision, with a hash for arrays or for kernels."""

    def lot(seed, decision):
        # The sum keeps an opponent from running the hash backwards to the seed, which would tell it all dice to come.
        hashed = mix(mix(seed ^ _LOTS_LABEL) ^ decision) + mix(seed + _LOTS_LABEL)
        return (hashed >> _TO_53_BITS) * 2.0**-53

    return lot


_lots, _lot = _lot_by(mix_plain), jit(_lot_by(mix))
if not COMPILED:
    # Plain NumPy scalars warn where 64 bits wrap around, which is what they are to do here.
    _lot = np.errstate(over="ignore")(_lot)


def lots(seeds: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """Numbers from 0 to below 1, float64 (M,), by game seeds, uint64 (M,), and numbers of the decision, int64 (M,)."""
    drawn: np.ndarray = _lots(seeds, decisions.astype(np.uint64))
    return drawn


@jit
def any_legal(mask, lot: float) -> int:
    """The legal action of a mask, bool (32,), that a lot from 0 to below 1 falls on, each as likely."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    left = min(int(lot * count), count - 1)
    for action in range(mask.shape[0]):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return 0


@jit
def any_legal_range(masks, drawn, actions) -> None:
    """The same of each of N masks, bool (N, 32), and lots, float64 (N,), into int64 (N,)."""
    for i in range(masks.shape[0]):
        actions[i] = any_legal(masks[i], drawn[i])


@jit
def answer_by_lot(game, seat: int, answered: int, mask) -> int:
    """Let ``AnyLegal`` act until the game waits for the ``seat`` of the learner or is over.

    ``answered``: how many decisions it has made in this game; returns how many it has then. ``mask``, bool (32,), is
    written over.
    """
    while game.phase != Phase.OVER and game.actor != seat:
        act.write_mask(game, mask)
        act.apply(game, SILENT, any_legal(mask, _lot(game.seed, np.uint64(answered))))
        sequence.advance(game, SILENT)
        answered += 1
    return answered


class AnyLegal:
    """The opponent ``easy``: any legal action, each as likely.

    It needs no observation, so that where nothing is recorded its answers are played inside the compiled step.
    """

    takes_lots = True

    def __call__(self, observations: np.ndarray, masks: np.ndarray, lots: np.ndarray) -> np.ndarray:
        """For each game the legal action that its lot, float64 (M,), falls on, int64 (M,)."""
        actions = np.zeros(len(masks), np.int64)
        any_legal_range(masks, lots, actions)
        return actions


def wants_aids(player: Any) -> bool:
    """Whether an opponent or agent is to be shown observations with aids."""
    return bool(getattr(player, "aids", False))


class Opposition:
    """A pool made ready to play."""

    def __init__(self, given: OpponentLike, setups: np.ndarray) -> None:
        pool = as_pool(given)
        self.players = [resolve(one, setups) for one in pool.opponents]
        self.names = tuple(one if isinstance(one, str) else _called(one) for one in pool.opponents)
        """A name for each, by ``opponent_id``"""
        self.layouts = [Layout.of(setups, wants_aids(player)) for player in self.players]
        """What each of them sees"""
        self.by_lot = np.array([type(player) is AnyLegal for player in self.players])
        """bool (S,): which of them are ``AnyLegal``"""
        self.chooser = Chooser(pool.rule, len(self.players), ("opponent sampling", "opponents"), _POOL_LABEL)

    def answer(self, number: int, observations: np.ndarray, masks: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """Actions of one opponent, int64 (M,). Raises IllegalActionError, naming it, for what is no legal action."""
        return answer(self.players[number], f"opponent {self.names[number]!r}", observations, masks, drawn)


def answer(player: Any, who: str, observations: np.ndarray, masks: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """What a player, called ``who``, answers for M games: actions, int64 (M,); ``drawn`` are its lots.

    Raises IllegalActionError, saying who, for what is no legal action.
    """
    draws = (drawn,) if getattr(player, "takes_lots", False) else ()
    given = np.asarray(player(observations.copy(), masks.copy(), *draws))
    if given.dtype.kind not in "iu" or given.shape != (len(masks),):
        raise IllegalActionError(f"{who} gave {given.dtype} {given.shape}: want integers ({len(masks)},)")
    actions: np.ndarray = given.astype(np.int64)
    legal = (actions >= 0) & (actions < act.N_ACTIONS)
    legal &= masks[np.arange(len(masks)), np.where(legal, actions, 0)]
    if not legal.all():
        wrong = int(np.argmin(legal))
        raise IllegalActionError(
            f"{who} chose action {actions[wrong]}: want a legal one out of {np.flatnonzero(masks[wrong]).tolist()}"
        )
    return actions


def _called(one: Any) -> str:
    return str(getattr(one, "__name__", type(one).__name__))


__all__ = [
    "GROUP", "LEVELS", "AnyLegal", "Opponent", "OpponentLike", "Opposition", "Pool", "answer", "answer_by_lot",
    "any_legal", "any_legal_range", "as_pool", "lots", "names", "resolve", "wants_aids",
]  # fmt: skip
