"""What is measured in processes of their own: importing, memory, and what events cost that nobody records."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import tracemalloc

import numpy as np

from fc_env import scenarios
from fc_env.batch import Batch
from fc_env.bench.goals import Effort, Found, significant

FIRST_STEP = """
import gymnasium, fc_env
env = gymnasium.make("FleetCaptain/Duel-v0")
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
"""

PLAYER = """
import sys
if "without_events" in sys.argv:
    from fc_env import events
    from fc_env.jit import jit
    def nothing(*given):
        pass
    events.write = jit(nothing)
from fc_env.bench.playing import batch_player
play = batch_player("battle", "standard", 1024)
for line in sys.stdin:
    count = play(float(line))
    print(count.decisions / count.seconds, flush=True)
"""


def _process_seconds(**settings: str) -> float:
    """Seconds that a fresh process takes for the first step, its start included, with settings of the environment."""
    environment = os.environ | settings
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_STEP], env=environment, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def warm_start(effort: Effort) -> Found:
    """Seconds to the first step of a duel when it was compiled before, by Python too."""
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        _process_seconds(**bytecode)
        return Found([_process_seconds(**bytecode) for _ in range(effort.rounds)])


def cold_start(effort: Effort) -> Found:
    """Seconds to the first step of a duel when nothing was compiled before."""
    values = []
    for _ in range(effort.rounds):
        with tempfile.TemporaryDirectory() as folder:
            values.append(_process_seconds(FC_ENV_CACHE_DIR=folder))
    return Found(values)


def memory(effort: Effort) -> Found:
    """Megabytes that 10,000 battles hold after some steps, with their observations, masks and rewards."""
    setups = scenarios.load("battle", "standard")
    values, peaks = [], []
    Batch(setups, 1).reset(0)
    for _ in range(effort.rounds):
        tracemalloc.start()
        batch = Batch(setups, 10_000)
        batch.reset(0)
        for _ in range(3):
            batch.step(batch.masks.argmax(axis=1))
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        del batch
        values.append(held / 1e6)
        peaks.append(peak / 1e6)
    return Found(values, {"most_meanwhile_MB": significant(float(np.median(peaks)))})


EQUAL_RUNS = 3
"""Processes of each kind: equal ones differ too, by where their memory happens to lie."""


def cost_of_events(effort: Effort) -> Found:
    """Per cent of time that writing events takes where nobody records: battles against the same rules with the writing
    of events taken out of them, in some processes each. The limit is how far equal processes are apart in a round."""
    players: list[subprocess.Popen[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for without_events_in in (None, folder):
                for _ in range(EQUAL_RUNS):
                    players.append(_player(without_events_in))
                    _asked(players[-1], effort.seconds / 4)
            rounds = np.array([[_asked(one, effort.seconds) for one in players] for _ in range(effort.rounds)])
        finally:
            for process in players:
                process.kill()
                process.wait()
    usual, without = rounds[:, :EQUAL_RUNS], rounds[:, EQUAL_RUNS:]
    costs = 100 * (np.median(without, axis=1) / np.median(usual, axis=1) - 1)
    noise = float(np.median(100 * np.ptp(usual, axis=1) / np.median(usual, axis=1)))
    return Found(costs.tolist(), {"noise_percent": significant(noise)}, limit=significant(noise))


def _player(without_events_in: str | None) -> subprocess.Popen[str]:
    environment, flags = dict(os.environ), []
    if without_events_in is not None:
        environment["FC_ENV_CACHE_DIR"], flags = without_events_in, ["without_events"]
    command = [sys.executable, "-c", PLAYER, *flags]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, encoding="utf-8", stdin=pipe, stdout=pipe, stderr=nowhere)


def _asked(process: subprocess.Popen[str], seconds: float) -> float:
    assert process.stdin is not None and process.stdout is not None
    print(seconds, file=process.stdin, flush=True)
    return float(process.stdout.readline())
