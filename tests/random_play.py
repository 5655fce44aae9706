"""Scenarios drawn at random, also odd ones, and players that choose at random, each from numbers of its own.

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
from fc_env.errors import ScenarioError
from fc_env.jit import kernel_view
from fc_env.rules import setup as laying
from fc_env.ruleset import LADDER, RuleSet, to_record
from fc_env.state import MAX_MARKERS, MAX_SHIPS, Flaw, Mode, Phase, Slip, Status, digest

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FEW_MARKERS = 10
"""As many as are soon laid, uncompiled too."""


def drawn_rules(rng: np.random.Generator) -> RuleSet:
    """A rule set with every field that matters here drawn from its whole range."""

    def die() -> Any:
        return int(rng.choice(LADDER))

    return RuleSet(
        drift_die=die(),
        avoid_die=die(),
        contact_damage_die=die(),
        laser_reduction_die=die(),
        avoid_hazard_die=die(),
        avoid_hazard_die_flagship=die(),
        avoid_hazard_move_steps=int(rng.integers(-3, 1)),
        jokers=int(rng.integers(0, 5)),
        aces=["flagships", "all", "none"][rng.integers(3)],
        activations_per_card=int(rng.integers(1, 7)),
        drift_hexes=int(rng.integers(0, 4)),
        sideslip=bool(rng.integers(2)),
        map_edge=["leave", "wall"][rng.integers(2)],
        small_hexes=bool(rng.integers(2)),
        attenuation=int(rng.integers(0, 4)),
        torpedo_centre_steps=int(rng.integers(0, 4)),
        torpedo_beside_bonus=int(rng.integers(0, 7)),
        torpedo_columns=int(rng.integers(0, 4)),
        laser_attack_die=[0, *LADDER][rng.integers(7)],
        laser_range=int(rng.integers(1, 21)),
        countdown_to_doom=bool(rng.integers(2)),
        explosion_steps=int(rng.integers(0, 4)),
        long_row_share=float(rng.choice([0.0, 0.5, 0.8, 1.0])),
        first_drift_safe=bool(rng.integers(2)),
        turn_limit=int(rng.integers(1, 12)),
    )


def drawn_ship(rng: np.random.Generator, ship: Any, flagship: bool) -> None:
    first = int(rng.integers(0, 4))
    ship["status"], ship["flagship"] = Status.IN_PLAY, flagship
    ship["power_dice"] = LADDER[first : first + 3]
    ship["slowness"], ship["volleys"], ship["torpedoes"] = rng.integers(1, 5), rng.integers(1, 4), rng.integers(2)
    ship["lasers"], ship["facing"] = rng.integers(0, 4), rng.integers(6)
    ship["hull"] = ship["full_hull"] = rng.integers(1, 60)
    ship["flaw"] = rng.choice(list(Flaw))
    if ship["flaw"] in (Flaw.BLIND_SPOT, Flaw.SHIELD_FLAW):
        ship["flaw_side"] = rng.integers(6)
    elif ship["flaw"] == Flaw.ENGINE_IMBALANCE:
        ship["flaw_side"] = rng.integers(Slip.LEFT, Slip.RIGHT + 1)
    if not flagship:
        ship["crew"] = int(rng.integers(0, 512)) << 2
        ship["captain"] = int(rng.integers(0, 8)) << 11


def drawn_setup(seed: int, crowded: bool = False) -> np.ndarray:
    """A scenario, SETUP (1,): a crossing or a battle of up to six ships a side on a map of any size, with up to ten
    markers, some of them placed, drifting one way or each its own, under a drawn rule set."""
    rng = np.random.default_rng(seed)
    setups = np.zeros(1, laying.SETUP)
    setup = setups[0]
    game = setup["game"]
    game["rules"] = to_record(drawn_rules(rng))
    width, height = (10, 8) if crowded else (2 * int(rng.integers(3, 16)), int(rng.integers(5, 21)))
    game["width"], game["height"], game["turn"], game["goal"] = width, height, 1, rng.integers(1, 16)
    game["card"], game["asked"], game["side_token"] = -1, -1, [0, 1]
    sides = 2 if crowded else int(rng.integers(1, 3))
    game["mode"] = Mode.CROSSING if sides == 1 else Mode.BATTLE
    hexes = rng.permutation(width * height)
    pieces = iter([(int(place) // height, int(place) % height) for place in hexes])
    for seat in range(sides):
        game["n_ships"][seat] = MAX_SHIPS if crowded else rng.integers(1, MAX_SHIPS + 1)
        for index in range(game["n_ships"][seat]):
            ship = game["ships"][seat, index]
            drawn_ship(rng, ship, flagship=index == 0)
            column, row = next(pieces)
            ship["q"], ship["r"], ship["token"] = column, row - column // 2, seat * MAX_SHIPS + index
    game["n_markers"] = MAX_MARKERS if crowded else rng.integers(0, FEW_MARKERS + 1)
    setup["n_placed"] = rng.integers(0, game["n_markers"] + 1)
    setup["drift_each"], setup["field_facing"] = rng.integers(2), rng.integers(-1, 6)
    for index in range(game["n_markers"]):
        marker = game["markers"][index]
        marker["density"] = rng.integers(1, 7)
        if index < setup["n_placed"]:
            column, row = next(pieces)
            marker["q"], marker["r"], marker["facing"] = column, row - column // 2, rng.integers(6)
    if crowded:
        game["rules"]["turn_limit"], game["rules"]["first_drift_safe"], game["rules"]["long_row_share"] = 60, 0, 0
    laying.find_rows(kernel_view(setups)[0])
    return setups


def new_game(setups: np.ndarray, seed: int) -> np.ndarray:
    """A game GAME (1,); where the field cannot be laid safely, laid without that care."""
    try:
        return engine.new(setups, [seed])
    except ScenarioError:
        setups["game"]["rules"]["first_drift_safe"] = 0
        return engine.new(setups, [seed])


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
