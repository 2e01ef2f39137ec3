//! Motion of stations.

use super::check::Check;
use super::reach::Radio;
use crate::check::common::place;
use crate::check::key::{key, uniform};
use crate::format::wifi::{Access, Motion, RandomWaypoint, Routing, Waypoint, Waypoints};
use crate::path::Segment;
use windward_sim::wifi::{self as model, Position, StationConfig};
use windward_units::{Duration, Time};

/// Update interval of the reception ranges: at 20 m/s a station moves by 2 m in it.
const EVERY: Duration = Duration::from_millis(100);

/// Maximum number of waypoints of a network's stations.
const MAX_WAYPOINTS: usize = 1_000_000;

impl Check<'_> {
    /// Motion of the stations, `Some(None)` if none moves; reports impossible values.
    pub fn motion(&mut self, stations: &[StationConfig], radio: Option<Radio>) -> Option<Option<model::Motion>> {
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
        for (index, station) in wifi.station.iter().enumerate() {
            let Some(end) = self.nodes.known(&station.node) else { continue };
            for member in 0..end.group().unwrap_or(1) {
                let node = end.member(member);
                let Some(config) = stations.iter().find(|config| config.node == node) else { continue };
                let jumps = self.jumps.get(&node).map_or(&[][..], Vec::as_slice);
                if let (Some(_), Some((.., change))) = (&station.motion, jumps.first()) {
                    let message = format!("`{}` goes where its `motion` says", station.node.0);
                    self.problems.add(place("change", *change, ["position".into()]), message, None);
                }
                ways.push(match &station.motion {
                    None => jumping_way(config.place, jumps),
                    Some(Motion::Waypoints(motion)) if end.group().is_none() => self.given(config.place, motion, index),
                    Some(Motion::Waypoints(_)) => {
                        let message =
                            format!("`{}` is a group of nodes, which are not all at one place", station.node.0);
                        let hint = "motion = { kind = \"random-waypoint\", width = \"500 m\", height = \"500 m\" }";
                        self.refuse(["station".into(), Segment::Index(index), "motion".into()], message, Some(hint));
                        return None;
                    }
                    Some(Motion::RandomWaypoint(motion)) => {
                        let name = &self.nodes.names[node as usize];
                        self.drawn(config.place, motion, name, index)
                    }
                });
            }
        }
        let thresholds = (radio.receive, radio.sense);
        let motion = model::Motion { ways, every: EVERY, propagation: radio.propagation, thresholds };
        (self.problems.len() == before).then_some(Some(motion))
    }

    /// Path from the first position through the given points.
    fn given(&mut self, place: Position, motion: &Waypoints, index: usize) -> Vec<(Time, Position)> {
        let mut way = vec![(Time::ZERO, place)];
        for (point, Waypoint { time, at: [x, y] }) in motion.points.iter().enumerate() {
            let when = Time::ZERO + time.0;
            let place = (x.0.as_metres(), y.0.as_metres());
            if point == 0 && time.0 == Duration::ZERO {
                way[0].1 = place;
            } else if way.last().is_some_and(|&(last, _)| when <= last) {
                let path = [
                    "station".into(),
                    Segment::Index(index),
                    "motion".into(),
                    "points".into(),
                    Segment::Index(point),
                    "time".into(),
                ];
                self.refuse(path, format!("{} is not after the time of the point before", time.0), None);
            }
            way.push((when, place));
        }
        way.dedup_by_key(|(time, _)| *time);
        way
    }

    /// Random path from position to position until the end of the run.
    fn drawn(&mut self, place: Position, motion: &RandomWaypoint, name: &str, index: usize) -> Vec<(Time, Position)> {
        let [slow, fast] = [motion.min_speed, motion.max_speed].map(|speed| speed.0.as_metres_per_sec());
        let here = |key: &'static str| ["station".into(), Segment::Index(index), "motion".into(), key.into()];
        let mut way = vec![(Time::ZERO, place)];
        if slow > fast {
            let message = format!("the least speed of {slow} m/s is above the largest of {fast} m/s");
            self.refuse(here("min_speed"), message, None);
            return way;
        }
        let (entity, seed) = (key("motion", name), u64::from(motion.seed));
        let [x, y] = [&motion.origin[0], &motion.origin[1]].map(|side| side.0.as_metres());
        let (mut now, mut at) = (0.0, place);
        for leg in 0.. {
            if now >= self.span.as_secs() {
                break;
            }
            if leg * 2 > MAX_WAYPOINTS {
                let message =
                    format!("a station would turn more than {MAX_WAYPOINTS} times; let it go slower or further");
                self.refuse(here("width"), message, None);
                break;
            }
            let draw = |what: &str| uniform(seed, entity, &format!("{what}{leg}"));
            let to = (x + draw("x") * motion.width.0.as_metres(), y + draw("y") * motion.height.0.as_metres());
            let speed = slow + draw("speed") * (fast - slow);
            now += (libm::hypot(to.0 - at.0, to.1 - at.1) / speed).max(1e-6);
            at = to;
            way.push((Time::ZERO + Duration::from_secs(now), at));
            if motion.pause.0 > Duration::ZERO {
                now += motion.pause.0.as_secs();
                way.push((Time::ZERO + Duration::from_secs(now), at));
            }
        }
        way
    }
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
