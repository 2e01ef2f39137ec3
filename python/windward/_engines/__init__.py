"""The engines: each takes a checked scenario and returns an answer."""
