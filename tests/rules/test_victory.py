"""Section 8: winning (WIN-1, WIN-2), and COR-22."""

from __future__ import annotations

import pytest
from stating import FLAGSHIP, LESSER, READY, ahead, outcome, rules, stated

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


def test_helper_hexes_lie_where_the_tests_say():
    assert ahead("3010", "NE") == "3110" and ahead("1001", "N") == "1000"
