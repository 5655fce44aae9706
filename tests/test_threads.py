"""Any number of threads plays the same games, and leaves nothing behind."""

from __future__ import annotations

import copy
import os
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from fc_env import batch as batches
from fc_env import crew as crews
from fc_env import errors as err
from fc_env import scenarios
from fc_env.batch import Batch
from fc_env.encoding import scratch_of
from fc_env.jit import COMPILED
from fc_env.state import digest
from fc_env.vector_env import FleetCaptainVectorEnv
from fc_env.versus import Versus
from fc_env.workers import CHUNKS_OF_A_THREAD, Workers
from tests.adapters import pick
from tests.battles import duel

N = 11
ARRAYS = ("over", "actors", "turns", "results", "masks", "observations", "seeds", "episodes", "which")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few games that even these batches are shared out."""
    monkeypatch.setattr(batches, "LEAST_STEPS", 2)
    monkeypatch.setattr(batches, "LEAST_STARTS", 1)
    monkeypatch.setattr(crews, "usable_cores", lambda: 8)


def numbers(batch: Batch) -> tuple[bytes | str, ...]:
    return digest(batch.games), *(getattr(batch, name).tobytes() for name in ARRAYS)


def play(batch: Batch, steps: int, recorded: bool = False) -> list[Any]:
    """The bytes of everything after each step; games that end are followed by the next ones."""
    told: list[Any] = []
    for step in range(steps):
        actions = pick(batch.masks, step)
        if recorded:
            rewards, _, trace = batch.step_recorded(actions)
            told.append((trace.events.tobytes(), trace.dice.tobytes()))
        else:
            rewards, _ = batch.step(actions)
        told.append((rewards.tobytes(), numbers(batch)))
        if batch.over.any():
            batch.reset(slots=np.flatnonzero(batch.over))
            told.append(numbers(batch))
    return told


def make(kind: str, threads: int) -> Batch:
    if kind == "versus":
        return Versus(duel(1), N, opponent="random", seat="random", threads=threads)
    if kind == "pool":  # one answers inside the step, the other is asked by Python
        return Versus(duel(1), N, opponent={"easy": 1.0, "drifter": 1.0}, seat="random", threads=threads)
    both = np.concatenate([scenarios.load("tiny"), duel(1)])
    return Batch(both, N, reward={"shaping": {"hull_lead": 0.5}}, threads=threads, aids=kind == "aids")


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("kind", ["batch", "aids", "versus", "pool"])
def test_any_number_of_threads_plays_the_same_games(kind: str, recorded: bool) -> None:
    told = []
    for threads in (1, 2, 3, 16):
        batch = make(kind, threads)
        batch.reset(5)
        told.append([numbers(batch), *play(batch, 25, recorded)])
        assert (batch.workers._pool is not None) == (threads > 1)
        batch.close()
    assert told[0] == told[1] == told[2] == told[3]
    assert max(batch.episodes) > 0, "want games that ended"


@pytest.mark.parametrize("index", [0, 5, N - 1])
@pytest.mark.parametrize("kind", ["batch", "versus"])
def test_a_refused_action_leaves_all_games_as_they_were(kind: str, index: int) -> None:
    batch = make(kind, 2)
    batch.reset(5)
    play(batch, 3)
    before = numbers(batch)
    actions = pick(batch.masks, 3)
    actions[index] = batch.masks[index].argmin()
    for step in (batch.step, batch.step_recorded):
        with pytest.raises(err.IllegalActionError, match=rf"game {index}: action {actions[index]} .*legal are"):
            step(actions)
        assert numbers(batch) == before


def test_games_that_sit_out_are_left_alone() -> None:
    told = []
    for threads in (1, 3):
        batch = make("batch", threads)
        batch.reset(5)
        idle = np.arange(N) % 3 == 1
        before = digest(batch.games[idle])
        actions = pick(batch.masks, 0)
        actions[idle] = 99
        batch.step(actions, idle)
        assert digest(batch.games[idle]) == before
        told.append(numbers(batch))
    assert told[0] == told[1]


def test_a_field_that_cannot_be_laid_names_the_same_game() -> None:
    full = scenarios.load("tiny")
    full["game"]["n_markers"] = 30
    problems = []
    for threads in (1, 2):
        batch = Batch(full, N, threads=threads)
        with pytest.raises(err.ScenarioError) as found:
            batch.reset(5)
        problems.append(str(found.value))
        assert not batch.games.view(np.uint8).any()
    assert problems[0] == problems[1]


def test_copies_have_threads_of_their_own() -> None:
    batch = make("versus", 2)
    batch.reset(5)
    play(batch, 5)
    twins = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    assert all(twin.workers.threads == 2 and twin.workers._pool is not batch.workers._pool for twin in twins)
    told = [play(one, 10) for one in (batch, *twins)]
    assert told[0] == told[1] == told[2]


def test_closing_ends_the_threads_and_play_can_go_on() -> None:
    env = FleetCaptainVectorEnv("tiny", N, threads=3)
    env.reset(seed=5)
    pool = env.batch.workers._pool
    assert pool is not None
    started_ones = list(pool._threads)
    assert started_ones and all(thread.is_alive() for thread in started_ones)
    env.close()
    assert not any(thread.is_alive() for thread in started_ones) and env.batch.workers._pool is None
    env.step(pick(env.action_masks(), 0))
    helpers = list(env.batch.crew.running)
    assert len(helpers) == (2 if COMPILED else 0) and all(thread.is_alive() for thread in helpers)
    env.batch.close()
    assert not any(thread.is_alive() for thread in helpers) and not env.batch.crew.running
    batch = make("batch", 2)
    batch.reset(5)
    batch.close()
    batch.close()
    assert play(batch, 5) == play(started(1), 5)


def started(threads: int) -> Batch:
    batch = make("batch", threads)
    batch.reset(5)
    return batch


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own() -> None:
    batch, alone = started(2), started(1)
    assert play(batch, 2) == play(alone, 2)  # there are threads at the fork
    wanted = play(alone, 2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = play(batch, 2) == wanted
            helpers = batch.crew.running
            status = int(not same or len(helpers) != COMPILED or not all(one.is_alive() for one in helpers))
            batch.close()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert play(batch, 2) == wanted


def test_two_threads_do_not_step_one_batch_at_a_time() -> None:
    batch = started(1)
    batch._stepping.acquire()
    before = numbers(batch)
    with pytest.raises(err.ConfigError, match="another thread steps this batch"):
        batch.step(pick(batch.masks, 0))
    assert numbers(batch) == before
    batch._stepping.release()
    assert play(batch, 3) == play(started(1), 3)


@pytest.mark.parametrize("actions", [[1.0] * N, [1], 1, None, [True] * N])
def test_actions_of_another_form_are_refused(actions: Any) -> None:
    batch = started(1)
    with pytest.raises(err.IllegalActionError, match=r"actions (are|have)"):
        batch.step(np.asarray(actions))


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "2", None])
def test_what_is_no_number_of_threads_is_refused(threads: Any) -> None:
    for make_one in (
        lambda: Batch(duel(1), 2, threads=threads),
        lambda: FleetCaptainVectorEnv("tiny", threads=threads),
    ):
        with pytest.raises(err.ConfigError, match=f"threads {threads!r}: want an integer from 1"):
            make_one()


def test_several_games_are_not_stepped_alone() -> None:
    batch = started(1)
    with pytest.raises(err.ConfigError, match=f"step_alone of {N} games: want a batch of one"):
        batch.step_alone(0)


# ---- the sharing out itself


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 7, 64, 1000])
@pytest.mark.parametrize("least", [1, 8, 300])
def test_each_thing_is_done_once_in_chunks_that_are_large_enough(threads: int, n: int, least: int) -> None:
    done: list[int] = []
    chunks: list[int] = []

    def kernel(lo: int, hi: int) -> int:
        done.extend(range(lo, hi))
        chunks.append(hi - lo)
        return -1

    assert Workers(threads).run(kernel, n, least, ()) == -1
    assert sorted(done) == list(range(n))
    assert len(chunks) <= max(1, threads * CHUNKS_OF_A_THREAD)
    assert all(size >= least for size in sorted(chunks)[1:]), "but for the last"


def test_the_first_that_fails_is_told() -> None:
    def kernel(lo: int, hi: int) -> int:
        return next((i for i in range(lo, hi) if i in (37, 61, 90)), -1)

    for threads in (1, 2, 4):
        assert Workers(threads).run(kernel, 100, 5, ()) == 37


def test_an_interrupt_is_raised_once_all_is_done() -> None:
    done: list[int] = []
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=30)

    def kernel(lo: int, hi: int) -> int:
        done.extend(range(lo, hi))
        if lo < 26:  # one chunk for either thread
            both.wait()
            if threading.get_ident() == here:
                raise KeyboardInterrupt
        return -1

    with pytest.raises(KeyboardInterrupt):
        Workers(2).run(kernel, 100, 5, ())
    assert sorted(done) == list(range(100))


def test_what_another_thread_raises_is_not_lost() -> None:
    here = threading.get_ident()
    both = threading.Barrier(2, timeout=30)

    def kernel(lo: int, hi: int) -> int:
        if lo < 26:  # one chunk for either thread
            both.wait()
            if threading.get_ident() != here:
                raise ZeroDivisionError
        return -1

    with pytest.raises(ZeroDivisionError):
        Workers(2).run(kernel, 100, 5, ())


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_no_two_chunks_write_to_one_scratch_record(threads: int) -> None:
    workers = Workers(threads)
    records = np.arange(workers.most_chunks)
    for n in range(2, 200):
        starts: list[int] = []

        def noted(lo: int, hi: int, starts: list[int] = starts) -> int:
            starts.append(lo)
            return -1

        workers.run(noted, n, 1, ())
        used = [scratch_of(lo, n, records) for lo in starts]
        assert len(set(used)) == len(used)
    workers.close()
