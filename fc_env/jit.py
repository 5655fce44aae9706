"""The one way code is compiled: numba, with a cache that cannot go stale.

Numba's own cache looks only at the file a function stands in; an edit in a file it *calls* would be
missed. Here the folder of the cache is named by a digest of that file and of every file of this project
it imports, directly or not, so any such edit leads to a new folder.

``NUMBA_DISABLE_JIT=1`` runs the same source uncompiled (for a debugger or a coverage tool) and
``NUMBA_BOUNDSCHECK=1`` compiles it with every index checked.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite.binding import Linkage
from numba import config as numba_config
from numba.core import caching, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.extending import intrinsic
from numba.np import linalg

from fc_env.sources import source_digest

COMPILED = not getattr(numba_config, "DISABLE_JIT", 0)
CHECKED = bool(getattr(numba_config, "BOUNDSCHECK", None))
"""Whether an index out of bounds raises in compiled code."""


def _private(folder: Path) -> Path:
    """A folder in a shared place, made if need be, that only this user can put files in. Raises OSError if it is not.

    Numba unpickles what it finds in its cache, so nobody else may have written it.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise PermissionError(f"{folder}: can be written by others: want a folder of this user's own")
    return folder


def cache_root() -> Path:
    """Folder of the compiled code: ``FC_ENV_CACHE_DIR``, else the user's cache folder, else a temporary one.

    Raises OSError if not even that can be had.
    """
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
        user = os.getuid() if hasattr(os, "getuid") else "user"
        return _private(Path(tempfile.gettempdir()) / f"fleet-captain-env-{user}")


@cache
def _code_folder(py_file: str) -> str:
    """Folder of the compiled code of a source file, made and tried once. Raises OSError if it cannot be written."""
    bounds = "-bounds" if CHECKED else ""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    versions = f"{python}-numba{numba.__version__}-numpy{np.__version__}"
    folder = cache_root() / f"{versions}{bounds}" / f"{Path(py_file).stem}-{source_digest(py_file)}"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return str(folder)


class _Locator(caching._CacheLocator):
    """Tells numba where a function's compiled code lies."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._stamp = source_digest(py_file)
        self._path = _code_folder(py_file)

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
        try:
            return cls(py_func, py_file)
        except OSError:
            return None


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


def _load_array_functions() -> None:
    """Load numba's array functions without SciPy, whose import is a sixth of the start of a process.

    They import it only to know whether it is there. What needs it still imports it when that is compiled.
    """
    ask_by_importing = linalg.ensure_blas

    def ask() -> None:
        if importlib.util.find_spec("scipy") is None:
            raise ImportError("no scipy")

    linalg.ensure_blas = ask
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ask_by_importing
    arraymath.ensure_blas = ask_by_importing


_load_array_functions()


@cache
def _announce(kept: str) -> None:
    """Say, once in a process, that it is compiling and not hanging."""
    print(f"fc_env: compiling the rules, {kept} ...", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector, which would go through the tens of thousands of objects that numba keeps."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _SourceKeyedCache(caching.FunctionCache):
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with _no_collection():
            found = super().load_overload(sig, target_context)
        if found is None:
            _announce(f"once (kept in {cache_root()})")
        return found


class _NoCache(caching.NullCache):
    """Where no folder can be written it works all the same, compiled anew in each process."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        try:
            place = f"in {cache_root()}"
        except OSError as problem:
            place = f"({problem})"
        _announce(f"which cannot be kept {place}")


class _PartLibrary(JITCodeLibrary):
    """The code of a part: kept as it was lowered, to be optimised and made machine code inside its callers."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        handle = object()  # what the callers' lowering finds the part by
        state["cr"] = state["cr"]._replace(cfunc=handle)
        state.targetctx.insert_user_function(handle, state["cr"].fndesc, [state.library])
        return True


class _WholeLibrary(JITCodeLibrary):
    """The code of a kernel with all its parts, which nobody else calls, so that they can be fitted to one another."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and not function.is_declaration:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(NativeLowering):
    _name = "whole_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _WholeLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


