"""Pictures show what the record holds: pieces, labels, the goal; in any state, of any size, and nothing hidden."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fc_env import engine, render, scenarios
from fc_env.errors import ConfigError, ScenarioError
from fc_env.notation import Position
from fc_env.render.__main__ import main, play
from fc_env.render.scene import scene_of
from fc_env.state import Phase

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).resolve().parent.parent
ESCAPES = re.compile("\x1b\\[[0-9;]*m")
FLAGSHIP = "flagship dice d6 d8 d10 slowness 2 hull 8/10 lasers 1"


def plain(game: np.ndarray, **what: Any) -> str:
    """The terminal's picture without colours, which are proved to change nothing else."""
    text = render.ansi(game, colour=False, **what)
    assert ESCAPES.sub("", render.ansi(game, **what)).removesuffix(" · / goal edge") == text
    return text


def state(*lines: str, size: str = "10x8") -> np.ndarray:
    return Position.parse("\n".join(["fleet-captain position 1", f"map {size}", *lines])).game


def texts(root: ET.Element, css: str) -> list[str]:
    return [e.text or "" for e in root.iter(f"{SVG}text") if css in e.get("class", "").split()]


def used(root: ET.Element, shape: str) -> list[str]:
    """Transforms of all uses of a shape, the legend's last."""
    return [e.get("transform", "") for e in root.iter(f"{SVG}use") if e.get("href") == f"#{shape}"]


@pytest.mark.parametrize(("field", "n_markers"), [("open", 0), ("standard", 6), ("dense", 18), ("improbable", 36)])
def test_svg_holds_every_hex_marker_and_ship(field: str, n_markers: int) -> None:
    game = engine.new(scenarios.load("crossing", field=field), seeds=[3])[0]
    root = ET.fromstring(render.svg(game))
    assert sorted(texts(root, "label")) == [f"{c:02d}{r:02d}" for c in range(1, 31) for r in range(1, 21)]
    numbers = texts(root, "number")
    in_legend = 1 if n_markers else 0
    assert len(numbers) == n_markers + in_legend
    for density in range(1, 7):
        wanted = n_markers // 6 + (in_legend if density == 4 else 0)
        assert numbers.count(str(density)) == wanted
        assert len(used(root, f"r{density}")) == wanted
    assert len([e for e in root.iter(f"{SVG}g") if e.get("class") == "ship"]) == 1


def test_a_group_of_rocks_has_as_many_rocks_as_its_density() -> None:
    root = ET.fromstring(render.svg(state("ship 0 0505 NE " + FLAGSHIP)))
    for density in range(1, 7):
        group = root.find(f".//{SVG}g[@id='r{density}']")
        assert group is not None
        assert [e.get("class") for e in group] == ["rock"] * density + ["arrow"]


def test_arrows_and_noses_turn_with_the_facing() -> None:
    for number, facing in enumerate(("N", "NE", "SE", "S", "SW", "NW")):
        game = state("mode battle", f"ship 0 0505 {facing} {FLAGSHIP}", f"marker 0303 {facing} 3")
        root = ET.fromstring(render.svg(game))
        turn = f"rotate({60 * number})" if number else ""
        assert used(root, "r3")[0] == turn
        assert (turn in used(root, "s0")[0]) and ("rotate" in used(root, "s0")[0]) == bool(number)
        arrow = "↑↗↘↓↙↖"[number]
        assert f"A{arrow}" in plain(game) and f"3{arrow}" in plain(game)


def test_ansi_puts_pieces_where_they_are() -> None:
    game = state("goal east", "ship 0 0305 NE " + FLAGSHIP, "marker 0404 S 6", "marker waiting 0105 SE 2")
    board = plain(game, title="here").splitlines()
    assert board[0].startswith("here · turn 1 of 40")
    rows = {line[:2]: line for line in board if line[:2].isdigit()}
    columns = board[1]
    assert rows["05"][columns.index("03") :].startswith("A↗")
    lower = board[board.index(rows["04"]) + 1]  # an even column stands half a hex lower (MAP-1)
    assert lower[columns.index("04") :].startswith("6↓")
    assert "waiting off the map: 2↘ before 0105" in board


def test_markers_waiting_at_one_place_are_all_drawn() -> None:
    game = state("ship 0 0505 NE " + FLAGSHIP, *(f"marker waiting 0105 SE {k}" for k in (1, 2, 3, 5, 6)))
    numbers = texts(ET.fromstring(render.svg(game)), "number")
    assert sorted(numbers) == ["1", "2", "3", "4", "5", "6"]  # 4 is the legend's
    assert "1↘ before 0105, 2↘ before 0105, 3↘ before 0105, 5↘ before 0105, 6↘ before 0105" in plain(game)
    assert "+5" in plain(game)


