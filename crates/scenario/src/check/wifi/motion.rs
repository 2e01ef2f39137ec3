//! Motion of stations.

use super::check::Check;
use super::reach::Radio;
use crate::check::common::place;
use crate::check::places::Entry;
use crate::format::wifi::{Access, Routing};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::NodeId;
use windward_sim::wifi::{self as model, Position, StationConfig};
use windward_units::{Duration, Time};

/// Update interval of the reception ranges: at 20 m/s a station moves by 2 m in it.
const EVERY: Duration = Duration::from_millis(100);

impl Check<'_> {
    /// Motion of the stations, `Some(None)` if none moves; reports impossible values.
    pub fn motion(
        &mut self,
        stations: &[StationConfig],
        radio: Option<Radio>,
        gains: &[f64],
    ) -> Option<Option<model::Motion>> {
        let wifi = self.wifi;
        let jumping = wifi.station.iter().find_map(|station| {
            let node = self.nodes.known(&station.node)?.member(0);
            self.jumps.get(&node)?.first().map(|(.., change)| *change)
        });
        let first = wifi.station.iter().position(|station| station.motion.is_some());
        let place_of_it = match (first, jumping) {
            (Some(first), _) => place("wifi", self.at, ["station".into(), Segment::Index(first), "motion".into()]),
            (None, Some(change)) => place("change", change, ["position".into()]),
            (None, None) => return Some(None),
        };
        // Networks of 802.11n, ac and ax have no `routing`: their routes stay while stations move.
        let follows = wifi.standard.format().is_some();
        if let (false, Routing::Shortest(_) | Routing::Backpressure(_)) = (follows, &wifi.routing.0) {
            let message = "stations that move need a protocol that follows them, \"aodv\" or \"dsdv\"";
            self.problems.add(place_of_it.clone(), message, Some("routing = \"aodv\", in the [[wifi]]".to_owned()));
        }
        if let Access::Ideal(_) = wifi.access.0 {
            let message = "under ideal access the conflict graph is fixed, and so are the stations";
            self.problems.add(place_of_it, message, None);
        }
        let radio = radio?;
        let (before, mut ways) = (self.problems.len(), Vec::new());
        let places = places(stations);
        for (index, station) in wifi.station.iter().enumerate() {
            let Some(end) = self.nodes.known(&station.node) else { continue };
            for member in 0..end.group().unwrap_or(1) {
                let node = end.member(member);
                let Some(config) = places.get(&node).map(|&at| &stations[at]) else { continue };
                let jumps = self.jumps.get(&node).map_or(&[][..], Vec::as_slice);
                if let (Some(_), Some((.., change))) = (&station.motion, jumps.first()) {
                    let message = format!("`{}` goes where its `motion` says", station.node.0);
                    self.problems.add(place("change", *change, ["position".into()]), message, None);
                }
                ways.push(match &station.motion {
                    None => jumping_way(config.place, jumps),
                    Some(motion) => {
                        let entry = Entry { list: "wifi", at: self.at, index, node: &station.node.0 };
                        let member = (end, self.nodes.names[node as usize].as_str());
                        entry.way(config.place, motion, member, self.span, self.problems)?
                    }
                });
            }
        }
        let thresholds = (radio.receive, radio.sense);
        let motion =
            model::Motion { ways, every: EVERY, propagation: radio.propagation, thresholds, gains: gains.to_vec() };
        (self.problems.len() == before).then_some(Some(motion))
    }
}

/// Index of the station of each node.
pub(super) fn places(stations: &[StationConfig]) -> BTreeMap<NodeId, usize> {
    stations.iter().enumerate().map(|(at, station)| (station.node, at)).collect()
}

/// Path of a station that moves only by its jumps.
fn jumping_way(begin: Position, jumps: &[(Time, Position, usize)]) -> Vec<(Time, Position)> {
    let mut way = vec![(Time::ZERO, begin)];
    let mut at = begin;
    for &(time, to, _) in jumps {
        way.extend([(time, at), (time, to)]);
        at = to;
    }
    way
}
