//! The end at the receiving TCP.

use super::CodingConfig;
use super::message::{Combination, Feedback, Request};
use std::collections::VecDeque;
use windward_coding::Decoder;
use windward_units::{Duration, Time};

/// Round-trip time before the source's first sample (RFC 6298 §2.1).
const UNKNOWN_RTT: Duration = Duration::from_millis(1000);

/// Round trips without progress after which a block whose last segments may still arrive is requested. Also the
/// interval between the first two requests for any block; it doubles with each further one.
const OPEN_PATIENCE: f64 = 2.0;

/// Maximum number of doublings.
const MOST_DOUBLINGS: u32 = 5;

/// Decodes, acknowledges, and requests missing combinations.
#[derive(Clone, Debug)]
pub struct Sink {
    ideal: bool,
    patience: f64,
    /// Payload bytes of a combination.
    payload: usize,
    /// Blocks not yet handed up completely.
    blocks: VecDeque<Block>,
    /// Number of the first of them.
    base: u32,
    rtt: Duration,
    /// Counters.
    pub counts: SinkCounts,
    /// Records of the decoded blocks.
    pub decoded: Vec<BlockRecord>,
}

/// Counters of a sink.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkCounts {
    /// Combinations that arrived.
    pub received: u64,
    /// Innovative combinations among them.
    pub innovative: u64,
    /// Number of requests.
    pub requests: u64,
    /// Combinations requested.
    pub requested: u64,
}

/// History of a decoded block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRecord {
    /// Number of the block.
    pub block: u32,
    /// Number of its segments.
    pub size: u32,
    /// Arrival time of its first combination.
    pub began: Time,
    /// Time at which its last segment was handed up, in order.
    pub ended: Time,
    /// Number of requests for it.
    pub requests: u32,
}

/// Result of a combination's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// True if the combination was innovative.
    pub is_innovative: bool,
    /// Feedback to the source.
    pub feedback: Feedback,
}

#[derive(Clone, Debug)]
struct Block {
    /// H; 0 before the first combination.
    size: u32,
    /// Largest number of segments in a combination so far.
    columns: u32,
    decoder: Option<Decoder>,
    /// Number of combinations, if all are innovative.
    count: u32,
    /// Number of segments handed up.
    handed: u32,
    began: Time,
    /// Time of its last progress or request.
    since: Time,
    /// Requests since its last progress, and in total.
    unanswered: u32,
    requests: u32,
}

impl Block {
    fn new(now: Time) -> Self {
        Self {
            size: 0,
            columns: 0,
            decoder: None,
            count: 0,
            handed: 0,
            began: now,
            since: now,
            unanswered: 0,
            requests: 0,
        }
    }

    fn rank(&self) -> u32 {
        self.decoder.as_ref().map_or(self.count, |decoder| decoder.rank() as u32)
    }

    fn is_complete(&self) -> bool {
        self.size > 0 && self.rank() >= self.size
    }

    /// True if the segment `at` is decoded.
    fn knows(&self, at: u32) -> bool {
        match &self.decoder {
            Some(decoder) => decoder.knows(at as usize),
            // Without coefficients: decoded once as many combinations as sent segments have arrived.
            None => at < self.columns && self.count >= self.columns,
        }
    }
}

impl Sink {
    /// A sink that has received nothing; combinations have `payload` bytes, at least one if they are real.
    pub fn new(config: &CodingConfig, payload: usize) -> Self {
        Self {
            ideal: config.ideal,
            patience: config.patience,
            payload,
            blocks: VecDeque::new(),
            base: 0,
            rtt: UNKNOWN_RTT,
            counts: SinkCounts::default(),
            decoded: Vec::new(),
        }
    }

