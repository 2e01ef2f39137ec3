"""For which round trips d and steps κ the literal update (9) converges near its rest.

One update every period, without delay of feedback, is w <- w - κ D D_bar^-1 W^(1-2ρ) v(w). At rest v = 0, so that a
small distance from rest is multiplied by I - κ G with G = D D_bar^-1 W^(1-2ρ) dv/dw: it dies out where every eigenvalue
of κ G lies between 0 and 2. By Property 2 the eigenvalues of dv/dw = I - D dx/dw lie between 0 and 1, so that
κ d x w^(-2ρ) < 2 for every flow is enough: κ d x < 2 at ρ = 0; at ρ = 1/2 it is κ d/d_bar < 2, which κ < 2 brings
whatever d is.
"""

from __future__ import annotations

import numpy as np

from windward.theory.num import Array

from ..shared.quic_tcp import Case


def rest(case: Case) -> Array:
    """The windows at rest, x d + p with the optimum's rates."""
    return np.asarray(case.best().rates * case.base_rtt + case.backlog)


def gains(case: Case, rho: float, share: float = 1e-3) -> Array:
    """The eigenvalues of G, rising: 2 over the largest is the largest stable κ.

    Parameters
    ----------
    case
        A network, its round trips and p.
    rho
        ρ of the law.
    share
        dx/dw by central differences over this share of every window.
    """
    windows, f = rest(case), case.map()
    columns = []
    for flow in range(case.flows):
        step = np.zeros(case.flows)
        step[flow] = share * windows[flow]
        columns.append((f.solve(windows + step)[0] - f.solve(windows - step)[0]) / (2 * step[flow]))
    slope = np.eye(case.flows) - case.base_rtt[:, None] * np.column_stack(columns)
    rates = f.solve(windows)[0]
    return np.sort(np.linalg.eigvals((case.base_rtt * rates * windows ** (-2 * rho))[:, None] * slope).real)
