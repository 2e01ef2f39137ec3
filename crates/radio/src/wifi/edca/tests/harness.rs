//! Test bench of a network of 802.11n, ac or ax with saturated sources.

use crate::interface::Medium;
use crate::wifi::edca::{BlockAckConfig, Contention, Edca, EdcaConfig, EdcaStation, EdcaWay, Hardware, RateChoice};
use crate::wifi::ppdu::{Limits, Mode, Timing};
use crate::wifi::radio::phy::Phy;
use crate::wifi::radio::propagation::Reach;
use crate::world::World;
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::Buffer;
use windward_units::{Bytes, Duration, Time};

/// A network and its test environment.
pub struct Bench {
    pub edca: Edca,
    pub world: World,
    pub now: Time,
    number: u32,
    /// Packets not yet arrived or lost, by link.
    pub pending: Vec<i64>,
    seen: (usize, usize),
    owners: Vec<u32>,
}

impl Bench {
    pub fn new(config: &EdcaConfig, seed: u64) -> Self {
        Self {
            edca: Edca::new(config, &crate::Hooks::default(), seed),
            world: World::default(),
            now: Time::ZERO,
            number: 0,
            pending: vec![0; config.ways.len()],
            seen: (0, 0),
            owners: Vec::new(),
        }
    }

    /// Offers a packet of the source `flow` to a link.
    pub fn offer(&mut self, way: u32, flow: u32, size: u32) -> u32 {
        let number = self.number;
        self.number += 1;
        self.owners.push(way);
        self.pending[way as usize] += 1;
        let packet = Packet { number, ..Packet::new(Kind::Datagram, self.now, flow, 0, size) };
        self.edca.offer(self.now, way, packet, &mut self.world);
        number
    }

    fn settle(&mut self) -> bool {
        let (arrived, lost) = (self.world.arrived.len(), self.world.lost.len());
        let is_news = self.seen != (arrived, lost);
        for &(_, way, _) in &self.world.arrived[self.seen.0..] {
            self.pending[way as usize] -= 1;
        }
        for &(number, _) in &self.world.lost[self.seen.1..] {
            self.pending[self.owners[number as usize] as usize] -= 1;
        }
        self.seen = (arrived, lost);
        is_news
    }

    /// Runs until `end`. Each of the links (with source and size) always has `deep` packets.
    pub fn run(&mut self, end: Time, deep: i64, saturated: &[(u32, u32, u32)]) {
        let refill = |bench: &mut Self| {
            for &(way, flow, size) in saturated {
                while bench.pending[way as usize] < deep {
                    bench.offer(way, flow, size);
                }
            }
        };
        // Arrivals that found no room are lost without an event.
        self.settle();
        refill(self);
        while let Some((time, timer)) = self.world.next(end) {
            assert!(time >= self.now, "time goes back");
            self.now = time;
            self.edca.wake(time, timer, &mut self.world);
            if self.settle() {
                refill(self);
            }
        }
        self.now = end;
    }

    /// Arrived packets of a link.
    pub fn arrived(&self, way: u32) -> usize {
        self.world.arrived.iter().filter(|(_, at, _)| *at == way).count()
    }

    /// Throughput of a link in Mbit/s, for packets with a payload of `bytes`.
    pub fn rate(&self, way: u32, bytes: u32) -> f64 {
        self.arrived(way) as f64 * f64::from(bytes) * 8.0 / self.now.as_secs() / 1e6
    }
}

/// Star of `senders` stations and one receiver, all in reach of each other, at `rate`, with propagation of 0 as in the
/// closed forms.
pub fn star(senders: u32, rate: Mode) -> EdcaConfig {
    let station = |key| EdcaStation {
        key,
        node: key as u32,
        place: (0.0, 0.0),
        contention: [Contention { txop: Duration::ZERO, ..Contention::STATION[1] }; 4],
        buffer: Buffer::Unlimited,
        txqs: None,
        is_strict: false,
        hardware: Hardware::Driver,
        weight: 256,
    };
    let limits = Limits::most(rate.format());
    EdcaConfig {
        format: rate.format(),
        phy: Phy { propagation: Duration::from_nanos(1), ..Phy::A },
        timing: Timing { he_ltf: Some(Duration::from_micros(8)), ..Timing::STANDARD },
        basic_rates: vec![6, 12, 24],
        overhead: Bytes::new(38),
        rts_threshold: None,
        retries: 7,
        ampdu: Some(limits),
        amsdu: Bytes::new(0),
        spacing: Duration::ZERO,
        block_ack: BlockAckConfig::linux(limits.frames as u32),
        stations: (0..=u64::from(senders)).map(station).collect(),
        access_point: None,
        channel_mhz: 5180,
        ways: (0..senders)
            .map(|from| EdcaWay { from, to: senders, loss: 0.0, rate: RateChoice::Fixed(rate) })
            .collect(),
        reach: Reach::complete(senders + 1),
        sense: 0.0,
        motion: None,
        ladder: Vec::new(),
        noise: None,
        flows: Vec::new(),
        sources: Vec::new(),
    }
}

pub const fn secs(count: f64) -> Time {
    Time::from_nanos((count * 1e9) as u64)
}