    /// Handles the arrival of a combination, with as many `coefficients` as the block has segments. `None` if it is
    /// malformed.
    pub fn receive(
        &mut self,
        now: Time,
        combination: &Combination,
        coefficients: &[u8],
        payload: &[u8],
    ) -> Option<Received> {
        self.counts.received += 1;
        if combination.rtt > Duration::ZERO {
            self.rtt = combination.rtt;
        }
        let number = combination.block;
        let Some(at) = number.checked_sub(self.base).map(|at| at as usize) else {
            // Handed up long ago.
            return Some(Received { is_innovative: false, feedback: self.feedback(number, u32::MAX, None) });
        };
        while self.blocks.len() <= at {
            self.blocks.push_back(Block::new(now));
        }
        let block = &mut self.blocks[at];
        let is_innovative = if self.ideal {
            block.columns = block.columns.max(combination.columns);
            let has_news = block.count < block.columns;
            block.count += u32::from(has_news);
            has_news
        } else {
            if block.decoder.is_none() {
                block.decoder = Some(Decoder::new(coefficients.len(), self.payload).ok()?);
            }
            let decoder = block.decoder.as_mut()?;
            // If the data end before the block does, earlier and later headers differ in length.
            let (known, beyond) = coefficients.split_at(coefficients.len().min(decoder.packets()));
            if beyond.iter().any(|&c| c != 0) {
                return None;
            }
            let mut row = vec![0; decoder.packets()];
            row[..known.len()].copy_from_slice(known);
            let is_innovative = decoder.add(&row, payload).ok()?;
            let columns = coefficients.iter().rposition(|&c| c != 0).map_or(0, |last| last as u32 + 1);
            block.columns = block.columns.max(columns);
            is_innovative
        };
        block.size = if block.size == 0 { combination.size } else { block.size.min(combination.size) };
        if is_innovative {
            self.counts.innovative += 1;
            (block.since, block.unanswered) = (now, 0);
        }
        let rank = block.rank();
        Some(Received { is_innovative, feedback: self.feedback(number, rank, None) })
    }

    fn feedback(&self, block: u32, rank: u32, request: Option<Request>) -> Feedback {
        let complete = self.blocks.iter().take_while(|block| block.is_complete()).count();
        Feedback { block, rank, below: self.base + complete as u32, request }
    }

    /// Returns the next segment in order, if it is decoded: its bytes, empty if segments carry none.
    pub fn take(&mut self, now: Time) -> Option<Vec<u8>> {
        let block = self.blocks.front_mut()?;
        if !block.knows(block.handed) {
            return None;
        }
        let bytes = match &block.decoder {
            Some(decoder) => decoder.packet(block.handed as usize)?,
            None => Vec::new(),
        };
        block.handed += 1;
        if block.handed == block.size {
            let Block { size, began, requests, .. } = *block;
            self.decoded.push(BlockRecord { block: self.base, size, began, ended: now, requests });
            self.blocks.pop_front();
            self.base += 1;
        }
        Some(bytes)
    }

    /// Time at which [`Self::expire`] has something to request; [`Time::NEVER`] if it cannot be predicted.
    pub fn due(&self) -> Time {
        (0..self.blocks.len()).map(|at| self.due_at(at)).min().unwrap_or(Time::NEVER)
    }

    fn due_at(&self, at: usize) -> Time {
        let block = &self.blocks[at];
        let is_behind = at + 1 < self.blocks.len();
        if block.is_complete() || !(is_behind || block.columns > block.rank()) {
            return Time::NEVER;
        }
        let patience = match block.unanswered {
            0 if is_behind => self.patience,
            0 => OPEN_PATIENCE,
            asked => OPEN_PATIENCE * f64::from(1 << (asked - 1).min(MOST_DOUBLINGS)),
        };
        block.since + self.rtt.scale(patience)
    }

    /// Handles the expiry of the timer: returns the requests that are due.
    pub fn expire(&mut self, now: Time) -> Vec<Feedback> {
        let mut asked = Vec::new();
        for at in 0..self.blocks.len() {
            if self.due_at(at) > now {
                continue;
            }
            let is_behind = at + 1 < self.blocks.len();
            let block = &mut self.blocks[at];
            let expected = if is_behind { block.size } else { block.columns };
            let rank = block.rank();
            // If no combination of a block arrived, even its size is unknown.
            let missing = expected.saturating_sub(rank).max(1);
            (block.since, block.unanswered, block.requests) = (now, block.unanswered + 1, block.requests + 1);
            let number = self.base + at as u32;
            self.counts.requests += 1;
            self.counts.requested += u64::from(missing);
            asked.push(self.feedback(number, rank, Some(Request { block: number, missing })));
        }
        asked
    }
}
