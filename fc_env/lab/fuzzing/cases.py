"""What is handed over of a step that breaks something: a story, a game to play again, and a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fc_env import actions, position_text
from fc_env.describe import describe_die, describe_event
from fc_env.lab import saved
from fc_env.lab.fuzzing.invariants import WORDS, Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE
from fc_env.lab.fuzzing.running import Finding, Step, broken_now, last_step
from fc_env.lab.fuzzing.shrink import broken_by, take
from fc_env.lab.fuzzing.walk import Desk, new_desk, walk_again
from fc_env.notation import action_id
from fc_env.state import Phase, as_bytes
from fc_env.tape import N_DICE, N_EVENTS


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


def save(path: Path, finding: Finding) -> None:
    """Write a game up to what is broken in it. Raises OSError."""
    saved.write(path, finding.start, finding.decisions, [in_words(invariant) for invariant in finding.broken])


def replayed(path: Path, desk: Desk) -> Replayed:
    """Play a game again that fuzz saved. Raises ConfigError for another file, naming what is wrong, and OSError."""
    game = saved.read(path)
    used = walk_again(as_bytes(game.start)[0], game.decisions, desk)
    return Replayed(int(used), broken_now(desk), last_step(desk))
