"""Positions as plain data: games in any state of the turn to JSON and back, without running anything.

The data holds, for each field of ``state.GAME``, that field of all games: numbers in nested lists, nested records as
nested objects. Every field is there and none besides, so a file of another version is never half understood.

>>> from fc_env import positions
>>> positions.save("games.json", games)
>>> games = positions.load("games.json")
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fc_env.errors import ScenarioError
from fc_env.files import write_text
from fc_env.state import GAME
from fc_env.validity import problems

FORMAT = "fleet-captain positions"
VERSION = 1
MAX_GAMES = 1_000_000
_KEYS = ("format", "version", "n", "games")


def _columns(records: np.ndarray) -> Any:
    """Nested records as objects by field name, numbers as nested lists."""
    if records.dtype.names is None:
        return records.tolist()
    return {name: _columns(records[name]) for name in records.dtype.names}


def to_data(games: np.ndarray) -> dict[str, Any]:
    """GAME (N,) as JSON-able plain data with a format and a version."""
    if not isinstance(games, np.ndarray):
        raise ScenarioError(f"games are a {type(games).__name__}: want GAME records of shape (N,)")
    if games.dtype != GAME or games.ndim != 1:
        raise ScenarioError(f"games are {games.dtype.name} of shape {games.shape}: want GAME records of shape (N,)")
    return {"format": FORMAT, "version": VERSION, "n": len(games), "games": _columns(games)}


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "a boolean", float: "a fraction", type(None): "null"}
    return names.get(type(value), "a number")


def _keys(value: Any, names: tuple[str, ...], path: str) -> None:
    """Raise ScenarioError unless the value is an object with exactly these names."""
    if not isinstance(value, dict):
        raise ScenarioError(f"{path} is {_kind(value)}: want an object with {', '.join(names)}")
    for name in names:
        if name not in value:
            raise ScenarioError(f"{path}: field {name!r} is missing: want {', '.join(names)}")
    for name in value:
        if name not in names:
            raise ScenarioError(f"{path}: field {name!r} is not known: want only {', '.join(names)}")


def _numbers(value: Any, shape: tuple[int, ...], limits: np.iinfo, path: str) -> Iterator[int]:
    """The numbers of nested lists of a shape, in order."""
    if not shape:
        if type(value) is not int:
            raise ScenarioError(f"{path} is {_kind(value)}, {value!r:.40}: want a whole number")
        if not limits.min <= value <= limits.max:
            raise ScenarioError(f"{path} is {value}: want {limits.min}..{limits.max}")
        yield value
        return
    if not isinstance(value, list):
        raise ScenarioError(f"{path} is {_kind(value)}: want a list of {shape[0]}")
    if len(value) != shape[0]:
        raise ScenarioError(f"{path} has {len(value)} entries: want {shape[0]}")
    for index, entry in enumerate(value):
        yield from _numbers(entry, shape[1:], limits, f"{path}[{index}]")


def _fill(records: np.ndarray, value: Any, path: str) -> None:
    if records.dtype.names is None:
        flat = list(_numbers(value, records.shape, np.iinfo(records.dtype), path))
        records[...] = np.array(flat, records.dtype).reshape(records.shape)
        return
    _keys(value, records.dtype.names, path)
    for name in records.dtype.names:
        _fill(records[name], value[name], f"{path}.{name}")


def from_data(data: Any) -> np.ndarray:
    """GAME (N,) of what ``to_data`` gave; the games go on exactly as those would have.

    Raises ScenarioError for another format or version, a missing or unknown field, a wrong type, length or number,
    and for a game that is no position of the game, naming it.
    """
    _keys(data, _KEYS, "positions")
    if data["format"] != FORMAT:
        raise ScenarioError(f"positions.format is {data['format']!r:.60}: want {FORMAT!r}")
    if type(data["version"]) is not int or data["version"] != VERSION:
        raise ScenarioError(f"positions.version is {data['version']!r:.40}: want {VERSION}, as this program writes it")
    n = data["n"]
    if type(n) is not int or not 0 <= n <= MAX_GAMES:
        raise ScenarioError(f"positions.n is {n!r:.40}: want the number of games, 0..{MAX_GAMES}")
    _keys(data["games"], GAME.names or (), "games")
    seeds = data["games"]["seed"]
    if not isinstance(seeds, list) or len(seeds) != n:
        raise ScenarioError(f"games.seed: want a list of {n}, as positions.n says")
    games = np.zeros(n, GAME)
    _fill(games, data["games"], "games")
    for index in range(n):
        for about, message in problems(games[index]):
            place = f"{about[0]}{''.join(f'[{i}]' for i in about[1:])}"
            raise ScenarioError(f"game {index}, {place}: {message}")
    return games


def save(path: str | os.PathLike[str], games: np.ndarray) -> None:
    """Write games (N,) to a JSON file, UTF-8: whole or not at all. Raises OSError where it cannot be written."""
    write_text(path, json.dumps(to_data(games), separators=(",", ":")) + "\n")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ScenarioError(f"field {twice!r} is said twice: want it once")
    return found


def load(path: str | os.PathLike[str]) -> np.ndarray:
    """The games (N,) of a file that ``save`` wrote. Raises ScenarioError naming the file and what is wrong with it,
    and OSError where it cannot be read."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_no_name_twice)
        return from_data(data)
    except ScenarioError as problem:
        raise ScenarioError(f"{path}: {problem}") from None
    except (ValueError, RecursionError) as problem:
        raise ScenarioError(f"{path}: no whole JSON file ({problem}): want one that save wrote") from None
