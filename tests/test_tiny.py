"""The tiny crossing: its best rate, computed exactly, is what the engine pays, and no agent beats it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import tiny_solver
from tiny_solver import DRIFT, FACINGS, FORWARD, LADDER, SLIP, STRAIGHT, TURN, Solver, part_of

from fc_env import actions as act
from fc_env import engine, scenarios
from fc_env.errors import ForcedDiceError
from fc_env.jit import COMPILED
from fc_env.state import Outcome, Phase

SIGMAS = 4
PILOT_SHARE = 0.85
"""Of the best possible rate, that ``pilot`` reaches at least."""

needs_compiled = pytest.mark.skipif(not COMPILED, reason="whole games by the thousand want compiled rules")


def test_best_rate():
    assert tiny_solver.solved()[1] == pytest.approx(0.905903, abs=1e-6)


@needs_compiled
def test_best_policy_reaches_the_best_rate_in_the_engine():
    solver, best = tiny_solver.solved()
    count = 3000
    played = tiny_solver.play_best(solver, count).mean()
    assert abs(played - best) <= SIGMAS * np.sqrt(best * (1 - best) / count)


@needs_compiled
def test_no_agent_beats_the_best_rate():
    count, (_, best) = 2000, tiny_solver.solved()
    rates = tiny_solver.rates(["pilot", "zigzag", "drifter", "random"], count)
    assert max(rates.values()) <= best + SIGMAS * np.sqrt(best * (1 - best) / count)
    assert rates["pilot"] >= PILOT_SHARE * best
    assert rates["pilot"] > rates["zigzag"] > rates["random"]


# One step at a time, with the dice enumerated


def outcomes(
    games: np.ndarray, call: Callable[[np.ndarray, list], object], dice: tuple[int, ...] = (), chance: float = 1.0
) -> Iterator[tuple[np.ndarray, float]]:
    """Every result of a call of the engine with its chance, each die it asks for forced to each of its faces."""
    after = games.copy()
    try:
        call(after, list(dice))
    except ForcedDiceError as short:
        faces = int(re.search(r"wants a d(\d+)", str(short))[1])
        for face in range(1, faces + 1):
            yield from outcomes(games, call, (*dice, face), chance / faces)
    else:
        yield after, chance


def in_engine(solver: Solver, results: Iterator[tuple[np.ndarray, float]]) -> dict[tuple, float]:
    """Chances of where a call leads: a position, or how the game ended."""
    chances: dict[tuple, float] = defaultdict(float)
    for after, chance in results:
        hull = after["ships"][0, 0, 0]["hull"]
        if after["outcome"][0] == Outcome.CROSSED:
            chances[("crossed",)] += chance
        elif hull == 0 or after["outcome"][0] != Outcome.NONE:
            chances[("failed",)] += chance
        else:
            chances[tuple(int(axis[0]) for axis in part_of(solver, after))] += chance
    return dict(chances)


def in_solver(solver: Solver, hull: int, to: tuple, meets: tuple[bool, bool], die: int, chance: float) -> dict:
    """The same from the solver's tables: a place without its hull, and what is met on the way."""
    hulls = np.eye(solver.scenario.hull + 1)[None, None, None]  # worth of ending with each hull: its chance
    met = tuple(np.full((1, 1, 1), meeting) for meeting in meets)
    after = np.array([solver.contact(hulls[:, :, :, k], met, die)[0, 0, 0, hull] for k in range(hulls.shape[-1])])
    ends: dict[tuple, float] = defaultdict(float)
    for left, share in enumerate(after):
        if share:
            name = ("failed",) if left == 0 or to == ("failed",) else to if to == ("crossed",) else (*to, left)
            ends[name] += share * chance
    return dict(ends)


def reached(count: int, seed: int = 5) -> Iterator[np.ndarray]:
    """Positions at a black card that random play of the tiny crossing comes to, GAME (1,)."""
    rng = np.random.default_rng(seed)
    games = engine.new(scenarios.load("tiny"), range(count))
    for _ in range(12):
        games = games[games["phase"] != Phase.OVER].copy()
        for i in range(len(games)):
            if games[i]["phase"] == Phase.CARD:
                yield games[i : i + 1].copy()
        masks = engine.legal_mask(games)
        engine.step(games, [rng.choice(np.flatnonzero(mask)) for mask in masks])


def test_drift_has_the_same_outcomes():
    solver, _ = tiny_solver.solved()
    met = 0
    for games in reached(12):
        m0, m1, x, facing, hull = (int(axis[0]) for axis in part_of(solver, games))
        expected: dict[tuple, float] = defaultdict(float)
        for comes, meets in solver.drifts:
            at = (m0, m1, x)
            to = (int(comes[0][at]), int(comes[1][at]), x, facing)
            meeting = (bool(meets[0][at]), bool(meets[1][at]))
            met += any(meeting)
            for place, chance in in_solver(solver, hull, to, meeting, 6, 1 / len(solver.drifts)).items():
                expected[place] += chance
        results = outcomes(games, lambda g, dice: engine.run_phase(g, Phase.DRIFT, dice=dice))
        assert in_engine(solver, results) == pytest.approx(expected)
    assert met > 20


def activation(games: np.ndarray, action: int, slip: int) -> Iterator[tuple[np.ndarray, float]]:
    """Every result of an activation that makes one sideslip whenever it is asked."""
    for rolled, chance in outcomes(games, lambda g, dice: engine.step(g, [action], dice=dice)):
        if rolled["phase"][0] == Phase.SIDESLIP:
            yield from outcomes(rolled, lambda g, dice: engine.step(g, [act.SLIP + slip], dice=dice), (), chance)
        else:
            yield rolled, chance


@pytest.mark.parametrize(("action", "steps", "avoid"), [(act.ACT, 0, 6), (act.MANOEUVRE, -1, 10)])
def test_activations_have_the_same_outcomes(action, steps, avoid):
    solver, _ = tiny_solver.solved()
    met = 0
    for number, games in enumerate(reached(12)):
        if games["turn"][0] == games["rules"]["turn_limit"][0]:
            continue  # whatever has not crossed is out of time then
        ship, slip = games["ships"][0, 0, 0], number % len(SLIP)
        m0, m1, x, facing, hull = (int(axis[0]) for axis in part_of(solver, games))
        order, movement = int(ship["order"]) - 1, tiny_solver.MOVEMENT_OF_POWER[ship["power"] - 1]
        faces = LADDER[max(0, LADDER.index(solver.scenario.dice[movement]) + steps)]
        expected: dict[tuple, float] = defaultdict(float)
        for roll in range(1, faces + 1):
            count = 0 if order == DRIFT else roll // solver.scenario.slowness
            flight = solver.flights[facing, max(1, count), slip if order == FORWARD and count else STRAIGHT]
            end = int(flight.end[m0, m1, x])
            meeting = (bool(flight.meets[0][m0, m1, x]), bool(flight.meets[1][m0, m1, x]))
            met += any(meeting)
            to: tuple = (m0, m1, end, (facing + TURN[order]) % len(FACINGS))
            if end >= solver.crossed:
                to = ("crossed",) if end == solver.crossed else ("failed",)
            for place, chance in in_solver(solver, hull, to, meeting, avoid, 1 / faces).items():
                expected[place] += chance
        assert in_engine(solver, activation(games, action, slip)) == pytest.approx(expected)
    assert met > 10
