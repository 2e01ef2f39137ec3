//! Rates to probe: lists of faster, much faster and slower ones.

use super::groups::{RATES, Rate, rates};
use super::receiver::Receiver;
use super::stats::fraction;
use crate::wifi::ppdu::Format;

/// Entries of a list.
const ENTRIES: usize = 5;
/// Permutations in a table.
const COLUMNS: usize = 10;

/// The lists.
const STEP: usize = 0;
const JUMP: usize = 1;
const SLOW: usize = 2;

/// Lists from which probes are taken, in turn.
const SEQUENCE: [usize; 6] = [STEP, JUMP, STEP, JUMP, STEP, SLOW];

/// Ten random permutations of the rates of a group; Linux draws them once for all stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleTable {
    rates: u8,
    columns: [[u8; RATES]; COLUMNS],
}

impl SampleTable {
    /// Table for the rates of a format from random bytes, ten (HE: twelve) for each permutation.
    pub fn new(format: Format, mut random: impl FnMut() -> u8) -> Self {
        const NONE: u8 = u8::MAX;
        let rates = rates(format);
        let mut columns = [[NONE; RATES]; COLUMNS];
        for column in &mut columns {
            let mut bytes = [0; RATES];
            bytes[..rates].fill_with(&mut random);
            for (rate, byte) in bytes[..rates].iter().enumerate() {
                let mut at = (rate + usize::from(*byte)) % rates;
                while column[at] != NONE {
                    at = (at + 1) % rates;
                }
                column[at] = rate as u8;
            }
        }
        Self { rates: rates as u8, columns }
    }
}

/// A list of rates to probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Samples {
    /// Group from which the last entry was taken.
    group: usize,
    rates: [Rate; ENTRIES],
}

impl Samples {
    /// Empty list that goes on behind a group.
    pub(super) const fn starting(group: usize) -> Self {
        Self { group, rates: [Rate::NONE; ENTRIES] }
    }

    #[cfg(test)]
    pub(super) const fn fill(&mut self, rates: [Rate; ENTRIES]) {
        self.rates = rates;
    }

    pub(super) const fn rates(&self) -> &[Rate; ENTRIES] {
        &self.rates
    }

    /// Keeps the entries that `keep` accepts. As in Linux, an entry that would stay in its place is not counted: the
    /// next one overwrites it. Returns the number of those counted.
    pub(super) fn keep(&mut self, keep: impl Fn(Rate) -> bool) -> usize {
        let mut counted = 0;
        for at in 0..ENTRIES {
            let rate = self.rates[at];
            if rate.is_none() {
                continue;
            }
            if !keep(rate) {
                self.rates[at] = Rate::NONE;
            } else if at != counted {
                self.rates[counted] = rate;
                self.rates[at] = Rate::NONE;
                counted += 1;
            }
        }
        counted
    }

    /// True if the list has a rate before its first gap.
    fn has(&self, rate: Rate) -> bool {
        for &entry in &self.rates {
            if entry == rate {
                return true;
            }
            if entry.is_none() {
                break;
            }
        }
        false
    }

    /// Removes the first entry.
    fn take(&mut self) -> Rate {
        let first = self.rates.iter_mut().find(|rate| !rate.is_none());
        first.map_or(Rate::NONE, std::mem::take)
    }
}

/// The three lists, and the order in which probes are taken from them.
#[derive(Clone, Debug)]
pub(super) struct Probes {
    table: SampleTable,
    lists: [Samples; 3],
    sequence: u8,
}

impl Probes {
    /// Empty lists for a number of groups, the first of which is `first`.
    pub(super) fn new(table: SampleTable, first: usize, groups: usize) -> Self {
        // Linux cycles through the groups of all formats and starts at number 0.
        let start = if first == 0 { 0 } else { groups - 1 };
        Self { table, lists: [Samples::starting(start); 3], sequence: 0 }
    }

    pub(super) const fn lists(&self) -> &[Samples; 3] {
        &self.lists
    }

