"""Section 8: winning (WIN-1 to WIN-3), and COR-22."""

from __future__ import annotations

import pytest
from stating import FLAGSHIP, LESSER, READY, ahead, of_rule, outcome, rules, ship, stated, status

from fc_env.state import Phase


def battle(seat_0: list[str], seat_1: list[str], turn: int = 5) -> str:
    """How a battle stands at its victory check; ships are given by hull: ``"3/10"``, ``"0/10 destroyed"``."""
    lines = [f"mode battle\nphase victory\nturn {turn}\nrules turn_limit=20"]
    for seat, hulls in enumerate((seat_0, seat_1)):
        for index, hull in enumerate(hulls):
            kind = "flagship" if index == 0 else "crew 2"
            lines.append(
                f"ship {seat} {10 + 2 * seat:02d}{index + 5:02d} N {kind} dice d6 d8 d10 slowness 2 hull {hull}"
            )
    return outcome(stated("\n".join(lines)).run("victory", dice=[]))


@pytest.mark.rule("WIN-1")
@pytest.mark.parametrize(
    "seat_0, seat_1, expected",
    [
        (["5/10"], ["5/10"], "none"),
        (["1/10"], ["0/10 destroyed"], "seat_0_wins"),
        (["0/10 destroyed"], ["1/10"], "seat_1_wins"),
        (["0/10 destroyed"], ["0/10 destroyed"], "draw"),
        (["0/10 destroyed", "1/10"], ["10/10"], "none"),
        (["0/10 destroyed", "0/9 destroyed"], ["10/10"], "seat_1_wins"),
    ],
)
def test_side_with_no_ship_in_play_has_lost(seat_0, seat_1, expected):
    assert battle(seat_0, seat_1) == expected


@pytest.mark.rule("WIN-1")
def test_ship_that_left_is_not_in_play():
    text = f"mode battle\nphase victory\nship 0 0500 N {FLAGSHIP} left\nship 1 0505 N {FLAGSHIP}"
    assert outcome(stated(text).run("victory", dice=[])) == "seat_1_wins"


@pytest.mark.rule("WIN-1", "COR-22")
@pytest.mark.parametrize(
    "seat_0, seat_1, expected",
    [
        (["6/10"], ["5/10"], "seat_0_wins"),
        (["5/10"], ["6/10"], "seat_1_wins"),
        (["5/10"], ["10/20"], "draw"),
        (["1/3"], ["333/1000"], "seat_0_wins"),  # 1/3 is more than 0.333, and compared exactly
        (["1/3"], ["334/1000"], "seat_1_wins"),
        (["10/10", "0/10 destroyed"], ["6/10"], "seat_1_wins"),  # the share is of the side's full starting hull
        (["900/1000"] * 6, ["899/1000"] * 6, "seat_0_wins"),
    ],
)
def test_at_the_turn_limit_the_greater_share_of_hull_wins(seat_0, seat_1, expected):
    assert battle(seat_0, seat_1, turn=20) == expected
    assert battle(seat_0, seat_1, turn=19) == "none"


@pytest.mark.rule("COR-22")
def test_elimination_comes_before_the_turn_limit():
    assert battle(["0/10", "0/90 destroyed"], ["0/10 destroyed"], turn=20) == "seat_0_wins"


CARD = "phase card\ncard 10C\n"


def crossing(goal: str, hexname: str, facing: str, set_rules: str = "", hull: str = "10") -> str:
    return (
        f"goal {goal}\n{set_rules}\n{CARD}ship 0 {hexname} {facing} flagship dice d6 d8 d10 slowness 2 hull {hull} "
        f"{READY} drift\n"
    )


@pytest.mark.rule("WIN-2")
@pytest.mark.parametrize(
    "hexname, facing, edge",
    [("3010", "NE", "east"), ("0110", "NW", "west"), ("1001", "N", "north"), ("1020", "S", "south")],
)
def test_flagship_leaving_by_the_goal_edge_has_crossed_and_by_another_has_failed(hexname, facing, edge):
    for goal in ("north", "east", "south", "west"):
        after = stated(crossing(goal, hexname, facing)).act("ship 0 acts", dice=[])
        assert outcome(after) == ("crossed" if goal == edge else "left_elsewhere")
        assert after.legal == [] and after.game["phase"] == Phase.OVER


@pytest.mark.rule("WIN-2")
def test_destroyed_flagship_has_failed():
    text = crossing("east", "1010", "N", hull="1") + f"ship 0 2010 N {LESSER} {READY} drift activated\nmarker 1009 S 6"
    after = stated(text).act("ship 0 acts", dice=[1, 20])
    assert outcome(after) == "destroyed"


