"""Answers of the engines."""
