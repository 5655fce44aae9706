"""How well agents cross: every agent plays the same games, and one table tells.

    python -m agents.evaluate --agents pilot,zigzag --scenario crossing --field dense --games 4000

All agents meet the same seeds of the ``test`` space, and games on one seed share every roll that means the same in
both, so differences are taken game by game.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import measuring
from agents.measuring import Interval, prepare, wilson
from agents.protocol import Agent
from fc_env import engine
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.events import Rule
from fc_env.observation import Layout, observe
from fc_env.opponents import wants_aids
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


def play(
    agent: Agent,
    setups: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    space: str = "test",
    layout: Layout | None = None,
) -> Games:
    """Play one game of a scenario, SETUP (1,), on each of the seeds (N,) to its end.

    ``layout``: the observation's, by default the scenario's own, with aids if the agent wants them; a larger one suits
    an agent trained for more pieces. Raises SeedError, ScenarioError, and IllegalActionError for an agent that does not
    follow the mask.
    """
    seen = layout or Layout.of(setups, wants_aids(agent))
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
        actions = agent(observe(active, layout), engine.legal_mask(active))
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


# ---- figures


def crossing_rate(games: Games) -> Interval:
    """Share of the games that crossed, with its Wilson interval."""
    return wilson(int(games.crossed.sum()), len(games.crossed))


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
    setups, seeds = measuring.chosen_games(given)
    pairs = [(name, against) for name in names if name != against]
    figures = report(evaluate(names, setups, seeds, given.space), pairs)
    measuring.hand_over(words(figures), figures, given.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
