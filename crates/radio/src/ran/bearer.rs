//! Bearers: the queues of a station, each with an RLC of its own.
//!
//! Legs 2b and 2b + 1 are both directions of bearer b. The first bearers are the default ones, in the order of the
//! stations; the others follow. All bearers of a station share its channel, its site and its DRX. A block carries one
//! bearer, and each bearer has HARQ processes, outer loop and scheduling requests of its own.

use super::config::{BearerConfig, RanConfig};
use super::qos::Qos;
use windward_elements::backpressure::Class;
use windward_elements::packet::{Kind, Packet};
use windward_tables::table;
use windward_units::Time;

table! {
    /// Bearers of LTE and NR cells, of stations with more than one. A link is one direction of a station; its other
    /// tables have the sums of all bearers.
    pub struct RanBearerStats: "ran_bearers", Totals, "link", IfAny;
    columns {
        /// Link.
        link: u32 @ "links" fixed [""],
        /// 5QI, or QCI with LTE; 9 for the default bearer.
        qi: u32 fixed [""],
        /// Packets delivered.
        packets: u64 ["packets"],
        /// Mean delay from the arrival at the queue to the delivery.
        mean_delay_s: f64 ["s"],
        /// Median delay.
        delay_p50_s: f64 binned ["s"],
        /// 95th percentile of the delay.
        delay_p95_s: f64 binned ["s"],
        /// 99th percentile of the delay.
        delay_p99_s: f64 binned ["s"],
        /// Delay budget of the radio link: that of the 5QI, less 20 ms for the core network.
        budget_s: f64 fixed ["s"],
        /// Delivered packets whose delay exceeded the budget, as a share.
        late: f64 [""],
        /// Packets dropped by the queue, or discarded by age.
        dropped: u64 ["packets"],
        /// Packets lost on the radio link.
        lost: u64 ["packets"],
    }
}

/// Rate that the scheduler guarantees to a bearer: a token bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guarantee {
    /// Bits a second.
    rate: f64,
    /// Most bits that add up.
    depth: f64,
    bits: f64,
    at: Time,
}

impl Guarantee {
    /// Time whose bits add up while a bearer has nothing to send, in seconds, and the least depth in bits.
    const DEPTH: (f64, f64) = (0.1, 2.0 * 12_000.0);

    pub fn new(rate: f64) -> Self {
        let depth = (rate * Self::DEPTH.0).max(Self::DEPTH.1);
        Self { rate, depth, bits: depth, at: Time::ZERO }
    }

    /// True while the bearer has sent less than its rate allows by `now`.
    pub fn holds(&mut self, now: Time) -> bool {
        self.bits = (self.bits + self.rate * now.since(self.at).as_secs()).min(self.depth);
        self.at = now;
        self.bits > 0.0
    }

    /// Counts bytes that were sent.
    pub fn spend(&mut self, bytes: u64) {
        self.bits -= bytes as f64 * 8.0;
    }
}

/// Bearers of a cell by station.
#[derive(Debug)]
pub(super) struct Bearers {
    /// Station of each bearer.
    owners: Vec<u32>,
    /// Bearers of each station beyond the default one: the first, and one past the last.
    others: Vec<(u32, u32)>,
    /// True if any station has such.
    pub has_others: bool,
}

impl Bearers {
    pub fn new(config: &RanConfig) -> Self {
        let stations = config.stations.len() as u32;
        let mut owners: Vec<u32> = (0..stations).collect();
        owners.extend(config.bearers.iter().map(|bearer| bearer.station));
        let place = |station: u32| stations + config.bearers.partition_point(|bearer| bearer.station < station) as u32;
        let others = (0..stations).map(|station| (place(station), place(station + 1))).collect();
        Self { owners, others, has_others: !config.bearers.is_empty() }
    }

    /// Number of bearers.
    pub fn count(&self) -> usize {
        self.owners.len()
    }

    /// Station of a leg.
    #[inline]
    pub fn station(&self, leg: u32) -> u32 {
        self.owners[leg as usize / 2]
    }

    /// Link that a leg is part of.
    #[inline]
    pub fn link(&self, leg: u32) -> u32 {
        2 * self.station(leg) + leg % 2
    }

    /// Bearers of a station, the default one first.
    pub fn of(&self, station: u32) -> impl Iterator<Item = u32> + use<> {
        let (from, to) = self.others[station as usize];
        std::iter::once(station).chain(from..to)
    }

    /// Legs of a link.
    pub fn legs(&self, link: u32) -> impl Iterator<Item = usize> + use<> {
        self.of(link / 2).map(move |bearer| (2 * bearer + link % 2) as usize)
    }

    /// Leg of a packet on a link.
    #[inline]
    pub fn leg(&self, config: &RanConfig, link: u32, packet: &Packet) -> u32 {
        let (from, to) = self.others[link as usize / 2];
        if from == to {
            return link;
        }
        let dscp = config.dscp(packet);
        let first = config.stations.len();
        let carries = |bearer: &u32| config.bearers[*bearer as usize - first].dscps >> dscp & 1 == 1;
        (from..to).find(carries).map_or(link, |bearer| 2 * bearer + link % 2)
    }
}

impl RanConfig {
    /// Bearer beyond the default ones.
    pub(super) fn other(&self, bearer: usize) -> Option<&BearerConfig> {
        self.bearers.get(bearer.checked_sub(self.stations.len())?)
    }

    /// Class of a bearer.
    pub(super) fn qos(&self, bearer: usize) -> Qos {
        self.other(bearer).map_or(Qos::DEFAULT, |other| other.qos)
    }

    /// Code point of a packet.
    fn dscp(&self, packet: &Packet) -> u8 {
        let flow = packet.flow as usize;
        if matches!(packet.kind, Kind::Datagram | Kind::Report) {
            return self.sources.get(flow).copied().unwrap_or_default();
        }
        let is_ack = Class::of(packet) == Class::Back;
        self.flows.get(flow).map_or(0, |of_flow| of_flow[usize::from(is_ack)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use windward_units::Duration;

    /// 1 Mbit/s: a burst of 100 kbit, that is 12 500 bytes, then 1250 bytes every 10 ms.
    #[test]
    fn a_guarantee_by_hand() {
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        let mut guarantee = Guarantee::new(1e6);
        assert!(guarantee.holds(at(0)));
        guarantee.spend(12_500);
        assert!(!guarantee.holds(at(0)));
        guarantee.spend(1250);
        assert!(!guarantee.holds(at(10)));
        assert!(guarantee.holds(at(11)));
        // Bits of 100 ms add up.
        assert!(guarantee.holds(at(5000)));
        guarantee.spend(12_500);
        assert!(!guarantee.holds(at(5000)));
    }
}
