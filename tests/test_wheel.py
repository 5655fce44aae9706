"""The built wheel, installed alone somewhere else, plays and trains.

The heavy dependencies are lent by the environment the tests run in: a .pth file puts its site-packages behind the
fresh one's own, so nothing is downloaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PLAY = """
import fc_env, agents, gymnasium, numpy as np
env = gymnasium.make("FleetCaptain/Crossing-v0", field="dense", render_mode="ansi")
observation, info = env.reset(seed=3)
steps, over = 0, False
while not over:
    observation, reward, over, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
    assert not truncated
    steps += 1
assert "over" in env.render()
print(steps, fc_env.__file__, agents.__file__)
"""
ALONE = ("--no-deps", "--no-index", "--no-build-isolation")
SMALL: dict[str, object] = {
    "total_steps": 64,
    "n_envs": 4,
    "n_steps": 16,
    "batch_size": 32,
    "n_epochs": 1,
    "threads": 1,
}
SMALL |= {"evaluation_games": 4, "evaluation_agents": "zigzag", "actor_net": "[8]", "critic_net": "[8]"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="paths of a POSIX environment")


def run(command: Sequence[object], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "FC_ENV", "COV_"))}
    text = [str(word) for word in command]
    return subprocess.run(text, cwd=folder, env=kept | environment, capture_output=True, encoding="utf-8")


def good(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by pip from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    good(run([sys.executable, "-m", "pip", "wheel", "-q", *ALONE, "-w", folder, ROOT], folder))
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment with the wheel."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    [site] = folder.glob("lib/python*/site-packages")
    good(
        run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", site, wheel], folder)
    )
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    # A path added by hand, unlike addsitedir, does not follow the editable checkout's own .pth file.
    (site / "lent.pth").write_text("".join(f"{path}\n" for path in sorted(lent)), encoding="utf-8")
    return python


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    found = {name for name in names if ".dist-info/" not in name}
    code = {str(p.relative_to(ROOT)) for package in ("fc_env", "agents") for p in (ROOT / package).rglob("*.py")}
    folders = (ROOT / "fc_env" / "data", ROOT / "agents" / "lab" / "data")
    data = {str(p.relative_to(ROOT)) for folder in folders for p in folder.iterdir()}
    configs = {f"agents/{p.relative_to(ROOT)}" for p in (ROOT / "configs").rglob("*") if p.is_file()}
    models = {str(p.relative_to(ROOT)) for p in (ROOT / "agents" / "models").rglob("*") if p.is_file()}
    assert found == code | data | configs | models | {"fc_env/py.typed", "agents/py.typed"}
    about = {name.partition(".dist-info/")[2] for name in names if ".dist-info/" in name}
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert wheel.name.endswith("-py3-none-any.whl")


def test_it_plays_from_another_folder_with_a_home_that_cannot_be_written(installed: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("not a folder")
    printed = good(run([installed, "-c", PLAY], tmp_path, HOME=str(home), NUMBA_DISABLE_JIT="1"))
    steps, *places = printed.splitlines()[-1].split()
    assert int(steps) > 1
    assert [Path(place).is_relative_to(installed.parent.parent) for place in places] == [True, True]
    assert not [path for path in tmp_path.iterdir() if path != home]


def test_its_environments_are_known_by_the_module_s_name(installed: Path, tmp_path: Path) -> None:
    code = "import gymnasium; print(gymnasium.make('fc_env:FleetCaptain/Crossing-v0').spec.id)"
    assert good(run([installed, "-c", code], tmp_path)).split() == ["FleetCaptain/Crossing-v0"]


def test_it_trains_with_the_configuration_that_is_shipped(installed: Path, tmp_path: Path) -> None:
    values = [f"--{key}={value}" for key, value in SMALL.items()]
    good(run([installed, "-m", "agents.training", *values, "--run_folder=run"], tmp_path))
    assert list((tmp_path / "run").rglob("*.safetensors"))


@pytest.mark.parametrize("program", ["agents.training", "fc_env.render", "fc_env.bench"])
def test_its_programs_help_and_refuse(installed: Path, tmp_path: Path, program: str) -> None:
    assert "usage" in good(run([installed, "-m", program, "--help"], tmp_path)).lower()
    refused = run([installed, "-m", program, "--no-such-option"], tmp_path)
    assert refused.returncode == 2 and refused.stderr.strip().count("\n") == 0 and "no-such-option" in refused.stderr


def test_its_scenarios_can_be_checked(installed: Path, tmp_path: Path) -> None:
    environment = {"NUMBA_DISABLE_JIT": "1"}
    assert "good" in good(run([installed, "-m", "fc_env.scenarios", "check", "tiny"], tmp_path, **environment))
