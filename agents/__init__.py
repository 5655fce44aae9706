"""Agents that play Fleet Captain: scripted ones, trained ones, and the tools to train and measure them."""

from agents.protocol import Agent, make, make_opponent, names

__all__ = ["Agent", "make", "make_opponent", "names"]
