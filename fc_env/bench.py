"""How fast it plays: ``python -m fc_env.bench``, on one core.

Random legal play, in battles by both seats, with everything a learner needs at each decision: the observation, the
action mask, the reward and the next game when one ends. Only decisions with two or more choices count; the engine
never asks others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import gymnasium as gym
import numba
import numpy as np

from fc_env import __version__, scenarios
from fc_env.batch import Batch
from fc_env.commandline import Parser, exit_status
from fc_env.jit import COMPILED, jit
from fc_env.opponents import any_legal
from fc_env.vector_env import FleetCaptainVectorEnv

BATCH = 1024


class Measure(NamedTuple):
    """What is measured: games of a scenario's field, in a batch or one by one, and a rate to reach at least."""

    scenario: str
    field: str | None
    form: str
    """"batch" or "single" """
    floor: int
    """Decisions per second that a machine of today should reach at least; 0 for none."""

    @property
    def name(self) -> str:
        """In words."""
        return " ".join(filter(None, (self.scenario, self.field, self.form)))


USUAL = (
    Measure("crossing", "dense", "batch", 300_000),
    Measure("crossing", "dense", "single", 50_000),
    Measure("duel", "standard", "batch", 0),
    Measure("battle", "standard", "batch", 200_000),
)


class Counts(NamedTuple):
    """What was played in one round."""

    decisions: int
    turns: int
    games: int
    seconds: float


@jit
def pick(masks, draws, actions) -> None:
    """One of the legal actions of each game, each as likely: bool (N, 32), float64 (N,) in [0, 1) to int64 (N,)."""
    for i in range(masks.shape[0]):
        actions[i] = any_legal(masks[i], draws[i])


def batch_player(scenario: str, field: str | None, n: int) -> Callable[[float], Counts]:
    """Plays N games side by side for some seconds, in battles both seats of them."""
    setups = scenarios.load(scenario, field)
    return both_seats_player(setups, n) if scenarios.have_two_sides(setups) else one_seat_player(setups, n)


def both_seats_player(setups: np.ndarray, n: int) -> Callable[[float], Counts]:
    """Plays with the two-seat batch, as self-play does: whoever has to decide sees."""
    batch = Batch(setups, n)
    rng = np.random.default_rng(0)
    actions = np.zeros(n, np.int64)
    batch.reset(0)

    def play(seconds: float) -> Counts:
        decisions = turns = games = 0
        before = batch.games["turn"].sum()
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            pick(batch.masks, rng.random(n), actions)
            batch.step(actions)
            decisions += n
            ended = np.flatnonzero(batch.over)
            if len(ended):
                games += len(ended)
                turns += int(batch.games["turn"][ended].sum())
                batch.reset(slots=ended)
                turns -= int(batch.games["turn"][ended].sum())
        turns += int(batch.games["turn"].sum() - before)
        return Counts(decisions, turns, games, spent)

    return play


def one_seat_player(setups: np.ndarray, n: int) -> Callable[[float], Counts]:
    """Plays with the native vector environment for some seconds. Games that end restart in the same step."""
    env = FleetCaptainVectorEnv(num_envs=n, scenarios=setups, autoreset_mode="SameStep")
    rng = np.random.default_rng(0)
    actions = np.zeros(n, np.int64)
    _, first = env.reset(seed=0)
    masks = first["action_mask"]

    def play(seconds: float) -> Counts:
        nonlocal masks
        decisions = turns = games = 0
        before = env.batch.games["turn"].sum()
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            pick(masks, rng.random(n), actions)
            _, _, terminations, _, infos = env.step(actions)
            masks = infos["action_mask"]
            decisions += n
            if "final_info" in infos:
                games += int(terminations.sum())
                turns += int(infos["final_info"]["turn"][terminations].sum())
        turns += int(env.batch.games["turn"].sum() - before)
        return Counts(decisions, turns, games, spent)

    return play