@pytest.mark.parametrize(("edge", "hexes"), [("north", 10), ("south", 10), ("east", 8), ("west", 8)])
def test_the_goal_edge_is_marked_along_all_its_hexes(edge: str, hexes: int) -> None:
    root = ET.fromstring(render.svg(state(f"goal {edge}", "ship 0 0505 NE " + FLAGSHIP)))
    line = root.find(f".//{SVG}path[@class='goal']")
    assert line is not None
    # a hex of an outer column has two sides beyond it, one of a top or bottom row one or three by turns
    assert line.get("d", "").count("M") == 2 * hexes
    assert texts(root, "goal-word") == ["GOAL"]
    assert f"goal: the {edge} edge" in plain(state(f"goal {edge}", "ship 0 0505 NE " + FLAGSHIP))


def test_orders_and_power_that_are_hidden_are_not_in_the_picture() -> None:
    lines = ["mode battle", "phase orders", "ship 0 0505 NE " + FLAGSHIP + " power LMH order left"]
    game = state(*lines, "ship 1 0905 SW " + FLAGSHIP + " power HML order right")
    for picture in (render.svg(game), plain(game)):
        assert "order left" not in picture and "order right" not in picture and "LMH" not in picture
        assert "order face down" in picture
    mine = plain(game, seat=0)
    assert "order left" in mine and "LMH: shields d6, weapons d8, movement d10" in mine
    assert "order right" not in mine and "HML" not in mine
    assert "order left" in plain(state(*lines[2:], size="10x8"))  # one side has nobody to hide from
    seen = engine.view(np.atleast_1d(game), 0)[0]
    assert plain(seen, seat=0) == mine


def test_the_seed_is_not_in_the_picture() -> None:
    one, other = (state(f"seed {seed}", "ship 0 0505 NE " + FLAGSHIP) for seed in (1, 987654321))
    assert render.svg(one) == render.svg(other) and render.ansi(one) == render.ansi(other)


def test_names_are_escaped_and_controls_replaced() -> None:
    game = state("ship 0 0505 NE " + FLAGSHIP)
    odd = "<b>&\"'\x1b[2J\x00\n]]>\ud800 Звезда ☄"
    root = ET.fromstring(render.svg(game, title=odd).encode("utf-8"))
    shown = texts(root, "title")
    assert shown == ["<b>&\"'\ufffd[2J\ufffd\ufffd]]>\ufffd Звезда ☄"]
    assert "\x1b[2J" not in render.ansi(game, title=odd)
    assert render.ansi(game, title=odd).splitlines()[0].count("turn 1") == 1


@pytest.mark.parametrize("size", ["2x1", "6x5", "98x98"])
def test_the_smallest_and_the_largest_map(size: str) -> None:
    width, height = map(int, size.split("x"))
    game = state("goal east", "ship 0 0101 NE " + FLAGSHIP, f"marker {width:02d}{height:02d} NE 6", size=size)
    root = ET.fromstring(render.svg(game))
    assert len(texts(root, "label")) == width * height
    assert {line[:2] for line in plain(game).splitlines() if line[:2].isdigit()} == {
        f"{row:02d}" for row in range(1, height + 1)
    }
    left, top, wide, high = map(float, root.get("viewBox", "").split())
    for marker in used(root, "h"):
        x, y = map(float, re.findall(r"[\d.-]+", marker)[:2]) if "translate" in marker else (0.0, 0.0)
        assert left <= x <= wide and top <= y <= high


@pytest.mark.parametrize("fate", ["destroyed", "left"])
def test_ships_out_of_play_and_finished_games(fate: str) -> None:
    outcome = "destroyed" if fate == "destroyed" else "crossed"
    place = "0505" if fate == "destroyed" else "1105"
    game = state("goal east", "phase over", f"outcome {outcome}", f"ship 0 {place} NE {FLAGSHIP} {fate}")
    assert int(game["phase"]) == Phase.OVER
    root = ET.fromstring(render.svg(game))
    assert f"over: {outcome}" in texts(root, "say")[0]
    assert len([e for e in root.iter(f"{SVG}g") if e.get("class") == "ship gone"]) == 1
    assert f"over: {outcome}" in plain(game) and fate in plain(game)


