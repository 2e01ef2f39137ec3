"""Emulations of tests: skipped, with the reason, where they are not possible, and repeated until in time."""

import pytest
from conftest import in_time

import windward as ww
from windward._engines.emulate import why_not

REASON = why_not()
needs_kernels = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def emulated(scenario: ww.Scenario, **options: object) -> ww.Run:
    """A run that was in time."""
    return in_time(lambda: scenario.emulate(**options), lambda run: run.problems)
