"""Section 3: initiative and cards (CARD), end drift (END), and the corner cases about them."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FLAGSHIP, LESSER, at, faces, of_rule, rules, ship, stated

from fc_env import engine
from fc_env.errors import ForcedDiceError, IllegalActionError
from fc_env.events import Rule
from fc_env.rules.cards import is_black, rank_of
from fc_env.state import Phase

POWER = "power LMH shown order right"
LONE = f"ship 0 1510 N {FLAGSHIP} {POWER}"
DUEL = f"mode battle\nship 0 0510 N {FLAGSHIP} {POWER}\nship 1 2510 S {FLAGSHIP} {POWER}\n"
SUITS = "CSHD"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def fleet(ratings: str, more: str = "") -> str:
    """A lesser ship of seat 0 with ratings; the flagships of both sides were activated before."""
    return (
        f"mode battle\nship 0 0510 N {ratings} dice d6 d8 d10 slowness 2 hull 10 {POWER}\n"
        f"ship 0 0410 N {FLAGSHIP} {POWER} activated\nship 1 2510 S {FLAGSHIP} {POWER} activated\n{more}"
    )


def on_card(text: str, card: str) -> list[str]:
    """What seat 0 may do on a card that was just flipped."""
    return [name for name in stated(f"phase card\ncard {card}\n{text}").legal if name != "pass"]


@pytest.mark.rule("CARD-1")
@pytest.mark.parametrize("rolls, first", [([5, 2], 0), ([2, 5], 1), ([3, 3, 4, 4, 1, 6], 1), ([6, 6, 2, 1], 0)])
def test_higher_roll_decides_first_and_ties_are_rolled_again(rolls, first):
    after = stated(DUEL).run("initiative", dice=rolls)
    assert after.game["first"] == first
    assert faces(after, "initiative") == [6] * len(rolls)


@pytest.mark.rule("CARD-1")
@pytest.mark.parametrize("first", [0, 1])
def test_after_every_flip_the_higher_side_decides_first_then_the_other(first):
    position = stated(f"{DUEL}phase flip\nfirst {first}").advance(dice=["10C"])
    for card in ("9S", "3C", "KC"):
        assert position.game["actor"] == first
        position = position.act("pass", dice=[])
        assert position.game["actor"] == 1 - first
        position = position.act("pass", dice=[card])


@pytest.mark.rule("CARD-1", "COR-3", "TURN-4")
def test_one_side_rolls_no_initiative():
    after = stated(LONE).run("initiative", dice=[])
    assert after.game["first"] == 0 and rules(after) == ["TURN-4", "COR-3"]


@pytest.mark.rule("CARD-2")
@pytest.mark.field("jokers")
@pytest.mark.parametrize("jokers", [0, 1, 2, 4])
def test_deck_is_fifty_two_cards_and_the_jokers(jokers):
    flipped = stated(f"rules jokers={jokers}\nphase flip\n{LONE}").advance(dice=["10C"])
    assert faces(flipped, "card") == [52 + jokers]


@pytest.mark.rule("CARD-2")
def test_cards_are_flipped_one_at_a_time_and_never_twice_a_turn():
    games = np.repeat(stated(f"rules jokers=0\nphase flip\n{LONE}").games, 4)
    games["seed"] = range(4)
    seen: list[list[int]] = [[] for _ in range(4)]
    events = engine.advance(games).events
    while (games["turn"] == 1).any():
        for row in events[events["rule"] == Rule.CARD_2]:
            seen[row["game"]].append(int(row["roll"]))
        events = engine.step(games, np.where(games["phase"] == Phase.CARD, 0, 1), record=True).events
        events = events[events["turn"] == 1]
    for row in events[events["rule"] == Rule.CARD_2]:
        seen[row["game"]].append(int(row["roll"]))
    for cards in seen:
        assert sorted(cards) == list(range(1, 53))
    assert len({tuple(cards) for cards in seen}) == 4


@pytest.mark.rule("CARD-2")
def test_a_card_cannot_be_forced_twice_in_a_turn_but_again_in_the_next():
    position = stated(f"phase flip\n{LONE}").advance(dice=["10C"])
    with pytest.raises(ForcedDiceError, match="10C"):
        position.act("pass", dice=["10C"])
    with pytest.raises(ForcedDiceError, match=r"9H.*card"):
        position.act("pass", dice=["9H", "9H", "2C"])
    turn_2 = position.act("pass", dice=["joker"]).act("power LMH").act("order forward", dice=["10C"])
    assert turn_2.game["turn"] == 2 and turn_2.game["flips"] == 1


@pytest.mark.rule("CARD-2")
def test_ranks_and_colours_of_the_deck():
    ranks = [int(rank_of(card)) for card in range(56)]
    assert ranks == [*range(2, 15)] * 4 + [15] * 4
    assert [bool(is_black(card)) for card in range(52)] == [True] * 26 + [False] * 26


@pytest.mark.rule("CARD-3", "COR-5")
def test_black_lets_ships_move_and_red_does_not():
    moved = stated(f"phase flip\n{LONE}").advance(dice=["10H", "AD", "KH", "10S"])
    assert moved.legal == ["pass", "ship 0 acts", "ship 0 manoeuvres"]
    assert len(of_rule(moved, "CARD-2")) == 4  # nothing bears, so nobody is asked on red


@pytest.mark.rule("COR-5")
@pytest.mark.parametrize("order", ["forward", "right", "left", "drift"])
def test_moving_is_always_legal(order):
    assert on_card(LONE.replace("order right", f"order {order}"), "2C") == ["ship 0 acts", "ship 0 manoeuvres"]


@pytest.mark.rule("CARD-4", "SHIP-2")
@pytest.mark.parametrize("crew, ranks", [("2-4", {2, 3, 4}), ("2-9", set(range(2, 10))), ("5,10", {5, 10})])
def test_lesser_ship_acts_on_the_ranks_its_crew_rating_holds(crew, ranks):
    for rank in range(2, 11):
        legal = on_card(fleet(f"crew {crew}"), f"{rank}C")
        assert legal == (["ship 0 acts"] if rank in ranks else []), rank


@pytest.mark.rule("CARD-4")
def test_a_side_activates_one_ship_on_a_card_or_passes():
    text = (
        f"mode battle\nphase card\ncard 5C\nship 0 0510 N {LESSER} {POWER}\nship 0 0710 N {LESSER} {POWER}\n"
        f"ship 1 2510 S {FLAGSHIP} {POWER}"
    )
    position = stated(text)
    assert position.legal == ["pass", "ship 0 acts", "ship 1 acts"]
    acted = position.act("ship 1 acts", dice=[4])
    assert (acted.game["actor"], ship(acted, 0, 1)["activated"]) == (1, 1)
    assert position.act("pass", dice=[]).game["actor"] == 1


@pytest.mark.rule("CARD-4")
@pytest.mark.field("activations_per_card")
def test_activations_per_card_is_a_field():
    text = (
        f"mode battle\nrules activations_per_card=2\nphase card\ncard 5C\nship 0 0510 N {LESSER} {POWER}\n"
        f"ship 0 0710 N {LESSER} {POWER}\nship 0 0910 N {LESSER} {POWER}\nship 1 2510 S {FLAGSHIP} {POWER}"
    )
    once = stated(text).act("ship 1 acts", dice=[4])
    assert once.legal == ["pass", "ship 0 acts", "ship 2 acts"]
    twice = once.act("ship 0 acts", dice=[4])
    assert twice.game["actor"] == 1


@pytest.mark.rule("CARD-5", "SHIP-2", "COR-4")
@pytest.mark.parametrize("captain", ["J", "Q", "K", "JQ", "JQK"])
def test_lesser_captain_manoeuvres_on_the_ranks_its_rating_holds_and_does_nothing_else_there(captain):
    for card in "JQK":
        legal = on_card(fleet(f"crew 2-10 captain {captain}"), f"{card}S")
        assert legal == (["ship 0 manoeuvres"] if card in captain else [])
    assert on_card(fleet(f"crew 2-10 captain {captain}"), "7S") == ["ship 0 acts"]


@pytest.mark.rule("CARD-5")
def test_one_captain_at_a_time():
    text = fleet("crew 2 captain J", f"ship 0 0710 N crew 2 captain J dice d6 d8 d10 slowness 2 hull 10 {POWER}")
    position = stated(f"phase card\ncard JC\n{text}")
    assert position.legal == ["pass", "ship 0 manoeuvres", "ship 2 manoeuvres"]
    after = position.act("ship 2 manoeuvres", dice=[4, "3C", "2S"])  # on 3C nobody can act, on 2S ship 0 can
    assert after.legal == ["pass", "ship 0 acts"]


@pytest.mark.rule("SHIP-3", "CARD-5", "COR-4")
@pytest.mark.parametrize("rank", RANKS)
def test_flagship_acts_and_manoeuvres_on_any_card(rank):
    assert on_card(LONE, f"{rank}C") == ["ship 0 acts", "ship 0 manoeuvres"]


@pytest.mark.rule("CARD-6")
@pytest.mark.field("aces")
@pytest.mark.parametrize(
    "aces, flagship, lesser",
    [
        ("flagships", ["ship 0 acts", "ship 0 manoeuvres"], []),
        ("all", ["ship 0 acts", "ship 0 manoeuvres"], ["ship 0 acts"]),
        ("none", [], []),
    ],
)
def test_who_acts_on_an_ace(aces, flagship, lesser):
    assert on_card(f"rules aces={aces}\n{LONE}", "AS") == flagship
    assert on_card(f"rules aces={aces}\n{fleet('crew 2-10 captain JQK')}", "AS") == lesser


@pytest.mark.rule("CARD-7")
def test_first_joker_ends_the_card_phase():
    after = stated(f"phase flip\n{LONE}").advance(dice=["joker"])
    assert rules(after)[:6] == ["TURN-5", "CARD-2", "CARD-7", "TURN-6", "END-1", "END-2"]
    assert (after.game["turn"], at(after)) == (2, "1509 N")


@pytest.mark.rule("CARD-7")
def test_every_ship_having_been_activated_ends_it():
    after = stated(f"phase card\ncard 10C\n{LONE}").act("ship 0 acts", dice=[4])
    assert not of_rule(after, "CARD-2") and after.game["turn"] == 2
    duel = stated(f"phase card\ncard 10C\n{DUEL}").act("ship 0 acts", dice=[4]).act("ship 0 acts", dice=[6])
    assert not of_rule(duel, "CARD-2") and duel.game["turn"] == 2


@pytest.mark.rule("CARD-7")
@pytest.mark.field("jokers")
def test_passing_is_a_gamble_against_the_joker_and_without_jokers_the_deck_ends():
    gone = " ".join(f"{rank}{suit}" for suit in SUITS for rank in RANKS if (rank, suit) != ("2", "C"))
    text = f"rules jokers={{}}\nphase card\nflipped {gone}\ncard 2C\n{LONE}"
    assert stated(text.format(0)).act("pass", dice=[]).game["turn"] == 2
    assert stated(text.format(1)).act("pass", dice=["joker"]).game["turn"] == 2


@pytest.mark.rule("COR-6")
def test_phase_is_over_before_a_flip_when_no_ship_left_could_act_on_any_card():
    text = fleet("{}") + "phase flip"
    over = stated(text.format("")).advance(dice=[1])  # the die is its power, next turn
    assert "CARD-2" not in rules(over) and over.game["turn"] == 2
    for rating in ("crew 2", "captain K"):
        assert "CARD-2" in rules(stated(text.format(rating)).advance(dice=["joker", 1]))


@pytest.mark.rule("COR-6")
@pytest.mark.field("aces")
def test_with_aces_for_all_a_ship_without_ratings_might_still_act():
    flipped = stated("rules aces=all\nphase flip\n" + fleet("")).advance(dice=["2C", "AC"])
    assert flipped.legal == ["pass", "ship 0 acts"]


@pytest.mark.rule("COR-6")
def test_unused_markers_are_not_shown():
    after = stated(f"phase flip\n{DUEL}").run("flip", dice=["joker"])
    assert not ship(after)["order_shown"] and "ORD-1" not in rules(after)


@pytest.mark.rule("CARD-8")
def test_side_with_no_legal_activation_is_not_asked():
    text = (
        f"mode battle\nphase card\ncard 9C\nship 0 0510 N {FLAGSHIP} {POWER}\n"
        f"ship 1 2510 S crew 2-3 dice d6 d8 d10 slowness 2 hull 10 {POWER}\nship 1 2512 S {FLAGSHIP} {POWER} activated"
    )
    asked = stated(text).act("pass", dice=["10C", "3S"][:1])
    assert (asked.game["actor"], asked.game["card"] % 13 + 2) == (0, 10)
    then = asked.act("pass", dice=["3S"]).act("pass", dice=[])
    assert then.game["actor"] == 1


@pytest.mark.rule("CARD-8")
@pytest.mark.parametrize("crew, phase", [("2-3", Phase.FLIP), ("9", Phase.CARD)])
def test_a_card_that_lets_nobody_act_waits_for_nobody(crew, phase):
    text = fleet(f"crew {crew}") + "phase card\ncard 9C"
    assert stated(text).run("card", dice=[]).game["phase"] == phase


@pytest.mark.rule("COR-3")
def test_first_side_is_fully_resolved_before_the_other_is_asked():
    text = DUEL.replace("order right", "order forward")
    moving = stated(f"phase card\ncard 10C\n{text}").act("ship 0 acts", dice=[4])
    assert (moving.game["actor"], moving.game["phase"]) == (0, Phase.SIDESLIP)
    done = moving.act("last hex left", dice=[])
    assert (done.game["actor"], at(done)) == (1, "0408 N")
    assert done.game["card"] == moving.game["card"]


@pytest.mark.rule("COR-4")
def test_manoeuvre_needs_no_roll_to_attempt():
    after = stated(f"phase card\ncard AC\n{LONE.replace('order right', 'order drift')}").act(
        "ship 0 manoeuvres", dice=[]
    )
    assert "MOV-9" in rules(after)


@pytest.mark.rule("END-1", "TURN-6")
def test_only_ships_not_activated_drift():
    text = (
        f"phase end_drift\nmode battle\nship 0 0510 N {FLAGSHIP} activated\nship 0 0810 N {LESSER}\n"
        f"ship 1 2510 S {FLAGSHIP}"
    )
    after = stated(text).run("end_drift", dice=[])
    assert [at(after, 0, 0), at(after, 0, 1), at(after, 1)] == ["0510 N", "0809 N", "2511 S"]


@pytest.mark.rule("END-1")
@pytest.mark.parametrize("first, order", [(0, [(0, 0), (0, 1), (1, 0), (1, 1)]), (1, [(1, 0), (1, 1), (0, 0), (0, 1)])])
def test_order_of_the_end_drift(first, order):
    text = (
        f"phase end_drift\nmode battle\nfirst {first}\nship 0 0510 N {FLAGSHIP}\nship 0 0810 N {LESSER}\n"
        f"ship 1 2510 S {FLAGSHIP}\nship 1 2810 S {LESSER}"
    )
    after = stated(text).run("end_drift", dice=[])
    assert [(event.seat, event.ship) for event in of_rule(after, "END-1")] == order


@pytest.mark.rule("END-1", "COR-8")
def test_ships_out_of_play_do_not_drift_or_act():
    text = (
        f"mode battle\nship 0 0510 N {FLAGSHIP} {POWER}\nship 0 0810 N {LESSER} {POWER} destroyed\n"
        f"ship 1 2510 S {FLAGSHIP} {POWER}\n"
    )
    after = stated(f"phase end_drift\n{text}").run("end_drift", dice=[])
    assert len(of_rule(after, "END-1")) == 2 and at(after, 0, 1) == "0810 N"
    assert on_card(text, "10C") == ["ship 0 acts", "ship 0 manoeuvres"]


@pytest.mark.rule("END-2")
def test_drift_is_one_hex_straight_ahead_without_roll_or_turn():
    after = stated(f"phase end_drift\n{LONE}").run("end_drift", dice=[])
    assert at(after) == "1509 N"


@pytest.mark.rule("ORD-2")
def test_a_ship_is_activated_at_most_once_a_turn():
    text = (
        f"mode battle\nphase card\ncard 10C\nship 0 0510 N {LESSER} {POWER}\nship 0 0810 N {FLAGSHIP} {POWER}\n"
        f"ship 1 2510 S {FLAGSHIP} {POWER} activated"
    )
    after = stated(text).act("ship 0 acts", dice=[4, "9C"])
    assert after.legal == ["pass", "ship 1 acts", "ship 1 manoeuvres"]
    with pytest.raises(IllegalActionError, match="ORD-2"):
        after.act("ship 0 acts")
