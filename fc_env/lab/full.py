"""``python -m fc_env.lab full``: one report on a scenario and its rule set, of what the other commands find out.

Each part is the report of a command of its own, in a folder below, made by that command as it is told at its head; the
page on top names them with what they found.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from fc_env import opponents, scenarios
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab import measuring
from fc_env.lab.playing import sides_of
from fc_env.lab.report import NAME, Report, check_out, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.ruleset import RuleSet

PROGRAM = "python -m fc_env.lab full"
MOST_GAMES = 10_000
"""As many as all parts can be scaled by."""
Said = dict[str, Any]


class Part(NamedTuple):
    """A part of the whole: a command of the lab, its arguments, and what to say of its figures in a line."""

    folder: str
    command: str
    arguments: tuple[str, ...]
    headline: Callable[[Said], str]
    spread: bool = False  # whether it takes --workers


def _fuzzed(said: Said) -> str:
    broken = ", ".join(said["broken"])
    return f"**Broken: {broken}.**" if broken else f"Nothing is broken in {said['steps']:,} phases and decisions."


def _odds(said: Said) -> str:
    wrong = [row["name"] for row in said["rows"] if not row["agrees"]]
    if wrong:
        return f"**The engine disagrees** in {', '.join(wrong)}."
    return f"Exact chances and the engine agree; the mean is {said['mean']:.3f}."


def _covered(said: Said) -> str:
    never = said["never_fired"]
    return f"Rules that never fired: {', '.join(never)}." if never else "All rules fired."


def _swept(said: Said) -> str:
    told = []
    for cell in said["cells"]:
        (field,), figures = cell["values"].values(), cell["figures"]
        told.append(
            f"{field}: asteroids take {measuring.percent(figures['asteroid_share'])} of all hull lost and turn "
            f"{figures['field'][0]:.0%} of games; {figures['early'][0]:.2f} ships a game are lost before the first card"
        )
    return "; ".join(told) + "."


def _degenerate(said: Said) -> str:
    found = said["findings"]
    return "; ".join(f"{one['kind']}: {one['text']}" for one in found) if found else "Nothing was found."


def rule_changes(scene: str) -> list[str]:
    """How a scenario's rule set differs from the usual one, as ``FIELD=VALUE`` each. Raises ScenarioError."""
    rules = scenarios.scenario(measuring.split_scene(scene)[0]).rule_set
    usual = RuleSet()
    changes = {name: value for name, value in rules if value != getattr(usual, name)}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changes.items()]


def parts(scene: str, games: int, agents: Sequence[str]) -> list[Part]:
    """The parts of a report on a scenario; ``games`` scales them all. Raises ScenarioError."""
    name, _ = measuring.split_scene(scene)
    changes = rule_changes(scene)
    rules = ("--rules", *changes) if changes else ()
    fields = ",".join(scenarios.fields(name))
    return [
        Part("rules", "rules", (), lambda said: f"{len(said['fields'])} fields can be changed."),
        Part("fuzz", "fuzz", ("--scenario", scene, "--games", str(10 * games)), _fuzzed, spread=True),
        Part("contact", "odds", ("contact", "--density", "3", *rules), _odds),
        Part("attack", "odds", ("attack", "--weapons", "d8", "--shields", "d6", "--density", "2", *rules), _odds),
        Part("doom", "odds", ("doom", *rules), _odds),
        Part("coverage", "coverage", ("--scenario", scene, "--games", str(games), "--agents",
                                      *dict.fromkeys(agents)), _covered),
        Part("fields", "sweep", ("--scenario", name, "--vary", f"default_field={fields}", "--games", str(2 * games),
                                 "--agents", *agents), _swept, spread=True),
        Part("degenerate", "degenerate", ("--scenario", scene, "--games", str(2 * games), "--positions",
                                          str(10 * games), "--agents", agents[0]), _degenerate, spread=True),
    ]  # fmt: skip


def _made(part: Part, out: Path, workers: int) -> Said:
    """Run a part's command, and read what it found. Raises what the command raises."""
    arguments = [*part.arguments, "--out", str(out / part.folder)]
    if part.spread:
        arguments += ["--workers", str(workers)]
    with redirect_stdout(io.StringIO()):
        importlib.import_module(f"fc_env.lab.{part.command}").run(arguments)
    said: Said = json.loads((out / part.folder / f"{NAME}.json").read_text(encoding="utf-8"))
    return said


def report(scene: str, found: Sequence[tuple[Part, Said]], made: dict[str, Any]) -> Report:
    """The page on top."""
    figures = {part.folder: {"command": said["command"], "found": part.headline(said)} for part, said in found}
    page = Report(f"Report on {scene}", made, {"parts": figures})
    for part, said in found:
        page.text(f"{part.headline(said)}\n\n[The whole of it]({part.folder}/{NAME}.html), by `{said['command']}`.",
                  part.folder.capitalize())  # fmt: skip
    return page


def run(arguments: Sequence[str]) -> int:
    """The command; the exit status is 1 if an invariant is broken, or chances and frequencies disagree."""
    parser = Parser(PROGRAM, "One report on a scenario and its rule set.")
    parser.add_argument("--scenario", default="duel", metavar="SCENARIO", help="NAME or NAME:FIELD (default: duel)")
    parser.add_argument("--agents", nargs="+", default=["captain"], metavar="AGENT",
                        help="who plays, the first one where one plays all sides (default: captain)")  # fmt: skip
    parser.add_argument("--games", type=int, default=100, help="scales all parts (default: 100)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="write the report there")
    add_workers(parser)
    given = parser.parse_args(arguments)
    if not 2 <= given.games <= MOST_GAMES:
        raise ConfigError(f"--games {given.games}: want a number from 2 to {MOST_GAMES}")
    Spread(given.workers)
    setups = measuring.scene_setups(given.scenario)
    if len(given.agents) > sides_of(setups):
        raise ConfigError(f"--agents {' '.join(given.agents)}: want at most one for each of {sides_of(setups)} sides")
    for agent in given.agents:
        opponents.resolve(agent, setups)
    wanted = parts(given.scenario, given.games, given.agents)
    check_out(given.out)
    found = []
    for part in wanted:
        found.append((part, _made(part, given.out, given.workers)))
        print(f"{part.folder}: {given.out / part.folder / NAME}.html", flush=True)
    report(given.scenario, found, made_by(PROGRAM, arguments)).write(given.out)
    print(f"{given.out / NAME}.html, and .md, .json")
    broken = any(said.get("broken") for _, said in found)
    disagrees = any(not row["agrees"] for _, said in found for row in said.get("rows", ()))
    return int(broken or disagrees)
