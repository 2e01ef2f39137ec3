//! Stations and their positions.

use super::check::Check;
use super::mac::fastest;
use crate::check::common::{discipline_on_air, place, station_buffer};
use crate::check::key::key;
use crate::check::places::Entry;
use crate::format::wifi::{Access, Routing};
use crate::format::{Buffer, Named, Queue};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::wifi::{Position, StationConfig};
use windward_sim::{self as sim, NodeId, QueueConfig};

/// Packets of an interface queue.
const BUFFER: u64 = 1000;

impl Check<'_> {
    /// All stations; `placed` are those of this network and of others.
    pub fn stations(&mut self, placed: &mut BTreeMap<NodeId, usize>) -> Option<Vec<StationConfig>> {
        let wifi = self.wifi;
        if wifi.station.len() < 2 && !wifi.station.iter().any(|station| station.layout.is_some()) {
            let hint = "add a [[wifi.station]]";
            self.refuse(["station".into()], "a wireless network needs at least two stations", Some(hint));
            return None;
        }
        let of_all = wifi.buffer.unwrap_or(Buffer(sim::Buffer::Packets(BUFFER)));
        let of_all = station_buffer(of_all, place("wifi", self.at, ["buffer".into()]), self.problems);
        let of_all = (of_all, self.queue(wifi.queue.as_ref(), place("wifi", self.at, ["queue".into()])));
        let mut stations: Vec<StationConfig> = Vec::new();
        let mut taken: BTreeMap<(u64, u64), NodeId> = BTreeMap::new();
        for (index, station) in wifi.station.iter().enumerate() {
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let path = place("wifi", self.at, inside("node"));
            let Some(end) = self.nodes.find(&station.node, path, self.problems) else { continue };
            let entry = Entry { list: "wifi", at: self.at, index, node: &station.node.0 };
            let found = entry.places(station.at.as_ref(), station.layout.as_ref(), end, self.problems);
            let Some(places) = found else { continue };
            let own = |own| station_buffer(own, place("wifi", self.at, inside("buffer")), self.problems);
            let buffer = station.buffer.map_or(of_all.0, own);
            let own = self.queue(station.queue.as_ref(), place("wifi", self.at, inside("queue")));
            let queue = own.or(of_all.1).unwrap_or(QueueConfig::DropTail);
            for (member, place) in (0..).zip(places) {
                let node = end.member(member);
                let name = &self.nodes.names[node as usize];
                if placed.insert(node, self.at).is_some() {
                    let message = format!("`{name}` already is a station; a node has one transceiver and one place");
                    self.refuse(inside("node"), message, None);
                    continue;
                }
                let other = taken.entry(bits(place)).or_insert(node);
                if *other != node {
                    let other = &self.nodes.names[*other as usize];
                    let message = format!("`{name}` and `{other}` are at the same place");
                    self.refuse(inside("node"), message, None);
                    continue;
                }
                let data_rate = station.data_rate.or(wifi.data_rate).map_or(fastest(wifi.standard), |rate| rate.0);
                stations.push(StationConfig { key: key("station", name), node, place, buffer, queue, data_rate });
            }
        }
        Some(stations)
    }

    /// Discipline of an interface's queue, if one is given. No discipline supports packets that routing removes from a
    /// queue, or puts before all others.
    fn queue(&mut self, queue: Option<&Named<Queue>>, path: Vec<Segment>) -> Option<QueueConfig> {
        let config = discipline_on_air(queue?, &path, self.problems);
        let what = match (&self.wifi.routing.0, &self.wifi.access.0) {
            _ if config == QueueConfig::DropTail => return Some(config),
            (_, Access::Ideal(_) | Access::MaxWeight(_)) => "links under ideal access have",
            (Routing::Shortest(_), _) => return Some(config),
            _ => "stations that find routes themselves have",
        };
        let message = format!("{what} drop-tail queues");
        let hint = "routing = \"shortest\" and access of 802.11, or no `queue`".to_owned();
        self.problems.add(path, message, Some(hint));
        Some(QueueConfig::DropTail)
    }
}

/// A position as a key of a map. Zero has two signs, which the sum makes one.
fn bits((x, y): Position) -> (u64, u64) {
    ((x + 0.0).to_bits(), (y + 0.0).to_bits())
}
