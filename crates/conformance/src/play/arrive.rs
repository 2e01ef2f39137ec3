//! Arriving segments.

use super::{Player, Stop, codepoint, time};
use crate::script::Segment;
use windward_sim::socket::{Acknowledgement, Arrival, Data};
use windward_units::Time;

impl Player<'_> {
    pub(super) fn arrive(&mut self, segment: &Segment) -> Result<(), Stop> {
        if self.opened.is_none() {
            self.opened = self.handshake.arrive(self.now, segment).map_err(Stop::Inapplicable)?;
            let is_over = self.opened.is_some() && !segment.has('S');
            if !is_over || segment.end() == segment.from {
                return Ok(());
            }
        }
        if segment.has('S') {
            return Err(Stop::Inapplicable("a SYN on an open connection".into()));
        }
        if segment.has('R') {
            return Err(Stop::Closes("a reset"));
        }
        self.socket()?;
        let acknowledges = self.acknowledgement(segment)?;
        let is_valid = acknowledges.number <= self.sent_count;
        if segment.has('F') && !self.takes_fin && is_valid {
            return Err(Stop::Closes("the other end closes"));
        }
        let has_data = segment.to > segment.from || (segment.has('F') && self.takes_fin);
        let data = has_data.then(|| Data {
            number: self.theirs.number(segment.from).expect("the segments of data were numbered before"),
            payload: segment.to - segment.from,
            is_last: segment.has('F'),
        });
        let own_stamp = segment.stamps().map_or(0, |(own, _)| u64::from(own));
        let arrival = Arrival {
            acknowledges,
            window: self.window(segment),
            data: data.map(|data| (data, own_stamp)),
            codepoint: codepoint(segment.ip.as_deref()).map_err(Stop::Inapplicable)?.unwrap_or_default(),
            is_reduced: self.counting().is_none() && segment.has('W'),
        };
        let now = time(self.now);
        self.socket()?.arrive(now, &arrival);
        self.take_sent();
        Ok(())
    }

    /// Bytes that the other end has room for.
    fn window(&self, segment: &Segment) -> Option<u32> {
        Some(segment.window? << self.opened.as_ref()?.scale)
    }

    fn acknowledgement(&self, segment: &Segment) -> Result<Acknowledgement, Stop> {
        let in_part = |what: &str| Stop::Inapplicable(format!("{what} a part of a segment"));
        let ack = segment.ack.unwrap_or(1);
        let number = match self.ours.number(ack) {
            Some(number) => number,
            None if ack > self.ours.end() => u32::MAX,
            None => return Err(in_part("an ACK of")),
        };
        let mut sack = <[(u32, u32); 3]>::default();
        let blocks = segment.sack();
        if blocks.len() > sack.len() {
            return Err(Stop::Inapplicable("more than three SACK blocks".into()));
        }
        for (slot, (from, to)) in sack.iter_mut().zip(blocks) {
            let Some((from, to)) = self.ours.number(from).zip(self.ours.number(to)) else {
                return Err(in_part("a SACK of"));
            };
            *slot = (from, to);
        }
        let echo = segment.stamps().map(|(_, echo)| echo);
        let stamp = echo.map_or(0, |echo| self.sent_at(echo).as_nanos());
        let counting = self.counting();
        let marked = counting.map_or(0, |opened| opened.told(segment.ace()));
        Ok(Acknowledgement { number, sack, stamp, echoes: counting.is_none() && segment.has('E'), marked })
    }

    /// Time at which the last segment with a timestamp was sent; timestamps count milliseconds, and several segments
    /// share one.
    fn sent_at(&self, stamp: u32) -> Time {
        let known = self.stamps.iter().rev().find(|(own, _)| *own == stamp);
        known.map_or_else(|| self.handshake.time_of(stamp), |(_, at)| *at).min(time(self.now))
    }
}
