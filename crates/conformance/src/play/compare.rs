//! Comparison of sent segments with the script.

use super::{Player, STEP, Stop, codepoint, micros, show::show_expected, time};
use crate::script::Segment;
use windward_sim::socket::{Acknowledgement, Data, Sent};

impl Player<'_> {
    /// A segment must be sent, or several that make it.
    pub(super) fn expect(&mut self, segment: &Segment, (begin, end): (u64, u64), tolerance: u64) -> Result<(), Stop> {
        let expected = &Expected { segment, begin, end, tolerance };
        let at = self.now.max(begin);
        if self.handshake.expect(at, segment, self.opened.is_some()).map_err(Stop::Inapplicable)? {
            self.now = at + STEP;
            return Ok(());
        }
        if segment.has('R') {
            return Err(Stop::Closes("the connection closes"));
        }
        if segment.window.is_some() {
            return Err(Stop::Inapplicable("the window field of what is sent".into()));
        }
        if self.settings.is_paced {
            return Err(Stop::Inapplicable("pacing by the sending host's queue fq".into()));
        }
        self.has_compared = true;
        let mut from = segment.from;
        loop {
            let sent = self.next_sent(expected)?;
            self.compare(expected, from, &sent)?;
            if let Some((own, _)) = segment.stamps().filter(|_| !self.has_tick) {
                self.stamps.push((own, sent.at));
            }
            self.now = self.now.max(sent.at.as_nanos() / 1000);
            if let Some(data) = sent.data {
                from = self.ours.byte(data.number + 1);
            }
            if from >= segment.end() || sent.is_probe {
                return Ok(());
            }
        }
    }

    /// Returns the next sent segment, within the script's time.
    fn next_sent(&mut self, expected: &Expected) -> Result<Sent, Stop> {
        loop {
            if let Some(sent) = self.sent.pop_front() {
                return Ok(sent);
            }
            if !self.ring_before(expected.latest() + 1) {
                let what = show_expected(expected.segment, expected.segment.from, expected.begin);
                return Err(Stop::Differs(format!("expected {what}; nothing is sent by then")));
            }
        }
    }

    fn compare(&self, expected: &Expected, from: u32, sent: &Sent) -> Result<(), Stop> {
        let Expected { segment, begin, tolerance, .. } = *expected;
        let is_in_time = sent.at + micros(tolerance) >= time(begin) && sent.at <= time(expected.latest());
        let carries = match sent.data {
            Some(Data { number, is_last, .. }) => {
                let end = self.ours.byte(number + 1);
                let is_in = self.ours.byte(number) == from && end <= segment.end();
                segment.end() > segment.from && is_in && (is_last == segment.has('F') || end < segment.end())
            }
            // A probe repeats the last number.
            None => {
                let number = self.ours.byte(self.sent_count) - u32::from(sent.is_probe);
                segment.end() == segment.from && segment.from == number
            }
        };
        let Acknowledgement { number, stamp, echoes, .. } = sent.acknowledges;
        let acknowledges = segment.ack.is_none_or(|ack| ack == self.theirs.byte(number));
        let options = segment.options.is_none() || {
            let has_sack = segment.sack() == self.blocks(sent);
            let has_stamps = segment.stamps().is_none_or(|(own, echo)| {
                let is_own = !self.has_tick
                    || self
                        .handshake
                        .stamp_at(sent.at)
                        .is_some_and(|stamp| u64::from(stamp.abs_diff(own)) <= tolerance.div_ceil(1000));
                is_own && u64::from(echo) == if stamp == 0 { self.handshake.echo() } else { stamp }
            });
            has_sack && has_stamps
        };
        let flags = match self.counting() {
            Some(opened) => segment.ace() == opened.shown(sent),
            None => segment.has('E') == echoes && segment.has('W') == sent.is_reduced,
        };
        let ip = codepoint(segment.ip.as_deref()).map_err(Stop::Inapplicable)?;
        // Linux sends ACKs that can be marked where ECN is accurate; the simulator's cannot (RFC 3168 §6.1.4).
        let is_plain_ack = sent.data.is_none() && self.counting().is_some();
        let is_same_ip = is_plain_ack || ip.is_none_or(|codepoint| codepoint == sent.codepoint);
        if is_in_time && carries && acknowledges && options && flags && is_same_ip {
            return Ok(());
        }
        let expected = show_expected(segment, from, begin);
        Err(Stop::Differs(format!("expected {expected}; got {}", self.show(sent))))
    }
}

/// A segment that must be sent between two instants, give or take.
struct Expected<'a> {
    segment: &'a Segment,
    begin: u64,
    end: u64,
    tolerance: u64,
}

impl Expected<'_> {
    fn latest(&self) -> u64 {
        self.end + self.tolerance
    }
}
