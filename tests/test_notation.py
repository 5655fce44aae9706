"""Positions as text: both ways without loss in every state of the turn, and refusals that name line and remedy."""

from __future__ import annotations

import doctest
import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fc_env.describe
import fc_env.notation
from fc_env import actions, engine, scenarios
from fc_env.errors import ForcedDiceError, GameOverError, IllegalActionError, ScenarioError
from fc_env.events import Rule
from fc_env.notation import Position, describe_die, describe_event
from fc_env.ruleset import RULES
from fc_env.ship_validity import FLAW_SIDES
from fc_env.state import ASKING, GAME, MARKER, MAX_MARKERS, MAX_SHIPS, SHIP, Doom, Flaw, Order, Phase, Slip, Status
from fc_env.validity import problems

CLASS = "dice d6 d8 d10 slowness 2 hull 10"
HEAD = "fleet-captain position 1\n"

BATTLE = f"""{HEAD}map 12x10
mode battle
rules countdown_to_doom=true small_hexes=true activations_per_card=2 turn_limit=20
turn 2
seed 12345
ship 0 0203 SE flagship {CLASS} lasers 1
ship 0 0205 SE crew 2-9 captain JQK dice d4 d6 d8 slowness 1 hull 5
ship 0 0207 SE crew 3,5,7 dice d4 d6 d8 slowness 1 hull 4/6 destroyed
ship 1 1003 NW flagship {CLASS} volleys 2 torpedo
ship 1 1006 SW crew 2-4 captain K dice d8 d10 d12 slowness 3 hull 12
marker 0505 SE 6
marker 0506 SE 1
marker waiting 0110 NE 3
"""


def both_ways(game: np.ndarray) -> None:
    position = Position.of(game)
    again = Position.parse(position.text)
    assert again.record == position.record == game.tobytes(), position.text
    assert again.text == position.text


def play_through(position: Position, seed: int, decisions: int) -> set[int]:
    """Both ways at every decision, in each seat's view too, and in each state between two; returns the phases that
    asked."""
    rng = np.random.default_rng(seed)
    phases = set()
    for _ in range(decisions):
        if position.game["phase"] == Phase.OVER:
            break
        games = position.games
        both_ways(games[0])
        both_ways(engine.view(games, 0)[0])
        both_ways(engine.view(games, 1)[0])
        phases.add(int(games[0]["phase"]))
        position = position.act(str(rng.choice(position.legal)))
    both_ways(position.games[0])
    return phases


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_ways_at_every_decision_of_crossings(seed):
    games = engine.new(scenarios.load("crossing", field="dense"), [seed])
    assert play_through(Position.of(games[0]), seed, 60) == {*ASKING} - {Phase.TARGET}


def test_both_ways_at_every_decision_of_two_sides():
    phases = [play_through(Position.parse(BATTLE).advance(), seed, 60) for seed in (1, 2)]
    assert set.union(*phases) == {*ASKING}


def test_both_ways_in_every_phase_of_the_turn():
    """TURN-1 to TURN-7, one by one; the joker ends the cards."""
    position = Position.parse(BATTLE.replace(CLASS, f"{CLASS} power LMH shown order left"))
    phases = []
    for phase in ("power", "drift", "initiative", "flip", "end_drift", "victory"):
        position = position.run(phase, ["joker"] if phase == "flip" else None)
        both_ways(position.games[0])
        phases.append(Phase(int(position.game["phase"])).name)
    assert phases == ["ORDERS", "INITIATIVE", "FLIP", "END_DRIFT", "VICTORY", "POWER"]
    assert position.game["turn"] == 3


WOUNDED = f"""{HEAD}map 12x10
mode convoy
goal east
rules countdown_to_doom=true turn_limit=20
turn 2
phase target
flipped 2C
card KH
asked 1
ship 0 0203 SE flagship {CLASS} torpedo flaw torpedo_jams power LMH shown order left jammed
ship 0 0205 SE crew 2-9 captain JQK {CLASS} flaw engine_imbalance right convoy power LMH shown order left
ship 0 0207 SE crew 2-9 {CLASS[:-2]}0/6 flaw blind_spot 5 power LMH shown order left packets 3 doom sitting_duck blast 2 destroyed
ship 1 1003 NW flagship {CLASS[:-2]}0/12 flaw shield_flaw 3 power LMH shown order left activated doom core_breach
ship 1 1006 SW crew 2-4 {CLASS[:-2]}0/12 flaw simply_mediocre power LMH shown order left sitting_duck packets 1
ship 1 1008 SW crew 2-4 {CLASS} power LMH shown order left activated blast 1 destroyed
"""  # noqa: E501


