"""Digests of results: tables of text, for the terminal, reports and pages."""
