"""A learner against opponents that play inside, through every adapter."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from fc_env import engine, scenarios
from fc_env import errors as err
from fc_env.batch import Batch
from fc_env.curriculum import Progress
from fc_env.env import FleetCaptainEnv
from fc_env.opponents import Pool
from fc_env.registration import BATTLES, IDS
from fc_env.reward import hull_share
from fc_env.sb3_env import FleetCaptainVecEnv
from fc_env.state import Order, Outcome, digest
from fc_env.vector_env import FleetCaptainVectorEnv
from fc_env.versus import Versus
from tests.adapters import Log, pick, play_one
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


# ---- adapters


POOL = [EASY, "tests.test_versus:make_last"]
AGAINST = {"opponent": POOL, "seat": "random", "reward": SHAPED}


def make() -> FleetCaptainEnv:
    return FleetCaptainEnv(setups(), **AGAINST)


def single(seed: int, games: int) -> list[tuple[int, float, str]]:
    return play_one(make(), seed, games)


def test_the_same_games_through_every_adapter() -> None:
    wanted = [single(seed, 3) for seed in SEEDS]
    assert len({result[2] for results in wanted for result in results}) > 1
    same_step = AutoresetMode.SAME_STEP
    vectors = (
        FleetCaptainVectorEnv(num_envs=4, scenarios=setups(), autoreset_mode=same_step, **AGAINST),
        SyncVectorEnv([make] * 4, autoreset_mode=same_step),
    )
    for env in vectors:
        _, infos = env.reset(seed=SEEDS)
        masks, steps, total = infos["action_mask"].copy(), np.zeros(4, int), np.zeros(4)
        found: list[list[tuple[int, float, str]]] = [[] for _ in SEEDS]
        begun = np.zeros(4, int)
        while min(map(len, found)) < 3:
            actions = np.array([pick(mask[None], step)[0] for mask, step in zip(masks, steps, strict=True)])
            _, rewards, over, _, infos = env.step(actions)
            steps, total, masks = steps + 1, total + rewards, infos["action_mask"].copy()
            assert infos["_seat"].all() and infos["seat"].dtype == np.int64
            for i in np.flatnonzero(over):
                ending = infos["final_info"]
                assert ending["_opponent_id"][i] and ending["opponent_id"][i] in (0, 1)
                found[i].append((int(steps[i] - begun[i]), round(total[i], 6), ending["outcome"][i]))
                begun[i], total[i] = steps[i], 0.0
        assert [[r[0::2] for r in results[:3]] for results in found] == [[r[0::2] for r in rs] for rs in wanted]
        for results, right in zip(found, wanted, strict=True):
            assert np.allclose([r[1] for r in results[:3]], [r[1] for r in right], atol=1e-5)


def test_sb3_tells_of_the_learners_end() -> None:
    wanted = [single(seed, 2) for seed in SEEDS]
    env = FleetCaptainVecEnv(setups(), 4, SEEDS, **AGAINST)
    env.reset()
    found: list[list[tuple[int, str]]] = [[] for _ in SEEDS]
    steps = np.zeros(4, int)
    while min(map(len, found)) < 2:
        before = env.batch.seats.copy(), env.batch.opponent_id.copy()
        masks = env.action_masks()
        actions = np.array([pick(mask[None], step)[0] for mask, step in zip(masks, steps, strict=True)])
        _, _, dones, infos = env.step(actions)
        steps += 1
        for i in np.flatnonzero(dones):
            info = infos[i]
            assert (info["seat"], info["opponent_id"]) == (before[0][i], before[1][i])
            won = info["outcome"] == f"seat_{info['seat']}_wins"
            assert info["is_success"] is won and (info["reward_terms"]["outcome"] == 1.0) == won
            found[i].append((info["episode"]["l"], info["outcome"]))
    assert [results[:2] for results in found] == [[(r[0], r[2]) for r in rs] for rs in wanted]


def test_single_games_tell_seat_and_opponent_and_record() -> None:
    env = FleetCaptainEnv(setups(), opponent=EASY, seat=1, record=True)
    obs, info = env.reset(seed=4)
    assert info["seat"] == 1 and info["turn"] == 1
    assert len(env.events) and set(env.events["game"]) == {0}
    log = Log()
    rolled = env.dice.copy()
    while "outcome" not in info:
        obs, reward, over, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        log.add("step", obs, info["action_mask"], env.game, reward)
        rolled = np.concatenate([rolled, env.dice])
        assert env.observation_space.contains(obs) and not truncated
    assert info["opponent_id"] == 0 and over
    assert (np.diff(rolled["turn"]) >= 0).all() and len(rolled) > 10
    twin = FleetCaptainEnv(setups(), opponent=EASY, seat=1)
    _, told = twin.reset(seed=4)
    other = Log()
    while "outcome" not in told:
        obs, reward, _, _, told = twin.step(int(np.flatnonzero(told["action_mask"])[0]))
        other.add("step", obs, told["action_mask"], twin.game, reward)
    assert other.entries == log.entries


def test_the_ids_of_battles() -> None:
    for name in BATTLES:
        assert IDS[f"FleetCaptain/{name.capitalize()}-v0"] == {"scenario": name, "opponent": "easy"}
    with pytest.raises(err.ConfigError, match="two sides"):
        Versus(np.concatenate([setups(), scenarios.load("tiny")]), 2, opponent=first)


# ---- secrets


def hidden_changes(game: Any, seat: int) -> list[tuple[str, Any]]:
    """For one game, GAME (), every hidden thing with a change of it that the seat cannot know of."""
    changes: list[tuple[str, Any]] = [("seed", lambda g: g.__setitem__("seed", g["seed"] ^ np.uint64(0x5A5A5A5A)))]
    for index in range(int(game["n_ships"][1 - seat])):
        ship = game["ships"][1 - seat, index]
        if ship["order"] != Order.NONE and not ship["order_shown"]:
            changes += [
                (f"order {order}", lambda g, i=index, o=order: g["ships"][1 - seat, i].__setitem__("order", o))
                for order in range(Order.FORWARD, Order.HIDDEN)
            ]
        if ship["power"] and not ship["power_shown"]:
            changes += [
                (f"power {way}", lambda g, i=index, w=way: g["ships"][1 - seat, i].__setitem__("power", w))
                for way in range(1, 7)
            ]
    return changes


def test_nothing_hidden_reaches_the_other_seat() -> None:
    env = FleetCaptainEnv(setups(), opponent=EASY, seat=1, reward=SHAPED)
    _, info = env.reset(seed=11)
    batch, changed, step = env.batch, set(), 0
    while not batch.over[0]:
        kept = batch.get_state()
        shown = batch.observations.tobytes(), batch.masks.tobytes(), repr(env._info())
        for what, change in hidden_changes(batch.games[0], 1):
            change(batch.games[0])
            batch._look_again()
            assert (batch.observations.tobytes(), batch.masks.tobytes(), repr(env._info())) == shown, what
            changed.add(what.split()[0])
            batch.set_state(kept)
        _, _, _, _, info = env.step(pick(info["action_mask"][None], step)[0])
        step += 1
    assert changed == {"seed", "order", "power"}
