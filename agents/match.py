"""Two agents against each other: every seed twice with the seats swapped, and one table.

    python -m agents.match --first captain --second random --scenario duel --field standard --games 1000

The two games on one seed share every roll that means the same in both, and an edge of one seat shows in both; so the
pair is what is counted, not the game.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t

from agents import measuring
from agents.measuring import Interval, prepare, wilson
from agents.protocol import Agent
from fc_env import engine, scenarios
from fc_env.commandline import Parser, exit_status
from fc_env.errors import ConfigError, IllegalActionError
from fc_env.events import Rule
from fc_env.observation import Layout, observe
from fc_env.opponents import wants_aids
from fc_env.state import SEATS, Outcome, Phase

_BATCH = 512
"""Seeds that are played side by side, two games each; bounds the memory for events."""

_SHOTS = (Rule.FIR_4, Rule.FIR_5, Rule.FIR_6)


@dataclass(frozen=True)
class Match:
    """What became of two games on each of N seeds: in game g the agent ``first`` sits in seat g.

    The last axis of arrays (N, 2, 2) is the side: 0 is ``first``'s, 1 is ``second``'s. Damage is in hull points.
    """

    seeds: np.ndarray  # uint64 (N,), as given
    result: np.ndarray  # int64 (N, 2): 1 where first won, -1 where it lost, 0 for a draw
    turns: np.ndarray  # int64 (N, 2): turns begun
    decisions: np.ndarray  # int64 (N, 2, 2): decisions made by each side
    attacks: np.ndarray  # int64 (N, 2, 2): attacks rolled for by each side's weapons (FIR-1)
    density: np.ndarray  # int64 (N, 2, 2): taken off the rolls of these by the field (FIR-2)
    dealt: np.ndarray  # int64 (N, 2, 2): damage done by each side's fire, strays included
    lost_to_fire: np.ndarray  # int64 (N, 2, 2): damage to each side by anyone's fire
    lost_to_blasts: np.ndarray  # int64 (N, 2, 2): damage to each side by explosions (DOOM-3)
    lost_to_asteroids: np.ndarray  # int64 (N, 2, 2): damage to each side by contact (CON-2)


def play(
    first: Agent,
    second: Agent,
    setups: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    space: str = "test",
    layouts: tuple[Layout, Layout] | None = None,
) -> Match:
    """Play two games of a scenario, SETUP (1,), on each of the seeds (N,) to their ends, with the seats swapped.

    ``layouts``: those of the observations of first and second, by default the scenario's own, with aids for one that
    wants them. Raises SeedError, ScenarioError, ConfigError for a scenario with one side, and IllegalActionError for an
    agent that does not follow the mask.
    """
    if not scenarios.have_two_sides(setups):
        raise ConfigError("a match in a scenario with one side: want one with two")
    seen = layouts or (Layout.of(setups, wants_aids(first)), Layout.of(setups, wants_aids(second)))
    sides = ((first, seen[0]), (second, seen[1]))
    parts = [_play_batch(sides, setups, seeds[i : i + _BATCH], space) for i in range(0, len(seeds), _BATCH)]
    if not parts:
        raise ConfigError("no seeds: want at least one")
    return Match(*(np.concatenate([getattr(part, name) for part in parts]) for name in Match.__dataclass_fields__))


Sides = Sequence[tuple[Agent, Layout]]


def _play_batch(sides: Sides, setups: np.ndarray, seeds: Any, space: str) -> Match:
    games = engine.new(setups, [seed for seed in seeds for _ in range(SEATS)], space)
    seat_of_first = np.arange(len(games)) % SEATS
    tally = _Tally(seat_of_first)
    going = np.flatnonzero(games["phase"] != Phase.OVER)
    while len(going):
        # Finished games are set aside, so that no agent is asked about them.
        active = games[going]
        asked = active["actor"] ^ seat_of_first[going]
        tally.decisions[going, asked] += 1
        events = engine.step(active, _answers(sides, active, asked), record=True).events
        tally.add(events, going)
        games[going] = active
        going = going[active["phase"] != Phase.OVER]
    won = games["outcome"] == np.where(seat_of_first == 0, Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS)
    lost = games["outcome"] == np.where(seat_of_first == 0, Outcome.SEAT_1_WINS, Outcome.SEAT_0_WINS)
    pairs = (len(games) // SEATS, SEATS)
    return Match(
        seeds=np.asarray(seeds, np.uint64),
        result=(won.astype(np.int64) - lost).reshape(pairs),
        turns=games["turn"].astype(np.int64).reshape(pairs),
        **{name: array.reshape(*pairs, SEATS) for name, array in tally.figures().items()},
    )


def _answers(sides: Sides, games: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Actions, int64 (N,), each by the side that is asked."""
    masks = engine.legal_mask(games)
    actions = np.zeros(len(games), np.int64)
    for side, (agent, layout) in enumerate(sides):
        rows = np.flatnonzero(asked == side)
        if len(rows):
            given = np.asarray(agent(observe(games[rows], layout), masks[rows]))
            if given.dtype.kind not in "iu" or given.shape != rows.shape:
                who = ("first", "second")[side]
                raise IllegalActionError(f"{who} agent gave {given.dtype} {given.shape}: want integers {rows.shape}")
            actions[rows] = given
    return actions


