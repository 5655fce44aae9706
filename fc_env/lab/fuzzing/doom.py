"""What becomes of ships at 0 hull, worked out anew (section 6 and COR-16 to COR-21)."""

from __future__ import annotations

from fc_env.dice import Purpose
from fc_env.jit import jit
from fc_env.lab.fuzzing.geometry import inside
from fc_env.lab.fuzzing.invariants import Invariant
from fc_env.lab.fuzzing.notes import (
    BLAST_NEXT,
    BLASTING,
    BLASTS,
    CASUALTY,
    PIECES,
    REPAIR,
    SHOOTER,
    TARGET,
    UNSURE,
    WEAPON,
    expect,
    larger,
    next_die,
    ship_of,
    value_of,
)
from fc_env.lab.fuzzing.salvos import BLAST, aim, next_in_blast, place_of
from fc_env.state import Doom, Flaw


@jit
def due_at_activation(before, notes, tape, piece: int) -> None:
    """DOOM-2, COR-23. A ship is about to act or drift: at 0 hull it has to roll, unless its flaw explodes it first."""
    ship = ship_of(before, piece)
    bursts = False
    if ship.flaw == Flaw.TENDS_TO_EXPLODE:
        bursts = value_of(tape, Purpose.FLAW_EXPLOSION, ship.token, 0, 20) == 1
    if notes.hull[piece] == 0 and before.rules.countdown_to_doom and not bursts:
        notes.doom_due[piece] = 1


@jit
def doom_dice(tape, notes, ship) -> int:
    """The sum of a ship's doom dice: one, or two of a flagship; 0 if they did not fall so."""
    total = 0
    for _ in range(2 if ship.flagship else 1):
        row = next_die(tape, notes, Purpose.DOOM)
        if row < 0 or tape.dice[row].piece != ship.token or tape.dice[row].faces != 6:
            return 0
        total += tape.dice[row].value
    return total


@jit
def rolled(before, notes, tape, piece: int, result: int, hull: int) -> None:
    """DOOM-2. A ship has rolled for doom."""
    ship = ship_of(before, piece)
    expect(notes, Invariant.DOOM_ROLLED, notes.doom_due[piece] != 0 and doom_dice(tape, notes, ship) == result)
    notes.doom_due[piece], notes.doom[piece] = 0, result
    notes.duck[piece] = result == Doom.SITTING_DUCK
    gained = 0
    if result == Doom.GAINS_ONE or result == Doom.GAINS_ONE_TOO:
        gained = 1
    elif result == Doom.GAINS_DIE:
        gained = value_of(tape, Purpose.HULL_GAIN, ship.token, 0, 6)
    elif result == Doom.ALL_ERASED:
        gained = ship.full_hull
    notes.hull[piece] = min(gained, ship.full_hull)
    expect(notes, Invariant.DOOM_TABLE, hull == notes.hull[piece])
    if result == Doom.EXPLODES:
        expect(notes, Invariant.DOOM_TABLE, notes.alive[piece] == 0)
    if result == Doom.STRIKES_COLOURS or result == Doom.ABANDONS_SHIP:
        notes.alive[piece] = 0
    expect(notes, Invariant.CREW_CASUALTY, (notes.now[CASUALTY] != 0) == (result == Doom.VENTING))
    mends = result == Doom.GAINS_DIE and ship.jammed != 0
    expect(notes, Invariant.REPAIRS_AND_JAMS, (notes.now[REPAIR] != 0) == mends)
    notes.now[CASUALTY], notes.now[REPAIR] = 0, 0
    if notes.alive[piece] == 0:
        notes.drift_due[piece] = 0


@jit
def casualty(notes, piece: int, rank: int) -> None:
    """DOOM-4. The highest crew rank is lost, if there is one."""
    highest = 0
    for candidate in range(2, 11):
        if (notes.crew[piece] >> candidate) & 1:
            highest = candidate
    expect(notes, Invariant.CREW_CASUALTY, rank == highest)
    notes.crew[piece] &= ~(1 << highest)
    notes.now[CASUALTY] = 1


@jit
def repair(notes, piece: int) -> None:
    """COR-21. A jammed torpedo is repaired."""
    expect(notes, Invariant.REPAIRS_AND_JAMS, notes.jammed[piece] != 0)
    notes.jammed[piece] = 0
    notes.now[REPAIR] = 1


