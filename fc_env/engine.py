"""THE DOOR to the game: new, legal_mask, step, run_phase, clone, view.

Everything here works on a batch, a structured array of ``state.GAME`` records of shape (N,), changes it in
place, and changes nothing at all when it raises. Only here is there a loop over games. Game i depends on
its own seed only.

>>> from fc_env import engine, scenarios
>>> games = engine.new(scenarios.load("crossing", field="dense"), seeds=[7])
>>> mask = engine.legal_mask(games)
>>> trace = engine.step(games, mask.argmax(axis=1), record=True)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fc_env import actions as act
from fc_env import seeding, sequence
from fc_env.dice import Purpose
from fc_env.errors import ForcedDiceError, GameOverError, IllegalActionError, ScenarioError
from fc_env.jit import COMPILED, jit, kernel_view
from fc_env.rules import setup as field
from fc_env.rules.cards import card_value, rank_of
from fc_env.state import GAME, SEATS, Order, Outcome, Phase, as_bytes
from fc_env.tape import (
    DIE,
    EVENT,
    N_DICE,
    N_EVENTS,
    N_USED,
    NO_SUCH_FACE,
    REFUSED,
    SILENT,
    Tape,
    new_tape,
    note_game,
    overflowed,
)
from fc_env.workers import SERIAL, Kernel, Workers

FIRST_CAPACITY = 1024
"""Rows a recording tape holds at first; it grows when they do not suffice."""


class Trace(NamedTuple):
    """What a call recorded: rows of ``tape.EVENT`` and of ``tape.DIE``, in the order they happened."""

    events: np.ndarray
    dice: np.ndarray


NOTHING_RECORDED = Trace(np.zeros(0, EVENT), np.zeros(0, DIE))
_NO_DIE = 2**31 - 1  # more faces than any die has; larger forced values stand for themselves only in messages


@jit
def _first_illegal(games, actions) -> int:
    for i in range(games.shape[0]):
        if not act.may_take(games[i], actions[i]):
            return i
    return -1


@jit
def _step_range(games, actions, tape) -> None:
    for i in range(games.shape[0]):
        note_game(tape, i)
        act.apply(games[i], tape, actions[i])
        sequence.advance(games[i], tape)


@jit
def _mask_range(games, masks) -> None:
    for i in range(games.shape[0]):
        act.write_mask(games[i], masks[i])


@jit
def lay_range(lo: int, hi: int, games, slots, setups, which, seeds, tape) -> int:
    """Lay out the games in some slots and play to their first decision; the first that cannot be laid, or -1."""
    for k in range(lo, hi):
        note_game(tape, slots[k])
        setup = setups[which[k]]
        games[slots[k]] = setup.game
        game = games[slots[k]]
        game.seed = seeds[k]
        field.choose_facings(setup, game, tape)
        if not field.lay_field(setup, game, tape):
            return k
        sequence.advance(game, tape)
    return -1


class Laying(NamedTuple):
    """Who lays out games: how many in a chunk at the least, and by what kernel; all of it the usual one unless said."""

    workers: Workers = SERIAL
    least: int = 1
    kernel: Kernel = lay_range


BY_ONE = Laying()


@jit
def _phase_range(games, tape) -> None:
    for i in range(games.shape[0]):
        note_game(tape, i)
        sequence.run_phase(games[i], tape)


@jit
def _advance_range(games, tape) -> None:
    for i in range(games.shape[0]):
        note_game(tape, i)
        sequence.advance(games[i], tape)


def _forced_values(dice: Sequence[int | str]) -> list[int]:
    values = []
    for die in dice:
        if isinstance(die, str):
            values.append(card_value(die))
        elif isinstance(die, (int, np.integer)) and not isinstance(die, bool):
            values.append(min(max(int(die), 0), _NO_DIE))
        else:
            raise ForcedDiceError(f"forced die {die!r}: want an integer, or a card such as '10C'")
    return values


def _check_forced(tape: Tape, dice: Sequence[int | str]) -> None:
    """Raise ForcedDiceError unless exactly all forced dice were used."""
    used = int(tape.counts[N_USED])
    if tape.counts[REFUSED]:
        row = tape.refused[0]
        purpose = Purpose(int(row["purpose"])).name.lower().replace("_", " ")
        die = "a card" if row["purpose"] == Purpose.CARD else f"a d{int(row['faces'])}"
        wanted = f"{die} for {purpose} of piece {int(row['piece'])} in turn {int(row['turn'])}"
        if tape.counts[REFUSED] == NO_SUCH_FACE:
            raise ForcedDiceError(f"forced die {used} is {dice[used]!r}: the step wants {wanted}")
        raise ForcedDiceError(f"forced dice ran short after {used}: the step wants {wanted}")
    if used < len(dice):
        raise ForcedDiceError(f"{len(dice) - used} of {len(dice)} forced dice were not used: {list(dice[used:])}")


def _play(games: np.ndarray, kernel: Any, args: tuple, record: bool, dice: Sequence[int | str] | None) -> Any:
    """Run a kernel with a tape; all or nothing. Returns its result and the Trace."""
    if not record and dice is None:
        return kernel(kernel_view(games), *args, SILENT), NOTHING_RECORDED
    if dice is not None and len(games) != 1:
        raise ForcedDiceError(f"dice can be forced for one game, not for a batch of {len(games)}")
    forced = None if dice is None else _forced_values(dice)
    before = clone(games)
    capacity = FIRST_CAPACITY
    while True:
        tape = new_tape(capacity, forced)
        result = kernel(kernel_view(games), *args, tape)
        if not overflowed(tape):
            break
        # The dice are a function of the record, so the same call can simply be made again.
        games[:] = before
        capacity *= 8
    if dice is not None:
        try:
            _check_forced(tape, dice)
        except ForcedDiceError:
            games[:] = before
            raise
    events, rolled = tape.events[: tape.counts[N_EVENTS]], tape.dice[: tape.counts[N_DICE]]
    return result, Trace(np.array(events), np.array(rolled))


def new(
    setups: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    space: str = "train",
    which: Sequence[int] | np.ndarray | None = None,
    dice: Sequence[int | str] | None = None,
) -> np.ndarray:
    """New games, laid out and at their first decision: GAME (N,).

    ``setups`` is one or several scenarios (``rules.setup.SETUP``, as ``scenarios.load`` gives them), ``which``
    (N,) says which of them each game plays (default the first), ``seeds`` (N,) are integers from 0 to 2**63 - 1 in
    the named space ("train" or "test"). Raises SeedError, and ScenarioError when a field cannot be laid (SET-5).
    """
    raw = seeding.game_seeds(seeds, 0, space)
    games = np.zeros(len(raw), GAME)
    new_into(games, setups, raw, which, dice)
    return games


def new_into(
    games: np.ndarray,
    setups: np.ndarray,
    raw_seeds: np.ndarray,
    which: Sequence[int] | np.ndarray | None = None,
    dice: Sequence[int | str] | None = None,
    record: bool = False,
    slots: np.ndarray | None = None,
    laying: Laying = BY_ONE,
) -> Trace:
    """The same into existing records (N,), with the games' own seeds, uint64 (K,) as ``seeding.game_seeds`` makes.

    ``slots``, int64 (K,), are the places in ``games`` that get the new games, by default all; ``which`` is (K,) too.
    What is recorded is laid out by this thread alone, whatever ``laying`` says.
    """
    places = np.arange(len(games)) if slots is None else np.asarray(slots, np.int64)
    chosen = np.zeros(len(places), np.int64) if which is None else np.asarray(which, np.int64)
    scenarios = kernel_view(np.atleast_1d(setups))
    rows = as_bytes(games)
    before = rows[places]

    def lay(view: np.ndarray, tape: Tape | None) -> int:
        workers, least, kernel = laying if tape is SILENT else BY_ONE
        return workers.run(kernel, len(places), least, (view, places, scenarios, chosen, raw_seeds, tape))

    failed, trace = _play(games, lay, (), record, dice)
    if failed >= 0:
        rows[places] = before
        raise ScenarioError(
            f"the field cannot be laid (SET-5): for game seed {int(raw_seeds[failed])} no hex of a candidate row is "
            "left that is free and from which the first drift cannot touch a ship; want fewer markers, a larger map, "
            "a smaller rules.long_row_share, or rules.first_drift_safe: false"
        )
    return trace


def legal_mask(games: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Action masks, bool (N, N_ACTIONS). A finished game has only ``pass`` set."""
    masks = np.zeros((len(games), act.N_ACTIONS), np.bool_) if out is None else out
    _mask_range(kernel_view(games), masks)
    return masks


