"""The invariants by name, each with the rule it belongs to and what it says."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Invariant(enum.IntEnum):
    """What is checked after every phase and every decision; see ``WORDS``."""

    MARKERS_KEPT = 0
    HEXES_UNSHARED = 1
    SHIPS_AS_BUILT = 2
    FLIPS_COUNTED = 3
    TURNS_COUNTED = 4
    PHASES_IN_ORDER = 5
    NO_BLAST_WAITS = 6
    POWER_GIVEN = 7
    POWER_ROLLED = 8
    POWER_SHOWN = 9
    ORDERS_GIVEN = 10
    ORDERS_HIDDEN = 11
    ASKED_IN_ORDER = 12
    ACTIVATED_ONCE = 13
    INITIATIVE_WON = 14
    FIRST_SIDE_FIRST = 15
    CARD_IS_NEW = 16
    JOKER_ENDS_CARDS = 17
    CARDS_END_IN_TIME = 18
    ACTS_PER_CARD = 19
    OFFERED_BY_PHASE = 20
    CREW_ACTS = 21
    CAPTAIN_MANOEUVRES = 22
    ACES = 23
    FIRE_BEARS = 24
    ASKED_HAS_CHOICE = 25
    STRIKE_TARGETS = 26
    SLIPS_OFFERED = 27
    MARKERS_ALL_ROLL = 28
    MARKERS_DRIFT = 29
    MARKERS_MOVE_ON = 30
    MARKERS_WRAP = 31
    MARKERS_MEET = 32
    CONTACT_DIE = 33
    CONTACT_HITS = 34
    CONTACT_DAMAGE = 35
    CONTACTS_COUNTED = 36
    MOVE_ROLLED = 37
    MOVE_MADE = 38
    NO_HEX_IS_DRIFT = 39
    SLIP_MADE = 40
    TURN_MADE = 41
    DRIFT_ORDER = 42
    ROCKS_MET = 43
    SHIPS_MOVE_ON = 44
    EDGE = 45
    HAZARD_MOVE_DIE = 46
    SMALL_HEXES = 47
    END_DRIFT_OF_ALL = 48
    DRIFT_MADE = 49
    DAMAGE_OF_ATTACK = 50
    LINE_OF_FIRE = 51
    SHIELDS_DIE = 52
    WEAPON_DIE = 53
    VOLLEYS = 54
    TORPEDO = 55
    LASERS = 56
    ALPHA_STRIKE = 57
    LOST_SHOTS = 58
    DOOM_ROLLED = 59
    DOOM_TABLE = 60
    CREW_CASUALTY = 61
    BLAST_REACHES = 62
    DUCK_SET_OFF = 63
    BREACH_AND_SPITE = 64
    REPAIRS_AND_JAMS = 65
    DESTROYED_AT_NO_HULL = 66
    HULL_ACCOUNTED = 67
    BATTLE_DECIDED = 68
    CROSSING_DECIDED = 69
    CONVOY_DECIDED = 70
    FIELD_ROWS = 71
    FIELD_FACINGS = 72
    FIRST_DRIFT_SAFE = 73
    FAIR_DICE = 74

    @property
    def rule(self) -> str:
        """The rule id."""
        return WORDS[self].rule

    @property
    def label(self) -> str:
        """The name as printed, such as ``hexes-unshared``."""
        return self.name.lower().replace("_", "-")


class Words(NamedTuple):
    """The rule that an invariant belongs to, and what it says."""

    rule: str
    text: str


WORDS: dict[Invariant, Words] = {
    Invariant.MARKERS_KEPT: Words("MAP-4", "no marker comes, goes, turns or changes its density"),
    Invariant.HEXES_UNSHARED: Words("MAP-5", "no hex of the map holds two pieces"),
    Invariant.SHIPS_AS_BUILT: Words("SHIP-1", "what a ship and the map are, and the rules, never change"),
    Invariant.FLIPS_COUNTED: Words("CARD-2", "the flipped cards are as many as counted, and stay so in a turn"),
    Invariant.TURNS_COUNTED: Words("TURN-7", "turns follow one another up to the limit; an outcome comes with the end"),
    Invariant.PHASES_IN_ORDER: Words("TURN-1", "the phases of a turn follow one another as the rules say"),
    Invariant.NO_BLAST_WAITS: Words("COR-20", "every explosion that was set off has been resolved"),
    Invariant.POWER_GIVEN: Words("POW-1", "a ship has the power it was given, all turn"),
    Invariant.POWER_ROLLED: Words("POW-2", "a lesser ship's power is what its die says"),
    Invariant.POWER_SHOWN: Words("POW-3", "powers are shown together, when all are chosen"),
    Invariant.ORDERS_GIVEN: Words("ORD-1", "a ship has the marker it was given until it fires"),
    Invariant.ORDERS_HIDDEN: Words("ORD-1", "a marker lies face down until its ship moves on a card"),
    Invariant.ASKED_IN_ORDER: Words("COR-1", "power and orders are asked of seat 0 first, by index"),
    Invariant.ACTIVATED_ONCE: Words("ORD-2", "the ship that acts is activated, no other, and none twice a turn"),
    Invariant.INITIATIVE_WON: Words("CARD-1", "the higher die has the initiative, ties rolled again"),
    Invariant.FIRST_SIDE_FIRST: Words("CARD-1", "after a flip the side with the initiative is asked first"),
    Invariant.CARD_IS_NEW: Words("CARD-2", "the card flipped is of the deck and was not flipped before"),
    Invariant.JOKER_ENDS_CARDS: Words("CARD-7", "a joker ends the cards, and no other card does"),
    Invariant.CARDS_END_IN_TIME: Words("COR-6", "the cards end when no ship could act or the deck is used up"),
    Invariant.ACTS_PER_CARD: Words("CARD-4", "a side activates no more ships on a card than it may"),
    Invariant.OFFERED_BY_PHASE: Words("COR-2", "what is offered are decisions of the phase, of ships there are"),
    Invariant.CREW_ACTS: Words("CARD-4", "a ship acts on 2 to 10 by its crew rating, a flagship always"),
    Invariant.CAPTAIN_MANOEUVRES: Words("CARD-5", "a ship manoeuvres on J, Q, K by its captain rating"),
    Invariant.ACES: Words("CARD-6", "on an ace acts who the rule set says"),
    Invariant.FIRE_BEARS: Words("COR-5", "a ship may fire exactly where a weapon bears"),
    Invariant.ASKED_HAS_CHOICE: Words("CARD-8", "a side is asked about a card exactly if it can act on it"),
    Invariant.STRIKE_TARGETS: Words("FIR-7", "an Alpha Strike may go at each enemy in phaser range"),
    Invariant.SLIPS_OFFERED: Words("MOV-3", "a sideslip is offered in forward moves of a hex or more"),
    Invariant.MARKERS_ALL_ROLL: Words("COR-8", "each marker rolls the drift die once, by index"),
    Invariant.MARKERS_DRIFT: Words("DRF-1", "a marker goes straight on as many hexes as it rolled"),
    Invariant.MARKERS_MOVE_ON: Words("DRF-3", "a marker goes on from a taken hex, and no farther than it has to"),
    Invariant.MARKERS_WRAP: Words("DRF-4", "a marker that leaves the map waits before the row it was in"),
    Invariant.MARKERS_MEET: Words("DRF-2", "a marker meets each ship whose hex it enters, once for each time"),
    Invariant.CONTACT_DIE: Words("CON-1", "the die of a contact is the one for drift, for a move, for Avoid Hazard"),
    Invariant.CONTACT_HITS: Words("CON-1", "a contact hits exactly on a roll up to the density"),
    Invariant.CONTACT_DAMAGE: Words("CON-2", "a hit costs its die less a die for each laser, and shields do not help"),
    Invariant.CONTACTS_COUNTED: Words("CON-1", "a ship's count of contacts is that of its contact rolls"),
    Invariant.MOVE_ROLLED: Words("MOV-1", "a move is its die divided by the Slowness"),
    Invariant.MOVE_MADE: Words("MOV-1", "a ship that moves goes so many hexes straight ahead"),
    Invariant.NO_HEX_IS_DRIFT: Words("MOV-2", "a move of 0 hexes is a drift"),
    Invariant.SLIP_MADE: Words("MOV-3", "a sideslip takes the last hex to the side that was chosen"),
    Invariant.TURN_MADE: Words("MOV-4", "a ship turns one hexside by a turn marker after its move, and else never"),
    Invariant.DRIFT_ORDER: Words("MOV-5", "a ship with a drift marker drifts without a roll"),
    Invariant.ROCKS_MET: Words("MOV-6", "a ship meets a marker as often as it enters such a hex"),
    Invariant.SHIPS_MOVE_ON: Words("MOV-7", "a ship goes on from a taken hex, and no farther than it has to"),
    Invariant.EDGE: Words("MOV-8", "a ship leaves by an open edge and stops in its last free hex at a wall"),
    Invariant.HAZARD_MOVE_DIE: Words("MOV-9", "the movement die is the ship's own, smaller under Avoid Hazard"),
    Invariant.SMALL_HEXES: Words("MOV-10", "lesser ships that share a hex in passing roll, if the rule is on"),
    Invariant.END_DRIFT_OF_ALL: Words("END-1", "each ship not activated drifts, by initiative and index"),
    Invariant.DRIFT_MADE: Words("END-2", "a drift goes straight ahead, as many hexes as the rule set says"),
    Invariant.DAMAGE_OF_ATTACK: Words("FIR-1", "an attack above the shields costs the one divided by the other"),
    Invariant.LINE_OF_FIRE: Words("FIR-3", "fire loses the density on its line, and is told to, and else nothing"),
    Invariant.SHIELDS_DIE: Words("POW-1", "the shields die is the one the ship put there"),
    Invariant.WEAPON_DIE: Words("POW-1", "the attack die is the one of the weapon"),
    Invariant.VOLLEYS: Words("FIR-4", "volleys go at different enemies in range, nearest first"),
    Invariant.TORPEDO: Words("FIR-5", "one torpedo is fired, at an enemy ahead"),
    Invariant.LASERS: Words("FIR-6", "all lasers are fired at the nearest enemy in their range"),
    Invariant.ALPHA_STRIKE: Words("FIR-7", "an Alpha Strike sends all that bears at the one enemy chosen"),
    Invariant.LOST_SHOTS: Words("FIR-8", "targets are chosen before the rolls, and shots at gone ones are lost"),
    Invariant.DOOM_ROLLED: Words("DOOM-2", "a ship at 0 hull rolls for doom before it acts, with the countdown only"),
    Invariant.DOOM_TABLE: Words("DOOM-2", "a doom roll does what the table says"),
    Invariant.CREW_CASUALTY: Words("DOOM-4", "a casualty takes the highest crew rank, and nothing else does"),
    Invariant.BLAST_REACHES: Words("DOOM-3", "a blast strikes every ship next to it once, enemies first"),
    Invariant.DUCK_SET_OFF: Words("COR-18", "damage X explodes a sitting duck on d6 up to X"),
    Invariant.BREACH_AND_SPITE: Words("COR-19", "a core breach explodes; a spite strike does on d6 up to its attacks"),
    Invariant.REPAIRS_AND_JAMS: Words("COR-21", "a torpedo jams by its flaw and is repaired by doom result 7 alone"),
    Invariant.DESTROYED_AT_NO_HULL: Words("DOOM-1", "without the countdown a ship at 0 hull is destroyed, else not"),
    Invariant.HULL_ACCOUNTED: Words("DOOM-1", "hull and place in play change by what is told, and by nothing else"),
    Invariant.BATTLE_DECIDED: Words("WIN-1", "a battle ends when and as the rule says"),
    Invariant.CROSSING_DECIDED: Words("WIN-2", "a crossing ends when and as the rule says"),
    Invariant.CONVOY_DECIDED: Words("WIN-3", "a convoy's passage ends when and as the rule says"),
    Invariant.FIELD_ROWS: Words("SET-1", "markers are laid along the long rows of their facing"),
    Invariant.FIELD_FACINGS: Words("SET-2", "a field drifts one way, or each marker its own"),
    Invariant.FIRST_DRIFT_SAFE: Words("SET-4", "the first drift of a field that was diced touches no ship"),
    Invariant.FAIR_DICE: Words("COR-7", "every face of every die comes up as often"),
}
"""By invariant."""

N_INVARIANTS = len(Invariant)
