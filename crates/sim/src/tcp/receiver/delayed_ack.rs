//! Delay of ACKs on two-way connections, as in Linux 6.18 (`tcp_event_data_recv`, `tcp_measure_rcv_mss` and
//! `__tcp_ack_snd_check` of net/ipv4/tcp_input.c, `__tcp_cleanup_rbuf` of tcp.c, `tcp_send_delayed_ack` of
//! tcp_output.c).
//!
//! The delay follows the gaps between data segments. A connection on which data answers data is in pingpong mode: its
//! ACKs wait for an answer to ride on.
//!
//! More than a full segment is acknowledged at once. Which segments are full is an estimate that starts at 536 bytes
//! and grows with the segments that arrive, so two short requests may be more than one. In pingpong mode the read of a
//! second short segment acknowledges, too.

use crate::network::TcpOptions;
use crate::tcp::headers::TIMESTAMPS;
use windward_units::{Duration, Time};

/// Initial delay (`TCP_ATO_MIN`), and the least round trip by which the timer is bounded (`TCP_DELACK_MIN`).
const LEAST: Duration = Duration::from_millis(40);
/// Longest delay (`TCP_DELACK_MAX`).
const LONGEST: Duration = Duration::from_millis(200);
/// Largest initial estimate of a full segment, and the least size of two equal segments, with TCP options, that lower
/// the estimate (`TCP_MSS_DEFAULT`).
const DEFAULT_SEGMENT: u32 = 536;

/// Receive buffer when a segment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// True if the application reads everything at once.
    pub is_drained: bool,
    /// True if the ACK of a second segment would not announce a smaller window. Otherwise the next read acknowledges.
    pub advances: bool,
}

/// Short segments that are not acknowledged (`ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Pushed {
    None,
    Once,
    Twice,
}

/// State of Linux's delayed ACKs.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    /// Payload of a full segment.
    segment: u32,
    /// Bytes of TCP options in each segment.
    options: u32,
    /// Estimated payload of a full segment (`rcv_mss`).
    estimate: u32,
    /// Payload of the last segment, if that was below the estimate and large enough to lower it.
    lower: u32,
    /// Delay (`icsk_ack.ato`).
    ato: Duration,
    /// True in pingpong mode.
    is_pingpong: bool,
    /// Arrival of the last data segment.
    last: Option<Time>,
    /// Bytes received in order since the last ACK.
    unacked: u32,
    /// Short segments among them: none, one, or more.
    pushed: Pushed,
    /// Effect of a read that follows the arrival.
    outlook: Outlook,
    /// Smoothed round-trip time of this end; zero before the first sample.
    srtt: Duration,
}

impl DelayedAck {
    /// State before the first segment, with full segments of `segment` bytes and `options` bytes of TCP options in
    /// each.
    fn new(segment: u32, options: u32) -> Self {
        Self {
            segment,
            options,
            estimate: segment.min(DEFAULT_SEGMENT),
            lower: 0,
            ato: LEAST,
            is_pingpong: false,
            last: None,
            unacked: 0,
            pushed: Pushed::None,
            outlook: Outlook { is_drained: true, advances: true },
            srtt: Duration::ZERO,
        }
    }

    /// State before the first segment of a connection with these options.
    pub fn of(tcp: &TcpOptions) -> Self {
        Self::new(tcp.segment.count() as u32, if tcp.timestamps { TIMESTAMPS } else { 0 })
    }

    /// Records the state of a receive buffer that the application does not empty at once.
    pub fn expect(&mut self, outlook: Outlook) {
        self.outlook = outlook;
    }

    /// Decides on a read of the application, which has emptied the buffer or not: true if it acknowledges.
    pub fn read(&self, is_drained: bool) -> bool {
        self.unacked > self.estimate || (self.unacked > 0 && is_drained && self.is_pushed())
    }

    /// True if a read that empties the buffer acknowledges.
    fn is_pushed(&self) -> bool {
        self.pushed > if self.is_pingpong { Pushed::Once } else { Pushed::None }
    }

    /// Estimates the payload of a full segment, and notes short segments.
    fn measure(&mut self, payload: u32) {
        let before = std::mem::take(&mut self.lower);
        if payload >= self.estimate {
            self.estimate = payload.min(self.segment);
            // A write ends with it.
            if payload < self.segment {
                self.pushed = self.pushed.max(Pushed::Once);
            }
            return;
        }
        if payload + self.options >= DEFAULT_SEGMENT {
            self.lower = payload;
            if payload == before {
                self.estimate = payload;
                return;
            }
        }
        self.pushed = if self.pushed == Pushed::None { Pushed::Once } else { Pushed::Twice };
    }

    /// Records the arrival of a data segment at an end with these estimates. Returns true if the next ACKs are quick
    /// from here on: it is the first, whatever this end has sent before, or the gap before it was longer than the
    /// timeout, after which the sender may have restarted slowly.
    pub fn arrive(&mut self, now: Time, srtt: Duration, rto: Duration) -> bool {
        self.srtt = srtt;
        let Some(last) = self.last.replace(now) else { return true };
        let gap = now.since(last);
        if gap.as_nanos() <= LEAST.as_nanos() / 2 {
            self.ato = self.ato.scale(0.5) + LEAST.scale(0.5);
        } else if gap < self.ato {
            self.ato = (self.ato.scale(0.5) + gap).min(rto);
        } else {
            return gap > rto;
        }
        false
    }

