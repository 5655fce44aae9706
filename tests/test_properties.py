"""What holds in any game, after every phase of it: drawn scenarios, odd rule sets, random players."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_play import choose, digests, mixed_games, play

from fc_env import actions, engine, positions, scenarios
from fc_env.events import Rule
from fc_env.hexgrid import DQ, DR
from fc_env.jit import COMPILED
from fc_env.lab.fuzzing import cases
from fc_env.lab.fuzzing.audit import check
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import BY_PHASE
from fc_env.lab.fuzzing.running import broken_now, last_step
from fc_env.lab.fuzzing.scenes import drawn_setup, new_game
from fc_env.lab.fuzzing.seekers import Seeker
from fc_env.lab.fuzzing.walk import TURNS, new_desk, walk
from fc_env.state import GAME, MAX_MARKERS, MAX_SHIPS, SEATS, Order, Outcome, Phase, Status, as_bytes, digest

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar")

NOTHING_KEPT = np.zeros(0, np.int64)
QUICK = settings(max_examples=60 if COMPILED else 10, suppress_health_check=list(HealthCheck))


def broken_in_play(games: np.ndarray, keys: np.ndarray) -> tuple[list[str], int]:
    """What is broken when games are played to their ends by chance, and how many turns they took."""
    desk = new_desk()
    for i in range(len(games)):
        walk(as_bytes(games[i : i + 1])[0], int(Seeker.ANYTHING), keys[i], desk, NOTHING_KEPT)
        broken = broken_now(desk)
        if broken:
            told = cases.story(last_step(desk), desk)
            return [f"game {i}, key {keys[i]}: {cases.in_words(one)}\n{told}" for one in broken], 0
        assert np.asarray(desk.games)[1]["phase"] == Phase.OVER
    return [], int(desk.counts[TURNS])


# ---- the invariants, over drawn games


def test_invariants_hold_after_every_phase_of_drawn_games() -> None:
    games, keys = mixed_games(range(1000, 1300 if COMPILED else 1008))
    assert broken_in_play(games, keys)[0] == []


@pytest.mark.parametrize(("name", "field"), [("tiny", None), ("crossing", "open"), ("crossing", "dense")])
def test_invariants_hold_in_shipped_scenarios(name: str, field: str | None) -> None:
    games = engine.new(scenarios.load(name, field), range(200 if COMPILED else 1))
    assert broken_in_play(games, np.arange(len(games), dtype=np.uint64))[0] == []


@QUICK
@given(st.integers(0, 2**32), st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_invariants_hold_in_any_game(scenario: int, seed: int, key: int) -> None:
    assert broken_in_play(new_game(drawn_setup(scenario), seed), np.array([key], np.uint64))[0] == []


def crowds(count: int, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Games with 36 markers and 12 ships on 80 hexes."""
    games = np.concatenate([new_game(drawn_setup(first + i, crowded=True), i) for i in range(count)])
    return games, np.arange(count, dtype=np.uint64)


def test_map_5_in_crowds() -> None:
    """MAP-5"""
    games, keys = crowds(20 if COMPILED else 1, first=1)
    if not COMPILED:
        games["rules"]["turn_limit"] = 2
    assert broken_in_play(games, keys)[0] == []


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="too slow uncompiled")
def test_map_5_in_a_million_crowded_turns() -> None:
    """MAP-5: ships are made to last, so that it stays crowded."""
    starts, _ = crowds(100, first=10_000)
    starts["ships"]["hull"] = starts["ships"]["full_hull"] = 10**9
    starts["rules"]["map_edge"] = 1
    starts["goal"] = 0
    turns, copies = 0, 0
    while turns < 1_000_000:
        games = starts.copy()
        copies += 1
        games["seed"] += np.uint64(copies)
        broken, played = broken_in_play(games, np.arange(len(games), dtype=np.uint64) + np.uint64(1000 * copies))
        assert broken == []
        turns += played


@pytest.mark.slow
def test_invariants_hold_in_many_drawn_games() -> None:
    games, keys = mixed_games(range(10_000, 20_000 if COMPILED else 10_020))
    assert broken_in_play(games, keys)[0] == []


