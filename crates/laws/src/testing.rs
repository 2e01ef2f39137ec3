//! Acknowledgements and congestion events for the tests of single laws.

use crate::{Ack, Congestion, CongestionKind, Sample};
use windward_units::{Duration, Packets, Time};

/// An ACK of one packet at `now` ms, of round trip `round`, in a full window of `window` packets; base RTT 100 ms, no
/// queue.
pub(crate) fn ack(now: u64, round: u64, window: f64) -> Ack {
    let base_rtt = Duration::from_millis(100);
    Ack {
        now: millis(now),
        acked: Packets::ONE,
        counts_acks: false,
        marked: Packets::ZERO,
        lost: Packets::ZERO,
        rtt: Some(base_rtt),
        srtt: base_rtt,
        base_rtt,
        flight: Packets::new(window - 1.0),
        sent_at: millis(now) - base_rtt,
        flight_at_send: Packets::new(window),
        delivery_rate: None,
        app_limited: false,
        recovering: false,
        round,
        sample: Sample::default(),
    }
}

/// An [`ack`] with a round-trip time of `rtt` ms.
pub(crate) fn slow_ack(now: u64, round: u64, window: f64, rtt: u64) -> Ack {
    let rtt = Duration::from_millis(rtt);
    Ack { rtt: Some(rtt), srtt: rtt, ..ack(now, round, window) }
}

/// Congestion with `flight` packets in flight.
pub(crate) fn congestion(kind: CongestionKind, flight: f64) -> Congestion {
    let base_rtt = Duration::from_millis(100);
    Congestion { now: millis(0), kind, flight: Packets::new(flight), lost: Packets::ONE, srtt: base_rtt, base_rtt }
}

/// Asserts that `a` and `b` agree to `tolerance`.
#[track_caller]
pub(crate) fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b} within {tolerance}");
}

fn millis(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}
