//! The end where TCP receives.

use super::CodingConfig;
use super::message::{Combination, Feedback, Request};
use std::collections::VecDeque;
use windward_coding::Decoder;
use windward_units::{Duration, Time};

/// The round trip as long as the source has measured none (RFC 6298 §2.1).
const UNKNOWN_RTT: Duration = Duration::from_millis(1000);

/// Round trips without progress after which a block whose last segments may still come is asked for, and between the first two
/// requests for any block; each further one waits twice as long.
const OPEN_PATIENCE: f64 = 2.0;

/// Most doublings of that.
const MOST_DOUBLINGS: u32 = 5;

/// Decodes, acknowledges, asks for what is missing.
#[derive(Clone, Debug)]
pub struct Sink {
    ideal: bool,
    patience: f64,
    /// Bytes of a combination's payload.
    payload: usize,
    /// Blocks not yet handed up.
    blocks: VecDeque<Block>,
    /// The number of the first of them.
    base: u32,
    rtt: Duration,
    /// What it counted.
    pub counts: SinkCounts,
    /// Blocks that were decoded.
    pub decoded: Vec<BlockRecord>,
}

/// What a sink counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkCounts {
    /// Combinations that arrived.
    pub received: u64,
    /// Of these, those that said something new.
    pub innovative: u64,
    /// Requests.
    pub requests: u64,
    /// Combinations asked for.
    pub requested: u64,
}

/// How a block went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockRecord {
    /// Its number.
    pub block: u32,
    /// Its segments.
    pub size: u32,
    /// When its first combination came.
    pub began: Time,
    /// When its last segment was handed up, in order.
    pub ended: Time,
    /// How often something was asked for.
    pub requests: u32,
}

/// What came of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// It said something new.
    pub is_innovative: bool,
    /// What the source is told.
    pub feedback: Feedback,
}

#[derive(Clone, Debug)]
struct Block {
    /// H; 0 before the first combination.
    size: u32,
    /// The most segments that a combination had.
    columns: u32,
    decoder: Option<Decoder>,
    /// Combinations counted where all are innovative.
    count: u32,
    /// Segments handed up.
    handed: u32,
    began: Time,
    /// When it last made progress, or was last asked for.
    since: Time,
    /// Requests since it last made progress, and in all.
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

    /// Whether the segment `at` is decoded.
    fn knows(&self, at: u32) -> bool {
        match &self.decoder {
            Some(decoder) => decoder.knows(at as usize),
            // Without coefficients: when all that was sent is there.
            None => at < self.columns && self.count >= self.columns,
        }
    }
}

impl Sink {
    /// Nothing received; combinations have `payload` bytes, at least one where they are real.
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

    /// A combination arrives, with as many `coefficients` as the block has segments; `None` if it is malformed.
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
            // Where the data end before the block does, headers before and after that differ in length.
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

    /// The next segment in order, if it is decoded: its bytes, none where there are none.
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

    /// When [`Self::expire`] has something to ask for; [`Time::NEVER`] if that is not to be foreseen.
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

    /// The timer rings: asks for what is due.
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
            // Of a block of which nothing came, not even the size is known.
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
