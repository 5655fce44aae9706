"""A learner against opponents that play inside: a ``Batch`` in which one seat of each game plays by itself.

After each call every game waits for its learner or is over; observations, masks, rewards and the last observation of a
game are those of the learner's seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fc_env import engine
from fc_env.batch import Batch
from fc_env.curriculum import Curriculum
from fc_env.dice import mix_plain
from fc_env.errors import ConfigError
from fc_env.observation import observe
from fc_env.opponents import OpponentLike, Opposition, lots
from fc_env.reward import RewardLike
from fc_env.scenarios import have_two_sides
from fc_env.state import GAME, SEATS, Phase, as_bytes
from fc_env.validity import check_array

SeatLike = int | str
"""The learner's seat: 0, 1, or "random", drawn anew for each game."""

RANDOM_SEAT = "random"
_SEAT_LABEL = np.uint64(0x5EA75EED)
_TOP = np.uint64(63)


def check_seat(seat: Any) -> SeatLike:
    """The seat as given. Raises ConfigError for anything but 0, 1 and "random"."""
    if isinstance(seat, str) and seat == RANDOM_SEAT:
        return seat
    if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < SEATS:
        return int(seat)
    raise ConfigError(f"seat {seat!r}: want 0, 1 or {RANDOM_SEAT!r}")