@pytest.mark.rule("WIN-2")
@pytest.mark.field("turn_limit")
@pytest.mark.parametrize("turn, limit, expected", [(40, 40, "out_of_time"), (39, 40, "none"), (3, 3, "out_of_time")])
def test_at_the_turn_limit_it_is_out_of_time(turn, limit, expected):
    text = f"rules turn_limit={limit}\nturn {turn}\nphase victory\nship 0 1010 N {FLAGSHIP}"
    after = stated(text).run("victory", dice=[])
    assert outcome(after) == expected
    assert after.game["turn"] == (turn if expected == "out_of_time" else turn + 1)


@pytest.mark.rule("WIN-2")
def test_destroyed_counts_before_out_of_time():
    text = f"rules turn_limit=3\nturn 3\nphase victory\nship 0 1010 N {FLAGSHIP} destroyed"
    assert outcome(stated(text).run("victory", dice=[])) == "destroyed"


@pytest.mark.rule("COR-22", "WIN-2")
def test_a_crossing_ships_leaving_ends_the_game_at_once():
    text = crossing("east", "3010", "NE") + f"ship 0 2010 N {LESSER} {READY} drift"
    after = stated(text).act("ship 0 acts", dice=[])
    assert outcome(after) == "crossed"
    assert "END-1" not in rules(after)
    in_end_drift = stated(
        f"goal east\nphase end_drift\nship 0 3010 NE {FLAGSHIP}\nship 0 2010 N {LESSER}"
    ).run("end_drift", dice=[])  # fmt: skip
    assert outcome(in_end_drift) == "crossed" and rules(in_end_drift).count("END-1") == 1


@pytest.mark.rule("COR-22", "WIN-2")
def test_crossing_on_the_last_turn_is_won():
    text = crossing("east", "3010", "NE", "rules turn_limit=7\nturn 7")
    assert outcome(stated(text).act("ship 0 acts", dice=[])) == "crossed"
    drifting = "goal east\nrules turn_limit=7\nturn 7\nphase end_drift\nship 0 3010 NE " + FLAGSHIP
    assert outcome(stated(drifting).advance(dice=[])) == "crossed"


@pytest.mark.rule("COR-22")
def test_a_lesser_ships_leaving_ends_nothing():
    text = f"goal east\nphase end_drift\nship 0 0510 N {FLAGSHIP}\nship 0 3010 NE {LESSER}"
    assert outcome(stated(text).run("end_drift", dice=[])) == "none"


@pytest.mark.rule("COR-22")
def test_victory_is_checked_only_at_the_end_of_the_turn():
    text = f"mode battle\nphase drift\nship 0 1507 N {FLAGSHIP}\nship 1 2020 N {FLAGSHIP}\nmarker 1506 S 6"
    killed = stated(text).run("drift", dice=[1, 6, 20])
    assert outcome(killed) == "none"
    ended = killed.run("initiative", dice=[6, 1]).run("end_drift", dice=[]).run("victory", dice=[])
    assert outcome(ended) == "seat_1_wins"


def convoy(ships: list[str], seat: int = 0, turn: int = 5, more: str = "") -> str:
    """How a convoy stands at its victory check; each ship by its hull, and the word left if it left: ``"3/10 left"``.

    The goal is the east edge, beyond column 12 of a map of 12x9. The convoy's flagship is no part of it.
    """
    rules_of = f"rules turn_limit=20 countdown_to_doom=true {more}"
    lines = ["map 12x9", "mode convoy", "goal east", "phase victory", f"turn {turn}", rules_of]
    lines += [f"ship {side} {6 + side:02d}05 N flagship dice d6 d8 d10 slowness 2 hull 40" for side in (0, 1)]
    for row, words in enumerate(ships, 1):
        column = "00" if words.endswith("west") else "13" if words.endswith("left") else "05"
        hull = words.removesuffix(" west")
        lines.append(f"ship {seat} {column}{row:02d} NE crew 2 convoy dice d6 d8 d10 slowness 2 hull {hull}")
    after = stated("\n".join(lines)).run("victory", dice=[])
    assert (of_rule(after, "WIN-3") != []) == (outcome(after) != "none")
    return outcome(after)


CONVOY_ENDS = [
    # the convoy's ships, convoy_share, and who wins: the convoy's side ("won"), the raiders ("lost"), or nobody
    (["6/10 left"], "0.5", "won"),
    (["5/10 left"], "0.5", "draw"),
    (["4/10 left"], "0.5", "lost"),
    (["10/10 left", "0/10 destroyed"], "0.5", "draw"),  # of the whole convoy's starting hull
    (["10/10 left", "1/10 left", "0/10 destroyed"], "0.5", "lost"),
    (["10/10 left west", "10/10 left", "1/1 left"], "0.5", "won"),  # 11 of 21
    (["10/10 left west", "10/10 left"], "0.5", "draw"),  # by another edge it is out of play and not brought across
    (["1/3 left"], "0.333333", "won"),  # a third is more, and compared exactly
    (["1/3 left"], "0.333334", "lost"),
    (["1000/1000 left"] * 3 + ["0/1000 destroyed"], "0.75", "draw"),
    (["0/10 destroyed"], "0", "draw"),
    (["1/10 left"], "0", "won"),
    (["10/10 left"], "1", "draw"),
    (["0/10 left"], "0.5", "lost"),  # it got there with no hull to count
]


