"""Closed forms of 802.11n, ac and ax: rates, durations, saturation, contention, shares of airtime.

>>> import windward as ww
>>> near = ww.wifi.Mode("802.11ac", "80 MHz", mcs=9, streams=2, guard="0.4 us")
>>> round(near.rate_bps / 1e6, 1)
866.7
>>> alone = ww.wifi.saturation(near)
>>> alone.frames, round(alone.goodput_bps / 1e6, 1)
(64, 673.8)

They answer first questions without a simulation: how much of a rate is left for data, how large aggregates grow below
saturation, what a slow station takes from the others. The equations and their validation:
`docs/reference/models/wifi-modes.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windward import _engine
from windward.theory._arguments import above_zero

__all__ = [
    "CATEGORIES",
    "HEADERS",
    "MOST_WITH_TXOP",
    "SLOT_S",
    "Array",
    "Exchange",
    "Mode",
    "Shares",
    "Standard",
    "airtime_shares",
    "contention",
    "partial_load",
    "saturation",
]

Array = NDArray[np.float64]
#: Standards with aggregation that are modelled.
Standard = Literal["802.11n", "802.11ac", "802.11ax"]

#: Bytes that 802.11 and LLC/SNAP add to an IP packet: 26 + 8 + 4 for the check sum.
HEADERS = 38
#: Slot of all bands, in seconds.
SLOT_S = 9e-6
#: Stations of video or voice up to which contention stands within 3 % of simulations.
MOST_WITH_TXOP = 2


class _Category(NamedTuple):
    """Parameters of an access category, as Linux's stations assume them (`ieee80211_set_wmm_default`)."""

    aifsn: int
    cw_min: int
    cw_max: int
    #: TXOP limit in seconds; 0: one A-MPDU.
    txop_s: float = 0.0


