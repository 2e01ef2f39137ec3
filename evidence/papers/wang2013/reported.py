"""Results of the packet runs that the paper's prose reports, section IV-C; its curves are lost."""

from __future__ import annotations

#: Average rates of ftp0 to ftp3, Fig. 4, in packets a millisecond.
RATES = {
    "QUIC-TCP": (2.22, 6.24, 3.21, 5.15),
    "FAST": (2.21, 6.24, 3.21, 5.13),
    "Vegas": (2.27, 5.99, 2.81, 3.66),
    "Reno": (2.66, 6.22, 1.91, 2.75),
}

#: Totals of QUIC-TCP by scheduler, Fig. 5 (middle), in packets a millisecond.
TOTALS = {"proposed": 70.0, "original": 67.0, "queue length": 75.0}

#: Jain's index of QUIC-TCP by scheduler, and of the others under the proposed one, Fig. 5 (bottom).
JAIN = {"proposed": 0.99, "original": 0.85, "queue length": 0.50}
JAIN_BY_LAW = {"QUIC-TCP": 0.99, "Vegas": 0.53, "Reno": 0.35}
