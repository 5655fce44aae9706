"""The house stays as it was planned: imports point downward, files are short, and a game is plain numbers."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fc_env.state import GAME

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("fc_env", "agents")
MOST_LINES = 400

ORDER = (
    (
        "errors",
        "files",
        "commandline",
        "workers",
        "torch_threads",
        "sources",
        "jit",
        "atomic",
        "crew",
        "ruleset",
        "hexgrid",
        "lines",
        "state",
        "tape",
        "dice",
        "events",
    ),
    (
        "rules",
        "rules.board",
        "rules.flaws",
        "rules.damage",
        "rules.power",
        "rules.attack",
        "rules.doom",
        "rules.orders",
        "rules.fire",
        "rules.contact",
    ),
    ("rules.victory", "rules.drift", "rules.setup", "rules.movement", "rules.cards"),
    ("actions", "sequence", "seeding", "ship_validity", "validity", "engine"),
    ("strict_yaml", "scenario_file", "scenario_checks", "scenarios"),
    (
        "odds",
        "odds_cards",
        "odds_fire",
        "schema",
        "near",
        "targets",
        "encoding",
        "observation",
        "decoder",
        "curriculum",
        "reward",
    ),
    ("playout",),
    ("describe", "position_lines", "position_text", "notation", "positions"),
    ("render.style", "render.scene", "render.svg", "render.ansi", "render", "render.__main__"),
    (
        "opponents",
        "batch_kernels",
        "batch",
        "versus",
        "registration",
        "",
        "env",
        "vector_env",
        "sb3_env",
        "pettingzoo_env",
        "fleet_captain_v0",
    ),
    ("bench", "bench.playing", "bench.goals", "bench.machine", "bench.peers", "bench.startup", "bench.training"),
    ("bench.rows", "bench.document", "bench.__main__"),
    (
        "lab",
        "lab.measuring",
        "lab.pictures",
        "lab.progress",
        "lab.spreading",
        "lab.statistics",
        "lab.referee",
        "lab.tally",
        "lab.playing",
        "lab.named",
    ),
    ("lab.report", "lab.exact", "lab.trials", "lab.odds", "lab.coverage", "lab.rules"),
    ("lab.saved", "lab.replay"),
    (
        "lab.fuzzing",
        "lab.fuzzing.invariants",
        "lab.fuzzing.notes",
        "lab.fuzzing.geometry",
        "lab.fuzzing.standing",
        "lab.fuzzing.flights",
        "lab.fuzzing.salvos",
        "lab.fuzzing.doom",
        "lab.fuzzing.endings",
        "lab.fuzzing.choices",
        "lab.fuzzing.phases",
        "lab.fuzzing.audit",
        "lab.fuzzing.laying",
        "lab.fuzzing.fairness",
        "lab.fuzzing.scenes",
        "lab.fuzzing.seekers",
        "lab.fuzzing.walk",
        "lab.fuzzing.running",
        "lab.fuzzing.shrink",
        "lab.fuzzing.cases",
        "lab.fuzzing.trial",
    ),
    ("lab.fuzz", "lab.changes", "lab.planted", "lab.faults"),
    ("lab.cells", "lab.sweep", "lab.compare", "lab.balance"),
    ("lab.recording", "lab.options", "lab.standoffs", "lab.degenerate", "lab.full", "lab.__main__"),
)
"""Modules of fc_env, lowest first: each may import only those before it. A new module takes its place here."""

ADAPTERS = {"fc_env.env", "fc_env.vector_env", "fc_env.sb3_env", "fc_env.pettingzoo_env"}
UNPICKLERS = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


@cache
def modules() -> dict[str, Path]:
    """Every module of the packages by name, and train.py."""
    found = {"train": ROOT / "train.py"}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(modules()[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """Names of all modules that a module imports, anywhere in it; ours as exactly as they can be told."""
    found: set[str] = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in modules() else node.module or "")
    return frozenset(found - {module})


def ours(package: str) -> list[str]:
    return [name for name in modules() if name.split(".")[0] == package]


def test_files_are_short() -> None:
    files = [*modules().values(), *(ROOT / "tests").rglob("*.py")]
    long = {str(path.relative_to(ROOT)): n for path in files if (n := len(path.read_bytes().splitlines())) > MOST_LINES}
    assert not long, f"want at most {MOST_LINES} lines"


def test_imports_point_downward() -> None:
    names = [f"fc_env.{name}".removesuffix(".") for room in ORDER for name in room]
    place = {name: index for index, name in enumerate(names)}
    unplaced = [name for name in ours("fc_env") if name not in place]
    assert not unplaced, "want a place in ORDER"
    upward = [
        f"{name} imports {other}"
        for name in ours("fc_env")
        for other in imports(name)
        if other in place and place[other] >= place[name]
    ]
    assert not upward


def test_fc_env_never_imports_agents() -> None:
    guilty = {
        name: sorted(imports(name))
        for name in ours("fc_env")
        if any(i.split(".")[0] == "agents" for i in imports(name))
    }
    assert not guilty


def test_agents_and_the_trainer_never_import_rules() -> None:
    guilty = [
        f"{n} imports {i}"
        for n in [*ours("agents"), "train"]
        for i in imports(n)
        if f"{i}.".startswith("fc_env.rules.")
    ]
    assert not guilty


def test_agents_do_not_import_each_other_in_circles() -> None:
    from graphlib import TopologicalSorter

    inner = {name: [i for i in imports(name) if i in modules()] for name in ours("agents")}
    assert set(TopologicalSorter(inner).static_order()) >= set(inner)
    assert not [
        name for name in inner if not name.startswith("agents.training") for i in inner[name] if "training" in i
    ]


def test_only_the_trainer_and_entry_points_import_adapters() -> None:
    guilty = [
        f"{name} imports {other}"
        for name in modules()
        for other in imports(name) & ADAPTERS
        if not name.startswith(("agents.training", "fc_env.bench")) and name != "fc_env.fleet_captain_v0"
    ]
    assert not guilty


# ---- nothing that someone could hand over is unpickled


def dangers(code: ast.AST) -> Iterator[str]:
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in UNPICKLERS)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.split(".")[0] in UNPICKLERS:
                yield node.module
            yield from (f"torch.{a.name}" for a in node.names if node.module == "torch" and a.name == "load")
        elif isinstance(node, ast.Call):
            yield from dangerous_call(node)


def dangerous_call(node: ast.Call) -> Iterator[str]:
    called = ast.unparse(node.func)
    owner, _, name = called.rpartition(".")
    if name == "load" and (owner in {"torch", "th"} or owner.endswith(("PPO", "BaseAlgorithm", "Policy"))):
        yield called
    if name in {"read_pickle", "unsafe_load"} or called in {"eval", "exec"}:
        yield called
    for keyword in node.keywords:
        if keyword.arg == "allow_pickle" and ast.unparse(keyword.value) != "False":
            yield f"{called}(allow_pickle)"


def test_nothing_is_unpickled() -> None:
    assert not {name: found for name in modules() if (found := list(dangers(tree(name))))}


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "import torch\ntorch.load('x')",
        "from torch import load",
        "from sb3_contrib import MaskablePPO\nMaskablePPO.load('x')",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "eval('1')",
    ],
)
def test_unpickling_would_be_found(code: str) -> None:
    assert list(dangers(ast.parse(code)))


def test_harmless_code_is_not_blamed() -> None:
    code = "np.load('x', allow_pickle=False)\njson.load(file)\nmodel.eval()\nscenarios.load('tiny')"
    assert not list(dangers(ast.parse(code)))


# ---- the record


def leaves(dtype: np.dtype) -> Iterator[np.dtype]:
    """The plain numbers a dtype is made of."""
    if dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        yield from list(leaves(inner)) * int(np.prod(shape))
    elif dtype.names is not None:
        for name in dtype.names:
            yield from leaves(dtype[name])
    else:
        yield dtype


def test_a_game_is_whole_numbers_and_nothing_between_them() -> None:
    parts = list(leaves(GAME))
    assert {part.kind for part in parts} <= {"i", "u"}
    assert {part.itemsize for part in parts} <= {4, 8}, "no narrow integer becomes a silent limit"
    assert sum(part.itemsize for part in parts) == GAME.itemsize, "no padding bytes, which copies would not keep"


# ---- importing


def imported(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"} | {"FC_ENV_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=settings | environment, capture_output=True, encoding="utf-8")


def test_importing_loads_nothing_heavy_and_compiles_nothing(tmp_path: Path) -> None:
    names = [
        name
        for name in ours("fc_env")
        if not name.endswith(("__main__", "sb3_env", "pettingzoo_env", "fleet_captain_v0"))
    ]
    heavy = ["torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard", "agents"]
    code = f"import sys, {', '.join(names)}\nprint([name for name in {heavy} if name in sys.modules])"
    done = imported(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]" and done.stderr == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_importing_the_package_alone_is_light(tmp_path: Path) -> None:
    done = imported("import sys, fc_env\nprint('numba' in sys.modules, fc_env.__version__)", tmp_path)
    assert done.stdout.split()[0] == "False", done.stderr


# ---- documentation


def undocumented(module: str) -> Iterator[str]:
    """Public functions, classes, and methods of classes that derive from no other, without a docstring."""
    for node in tree(module).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        inner = node.body if isinstance(node, ast.ClassDef) and not node.bases else []
        methods = [n for n in inner if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
        yield from (f"{module}: {n.name}" for n in [node, *methods] if ast.get_docstring(n) is None)


def test_the_doors_are_documented() -> None:
    inside = ("fc_env.rules.", "fc_env.dice", "fc_env.position_lines")
    doors = [module for module in modules() if not module.startswith(inside)]
    assert not [name for module in doors for name in undocumented(module)]
    assert not [module for module in modules() if ast.get_docstring(tree(module)) is None]
