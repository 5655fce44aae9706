"""``python -m fc_env.lab faults``: plants faults in copies of the rules, and tells whether the fuzzer notices.

Each copy of the package lives in a folder of its own for as long as it is tried, and is run by a process of its own. A
copy that never comes back, or that raises, is noticed as well.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import fc_env
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.files import write_text
from fc_env.lab import measuring
from fc_env.lab.changes import changed_module
from fc_env.lab.fuzzing import trial
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.planted import FAULTS, Fault
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.seeding import check_seed

PROGRAM = "python -m fc_env.lab faults"
SECONDS = 60.0
MOST_SECONDS, MOST_WORKERS = 3600.0, 64
GRACE = 30.0
"""Seconds beyond its time after which a copy is taken to hang: the last run, and the same games once more."""
SOUND = -1
"""In place of a fault's number: the rules as they are, in which nothing may be noticed."""
GOAL = 0.95
"""The share of faults that must be noticed."""
MISSED = 1
"""Exit status if too few faults are noticed, something is noticed in sound rules, or an invariant has no use."""


class Outcome(NamedTuple):
    """What came of a fault."""

    number: int
    broken: tuple[Invariant, ...]  # first, and in one game
    games: int  # played until then
    others: tuple[Invariant, ...]  # broken in those games when the only one that was broken is not looked at
    failed: str = ""  # how the copy ended, if not by itself

    @property
    def noticed(self) -> bool:
        """Whether it was."""
        return bool(self.broken or self.failed)

    @property
    def alone(self) -> Invariant | None:
        """The invariant without which nothing would have been noticed."""
        return self.broken[0] if len(self.broken) == 1 and not self.others else None


def copied(folder: Path, fault: Fault | None) -> None:
    """Copy the package to a folder, with a fault in it. Raises ValueError if the fault does not apply any more."""
    source = Path(fc_env.__file__).parent
    shutil.copytree(source, folder / "fc_env", ignore=shutil.ignore_patterns("__pycache__"))
    if fault:
        place, text = changed_module(fault.change)
        write_text(folder / "fc_env" / place, text)


