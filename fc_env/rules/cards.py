"""Initiative and cards (rules.md section 3)."""

from __future__ import annotations

import numpy as np

from fc_env import dice, events
from fc_env.dice import Purpose
from fc_env.errors import ForcedDiceError
from fc_env.events import Rule
from fc_env.jit import jit
from fc_env.rules import doom, fire, movement, orders
from fc_env.rules.orders import may_be_activated
from fc_env.ruleset import Aces
from fc_env.state import ACE, JACK, JOKER, LOW_RANK, SEATS, Phase
from fc_env.tape import N_USED, NO_SUCH_FACE, REFUSED

SUITED_CARDS = 52
RANKS_OF_A_SUIT = 13
INITIATIVE_DIE = 6
"""CARD-1; not a field of the rule set."""

SUITS = "CSHD"
RANKS = (*(str(rank) for rank in range(2, 11)), "J", "Q", "K", "A")

_ONE = np.uint64(1)
_NO_CARDS = np.uint64(0)


def card_name(value: int) -> str:
    """Name of the card of a die value 1..56: ``"10C"``, ``"KS"``, ``"joker"``, ``"joker2"``."""
    if value > len(SUITS) * len(RANKS):
        number = value - len(SUITS) * len(RANKS)
        return "joker" if number == 1 else f"joker{number}"
    suit, rank = divmod(value - 1, len(RANKS))
    return RANKS[rank] + SUITS[suit]


CARD_VALUES = {card_name(value): value for value in range(1, 57)}
"""Die value of each card's name."""


def card_value(card: str) -> int:
    """The die value of a card's name, such as ``"10C"``, ``"KS"``, ``"AH"`` or ``"joker"``, in any case.

    Raises ForcedDiceError for any other.
    """
    name = card.strip()
    value = CARD_VALUES.get(name.lower() if name.lower().startswith("joker") else name.upper())
    if value is None:
        raise ForcedDiceError(f"card {card!r}: want a rank 2..10 J Q K A and a suit C S H D, or 'joker'")
    return value


@jit
def rank_of(card: int) -> int:
    """Rank of a card (CARD-2): 2..10, jack to ace 11..14, a joker 15."""
    if card >= SUITED_CARDS:
        return JOKER
    return LOW_RANK + card % RANKS_OF_A_SUIT


@jit
def is_black(card: int) -> bool:
    """CARD-3. Clubs and spades (cards 0..25) are black and let ships move; red ones let them fire."""
    return card < 2 * RANKS_OF_A_SUIT


@jit
def is_flipped(game, card: int) -> bool:
    """Whether a card was flipped this turn."""
    return (game.flipped >> np.uint64(card)) & _ONE != _NO_CARDS


@jit
def copies_left(game, card: int) -> int:
    """How many of a card and the one of its rank in the other suit of its colour were not flipped this turn."""
    return 2 - is_flipped(game, card) - is_flipped(game, card + RANKS_OF_A_SUIT)


@jit
def draw(game, tape) -> int:
    """CARD-2. Take a card that has not been flipped yet, each as likely; the same as flipping a shuffled deck."""
    faces = SUITED_CARDS + game.rules.jokers
    nth = game.flips * 65536
    card = dice.uniform(game.seed, game.turn, Purpose.CARD, 0, nth, faces) - 1
    while is_flipped(game, card):
        nth += 1
        card = dice.uniform(game.seed, game.turn, Purpose.CARD, 0, nth, faces) - 1
    if tape is None:
        return card
    # Only the card that is taken is a roll of the game's, to be recorded and to be forced.
    taken = dice.roll(game, tape, Purpose.CARD, 0, nth, faces) - 1
    if is_flipped(game, taken):
        tape.counts[N_USED] -= 1
        tape.counts[REFUSED] = NO_SUCH_FACE
        dice.describe(game, tape, tape.refused[0], Purpose.CARD, 0, nth, faces, taken + 1)
        return card
    return taken


@jit
def may_act(game, ship, card: int) -> bool:
    """CARD-4, CARD-6. Whether the rank of a card lets a ship act normally: move on black, fire on red."""
    rank = rank_of(card)
    if rank == ACE:
        return game.rules.aces == Aces.ALL or (game.rules.aces == Aces.FLAGSHIPS and ship.flagship != 0)
    if ship.flagship:
        return True
    return rank < JACK and (ship.crew >> rank) & 1 != 0


@jit
def may_manoeuvre(game, ship, card: int) -> bool:
    """CARD-5, COR-4. Whether the rank of a card lets a ship attempt a captain's manoeuvre; no roll is needed."""
    rank = rank_of(card)
    if ship.flagship:
        return rank != ACE or game.rules.aces != Aces.NONE
    return rank >= JACK and rank < ACE and (ship.captain >> rank) & 1 != 0


@jit
def can_act(game, seat: int, index: int, manoeuvre: bool) -> bool:
    """Whether a side's ship can be activated on the open card, normally or for a manoeuvre (CARD-3 to CARD-6)."""
    ship = game.ships[seat, index]
    if not may_be_activated(ship):
        return False
    allowed = may_manoeuvre(game, ship, game.card) if manoeuvre else may_act(game, ship, game.card)
    return allowed and (is_black(game.card) or fire.bears(game, seat, index, manoeuvre))


@jit
def has_activation(game, seat: int) -> bool:
    """CARD-8. A side with no legal activation on the open card is not asked."""
    for index in range(game.n_ships[seat]):
        if can_act(game, seat, index, False) or can_act(game, seat, index, True):
            return True
    return False


@jit
def could_still_act(game, ship) -> bool:
    """COR-6. Whether a ship might be activated on some card of this turn."""
    able = ship.flagship or ship.crew or ship.captain or game.rules.aces == Aces.ALL
    return may_be_activated(ship) and able


