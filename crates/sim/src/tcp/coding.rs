//! The coding layer of a connection, and the encoding of its messages in packets.

use super::timer::Timer;
use crate::coding::{
    BlockRecord, CodingConfig, Combination, Feedback, Request, Sink, SinkCounts, Source, SourceCounts,
};
use crate::packet::Packet;
use windward_units::{Duration, Time};

/// Placeholder in a combination without an associated segment.
const NO_SEGMENT: u32 = u32::MAX;

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

impl Combination {
    /// Writes this header into a packet.
    pub(super) fn write(&self, packet: Packet) -> Packet {
        let Self { block, id, size, columns, segment, rtt } = *self;
        let rtt = (rtt.as_nanos() / 1000).min(u64::from(u32::MAX)) as u32;
        let sack = [(block, id), (size, columns), (rtt, 0)];
        Packet { number: segment.unwrap_or(NO_SEGMENT), sack, ..packet }
    }

    /// Reads the header of a packet.
    pub(super) fn read(packet: &Packet) -> Self {
        let [(block, id), (size, columns), (rtt, _)] = packet.sack;
        let segment = (packet.number != NO_SEGMENT).then_some(packet.number);
        Self { block, id, size, columns, segment, rtt: Duration::from_micros(u64::from(rtt)) }
    }
}

impl Feedback {
    pub(super) fn write(&self, packet: Packet) -> Packet {
        let Self { block, rank, below, request } = *self;
        let request = request.map_or((0, 0), |request| (request.block, request.missing));
        Packet { number: below, sack: [(block, rank), request, (0, 0)], ..packet }
    }

    pub(super) fn read(packet: &Packet) -> Self {
        let [(block, rank), (asked, missing), _] = packet.sack;
        let request = (missing > 0).then_some(Request { block: asked, missing });
        Self { block, rank, below: packet.number, request }
    }
}
