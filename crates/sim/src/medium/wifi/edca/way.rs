//! A link at run time.

use super::config::EdcaConfig;
use crate::medium::wifi::ppdu::{Mode, Timing, longest_psdu};
use crate::status::{Counts, Line};
use windward_units::Duration;

/// Counters of a link beyond those of a wired one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WayCounts {
    pub link: Counts,
    /// Attempts: PPDUs with data, RTS that a PPDU should have followed, and requests.
    pub attempts: u64,
    /// Attempts without an answer.
    pub failures: u64,
    /// PPDUs with data.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// MPDUs in them that were not acknowledged.
    pub mpdu_failures: u64,
    /// Acknowledged packets.
    pub successes: u64,
    /// Packets given up after all attempts.
    pub given_up: u64,
    /// BlockAck requests.
    pub requests: u64,
    /// Sum over attempts of the contention window of the backoff before each.
    pub windows: f64,
    /// Air time of the exchanges with their answers.
    pub airtime: Duration,
    /// Air time of the PPDUs with data.
    pub data_time: Duration,
    /// Bytes of their PSDUs.
    pub psdu_bytes: u64,
}

/// A link at run time.
#[derive(Debug)]
pub(super) struct WayState {
    pub from: u32,
    pub to: u32,
    /// Hazard of an MPDU from the link's own losses.
    pub hazard: f64,
    /// Rate of data.
    pub rate: Mode,
    /// Rate of the link alone, in bits a second.
    pub alone: f64,
    /// Packets queued or in service, and not yet received.
    pub backlog: u32,
    /// Waiting-time statistics of the packets not yet sent.
    pub line: Line,
    pub longest: Longest,
    pub counts: WayCounts,
}

impl WayState {
    /// Creates link `at` of `config`, empty.
    pub fn new(at: u32, config: &EdcaConfig) -> Self {
        let way = &config.ways[at as usize];
        Self {
            from: way.from,
            to: way.to,
            hazard: super::errors::hazard_of(way.loss),
            rate: config.rate(at),
            alone: config.mean_rate(at),
            backlog: 0,
            line: Line::default(),
            longest: Longest::default(),
            counts: WayCounts::default(),
        }
    }
}

/// Cache of the longest PSDU of a mode and a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Longest {
    key: (u64, u64),
    bytes: u64,
}

impl WayState {
    /// Bytes of the longest PSDU at `mode` within `limit` nanoseconds.
    pub fn longest_psdu(&mut self, mode: Mode, limit: u64, timing: &Timing) -> u64 {
        let key = (mode.data_bits(), limit);
        if self.longest.key != key {
            let bytes = longest_psdu(mode, Duration::from_nanos(limit), timing);
            self.longest = Longest { key, bytes };
        }
        self.longest.bytes
    }
}
