"""``python -m agents tournament``: all agents against all, on the same seeds, with results that outlive a kill.

    python -m agents tournament --agents random captain rollout:50 --scenario duel skirmish:dense --games 200

Results are appended to a file as they come. The same command goes on with it, and the result is that of an unbroken
run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.lab import records, sprt, standings
from agents.lab.ledger import Ledger
from agents.lab.players import player
from fc_env.commandline import Parser
from fc_env.errors import ConfigError
from fc_env.lab import measuring
from fc_env.lab.playing import play, sides_of
from fc_env.lab.progress import Counting
from fc_env.lab.referee import Referee

KIND = "fleet-captain tournament"
CHUNK = 5 * sprt.LOOK_EVERY
"""Pairs of a pairing that are played side by side, by agents that are made for them: so they go the same way whenever
they are played, even if an agent draws lots of its own. At most that many are lost by a kill."""
MOST_AGENTS = 64
MOST_ELO = 1000.0


class Tournament:
    """Who plays whom, where and on which seeds.

    ``scenes``: scenarios as NAME or NAME:FIELD. ``elo``: points of a sequential test, None for none. Raises ConfigError
    or ScenarioError.
    """

    def __init__(
        self,
        agents: Sequence[str],
        scenes: Sequence[str],
        seeds: range,
        space: str = "test",
        elo: float | None = None,
        time_limit: float | None = None,
    ) -> None:
        if not 2 <= len(agents) <= MOST_AGENTS or len(set(agents)) != len(agents):
            raise ConfigError(f"--agents {' '.join(agents)}: want from 2 to {MOST_AGENTS} different ones")
        if len(set(scenes)) != len(scenes):
            raise ConfigError(f"--scenario {' '.join(scenes)}: want different ones")
        if len(seeds) < 2:
            raise ConfigError(f"--games {len(seeds)}: want 2 or more, since games on one seed share their luck")
        if elo is not None and not 0 < elo <= MOST_ELO:
            raise ConfigError(f"--sprt {elo:g}: want points of Elo from above 0 to {MOST_ELO:g}")
        self.agents, self.seeds, self.space, self.elo = list(agents), seeds, space, elo
        self.referee = Referee(True, time_limit)
        self.setups = {scene: two_sided(scene) for scene in scenes}
        for setups in self.setups.values():  # better found now than in the middle
            for name in agents:
                player(name, setups)

    def about(self) -> dict[str, Any]:
        """What the results are results of."""
        return {
            "agents": self.agents,
            "scenarios": {scene: records.digest_of(setups) for scene, setups in self.setups.items()},
            "seeds": [self.seeds.start, self.seeds.stop],
            "space": self.space,
            "sprt": self.elo,
            "time_limit": self.referee.time_limit,
        }

    def play(self, ledger: Ledger) -> None:
        """Play what is not in the ledger yet."""
        every = len(self.setups) * len(standings.pairings(self.agents)) * len(self.seeds)
        with Counting(every, "pairs", len(ledger.rows)) as display:
            for scene, pairing, seeds in self._chunks():
                before = standings.sorted_rows(ledger.rows, scene, pairing)
                found = standings.counted(before, self.elo)[1]
                if found is not None and found.better:
                    display.add(len(seeds) - sum(row["seed"] in seeds for row in before))
                    continue
                done = {row["seed"] for row in before}
                if not done.issuperset(seeds):
                    added = [row for row in self._rows(scene, pairing, seeds) if row["seed"] not in done]
                    ledger.add(added)
                    display.add(len(added))

    def _chunks(self) -> Iterator[tuple[str, standings.Pairing, range]]:
        """All pairings on some seeds, then all on the next ones, so that there is something to say of each early."""
        for start in range(0, len(self.seeds), CHUNK):
            for scene in self.setups:
                for pairing in standings.pairings(self.agents):
                    yield scene, pairing, self.seeds[start : start + CHUNK]

    def _rows(self, scene: str, pairing: standings.Pairing, seeds: range) -> list[dict[str, Any]]:
        setups = self.setups[scene]
        players = [player(name, setups, 2 * seeds.start + side) for side, name in enumerate(pairing)]
        played = play(players, setups, seeds, self.space, self.referee)
        return records.rows_of(played, {"scenario": scene, "first": pairing[0], "second": pairing[1]})

    def figures(self, ledger: Ledger) -> dict[str, Any]:
        """What the results say, plain data."""
        return standings.figures(self.agents, list(self.setups), ledger.rows, self.elo)


def two_sided(scene: str) -> np.ndarray:
    """SETUP (1,) of a scenario given as NAME or NAME:FIELD. Raises ScenarioError, ConfigError for one with one side."""
    setups = measuring.scene_setups(scene)
    if sides_of(setups) < 2:
        raise ConfigError(f"--scenario {scene}: it has one side: want scenarios with two; evaluate compares crossings")
    return setups


def run(arguments: Sequence[str]) -> None:
    """The command."""
    parser = Parser("python -m agents tournament", "All agents against all, every seed twice with the seats swapped.")
    parser.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help="names, or module:factory")
    measuring.add_scenes(parser, ["duel"])
    measuring.add_games(parser, 200, "seeds for each pairing, two games each")
    parser.add_argument(
        "--sprt", type=float, default=None, metavar="ELO",
        help="stop a pairing when it is decided which agent is better, if one is by so many points (default: never)",
    )  # fmt: skip
    measuring.add_time_limit(parser)
    parser.add_argument("--results", type=Path, default=None, help="file of the results (default: one in runs/)")
    measuring.add_json(parser)
    given = parser.parse_args(arguments)
    seeds = measuring.chosen_seeds(given)
    tournament = Tournament(given.agents, given.scenario, seeds, given.space, given.sprt, given.time_limit)
    about = tournament.about()
    name = hashlib.blake2b(json.dumps(about).encode(), digest_size=4).hexdigest()
    with Ledger(given.results or Path("runs") / f"tournament-{name}.jsonl", KIND, about) as ledger:
        tournament.play(ledger)
        figures = tournament.figures(ledger)
        measuring.hand_over(f"{standings.words(figures)}\n\nresults: {ledger.path}", figures, given.json)


__all__ = ["CHUNK", "KIND", "Tournament", "run", "two_sided"]