def test_flaws_and_doom_are_told() -> None:
    """A ship's line says its flaw, what it rolled at 0 hull, and what is jammed."""
    jammed = f"ship 0 0505 NE torpedo flaw torpedo_jams jammed {FLAGSHIP}"
    lines = ["mode convoy", "rules countdown_to_doom=true", jammed]
    doomed = f"ship 1 0101 N convoy {FLAGSHIP.replace('8/10', '0/10')}"
    game = state(*lines, f"{doomed} doom engine_stall")
    assert "flaw torpedo jams, torpedoes jammed" in plain(game)
    assert "convoy, doom engine stall" in plain(game)
    assert "convoy, sitting duck" in plain(state(*lines, f"{doomed} sitting_duck"))


def test_path_and_highlights() -> None:
    game = state("ship 0 0505 NE " + FLAGSHIP)
    root = ET.fromstring(render.svg(game, path=["0103", "0302"], highlights=["0606", "0607"]))
    assert [len(e.get("points", "").split()) for e in root.iter(f"{SVG}polyline") if e.get("class") == "way0"] == [2]
    assert len([e for e in root.iter(f"{SVG}use") if e.get("class") == "frame"]) == 2
    with pytest.raises(ScenarioError, match="path: hex '99': want a label"):
        render.svg(game, path=["99"])


def test_what_is_no_game_is_refused() -> None:
    games = engine.new(scenarios.load("tiny"), seeds=[1, 2])
    for wrong in (games, np.zeros(3), "game", None):
        with pytest.raises(ScenarioError, match="want one GAME record"):
            render.svg(wrong)
    with pytest.raises(ScenarioError, match="seat 2"):
        render.ansi(games[0], seat=2)
    assert render.ansi(games[:1]) == render.ansi(games[0])


def test_render_modes_of_the_environments() -> None:
    assert render.renderer(None) is None and render.renderer("ansi") is render.ansi
    with pytest.raises(ConfigError, match="render_mode 'anzi': want one of 'ansi', or None"):
        render.renderer("anzi")


def test_a_picture_changes_nothing_and_every_moment_can_be_drawn() -> None:
    games = engine.new(scenarios.load("tiny"), seeds=[5])
    for turns in range(9):
        before = games.tobytes()
        ET.fromstring(render.svg(games[0]))
        plain(games[0])
        assert games.tobytes() == before
        assert scene_of(games[0]).status.startswith(f"turn {int(games[0]['turn'])} of 8")
        play(games, 1)
        if games[0]["phase"] == Phase.OVER:
            assert turns > 0
            break
    assert "over:" in plain(games[0])


# ---- the command line


def test_command_line_writes_whole_files(tmp_path: Path) -> None:
    drawing = tmp_path / "board.svg"
    drawing.write_text("old")
    assert main(["--scenario", "tiny", "--turns", "1", "--out", str(drawing)]) == 0
    assert "course flown" in drawing.read_text(encoding="utf-8")
    assert main(["--scenario", "tiny", "--out", str(tmp_path / "board.txt")]) == 0
    assert "\x1b" not in (tmp_path / "board.txt").read_text(encoding="utf-8")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["board.svg", "board.txt"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--scenario", "tinny"], "did you mean"),
        (["--field", "thick"], "thick"),
        (["--seed", "-1"], "seed -1"),
        (["--turns", "1001"], "--turns 1001: want 0 to 1000"),
        (["--out", "board.pdf"], "board.pdf: want a name ending in .svg or .txt"),
        (["--scenario", "tiny", "--out", "/no/such/folder/board.svg"], "/no/such/folder/board.svg: cannot be written"),
        (["--colour"], "--help lists all options"),
    ],
)
def test_command_line_refuses_in_one_line(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize("coding", ["utf-8", "ascii"])
def test_drawing_needs_no_display_and_no_unicode(coding: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    command = [sys.executable, "-m", "fc_env.render", "--scenario", "tiny"]
    done = subprocess.run(
        command,
        env=environment | {"NUMBA_DISABLE_JIT": "1", "PYTHONUTF8": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "A↗" in done.stdout + done.stdout.replace("A↘", "A↗")


def test_the_picture_of_the_readme_is_one_this_program_draws() -> None:
    """Its style and shapes are today's; the position may be any."""
    drawn = (ROOT / "docs" / "board.svg").read_text(encoding="utf-8")
    today = render.svg(engine.new(scenarios.load("crossing"), seeds=[0])[0])
    for part in (r"<style>.*?</style>", r"<defs>.*?</defs>"):
        [now], [then] = (re.findall(part, text, re.DOTALL) for text in (today, drawn))
        assert now == then
