//! Segments that an end sends, and the windows that bound them.

use super::{Data, End, Nagle, Outgoing};
use crate::tcp::sender::Turn;
use windward_elements::ecn::Ecn;
use windward_units::Time;

impl End {
    /// Sends all segments that are allowed now, and lets an application write that waits for room. Returns true if
    /// there were any.
    #[inline]
    pub fn send(&mut self, now: Time, mut out: impl FnMut(Outgoing)) -> bool {
        let mut has_sent = self.send_written(now, &mut out);
        while self.is_blocked() && self.refill() {
            has_sent |= self.send_written(now, &mut out);
        }
        has_sent
    }

    /// Sends all segments of the send buffer that are allowed now. Returns true if there were any.
    #[inline]
    fn send_written(&mut self, now: Time, out: &mut impl FnMut(Outgoing)) -> bool {
        // After a close nothing can complete a short segment: Nagle has nothing to wait for.
        let with_tail = self.stream.is_closing()
            || match self.nagle {
                Nagle::Off => true,
                // Minshall's variant: a short segment waits while another one is in flight.
                Nagle::Minshall => !self.stream.has_short(),
                Nagle::Cork => false,
            };
        let ready = self.stream.ready(with_tail);
        if ready == 0 && self.is_quiet() {
            // An idle sender is not short of data: its window stays valid until the application writes.
            self.chronograph.stop(now);
            return false;
        }
        self.chronograph.start(now);
        self.sender.set_end(self.sender.next().saturating_add(ready));
        self.sender.set_blocked(self.is_blocked());
        if let Some(edge) = self.edge {
            self.bound(now, ready, edge);
        }
        let mut has_sent = false;
        loop {
            let turn = self.sender.turn(now);
            let number = match turn {
                Turn::New(number) | Turn::Again(number) => number,
                Turn::Wait(until) => {
                    self.sender.pacing_timer().set(until);
                    break;
                }
                Turn::Idle => break,
            };
            if self.last_sent.is_some() && self.is_quiet() {
                self.sender.restart(now);
            }
            let ecn = self.sender.on_send(now, turn);
            let payload = match turn {
                Turn::New(_) => self.take(now, number),
                _ => self.stream.payload(number),
            };
            self.receiver.note_send(now);
            self.last_sent = Some(now);
            self.put(Some(Data { number, payload, is_last: self.stream.is_last(number) }), ecn, out);
            has_sent = true;
        }
        has_sent
    }

    /// Takes the payload of the new segment `number`.
    #[inline]
    fn take(&mut self, now: Time, number: u32) -> u32 {
        let payload = self.stream.take(number);
        if let Some(outbox) = &mut self.outbox {
            let unsent = self.stream.unsent();
            outbox.note_sent(now, self.stream.written() - unsent, unsent, || self.sender.linux_pacing_rate());
        }
        payload
    }

    /// Bounds the sender of `ready` new segments to the byte `edge`. Starts to probe a window without room for one
    /// while nothing is in flight, and ends it.
    fn bound(&mut self, now: Time, ready: u32, edge: u64) {
        let fits = self.stream.fitting(ready, edge);
        self.chronograph.limit(now, fits < ready && fits < self.room());
        self.sender.set_receive_window(self.sender.unacknowledged().saturating_add(fits));
        let is_closed = ready > 0 && fits == 0 && self.is_quiet();
        if !is_closed {
            self.stop_probing();
        } else if self.probes.is_none() {
            self.wait_to_probe(now, 0);
        }
    }

    /// Segments that the congestion window has room for.
    fn room(&self) -> u32 {
        self.sender.window().saturating_sub(self.sender.pipe())
    }

    #[inline]
    pub(super) fn put(&mut self, data: Option<Data>, ecn: Ecn, out: &mut impl FnMut(Outgoing)) {
        let outgoing = self.outgoing(data, ecn);
        out(outgoing);
    }

    #[cold]
    pub(super) fn put_probe(&mut self, out: &mut impl FnMut(Outgoing)) {
        let outgoing = self.outgoing(None, Ecn::default());
        out(Outgoing { is_probe: true, ..outgoing });
    }

    #[inline]
    pub(super) fn outgoing(&mut self, data: Option<Data>, ecn: Ecn) -> Outgoing {
        let (sack, stamp) = self.receiver.acknowledge();
        let echo = self.receiver.echo();
        let ecn = if data.is_some() { ecn.with_ack(echo) } else { echo };
        let beyond = self.receiver.beyond();
        let window = self.inbox.as_mut().map(|inbox| {
            if inbox.is_short(beyond) {
                self.receiver.note_shortage();
            }
            inbox.announce(beyond)
        });
        Outgoing { data, is_probe: false, number: self.receiver.next(), window, sack, stamp, ecn }
    }
}
