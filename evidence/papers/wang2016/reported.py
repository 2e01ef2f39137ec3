"""Values printed in wang2016: Tables 8, 9 and 10."""

from __future__ import annotations

#: Round trips of Tables 8 and 9, ms.
RTTS_MS = (20, 50, 100, 200)

#: Seconds until two flows share fairly, by law and round trip (Table 8; minutes are printed with one digit).
SHARING = {
    "Reno": (9.2, 60.0, 228.0, 1458.0),
    "CUBIC": (3.1, 5.7, 9.0, 13.9),
    "FAST": (0.2, 0.4, 1.2, 3.9),
    "TCP-FIT": (1.5, 4.9, 10.1, 19.0),
    "TCP-FIT β = 5": (0.3, 0.9, 2.1, 4.8),
}

#: Seconds until one flow fills the link after 99 have stopped (Table 9). The second row has no label: CUBIC's by
#: elimination. The last is printed "β = 1" once more.
FILLING = {
    "Reno": (21.0, 246.0, 1182.0, 4110.0),
    "CUBIC": (12.0, 22.0, 35.9, 57.0),
    "FAST": (0.1, 1.3, 6.4, 11.5),
    "TCP-FIT": (8.3, 21.4, 29.2, 66.0),
    "TCP-FIT β = 5": (1.6, 3.9, 7.1, 14.1),
}

#: Mbit/s over PlanetLab (Table 10), and the speed-ups printed for it.
PLANETLAB = {"TCP-FIT": 20.2, "Reno": 14.0, "CUBIC": 16.2, "Vegas": 9.8, "Compound": 14.7}
SPEED_UPS = {"Reno": 0.42, "CUBIC": 0.23, "Vegas": 1.04, "Compound": 0.37}
