"""Saved games go on exactly as the originals; whatever is not such a file is refused by name of what is wrong."""

from __future__ import annotations

import copy
import json
import os

import numpy as np
import pytest

from fc_env import engine, positions, scenarios
from fc_env.errors import ScenarioError
from fc_env.notation import Position
from fc_env.state import GAME, digest

BATTLE = """fleet-captain position 1
map 12x10
mode battle
rules small_hexes=true activations_per_card=2 turn_limit=20 long_row_share=0.123456
ship 0 0203 SE flagship dice d6 d8 d10 slowness 2 hull 10 lasers 1
ship 0 0205 SE crew 2-9 captain JQK dice d4 d6 d8 slowness 1 hull 5
ship 1 1003 NW flagship dice d6 d8 d10 slowness 2 hull 10
marker 0505 SE 6
marker waiting 0110 NE 3
"""


def some_games() -> np.ndarray:
    """Three crossings and a battle."""
    crossings = engine.new(scenarios.load("crossing", field="dense"), [1, 2**63 - 1, 5])
    return np.concatenate([crossings, Position.parse(BATTLE).advance().games])


def play(games: np.ndarray, seed: int, decisions: int):
    """Random legal play; yields before each decision."""
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        playing = np.flatnonzero(games["outcome"] == 0)
        if not len(playing):
            return
        yield
        part = games[playing]
        masks = engine.legal_mask(part)
        engine.step(part, [int(rng.choice(np.flatnonzero(mask))) for mask in masks])
        games[playing] = part


def ended(games: np.ndarray, seed: int, decisions: int) -> str:
    games = games.copy()
    for _ in play(games, seed, decisions):
        pass
    return digest(games)


def test_same_bytes_at_every_decision():
    games = some_games()
    for _ in play(games, 3, 40):
        text = json.dumps(positions.to_data(games))
        assert positions.from_data(json.loads(text)).tobytes() == games.tobytes()


def test_loaded_games_go_on_as_the_originals(tmp_path):
    games = some_games()
    for number, _ in enumerate(play(games, 4, 30)):
        if number % 10 == 0:
            positions.save(tmp_path / "games.json", games)
            loaded = positions.load(tmp_path / "games.json")
            assert ended(loaded, number, 12) == ended(games, number, 12)


def test_views_and_finished_games_are_saved_too():
    games = some_games()
    for _ in play(games, 5, 400):
        pass
    assert (games["outcome"] > 0).sum() >= 2
    for batch in (games, engine.view(games, 0), engine.view(games, 1), games[:0]):
        back = positions.from_data(positions.to_data(batch))
        assert back.dtype == GAME and back.tobytes() == batch.tobytes()


def test_the_file_is_plain_json_in_utf8(tmp_path):
    path = tmp_path / "Straße.json"
    positions.save(path, some_games())
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["format"], data["version"], data["n"]) == ("fleet-captain positions", 1, 4)
    assert set(data["games"]) == set(GAME.names)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "games.json"
    games = some_games()
    positions.save(path, games)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        positions.save(path, games[:1])
    assert [file.name for file in tmp_path.iterdir()] == ["games.json"]
    assert positions.load(path).tobytes() == games.tobytes()


