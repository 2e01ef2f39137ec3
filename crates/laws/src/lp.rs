//! TCP-LP: low-priority Reno, which gives way at the first sign of delay.
//!
//! A. Kuzmanovic and E. W. Knightly, "TCP-LP: Low-priority service via end-point congestion control", IEEE/ACM
//! Transactions on Networking 14(4), 2006, DOI 10.1109/TNET.2006.879702, as in Linux (`tcp_lp.c`). Window W in packets;
//! d is the smoothed delay (1/8 of each new sample), between the least d_min and the greatest d_max of the samples.
//!
//! * d ≥ d_min + δ·(d_max − d_min): early congestion indication. W ← max(W/2, 1), or 1 within the inference time of
//!   the last one, of `inference` round trips
//! * no growth within the inference time, else as Reno
//! * on loss and timeout: as Reno
//!
//! After an indication d_min is d and d_max twice that.
//!
//! Fluid: none. The threshold moves with each indication, so that delay alone decides no window.
//!
//! **Where we differ**
//! * The delay is that of the round trip, since a sender has no clock of the receiver; queues of the way back count,
//!   too (the paper and Linux: one-way delay from timestamps).
//! * The wait of a delayed ACK is no delay of the path: a sample is the lesser of two in a row, each of the newest
//!   packet that an ACK delivers, since an ACK of two packets does not wait (RFC 5681 §4.2). The ACK of a packet that
//!   was alone in flight is no sample, and smoothing begins anew after it. Where packets are 40 ms apart, as a paced
//!   small window sends them, every ACK of one packet waits: their delays have a range of their own. Linux's delay
//!   holds the wait.
//! * W is a real number, and the threshold for slow start after an indication is W: Linux leaves it.
//! * The second greatest delay is not kept aside as d_max.

use crate::classic::{Avoidance, Classic};
use crate::{Ack, Congestion};
use windward_units::{Duration, Packets, Time};

params! {
    /// Parameters of [`Lp`].
    Params {
        /// Share of the range of delays above which they mean congestion, δ.
        delta: f64 = 0.15, from 0.01 to 0.99;
        /// Round trips for which an indication is not repeated, and the window does not grow.
        inference: f64 = 3, from 0 to 100;
    }
}

/// The law and its state.
pub type Lp = Classic<Params>;

/// Weight of a new delay.
const WEIGHT: f64 = 0.125;

/// Least time for which an ACK of one packet waits (Linux's TCP_DELACK_MIN).
const DELAYED: Duration = Duration::from_millis(40);

/// Delays, in seconds, and the last indication.
#[derive(Clone, Debug)]
pub struct Delays {
    /// Last delay.
    previous: f64,
    smoothed: Option<f64>,
    /// Sending time of the newest packet delivered.
    newest: Option<Time>,
    /// True if its ACK has waited, since packets are far apart.
    is_sparse: bool,
    /// Delays so far, without and with this wait.
    ranges: [Range; 2],
    last: Option<Time>,
    /// End of the inference time of the last indication.
    quiet_until: Time,
}

/// Least and greatest delay, in seconds.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: f64,
    greatest: f64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            previous: f64::INFINITY,
            smoothed: None,
            newest: None,
            is_sparse: false,
            ranges: [Range { least: f64::INFINITY, greatest: 0.0 }; 2],
            last: None,
            quiet_until: Time::ZERO,
        }
    }
}

impl Delays {
    fn range(&mut self) -> &mut Range {
        &mut self.ranges[usize::from(self.is_sparse)]
    }

    fn is_quiet(&self, now: Time) -> bool {
        self.last.is_some() && now < self.quiet_until
    }
}

impl Avoidance for Params {
    type State = Delays;

    fn learn(&self, delays: &mut Delays, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        if let Some(last) = delays.last {
            // The inference time follows the round trip, as in Linux.
            delays.quiet_until = last + Duration::from_secs(self.inference * rtt.as_secs());
        }
        // At a window of one every ACK has waited, and the smoothed delay is none of the path as it is now.
        if ack.flight_at_send <= Packets::ONE {
            (delays.previous, delays.smoothed) = (f64::INFINITY, None);
            return;
        }
        let rtt = rtt.as_secs();
        let is_far = |newest: Time| ack.sent_at > newest && ack.sent_at.since(newest) >= DELAYED;
        let is_sparse = ack.acked <= Packets::ONE && delays.newest.replace(ack.sent_at).is_some_and(is_far);
        if is_sparse != delays.is_sparse {
            // A single sample may have waited where the last one did not.
            (delays.is_sparse, delays.previous, delays.smoothed) = (is_sparse, rtt, None);
            return;
        }
        let delay = rtt.min(delays.previous);
        delays.previous = rtt;
        let range = delays.range();
        *range = Range { least: range.least.min(delay), greatest: range.greatest.max(delay) };
        delays.smoothed = Some(delays.smoothed.map_or(delay, |smoothed| smoothed + WEIGHT * (delay - smoothed)));
    }

    fn slow_start(&self, delays: &Delays, window: &crate::Window, ack: &Ack) -> f64 {
        if delays.is_quiet(ack.now) { window.cwnd } else { window.doubled(ack.counted().count()) }
    }

    fn gain(&self, delays: &mut Delays, cwnd: f64, ack: &Ack) -> f64 {
        if delays.is_quiet(ack.now) { 0.0 } else { ack.counted().count() / cwnd }
    }

