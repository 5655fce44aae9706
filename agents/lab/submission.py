"""A submission to the suite: one file of results with the agent's card and the versions, and how it is checked."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents import protocol
from agents.lab import ledger, records, suite
from agents.lab.ledger import Ledger, difference
from agents.lab.players import player
from agents.lab.suite import Task
from agents.versions import versions
from fc_env.errors import ConfigError
from fc_env.lab.playing import play, sides_of
from fc_env.lab.referee import Referee

KIND = "fleet-captain benchmark"
CHUNK = 50
"""Seeds that are played side by side, by agents that are made for them: so a chunk goes the same way whenever it is
played, even if an agent draws lots of its own. At most one is lost by a kill."""


def card(name: str) -> dict[str, Any]:
    """What an agent is: its name, and a digest of the weights or of the source that it was made of, if there are."""
    kind, _, argument = name.partition(":")
    said: dict[str, Any] = {"agent": name}
    if kind not in protocol.names() and argument:
        found = importlib.util.find_spec(kind)
        if found is not None and found.origin is not None and Path(found.origin).is_file():
            said["source"] = _digest([Path(found.origin)])
        return said
    path = Path(argument)
    if argument and path.exists():
        folder = path if path.is_dir() else path.parent
        said["weights"] = _digest(sorted(folder.glob("*.safetensors")))
        cards = [file for file in sorted(folder.glob("*.json")) if file.name == "model.json"]
        if cards:
            said["model"] = cards[0].read_text(encoding="utf-8")
    return said


def _digest(files: list[Path]) -> str:
    said = hashlib.blake2b(digest_size=16)
    for file in files:
        said.update(file.read_bytes())
    return said.hexdigest()


def header(name: str, quick: bool, left_out: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the results of an agent are results of; ``left_out`` says of tasks that it cannot play why not."""
    seeds = suite.QUICK_SEEDS if quick else suite.SEEDS
    return {
        "suite": suite.about(),
        "seeds": [seeds.start, seeds.stop],
        "comparable": not quick,
        "card": card(name),
        "versions": versions(),
        **({"left_out": dict(left_out)} if left_out else {}),
    }


def tasks_of(said: Mapping[str, Any]) -> list[Task]:
    """The tasks of the suite that are played, by a header."""
    return [task for task in suite.TASKS if task.name not in said.get("left_out", {})]


def chunks(seeds: range) -> list[range]:
    """The seeds in parts."""
    return [seeds[start : start + CHUNK] for start in range(0, len(seeds), CHUNK)]


def play_chunk(name: str, task: Task, seeds: range, note: Callable[[int], object] | None) -> list[dict[str, Any]]:
    """Rows of an agent's games of one task on the seeds of a chunk."""
    setups = task.setups()
    names = (name, suite.OPPONENT)[: sides_of(setups)]
    players = [player(one, setups, 2 * seeds.start + side) for side, one in enumerate(names)]
    return records.rows_of(play(players, setups, seeds, suite.SPACE, Referee(True), note), {"task": task.name})


def play_all(name: str, results: Ledger, seeds: range, tasks: Sequence[Task], note: Callable[[int], object]) -> None:
    """Play what is not in the ledger yet; ``note`` is told how many more games are over."""
    for task in tasks:
        done = {row["seed"] for row in results.rows if row["task"] == task.name}
        for chunk in chunks(seeds):
            if not done.issuperset(chunk):
                rows = play_chunk(name, task, chunk, None)
                added = [row for row in rows if row["seed"] not in done]
                results.add(added)
                note(sum(len(row["result"]) for row in added))


def n_games(seeds: range, tasks: Sequence[Task]) -> int:
    """Games of some tasks on so many seeds."""
    return len(seeds) * sum(sides_of(task.setups()) for task in tasks)


