//! Linux's transmit queues of a station.

use super::config::{EdcaConfig, Hardware};
use crate::wifi::category::{CATEGORIES, Category};
use crate::wifi::txq::{Txq, Txqs};

/// Transmit queues of a station.
#[derive(Debug)]
pub(super) struct Transmit {
    pub txqs: Txqs,
    /// True if the firmware composes aggregates: packets go down as AQL allows. Otherwise the driver takes them when it
    /// composes one.
    pub is_firmware: bool,
    /// True if stations are charged for what they send.
    pub charges_received: bool,
    /// Packets in the queues, by category.
    pub held: [u32; CATEGORIES],
    /// Queue whose PPDU is in progress, by category; not on the schedule meanwhile.
    pub serving: [Option<Txq>; CATEGORIES],
    /// Link to each receiver.
    pub links: Vec<u32>,
}

impl Transmit {
    /// Queues of station `at` of `config`, which sends over `links`, in the run of `seed`; `None` with one queue for
    /// all.
    pub fn new(at: u32, config: &EdcaConfig, links: Vec<u32>, seed: u64) -> Option<Box<Self>> {
        let station = &config.stations[at as usize];
        let of = station.txqs.as_ref()?;
        let mut txqs = Txqs::new(of, station.key, seed);
        for &link in &links {
            txqs.add_station(config.stations[config.ways[link as usize].to as usize].weight);
        }
        let (held, serving) = ([0; CATEGORIES], [None; CATEGORIES]);
        Some(Box::new(Self {
            txqs,
            is_firmware: station.hardware == Hardware::Firmware && of.aql.is_some(),
            charges_received: of.charges_received,
            held,
            serving,
            links,
        }))
    }

    /// Link and category of a queue, as the index of their session.
    pub fn session(&self, txq: Txq) -> u32 {
        self.links[txq.station as usize] * CATEGORIES as u32 + txq.category() as u32
    }

    /// TXQ of a category to serve next; `begins` opens a round.
    pub fn next(&mut self, of: usize, begins: bool) -> Option<Txq> {
        if begins { self.txqs.first(Category::ALL[of]) } else { self.txqs.next(Category::ALL[of]) }
    }

    /// True if the driver has packets of a category to compose a PPDU of.
    pub fn has_packets(&self, of: usize) -> bool {
        !self.is_firmware && (self.held[of] > 0 || self.serving[of].is_some())
    }
}
