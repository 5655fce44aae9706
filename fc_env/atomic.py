"""Whole numbers that several compiled threads share: each is read, written or added to in one piece and in order.

``counters`` is int64 (K,), ``place`` an index into it.
"""

from __future__ import annotations

import platform
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from fc_env.jit import COMPILED, jit

_PAUSES = platform.machine() in ("x86_64", "AMD64")
_ORDER, _BYTES = "seq_cst", 8


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, [args[1]])


@intrinsic
def _load(typingctx: Any, counters: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature, args), _ORDER, _BYTES)

    return types.int64(counters, types.int64), generate


@intrinsic
def _store(typingctx: Any, counters: Any, place: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _pointer(context, builder, signature, args), _ORDER, _BYTES)
        return context.get_dummy_value()

    return types.none(counters, types.int64, types.int64), generate


@intrinsic
def _add(typingctx: Any, counters: Any, place: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _pointer(context, builder, signature, args), args[2], _ORDER)

    return types.int64(counters, types.int64, types.int64), generate


@intrinsic
def _pause(typingctx: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if _PAUSES:
            function = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, function, "llvm.x86.sse2.pause"), [])
        return context.get_dummy_value()

    return types.none(), generate


def _load_in_kernel(counters, place: int) -> int:
    return _load(counters, place)  # type: ignore[call-arg]  # the typing context is numba's own argument


def _store_in_kernel(counters, place: int, value: int) -> None:
    _store(counters, place, value)  # type: ignore[call-arg]


def _add_in_kernel(counters, place: int, value: int) -> int:
    return _add(counters, place, value)  # type: ignore[call-arg]


def _pause_in_kernel() -> None:
    _pause()  # type: ignore[call-arg]


def _load_in_python(counters: np.ndarray, place: int) -> int:
    return int(counters[place])


def _store_in_python(counters: np.ndarray, place: int, value: int) -> None:
    counters[place] = value


def _add_in_python(counters: np.ndarray, place: int, value: int) -> int:
    counters[place] += value
    return int(counters[place]) - value


load: Any = jit(_load_in_kernel) if COMPILED else _load_in_python
"""load(counters, place): the counter."""
store: Any = jit(_store_in_kernel) if COMPILED else _store_in_python
"""store(counters, place, value): set it; whoever reads it after sees all that was written before."""
add: Any = jit(_add_in_kernel) if COMPILED else _add_in_python
"""add(counters, place, value): add to it; returns what it was before. Uncompiled code has one thread only."""
pause: Any = jit(_pause_in_kernel) if COMPILED else lambda: None
"""pause(): leave the core to its other thread for a moment, in a loop that waits; nothing but on x86."""
