"""What the results of a tournament say: ratings, a win matrix, cycles, ranks. From rows to figures to words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from agents.lab import ratings, sprt
from agents.lab.ratings import Table
from agents.lab.records import worth
from fc_env.lab import measuring
from fc_env.lab.statistics import Interval, paired_mean

Row = Mapping[str, Any]
Pairing = tuple[str, str]


def pairings(agents: Sequence[str]) -> list[Pairing]:
    """All against all."""
    return list(itertools.combinations(agents, 2))


def sorted_rows(rows: Iterable[Row], scenario: str, pairing: Pairing) -> list[dict[str, Any]]:
    """The rows of one pairing in one scenario, by seed."""
    found = [dict(row) for row in rows if row["scenario"] == scenario and (row["first"], row["second"]) == pairing]
    return sorted(found, key=lambda row: int(row["seed"]))


def counted(rows: list[dict[str, Any]], elo: float | None) -> tuple[list[dict[str, Any]], sprt.Verdict | None]:
    """Those rows of a pairing, in their order, that count, and the verdict if there is a test of ``elo`` points.

    Where a test decided, no pair after that look counts, whether it was played or not.
    """
    if elo is None or not rows:
        return rows, None
    found = sprt.verdict(worth(rows).mean(axis=1), elo)
    return (rows[: found.pairs] if found.better else rows), found


class Scene:
    """The results of one scenario."""

    def __init__(self, name: str, agents: Sequence[str], rows: Iterable[Row], elo: float | None) -> None:
        self.name, self.agents = name, list(agents)
        every = list(rows)
        self.rows: dict[Pairing, list[dict[str, Any]]] = {}
        self.verdicts: dict[Pairing, sprt.Verdict] = {}
        for pairing in pairings(agents):
            self.rows[pairing], found = counted(sorted_rows(every, name, pairing), elo)
            if found is not None:
                self.verdicts[pairing] = found

    def table(self) -> Table:
        """Points and games by seed."""
        seeds = sorted({row["seed"] for rows in self.rows.values() for row in rows})
        place = {seed: index for index, seed in enumerate(seeds)}
        k = len(self.agents)
        points, games = np.zeros((len(seeds), k, k)), np.zeros((len(seeds), k, k))
        for (first, second), rows in self.rows.items():
            i, j = self.agents.index(first), self.agents.index(second)
            for row, (in_seat_0, in_seat_1) in zip(rows, worth(rows) if rows else [], strict=True):
                n = place[row["seed"]]
                points[n, i, j], points[n, j, i] = in_seat_0, 1.0 - in_seat_1
                games[n, i, j] = games[n, j, i] = 1.0
        return Table(points, games)

    def scores(self) -> dict[Pairing, Interval]:
        """The score of the first of each pairing that played."""
        return {pairing: paired_mean(worth(rows)) for pairing, rows in self.rows.items() if rows}


def figures(agents: Sequence[str], scenarios: Sequence[str], rows: Iterable[Row], elo: float | None) -> dict[str, Any]:
    """All that is to be said of a tournament, plain data."""
    every = list(rows)
    scenes = [Scene(name, agents, every, elo) for name in scenarios]
    tables = [scene.table() for scene in scenes]
    each = [ratings.rate([table]) for table in tables]
    overall = each[0] if len(each) == 1 else ratings.rate(tables)
    ranks = ratings.average_ranks([[one.value for one in found.ratings] for found in each])
    said = {
        "agents": [
            {
                "agent": name,
                "rating": overall.ratings[place].value,
                "interval_95": list(overall.ratings[place][1:]),
                "average_rank": ranks[place],
                "milliseconds_per_decision": _milliseconds(name, every),
                "forfeits": _forfeits(name, every),
            }
            for place, name in enumerate(agents)
        ],
        "scenarios": [_scene(scene, found) for scene, found in zip(scenes, each, strict=True)],
        "faults": _faults(every),
    }
    said["agents"].sort(key=lambda one: -one["rating"])
    return said


def _scene(scene: Scene, found: ratings.Ratings) -> dict[str, Any]:
    scores = scene.scores()
    k = len(scene.agents)
    matrix: list[list[float | None]] = [[None] * k for _ in range(k)]
    beaten = np.zeros((k, k), bool)
    for (first, second), score in scores.items():
        i, j = scene.agents.index(first), scene.agents.index(second)
        matrix[i][j], matrix[j][i] = score.value, 1.0 - score.value
        beaten[i, j], beaten[j, i] = score.low > 0.5, score.high < 0.5
    return {
        "scenario": scene.name,
        "agents": scene.agents,
        "ratings": [{"agent": a, "rating": one.value, "interval_95": list(one[1:])}
                    for a, one in zip(scene.agents, found.ratings, strict=True)],
        "seat_0_edge": found.edges[0].value,
        "seat_0_edge_interval_95": list(found.edges[0][1:]),
        "matrix": matrix,
        "pairings": [{"first": first, "second": second, "pairs": len(scene.rows[first, second]), "score": score.value,
                      "interval_95": list(score[1:]), **_verdict(scene.verdicts.get((first, second)))}
                     for (first, second), score in scores.items()],
        "cycles": ratings.cycles(scene.agents, beaten),
    }  # fmt: skip


def _verdict(found: sprt.Verdict | None) -> dict[str, Any]:
    return {} if found is None else {"log_likelihood_ratio": found.ratio, "better": found.better}


def _sides(name: str, rows: Iterable[Row]) -> Iterable[tuple[Row, int]]:
    """Rows with the agent in them, and the side it is on."""
    for row in rows:
        for side, key in enumerate(("first", "second")):
            if row[key] == name:
                yield row, side


def _milliseconds(name: str, rows: Iterable[Row]) -> float | None:
    seconds = decisions = 0.0
    for row, side in _sides(name, rows):
        seconds += row["seconds"][side]
        decisions += sum(game[side] for game in row["decisions"])
    time = measuring.share(seconds, decisions)
    return None if time is None else 1000.0 * time


def _forfeits(name: str, rows: Iterable[Row]) -> int:
    return sum(row["forfeit"].count(side) for row, side in _sides(name, rows))


def _faults(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Why games were forfeited, and how often."""
    times: dict[str, int] = {}
    for row in rows:
        for fault in row.get("faults", ()):
            times[fault] = times.get(fault, 0) + 1
    return [{"fault": fault, "games": n} for fault, n in sorted(times.items())]


