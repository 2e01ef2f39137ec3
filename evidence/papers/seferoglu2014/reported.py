"""Results of the packet runs that the paper's prose reports, section V-B; its curves are lost."""

from __future__ import annotations

#: Goodputs of flows 1 and 2 in kbit/s, Fig. 6; for classical backpressure "does not get any chance".
RATES = {
    ("tree", "SACK", "TCP-aware"): (205.76, 203.36),
    ("tree", "Vegas", "TCP-aware"): (469.36, 324.64),
}

#: Fig. 8 at a loss of 0.5: Jain's index of TCP-aware backpressure and AODV; gains over AODV of flows 1 and 2.
JAIN = {"TCP-aware": 0.94, "AODV": 0.98}
GAINS = (0.10, 0.40)

#: Jain's index of Fig. 6's rates.
JAIN_TREE = {"SACK": 0.99997, "Vegas": 0.968}

#: Vegas's total over SACK's.
RATIO = 794.0 / 409.12