def test_both_ways_with_flaws_doom_and_a_convoy():
    """DOOM-2, COR-18, COR-20, WIN-3, section 9: read, and written in the same words."""
    position = Position.parse(WOUNDED)
    both_ways(position.games[0])
    assert position.text == WOUNDED
    ships = position.game["ships"]
    assert (ships["flaw"][0, :3].tolist(), ships["flaw_side"][0, :3].tolist()) == ([2, 6, 4], [0, Slip.RIGHT, 5])
    assert (ships["doom"][1, 0], ships["sitting_duck"][1, 1], ships["jammed"][0, 0]) == (Doom.CORE_BREACH, 1, 1)
    assert (ships["packets"][0, 2], ships["blast"][0, 2], ships["blast"][1, 2]) == (3, 2, 1)
    assert (position.game["actor"], position.game["to_answer"], position.game["card_acts"]) == (0, 2, 0)


ship_states = st.fixed_dictionaries(
    {
        "facing": st.integers(0, 5),
        "slowness": st.integers(1, 4),
        "volleys": st.integers(0, 3),
        "torpedoes": st.integers(0, 1),
        "lasers": st.integers(0, 3),
        "full_hull": st.integers(9, 20),
        "hull": st.integers(0, 9),
        "power": st.integers(0, 6),
        "power_shown": st.integers(0, 1),
        "order": st.integers(0, Order.HIDDEN),
        "order_shown": st.integers(0, 1),
        "activated": st.integers(0, 1),
        "contacts": st.integers(0, 9),
        "packets": st.integers(0, 9),
        "flaw": st.integers(0, max(Flaw)),
        "doom": st.sampled_from([Doom.NONE, Doom.GAINS_ONE, Doom.VENTING, Doom.SITTING_DUCK]),
    }
)
game_states = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**64 - 1),
        "goal": st.integers(0, 15),
        "turn": st.integers(1, 40),
        "phase": st.sampled_from([Phase.POWER, Phase.ORDERS, Phase.DRIFT, Phase.FLIP, Phase.VICTORY]),
        "actor": st.integers(0, 1),
        "asked": st.integers(-1, 1),
        "first": st.integers(0, 1),
        "to_answer": st.integers(0, 2),
        "card_acts": st.integers(0, 1),
    }
)


@settings(max_examples=60)
@given(
    game_states,
    st.lists(ship_states, min_size=4, max_size=4),
    st.lists(st.integers(1, 63), min_size=4, max_size=4),
    st.sets(st.integers(0, 53), max_size=12),
    st.permutations(range(20)),
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), max_size=10),
)
def test_both_ways_whatever_the_fields(fields, ships, crews, flipped, hexes, markers):
    """TURN-1: any mix of values, likely in play or not, is said by the text."""
    battle = f"{HEAD}mode battle\nmap 20x4\nrules countdown_to_doom=true\n"
    game = Position.parse(f"{battle}ship 0 0101 N flagship {CLASS}").games[0]
    for name, value in fields.items():
        game[name] = value
    game["flipped"], game["flips"] = sum(1 << card for card in flipped), len(flipped)
    game["card"] = min((card for card in flipped if card < 52), default=-1)
    game["n_ships"] = 2
    for place, values in enumerate(ships):
        seat, index = divmod(place, 2)
        ship = game["ships"][seat, index]
        for name, value in values.items():
            ship[name] = value
        ship["power_dice"], ship["status"], ship["token"] = (4, 8, 20), Status.IN_PLAY, (7 * place + 3) % 11
        ship["flagship"] = index == 0
        ship["crew"], ship["captain"] = (0, 0) if index == 0 else ((crews[place] << 3) & 0x7FC, crews[place] % 8 << 11)
        low, high = FLAW_SIDES.get(int(ship["flaw"]), (0, 0))
        ship["flaw_side"] = min(low + place, high)
        ship["jammed"] = ship["flaw"] == Flaw.TORPEDO_JAMS and ship["torpedoes"]
        ship["sitting_duck"] = ship["doom"] == Doom.SITTING_DUCK
        if ship["doom"] in (Doom.VENTING, Doom.SITTING_DUCK):
            ship["hull"] = 0
        if ship["doom"] and index == 0:
            ship["doom"], ship["sitting_duck"] = Doom.ALL_ERASED, 0
        ship["q"], ship["r"] = hexes[place], -(hexes[place] >> 1)
    game["n_markers"] = len(markers)
    for index, (facing, density) in enumerate(markers):
        q = hexes[4 + index]
        game["markers"][index] = (q, 1 - (q >> 1), facing, density)
    assert list(problems(game)) == []
    both_ways(game)


