//! All queues of a radio.

use super::airtime::{Airtime, station};
use super::config::{Discipline, FlowsConfig, TxqConfig};
use super::estimate::Estimator;
use super::flows::Flows;
use crate::wifi::category::{CATEGORIES, Category, TIDS};
use crate::wifi::ppdu::Mode;
use windward_elements::packet::Packet;
use windward_elements::queue::Waiting;
use windward_units::Time;

/// Index of a station that the radio sends to.
pub type StationId = u32;

/// Transmit queue of a station and a traffic identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Txq {
    /// Station.
    pub station: StationId,
    /// Traffic identifier, 0 to 7.
    pub tid: u8,
}

impl Txq {
    /// Access category.
    pub const fn category(self) -> Category {
        Category::of(self.tid)
    }

    const fn index(self) -> u32 {
        self.station * TIDS as u32 + self.tid as u32
    }

    const fn at(index: u32) -> Self {
        Self { station: station(index) as u32, tid: (index as usize % TIDS) as u8 }
    }
}

/// A packet that leaves its TXQ. It is completed exactly once, with its estimate.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Packet.
    pub packet: Packet,
    /// Time at which it was queued.
    pub since: Time,
    /// Estimated airtime in microseconds; zero without AQL.
    pub estimate: u32,
}

/// Queue of the interface above the TXQs.
#[derive(Debug)]
struct Above {
    flows: Flows,
    /// Most packets of a category below it.
    most: u32,
    /// Packets of the categories below it.
    below: [u32; CATEGORIES],
}

/// Queues of a radio.
#[derive(Debug)]
pub struct Txqs {
    above: Option<Above>,
    flows: Flows,
    airtime: Airtime,
    has_aql: bool,
    /// By station; none for group-addressed packets.
    estimators: Vec<Option<Estimator>>,
    /// Packets taken and not completed.
    taken: u64,
}

impl Txqs {
    /// Empty queues; the hash of flows depends on `key` and `seed`.
    pub fn new(config: &TxqConfig, key: u64, seed: u64) -> Self {
        let (above, flows) = match config.discipline {
            Discipline::PerStation(flows) => (None, flows),
            Discipline::Shared { above, below } => {
                let mut flows = Flows::new(above, key, seed);
                Category::ALL.iter().for_each(|_| flows.add_bin());
                let above = Above { flows, most: below.max(1), below: [0; CATEGORIES] };
                (Some(above), FlowsConfig::fifo(u32::MAX))
            }
        };
        Self {
            above,
            flows: Flows::new(flows, key, seed),
            airtime: Airtime::new(config),
            has_aql: config.aql.is_some(),
            estimators: Vec::new(),
            taken: 0,
        }
    }

    /// Weight of a station's airtime by default.
    pub const WEIGHT: u16 = 256;

    /// Adds a station with the weight of its airtime, positive.
    pub fn add_station(&mut self, weight: u16) -> StationId {
        debug_assert!(weight > 0, "a station without weight is never served");
        self.add(Some(weight.max(1)))
    }

    /// Adds the destination of group-addressed packets: no airtime is charged, and AQL does not hold.
    pub fn add_group(&mut self) -> StationId {
        self.add(None)
    }

    fn add(&mut self, weight: Option<u16>) -> StationId {
        self.airtime.add_station(weight);
        (0..TIDS).for_each(|_| self.flows.add_bin());
        self.estimators.push(weight.map(|_| Estimator::UNKNOWN));
        self.estimators.len() as u32 - 1
    }

    /// Sets the rate of the last PPDU to a station, by which airtime is estimated.
    pub fn set_rate(&mut self, station: StationId, mode: Mode) {
        if let Some(estimator) = &mut self.estimators[station as usize] {
            *estimator = Estimator::new(mode);
        }
    }

    /// Queues a packet. Packets that the limits do not allow go to `dropped`, with their TXQs; it may be among them.
    pub fn enqueue(&mut self, now: Time, txq: Txq, packet: Packet, dropped: &mut impl FnMut(Txq, Waiting)) {
        let (index, waiting) = (txq.index(), Waiting { since: now, packet });
        let dropped = &mut |tag, waiting| dropped(Txq::at(tag), waiting);
        if let Some(above) = &mut self.above {
            above.flows.enqueue(txq.category() as u32, waiting, index, dropped);
            self.refill(now, txq.category(), dropped);
        } else {
            self.flows.enqueue(index, waiting, index, dropped);
            self.airtime.schedule(now, index, self.flows.packets(index) > 0);
        }
    }

    /// Begins a round of a category: [`Self::next`] returns each TXQ once at most until the next round.
    pub fn begin(&mut self, category: Category) {
        self.airtime.begin(category);
    }

    /// Begins a round of a category, and returns the first TXQ to serve. Where Linux passes over it for one of an
    /// earlier round of the same number, another round begins, as at the next run of a driver's worker (mt76): no other
    /// event may come.
    pub fn first(&mut self, category: Category) -> Option<Txq> {
        self.begin(category);
        let first = self.next(category);
        if first.is_none() && self.airtime.is_mistaken(category) {
            self.begin(category);
            return self.next(category);
        }
        first
    }

