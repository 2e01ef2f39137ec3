//! Air time of a station, and spans that both MACs share.

use crate::air::{FRAME_KINDS, FrameKind};
use windward_units::{Duration, Time};

/// Time in which a receiver chooses among preambles: the standard's detection time of OFDM.
pub(in crate::wifi) const DETECTION: Duration = Duration::from_micros(4);

/// Duration field in whole microseconds, rounded up by the standard, truncated by ns-2.
pub(in crate::wifi) fn whole_micros(span: Duration, is_ns2: bool) -> Duration {
    let nanos = span.as_nanos();
    Duration::from_micros(if is_ns2 { nanos / 1000 } else { nanos.div_ceil(1000) })
}

/// Air time of a station.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::wifi) struct Air {
    /// Time sending, by type of frame.
    pub sent: [Duration; FRAME_KINDS],
    /// Number of frames sent, by type.
    pub frames: [u64; FRAME_KINDS],
    /// Time sensing others while not sending.
    pub sensed: Duration,
    /// Time neither sending nor sensing.
    pub idle: Duration,
    /// End of the accounted time.
    pub until: Time,
    /// Number of detected frames that could not be received.
    pub garbled: u64,
    /// Number and bytes of routing messages sent.
    pub messages: (u64, u64),
}

impl Air {
    /// Accounts for sensing from `from` to `to`, without transmission.
    #[inline]
    pub fn sense(&mut self, from: Time, to: Time) {
        self.idle += from.since(self.until);
        self.sensed += to.since(self.until.max(from));
        self.until = self.until.max(to);
    }

    /// Accounts for a transmission; it replaces sensing in that time.
    #[inline]
    pub fn send(&mut self, kind: FrameKind, from: Time, to: Time) {
        self.idle += from.since(self.until);
        self.sensed = self.sensed.saturating_sub(self.until.min(to).since(from));
        self.sent[kind as usize] += to.since(from);
        self.frames[kind as usize] += 1;
        self.until = self.until.max(to);
    }
}