def test_every_field_of_the_record_can_be_said():
    """A field that is added to the record must get its word: changing any number changes the text or is refused."""
    base = Position.parse(BATTLE.replace("turn 2", "turn 2\nphase drift")).games
    silent = []
    for name in GAME.names:
        for place, changed in _each_changed(base, name):
            if not list(problems(changed[0])) and Position.of(changed).text == Position.of(base).text:
                silent.append(place)
    assert silent == []


def _each_changed(base, name):
    """Copies of a batch of one, each with one number of one field changed."""
    flat = base[name]
    names = [(name,)] if flat.dtype.names is None else [(name, part) for part in flat.dtype.names]
    for path in names:
        size = base[name].size if len(path) == 1 else base[name][path[1]].size
        for at in range(min(size, 4)):
            changed = base.copy()
            column = changed[name] if len(path) == 1 else changed[name][path[1]]
            column.flat[at] = int(column.flat[at]) + (1 if column.flat[at] == 0 else -1)
            assert changed.tobytes() != base.tobytes()
            yield (path, at), changed


def test_usual_positions_read_short():
    text = f"{HEAD}map 30x20\nmode crossing\ngoal east\nturn 1\nphase power\nship 0 0110 NE flagship {CLASS}\n"
    assert Position.parse(text).text == text


def test_order_of_lines_comments_and_case_do_not_matter():
    shuffled = f"\n# a comment\n{HEAD}ship 0 0110 ne flagship {CLASS}   # the ship\n\nphase POWER\nmap 30x20\n"
    assert Position.parse(shuffled) == Position.parse(f"{HEAD}ship 0 0110 NE flagship {CLASS}")


def test_windows_line_ends_read_alike():
    assert Position.parse(BATTLE.replace("\n", "\r\n")) == Position.parse(BATTLE)


def test_power_and_orders_ask_the_next_ship():
    """COR-1: seat 0 first; lesser ships are not asked for power."""
    game = Position.parse(BATTLE.replace("turn 2", "turn 2\nphase orders")).game
    assert (game["actor"], game["asked"]) == (0, 0)
    text = BATTLE.replace("ship 0 0203 SE flagship", "ship 0 0203 SE flagship power LMH")
    game = Position.parse(text).game
    assert (game["actor"], game["asked"]) == (1, 0)


def test_a_position_never_changes():
    position = Position.parse(BATTLE)
    before = position.text
    with pytest.raises(ValueError, match="read-only"):
        position.game["turn"] = 9
    position.games["turn"] = 9
    position.advance()
    assert position.text == before
    with pytest.raises(AttributeError):
        position.record = b""


def test_events_and_dice_are_those_of_the_call():
    start = Position.parse(f"{HEAD}phase drift\nship 0 0505 NE flagship {CLASS}\nmarker 0502 S 3")
    assert (start.events, start.dice) == ((), ())
    drifted = start.run("drift", dice=[4, 2, 7])
    assert [event.rule for event in drifted.events] == ["TURN-3", "DRF-1", "DRF-2", "CON-1", "CON-2"]
    assert drifted.events[3] == ("CON-1", 1, 0, 0, 0, "0505", 2, 1)
    assert [(die.purpose, die.faces, die.value) for die in drifted.dice] == [
        ("drift", 6, 4), ("avoid", 6, 2), ("contact damage", 20, 7),
    ]  # fmt: skip
    assert drifted == Position.parse(drifted.text)


def test_forced_dice_must_be_used_up_and_suffice():
    start = Position.parse(f"{HEAD}phase drift\nship 0 0505 NE flagship {CLASS}\nmarker 0502 S 3")
    for dice, match in (([4, 2], "ran short"), ([4, 5, 5], "not used"), ([7], "d6"), (["4"], "card")):
        with pytest.raises(ForcedDiceError, match=match):
            start.run("drift", dice=dice)


def test_actions_by_name_and_by_id():
    start = Position.parse(f"{HEAD}ship 0 0505 NE flagship {CLASS}")
    assert start.legal == [f"power {way}" for way in ("LMH", "LHM", "MLH", "MHL", "HLM", "HML")]
    assert start.act("power LMH") == start.act("POWER lmh") == start.act(1) == start.act(np.int64(1))
    for action, match in (
        ("power", "want one of pass"),
        (25, "legal are 1"),
        (True, "want a name"),
        ("pass", "orders"),
    ):
        with pytest.raises(IllegalActionError, match=match if match != "orders" else "power phase"):
            start.act(action)


def test_nobody_is_asked_between_decisions():
    start = Position.parse(f"{HEAD}phase drift\nship 0 0505 NE flagship {CLASS} power LMH order forward")
    assert start.legal == []
    with pytest.raises(IllegalActionError, match="nobody is asked in phase drift"):
        start.act("pass")
    with pytest.raises(ScenarioError, match="want one of power"):
        start.run("dance")


