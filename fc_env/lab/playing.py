"""The one loop that plays agents to the end of their games, and what became of these.

Where there are two sides every seed is played twice with the seats swapped. The games on one seed share every roll
that means the same in both, and an edge of one seat shows in both; so the pair is what is counted, not the game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from fc_env import engine, scenarios, seeding
from fc_env.errors import ConfigError
from fc_env.lab.referee import FIRST, SECOND, Player, Referee
from fc_env.lab.tally import Tally
from fc_env.opponents import lots
from fc_env.state import GAME, SEATS, Outcome, Phase, as_bytes

BATCH = 1024
"""Games that are played side by side; bounds the memory for events."""

NOBODY = -1


@dataclass(frozen=True)
class Played:
    """What became of G games on each of N seeds, with S sides each: of a match two sides and two games, or one.

    In game g of a match ``first`` sits in seat g. The last axis is the side: 0 is ``first``'s, 1 is ``second``'s.
    """

    seeds: np.ndarray  # uint64 (N,), as given
    result: np.ndarray  # int64 (N, G): 1 where first won or crossed, -1 where it lost or did not, 0 for a draw
    outcome: np.ndarray  # int64 (N, G), a state.Outcome; NONE where a game was forfeited
    turns: np.ndarray  # int64 (N, G): turns begun
    forfeit: np.ndarray  # int64 (N, G): the side that forfeited the game, or -1
    hull_lost: np.ndarray  # int64 (N, G, S): hull points that the ships of each side were short of at the end
    seconds: np.ndarray  # float64 (N, G, S): time for all decisions of each side
    counts: dict[str, np.ndarray]  # int64 (N, G, S) by name, see tally.COUNTS
    faults: tuple[tuple[int, int, str], ...] = ()
    """For each forfeited game its row, its number g, and who forfeited it and why, in words."""

    def __getattr__(self, name: str) -> np.ndarray:
        """A count by its name."""
        counts: dict[str, np.ndarray] = self.__dict__.get("counts", {})
        if name in counts:
            return counts[name]
        raise AttributeError(name)

    @property
    def reasons(self) -> list[str]:
        """Why games were forfeited, each reason once."""
        return list(dict.fromkeys(why for _, _, why in self.faults))

    @property
    def crossed(self) -> np.ndarray:
        """Which games were won, bool (N * G,); of a crossing, which crossed."""
        won: np.ndarray = (self.result > 0).ravel()
        return won


def joined(parts: Sequence[Played]) -> Played:
    """Parts of the same match, or the same crossing, as one."""
    arrays: dict[str, Any] = {
        field.name: np.concatenate([getattr(part, field.name) for part in parts])
        for field in fields(Played)
        if field.name not in ("counts", "faults")
    }
    counts = {name: np.concatenate([part.counts[name] for part in parts]) for name in parts[0].counts}
    starts = np.cumsum([0, *(len(part.seeds) for part in parts)]).tolist()
    faults = tuple(
        (start + row, game, why) for start, part in zip(starts, parts, strict=False) for row, game, why in part.faults
    )
    return Played(**arrays, counts=counts, faults=faults)


def sides_of(setups: np.ndarray) -> int:
    """How many sides a scenario, SETUP (1,), has: 1 or 2."""
    return SEATS if scenarios.have_two_sides(setups) else 1


def play(
    players: Sequence[Player],
    setups: np.ndarray,
    seeds: Sequence[int] | np.ndarray,
    space: str = "test",
    referee: Referee | None = None,
    note: Callable[[int], object] | None = None,
    watch: Watch | None = None,
    swapped: bool = True,
) -> Played:
    """Let two players play a match in a scenario, SETUP (1,), or one player cross, on each of the seeds (N,).

    A match is two games on each seed, with the seats ``swapped``, or else one, with the first player in seat 0.

    Raises SeedError, ScenarioError, ConfigError for another number of players than the scenario has sides, and, if the
    ``referee`` does not let games be forfeited, what an agent raises, or IllegalActionError for one that does not
    follow the mask. ``note`` is told of games that are over, how many more; ``watch`` is shown all events as they come.
    """
    if len(players) != sides_of(setups):
        raise ConfigError(f"{len(players)} players in a scenario with {sides_of(setups)} sides: want one for each")
    if not len(seeds):
        raise ConfigError("no seeds: want at least one")
    games = len(players) if swapped else 1
    judge = referee or Referee()
    for who in players:
        judge.warm_up(who, setups)
    parts = [_Games(players, setups, some, space, games, watch) for some in batches(seeds, games)]
    return joined([part.play(judge, note or _silent) for part in parts])


def batches(seeds: Sequence[int] | np.ndarray, games: int) -> list[Sequence[int] | np.ndarray]:
    """The seeds in parts of which each is one batch, with so many games on each seed."""
    step = BATCH // games
    return [seeds[start : start + step] for start in range(0, len(seeds), step)]


def _silent(games: int) -> None:
    pass


Watch = Callable[[np.ndarray], object]
"""Is shown the events of the laying out and of each step, EVENT (E,). ``game`` is the place among the games of the
batch: seed by seed, and in a match the game with swapped seats after each."""


class _Games:
    """A batch of games being played."""

    def __init__(
        self, players: Sequence[Player], setups: np.ndarray, seeds: Any, space: str, games: int, watch: Watch | None
    ) -> None:
        self.players, self.seeds, self._each, self._watch = players, seeds, games, watch
        n_sides = len(players)
        raw = seeding.game_seeds([seed for seed in seeds for _ in range(games)], 0, space)
        self.games = np.zeros(len(raw), GAME)
        laid = engine.new_into(self.games, setups, raw, record=watch is not None)
        if watch is not None:
            watch(laid.events)
        n = len(self.games)
        self.seat_of_first = np.arange(n) % games
        self.forfeit = np.full(n, NOBODY)
        self.seconds = np.zeros((n, n_sides))
        self.tally = Tally(self.seat_of_first, n_sides)
        self.faults: list[tuple[int, int, str]] = []

    def play(self, referee: Referee, note: Callable[[int], object]) -> Played:
        """Play them to their ends."""
        # Finished games are set aside, so that no agent is asked about them.
        going = np.flatnonzero(self.games["phase"] != Phase.OVER)
        active = engine.clone(self.games, rows=going)
        while len(going):
            before = len(going)
            actions, wrong = self._answers(referee, active, going)
            self.forfeit[going[wrong >= 0]] = wrong[wrong >= 0]
            if (wrong >= 0).any():
                as_bytes(self.games)[going] = as_bytes(active)
                kept = np.flatnonzero(wrong < 0)
                active, going, actions = engine.clone(active, rows=kept), going[kept], actions[kept]
            events = engine.step(active, actions, record=True).events
            events["game"] = going[events["game"]]
            self.tally.add(events)
            if self._watch is not None:
                self._watch(events)
            over = active["phase"] == Phase.OVER
            if over.any():
                as_bytes(self.games)[going[over]] = as_bytes(active)[over]
                kept = np.flatnonzero(~over)
                active, going = engine.clone(active, rows=kept), going[kept]
            if len(going) < before:
                note(before - len(going))
        return self._result()

    def _answers(self, referee: Referee, active: np.ndarray, going: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Actions, int64 (K,), and the side that forfeits its game, int64 (K,), or NOBODY."""
        masks = engine.legal_mask(active)
        seats = active["actor"].astype(np.int64)
        asked = seats ^ self.seat_of_first[going] if len(self.players) > 1 else np.zeros(len(going), np.int64)
        actions, wrong = np.zeros(len(going), np.int64), np.full(len(going), NOBODY)
        decisions = self.tally.counts["decisions"]
        for side, who in enumerate(self.players):
            rows = np.flatnonzero(asked == side)
            if not len(rows):
                continue
            # Each side in each seat draws lots of its own, so that an agent against itself is no mirror image.
            number = decisions[going[rows], side] * 4 + seats[rows] * 2 + side
            drawn = lots(active["seed"][rows], number)
            answers = referee.ask(who, engine.clone(active, rows=rows), masks[rows], drawn)
            actions[rows] = answers.actions
            decisions[going[rows], side] += 1
            self.seconds[going[rows], side] += answers.seconds
            for row, fault in answers.faults.items():
                wrong[rows[row]] = side
                place = int(going[rows[row]])
                self.faults.append((place // self._each, place % self._each, f"{who.name}: {fault}"))
        return actions, wrong

    def _result(self) -> Played:
        n_sides = len(self.players)
        outcome = np.where(self.forfeit == NOBODY, self.games["outcome"], Outcome.NONE).astype(np.int64)
        if n_sides > 1:
            won = outcome == np.where(self.seat_of_first == 0, Outcome.SEAT_0_WINS, Outcome.SEAT_1_WINS)
            lost = outcome == np.where(self.seat_of_first == 0, Outcome.SEAT_1_WINS, Outcome.SEAT_0_WINS)
            result = won.astype(np.int64) - lost
            result += (self.forfeit == SECOND).astype(np.int64) - (self.forfeit == FIRST)
        else:
            result = np.where(outcome == Outcome.CROSSED, 1, -1)
        ships = self.games["ships"]
        lost_by_seat = (ships["full_hull"] - ships["hull"]).sum(axis=2, dtype=np.int64)
        seats = (self.seat_of_first[:, None] + np.arange(n_sides)) % SEATS
        shape = (len(self.seeds), self._each)
        return Played(
            seeds=np.asarray(self.seeds, np.uint64),
            result=result.reshape(shape),
            outcome=outcome.reshape(shape),
            turns=self.games["turn"].astype(np.int64).reshape(shape),
            forfeit=self.forfeit.reshape(shape),
            hull_lost=np.take_along_axis(lost_by_seat, seats, axis=1).reshape(*shape, n_sides),
            seconds=self.seconds.reshape(*shape, n_sides),
            counts={name: array.reshape(*shape, n_sides) for name, array in self.tally.counts.items()},
            faults=tuple(self.faults),
        )


__all__ = ["BATCH", "NOBODY", "Played", "joined", "play", "sides_of"]
