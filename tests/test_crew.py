"""Threads that take the same step again and again: every chunk is done once, whoever is awake."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from fc_env import atomic
from fc_env import crew as crews
from fc_env.crew import COUNTERS, DONE, HELPS, LEADS, NEXT, Crew, begin, end, next_chunk, offer
from fc_env.jit import CHECKED, COMPILED, jit

N, SIZE = 999, 10
compiled_only = pytest.mark.skipif(not COMPILED or CHECKED, reason="uncompiled, or checked, the leader is alone")


@jit
def count(role: int, size: int, shared, times, roles, effort: int) -> int:
    n = len(times)
    begin(role, shared)
    offer(role, shared)
    chunks = -(-n // size)
    chunk = next_chunk(role, chunks, shared)
    while chunk >= 0:
        for i in range(chunk * size, min((chunk + 1) * size, n)):
            times[i] += 1
            for _ in range(effort):
                atomic.add(times, i, 0)
            roles[i] = role
        atomic.add(shared, DONE, 1)
        chunk = next_chunk(role, chunks, shared)
    end(role, shared)
    return -1


@pytest.fixture(autouse=True)
def cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many helpers as are asked for, however small the machine."""
    monkeypatch.setattr(crews, "usable_cores", lambda: 8)


def crew_of(threads: int, effort: int = 0) -> tuple[Crew, np.ndarray, np.ndarray]:
    """A crew that counts, how often each thing was done, and by which role."""
    times, roles = np.zeros(N, np.int64), np.zeros(N, np.int64)
    return Crew(threads, count, SIZE, times, roles, effort), times, roles


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_each_thing_is_done_once_in_each_step(threads: int) -> None:
    crew, times, _ = crew_of(threads)
    for step in range(1, 400):
        if step % 100 == 0:
            time.sleep(0.02)  # the helpers fall asleep
        assert crew.run() == -1
        assert (times == step).all()
    crew.close()


@compiled_only
@pytest.mark.parametrize("pause", [0.0, 0.02], ids=["awake", "asleep"])
def test_a_helper_takes_its_share(pause: float) -> None:
    crew, _, roles = crew_of(2, effort=1000)  # some milliseconds, in which a helper has time to wake
    until = time.monotonic() + 60
    while time.monotonic() < until and not (roles == HELPS).any():
        time.sleep(pause)
        crew.run()
    assert (roles == HELPS).any()
    crew.close()


@compiled_only
def test_there_are_no_more_threads_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "usable_cores", lambda: 2)
    crew, times, _ = crew_of(16)
    crew.run()
    assert len(crew.running) == 1 and (times == 1).all()
    crew.close()


@compiled_only
def test_closing_at_once_ends_all_helpers_and_they_start_again() -> None:
    crew, times, _ = crew_of(3)
    for step in range(1, 100):
        crew.run()
        started = crew.running
        assert len(started) == 2 and (times == step).all()
        crew.close()
        assert not any(thread.is_alive() for thread in started) and not crew.running
    crew.close()


@compiled_only
def test_a_thread_that_cannot_start_leaves_none_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    crew, times, _ = crew_of(3)
    start = threading.Thread.start
    begun: list[threading.Thread] = []

    def second_fails(thread: threading.Thread) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        begun.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", second_fails)
    with pytest.raises(RuntimeError, match="can't start"):
        crew.run()
    assert not begun[0].is_alive() and not times.any()
    monkeypatch.undo()
    assert crew.run() == -1 and (times == 1).all()
    crew.close()


@compiled_only
def test_helpers_end_with_their_crew() -> None:
    crew, _, _ = crew_of(3)
    crew.run()
    helpers, gone = crew.running, weakref.ref(crew)
    assert len(helpers) == 2 and all(thread.is_alive() for thread in helpers)
    del crew
    gc.collect()
    assert gone() is None
    for thread in helpers:
        thread.join(30)
        assert not thread.is_alive()


def test_a_leader_alone_and_a_helper_with_nothing_to_do_come_to_an_end() -> None:
    shared, times, roles = np.zeros(COUNTERS, np.int64), np.zeros(N, np.int64), np.zeros(N, np.int64)
    assert count(LEADS, SIZE, shared, times, roles, 0) == -1 and (times == 1).all()
    assert shared[NEXT] == shared[DONE] == -(-N // SIZE)
    assert count(HELPS, SIZE, shared, times, roles, 0) == -1 and (times == 1).all() and (roles == LEADS).all()
    shared[NEXT], shared[DONE] = 90, 90
    assert count(HELPS, SIZE, shared, times, roles, 0) == -1
    assert (times[900:] == 2).all() and (roles[900:] == HELPS).all()


def test_counters() -> None:
    counters = np.zeros(3, np.int64)
    atomic.store(counters, 1, 5)
    assert atomic.add(counters, 1, 3) == 5 and atomic.load(counters, 1) == 8 and counters.tolist() == [0, 8, 0]
    atomic.pause()
