"""Claims 52 to 55: Tables I and II, emulated."""

from __future__ import annotations

import pandas as pd

from windward.papers import Finding, MissingResultError, Results, claim

from ..live import PAYLOAD, PRINTED, VARIABLE

#: What the emulated links carry of payload, in kbit/s: 97 of 1xRTT; the recording, whole and where it is steady.
MOST = {
    "constant rate": 97 * PAYLOAD / (PAYLOAD + 40),
    "the drive": 520.5 * PAYLOAD / (PAYLOAD + 40),
    "steady stretches": 573.7 * PAYLOAD / (PAYLOAD + 40),
}


def table(results: Results, number: int) -> pd.DataFrame:
    """The numbers of an emulated table, as its figure keeps them."""
    if number == 2 and not results.has("table-2"):
        raise MissingResultError(f"not without the recording: {VARIABLE} names its folder")
    return results.table(f"table-{number}")


def one(rows: pd.DataFrame, protocol: str, count: int = 1) -> pd.DataFrame:
    return rows[(rows["protocol"] == protocol) & (rows["count"] == count)]


def gains(rows: pd.DataFrame, protocol: str, count: int = 1) -> pd.DataFrame:
    """Throughput and round trip over those of one TCP connection, and connections, of every variant."""
    tcp = one(rows, "TCP").iloc[0]
    found = one(rows, protocol, count)
    return pd.DataFrame(
        {"gain": found["kbps"] / tcp["kbps"], "rtt": found["rtt_ms"] / tcp["rtt_ms"], "n": found["connections"]}
    )


def told(rows: pd.DataFrame, protocol: str, count: int = 1) -> str:
    found = gains(rows, protocol, count)
    ends = {name: (found[name].min(), found[name].max()) for name in found}
    units = [" of its throughput", " of its round trip", *[" connections"][: int(count == 1)]]
    text = ", ".join(
        f"{low:.2f} to {high:.2f}{unit}" if high - low > 0.005 else f"{low:.2f}{unit}"
        for (low, high), unit in zip(ends.values(), units, strict=False)
    )
    return f"{protocol if count == 1 else f'{count} connections'} {text}"


def is_fitted(rows: pd.DataFrame, network: str) -> bool:
    """True if TCP matches the values that it was fitted to, within 3 %."""
    kbps, rtt, _ = PRINTED[network]["TCP"]
    tcp = one(rows, "TCP").iloc[0]
    return bool(abs(tcp["kbps"] / kbps - 1) < 0.03 and abs(tcp["rtt_ms"] / rtt - 1) < 0.03)


@claim(52)
def a_slow_network(results: Results) -> Finding:
    rows = table(results, 1)
    paper, frc, two = gains(rows, "E-MULTCP"), gains(rows, "E-MULTFRC"), gains(rows, "TCP", 2)
    tcp = one(rows, "TCP").iloc[0]
    return Finding(
        ours=f"TCP, fitted, {tcp['kbps']:.0f} kbit/s at {tcp['rtt_ms']:.0f} ms; to it, over both roundings and τ of 20 "
        f"and 5 s: {told(rows, 'E-MULTCP')}; {told(rows, 'E-MULTFRC')}; {told(rows, 'TCP', 2)}",
        holds=is_fitted(rows, "1xRTT")
        and bool(paper["gain"].between(1.05, 1.25).all() and frc["gain"].between(1.1, 1.35).all())
        and bool(two["gain"].between(1.4, 1.6).all()),
    )


@claim(53)
def a_faster_network(results: Results) -> Finding:
    both = {str(where): rows for where, rows in table(results, 2).groupby("where", sort=False)}
    rested, driven = both["steady stretches"], both["the drive"]
    return Finding(
        ours="; ".join(f"on {where} {told(rows, 'E-MULTCP')}, {told(rows, 'TCP', 2)}" for where, rows in both.items()),
        holds=all(is_fitted(rows, "EVDO") for rows in both.values())
        and bool(gains(driven, "E-MULTCP")["gain"].between(0.98, 1.2).all())
        and bool(gains(rested, "E-MULTCP")["gain"].between(1.05, 1.45).all())
        and bool(gains(rested, "E-MULTCP")["n"].max() > gains(driven, "E-MULTCP")["n"].max()),
    )


@claim(54)
def longer_round_trips_and_more_loss(results: Results) -> Finding:
    found, longer = [], []
    for rows in (table(results, 1), *(rows for _, rows in table(results, 2).groupby("where", sort=False))):
        tcp, ours = one(rows, "TCP").iloc[0], one(rows, "E-MULTCP")
        least = 0.99 if tcp["where"] == "the drive" else 1.0
        longer.append(bool((ours["rtt_ms"] > least * tcp["rtt_ms"]).all()))
        found.append(
            f"{tcp['network']}, {tcp['where']}: round trips {ours['rtt_ms'].min() / tcp['rtt_ms']:.2f} to "
            f"{ours['rtt_ms'].max() / tcp['rtt_ms']:.2f} of TCP's, loss {100 * ours['loss'].min():.1f} to "
            f"{100 * ours['loss'].max():.1f} % for {100 * tcp['loss']:.1f}"
        )
    return Finding(ours="; ".join(found), holds=all(longer))


@claim(55)
def two_or_three_connections_fill_them(results: Results) -> Finding:
    shares = {}
    for rows in (table(results, 1), *(rows for _, rows in table(results, 2).groupby("where", sort=False))):
        where = str(rows["where"].iloc[0])
        shares[where] = [float(one(rows, "TCP", count)["kbps"].iloc[0]) / MOST[where] for count in (1, 2, 3)]
    return Finding(
        ours="; ".join(
            f"{where}: {', '.join(f'{share:.2f}' for share in each)} of it by one, two and three"
            for where, each in shares.items()
        ),
        holds=shares["constant rate"][1] > 0.9 and all(each[2] > 0.75 and each[0] < 0.7 for each in shares.values()),
    )
