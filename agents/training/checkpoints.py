"""Checkpoints: whole or absent, however the process ends.

A checkpoint is a folder ``step-000000000123`` with arrays as safetensors, everything else as JSON, and a manifest of
sizes and SHA-256 sums. It is written under another name, forced to the disk, and then renamed; on reading, the
newest one that agrees with its manifest counts.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import load as arrays_from
from safetensors.numpy import save as arrays_to

from fc_env.errors import ConfigError
from fc_env.files import blaming

FORMAT = 1
MANIFEST, STATE = "manifest.json", "state.json"
MAX_FILE_BYTES = 1 << 32
_NAME = re.compile(r"step-(\d{12})")
_UNFINISHED = ".unfinished-"


class Snapshot(NamedTuple):
    """All that a run needs to go on as if it had never stopped."""

    arrays: dict[str, dict[str, np.ndarray]]
    """File name without ending to named arrays."""
    state: dict[str, Any]
    """Plain data."""


def write_file(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all, and on the disk when this returns. Raises OSError."""
    handle, temporary = tempfile.mkstemp(prefix=_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            _write_all(stream, data, path)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(path.parent)


def _write_all(stream: Any, data: bytes, path: Path) -> None:
    """Write to the disk; a failure names the file that ``path`` was to be."""
    with blaming(path):
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def save(folder: Path, steps: int, snapshot: Snapshot, about: Mapping[str, Any], keep: int) -> Path:
    """Write a checkpoint into ``folder`` and drop all but the ``keep`` newest; returns its path. Raises OSError.

    ``about`` goes into the manifest, which is plain data.
    """
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / f"step-{steps:012d}"
    files = {f"{name}.safetensors": arrays_to(_contiguous(arrays)) for name, arrays in snapshot.arrays.items()}
    files[STATE] = json.dumps(snapshot.state).encode()
    sums = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    manifest = {"format": FORMAT, "steps": steps, "files": sums, **about}
    files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    temporary = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder))
    try:
        for name, data in files.items():
            with (temporary / name).open("wb") as stream:
                _write_all(stream, data, final / name)
        os.chmod(temporary, 0o755)
        _sync_folder(temporary)
        if final.exists():  # a damaged one of the same step
            shutil.rmtree(final)
        os.replace(temporary, final)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    _sync_folder(folder)
    for old in list(_folders(folder))[keep:]:
        shutil.rmtree(old, ignore_errors=True)
    return final


def _contiguous(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}


def _folders(folder: Path) -> Iterator[Path]:
    """Folders of checkpoints, newest first."""
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []
    yield from sorted(found, key=lambda path: path.name, reverse=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed process left half written."""
    for path in folder.glob(f"{_UNFINISHED}*") if folder.is_dir() else ():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


class Loaded(NamedTuple):
    """A whole checkpoint."""

    path: Path
    manifest: dict[str, Any]
    snapshot: Snapshot


def newest(folder: Path, note: Callable[[str], None]) -> Loaded | None:
    """The newest whole checkpoint, or None; ``note`` is told of each that is damaged."""
    for path in _folders(folder):
        try:
            return _load(path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            note(f"checkpoint {path}: damaged, passed over ({problem})")
    return None


def _load(path: Path) -> Loaded:
    manifest = json.loads((path / MANIFEST).read_bytes())
    if manifest["format"] != FORMAT:
        raise ConfigError(f"format is {manifest['format']!r}: want {FORMAT}")
    contents: dict[str, bytes] = {}
    for name, said in manifest["files"].items():
        if Path(name).name != name:
            raise ConfigError(f"{name!r} is not a name of a file")
        size = (path / name).stat().st_size
        if size != said["bytes"] or size > MAX_FILE_BYTES:
            raise ConfigError(f"{name} has {size} bytes: want {said['bytes']}")
        contents[name] = (path / name).read_bytes()
        if hashlib.sha256(contents[name]).hexdigest() != said["sha256"]:
            raise ConfigError(f"{name} does not agree with its checksum")
    state = json.loads(contents.pop(STATE))
    arrays = {name.removesuffix(".safetensors"): arrays_from(data) for name, data in contents.items()}
    return Loaded(path, manifest, Snapshot(arrays, state))
