"""What can go wrong, beyond what the engine says itself."""


class ResultError(Exception):
    """A result folder cannot be written or read; the message says which and why."""
