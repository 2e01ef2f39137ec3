//! The end where TCP sends.

use super::message::{Combination, Feedback, Request};
use super::{AHEAD, BlockSize, CodingConfig, MOST_SEGMENTS};
use crate::packet::{Range, SACK_BLOCKS};
use std::collections::VecDeque;
use windward_units::{Duration, Time};

/// The weight of a new sample in the mean window.
const GAIN: f64 = 1.0 / 32.0;

/// Makes combinations of segments, and acknowledgements of segments from the ranks that the sink tells.
#[derive(Clone, Debug)]
pub struct Source {
    size: BlockSize,
    mean_window: f64,
    /// Blocks that may still be asked for, or that TCP has not seen acknowledged.
    blocks: VecDeque<Block>,
    /// The number of the first of them.
    base: u32,
    /// All blocks before this one are decoded.
    below: u32,
    /// The first segment not acknowledged to TCP.
    una: u32,
    /// Of each segment from there on, its place among all that was sent; `None` while it is withheld.
    places: VecDeque<Option<u64>>,
    /// Segments sent so far, those sent again included.
    sent: u64,
    /// All places before this one are acknowledged.
    reached: u64,
    /// Of the block with which the data end, so many transmissions.
    ended: usize,
    /// What it counted.
    pub counts: SourceCounts,
}

/// What a source counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Combinations that left.
    pub sent: u64,
    /// Of these, answers to requests.
    pub repairs: u64,
    /// Segments that a full queue at the source dropped, and TCP saw missing.
    pub unmasked: u64,
}

/// What TCP is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The first segment still missing.
    pub next: u32,
    /// Ranges beyond it that are not, the newest first.
    pub sack: [Range; SACK_BLOCKS],
    /// When the newest segment of those that this acknowledges was sent.
    pub sent_at: Time,
}

#[derive(Clone, Debug)]
struct Block {
    /// Its first segment, and when that was sent.
    first: u32,
    opened: Time,
    /// Segments when it is full, and now.
    size: u32,
    admitted: u32,
    /// Combinations sent.
    sent: u32,
    /// What TCP sent, in order, what was dropped taken out.
    order: Vec<Entry>,
    /// Segments that TCP shall see missing.
    withheld: u32,
    /// The data end with it.
    is_last: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    segment: u32,
    place: u64,
    sent_at: Time,
}

impl Source {
    /// Nothing sent.
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

    /// The next new segment.
    pub fn next(&self) -> u32 {
        self.una + self.places.len() as u32
    }

    /// The mean of the windows so far, in packets.
    #[cfg(test)]
    pub fn mean_window(&self) -> f64 {
        self.mean_window
    }

    /// TCP sends the next new segment under a window of `cwnd` packets; `is_last` of its data.
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

    /// TCP sends a segment again: a further combination of its block. `None` if TCP has been told that it arrived.
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

    /// A segment is the last of what was sent.
    fn list(&mut self, now: Time, at: usize, segment: u32) {
        self.places[(segment - self.una) as usize] = Some(self.sent);
        self.blocks[at].order.push(Entry { segment, place: self.sent, sent_at: now });
        self.sent += 1;
    }

    /// A combination of all segments that a block has.
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

    /// A full queue at the source dropped a combination: the segment that it stood for is withheld from TCP.
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

    /// Feedback arrives. What TCP is to be told, if anything is new.
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

    /// How many of the transmissions of the last block are acknowledged, where the data end: none before all other blocks have been
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

    /// Whether the segment `at` places beyond the first unacknowledged one is acknowledged.
    fn has_arrived(&self, at: usize) -> bool {
        let segment = self.una + at as u32;
        let is_sent = self.places[at].is_some_and(|place| place < self.reached);
        let last = self.blocks.back().filter(|block| block.is_last && block.first <= segment);
        is_sent && last.is_none_or(|last| last.order[..self.ended].iter().any(|entry| entry.segment == segment))
    }

    /// Blocks that are decoded and acknowledged are not needed any more.
    fn forget(&mut self) {
        while self.base < self.below
            && self.blocks.front().is_some_and(|block| block.first + block.admitted <= self.una && block.is_full())
        {
            self.blocks.pop_front();
            self.base += 1;
        }
    }

    /// What lies beyond the first gap: the range of the newest segment first, then the others from the top down.
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

    /// How many further combinations a request is answered with: what is missing, less what TCP has to send again.
    pub fn owed(&self, request: &Request) -> u32 {
        let at = request.block.checked_sub(self.base);
        let block = at.filter(|_| request.block >= self.below).and_then(|at| self.blocks.get(at as usize));
        block.map_or(0, |block| request.missing.min(block.admitted).saturating_sub(block.withheld))
    }

    /// One of them.
    pub fn repair(&mut self, block: u32, rtt: Duration) -> Option<Combination> {
        let at = block.checked_sub(self.base).map(|at| at as usize).filter(|&at| at < self.blocks.len())?;
        self.counts.repairs += 1;
        Some(self.combine(at, None, rtt))
    }

    /// Where a block begins among the segments, and how many it has so far: what a combination of it combines.
    pub fn segments(&self, block: u32) -> Option<(u32, u32)> {
        let block = self.blocks.get(block.checked_sub(self.base)? as usize)?;
        Some((block.first, block.admitted))
    }

    /// When a block's first segment was sent.
    pub fn opened_at(&self, block: u32) -> Option<Time> {
        self.blocks.get(block.checked_sub(self.base)? as usize).map(|block| block.opened)
    }

    /// The first segment that may still be combined.
    pub fn oldest(&self) -> u32 {
        self.blocks.front().map_or_else(|| self.next(), |block| block.first)
    }
}

impl Block {
    fn is_full(&self) -> bool {
        self.admitted == self.size
    }
}
