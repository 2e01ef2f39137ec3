//! Stations and their positions.

use super::check::Check;
use super::mac::fastest;
use crate::check::common::{discipline, place, station_buffer};
use crate::check::key::{key, uniform};
use crate::check::nodes::End;
use crate::format::Written;
use crate::format::wifi::{Access, Layout, Routing, Station};
use crate::format::{Named, Queue};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::wifi::{Position, StationConfig};
use windward_sim::{NodeId, QueueConfig};
use windward_units::Distance;

impl Check<'_> {
    /// All stations; `placed` are those of this network and of others.
    pub fn stations(&mut self, placed: &mut BTreeMap<NodeId, usize>) -> Option<Vec<StationConfig>> {
        let wifi = self.wifi;
        if wifi.station.len() < 2 && !wifi.station.iter().any(|station| station.layout.is_some()) {
            let hint = "add a [[wifi.station]]";
            self.refuse(["station".into()], "a wireless network needs at least two stations", Some(hint));
            return None;
        }
        let of_all = station_buffer(wifi.buffer, place("wifi", self.at, ["buffer".into()]), self.problems);
        let of_all = (of_all, self.queue(wifi.queue.as_ref(), place("wifi", self.at, ["queue".into()])));
        let mut stations: Vec<StationConfig> = Vec::new();
        for (index, station) in wifi.station.iter().enumerate() {
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let path = place("wifi", self.at, inside("node"));
            let Some(end) = self.nodes.find(&station.node, path, self.problems) else { continue };
            let Some(places) = self.places(station, end, index) else { continue };
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
                if let Some(other) = stations.iter().find(|other| other.place == place) {
                    let other = &self.nodes.names[other.node as usize];
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
        let config = discipline(queue?, &path, self.problems);
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

    /// Positions of the members of a station's node.
    fn places(&mut self, station: &Station, end: End, index: usize) -> Option<Vec<Position>> {
        let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
        let count = end.group().unwrap_or(1);
        match (&station.at, &station.layout) {
            (Some(_), Some(_)) => {
                self.refuse(inside("layout"), "a station has `at` or `layout`, not both", None);
                None
            }
            (Some(_), None) if end.group().is_some() => {
                let message =
                    format!("`{}` is a group of {count} nodes, which are not all at one place", station.node.0);
                let hint = "layout = { kind = \"grid\", columns = 4, spacing = \"150 m\" }";
                self.refuse(inside("at"), message, Some(hint));
                None
            }
            (Some(at), None) => Some(vec![position(at)]),
            (None, Some(layout)) => Some(layout_of(layout, count, &station.node.0)),
            (None, None) => {
                let message = format!("`{}` has no position", station.node.0);
                let hint = "at = [\"0 m\", \"150 m\"], or a `layout` for a group";
                self.refuse(inside("node"), message, Some(hint));
                None
            }
        }
    }
}

fn position([x, y]: &[Written<Distance>; 2]) -> Position {
    (x.0.as_metres(), y.0.as_metres())
}

fn layout_of(layout: &Layout, count: u32, name: &str) -> Vec<Position> {
    match layout {
        Layout::Grid(grid) => {
            let (spacing, origin) = (grid.spacing.0.as_metres(), position(&grid.origin));
            let at = |member: u32| {
                let (column, row) = (member % grid.columns.0, member / grid.columns.0);
                (origin.0 + f64::from(column) * spacing, origin.1 + f64::from(row) * spacing)
            };
            (0..count).map(at).collect()
        }
        Layout::Random(area) => {
            let origin = position(&area.origin);
            let draw =
                |member: u32, axis| uniform(u64::from(area.seed), key("place", &format!("{name}-{member}")), axis);
            let at = |member| {
                let (width, height) = (area.width.0.as_metres(), area.height.0.as_metres());
                (origin.0 + draw(member, "x") * width, origin.1 + draw(member, "y") * height)
            };
            (0..count).map(at).collect()
        }
    }
}
