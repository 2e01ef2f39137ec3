//! The coding layer of a connection.

use super::timer::Timer;
use windward_elements::coding::{BlockRecord, CodingConfig, Sink, SinkCounts, Source, SourceCounts};
use windward_units::Time;

/// The coding layer at the two ends of a flow.
pub struct Coding {
    /// Name of the random stream of the coefficients.
    pub(super) key: u64,
    pub(super) ideal: bool,
    pub(super) source: Source,
    pub(super) sink: Sink,
    /// Timer of the sink's requests.
    pub(super) timer: Timer,
    /// Times at which the first segment of each decoded block was sent.
    opened: Vec<Time>,
}

impl Coding {
    /// The layer of a flow with the coefficients that `key` names.
    pub fn new(config: &CodingConfig, key: u64) -> Self {
        Self {
            key,
            ideal: config.ideal,
            source: Source::new(config),
            // The simulator's segments carry no bytes, so ranks follow from the coefficients alone.
            sink: Sink::new(config, 1),
            timer: Timer::off(),
            opened: Vec::new(),
        }
    }

    /// Counters of both ends so far.
    pub fn counts(&self) -> (SourceCounts, SinkCounts) {
        (self.source.counts, self.sink.counts)
    }

    /// Decoded blocks, each with the time at which it was opened.
    pub fn decoded(&self) -> impl Iterator<Item = (Time, &BlockRecord)> {
        self.opened.iter().copied().zip(&self.sink.decoded)
    }

    /// Decodes all decodable segments and returns their number.
    pub(super) fn decode(&mut self, now: Time) -> u32 {
        let mut count = 0;
        while self.sink.take(now).is_some() {
            count += 1;
        }
        while let Some(record) = self.sink.decoded.get(self.opened.len()) {
            self.opened.push(self.source.opened_at(record.block).unwrap_or(record.began));
        }
        count
    }
}