def test_drawn_games_reach_what_they_are_to_test() -> None:
    """Every ending, every rule that writes events, walls and open edges, both modes, markers that wait."""
    games, keys = mixed_games(range(1000, 1500 if COMPILED else 1012))
    waits = 0
    traces = []
    for decision in range(0, 10**6, 20):
        if (games["phase"] == Phase.OVER).all():
            break
        traces += play(games, keys, first=decision, decisions=20, record=True)
        on_board = np.arange(MAX_MARKERS) < games["n_markers"][:, None]
        column, row = games["markers"]["q"], games["markers"]["r"] + games["markers"]["q"] // 2
        outside = (column < 0) | (row < 0) | (column >= games["width"][:, None]) | (row >= games["height"][:, None])
        waits += int((on_board & outside).sum())
    assert waits > 0
    if COMPILED:
        fired = set(np.concatenate([trace.events["rule"] for trace in traces]).tolist())
        laying = {Rule.SET_1, Rule.SET_2, Rule.SET_4, Rule.COR_24}
        assert set(Rule) - laying - {Rule.COR_21, Rule.WIN_3} <= fired  # repairs are too rare, convoys not drawn
        assert set(games["outcome"].tolist()) == set(Outcome) - {Outcome.NONE}
        assert set(games["ships"]["status"].ravel().tolist()) == set(Status)


# ---- the invariants themselves can fail


def broken_between(before: np.ndarray, after: np.ndarray) -> set[Invariant]:
    """What does not hold of a phase that tells nothing and makes the one game of the other."""
    desk = new_desk()
    desk.rows[0] = desk.rows[2] = as_bytes(before)[0]
    desk.rows[1] = as_bytes(after)[0]
    check(desk.games[0], desk.games[1], desk.games[2], BY_PHASE, desk.tape, desk.notes[0])
    return set(broken_now(desk))


SPOILT_SHIPS: dict[Invariant, tuple[str, int]] = {
    Invariant.HULL_ACCOUNTED: ("hull", 11), Invariant.TURN_MADE: ("facing", 4),
    Invariant.ACTIVATED_ONCE: ("activated", 1), Invariant.CONTACTS_COUNTED: ("contacts", 3),
    Invariant.DOOM_ROLLED: ("doom", 5), Invariant.CREW_CASUALTY: ("crew", 4), Invariant.DOOM_TABLE: ("sitting_duck", 1),
    Invariant.NO_BLAST_WAITS: ("blast", 1), Invariant.REPAIRS_AND_JAMS: ("jammed", 1),
    Invariant.SHIPS_AS_BUILT: ("full_hull", 99), Invariant.POWER_ROLLED: ("power", 3),
}  # fmt: skip


def spoil(game: np.ndarray, invariant: Invariant) -> None:
    """Break one thing."""
    ship, markers = game["ships"][0, 0, 0], game["markers"][0]
    if invariant in SPOILT_SHIPS:
        name, value = SPOILT_SHIPS[invariant]
        ship[name] = value
    elif invariant == Invariant.MARKERS_KEPT:
        markers[2]["facing"] = (markers[2]["facing"] + 1) % 6
    elif invariant == Invariant.HEXES_UNSHARED:
        markers[2]["q"], markers[2]["r"] = markers[5]["q"], markers[5]["r"]
    elif invariant == Invariant.MARKERS_DRIFT:
        markers[2]["q"] += 1
    elif invariant == Invariant.FLIPS_COUNTED:
        game["flips"] = 1
    elif invariant == Invariant.TURNS_COUNTED:
        game["turn"] = 41
    else:
        raise AssertionError(invariant)


@pytest.mark.parametrize(
    "invariant",
    [*SPOILT_SHIPS, Invariant.MARKERS_KEPT, Invariant.HEXES_UNSHARED, Invariant.MARKERS_DRIFT, Invariant.FLIPS_COUNTED,
     Invariant.TURNS_COUNTED],
)  # fmt: skip
def test_what_happens_without_being_told_is_noticed(invariant: Invariant) -> None:
    before = engine.new(scenarios.load("crossing", field="dense"), [3])
    quiet = broken_between(before, before)
    assert invariant not in quiet
    after = before.copy()
    spoil(after, invariant)
    assert invariant in broken_between(before, after)


