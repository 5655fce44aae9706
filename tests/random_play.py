"""Games of drawn scenarios, and players that choose at random, each from numbers of its own.

``python random_play.py SEED ...`` prints digests of whole games, to be compared between processes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from fc_env import dice, engine, scenarios
from fc_env.lab.fuzzing.scenes import drawn_setup, new_game
from fc_env.state import Phase, digest

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed_games(seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """One game for each seed, each of another scenario, GAME (N,), and their players' own numbers, uint64 (N,)."""
    games = np.concatenate([new_game(drawn_setup(seed % 1009), seed) for seed in seeds])
    return games, np.array(seeds, np.uint64)


def choose(masks: np.ndarray, keys: np.ndarray, decision: int) -> np.ndarray:
    """A legal action for each game, int64 (N,), that depends on its key and the decision's number only."""
    with np.errstate(over="ignore"):
        numbers = dice.mix_plain(dice.mix_plain(keys + GOLDEN) + np.uint64(decision)) >> np.uint64(33)
    wanted = (numbers % masks.sum(axis=1).astype(np.uint64)).astype(np.int64)
    actions: np.ndarray = (masks.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)
    return actions


def play(games: np.ndarray, keys: np.ndarray, first: int = 0, decisions: int = 10**6, record: bool = False) -> list:
    """Play each game to its end, or for some decisions, in place; returns the traces."""
    traces = []
    for decision in range(first, first + decisions):
        going = np.flatnonzero(games["phase"] != Phase.OVER)
        if not len(going):
            break
        some = games[going]
        actions = choose(engine.legal_mask(some), keys[going], decision)
        traces.append(engine.step(some, actions, record=record))
        games[going] = some
    return traces


def digests(games: np.ndarray) -> list[str]:
    return [digest(games[i : i + 1]) for i in range(len(games))]


def trace_digest(traces: list) -> str:
    """Of all events and dice."""
    recorded = hashlib.blake2b(digest_size=16)
    for trace in traces:
        recorded.update(trace.events.tobytes() + trace.dice.tobytes())
    return recorded.hexdigest()


def whole_games(seeds: Sequence[int]) -> dict[str, Any]:
    """Digests of whole games by seed: of the scenario ``tiny``, of the crossing, and of a drawn one each."""
    found: dict[str, Any] = {}
    setups = np.concatenate([scenarios.load("tiny"), scenarios.load("crossing", field="dense")])
    for seed in seeds:
        tiny, crossing = (engine.new(setups, [seed], which=[which]) for which in (0, 1))
        drawn, keys = mixed_games([seed])
        games = np.concatenate([tiny, crossing, drawn])
        traces = play(games, np.repeat(keys, 3), record=True)
        found[str(seed)] = [*digests(games), trace_digest(traces), int(games["turn"].sum())]
    return found


if __name__ == "__main__":
    print(json.dumps(whole_games([int(argument) for argument in sys.argv[1:]])))
