"""The one way code is compiled: numba, with a cache that cannot go stale.

Numba's own cache looks only at the file a function stands in; an edit in a file it *calls* would be
missed. Here the folder of the cache is named by a digest of that file and of every file of this project
it imports, directly or not, so any such edit leads to a new folder.

``NUMBA_DISABLE_JIT=1`` runs the same source uncompiled (for a debugger or a coverage tool) and
``NUMBA_BOUNDSCHECK=1`` compiles it with every index checked.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
from numba import config as numba_config
from numba.core import caching

COMPILED = not getattr(numba_config, "DISABLE_JIT", 0)
_PACKAGE_ROOT = Path(__file__).resolve().parent.parent
_OUR_PACKAGES = ("fc_env", "agents")


def cache_root() -> Path:
    """Folder of the compiled code: ``FC_ENV_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    named = os.environ.get("FC_ENV_CACHE_DIR")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    wanted = Path(base) / "fleet-captain-env"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError:
        return Path(tempfile.gettempdir()) / f"fleet-captain-env-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _module_file(name: str) -> Path | None:
    """The source file of one of our modules, or None for anybody else's."""
    if name.split(".")[0] not in _OUR_PACKAGES:
        return None
    path = _PACKAGE_ROOT.joinpath(*name.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _imported_names(path: Path, source: str) -> set[str]:
    """Absolute names of all modules ``source`` may import, anywhere in the file."""
    package = path.resolve().relative_to(_PACKAGE_ROOT).parent.parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module or "") if part)
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


@cache
def source_digest(path: str) -> str:
    """Digest of the file and of every file of ours it imports, directly or not (hex, 16 digits)."""
    digest = hashlib.sha256()
    seen: set[Path] = set()
    waiting = [Path(path).resolve()]
    sources: dict[Path, bytes] = {}
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        sources[current] = current.read_bytes()
        if _PACKAGE_ROOT in current.parents:
            found = (_module_file(name) for name in _imported_names(current, sources[current].decode("utf-8")))
            waiting.extend(file for file in found if file is not None)
    for current in sorted(sources, key=str):
        digest.update(current.name.encode() + b"\0" + sources[current] + b"\0")
    return digest.hexdigest()[:16]


class _Locator(caching._CacheLocator):
    """Tells numba where a function's compiled code lies."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._stamp = source_digest(py_file)
        bounds = "-bounds" if getattr(numba_config, "BOUNDSCHECK", None) else ""
        python = f"py{sys.version_info.major}{sys.version_info.minor}"
        versions = f"{python}-numba{numba.__version__}-numpy{np.__version__}"
        self._path = str(cache_root() / f"{versions}{bounds}" / f"{Path(py_file).stem}-{self._stamp}")

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator | None:
        if not os.path.isfile(py_file):
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: ClassVar = [_Locator]


class _SourceKeyedCache(caching.FunctionCache):
    _impl_class = _CacheImpl
    _announced: ClassVar[bool] = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None and not _SourceKeyedCache._announced:
            _SourceKeyedCache._announced = True
            print(f"fc_env: compiling the rules, once (kept in {cache_root()}) ...", file=sys.stderr, flush=True)
        return found


def jit(function: Callable[..., Any]) -> Any:
    """Compile a plain function; the only decorator used on kernels."""
    dispatcher: Any = numba.njit(error_model="numpy", nogil=True)(function)
    if COMPILED:
        # Where no folder can be written it works all the same, compiled anew in each process.
        with contextlib.suppress(RuntimeError):
            dispatcher._cache = _SourceKeyedCache(function)
    return dispatcher


def kernel_view(records: np.ndarray) -> np.ndarray:
    """The array as a kernel wants it: uncompiled code needs ``record.field`` access, compiled code has it."""
    return records if COMPILED else records.view(np.recarray)