    /// Next rate to probe.
    pub(super) fn take(&mut self) -> Rate {
        let list = SEQUENCE[usize::from(self.sequence)];
        self.sequence = (self.sequence + 1) % SEQUENCE.len() as u8;
        self.lists[list].take()
    }

    /// Refills the lists after an update.
    pub(super) fn refill(&mut self, to: &mut Receiver) {
        let durations = [to.best[0], to.best[1], to.robust].map(Rate::duration);
        let [best, second, robust] = durations;
        let fast = best.min(second).min(robust);
        let slow = best.max(second).max(robust);

        let mut at = self.lists[STEP].keep(|rate| rate.duration() < fast);
        while at < ENTRIES {
            let rate = self.next_step(to, best);
            self.lists[STEP].rates[at] = rate;
            if rate.is_none() {
                break;
            }
            at += 1;
        }

        let mut at = self.lists[JUMP].keep(|rate| rate.duration() < fast);
        let mut slower = self.lists[SLOW].keep(|rate| rate.duration() > fast && rate.duration() < slow);
        while at < ENTRIES {
            let rate = self.next_jump(to, fast, slow, &mut slower);
            self.lists[JUMP].rates[at] = rate;
            if rate.is_none() {
                break;
            }
            at += 1;
        }
    }

    /// Next unlisted rate that is just faster than the best one.
    fn next_step(&mut self, to: &Receiver, best: u32) -> Rate {
        let count = to.groups.len();
        let mut at = self.lists[STEP].group;
        let mut found = Rate::NONE;
        for _ in 0..count {
            at = (at + 1) % count;
            let Some(mcs) = first_shorter(to, at, best) else { continue };
            let rate = Rate::new(to.first + at, mcs);
            if !self.lists[STEP].has(rate) {
                found = rate;
                break;
            }
        }
        self.lists[STEP].group = at;
        found
    }

    /// Next random rate that is faster than all chosen ones. Slower ones on the way join the slow list.
    fn next_jump(&mut self, to: &mut Receiver, fast: u32, slow: u32, slower: &mut usize) -> Rate {
        let count = to.groups.len();
        let mut at = self.lists[JUMP].group;
        let mut found = Rate::NONE;
        // A full list of slower rates needs no more of them.
        let mut longest = if *slower >= ENTRIES { fast } else { slow };
        for _ in 0..count {
            at = (at + 1) % count;
            if to.groups[at].supported == 0 {
                continue;
            }
            let Some(least) = first_shorter(to, at, longest) else { continue };
            let Some(rate) = self.next_of_group(to, at, least) else { continue };
            let duration = rate.duration();
            let list = if duration < fast { JUMP } else { SLOW };
            if self.lists[list].has(rate) {
                continue;
            }
            if list == JUMP {
                found = rate;
                break;
            }
            // A slower rate is of use as a fallback that is more reliable; one that is known to work needs no probe.
            let is_good = to.probability(rate) > fraction(95, 100);
            if *slower >= ENTRIES || duration >= slow || is_good {
                continue;
            }
            self.lists[SLOW].rates[*slower] = rate;
            *slower += 1;
            if *slower >= ENTRIES {
                longest = fast;
            }
        }
        self.lists[JUMP].group = at;
        found
    }

    /// Next rate in a group's random order that is supported and not below `least`.
    fn next_of_group(&self, to: &mut Receiver, at: usize, least: usize) -> Option<Rate> {
        let table = &self.table;
        let group = &mut to.groups[at];
        for _ in 0..table.rates {
            let mcs = usize::from(table.columns[usize::from(group.column)][usize::from(group.row)]);
            group.row += 1;
            if group.row >= table.rates {
                group.row = 0;
                group.column = (group.column + 1) % COLUMNS as u8;
            }
            if mcs >= least && group.supported & 1 << mcs != 0 {
                return Some(Rate::new(to.first + at, mcs));
            }
        }
        None
    }
}

/// First rate of a group that is shorter than a duration.
fn first_shorter(to: &Receiver, at: usize, duration: u32) -> Option<usize> {
    let supported = to.groups[at].supported;
    (0..RATES).find(|&mcs| supported & 1 << mcs != 0 && Rate::new(to.first + at, mcs).duration() < duration)
}
