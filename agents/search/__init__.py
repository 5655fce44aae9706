"""What the searching agents share: what they assume of hidden things, how they play on, and what they make of it."""