class _Tally:
    """Counts for each side of each of N games, int64 (N, 2) each, gathered from events."""

    def __init__(self, seat_of_first: np.ndarray) -> None:
        self._seat_of_first = seat_of_first
        zeros = np.zeros((len(seat_of_first), SEATS), np.int64)
        self.decisions, self.attacks, self.density, self.dealt = (zeros.copy() for _ in range(4))
        self.lost_to_fire, self.lost_to_blasts, self.lost_to_asteroids = (zeros.copy() for _ in range(3))

    def figures(self) -> dict[str, np.ndarray]:
        """All counts by name."""
        return {name: array for name, array in vars(self).items() if not name.startswith("_")}

    def add(self, events: np.ndarray, places: np.ndarray) -> None:
        """Count the events of a step; ``places``, int64 (K,), are those of the games that were stepped."""
        rule, value = events["rule"], events["value"]
        game = places[events["game"]]
        side = events["seat"] ^ self._seat_of_first[game]  # senseless where there is no seat, and not used there

        def count(array: np.ndarray, rows: np.ndarray, sides: np.ndarray, values: Any) -> None:
            np.add.at(array, (game[rows], sides), values)

        shot = np.isin(rule, _SHOTS)
        # An attack's row follows that of the shot, or of the explosion, which it is part of.
        cause = np.maximum.accumulate(np.where(shot | (rule == Rule.DOOM_3), np.arange(len(rule)), 0))
        attacks = np.flatnonzero(rule == Rule.FIR_1)
        by_fire = shot[cause[attacks]]
        fired, blown = attacks[by_fire], attacks[~by_fire]
        count(self.attacks, fired, side[cause[fired]], 1)
        count(self.dealt, fired, side[cause[fired]], value[fired])
        count(self.lost_to_fire, fired, side[fired], value[fired])
        count(self.lost_to_blasts, blown, side[blown], value[blown])
        for array, one in ((self.density, Rule.FIR_2), (self.lost_to_asteroids, Rule.CON_2)):
            rows = np.flatnonzero(rule == one)
            count(array, rows, side[rows], value[rows])


# ---- figures


def paired_mean(worth: np.ndarray) -> Interval:
    """Mean of what games are worth, float (N, 2) from 0 to 1, with an interval whose unit is the pair.

    Half a pair of each of the four kinds, both won, one or the other won, both lost, is added before Student's t is
    asked (as Agresti and Min 2005 do), so that the interval is honest for few games and for one-sided matches too.
    """
    pairs = worth.mean(axis=1)
    n = len(pairs) + 2
    centre = (pairs.sum() + 1.0) / n
    spread = (np.square(pairs).sum() + 0.75) / n - centre**2
    width = t.ppf(0.975, n - 1) * math.sqrt(spread / n)
    return Interval(float(pairs.mean()), max(float(centre - width), 0.0), min(float(centre + width), 1.0))


def win_rate(match: Match) -> Interval:
    """Share of all games that ``first`` won."""
    return paired_mean((match.result > 0).astype(np.float64))


def score(match: Match) -> Interval:
    """The same with a draw worth half a win."""
    return paired_mean((match.result + 1) / 2)


def _counts(result: np.ndarray) -> dict[str, int]:
    return {"wins": int((result > 0).sum()), "draws": int((result == 0).sum()), "losses": int((result < 0).sum())}


def _by_seat(match: Match) -> Iterable[dict[str, Any]]:
    for seat in range(SEATS):
        counts = _counts(match.result[:, seat])
        rate = wilson(counts["wins"], len(match.seeds))
        yield {"seat": seat, **counts, "win_rate": rate.value, "interval_95": [rate.low, rate.high]}


def _of_side(name: str, match: Match, side: int) -> dict[str, Any]:
    totals = {key: float(getattr(match, key)[:, :, side].sum()) for key in _PER_GAME}
    games = match.result.size
    per_attack = totals["density"] / totals["attacks"] if totals["attacks"] else None
    return {"agent": name, **{key: total / games for key, total in totals.items()}, "density_per_attack": per_attack}


_PER_GAME = ("decisions", "attacks", "density", "dealt", "lost_to_fire", "lost_to_blasts", "lost_to_asteroids")


def summary(first: str, second: str, match: Match) -> dict[str, Any]:
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
    }


# ---- words

_HEADS = (
    "match", "won", "drawn", "lost", "win rate", "95% interval", "score", "95% interval", "in seat 0", "in seat 1",
    "turns",
)  # fmt: skip
_SIDE_HEADS = (
    "per game", "attacks", "damage dealt by fire", "lost to fire", "to explosions", "to asteroids",
    "density on its lines, per attack",
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
    dense = own["density_per_attack"]
    return [
        f"{own['agent']} against {other['agent']}",
        *(f"{own[k]:.1f}" for k in ("attacks", "dealt", "lost_to_fire", "lost_to_blasts", "lost_to_asteroids")),
        "-" if dense is None else f"{dense:.2f}",
    ]


def words(summaries: Sequence[dict[str, Any]]) -> str:
    """The tables of all matches, and what their damage came from, as text that is Markdown too."""
    sides = [_side_row(one, side) for one in summaries for side in range(SEATS)]
    lines = [measuring.table(_HEADS, [_row(one) for one in summaries]), "", measuring.table(_SIDE_HEADS, sides), ""]
    for one in summaries:
        shares = one["shares_of_damage"]
        if shares["fire"] is not None:
            said = "{fire:.1%} by fire, {blasts:.1%} by explosions, {asteroids:.1%} by asteroids".format(**shares)
            lines.append(f"- {_title(one)}: of all damage {said}")
    return "\n".join(lines).rstrip()


# ---- the command line


def match(
    first: str, second: str, setups: np.ndarray, seeds: Sequence[int] | np.ndarray, space: str = "test", seed: int = 0
) -> Match:
    """Let two named agents play a match in one scenario, SETUP (1,); ``seed`` is for agents that draw lots."""
    (one, sees), (other, other_sees) = prepare(first, setups, 2 * seed), prepare(second, setups, 2 * seed + 1)
    return play(one, other, setups, seeds, space, (sees, other_sees))


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
