"""What sweeps and comparisons say of cells that share their seeds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fc_env import engine, opponents, scenarios
from fc_env.commandline import commands
from fc_env.errors import ConfigError, ScenarioError
from fc_env.events import Rule
from fc_env.lab import cells, compare, measuring
from fc_env.lab.__main__ import COMMANDS
from fc_env.lab.cells import FIGURES
from fc_env.lab.playing import play
from fc_env.lab.referee import of_callable
from fc_env.lab.spreading import Spread
from fc_env.lab.statistics import share
from fc_env.tape import EVENT

SEEDS = range(40)


def run(*arguments: str) -> int:
    return commands("lab", "", COMMANDS, arguments)


def silent(games: int) -> None:
    pass


def full_of(agents: list[str], setups: np.ndarray, seeds: range) -> dict[str, np.ndarray]:
    return cells.full(agents, [setups], seeds, "test", silent, Spread())[0]


def test_unswapped_games_are_the_first_of_each_pair() -> None:
    setups = scenarios.load("duel", "dense")
    players = [of_callable(opponents.resolve(name, setups), setups, name) for name in ("captain", "drifter")]
    both, one = play(players, setups, SEEDS), play(players, setups, SEEDS, swapped=False)
    assert one.result.shape == (40, 1) and one.hull_lost.shape == (40, 1, 2)
    assert (one.result[:, 0] == both.result[:, 0]).all() and (one.hull_lost[:, 0] == both.hull_lost[:, 0]).all()
    for name, counts in one.counts.items():
        assert (counts[:, 0] == both.counts[name][:, 0]).all(), name


def test_figures_of_a_cell_are_those_of_its_games() -> None:
    setups = measuring.scene_setups("duel:dense", {"classes.cruiser.hull": 5})
    found = full_of(["captain", "drifter"], setups, SEEDS)
    players = [of_callable(opponents.resolve(name, setups), setups, name) for name in ("captain", "drifter")]
    games = play(players, setups, SEEDS, swapped=False)
    assert set(found) == set(FIGURES)
    assert (found["won"] == (games.result[:, 0] > 0) + 0.5 * (games.result[:, 0] == 0)).all()
    assert (found["lost_to_asteroids"] == games.lost_to_asteroids[:, 0].sum(axis=1)).all()
    assert found["lost_to_asteroids"].any() and 0.0 < found["field"].mean() < 1.0
    bare = full_of(["captain", "drifter"], scenarios.load("duel", "open"), SEEDS)
    assert not bare["field"].any() and not bare["contacts"].any()


def test_without_field_is_the_same_fleets_without_rock() -> None:
    full = measuring.scene_setups("duel", {"default_field": "dense", "classes.cruiser.hull": 5})
    bare = cells.without_field(full)
    assert bare["game"]["n_markers"][0] == 0 and full["game"]["n_markers"][0] == 18
    assert (bare["game"]["ships"] == full["game"]["ships"]).all()
    open_space = measuring.scene_setups("duel:open", {"classes.cruiser.hull": 5})
    played = [cells.played(["captain"], setups, SEEDS, "test", silent) for setups in (bare, open_space)]
    assert all((played[0][name] == played[1][name]).all() for name in played[0])


def test_early_losses_are_those_before_the_first_card() -> None:
    setups = scenarios.load("duel")
    early = cells._Early(setups, 3)
    hull = int(setups["game"]["ships"]["full_hull"][0, 0, 0])

    def rows(*said: tuple[int, Rule, int]) -> np.ndarray:
        events = np.zeros(len(said), EVENT)
        for event, (game, rule, value) in zip(events, said, strict=True):
            event["game"], event["rule"], event["value"] = game, rule, value
        return events

    # The first game's ship is lost in two parts before the card, the second's after it, the third's is not quite.
    early.watch(rows((0, Rule.CON_2, hull - 2), (1, Rule.CARD_2, 3), (1, Rule.CON_2, hull), (2, Rule.CON_2, hull - 1)))
    early.watch(rows((0, Rule.CON_2, 2), (0, Rule.CARD_2, 9), (2, Rule.CARD_2, 4), (2, Rule.FIR_1, 1)))
    early.watch(rows((1, Rule.CON_2, hull), (2, Rule.CON_2, hull)))
    assert early.ships.tolist() == [1, 0, 0]


def pairs(rng: np.random.Generator, n: int, shift: float) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Synthetic games of A and B: a fifth of the seeds ends otherwise under B, a little more often in favour."""
    a = {name: rng.random(n) for name in FIGURES} | {"won": (rng.random(n) < 0.5).astype(np.float64)}
    b = {name: values + 0.1 * rng.standard_normal(n) for name, values in a.items()}
    turned, lifted = rng.random(n) < 0.2, rng.random(n) < shift / 0.5
    b["won"] = np.where(turned, (rng.random(n) < 0.5), a["won"])
    b["won"] = np.where(lifted & (b["won"] == 0), 1.0, b["won"])
    return a, b


