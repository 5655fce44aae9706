"""``python -m fc_env.lab degenerate``: looks for play that a designer would hate, and shows where it is.

Stalls, a seat that wins by being that seat, a ship class that never wins, and options that are never right, or always:
each finding comes with its figures and a game that can be told again (``python -m fc_env.lab replay``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fc_env import opponents
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab import measuring, saved, standoffs
from fc_env.lab.cells import chosen_seeds
from fc_env.lab.named import blaming
from fc_env.lab.options import NEAR, Met, Table, met, tables
from fc_env.lab.playing import sides_of
from fc_env.lab.progress import Counting
from fc_env.lab.recording import Recorded
from fc_env.lab.referee import of_callable
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.lab.statistics import Interval, share
from fc_env.state import Mode

PROGRAM = "python -m fc_env.lab degenerate"
OFTEN = 0.05
"""The share of games above which stalls are a finding, and below which a class never wins."""
LEAST_OFFERED = 30
"""Positions in which an option has to be offered before anything is said of it."""
SCREENED, GLANCED, CONFIRMED = 16, 150, 600
"""Games played on from each action, to see where to look, to see whether it is worth while, and to make sure."""
MOST_LOOKS, LEAST_LOOKS = 12, 5
"""Positions in which an option is looked at more closely, and in how many of them the choice has to matter, before it
is taken to be never right, or never wrong."""
SHARE = 50
"""Positions that are screened at a time."""
KEY = 0x5EED
"""Of the dice with which positions are played on."""
MOST_POSITIONS = 100_000


class Finding(NamedTuple):
    """Something that a designer would hate."""

    kind: str
    text: str
    game: tuple[int, int] | None  # among those recorded, and how many of its decisions, that shows it


Shown = tuple[Met, Table]
"""A position, and what each option came to there."""


class Search(NamedTuple):
    """What came of looking for a position that speaks for an option, or against it."""

    example: Shown | None  # the first that does
    nearest: Shown | None  # the first at all in which the choice matters
    looks: int  # positions in which the choice matters

    @property
    def never(self) -> bool:
        """Whether there surely is none."""
        return self.example is None and self.looks >= LEAST_LOOKS


class Verdict(NamedTuple):
    """What was made of an option."""

    option: str
    offered: int  # positions
    right: Search
    wrong: Search


# ---- options


class Judge(NamedTuple):
    """Who plays positions on, by name, so that any process can ask for it."""

    agent: str
    setups: np.ndarray  # SETUP (1,)
    glanced: int
    confirmed: int

    def tables(self, positions: Sequence[Met], times: int, key: int) -> list[Table]:
        """See ``options.tables``. Raises ConfigError for what the agent does wrong."""
        with blaming(self.agent):
            player = of_callable(opponents.resolve(self.agent, self.setups), self.setups, self.agent)
            return tables(player, positions, times, key)


def _searched(judge: Judge, option: str, ranked: Sequence[Met], refuted: Callable[[Table, str], bool]) -> Search:
    """Look through positions until one in which the choice matters does not surely refute what is looked for."""
    nearest, looks = None, 0
    for here in ranked[:MOST_LOOKS]:
        (table,) = judge.tables([here], judge.glanced, KEY + 1)
        if not (table.matters() and refuted(table, option)):
            (table,) = judge.tables([here], judge.confirmed, KEY + 1)
        if not table.matters():
            continue
        looks += 1
        nearest = nearest or (here, table)
        if not refuted(table, option):
            return Search((here, table), nearest, looks)
    return Search(None, nearest, looks)


def _verdict(judge: Judge, option: str, best_first: Sequence[Met]) -> Verdict:
    right = _searched(judge, option, best_first[:MOST_LOOKS], Table.is_wrong)
    wrong = _searched(judge, option, best_first[::-1][:MOST_LOOKS], Table.is_right)
    return Verdict(option, len(best_first), right, wrong)


def verdicts(judge: Judge, positions: Sequence[Met], spread: Spread) -> list[Verdict]:
    """What to make of each option that is offered in some positions. Shows how far it is."""
    screened: list[Table] = []
    shares = [positions[low : low + SHARE] for low in range(0, len(positions), SHARE)]
    with Counting(len(positions), "positions") as counting:
        for some in spread.results(judge.tables, ((share, SCREENED, KEY) for share in shares)):
            screened += some
            counting.add(len(some))
    offered: dict[str, list[tuple[float, int]]] = {}
    for place, table in enumerate(screened):
        for option in table.options:
            offered.setdefault(option, []).append((table.lead(option), place))
    tasks = []
    for option, leads in offered.items():
        best_first = [positions[place] for _, place in sorted(leads, key=lambda pair: (-pair[0], pair[1]))]
        tasks.append((judge, option, best_first))
    found = []
    if tasks:
        with Counting(len(tasks), "options") as counting:
            for verdict in spread.results(_verdict, tasks):
                found.append(verdict)
                counting.add(1)
    return found


def _of_options(found: Sequence[Verdict]) -> list[Finding]:
    findings = []
    for one in found:
        for kind, search, said, nearest in (
            ("never right", one.right, f"surely more than {NEAR:.0%} worse than another choice", "comes nearest"),
            ("never wrong", one.wrong, f"surely within {NEAR:.0%} of the best", "is worst"),
        ):
            if one.offered < LEAST_OFFERED or not search.never or search.nearest is None:
                continue
            here, table = search.nearest
            text = (
                f"`{one.option}` is {kind}: of {one.offered} positions with it, in the {search.looks} likeliest in "
                f"which the choice matters it is {said}. Where it {nearest}: {_in_words(table)}."
            )
            findings.append(Finding(kind, text, (here.game, here.decision)))
    return findings


def _in_words(table: Table) -> str:
    """What each option of a position comes to, the best first."""
    means = {option: float(table.best_of(option).mean()) for option in table.options}
    return ", ".join(f"{option} {means[option]:.1%}" for option in sorted(means, key=lambda one: -means[one]))


# ---- whole games


def _stalls(recorded: Recorded, quiet: np.ndarray) -> list[Finding]:
    ends = recorded.ends
    limit = ends["rules"]["turn_limit"].astype(np.int64)
    battle = ends["mode"] != Mode.CROSSING
    found = []
    for name, stalled in (
        ("last to the turn limit", ends["turn"] >= limit),
        ("pass half of the turn limit without any ship hurt or gone", battle & (2 * quiet >= limit)),
    ):
        told = share(stalled.astype(np.float64))
        if told.low > OFTEN:
            game = int(np.argmax(stalled))
            text = f"{_interval(told)} of games {name}; that of seed {recorded.seeds[game]} does."
            found.append(Finding("stall", text, (game, len(recorded.decisions[game]))))
    return found


def _first_seat(won: np.ndarray, recorded: Recorded) -> tuple[Interval, list[Finding]]:
    """How often seat 0 wins, and the finding, of fleets that are alike, if that is not half."""
    told = share(won)
    if told.low <= 0.5 <= told.high:
        return told, []
    seat = 0 if told.value > 0.5 else 1
    worth = recorded.worth if seat == 0 else 1.0 - recorded.worth
    game = int(np.argmax(worth))
    text = f"Seat {seat} has an edge: seat 0 wins {_interval(told)} with the same fleet in each."
    return told, [Finding("seat", text, (game, len(recorded.decisions[game])))]


def _classes(fought: dict[str, dict[str, np.ndarray]]) -> list[Finding]:
    found = []
    for name, others in fought.items():
        if not others:
            continue  # there is no other
        told = {other: share(worth) for other, worth in others.items()}
        if all(one.high < OFTEN for one in told.values()):
            against = ", ".join(f"{_interval(one)} against `{other}`" for other, one in told.items())
            found.append(Finding("class", f"A `{name}` never wins one on one: {against}.", None))
    return found


def _interval(told: Interval) -> str:
    return f"{told.value:.1%} ({measuring.ends((told.low, told.high))})"


# ---- the report


class Looked(NamedTuple):
    """All that was looked at."""

    recorded: Recorded
    quiet: np.ndarray  # int64 (N,)
    seat_0: np.ndarray  # float64 (N,): worth to seat 0
    fought: dict[str, dict[str, np.ndarray]]
    verdicts: list[Verdict]
    positions: int


def report(scene: str, looked: Looked, folder: Path | None, made: dict[str, Any]) -> Report:
    """The report; with a folder the game of each finding is written there."""
    recorded = looked.recorded
    two_sided = int(recorded.starts["n_ships"][0, 1]) > 0
    even = two_sided and standoffs.alike(recorded.starts[0])
    seat, of_seat = _first_seat(looked.seat_0, recorded)
    findings = _stalls(recorded, looked.quiet) + (of_seat if even else [])
    findings += _classes(looked.fought) + _of_options(looked.verdicts)
    figures = {
        "games": len(recorded.seeds),
        "positions": looked.positions,
        "findings": [{"kind": one.kind, "text": one.text} for one in findings],
        "seat_0": list(seat) if two_sided else None,
        "quiet_turns": looked.quiet.tolist(),
        "options": [_verdict_figures(one) for one in looked.verdicts],
        "classes": {a: {b: list(share(worth)) for b, worth in row.items()} for a, row in looked.fought.items()},
    }
    said = Report(f"Degenerate play in {scene}", made, figures)
    said.text("Nothing that a designer would hate was found." if not findings else "", "Findings")
    for number, one in enumerate(findings):
        said.text(f"- {one.text}" + _kept(recorded, one, folder, number))
    turns = recorded.ends["turn"]
    said.text(
        f"{len(recorded.seeds):,} games of {turns.mean():.1f} turns on the average. The longest time in one without "
        f"any ship hurt or gone: {int(looked.quiet.max())} turns, {float(looked.quiet.mean()):.1f} on the average. "
        + (f"Seat 0 wins {_interval(seat)}." if two_sided else ""),
        "Games",
    )
    if len(looked.fought) > 1:
        names = list(looked.fought)
        rows = [
            [one, *("-" if one == other else _interval(share(looked.fought[one][other])) for other in names)]
            for one in names
        ]
        said.text(measuring.table(["one on one", *(f"against {name}" for name in names)], rows), "Ship classes")
    rows = [[one.option, str(one.offered), _place(one.right, one), _place(one.wrong, one)] for one in looked.verdicts]
    said.text(
        f"{looked.positions:,} positions of these games. Each action is played on {SCREENED} times, and up to "
        f"{CONFIRMED:,} times where an option seems best, or worst. It is right where it is not "
        f"surely more than {NEAR:.0%} worse than another choice, wrong where it is not surely within {NEAR:.0%} of the "
        "best, and both only where the choice surely matters.",
        "Options",
    )
    said.text(measuring.table(["option", "offered", "right, for example", "wrong, for example"], rows))
    return said


def _place(found: Search, one: Verdict) -> str:
    if found.example is None:
        return "nowhere" if found.never and one.offered >= LEAST_OFFERED else "not seen"
    here, table = found.example
    return f"game {here.game}, decision {here.decision}: {table.lead(one.option):+.1%}"


def _verdict_figures(one: Verdict) -> dict[str, Any]:
    def figures(found: Search) -> dict[str, Any]:
        said: dict[str, Any] = {"looks": found.looks, "example": None}
        if found.example is not None:
            here, table = found.example
            worth = {option: float(table.best_of(option).mean()) for option in table.options}
            said["example"] = {"game": here.game, "decision": here.decision, "worth": worth}
        return said

    return {"option": one.option, "offered": one.offered, "right": figures(one.right), "wrong": figures(one.wrong)}


def _kept(recorded: Recorded, one: Finding, folder: Path | None, number: int) -> str:
    """Write the game of a finding, and say where."""
    if folder is None or one.game is None:
        return ""
    game, decisions = one.game
    path = folder / f"finding-{number}.json"
    saved.write(path, recorded.starts[game : game + 1], recorded.decisions[game][:decisions], [one.text])
    return f" Game: `{path.name}`."


# ---- the command


def look(scene: str, agent: str, seeds: range, space: str, wanted: int, spread: Spread) -> Looked:
    """Play, and look at what was played. Raises ScenarioError, SeedError, and ConfigError for what the agent does."""
    setups = measuring.scene_setups(scene)
    with blaming(agent):
        player = of_callable(opponents.resolve(agent, setups), setups, agent)
        recorded, quiet = standoffs.watched(player, setups, seeds, space)
        seat_0, fought = recorded.worth, {}
        if sides_of(setups) > 1:
            fought = standoffs.duels(player, setups, standoffs.classes(scene), seeds, space)
    positions = met(recorded, wanted, np.random.default_rng(KEY))
    found = verdicts(Judge(agent, setups, GLANCED, CONFIRMED), positions, spread)
    return Looked(recorded, quiet, seat_0, fought, found, len(positions))


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "Look for play that a designer would hate.")
    parser.add_argument("--scenario", default="duel", metavar="SCENARIO", help="NAME or NAME:FIELD (default: duel)")
    parser.add_argument("--agents", nargs=1, default=["captain"], metavar="AGENT",
                        help="who plays all sides (default: captain)")  # fmt: skip
    parser.add_argument("--positions", type=int, default=1000, help="in which choices are judged (default: 1000)")
    measuring.add_games(parser, 300)
    add_workers(parser)
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = chosen_seeds(given)
    if not 1 <= given.positions <= MOST_POSITIONS:
        raise ConfigError(f"--positions {given.positions}: want a number from 1 to {MOST_POSITIONS}")
    measuring.scene_setups(given.scenario)
    check_out(given.out)
    with Spread(given.workers) as spread:
        looked = look(given.scenario, given.agents[0], seeds, given.space, given.positions, spread)
    hand_over(report(given.scenario, looked, given.out, made_by(PROGRAM, arguments, given, seeds)), given.out)