@jit
def deck_is_used_up(game) -> bool:
    """Whether every card was flipped this turn (COR-6)."""
    return game.flips >= SUITED_CARDS + game.rules.jokers


@jit
def is_over(game) -> bool:
    """CARD-7. No ship could act on any card any more, or the deck is used up."""
    if deck_is_used_up(game):
        return True
    for seat in range(SEATS):
        for index in range(game.n_ships[seat]):
            if could_still_act(game, game.ships[seat, index]):
                return False
    return True


@jit
def initiative_phase(game, tape) -> None:
    """TURN-4, CARD-1. Each side rolls, ties again; the higher decides first. With one side no roll (COR-3)."""
    events.write_game(game, tape, Rule.TURN_4, game.turn)
    game.first = 0
    if game.n_ships[1] > 0:
        nth, rolls_0, rolls_1 = 0, 0, 0
        while rolls_0 == rolls_1:
            rolls_0 = dice.roll(game, tape, Purpose.INITIATIVE, game.side_token[0], nth, INITIATIVE_DIE)
            rolls_1 = dice.roll(game, tape, Purpose.INITIATIVE, game.side_token[1], nth, INITIATIVE_DIE)
            nth += 1
        game.first = 0 if rolls_0 > rolls_1 else 1
        events.write(game, tape, Rule.CARD_1, game.first, -1, -1, -1, -1, max(rolls_0, rolls_1), min(rolls_0, rolls_1))
    else:
        events.write(game, tape, Rule.COR_3, 0, -1, -1, -1, -1, -1, -1)
    game.phase = Phase.FLIP


@jit
def end_cards(game) -> None:
    """The card phase is over (CARD-7)."""
    game.card = -1
    game.to_answer = 0
    game.card_acts = 0
    game.phase = Phase.END_DRIFT


@jit
def note_flipped(game, card: int) -> None:
    """Take a card off the deck for this turn."""
    game.flipped |= _ONE << np.uint64(card)
    game.flips += 1


@jit
def flip_phase(game, tape) -> None:
    """TURN-5. Flip the next card (CARD-2), if the card phase is not over; the first joker ends it (CARD-7)."""
    if game.flips == 0:
        events.write_game(game, tape, Rule.TURN_5, game.turn)
    if is_over(game):
        events.write_game(game, tape, Rule.COR_6, 1 if deck_is_used_up(game) else 0)
        end_cards(game)
        return
    card = draw(game, tape)
    note_flipped(game, card)
    events.write(game, tape, Rule.CARD_2, -1, -1, -1, -1, -1, card + 1, rank_of(card))
    if rank_of(card) == JOKER:
        events.write_game(game, tape, Rule.CARD_7, game.flips)
        end_cards(game)
        return
    events.write_game(game, tape, Rule.CARD_3, 1 if is_black(card) else 0)
    if rank_of(card) == ACE:
        events.write_game(game, tape, Rule.CARD_6, game.rules.aces)
    game.card = card
    game.actor = game.first
    game.to_answer = SEATS
    game.card_acts = game.rules.activations_per_card
    game.phase = Phase.CARD


@jit
def pass_card(game) -> None:
    """A side is done with the open card (CARD-4); the other one decides next (CARD-1)."""
    game.to_answer -= 1
    game.actor = 1 - game.actor
    game.card_acts = game.rules.activations_per_card


@jit
def choose_pass(game, tape) -> None:
    """A side that could act on the open card does not (CARD-4)."""
    events.write(game, tape, Rule.CARD_4, game.actor, -1, -1, -1, -1, -1, game.card + 1)
    pass_card(game)


@jit
def card_phase(game, tape) -> bool:
    """COR-3. True while a side has to decide on the open card."""
    game.asked = -1
    while game.to_answer > 0:
        if game.card_acts > 0 and has_activation(game, game.actor):
            return True
        if game.card_acts > 0 and game.n_ships[game.actor] > 0:
            events.write(game, tape, Rule.CARD_8, game.actor, -1, -1, -1, -1, -1, game.card + 1)
        pass_card(game)
    game.phase = Phase.FLIP
    return False


@jit
def fire_ship(game, tape, index: int, enemy: int) -> None:
    """A ship of the side that decides fires, at an enemy if it is an Alpha Strike, unless doom forbids it (COR-17)."""
    seat = game.actor
    orders.discard(game, tape, seat, index)
    if movement.meet_doom(game, tape, seat, index, game.rules.avoid_die, False):
        return
    if enemy == fire.ANY:
        fire.open_fire(game, tape, seat, index, enemy)
    else:
        fire.alpha_strike(game, tape, seat, index, enemy)
    doom.finish(game, tape, seat, index)


@jit
def activate(game, tape, index: int, manoeuvre: bool) -> None:
    """Activate a ship of the side that decides: on black it moves, on red it fires (CARD-3 to CARD-5)."""
    game.card_acts -= 1
    rule = Rule.CARD_5 if manoeuvre else Rule.CARD_4
    events.write_ship(game, tape, rule, game.actor, index, -1, game.card + 1)
    if is_black(game.card):
        movement.begin(game, tape, game.actor, index, manoeuvre)
    elif manoeuvre:
        game.asked = index
        game.phase = Phase.TARGET
    else:
        fire_ship(game, tape, index, fire.ANY)


@jit
def choose_target(game, tape, enemy: int) -> None:
    """Choose the enemy that the Alpha Strike of the ship that is asked goes at (FIR-7)."""
    index = game.asked
    game.asked = -1
    game.phase = Phase.CARD
    fire_ship(game, tape, index, enemy)
