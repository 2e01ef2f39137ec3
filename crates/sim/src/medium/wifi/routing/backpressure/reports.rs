//! What stations tell of their backlogs, and what others know of them.

use crate::backlog::Backlog;
use windward_units::Time;

/// A backlog that nobody sends to.
const FULL: u32 = u32::MAX;

/// Bytes of a report beside its entries: an IP header.
const HEADER: u32 = 20;

/// Backlogs as they were told last.
#[derive(Debug)]
pub(super) struct Reports {
    /// Of every commodity, by station: what the frame has that it sends.
    told: Vec<Vec<u32>>,
    /// Of every commodity, by way: what the way's sender knows of its receiver.
    known: Vec<Vec<u32>>,
    stations: usize,
    ways: usize,
    /// When each station has to tell its backlogs at the latest; [`Time::NEVER`] before the first commodity that concerns it.
    pub due: Vec<Time>,
    /// Whether a report of it waits for the air.
    pub is_waiting: Vec<bool>,
}

impl Reports {
    pub fn new(stations: usize, ways: usize) -> Self {
        Self {
            told: Vec::new(),
            known: Vec::new(),
            stations,
            ways,
            due: vec![Time::NEVER; stations],
            is_waiting: vec![false; stations],
        }
    }

    /// Makes room for so many commodities. Returns whether there are new ones.
    #[inline]
    pub fn make_room(&mut self, commodities: u32) -> bool {
        let is_new = self.told.len() < commodities as usize;
        if is_new {
            self.told.resize_with(commodities as usize, || vec![0; self.stations]);
            self.known.resize_with(commodities as usize, || vec![0; self.ways]);
        }
        is_new
    }

    /// A frame begins: it tells what will be true when it has been received, its own packet not counted. To a full station nobody
    /// sends, but for what ends there.
    pub fn tell(&mut self, at: u32, backlog: &Backlog) {
        let is_full = backlog.is_full(at);
        for &commodity in backlog.at(at) {
            let told = if is_full { FULL } else { backlog.waiting_at(at, commodity) };
            self.told[commodity as usize][at as usize] = told;
        }
    }

    /// The sender of `way` has received a frame of its receiver, the station `of`.
    pub fn hear(&mut self, way: u32, of: u32, backlog: &Backlog) {
        for &commodity in backlog.at(of) {
            self.known[commodity as usize][way as usize] = self.told[commodity as usize][of as usize];
        }
    }

    /// What the sender of a way knows of its receiver's backlog.
    #[inline]
    pub fn known(&self, way: u32, commodity: u32) -> u32 {
        self.known[commodity as usize][way as usize]
    }

    /// Bytes of a report of so many commodities, each of which takes `entry`.
    pub const fn bytes(commodities: u32, entry: u32) -> u32 {
        HEADER + entry * commodities
    }
}
