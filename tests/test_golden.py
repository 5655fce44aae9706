"""Golden games: whole games as readable text, replayed step by step and compared exactly.

A file of ``golden/`` holds a position, then steps. A step starts with ``>``, what is done, and after ``|`` all dice
that fall in it, as ``5``, ``d8=5`` or ``KS`` (none: by the game's own seed); then come the events, one a line,
and with ``=`` each line of the position that the step changed (``= no card``: that line is gone). At the end ``digest``
is that of the last record. ``let NAME = words`` makes ``$NAME`` stand for words; ``#`` starts a comment. The files
``by_hand_*`` were worked out from the rules with pencil and paper, and their comments show the arithmetic;
``golden/record.py`` makes the others.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from fc_env.notation import Position, describe_event

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*.txt"))
BY_HAND = sorted(GOLDEN.glob("by_hand_*.txt"))


class Step(NamedTuple):
    """One step of a golden game."""

    line: int
    call: str
    dice: list[int | str] | None  # None: by the game's own seed
    faces: list[int]  # of each of the dice, 0 where the file does not say
    events: list[str]
    changes: list[str]


def read_golden(text: str) -> tuple[str, list[Step], str]:
    """The starting position, the steps, and the digest at the end if the file says one."""
    digest = ""
    position: list[str] = []
    steps: list[Step] = []
    words: dict[str, str] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = re.sub(r"\$(\w+)", lambda found: words[found[1]], raw.split("#")[0]).strip()
        if line.startswith("let "):
            name, _, meaning = line[4:].partition("=")
            words[name.strip()] = meaning.strip()
        elif line.startswith("digest "):
            digest = line[7:]
        elif line.startswith(">"):
            call, bar, dice = line[1:].partition("|")
            pairs = [die.rpartition("=") for die in dice.split()]
            forced = [int(value) if value.isdigit() else value for _, _, value in pairs]
            faces = [int(die[1:] or 0) for die, _, _ in pairs]
            steps.append(Step(number, call.strip(), None if bar and not forced else forced, faces, [], []))
        elif line.startswith("="):
            steps[-1].changes.append(line[1:].strip())
        elif line:
            (steps[-1].events if steps else position).append(line)
    return "\n".join(position), steps, digest


def play(position: Position, step: Step) -> Position:
    verb, _, rest = step.call.partition(" ")
    if verb == "run":
        return position.run(rest, step.dice)
    if verb == "advance":
        return position.advance(step.dice)
    return position.act(step.call, step.dice)


def keyed(text: str) -> dict[str, str]:
    """The lines of a position's text by their first word, ships and markers numbered."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        item = line.split()[0]
        if item in ("ship", "marker"):
            item += f" {sum(key.startswith(item + ' ') for key in lines)}"
        lines[item] = line
    return lines


def changes(before: str, after: str) -> list[str]:
    """The lines of a position's text that are new or other, and ``no ITEM`` for those that are gone."""
    old, new = keyed(before), keyed(after)
    gone = [f"no {item}" for item in old if item not in new]
    return gone + [line for item, line in new.items() if old.get(item) != line]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_golden_game(path):
    text, steps, digest = read_golden(path.read_text(encoding="utf-8"))
    position = Position.parse(text)
    for step in steps:
        where = f"{path.name} line {step.line}: {step.call}"
        after = play(position, step)
        assert [describe_event(event) for event in after.events] == step.events, where
        told = [(die.faces, faces) for die, faces in zip(after.dice, step.faces, strict=False) if faces]
        assert all(fell == faces for fell, faces in told), where
        assert sorted(changes(position.text, after.text)) == sorted(step.changes), where
        position = after
    assert position.game["outcome"] > 0
    assert digest in ("", position.digest)
    assert digest or path in BY_HAND


@pytest.mark.parametrize("path", BY_HAND, ids=[path.stem for path in BY_HAND])
def test_games_by_hand_have_twelve_turns_and_only_forced_dice(path):
    text, steps, _ = read_golden(path.read_text(encoding="utf-8"))
    position = Position.parse(text)
    for step in steps:
        assert step.dice is not None
        position = play(position, step)
    assert position.game["turn"] == 12


def test_games_by_hand_visit_the_rules_of_drift_contact_and_movement():
    wanted = {
        "DRF-1", "DRF-2", "DRF-3", "DRF-4", "CON-1", "CON-2", "CARD-2", "CARD-4", "CARD-5", "CARD-7", "END-1", "END-2",
        "MOV-1", "MOV-3", "MOV-4", "MOV-6", "MOV-7", "MOV-8", "MOV-9", "POW-1", "POW-2", "POW-3", "ORD-1", "TURN-1",
        "DOOM-1", "WIN-2", "CON-3", "CON-4", "MOV-2", "MOV-5", "CARD-3", "CARD-6", "CARD-8", "ORD-2", "TURN-2",
        "TURN-3", "TURN-4", "TURN-5", "TURN-6", "TURN-7", *(f"COR-{n}" for n in (3, 6, 8, 9, 10, 11, 12, 22)),
    }  # fmt: skip
    steps = [step for path in BY_HAND for step in read_golden(path.read_text(encoding="utf-8"))[1]]
    assert wanted <= {event.split()[0] for step in steps for event in step.events}
    assert len(BY_HAND) == 2
