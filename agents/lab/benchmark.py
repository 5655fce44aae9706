"""``python -m agents benchmark``: the score of an agent on the frozen suite FC-6, and all that belongs to it.

python -m agents benchmark --agent ppo:runs/best
python -m agents benchmark --verify runs/fc6-ppo_runs_best/submission.jsonl
python -m agents benchmark --make-reference random captain rollout:200
python -m agents benchmark --table runs/*/submission.jsonl
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents.lab import ledger, scores, submission, suite
from agents.lab.ledger import Ledger
from agents.lab.players import player
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab.progress import Counting

RESULTS, SUBMISSION, REPORT = "results.jsonl", "submission.jsonl", "report"


def measure(name: str, folder: Path, quick: bool = False) -> Path:
    """Play the suite, or go on with it, and write the submission; returns its path. Raises ConfigError, OSError."""
    said = submission.header(name, quick, _left_out(name))  # better found now than after some tasks
    seeds, tasks = range(*said["seeds"]), submission.tasks_of(said)
    with Ledger(folder / RESULTS, submission.KIND, said) as results:
        before = sum(len(row["result"]) for row in results.rows)
        with Counting(submission.n_games(seeds, tasks), "games", before) as display:
            submission.play_all(name, results, seeds, tasks, display.add)
        path = folder / SUBMISSION
        ledger.seal(path, submission.KIND, said, results.rows)
    return path


def _left_out(name: str) -> dict[str, str]:
    """Why not, for each task that an agent cannot play, such as a trained one. Raises ConfigError if it plays none."""
    reasons = {}
    for task in suite.TASKS:
        try:
            player(name, task.setups())
        except ConfigError as refused:
            reasons[task.name] = str(refused)
    if len(reasons) == len(suite.TASKS):
        raise ConfigError(next(iter(reasons.values())))
    return reasons


def report(path: Path, reference: Path = suite.REFERENCE) -> dict[str, Any]:
    """The figures of a submission, plain data."""
    said, rows = submission.read(path)
    found = scores.figures(said["card"]["agent"], suite.results_of(rows), suite.read_reference(reference))
    forfeits = sum(row["forfeit"].count(0) for row in rows)
    faults = sorted({fault for row in rows for fault in row.get("faults", ())})
    told = {"comparable": said["comparable"], "left_out": said.get("left_out", {})}
    return {**found, **told, "forfeits": forfeits, "faults": faults,
            "suite": said["suite"], "versions": said["versions"]}  # fmt: skip


def _folder_of(name: str, quick: bool) -> Path:
    return Path("runs") / f"fc6-{re.sub(r'[^A-Za-z0-9.-]+', '_', name)}{'-quick' if quick else ''}"


def _measure(given: Namespace) -> None:
    folder = given.out or _folder_of(given.agent, given.quick)
    path = measure(given.agent, folder, given.quick)
    found = report(path, given.reference)
    scores.write(found, folder / REPORT)
    print(f"{scores.words(found)}\n\nsubmission: {path}; report and plot beside it")


def _verify(given: Namespace) -> None:
    said, rows = submission.read(given.verify)
    name = given.agent or said["card"]["agent"]
    seeds = range(*said["seeds"])
    played = seeds if given.all else submission.chunks(seeds)[0]
    with Counting(submission.n_games(played, submission.tasks_of(said)), "games") as display:
        count = submission.replay(given.verify, said, rows, name, given.all, display.add)
    print(f"{given.verify}: good; {count:,} of {len(rows):,} seeds went the same way when they were played again")
    print(scores.words(report(given.verify, given.reference)))


def _make_reference(given: Namespace) -> None:
    for name in given.make_reference:
        path = measure(name, given.out or _folder_of(name, False))
        suite.add_reference(name, suite.results_of(submission.read(path)[1]), given.reference)
        print(f"{name}: in {given.reference}", flush=True)


def _table(given: Namespace) -> None:
    reference = suite.read_reference(given.reference)
    found = {name: scores.figures(name, results, reference) for name, results in reference.items()}
    for path in given.table:
        one = report(path, given.reference)
        if not one["comparable"]:
            raise ConfigError(f"{path}: from a quick run, which does not compare: want one of all seeds")
        found[one["agent"]] = one
    print(scores.table(list(found.values())))


def run(arguments: Sequence[str]) -> None:
    """The command."""
    about = (
        f"The score of an agent on the frozen suite {suite.NAME} v{suite.VERSION}: 0 is random, 100 {suite.HUNDRED}."
    )
    parser = Parser("python -m agents benchmark", about)
    parser.add_argument("--agent", default=None, help="a name, such as captain or ppo:PATH, or module:factory")
    parser.add_argument("--quick", action="store_true", help="few seeds; the score does not compare to any other")
    parser.add_argument("--out", type=Path, default=None, help="folder of results and report (default: one in runs/)")
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--verify", type=Path, metavar="FILE", help="check a submission, and play some of it again")
    others.add_argument(
        "--table", type=Path, nargs="*", metavar="FILE", help="a table of these submissions and of the reference"
    )
    others.add_argument(
        "--make-reference", nargs="+", metavar="AGENT", help="play these, and keep their results as reference"
    )
    parser.add_argument("--all", action="store_true", help="with --verify: play all of it again")
    parser.add_argument("--reference", type=Path, default=suite.REFERENCE, help="file of the reference results")
    given = parser.parse_args(arguments)
    if given.verify is not None:
        _verify(given)
    elif given.table is not None:
        _table(given)
    elif given.make_reference is not None:
        _make_reference(given)
    elif given.agent is not None:
        _measure(given)
    else:
        raise ConfigError("want --agent, --verify, --table or --make-reference; --help lists all options")


__all__ = ["measure", "report", "run"]
