"""Results of the packet runs that the paper's prose reports, section V-B, in packets/s; its curves are lost."""

from __future__ import annotations

#: Average rates of ftp0 to ftp3 under scheduler (10), Fig. 5.
RATES = {
    "QUIC-TCP": (780.75, 781.46, 781.11, 781.36),
    "FAST": (780.86, 781.26, 781.06, 781.46),
    "CUBIC": (1008.06, 177.17, 1045.91, 742.42),
    "Compound": (1216.97, 184.54, 1186.04, 357.48),
    "Vegas": (436.48, 1453.28, 351.09, 589.47),
    "Reno": (356.78, 345.91, 265.31, 1718.54),
}

#: Totals of QUIC-TCP by scheduler, Fig. 6 (middle).
TOTALS = {"queueing delay (10)": 3124.68, "round robin": 2856.75, "max-SNR": 3313.89, "queue length": 3215.84}

#: Jain's index of QUIC-TCP by scheduler, Fig. 6 (bottom).
JAIN = {"queueing delay (10)": 0.999, "round robin": 0.938, "max-SNR": 0.749, "queue length": 0.745}

#: Jain's index under (10) by law, Fig. 6 (bottom). The text prints 0.771 for Compound, but "0.288 less" than QUIC-TCP's
#: 0.999, which its rates above confirm: 0.711.
JAIN_BY_LAW = {"QUIC-TCP": 0.999, "FAST": 0.999, "CUBIC": 0.820, "Compound": 0.711, "Vegas": 0.722, "Reno": 0.551}

#: Steps kappa that do not lower the total, Fig. 7: FAST; QUIC-TCP by rho.
FAST_STEPS = (0.01, 2.5)
STEPS = {0.5: (0.01, 3.3), 0.55: (0.02, 7.1)}
