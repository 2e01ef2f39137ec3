//! Test bench of an 802.11 network with saturated sources.

use crate::interface::Medium;
use crate::wifi::{Access, Mac, Phy, Reach, StationConfig, Way, Wifi, WifiConfig};
use crate::world::World;
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Time};

/// A wireless network and its test environment.
pub struct Bench {
    pub wifi: Wifi,
    pub world: World,
    pub now: Time,
    pub events: u64,
    number: u32,
}

impl Bench {
    pub fn new(config: &WifiConfig, seed: u64) -> Self {
        let hooks = crate::Hooks::default();
        Self { wifi: Wifi::new(config, &hooks, seed), world: World::default(), now: Time::ZERO, events: 0, number: 0 }
    }

    pub fn offer(&mut self, way: u32, size: u32) -> u32 {
        self.number += 1;
        let packet = Packet { number: self.number, ..Packet::new(Kind::Datagram, self.now, 0, 0, size) };
        self.wifi.offer(self.now, way, packet, &mut self.world);
        self.number
    }

    /// Runs until `end`; before every event each empty link of `saturated` gets a packet.
    pub fn run(&mut self, end: Time, saturated: &[(u32, u32)]) {
        let refill = |bench: &mut Self| {
            for &(way, size) in saturated {
                while bench.wifi.see(bench.now, way).backlog < 2 {
                    bench.offer(way, size);
                }
            }
        };
        refill(self);
        let mut arrived = 0;
        while let Some((time, timer)) = self.world.next(end) {
            assert!(time >= self.now, "time goes back");
            self.now = time;
            self.events += 1;
            self.wifi.wake(time, timer, &mut self.world);
            if arrived + self.world.lost.len() < self.world.arrived.len() + self.world.lost.len() * 2 {
                refill(self);
                arrived = self.world.arrived.len();
            }
        }
        self.now = end;
    }

    /// Throughput of a link in bits a second, for packets of `size`.
    pub fn rate(&self, way: u32, size: u32) -> f64 {
        let count = self.world.arrived.iter().filter(|(_, at, _)| *at == way).count();
        count as f64 * f64::from(size) * 8.0 / self.now.as_secs()
    }
}

/// Star of `senders` stations and one receiver, all in reach of each other, at `data_rate`.
pub fn star(senders: u32, phy: Phy, mac: Mac, data_rate: BitRate) -> WifiConfig {
    let station = |key| StationConfig {
        key,
        node: key as u32,
        place: (0.0, 0.0),
        buffer: Buffer::Unlimited,
        queue: QueueConfig::DropTail,
        data_rate,
    };
    WifiConfig {
        phy,
        mac,
        access: Access::Dcf,
        stations: (0..=u64::from(senders)).map(station).collect(),
        ways: (0..senders).map(|from| Way { from, to: senders, ..Way::default() }).collect(),
        reach: Reach::complete(senders + 1),
        motion: None,
        fading: None,
        routing: None,
    }
}
