"""What becomes of a ship at 0 hull (rules.md section 6)."""

from __future__ import annotations

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.events import Rule
from fc_env.hexgrid import distance
from fc_env.jit import jit
from fc_env.rules import flaws
from fc_env.rules.attack import strike
from fc_env.rules.board import in_play
from fc_env.rules.damage import CHANCE_DIE, explode
from fc_env.state import JACK, LOW_RANK, MAX_SHIPS, SEATS, Doom, Flaw, Status

DOOM_DIE, HULL_DIE, BURST_DIE = 6, 6, 20
"""DOOM-2: the die of the table and that of its result 7; COR-7: "1 in 20". Not fields of the rule set."""
BLAST = 1000
"""Number of an explosion's attacks among a ship's of one turn, beyond those of all its weapons."""


@jit
def settle(game, tape, seat: int, index: int) -> None:
    """With the countdown off, a ship at 0 hull is destroyed (DOOM-1), even one that has just left (COR-12)."""
    ship = game.ships[seat, index]
    if ship.hull == 0 and not game.rules.countdown_to_doom and ship.status != Status.DESTROYED:
        ship.status = Status.DESTROYED
        events.write_ship(game, tape, Rule.DOOM_1, seat, index, -1, 0)


@jit
def explosion(game, tape, seat: int, index: int) -> None:
    """DOOM-3. A blast: one attack on each ship in play next to it, its enemies first, then its friends (COR-20)."""
    ship = game.ships[seat, index]
    ship.blast = 0
    faces = dice.stepped(ship.power_dice[2], game.rules.explosion_steps)
    events.write_ship(game, tape, Rule.DOOM_3, seat, index, -1, faces)
    for place in range(SEATS):
        side = (seat + 1 + place) % SEATS
        for other in range(game.n_ships[side]):
            near = game.ships[side, other]
            if in_play(near) and distance(ship.q, ship.r, near.q, near.r) == 1:
                roll = dice.roll(game, tape, Purpose.BLAST, ship.token, near.token, faces)
                strike(game, tape, seat, index, side, other, BLAST, roll, 0, 0)
                settle(game, tape, side, other)


@jit
def next_blast(game) -> int:
    """The ship whose blast comes next, as ``seat * MAX_SHIPS + index``, or -1."""
    piece, least = -1, SEATS * MAX_SHIPS + 1
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            place = game.ships[seat, index].blast
            if place > 0 and place < least:
                piece, least = seat * MAX_SHIPS + index, place
    return piece


