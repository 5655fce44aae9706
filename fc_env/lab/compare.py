"""``python -m fc_env.lab compare A B``: what differs between two scenarios or rule sets, on the same seeds.

Each seed is played under both, and what is compared are differences within seeds. Who wins is the first question,
and has a level of 5% to itself; the other figures share another 5% (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm, ttest_1samp

from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab import measuring
from fc_env.lab.cells import FIGURES, add_agents, cell, changed, check_agents, setups_of
from fc_env.lab.playing import sides_of
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.statistics import mean
from fc_env.lab.sweep import SHARES

PROGRAM = "python -m fc_env.lab compare"
LEVEL, POWER = 0.05, 0.95
SHIFT = 0.02
"""Of the share of games won: the difference that it is told how many games would show."""


def games_needed(deviation: float, shift: float) -> int | None:
    """Seeds with which a shift is found with ``POWER`` at ``LEVEL``, by the deviation of differences within seeds."""
    if not shift:
        return None
    z = norm.ppf(1.0 - LEVEL / 2.0) + norm.ppf(POWER)
    return max(math.ceil((z * deviation / shift) ** 2), 2)


def _chance(differences: np.ndarray) -> float:
    """How likely differences as large are where there is none."""
    if not differences.std():
        return 0.0 if differences.any() else 1.0
    return float(ttest_1samp(differences, 0.0).pvalue)


def differences(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> dict[str, dict[str, Any]]:
    """For each figure both means, the difference of B from A with its interval, and whether it is beyond chance."""
    found: dict[str, dict[str, Any]] = {}
    for name in FIGURES:
        less = b[name] - a[name]
        interval = mean(less)
        deviation = float(less.std(ddof=1)) if len(less) > 1 else 0.0
        found[name] = {
            "a": float(a[name].mean()),
            "b": float(b[name].mean()),
            "difference": interval.value,
            "interval_95": [interval.low, interval.high],
            "chance": _chance(less),
            "games_needed": games_needed(deviation, interval.value),
        }
    found["won"]["differs"] = found["won"]["chance"] < LEVEL
    others = sorted((name for name in FIGURES if name != "won"), key=lambda name: found[name]["chance"])
    beyond = True
    for place, name in enumerate(others):
        beyond = beyond and found[name]["chance"] < LEVEL / (len(others) - place)
        found[name]["differs"] = beyond
    deviation = float((b["won"] - a["won"]).std(ddof=1)) if len(a["won"]) > 1 else 0.0
    found["won"]["games_for_two_points"] = games_needed(deviation, SHIFT)
    return found


def report(names: Sequence[str], n: int, found: dict[str, dict[str, Any]], made: dict[str, Any]) -> Report:
    """The report on what differs."""
    said = Report(f"{names[0]} against {names[1]}", made, {"a": names[0], "b": names[1], "games": n, "figures": found})
    said.text(f"A is {names[0]}, B is {names[1]}; {n:,} seeds, each played under both.")
    beyond = [FIGURES[name] for name, one in found.items() if one["differs"]]
    said.text(f"**Beyond chance:** {'; '.join(beyond)}." if beyond else "Nothing differs beyond chance.")

    def number(value: float, share: bool) -> str:
        return f"{value:.1%}" if share else f"{value:.3f}"

    lines = []
    for name, one in found.items():
        share, (low, high) = name in SHARES, one["interval_95"]
        needed = one["games_needed"]
        lines.append(
            [FIGURES[name], number(one["a"], share), number(one["b"], share), number(one["difference"], share),
             f"{number(low, share)} to {number(high, share)}", "yes" if one["differs"] else "no",
             "-" if needed is None else f"{needed:,}"]
        )  # fmt: skip
    heads = ["mean of a game", "A", "B", "B - A", "95% interval", "beyond chance", "seeds that show it"]
    said.text(measuring.table(heads, lines))
    two_points = found["won"]["games_for_two_points"]
    said.text(
        f"*Seeds that show it*: with so many a difference as large as this one is found {POWER:.0%} of the time. Two "
        f"points in the share of games won would take {two_points:,}."
    )
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "What differs between two scenarios or rule sets, on the same seeds.")
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="A and B: names, NAME:FIELD or paths")
    parser.add_argument("--change", nargs="+", default=[], metavar="KEY=VALUE",
                        help="with one scenario: B is the same with these keys changed")  # fmt: skip
    add_agents(parser)
    measuring.add_games(parser, 1000)
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = measuring.chosen_seeds(given)
    changes = {key: values[0] for key, values in (changed(text, "--change") for text in given.change)}
    if len(given.scenarios) + bool(changes) != 2:
        raise ConfigError(f"{' '.join(given.scenarios)}: want two scenarios, or one and --change")
    check_agents(given.agents)
    pair: list[tuple[str, dict[str, Any]]] = [(given.scenarios[0], {}), (given.scenarios[-1], changes)]
    if len({sides_of(setups_of(*one)) for one in pair}) > 1:
        raise ConfigError(f"{' '.join(given.scenarios)}: one has one side, the other two: want the same number")
    check_out(given.out)
    with Counting(4 * len(seeds), "games") as display:
        a, b = (cell(*one, given.agents, seeds, given.space, display.add) for one in pair)
    names = [given.scenarios[0], " ".join([given.scenarios[-1], *given.change])]
    hand_over(report(names, len(seeds), differences(a, b), made_by(PROGRAM, arguments)), given.out)
