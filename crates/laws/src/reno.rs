//! Reno: additive increase, multiplicative decrease.
//!
//! RFC 5681 §3.1 (slow start and congestion avoidance), RFC 3465 §2.2 (byte counting, L = 2).
//!
//! Window W in packets, per ACK of `acked` packets:
//!
//! * W < ssthresh: W ← W + min(acked, L)
//! * else: W ← W + acked/W, so W grows by one packet per round trip
//! * on loss: ssthresh ← max(flight/2, 2), W ← ssthresh
//! * on timeout: the same ssthresh, W ← 1
//!
//! **Where we differ**
//! * The window is a real number; RFC 5681 counts bytes.
//! * The decrease halves what is in flight, as RFC 5681 says; ns-2 halves cwnd.

use crate::{Ack, Congestion, CongestionKind, Law, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{Duration, Packets};

/// Parameters of [`Reno`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Packets that slow start may add per ACK (RFC 3465 §2.3, L). Default 2; 1 is RFC 5681 without byte counting.
    pub slow_start_limit: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { slow_start_limit: 2.0 }
    }
}

impl Params {
    /// Refuses values outside their range, naming the field.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if (1.0..=2.0).contains(&self.slow_start_limit) {
            Ok(())
        } else {
            Err(("slow_start_limit", format!("{} is not between 1 and 2", self.slow_start_limit)))
        }
    }
}

/// The law and its state.
#[derive(Clone, Debug)]
pub struct Reno {
    params: Params,
    cwnd: f64,
    ssthresh: f64,
}

impl Reno {
    /// A sender whose window begins at `initial`.
    pub fn new(params: Params, initial: Packets) -> Self {
        Self { params, cwnd: initial.count(), ssthresh: f64::INFINITY }
    }
}

impl Law for Reno {
    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited || ack.recovering {
            return;
        }
        let acked = ack.acked.count();
        if self.cwnd < self.ssthresh {
            self.cwnd += acked.min(self.params.slow_start_limit);
        } else {
            self.cwnd += acked / self.cwnd;
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        // RFC 5681 §3.1, Eq. 4
        self.ssthresh = (event.flight.count() / 2.0).max(2.0);
        self.cwnd = if event.kind == CongestionKind::Timeout { 1.0 } else { self.ssthresh };
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd)
    }

    fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("ssthresh", self.ssthresh);
    }
}

impl Response for Reno {
    fn gain(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        Packets::new(1.0 / cwnd.count())
    }

    fn cut(&self, cwnd: Packets, _rtt: Duration) -> Packets {
        cwnd * 0.5
    }
}

/// Whom to cite.
pub const BIBTEX: &str = "@techreport{rfc5681,
  author = {Mark Allman and Vern Paxson and Ethan Blanton},
  title = {{TCP} Congestion Control},
  type = {RFC}, number = {5681}, institution = {IETF}, year = {2009},
  doi = {10.17487/RFC5681}
}";