def test_two_points_are_found_with_the_games_it_asks_for_and_nothing_where_nothing_is() -> None:
    rng = np.random.default_rng(1)
    a, b = pairs(rng, 20_000, 0.02)
    n = compare.games_needed(float((b["won"] - a["won"]).std()), 0.02)
    assert n is not None and 2_000 < n < 8_000
    found = [compare.differences(*pairs(rng, n, 0.02))["won"]["differs"] for _ in range(400)]
    assert 0.92 <= np.mean(found) <= 0.98
    quiet = [compare.differences(*pairs(rng, 500, 0.0)) for _ in range(400)]
    assert 0.92 <= np.mean([not one["won"]["differs"] for one in quiet]) <= 0.98
    others = [any(figure["differs"] for name, figure in one.items() if name != "won") for one in quiet]
    assert np.mean(others) <= 0.08


def test_few_seeds_that_differ_are_not_beyond_chance() -> None:
    same = {name: np.zeros(1000) for name in FIGURES}
    for n in (1, 4, 5):
        few = {name: (np.arange(1000) < n).astype(np.float64) for name in FIGURES}
        found = compare.differences(same, few)
        assert not any(one["differs"] for one in found.values())
        assert found["won"]["chance"] == 2.0 ** (1 - n)
    nothing = compare.differences(same, same)
    assert nothing["won"]["games_for_two_points"] is None
    assert all(one["chance"] == 1.0 and one["games_needed"] is None for one in nothing.values())
    low, high = nothing["won"]["interval_95"]
    assert -0.01 < low < 0.0 < high < 0.01  # of a thousand seeds none differed, which is no proof that none ever does


def test_shares_have_intervals_that_hold_near_the_ends() -> None:
    value, low, high = share(np.zeros(100))
    assert (value, low) == (0.0, 0.0) and 0.03 < high < 0.06
    rng = np.random.default_rng(2)
    for chance, n in ((0.03, 100), (0.01, 400), (0.5, 200)):
        held = [low <= chance <= high for _, low, high in (share(rng.random(n) < chance) for _ in range(2000))]
        assert np.mean(held) >= 0.93


def test_an_agent_that_fails_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "agents")
    for fault in ("raises", "quits"):
        given = ["compare", "duel", "--change", "rules.jokers=1", "--games", "30", "--agents", f"naughty:{fault}"]
        assert run(*given) == 2
        printed = capsys.readouterr()
        assert f"agent naughty:{fault} raised " in printed.err and not printed.out