@pytest.mark.rule("WIN-3", "COR-22")
@pytest.mark.field("convoy_share")
@pytest.mark.parametrize("ships, share, ending", CONVOY_ENDS)
def test_convoy_is_won_by_the_share_of_its_hull_that_leaves_by_the_goal_edge(ships, share, ending):
    for seat in (0, 1):  # the convoy may be of either side
        winner = {"won": f"seat_{seat}_wins", "lost": f"seat_{1 - seat}_wins", "draw": "draw"}[ending]
        assert convoy(ships, seat, more=f"convoy_share={share}") == winner


@pytest.mark.rule("WIN-3")
def test_convoy_goes_on_while_one_of_its_ships_is_in_play():
    assert convoy(["10/10 left", "10/10 left", "0/10"]) == "none"
    assert convoy(["10/10 left", "10/10 left", "0/10 destroyed"]) == "seat_0_wins"


@pytest.mark.rule("WIN-3", "COR-22")
@pytest.mark.parametrize("ships, ending", [(["6/10 left", "2/2"], "draw"), (["6/10 left", "10/10"], "seat_1_wins"),
                                           (["6/10 left", "1/1"], "seat_0_wins")])  # fmt: skip
def test_at_the_turn_limit_what_is_still_under_way_is_not_across(ships, ending):
    assert convoy(ships, turn=20) == ending
    assert convoy(ships, turn=19) == "none"


@pytest.mark.rule("WIN-3")
def test_a_convoy_goes_on_without_escort_and_without_raiders():
    """WIN-3 names two ends only; that all warships are gone is neither."""
    freighter = "ship 0 0505 N crew 2 convoy dice d6 d8 d10 slowness 2 hull 5"
    text = f"mode convoy\ngoal east\nphase victory\n{freighter}\nship 0 0606 N {FLAGSHIP} destroyed\n"
    assert outcome(stated(f"{text}ship 1 0707 N {FLAGSHIP} destroyed").run("victory", dice=[])) == "none"


@pytest.mark.rule("WIN-3", "COR-22")
def test_a_convoys_leaving_is_counted_at_the_end_of_the_turn():
    text = f"mode convoy\ngoal east\nphase end_drift\nship 0 0510 N {FLAGSHIP}\nship 1 2010 S {FLAGSHIP}\n"
    left = stated(f"{text}ship 0 3010 NE {LESSER} convoy").run("end_drift", dice=[])
    assert outcome(left) == "none" and status(left, 0, 1) == "left" and rules(left).count("END-1") == 3
    assert outcome(left.run("victory", dice=[])) == "seat_0_wins"


@pytest.mark.rule("WIN-3", "COR-12")
@pytest.mark.parametrize("countdown, fate", [("true", "left"), ("false", "destroyed")])
def test_a_convoy_ship_that_leaves_at_no_hull_brings_none_across(countdown, fate):
    text = (
        f"mode convoy\ngoal east\nrules countdown_to_doom={countdown}\n{CARD}"
        f"ship 0 2910 NE flagship convoy dice d6 d8 d10 slowness 2 hull 3 {READY} forward\n"
        f"ship 1 0101 N {FLAGSHIP} {READY} drift activated\nmarker {ahead('2910', 'NE')} N 6"
    )
    moved = stated(text).act("ship 0 acts", dice=[4]).act("last hex straight", dice=[1, 9])
    assert status(moved) == fate and ship(moved)["hull"] == 0
    assert outcome(moved) == "seat_1_wins"


@pytest.mark.rule("WIN-2", "COR-12")
@pytest.mark.parametrize("goal, countdown, ending", [("east", "true", "crossed"), ("east", "false", "destroyed"),
                                                     ("west", "true", "left_elsewhere")])  # fmt: skip
def test_a_flagship_at_no_hull_beyond_an_edge(goal, countdown, ending):
    """COR-12: with the countdown on it has crossed, by the goal edge; with it off it is destroyed."""
    text = crossing(goal, "2910", "NE", f"rules countdown_to_doom={countdown}", "3").replace("drift", "forward")
    flown = stated(f"{text}marker {ahead('2910', 'NE')} N 6").act("ship 0 acts", dice=[4])
    assert outcome(flown.act("last hex straight", dice=[1, 9])) == ending


def test_helper_hexes_lie_where_the_tests_say():
    assert ahead("3010", "NE") == "3110" and ahead("1001", "N") == "1000"
