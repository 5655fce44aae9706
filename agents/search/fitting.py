"""What leads are worth, from games of the captain against itself: the weights of ``agents.search.worth``.

    python -m agents.search.fitting --scenario skirmish --games 5000 --space train

plays them, with any legal thing done now and then so that positions differ, and fits by logistic regression how each
game ended to the leads of seat 0 at the start of each turn.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from agents.captain import Captain
from agents.search.room import PLAY, Room, new_room
from agents.search.worth import leads, worth
from fc_env import engine
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.jit import jit, kernel_view
from fc_env.lab import measuring
from fc_env.observation import Layout, observe
from fc_env.scenarios import have_two_sides
from fc_env.state import Mode, Outcome, Phase

ASTRAY = 0.03
"""Share of decisions in which any legal thing is done."""
SHARES, RATIO, FLAGSHIP, PLACES, NOW = range(5)
"""Columns of the leads, and what the search makes of them now."""


@jit
def _leads_range(games, room, found) -> None:
    for i in range(games.shape[0]):
        room.games[PLAY] = games[i]
        found[i, SHARES], found[i, RATIO], found[i, FLAGSHIP], found[i, PLACES] = leads(room)
        found[i, NOW] = worth(room)


def leads_of(games: np.ndarray, room: Room) -> np.ndarray:
    """Leads of seat 0 in some games, and their worth as the search sees it, float64 (N, 5)."""
    found = np.zeros((len(games), NOW + 1))
    _leads_range(kernel_view(games), room, found)
    return found


def positions(setups: np.ndarray, seeds: Sequence[int], space: str) -> tuple[np.ndarray, np.ndarray]:
    """Leads at the starts of all turns, float64 (M, 5), and what became of the games for seat 0, float64 (M,)."""
    layout, captain, lots = Layout.of(setups), Captain(setups), np.random.default_rng(0)
    room = new_room(captain, 1)
    games = engine.new(setups, seeds, space)
    rows, turns, ends = np.arange(len(games)), np.zeros(len(games), np.int64), np.zeros(len(games))
    found, of = [], []
    while len(games):
        fresh = games["turn"] > turns[rows]
        turns[rows] = games["turn"]
        found.append(leads_of(games[fresh], room))
        of.append(rows[fresh])
        masks = engine.legal_mask(games)
        actions = captain(observe(games, layout), masks)
        for astray in np.flatnonzero(lots.random(len(games)) < ASTRAY):
            actions[astray] = lots.choice(np.flatnonzero(masks[astray]))
        engine.step(games, actions)
        over = games["phase"] == Phase.OVER
        outcome = games["outcome"][over]
        ends[rows[over]] = (outcome == Outcome.SEAT_0_WINS) + 0.5 * (outcome == Outcome.DRAW)
        games, rows = games[~over], rows[~over]
    return np.concatenate(found), ends[np.concatenate(of)]


def loss(chances: np.ndarray, ends: np.ndarray) -> float:
    """Mean log loss of chances to win, float64 (M,)."""
    return float(-(ends * np.log(chances) + (1.0 - ends) * np.log(1.0 - chances)).mean())


def fitted(found: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights of the leads, float64 (4,), and the log loss they leave."""
    columns = found[:, :NOW]
    best = minimize(
        lambda weights: loss(np.clip(expit(columns @ weights), 1e-9, 1.0 - 1e-9), ends),
        np.zeros(NOW),
        jac=lambda weights: columns.T @ (expit(columns @ weights) - ends) / len(ends),
    )
    return best.x, float(best.fun)


def _run(arguments: Sequence[str] | None) -> None:
    parser = Parser("python -m agents.search.fitting", "Fit what leads are worth to games of the captain.")
    measuring.add_options(parser, "skirmish", 5000)
    given = parser.parse_args(arguments)
    setups, seeds = measuring.chosen_games(given)
    if not have_two_sides(setups) or setups["game"]["mode"][0] != Mode.BATTLE:
        raise ConfigError(f"--scenario {given.scenario}: want a battle")
    found, ends = positions(setups, seeds, given.space)
    weights, left = fitted(found, ends)
    ships = float(setups["game"]["n_ships"][0].mean())
    figures = {
        "positions": len(ends),
        "shares": weights[SHARES] * ships,
        "ratio": weights[RATIO],
        "flagship": weights[FLAGSHIP],
        "places": weights[PLACES] / weights[SHARES],
        "log_loss": left,
        "log_loss_as_set": loss(found[:, NOW], ends),
        "log_loss_of_a_half": float(np.log(2.0)),
    }
    measuring.hand_over("\n".join(f"{name} {value:.4g}" for name, value in figures.items()), figures, given.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
