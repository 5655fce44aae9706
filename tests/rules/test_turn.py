"""Section 3: the fixed order of the turn (TURN), and COR-7."""

from __future__ import annotations

import numpy as np
import pytest
from stating import FLAGSHIP, LESSER, READY, at, marker, of_rule, rules, stated

from fc_env import engine
from fc_env.state import Phase

LONE = f"ship 0 0510 N {FLAGSHIP}\nmarker 1505 S 2\n"
DUEL = f"mode battle\nship 0 0510 N {FLAGSHIP}\nship 1 2510 S {FLAGSHIP}\nmarker 1505 S 2\n"


@pytest.mark.rule("TURN-1")
def test_power_comes_first():
    position = stated(DUEL)
    assert position.game["phase"] == Phase.POWER and position.legal[0] == "power LMH"
    after = stated(f"phase victory\n{LONE}").advance(dice=[])
    assert (after.game["turn"], after.game["phase"]) == (2, Phase.POWER)
    assert rules(after) == ["TURN-7", "TURN-1"]


@pytest.mark.rule("TURN-2")
def test_orders_come_after_power_and_before_the_drift():
    after = stated(LONE).act("power LMH", dice=[])
    assert after.game["phase"] == Phase.ORDERS and after.legal[0] == "order forward"
    assert marker(after) == "1505 S 2"


@pytest.mark.rule("TURN-3")
def test_asteroids_drift_after_the_orders_and_before_the_cards():
    after = stated(LONE).act("power LMH").act("order forward", dice=[3, "2C"])
    assert [die.purpose for die in after.dice] == ["drift", "card"]
    assert marker(after) == "1508 S 2"


@pytest.mark.rule("TURN-4")
def test_initiative_comes_after_the_drift_and_before_the_cards():
    position = stated(DUEL).act("power LMH").act("power LMH").act("order drift")
    after = position.act("order drift", dice=[3, 2, 5, "2C"])
    assert [die.purpose for die in after.dice] == ["drift", "initiative", "initiative", "card"]
    assert after.game["actor"] == 1


@pytest.mark.rule("TURN-5")
def test_cards_come_before_the_end_drift():
    after = stated(f"phase initiative\nship 0 0510 N {FLAGSHIP} {READY} forward").advance(dice=["2H", "3C"])
    assert after.game["phase"] == Phase.CARD
    assert at(after) == "0510 N"


@pytest.mark.rule("TURN-6")
def test_end_drift_comes_after_the_cards():
    after = stated(f"phase flip\nship 0 0510 N {FLAGSHIP} {READY} forward").advance(dice=["joker"])
    assert at(after) == "0509 N"
    assert rules(after) == ["TURN-5", "CARD-2", "CARD-7", "TURN-6", "END-1", "END-2", "TURN-7", "TURN-1"]


@pytest.mark.rule("TURN-7")
def test_victory_is_checked_last():
    after = stated(f"rules turn_limit=1\nphase flip\nship 0 0510 N {FLAGSHIP} {READY} forward").advance(dice=["joker"])
    assert rules(after) == ["TURN-5", "CARD-2", "CARD-7", "TURN-6", "END-1", "END-2", "TURN-7", "WIN-2"]
    assert after.game["phase"] == Phase.OVER


@pytest.mark.rule("TURN-1", "TURN-2", "TURN-3", "TURN-4", "TURN-5", "TURN-6", "TURN-7")
def test_a_whole_turn_of_two_sides():
    position = stated(DUEL)
    seen = []
    script: list[tuple[str, list]] = [
        ("power HML", []), ("power LMH", []), ("order right turn", []), ("order drift", [6, 4, 1, "9H", "JC"]),
        ("pass", []), ("ship 0 acts", ["3C"]), ("pass", ["joker"]),
    ]  # fmt: skip
    for action, dice in script:
        position = position.act(action, dice=dice)
        seen += rules(position)
    assert seen == [
        "POW-1", "POW-1", "POW-3", "POW-3", "TURN-2", "ORD-1", "ORD-1", "TURN-3", "DRF-1", "TURN-4", "CARD-1",
        "TURN-5", "CARD-2", "CARD-3", "CARD-8", "CARD-8", "CARD-2", "CARD-3",
        "CARD-4", "CARD-4", "ORD-1", "ORD-2", "MOV-5", "END-2",
        "CARD-2", "CARD-3", "CARD-4", "CARD-8", "CARD-2", "CARD-7",
        "TURN-6", "END-1", "END-2", "TURN-7", "TURN-1",
    ]  # fmt: skip
    assert (at(position, 0), at(position, 1), marker(position)) == ("0509 N", "2511 S", "1511 S 2")


def swapped(text: str) -> str:
    """The same position with the seats exchanged; pieces and sides keep their dice."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("ship "):
            seat, index = int(line[5]), sum(done.startswith(f"ship {1 - int(line[5])}") for done in lines)
            line = f"ship {1 - seat}{line[6:]} token {seat * 6 + index}"
        lines.append(line)
    return "\n".join(["side_tokens 1 0", *lines])


@pytest.mark.rule("COR-7")
@pytest.mark.parametrize("seed", range(8))
def test_nothing_depends_on_which_side_is_seat_zero(seed):
    text = (
        f"seed {seed}\nmode battle\nphase drift\nship 0 0510 SE {FLAGSHIP} lasers 1 {READY} left\n"
        f"ship 0 0710 SE {LESSER} {READY} right\n"
        f"ship 1 0811 NW {FLAGSHIP} {READY} right\nmarker 0509 S 5\nmarker 0812 N 5\nmarker 0708 S 5"
    )
    games = [stated(text).games, stated(swapped(text)).games]
    for phase in ("drift", "initiative", "end_drift"):
        for game in games:
            engine.run_phase(game, phase)
    assert games[0]["first"][0] == 1 - games[1]["first"][0]
    assert games[0]["ships"][0, ::-1].tobytes() == games[1]["ships"][0].tobytes()
    assert games[0]["markers"].tobytes() == games[1]["markers"].tobytes()


@pytest.mark.rule("COR-7")
def test_index_is_the_place_in_the_list():
    position = stated(f"phase drift\n{LONE}marker 1705 S 3\nmarker 1905 S 1").run("drift", dice=[1, 2, 3])
    assert [(event.marker, event.roll) for event in of_rule(position, "DRF-1")] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.rule("COR-7", "WIN-2")
def test_a_lost_flagship_has_no_successor():
    after = stated(f"phase victory\nship 0 0510 N {FLAGSHIP} destroyed\nship 0 0610 N {LESSER}").advance(dice=[])
    assert after.game["phase"] == Phase.OVER


def test_dice_do_not_depend_on_the_batch():
    games = np.repeat(stated(f"phase drift\n{LONE}").games, 5)
    games["seed"] = range(5)
    alone = [games[i : i + 1].copy() for i in range(5)]
    engine.advance(games)
    for i, game in enumerate(alone):
        engine.advance(game)
        assert game.tobytes() == games[i : i + 1].tobytes()
