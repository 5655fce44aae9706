"""What the commands that measure agents have in common: options, agents made ready, intervals, tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from agents.protocol import Agent, make
from fc_env import scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.files import check_writable, write_text
from fc_env.observation import Layout
from fc_env.opponents import wants_aids
from fc_env.seeding import SPACES

MOST_GAMES = 1_000_000


class Interval(NamedTuple):
    """A figure with the two ends of its 95% interval."""

    value: float
    low: float
    high: float


def wilson(won: int, games: int) -> Interval:
    """Share of independent games that were won, with its Wilson interval (Wilson 1927)."""
    tested = binomtest(won, games)
    ends = tested.proportion_ci(confidence_level=0.95, method="wilson")
    return Interval(float(tested.statistic), float(ends.low), float(ends.high))


def prepare(name: str, setups: np.ndarray, seed: int = 0) -> tuple[Agent, Layout]:
    """An agent by name and the layout it sees: a trained one may have room for more pieces than these scenarios have.

    Raises ConfigError.
    """
    kind, _, path = name.partition(":")
    if kind == "ppo" and path:
        from agents import ppo

        own = ppo.layout_of(path)
        if all(room >= needed for room, needed in zip(own, Layout.of(setups, own.aids), strict=True)):
            return ppo.PPOAgent(path, own, seed=seed), own
    agent = make(name, setups, seed)
    return agent, Layout.of(setups, wants_aids(agent))


# ---- the command line


def add_options(parser: Parser, scenario: str, games: int) -> None:
    """Which games are played, and where the figures go; ``scenario`` and ``games`` are the defaults."""
    parser.add_argument("--scenario", default=scenario, help=f"a scenario's name or path (default: {scenario})")
    parser.add_argument("--field", default=None, help="one of its fields (default: its usual one)")
    parser.add_argument("--games", type=int, default=games, help=f"number of seeds that are played (default: {games})")
    parser.add_argument("--first-seed", type=int, default=0, help="the first game's seed, others follow (default: 0)")
    parser.add_argument("--space", choices=SPACES[::-1], default="test", help="space of the seeds (default: test)")
    parser.add_argument("--json", type=Path, default=None, help="write the figures to this file too")


def chosen_games(given: Any) -> tuple[np.ndarray, range]:
    """The scenario, SETUP (1,), and the seeds that these options ask for.

    Raises ConfigError or ScenarioError, and OSError if the file for the figures cannot be written.
    """
    if not 1 <= given.games <= MOST_GAMES:
        raise ConfigError(f"--games {given.games}: want a number from 1 to {MOST_GAMES}")
    setups = scenarios.load(given.scenario, given.field)
    if given.json is not None:
        check_writable(given.json)
    return setups, range(given.first_seed, given.first_seed + given.games)


def hand_over(text: str, figures: Mapping[str, Any], file: Path | None) -> None:
    """Print the text, and write the figures to the file if there is one."""
    print(text)
    if file is not None:
        write_text(file, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


# ---- words


def ends(interval: Sequence[float]) -> str:
    """The two ends of an interval of shares in words."""
    low, high = interval
    return f"{low:.1%} to {high:.1%}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text that is Markdown too: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [heads, *rows]) for column in range(len(heads))]
    ruler = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([_line(heads, widths), "| " + " | ".join(ruler) + " |", *(_line(row, widths) for row in rows)])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]) + " |"
