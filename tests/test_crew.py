"""Threads that take the same step again and again: every chunk is done once, whoever is awake."""

from __future__ import annotations

import gc
import time
import weakref

import numpy as np
import pytest

from fc_env import atomic
from fc_env.crew import COUNTERS, DONE, HELPS, LEADS, NEXT, Crew, begin, end, next_chunk, offer
from fc_env.jit import COMPILED, jit

N, SIZE = 999, 10
compiled_only = pytest.mark.skipif(not COMPILED, reason="uncompiled the leader is alone")


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


def work(crew: Crew, effort: int = 0) -> tuple:
    return SIZE, crew.shared, np.zeros(N, np.int64), np.zeros(N, np.int64), effort


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_each_thing_is_done_once_in_each_step(threads: int) -> None:
    crew = Crew(threads)
    args = work(crew)
    for step in range(1, 400):
        if step % 100 == 0:
            time.sleep(0.02)  # the helpers fall asleep
        assert crew.run(count, args) == -1
        assert (args[2] == step).all()
    crew.close()


@compiled_only
def test_a_helper_takes_its_share_awake_or_roused() -> None:
    crew = Crew(2)
    args = work(crew, 1000)  # some milliseconds, in which a helper has time to wake
    for pause in (0.0, 0.02):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            crew.run(count, args)
            if (args[3] == HELPS).any():
                break
            time.sleep(pause)
        assert (args[3] == HELPS).any(), f"a pause of {pause} s"
    crew.close()


@compiled_only
def test_helpers_end_with_their_crew() -> None:
    crew = Crew(3)
    crew.run(count, work(crew))
    helpers, gone = crew._running, weakref.ref(crew)
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
