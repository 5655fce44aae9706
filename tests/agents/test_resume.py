"""Runs that are killed, damaged or edited, and resumed."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import arguments, cut, digest, empty, lines, start, train, untimed

from agents.training import checkpoints
from agents.training import main as door
from agents.training.run_folder import RunFolder
from fc_env.errors import ConfigError

ROLLOUTS = 40


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    assert train(folder, ROLLOUTS) == 0
    return folder


def ends_like(folder: Path, whole: Path) -> None:
    assert digest(folder) == digest(whole)
    assert untimed(folder) == untimed(whole)
    newest_folders = [max((one / "checkpoints").iterdir()) for one in (folder, whole)]
    names = ("weights", "optimiser", "environment", "rollout")
    data = [[(one / f"{name}.safetensors").read_bytes() for name in names] for one in newest_folders]
    assert data[0] == data[1]


def killed_and_resumed(folder: Path, kills: int, seed: int) -> int:
    """Train, killing the process at random moments of its training; returns how many kills were in time."""
    generator = random.Random(seed)
    words = arguments(folder, ROLLOUTS)
    in_time = 0
    for _ in range(kills):
        process = start(words)
        try:
            before = time_of(folder)
            while time_of(folder) == before and process.poll() is None:
                time.sleep(0.002)
            time.sleep(generator.uniform(0.0, 0.25))
        finally:
            process.kill()
            _, errors = process.communicate()
        assert "Traceback" not in errors
        in_time += process.returncode == -9
        words = ["--resume", str(folder)]
    assert door.main(words, "train.py") == 0
    return in_time


def time_of(folder: Path) -> int:
    """When the metrics or checkpoints last changed; 0 before there are any."""
    paths = (folder / "metrics.jsonl", folder / "checkpoints")
    return max((path.stat().st_mtime_ns for path in paths if path.exists()), default=0)


def test_killed_and_resumed_ends_like_unbroken(unbroken: Path, tmp_path: Path) -> None:
    assert killed_and_resumed(tmp_path / "run", 2, seed=1) >= 1
    ends_like(tmp_path / "run", unbroken)


@pytest.mark.slow
def test_twenty_kills_and_each_run_ends_like_unbroken(unbroken: Path, tmp_path: Path) -> None:
    kills = run = 0
    while kills < 20:
        run += 1
        assert run <= 12, f"only {kills} kills came in time"
        folder = tmp_path / f"run-{run}"
        kills += killed_and_resumed(folder, 5, seed=100 + run)
        ends_like(folder, unbroken)


class Killed(BaseException):
    """The process ends here."""


def test_ended_at_any_call_of_a_save_and_resumed(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moments a random kill rarely meets: after each rename and each sync of the fifth save."""
    folder = tmp_path / "run"
    save = checkpoints.save
    for moment in range(7):
        saves = 0

        def counted(*args: Any, moment: int = moment, **more: Any) -> Path:
            nonlocal saves
            saves += 1
            if saves < 3:
                return save(*args, **more)
            with monkeypatch.context() as inner:
                dies_after(inner, moment)
                return save(*args, **more)

        with monkeypatch.context() as patched:
            patched.setattr(checkpoints, "save", counted)
            words = ["--resume", str(folder)] if folder.exists() else arguments(folder, ROLLOUTS)
            with pytest.raises(Killed):
                door.main(words, "train.py")
    assert door.main(["--resume", str(folder)], "train.py") == 0
    ends_like(folder, unbroken)


