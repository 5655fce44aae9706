"""A learner against opponents that play inside, through every adapter; and what it never gets to see."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from fc_env import errors as err
from fc_env import scenarios
from fc_env.env import FleetCaptainEnv
from fc_env.registration import BATTLES, IDS
from fc_env.sb3_env import FleetCaptainVecEnv
from fc_env.state import Order
from fc_env.vector_env import FleetCaptainVectorEnv
from fc_env.versus import Versus
from tests.adapters import Log, pick, play_one
from tests.battles import duel
from tests.test_versus import EASY, SEEDS, SHAPED, first

POOL = [EASY, "tests.test_versus:make_last"]
AGAINST = {"opponent": POOL, "seat": "random", "reward": SHAPED}


def make() -> FleetCaptainEnv:
    return FleetCaptainEnv(duel(1), **AGAINST)


def single(seed: int, games: int) -> list[tuple[int, float, str]]:
    return play_one(make(), seed, games)


def test_the_same_games_through_every_adapter() -> None:
    wanted = [single(seed, 3) for seed in SEEDS]
    assert len({result[2] for results in wanted for result in results}) > 1
    same_step = AutoresetMode.SAME_STEP
    vectors = (
        FleetCaptainVectorEnv(num_envs=4, scenarios=duel(1), autoreset_mode=same_step, **AGAINST),
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
    env = FleetCaptainVecEnv(duel(1), 4, SEEDS, **AGAINST)
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
    env = FleetCaptainEnv(duel(1), opponent=EASY, seat=1, record=True)
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
    twin = FleetCaptainEnv(duel(1), opponent=EASY, seat=1)
    _, told = twin.reset(seed=4)
    other = Log()
    while "outcome" not in told:
        obs, reward, _, _, told = twin.step(int(np.flatnonzero(told["action_mask"])[0]))
        other.add("step", obs, told["action_mask"], twin.game, reward)
    assert other.entries == log.entries


@pytest.mark.parametrize("name", BATTLES)
def test_the_ids_of_battles(name: str) -> None:
    number = f"FleetCaptain/{name.capitalize()}-v0"
    assert IDS[number] == {"scenario": name, "opponent": "easy"}
    one = gymnasium.make(number, opponent=EASY, seat=1)
    many = gymnasium.make_vec(number, 3, opponent=[EASY, first], seat="random")
    obs, info = one.reset(seed=2)
    _, infos = many.reset(seed=[2, 3, 4])
    assert info["seat"] == 1 and many.unwrapped.batch.layout == one.unwrapped.layout
    for step in range(12):
        assert one.observation_space.contains(obs)
        obs, *_, info = one.step(pick(info["action_mask"][None], step)[0])
        *_, infos = many.step(pick(infos["action_mask"], step))
    assert np.array_equal(many.unwrapped.batch.actors, many.unwrapped.batch.seats)


def test_scenarios_of_one_side_and_of_two_do_not_mix() -> None:
    with pytest.raises(err.ConfigError, match="two sides"):
        Versus(np.concatenate([duel(1), scenarios.load("tiny")]), 2, opponent=first)


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


@pytest.mark.parametrize("aids", [False, True])
def test_nothing_hidden_reaches_the_other_seat(aids: bool) -> None:
    env = FleetCaptainEnv(duel(1), opponent=EASY, seat=1, reward=SHAPED, aids=aids)
    _, info = env.reset(seed=11)
    batch, changed, step = env.batch, set(), 0
    while not batch.over[0]:
        kept = batch.get_state()
        shown = batch.observations.tobytes(), batch.masks.tobytes(), repr(env._info())
        for what, change in hidden_changes(batch.games[0], 1):
            change(batch.games[0])
            batch.look_again()
            assert (batch.observations.tobytes(), batch.masks.tobytes(), repr(env._info())) == shown, what
            changed.add(what.split()[0])
            batch.set_state(kept)
        _, _, _, _, info = env.step(pick(info["action_mask"][None], step)[0])
        step += 1
    assert changed == {"seed", "order", "power"}
