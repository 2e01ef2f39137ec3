//! Delay of ACKs on two-way connections, as in Linux (`tcp_event_data_recv`, `__tcp_ack_snd_check`,
//! `tcp_send_delayed_ack`, net/ipv4/tcp_input.c and tcp_output.c).
//!
//! The delay follows the gaps between data segments. A connection on which data answers data is in pingpong mode: its
//! ACKs wait for an answer to ride on.

use windward_units::{Duration, Time};

/// Initial delay (`TCP_ATO_MIN`), and the least round trip by which the timer is bounded (`TCP_DELACK_MIN`).
const LEAST: Duration = Duration::from_millis(40);
/// Longest delay (`TCP_DELACK_MAX`).
const LONGEST: Duration = Duration::from_millis(200);

/// Receive buffer when a segment arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    /// True if the application reads everything at once.
    pub is_drained: bool,
    /// True if the ACK of a second segment would not announce a smaller window. Otherwise the next read acknowledges.
    pub advances: bool,
}

/// State of Linux's delayed ACKs.
#[derive(Clone, Debug)]
pub struct DelayedAck {
    /// Payload of a full segment.
    segment: u32,
    /// Delay (`icsk_ack.ato`).
    ato: Duration,
    /// True in pingpong mode.
    is_pingpong: bool,
    /// Arrival of the last data segment.
    last: Option<Time>,
    /// Bytes received in order since the last ACK.
    unacked: u32,
    /// True if a short segment is among them.
    has_pushed: bool,
    /// Effect of a read that follows the arrival.
    outlook: Outlook,
    /// Smoothed round-trip time of this end; zero before the first sample.
    srtt: Duration,
}

impl DelayedAck {
    /// State before the first segment, with full segments of `segment` bytes.
    pub fn new(segment: u32) -> Self {
        let outlook = Outlook { is_drained: true, advances: true };
        let (unacked, has_pushed) = (0, false);
        Self { segment, ato: LEAST, is_pingpong: false, last: None, unacked, has_pushed, outlook, srtt: Duration::ZERO }
    }

    /// Records the state of a receive buffer that the application does not empty at once.
    pub fn expect(&mut self, outlook: Outlook) {
        self.outlook = outlook;
    }

    /// Decides on a read of the application, which has emptied the buffer or not: true if it acknowledges.
    pub fn read(&self, is_drained: bool) -> bool {
        self.unacked > self.segment || (self.unacked > 0 && self.has_pushed && is_drained && !self.is_pingpong)
    }

    /// Records the arrival of a data segment at an end with these estimates. Returns true if the gap before it was
    /// longer than the timeout: the sender may have restarted slowly, and the next ACKs are quick again.
    pub fn arrive(&mut self, now: Time, srtt: Duration, rto: Duration) -> bool {
        self.srtt = srtt;
        let Some(last) = self.last.replace(now) else { return false };
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
        // The application reads at once and drains the buffer. Linux then acknowledges a pushed segment.
        let is_pushed = payload < self.segment;
        self.has_pushed |= is_pushed;
        let is_read = is_pushed && self.outlook.is_drained;
        if (self.unacked > self.segment && self.outlook.advances) || (!self.is_pingpong && (is_quick || is_read)) {
            return None;
        }
        Some(now + self.ato.min(self.srtt.max(LEAST)).min(LONGEST))
    }

    /// Records that an ACK leaves, alone or with data.
    pub fn acknowledge(&mut self) {
        (self.unacked, self.has_pushed) = (0, false);
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
    /// longer than the timeout.
    #[test]
    fn the_delay_follows_the_gaps() {
        let mut delay = DelayedAck::new(1000);
        delay.is_pingpong = true;
        let mut arrive = |ms| {
            let is_idle = delay.arrive(at(ms), RTT, RTO);
            delay.acknowledge();
            (delay.decide(at(ms), 100, false).map(|until| until.since(at(ms)).as_nanos() / 1_000_000), is_idle)
        };
        assert_eq!(arrive(0), (Some(40), false));
        assert_eq!(arrive(10), (Some(40), false));
        assert_eq!(arrive(40), (Some(50), false));
        assert_eq!(arrive(100), (Some(50), false));
        assert_eq!(arrive(500), (Some(50), true));
    }

    /// A pushed segment is acknowledged when it is read, unless data answered data before. In pingpong mode the timer
    /// ends the mode; outside it doubles the delay.
    #[test]
    fn answers_make_acks_wait() {
        let mut delay = DelayedAck::new(1000);
        delay.arrive(at(0), RTT, RTO);
        assert_eq!(delay.decide(at(0), 100, false), None);
        delay.acknowledge();
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
}
