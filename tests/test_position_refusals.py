"""What is wrong with a position's text is told with its line, the value, and what would be right."""

from __future__ import annotations

import pytest

from fc_env.errors import ScenarioError
from fc_env.notation import Position

CLASS = "dice d6 d8 d10 slowness 2 hull 10"
HEAD = "fleet-captain position 1\n"

GOOD = ("map 10x8", f"ship 0 0505 NE flagship {CLASS}")
NO_HULL = "dice d6 d8 d10 slowness 2 hull 0/10"
DOOM = ("map 10x8", "rules countdown_to_doom=true")
DOOMED = f"ship 0 0505 NE flagship {NO_HULL}"
SET = "power LMH order forward"
FOES = (f"ship 0 0505 NE flagship {CLASS} {SET}", "mode battle", f"ship 1 0507 N flagship {CLASS} {SET}")
REFUSED = [
    # lines in place of the good ones or after them, the line at fault (1 is the first), and words of the message
    ("nothing", [], 1, "no flagship|there is no ship"),
    ("unknown item", [*GOOD, "weather fine"], 4, "'weather' is not an item: want one of map"),
    ("said twice", [*GOOD, "turn 1", "turn 2"], 5, "turn is said twice"),
    ("missing number", [*GOOD, "turn"], 4, "the number is missing: want turn N"),
    ("word too many", [*GOOD, "turn 1 2"], 4, "'2' is not expected"),
    ("turn 0", [*GOOD, "turn 0"], 4, "turn '0': want a whole number 1..1000"),
    ("turn past the limit", [*GOOD, "turn 41"], 4, "turn 41: want 1..40"),
    ("turn not a number", [*GOOD, "turn 1.5"], 4, "turn '1.5'"),
    ("turn in other digits", [*GOOD, "turn ١"], 4, "whole number"),
    ("odd width", ["map 11x8", GOOD[1]], 2, "even number of columns"),
    ("map too wide", ["map 100x8", GOOD[1]], 2, "width of 2..98"),
    ("map too low", ["map 10x0", GOOD[1]], 2, "height of 1..98"),
    ("map in words", ["map large", GOOD[1]], 2, "want WIDTHxHEIGHT"),
    ("mode", [*GOOD, "mode race"], 4, "want one of crossing, battle"),
    ("goal", [*GOOD, "goal up"], 4, "want one of north, east, south, west"),
    ("goal nowhere", [*GOOD, "goal"], 4, "the edge is missing"),
    ("phase", [*GOOD, "phase lunch"], 4, "want one of power, orders, drift"),
    ("seed", [*GOOD, "seed -1"], 4, "seed '-1': want a whole number 0..18446744073709551615"),
    ("seed too large", [*GOOD, f"seed {2**64}"], 4, "want a whole number"),
    ("unknown rule", [*GOOD, "rules gravity=1"], 4, "'gravity' is not a rule: want one of drift_die"),
    ("die off the ladder", [*GOOD, "rules drift_die=7"], 4, "drift_die=7: want another value, input should be 4, 6, 8"),
    ("rule without value", [*GOOD, "rules drift_die"], 4, "want name=value"),
    ("rule of wrong type", [*GOOD, "rules sideslip=1"], 4, "input should be a valid boolean"),
    ("rule twice", [*GOOD, "rules jokers=1 jokers=2"], 4, "each name once"),
    ("card", [*GOOD, "flipped 1C"], 4, "'1C': want a rank"),
    ("card twice", [*GOOD, "flipped 2C 2C"], 4, "'2C' is said twice"),
    ("joker not in the deck", [*GOOD, "flipped joker3"], 4, "want cards out of its 54"),
    ("open joker", [*GOOD, "card joker"], 4, "want -1, or a card"),
    ("flips", [*GOOD, "flipped 2C", "flips 3"], 5, "want the number of flipped cards, 1"),
    ("card phase without card", [*GOOD, "phase card"], 4, "want a line such as 'card KS'"),
    ("card phase without power", [*GOOD, "phase card", "card KS"], 3, "has no power, want power LMH"),
    ("sideslip of nobody", ["phase sideslip", "card KS", f"{GOOD[1]} power LMH order forward"], 2, "asked INDEX"),
    ("a move in another phase", [*GOOD, "move_hexes 2"], 4, "want phase sideslip"),
    ("asked too high", [*GOOD, "asked 3"], 4, "want a ship 0..0"),
    ("outcome in play", [*GOOD, "outcome draw"], 4, "only if, the phase is over"),
    ("over without outcome", [*GOOD, "phase over"], 1, "want an outcome"),
    ("seat", [*GOOD, f"ship 2 0101 N {CLASS}"], 4, "seat '2': want a whole number 0..1"),
    ("no hex", [*GOOD, "ship 0"], 4, "the hex is missing: want ship SEAT HEX FACING"),
    ("hex off the map", [GOOD[0], f"ship 0 1105 N flagship {CLASS}"], 3, "off the 10x8 map: want a hex 0101..1008"),
    ("hex not a label", [GOOD[0], f"ship 0 E5 N flagship {CLASS}"], 3, "hex 'E5': want a label CCRR"),
    ("facing", [GOOD[0], f"ship 0 0505 E flagship {CLASS}"], 3, "facing 'E': want one of N, NE"),
    ("word of a ship", [GOOD[0], f"ship 0 0505 N flagship {CLASS} cloak"], 3, "'cloak' is not a word of a ship"),
    ("word twice", [GOOD[0], f"ship 0 0505 N flagship {CLASS} hull 3"], 3, "'hull' is said twice"),
    ("destroyed and left", [GOOD[0], f"ship 0 0505 N flagship {CLASS} destroyed left"], 3, "'left' is said"),
    ("no hull", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 2"], 3, "hull is missing"),
    ("half a hull", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 2 hull 8/"], 3, "want N, or N/FULL"),
    ("other half", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 2 hull /8"], 3, "want N, or N/FULL"),
    ("hull above full", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 2 hull 9/8"], 3, "no more than"),
    ("hull of nothing", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 2 hull 0/0"], 3, "full_hull 0"),
    ("two dice", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 slowness 2 hull 9"], 3, "'slowness': want one of d4"),
    ("d7", [GOOD[0], "ship 0 0505 N flagship dice d6 d7 d8 slowness 2 hull 9"], 3, "dice 'd7': want one of d4"),
    ("dice unsorted", [GOOD[0], "ship 0 0505 N flagship dice d8 d6 d10 slowness 2 hull 9"], 3, "smallest first"),
    ("slowness 0", [GOOD[0], "ship 0 0505 N flagship dice d6 d8 d10 slowness 0 hull 9"], 3, "slowness '0'"),
    ("power", [GOOD[0], f"{GOOD[1]} power LLL"], 3, "want one of none, LMH"),
    ("order", [GOOD[0], f"{GOOD[1]} order up"], 3, "want one of none, forward, right, left, drift"),
    ("crew", [*GOOD, f"ship 0 0101 N {CLASS} crew 2-11"], 4, "ranks out of 2..10"),
    ("crew backwards", [*GOOD, f"ship 0 0101 N {CLASS} crew 4-2"], 4, "ranks out of 2..10"),
    ("captain", [*GOOD, f"ship 0 0101 N {CLASS} captain JX"], 4, "ranks out of J, Q, K"),
    ("captain twice", [*GOOD, f"ship 0 0101 N {CLASS} captain JJ"], 4, "ranks out of J, Q, K"),
    ("rated flagship", [GOOD[0], f"{GOOD[1]} crew 2-4"], 3, "SHIP-3"),
    ("two flagships", [*GOOD, f"ship 0 0101 N flagship {CLASS}"], 4, "a second flagship of seat 0"),
    ("no flagship", [GOOD[0], f"ship 0 0505 N crew 2-4 {CLASS}"], 1, "no flagship of seat 0"),
    ("no flagship in battle", ["mode battle", f"ship 0 0505 N crew 2-4 {CLASS}"], 1, "no flagship"),
    ("an enemy in a crossing", [*GOOD, f"ship 1 0101 N flagship {CLASS}"], 4, "or mode battle"),
    ("one token twice", [*GOOD, f"ship 0 0101 N crew 2 {CLASS} token 0"], 4, "token 0 is another ship's"),
    ("seven ships", [*GOOD, *(f"ship 0 010{n} N crew 2 {CLASS}" for n in range(1, 7))], 9, "want at most 6 a side"),
    ("37 markers", [GOOD[1], *(f"marker {n:02d}01 N 1" for n in range(1, 31)),
                    *(f"marker {n:02d}02 N 1" for n in range(1, 8))], 39, "marker 37: want at most 36"),
    ("unknown flaw", [GOOD[0], f"{GOOD[1]} flaw pink"], 3, "flaw 'pink': want one of none, tends_to_explode"),
    ("blind spot nowhere", [GOOD[0], f"{GOOD[1]} flaw blind_spot"], 3, "hexside after flaw blind_spot is missing"),
    ("shield flaw 6", [GOOD[0], f"{GOOD[1]} flaw shield_flaw 6"], 3, "'6': want a whole number 0..5"),
    ("imbalance ahead", [GOOD[0], f"{GOOD[1]} flaw engine_imbalance straight"], 3, "want one of left, right"),
    ("side of no side", [GOOD[0], f"{GOOD[1]} flaw torpedo_jams 2"], 3, "'2' is not a word of a ship"),
    ("jams nothing", [GOOD[0], f"{GOOD[1]} flaw torpedo_jams jammed"], 3, "jammed without the words torpedo"),
    ("jams by itself", [GOOD[0], f"{GOOD[1]} torpedo jammed"], 3, "jammed without the words torpedo"),
    ("doom unknown", [*DOOM, f"{DOOMED} doom maybe"], 4, "doom 'maybe': want one of none, strikes_colours"),
    ("doom of no countdown", [GOOD[0], f"{DOOMED} doom engine_stall"], 3, "want rules countdown_to_doom=true"),
    ("duck of no countdown", [GOOD[0], f"{DOOMED} sitting_duck"], 3, "want rules countdown_to_doom=true"),
    ("packets of no countdown", [GOOD[0], f"{DOOMED} packets 1"], 3, "want rules countdown_to_doom=true"),
    ("flagship rolls 1", [*DOOM, f"{DOOMED} doom strikes_colours destroyed"], 4, "result 1: want 2..12 of this"),
    ("lesser ship rolls 7", [*DOOM, GOOD[1], f"ship 0 0101 N {NO_HULL} crew 2 doom gains_die"], 5, "7: want 1..6"),
    ("doomed with hull", [*DOOM, f"{GOOD[1]} doom core_breach"], 4, "hull 10 of a ship of doom core_breach: want 0"),
    ("duck with hull", [*DOOM, f"{GOOD[1]} sitting_duck"], 4, "hull 10 of a ship of doom sitting_duck: want 0"),
    ("exploded in play", [*DOOM, f"{DOOMED} doom explodes"], 4, "of a ship in play: want the word destroyed"),
    ("half a duck", [*DOOM, f"{DOOMED} doom sitting_duck"], 4, "want sitting_duck with it"),
    ("duck no more", [*DOOM, f"{DOOMED} doom engine_stall sitting_duck"], 4, "want no sitting_duck after another"),
    ("blast in play", [*DOOM, f"{DOOMED} blast 1"], 4, "blast 1: want it of a ship destroyed on the map only"),
    ("blast off the map", [*DOOM, f"ship 0 1105 N flagship {NO_HULL} blast 1 destroyed"], 4, "destroyed on the map"),
    ("second blast alone", [*DOOM, f"{DOOMED} blast 2 destroyed"], 1, "blast 2: want the places 1 to 1, each once"),
    ("convoy in a crossing", [GOOD[0], f"{GOOD[1]} convoy"], 3, "a convoy ship in mode crossing: want mode convoy"),
    ("no convoy", [*GOOD, "mode convoy"], 4, "no convoy ship: want the word convoy in a ship line"),
    ("two convoys", [GOOD[0], f"{GOOD[1]} convoy", "mode convoy", f"ship 1 0101 N flagship {CLASS} convoy"], 5,
     "a convoy ship of seat 1, and there is one of seat 0: want one side's"),
    ("target of nobody", ["phase target", "card KH", f"{GOOD[1]} {SET}"], 2, "phase target: want 'asked INDEX'"),
    ("target without card", ["phase target", "asked 0", f"{GOOD[1]} {SET}"], 2, "without an open card"),
    ("target on black", ["phase target", "card KS", "asked 0", f"{GOOD[1]} {SET}"], 2, "want a red one, such as"),
    ("target of one that acted", ["phase target", "card KH", "asked 0", f"{GOOD[1]} {SET} activated"], 4,
     "want a ship in play, not activated yet"),
    ("target of a rank it has not", ["phase target", "card KH", "asked 1", *FOES,
     f"ship 0 0101 N crew 2-4 {CLASS} {SET}"], 4, "want a ship that may attempt it"),
    ("target out of range", ["map 30x20", "phase target", "card KH", "asked 0", f"ship 0 0101 N flagship {CLASS} {SET}",
     "mode battle", f"ship 1 3020 N flagship {CLASS} {SET}"], 5, "want a ship that may attempt it"),
    ("sideslip of a turn", ["phase sideslip", "card 10C", "asked 0", "move_hexes 2",
     f"ship 0 0505 N flagship {CLASS} power LMH order right"], 4, "want a ship of order forward"),
    ("sides with one token", ["side_tokens 0 0", *FOES], 2, "initiative never falls"),
    ("two in a hex", [*GOOD, "marker 0505 N 1"], 4, "hex 0505 holds ship 0 of seat 0 already"),
    ("two markers in a hex", [*GOOD, "marker 0101 N 1", "marker 0101 S 1"], 5, "holds marker 0 already"),
    ("density 7", [*GOOD, "marker 0101 N 7"], 4, "density '7': want a whole number 1..6"),
    ("no density", [*GOOD, "marker 0101 N"], 4, "the density is missing: want marker HEX FACING DENSITY"),
    ("marker off the map", [*GOOD, "marker 1101 N 1"], 4, "off the 10x8 map: want 0101..1008"),
    ("waiting inside", [*GOOD, "marker waiting 0505 N 1"], 4, "not the first of a row along N"),
    ("left but on the map", [GOOD[0], f"{GOOD[1]} left"], 3, "want a hex just off the 10x8 map"),
    ("left too far", [GOOD[0], f"ship 0 1205 N flagship {CLASS} left"], 3, "want a hex just off the 10x8 map"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "number", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refusals_name_line_fault_and_remedy(lines, number, words):
    with pytest.raises(ScenarioError, match=words) as refused:
        Position.parse(HEAD + "\n".join(lines))
    message = str(refused.value)
    if number > 1:
        assert message.startswith(f"position line {number}: ")
    assert "want" in message
    assert "\n" not in message


@pytest.mark.parametrize("text", ["", "fleet-captain position 2\nmap 10x8", "map 10x8", b"fleet-captain", None])
def test_the_first_line_names_the_form(text):
    with pytest.raises(ScenarioError, match=r"want 'fleet-captain position 1' first|want text"):
        Position.parse(text)
