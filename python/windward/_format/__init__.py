"""Scenarios as files, as dataclasses, and what they name that is written in Python."""
