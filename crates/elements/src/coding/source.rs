//! The end at the sending TCP.

use super::message::{Combination, Feedback, Request};
use super::{AHEAD, BlockSize, CodingConfig, MOST_SEGMENTS};
use crate::packet::{Range, SACK_BLOCKS};
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// Weight of a new sample in the mean window.
const GAIN: f64 = 1.0 / 32.0;

/// Combines segments, and converts the sink's ranks into acknowledgements of segments.
#[derive(Clone, Debug)]
pub struct Source {
    size: BlockSize,
    mean_window: f64,
    /// Blocks that may still be requested or are not fully acknowledged to TCP.
    blocks: VecDeque<Block>,
    /// Number of the first of them.
    base: u32,
    /// Number of the first block that is not decoded.
    below: u32,
    /// First segment not acknowledged to TCP.
    una: u32,
    /// Place of each segment from there on among all transmissions; `None` while it is withheld.
    places: VecDeque<Option<u64>>,
    /// Number of segments sent so far, retransmissions included.
    sent: u64,
    /// Place below which all transmissions are acknowledged.
    reached: u64,
    /// Number of acknowledged transmissions of the block in which the data end.
    ended: usize,
    /// Counters.
    pub counts: SourceCounts,
}

/// Counters of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Combinations sent.
    pub sent: u64,
    /// Repairs among them, in answer to requests.
    pub repairs: u64,
    /// Segments that a full queue at the source dropped and that TCP saw missing.
    pub unmasked: u64,
}

/// Acknowledgement passed to TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// First missing segment.
    pub next: u32,
    /// Ranges received beyond it, newest first.
    pub sack: [Range; SACK_BLOCKS],
    /// Time of transmission of the newest segment that this acknowledges.
    pub sent_at: Time,
}

#[derive(Clone, Debug)]
struct Block {
    /// First segment of the block, and its time of transmission.
    first: u32,
    opened: Time,
    /// Number of segments when the block is full, and now.
    size: u32,
    admitted: u32,
    /// Number of combinations sent.
    sent: u32,
    /// Transmissions by TCP, in order, without dropped ones.
    order: Vec<Entry>,
    /// Number of segments that TCP must see missing.
    withheld: u32,
    /// True if the data end with this block.
    is_last: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    segment: u32,
    place: u64,
    sent_at: Time,
}

impl Source {
    /// A source that has sent nothing.
    pub fn new(config: &CodingConfig) -> Self {
        Self {
            size: config.block,
            mean_window: 0.0,
            blocks: VecDeque::new(),
            base: 0,
            below: 0,
            una: 0,
            places: VecDeque::new(),
            sent: 0,
            reached: 0,
            ended: 0,
            counts: SourceCounts::default(),
        }
    }

    /// Next new segment.
    pub fn next(&self) -> u32 {
        self.una + self.places.len() as u32
    }

    /// Mean of the windows so far, in packets.
    #[cfg(test)]
    pub fn mean_window(&self) -> f64 {
        self.mean_window
    }

    /// Sends the next new segment of TCP, under a window of `cwnd` packets; `is_last` marks the end of the data.
    pub fn admit(&mut self, now: Time, cwnd: f64, rtt: Duration, is_last: bool) -> Combination {
        let weight = if self.mean_window == 0.0 { 1.0 } else { GAIN };
        self.mean_window += weight * (cwnd - self.mean_window);
        let segment = self.next();
        if self.blocks.back().is_none_or(|block| block.admitted == block.size) {
            let window = |packets: f64| (packets as u32).clamp(1, MOST_SEGMENTS);
            let size = match self.size {
                BlockSize::Cwnd => window(cwnd),
                BlockSize::MeanCwnd => window(self.mean_window),
                BlockSize::Fixed(size) => size,
            };
            self.blocks.push_back(Block {
                first: segment,
                opened: now,
                size,
                admitted: 0,
                sent: 0,
                order: Vec::with_capacity(size as usize),
                withheld: 0,
                is_last: false,
            });
        }
        self.places.push_back(None);
        let at = self.blocks.len() - 1;
        let block = &mut self.blocks[at];
        block.admitted += 1;
        if is_last {
            (block.size, block.is_last) = (block.admitted, true);
        }
        self.list(now, at, segment);
        self.combine(at, Some(segment), rtt)
    }

