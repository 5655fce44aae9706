"""What is handed over of a step that breaks something: a story, a game to play again, and a test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fc_env import __version__, actions, position_text
from fc_env.describe import describe_die, describe_event
from fc_env.errors import ConfigError, FleetCaptainError
from fc_env.lab.fuzzing.invariants import WORDS, Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE
from fc_env.lab.fuzzing.running import Finding, Step, broken_now, last_step
from fc_env.lab.fuzzing.shrink import broken_by, take
from fc_env.lab.fuzzing.walk import Desk, new_desk, walk_again
from fc_env.notation import action_id
from fc_env.state import Phase, as_bytes
from fc_env.tape import N_DICE, N_EVENTS

FORMAT = "fleet-captain fuzz 1"
_KEYS = ("format", "version", "broken", "position", "decisions")


def in_words(invariant: Invariant) -> str:
    """Rule id, name, and what it says."""
    return f"{invariant.rule} {invariant.label}: {WORDS[invariant].text}"


def step_name(step: Step) -> str:
    """The phase that was run, or the action that was taken."""
    phase = Phase(int(step.game["phase"][0])).name.lower().replace("_", " ")
    return f"the phase {phase}" if step.action == BY_PHASE else f"the action {actions.NAMES[step.action]}"


def broken_in(text: str, action: str | None = None, dice: Sequence[int] = ()) -> list[str]:
    """What breaks if a position's phase is run, or an action is taken in it, in words, each with its rule id.

    The dice are forced as long as they last. Raises ScenarioError for a text that is no position, and
    IllegalActionError for no name of an action.
    """
    taken = BY_PHASE if action is None else action_id(action)
    broken = broken_by(Step(position_text.read(text), taken, tuple(dice)), new_desk())
    return [in_words(invariant) for invariant in broken]


def story(step: Step, desk: Desk) -> str:
    """A step in words: the position, what happened, with rule ids and dice, and what is broken of it. Markdown."""
    tape = take(step, desk)
    counts = tape.counts
    lines = ["```", position_text.write(step.game[0]).rstrip(), "```", "", f"Then {step_name(step)}:", ""]
    lines += [f"- {describe_die(die)}" for die in np.asarray(tape.dice)[: int(counts[N_DICE])]]
    lines += [f"- {describe_event(event)}" for event in np.asarray(tape.events)[: int(counts[N_EVENTS])]]
    lines += ["", *(f"**Broken: {in_words(invariant)}.**" for invariant in broken_now(desk))]
    return "\n".join(lines)


def case_text(step: Step, invariant: Invariant) -> str:
    """A module for pytest whose one test fails as long as the step breaks something."""
    action = "" if step.action == BY_PHASE else f", action={actions.NAMES[step.action]!r}".replace("'", '"')
    dice = f", dice={list(step.dice)}" if step.dice else ""
    return f'''"""{invariant.rule}: {WORDS[invariant].text}."""

from fc_env.lab.fuzzing.cases import broken_in

POSITION = """\\
{position_text.write(step.game[0]).rstrip()}
"""


def test_{invariant.name.lower()}() -> None:
    """{invariant.rule}"""
    assert broken_in(POSITION{action}{dice}) == []
'''


# ---- whole games


class Replayed(NamedTuple):
    """What a saved game does when it is played again."""

    decisions: int  # taken, of those that were saved
    broken: tuple[Invariant, ...]
    step: Step


def game_text(finding: Finding) -> str:
    """A game up to what is broken in it, as JSON."""
    data = {
        "format": FORMAT,
        "version": __version__,
        "broken": [in_words(invariant) for invariant in finding.broken],
        "position": position_text.write(finding.start[0]).splitlines(),
        "decisions": [actions.NAMES[action] for action in finding.decisions],
    }
    return json.dumps(data, indent=1) + "\n"


def _read_game(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise ConfigError(f"{path}: no whole JSON file ({problem}): want one that fuzz wrote") from None
    if not isinstance(data, dict) or sorted(data) != sorted(_KEYS) or data["format"] != FORMAT:
        raise ConfigError(f"{path}: want {', '.join(_KEYS)}, and {FORMAT!r} as the format")
    for key in ("position", "decisions"):
        if not isinstance(data[key], list) or not all(isinstance(one, str) for one in data[key]):
            raise ConfigError(f"{path}: {key} is no list of texts: want one, as fuzz writes it")
    return data


def replayed(path: Path, desk: Desk) -> Replayed:
    """Play a game again that fuzz saved. Raises ConfigError for another file, naming what is wrong, and OSError."""
    data = _read_game(path)
    try:
        start = position_text.read("\n".join(data["position"]) + "\n")
        decisions = np.array([action_id(name) for name in data["decisions"]], np.int64)
    except FleetCaptainError as problem:
        raise ConfigError(f"{path}: {problem}") from None
    used = walk_again(as_bytes(start)[0], decisions, desk)
    return Replayed(int(used), broken_now(desk), last_step(desk))
