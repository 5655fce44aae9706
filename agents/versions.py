"""Versions of everything that has a say in what agents do."""

from __future__ import annotations

import contextlib
import importlib.metadata
import platform

_PACKAGES = (
    "fleet-captain-env", "gymnasium", "numba", "numpy", "safetensors", "sb3-contrib", "stable-baselines3", "torch",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Versions by name: of Python, the machine, and the packages that are installed."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found
