"""A learner against opponents that play inside, through every adapter."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from fc_env import engine
from fc_env import errors as err
from fc_env.batch import Batch
from fc_env.curriculum import Progress
from fc_env.env import FleetCaptainEnv
from fc_env.opponents import AnyLegal, Pool
from fc_env.reward import hull_share
from fc_env.state import Outcome, digest
from fc_env.versus import Versus
from tests.adapters import pick
from tests.battles import duel

N = 8
SEEDS = [0, 5, 2**32, 2**63 - 1]
SHAPED = {"shaping": {"hull_lead": 0.5}, "gamma": 0.9}
EASY = "agents.random:opponent"


def first(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


def last(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def setups() -> np.ndarray:
    return duel(1)


def versus(n: int = N, opponent: Any = EASY, seat: Any = "random", **arguments: Any) -> Versus:
    made = Versus(setups(), n, opponent=opponent, seat=seat, **arguments)
    made.reset(3)
    return made


def play_out(batch: Versus, first_step: int = 0) -> np.ndarray:
    """Play all games to the end; the sum of the rewards of each."""
    total, step = np.zeros(batch.n), first_step
    while not batch.over.all():
        total += batch.step(pick(batch.masks, step), batch.over.copy())[0]
        step += 1
    return total


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_every_game_waits_for_its_learner_and_shows_its_view(seat: Any) -> None:
    batch = versus(seat=seat)
    for step in range(400):
        going = ~batch.over
        assert np.array_equal(batch.games["actor"][going], batch.seats[going])
        assert np.array_equal(batch.actors, batch.seats)
        assert np.array_equal(batch.observations, batch.seen_by(batch.seats))
        assert np.array_equal(batch.masks, engine.legal_mask(batch.games))
        if batch.over.all():
            break
        batch.step(pick(batch.masks, step), batch.over.copy())
    assert batch.over.all()
    assert set(batch.seats.tolist()) == ({0, 1} if seat == "random" else {seat})


def test_it_is_the_game_that_two_callers_would_play() -> None:
    inside = versus(opponent=last, seat=1)
    outside = Batch(setups(), N)
    outside.reset(3)
    mine = np.zeros(N, int)
    while not outside.over.all():
        learner = outside.actors == 1
        actions = last(outside.observations, outside.masks)
        actions[learner] = [pick(m[None], s)[0] for m, s in zip(outside.masks[learner], mine[learner], strict=True)]
        mine += learner & ~outside.over
        outside.step(actions, outside.over.copy())
    play_out(inside)
    assert digest(inside.games) == digest(outside.games)
    assert mine.min() > 0


def test_opponents_answer_for_all_games_that_wait_at_once() -> None:
    calls: list[int] = []

    def counted(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert observations.dtype == np.float32 and masks.dtype == np.bool_ and masks.any(axis=1).all()
        calls.append(len(masks))
        return first(observations, masks)

    batch = versus(32, [counted, last], 1)
    against = int((batch.opponent_id == 0).sum())
    assert 0 < against < 32
    assert calls == [against]  # each game began with the power of seat 0
    batch.step(pick(batch.masks, 0))
    assert calls[1] == against


# ---- opponents and seats


def test_one_opponent_and_one_seat_from_start_to_end() -> None:
    batch = versus(32, [first, last], "random")
    ids, seats = batch.opponent_id.copy(), batch.seats.copy()
    assert set(ids.tolist()) == set(seats.tolist()) == {0, 1}
    assert len({*zip(ids.tolist(), seats.tolist(), strict=True)}) == 4
    step = 0
    while not batch.over.all():
        batch.step(pick(batch.masks, step), batch.over.copy())
        assert np.array_equal(batch.opponent_id, ids) and np.array_equal(batch.seats, seats)
        step += 1
    batch.reset()
    assert not np.array_equal(batch.opponent_id, ids) and not np.array_equal(batch.seats, seats)
    batch.reset(3)
    assert np.array_equal(batch.opponent_id, ids) and np.array_equal(batch.seats, seats)


def test_a_sampling_rule_hears_who_won() -> None:
    told: list[Progress] = []

    def rule(progress: Progress) -> np.ndarray:
        told.append(progress)
        return progress.slots % 2

    batch = versus(8, Pool([first, last], sample=rule), 0)
    play_out(batch)
    won = batch.results[:, 0] > 0
    batch.reset()
    assert told[-1].games.tolist() == [4, 4]
    assert np.allclose(told[-1].win_rate, [won[::2].mean(), won[1::2].mean()])


@pytest.mark.parametrize("seat", [2, -1, True, None, "left", 0.0])
def test_seats_that_are_none_are_refused(seat: Any) -> None:
    with pytest.raises(err.ConfigError, match="want 0, 1 or 'random'"):
        Versus(setups(), 1, opponent=first, seat=seat)


def test_sides_that_are_missing_or_too_many_are_refused() -> None:
    with pytest.raises(err.ConfigError, match="want scenarios with two sides"):
        FleetCaptainEnv("tiny", opponent=first)
    with pytest.raises(err.ConfigError, match="want opponent="):
        FleetCaptainEnv(setups())
    with pytest.raises(err.ConfigError, match="without an opponent"):
        FleetCaptainEnv("tiny", seat=1)
    with pytest.raises(err.ConfigError, match="array of SETUP"):
        FleetCaptainEnv(setups(), "pair", opponent=first)


def test_an_opponent_that_fails_leaves_the_games_as_they_were() -> None:
    fails = [False]

    def fickle(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        if fails[0]:
            raise KeyboardInterrupt
        return first(observations, masks)

    batch = versus(4, fickle)
    steady = versus(4, first)
    fails[0] = True
    before = batch.get_state()
    with pytest.raises(KeyboardInterrupt):
        while True:
            before = batch.get_state()
            actions = pick(batch.masks, 0)
            batch.step(actions)
            steady.step(actions)
    for name, array in batch.get_state().items():
        assert np.array_equal(array, before[name]), name
    with pytest.raises(KeyboardInterrupt):
        batch.reset(np.arange(4))
        batch.reset(np.arange(4, 8))
    with pytest.raises(err.NotResetError):
        batch.step(actions)
    fails[0] = False
    batch.reset(3)
    steady.reset(3)
    assert np.array_equal(play_out(batch), play_out(steady)) and digest(batch.games) == digest(steady.games)


def test_an_illegal_action_of_the_learner_changes_nothing() -> None:
    batch = versus()
    before = batch.get_state()
    with pytest.raises(err.IllegalActionError, match="game 5"):
        batch.step(np.where(np.arange(N) == 5, 31, pick(batch.masks, 0)))
    for name, array in batch.get_state().items():
        assert np.array_equal(array, before[name]), name


# ---- rewards


def test_rewards_are_the_learners_and_zero_sum() -> None:
    batch = versus(48, seat="random")
    total = play_out(batch)
    assert np.array_equal(total, batch.results[np.arange(48), batch.seats])
    assert not batch.results.sum(axis=1).any()
    wins = np.where(batch.seats == 0, Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS)
    assert np.array_equal(total > 0, batch.games["outcome"] == wins)
    assert {-1.0, 0.0, 1.0} == set(total.tolist())


@pytest.mark.parametrize("seat", [0, 1])
def test_shaping_runs_between_the_learners_own_decisions(seat: int) -> None:
    batch = versus(24, seat=seat, reward=SHAPED)

    def potential() -> np.ndarray:
        lead = hull_share(batch.games, seat) - hull_share(batch.games, 1 - seat)
        return np.where(batch.over, 0.0, 0.5 * lead)

    at, step, moved = potential(), 0, False
    while not batch.over.all():
        out = batch.over.copy()
        rewards, terms = batch.step(pick(batch.masks, step), out)
        now = potential()
        assert list(terms) == ["outcome", "hull_lead"]
        assert np.allclose(terms["hull_lead"], np.where(out, 0.0, 0.9 * now - at))
        assert np.allclose(rewards, terms["outcome"] + terms["hull_lead"])
        moved |= bool(terms["hull_lead"].any())
        at, step = now, step + 1
    assert moved


# ---- saving


@pytest.mark.parametrize("way", ["deepcopy", "pickle", "state"])
def test_copies_go_on_alike(way: str) -> None:
    batch = versus(16, [EASY, "tests.test_versus:make_last"], reward=SHAPED)
    for step in range(5):
        batch.step(pick(batch.masks, step), batch.over.copy())
    if way == "state":
        other = versus(16, [EASY, "tests.test_versus:make_last"], reward=SHAPED)
        other.set_state(batch.get_state())
    else:
        other = copy.deepcopy(batch) if way == "deepcopy" else pickle.loads(pickle.dumps(batch))
    before = digest(batch.games)
    total = play_out(other, 5)
    assert digest(batch.games) == before
    assert np.array_equal(total, play_out(batch, 5)) and digest(batch.games) == digest(other.games)
    for one in (batch, other):
        one.reset()
    for name, array in batch.get_state().items():
        assert np.array_equal(array, other.get_state()[name]), name


def make_last(setups: np.ndarray, argument: str) -> Any:
    return last


def test_states_that_are_none_are_refused() -> None:
    batch = versus()
    for name, value, message in (
        ("opponent_id", 1, "want opponents 0..0"),
        ("seats", 2, "want 0 or 1|waits for the opponent"),
        ("seats", 1 - batch.seats[0], "saved game 0 waits for the opponent"),
    ):
        state = batch.get_state()
        state[name][0] = value
        before = digest(batch.games)
        with pytest.raises(err.ConfigError, match=message):
            batch.set_state(state)
        assert digest(batch.games) == before
    state = batch.get_state()
    del state["answers"]
    with pytest.raises(err.ConfigError, match="answers is missing"):
        batch.set_state(state)


class Slowly(AnyLegal):
    """Asked by Python for each of its answers, since it could do anything."""


@pytest.mark.parametrize("pool", ["easy", {"easy": 1.0, "drifter": 1.0}])
def test_what_is_answered_inside_the_step_is_answered_alike(pool: Any) -> None:
    slow = {Slowly(): 1.0, "drifter": 1.0} if isinstance(pool, dict) else Slowly()
    ends = []
    for opponent, record in ((pool, False), (slow, False), (pool, True)):
        batch = Versus(duel(2), 9, opponent=opponent, seat="random")
        batch.reset(3, record=record)
        told: list[Any] = []
        for step in range(40):
            actions = pick(batch.masks, step)
            rewards = batch.step_recorded(actions)[0] if record else batch.step(actions)[0]
            told.append((digest(batch.games), batch.answers.tolist(), rewards.tolist(), batch.observations.tobytes()))
            if batch.over.any():
                batch.reset(slots=np.flatnonzero(batch.over), record=record)
        ends.append(told)
        assert batch.answers.any() and batch.episodes.any()
    assert ends[0] == ends[1] == ends[2]
