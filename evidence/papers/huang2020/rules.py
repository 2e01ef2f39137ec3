"""Scheduling rules that stand in no library: other readings of the paper's."""

from __future__ import annotations

import windward as ww

#: The name of that reading of the queue-length scheduler in tables and figures.
WHOLE_QUEUE = "queue length of the access point"


class WholeQueue:
    """argmax Q R with Q what waits for all stations together: the station of the highest rate, of those that wait."""

    def choose(self, slot: ww.Slot) -> int | None:
        able = [at for at, station in enumerate(slot.stations) if station.backlog_packets and station.rate]
        return max(able, key=lambda at: slot.stations[at].rate, default=None)
