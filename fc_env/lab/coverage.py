"""``python -m fc_env.lab coverage``: how often each rule fired in a set of games, and which branches it took.

A rule fires where it writes an event (``fc_env.events``). Rules that never do, because they define, limit or order, are
listed with the reason; those that could and did not in these games are what a designer looks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fc_env.commandline import Parser
from fc_env.describe import ORDER_NAMES, edge_names
from fc_env.errors import ConfigError
from fc_env.events import NEVER, Rule
from fc_env.lab import measuring, named
from fc_env.lab.playing import batches
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.rules.power import WAY_NAMES
from fc_env.state import Doom, Flaw, Order, Outcome, Slip

PROGRAM = "python -m fc_env.lab coverage"
DEEP = 20
"""Deepest displacement that is told apart; deeper ones count as this."""


class Branches(NamedTuple):
    """The branches of a rule: which column of its rows tells them, their numbers, and their names."""

    title: str
    column: str
    numbers: tuple[int, ...]
    name: Callable[[int], str]
    rest: str = "other"  # what all other numbers are called


def _lower(enum: Any) -> Callable[[int], str]:
    return lambda number: str(enum(number).name.lower().replace("_", " "))


_ENDINGS = Branches("how it ended", "value", tuple(range(1, len(Outcome))), _lower(Outcome))
BRANCHES: dict[Rule, Branches] = {
    Rule.POW_1: Branches("way chosen", "value", tuple(range(1, 7)), lambda way: str(WAY_NAMES[way])),
    Rule.ORD_1: Branches("marker", "value", tuple(range(Order.FORWARD, Order.DRIFT + 1)), ORDER_NAMES.__getitem__),
    Rule.CON_1: Branches("contact", "value", (0, 1), ("safe", "hit").__getitem__),
    Rule.CARD_3: Branches("card", "value", (0, 1), ("red", "black").__getitem__),
    Rule.MOV_3: Branches("last hex", "value", tuple(Slip), _lower(Slip)),
    Rule.MOV_7: Branches("hexes moved on, at least", "value", tuple(range(1, 5)), str, "5 or more"),
    Rule.MOV_8: Branches("edge", "value", (0, 1, 2, 4, 8, 3, 6, 12, 9), lambda bits: edge_names(bits) or "wall"),
    Rule.DRF_3: Branches("hexes a marker is moved on, at least", "depth", tuple(range(1, 5)), str, "5 or more"),
    Rule.FIR_2: Branches("taken off an attack roll", "value", tuple(range(1, 13)), str, "13 or more"),
    Rule.FIR_5: Branches(
        "arc of a torpedo", "roll", (0, 1), ("dead ahead", "on the next row").__getitem__, "farther aside"
    ),
    Rule.DOOM_2: Branches("doom table", "roll", tuple(range(1, len(Doom))), _lower(Doom)),
    Rule.COR_23: Branches("flaw", "value", tuple(range(1, len(Flaw))), _lower(Flaw)),
    Rule.WIN_1: _ENDINGS,
    Rule.WIN_2: _ENDINGS,
    Rule.WIN_3: _ENDINGS,
}
"""Rules of which it is told how often each branch was taken."""


class Counts:
    """Counts of the events of ``n`` games, which may be added up; ``watch`` is for ``playing.play`` of one batch."""

    def __init__(self, n: int) -> None:
        self.rows = np.zeros(len(Rule), np.int64)
        """How many rows each rule wrote."""
        self.branches = {rule: np.zeros(DEEP + 1, np.int64) for rule in BRANCHES}
        """How many of them had each number."""
        self.fired = np.zeros((len(Rule), n), np.bool_)
        """In which games each rule fired."""

    def watch(self, events: np.ndarray) -> None:
        """Count events, EVENT (E,)."""
        self.rows += np.bincount(events["rule"], minlength=len(Rule))
        self.fired[events["rule"], events["game"]] = True
        for rule, branches in BRANCHES.items():
            found = events[events["rule"] == rule]
            if len(found):
                numbers = _depths(found) if branches.column == "depth" else found[branches.column]
                self.branches[rule] += np.bincount(np.clip(numbers, 0, DEEP), minlength=DEEP + 1)

    def add(self, other: Counts) -> None:
        """Count other games too."""
        self.rows += other.rows
        for rule, numbers in other.branches.items():
            self.branches[rule] += numbers
        self.fired = np.concatenate([self.fired, other.fired], axis=1)


def _depths(events: np.ndarray) -> np.ndarray:
    """The how-manyeth row of its marker, game and turn each of these rows of a step is, int64 (E,)."""
    piece = np.stack([events["game"], events["turn"], events["marker"]], axis=1)
    _, which = np.unique(piece, axis=0, return_inverse=True)
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], which[order])
    depths = np.zeros(len(events), np.int64)
    depths[order] = np.arange(len(events)) - starts + 1
    return depths


def count(
    names: Sequence[str], setups: np.ndarray, seeds: Sequence[int], space: str, note: Callable[[int], object]
) -> Counts:
    """Let each agent play a scenario, SETUP (1,), on each seed, against itself where there are two sides.

    Raises ConfigError for what an agent does wrong, and SeedError.
    """
    counts = Counts(0)
    for name in names:
        for some in batches(seeds, 1):
            one = Counts(len(some))
            named.play([name], setups, some, space, note=note, watch=one.watch)
            counts.add(one)
    return counts


# ---- the report


def figures_of(counts: Counts) -> dict[str, Any]:
    """The figures of one scenario, plain data."""
    n = counts.fired.shape[1]
    branches = {}
    for rule, kind in BRANCHES.items():
        found = counts.branches[rule]
        named = {kind.name(number): int(found[number]) for number in kind.numbers}
        other = int(found.sum()) - sum(named.values())
        branches[rule.id] = {"what": kind.title, **named, **({kind.rest: other} if other else {})}
    rules = {rule.id: {"rows": int(counts.rows[rule]), "games": int(counts.fired[rule].sum())} for rule in Rule}
    return {"games": n, "rules": rules, "branches": branches}


def _rules_table(found: dict[str, dict[str, Any]]) -> str:
    heads = ["rule", *(f"{name}: rows a game" if part == 0 else "in games" for name in found for part in range(2))]
    lines = []
    for rule in Rule:
        cells = [rule.id]
        for said in found.values():
            one = said["rules"][rule.id]
            cells += [f"{one['rows'] / said['games']:.2f}", measuring.percent(one["games"] / said["games"])]
        lines.append(cells)
    return measuring.table(heads, lines)


def _branches_tables(found: dict[str, dict[str, Any]]) -> str:
    tables = []
    for rule, kind in BRANCHES.items():
        rows = {name: said["branches"][rule.id] for name, said in found.items()}
        branches = list(dict.fromkeys(key for row in rows.values() for key in row if key != "what"))
        lines = [[branch, *(f"{row.get(branch, 0):,}" for row in rows.values())] for branch in branches]
        tables.append(measuring.table([f"{rule.id}: {kind.title}", *found], lines))
    return "\n\n".join(tables)


def report(found: dict[str, dict[str, Any]], made: dict[str, Any]) -> Report:
    """The report on scenarios, their figures by name."""
    silent = [rule.id for rule in Rule if not any(one["rules"][rule.id]["rows"] for one in found.values())]
    said = Report("Coverage of the rules", made, {"scenarios": found, "never_fired": silent})
    games = ", ".join(f"{one['games']:,} of {name}" for name, one in found.items())
    said.text(f"Games: {games}. A rule fires where it writes an event.")
    said.text(", ".join(silent) if silent else "None: every rule that can fire did.", "Rules that never fired here")
    said.text(_rules_table(found), "How often each rule fired")
    shares = np.array([[one["rules"][rule.id]["games"] / one["games"] for one in found.values()] for rule in Rule])
    said.shades("In what share of games each rule fired", [rule.id for rule in Rule], list(found), shares)
    said.text(_branches_tables(found), "Which branches were taken")
    why = measuring.table(["rule", "why"], list(NEVER.items()))
    said.text(why, "Rules that write no events, and why")
    return said


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser(PROGRAM, "How often each rule fires in games, by scenario, and which branches it takes.")
    parser.add_argument("--agents", nargs="+", default=["random", "captain"], metavar="AGENT",
                        help="who plays, each on both sides (default: random captain)")  # fmt: skip
    measuring.add_scenes(parser, ["crossing", "duel", "skirmish", "battle", "ambush", "convoy"])
    measuring.add_games(parser, 100)
    add_options(parser)
    given = parser.parse_args(arguments)
    seeds = measuring.chosen_seeds(given)
    for option, asked in (("--agents", given.agents), ("--scenario", given.scenario)):
        if len(set(asked)) < len(asked):
            raise ConfigError(f"{option} {' '.join(asked)}: want each once")
    scenes = {scene: measuring.scene_setups(scene) for scene in given.scenario}
    check_out(given.out)
    with Counting(len(scenes) * len(given.agents) * len(seeds), "games") as display:
        found = {
            scene: figures_of(count(given.agents, setups, seeds, given.space, display.add))
            for scene, setups in scenes.items()
        }
    hand_over(report(found, made_by(PROGRAM, arguments, given, seeds)), given.out)
