"""Tournaments: what agents do wrong costs them a game and no more, and a kill costs nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_battle import small_battle

import agents.__main__ as door
from agents.lab import ledger, ratings, records, standings, tournament
from agents.lab.ledger import Ledger
from agents.lab.players import player
from agents.lab.tournament import KIND, Tournament
from fc_env import scenarios
from fc_env.errors import ConfigError, IllegalActionError
from fc_env.lab import referee
from fc_env.lab.playing import NOBODY, Played, play
from fc_env.lab.referee import Referee
from fc_env.lab.tally import COUNTS
from fc_env.state import Outcome

ROOT = Path(__file__).resolve().parents[2]
SETUPS = small_battle(hull=4)
SEEDS = range(12)


def match(first: str, second: str, referee: Referee | None = None, seeds: Any = SEEDS) -> Played:
    return play([player(first, SETUPS), player(second, SETUPS)], SETUPS, seeds, "test", referee or Referee(True))


# ---- forfeits


@pytest.fixture(scope="module")
def fair() -> Played:
    return match("naughty:good", "drifter")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", "naughty:raises: RuntimeError: no idea at all"),
        ("quits", "naughty:quits: SystemExit: enough"),
        ("illegal", "naughty:illegal: IllegalActionError: agent 'naughty:illegal' chose action"),
        ("outside", "chose action 99: want a legal one out of"),
    ],
)
def test_a_fault_costs_that_game_and_the_rest_goes_on(name: str, said: str, fair: Played) -> None:
    played = match(f"naughty:{name}", "drifter")
    lost = played.forfeit == 0
    assert 0 < lost.sum() < lost.size and set(np.unique(played.forfeit)) == {NOBODY, 0}
    assert (played.result[lost] == -1).all() and (played.outcome[lost] == Outcome.NONE).all()
    # Games without a fault are those of the agent that makes none.
    for key in ("result", "outcome", "turns", "hull_lost", *COUNTS):
        assert (getattr(played, key)[~lost] == getattr(fair, key)[~lost]).all()
    assert len(played.faults) == lost.sum() and {(row, game) for row, game, _ in played.faults} == {
        (int(row), int(game)) for row, game in np.argwhere(lost)
    }
    assert all(said in why for why in played.reasons)


def test_a_forfeit_of_the_second_is_a_win_of_the_first() -> None:
    played = match("drifter", "naughty:raises")
    lost = played.forfeit == 1
    assert lost.any() and (played.result[lost] == 1).all()


def test_a_fault_in_every_game() -> None:
    played = match("naughty:floats", "naughty:good")
    assert (played.forfeit == 0).all() and played.decisions[..., 0].max() == 1
    assert played.reasons == ["naughty:floats: IllegalActionError: agent 'naughty:floats' gave float64 (1,): "
                              "want integers (1,)"]  # fmt: skip


def test_without_forfeits_a_fault_is_raised() -> None:
    with pytest.raises(RuntimeError, match="no idea"):
        match("naughty:raises", "drifter", Referee())
    with pytest.raises(IllegalActionError, match="naughty:illegal"):
        match("naughty:illegal", "drifter", Referee())


def test_a_crossing_that_is_forfeited_did_not_cross() -> None:
    setups = scenarios.load("tiny")
    played = play([player("naughty:illegal", setups)], setups, range(20), "test", Referee(True))
    lost = played.forfeit == 0
    assert lost.any() and (played.result[lost] == -1).all() and not played.crossed[lost.ravel()].any()


@pytest.mark.parametrize("name", ["sleeps", "swallows"])
def test_who_takes_too_long_forfeits_that_game(name: str, fair: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "WARM_UP_SECONDS", 0.5)
    begun = time.monotonic()
    played = match(f"naughty:{name}", "drifter", Referee(True, 0.15), range(4))
    assert time.monotonic() - begun < 40
    lost = played.forfeit == 0
    assert lost.any() and played.reasons == [f"naughty:{name}: took more than 0.15 s for a decision"]
    assert (played.result[~lost] == fair.result[:4][~lost]).all()
    assert (played.seconds[..., 0][lost] > 0.15).all()
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_limit_wants_forfeits_and_seconds() -> None:
    with pytest.raises(ConfigError, match="want seconds above 0"):
        Referee(True, 0.0)
    with pytest.raises(ConfigError, match="without forfeits"):
        Referee(False, 1.0)


def test_lots_follow_from_the_games() -> None:
    """An agent that draws lots plays the same games alone, in any batch, and one by one under a limit."""
    every = match("random", "random")
    some = match("random", "random", seeds=[7, 3])
    timed = match("random", "random", Referee(True, 60.0), [3])
    assert some.decisions.tolist() == every.decisions[[7, 3]].tolist()
    assert timed.decisions.tolist() == every.decisions[[3]].tolist()
    # Against itself it draws others than itself in the other seat.
    assert (every.decisions[:, 0] != every.decisions[:, 1, ::-1]).any()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("capten", "did you mean 'captain'?"),
        ("naughty:nothing", "agent 'naughty:nothing' cannot be loaded"),
        ("naughty:not_a_factory_of_agents", "gave a int: want a callable"),
        ("nowhere:at_all", "No module named 'nowhere'"),
    ],
)
def test_agents_that_cannot_be_made(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        player(name, SETUPS)
    assert said in str(refused.value)


def test_what_packages_declare_can_play_by_its_name() -> None:
    assert player("easy", SETUPS).agent.takes_lots


# ---- results in a file


def test_a_torn_line_is_dropped_and_the_rest_kept(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    with Ledger(file, "a kind", {"of": [1, 2]}) as results:
        results.add([{"n": n, "text": "ü"} for n in range(3)])
    whole = file.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(ends[0], len(whole)):
        file.write_bytes(whole[:cut])
        with Ledger(file, "a kind", {"of": [1, 2]}) as results:
            kept = len(results.rows)
            assert kept == sum(end <= cut for end in ends) - 1
            results.add([{"n": n, "text": "ü"} for n in range(kept, 3)])
        assert file.read_bytes() == whole


@pytest.mark.parametrize(
    ("kind", "about", "said"),
    [
        ("a kind", {"of": [1, 3], "by": {"whom": "me"}}, "of is [1, 2] there, here it is [1, 3]"),
        ("a kind", {"of": [1, 2], "by": {"whom": "you"}}, 'by.whom is "me" there, here it is "you"'),
        ("a kind", {"of": [1, 2]}, 'by is {"whom": "me"} there, here it is null'),
        ("another", {"of": [1, 2], "by": {"whom": "me"}}, "does not say that it is a file of kind 'another'"),
    ],
)
def test_a_file_of_something_else_is_refused(kind: str, about: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    Ledger(file, "a kind", {"of": [1, 2], "by": {"whom": "me"}}).close()
    before = file.read_bytes()
    with pytest.raises(ConfigError) as refused:
        Ledger(file, kind, about)
    assert said in str(refused.value) and file.read_bytes() == before


def test_a_newer_or_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text('{"kind":"a kind","format":2}\n')
    with pytest.raises(ConfigError, match="format is 2: want 1; it was written by a newer version"):
        Ledger(file, "a kind", {})
    file.write_text('{"kind":"a kind","format":1}\n{"n":1}\n{"n":\n{"n":3}\n')
    with pytest.raises(ConfigError, match="line 3 is damaged"):
        Ledger(file, "a kind", {})
    file.write_text("hello")
    with pytest.raises(ConfigError, match="first line does not say"):
        Ledger(file, "a kind", {})


# ---- tournaments

AGENTS = ["random", "drifter", "naughty:gambler"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament, "two_sided", lambda scene: SETUPS)
    monkeypatch.setattr(tournament, "CHUNK", 10)
    monkeypatch.setattr(ratings, "RESAMPLES", 50)


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
    return sorted(kept, key=lambda row: [str(row[key]) for key in ("scenario", "first", "second", "seed")])


def said_of(contest: Tournament, results: Ledger) -> dict[str, Any]:
    said = contest.figures(results)
    for one in said["agents"]:
        del one["milliseconds_per_decision"]
    return said


def unbroken(folder: Path, elo: float | None = None) -> tuple[Tournament, Ledger]:
    contest = Tournament(AGENTS, ["here", "there"], range(5, 25), elo=elo)
    results = Ledger(folder / "unbroken.jsonl", KIND, contest.about())
    contest.play(results)
    results.close()
    return contest, results


def test_everyone_plays_everyone_on_the_same_seeds(small: None, tmp_path: Path) -> None:
    _, results = unbroken(tmp_path)
    met: dict[Any, list[int]] = {}
    for row in results.rows:
        met.setdefault((row["scenario"], row["first"], row["second"]), []).append(row["seed"])
    assert set(met) == {(scene, *pairing) for scene in ("here", "there") for pairing in standings.pairings(AGENTS)}
    # Common random numbers, and never one seed for every game.
    assert all(sorted(seeds) == list(range(5, 25)) for seeds in met.values())
    with pytest.raises(ConfigError, match="--games 1: want 2 or more"):
        Tournament(AGENTS, ["here"], range(1))


@pytest.mark.parametrize("elo", [None, 100.0])
def test_a_killed_tournament_ends_as_an_unbroken_one(elo: float | None, small: None, tmp_path: Path) -> None:
    contest, results = unbroken(tmp_path, elo)
    lines = results.path.read_bytes().splitlines(keepends=True)
    broken = tmp_path / "broken.jsonl"
    for whole, torn in ((4, 30), (len(lines) - 15, 100)):
        broken.write_bytes(b"".join(lines[:whole]) + (lines[whole][:torn] if torn else b""))
        with Ledger(broken, KIND, contest.about()) as again:
            assert len(again.rows) == whole - 1
            contest.play(again)
        assert said_of(contest, again) == said_of(contest, results)
        if elo is None:
            assert without_times(again.rows) == without_times(results.rows)


def test_a_pairing_that_is_decided_stops(small: None, tmp_path: Path) -> None:
    contest, results = unbroken(tmp_path, 300.0)
    assert len(results.rows) < 2 * 3 * 20
    [one] = [
        one
        for one in contest.figures(results)["scenarios"][0]["pairings"]
        if (one["first"], one["second"]) == ("random", "drifter")
    ]
    assert one["better"] != 0 and one["pairs"] % 10 == 0 and one["pairs"] < 20


def test_figures_add_up(small: None, tmp_path: Path) -> None:
    contest, results = unbroken(tmp_path)
    said = contest.figures(results)
    here = said["scenarios"][0]
    rows = standings.sorted_rows(results.rows, "here", ("random", "drifter"))
    score = records.worth(rows).mean()
    assert here["matrix"][0][1] == pytest.approx(score) and here["matrix"][1][0] == pytest.approx(1 - score)
    assert here["matrix"][0][0] is None
    assert sum(one["rating"] for one in said["agents"]) == pytest.approx(0, abs=1e-6)
    # One and the same scenario twice: ratings as of one, on twice the games.
    assert said["scenarios"][0]["ratings"] == said["scenarios"][1]["ratings"]
    ranks = [one["average_rank"] for one in said["agents"]]
    assert ranks == sorted(ranks) and sum(ranks) == 6.0
    text = standings.words(said)
    assert f"{score:.1%}" in text and "seat 0 is worth" in text


def test_an_agent_that_fails_is_reported(small: None, tmp_path: Path) -> None:
    contest = Tournament(["drifter", "naughty:raises"], ["here"], range(4))
    with Ledger(tmp_path / "results.jsonl", KIND, contest.about()) as results:
        contest.play(results)
    said = contest.figures(results)
    [bad] = [one for one in said["agents"] if one["agent"] == "naughty:raises"]
    assert bad["forfeits"] > 0 and said["faults"] == [
        {"fault": "naughty:raises: RuntimeError: no idea at all", "games": bad["forfeits"]}
    ]
    assert "no idea at all" in standings.words(said)


def test_the_command_line(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["tournament", "--agents", "random", "drifter", "--scenario", "a", "--games", "3", "--json", "said.json"]
    assert door.main(given) == 0
    once = capsys.readouterr().out
    [file] = (tmp_path / "runs").iterdir()
    before = file.read_bytes()
    assert door.main(given) == 0
    assert capsys.readouterr().out == once and file.read_bytes() == before
    assert standings.words(json.loads((tmp_path / "said.json").read_bytes())) in once
    other = [word if word != "3" else "4" for word in given]
    assert door.main([*other, "--results", str(file)]) == 2
    assert "seeds is [0, 3] there, here it is [0, 4]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--agents", "random"], "--agents random: want from 2 to 64 different ones"),
        (["--agents", "random", "random"], "want from 2 to 64 different ones"),
        (["--agents", "random", "capten"], "did you mean 'captain'?"),
        (["--scenario", "duel", "duel"], "--scenario duel duel: want different ones"),
        (["--scenario", "tiny"], "--scenario tiny: it has one side"),
        (["--scenario", "duel:dens"], "did you mean 'dense'?"),
        (["--games", "1"], "--games 1: want 2 or more"),
        (["--sprt", "0"], "--sprt 0: want points of Elo"),
        (["--time-limit", "-1"], "time limit -1.0: want seconds above 0"),
        (["--first-seed", "-1"], "seed -1"),
        (["--result", "x"], "unrecognized arguments"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    given: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    agents = [] if "--agents" in given else ["--agents", "random", "drifter"]
    assert door.main(["tournament", *agents, *given]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1 and not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of a POSIX system")
def test_killed_for_real_it_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    given = ["--agents", "random", "drifter", "captain", "--scenario", "duel", "--games", "300"]
    command = [sys.executable, "-m", "agents", "tournament", *given, "--results", str(file)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for _ in range(3):
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
        size = file.stat().st_size if file.exists() else 0
        while process.poll() is None and (not file.exists() or file.stat().st_size < size + 20_000):
            time.sleep(0.02)
        process.kill()
        process.wait()
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    contest = Tournament(["random", "drifter", "captain"], ["duel"], range(300))
    with Ledger(tmp_path / "unbroken.jsonl", KIND, contest.about()) as results:
        contest.play(results)
    with Ledger(file, KIND, contest.about()) as again:
        assert without_times(again.rows) == without_times(results.rows)


@pytest.mark.slow
def test_an_agent_against_itself_is_even_for_real() -> None:
    setups = scenarios.load("duel")
    found = []
    for start in range(0, 20_000, 200):
        played = play([player("random", setups)] * 2, setups, range(start, start + 200))
        from agents.match import score

        found.append(score(played))
    inside = sum(one.low <= 0.5 <= one.high for one in found)
    assert 88 <= inside <= 100


def test_ledger_differences_are_told_where_they_are() -> None:
    assert ledger.difference({"a": {"b": 1}}, {"a": {"b": 1}}) == ""
    assert ledger.difference({"a": {"b": 1}}, {"a": {"b": 2}}) == "a.b is 2 there, here it is 1"
