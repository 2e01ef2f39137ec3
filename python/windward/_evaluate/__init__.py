"""Evaluation of a law by the criteria of RFC 9743, with verdicts."""
