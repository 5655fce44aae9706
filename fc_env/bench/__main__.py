"""``python -m fc_env.bench``: prints how fast it plays, goal by goal."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fc_env import bench
from fc_env.bench.document import marked_text, update
from fc_env.bench.goals import Effort, Goal, measured, report
from fc_env.bench.machine import machine, packages
from fc_env.bench.peers import PACKAGES as PEER_PACKAGES
from fc_env.bench.rows import ALL, BATCH, GOALS, PARTS, PEERS, SCALING
from fc_env.commandline import Parser, exit_status
from fc_env.files import check_writable, write_text

QUICK = Effort(5, 0.1)
USUAL = Effort(7, 1.0)
LAPS = 4
"""In how many parts the rounds of a row are measured, with those of all other rows between them."""


def positive(text: str) -> int:
    """An integer from 1, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: want an integer from 1")
    return int(text)


def chosen(given: argparse.Namespace) -> list[Goal]:
    """The rows that the command line asks for."""
    if given.only:
        return [row for row in ALL if row.name in given.only]
    rows: Sequence[Goal] = ALL if given.all else ()
    if not rows:
        groups = [(given.peers, PEERS), (given.scaling, SCALING), (given.parts, PARTS)]
        rows = [row for wanted, group in groups if wanted for row in group] or GOALS
    return [row for row in rows if not (given.quick and row.slow)]


def _parser() -> Parser:
    parser = Parser("python -m fc_env.bench", (bench.__doc__ or "").splitlines()[0])
    parser.add_argument("--peers", action="store_true", help="against other environments that are installed")
    parser.add_argument("--scaling", action="store_true", help="by size of the batch, ships, markers and threads")
    parser.add_argument("--parts", action="store_true", help="what costs what")
    parser.add_argument("--all", action="store_true", help="the goals and all of these")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these rows: " + ", ".join(r.name for r in ALL))
    parser.add_argument("--rounds", type=positive, help="rounds of each row, from 5 unless --quick (default: 7)")
    parser.add_argument("--quick", action="store_true", help="five short rounds, without the rows that take minutes")
    parser.add_argument("--write", nargs="+", metavar="PATH", help="put tables into documents, where they have marks")
    parser.add_argument("--json", metavar="PATH", help="write the numbers to a JSON file too")
    return parser


def _run(arguments: list[str] | None) -> None:
    parser = _parser()
    given = parser.parse_args(arguments)
    effort = QUICK if given.quick else USUAL
    if given.rounds is not None:
        if given.rounds < 5 and not given.quick:
            parser.error(f"argument --rounds: {given.rounds}: want 5 or more, or --quick")
        effort = effort._replace(rounds=given.rounds)
    known = [row.name for row in ALL]
    for name in given.only or ():
        if name not in known:
            parser.error(f"argument --only: {name}: want names out of {', '.join(known)}")
    for path in filter(None, (given.json, *(given.write or ()))):
        check_writable(Path(path))
    for path in given.write or ():
        marked_text(Path(path))
    rows = chosen(given)
    where = machine() | (packages(PEER_PACKAGES) if any(row in PEERS for row in rows) else {})
    results: dict[str, Any] = {"batch_size": BATCH, "seconds_of_a_round": effort.seconds, "machine": where}
    results["rows"] = measured(rows, effort, 1 if given.quick else LAPS)
    if given.json:
        write_text(Path(given.json), json.dumps(results, indent=2) + "\n")
    print(report(results))
    for path in given.write or ():
        update(Path(path), results)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return exit_status(lambda: _run(arguments))


if __name__ == "__main__":
    sys.exit(main())
