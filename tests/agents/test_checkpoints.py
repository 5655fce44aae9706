"""Checkpoints: whole or absent, and a run that is resumed ends exactly as one that was never stopped."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_runs import cut, empty

from agents.training import checkpoints, learner
from agents.training.checkpoints import Snapshot


def snapshot(number: int) -> Snapshot:
    generator = np.random.default_rng(number)
    arrays = {
        "weights": {"a": generator.random((3, 4), np.float32), "scalar": np.float32(number).reshape(())},
        "environment": {
            "seeds": generator.integers(0, 2**63, 5).astype(np.uint64),
            "over": generator.random(5) < 0.5,
            "transposed": np.arange(6, dtype=np.int64).reshape(2, 3).T,
            "none": np.zeros((0, 3), np.uint8),
        },
    }
    return Snapshot(arrays, {"steps": number, "words": ["é", None, 1e-300, 2**70]})


def same(a: Snapshot, b: Snapshot) -> bool:
    flat_a, flat_b = ({(f, n): v for f, d in one.arrays.items() for n, v in d.items()} for one in (a, b))
    equal = flat_a.keys() == flat_b.keys() and a.state == b.state
    return equal and all(
        flat_a[key].dtype == flat_b[key].dtype and np.array_equal(flat_a[key], flat_b[key]) for key in flat_a
    )


def fill(folder: Path, *numbers: int, keep: int = 3) -> None:
    for number in numbers:
        checkpoints.save(folder, number, snapshot(number), {"about": number}, keep)


def newest(folder: Path) -> tuple[int, list[str]]:
    """Number of the newest whole checkpoint, 0 for none, and what was noted."""
    notes: list[str] = []
    loaded = checkpoints.newest(folder, notes.append)
    if loaded is None:
        return 0, notes
    assert same(loaded.snapshot, snapshot(loaded.manifest["about"]))
    return loaded.manifest["about"], notes


# ---- files


def test_a_checkpoint_is_read_back_as_written(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    assert newest(tmp_path) == (1, [])
    assert sorted(path.name for path in (tmp_path / "step-000000000001").iterdir()) == [
        "environment.safetensors", "manifest.json", "state.json", "weights.safetensors",
    ]  # fmt: skip


def test_the_newest_are_kept(tmp_path: Path) -> None:
    fill(tmp_path, 900, 1000, 1100, 20000, keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-000000001100", "step-000000020000"]
    assert newest(tmp_path) == (20000, [])


def test_none_is_none(tmp_path: Path) -> None:
    assert newest(tmp_path / "nowhere") == (0, [])
    (tmp_path / "step-1").mkdir()
    assert newest(tmp_path) == (0, [])


FILES = ("manifest.json", "state.json", "weights.safetensors", "environment.safetensors")


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x")


def be_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("harm", [cut, empty, flip, lengthen, Path.unlink, be_a_folder])
def test_a_damaged_one_is_passed_over_with_a_note(file: str, harm: Callable[[Path], None], tmp_path: Path) -> None:
    fill(tmp_path, 1, 2)
    harm(tmp_path / "step-000000000002" / file)
    if (file, harm) == ("manifest.json", cut):  # only its last line end is gone
        assert newest(tmp_path) == (2, [])
        return
    number, notes = newest(tmp_path)
    assert number == 1
    [note] = notes
    assert "step-000000000002: damaged, passed over" in note


@pytest.mark.parametrize(
    "manifest",
    [
        "[]",
        "null",
        "{}",
        '{"format": 9, "files": {}}',
        '{"format": 1, "files": {"../x": {}}}',
        '{"format": 1, "files": 3}',
    ],
)
def test_a_false_manifest_is_passed_over(manifest: str, tmp_path: Path) -> None:
    fill(tmp_path, 1, 2)
    (tmp_path / "step-000000000002" / "manifest.json").write_text(manifest, encoding="utf-8")
    assert newest(tmp_path)[0] == 1


def test_a_damaged_one_is_replaced_when_its_step_comes_again(tmp_path: Path) -> None:
    fill(tmp_path, 1, 2)
    empty(tmp_path / "step-000000000002" / "state.json")
    fill(tmp_path, 2)
    assert newest(tmp_path) == (2, [])


def test_a_disk_that_fails_at_any_moment_leaves_the_one_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync
    calls = 0

    def counted(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", counted)
    failures = 0
    for failing in range(1, 20):
        folder = tmp_path / str(failing)
        calls = -(10**6)
        fill(folder, 1)
        calls = 0
        try:
            fill(folder, 2)
        except OSError:
            failures += 1
            # The folder's own sync is the last; then the new one is there already.
            assert newest(folder) in ((1, []), (2, []))
            assert not list(folder.glob(".*"))
        else:
            assert newest(folder) == (2, [])
    assert failures == 6


def test_what_a_killed_process_left_half_written_is_removed(tmp_path: Path) -> None:
    fill(tmp_path, 1)
    shutil.copytree(tmp_path / "step-000000000001", tmp_path / ".unfinished-abc")
    (tmp_path / ".unfinished-file").touch()
    checkpoints.remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000000001"]
    checkpoints.remove_unfinished(tmp_path / "nowhere")


def test_all_generators_are_saved() -> None:
    def draws() -> list[float]:
        return [random.random(), random.gauss(0, 1), np.random.random(), np.random.normal(), float(torch.rand(()))]

    draws()
    saved = json.loads(json.dumps(learner._generators()))
    first = draws()
    learner._set_generators(saved)
    assert draws() == first != draws()
