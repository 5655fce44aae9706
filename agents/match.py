"""Two agents against each other: every seed twice with the seats swapped, and what the games were like.

    python -m agents evaluate --agent captain --opponent random --scenario duel --field standard --games 1000

``python -m agents.match --first captain --second random`` is the same under its older name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from agents.lab.players import player
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError
from fc_env.lab import measuring
from fc_env.lab.playing import Played, play
from fc_env.lab.statistics import Interval, paired_mean, wilson
from fc_env.scenarios import have_two_sides
from fc_env.state import SEATS


def win_rate(match: Played) -> Interval:
    """Share of all games that ``first`` won."""
    return paired_mean((match.result > 0).astype(np.float64))


def score(match: Played) -> Interval:
    """The same with a draw worth half a win."""
    return paired_mean((match.result + 1) / 2)


def _counts(result: np.ndarray) -> dict[str, int]:
    return {"wins": int((result > 0).sum()), "draws": int((result == 0).sum()), "losses": int((result < 0).sum())}


def _by_seat(match: Played) -> Iterable[dict[str, Any]]:
    for seat in range(SEATS):
        counts = _counts(match.result[:, seat])
        rate = wilson(counts["wins"], len(match.seeds))
        yield {"seat": seat, **counts, "win_rate": rate.value, "interval_95": [rate.low, rate.high]}


def _of_side(name: str, match: Played, side: int) -> dict[str, Any]:
    totals = {key: float(count[:, :, side].sum()) for key, count in match.counts.items()}
    games = match.result.size
    return {
        "agent": name,
        **{key: total / games for key, total in totals.items()},
        "density_per_attack": measuring.share(totals["density"], totals["attacks"]),
        "forfeits": int((match.forfeit == side).sum()),
    }


def summary(first: str, second: str, match: Played) -> dict[str, Any]:
    """The figures of a match as plain data; those of ``sides`` are means of a game."""
    rate, points = win_rate(match), score(match)
    causes = {cause: float(getattr(match, f"lost_to_{cause}").sum()) for cause in ("fire", "blasts", "asteroids")}
    lost = sum(causes.values())
    return {
        "first": first,
        "second": second,
        "seeds": len(match.seeds),
        "games": match.result.size,
        **_counts(match.result),
        "win_rate": rate.value,
        "interval_95": [rate.low, rate.high],
        "score": points.value,
        "score_interval_95": [points.low, points.high],
        "by_seat": list(_by_seat(match)),
        "mean_turns": float(match.turns.mean()),
        "shares_of_damage": {cause: damage / lost if lost else None for cause, damage in causes.items()},
        "sides": [_of_side(name, match, side) for side, name in enumerate((first, second))],
        "faults": match.reasons,
    }


# ---- words

_HEADS = (
    "match", "won", "drawn", "lost", "win rate", "95% interval", "score", "95% interval", "in seat 0", "in seat 1",
    "turns",
)  # fmt: skip
_SIDE_HEADS = (
    "per game", "attacks", "damage dealt by fire", "lost to fire", "to explosions", "to asteroids",
    "density on its lines, per attack", "on the enemy's",
)  # fmt: skip


def _title(one: dict[str, Any]) -> str:
    return f"{one['first']} against {one['second']}"


def _row(one: dict[str, Any]) -> list[str]:
    return [
        _title(one),
        *(f"{one[key]:,}" for key in ("wins", "draws", "losses")),
        f"{one['win_rate']:.1%}",
        measuring.ends(one["interval_95"]),
        f"{one['score']:.1%}",
        measuring.ends(one["score_interval_95"]),
        *(f"{seat['win_rate']:.1%}" for seat in one["by_seat"]),
        f"{one['mean_turns']:.1f}",
    ]


def _side_row(one: dict[str, Any], side: int) -> list[str]:
    own, other = one["sides"][side], one["sides"][1 - side]
    return [
        f"{own['agent']} against {other['agent']}",
        *(f"{own[k]:.1f}" for k in ("attacks", "dealt", "lost_to_fire", "lost_to_blasts", "lost_to_asteroids")),
        *(measuring.number(who["density_per_attack"], 2) for who in (own, other)),
    ]


def words(summaries: Sequence[dict[str, Any]]) -> str:
    """The tables of all matches, and what their damage came from, as text that is Markdown too."""
    sides = [_side_row(one, side) for one in summaries for side in range(SEATS)]
    flights = [
        (f"{one['sides'][side]['agent']} against {one['sides'][1 - side]['agent']}", one["sides"][side])
        for one in summaries
        for side in range(SEATS)
    ]
    tables = (measuring.table(_HEADS, [_row(one) for one in summaries]), measuring.table(_SIDE_HEADS, sides))
    lines = [*(text for table in tables for text in (table, "")), measuring.flying(flights), ""]
    for one in summaries:
        shares = one["shares_of_damage"]
        if shares["fire"] is not None:
            said = "{fire:.1%} by fire, {blasts:.1%} by explosions, {asteroids:.1%} by asteroids".format(**shares)
            lines.append(f"- {_title(one)}: of all damage {said}")
        lines += [f"- forfeited, {fault}" for fault in one["faults"]]
    return "\n".join(lines).rstrip()


# ---- the command line


def match(
    first: str, second: str, setups: np.ndarray, seeds: Sequence[int] | np.ndarray, space: str = "test"
) -> Played:
    """Let two named agents play a match in one scenario, SETUP (1,).

    Raises ConfigError for a scenario with one side, and what ``playing.play`` raises.
    """
    players = player(first, setups), player(second, setups)
    if not have_two_sides(setups):
        raise ConfigError("a match in a scenario with one side: want one with two")
    return play(players, setups, seeds, space)


def _run(arguments: Sequence[str] | None) -> None:
    parser = Parser("python -m agents.match", "Let two agents play every seed twice, seats swapped; print one table.")
    parser.add_argument("--first", default="captain", help="an agent, such as captain or ppo:PATH (default: captain)")
    parser.add_argument("--second", default="random", help="the other one (default: random)")
    measuring.add_options(parser, "duel", 1000)
    given = parser.parse_args(arguments)
    setups, seeds = measuring.chosen_games(given)
    figures = summary(given.first, given.second, match(given.first, given.second, setups, seeds, given.space))
    measuring.hand_over(words([figures]), figures, given.json)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
