"""The PettingZoo environment: the library's own tests, and what they miss."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from fc_env import engine
from fc_env import errors as err
from fc_env.batch import Batch
from fc_env.observation import observe
from fc_env.pettingzoo_env import AGENTS, env, raw_env
from fc_env.reward import hull_share
from fc_env.state import Outcome, Phase, Status, digest
from tests.adapters import pick
from tests.battles import duel

SHAPED = {"shaping": {"hull_lead": 0.5}, "gamma": 0.9}


def made(**arguments: Any) -> raw_env:
    return raw_env(duel(1), **arguments)


def started(seed: int = 0, **arguments: Any) -> raw_env:
    game = made(**arguments)
    game.reset(seed=seed)
    return game


def choose(game: raw_env, step: int) -> int:
    mask = game.observe(game.agent_selection)["action_mask"]
    return int(pick(mask[None].astype(bool), step)[0])


def over(game: raw_env) -> bool:
    return not game.agents or game.terminations[game.agents[0]] or game.truncations[game.agents[0]]


def play_on(game: raw_env, first: int = 0, steps: int = 10**6) -> list[Any]:
    """Play to the end of the game, not of its agents; what each agent that was asked was shown and given."""
    log = []
    for step in range(first, first + steps):
        observation, reward, terminated, truncated, info = game.last()
        log.append((game.agent_selection, observation["observation"].tobytes(), reward, terminated, truncated, info))
        if over(game):
            break
        game.step(choose(game, step))
    return log


# ---- the library's own tests


def test_the_official_api_test_passes() -> None:
    from pettingzoo.test import api_test

    api_test(env(duel(1)), num_cycles=100)
    api_test(env(duel(1), reward=SHAPED), num_cycles=100)


def test_the_official_seed_test_passes() -> None:
    from pettingzoo.test import seed_test

    seed_test(lambda: env(duel(1)), num_cycles=30)


# ---- ours


def test_every_view_and_mask_is_right_at_every_step_and_after_the_last() -> None:
    endings = set()
    for seed in range(6):
        game = started(seed, reward=SHAPED)
        step = 0
        while True:
            record = game.batch.games
            for seat, agent in enumerate(AGENTS):
                seen = game.observe(agent)
                assert game.observation_space(agent).contains(seen)
                right = observe(record, game.layout, np.array([seat]))[0]
                assert seen["observation"].tobytes() == right.tobytes()
                acts = record["phase"][0] != Phase.OVER and record["actor"][0] == seat
                assert seen["action_mask"].tolist() == (engine.legal_mask(record)[0] * acts).tolist()
                assert (agent == game.agent_selection) or not acts
            if over(game):
                break
            game.step(choose(game, step))
            step += 1
        endings.add(game.infos["seat_0"]["outcome"])
        assert game.infos["seat_0"]["outcome"] == game.infos["seat_1"]["outcome"]
    assert len(endings) > 1


def test_what_the_mask_says_is_what_is_accepted() -> None:
    game, step = started(3), 0
    while not over(game):
        mask = game.observe(game.agent_selection)["action_mask"]
        before = digest(game.batch.games)
        for action in (-1, *np.flatnonzero(mask == 0), 32, None, 1.0, "1", True):
            with pytest.raises(err.IllegalActionError):
                game.step(action)
        assert digest(game.batch.games) == before
        for action in np.flatnonzero(mask):
            twin = copy.deepcopy(game)
            twin.step(action)
            assert digest(twin.batch.games) != before
        game.step(choose(game, step))
        step += 1


def ended(outcome: Outcome, cut: bool = False) -> raw_env:
    """A game that has come to an end in some way."""
    game = started(1, max_cycles=5 if cut else None)
    for step in range(4):
        game.step(choose(game, step))
    ships, rules = game.batch.games["ships"][0], game.batch.games["rules"]
    if outcome == Outcome.DRAW:
        rules["turn_limit"] = 1
        ships["hull"] = ships["full_hull"]
    elif outcome != Outcome.NONE:
        loser = 1 if outcome == Outcome.SEAT_0_WINS else 0
        rules["turn_limit"] = 1
        ships["hull"][loser] = ships["status"][loser] == Status.ABSENT
    step = 4
    while not over(game):
        game.step(choose(game, step))
        step += 1
    return game


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("outcome", [Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS, Outcome.DRAW])
def test_each_agent_ends_exactly_once(outcome: Outcome, cut: bool) -> None:
    game = ended(Outcome.NONE if cut else outcome, cut)
    assert game.agents == list(AGENTS)
    assert set(game.terminations.values()) == {not cut} and set(game.truncations.values()) == {cut}
    if not cut:
        assert game.infos["seat_0"]["outcome"] in ("seat_0_wins", "seat_1_wins", "draw")
    ends = []
    while game.agents:
        agent = game.agent_selection
        _, reward, terminated, truncated, _ = game.last()
        assert (terminated, truncated) == (not cut, cut)
        assert reward == (0.0 if cut else game.batch.results[0, AGENTS.index(agent)])
        for action in (0, 7, "None"):
            with pytest.raises(err.GameOverError, match=f"{agent} has ended: want the action None"):
                game.step(action)
        game.step(None)
        ends.append(agent)
        assert not any(game.rewards.values())
        for table in (game.rewards, game.terminations, game.truncations, game.infos):
            assert list(table) == game.agents
    assert ends == list(AGENTS)
    for action in (None, 0):
        with pytest.raises(err.GameOverError, match="want a reset"):
            game.step(action)
    game.reset()
    assert game.agents == list(AGENTS) and not over(game)


def test_max_cycles_cuts_all_short_at_once_and_not_what_is_over() -> None:
    length = len(play_on(started(2))) - 1
    for limit, cut in ((1, True), (length - 1, True), (length, False), (length + 1, False)):
        game = started(2, max_cycles=limit)
        log = play_on(game)
        assert len(log) - 1 == min(limit, length)
        assert set(game.truncations.values()) == {cut} and set(game.terminations.values()) == {not cut}
        assert all(entry[3:5] == (False, False) for entry in log[:-1])
        game.reset(seed=2)
        assert len(play_on(game)) == len(log)


def test_rewards_add_up_and_are_zero_sum() -> None:
    for seed in range(6):
        game = started(seed)
        total, step = dict.fromkeys(AGENTS, 0.0), 0
        while not over(game):
            game.step(choose(game, step))
            step += 1
            for agent, reward in game.rewards.items():
                total[agent] += reward
        assert list(total.values()) == game.batch.results[0].tolist()
        assert sum(total.values()) == 0.0


def test_shaping_runs_between_an_agents_own_decisions() -> None:
    game = started(5, reward=SHAPED)

    def potential(seat: int) -> float:
        lead = hull_share(game.batch.games, seat) - hull_share(game.batch.games, 1 - seat)
        return 0.0 if game.batch.over[0] else 0.5 * float(lead[0])

    at: dict[str, float] = {game.agent_selection: potential(AGENTS.index(game.agent_selection))}
    step, moved = 0, False
    while not over(game):
        game.step(choose(game, step))
        step += 1
        for agent in AGENTS if over(game) else [game.agent_selection]:
            now = potential(AGENTS.index(agent))
            if agent in at:
                terms = game.infos[agent]["reward_terms"]
                assert terms["hull_lead"] == pytest.approx(0.9 * now - at[agent])
                assert game.rewards[agent] == pytest.approx(sum(terms.values()))
                moved |= terms["hull_lead"] != 0.0
            at[agent] = now
    assert moved


@pytest.mark.parametrize("steps", [0, 7, 22, 10**6])
@pytest.mark.parametrize("arguments", [{}, {"reward": SHAPED, "max_cycles": 40}])
def test_copies_and_saved_states_keep_everything(steps: int, arguments: dict[str, Any]) -> None:
    game = started(4, **arguments)
    done = len(play_on(game, steps=steps))
    before = digest(game.batch.games)
    twin, restored = copy.deepcopy(game), made(**arguments)
    restored.set_state(game.get_state())
    logs = [play_on(one, done) for one in (twin, restored)]
    assert digest(game.batch.games) == before
    wanted = play_on(game, done)
    assert logs[0] == wanted
    assert [entry[:5] for entry in logs[1]] == [entry[:5] for entry in wanted]
    for one in (game, twin, restored):
        while one.agents:
            one.step(None)
        one.reset()
    assert digest(game.batch.games) == digest(twin.batch.games) == digest(restored.batch.games)


def test_a_state_after_one_agent_left() -> None:
    game = started(4)
    play_on(game)
    game.step(None)
    restored = made()
    restored.set_state(game.get_state())
    assert restored.agents == ["seat_1"] == [restored.agent_selection]
    restored.step(None)
    assert restored.agents == []
    again = made()
    again.set_state(restored.get_state())
    assert again.agents == []
    state = game.get_state()
    del state["cycles"]
    with pytest.raises(err.ConfigError, match="cycles is missing"):
        again.set_state(state)


def test_it_is_the_game_of_the_batch() -> None:
    for seed in (0, 5, 2**63 - 1):
        game, batch = started(seed), Batch(duel(1), 1)
        batch.reset([seed])
        step = 0
        while not batch.over[0]:
            assert game.agent_selection == AGENTS[batch.actors[0]]
            seen = game.observe(game.agent_selection)
            assert seen["observation"].tobytes() == batch.observations[0].tobytes()
            assert np.array_equal(seen["action_mask"], batch.masks[0])
            action = choose(game, step)
            game.step(action)
            batch.step(np.array([action]))
            step += 1
        assert over(game) and digest(game.batch.games) == digest(batch.games)


def test_nothing_hidden_reaches_an_agent() -> None:
    game, changed, step = started(8, reward=SHAPED, aids=True), set(), 0
    while not over(game):
        kept = game.batch.games.copy()
        for seat, agent in enumerate(AGENTS):
            shown = [part.tobytes() for part in game.observe(agent).values()], repr(game.infos[agent])
            theirs = game.batch.games["ships"][0, 1 - seat]
            hidden = (theirs["order"] > 0) & (theirs["order_shown"] == 0)
            secret = (theirs["power"] > 0) & (theirs["power_shown"] == 0)
            game.batch.games["seed"] += np.uint64(77)
            theirs["order"][hidden] = theirs["order"][hidden] % 4 + 1
            theirs["power"][secret] = theirs["power"][secret] % 6 + 1
            assert ([part.tobytes() for part in game.observe(agent).values()], repr(game.infos[agent])) == shown
            changed |= {(seat, what) for what, some in (("order", hidden), ("power", secret)) if some.any()}
            game.batch.games[:] = kept
        game.step(choose(game, step))
        step += 1
    # Seat 0 is asked for its power first, and seat 1's is shown as soon as it is chosen.
    assert changed == {(0, "order"), (1, "order"), (1, "power")}


def test_a_crossing_has_one_agent() -> None:
    game = raw_env("tiny")
    game.reset(seed=0)
    assert game.possible_agents == game.agents == ["seat_0"]
    log = play_on(game)
    assert log[-1][5]["outcome"] in ("crossed", "destroyed", "left_elsewhere", "out_of_time")


@pytest.mark.parametrize("limit", [0, -1, True, 2.0, "3"])
def test_limits_that_are_none_are_refused(limit: Any) -> None:
    with pytest.raises(err.ConfigError, match="max_cycles"):
        made(max_cycles=limit)


def test_calls_out_of_order_and_to_nobody_are_refused() -> None:
    game = made()
    for call in (lambda: game.step(0), lambda: game.observe("seat_0"), game.get_state):
        with pytest.raises(err.NotResetError):
            call()
    with pytest.raises(err.SeedError):
        game.reset(seed=-1)
    game.reset()
    with pytest.raises(err.ConfigError, match="agent 'seat_2'"):
        game.observe("seat_2")


def test_render() -> None:
    game = made(render_mode="ansi")
    with pytest.raises(err.NotResetError):
        game.render()
    game.reset(seed=0)
    assert isinstance(game.render(), str)
    assert started().render() is None
    with pytest.raises(err.ConfigError):
        made(render_mode="hologram")
    game.close()


def test_a_state_can_be_set_before_any_reset() -> None:
    played = env("duel", field="open")
    played.reset(seed=3)
    other = env("duel", field="open")
    other.set_state(played.get_state())
    assert other.agent_selection == played.agent_selection
    assert np.array_equal(other.last()[0]["observation"], played.last()[0]["observation"])
