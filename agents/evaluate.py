"""How well agents cross: every agent plays the same games, and one table tells.

    python -m agents.evaluate --agents pilot,zigzag --scenario crossing --field dense --games 4000

All agents meet the same seeds of the ``test`` space, and games on one seed share every roll that means the same in
both, so differences are taken game by game.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.lab.players import player
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.lab import measuring, statistics
from fc_env.lab.playing import Played, play
from fc_env.lab.statistics import Interval, wilson
from fc_env.state import Outcome

# ---- figures


def crossing_rate(games: Played) -> Interval:
    """Share of the games that crossed, with its Wilson interval."""
    return wilson(int(games.crossed.sum()), len(games.crossed))


def paired_difference(a: Played, b: Played) -> Interval:
    """Crossing rate of ``a`` less that of ``b`` on the same seeds, with the interval for matched pairs.

    Raises ConfigError if the seeds differ.
    """
    if not np.array_equal(a.seeds, b.seeds):
        raise ConfigError("a paired difference of games on different seeds: want the same seeds in the same order")
    return statistics.paired_difference(a.crossed, b.crossed)


def summary(name: str, games: Played) -> dict[str, Any]:
    """The figures of one agent as plain data; the counts are means of a game."""
    rate = crossing_rate(games)
    return {
        "agent": name,
        "games": len(games.seeds),
        "crossing_rate": rate.value,
        "interval_95": [rate.low, rate.high],
        "mean_turns": float(games.turns.mean()),
        "mean_hull_lost": float(games.hull_lost.mean()),
        "mean_contacts": float(games.contacts.mean()),
        **{key: float(games.counts[key].mean()) for key in measuring.FLYING if key != "contacts"},
        "ended": {
            outcome.name.lower(): float((games.outcome == outcome).mean())
            for outcome in (Outcome.CROSSED, Outcome.DESTROYED, Outcome.LEFT_ELSEWHERE, Outcome.OUT_OF_TIME)
        },
        "forfeits": int((games.forfeit >= 0).sum()),
        "faults": games.reasons,
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
            measuring.ends(one["interval_95"]),
            f"{one['mean_turns']:.1f}",
            f"{one['mean_hull_lost']:.1f}",
            f"{one['mean_contacts']:.2f}",
            *(f"{share:.1%}" for end, share in one["ended"].items() if end != "crossed"),
        ]
        for one in summaries
    ]
    return measuring.table(_HEADS, rows)


# ---- the command line


def _parser() -> Parser:
    parser = Parser("python -m agents.evaluate", "Let agents play the same games and print one table.")
    parser.add_argument("--agents", default="pilot,zigzag", help="names with commas between, such as pilot,ppo:PATH")
    parser.add_argument("--against", default=None, help="agent the others are compared with (default: the last)")
    measuring.add_options(parser, "crossing", 1000)
    return parser


def evaluate(
    names: Sequence[str], setups: np.ndarray, seeds: Sequence[int] | np.ndarray, space: str = "test"
) -> dict[str, Played]:
    """Let each named agent play the same games of one scenario, SETUP (1,)."""
    ready = [player(name, setups) for name in names]
    return {one.name: play([one], setups, seeds, space) for one in ready}


def report(played: Mapping[str, Played], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The figures of all agents, and the paired differences of these pairs of them, as plain data."""
    differences = []
    for a, b in pairs:
        value, low, high = paired_difference(played[a], played[b])
        differences.append({"agent": a, "less": b, "difference": value, "interval_95": [low, high]})
    return {"agents": [summary(name, games) for name, games in played.items()], "differences": differences}


def words(figures: Mapping[str, Any]) -> str:
    """A report's table and differences as text that is Markdown too."""
    flights = [(one["agent"], {**one, "contacts": one["mean_contacts"]}) for one in figures["agents"]]
    lines = [table(figures["agents"]), "", measuring.flying(flights), ""]
    for one in figures["differences"]:
        points = [100 * part for part in (one["difference"], *one["interval_95"])]
        lines.append(
            "- {} less {}: {:+.1f} points (95% interval {:+.1f} to {:+.1f})".format(one["agent"], one["less"], *points)
        )
    lines += [f"- forfeited, {fault}" for one in figures["agents"] for fault in one["faults"]]
    return "\n".join(lines).rstrip()


def _run(arguments: Sequence[str] | None) -> None:
    given = _parser().parse_args(arguments)
    names = [name.strip() for name in given.agents.split(",") if name.strip()]
    against = given.against or (names[-1] if names else "")
    if not names or len(set(names)) != len(names):
        raise ConfigError(f"--agents {given.agents!r}: want different names with commas between")
    if against not in names:
        raise ConfigError(f"--against {against!r}: want one of {', '.join(names)}")
    setups, seeds = measuring.chosen_games(given)
    pairs = [(name, against) for name in names if name != against]
    figures = report(evaluate(names, setups, seeds, given.space), pairs)
    measuring.hand_over(words(figures), figures, given.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