@pytest.mark.parametrize("other", ["marker", "ship", "off the map"])
def test_map_5_and_ships_in_play_are_looked_at_from_every_side(other: str) -> None:
    """MAP-5"""
    before = engine.new(drawn_setup(7, crowded=True), [1])
    after = before.copy()
    ship = after["ships"][0, 1, 2]
    place = {"marker": after["markers"][0, 3], "ship": after["ships"][0, 0, 4]}.get(other)
    ship["q"], ship["r"] = (-1, 0) if place is None else (place["q"], place["r"])
    expected = Invariant.MOVE_MADE if place is None else Invariant.HEXES_UNSHARED
    assert expected in broken_between(before, after)


# ---- copies


@pytest.mark.parametrize("copied", [np.copy, copy.copy, copy.deepcopy, engine.clone])
def test_a_copy_plays_to_the_same_end_and_leaves_the_original_alone(copied: object) -> None:
    """At every decision of some games; the original is then played on, too."""
    games, keys = mixed_games(range(40, 56 if COMPILED else 42))
    for decision in range(40 if COMPILED else 6):
        before = digests(games)
        twin = copied(games)  # type: ignore[operator]
        assert digests(twin) == before
        play(twin, keys, first=decision, decisions=10)
        assert digests(games) == before
        original = games.copy()
        play(original, keys, first=decision, decisions=10)
        assert digests(original) == digests(twin)
        play(games, keys, first=decision, decisions=1)


def test_a_game_saved_and_loaded_anywhere_plays_to_the_same_end() -> None:
    games, keys = mixed_games(range(60, 72 if COMPILED else 62))
    for decision in range(0, 60 if COMPILED else 6, 3):
        loaded = positions.from_data(positions.to_data(games))
        assert digests(loaded) == digests(games)
        ends = games.copy()
        play(ends, keys, first=decision, decisions=30)
        play(loaded, keys, first=decision, decisions=30)
        assert digests(loaded) == digests(ends)
        play(games, keys, first=decision, decisions=3)


def test_a_clone_with_another_seed_has_other_dice() -> None:
    game = engine.new(scenarios.load("crossing", field="dense"), [8])
    reseeded = engine.clone(np.repeat(game, 32), range(32))
    assert len(set(reseeded["seed"].tolist())) == 32
    reseeded["seed"] = 0
    assert len({digest(reseeded[i : i + 1]) for i in range(32)}) == 1
    ends = engine.clone(np.repeat(game, 32), range(32))
    play(ends, np.zeros(32, np.uint64))
    assert len(set(digests(ends))) > 16


# ---- secrets (COR-1)


def hidden_changes(game: np.ndarray, seat: int) -> list[tuple[str, np.ndarray]]:
    """Copies of a game in each of which one thing that is hidden from a seat is another (COR-1)."""
    found = []
    changed = game.copy()
    changed["seed"] ^= np.uint64(0x123456789)
    found.append(("seed", changed))
    for index in range(int(game["n_ships"][0, 1 - seat])):
        ship = game["ships"][0, 1 - seat, index]
        if ship["order"] != Order.NONE and not ship["order_shown"]:
            changed = game.copy()
            changed["ships"][0, 1 - seat, index]["order"] = ship["order"] % 4 + 1
            found.append(("order", changed))
        if ship["power"] and not ship["power_shown"]:
            changed = game.copy()
            changed["ships"][0, 1 - seat, index]["power"] = ship["power"] % 6 + 1
            found.append(("power", changed))
    return found


def open_changes(game: np.ndarray, seat: int) -> list[tuple[str, np.ndarray]]:
    """Copies in each of which one thing that is open to a seat is another: every other field of the record."""
    found = []
    for name in GAME.names or ():
        if name in ("seed", "ships", "markers", "rules"):
            continue
        changed = game.copy()
        changed[name] += 1 if changed[name].dtype.kind != "u" else np.uint64(1)
        found.append((name, changed))
    for side in range(SEATS):
        for index in range(int(game["n_ships"][0, side])):
            ship = game["ships"][0, side, index]
            for name in ship.dtype.names:
                own = side == seat
                shown = {"order": ship["order_shown"] or ship["order"] == Order.NONE, "power": ship["power_shown"]}
                if name.endswith("_shown") or not (own or shown.get(name, True)):
                    continue
                changed = game.copy()
                changed["ships"][0, side, index][name] += 1
                found.append((f"ship {name}", changed))
    for index in range(int(game["n_markers"][0])):
        for name in ("q", "r", "facing", "density"):
            changed = game.copy()
            changed["markers"][0, index][name] += 1
            found.append((f"marker {name}", changed))
    return found


