"""Which source files a file of this project depends on, and one digest of them all."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_PACKAGE_ROOT = Path(__file__).resolve().parent.parent
_OUR_PACKAGES = ("fc_env", "agents")


@cache
def _module_file(name: str) -> Path | None:
    """The source file of one of our modules, or None for anybody else's."""
    if name.split(".")[0] not in _OUR_PACKAGES:
        return None
    path = _PACKAGE_ROOT.joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


_IMPORT = re.compile(r"^[ \t]*((?:from[ \t]+[.\w]+[ \t]+)?import[ \t]+(?:\([^)]*\)|.*))", re.MULTILINE)
"""A statement that imports and stands on lines of its own. To parse a whole file takes twenty times as long."""


def _import_statements(source: str) -> Iterator[ast.stmt]:
    """All that imports, anywhere in the file; what only looks like it, in a text, does no harm."""
    for found in _IMPORT.finditer(source):
        with contextlib.suppress(SyntaxError):
            yield from ast.parse(found[1]).body


def _imported_names(path: Path, source: str) -> set[str]:
    """Absolute names of all modules ``source`` may import, anywhere in the file."""
    package = path.resolve().relative_to(_PACKAGE_ROOT).parent.parts
    names: set[str] = set()
    for node in _import_statements(source):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


@cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """A source file, and the files of ours that it imports."""
    source = path.read_bytes()
    if _PACKAGE_ROOT not in path.parents:
        return source, ()
    files = (_module_file(name) for name in _imported_names(path, source.decode("utf-8")))
    return source, tuple(file for file in files if file is not None)


@cache
def source_digest(path: str) -> str:
    """Digest of the file and of every file of ours it imports, directly or not (hex, 16 digits)."""
    digest = hashlib.sha256()
    seen: set[Path] = set()
    waiting = [Path(path).resolve()]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting.extend(_read(current)[1])
    for current in sorted(seen, key=str):
        digest.update(current.name.encode() + b"\0" + _read(current)[0] + b"\0")
    return digest.hexdigest()[:16]
