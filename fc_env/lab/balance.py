"""``python -m fc_env.lab balance``: which values of some keys make two fleets win as often as wanted.

All combinations of the values are candidates. Each round plays them on further seeds, common to all, and gives up the
half that is farther from the target (sequential halving: Karnin, Koren, Somekh 2013). What is left is judged on
seeds that had no say in choosing it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

from fc_env import scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.files import check_writable, write_text
from fc_env.lab import cells, measuring
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.lab.statistics import share

PROGRAM = "python -m fc_env.lab balance"
LEAST = 16
"""Seeds on which a candidate is played at first."""

Values = Mapping[str, Any]
"""A candidate: values by the keys of the scenario file."""
Play = Callable[[Values, Sequence[int]], np.ndarray]
"""What seat 0 won with a candidate on each of the seeds, float64 (N,)."""


def schedule(candidates: int, games: int) -> list[tuple[int, int]]:
    """Rounds of a search: how many candidates each plays with, and on how many seeds each of them has then been played
    in all, at most ``games``."""
    rounds: list[tuple[int, int]] = []
    while candidates > 1:
        rounds.append((candidates, 0))
        candidates = (candidates + 1) // 2
    seeds = games
    for place in reversed(range(len(rounds))):
        rounds[place] = (rounds[place][0], seeds)
        seeds = max(seeds // 2, min(LEAST, games))
    return rounds


def search(candidates: Sequence[Values], target: float, seeds: Sequence[int], play: Play) -> list[dict[str, Any]]:
    """Each candidate with its share of wins and its seeds, the one nearest to the target of those left first."""
    won = [np.zeros(0) for _ in candidates]
    alive = list(range(len(candidates)))

    def distance(number: int) -> float:
        return abs(float(won[number].mean()) - target)

    ranked: list[int] = []
    for kept, upto in schedule(len(candidates), len(seeds)):
        for number in alive[kept:]:
            ranked.insert(0, number)
        alive = alive[:kept]
        for number in alive:
            won[number] = np.append(won[number], play(candidates[number], seeds[len(won[number]) : upto]))
        alive.sort(key=distance)
    return [
        {"values": dict(candidates[number]), "won": float(won[number].mean()) if len(won[number]) else None,
         "games": len(won[number])}
        for number in [*alive, *ranked]
    ]  # fmt: skip


def written(scenario: str, values: Values, note: str) -> str:
    """The scenario's file as text, with keys changed and everything else as it is, and a note on top."""
    yaml = YAML()
    yaml.width = 120
    document: Any = yaml.load(scenarios.source(scenario))
    for key, value in values.items():
        *path, last = scenarios.key_path(key)
        inner: Any = document
        for part in path:
            inner = inner.setdefault(str(part), {}) if isinstance(inner, dict) else inner[part]
        inner[str(last) if isinstance(inner, dict) else last] = value
    text = io.StringIO()
    yaml.dump(document, text)
    return "".join(f"# {line}\n" for line in note.splitlines()) + text.getvalue()


def report(target: float, found: list[dict[str, Any]], judged: Sequence[float], n: int, made: dict[str, Any]) -> Report:
    """The report on a search: its candidates, the best first, and how that did on seeds of its own."""
    best, (won, low, high) = found[0], judged
    figures = {"target": target, "best": best["values"], "won": won, "interval_95": [low, high], "games": n}
    said = Report("Balance", made, {**figures, "candidates": found})
    chosen = ", ".join(f"`{key}: {value}`" for key, value in best["values"].items())
    verdict = "holds the target" if low <= target <= high else "does not reach the target"
    said.text(f"Nearest to {target:.1%} for seat 0: {chosen}.")
    said.text(
        f"On {n:,} seeds that had no say in the choice it wins {won:.1%} (95% interval {low:.1%} to {high:.1%}), "
        f"which {verdict}."
    )
    keys = list(best["values"])
    lines = [
        [*(str(one["values"][key]) for key in keys), measuring.percent(one["won"]), f"{one['games']:,}"]
        for one in found
    ]  # fmt: skip
    said.text(measuring.table([*keys, "won by seat 0", "games"], lines), "Candidates, the best first")
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "Which values of some keys of a scenario make its fleets win as often as wanted.")
    parser.add_argument("--scenario", default="ambush", metavar="SCENARIO", help="NAME or NAME:FIELD (default: ambush)")
    parser.add_argument("--vary", nargs="+", required=True, metavar="KEY=VALUE,VALUE",
                        help="keys of the scenario file and the values to try")  # fmt: skip
    parser.add_argument("--target", type=float, default=0.5, help="share that seat 0 is to win (default: 0.5)")
    cells.add_agents(parser)
    measuring.add_games(parser, 400, "most seeds of a candidate, and seeds on which the best is judged")
    add_workers(parser)
    parser.add_argument("--write", type=Path, default=None, metavar="FILE", help="write the scenario found there, YAML")
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = cells.chosen_seeds(given)
    if not 0.0 < given.target < 1.0:
        raise ConfigError(f"--target {given.target}: want a share above 0 and below 1")
    candidates = cells.combinations(given.vary)
    for values in candidates:
        measuring.scene_setups(given.scenario, values)
    check_out(given.out)
    if given.write is not None:
        check_writable(given.write)
    total = sum(_games(len(candidates), len(seeds))) + len(seeds)
    with Spread(given.workers) as spread, Counting(total, "games") as display:

        def play(values: Values, some: Sequence[int]) -> np.ndarray:
            setups = measuring.scene_setups(given.scenario, values)
            (games,) = cells.many(given.agents, [setups], some, given.space, display.add, spread)
            return games["won"]

        found = search(candidates, given.target, seeds, play)
        fresh = range(given.first_seed + len(seeds), given.first_seed + 2 * len(seeds))
        judged = share(play(found[0]["values"], fresh))
    said = report(given.target, found, judged, len(seeds), made_by(PROGRAM, arguments, given, seeds))
    if given.write is not None:
        name, _ = measuring.split_scene(given.scenario)
        note = f"{said.made['command']}\nSeat 0 won {judged.value:.1%} ({judged.low:.1%} to {judged.high:.1%})."
        write_text(given.write, written(name, found[0]["values"], note))
    hand_over(said, given.out)


def _games(candidates: int, games: int) -> list[int]:
    """Games of each round."""
    rounds, before, found = schedule(candidates, games), 0, []
    for kept, upto in rounds:
        found.append(kept * (upto - before))
        before = upto
    return found
