"""``greedy``, ``rollout`` and ``mcts``: they follow the mask everywhere, and can neither peek nor foresee."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from agents.captain import Captain
from agents.match import match, score
from agents.protocol import make
from agents.search.fitting import FLAGSHIP, NOW, PLACES, SHARES, fitted, leads_of
from agents.search.halving import LEAST, give_up
from agents.search.room import new_room
from agents.search.searcher import MOST
from agents.search.worth import of_shares, worth_of_luck
from fc_env import engine, scenarios
from fc_env.actions import N_ACTIONS
from fc_env.errors import ConfigError
from fc_env.jit import COMPILED, kernel_view
from fc_env.observation import Layout, observe
from fc_env.state import Phase, Status
from tests.battles import hidden_otherwise

load = cache(scenarios.load)
SEARCHING = ("greedy", "rollout:9", "mcts:9")


def positions(name: str, player: Any, games: int, most: int) -> Any:
    """Observations, masks, games of a scenario and what a player chooses there for both seats, decision by decision."""
    setups = load(name)
    layout = Layout.of(setups)
    played = engine.new(setups, range(games))
    for _ in range(most):
        seen, masks = observe(played, layout), engine.legal_mask(played)
        chosen = player(seen, masks)
        yield seen, masks, played, chosen
        engine.step(played, chosen)
        played = played[played["phase"] != Phase.OVER]
        if not len(played):
            return


@pytest.mark.parametrize("agent", SEARCHING)
@pytest.mark.parametrize("name", ["duel", "skirmish", "battle", "convoy", "ambush", "crossing", "tiny"])
def test_they_follow_the_mask_in_every_scenario(agent: str, name: str) -> None:
    if not COMPILED and name in ("skirmish", "battle", "ambush"):
        pytest.skip("large, and like the convoy")
    player, decisions = make(agent, load(name)), 0
    for _, masks, _, chosen in positions(name, player, 2 if COMPILED else 1, 300 if COMPILED else 3):
        assert masks[np.arange(len(masks)), chosen].all()
        decisions += len(masks)
    assert decisions >= 3


@pytest.mark.parametrize("agent", SEARCHING)
def test_what_is_hidden_changes_nothing(agent: str) -> None:
    """COR-1. Another seed, and other markers and power of the other side that were not shown."""
    setups = load("duel")
    layout, changed = Layout.of(setups), 0
    player = make(agent, setups)
    for _, masks, games, chosen in positions("duel", player, 3 if COMPILED else 1, 60 if COMPILED else 4):
        others, differing = hidden_otherwise(games)
        changed += differing
        assert (chosen == player(observe(others, layout), masks)).all()
    assert changed


@pytest.mark.skipif(not COMPILED, reason="some thousand decisions")
@pytest.mark.parametrize("agent", ["rollout:60", "mcts:60"])
def test_who_foresees_would_win_more(agent: str) -> None:
    """One position with many decks and dice to come: a player that knew them would choose by them, and do better."""
    setups = load("duel")
    layout, captain, player = Layout.of(setups), make("captain", setups), make(agent, setups)
    played = (games for _, _, games, _ in positions("duel", captain, 1, 99))
    games = next(games for games in played if games["phase"] == Phase.CARD and games["turn"] > 2)
    seat = int(games["actor"][0])
    copies = engine.clone(games, seeds=range(300), rows=np.zeros(300, int))
    masks = engine.legal_mask(copies)
    chosen = player(observe(copies, layout), masks)
    assert len(set(chosen.tolist())) == 1
    legal = np.flatnonzero(masks[0])
    leads = np.stack([_lead_after(copies, action, seat, captain, layout) for action in legal], axis=1)
    own = leads[:, legal == chosen[0]].mean()
    assert own == leads.mean(axis=0)[legal == chosen[0]][0]
    assert leads.max(axis=1).mean() > own + 0.2


def _lead_after(games: np.ndarray, action: int, seat: int, captain: Any, layout: Layout) -> np.ndarray:
    """Hull points that a seat is ahead once the turn is over, float64 (N,), if it does this and then as the captain."""
    played, turn = games.copy(), games["turn"][0]
    engine.step(played, np.full(len(played), action))
    while True:
        going = np.flatnonzero((played["turn"] == turn) & (played["phase"] != Phase.OVER))
        if not len(going):
            break
        active = played[going]
        engine.step(active, captain(observe(active, layout), engine.legal_mask(active)))
        played[going] = active
    hull = played["ships"]["hull"][:, :, 0].astype(np.float64)
    return hull[:, seat] - hull[:, 1 - seat]


@pytest.mark.parametrize("agent", SEARCHING)
def test_a_choice_depends_on_nothing_but_what_is_seen(agent: str) -> None:
    """Whatever else is in the batch, and whatever was asked before."""
    player = make(agent, load("duel"), seed=5)
    games, most = (4, 12) if COMPILED else (2, 1)
    *_, (seen, masks, _, _) = positions("duel", make("random", load("duel")), games, most)
    whole = player(seen, masks)
    alone = [player(seen[i : i + 1], masks[i : i + 1])[0] for i in range(len(seen))]
    assert whole.tolist() == alone
    assert whole[::-1].tolist() == make(agent, load("duel"), seed=5)(seen[::-1], masks[::-1]).tolist()
    assert player(seen[:0], masks[:0]).shape == (0,)


@pytest.mark.skipif(not COMPILED, reason="many decisions")
@pytest.mark.parametrize("agent", ["rollout:60", "mcts:60"])
def test_another_seed_searches_other_games(agent: str) -> None:
    one, other = (make(agent, load("duel"), seed) for seed in (0, 1))
    assert any((chosen != other(seen, masks)).any() for seen, masks, _, chosen in positions("duel", one, 20, 20))


CHOICES = {
    ("tiny", "greedy"): [4, 7, 14, 1, 7, 14, 11, 1],
    ("tiny", "rollout:40"): [4, 7, 14, 1, 9, 14, 1, 7],
    ("tiny", "mcts:40"): [4, 7, 14, 1, 7, 14, 11, 1],
    ("duel", "rollout:9"): [1, 1, 7],
    ("duel", "mcts:9"): [1, 1, 7],
}
"""In the first decisions of a game: the same compiled and uncompiled, and on every machine."""


@pytest.mark.parametrize(("name", "agent"), CHOICES)
def test_it_chooses_as_recorded(name: str, agent: str) -> None:
    recorded = CHOICES[name, agent]
    made = [int(chosen[0]) for _, _, _, chosen in positions(name, make(agent, load(name)), 1, len(recorded))]
    assert made == recorded


@pytest.mark.parametrize("kind", ["rollout", "mcts"])
@pytest.mark.parametrize("argument", ["0", "x", "", "-5", "1.5", "200 ", "٣", str(MOST + 1)])
def test_a_number_of_simulations_is_wanted(kind: str, argument: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make(f"{kind}:{argument}" if argument else kind, load("duel"))
    assert str(caught.value).startswith(f"agent '{kind}")
    assert f"want {kind}:N, N simulations a decision from 1 to 100,000, as in {kind}:200" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_greedy_takes_no_argument() -> None:
    with pytest.raises(ConfigError, match="greedy takes no argument"):
        make("greedy:3", load("duel"))


@pytest.mark.skipif(not COMPILED, reason="some thousand decisions")
def test_greedy_beats_random() -> None:
    assert (match("greedy", "random", load("duel"), range(20)).result > 0).sum() > 28


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), [("rollout:200", "captain"), ("mcts:200", "captain")])
def test_searching_pays_in_a_duel(first: str, second: str) -> None:
    assert score(match(first, second, load("duel"), range(500))).low > 0.5


@pytest.fixture
def room() -> Any:
    return lambda name, **settings: new_room(Captain(load(name)), 40, **settings)


def test_a_flagship_is_worth_more_than_another_ship(room: Any) -> None:
    """Two sides alike lose a ship each, one its flagship: who has lost the other one, with as much hull, is ahead."""
    game = engine.new(load("skirmish"), [0])
    ships = game["ships"][0]
    ships["hull"][:, :3] = 6
    ships["status"][0, 1], ships["status"][1, 0] = Status.DESTROYED, Status.DESTROYED
    found = leads_of(game, room("skirmish"))[0]
    assert found[SHARES] == 0.0 and found[FLAGSHIP] == 1.0 and found[NOW] > 0.8


def test_places_count_for_less_as_time_runs_out(room: Any) -> None:
    early = engine.new(load("skirmish"), [0])
    early["ships"]["q"][0, 1, :3] -= 8
    late = early.copy()
    late["turn"] = 20
    assert leads_of(early, room("skirmish"))[0, PLACES] != 0.0
    assert leads_of(late, room("skirmish"))[0, PLACES] == 0.0


def test_hull_counts_less_where_more_ships_have_it(room: Any) -> None:
    one, three = room("duel", luck=0.75), room("skirmish", luck=0.75)
    for name, made in (("duel", one), ("skirmish", three)):
        made.games[:] = kernel_view(engine.new(load(name), [0, 1]))
    assert of_shares(one.games[0], one.settings) == pytest.approx(3 * of_shares(three.games[0], three.settings))
    assert worth_of_luck(one, 1.0) == pytest.approx(0.75 * 0.25 * (2.5 + 0.7))
    assert worth_of_luck(three, 1.0) == pytest.approx(0.75 * 0.25 * (2.5 / 3 + 0.7))


def test_what_is_behind_beyond_hope_is_tried_no_more(room: Any) -> None:
    made, alive = room("tiny", hope=1.5), np.zeros(N_ACTIONS, np.bool_)
    base, behind, level, young = 0, 1, 2, 3
    alive[:4], made.counts[:3], made.counts[young] = True, LEAST, LEAST - 1
    made.values[base, :LEAST], made.values[behind, :LEAST] = 0.5, 0.4
    made.values[level, :LEAST] = [0.4, 0.6] * (LEAST // 2)
    assert give_up(alive, base, made) == 3
    assert alive[:4].tolist() == [True, False, True, True]


def test_the_fit_finds_the_weights_that_made_the_games() -> None:
    lots = np.random.default_rng(0)
    found, true = lots.normal(size=(40_000, NOW + 1)), np.array([0.8, 0.7, 2.8, 0.5])
    ends = (lots.random(len(found)) < 1 / (1 + np.exp(-found[:, :NOW] @ true))).astype(float)
    assert fitted(found, ends)[0] == pytest.approx(true, abs=0.1)