class Versus(Batch):
    """N games of a learner against opponents.

    Arguments beyond those of ``Batch``: ``opponent``, see ``fc_env.opponents``; ``seat``, the learner's, see
    ``SeatLike``. Each game has one opponent and one seat from its start to its end, both drawn by a hash of the game's
    own seed. Raises ConfigError, also for a scenario in which a side has no ships.

    An opponent is asked once for all games that wait for it. Whatever it raises leaves the games as they were before
    the step; raised in ``reset`` it leaves a batch that wants another one.
    """

    def __init__(
        self,
        setups: np.ndarray,
        n: int,
        space: str = "train",
        reward: RewardLike = None,
        curriculum: Curriculum | None = None,
        opponent: OpponentLike = "easy",
        seat: SeatLike = 0,
        threads: int = 1,
        aids: bool = False,
    ) -> None:
        if not have_two_sides(setups):
            raise ConfigError(f"opponent {opponent!r} in a scenario with one side: want scenarios with two sides")
        self._against = (opponent, check_seat(seat))
        super().__init__(setups, n, space, reward, curriculum, threads, aids)

    def _build(self) -> None:
        super()._build()
        opponent, self.seat = self._against
        self.opponents = Opposition(opponent, self.setups)
        self._all_by_lot = bool(self.opponents.by_lot.all())
        self._counts_ends = True
        self.opponent_id = np.zeros(self.n, np.int64)
        """int64 (N,): the opponent of each game, a place in ``opponents.names``"""
        self._actions = np.zeros(self.n, np.int64)
        self._before = np.zeros(self.n, GAME)

    # ---- starting games

    def _draw_sides(self, places: np.ndarray, episodes: np.ndarray, raw: np.ndarray) -> Any:
        opponents = self.opponents.chooser.choose(places, episodes, raw)
        if self.seat == RANDOM_SEAT:
            return opponents, (mix_plain(raw ^ _SEAT_LABEL) >> _TOP).astype(np.int64)
        return opponents, self.seat

    def _begin(self, places: np.ndarray, drawn: Any, trace: engine.Trace, record: bool) -> engine.Trace:
        self.opponent_id[places], self.seats[places] = drawn
        self.answers[places] = 0
        self._by_lot[places] = self.opponents.by_lot[self.opponent_id[places]]
        trace = super()._begin(places, drawn, trace, record)
        try:
            traces = [trace, *self._answer(record)]
        except BaseException:
            self.episodes[places], self._started = -1, False  # as if these games had never been started
            raise
        return _joined(traces) if record else trace

    # ---- playing

    def _carry_out(self, actions: np.ndarray, idle: np.ndarray, record: bool = False) -> engine.Trace:
        if self._all_by_lot and not record:  # they answer inside the step, and raise nothing
            return super()._carry_out(actions, idle)
        as_bytes(self._before)[:] = as_bytes(self.games)
        answers = self.answers.copy()
        traces = [super()._carry_out(actions, idle, record)]
        try:
            traces += self._answer(record)
        except BaseException:  # an interrupt too, so that what is saved then can go on
            as_bytes(self.games)[:] = as_bytes(self._before)
            self.answers[:] = answers
            self.look_again()
            raise
        return _joined(traces) if record else traces[0]

    def _answer(self, record: bool) -> list[engine.Trace]:
        """Let opponents act that have not yet, until every game waits for its learner or is over."""
        traces: list[engine.Trace] = []
        while True:
            waiting = ~self.over & (self.actors != self.seats)
            if not waiting.any():
                return traces
            for number in np.unique(self.opponent_id[waiting]):
                asked = np.flatnonzero(waiting & (self.opponent_id == number))
                drawn = lots(self.games["seed"][asked], self.answers[asked])
                seen = self._seen_by_opponent(int(number), asked)
                self._actions[asked] = self.opponents.answer(int(number), seen, self.masks[asked], drawn)
            traces.append(super()._carry_out(self._actions, ~waiting, record))
            self.answers += waiting

    def _seen_by_opponent(self, number: int, places: np.ndarray) -> np.ndarray:
        """What an opponent sees of the games in some places, int64 (M,): with aids only if it wants them."""
        wanted = self.opponents.layouts[number]
        if wanted.aids and not self.layout.aids:
            return observe(engine.clone(self.games, rows=places), wanted)
        return self.observations[places, : wanted.size]

    def _note_ends(self, ended: np.ndarray, won: np.ndarray) -> None:
        super()._note_ends(ended, won)
        self.opponents.chooser.note(self.opponent_id[ended], won[ended])

    # ---- saving

    def get_state(self) -> dict[str, np.ndarray]:
        """As of ``Batch``, with who plays whom and how it went."""
        chooser = self.opponents.chooser
        return super().get_state() | {
            "opponent_id": self.opponent_id.copy(),
            "answers": self.answers.copy(),
            "opponent_games": chooser.games.copy(),
            "opponent_win_rate": chooser.crossing_rate.copy(),
        }

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` gave. Raises ConfigError for anything else; then nothing has changed."""
        for name, array in self.get_state().items():
            check_array(state, name, array)
        ids, n_players = state["opponent_id"], len(self.opponents.players)
        if ((ids < 0) | (ids >= n_players)).any():
            raise ConfigError(f"saved opponent_id {ids.tolist()}: want opponents 0..{n_players - 1}")
        games = np.ascontiguousarray(state["games"]).reshape(-1).view(GAME)
        waiting = (games["phase"] != Phase.OVER) & (games["actor"] != state["seats"]) & (state["episodes"] >= 0)
        if waiting.any():
            raise ConfigError(f"saved game {int(waiting.argmax())} waits for the opponent: want one that does not")
        super().set_state(state)
        self.opponent_id[:], self.answers[:] = ids, state["answers"]
        self._by_lot[:] = self.opponents.by_lot[ids]
        self.opponents.chooser.games[:] = state["opponent_games"]
        self.opponents.chooser.crossing_rate[:] = state["opponent_win_rate"]

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"against": self._against}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self._against = saved["against"]
        super().__setstate__(saved)


def _joined(traces: list[engine.Trace]) -> engine.Trace:
    return engine.Trace(*(np.concatenate(rows) for rows in zip(*traces, strict=True)))


def make_batch(
    setups: np.ndarray,
    n: int,
    space: str = "train",
    reward: RewardLike = None,
    curriculum: Curriculum | None = None,
    opponent: OpponentLike | None = None,
    seat: SeatLike = 0,
    threads: int = 1,
    aids: bool = False,
) -> Batch:
    """The batch behind a one-player environment: a ``Versus`` if there is an opponent, else a ``Batch``.

    Raises ConfigError for a scenario with two sides and no opponent, or another seat than 0 without one.
    """
    if opponent is not None:
        return Versus(setups, n, space, reward, curriculum, opponent, seat, threads, aids)
    if np.atleast_1d(setups)["game"]["n_ships"][:, 1].any():
        raise ConfigError("a scenario with two sides and no opponent: want opponent=, such as 'easy'")
    if check_seat(seat) != 0:
        raise ConfigError(f"seat {seat!r} without an opponent: want 0")
    return Batch(setups, n, space, reward, curriculum, threads, aids)


__all__ = ["RANDOM_SEAT", "SeatLike", "Versus", "check_seat", "make_batch"]
