"""``captain``: it follows the mask, wins, and knows only what its seat may know."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from agents import captain, evaluate
from agents.captain_worth import SKILLS
from agents.match import match, score
from agents.protocol import make
from fc_env import engine, scenarios
from fc_env.errors import ConfigError
from fc_env.jit import COMPILED, kernel_view
from fc_env.observation import Layout, observe
from fc_env.odds_cards import before_joker, jokers_left, useful_cards
from fc_env.state import Phase
from tests.battles import hidden_otherwise

load = cache(scenarios.load)


def positions(name: str, games: int, most: int) -> Any:
    """Positions of games of a scenario that a captain plays against itself, GAME (N,), decision by decision."""
    setups = load(name)
    layout, player = Layout.of(setups), make("captain", setups)
    played = engine.new(setups, range(games))
    for _ in range(most):
        yield setups, layout, player, played
        played = played[played["phase"] != Phase.OVER]
        if not len(played):
            return
        engine.step(played, player(observe(played, layout), engine.legal_mask(played)))


@pytest.mark.parametrize("name", ["duel", "skirmish", "convoy"])
def test_it_follows_the_mask(name: str) -> None:
    decisions = 0
    for _, layout, player, games in positions(name, 2 if COMPILED else 1, 400 if COMPILED else 14):
        masks = engine.legal_mask(games)
        chosen = player(observe(games, layout), masks)
        assert masks[np.arange(len(games)), chosen].all()
        decisions += len(games)
    assert decisions > 10


def test_it_knows_only_what_its_seat_may_know() -> None:
    """COR-1. The other seed, marker and power change nothing of what it does."""
    changed = 0
    for _, layout, player, games in positions("duel", 3, 100 if COMPILED else 10):
        others, differing = hidden_otherwise(games)
        changed += differing
        masks = engine.legal_mask(games)
        assert (player(observe(games, layout), masks) == player(observe(others, layout), masks)).all()
    assert changed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["duel", "skirmish"])
def test_it_beats_random(name: str) -> None:
    result = match("captain", "random", load(name), range(100)).result
    assert (result > 0).mean() > 0.85


@pytest.mark.skipif(not COMPILED, reason="some ten thousand decisions")
def test_it_wins_most_of_a_few_duels_against_random() -> None:
    result = match("captain", "random", load("duel"), range(20)).result
    assert (result > 0).sum() > 28


PAYS = {
    "power": ("duel", "standard", 200),
    "torpedo_arc": ("duel", "dense", 2000),
    "clear_lines": ("ambush", "dense", 1500),
    "cover": ("duel", "improbable", 2000),
    "markers": ("duel", "dense", 300),
    "edge": ("convoy", "dense", 300),
    "timing": ("duel", "standard", 200),
    "alpha_strike": ("duel", "standard", 200),
    "focus": ("skirmish", "dense", 400),
}
"""Where each skill is worth most, and pairs of games that are enough to show it."""


def test_where_each_skill_pays_is_known() -> None:
    assert {*PAYS, "avoid_hazard"} == set(SKILLS)  # for that one see below


@pytest.mark.slow
@pytest.mark.parametrize("skill", PAYS)
def test_each_skill_pays(skill: str) -> None:
    name, field, pairs = PAYS[skill]
    played = match("captain", f"captain:-{skill}", scenarios.load(name, field), range(pairs))
    assert score(played).low > 0.5


@pytest.mark.slow
def test_careful_flying_pays_where_there_is_rock_to_fly_through() -> None:
    """MOV-9. In a crossing of a dense field, since in fights there is little of it to be done."""
    setups, seeds = scenarios.load("crossing", "dense"), range(3000)
    played = evaluate.evaluate(["captain", "captain:-avoid_hazard"], setups, seeds)
    assert evaluate.paired_difference(*played.values()).low > 0.0


@pytest.mark.parametrize("skill", SKILLS)
def test_each_skill_can_be_taken_away(skill: str) -> None:
    setups = load("duel")
    able, unable = captain.Captain(setups), captain.Captain(setups, f"-{skill}")
    assert able.mind.want[skill] == 1
    assert unable.mind.want[skill] == 0


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("-torpedo_ark", "did you mean '-torpedo_arc'?"),
        ("cover", "want - and one of"),
        ("err=often", "'err=often': want a number from 0"),
        ("err=-1", "'err=-1': want a number from 0"),
    ],
)
def test_what_it_does_not_know_is_refused(argument: str, said: str) -> None:
    with pytest.raises(ConfigError, match="agent 'captain:") as caught:
        make(f"captain:{argument}", load("duel"))
    assert said in str(caught.value)


def test_a_medium_captain_errs_by_its_lots() -> None:
    setups = load("duel")
    games = engine.new(setups, range(12))
    seen, masks = observe(games, Layout.of(setups)), engine.legal_mask(games)
    medium, hard = captain.medium(setups, ""), captain.opponent(setups, "")
    best = hard(seen, masks)
    assert medium.takes_lots  # type: ignore[attr-defined]
    assert not hard.takes_lots  # type: ignore[attr-defined]
    assert (medium(seen, masks, np.full(12, 0.31)) == best).all()  # type: ignore[call-arg]
    erring = medium(seen, masks, np.linspace(0.0, 0.29, 12))  # type: ignore[call-arg]
    assert (erring != best).any()
    assert masks[np.arange(12), erring].all()


def test_chance_of_a_card() -> None:
    """CARD-2, CARD-4, CARD-7. A whole deck, and what a crew can use of it."""
    games = engine.new(load("skirmish"), [1])
    records, ships = kernel_view(games)[0], kernel_view(games["ships"][0, 0])
    assert games["ships"]["flagship"][0, 0, 0]
    assert games["ships"]["crew"][0, 0, 2] == 0b11100
    assert jokers_left(records) == 2
    assert useful_cards(records, ships[0], True) == 26
    assert useful_cards(records, ships[2], False) == 6
    assert before_joker(6, 2) == pytest.approx(6 / 8)
    assert before_joker(0, 2) == 0.0
