"""A batch of games as a learner meets them: seeds, episodes, observations, masks and rewards.

The environments for Gymnasium and Stable-Baselines3 are thin shells around a ``Batch``; what they return differs in
form only. The batch never starts a game by itself: its user says when (``reset``) and which slots sit a step out.
Whose turn it is in each game is in ``actors``, so one caller can play both seats; ``versus`` plays one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fc_env import actions as act
from fc_env import engine, seeding, validity
from fc_env.actions import whole_action
from fc_env.batch_kernels import look_at, step_together
from fc_env.crew import Crew
from fc_env.curriculum import Chooser, Curriculum
from fc_env.errors import ConfigError, IllegalActionError, NotResetError, SeedError
from fc_env.jit import Settled, kernel_view
from fc_env.observation import Encoder, Layout, observe
from fc_env.reward import Rewarder, RewardLike, reward_config
from fc_env.rules.setup import SETUP
from fc_env.state import GAME, SEATS, Outcome, as_bytes
from fc_env.tape import SILENT
from fc_env.workers import Workers, check_threads

LEAST_STEPS = 64
"""Games of a chunk that a thread steps; a batch of fewer than two chunks is stepped by one thread."""
LEAST_STARTS = 64
"""The same of games that are started or looked at."""

Seeds = int | Sequence[int | None] | np.ndarray | None

OUTCOMES = tuple(outcome.name.lower() for outcome in Outcome)
"""Names of the endings, by ``state.Outcome``."""


class Batch:
    """N games over one or several scenarios.

    ``setups``: SETUP (S,). ``space``: the seed space, "train" or "test". ``reward``: see ``reward_config``.
    ``curriculum``: which scenario comes next in a slot, see ``curriculum.Curriculum``; by default they take turns.
    ``aids``: whether observations go on with what is derived for learning, see ``observation``; writing that takes
    longer than all else. ``threads``: how many play the games; the results are the same for any number. More than there
    are cores are of no use, and it pays for large batches only, see docs/performance.md: steps and starts of fewer
    than 128 games, and what is recorded are played by one thread.

    The arrays below are overwritten in place by each call; copy what must last. Observations are for reading: a step
    writes only what its decision has changed. After ``games`` were written to, ``look_again`` sees them as they are.
    """

    def __init__(
        self,
        setups: np.ndarray,
        n: int,
        space: str = "train",
        reward: RewardLike = None,
        curriculum: Curriculum | None = None,
        threads: int = 1,
        aids: bool = False,
    ) -> None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ConfigError(f"number of games {n!r}: want an integer from 1")
        if space not in seeding.SPACES:
            raise SeedError(f"seed space {space!r}: want one of {', '.join(seeding.SPACES)}")
        if not isinstance(setups, np.ndarray) or setups.dtype != SETUP:
            raise ConfigError(f"setups {setups!r}: want an array of SETUP, as load_setups gives")
        if not isinstance(aids, bool):
            raise ConfigError(f"aids {aids!r}: want True or False")
        self._given = (setups, int(n), space, reward_config(reward), curriculum, check_threads(threads), aids)
        self._build()

    def _build(self) -> None:
        self.setups, self.n, self.space, self.reward, curriculum, threads, aids = self._given
        self.workers = Workers(threads)
        self.layout = Layout.of(self.setups, aids)
        self.games = np.zeros(self.n, GAME)
        """GAME (N,)"""
        self.which = np.zeros(self.n, np.int64)
        """int64 (N,): the scenario each game is of, an index into ``setups``"""
        self.seeds = np.zeros(self.n, np.uint64)
        """uint64 (N,): the seed each slot was last given"""
        self.episodes = np.full(self.n, -1, np.int64)
        """int64 (N,): number of each slot's game since then, from 0; -1 before the first reset"""
        self._started = False
        self.over = np.zeros(self.n, np.bool_)
        """bool (N,): whether each game is over"""
        self.seats = np.zeros(self.n, np.int64)
        """int64 (N,): whom the rewards of each game are for, and who sees it once it is over; may be written to, with
        shaping or a custom reward only for games that are yet to begin"""
        self._rewarded = self.seats.copy()
        self.actors = np.zeros(self.n, np.int64)
        """int64 (N,): whose observation and mask each is: the seat that acts, at the end that of ``seats``"""
        self.turns = np.zeros(self.n, np.int64)
        """int64 (N,): the turn each game is in"""
        self.results = np.zeros((self.n, SEATS))
        """float64 (N, 2): what the ending is worth to each seat, see ``reward.result``; 0 while the game goes on"""
        self.masks = np.zeros((self.n, act.N_ACTIONS), np.bool_)
        """bool (N, 32): legal actions of each game"""
        self._encoder = Encoder(self.layout, self.n, self.workers.most_chunks)
        self.observations = self._encoder.flat
        """float32 (N, D): what the seat of ``actors`` sees"""
        noted = self.seats, self.over, self.actors, self.turns, self.results, self.masks
        self._views = (*noted, np.full(self.n, -1), *self._encoder.views)
        self._rows = np.arange(self.n)
        self._firsts = self._rows * SEATS  # places of seat 0 in ``results``
        self._view = kernel_view(self.games)
        self._nobody = np.zeros(self.n, np.bool_)
        self._taken, self._idle = np.zeros(self.n, np.int64), self._nobody.copy()
        """int64 (N,), bool (N,): actions of a step and the games that sit it out, for the kernel alone"""
        self.answers = np.zeros(self.n, np.int64)
        """int64 (N,): decisions that the opponent of each game, if there is one, has made in it"""
        self._by_lot = self._nobody.copy()
        """bool (N,): games whose opponent is ``opponents.AnyLegal``"""
        self._by_lots = (self._by_lot, self.answers)
        size = self.workers.size_of(self.n, LEAST_STEPS)
        given = (self._view, self._taken, self._idle, SILENT, *self._by_lots, *self._views)
        self.crew = Crew(threads if size < self.n else 1, step_together, size, *given)
        self._stepping = threading.Lock()
        self._some_idle = False
        self._laying = engine.Laying(self.workers, LEAST_STARTS, Settled(engine.lay_range))
        self._look_kernel = Settled(look_at)
        self._shaped = bool(self.reward.shaping or self.reward.custom)
        self._rewarder = Rewarder(self.reward, self.n)
        self._chooser = Chooser(curriculum, len(self.setups))
        self._counts_ends = len(self.setups) > 1

    # ---- starting games

    def reset(self, seed: Seeds = None, slots: np.ndarray | None = None, record: bool = False) -> engine.Trace:
        """Start a game in each of the ``slots``, int64 (K,), by default in all, each once.

        ``seed``: an integer, hashed with the slot for each; or N seeds, of which None stands for "go on"; or None: the
        next game of each slot's seed, or one by chance where there was none. Returns events and dice if ``record``.
        Raises SeedError, ConfigError, and ScenarioError where a field cannot be laid (SET-5); then nothing has changed.
        """
        places = self._rows if slots is None else self._places(slots)
        seeds, episodes = self._next_seeds(seed, places)
        raw = seeding.hashed_seeds(seeds, episodes, self.space)
        which = self._chooser.choose(places, episodes, raw)
        drawn = self._draw_sides(places, episodes, raw)
        trace = engine.new_into(self.games, self.setups, raw, which, None, record, places, self._laying)
        self.seeds[places], self.episodes[places], self.which[places] = seeds, episodes, which
        trace = self._begin(places, drawn, trace, record)
        self._rewarder.reset(self.games, places, self.seats)
        self._rewarded[places] = self.seats[places]
        if not self._started:
            self._started = bool((self.episodes >= 0).all())
        return trace

    def _places(self, slots: Any) -> np.ndarray:
        """Slots as int64 (K,). Raises ConfigError for anything but integers."""
        given = np.asarray(slots)
        if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
            raise ConfigError(f"slots of {given.dtype} {given.shape}: want the places of games, integers (K,)")
        return np.ascontiguousarray(given, np.int64)

    def _draw_sides(self, places: np.ndarray, episodes: np.ndarray, raw: np.ndarray) -> Any:
        """Who plays which side in the games to come, for ``_begin``; nothing is changed yet."""

    def _begin(self, places: np.ndarray, drawn: Any, trace: engine.Trace, record: bool) -> engine.Trace:
        """Play games that were just laid out to the first decision of whoever steps the batch."""
        self._look_at(places, self._nobody if record else self._by_lot)
        return trace

    def _next_seeds(self, seed: Seeds, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Seeds and episode numbers of the games to come in some slots."""
        if seed is None and self._started:
            return self.seeds[places], self.episodes[places] + 1
        seeds, episodes = self.seeds.copy(), self.episodes + 1
        if seed is None:
            given: Sequence[Any] | np.ndarray = [None] * self.n
        elif isinstance(seed, (list, tuple, np.ndarray)) and np.ndim(seed) == 1:
            given = seed
            if len(given) != self.n:
                raise SeedError(f"{len(given)} seeds for {self.n} games: want one for each, or a single integer")
        else:
            given = seeding.batch_seeds(seed, self.n)  # type: ignore[arg-type]  # it checks
        unseeded = [i for i in places if given[i] is None and episodes[i] == 0]
        if unseeded:
            seeds[unseeded] = seeding.batch_seeds(seeding.fresh_seed(), self.n)[unseeded]
        for i in places:
            if given[i] is not None:
                seeds[i], episodes[i] = seeding.check_seed(given[i]), 0
        return seeds[places], episodes[places]

    # ---- playing

    def check(self, actions: Any) -> np.ndarray:
        """Actions as int64 (N,). Raises IllegalActionError unless they are integers of that shape."""
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise IllegalActionError(f"actions are of type {given.dtype}: want integers 0..{act.N_ACTIONS - 1}")
        if given.shape != (self.n,):
            raise IllegalActionError(f"actions have shape {given.shape}: want one for each game, ({self.n},)")
        return given.astype(np.int64, copy=False)

    def step(self, actions: np.ndarray, sits_out: np.ndarray | None = None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """One action, int64 (N,), of the acting seat in each game but those that sit out, bool (N,).

        Returns rewards float32 (N,) and the named terms, float64 (N,), that add up to them, both for the seats of
        ``seats``; 0 where a game sat out. Raises NotResetError, IllegalActionError or GameOverError; then nothing
        has changed.
        """
        self.need_reset()
        self._check_seats()
        self._carry_out(self.check(actions), self._nobody if sits_out is None else sits_out)
        return self._after_step(sits_out)

    def step_alone(self, action: int) -> tuple[float, dict[str, float]]:
        """``step`` of a batch of one game, with plain numbers in and out, which is faster in Python.

        Raises ConfigError for more games, and what ``step`` raises.
        """
        self.need_reset()
        if self.n != 1:
            raise ConfigError(f"step_alone of {self.n} games: want a batch of one")
        self._check_seats()
        self._taken[0] = action
        self._carry_out(self._taken, self._nobody)
        if self._shaped:
            rewards, terms = self._after_step(None)
            return rewards.item(0), {name: term.item(0) for name, term in terms.items()}
        result = self.results.item(0, self.seats.item(0))
        if self._counts_ends and self.over.item(0):
            self._note_ends(self.over, np.array([result > 0.0]))
        return result, {"outcome": result}

    def step_recorded(self, actions: np.ndarray) -> tuple[np.ndarray, dict[str, np.ndarray], engine.Trace]:
        """The same for all games, with the events and dice of the step."""
        self.need_reset()
        self._check_seats()
        trace = self._carry_out(actions, self._nobody, record=True)
        return *self._after_step(None), trace

    def _check_seats(self) -> None:
        """Raise ConfigError if the seat that is rewarded was changed in the middle of a game with a potential."""
        if self._shaped and ((self.seats != self._rewarded) & ~self.over).any():
            raise ConfigError("seats were changed in the middle of a game with shaped rewards: want it before reset")

    def _carry_out(self, actions: np.ndarray, idle: np.ndarray, record: bool = False) -> engine.Trace:
        """One action in each game that is not idle, bool (N,), all or none."""
        if not record:
            if not self._stepping.acquire(blocking=False):
                raise ConfigError("another thread steps this batch: want one at a time, or a batch for each")
            try:
                if actions is not self._taken:
                    self._taken[:] = actions
                if self._some_idle or idle is not self._nobody:
                    self._idle[:], self._some_idle = idle, idle is not self._nobody
                bad = self.crew.run()
            finally:
                self._stepping.release()
            if bad >= 0:
                raise engine.refusal(self.games, bad, int(actions[bad]))
            return engine.NOTHING_RECORDED
        places = np.flatnonzero(~idle)
        acting = engine.clone(self.games, rows=places)
        trace = engine.step(acting, actions[places], record=True)
        as_bytes(self.games)[places] = as_bytes(acting)
        for rows in trace:
            rows["game"] = places[rows["game"]]
        self._look_at(places)
        return trace

    def _after_step(self, sits_out: np.ndarray | None) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        results = self.results.take(self._firsts + self.seats) if self.layout.theirs else self.results[:, 0]
        rewards, terms = self._rewarder.step(self.games, results, self.seats)
        ended = self.over
        if sits_out is not None:
            for array in (rewards, *terms.values()):
                array[sits_out] = 0.0
            ended = ended & ~sits_out
        if self._counts_ends and np.count_nonzero(ended):
            self._note_ends(ended, results > 0.0)
        return rewards, terms

    def _note_ends(self, ended: np.ndarray, won: np.ndarray) -> None:
        """Count games that have just ended, bool (N,), for the curriculum."""
        self._chooser.note(self.which[ended], won[ended])

    def _look_at(self, places: np.ndarray, by_lot: np.ndarray | None = None) -> None:
        lots = (self._nobody if by_lot is None else by_lot, self.answers)
        args = (self._view, places, *lots, *self._views)
        self.workers.run(self._look_kernel, len(places), LEAST_STARTS, args)

    def look_again(self) -> None:
        """Look anew at all games, after ``games`` were written to."""
        self._look_at(np.flatnonzero(self.episodes >= 0))

    def seen_by(self, seats: np.ndarray) -> np.ndarray:
        """What the seats, int64 (N,), see of their games, whether they act or not: float32 (N, D), a copy."""
        self.need_reset()
        return observe(self.games, self.layout, seats)

    def why_illegal(self, index: Any, action: Any) -> str:
        """A sentence: why an action is not legal now in one game, and which are; empty if it is legal.

        Raises NotResetError, ConfigError for an index of no game, IllegalActionError for what is no integer.
        """
        self.need_reset()
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not 0 <= index < self.n:
            raise ConfigError(f"game {index!r}: want an integer 0..{self.n - 1}")
        return engine.why_illegal(self.games[index], whole_action(action))

    def need_reset(self) -> None:
        """Raise NotResetError unless every slot holds a game."""
        if not self._started:
            raise NotResetError("no game has been started: want reset() first")

    def close(self) -> None:
        """End the threads there may be; the batch can still be used, and then starts them again."""
        self.workers.close()
        self.crew.close()

    # ---- saving

    def get_state(self) -> dict[str, np.ndarray]:
        """Everything that play depends on but what the batch was built with, as plain arrays of its own."""
        state: dict[str, np.ndarray] = {
            "games": as_bytes(self.games).copy(),
            "which": self.which.copy(),
            "seeds": self.seeds.copy(),
            "episodes": self.episodes.copy(),
            "seats": self.seats.copy(),
            "scenario_games": self._chooser.games.copy(),
            "scenario_crossing_rate": self._chooser.crossing_rate.copy(),
        }
        return state | {f"reward_{name}": array for name, array in self._rewarder.get_state().items()}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` gave. Raises ConfigError for anything else; then nothing has changed."""
        own = self.get_state()
        for name, array in own.items():
            validity.check_array(state, name, array)
        games = np.ascontiguousarray(state["games"]).reshape(-1).view(GAME)
        for i in np.flatnonzero(np.asarray(state["episodes"]) >= 0):
            for where, problem in validity.problems(games[i]):
                raise ConfigError(f"saved game {i}, {'.'.join(map(str, where))}: {problem}")
        which = np.asarray(state["which"])
        if ((which < 0) | (which >= len(self.setups))).any():
            raise ConfigError(f"saved which {which.tolist()}: want scenarios 0..{len(self.setups) - 1}")
        template = self.setups["game"][which]
        if not np.isin(state["seats"], range(SEATS)).all():
            raise ConfigError(f"saved seats {state['seats'].tolist()}: want 0 or 1")
        if (games["n_ships"] > template["n_ships"]).any() or (games["n_markers"] > template["n_markers"]).any():
            raise ConfigError("saved games hold more ships or markers than their scenarios")
        self.games[:] = games
        self.which[:], self.seeds[:], self.episodes[:] = which, state["seeds"], state["episodes"]
        self.seats[:] = self._rewarded[:] = state["seats"]
        self._started = bool((self.episodes >= 0).all())
        self._chooser.games[:] = state["scenario_games"]
        self._chooser.crossing_rate[:] = state["scenario_crossing_rate"]
        prefix = "reward_"
        self._rewarder.set_state({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})
        self.look_again()

    def __getstate__(self) -> dict[str, Any]:
        # The arrays are views of one another, which copying would tear apart.
        return {"given": self._given, "state": self.get_state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self._given = saved["given"]
        self._build()
        self.set_state(saved["state"])