def tried(number: int, seed: int, seconds: float) -> Outcome:
    """Hunt in a copy of the rules with the fault of a number, for so many seconds without compiling.

    Raises ConfigError if the copy does not come as far as to play.
    """
    with tempfile.TemporaryDirectory(prefix="fleet-captain-fault-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        copied(folder, None if number == SOUND else FAULTS[number])
        environment = {**os.environ, "PYTHONPATH": place, "FC_ENV_CACHE_DIR": str(folder / "cache")}
        with subprocess.Popen(
            [sys.executable, "-m", trial.__name__, str(seed), str(seconds)],
            cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout
            try:
                ready = process.stdout.readline().strip() == trial.READY
                told, errors = process.communicate(timeout=2 * seconds + GRACE)
            except subprocess.TimeoutExpired:
                return Outcome(number, (), 0, (), "hangs")
            finally:
                process.kill()
    last = (errors.strip().splitlines() or [""])[-1]
    if not ready:
        raise ConfigError(f"fault {number}: its copy does not come as far as to play: {last}: want one that does")
    if process.returncode:
        return Outcome(number, (), 0, (), f"ends with status {process.returncode}" if not last else f"raises {last}")
    found = json.loads(told)
    broken, others = (tuple(Invariant[name] for name in found[key]) for key in ("broken", "others"))
    return Outcome(number, broken, found["games"], others)


# ---- what is said


def _said_of(outcome: Outcome) -> str:
    if outcome.failed:
        return outcome.failed
    if not outcome.broken:
        return "**nothing**"
    words = ", ".join(invariant.label for invariant in outcome.broken)
    return f"{words} (alone)" if outcome.alone is not None else words


def idle(outcomes: Sequence[Outcome]) -> list[Invariant]:
    """The invariants that noticed no fault alone."""
    useful = {outcome.alone for outcome in outcomes}
    return [invariant for invariant in Invariant if invariant not in useful]


def report(outcomes: Sequence[Outcome], seconds: float, made: dict[str, Any]) -> Report:
    """The report on what came of the faults, by number."""
    planted = [outcome for outcome in outcomes if outcome.number != SOUND]
    noticed = sum(outcome.noticed for outcome in planted)
    figures = {
        "seconds": seconds, "planted": len(planted), "noticed": noticed,
        "faults": [_figures(outcome) for outcome in planted],
        "sound": [_figures(outcome) for outcome in outcomes if outcome.number == SOUND],
        "idle": [invariant.label for invariant in idle(planted)],
    }  # fmt: skip
    said = Report("Faults planted in the rules", made, figures)
    said.text(f"**{noticed} of {len(planted)} faults were noticed** within {seconds:g} seconds each, compiling apart.")
    for outcome in outcomes:
        if outcome.number == SOUND:
            said.text(f"In the rules as they are, {_said_of(outcome)} was noticed in {outcome.games:,} games.")
    lines = [
        [str(one.number), FAULTS[one.number].rule, FAULTS[one.number].what, _said_of(one), f"{one.games:,}"]
        for one in planted
    ]
    said.text(measuring.table(["", "rule", "fault", "noticed by", "games"], lines), "Faults")
    said.text(
        "`alone`: no other invariant was broken by that step, nor in the same games (at least "
        f"{trial.LEAST_GAMES:,}) when this one was not looked at."
    )
    by = {one: [str(outcome.number) for outcome in planted if outcome.alone == one] for one in Invariant}
    use = [[one.rule, one.label, ", ".join(numbers) or "none"] for one, numbers in by.items()]
    said.text(measuring.table(["rule", "invariant", "faults that it alone noticed"], use), "Invariants")
    return said


def _figures(outcome: Outcome) -> dict[str, Any]:
    planted = FAULTS[outcome.number] if outcome.number != SOUND else None
    return {
        "number": outcome.number,
        "rule": planted.rule if planted else None,
        "fault": planted.what if planted else None,
        "noticed": outcome.noticed,
        "broken": [one.label for one in outcome.broken],
        "others": [one.label for one in outcome.others],
        "failed": outcome.failed,
        "games": outcome.games,
    }


def _wanted(only: Sequence[str]) -> list[int]:
    """The faults that were named by number or by rule; all, and the sound rules, if none was."""
    if not only:
        return [SOUND, *range(len(FAULTS))]
    wanted: list[int] = []
    for name in only:
        named = [number for number, fault in enumerate(FAULTS) if name in (str(number), fault.rule)]
        if not named:
            raise ConfigError(f"--only {name}: want numbers from 0 to {len(FAULTS) - 1}, or rules that have faults")
        wanted += named
    return sorted(set(wanted))


def run(arguments: Sequence[str]) -> int:
    """The command; the exit status is 1 if the fuzzer falls short."""
    parser = Parser(PROGRAM, "Plant faults in copies of the rules, and tell whether the fuzzer notices.")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"for each fault (default: {SECONDS:g})")
    parser.add_argument("--seed", type=int, default=0, help="another seed plays other games (default: 0)")
    parser.add_argument("--workers", type=int, default=1, help="copies that are tried at a time (default: 1)")
    parser.add_argument("--only", nargs="+", default=[], metavar="FAULT", help="numbers, or rule ids (default: all)")
    add_options(parser)
    given = parser.parse_args(arguments)
    check_seed(given.seed)
    if not 0 < given.seconds <= MOST_SECONDS:
        raise ConfigError(f"--seconds {given.seconds:g}: want more than 0, and no more than {MOST_SECONDS:g}")
    if not 1 <= given.workers <= MOST_WORKERS:
        raise ConfigError(f"--workers {given.workers}: want a number from 1 to {MOST_WORKERS}")
    wanted = _wanted(given.only)
    check_out(given.out)
    outcomes = []
    with Counting(len(wanted), "faults") as counting, ThreadPoolExecutor(given.workers) as pool:
        waiting = [pool.submit(tried, number, given.seed, given.seconds) for number in wanted]
        try:
            for future in waiting:
                outcomes.append(future.result())
                counting.add(1)
        finally:
            pool.shutdown(cancel_futures=True)
    hand_over(report(outcomes, given.seconds, made_by(PROGRAM, arguments)), given.out)
    planted = [outcome for outcome in outcomes if outcome.number != SOUND]
    sound = not any(outcome.noticed for outcome in outcomes if outcome.number == SOUND)
    enough = sum(outcome.noticed for outcome in planted) >= GOAL * len(planted)
    return 0 if sound and enough and (given.only or not idle(planted)) else MISSED
