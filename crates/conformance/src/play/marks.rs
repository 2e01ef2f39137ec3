//! Accurate ECN's counter as segments carry it (RFC 9768 §3.2.2): the flags AE, CWR and ECE, three bits.

use super::Player;
use super::handshake::Opened;
use windward_sim::socket::Sent;

/// Counter before the first mark.
const FIRST: u32 = 5;
/// It goes round after so many.
const MODULO: u32 = 8;

impl Player<'_> {
    /// Accurate ECN as negotiated, where segments carry the counter.
    pub(super) fn counting(&self) -> Option<&Opened> {
        self.opened.as_ref().filter(|opened| opened.ecn.counts())
    }
}

impl Opened {
    /// The counter that a segment shows.
    pub(super) fn shown(&self, sent: &Sent) -> u32 {
        (sent.acknowledges.marked + self.marks.1 + FIRST) % MODULO
    }

    /// Marked segments of data that a counter tells of, as far as it counts.
    pub(super) fn told(&self, counter: u32) -> u32 {
        counter.wrapping_sub(FIRST + self.marks.0) % MODULO
    }
}
