"""``python -m fc_env.lab fuzz``: plays random and adversarial games, and checks every phase and decision of them.

What is checked are the invariants of ``fc_env.lab.fuzzing``, which know the rules a second time. Where one is broken,
the game is saved, and the step that broke it is shrunk to the smallest that does, told as a story, and written as a
test.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.events import Rule
from fc_env.files import check_writable, write_text
from fc_env.lab import measuring
from fc_env.lab.fuzzing import cases
from fc_env.lab.fuzzing.fairness import Bias, biased
from fc_env.lab.fuzzing.invariants import N_INVARIANTS, WORDS, Invariant
from fc_env.lab.fuzzing.running import RUN, Found, empty, play_run, together
from fc_env.lab.fuzzing.shrink import shrunk
from fc_env.lab.fuzzing.walk import new_desk
from fc_env.lab.progress import Counting
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.spreading import Spread, add_workers
from fc_env.seeding import check_seed

PROGRAM = "python -m fc_env.lab fuzz"
SECONDS = 60.0
MOST_GAMES = 1_000_000_000
OF_LAYING = (Rule.SET_1, Rule.SET_2, Rule.SET_4, Rule.COR_24)
"""Rules that fire before the first turn, when nothing is counted yet."""
FOUND_SOMETHING = 1
"""Exit status if an invariant is broken."""


class Hunt(NamedTuple):
    """What is to be played."""

    seed: int
    setups: tuple[np.ndarray, ...]  # SETUP (1,) each; none for drawn scenarios
    games: int | None  # how many, or
    seconds: float | None  # how long
    workers: int = 1

    def runs(self) -> Iterator[tuple[int, int]]:
        """First number and count of each run."""
        last = MOST_GAMES if self.games is None else self.games
        for first in range(0, last, RUN):
            yield first, min(RUN, last - first)


class Watching(Counting):
    """What a hunt shows: how far it is, turns a second, and the time left."""

    def __init__(self, hunt: Hunt) -> None:
        super().__init__(hunt.games or round(hunt.seconds or 0), "games" if hunt.games else "seconds")
        self._by_time, self._start, self._turns = hunt.games is None, time.monotonic(), 0

    def see(self, found: Found) -> None:
        """So much is done in all."""
        passed = time.monotonic() - self._start
        self._turns = found.turns
        self._done = min(round(passed), self._total) if self._by_time else found.games
        self.show()

    def words(self) -> str:
        """What a line says."""
        passed = max(time.monotonic() - self._start, 1e-9)
        return f"{super().words()}, {self._turns:,} turns, {self._turns / passed:,.0f} turns/s"


def hunt_down(hunt: Hunt, watching: Watching | None = None) -> Found:
    """Play until something is broken, or all games are played, or the time is up."""
    found = empty()
    deadline = None if hunt.seconds is None else time.monotonic() + hunt.seconds
    runs = ((hunt.seed, *run, hunt.setups) for run in hunt.runs())
    with Spread(hunt.workers) as spread:
        for run in spread.results(play_run, runs):
            found = together(found, run)
            if watching:
                watching.see(found)
            if found.finding or (deadline is not None and time.monotonic() >= deadline):
                break
    return found


# ---- what is said


def _files(found: Found, folder: Path) -> tuple[str, list[Path]]:
    """The story of a finding, and the files that were written of it: the game, and a test."""
    finding = found.finding
    assert finding is not None
    first = finding.broken[0]
    game = folder / f"fuzz_{finding.number}_{first.name.lower()}.json"
    cases.save(game, finding)
    if finding.step is None:
        return "\n".join(f"**Broken as the field was laid: {cases.in_words(one)}.**" for one in finding.broken), [game]
    desk = new_desk()
    small = shrunk(finding.step, first, desk)
    test = folder / f"test_fuzz_{finding.number}_{first.name.lower()}.py"
    write_text(test, cases.case_text(small, first))
    return cases.story(small, desk), [game, test]


def report(found: Found, uneven: Sequence[Bias], made: dict[str, Any], folder: Path) -> Report:
    """The report on a hunt; what was found is written to files in the folder."""
    finding = found.finding
    broken = {invariant.label for invariant in (finding.broken if finding else ())}
    broken |= {Invariant.FAIR_DICE.label} if uneven else set()
    figures: dict[str, Any] = {
        "games": found.games, "turns": found.turns, "decisions": found.decisions, "steps": found.steps,
        "broken": sorted(broken), "rules": {rule.id: int(found.rules[rule]) for rule in Rule},
        "game": None if finding is None else finding.number,
    }  # fmt: skip
    said = Report("Fuzzing the rules", made, figures)
    said.text(
        f"Games: {found.games:,}; turns: {found.turns:,}; decisions: {found.decisions:,}. After each of "
        f"{found.steps:,} phases and decisions {N_INVARIANTS} invariants were checked."
    )
    for bias in uneven:
        said.text(
            f"**Broken: {cases.in_words(Invariant.FAIR_DICE)}.** The d{bias.faces} for {bias.purpose}, rolled "
            f"{bias.rolls:,} times: a fair one is as uneven with a chance of {bias.chance:.1e}."
        )
    if finding:
        told, files = _files(found, folder)
        said.text(
            f"Game {finding.number}, played by a seeker of {finding.seeker.name.lower().replace('_', ' ')}:\n\n{told}",
            "Found",
        )
        said.text("Written: " + ", ".join(f"`{path}`" for path in files))
    elif not uneven:
        said.text("**Nothing is broken.**")
    lines = [[one.rule, one.label, WORDS[one].text, "yes" if one.label in broken else "no"] for one in Invariant]
    said.text(measuring.table(["rule", "invariant", "what it says", "broken"], lines), "Invariants")
    played = [rule for rule in Rule if rule not in OF_LAYING]
    counts = [[rule.id, f"{found.rules[rule]:,}"] for rule in sorted(played, key=lambda rule: found.rules[rule])]
    said.text(measuring.table(["rule", "fired"], counts), "Rules, the rarest first")
    return said


def _replay(path: Path) -> int:
    desk = new_desk()
    again = cases.replayed(path, desk)
    if not again.broken:
        print(f"{path}: nothing is broken after {again.decisions} decisions")
        return 0
    print(cases.story(again.step, desk))
    return FOUND_SOMETHING


def _hunt(given: Any) -> Hunt:
    if given.games is not None and given.seconds is not None:
        raise ConfigError(f"--games {given.games} --seconds {given.seconds:g}: want one of them")
    if given.games is not None and not 1 <= given.games <= MOST_GAMES:
        raise ConfigError(f"--games {given.games}: want a number from 1 to {MOST_GAMES}")
    seconds = given.seconds
    if given.games is None:
        seconds = SECONDS if seconds is None else seconds
        if not 0 < seconds < 1e9:
            raise ConfigError(f"--seconds {seconds:g}: want more than 0")
    Spread(given.workers)
    setups = tuple(measuring.scene_setups(scene) for scene in given.scenario)
    return Hunt(check_seed(given.seed), setups, given.games, seconds, given.workers)


def run(arguments: Sequence[str]) -> int:
    """The command; the exit status is 1 if something is broken."""
    parser = Parser(PROGRAM, "Play random and adversarial games, and check every phase and decision of them.")
    parser.add_argument("--seconds", type=float, default=None, help=f"how long, about (default: {SECONDS:g})")
    parser.add_argument("--games", type=int, default=None, help="play so many games instead")
    parser.add_argument("--seed", type=int, default=0, help="another seed plays other games (default: 0)")
    add_workers(parser)
    parser.add_argument("--scenario", nargs="+", default=[], metavar="SCENARIO",
                        help="play these, NAME, NAME:FIELD or paths, instead of drawn ones")  # fmt: skip
    parser.add_argument("--replay", type=Path, default=None, metavar="FILE", help="only play a saved game again")
    add_options(parser)
    given = parser.parse_args(arguments)
    if given.replay is not None:
        return _replay(given.replay)
    hunt = _hunt(given)
    check_out(given.out)
    folder = given.out or Path()
    check_writable(folder / "fuzz.json")
    with Watching(hunt) as watching:
        found = hunt_down(hunt, watching)
    uneven = () if found.finding else biased(found.faces)
    hand_over(report(found, uneven, made_by(PROGRAM, arguments), folder), given.out)
    return FOUND_SOMETHING if found.finding or uneven else 0