def legal_actions(game: np.ndarray) -> list[int]:
    """The legal action ids of one game, GAME () or (1,)."""
    return [int(action) for action in np.flatnonzero(legal_mask(np.atleast_1d(game))[0])]


def _check_actions(games: np.ndarray, actions: Any) -> np.ndarray:
    given = np.asarray(actions)
    if given.dtype.kind not in "iu":
        raise IllegalActionError(f"actions are of type {given.dtype}: want integers 0..{act.N_ACTIONS - 1}")
    if given.shape != games.shape:
        raise IllegalActionError(f"actions have shape {given.shape}: want one for each game, {games.shape}")
    checked = given.astype(np.int64)
    bad = _first_illegal(kernel_view(games), checked)
    if bad >= 0:
        raise refusal(games, bad, int(checked[bad]))
    return checked


def refusal(games: np.ndarray, index: int, action: int) -> IllegalActionError:
    """The error that says why one game of a batch refuses an action."""
    name = f"game {index}: " if len(games) > 1 else ""
    if games[index]["phase"] == Phase.OVER:
        outcome = Outcome(int(games[index]["outcome"])).name.lower()
        return GameOverError(f"{name}the game is over ({outcome}): want a reset")
    return IllegalActionError(f"{name}{why_illegal(games[index], action)}")


