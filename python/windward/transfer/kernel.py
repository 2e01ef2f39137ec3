"""Control laws in the Linux kernel, as eBPF programs: every program on the machine can choose them.

Needs root.

>>> from windward.transfer import kernel
>>> law = kernel.load("quic-tcp", {"backlog": 20})  # doctest: +SKIP
>>> law.name  # doctest: +SKIP
'quic_tcp'
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from windward import _engine
from windward._engine import KernelError

__all__ = ["clean", "laws", "list", "load", "set", "show", "unload"]


def load(
    law: str, parameters: Mapping[str, float] | None = None, *, name: str | None = None, stay: bool = False
) -> _engine.LoadedLaw:
    """Loads a law into the kernel, for as long as the object that is returned lives.

    Parameters
    ----------
    law
        One of `laws()`.
    parameters
        Parameters of the law. Default: its own.
    name
        The name by which programs choose it. Default: the law's name, with "_" for "-".
    stay
        Keep it loaded until `unload`, or the next boot.

    Raises
    ------
    windward.KernelError
        If it cannot be loaded: why, and what to do.
    """
    _need_linux()
    return _engine.kernel_load(law, [*(parameters or {}).items()], name, stay)


def laws() -> dict[str, dict[str, float]]:
    """The laws that can be loaded, with their parameters' defaults.

    Raises
    ------
    windward.KernelError
        Off Linux.
    """
    _need_linux()
    return dict(_engine.kernel_laws())


def list() -> builtins.list[dict[str, Any]]:  # noqa: A001
    """The loaded laws: `name`, `law`, `parameters`, `connections`, `stays`.

    Raises
    ------
    windward.KernelError
        If the kernel cannot be asked.
    """
    _need_linux()
    return _engine.kernel_list()


def set(name: str, parameters: Mapping[str, float]) -> None:  # noqa: A001
    """Changes parameters of a loaded law; its connections use them from their next round trip on.

    Raises
    ------
    windward.KernelError
        If no such law is loaded, or a parameter is impossible.
    """
    _need_linux()
    _engine.kernel_set(name, [*parameters.items()])


def show(name: str) -> tuple[tuple[str, str], builtins.list[dict[str, Any]]]:
    """The connections that use a loaded law, as of the end of their last round trip.

    Returns
    -------
    tuple of str
        Name and unit of the figure that is the law's own.
    list of dict
        Each connection: `local`, `remote`, `cwnd` in packets, `base_rtt_s`, `avg_rtt_s`, the law's own figure,
        `is_slow_start`, `rounds`.

    Raises
    ------
    windward.KernelError
        If no such law is loaded.
    """
    _need_linux()
    return _engine.kernel_show(name)


def unload(name: str, *, even_if_used: bool = False) -> None:
    """Unloads a law, whichever process loaded it; with `even_if_used` also while connections use it, which keep it.

    Raises
    ------
    windward.KernelError
        If no such law is loaded, or connections use it.
    """
    _need_linux()
    _engine.kernel_unload(name, even_if_used)


def clean() -> builtins.list[str]:
    """Unloads the laws that were loaded to stay; returns their names.

    Raises
    ------
    windward.KernelError
        If one cannot be unloaded.
    """
    _need_linux()
    return _engine.kernel_clean()


def _need_linux() -> None:
    if not hasattr(_engine, "kernel_load"):
        raise KernelError("kernel laws need Linux")