def test_equal_rules_are_quiet_and_the_report_says_so(tmp_path: Path) -> None:
    given = ["compare", "duel:dense", "--change", "rules.avoid_die=6", "--games", "30", "--out", str(tmp_path)]
    assert run(*given) == 0
    said = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert not any(one["differs"] or one["difference"] for one in said["figures"].values())
    assert "Nothing differs beyond chance." in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_another_rule_is_told_by_its_figure(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["compare", "duel:improbable", "--change", "rules.avoid_die=20", "rules.contact_damage_die=4"]
    assert run(*given, "--agents", "drifter", "--games", "200") == 0
    printed = capsys.readouterr().out
    [beyond] = [line for line in printed.splitlines() if line.startswith("**Beyond chance:**")]
    assert FIGURES["lost_to_asteroids"] in beyond


def test_a_sweep_tells_each_cell(tmp_path: Path) -> None:
    given = ["sweep", "--scenario", "crossing:dense", "--agents", "drifter", "--games", "20", "--out", str(tmp_path)]
    assert run(*given, "--vary", "rules.avoid_die=4,20", "fields.dense.sets=1,3") == 0
    said = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    values = [tuple(cell["values"].values()) for cell in said["cells"]]
    assert values == [(4, 1), (4, 3), (20, 1), (20, 3)]
    setups = measuring.scene_setups("crossing:dense", said["cells"][1]["values"])
    games = full_of(["drifter"], setups, range(20))
    assert said["cells"][1]["figures"]["contacts"][0] == games["contacts"].mean() > 0
    assert (tmp_path / "report-4.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sweep", "--vary", "rules.avoid_die"], "'rules.avoid_die': want KEY=VALUE"),
        (["sweep", "--vary", "rules.avoid_die=7"], "rules.avoid_die is 7: want"),
        (["sweep", "--vary", "rules.avoid_dice=6"], "did you mean"),
        (["sweep", "--vary", "a=1", "b=2", "c=3"], "want at most 2 keys"),
        (["sweep", "--vary", "ships.7.hull=3"], "ships[7].hull: there are not so many"),
        (["sweep", "--vary", "rules.jokers=1", "--agents", "a", "b", "c"], "there are sides: 2"),
        (["sweep", "--vary", "rules.jokers= "], "want one or more values, each once"),
        (["sweep", "--vary", "rules.jokers=1,1"], "want one or more values, each once"),
        (["sweep", "--vary", "rules.jokers=1", "--games", "1"], "--games 1: want at least 2"),
        (["sweep", "--scenario", "crossing", "--vary", "rules.jokers=1", "--agents", "random", "random"], "sides: 1"),
        (["compare", "duel", "--change", "rules.jokers=1,2"], "want one value for each key"),
        (["compare", "duel", "--change", "rules.jokers=1", "rules.jokers=2"], "each key once"),
        (["compare", "duel", "--change", "field=dense"], "field is not a key"),
        (["compare", "duel", "duel:dense", "--out", "/proc/nowhere"], "/proc/nowhere"),
        (["compare", "duel"], "want two scenarios, or one and --change"),
        (["compare", "duel", "crossing"], "one has one side"),
        (["compare", "duel", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.count("\n") == 1 and not printed.out


def test_keys_of_a_scenario_are_changed_by_their_path() -> None:
    changed = scenarios.load_changed("duel", None, {"ships.0.facing": "SE", "rules.avoid_die": 8})
    assert changed["game"]["rules"]["avoid_die"][0] == 8
    assert engine.new(changed, [1])[0]["ships"][0, 0]["facing"] == 2
    with pytest.raises(ScenarioError, match=r"ships\[1\]\.facing: there are not so many"):
        scenarios.load_changed("duel", None, {"ships.1.facing": "SE"})
    assert cells.changed("rules.jokers=0, 2", "--vary") == ("rules.jokers", [0, 2])
    with pytest.raises(ConfigError, match="want KEY=VALUE"):
        cells.changed("=3", "--vary")


@pytest.mark.parametrize(
    "command",
    [
        [
            "sweep",
            "--scenario",
            "duel:dense",
            "--vary",
            "rules.attenuation=0,1",
            "--agents",
            "drifter",
            "--games",
            "50",
        ],
        ["compare", "duel:dense", "duel:open", "--agents", "drifter", "--games", "50"],
        ["balance", "--scenario", "duel", "--vary", "rules.attenuation=0,1,2", "--agents", "drifter", "--games", "120"],
    ],
    ids=lambda command: command[0],
)
def test_workers_change_nothing(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for workers in ("1", "3"):
        assert run(*command, "--workers", workers) == 0
    told = capsys.readouterr().out
    half = len(told) // 2
    assert told[:half] == told[half:] and "--workers" not in told


@pytest.mark.parametrize("workers", ["0", "257"])
def test_workers_are_a_number_in_bounds(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", "duel:dense", "duel:open", "--workers", workers) == 2
    assert f"--workers {workers}: want a number from 1 to 256" in capsys.readouterr().err


def test_seeds_beyond_the_largest_are_refused_before_play(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("compare", "duel:dense", "duel:open", "--games", "9", "--first-seed", str(2**63 - 3)) == 2
    assert "seed 9223372036854775813: want an integer from 0 to 2**63 - 1" in capsys.readouterr().err
