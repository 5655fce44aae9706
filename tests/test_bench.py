"""The benchmark works and counts right; it asserts no times."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fc_env import bench


def test_pick_takes_each_legal_action() -> None:
    masks = np.zeros((3, 26), np.bool_)
    masks[0, [1, 4]] = masks[1, [0, 20, 25]] = masks[2, 7] = True
    actions = np.zeros(3, np.int64)
    found: list[set[int]] = [set(), set(), set()]
    for draw in (0.0, 0.4, 0.6, 0.999999):
        bench.pick(masks, np.full(3, draw), actions)
        for i, action in enumerate(actions):
            found[i].add(int(action))
    assert found == [{1, 4}, {0, 20, 25}, {7}]


@pytest.mark.parametrize(
    "player", [lambda: bench.batch_player("tiny", None, 4), lambda: bench.single_player("tiny", None)]
)
def test_what_is_counted(player) -> None:
    play = player()
    rounds = [play(0.05) for _ in range(3)]
    decisions, turns, games = (sum(getattr(c, what) for c in rounds) for what in ("decisions", "turns", "games"))
    assert decisions > 0 and all(count.seconds >= 0.05 for count in rounds)
    assert games <= turns + 4 and turns <= 8 * (games + 4) and turns < decisions


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--quick", "--json", "--rounds", "1"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results["machine"]["cores"] >= 1 and len(results["measures"]) == len(bench.USUAL)
    for one, measure in zip(results["measures"], bench.USUAL, strict=True):
        rates = one["decisions_per_second"]
        assert one["name"] == measure.name and one["floor"] == measure.floor
        assert 0 < rates["low_quartile"] <= rates["median"] <= rates["high_quartile"]
    assert bench.main(["--quick", "--rounds", "1", "--scenario", "tiny"]) == 0
    printed = capsys.readouterr().out
    assert "tiny batch decisions" in printed and "tiny single games" in printed


def test_bad_input_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in (["--scenario", "crossing", "--field", "no such"], ["--field", "dense"], ["--scenario", "no such"]):
        assert bench.main(["--quick", *wrong]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and wrong[-1] in error
    for wrong in (["--rounds", "0"], ["--rounds", "3"], ["--rounds", "x"], ["--sounds"]):
        assert bench.main(wrong) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1 and wrong[-1] in error