    fn give_way(&self, delays: &mut Delays, cwnd: f64, ack: &Ack) -> Option<f64> {
        let (smoothed, rtt) = (delays.smoothed?, ack.rtt?);
        let range = *delays.range();
        // Without any spread of delays there is no threshold yet.
        if range.greatest <= range.least || smoothed < range.least + self.delta * (range.greatest - range.least) {
            return None;
        }
        let left = if delays.is_quiet(ack.now) { 1.0 } else { (cwnd / 2.0).max(1.0) };
        *delays.range() = Range { least: smoothed, greatest: 2.0 * smoothed };
        delays.last = Some(ack.now);
        delays.quiet_until = ack.now + Duration::from_secs(self.inference * rtt.as_secs());
        Some(left)
    }

    fn ssthresh(&self, _: &mut Delays, event: &Congestion) -> f64 {
        event.flight.count() / 2.0
    }

    fn observe(&self, delays: &Delays, _cwnd: f64, sink: &mut dyn FnMut(&str, f64)) {
        sink("delay", delays.smoothed.unwrap_or(0.0));
    }
}

/// BibTeX entry.
pub const BIBTEX: &str = "@article{kuzmanovic2006lp,
  author = {Aleksandar Kuzmanovic and Edward W. Knightly},
  title = {{TCP-LP}: Low-Priority Service via End-Point Congestion Control},
  journal = {IEEE/ACM Transactions on Networking},
  volume = {14}, number = {4}, pages = {739--752}, year = {2006},
  doi = {10.1109/TNET.2006.879702}
}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, congestion, near, slow_ack};
    use crate::{CongestionKind, Law};

    /// In congestion avoidance with a window of 20 packets.
    fn avoiding() -> Lp {
        let mut law = Lp::new(Params::default(), Packets::new(40.0));
        law.on_congestion(&congestion(CongestionKind::Loss, 40.0));
        law.on_ack(&ack(1000, 0, 20.0));
        near(law.window.cwnd, 20.05, 1e-12);
        law
    }

    /// 100, then 200 ms: the range is 100 ms, the threshold 115 ms. One long sample may be a delayed ACK. The smoothed
    /// delay is 112.5 ms after two, 123.4 after three: then the window is halved. Within three round trips the next
    /// indication leaves one packet.
    #[test]
    fn the_first_delay_halves_and_the_second_leaves_one() {
        let mut law = avoiding();
        (0..2).for_each(|_| law.on_ack(&slow_ack(1010, 0, 20.0, 200)));
        assert!(law.window.cwnd > 20.0);
        law.on_ack(&slow_ack(1020, 0, 20.0, 200));
        near(law.state.smoothed.unwrap_or(0.0), 0.123_437_5, 1e-12);
        near(law.window.cwnd, 10.1, 0.03);
        // The range is now 123 to 247 ms, the threshold 142 ms. It holds the window meanwhile.
        let held = law.window.cwnd;
        law.on_ack(&slow_ack(1030, 0, 20.0, 200));
        near(law.window.cwnd, held, 1e-12);
        (0..2).for_each(|_| law.on_ack(&slow_ack(1040, 0, 20.0, 200)));
        assert_eq!(law.window.cwnd, 1.0);
    }

    /// After the inference time of three round trips it grows as Reno again.
    #[test]
    fn it_grows_again_after_the_inference_time() {
        let mut law = avoiding();
        (0..3).for_each(|_| law.on_ack(&slow_ack(1020, 0, 20.0, 200)));
        let held = law.window.cwnd;
        law.on_ack(&ack(1319, 1, 20.0));
        near(law.window.cwnd, held, 1e-12);
        law.on_ack(&ack(1320, 1, 20.0));
        near(law.window.cwnd, held + 1.0 / held, 1e-12);
    }

    /// RFC 5681 §4.2: of two ACKs in a row one at most has waited. Every second one waits for 40 ms, then a packet
    /// alone for 200 ms: no delay of the path.
    #[test]
    fn delayed_acks_are_no_delay() {
        let mut law = avoiding();
        let mut last = law.window.cwnd;
        for turn in 0..20 {
            law.on_ack(&slow_ack(1100 + 10 * turn, 0, 20.0, 100 + 40 * (turn % 2)));
            assert!(law.window.cwnd > last);
            last = law.window.cwnd;
        }
        law.on_ack(&Ack { flight_at_send: Packets::ONE, ..slow_ack(1600, 0, 1.0, 300) });
        law.on_ack(&ack(1700, 0, 2.0));
        assert!(law.window.cwnd > last);
    }

    /// Paced packets of a small window are 50 ms apart, so that each ACK waits for 40 ms: no delay of the path. When
    /// the window has grown, ACKs of two do not wait. A queue of 60 ms is a delay in either case.
    #[test]
    fn waits_of_sparse_packets_are_no_delay() {
        let sparse = |now: u64, rtt: u64| {
            let sent_at = Time::from_nanos((now - rtt) * 1_000_000);
            Ack { sent_at, ..slow_ack(now, 0, 3.0, rtt) }
        };
        let pair = |now: u64, rtt: u64| Ack { acked: Packets::new(2.0), ..sparse(now, rtt) };
        let mut law = avoiding();
        let mut last = law.window.cwnd;
        for turn in 0..40 {
            let now = 1100 + 50 * turn;
            law.on_ack(&if turn / 5 % 2 == 0 { sparse(now, 140) } else { pair(now, 100) });
            assert!(law.window.cwnd > last, "turn {turn}");
            last = law.window.cwnd;
        }
        let mut queued = law.clone();
        (0..3).for_each(|turn| law.on_ack(&pair(3200 + 50 * turn, 160)));
        assert!(law.window.cwnd < last);
        (0..9).for_each(|turn| queued.on_ack(&sparse(3200 + 50 * turn, 200)));
        assert!(queued.window.cwnd < last);
    }
}
