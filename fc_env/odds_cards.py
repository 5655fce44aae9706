"""Exact questions anyone may ask about the cards: what is left of the deck is open to both sides (COR-1)."""

from __future__ import annotations

from fc_env.jit import jit
from fc_env.rules.cards import SUITED_CARDS, is_black, is_flipped, may_act, may_manoeuvre


@jit
def jokers_left(game) -> int:
    """Jokers that are still in the deck (CARD-7)."""
    jokers = game.rules.jokers
    for joker in range(game.rules.jokers):
        jokers -= is_flipped(game, SUITED_CARDS + joker)
    return jokers


@jit
def useful_cards(game, ship, black: bool) -> int:
    """Cards of a colour still in the deck on which a ship may act, normally or by a manoeuvre (CARD-4 to CARD-6)."""
    count = 0
    first = 0 if black else SUITED_CARDS // 2
    for card in range(first, first + SUITED_CARDS // 2):
        if not is_flipped(game, card) and (may_act(game, ship, card) or may_manoeuvre(game, ship, card)):
            count += 1
    return count


@jit
def before_joker(cards: int, jokers: int) -> float:
    """Chance that one of so many cards of the deck is flipped before the first joker."""
    return cards / (cards + jokers) if cards > 0 else 0.0


__all__ = ["before_joker", "is_black", "jokers_left", "useful_cards"]
