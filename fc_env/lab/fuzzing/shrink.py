"""From a step that breaks something to the smallest one that still does: fewest pieces and dice, plainest rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fc_env import engine
from fc_env.actions import ACT, TARGET
from fc_env.dice import Purpose
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE
from fc_env.lab.fuzzing.running import Step, broken_now, fallen
from fc_env.lab.fuzzing.walk import MOST_ROWS, Desk, take_step
from fc_env.ruleset import RULES, RuleSet, to_record
from fc_env.state import MAX_SHIPS, SEATS, SHIP, as_bytes
from fc_env.tape import Tape, new_tape
from fc_env.validity import problems

_PLAIN_SHIP = {
    "flaw": 0, "flaw_side": 0, "lasers": 0, "torpedoes": 0, "jammed": 0, "volleys": 1, "slowness": 1, "captain": 0,
    "crew": 0, "convoy": 0, "contacts": 0, "packets": 0, "sitting_duck": 0, "doom": 0, "hull": 1,
}  # fmt: skip
"""What is tried for each field of a ship."""


def take(step: Step, desk: Desk) -> Tape:
    """Take a step on the desk; its dice are forced as long as they last and can be had, then chance goes on."""
    desk.rows[1] = as_bytes(step.game)[0]
    desk.notes["broken"] = 0
    tape = new_tape(MOST_ROWS, list(step.dice))
    take_step(desk.games, desk.rows, step.action, tape, desk.mask, desk.notes[0])
    return tape


def broken_by(step: Step, desk: Desk) -> tuple[Invariant, ...]:
    """What a step breaks."""
    take(step, desk)
    return broken_now(desk)


def _may_be(step: Step) -> bool:
    """Whether a step is one that a game could come to: a position of the game, and an action that is offered."""
    if next(problems(step.game[0]), None) is not None:
        return False
    return step.action == BY_PHASE or bool(engine.legal_mask(step.game)[0, step.action])


def _without_ship(step: Step, seat: int, index: int) -> Step | None:
    """The step without a ship, if that is not the one that acts or is shot at."""
    game, action = step.game.copy(), step.action
    one = game[0]
    actor = int(one["actor"])
    if seat == actor and one["asked"] == index:
        return None
    named = (ACT <= action < TARGET and seat == actor) or (action >= TARGET and seat != actor)
    if named:
        slot = (action - ACT) % MAX_SHIPS
        if slot == index:
            return None
        action -= slot > index
    last = int(one["n_ships"][seat]) - 1
    ships = one["ships"][seat]
    if index == 0 and last:
        ships[1]["flagship"] |= ships[0]["flagship"]  # a side needs one
    ships[index:last] = ships[index + 1 : last + 1].copy()
    ships[last] = np.zeros((), SHIP)
    one["n_ships"][seat] = last
    if seat == actor and one["asked"] > index:
        one["asked"] -= 1
    return Step(game, int(action), step.dice)


def _without_marker(step: Step, index: int) -> Step:
    game = step.game.copy()
    one = game[0]
    last = int(one["n_markers"]) - 1
    one["markers"][index:last] = one["markers"][index + 1 : last + 1].copy()
    one["markers"][last] = 0
    one["n_markers"] = last
    return Step(game, step.action, step.dice)


def _with(step: Step, change: Callable[[Any], None]) -> Step:
    """The step with its game changed in place."""
    game = step.game.copy()
    change(game[0])
    return Step(game, step.action, step.dice)


def _set(records: str, place: tuple[int, ...], name: str, value: Any) -> Callable[[Any], None]:
    def change(game: Any) -> None:
        game[records][place][name] = value

    return change


def _set_rule(name: str, value: Any) -> Callable[[Any], None]:
    def change(game: Any) -> None:
        game["rules"][name] = value

    return change


def _fewer_pieces(step: Step, rows: np.ndarray) -> Iterator[Step | None]:
    """Without a piece: with all dice that fell, DIE (D,), and without its own."""
    game = step.game[0]
    for seat in range(SEATS):
        for index in reversed(range(int(game["n_ships"][seat]))):
            fewer = _without_ship(step, seat, index)
            if fewer:
                token = game["ships"][seat, index]["token"]
                yield fewer
                yield fewer._replace(dice=_but(rows, (rows["purpose"] != Purpose.DRIFT) & (rows["piece"] == token)))
    for index in reversed(range(int(game["n_markers"]))):
        fewer = _without_marker(step, index)
        yield fewer._replace(dice=_but(rows, (rows["purpose"] == Purpose.DRIFT) & (rows["piece"] == index)))
        yield fewer


def _but(rows: np.ndarray, own: np.ndarray) -> tuple[int, ...]:
    """The dice of the rows without some of them."""
    return tuple(int(value) for value in rows["value"][~own])


def _only_open_card(game: Any) -> None:
    if game["card"] >= 0:
        game["flipped"], game["flips"] = 1 << int(game["card"]), 1
    else:
        game["flipped"], game["flips"] = 0, 0


def _plainer(step: Step, rows: np.ndarray) -> Iterator[Step | None]:
    usual = to_record(RuleSet())
    game = step.game[0]
    for name in RULES.names or ():
        yield _with(step, _set_rule(name, usual[name]))
    yield _with(step, lambda game: game.__setitem__("seed", 0))
    yield _with(step, _only_open_card)
    for seat in range(SEATS):
        for index in range(int(game["n_ships"][seat])):
            for name, value in _PLAIN_SHIP.items():
                yield _with(step, _set("ships", (seat, index), name, value))
    for index in range(int(game["n_markers"])):
        yield _with(step, _set("markers", (index,), "density", 1))


def _fewer_dice(step: Step, rows: np.ndarray) -> Iterator[Step | None]:
    for place in reversed(range(len(step.dice))):
        yield step._replace(dice=step.dice[:place] + step.dice[place + 1 :])
    for place, value in enumerate(step.dice):
        for less in sorted({1, value // 2, value - 1}):
            if 1 <= less < value:
                yield step._replace(dice=(*step.dice[:place], less, *step.dice[place + 1 :]))


def _differs(one: Step, other: Step) -> bool:
    return one.dice != other.dice or one.action != other.action or one.game.tobytes() != other.game.tobytes()


Candidates = Callable[[Step, np.ndarray], Iterator[Step | None]]


class _Aim(NamedTuple):
    """What a smaller step has to break, and all that it may."""

    invariant: Invariant
    allowed: frozenset[Invariant]


def _smaller(step: Step, candidates: Iterator[Step | None], aim: _Aim, desk: Desk) -> Step | None:
    """The first candidate that differs from a step and breaks the same."""
    for candidate in candidates:
        if candidate is None or not _differs(candidate, step) or not _may_be(candidate):
            continue
        broken = broken_by(candidate, desk)
        if aim.invariant in broken and aim.allowed.issuperset(broken):
            return candidate
    return None


def _smallest(step: Step, candidates: Candidates, aim: _Aim, desk: Desk, settle: bool) -> Step:
    """What a step becomes until no candidate is smaller; with ``settle`` its dice are those that then fell."""
    smaller: Step | None = step
    while smaller is not None:
        rows = fallen(take(smaller, desk))
        step = smaller._replace(dice=_but(rows, np.zeros(len(rows), bool))) if settle else smaller
        smaller = _smaller(step, candidates(step, rows), aim, desk)
    return step


def shrunk(step: Step, invariant: Invariant, desk: Desk) -> Step:
    """The smallest step found that breaks an invariant as this one does, and nothing that this one does not.

    What it may become is tried one change at a time, each kept if it still is a possible position. Dice are given up
    last: until then all are forced, so that nothing hangs on the seed.
    """
    aim = _Aim(invariant, frozenset(broken_by(step, desk)))
    before = None
    while before is not step:
        before = step
        for candidates in (_fewer_pieces, _plainer):
            smaller = _smallest(step, candidates, aim, desk, settle=True)
            step = smaller if _differs(smaller, step) else step
    return _smallest(step, _fewer_dice, aim, desk, settle=False)