# ---- words


def words(said: Mapping[str, Any]) -> str:
    """The figures of a tournament as text that is Markdown too."""
    blocks = [_ladder(said)]
    for scene in said["scenarios"]:
        title = f"{scene['scenario']}, score of the row's agent against the column's:"
        blocks += [f"{title}\n\n{_matrix(scene)}", "\n".join(_remarks(scene))]
    if said["faults"]:
        blocks.append("\n".join(f"- forfeited {one['games']}: {one['fault']}" for one in said["faults"]))
    return "\n\n".join(blocks)


def _elo(value: float) -> str:
    return f"{value:+.0f}"


def _between(ends: Sequence[float]) -> str:
    return "-" if np.isnan(ends).any() else f"{_elo(ends[0])} to {_elo(ends[1])}"


def _ladder(said: Mapping[str, Any]) -> str:
    heads = ["agent", "rating", "95% interval", "average rank", "forfeits", "ms a decision"]
    return measuring.table(
        heads,
        [
            [one["agent"], _elo(one["rating"]), _between(one["interval_95"]), f"{one['average_rank']:.2f}",
             str(one["forfeits"]), measuring.number(one["milliseconds_per_decision"], 3)]
            for one in said["agents"]
        ],
    )  # fmt: skip


def _matrix(scene: Mapping[str, Any]) -> str:
    order = sorted(range(len(scene["agents"])), key=lambda place: -scene["ratings"][place]["rating"])
    heads = ["", *(scene["agents"][place] for place in order), "rating", "95% interval"]
    rows = []
    for i in order:
        rated = scene["ratings"][i]
        cells = [measuring.percent(scene["matrix"][i][j]) for j in order]
        rows.append([scene["agents"][i], *cells, _elo(rated["rating"]), _between(rated["interval_95"])])
    return measuring.table(heads, rows)


def _remarks(scene: Mapping[str, Any]) -> Iterable[str]:
    edge, ends = scene["seat_0_edge"], scene["seat_0_edge_interval_95"]
    yield f"- seat 0 is worth {_elo(edge)} points ({_between(ends)}); the ratings are free of it"
    for one in scene["pairings"]:
        said = f"- {one['first']} against {one['second']}: {one['score']:.1%} ({measuring.ends(one['interval_95'])})"
        said += f" of {one['pairs']:,} pairs"
        if "better" in one:
            better = {1: f"{one['first']} is better", -1: f"{one['second']} is better", 0: "undecided"}[one["better"]]
            said += f"; {better}, log likelihood ratio {one['log_likelihood_ratio']:+.2f}"
        yield said
    for circle in scene["cycles"]:
        yield f"- not transitive: {' beats '.join([*circle, circle[0]])}"


__all__ = ["Scene", "counted", "figures", "pairings", "sorted_rows", "words"]