def why_illegal(game: np.ndarray, action: int) -> str:
    """A sentence: why an action is not legal in one game, and which are. Empty if it is legal."""
    if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
        raise IllegalActionError(f"action {action!r}: want an integer 0..{act.N_ACTIONS - 1}")
    legal = legal_actions(game)
    if action in legal:
        return ""
    name = f"action {action}" + (f" ({act.NAMES[action]})" if 0 <= action < act.N_ACTIONS else "")
    phase = Phase(int(game["phase"])).name.lower().replace("_", " ")
    listed = ", ".join(f"{number} ({act.NAMES[number]})" for number in legal) or "none before engine.advance"
    return f"{name} is not legal: {_reason(game, action, phase)}; legal are {listed}"


def _reason(game: np.ndarray, action: int, phase: str) -> str:
    if not 0 <= action < act.N_ACTIONS:
        return f"there are actions 0..{act.N_ACTIONS - 1}"
    if not legal_actions(game):
        return f"the {phase} phase asks for no decision"
    if game["phase"] != Phase.CARD or not act.ACT <= action < act.TARGET:
        return f"the game asks for a decision of the {phase} phase"
    index = (action - act.ACT) % (act.MANOEUVRE - act.ACT)
    seat = int(game["actor"])
    ship = game["ships"][seat, index]
    if index >= game["n_ships"][seat]:
        return f"seat {seat} has {int(game['n_ships'][seat])} ships (SHIP-1)"
    if ship["status"] != 1:
        return f"ship {index} is out of play (COR-8)"
    if ship["activated"]:
        return f"ship {index} was activated this turn (ORD-2)"
    return f"the open card, of rank {int(rank_of(int(game['card'])))}, does not let it (CARD-3 to CARD-6, COR-4, COR-5)"


def step(games: np.ndarray, actions: Any, record: bool = False, dice: Sequence[int | str] | None = None) -> Trace:
    """Carry out one action in each game and play on to its next decision.

    ``actions``: integers (N,). ``record``: also return events and dice. ``dice``: for a single game, the values of
    all dice that fall (cards as names such as "10C"). Raises IllegalActionError, GameOverError or ForcedDiceError;
    then all games are unchanged.
    """
    checked = _check_actions(games, actions)
    return _play(games, _step_range, (checked,), record or dice is not None, dice)[1]


def _phase(phase: Any) -> Phase:
    if isinstance(phase, Phase):
        return phase
    if isinstance(phase, str) and phase.upper() in Phase.__members__:
        return Phase[phase.upper()]
    raise ScenarioError(f"phase {phase!r}: want one of {', '.join(p.name.lower() for p in Phase)}")