#: Access categories of EDCA: background, best effort, video, voice.
CATEGORIES = {
    "BK": _Category(7, 15, 1023),
    "BE": _Category(3, 15, 1023),
    "VI": _Category(2, 7, 15, 3.008e-3),
    "VO": _Category(2, 3, 7, 1.504e-3),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Band:
    sifs_s: float
    signal_extension_ns: int


_BANDS = {
    "2.4 GHz": _Band(sifs_s=10e-6, signal_extension_ns=6000),
    "5 GHz": _Band(sifs_s=16e-6, signal_extension_ns=0),
    "6 GHz": _Band(sifs_s=16e-6, signal_extension_ns=0),
}

#: Standards in each band, with the widest channel in MHz.
_WIDEST = {
    ("802.11n", "2.4 GHz"): 40,
    ("802.11n", "5 GHz"): 40,
    ("802.11ac", "5 GHz"): 160,
    ("802.11ax", "2.4 GHz"): 40,
    ("802.11ax", "5 GHz"): 160,
    ("802.11ax", "6 GHz"): 160,
}


@dataclass(frozen=True)
class Mode:
    """A rate of 802.11n, ac or ax.

    Parameters
    ----------
    standard
        "802.11n", "802.11ac" or "802.11ax".
    width
        Width of the channel: "20 MHz" to "160 MHz".
    mcs
        Modulation and coding scheme, counted per stream: 0 to 7, 9 or 11.
    streams
        Spatial streams, 1 to 4.
    guard
        Guard interval: "0.4 us" or "0.8 us"; for 802.11ax "0.8 us", "1.6 us" or "3.2 us".
    band
        "2.4 GHz", "5 GHz" or "6 GHz".
    he_ltf
        Training field of 802.11ax. Default: 7.2, 8 or 16 µs, by the guard interval; ns-3 takes "8 us".

    Raises
    ------
    ValueError
        For a combination that the standard lacks, with the nearest it has.

    Examples
    --------
    >>> Mode("802.11ax", "20 MHz", mcs=0).rate_bps
    8602941.176470589
    >>> Mode("802.11ac", "20 MHz", mcs=9)
    Traceback (most recent call last):
    ...
    ValueError: 802.11ac: the standard has no such MCS with this width and number of streams; the next lower is 8
    """

    standard: Standard
    width: str
    mcs: int
    streams: int = 1
    guard: str = "0.8 us"
    band: str = "5 GHz"
    he_ltf: str | None = None
    _engine: _engine.WifiMode = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if str(self.standard) == "802.11be":
            raise ValueError("802.11be is not modelled; 802.11ax is the nearest standard")
        if self.band not in _BANDS:
            raise ValueError(f"unknown band `{self.band}`; allowed: {', '.join(_BANDS)}")
        width_mhz = round(_in("width", self.width, "Hz") / 1e6)
        widest = _WIDEST.get((self.standard, self.band))
        if widest is None and self.standard in {standard for standard, _ in _WIDEST}:
            bands = ", ".join(band for standard, band in _WIDEST if standard == self.standard)
            raise ValueError(f"{self.standard} does not exist at {self.band}; allowed: {bands}")
        if widest is not None and width_mhz > widest:
            raise ValueError(f"{self.standard} at {self.band} has channels of at most {widest} MHz, not {self.width}")
        for name, count in (("mcs", self.mcs), ("streams", self.streams)):
            if not 0 <= count < 256:
                raise ValueError(f"{name} is {count}; it must be from 0 to 255")
        he_ltf_ns = None if self.he_ltf is None else round(_in("he_ltf", self.he_ltf, "s") * 1e9)
        guard_ns = round(_in("guard", self.guard, "s") * 1e9)
        extension_ns = _BANDS[self.band].signal_extension_ns
        mode = _engine.WifiMode(self.standard, width_mhz, self.streams, guard_ns, self.mcs, he_ltf_ns, extension_ns)
        object.__setattr__(self, "_engine", mode)

    @property
    def rate_bps(self) -> float:
        """Rate within the data field, in bits a second."""
        return self._engine.bits_per_sec()

    @property
    def window(self) -> int:
        """Largest window of a BlockAck session: 64 MPDUs, 256 for 802.11ax."""
        return 256 if self.standard == "802.11ax" else 64

    def duration_s(self, frames: int = 1, mpdu: int = 1538) -> float:
        """Duration in seconds of a PPDU with an A-MPDU of `frames` MPDUs of `mpdu` bytes."""
        _counted("frames", frames)
        _counted("mpdu", mpdu)
        return self._engine.duration_s(frames, mpdu)

    def largest_aggregate(
        self, mpdu: int = 1538, *, window: int | None = None, limit: int | None = None, longest_s: float | None = None
    ) -> int:
        """Most MPDUs of `mpdu` bytes in an A-MPDU.

        Parameters
        ----------
        mpdu
            Bytes of an MPDU.
        window
            Window of the BlockAck session. Default: the largest of the standard.
        limit
            Bytes of the A-MPDU. Default: the most that the standard allows.
        longest_s
            Duration of the PPDU in seconds. Default: 5.484 ms.
        """
        _counted("mpdu", mpdu)
        return self._engine.largest_aggregate(mpdu, window or self.window, limit, longest_s)

    def answer_s(self, window: int | None = None) -> float:
        """Duration in seconds of the BlockAck for a window; of an ACK without one."""
        return self._engine.answer_s(window)


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Exchanges of a saturated station: A-MPDUs and their BlockAcks, with the mean wait for the medium."""

    #: MPDUs of an A-MPDU; of the first in a TXOP.
    frames: int
    #: Duration of its PPDU, in seconds.
    ppdu_s: float
    #: MPDUs from one wait for the medium to the next: those of a TXOP.
    txop_frames: int
    #: Time from one wait to the next, in seconds.
    cycle_s: float
    #: Payload that is delivered, in bits a second.
    goodput_bps: float


def saturation(
    mode: Mode,
    *,
    payload: int = 1472,
    headers: int = 66,
    window: int | None = None,
    limit: int | None = None,
    category: str = "BE",
    rts: bool = False,
) -> Exchange:
    """Throughput of one station that always has data, without losses.

    Video and voice send A-MPDUs until their TXOP ends, each as long as what is left of it allows.

    Parameters
    ----------
    mode
        Rate of the data.
    payload
        Bytes of a packet that count.
    headers
        Bytes of an MPDU beyond them: 28 of UDP and IP, 38 of 802.11.
    window
        Window of the BlockAck session. Default: the largest of the standard.
    limit
        Bytes of an A-MPDU. Default: the most that the standard allows.
    category
        Access category: "BK", "BE", "VI" or "VO".
    rts
        True if RTS and CTS go before each A-MPDU.

    Examples
    --------
    >>> found = saturation(Mode("802.11n", "20 MHz", mcs=7))
    >>> found.frames, round(found.goodput_bps / 1e6, 2)
    (28, 59.75)
    >>> found = saturation(Mode("802.11n", "20 MHz", mcs=7), category="VO")
    >>> found.frames, found.txop_frames, round(found.goodput_bps / 1e6, 2)
    (7, 7, 56.33)
    """
    timing = _Timing(mode, category, window)
    mpdu = payload + headers
    txop = timing.txop(mode, mpdu, mode.largest_aggregate(mpdu, window=window, limit=limit), rts)
    cycle_s = timing.backoff_s + txop.span_s
    return Exchange(
        frames=txop.frames[0],
        ppdu_s=mode.duration_s(txop.frames[0], mpdu),
        txop_frames=sum(txop.frames),
        cycle_s=cycle_s,
        goodput_bps=8 * payload * sum(txop.frames) / cycle_s,
    )


def partial_load(mode: Mode, goodput_bps: float, *, payload: int = 1472, headers: int = 66) -> Exchange:
    """Mean aggregate and cycle of one station that offers less than it could send.

    An A-MPDU takes what came during the exchange before: with a + bK for an exchange of K MPDUs and arrivals λ,
    K = λa/(1 − λb), at least one.

    Raises
    ------
    ValueError
        If the load is more than the station can send.

    Examples
    --------
    >>> found = partial_load(Mode("802.11n", "20 MHz", mcs=7), 55e6)
    >>> round(found.goodput_bps * found.cycle_s / 8 / 1472, 2)
    8.18
    """
    above_zero("goodput", goodput_bps)
    most = saturation(mode, payload=payload, headers=headers)
    if goodput_bps >= most.goodput_bps:
        raise ValueError(f"the station sends at most {most.goodput_bps:g} bit/s, not {goodput_bps:g}")
    mpdu, timing = payload + headers, _Timing(mode, "BE", None)
    each_s = 8 * _subframe(mpdu) / mode.rate_bps
    # Beside the mean rounding to whole symbols.
    rest = [mode.duration_s(frames, mpdu) - each_s * frames for frames in range(1, most.frames + 1)]
    fixed_s = timing.backoff_s + timing.success_s(0.0, False) + sum(rest) / len(rest)
    arrivals = goodput_bps / (8 * payload)
    cycle_s = max(fixed_s / (1 - arrivals * each_s), 1 / arrivals)
    frames = arrivals * cycle_s
    held = round(frames)
    return Exchange(frames=held, ppdu_s=each_s * frames, txop_frames=held, cycle_s=cycle_s, goodput_bps=goodput_bps)


def contention(
    mode: Mode,
    stations: int,
    *,
    frames: int | None = None,
    loss: float = 0.0,
    payload: int = 1472,
    headers: int = 66,
    window: int | None = None,
    category: str = "BE",
    rts: bool = False,
) -> float:
    """Goodput in bits a second of all of `stations` saturated ones together (Bianchi, JSAC 18(3), 2000, with A-MPDUs).

    A PPDU fails as a whole if it collides, or if each of its MPDUs is lost. All stations hear each other and defer for
    EIFS after a collision. Video and voice send A-MPDUs until their TXOP ends, or until the first of them collides.

    With losses an A-MPDU is shorter: MPDUs behind a missing one wait for it once the window is full.

    Parameters
    ----------
    frames
        MPDUs of an A-MPDU. Default: as many as fit.
    loss
        Probability that an MPDU is lost where nothing collides, for categories without TXOP.

    Raises
    ------
    ValueError
        For more than two stations of video or voice, and for losses within their TXOPs: neither is modelled.

    Examples
    --------
    >>> round(contention(Mode("802.11n", "20 MHz", mcs=7), 10) / 1e6, 1)
    46.8
    """
    _counted("stations", stations)
    if not 0 <= loss < 1:
        raise ValueError(f"loss is {loss:g}; it must be from 0 to below 1")
    timing = _Timing(mode, category, window)
    mpdu = payload + headers
    most = frames or mode.largest_aggregate(mpdu, window=window)
    _counted("frames", most)
    if stations > MOST_WITH_TXOP and timing.txop_s > 0:
        raise ValueError(
            f"{stations} stations of {category}, whose windows are too short for Bianchi's equations; "
            f"allowed: 1 to {MOST_WITH_TXOP} of {category}, or BK and BE; simulate instead"
        )
    if loss > 0 and timing.txop_s > 0:
        raise ValueError(f"losses within a TXOP are not modelled, and {category} has one; allowed: BK, BE, or loss = 0")
    if loss > 0:
        sent, fails = _aggregates(most, window or mode.window, loss)
        ppdu_s = float(np.interp(sent, *_neighbours(mode, sent, mpdu)))
        span_s, first_s = timing.success_s(ppdu_s, rts), ppdu_s
    else:
        txop = timing.txop(mode, mpdu, most, rts)
        sent, fails, span_s, first_s = sum(txop.frames), 0.0, txop.span_s, mode.duration_s(txop.frames[0], mpdu)
    attempt = _attempts(stations, fails, CATEGORIES[category])
    busy = 1 - (1 - attempt) ** stations
    alone = stations * attempt * (1 - attempt) ** (stations - 1)
    mean_s = (1 - busy) * SLOT_S + alone * span_s + (busy - alone) * timing.collision_s(first_s, rts)
    return alone * sent * (1 - loss) * 8 * payload / mean_s


def _aggregates(most: int, window: int, loss: float, rounds: int = 20_000) -> tuple[float, float]:
    """Mean MPDUs of a saturated sender's A-MPDU under losses, and the share of A-MPDUs of which all MPDUs are lost.

    The window of the BlockAck session begins at the first missing MPDU, and an A-MPDU holds what is missing and what is
    new within it. The state is the set of missing MPDUs, too large for a closed form: a sample of A-MPDUs with drawn
    losses, always the same, has the means within a percent.
    """
    random = np.random.default_rng(1)
    # Places of missing MPDUs from the start of the window on, and the first new one.
    missing, new = np.zeros(0, int), 0
    sent = failed = 0
    for _ in range(rounds):
        fresh = max(min(most - len(missing), window - new), 0)
        places = np.concatenate([missing[:most], np.arange(new, new + fresh)])
        lost = random.random(len(places)) < loss
        sent += len(places)
        failed += bool(lost.all())
        new += fresh
        missing = np.concatenate([places[lost], missing[most:]])
        start = int(missing[0]) if len(missing) else new
        missing, new = missing - start, new - start
    return sent / rounds, failed / rounds


def _attempts(stations: int, fails: float, category: _Category) -> float:
    """Probability that a station begins in a slot: Bianchi's two equations, by bisection."""
    window = category.cw_min + 1
    doublings = int(np.log2((category.cw_max + 1) / window))

    def rest(attempt: float) -> float:
        failed = 1 - (1 - attempt) ** (stations - 1) * (1 - fails)
        powers = sum((2 * failed) ** stage for stage in range(doublings))
        return 2 / (1 + window + failed * window * powers) - attempt

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rest(middle) > 0 else (low, middle)
    return low


class Shares(NamedTuple):
    """Airtime and goodput of stations."""

    #: Share of the time of all PPDUs.
    airtime: Array
    #: In bits a second.
    goodput_bps: Array


def airtime_shares(
    modes: Sequence[Mode],
    frames: Sequence[float],
    *,
    fair: bool,
    weights: Sequence[float] | None = None,
    packet: int = 1500,
    overhead_s: Sequence[float] | None = None,
) -> Shares:
    """Airtime and goodput of each station behind one access point.

    A round robin of aggregates gives each station one in turn. Airtime fairness gives a station's PPDUs its weight in
    time, w_i/Σw, as Linux accounts for it: exchanges in proportion to w_i/D_i. Either way an exchange takes the time
    beside its PPDU too, so that stations with short aggregates cost the others more than their share.

    Parameters
    ----------
    modes, frames
        Rate and mean MPDUs of an A-MPDU, of each station.
    fair
        True if the access point is fair in airtime.
    weights
        Of the stations. Default: equal.
    packet
        Bytes of an IP packet, which count.
    overhead_s
        Time of an exchange beside the PPDU. Default: AIFS, mean backoff, SIFS and BlockAck.

    Examples
    --------
    >>> near = Mode("802.11n", "20 MHz", mcs=7, streams=2, guard="0.4 us")
    >>> far = Mode("802.11n", "20 MHz", mcs=0, guard="0.4 us")
    >>> [round(float(rate) / 1e6, 1) for rate in airtime_shares([near, near, far], [32, 32, 2], fair=True).goodput_bps]
    [43.6, 43.6, 2.2]
    """
    if not len(modes) == len(frames):
        raise ValueError(f"there are {len(modes)} modes and {len(frames)} mean aggregates")
    if weights is not None and (len(weights) != len(modes) or min(weights) <= 0):
        raise ValueError("weights must be above 0, one for each station")
    if overhead_s is None:
        timings = [_Timing(mode, "BE", None) for mode in modes]
        overhead_s = [timing.backoff_s + timing.success_s(0.0, False) for timing in timings]
    mpdu = packet + HEADERS
    # A mean aggregate need not be whole: its duration is between those of its neighbours.
    ppdu_s = np.array(
        [np.interp(count, *_neighbours(mode, count, mpdu)) for mode, count in zip(modes, frames, strict=True)]
    )
    parts = np.ones(len(modes)) if weights is None else np.asarray(weights, float)
    # Exchanges of each station in a round.
    exchanges = parts / ppdu_s if fair else np.ones(len(modes))
    round_s = float(np.sum(exchanges * (ppdu_s + np.asarray(overhead_s, float))))
    airtime = exchanges * ppdu_s / np.sum(exchanges * ppdu_s)
    return Shares(airtime, 8 * packet * exchanges * np.asarray(frames, float) / round_s)


def _neighbours(mode: Mode, count: float, mpdu: int) -> tuple[list[int], list[float]]:
    below = max(int(count), 1)
    return [below, below + 1], [mode.duration_s(below, mpdu), mode.duration_s(below + 1, mpdu)]


class _Txop(NamedTuple):
    """Exchanges of a TXOP."""

    #: MPDUs of each A-MPDU.
    frames: list[int]
    #: Time from the end of the backoff to the end of the last answer, in seconds.
    span_s: float


class _Timing:
    """Spaces, backoff and answers of one station."""

    def __init__(self, mode: Mode, category: str, window: int | None) -> None:
        if category not in CATEGORIES:
            raise ValueError(f"unknown access category `{category}`; allowed: {', '.join(CATEGORIES)}")
        if window is not None:
            _counted("window", window)
        chosen = CATEGORIES[category]
        self.sifs_s = _BANDS[mode.band].sifs_s
        self.aifs_s = self.sifs_s + chosen.aifsn * SLOT_S
        self.backoff_s = chosen.cw_min / 2 * SLOT_S
        self.txop_s = chosen.txop_s
        self.answer_s = mode.answer_s(window or mode.window)
        self.rts_s, self.cts_s = mode._engine.protection_s()

    def _protection_s(self, rts: bool) -> float:
        return self.rts_s + self.cts_s + 2 * self.sifs_s if rts else 0.0

    def success_s(self, ppdu_s: float, rts: bool) -> float:
        return self.aifs_s + self._protection_s(rts) + ppdu_s + self.sifs_s + self.answer_s

    def txop(self, mode: Mode, mpdu: int, most: int, rts: bool) -> _Txop:
        """A-MPDUs of at most `most` MPDUs, one SIFS after the other, as long as the TXOP has room for one."""
        beside_s = self._protection_s(rts) + self.sifs_s + self.answer_s
        if self.txop_s == 0.0:
            return _Txop([most], self.aifs_s + beside_s + mode.duration_s(most, mpdu))
        found: list[int] = []
        passed_s = 0.0
        while True:
            room_s = self.txop_s - passed_s - beside_s
            # The first MPDU goes out even if it is longer than the TXOP.
            frames = mode.largest_aggregate(mpdu, window=most, longest_s=max(room_s, 1e-9))
            ppdu_s = mode.duration_s(frames, mpdu)
            if found and ppdu_s > room_s:
                return _Txop(found, self.aifs_s + passed_s - self.sifs_s)
            found.append(frames)
            passed_s += beside_s + ppdu_s + self.sifs_s

    def collision_s(self, ppdu_s: float, rts: bool) -> float:
        lost_s = self.rts_s + self.sifs_s + self.cts_s if rts else ppdu_s + self.sifs_s + self.answer_s
        return self.aifs_s + lost_s


def _subframe(mpdu: int) -> int:
    return (mpdu + 7) // 4 * 4


def _counted(name: str, count: int) -> None:
    if count < 1:
        raise ValueError(f"{name} is {count}; it must be at least 1")


def _in(name: str, text: str, unit: str) -> float:
    read = _engine.quantity(text)
    if read is None or read[1] != unit:
        raise ValueError(
            f"{name} is `{text}`; expected a quantity with its unit, as in `{'20 MHz' if unit == 'Hz' else '0.8 us'}`"
        )
    return read[0]
