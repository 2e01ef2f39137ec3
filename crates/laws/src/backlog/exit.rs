//! Exit of slow start by the queue.

use super::avg_rtt::AvgRtt;
use super::drift::FLOOR;
use crate::Ack;
use crate::shared::{RoundTrip, queued};
use windward_units::{Duration, Time};

/// End of slow start at a number of packets in queues.
#[derive(Clone, Debug)]
pub(crate) struct Exit {
    round: RoundTrip,
    /// Time at which slow start found the queue: packets sent earlier measure the queue that it made.
    settled: Time,
}

impl Exit {
    pub(crate) fn new() -> Self {
        Self { round: RoundTrip::new(), settled: Time::ZERO }
    }

    /// True if the packet of `ack` was sent in the slow start that has ended: its sample does not count.
    #[inline]
    pub(crate) fn is_before(&self, ack: &Ack) -> bool {
        ack.sent_at < self.settled
    }

    /// Returns true if an ACK in slow start shows `backlog` packets in queues, and sets window and average to the
    /// equilibrium with them.
    pub(crate) fn found(&mut self, ack: &Ack, backlog: f64, cwnd: &mut f64, avg_rtt: &mut AvgRtt) -> bool {
        let ended = self.round.on_ack(ack);
        // The first samples of a round see the queue that the round before has left; later ones also its own bursts.
        let round_rtt = match ended {
            Some(ended) if ended.samples < SAMPLES => ended.min_rtt,
            None if self.round.samples() == SAMPLES => self.round.min_rtt(),
            _ => None,
        };
        let Some(rtt) = round_rtt else { return false };
        let sent_in = ack.flight_at_send.count();
        let is_found = queued(sent_in, ack.base_rtt, rtt) >= backlog;
        if is_found {
            self.settled = ack.now;
            *cwnd = settle(sent_in, ack.base_rtt, rtt, backlog, avg_rtt).min(*cwnd).max(FLOOR);
        }
        is_found
    }
}

/// Equilibrium on a path that gave a window of `sent_in` packets the round-trip time `rtt`: its rate times base_rtt,
/// plus the backlog. Sets AvgRTT to the round-trip time of this window.
fn settle(sent_in: f64, base_rtt: Duration, rtt: Duration, backlog: f64, avg_rtt: &mut AvgRtt) -> f64 {
    let cwnd = sent_in * base_rtt.ratio(rtt) + backlog;
    avg_rtt.nanos = cwnd / sent_in * rtt.as_nanos() as f64;
    cwnd
}

/// Samples that distinguish the standing queue from a burst; HyStart++'s (RFC 9406 §4.3).
const SAMPLES: u32 = 8;
