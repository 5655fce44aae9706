"""``python -m fc_env.lab odds QUESTION``: exact chances, and beside them what the engine does.

The chances come from the words of the rules (``fc_env.lab.exact``), the frequencies from the engine's own rules on many
seeds (``fc_env.lab.trials``). Where the two disagree beyond chance it is flagged: then one of them is wrong.
"""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from fc_env.commandline import Parser
from fc_env.lab import exact, measuring, trials
from fc_env.lab.exact import Chances
from fc_env.lab.report import Report, add_options, check_out, hand_over, made_by
from fc_env.lab.statistics import wilson
from fc_env.ruleset import LADDER, RuleSet, from_record
from fc_env.state import MAX_DENSITY, Doom

PROGRAM = "python -m fc_env.lab odds"
DOUBT = 1e-4
"""Of all results of a question some frequency would be as far off by chance less often than this: it is flagged."""


class Answer(NamedTuple):
    """One question answered: what it is about, the exact chances, what the engine did, and what numbers mean."""

    title: str
    what: str
    chances: Chances
    seen: np.ndarray  # int64 (N,)
    name: Callable[[int], str]


# ---- the questions


def _rules(given: Namespace) -> RuleSet:
    return from_record(trials.rules_of(given.rules))


def _avoid_die(given: Namespace) -> int:
    rules = _rules(given)
    if not given.avoid_hazard:
        return rules.avoid_die
    return rules.avoid_hazard_die_flagship if given.flagship else rules.avoid_hazard_die


def _careful(given: Namespace) -> str:
    return ", by Avoid Hazard" if given.avoid_hazard else ""


def _contact(given: Namespace) -> Answer:
    [density] = given.density
    hull = trials.MOST_HULL
    left = trials.hull_after(given.games, given.rules, hull, 0, [density], given.avoid_hazard, given.flagship)
    title = f"Being hit by a marker of density {density}{_careful(given)}"
    chances = exact.hit(density, _avoid_die(given))
    return Answer(title, "CON-1", chances, (left < hull).astype(np.int64), ("safe", "hit").__getitem__)


def _path(given: Namespace) -> Answer:
    rules, contacts = _rules(given), [exact.hit(density, _avoid_die(given)) for density in given.density]
    damage = exact.contact_damage(rules.contact_damage_die, rules.laser_reduction_die, given.lasers)
    densities = given.density
    left = trials.hull_after(
        given.games, given.rules, given.hull, given.lasers, densities, given.avoid_hazard, given.flagship
    )
    met = ", ".join(map(str, densities))
    title = f"Hull left of {given.hull} after meeting densities {met} with lasers {given.lasers}{_careful(given)}"
    return Answer(title, "CON-1, CON-2", exact.hull_after(given.hull, contacts, damage), left, str)


def _attack(given: Namespace) -> Answer:
    [density] = given.density
    off = density * _rules(given).attenuation
    chances = exact.attack_damage(given.weapons, given.bonus, given.shields, off)
    seen = trials.attack_damage(given.games, given.rules, given.weapons, given.bonus, given.shields, density)
    bonus = f"+{given.bonus}" if given.bonus else ""
    title = f"Damage of an attack of d{given.weapons}{bonus} on shields d{given.shields} through density {density}"
    return Answer(title, "FIR-1, FIR-2", chances, seen, str)


def _doom(given: Namespace) -> Answer:
    title = f"Doom of a {'flagship' if given.flagship else 'lesser ship'}"
    seen = trials.doom_rolls(given.games, given.rules, given.flagship)

    def name(roll: int) -> str:
        return f"{roll}: {Doom(roll).name.lower().replace('_', ' ')}"

    return Answer(title, "DOOM-2", exact.doom(given.flagship), seen, name)


def _number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ArgumentTypeError(f"{text!r}: want an integer from {low} to {high}")
        return int(text)

    return read


def _die(text: str) -> int:
    number = text.removeprefix("d")
    if not number.isdecimal() or int(number) not in LADDER:
        raise ArgumentTypeError(f"{text!r}: want one of {', '.join(f'd{faces}' for faces in LADDER)}")
    return int(number)


OPTIONS: dict[str, dict[str, Any]] = {
    "density": {"type": _number(1, MAX_DENSITY), "nargs": 1, "required": True, "help": "of the marker, 1 to 6"},
    "field": {"type": _number(0, 36), "nargs": 1, "default": [0], "dest": "density", "metavar": "DENSITY",
              "help": "density that the fire passes through (default: 0)"},
    "densities": {"type": _number(1, MAX_DENSITY), "nargs": "+", "required": True, "dest": "density",
                  "metavar": "DENSITY", "help": "of the markers it meets, in order"},
    "avoid-hazard": {"action": BooleanOptionalAction, "default": False, "help": "fly by Avoid Hazard (MOV-9)"},
    "flagship": {"action": BooleanOptionalAction, "default": True, "help": "whether the ship is a flagship"},
    "hull": {"type": _number(1, trials.MOST_HULL), "default": 10, "help": "hull points (default: 10)"},
    "lasers": {"type": _number(0, 3), "default": 0, "help": "lasers of the ship (default: 0)"},
    "weapons": {"type": _die, "required": True, "metavar": "DIE", "help": "weapons die, such as d8"},
    "shields": {"type": _die, "required": True, "metavar": "DIE", "help": "shields die of the target"},
    "bonus": {"type": _number(0, 6), "default": 0, "help": "added to the attack roll (default: 0)"},
}  # fmt: skip