def run_phase(
    games: np.ndarray, phase: str | Phase, record: bool = True, dice: Sequence[int | str] | None = None
) -> Trace:
    """Run one phase of the turn, such as ``"drift"``, in each game, whatever phase it is in; then it stands before the
    next one. Decisions are not made: a phase that asks leaves the game asking.

    Raises ScenarioError for a phase that does not exist, a game that is over, a sideslip that no move waits for, or a
    target of no ship's.
    """
    wanted = _phase(phase)
    if (games["phase"] == Phase.OVER).any():
        raise ScenarioError(f"phase {wanted.name.lower()}: a game is over: want one that goes on")
    if wanted == Phase.SIDESLIP and (games["move_hexes"] == 0).any():
        raise ScenarioError("phase sideslip: want a move that waits for its last hex (COR-9)")
    if wanted == Phase.TARGET and ((games["asked"] < 0) | (games["card"] < 0)).any():
        raise ScenarioError("phase target: want an Alpha Strike on an open card that waits for its target (FIR-7)")
    before = games["phase"].copy()
    games["phase"] = wanted
    try:
        return _play(games, _phase_range, (), record or dice is not None, dice)[1]
    except ForcedDiceError:
        games["phase"] = before
        raise


def advance(games: np.ndarray, record: bool = True, dice: Sequence[int | str] | None = None) -> Trace:
    """Play each game on to its next decision; for positions that were stated rather than played to."""
    return _play(games, _advance_range, (), record or dice is not None, dice)[1]


def clone(
    games: np.ndarray,
    seeds: Sequence[int] | np.ndarray | None = None,
    rows: Sequence[int] | np.ndarray | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Copies of games, GAME (N,), or of those in the ``rows``, integers (K,) of which any may come again and again.

    With ``seeds`` (N,) or (K,) their dice to come are others, in the seed space that each game is of. ``out``, GAME of
    that length and contiguous: where to put them, which spares the time to get memory. It copies whole records as
    bytes, some times faster than assigning structured arrays to each other. Raises ScenarioError for a row that is
    not there, another number of seeds or an ``out`` of another form, and SeedError; then nothing has changed.
    """
    picked = None if rows is None else np.asarray(rows if len(rows) else np.zeros(0, np.int64))
    if picked is not None:
        one_each = picked.ndim == 1 and picked.dtype.kind in "iu"
        if not one_each or ((picked < 0) | (picked >= len(games))).any():
            raise ScenarioError(f"rows {picked.tolist()}: want integers 0..{len(games) - 1}")
    n = len(games) if picked is None else len(picked)
    copies = np.empty(n, GAME) if out is None else out
    if copies.dtype != GAME or copies.shape != (n,) or not copies.flags.c_contiguous:
        raise ScenarioError(f"out is {copies.dtype.name} {copies.shape}: want a contiguous array of GAME ({n},)")
    fresh = None
    if seeds is not None:
        if len(seeds) != n:
            raise ScenarioError(f"{len(seeds)} seeds for {n} copies: want one for each")
        fresh = seeding.other_seeds(games["seed"] if picked is None else games["seed"][picked], seeds)
    source = as_bytes(np.ascontiguousarray(games))
    if picked is None:
        as_bytes(copies)[:] = source
    else:
        source.take(picked, axis=0, out=as_bytes(copies), mode="clip")  # any other mode copies twice
    if fresh is not None:
        copies["seed"] = fresh
    return copies


def view(games: np.ndarray, seat: int) -> np.ndarray:
    """What a seat may know (COR-1), as records GAME (N,): the seed is 0, the other side's orders not yet shown are
    ``Order.HIDDEN`` and its power not yet shown is 0. The deck's order is nowhere but in the seed."""
    if isinstance(seat, bool) or seat not in range(SEATS):
        raise ScenarioError(f"seat {seat!r}: want 0 or 1")
    seen = clone(games)
    seen["seed"] = 0
    theirs = seen["ships"][:, 1 - seat]
    given = (theirs["order"] != Order.NONE) & (theirs["order_shown"] == 0)
    theirs["order"][given] = Order.HIDDEN
    theirs["power"][theirs["power_shown"] == 0] = 0
    return seen


__all__ = [
    "COMPILED", "NOTHING_RECORDED", "Trace", "advance", "clone", "legal_actions", "legal_mask", "new", "new_into",
    "refusal", "run_phase", "step", "view", "why_illegal",
]  # fmt: skip
