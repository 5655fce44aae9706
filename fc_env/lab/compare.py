"""``python -m fc_env.lab compare A B``: what differs between two scenarios or rule sets, on the same seeds.

Each seed is played under both, and what is compared are differences within seeds. Who wins is the first question,
and has a level of 5% to itself; the other figures share another 5% (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import binomtest, norm, ttest_1samp

from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab import measuring
from fc_env.lab.cells import FIGURES, SHARES, add_agents, changed, chosen_seeds, full
from fc_env.lab.playing import sides_of
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.lab.statistics import mean, share_difference

PROGRAM = "python -m fc_env.lab compare"
LEVEL, POWER = 0.05, 0.95
SHIFT = 0.02
"""Of the share of games won: the difference that it is told how many games would show."""


OTHERS = len(FIGURES) - 1
"""Figures that share a level."""
LEAST = 30
"""Seeds below which no promise is made."""


def games_needed(deviation: float, shift: float, level: float = LEVEL) -> int | None:
    """About how many seeds find a shift with ``POWER`` at a level, by the deviation of differences within seeds; None
    where it cannot be told."""
    if not (shift and deviation):
        return None
    z = norm.ppf(1.0 - level / 2.0) + norm.ppf(POWER)
    return max(math.ceil((z * deviation / shift) ** 2), LEAST)


def _chance(name: str, less: np.ndarray) -> float:
    """How likely differences as large are where there is none.

    Of shares by the sign test. Of counts by Student's t, but never less than what the signs of so many seeds that
    differ could show.
    """
    differ = less[less != 0]
    if not len(differ):
        return 1.0
    if name in SHARES:
        return float(binomtest(int((differ > 0).sum()), len(differ)).pvalue)
    least = 2.0 ** (1 - len(differ))
    return max(float(ttest_1samp(less, 0.0).pvalue), least) if less.std() else least


def _figure(name: str, a: np.ndarray, b: np.ndarray) -> dict[str, Any]:
    less = b - a
    value, low, high = (share_difference if name in SHARES else mean)(less)
    level = LEVEL if name == "won" else LEVEL / OTHERS
    return {
        "a": float(a.mean()),
        "b": float(b.mean()),
        "difference": value,
        "interval_95": [low, high],
        "chance": _chance(name, less),
        "games_needed": games_needed(float(less.std(ddof=1)), value, level),
    }


def differences(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> dict[str, dict[str, Any]]:
    """For each figure both means, the difference of B from A with its interval, and whether it is beyond chance."""
    found = {name: _figure(name, a[name], b[name]) for name in FIGURES}
    found["won"]["differs"] = found["won"]["chance"] < LEVEL
    beyond = True
    others = sorted((name for name in FIGURES if name != "won"), key=lambda name: found[name]["chance"])
    for place, name in enumerate(others):
        beyond = beyond and found[name]["chance"] < LEVEL / (OTHERS - place)
        found[name]["differs"] = beyond
    deviation = float((b["won"] - a["won"]).std(ddof=1))
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
        needed = one["games_needed"] if one["differs"] else None
        lines.append(
            [FIGURES[name], number(one["a"], share), number(one["b"], share), number(one["difference"], share),
             f"{number(low, share)} to {number(high, share)}", "yes" if one["differs"] else "no",
             "-" if needed is None else f"{needed:,}"]
        )  # fmt: skip
    heads = ["mean of a game", "A", "B", "B - A", "95% interval", "beyond chance", "seeds that show it"]
    said.text(measuring.table(heads, lines))
    two_points = found["won"]["games_for_two_points"]
    said.text(
        f"Who wins is tested at a level of {LEVEL:.0%}, all other figures together at another. *Seeds that show it*: "
        f"about so many find a difference that is as large as this one seems {POWER:.0%} of the time."
    )
    if two_points is not None:
        said.text(f"Two points in the share of games won would take about {two_points:,} seeds.")
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "What differs between two scenarios or rule sets, on the same seeds.")
    parser.add_argument("scenarios", nargs="+", metavar="SCENARIO", help="A and B: names, NAME:FIELD or paths")
    parser.add_argument("--change", nargs="+", default=[], metavar="KEY=VALUE",
                        help="with one scenario: B is the same with these keys changed")  # fmt: skip
    add_agents(parser)
    measuring.add_games(parser, 1000)
    add_workers(parser)
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = chosen_seeds(given)
    pairs = [changed(text, "--change") for text in given.change]
    changes = {key: values[0] for key, values in pairs}
    if len(changes) < len(pairs) or any(len(values) > 1 for _, values in pairs):
        raise ConfigError(f"--change {' '.join(given.change)}: want one value for each key, and each key once")
    if len(given.scenarios) + bool(changes) != 2:
        raise ConfigError(f"{' '.join(given.scenarios)}: want two scenarios, or one and --change")
    pair = [measuring.scene_setups(given.scenarios[0]), measuring.scene_setups(given.scenarios[-1], changes)]
    if len({sides_of(setups) for setups in pair}) > 1:
        raise ConfigError(f"{' '.join(given.scenarios)}: one has one side, the other two: want the same number")
    check_out(given.out)
    with Spread(given.workers) as spread, Counting(4 * len(seeds), "games") as display:
        a, b = full(given.agents, pair, seeds, given.space, display.add, spread)
    names = [given.scenarios[0], " ".join([given.scenarios[-1], *given.change])]
    hand_over(report(names, len(seeds), differences(a, b), made_by(PROGRAM, arguments, given, seeds)), given.out)