# ---- checking


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and rows of a submission. Raises ConfigError, saying what is wrong with it."""
    said, rows = ledger.opened(path, KIND)
    suite.check_same(said.get("suite"), str(path))
    seeds = said.get("seeds")
    quick = said.get("comparable") is False
    wanted = suite.QUICK_SEEDS if quick else suite.SEEDS
    if seeds != [wanted.start, wanted.stop]:
        raise ConfigError(f"{path}: seeds are {seeds}: want {[wanted.start, wanted.stop]}")
    if not isinstance(said.get("card"), dict) or not isinstance(said["card"].get("agent"), str):
        raise ConfigError(f"{path}: it has no agent's card")
    left_out = said.get("left_out", {})
    if not isinstance(left_out, dict) or not all(isinstance(reason, str) for reason in left_out.values()):
        raise ConfigError(f"{path}: left_out is {left_out!r:.200}: want tasks with the reason for each")
    unknown = set(left_out) - {task.name for task in suite.TASKS}
    if unknown or not tasks_of(said):
        raise ConfigError(f"{path}: left_out names {sorted(left_out)}: want tasks of the suite, and not all of them")
    _check_rows(path, rows, wanted, tasks_of(said))
    return said, rows


def _check_rows(path: Path, rows: list[dict[str, Any]], seeds: range, tasks: Sequence[Task]) -> None:
    sides = {task.name: sides_of(task.setups()) for task in tasks}
    missing = {(name, seed) for name in sides for seed in seeds}
    for number, row in enumerate(rows, 2):
        where = row.get("task"), row.get("seed")
        if where not in missing:
            raise ConfigError(f"{path}: line {number}: task {where[0]!r} on seed {where[1]!r} is not of the suite, or "
                              "there twice")  # fmt: skip
        missing.discard(where)
        for name in records.ALIKE:
            value = row.get(name)
            if not isinstance(value, list) or len(value) != sides[row["task"]]:
                raise ConfigError(f"{path}: line {number}: {name} is {value!r}: want one for each game")
        if any(result not in (-1, 0, 1) for result in row["result"]):
            raise ConfigError(f"{path}: line {number}: result is {row['result']}: want -1, 0 or 1 each")
    if missing:
        name, seed = min(missing)
        raise ConfigError(f"{path}: {len(missing)} results are missing, the first is of {name} on seed {seed}")


def replay(
    path: Path, said: Mapping[str, Any], rows: list[dict[str, Any]], name: str, every: bool,
    note: Callable[[int], object],
) -> int:  # fmt: skip
    """Play a chunk of each task again, drawn by the file's digest, or ``every`` one; returns how many seeds in all.

    ``name``: the agent, which may be found elsewhere than the submission says. Raises ConfigError at the first game
    that goes another way, and for an agent that is not the one of the card.
    """
    here = card(name)
    for key in ("weights", "source"):
        if said["card"].get(key) != here.get(key):
            raise ConfigError(f"{path}: the agent {name!r} is another: {key} {here.get(key)}, in the file it is "
                              f"{said['card'].get(key)}")  # fmt: skip
    generator = np.random.default_rng(list(hashlib.blake2b(path.read_bytes(), digest_size=8).digest()))
    found = {(row["task"], row["seed"]): row for row in rows}
    parts, count = chunks(range(*said["seeds"])), 0
    for task in tasks_of(said):
        for chunk in parts if every else [parts[generator.integers(len(parts))]]:
            for again in play_chunk(name, task, chunk, note):
                _check_alike(path, found[task.name, again["seed"]], again, said)
            count += len(chunk)
    return count


def _check_alike(path: Path, row: Mapping[str, Any], again: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    for key in records.ALIKE:
        if row[key] != again[key]:
            differs = difference(versions(), said.get("versions"))
            hint = f" ({differs})" if differs else ""
            raise ConfigError(
                f"{path}: {row['task']} on seed {row['seed']} goes another way: {key} is {row[key]} in the file, "
                f"{again[key]} when it is played again{hint}"
            )


__all__ = ["KIND", "card", "chunks", "header", "n_games", "play_all", "play_chunk", "read", "replay", "tasks_of"]