def _pipeline(state: Any, lowering: type[NativeLowering]) -> list[PassManager]:
    """Numba's own passes, with another lowering."""
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.add_pass_after(lowering, NativeLowering)
    passes.passes = [entry for entry in passes.passes if entry[0] is not NativeLowering]
    passes.finalize()
    return [passes]


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[PassManager]:
        return _pipeline(self.state, _PartLowering)


class _KernelCompiler(CompilerBase):
    def define_pipelines(self) -> list[PassManager]:
        return _pipeline(self.state, _WholeLowering)


def _widened(kind: Any) -> Any:
    """One type for all signed integers and enums, so that a part is compiled once and not for each mix of them."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.IntEnumMember) or kind in types.signed_domain:
        return types.int64
    return kind


class _Part(CPUDispatcher):
    """A kernel as other kernels call it."""

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def get_call_template(self, args: Any, kws: Any) -> Any:
        _, folded = self.fold_argument_types(args, kws)
        return super().get_call_template([_widened(kind) for kind in folded], {})


class _Kernel(CPUDispatcher):
    """A kernel as Python calls it. Numba would optimise every function anew in each of its callers and give each a
    Python entry; here only what Python really calls is optimised, and cached, together with its parts."""

    @cached_property
    def _part(self) -> _Part:
        no_entry = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        return _Part(self.py_func, targetoptions=self.targetoptions | no_entry, pipeline_class=_PartCompiler)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self._part)


def jit(function: Callable[..., Any]) -> Any:
    """Compile a plain function; the only decorator used on kernels."""
    if not COMPILED:
        return function
    options = {"nopython": True, "error_model": "numpy", "nogil": True, "boundscheck": None}
    kernel: Any = _Kernel(function, targetoptions=options, pipeline_class=_KernelCompiler)
    try:
        kernel._cache = _SourceKeyedCache(function)
    except RuntimeError:  # numba's word for "no locator"
        kernel._cache = _NoCache()
    return kernel


class Settled:
    """A kernel as it is compiled for the arguments of its first call.

    It does not look at the types of its arguments, which takes longer than the work on a single game; it must never be
    called with others, or another memory layout. Where indices are checked the types are too. It cannot be pickled.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self.entry: Any = None
        """What is called, once it is settled"""

    def settle(self, *args: Any) -> None:
        """Settle it for arguments of the types of these."""
        kernel = self._kernel
        self.entry = kernel.compile(tuple(map(kernel.typeof_pyval, args))) if COMPILED and not CHECKED else kernel

    def __call__(self, *args: Any) -> Any:
        if self.entry is None:
            self.settle(*args)
        return self.entry(*args)


def plain(kernel: Any) -> Any:
    """The Python function a kernel was made of, to fill tables with when a module is imported."""
    return kernel.py_func if COMPILED else kernel


@intrinsic
def _pointed(typingctx: Any, floats: Any, start: Any, dtype: Any) -> Any:
    def point(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.bitcast(builder.gep(array.data, [args[1]]), context.get_value_type(signature.return_type))

    return dtype.dtype(floats, types.intp, dtype), point


def _record_in_python(floats: np.ndarray, start: int, dtype: np.dtype) -> Any:
    return np.atleast_1d(floats[start : start + dtype.itemsize // floats.itemsize].view(dtype)).view(np.recarray)[0]


def _record_in_kernel(floats, start: int, dtype):
    return _pointed(floats, start, dtype)  # type: ignore[call-arg]  # the typing context is numba's own argument


record_at: Any = jit(_record_in_kernel) if COMPILED else _record_in_python
"""The record of some dtype from place ``start`` of a contiguous float32 array (D,) on, on the same memory: record_at(
floats, start, dtype). It costs nothing, where ``view`` in a kernel makes arrays."""


def kernel_view(records: np.ndarray) -> np.ndarray:
    """The array as a kernel wants it: uncompiled code needs ``record.field`` access, compiled code has it."""
    return records if COMPILED else records.view(np.recarray)