def dies_after(patched: pytest.MonkeyPatch, calls: int) -> None:
    """From so many more syncs or renames on, nothing reaches the disk any more."""
    left = calls

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            nonlocal left
            if left <= 0:
                raise Killed
            left -= 1
            return function(*args, **more)

        return counted

    patched.setattr(os, "fsync", wrap(os.fsync))
    patched.setattr(os, "replace", wrap(os.replace))
    patched.setattr(shutil, "rmtree", lambda *args, **more: None)  # a killed process tidies nothing up


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A run that was stopped half way: the same, as if its second half had never been."""
    folder = tmp_path / "run"
    assert train(folder, 6, keep_checkpoints=6) == 0
    for path in (folder / "checkpoints").iterdir():
        if int(path.name[5:]) > 3 * 32:
            shutil.rmtree(path)
    return folder


def test_a_damaged_newest_checkpoint_falls_back(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = digest(broken)
    cut(broken / "checkpoints/step-000000000096/weights.safetensors")
    assert door.main(["--resume", str(broken)], "train.py") == 0
    printed = capsys.readouterr()
    assert "step-000000000096: damaged, passed over" in printed.err and "going on from 64 steps" in printed.out
    assert digest(broken) == whole and [line["rollout"] for line in lines(broken)] == [1, 2, 3, 4, 5, 6]


def test_with_no_whole_checkpoint_it_begins_again(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = digest(broken)
    for path in (broken / "checkpoints").iterdir():
        empty(path / "state.json")
    (broken / "metrics.jsonl").write_bytes((broken / "metrics.jsonl").read_bytes()[:-9])
    assert door.main(["--resume", str(broken)], "train.py") == 0
    assert capsys.readouterr().err.count("damaged, passed over") == 3
    assert digest(broken) == whole and [line["rollout"] for line in lines(broken)] == [1, 2, 3, 4, 5, 6]


def test_a_finished_run_is_not_trained_again(broken: Path) -> None:
    assert door.main(["--resume", str(broken)], "train.py") == 0
    before = {path.name: path.stat().st_mtime_ns for path in (broken / "checkpoints").iterdir()}
    assert door.main(["--resume", str(broken)], "train.py") == 0
    assert before == {path.name: path.stat().st_mtime_ns for path in (broken / "checkpoints").iterdir()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--seed", "1"], "seed is 1, but 0 in the run"),
        (["--total-steps", "320"], "total_steps is 320, but 192 in the run"),
        (["--actor-net", "9"], "actor_net is [9], but [8] in the run"),
        (["--config", "configs/train/crossing.yaml"], "scenario is 'crossing', but 'tiny' in the run"),
    ],
)
def test_a_resumed_run_keeps_its_configuration(
    words: list[str], message: str, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert door.main(["--resume", str(broken), *words], "train.py") == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1
    assert door.main(["--resume", str(broken), "--seed", "0"], "train.py") == 0


def test_an_edited_configuration_is_noticed(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = broken / "config.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("gamma: 0.99", "gamma: 0.8"), encoding="utf-8")
    assert door.main(["--resume", str(broken)], "train.py") == 2
    assert "gamma is 0.8" in capsys.readouterr().err


def in_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "checkpoints/step-000000000096/manifest.json"
    manifest = json.loads(file.read_bytes())
    change(manifest)
    file.write_text(json.dumps(manifest), encoding="utf-8")


def test_other_observations_are_refused(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_manifest(broken, lambda manifest: manifest["observation"].update(markers=7, digest="0"))
    assert door.main(["--resume", str(broken)], "train.py") == 2
    assert "made for other observations: it was made for 7 markers" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["config", "observation", "versions"])
def test_a_manifest_that_lacks_something_is_refused(key: str, broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_manifest(broken, lambda manifest: manifest.pop(key))
    assert door.main(["--resume", str(broken)], "train.py") == 2
    assert "step-000000000096" in capsys.readouterr().err


def test_other_versions_are_noted(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_manifest(broken, lambda manifest: manifest["versions"].update(torch="0.1"))
    assert door.main(["--resume", str(broken)], "train.py") == 0
    assert "the checkpoint was made with torch 0.1 (now" in capsys.readouterr().err


def test_one_process_at_a_time(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("fcntl")
    run = RunFolder.open(broken)
    assert door.main(["--resume", str(broken)], "train.py") == 2
    assert "another process is training in it" in capsys.readouterr().err
    run.close()
    with pytest.raises(ConfigError, match="want the folder of a run"):
        RunFolder.open(broken / "checkpoints")


def test_a_full_disk_is_one_clear_line(unbroken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, before[1]))  # the weights need more
    try:
        status = train(tmp_path / "run", 3, actor_net=[128])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    printed = capsys.readouterr().err
    assert status == 2 and printed.count("\n") == 1
    assert "step-000000000032/weights.safetensors: cannot be written or read (File too large)" in printed
    assert not list((tmp_path / "run/checkpoints").iterdir())
