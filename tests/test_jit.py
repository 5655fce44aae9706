"""Compiled code is never stale, is made once, says so, and needs no writable home."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fc_env
from fc_env import jit, sources

PACKAGE = Path(fc_env.__file__).parent

# A kernel that calls into files one and two imports away, and depends on constants of theirs.
PROBE = """
from fc_env.jit import jit
from fc_env.rules.contact import hull_damage
from fc_env.rules.movement import slip_heading

@jit
def probe(roll: int, lasers: int, facing: int, slip: int) -> int:
    return 100 * hull_damage(roll, lasers) + slip_heading(facing, slip)
"""
RUN = """
import json
from fc_env.probe import probe
value = int(probe(9, 4, 5, 2))
print(json.dumps([value, sum(probe.stats.cache_hits.values()), sum(probe.stats.cache_misses.values())]))
"""
COMPILED_ANEW, LOADED = [0, 1], [1, 0]


class Checkout:
    """A copy of the package with a kernel of its own, run in fresh processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.package = folder / "fc_env"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.package / "probe.py").write_text(PROBE, encoding="utf-8")
        self.notices = ""

    def run(self, **environment: str) -> list[int]:
        """The kernel's value, and how many of its overloads were loaded and were compiled."""
        settings = {**os.environ, "PYTHONPATH": str(self.folder), "NUMBA_DISABLE_JIT": "0"}
        settings |= {"PYTHONDONTWRITEBYTECODE": "1", "FC_ENV_CACHE_DIR": str(self.cache), **environment}
        command = [sys.executable, "-c", RUN]
        done = subprocess.run(command, env=settings, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.notices = done.stderr
        answer: list[int] = json.loads(done.stdout)
        return answer

    def edit(self, file: str, old: str, new: str) -> None:
        """Change one place in a file, keeping its time stamps, as some tools do."""
        path = self.package / file
        text, stamps = path.read_text(encoding="utf-8"), path.stat()
        assert text.count(old) == 1, f"{file} no longer holds {old!r} once"
        path.write_text(text.replace(old, new), encoding="utf-8")
        os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))

    def cached(self) -> dict[str, tuple[int, int]]:
        files = (path for path in self.cache.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout whose kernel has been run once; tests leave its sources as they are."""
    checkout = Checkout(tmp_path_factory.mktemp("warm"))
    assert checkout.run() == [500, *COMPILED_ANEW]
    return checkout


def test_no_edit_means_no_compiling(warm: Checkout) -> None:
    before = warm.cached()
    assert before
    assert warm.run() == [500, *LOADED]
    assert warm.cached() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "value"),
    [
        # a function in a file the kernel's own file imports
        ("rules/contact.py", "max(damage_roll - lasers_roll, 0)", "max(damage_roll - lasers_roll, 7)", 700),
        # a constant two imports away
        ("hexgrid.py", "DIRECTIONS = 6", "DIRECTIONS = 5", 501),
        # a member of an enum two imports away, with which a called function compares
        ("state.py", "    RIGHT = 2\n\n\nclass Status", "    RIGHT = 3\n\n\nclass Status", 505),
    ],
)
def test_an_edit_in_any_file_a_kernel_calls_is_seen(
    warm: Checkout, tmp_path: Path, file: str, old: str, new: str, value: int
) -> None:
    """The edited copy shares the cache of the unedited one, and neither is served the other's code."""
    edited = Checkout(tmp_path)
    edited.cache = warm.cache
    edited.edit(file, old, new)
    assert edited.run() == [value, *COMPILED_ANEW]
    edited.edit(file, new, old)
    assert edited.run()[0] == 500
    assert warm.run() == [500, *LOADED]


def test_an_edit_in_the_kernels_own_file_is_seen(checkout: Checkout, warm: Checkout) -> None:
    checkout.cache = warm.cache
    checkout.edit("probe.py", "100 * hull", "200 * hull")
    assert checkout.run() == [1000, *COMPILED_ANEW]


def test_an_edit_in_a_file_no_kernel_calls_costs_nothing(warm: Checkout, tmp_path: Path) -> None:
    other = Checkout(tmp_path)
    other.cache = warm.cache
    other.edit("strict_yaml.py", "from __future__ import annotations\n", "from __future__ import annotations\n\n")
    assert other.run() == [500, *LOADED]


def test_compiling_is_said_once_and_only_then(checkout: Checkout) -> None:
    checkout.run()
    assert checkout.notices.count(": compiling the rules") == 1
    assert str(checkout.cache) in checkout.notices
    checkout.run()
    assert checkout.notices == ""


def in_a_file(folder: Path) -> str:
    """A path that no one can make a folder of, not even root: under a plain file."""
    plain = folder / "plain-file"
    plain.write_text("", encoding="utf-8")
    return str(plain / "below")


@pytest.mark.parametrize("home", ["/proc/nowhere", "in a file"])
def test_an_unwritable_home_is_no_hindrance(checkout: Checkout, home: str) -> None:
    """The code is then kept in the folder for temporary files."""
    home = in_a_file(checkout.folder) if home == "in a file" else home
    temporary = checkout.folder / "temporary"
    temporary.mkdir()
    places = {"FC_ENV_CACHE_DIR": "", "HOME": home, "XDG_CACHE_HOME": f"{home}/cache", "TMPDIR": str(temporary)}
    assert checkout.run(**places) == [500, *COMPILED_ANEW]
    assert str(temporary) in checkout.notices
    assert checkout.run(**places) == [500, *LOADED]
    assert any(temporary.rglob("*.nbi"))
    no_xdg = places | {"XDG_CACHE_HOME": ""}
    assert checkout.run(**no_xdg) == [500, *LOADED]


def test_without_any_writable_folder_it_compiles_each_time(checkout: Checkout) -> None:
    named = in_a_file(checkout.folder)
    value, hits, _ = checkout.run(FC_ENV_CACHE_DIR=named)
    assert (value, hits) == (500, 0)
    assert checkout.notices.count(": compiling the rules") == 1
    assert "cannot be kept" in checkout.notices


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders with POSIX owners")
def test_a_temporary_folder_that_others_can_write_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba unpickles what lies there."""
    monkeypatch.delenv("FC_ENV_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", in_a_file(tmp_path))
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
    folder = jit.cache_root()
    assert folder.parent == tmp_path and folder.stat().st_mode & 0o777 == 0o700
    assert jit.cache_root() == folder

    def refused() -> bool:
        with pytest.raises(PermissionError, match="want a folder of this user's own"):
            jit.cache_root()
        return jit._Locator.from_function(in_a_file, __file__) is None

    for mode in (0o720, 0o702):
        folder.chmod(mode)
        assert refused()
    folder.chmod(0o700)
    link = folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(link)
    assert refused()
    somebody_else = os.getuid() + 1
    link.rename(tmp_path / f"fleet-captain-env-{somebody_else}")
    monkeypatch.setattr(os, "getuid", lambda: somebody_else)
    assert refused()


def test_the_kept_folder_is_the_users_own(checkout: Checkout) -> None:
    home = checkout.folder / "home"
    places: dict[str, Any] = {"FC_ENV_CACHE_DIR": "", "HOME": str(home), "XDG_CACHE_HOME": ""}
    assert checkout.run(**places)[0] == 500
    assert any((home / ".cache" / "fleet-captain-env").rglob("*.nbi"))


def test_compiled_and_uncompiled_agree(checkout: Checkout) -> None:
    """Kernels are then plain functions, so they have no statistics."""
    plain = RUN.split("print")[0] + "print(json.dumps([value]))"
    settings = {**os.environ, "PYTHONPATH": str(checkout.folder), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", plain]
    done = subprocess.run(command, env=settings, cwd=checkout.folder, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [500]
    assert done.stderr == ""


def test_every_import_of_ours_is_found() -> None:
    """Those inside functions and over several lines too; a file that was missed would leave stale code in the cache."""
    root = Path(fc_env.__file__).parent
    for path in [*root.rglob("*.py"), *(root.parent / "agents").rglob("*.py")]:
        source = path.read_text(encoding="utf-8")
        wanted = [
            ast.dump(node) for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        found = [ast.dump(node) for node in sources._import_statements(source)]
        assert set(wanted) <= set(found), path


IMPORTED = """
import gc, json, sys
import gymnasium, fc_env
env = gymnasium.make("FleetCaptain/Duel-v0")
_, info = env.reset(seed=0)
env.step(int(info["action_mask"].argmax()))
before = "scipy.linalg" in sys.modules
import numba, numpy as np
product = numba.njit(lambda a, b: np.dot(a, b))(np.ones(3), np.full(3, 2.0))
print(json.dumps([before, gc.isenabled(), product, "scipy.linalg" in sys.modules]))
"""


def test_scipy_is_imported_only_by_code_that_needs_it() -> None:
    """Numba's array functions import it on sight; and the collector, at rest while code is loaded, is at work again."""
    pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [False, True, 6.0, True]