@jit
def jolt(before, notes, piece: int, roll: int, exploded: int) -> None:
    """COR-18. A sitting duck has rolled for damage that is told of right after."""
    expect(notes, Invariant.DUCK_SET_OFF, notes.duck[piece] != 0)
    if notes.now[BLASTING] >= 0:
        struck_by_blast(before, notes, piece)
    notes.jolt[piece], notes.jolted[piece] = roll, exploded


@jit
def hurt(before, notes, piece: int, damage: int, told: int, invariant: int) -> None:
    """DOOM-1, COR-16, COR-18. A ship suffers damage, of which so much hull was told to be lost."""
    if notes.now[UNSURE]:
        return
    lost = min(damage, notes.hull[piece])
    expect(notes, invariant, told == lost)
    notes.hull[piece] -= lost
    if notes.jolt[piece] >= 0:
        right = (notes.jolt[piece] <= damage) == (notes.jolted[piece] != 0)
        expect(notes, Invariant.DUCK_SET_OFF, damage > 0 and right)
        notes.jolt[piece] = -1
    else:
        expect(notes, Invariant.DUCK_SET_OFF, not (damage > 0 and notes.duck[piece] and notes.alive[piece]))


@jit
def destroyed(before, notes, piece: int) -> None:
    """DOOM-1. A ship is destroyed for want of hull, with the countdown off."""
    fits = notes.hull[piece] == 0 and not before.rules.countdown_to_doom
    expect(notes, Invariant.DESTROYED_AT_NO_HULL, fits or notes.now[UNSURE] != 0)
    notes.alive[piece] = 0


@jit
def set_off(notes, piece: int, place: int) -> None:
    """COR-20. A ship explodes: it leaves play at once, and its blast waits its turn."""
    notes.now[BLASTS] += 1
    notes.bursting[piece] = 1
    notes.alive[piece], notes.hull[piece], notes.duck[piece] = 0, 0, 0
    notes.drift_due[piece] = 0


@jit
def blast(before, notes, piece: int, faces: int) -> None:
    """DOOM-3. The blast of a ship begins, when the one before it is over."""
    end_of_blast(before, notes)
    notes.now[BLASTS] -= 1
    expect(notes, Invariant.BLAST_REACHES, notes.bursting[piece] != 0)
    notes.bursting[piece] = 0
    ship = ship_of(before, piece)
    expect(notes, Invariant.WEAPON_DIE, faces == larger(ship.power_dice[2], before.rules.explosion_steps))
    notes.now[BLASTING], notes.now[BLAST_NEXT] = piece, 0
    notes.now[WEAPON], notes.now[SHOOTER], notes.now[TARGET] = BLAST, piece, -1


@jit
def struck_by_blast(before, notes, piece: int) -> None:
    """DOOM-3. A blast has struck a ship: the next one it comes to."""
    number = next_in_blast(before, notes, notes.now[BLAST_NEXT])
    expect(notes, Invariant.BLAST_REACHES, number < PIECES and place_of(notes.now[BLASTING], number) == piece)
    notes.now[BLAST_NEXT] = number + 1
    aim(before, notes, BLAST, notes.now[BLASTING], piece)


@jit
def end_of_blast(before, notes) -> None:
    """A blast is over when it has struck every ship that it reaches."""
    if notes.now[BLASTING] >= 0:
        expect(notes, Invariant.BLAST_REACHES, next_in_blast(before, notes, notes.now[BLAST_NEXT]) == PIECES)
    notes.now[BLASTING] = -1


@jit
def after_spite(before, notes, tape, piece: int, roll: int, exploded: int, attacks: int) -> None:
    """COR-19. A ship has rolled after its spite strike."""
    fits = notes.doom[piece] == Doom.SPITE_STRIKE and attacks > 0
    expect(notes, Invariant.BREACH_AND_SPITE, fits and exploded == (roll <= attacks))


@jit
def breached(before, notes, piece: int, explodes: bool) -> None:
    """COR-19. A core breach explodes its ship now; off the map that one, and one set off before, has no blast."""
    set_off_before = notes.bursting[piece] != 0
    on_map = inside(before, notes.q[piece], notes.r[piece])
    fits = notes.doom[piece] == Doom.CORE_BREACH or (set_off_before and not explodes)
    expect(notes, Invariant.BREACH_AND_SPITE, fits and on_map == explodes)
    if not explodes:
        notes.now[BLASTS] -= notes.bursting[piece]
        notes.bursting[piece] = 0
