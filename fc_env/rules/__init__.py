"""The rules of the game, one file per chapter; each function's docstring begins with the rule ids it is the home of."""
