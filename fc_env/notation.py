"""A position as text, and what can be done with it: ``Position``.

State a position, force the dice, run only the asteroid drift, and read what came of it:

>>> from fc_env.notation import Position, describe_event
>>> text = "fleet-captain position 1\\nmap 10x8\\nphase drift\\nmarker 0502 S 3\\n"
>>> text += "ship 0 0505 NE flagship dice d6 d8 d10 slowness 2 hull 10"
>>> after = Position.parse(text).run("drift", dice=[4, 2, 7])
>>> print(after.text, *map(describe_event, after.events), [die.value for die in after.dice], sep="\\n")
fleet-captain position 1
map 10x8
mode crossing
turn 1
phase initiative
ship 0 0505 NE flagship dice d6 d8 d10 slowness 2 hull 3/10 contacts 1
marker 0506 S 3
<BLANKLINE>
TURN-3 asteroid drift of turn 1
DRF-1 marker 0 rolls 4 for drift at 0502
DRF-2 marker 0 of density 3 meets it in 0505 (seat 0 ship 0)
CON-1 seat 0 ship 0 (marker 0) rolls 2, hit, contact in 0505
CON-2 seat 0 ship 0 (marker 0) damage roll 7, loses 7 hull in 0505
[4, 2, 7]

The text holds one item a line, in any order after the first line; ``#`` starts a comment. What is not said is as
usual: a map of 30x20, mode crossing, turn 1, phase power, the rule set's own defaults::

    fleet-captain position 1
    map 30x20
    mode battle                          # or crossing, or convoy
    goal east                            # edges out of north east south west
    rules drift_die=8 map_edge=wall      # changes of the rule set (rules.md section 12)
    turn 3
    phase card
    seed 42
    flipped 10C QH                       # cards flipped before the one that lies open
    card KS                              # the one that lies open
    first 1                              # the seat that decides first on a card
    ship 0 0110 NE flagship dice d6 d8 d10 slowness 2 hull 8/10 lasers 1 volleys 2 torpedo power LMH shown order right
    ship 1 2910 SW crew 2-4,7 captain JQ dice d4 d6 d8 slowness 1 hull 5 power HLM order forward shown activated
    marker 1213 SE 4                     # hex, facing, density
    marker waiting 0105 NE 3             # waits off the map just before 0105 (DRF-4)

The ships of a seat have indices in the order of their lines. A ship line may also say ``contacts N`` (so far this
turn), ``token N`` (its name to the dice), ``destroyed`` or ``left`` (then its hex may lie just off the map);
``convoy`` (WIN-3); a flaw of its class (section 9), ``flaw simply_mediocre``, ``flaw blind_spot 2`` and ``flaw
shield_flaw 3`` with the hexside clockwise from the nose, or ``flaw engine_imbalance left``; ``jammed``, of torpedoes;
and of doom (DOOM-2) ``doom venting``, what it rolled this turn, ``sitting_duck``, ``packets N`` (of damage so far as
one), and ``blast N`` (its place among the explosions that wait their turn). The phases target and sideslip want
``asked INDEX``, the ship, and sideslip ``move_hexes N`` and, if it is another, ``move_avoid_die d8``. Seldom needed, as
they follow from the rest: ``actor SEAT``, ``asked INDEX``, ``to_answer N``, ``card_acts N``, ``flips N``,
``side_tokens N N`` and ``outcome NAME``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fc_env import actions, engine, position_text
from fc_env.describe import Die, Event, describe_die, describe_event, die_of, event_of
from fc_env.errors import GameOverError, IllegalActionError, ScenarioError
from fc_env.state import GAME, Order, Outcome, Phase, digest

Dice = Sequence[int | str]
"""Forced dice: integers, and cards by name such as "10C", "KS", "AH" or "joker"."""


def action_id(action: str | int) -> int:
    """The id of an action given by its name, in any case, or by its id. Raises IllegalActionError."""
    if isinstance(action, str):
        names = [name.lower() for name in actions.NAMES]
        if action.strip().lower() not in names:
            raise IllegalActionError(f"action {action!r}: want one of {', '.join(actions.NAMES)}")
        return names.index(action.strip().lower())
    if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
        raise IllegalActionError(f"action {action!r}: want a name, or an id 0..{actions.N_ACTIONS - 1}")
    return int(action)


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """One game at one moment. It never changes; what is done with it gives another Position.

    Two are equal if their records have the same bytes, whatever led to them.
    """

    record: bytes
    """The bytes of the GAME record."""
    events: tuple[Event, ...] = ()
    """What happened in the call that made this position."""
    dice: tuple[Die, ...] = ()
    """The dice that fell in it."""

    @classmethod
    def of(cls, game: np.ndarray) -> Position:
        """The position of a GAME record, shape () or (1,). Raises ScenarioError if it is no position of the game."""
        games = np.atleast_1d(np.asarray(game))
        if games.shape != (1,) or games.dtype != GAME:
            raise ScenarioError(f"{games.dtype.name} of shape {games.shape}: want one record of state.GAME")
        position_text.check(games[0])
        return cls(games.tobytes())

    @classmethod
    def parse(cls, text: str) -> Position:
        """The position a text states. Raises ScenarioError with the line, what is wrong and what would be right."""
        return cls(position_text.read(text).tobytes())

    @property
    def text(self) -> str:
        """The position as text, which ``parse`` gives back byte for byte."""
        return position_text.write(self.game)

    @property
    def game(self) -> Any:
        """The GAME record, shape (), which cannot be written to."""
        return np.frombuffer(self.record, GAME)[0]

    @property
    def games(self) -> np.ndarray:
        """A copy as a batch of one, GAME (1,), for the functions of ``engine``."""
        return np.frombuffer(self.record, GAME).copy()

    @property
    def legal(self) -> list[str]:
        """Names of the legal actions; none where nobody is asked."""
        return [actions.NAMES[action] for action in engine.legal_actions(self.games)] if self._asks() else []

    @property
    def digest(self) -> str:
        """Digest of the record (hex, 32 digits)."""
        return digest(self.games)

    def run(self, phase: str | Phase, dice: Dice | None = None) -> Position:
        """Run one phase of the turn, such as ``"drift"``, whatever phase it is; then it stands before the next.

        Raises ScenarioError for a name that is no phase, GameOverError, and ForcedDiceError unless exactly all
        ``dice`` are used.
        """
        self._check_not_over()
        return self._after(lambda games: engine.run_phase(games, phase, record=True, dice=dice))

    def act(self, action: str | int, dice: Dice | None = None) -> Position:
        """Carry out an action by its name or id, and play on to the next decision.

        Raises IllegalActionError, GameOverError, ScenarioError where an order is hidden, and ForcedDiceError unless
        exactly all ``dice`` are used.
        """
        self._check_not_over()
        self._check_nothing_hidden()
        wanted = action_id(action)
        if not self._asks():
            raise IllegalActionError(f"nobody is asked in phase {self._phase}: want advance() or run() first")
        return self._after(lambda games: engine.step(games, [wanted], record=True, dice=dice))

    def advance(self, dice: Dice | None = None) -> Position:
        """Play on to the next decision with two choices or more. Raises as ``act`` does."""
        self._check_nothing_hidden()
        return self._after(lambda games: engine.advance(games, record=True, dice=dice))

    @property
    def _phase(self) -> str:
        return Phase(int(self.game["phase"])).name.lower()

    def _asks(self) -> bool:
        game = self.game
        if game["phase"] in (Phase.POWER, Phase.ORDERS):
            return bool(game["asked"] >= 0)
        if game["phase"] == Phase.CARD:
            return bool(game["to_answer"] > 0)
        return game["phase"] in (Phase.TARGET, Phase.SIDESLIP)

    def _check_not_over(self) -> None:
        if self.game["phase"] == Phase.OVER:
            outcome = Outcome(int(self.game["outcome"])).name.lower()
            raise GameOverError(f"the game is over ({outcome}): want another position")

    def _check_nothing_hidden(self) -> None:
        """COR-1: a view can be read and printed, but nobody knows how it goes on."""
        if (self.game["ships"]["order"] == Order.HIDDEN).any():
            raise ScenarioError("an order is hidden, so this view cannot be played on: want each order stated (COR-1)")

    def _after(self, play: Callable[[np.ndarray], engine.Trace]) -> Position:
        games = self.games
        trace = play(games)
        position_text.check(games[0])
        events = tuple(event_of(row) for row in trace.events)
        return Position(games.tobytes(), events, tuple(die_of(row) for row in trace.dice))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.record == other.record

    def __hash__(self) -> int:
        return hash(self.record)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Position.parse({self.text!r})"


__all__ = ["Dice", "Die", "Event", "Position", "action_id", "describe_die", "describe_event"]