    /// Retransmits a segment of TCP: a further combination of its block. `None` if its arrival was already acknowledged
    /// to TCP.
    pub fn repeat(&mut self, now: Time, segment: u32, rtt: Duration) -> Option<Combination> {
        let place = *self.places.get(segment.checked_sub(self.una)? as usize)?;
        let at = self.blocks.partition_point(|block| block.first <= segment).checked_sub(1)?;
        if place.is_some() {
            return Some(self.combine(at, None, rtt));
        }
        self.blocks[at].withheld -= 1;
        self.list(now, at, segment);
        Some(self.combine(at, Some(segment), rtt))
    }

    /// Appends a segment to the list of transmissions.
    fn list(&mut self, now: Time, at: usize, segment: u32) {
        self.places[(segment - self.una) as usize] = Some(self.sent);
        self.blocks[at].order.push(Entry { segment, place: self.sent, sent_at: now });
        self.sent += 1;
    }

    /// Combines all current segments of a block.
    fn combine(&mut self, at: usize, segment: Option<u32>, rtt: Duration) -> Combination {
        let block = &mut self.blocks[at];
        block.sent += 1;
        self.counts.sent += 1;
        Combination {
            block: self.base + at as u32,
            id: block.sent - 1,
            size: block.size,
            columns: block.admitted,
            segment,
            rtt,
        }
    }

    /// Handles the drop of a combination by a full queue at the source: withholds the segment that it stood for from
    /// TCP.
    pub fn dropped(&mut self, segment: Option<u32>) {
        let Some(segment) = segment else { return };
        let Some(at) = segment.checked_sub(self.una).map(|at| at as usize) else { return };
        let Some(&Some(place)) = self.places.get(at).filter(|place| place.is_none_or(|place| place >= self.reached))
        else {
            return;
        };
        let block = self.blocks.partition_point(|block| block.first <= segment) - 1;
        let block = &mut self.blocks[block];
        block.order.retain(|entry| entry.place != place);
        block.withheld += 1;
        self.places[at] = None;
        self.counts.unmasked += 1;
    }

    /// Handles feedback. Returns the acknowledgement for TCP, if there is news.
    pub fn on_feedback(&mut self, feedback: &Feedback) -> Option<Acknowledged> {
        let mut newest = None;
        let mut reach = |entry: Option<&Entry>, reached: &mut u64| {
            if let Some(entry) = entry.filter(|entry| entry.place >= *reached) {
                (*reached, newest) = (entry.place + 1, Some(*entry));
            }
        };
        let known = self.base + self.blocks.len() as u32;
        while self.below < feedback.below.min(known) {
            let decoded = self.below.checked_sub(self.base).and_then(|at| self.blocks.get(at as usize));
            reach(decoded.and_then(|block| block.order.last()), &mut self.reached);
            self.below += 1;
        }
        let at = feedback.block.checked_sub(self.base);
        if let Some(block) = at.and_then(|at| self.blocks.get(at as usize)) {
            let may_run_ahead = feedback.block < self.below.saturating_add(AHEAD);
            let count = block.order.len().min(feedback.rank as usize);
            if may_run_ahead && count > 0 {
                reach(block.order.get(count - 1), &mut self.reached);
            }
        }
        let ended = self.ended;
        self.ended = ended.max(self.end(feedback));
        if self.ended > ended {
            newest = newest.or_else(|| self.blocks.back()?.order.get(self.ended - 1).copied());
        }
        self.forget();
        let newest = newest?;
        while !self.places.is_empty() && self.has_arrived(0) {
            self.places.pop_front();
            self.una += 1;
        }
        self.forget();
        Some(Acknowledged { next: self.una, sack: self.sack(newest.segment), sent_at: newest.sent_at })
    }