def test_a_file_cut_anywhere_is_refused(tmp_path):
    path = tmp_path / "games.json"
    positions.save(path, some_games()[:1])
    whole = path.read_bytes()
    for length in [*range(0, len(whole) - 1, 5), len(whole) - 2]:
        path.write_bytes(whole[:length])
        with pytest.raises(ScenarioError, match=r"games\.json: no whole JSON file"):
            positions.load(path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[" * 100_000, b"nonsense", b"NaN", b"\x80\x04N."])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(ScenarioError, match=r"other\.json: .*want"):
        positions.load(path)


def test_a_name_said_twice_is_refused(tmp_path):
    path = tmp_path / "twice.json"
    positions.save(path, some_games()[:1])
    path.write_text(path.read_text(encoding="utf-8").replace('"n":1', '"n":1,"n":1'), encoding="utf-8")
    with pytest.raises(ScenarioError, match="'n' is said twice"):
        positions.load(path)


def set_at(*path_and_value):
    *path, last, value = path_and_value

    def change(data):
        for key in path:
            data = data[key]
        data[last] = value

    return change


def drop(*path):
    *path, last = path

    def change(data):
        for key in path:
            data = data[key]
        del data[last]

    return change


REFUSED = [
    ("format", set_at("format", "chess"), "positions.format is 'chess': want 'fleet-captain positions'"),
    ("version", set_at("version", 2), "positions.version is 2: want 1"),
    ("version true", set_at("version", True), "positions.version is True: want 1"),
    ("no version", drop("version"), "field 'version' is missing"),
    ("unknown key", set_at("more", 1), "field 'more' is not known"),
    ("n", set_at("n", 5), "games.seed: want a list of 5"),
    ("n negative", set_at("n", -1), "positions.n is -1: want the number of games"),
    ("n too large", set_at("n", 10**12), "want the number of games"),
    ("missing field", drop("games", "turn"), "games: field 'turn' is missing"),
    ("missing rule", drop("games", "rules", "drift_die"), "games.rules: field 'drift_die' is missing"),
    ("unknown field", set_at("games", "weather", [1]), "games: field 'weather' is not known"),
    ("unknown ship field", set_at("games", "ships", "cloak", []), "games.ships: field 'cloak' is not known"),
    ("record as list", set_at("games", "ships", []), "games.ships is a list: want an object"),
    ("list as number", set_at("games", "turn", 3), "games.turn is a number: want a list of 4"),
    ("text", set_at("games", "turn", 1, "3"), r"games.turn\[1\] is text, '3': want a whole number"),
    ("fraction", set_at("games", "turn", 1, 3.0), r"games.turn\[1\] is a fraction, 3.0"),
    ("boolean", set_at("games", "ships", "activated", 0, 0, 0, True), r"activated\[0\]\[0\]\[0\] is a bool"),
    ("null", set_at("games", "turn", 0, None), r"games.turn\[0\] is null"),
    ("too short", set_at("games", "turn", [1, 1]), "games.turn has 2 entries: want 4"),
    ("shape", set_at("games", "ships", "hull", 0, [1, 2]), r"games.ships.hull\[0\]\[0\] is a n"),
    ("past 32 bits", set_at("games", "turn", 0, 2**31), r"games.turn\[0\] is 2147483648: want -2147483648"),
    ("negative seed", set_at("games", "seed", 0, -1), r"games.seed\[0\] is -1: want 0..18446744073709551615"),
    ("phase", set_at("games", "phase", 2, 11), "game 2, phase: phase 11: want 0..10"),
    ("order", set_at("games", "ships", "order", 1, 0, 0, 6), r"game 1, ships\[0\]\[0\]: order 6: want 0..5"),
    ("facing", set_at("games", "markers", "facing", 0, 17, 6), r"game 0, markers\[17\]: facing 6: want 0..5"),
    ("density", set_at("games", "markers", "density", 0, 0, 7), r"game 0, markers\[0\]: density 7: want 1..6"),
    ("rule", set_at("games", "rules", "drift_die", 0, 7), r"game 0, rules: rules.drift_die 7"),
    ("rule choice", set_at("games", "rules", "aces", 0, 3), r"game 0, rules: rules.aces 3: want 0..2"),
    ("rule switch", set_at("games", "rules", "sideslip", 0, 2), r"game 0, rules: rules.sideslip 2: want 0 or 1"),
    ("no such ship", set_at("games", "ships", "hull", 0, 1, 3, 1), r"there is no ship 3 of seat 1: want all its"),
    ("spare", set_at("games", "spare", 0, 1), r"spare 1: want 0..0"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals_name_the_field(change, words, data):
    changed = copy.deepcopy(data)
    change(changed)
    with pytest.raises(ScenarioError, match=words):
        positions.from_data(changed)


@pytest.fixture(scope="module")
def data():
    return positions.to_data(some_games())


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_data_that_is_no_object_is_refused(value):
    with pytest.raises(ScenarioError, match=r"positions is .*: want an object with format, version"):
        positions.from_data(value)


def test_only_batches_are_saved():
    games = some_games()
    for other in (games["turn"], games[0], games.reshape(2, 2), None, []):
        with pytest.raises(ScenarioError, match="want GAME records of shape"):
            positions.to_data(other)