    /// Decides on `payload` bytes in order: the time until which their ACK may wait, if it may. `is_quick` is true
    /// while ACKs are quick.
    pub fn decide(&mut self, now: Time, payload: u32, is_quick: bool) -> Option<Time> {
        self.unacked += payload;
        self.measure(payload);
        // The application reads at once and drains the buffer.
        let is_read = self.outlook.is_drained && self.is_pushed();
        if (self.unacked > self.estimate && self.outlook.advances) || (is_quick && !self.is_pingpong) || is_read {
            return None;
        }
        Some(now + self.ato.min(self.srtt.max(LEAST)).min(LONGEST))
    }

    /// Records that an ACK leaves, alone or with data; the last quick one if `ends_quick` (`tcp_dec_quickack_mode`).
    pub fn acknowledge(&mut self, ends_quick: bool) {
        (self.unacked, self.pushed) = (0, Pushed::None);
        if ends_quick {
            self.ato = LEAST;
        }
    }

    /// Records that data leaves.
    pub fn send(&mut self, now: Time) {
        if self.last.is_some_and(|last| now.since(last) < self.ato) {
            self.is_pingpong = true;
        }
    }

    /// Records that the timer has expired, on an end with the timeout `rto`.
    pub fn expire(&mut self, rto: Duration) {
        if self.is_pingpong {
            self.leave();
        } else {
            self.ato = (self.ato * 2).min(rto);
        }
    }

    /// Leaves pingpong mode.
    pub fn leave(&mut self) {
        (self.is_pingpong, self.ato) = (false, LEAST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    const RTT: Duration = Duration::from_millis(100);
    const RTO: Duration = Duration::from_millis(300);

    /// Gaps of 10 ms: ato/2 + 20 = 40 ms. A gap of 30 ms: 20 + 30 = 50 ms. One of 60 ms leaves 50 ms; one of 400 ms is
    /// longer than the timeout. ACKs are quick after that and from the first segment on.
    #[test]
    fn the_delay_follows_the_gaps() {
        let mut delay = DelayedAck::new(1000, 12);
        delay.is_pingpong = true;
        let mut arrive = |ms| {
            let are_quick = delay.arrive(at(ms), RTT, RTO);
            delay.acknowledge(false);
            (delay.decide(at(ms), 100, false).map(|until| until.since(at(ms)).as_nanos() / 1_000_000), are_quick)
        };
        assert_eq!(arrive(0), (Some(40), true));
        assert_eq!(arrive(10), (Some(40), false));
        assert_eq!(arrive(40), (Some(50), false));
        assert_eq!(arrive(100), (Some(50), false));
        assert_eq!(arrive(500), (Some(50), true));
    }

    /// A pushed segment is acknowledged when it is read, unless data answered data before. In pingpong mode the timer
    /// ends the mode; outside it doubles the delay.
    #[test]
    fn answers_make_acks_wait() {
        let mut delay = DelayedAck::new(1000, 12);
        delay.arrive(at(0), RTT, RTO);
        assert_eq!(delay.decide(at(0), 100, false), None);
        delay.acknowledge(false);
        delay.send(at(5));
        delay.arrive(at(100), RTT, RTO);
        assert_eq!(delay.decide(at(100), 100, true), Some(at(140)));
        // More than a full segment is acknowledged at once.
        assert_eq!(delay.decide(at(100), 1000, false), None);
        delay.expire(RTO);
        assert!(!delay.is_pingpong);
        delay.expire(RTO);
        assert_eq!(delay.ato, LEAST * 2);
    }

    fn in_pingpong() -> DelayedAck {
        DelayedAck { is_pingpong: true, ..DelayedAck::new(1448, 12) }
    }

    fn acknowledges(delay: &mut DelayedAck, payload: u32) -> bool {
        let is_due = delay.decide(at(0), payload, false).is_none();
        if is_due {
            delay.acknowledge(false);
        }
        is_due
    }

    /// Requests of 328 B: two are 656 B, more than the first estimate of 536 B. A segment of 1448 B raises the
    /// estimate, and two equal ones of 700 B lower it: the second alone is acknowledged, as 1400 B are more than 700.
    #[test]
    fn a_full_segment_is_estimated() {
        let mut delay = in_pingpong();
        let requests = [328; 4].map(|payload| acknowledges(&mut delay, payload));
        assert_eq!(requests, [false, true, false, true]);
        assert!(!acknowledges(&mut delay, 1448) && acknowledges(&mut delay, 1448));
        assert_eq!(delay.estimate, 1448);
        assert!(!acknowledges(&mut delay, 700) && acknowledges(&mut delay, 700));
        assert_eq!(delay.estimate, 700);
    }

    /// Two requests of 100 B are less than the estimate, but the read of the second acknowledges even where data
    /// answers data. Outside that mode, the read of the first does.
    #[test]
    fn the_second_short_segment_is_acknowledged() {
        let mut delay = in_pingpong();
        assert_eq!([100; 4].map(|payload| acknowledges(&mut delay, payload)), [false, true, false, true]);
        let mut delay = DelayedAck::new(1448, 12);
        assert!(acknowledges(&mut delay, 100));
    }
}
