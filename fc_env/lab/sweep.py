"""``python -m fc_env.lab sweep``: what a scenario is like as one or two of its keys take other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fc_env.commandline import Parser
from fc_env.lab import cells, measuring
from fc_env.lab.cells import FIGURES, SHARES
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.lab.statistics import mean, share

PROGRAM = "python -m fc_env.lab sweep"


def figures_of(games: dict[str, np.ndarray]) -> dict[str, Any]:
    """Means of a cell's figures with 95% intervals, and the share of all hull lost that asteroids took."""
    found: dict[str, Any] = {name: list((share if name in SHARES else mean)(games[name])) for name in FIGURES}
    asteroids, fire = games["lost_to_asteroids"].sum(), games["lost_to_fire"].sum() + games["lost_to_blasts"].sum()
    found["asteroid_share"] = measuring.share(float(asteroids), float(asteroids + fire))
    return found


def _interval(figure: Sequence[float], percent: bool) -> str:
    value, low, high = figure
    if percent:
        return f"{value:.1%} ({low:.1%} to {high:.1%})"
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


COURSE = ("won", "drawn", "turns", "decisions", "field")
DAMAGE = ("lost_to_fire", "lost_to_asteroids", "lost_to_blasts", "contacts", "hazards", "early")


def report(keys: Sequence[str], swept: list[dict[str, Any]], made: dict[str, Any]) -> Report:
    """The report on cells, each with its ``values`` by key, ``games`` and ``figures``."""
    said = Report(f"Sweep of {' and '.join(keys)}", made, {"cells": swept})
    said.text(f"{swept[0]['games']:,} games a cell, on the same seeds in all; means with 95% intervals.")
    names = [" ".join(str(cell["values"][key]) for key in keys) for cell in swept]
    found = [cell["figures"] for cell in swept]
    for figures in (COURSE, DAMAGE):
        lines = [
            [name, *(_interval(one[figure], figure in SHARES) for figure in figures)]
            for name, one in zip(names, found, strict=True)
        ]
        said.text(measuring.table([" ".join(keys), *(FIGURES[figure] for figure in figures)], lines))
    lines = [[name, measuring.percent(one["asteroid_share"])] for name, one in zip(names, found, strict=True)]
    said.text(measuring.table([" ".join(keys), "of all hull lost, to asteroids"], lines))
    series = {FIGURES[name]: np.array([one[name] for one in found]) for name in ("won", "field")}
    said.points("Shares of games", names, series)
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "What a scenario is like as one or two of its keys take other values.")
    parser.add_argument("--scenario", default="duel", metavar="SCENARIO", help="NAME or NAME:FIELD (default: duel)")
    parser.add_argument(
        "--vary",
        nargs="+",
        required=True,
        metavar="KEY=VALUE,VALUE",
        help="keys of the scenario file, such as rules.avoid_die=4,6,8 or classes.cruiser.hull=10,12",
    )
    cells.add_agents(parser)
    measuring.add_games(parser, 400)
    add_workers(parser)
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = cells.chosen_seeds(given)
    combinations = cells.combinations(given.vary, most=2)
    setups = [measuring.scene_setups(given.scenario, values) for values in combinations]
    check_out(given.out)
    with Spread(given.workers) as spread, Counting(2 * len(combinations) * len(seeds), "games") as display:
        played = cells.full(given.agents, setups, seeds, given.space, display.add, spread)
    found = [
        {"values": values, "games": len(seeds), "figures": figures_of(games)}
        for values, games in zip(combinations, played, strict=True)
    ]
    hand_over(report(list(combinations[0]), found, made_by(PROGRAM, arguments, given, seeds)), given.out)