def test_a_game_that_is_over_goes_no_further():
    over = Position.parse(f"{HEAD}phase over\noutcome crossed\nship 0 0505 NE flagship {CLASS}")
    assert over.advance() == over
    for call in (lambda: over.act("pass"), lambda: over.run("drift")):
        with pytest.raises(GameOverError, match="crossed"):
            call()


def test_a_view_is_read_but_not_played():
    """COR-1: an order that is hidden is not taken for another one."""
    drift = BATTLE.replace("turn 2", "turn 2\nphase drift").replace(CLASS, f"{CLASS} power LMH shown order left")
    view = Position.of(engine.view(Position.parse(drift).games, 0))
    assert view.text.count("order hidden") == 1
    assert view.run("drift").game["phase"] == Phase.INITIATIVE
    for call in (view.advance, lambda: view.act("pass")):
        with pytest.raises(ScenarioError, match="an order is hidden"):
            call()


def test_of_takes_one_record():
    games = engine.new(scenarios.load("tiny"), [1, 2])
    assert Position.of(games[:1]) == Position.of(games[0])
    for other in (games, games[:0], games["turn"], None, "text"):
        with pytest.raises(ScenarioError, match="want one record of"):
            Position.of(other)
    games[0]["ships"][0, 0]["hull"] = -3
    with pytest.raises(ScenarioError, match=r"ships\[0\]\[0\]: hull -3: want 0"):
        Position.of(games[0])


@settings(max_examples=150)
@given(st.data())
def test_garbled_text_is_refused_or_read_but_never_crashes(data):
    """A text with some words changed, dropped or doubled."""
    words = BATTLE.replace("\n", " \n ").split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        words[at] = data.draw(st.sampled_from(["", "-1", "0", "99999999999", "x", "ship", "é", words[at] * 2, "\n"]))
    try:
        position = Position.parse(" ".join(words))
    except ScenarioError as refused:
        assert "want" in str(refused)
    else:
        both_ways(position.games[0])


@pytest.mark.parametrize("left", ["1105 N", "0005 NW", "0500 N", "0509 S"])
def test_ships_that_left_stand_just_off_the_map(left):
    """MOV-8: 00 is before the first column or row."""
    position = Position.parse(f"{HEAD}map 10x8\nship 0 {left} flagship {CLASS} left")
    assert f"ship 0 {left}" in position.text


def test_waiting_markers_are_named_by_the_hex_they_enter():
    """DRF-4: a marker that leaves waits just before the first hex of its row."""
    drifted = Position.parse(f"{HEAD}map 10x8\nship 0 0505 NE flagship {CLASS}\nmarker 0203 N 2").run("drift", dice=[6])
    assert "marker waiting 0208 N 2\n" in drifted.text
    entered = drifted.run("drift", dice=[1])
    assert "marker 0208 N 2\n" in entered.text


def test_every_rule_that_writes_events_has_words():
    for rule in Rule:
        event = fc_env.notation.Event(rule.id, 1, 0, 0, 0, "0101", 3, 1)
        line = describe_event(event)
        assert line.startswith(f"{rule.id} ") and "  " not in line


def test_rows_and_named_tuples_are_described_alike():
    games = Position.parse(BATTLE).games
    trace = engine.advance(games, record=True)
    position = Position.parse(BATTLE).advance()
    assert [describe_event(row) for row in trace.events] == [describe_event(event) for event in position.events]
    assert [describe_die(row) for row in trace.dice] == [describe_die(die) for die in position.dice]
    assert "d6 = " in describe_die(position.dice[0])


def test_the_examples_in_the_docstrings():
    for module in (fc_env.notation, fc_env.describe):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed


def test_the_form_shown_in_the_docstring_reads():
    shown = inspect.cleandoc(fc_env.notation.__doc__).split("::\n")[1].split("The ships of a seat")[0]
    position = Position.parse(shown)
    assert (position.game["turn"], position.game["first"], position.game["n_markers"]) == (3, 1, 2)
    assert position.legal == ["pass"]  # seat 1 has acted, and decides first
    both_ways(position.games[0])


def test_the_record_has_no_padding():
    """Bytes decide equality and digests; padding is not copied."""
    for dtype in (GAME, SHIP, MARKER, RULES):
        assert dtype.itemsize == sum(dtype[name].itemsize for name in dtype.names)


def test_limits_used_here_are_the_records():
    assert (MAX_SHIPS, MAX_MARKERS, len(actions.NAMES)) == (6, 36, actions.N_ACTIONS)
