"""Results in a file as they come: JSON lines, of which the first says what they are results of.

A line that a kill cut off is dropped when the file is opened again. A file of something else is refused by name of
what differs. A closed ledger ends with a digest of all before, so that damage is found.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fc_env.errors import ConfigError
from fc_env.files import blaming, write_text

FORMAT = 1
"""Version of the file's form."""


class Ledger:
    """The results in one file. Everything raises OSError where the disk does.

    ``about``: what they are results of, plain data; ``kind``: what kind of file it is. An existing file is gone on
    with. Raises ConfigError for a file of another kind, version or content.
    """

    def __init__(self, path: Path, kind: str, about: Mapping[str, Any]) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        """All results so far."""
        header = {"kind": kind, "format": FORMAT, **about}
        if path.exists() and path.stat().st_size:
            found, self.rows = _recovered(path, kind)
            differs = difference(json.loads(_line(header)), found)
            if differs:
                raise ConfigError(f"{path}: results of something else: {differs}; want another file, or none there")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, _line(header))
        with blaming(path):
            self._stream = path.open("a", encoding="utf-8", newline="\n")

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append results; when this returns they are on the disk."""
        added = [dict(row) for row in rows]
        self._stream.write("".join(map(_line, added)))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.rows += added

    def close(self) -> None:
        """No more is added by this process."""
        self._stream.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _header(path: Path, line: bytes, kind: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("kind") != kind:
        raise ConfigError(f"{path}: its first line does not say that it is a file of kind {kind!r}")
    version = said.get("format")
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        hint = "; it was written by a newer version of this package" if newer else ""
        raise ConfigError(f"{path}: format is {version!r}: want {FORMAT}{hint}")
    return said


def _rows(path: Path, lines: list[bytes]) -> list[dict[str, Any]]:
    rows = []
    for number, line in enumerate(lines, 2):
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise ConfigError(f"{path}: line {number} is damaged: want a result")
        rows.append(row)
    return rows


def _recovered(path: Path, kind: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and results of an open ledger; the rest of a line that a kill cut off is removed from the file."""
    raw = path.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    first, *lines = whole.split(b"\n")[:-1] or [raw]
    header = _header(path, first, kind)
    rows = _rows(path, lines)
    if len(whole) < len(raw):
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    return header, rows


def difference(want: Any, found: Any, where: str = "") -> str:
    """In words, the first place where plain data differ; empty if they do not."""
    if isinstance(want, dict) and isinstance(found, dict):
        for key in [*want, *(key for key in found if key not in want)]:
            inner = difference(want.get(key), found.get(key), f"{where}.{key}" if where else key)
            if inner:
                return inner
        return ""
    return "" if want == found else f"{where} is {_short(found)} there, here it is {_short(want)}"


def _short(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


# ---- files that are handed on


def seal(path: Path, kind: str, about: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a closed ledger, whole or not at all."""
    text = "".join(map(_line, [{"kind": kind, "format": FORMAT, **about}, *rows]))
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    write_text(path, text + _line({"end": digest}))


def opened(path: Path, kind: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and results of a closed ledger. Raises ConfigError, saying what is wrong with it."""
    with blaming(path):
        raw = path.read_bytes()
    first, *lines = raw.split(b"\n")
    header = _header(path, first, kind)
    if len(lines) < 2 or lines[-1]:
        raise ConfigError(f"{path}: cut off: its last line is not whole")
    rows = _rows(path, lines[:-1])
    end = rows.pop().get("end")
    body = raw[: len(raw) - len(lines[-2]) - 1]
    if end is None:
        raise ConfigError(f"{path}: cut off: it does not end with a digest")
    if end != hashlib.blake2b(body, digest_size=16).hexdigest():
        raise ConfigError(f"{path}: damaged: it is not what its digest says")
    return header, rows


__all__ = ["FORMAT", "Ledger", "difference", "opened", "seal"]