class Question(NamedTuple):
    """What can be asked."""

    text: str
    options: tuple[str, ...]
    answer: Callable[[Namespace], Answer]


QUESTIONS = {
    "contact": Question("How likely is a hit by a marker?", ("density", "avoid-hazard", "flagship"), _contact),
    "path": Question(
        "What hull is left after meeting some markers, and does the ship live?",
        ("densities", "hull", "lasers", "avoid-hazard", "flagship"),
        _path,
    ),
    "attack": Question(
        "What does an attack do, through rock or not?", ("weapons", "shields", "field", "bonus"), _attack
    ),
    "doom": Question("What becomes of a ship at 0 hull?", ("flagship",), _doom),
}


# ---- the report


def figures_of(answer: Answer) -> list[dict[str, Any]]:
    """For each number its exact chance, its frequency with a 95% interval, and whether the two agree."""
    n = len(answer.seen)
    found, counts = np.unique(answer.seen, return_counts=True)
    seen = dict(zip(found.tolist(), counts.tolist(), strict=True))
    numbers, rows = sorted(answer.chances | seen), []
    for number in numbers:
        chance, count = answer.chances.get(number, Fraction(0)), seen.get(number, 0)
        interval = wilson(count, n)
        rows.append(
            {
                "number": number,
                "name": answer.name(number),
                "exact": str(chance),
                "chance": float(chance),
                "seen": count,
                "frequency": interval.value,
                "interval_95": [interval.low, interval.high],
                "agrees": bool(binomtest(count, n, float(chance)).pvalue >= DOUBT / len(numbers)),
            }
        )
    return rows


def report(answer: Answer, made: dict[str, Any]) -> Report:
    """The report on one question."""
    rows, n = figures_of(answer), len(answer.seen)
    mean = sum((number * chance for number, chance in answer.chances.items()), Fraction(0))
    said = Report(answer.title, made, {"rules": answer.what, "games": n, "mean": float(mean), "rows": rows})
    wrong = [row["name"] for row in rows if not row["agrees"]]
    said.text(f"By {answer.what}; {n:,} trials of the engine. The mean is {float(mean):.4f}, exactly {mean}.")
    verdict = f"**They disagree** in: {', '.join(wrong)}." if wrong else "Chances and frequencies agree."
    said.text(verdict)
    lines = [
        [row["name"], row["exact"], f"{row['chance']:.3%}", f"{row['frequency']:.3%}",
         f"{row['interval_95'][0]:.3%} to {row['interval_95'][1]:.3%}", "yes" if row["agrees"] else "no"]
        for row in rows
    ]  # fmt: skip
    said.text(measuring.table(["result", "exact", "chance", "of the engine", "95% interval", "agrees"], lines))
    said.bars("Chances (bars) and frequencies of the engine (points)", rows)
    return said


def run(arguments: Sequence[str]) -> int:
    """The command; its exit status is 1 where chances and frequencies disagree."""
    listed = "\n".join(f"  {name:<10}{question.text}" for name, question in QUESTIONS.items())
    parser = Parser(PROGRAM, "Exact chances, and what the engine does.", f"questions:\n{listed}")
    parser.add_argument("question", choices=QUESTIONS, metavar="QUESTION", help="one of the questions below")
    question = parser.parse_args(arguments[:1]).question
    parser = Parser(f"{PROGRAM} {question}", QUESTIONS[question].text)
    for name in QUESTIONS[question].options:
        parser.add_argument("--density" if OPTIONS[name].get("dest") == "density" else f"--{name}", **OPTIONS[name])
    parser.add_argument("--rules", nargs="+", default=[], metavar="FIELD=VALUE", help="changes of the rule set")
    parser.add_argument("--games", type=_number(1, measuring.MOST_GAMES), default=100_000,
                        help="trials of the engine (default: 100000)")  # fmt: skip
    add_options(parser)
    given = parser.parse_args(arguments[1:])
    given.rules = " ".join(given.rules)
    check_out(given.out)
    said = report(QUESTIONS[question].answer(given), made_by(PROGRAM, arguments))
    hand_over(said, given.out)
    agrees = all(row["agrees"] for row in said.figures["rows"])
    if not agrees:
        print("chances and frequencies disagree", file=sys.stderr)
    return 0 if agrees else 1
