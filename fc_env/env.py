"""Gymnasium Env: a batch of one game."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np

from fc_env import actions as act
from fc_env import engine, seeding
from fc_env.actions import action_name, whole_action
from fc_env.batch import OUTCOMES
from fc_env.errors import ConfigError
from fc_env.opponents import OpponentLike
from fc_env.render import MODES, renderer
from fc_env.reward import RewardLike
from fc_env.ruleset import RuleSet
from fc_env.scenarios import load_setups
from fc_env.versus import SeatLike, Versus, make_batch


class LegalDiscrete(gym.spaces.Discrete):
    """``Discrete(32)`` whose ``sample()``, given no mask, draws one of the actions that are legal now.

    A mask may be ``info["action_mask"]`` as it is. Copies, pickles and batched spaces of it are plain ``Discrete``
    spaces, since they belong to no game.
    """

    def __init__(self, masks: np.ndarray, rng: np.random.Generator | None = None) -> None:
        super().__init__(act.N_ACTIONS, seed=rng)
        self._masks = masks

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None and self._masks[0].any():
            mask = self._masks[0]
        if isinstance(mask, np.ndarray) and mask.dtype == np.bool_:
            mask = mask.astype(np.int8)
        return super().sample(mask, probability)

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain, (self._np_random,)


def _plain(rng: np.random.Generator | None) -> gym.spaces.Discrete:
    return gym.spaces.Discrete(act.N_ACTIONS, seed=rng)


class FleetCaptainEnv(gym.Env[np.ndarray, int]):
    """One captain in an asteroid field: alone, with the far edge of the map to reach, or against an opponent.

    ## Action space
    ``Discrete(32)``; one action is one decision, and what is asked changes from step to step: 0 pass; 1 to 6 power
    (POW-1); 7 to 10 an order for a ship (ORD-1); 11 to 13 the last hex of a move (MOV-3); 14 to 19 a ship acts on the
    open card (CARD-4); 20 to 25 a ship attempts its captain's manoeuvre on it (CARD-5); 26 to 31 the target of an Alpha
    Strike (FIR-7).
    ``action_name`` says them in words. ``info["action_mask"]`` and ``action_masks()`` say which are legal, bool (32,).
    A decision with one legal choice is never asked. ``action_space.sample()`` draws a legal action. An illegal one is
    refused, so Gymnasium's ``check_env`` cannot pass: it samples an action before a reset and uses it after.

    ## Observation space
    ``Box`` float32 (D,), derived slot by slot from ``fc_env.observation``: what the side that is asked may know
    (COR-1), seen from its own end of the board. With ``aids`` it is followed by what is derived from that for
    learning: the exact odds of what is near, of the next moves and of fire.
    ``fc_env.observation.describe(env.unwrapped.layout)`` lists every slot with its meaning, unit and range.

    ## Starting state
    As the scenario says: ships placed, their facing and the field diced from the seed (section 7), and played on to
    the first decision. The n-th game after ``reset(seed)`` is the same everywhere, its opponent and its seat included.

    ## Rewards
    In a crossing +1 for getting across, 0 for anything else; against an opponent +1 for a win, -1 for a loss, 0 for a
    draw (WIN-1, WIN-3). With ``reward`` come more terms, taken from one own decision to the next, such as
    ``{"shaping": {"hull_lead": 0.2}}`` for the own share of hull less theirs; ``info["reward_terms"]`` names them all,
    and they add up to the reward.

    ## Episode end
    Terminated when the ship crosses, is destroyed, leaves by another edge, or runs out of turns (WIN-2); a battle when
    a side has no ship in play, or at the turn limit (WIN-1). The turn limit is part of the game and can be seen, so it
    never truncates. ``info["outcome"]`` then names the ending, and the last observation is that of the own seat.

    ## Information
    ``action_mask``; ``turn``, counted from 1; after a step ``reward_terms``; at the end ``outcome``: "crossed",
    "destroyed", "left_elsewhere" or "out_of_time", or "seat_0_wins", "seat_1_wins" or "draw". Against an opponent also
    ``seat``, the own one, and at the end ``opponent_id``.

    ## Arguments
    ``scenario``: a shipped scenario's name, a path, or an array of SETUP (S,) of which games take turns. ``field``: one
    of its fields, by default its own choice. ``rules``: changes of the rule set. ``seed_space``: "train" or "test"; no
    game is in both. ``reward``: a RewardConfig, a mapping of its fields, or a callable (games before, games after) ->
    named terms. ``render_mode``: None, or one of ``fc_env.render.MODES``. ``record``: keep the ``events`` and ``dice``
    of each step. ``opponent``: who plays the other seat, see ``fc_env.opponents``: a callable, a name such as "easy",
    or a pool, of which each game gets one. ``seat``: the own one, 0, 1 or "random", drawn for each game. ``aids``: as
    above. Raises ScenarioError, SeedError, ConfigError.

    ## Versions
    v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 4}  # noqa: RUF012  # as Gymnasium types it

    def __init__(
        self,
        scenario: str | PathLike[str] | np.ndarray = "crossing",
        field: str | None = None,
        rules: RuleSet | Mapping[str, Any] | None = None,
        seed_space: str = "train",
        reward: RewardLike = None,
        render_mode: str | None = None,
        record: bool = False,
        opponent: OpponentLike | None = None,
        seat: SeatLike = 0,
        aids: bool = False,
    ) -> None:
        renderer(render_mode)
        if isinstance(scenario, np.ndarray) and field is not None:
            raise ConfigError(f"field {field!r} with an array of SETUP, which has its own: want None")
        setups = load_setups(scenario if isinstance(scenario, np.ndarray) else [(scenario, field)], rules)
        self.batch = make_batch(setups, 1, seed_space, reward, None, opponent, seat, aids=aids)
        self.layout = self.batch.layout
        self.render_mode = render_mode
        self.metadata = dict(type(self).metadata)  # of its own: vector environments write into it
        self.record = record
        self.events: np.ndarray | None = None
        """EVENT (E,): what happened in the last step or reset; None unless ``record``."""
        self.dice: np.ndarray | None = None
        """DIE (D,): the dice of the last step or reset; None unless ``record``."""
        low, high = self.layout.bounds()
        self.observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.action_space = LegalDiscrete(self.batch.masks)
        self._point()

    def _point(self) -> None:
        """Name the parts of the batch that each step reads, which takes long in Python."""
        batch = self.batch
        self._seen, self._mask = batch.observations[0], batch.masks[0]
        self._turn, self._over = batch.turns, batch.over
        self._versus = batch if isinstance(batch, Versus) else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a game: of the seed, or else the next one after the last. Raises SeedError, ConfigError."""
        if options:
            raise ConfigError(f"reset options {', '.join(map(str, options))}: want none")
        if seed is not None:
            seed = seeding.check_seed(seed)
            super().reset(seed=seed)
        trace = self.batch.reset(None if seed is None else [seed], record=self.record)
        if self.record:
            self.events, self.dice = trace
        return self._seen.copy(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, SupportsFloat, bool, bool, dict[str, Any]]:
        """Carry out one action and play on to the next decision.

        Raises IllegalActionError, GameOverError or NotResetError; then the game is unchanged.
        """
        batch = self.batch
        batch.need_reset()
        number = self._checked(action)
        if self.record:
            rewards, terms, (self.events, self.dice) = batch.step_recorded(np.array([number]))
            reward, named = rewards.item(0), {name: term.item(0) for name, term in terms.items()}
        else:
            reward, named = batch.step_alone(number)
        info = self._info()
        info["reward_terms"] = named
        over = self._over.item(0)
        if over:
            info["outcome"] = OUTCOMES[batch.games["outcome"][0]]
            if self._versus is not None:
                info["opponent_id"] = self._versus.opponent_id.item(0)
        return self._seen.copy(), reward, over, False, info

    def _checked(self, action: Any) -> int:
        number = whole_action(action)
        if not 0 <= number < act.N_ACTIONS:
            raise engine.refusal(self.batch.games, 0, number)
        return number

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self._mask.copy(), "turn": self._turn.item(0)}
        if self._versus is not None:
            info["seat"] = self._versus.seats.item(0)
        return info

    def render(self) -> Any:
        """A picture of the game as it stands, as the render mode says; None without one. Raises NotResetError."""
        draw = renderer(self.render_mode)
        if draw is None:
            return None
        self.batch.need_reset()
        return draw(self.game)

    # ---- beyond Gymnasium

    @property
    def game(self) -> np.ndarray:
        """A copy of the game, GAME (). Raises NotResetError."""
        self.batch.need_reset()
        copy: np.ndarray = self.batch.games[0].copy()
        return copy

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, bool (32,). Raises NotResetError."""
        self.batch.need_reset()
        return self._mask.copy()

    def action_name(self, action: int) -> str:
        """The action in words. Raises IllegalActionError if there is no such action."""
        return action_name(action)

    def why_illegal(self, action: int) -> str:
        """A sentence: why an action is not legal now, and which are; empty if it is legal.

        Raises NotResetError, and IllegalActionError for what is no integer.
        """
        return self.batch.why_illegal(0, action)

    def __getstate__(self) -> dict[str, Any]:
        pointers = ("_seen", "_mask", "_turn", "_over", "_versus")
        return {name: value for name, value in self.__dict__.items() if name not in pointers}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__dict__.update(saved)
        self.action_space = LegalDiscrete(self.batch.masks, saved["action_space"]._np_random)
        self._point()


__all__ = ["FleetCaptainEnv", "LegalDiscrete"]