    /// Number of acknowledged transmissions of the last block, if the data end there; zero before all other blocks are
    /// decoded.
    fn end(&self, feedback: &Feedback) -> usize {
        let number = self.base + (self.blocks.len() as u32).saturating_sub(1);
        match self.blocks.back() {
            Some(last) if last.is_last && self.below > number => last.order.len(),
            Some(last) if last.is_last && self.below == number && feedback.block == number => {
                last.order.len().min(feedback.rank as usize)
            }
            _ => 0,
        }
    }

    /// True if the segment `at` places beyond the first unacknowledged one is acknowledged.
    fn has_arrived(&self, at: usize) -> bool {
        let segment = self.una + at as u32;
        let is_sent = self.places[at].is_some_and(|place| place < self.reached);
        let last = self.blocks.back().filter(|block| block.is_last && block.first <= segment);
        is_sent && last.is_none_or(|last| last.order[..self.ended].iter().any(|entry| entry.segment == segment))
    }

    /// Removes blocks that are decoded and acknowledged.
    fn forget(&mut self) {
        while self.base < self.below
            && self.blocks.front().is_some_and(|block| block.first + block.admitted <= self.una && block.is_full())
        {
            self.blocks.pop_front();
            self.base += 1;
        }
    }

    /// Returns the SACK blocks beyond the first gap: the range of the newest segment first, then the others in
    /// descending order.
    fn sack(&self, newest: u32) -> [Range; SACK_BLOCKS] {
        let mut sack = [(0, 0); SACK_BLOCKS];
        let mut known = 0;
        let run = |end: usize| {
            let length = (0..end).rev().take_while(|&at| self.has_arrived(at)).count();
            (self.una + (end - length) as u32, self.una + end as u32)
        };
        let mut note = |range: Range| {
            if known < SACK_BLOCKS && range.0 < range.1 && !sack[..known].contains(&range) {
                sack[known] = range;
                known += 1;
            }
        };
        let all = self.places.len();
        if let Some(at) = newest.checked_sub(self.una) {
            let above = (at as usize..all).take_while(|&at| self.has_arrived(at)).count();
            note(run(at as usize + above));
        }
        let mut end = all;
        while end > 0 {
            let range = run(end);
            note(range);
            end = (range.0 - self.una) as usize;
            // The gap below.
            end -= (0..end).rev().take_while(|&at| !self.has_arrived(at)).count();
        }
        sack
    }

    /// Number of combinations due in answer to a request: the missing ones, less those that TCP has to retransmit.
    pub fn owed(&self, request: &Request) -> u32 {
        let at = request.block.checked_sub(self.base);
        let block = at.filter(|_| request.block >= self.below).and_then(|at| self.blocks.get(at as usize));
        block.map_or(0, |block| request.missing.min(block.admitted).saturating_sub(block.withheld))
    }

    /// Returns one of these combinations.
    pub fn repair(&mut self, block: u32, rtt: Duration) -> Option<Combination> {
        let at = block.checked_sub(self.base).map(|at| at as usize).filter(|&at| at < self.blocks.len())?;
        self.counts.repairs += 1;
        Some(self.combine(at, None, rtt))
    }

    /// Returns the first segment of a block and its current number of segments: those that a combination contains.
    pub fn segments(&self, block: u32) -> Option<(u32, u32)> {
        let block = self.blocks.get(block.checked_sub(self.base)? as usize)?;
        Some((block.first, block.admitted))
    }

    /// Time at which a block's first segment was sent.
    pub fn opened_at(&self, block: u32) -> Option<Time> {
        self.blocks.get(block.checked_sub(self.base)? as usize).map(|block| block.opened)
    }

    /// First segment that may still be combined.
    pub fn oldest(&self) -> u32 {
        self.blocks.front().map_or_else(|| self.next(), |block| block.first)
    }
}

impl Block {
    fn is_full(&self) -> bool {
        self.admitted == self.size
    }
}