def single_player(scenario: str, field: str | None) -> Callable[[float], Counts]:
    """Plays with ``gymnasium.make`` as users get it, wrappers included."""
    env = gym.make(f"FleetCaptain/{scenario.capitalize()}-v0", field=field)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def play(seconds: float) -> Counts:
        nonlocal info
        decisions = turns = games = 0
        before = info["turn"]
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            draws = rng.random(256).tolist()
            for draw in draws:
                _, _, over, _, info = env.step(any_legal(info["action_mask"], draw))
                if over:
                    games += 1
                    turns += info["turn"]
                    _, info = env.reset()
            decisions += len(draws)
        return Counts(decisions, turns + info["turn"] - before, games, spent)

    return play


def quartiles(values: list[float]) -> dict[str, float]:
    """Median and quartiles of some rates, rounded to whole numbers."""
    low, middle, high = np.percentile(values, (25, 50, 75))
    return {"median": round(middle), "low_quartile": round(low), "high_quartile": round(high)}


def measure(play: Callable[[float], Counts], rounds: int, seconds: float) -> dict[str, dict[str, float]]:
    """Rates per second of decisions, turns and games over some rounds; one more before them warms up."""
    play(seconds / 4)
    counts = [play(seconds) for _ in range(rounds)]
    return {
        f"{what}_per_second": quartiles([getattr(count, what) / count.seconds for count in counts])
        for what in ("decisions", "turns", "games")
    }


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine() -> dict[str, str | int | None]:
    """Where it was measured, and with what."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "gymnasium": gym.__version__,
        "fc_env": __version__,
        "compiled": int(COMPILED),
    }


def report(results: dict) -> str:
    """The results as a table for people."""
    lines = [f"{key}: {value}" for key, value in results["machine"].items()]
    lines += ["", f"{'per second':<34}{'median':>12}{'quartiles':>26}{'floor':>12}"]
    for one in results["measures"]:
        for what in ("decisions", "turns", "games"):
            rates = one[f"{what}_per_second"]
            spread = f"{rates['low_quartile']:,} to {rates['high_quartile']:,}"
            floor = f"{one['floor']:,}" if one["floor"] and what == "decisions" else ""
            lines.append(f"{one['name'] + ' ' + what:<34}{rates['median']:>12,}{spread:>26}{floor:>12}".rstrip())
    return "\n".join(lines)


def positive(text: str) -> int:
    """An integer from 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: want an integer from 1")
    return int(text)


def measured(one: Measure, rounds: int, seconds: float) -> dict:
    """The rates of one measure, with its name."""
    player = batch_player(one.scenario, one.field, BATCH) if one.form == "batch" else single_player(*one[:2])
    return {**one._asdict(), "name": one.name, **measure(player, rounds, seconds)}


def _run(arguments: list[str] | None) -> None:
    parser = Parser("python -m fc_env.bench", (__doc__ or "").splitlines()[0])
    parser.add_argument("--scenario", help="measure only this scenario, in a batch and single")
    parser.add_argument("--field", help="its field (default: its usual one)")
    parser.add_argument("--rounds", type=positive, default=7, help="rounds of each measure, from 5 unless --quick")
    parser.add_argument("--quick", action="store_true", help="short rounds, to see that it works")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    if given.rounds < 5 and not given.quick:
        parser.error(f"argument --rounds: {given.rounds}: want 5 or more, or --quick")
    if given.field is not None and given.scenario is None:
        parser.error(f"argument --field: {given.field}: want --scenario too")
    wanted: Sequence[Measure] = USUAL
    if given.scenario is not None:
        wanted = [Measure(given.scenario, given.field, form, 0) for form in ("batch", "single")]
    seconds = 0.05 if given.quick else 1.0
    results = {
        "batch_size": BATCH,
        "rounds": given.rounds,
        "machine": machine(),
        "measures": [measured(one, given.rounds, seconds) for one in wanted],
    }
    print(json.dumps(results, indent=2) if given.json else report(results))


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
