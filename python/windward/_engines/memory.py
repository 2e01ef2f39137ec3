"""Memory of a run: estimated before it starts, and refused beyond what the machine has."""

from __future__ import annotations

import os
from pathlib import Path

from windward import _engine

#: Bytes above which a run's memory is said.
SAID_ABOVE = 1e9


def estimate(scenario: _engine.Scenario, runs: int = 1) -> tuple[float, str]:
    """Bytes that `runs` runs at once take, and what takes them, in words."""
    needs = scenario.memory()
    parts = ", ".join(f"{what} {_bytes(runs * size)}" for what, size, _ in needs if size > 0.05 * needs[0][1])
    return runs * sum(size for _, size, _ in needs), parts


def check(scenario: _engine.Scenario, runs: int) -> None:
    """Refuses runs that need more memory than is available.

    Raises
    ------
    ValueError
        If they do; the message says what takes it and what lowers it.
    """
    total, parts = estimate(scenario, runs)
    free = available()
    if free is None or total <= free:
        return
    several = f"{runs} runs at once take" if runs > 1 else "the run takes"
    lower = scenario.memory()[0][2]
    fits = runs > 1 and total / runs <= free
    hint = f"fewer threads (`threads={int(free // (total / runs))}`)" if fits else f"lower {lower}"
    raise ValueError(
        f"{several} some {_bytes(total)} of memory, and {_bytes(free)} are available: {parts}\nhint: {hint}"
    )


def note(scenario: _engine.Scenario, runs: int) -> str | None:
    """A remark on the memory of runs that need much; None for others."""
    total, parts = estimate(scenario, runs)
    return f"this takes some {_bytes(total)} of memory: {parts}" if total > SAID_ABOVE else None


def available() -> float | None:
    """Bytes that this process can still take, by the machine, its control group and its own limit; None if unknown."""
    bounds = [_of_machine(), _of_group(), _of_limit()]
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known else None


def _of_machine() -> float | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    fields = {line.split(":")[0]: line.split()[1] for line in lines}
    return float(fields["MemAvailable"]) * 1024 if "MemAvailable" in fields else None


def _of_group(root: Path = Path("/sys/fs/cgroup")) -> float | None:
    """Bytes that the process's control group has left (cgroup v2)."""
    try:
        most = (root / "memory.max").read_text(encoding="ascii").strip()
        used = (root / "memory.current").read_text(encoding="ascii")
    except OSError:
        return None
    return None if most == "max" else max(float(most) - float(used), 0.0)


def _of_limit() -> float | None:
    """Bytes that a limit on the address space leaves (`ulimit -v`)."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return None
    return max(float(most - pages * os.sysconf("SC_PAGE_SIZE")), 0.0)


def _bytes(count: float) -> str:
    """A size in words."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count / 1e3:.3g} kB"
