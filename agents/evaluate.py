"""How well agents cross: every agent plays the same games, and one table tells.

    python -m agents.evaluate --agents pilot,zigzag --scenario crossing --field dense --games 4000

All agents meet the same seeds of the ``test`` space, and games on one seed share every roll that means the same in
both, so differences are taken game by game.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from agents.protocol import Agent, make
from fc_env import engine, scenarios
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.events import Rule
from fc_env.files import check_writable, write_text
from fc_env.observation import Encoder, Layout
from fc_env.state import Outcome, Phase

_BATCH = 1024
"""Games that are played side by side; bounds the memory for events."""


@dataclass(frozen=True)
class Games:
    """What became of N games."""

    seeds: np.ndarray  # uint64 (N,), as given
    outcome: np.ndarray  # int64 (N,), a state.Outcome
    turns: np.ndarray  # int64 (N,), turns begun
    hull_lost: np.ndarray  # int64 (N,), hull points lost by the ships of seat 0
    contacts: np.ndarray  # int64 (N,), contacts rolled for (CON-1)
    decisions: np.ndarray  # int64 (N,), decisions made

    @property
    def crossed(self) -> np.ndarray:
        """Which games were won by crossing, bool (N,)."""
        won: np.ndarray = self.outcome == Outcome.CROSSED
        return won


class Interval(NamedTuple):
    """A figure with the two ends of its 95% interval."""

    value: float
    low: float
    high: float


def play(
    agent: Agent,
    setups: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    space: str = "test",
    layout: Layout | None = None,
) -> Games:
    """Play one game of a scenario, SETUP (1,), on each of the seeds (N,) to its end.

    ``layout``: the observation's, by default the scenario's own; a larger one suits an agent trained for more pieces.
    Raises SeedError, ScenarioError, and IllegalActionError for an agent that does not follow the mask.
    """
    seen = layout or Layout.of(setups)
    parts = [_play_batch(agent, setups, seeds[i : i + _BATCH], space, seen) for i in range(0, len(seeds), _BATCH)]
    if not parts:
        raise ConfigError("no seeds: want at least one game")
    return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in Games.__dataclass_fields__))


def _play_batch(agent: Agent, setups: np.ndarray, seeds: Any, space: str, layout: Layout) -> Games:
    games = engine.new(setups, seeds, space)
    contacts, decisions = np.zeros(len(games), np.int64), np.zeros(len(games), np.int64)
    going = np.flatnonzero(games["phase"] != Phase.OVER)
    while len(going):
        # Finished games are set aside, so that no agent is asked about them.
        active = games[going]
        actions = agent(Encoder(layout, len(active))(active).copy(), engine.legal_mask(active))
        events = engine.step(active, actions, record=True).events
        met = events["game"][events["rule"] == Rule.CON_1]
        contacts[going] += np.bincount(met, minlength=len(active))
        decisions[going] += 1
        games[going] = active
        going = going[active["phase"] != Phase.OVER]
    ships = games["ships"][:, 0]
    return Games(
        seeds=np.asarray(seeds, np.uint64),
        outcome=games["outcome"].astype(np.int64),
        turns=games["turn"].astype(np.int64),
        hull_lost=(ships["full_hull"] - ships["hull"]).sum(axis=1, dtype=np.int64),
        contacts=contacts,
        decisions=decisions,
    )


def prepare(name: str, setups: np.ndarray, seed: int = 0) -> tuple[Agent, Layout]:
    """An agent by name and the layout it sees: a trained one may have room for more pieces than these scenarios have.

    Raises ConfigError.
    """
    layout = Layout.of(setups)
    kind, _, path = name.partition(":")
    if kind == "ppo" and path:
        from agents import ppo

        own = ppo.layout_of(path)
        if all(room >= needed for room, needed in zip(own, layout, strict=True)):
            return ppo.PPOAgent(path, own, seed=seed), own
    return make(name, setups, seed), layout


# ---- figures


def crossing_rate(games: Games) -> Interval:
    """Share of the games that crossed, with its Wilson interval (Wilson 1927)."""
    tested = binomtest(int(games.crossed.sum()), len(games.crossed))
    ends = tested.proportion_ci(confidence_level=0.95, method="wilson")
    return Interval(float(tested.statistic), float(ends.low), float(ends.high))


def paired_difference(a: Games, b: Games) -> Interval:
    """Crossing rate of ``a`` less that of ``b`` on the same seeds, with the interval for matched pairs.

    Half a pair is added to each of the four kinds of pairs (Agresti and Min 2005), so that the interval is honest for
    few games too. Raises ConfigError if the seeds differ.
    """
    if not np.array_equal(a.seeds, b.seeds):
        raise ConfigError("a paired difference of games on different seeds: want the same seeds in the same order")
    n = len(a.seeds)
    only_a = int((a.crossed & ~b.crossed).sum())
    only_b = int((b.crossed & ~a.crossed).sum())
    centre = (only_a - only_b) / (n + 2)
    share = (only_a + only_b + 1) / (n + 2)
    width = 1.959964 * math.sqrt((share - centre**2) / (n + 2))
    return Interval((only_a - only_b) / n, max(centre - width, -1.0), min(centre + width, 1.0))


def summary(name: str, games: Games) -> dict[str, Any]:
    """The figures of one agent as plain data."""
    rate = crossing_rate(games)
    return {
        "agent": name,
        "games": len(games.seeds),
        "crossing_rate": rate.value,
        "interval_95": [rate.low, rate.high],
        "mean_turns": float(games.turns.mean()),
        "mean_hull_lost": float(games.hull_lost.mean()),
        "mean_contacts": float(games.contacts.mean()),
        "ended": {
            outcome.name.lower(): float((games.outcome == outcome).mean())
            for outcome in (Outcome.CROSSED, Outcome.DESTROYED, Outcome.LEFT_ELSEWHERE, Outcome.OUT_OF_TIME)
        },
    }


# ---- words

_HEADS = (
    "agent", "crossing rate", "95% interval", "turns", "hull lost", "contacts",
    "destroyed", "left elsewhere", "out of time",
)  # fmt: skip


def table(summaries: Sequence[Mapping[str, Any]]) -> str:
    """One table of all agents, as text that is Markdown too."""
    rows = [
        [
            str(one["agent"]),
            f"{one['crossing_rate']:.1%}",
            "{:.1%} to {:.1%}".format(*one["interval_95"]),
            f"{one['mean_turns']:.1f}",
            f"{one['mean_hull_lost']:.1f}",
            f"{one['mean_contacts']:.2f}",
            *(f"{share:.1%}" for end, share in one["ended"].items() if end != "crossed"),
        ]
        for one in summaries
    ]
    widths = [max(len(row[column]) for row in [list(_HEADS), *rows]) for column in range(len(_HEADS))]
    ruler = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [_line(list(_HEADS), widths), "| " + " | ".join(ruler) + " |", *(_line(row, widths) for row in rows)]
    return "\n".join(lines)


def _line(cells: list[str], widths: list[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return "| " + " | ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]) + " |"


# ---- the command line


def _parser() -> Parser:
    parser = Parser("python -m agents.evaluate", "Let agents play the same games and print one table.")
    parser.add_argument("--agents", default="pilot,zigzag", help="names with commas between, such as pilot,ppo:PATH")
    parser.add_argument("--scenario", default="crossing", help="a scenario's name or path (default: crossing)")
    parser.add_argument("--field", default=None, help="one of its fields (default: its usual one)")
    parser.add_argument("--games", type=int, default=1000, help="number of games of each agent (default: 1000)")
    parser.add_argument("--first-seed", type=int, default=0, help="the first game's seed, others follow (default: 0)")
    parser.add_argument("--space", choices=("test", "train"), default="test", help="space of the seeds (default: test)")
    parser.add_argument("--against", default=None, help="agent the others are compared with (default: the last)")
    parser.add_argument("--json", type=Path, default=None, help="write the figures to this file too")
    return parser


def evaluate(
    names: Sequence[str], setups: np.ndarray, seeds: Sequence[int] | np.ndarray, space: str = "test", seed: int = 0
) -> dict[str, Games]:
    """Let each named agent play the same games of one scenario, SETUP (1,)."""
    ready = {name: prepare(name, setups, seed) for name in names}
    return {name: play(agent, setups, seeds, space, layout) for name, (agent, layout) in ready.items()}


def report(played: Mapping[str, Games], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The figures of all agents, and the paired differences of these pairs of them, as plain data."""
    differences = []
    for a, b in pairs:
        value, low, high = paired_difference(played[a], played[b])
        differences.append({"agent": a, "less": b, "difference": value, "interval_95": [low, high]})
    return {"agents": [summary(name, games) for name, games in played.items()], "differences": differences}


