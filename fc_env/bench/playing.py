"""Play of random legal actions, and what is counted while it lasts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import gymnasium as gym
import numpy as np

from fc_env import scenarios
from fc_env.batch import Batch
from fc_env.opponents import any_legal, any_legal_range
from fc_env.vector_env import FleetCaptainVectorEnv


class Counts(NamedTuple):
    """What was played in one round."""

    decisions: int
    turns: int
    games: int
    seconds: float


Player = Callable[[float], Counts]
"""Plays for some seconds."""


def batch_player(scenario: str, field: str | None, n: int, threads: int = 1, aids: bool = False) -> Player:
    """Plays N games side by side, in battles both seats of them."""
    setups = scenarios.load(scenario, field)
    player = both_seats_player if scenarios.have_two_sides(setups) else one_seat_player
    return player(setups, n, threads, aids)


def both_seats_player(setups: np.ndarray, n: int, threads: int, aids: bool) -> Player:
    """Plays with the two-seat batch, as self-play does: whoever has to decide sees."""
    batch = Batch(setups, n, threads=threads, aids=aids)
    rng = np.random.default_rng(0)
    actions = np.zeros(n, np.int64)
    batch.reset(0)

    def play(seconds: float) -> Counts:
        decisions = turns = games = 0
        before = batch.games["turn"].sum()
        start = time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            any_legal_range(batch.masks, rng.random(n), actions)
            batch.step(actions)
            decisions += n
            ended = np.flatnonzero(batch.over)
            if len(ended):
                games += len(ended)
                turns += int(batch.games["turn"][ended].sum())
                batch.reset(slots=ended)
        turns += int(batch.games["turn"].sum() - before)
        return Counts(decisions, turns, games, spent)

    return play


def one_seat_player(setups: np.ndarray, n: int, threads: int, aids: bool) -> Player:
    """Plays with the native vector environment. Games that end restart in the same step."""
    env = FleetCaptainVectorEnv(num_envs=n, scenarios=setups, autoreset_mode="SameStep", threads=threads, aids=aids)
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
            any_legal_range(masks, rng.random(n), actions)
            _, _, terminations, _, infos = env.step(actions)
            masks = infos["action_mask"]
            decisions += n
            if "final_info" in infos:
                games += int(terminations.sum())
                turns += int(infos["final_info"]["turn"][terminations].sum())
        turns += int(env.batch.games["turn"].sum() - before)
        return Counts(decisions, turns, games, spent)

    return play


def single_player(scenario: str, field: str | None) -> Player:
    """Plays with ``gymnasium.make`` as users get it, wrappers included; in battles against ``easy``, whose decisions do
    not count."""
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