    /// TXQ of a category to serve next. [`Self::give_back`] returns it to the schedule.
    pub fn next(&mut self, category: Category) -> Option<Txq> {
        self.airtime.next(category).map(Txq::at)
    }

    /// Takes the next packet of a TXQ, unless AQL forbids it. CoDel's drops go to `dropped`.
    pub fn dequeue(&mut self, now: Time, txq: Txq, dropped: &mut impl FnMut(Txq, Waiting)) -> Option<Taken> {
        let index = txq.index();
        if !self.airtime.admits(index) {
            return None;
        }
        let dropped = &mut |tag, waiting| dropped(Txq::at(tag), waiting);
        let (Waiting { since, packet }, _) = self.flows.dequeue(now, index, dropped)?;
        let estimate = match &self.estimators[txq.station as usize] {
            Some(estimator) if self.has_aql => {
                estimator.estimate(packet.size, matches!(txq.category(), Category::Voice))
            }
            _ => 0,
        };
        self.airtime.take(index, estimate);
        self.taken += 1;
        Some(Taken { packet, since, estimate })
    }

    /// Returns a TXQ to the schedule after its turn; `has_retries` if the driver still has packets of it.
    pub fn give_back(&mut self, now: Time, txq: Txq, has_retries: bool) {
        let index = txq.index();
        self.airtime.schedule(now, index, has_retries || self.flows.packets(index) > 0);
    }

    /// Completes a packet, which was acknowledged or given up, with the estimate that [`Self::dequeue`] gave it.
    pub fn completed(&mut self, now: Time, txq: Txq, estimate: u32, dropped: &mut impl FnMut(Txq, Waiting)) {
        debug_assert!(self.taken > 0, "a packet is completed once");
        self.taken -= 1;
        self.airtime.complete(txq.index(), estimate);
        if let Some(above) = &mut self.above {
            above.below[txq.category() as usize] -= 1;
            self.refill(now, txq.category(), &mut |tag, waiting| dropped(Txq::at(tag), waiting));
        }
    }

    /// Charges a station for airtime in microseconds, sent to it or received from it.
    pub fn airtime(&mut self, now: Time, station: StationId, category: Category, micros: u32) {
        self.airtime.charge(now, station as usize, category, micros);
    }

    /// Moves packets of a category from the interface's queue into TXQs.
    fn refill(&mut self, now: Time, category: Category, dropped: &mut impl FnMut(u32, Waiting)) {
        let Some(above) = &mut self.above else { return };
        while above.below[category as usize] < above.most {
            let Some((waiting, index)) = above.flows.dequeue(now, category as u32, dropped) else { return };
            above.below[category as usize] += 1;
            self.flows.enqueue(index, waiting, index, dropped);
            self.airtime.schedule(now, index, true);
        }
    }

    /// Packets in a TXQ.
    pub fn packets(&self, txq: Txq) -> u32 {
        self.flows.packets(txq.index())
    }

    /// Bytes in a TXQ.
    pub fn bytes(&self, txq: Txq) -> u64 {
        self.flows.bytes(txq.index())
    }

    /// Packets of a category in the interface's queue above the TXQs.
    pub fn packets_above(&self, category: Category) -> u32 {
        self.above.as_ref().map_or(0, |above| above.flows.packets(category as u32))
    }

    /// Packets in all queues.
    pub fn all_packets(&self) -> u64 {
        let above = self.above.as_ref().map_or(0, |above| u64::from(above.flows.all_packets()));
        above + u64::from(self.flows.all_packets())
    }

    /// Memory of all queues, as Linux counts it.
    pub fn memory(&self) -> u64 {
        self.above.as_ref().map_or(0, |above| above.flows.memory()) + self.flows.memory()
    }

    /// Packets marked by CoDel.
    pub fn marked(&self) -> u64 {
        self.above.as_ref().map_or(0, |above| above.flows.marked()) + self.flows.marked()
    }

    /// Packets that went to their TXQ's default flow because their queue served another TXQ.
    pub const fn collisions(&self) -> u64 {
        self.flows.collisions()
    }

    /// Packets taken and not completed.
    pub const fn outstanding(&self) -> u64 {
        self.taken
    }

    /// Estimated airtime in microseconds of a station's packets that were taken and are not completed.
    pub fn pending(&self, station: StationId, category: Category) -> u32 {
        self.airtime.pending(station as usize, category)
    }

    /// Airtime in microseconds that a station may still use, less what is pending.
    pub fn deficit(&self, station: StationId, category: Category) -> i64 {
        self.airtime.deficit(station as usize, category)
    }

    /// TXQs of a category in the order of the schedule, by number.
    #[cfg(test)]
    pub(super) fn listed(&self, category: Category) -> Vec<u32> {
        self.airtime.listed(category)
    }

    /// Capacities of the buffers that grow with packets.
    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        self.flows.capacities()
    }
}
