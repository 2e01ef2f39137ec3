//! A law without a response of its own: window and rate are set from outside between two events of a run, and what the
//! sender hears in the meantime is summed up. Agents of a learning environment control their flows by it.

use crate::external::External;
use crate::{Ack, Congestion, CongestionKind, Law, Needs, Start};
use windward_units::{Duration, PacketRate, Packets, Time};

/// A law whose window and rate are set from outside.
pub struct Reins {
    pub(crate) needs: Needs,
    state: Box<State>,
}

/// State behind a pointer: a law is as large as its largest variant.
struct State {
    /// The window, or the factor of the window of the law beneath.
    cwnd: f64,
    rate: Option<PacketRate>,
    base: Option<External>,
    heard: Heard,
}

/// Sums of the ACKs and losses since [`Reins::take_heard`] was last called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// ACKs of new data.
    pub acks: u64,
    /// Packets delivered.
    pub acked: f64,
    /// Packets delivered with a mark.
    pub marked: f64,
    /// Packets found lost.
    pub lost: f64,
    /// Round-trip samples, in seconds.
    pub rtts: Vec<f64>,
    /// Largest delivery rate in packets per second.
    pub rate: f64,
    /// Least round-trip time ever.
    pub base_rtt: Duration,
    /// Time of the last sample as small as that.
    pub base_at: Time,
}

impl Reins {
    /// A law with the window `initial`.
    pub fn new(initial: Packets) -> Self {
        Self::with(Needs::CLASSIC, initial.count(), None)
    }

    /// A law whose window is a multiple of that of `base`: the same until a factor is set.
    pub fn over(base: External) -> Self {
        Self::with(base.needs, 1.0, Some(base))
    }

    fn with(needs: Needs, cwnd: f64, base: Option<External>) -> Self {
        Self { needs, state: Box::new(State { cwnd, rate: None, base, heard: Heard::default() }) }
    }

    /// The window in packets, or the factor of the window of the law beneath.
    pub fn setting(&self) -> f64 {
        self.state.cwnd
    }

    /// Sets the window in packets, or the factor of the window of the law beneath.
    pub fn set(&mut self, cwnd: f64) {
        self.state.cwnd = cwnd;
    }

    /// Sets the pacing rate; `None`: that of the law beneath, or none.
    pub fn set_rate(&mut self, rate: Option<PacketRate>) {
        self.state.rate = rate;
    }

    /// Sums since the last [`Self::take_heard`].
    pub fn heard(&self) -> &Heard {
        &self.state.heard
    }

    /// Moves the sums to `old`, whose memory is used again. Base RTT and its time continue.
    pub fn take_heard(&mut self, old: &mut Heard) {
        std::mem::swap(&mut self.state.heard, old);
        let heard = &mut self.state.heard;
        heard.rtts.clear();
        let rtts = std::mem::take(&mut heard.rtts);
        *heard = Heard { rtts, base_rtt: old.base_rtt, base_at: old.base_at, ..Heard::default() };
    }
}

impl Law for Reins {
    fn on_start(&mut self, start: &Start) {
        if let Some(base) = &mut self.state.base {
            base.own.on_start(start);
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        let State { base, heard, .. } = &mut *self.state;
        heard.acks += 1;
        heard.acked += ack.acked.count();
        heard.marked += ack.marked.count();
        heard.lost += ack.lost.count();
        if let Some(rate) = ack.delivery_rate {
            heard.rate = heard.rate.max(rate.as_per_sec());
        }
        if let Some(rtt) = ack.rtt {
            heard.rtts.push(rtt.as_secs());
            if rtt <= ack.base_rtt {
                heard.base_at = ack.now;
            }
        }
        heard.base_rtt = ack.base_rtt;
        if let Some(base) = base {
            base.own.on_ack(ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        // Losses detected by ACKs are in those ACKs.
        if event.kind == CongestionKind::Timeout {
            self.state.heard.lost += event.lost.count();
        }
        if let Some(base) = &mut self.state.base {
            base.own.on_congestion(event);
        }
    }

    #[inline]
    fn cwnd(&self) -> Packets {
        match &self.state.base {
            None => Packets::new(self.state.cwnd),
            Some(base) => base.own.cwnd() * self.state.cwnd,
        }
    }

    #[inline]
    fn pacing_rate(&self) -> Option<PacketRate> {
        self.state.rate.or_else(|| self.state.base.as_ref().and_then(|base| base.own.pacing_rate()))
    }

    fn send_quantum(&self) -> u32 {
        self.state.base.as_ref().map_or(1, |base| base.own.send_quantum())
    }

    fn on_restart(&mut self, now: Time) {
        if let Some(base) = &mut self.state.base {
            base.own.on_restart(now);
        }
    }

    fn on_idle(&mut self, cwnd: Packets) {
        if let Some(base) = &mut self.state.base {
            base.own.on_idle(cwnd);
        }
    }

    fn remember(&mut self, ssthresh: Packets) -> bool {
        self.state.base.as_mut().is_some_and(|base| base.own.remember(ssthresh))
    }

    fn on_undo(&mut self, before: Packets) {
        if let Some(base) = &mut self.state.base {
            base.own.on_undo(before);
        }
    }

    fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
        if let Some(base) = &self.state.base {
            base.own.observe(sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ack;

    #[test]
    fn what_is_heard_is_summed_up_until_it_is_taken() {
        let mut reins = Reins::new(Packets::new(10.0));
        let rtt = Duration::from_millis(40);
        let first = Ack { acked: Packets::new(2.0), rtt: Some(rtt), base_rtt: rtt, ..ack(1, 1, 10.0) };
        reins.on_ack(&first);
        reins.on_ack(&Ack { rtt: Some(rtt + rtt), lost: Packets::ONE, ..first });
        let mut heard = Heard::default();
        reins.take_heard(&mut heard);
        assert_eq!((heard.acks, heard.acked, heard.lost), (2, 4.0, 1.0));
        assert_eq!(heard.rtts, [0.04, 0.08]);
        assert_eq!(reins.heard(), &Heard { base_rtt: rtt, base_at: first.now, ..Heard::default() });
    }

    #[test]
    fn the_window_is_the_setting_or_a_multiple_of_the_window_beneath() {
        let mut reins = Reins::new(Packets::new(10.0));
        reins.set(7.5);
        assert_eq!(reins.cwnd(), Packets::new(7.5));
        let reno = crate::reno::Reno::new(Default::default(), Packets::new(10.0));
        let mut over = Reins::over(External::new(reno));
        assert_eq!(over.cwnd(), Packets::new(10.0));
        over.set(0.5);
        assert_eq!(over.cwnd(), Packets::new(5.0));
        assert_eq!(over.pacing_rate(), None);
        over.set_rate(Some(PacketRate::per_sec(100.0)));
        assert_eq!(over.pacing_rate(), Some(PacketRate::per_sec(100.0)));
    }
}