@jit
def blasts(game, tape) -> None:
    """COR-20. The blasts that wait, in the order in which they were set off; each may set off more.

    One set off by fire or in a move comes when that activation is over, one set off by a drifting marker at once.
    """
    piece = next_blast(game)
    while piece >= 0:
        explosion(game, tape, piece // MAX_SHIPS, piece % MAX_SHIPS)
        piece = next_blast(game)


@jit
def casualty(game, tape, seat: int, index: int) -> None:
    """DOOM-4. A crew casualty removes the highest rank of the crew rating, if there is one."""
    ship = game.ships[seat, index]
    highest = 0
    for rank in range(LOW_RANK, JACK):
        if (ship.crew >> rank) & 1:
            highest = rank
    if highest:
        ship.crew -= 1 << highest
    events.write_ship(game, tape, Rule.DOOM_4, seat, index, -1, highest)


@jit
def repair(game, tape, seat: int, index: int) -> None:
    """COR-21. A jammed torpedo is repaired by result 7, and by no other."""
    ship = game.ships[seat, index]
    if ship.jammed:
        ship.jammed = 0
        events.write_ship(game, tape, Rule.COR_21, seat, index, -1, 1)


@jit
def gain(ship, points: int) -> None:
    """Hull points regained, at most up to the full hull (DOOM-2)."""
    ship.hull = min(ship.hull + points, ship.full_hull)


@jit
def abandon(game, tape, seat: int, index: int) -> None:
    """A ship is abandoned: out of play, and 1 in 6 that it explodes as well (DOOM-2)."""
    ship = game.ships[seat, index]
    ship.status = Status.DESTROYED
    if dice.roll(game, tape, Purpose.DOOM_EXPLOSION, ship.token, 0, CHANCE_DIE) == 1:
        explode(game, tape, seat, index)


@jit
def suffer_doom(game, tape, seat: int, index: int, result: int) -> None:
    """DOOM-2. What a doom roll does at once; what it forbids or adds this turn is read from ``doom`` afterwards.

    A ship that strikes its colours or is abandoned is out of play as a destroyed one is.
    """
    ship = game.ships[seat, index]
    ship.doom = result
    ship.sitting_duck = 1 if result == Doom.SITTING_DUCK else 0
    if result == Doom.STRIKES_COLOURS:
        ship.status = Status.DESTROYED
    elif result == Doom.EXPLODES:
        explode(game, tape, seat, index)
    elif result == Doom.ABANDONS_SHIP:
        abandon(game, tape, seat, index)
    elif result == Doom.VENTING:
        casualty(game, tape, seat, index)
    elif result == Doom.GAINS_ONE or result == Doom.GAINS_ONE_TOO:
        gain(ship, 1)
    elif result == Doom.GAINS_DIE:
        gain(ship, dice.roll(game, tape, Purpose.HULL_GAIN, ship.token, 0, HULL_DIE))
        repair(game, tape, seat, index)
    elif result == Doom.ALL_ERASED:
        gain(ship, ship.full_hull)


@jit
def bursts(game, tape, seat: int, index: int) -> bool:
    """Whether a ship that tends to explode does, 1 in 20 each turn (COR-23)."""
    ship = game.ships[seat, index]
    if ship.flaw != Flaw.TENDS_TO_EXPLODE:
        return False
    roll = dice.roll(game, tape, Purpose.FLAW_EXPLOSION, ship.token, 0, BURST_DIE)
    flaws.note(game, tape, seat, index, roll)
    return roll == 1


@jit
def declare(game, tape, seat: int, index: int) -> bool:
    """Before a ship does anything, when it is activated or at its end drift: its flaw that may explode it, then its
    doom roll (DOOM-2). Whether it is still in play; ``finish`` is due in any case."""
    ship = game.ships[seat, index]
    if bursts(game, tape, seat, index):
        explode(game, tape, seat, index)
        return False
    if ship.hull > 0 or not game.rules.countdown_to_doom:
        return True
    result = dice.roll(game, tape, Purpose.DOOM, ship.token, 0, DOOM_DIE)
    if ship.flagship:
        result += dice.roll(game, tape, Purpose.DOOM, ship.token, 1, DOOM_DIE)
    suffer_doom(game, tape, seat, index, result)
    events.write_ship(game, tape, Rule.DOOM_2, seat, index, result, ship.hull)
    return in_play(ship)


@jit
def only_drifts(ship, moving: bool) -> bool:
    """Whether doom leaves a ship nothing but a drift: a sitting duck, and an engine stall if it would move (COR-19)."""
    return ship.doom == Doom.SITTING_DUCK or (moving and ship.doom == Doom.ENGINE_STALL)


@jit
def risk_spite(game, tape, seat: int, index: int, attacks: int) -> None:
    """COR-19. After a spite strike the ship explodes on d6 <= attacks made; with none there is no roll."""
    ship = game.ships[seat, index]
    if attacks == 0:
        return
    roll = dice.roll(game, tape, Purpose.DOOM_EXPLOSION, ship.token, 0, CHANCE_DIE)
    events.write_ship(game, tape, Rule.COR_19, seat, index, roll, 1 if roll <= attacks else 0)
    if roll <= attacks:
        explode(game, tape, seat, index)


@jit
def breach(game, tape, seat: int, index: int) -> None:
    """A core breach explodes its ship at the end of the activation or end drift (COR-19).

    A ship that has left the map by then, or that was set off as it left, is destroyed without a blast.
    """
    ship = game.ships[seat, index]
    if ship.status == Status.LEFT and (ship.doom == Doom.CORE_BREACH or ship.blast > 0):
        ship.status = Status.DESTROYED
        ship.blast = 0
        events.write_ship(game, tape, Rule.COR_19, seat, index, -1, 0)
    elif in_play(ship) and ship.doom == Doom.CORE_BREACH:
        events.write_ship(game, tape, Rule.COR_19, seat, index, -1, 1)
        explode(game, tape, seat, index)


@jit
def finish(game, tape, seat: int, index: int) -> None:
    """After a ship's activation or end drift: it is destroyed if the countdown is off, a core breach explodes it, and
    all blasts that wait follow (COR-20)."""
    settle(game, tape, seat, index)
    breach(game, tape, seat, index)
    blasts(game, tape)