def test_cor_1_a_view_hides_what_is_hidden_and_nothing_else() -> None:
    """COR-1: with anything hidden changed a seat's view keeps its bytes; with anything open changed it does not."""
    seeds = [seed for seed in range(500, 560) if drawn_setup(seed)["game"]["n_ships"][0, 1] > 0]
    games, keys = mixed_games(seeds[: 12 if COMPILED else 4])
    hidden: set[str] = set()
    for decision in range(0, 30, 3):
        for i in range(len(games)):
            game = games[i : i + 1]
            for seat in range(SEATS):
                seen, before = digest(engine.view(game, seat)), digest(game)
                for name, changed in hidden_changes(game, seat):
                    assert digest(engine.view(changed, seat)) == seen, f"seat {seat} sees the hidden {name}"
                    hidden.add(name)
                if i == decision % len(games):
                    for name, changed in open_changes(game, seat):
                        assert digest(engine.view(changed, seat)) != seen, f"seat {seat} cannot see the open {name}"
                assert digest(game) == before, "looking changes nothing"
        play(games, keys, first=decision, decisions=3)
    assert hidden == {"seed", "order", "power"}


def test_cor_1_a_seat_sees_its_own_secrets() -> None:
    """COR-1"""
    games, keys = mixed_games([seed for seed in range(500, 530) if drawn_setup(seed)["game"]["n_ships"][0, 1] > 0][:4])
    own = 0
    for decision in range(20):
        for seat in range(SEATS):
            ours = games["ships"][:, seat]
            assert (engine.view(games, seat)["ships"][:, seat] == ours).all()
            own += int(((ours["order"] != Order.NONE) & (ours["order_shown"] == 0)).sum())
        play(games, keys, first=decision, decisions=1)
    assert own > 0


# ---- choices


def test_what_is_asked_has_two_choices_or_more() -> None:
    games, keys = mixed_games(range(80, 140 if COMPILED else 83))
    for decision in range(30 if COMPILED else 8):
        over = games["phase"] == Phase.OVER
        masks = engine.legal_mask(games)
        assert (masks[~over].sum(axis=1) >= 2).all()
        assert (masks[over].sum(axis=1) == 1).all() and masks[over, actions.PASS].all()
        chosen = choose(masks, keys, decision)
        assert masks[np.arange(len(games)), chosen].all()
        play(games, keys, first=decision, decisions=1)


def test_a_ship_out_of_play_is_never_asked_about_and_never_in_a_mask() -> None:
    """COR-8, ORD-2"""
    games, keys = mixed_games(range(200, 300 if COMPILED else 208))
    gone = 0
    for decision in range(0, 400 if COMPILED else 20):
        going = games["phase"] != Phase.OVER
        if not going.any():
            break
        masks = engine.legal_mask(games)[going]
        some = games[going]
        ours = some["ships"][np.arange(len(some)), some["actor"]]
        may_not = (ours["status"] != Status.IN_PLAY) | (ours["activated"] != 0)
        for first in (actions.ACT, actions.MANOEUVRE):
            assert not (masks[:, first : first + MAX_SHIPS] & may_not).any()
        asked = some["asked"] >= 0
        assert (ours["status"][asked, some["asked"][asked]] == Status.IN_PLAY).all()
        gone += int((ours["status"] > Status.IN_PLAY).sum())
        play(games, keys, first=decision, decisions=1)
    assert gone > 0


def test_waiting_markers_come_on_with_their_first_hex() -> None:
    """DRF-4: from where a marker waits, one step along its facing is the first hex of its row."""
    games, keys = mixed_games(range(400, 500 if COMPILED else 406))
    waited = 0
    for decision in range(0, 60 if COMPILED else 12, 6):
        for game in games:
            for marker in game["markers"][: game["n_markers"]]:
                q, r, facing = int(marker["q"]), int(marker["r"]), int(marker["facing"])
                if not (0 <= q < game["width"] and 0 <= r + q // 2 < game["height"]):
                    q, r = q + int(DQ[facing]), r + int(DR[facing])
                    assert 0 <= q < game["width"] and 0 <= r + q // 2 < game["height"]
                    waited += 1
        play(games, keys, first=decision, decisions=6)
    assert waited > 0
