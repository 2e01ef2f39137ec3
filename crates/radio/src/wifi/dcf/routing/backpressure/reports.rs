//! Exchange of backlogs between stations.

use windward_elements::backpressure::Queues;
use windward_units::Time;

/// Backlog of a full station, to which no packets are sent.
const FULL: u32 = u32::MAX;

/// Bytes of a report beside its entries: an IP header.
const HEADER: u32 = 20;

/// Backlogs last announced.
#[derive(Debug)]
pub(super) struct Reports {
    /// Backlogs in the station's current frame, by commodity and station.
    told: Vec<Vec<u32>>,
    /// Backlogs that a link's sender knows of its receiver, by commodity and link.
    known: Vec<Vec<u32>>,
    stations: usize,
    ways: usize,
    /// Deadline of each station's next report; [`Time::NEVER`] before the first commodity that concerns it.
    pub due: Vec<Time>,
    /// True while a report waits for transmission.
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

    /// Makes room for `commodities`. Returns true if some of them are new.
    #[inline]
    pub fn make_room(&mut self, commodities: u32) -> bool {
        let is_new = self.told.len() < commodities as usize;
        if is_new {
            self.told.resize_with(commodities as usize, || vec![0; self.stations]);
            self.known.resize_with(commodities as usize, || vec![0; self.ways]);
        }
        is_new
    }

    /// Records the backlogs that a station announces with a frame: their values at the end of the frame, without its
    /// own packet. A full station announces [`FULL`]: only packets that end there are sent to it.
    pub fn tell(&mut self, at: u32, queues: &Queues) {
        let is_full = queues.is_full(at);
        for &commodity in queues.at(at) {
            let told = if is_full { FULL } else { queues.waiting_at(at, commodity) };
            self.told[commodity as usize][at as usize] = told;
        }
    }

    /// Reads the backlogs in a frame of the station `of`, the receiver of `way`, at the sender of `way`.
    pub fn hear(&mut self, way: u32, of: u32, queues: &Queues) {
        for &commodity in queues.at(of) {
            self.known[commodity as usize][way as usize] = self.told[commodity as usize][of as usize];
        }
    }

    /// Backlog of a link's receiver as its sender knows it.
    #[inline]
    pub fn known(&self, way: u32, commodity: u32) -> u32 {
        self.known[commodity as usize][way as usize]
    }

    /// Bytes of a report of `commodities` of `entry` bytes each.
    pub const fn bytes(commodities: u32, entry: u32) -> u32 {
        HEADER + entry * commodities
    }
}
