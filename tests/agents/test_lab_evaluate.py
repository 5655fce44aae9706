"""``python -m agents evaluate``, and the door of all the commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_battle import small_battle

import agents.__main__ as door
from agents import match
from agents.lab.players import player
from fc_env import engine, scenarios
from fc_env.events import Rule
from fc_env.lab.playing import play
from fc_env.lab.referee import of_callable
from fc_env.lab.tally import Tally
from fc_env.observation import observe

SETUPS = small_battle(hull=4)


def test_a_match_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scenarios, "load", lambda name, field: SETUPS)
    file = tmp_path / "said.json"
    given = ["evaluate", "--agent", "drifter", "--opponent", "random", "--games", "4", "--json", str(file)]
    assert door.main(given) == 0
    said = json.loads(file.read_bytes())
    times = said.pop("milliseconds_per_decision")
    assert set(times) == {"drifter", "random"} and all(0 < time < 1000 for time in times.values())
    assert said == match.summary("drifter", "random", match.match("drifter", "random", SETUPS, range(4)))
    printed = capsys.readouterr().out
    assert match.words([said]) in printed and "ms a decision" in printed


def test_a_crossing_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "said.json"
    given = ["evaluate", "--scenario", "tiny", "--games", "30", "--json", str(file)]
    assert door.main([*given, "--agent", "zigzag"]) == 0
    said = json.loads(file.read_bytes())
    assert [one["agent"] for one in said["agents"]] == ["zigzag"] and said["differences"] == []
    assert door.main([*given, "--agent", "zigzag", "--opponent", "drifter"]) == 0
    assert "zigzag less drifter" in capsys.readouterr().out


def test_an_agent_of_ones_own_that_fails_is_told_and_measured(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["evaluate", "--scenario", "tiny", "--games", "30", "--agent"]
    assert door.main([*given, "naughty:illegal"]) == 0
    assert "- forfeited, naughty:illegal: IllegalActionError" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["evaluate"], "required: --agent"),
        (["evaluate", "--agent", "capten"], "did you mean 'captain'?"),
        (["evaluate", "--agent", "captain", "--opponent", "randm"], "did you mean 'random'?"),
        (["evaluate", "--agent", "captain", "--time-limit", "0"], "time limit 0.0: want seconds above 0"),
        (["evaluate", "--agent", "captain", "--games", "0"], "--games 0: want a number from 1"),
        (["evalute"], "invalid choice: 'evalute'"),
        ([], "required: COMMAND"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    given: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert door.main(given) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1


def test_careful_flying_is_counted() -> None:
    """MOV-9: contacts of the move in which a ship avoids hazard, and no others, count as its."""
    setups = scenarios.load("crossing", "dense")
    played = play([player("pilot", setups)], setups, range(30))
    hazards = contacts = avoided = 0
    for seed in range(30):
        log = _events_alone(setups, seed)
        careful = None
        for event in log:
            rule, turn = Rule(int(event["rule"])), int(event["turn"])
            if rule == Rule.MOV_9:
                careful, hazards = turn, hazards + 1
            elif rule == Rule.CON_1 and careful == turn:
                contacts, avoided = contacts + 1, avoided + (event["value"] == 0)
    found = [int(played.counts[name].sum()) for name in ("hazards", "hazard_contacts", "hazard_avoided")]
    assert found == [hazards, contacts, avoided] and 0 < avoided < contacts
    assert played.contacts.sum() > contacts


def _events_alone(setups: np.ndarray, seed: int) -> list[np.ndarray]:
    pilot = player("pilot", setups)
    games = engine.new(setups, [seed], "test")
    found: list[np.ndarray] = []
    while games[0]["outcome"] == 0:
        actions = pilot.agent(observe(games, pilot.layout), engine.legal_mask(games))
        found += list(engine.step(games, actions, record=True).events)
    return found


def test_a_tally_of_nothing_is_nothing() -> None:
    tally = Tally(np.array([0, 1]), 2)
    tally.add(engine.NOTHING_RECORDED.events)
    assert not any(count.any() for count in tally.counts.values())


def test_who_wants_aids_is_shown_them() -> None:
    def wants(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return masks.argmax(axis=1)

    assert not of_callable(wants, SETUPS).layout.aids
    wants.aids = True  # type: ignore[attr-defined]
    assert of_callable(wants, SETUPS).layout.aids