def words(figures: Mapping[str, Any]) -> str:
    """A report's table and differences as text that is Markdown too."""
    lines = [table(figures["agents"]), ""]
    for one in figures["differences"]:
        points = [100 * part for part in (one["difference"], *one["interval_95"])]
        lines.append(
            "- {} less {}: {:+.1f} points (95% interval {:+.1f} to {:+.1f})".format(one["agent"], one["less"], *points)
        )
    return "\n".join(lines).rstrip()


def _run(arguments: Sequence[str] | None) -> None:
    given = _parser().parse_args(arguments)
    names = [name.strip() for name in given.agents.split(",") if name.strip()]
    against = given.against or (names[-1] if names else "")
    if not names or len(set(names)) != len(names):
        raise ConfigError(f"--agents {given.agents!r}: want different names with commas between")
    if against not in names:
        raise ConfigError(f"--against {against!r}: want one of {', '.join(names)}")
    if not 1 <= given.games <= 1_000_000:
        raise ConfigError(f"--games {given.games}: want a number from 1 to 1000000")
    setups = scenarios.load(given.scenario, given.field)
    seeds = range(given.first_seed, given.first_seed + given.games)
    pairs = [(name, against) for name in names if name != against]
    if given.json is not None:
        check_writable(given.json)
    figures = report(evaluate(names, setups, seeds, given.space), pairs)
    print(words(figures))
    if given.json is not None:
        write_text(given.json, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
