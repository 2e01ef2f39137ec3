"""Searches: which values of a scenario's fields answer a question best, found by running the simulator."""
