"""Scores of laws on fixed sets of networks."""
