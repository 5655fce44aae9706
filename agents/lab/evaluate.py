"""``python -m agents evaluate``: how good one agent is in one scenario, and what its games are like.

Where there are two sides it plays a match against an opponent; else it crosses, and an opponent crosses the same
fields, for comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import evaluate, match
from agents.lab.players import player
from fc_env.commandline import Parser
from fc_env.lab import measuring
from fc_env.lab.playing import Played, play, sides_of
from fc_env.lab.progress import Counting
from fc_env.lab.referee import Player, Referee

PROGRAM = "python -m agents evaluate"


def figures_of(
    names: Sequence[str], setups: np.ndarray, seeds: Sequence[int], space: str, referee: Referee
) -> dict[str, Any]:
    """The figures of the agents by these names as plain data: one or two of them, see ``words``."""
    players = [player(name, setups) for name in names]
    if sides_of(setups) == 1:
        with Counting(len(seeds) * len(players), "games") as display:
            played = {one.name: play([one], setups, seeds, space, referee, display.add) for one in players}
        figures = evaluate.report(played, [(names[0], name) for name in names[1:]])
        times = [_time(one, games, 0) for one, games in zip(players, played.values(), strict=True)]
    else:
        with Counting(len(seeds) * len(players), "games") as display:
            games = play(players, setups, seeds, space, referee, display.add)
        figures = match.summary(names[0], names[1], games)
        times = [_time(one, games, side) for side, one in enumerate(players)]
    return {**figures, "milliseconds_per_decision": dict(times)}


def _time(who: Player, games: Played, side: int) -> tuple[str, float | None]:
    seconds = measuring.share(float(games.seconds[..., side].sum()), float(games.decisions[..., side].sum()))
    return who.name, None if seconds is None else 1000.0 * seconds


def words(figures: dict[str, Any]) -> str:
    """The figures as text that is Markdown too."""
    said = evaluate.words(figures) if "agents" in figures else match.words([figures])
    times = figures["milliseconds_per_decision"].items()
    return f"{said}\n" + "\n".join(f"- {name}: {measuring.number(one, 3)} ms a decision" for name, one in times)


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "How good an agent is in a scenario: paired seeds, seats swapped, intervals over pairs.")
    parser.add_argument("--agent", required=True, help="a name, such as captain or ppo:PATH, or module:factory")
    parser.add_argument("--opponent", default=None, help="the other one (default: captain; in a crossing none)")
    measuring.add_options(parser, "duel", 1000)
    measuring.add_time_limit(parser)
    given = parser.parse_args(arguments)
    setups, seeds = measuring.chosen_games(given)
    two_sides = sides_of(setups) == 2
    opponent = given.opponent or ("captain" if two_sides else None)
    names = (
        [given.agent] if opponent is None or (opponent == given.agent and not two_sides) else [given.agent, opponent]
    )
    figures = figures_of(names, setups, seeds, given.space, Referee(True, given.time_limit))
    measuring.hand_over(words(figures), figures, given.json)
