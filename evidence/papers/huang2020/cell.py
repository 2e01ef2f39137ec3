"""The fading cell of the Matlab part as a network of `windward.num`, from cell.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import windward as ww
from windward.theory import num
from windward.theory.fluid import Trajectory, follow
from windward.theory.num import Array

from ..shared.quic_tcp import Case

if TYPE_CHECKING:
    from windward.theory.num import Numbers

FILE = Path(__file__).parent / "cell.toml"


@dataclass(frozen=True, kw_only=True, eq=False)
class Cell:
    """The scenario, and what follows from it."""

    settings: dict[str, Any]
    #: SNR from which on each mode is used, linear; the first is that of no transmission, 0.
    thresholds: Array
    #: Probability of each mode (rows) at each UE.
    probabilities: Array
    #: Packets a second of each mode.
    rates: Array

    @classmethod
    def load(cls) -> Cell:
        """From the file."""
        settings = tomllib.loads(FILE.read_text(encoding="utf-8"))
        cell = settings["cell"]
        modes = cell["mode"]
        # PER_n = a exp(-g SNR) = P0 where mode n begins; a mode is used up to where the next begins.
        begins = [np.log(mode["a"] / cell["error_rate"]) / mode["g"] for mode in modes]
        thresholds = np.array([0.0, *begins])
        mean = 10 ** (np.array(cell["snr_db"]) / 10)
        above = np.exp(-np.append(thresholds, np.inf)[:, None] / mean)
        return cls(
            settings=settings,
            thresholds=thresholds,
            probabilities=above[:-1] - above[1:],
            rates=np.array([0.0, *(mode["bits"] for mode in modes)]) * cell["symbol_rate"] / cell["packet_bits"],
        )

    @property
    def region(self) -> num.Fading:
        """E_h[R(h)], exactly: every combination of modes with its probability."""
        users = self.probabilities.shape[1]
        combinations = np.array(list(product(range(len(self.rates)), repeat=users)))
        return {
            "kind": "fading",
            "rates": self.rates[combinations],
            "probabilities": self.probabilities[combinations, np.arange(users)].prod(axis=1),
        }

    def case(self, backlog: float, base_rtt_s: Numbers | None = None) -> Case:
        """Flows 0 to 3 over access links 0 to 3, N4-N5 (4), N5-BS (5) and the air (6 to 9).

        Parameters
        ----------
        backlog
            p, packets.
        base_rtt_s
            d of each flow, seconds. Default: the scenario's.
        """
        wired = self.settings["wired"]
        links: list[Any] = [{"wired": wired["access"]}] * 4 + [{"wired": wired["n4_n5"]}, {"wired": wired["n5_bs"]}]
        network: num.Network = {
            "links": links + ["wireless"] * 4,
            "couplings": [{"links": [6, 7, 8, 9], "region": self.region}],
            "routes": [[0, 4, 5, 6], [1, 4, 5, 7], [2, 5, 8], [3, 5, 9]],
        }
        base_rtt = self.settings["flows"]["base_rtt_s"] if base_rtt_s is None else base_rtt_s
        return Case(network=network, base_rtt=np.array(base_rtt, dtype=float), backlog=np.full(4, backlog))

    def run(
        self,
        rho: float,
        backlog: float,
        duration_s: float,
        interval_s: float = 0.02,
        *,
        base_rtt_s: Numbers | None = None,
        kappa: float | None = None,
        windows: Numbers | None = None,
    ) -> Trajectory:
        """The literal (9) every period, as section V-A says: exact d, d_bar and v, no delay of feedback.

        Round trips, κ and the windows at the start are the scenario's where none are given.
        """
        case, updates = self.case(backlog, base_rtt_s), self.settings["updates"]
        law = ww.QuicTcp(rho=rho, kappa=updates["kappa"] if kappa is None else kappa, backlog=backlog)
        start = np.full(case.flows, self.settings["flows"]["window_at_start"])
        return follow(
            case.network,
            [law] * case.flows,
            base_rtt_s=case.base_rtt,
            windows=start if windows is None else windows,
            duration_s=duration_s,
            interval_s=interval_s,
            period_s=updates["period_s"],
            loss_free=True,
        )

    def benchmark(self, backlog: float) -> Array:
        """The paper's: the sub-gradient iteration on (1)."""
        case = self.case(backlog)
        fair: list[num.Utility] = [{"kind": "proportional_fair", "weight": backlog}] * case.flows
        # Delays are about p over the rate; a step moves them by a thousandth of that for a unit of overload.
        delay = backlog / 500
        problem: num.Problem = {"network": case.network, "utilities": fair}
        return num.subgradient(problem, first=1e-3 * delay / 500, decay=1e-3, iterations=200_000, price=delay)[0].rates
