"""A batch with two seats: who acts, what that seat sees, and what an ending is worth to either."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from fc_env import engine, scenarios
from fc_env import errors as err
from fc_env.batch import Batch
from fc_env.decoder import Decoder
from fc_env.observation import Layout, observe
from fc_env.reward import POTENTIALS, hull_share, own_side_first
from fc_env.state import Mode, Outcome, Phase, Status, digest
from tests.adapters import pick
from tests.battles import duel

N = 8


def started(n: int = N, **arguments) -> Batch:
    batch = Batch(duel(1), n, **arguments)
    batch.reset(7)
    return batch


def play_out(batch: Batch, seen=lambda batch, step: None) -> Batch:
    step = 0
    while not batch.over.all():
        batch.step(pick(batch.masks, step), batch.over.copy())
        step += 1
        seen(batch, step)
    return batch


def test_the_layout_has_room_for_the_larger_side_on_either() -> None:
    setups = duel(2)
    assert Layout.of(setups)[:2] == (3, 3)
    assert Layout.of(scenarios.load("tiny"))[:2] == (1, 0)
    both = np.concatenate([scenarios.load("tiny"), setups])
    assert Layout.of(both)[:2] == (3, 3)


def test_at_every_step_observation_and_mask_are_those_of_the_seat_that_acts() -> None:
    asked = np.zeros(2, int)

    def seen(batch: Batch, step: int) -> None:
        going = ~batch.over
        assert np.array_equal(batch.over, batch.games["phase"] == Phase.OVER)
        assert np.array_equal(batch.actors[going], batch.games["actor"][going])
        assert np.array_equal(batch.actors[~going], np.zeros((~going).sum()))
        assert np.array_equal(batch.masks, engine.legal_mask(batch.games))
        assert np.array_equal(batch.observations, observe(batch.games, batch.layout, batch.actors))
        low, high = batch.layout.bounds()
        assert (low <= batch.observations).all() and (batch.observations <= high).all()
        asked[:] += np.bincount(batch.actors[going], minlength=2)

    batch = started()
    assert batch.actors.dtype == np.int64 and batch.results.dtype == np.float64
    seen(batch, 0)
    play_out(batch, seen)
    assert (asked >= N).all()


def test_results_by_seat() -> None:
    batch = play_out(started(64))
    outcomes = batch.games["outcome"]
    worth = {Outcome.SEAT_0_WINS: [1.0, -1.0], Outcome.SEAT_1_WINS: [-1.0, 1.0], Outcome.DRAW: [0.0, 0.0]}
    assert set(outcomes.tolist()) == set(worth)
    for outcome, results in zip(outcomes, batch.results, strict=True):
        assert results.tolist() == worth[outcome]
    batch.reset(slots=np.array([0]))
    assert batch.results[0].tolist() == [0.0, 0.0]


def test_a_convoy_counts_as_a_battle_and_a_crossing_for_seat_0_only() -> None:
    batch = started(1)
    state = batch.get_state()
    for mode, outcome, wanted in (
        (Mode.CONVOY, Outcome.SEAT_1_WINS, [-1.0, 1.0]),
        (Mode.CONVOY, Outcome.DRAW, [0.0, 0.0]),
        (Mode.CROSSING, Outcome.CROSSED, [1.0, 0.0]),
        (Mode.CROSSING, Outcome.DESTROYED, [0.0, 0.0]),
    ):
        batch.set_state(state)
        batch.games["mode"], batch.games["outcome"], batch.games["phase"] = mode, outcome, Phase.OVER
        batch.look_again()
        assert batch.results[0].tolist() == wanted


def test_a_finished_game_is_seen_by_the_seat_that_the_caller_names() -> None:
    batch = started()
    batch.seats[:] = np.arange(N) % 2
    rewards = np.zeros(N)

    def seen(batch: Batch, step: int) -> None:
        assert np.array_equal(batch.actors[batch.over], batch.seats[batch.over])

    step = 0
    while not batch.over.all():
        rewards += batch.step(pick(batch.masks, step), batch.over.copy())[0]
        step += 1
        seen(batch, step)
    assert np.array_equal(batch.observations, observe(batch.games, batch.layout, batch.seats))
    assert np.array_equal(rewards, batch.results[np.arange(N), batch.seats])
    assert np.array_equal(batch.seen_by(1 - batch.seats), observe(batch.games, batch.layout, 1 - batch.seats))
    batch.reset()
    assert np.array_equal(batch.seats, np.arange(N) % 2)


def test_copies_and_saved_states_go_on_alike() -> None:
    batch = started()
    batch.seats[:] = 1
    for step in range(9):
        batch.step(pick(batch.masks, step), batch.over.copy())
    twin, restored = copy.deepcopy(batch), started()
    restored.set_state(batch.get_state())
    for other in (twin, restored):
        for name in ("over", "actors", "seats", "results", "masks", "observations"):
            assert np.array_equal(getattr(other, name), getattr(batch, name)), name
    for one in (batch, twin, restored):
        play_out(one)
    assert digest(batch.games) == digest(twin.games) == digest(restored.games)
    assert np.array_equal(batch.observations, restored.observations)


def test_seats_that_do_not_exist_are_refused() -> None:
    batch = started()
    state = batch.get_state()
    state["seats"][3] = 2
    with pytest.raises(err.ConfigError, match="saved seats"):
        batch.set_state(state)


def test_recorded_steps_are_the_same_steps() -> None:
    plain, recorded = started(6), started(6)
    step = 0
    while not plain.over.any():
        actions = pick(plain.masks, step)
        plain.step(actions)
        *_, trace = recorded.step_recorded(actions)
        assert set(trace.events["game"].tolist()) <= set(range(6))
        step += 1
    assert digest(plain.games) == digest(recorded.games) and len(trace.events)
    assert np.array_equal(plain.observations, recorded.observations)


# ---- potentials


def test_the_hull_lead_is_the_difference_of_shares_in_play() -> None:
    games = engine.new(duel(1), [1, 2])
    ships = games["ships"]
    assert POTENTIALS["hull_lead"](games).tolist() == [0.0, 0.0]
    ships["hull"][0, 0, 0] = 1
    ships["status"][1, 1, 1] = Status.LEFT
    assert np.allclose(hull_share(games, 0), [1 / 3, 1.0])
    assert np.allclose(hull_share(games, 1), [1.0, 0.5])
    lead = POTENTIALS["hull_lead"](games)
    assert np.allclose(lead, [1 / 3 - 1, 0.5])
    assert np.array_equal(POTENTIALS["hull_lead"](own_side_first(games, np.array([1, 1]))), -lead)


def test_own_side_first() -> None:
    batch = started()
    for step in range(8):
        batch.step(pick(batch.masks, step), batch.over.copy())
    games = batch.games
    games["outcome"][:3] = Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS, Outcome.DRAW
    before = digest(games)
    assert own_side_first(games, np.zeros(N, np.int64)) is games
    seats = np.ones(N, np.int64)
    turned = own_side_first(games, seats)
    assert digest(games) == before
    assert turned["outcome"][:3].tolist() == [Outcome.SEAT_1_WINS, Outcome.SEAT_0_WINS, Outcome.DRAW]
    assert np.array_equal(turned["ships"][:, 0], games["ships"][:, 1])
    assert np.array_equal(turned["actor"], 1 - games["actor"])
    assert digest(own_side_first(turned, seats)) == before
    mixed = own_side_first(games, np.arange(N) % 2)
    assert digest(mixed[::2]) == digest(games[::2]) and digest(mixed[1::2]) == digest(turned[1::2])


def test_an_observation_with_room_to_spare_decodes_to_the_ships_there_are() -> None:
    setups = duel(2)
    decoder = Decoder(setups)
    games = engine.new(setups, range(4))
    for seats, counts in ((np.zeros(4, np.int64), [1, 3]), (np.ones(4, np.int64), [3, 1])):
        assert (decoder(observe(games, decoder.layout, seats))["n_ships"] == counts).all()


def test_the_rewarded_seat_stays_in_a_shaped_game() -> None:
    batch = Batch(duel(), 2, reward={"shaping": {"hull_lead": 1.0}})
    batch.seats[:] = 1
    batch.reset(5)
    batch.step(batch.masks.argmax(axis=1))
    batch.seats[1] = 0
    before = batch.games.copy()
    with pytest.raises(err.ConfigError, match="seats were changed in the middle of a game"):
        batch.step(batch.masks.argmax(axis=1))
    assert (batch.games == before).all()
    free = Batch(duel(), 2)
    free.reset(5)
    free.seats[1] = 1
    free.step(free.masks.argmax(axis=1))


def test_setups_in_another_form_are_refused() -> None:
    with pytest.raises(err.ConfigError, match="want an array of SETUP, as load_setups gives"):
        Batch([("duel", "open")], 2)  # type: ignore[arg-type]


@pytest.mark.parametrize("slots", [np.array([True, False]), [0.7], [[0]], "0"])
def test_slots_that_are_no_places_of_games_are_refused(slots: Any) -> None:
    batch = Batch(scenarios.load("tiny"), 2)
    batch.reset(1)
    before = batch.get_state()
    with pytest.raises(err.ConfigError, match="want the places of games"):
        batch.reset(slots=slots)
    assert all(np.array_equal(value, batch.get_state()[name]) for name, value in before.items())
    assert len(batch.reset(slots=[]).events) == 0


def test_a_game_is_asked_itself_what_it_takes_whatever_its_mask_says() -> None:
    batch = Batch(scenarios.load("duel"), 2)
    batch.reset(1)
    before = batch.get_state()
    batch.masks[:] = True
    with pytest.raises(err.IllegalActionError, match=r"game 0: action 31 .* is not legal"):
        batch.step(np.full(2, 31))
    assert all(np.array_equal(value, batch.get_state()[name]) for name, value in before.items())
