//! Places of stations over time: positions, layouts and motion.

use super::common::place;
use super::key::{key, uniform};
use super::nodes::End;
use crate::format::Written;
use crate::format::wifi::{Layout, Motion, RandomWaypoint, Waypoint, Waypoints};
use crate::path::Segment;
use crate::problems::Problems;
use windward_sim::wifi::Position;
use windward_units::{Distance, Duration, Time};

/// Maximum number of waypoints of a station.
const MAX_WAYPOINTS: usize = 1_000_000;

/// Positions by time, in order.
pub(super) type Way = Vec<(Time, Position)>;

/// A `station` of a network or cell in the list `list`.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub list: &'static str,
    pub at: usize,
    pub index: usize,
    /// Name of its node or group.
    pub node: &'a str,
}

impl Entry<'_> {
    /// Path of a key.
    pub fn path<const N: usize>(self, keys: [Segment; N]) -> Vec<Segment> {
        let start = place(self.list, self.at, ["station".into(), Segment::Index(self.index)]);
        start.into_iter().chain(keys).collect()
    }

    /// Positions of the members of the node `end`; reports problems.
    pub fn places(
        self,
        at: Option<&[Written<Distance>; 2]>,
        layout: Option<&Layout>,
        end: End,
        problems: &mut Problems,
    ) -> Option<Vec<Position>> {
        let count = end.group().unwrap_or(1);
        let mut refuse = |key: &'static str, message: String, hint: Option<&str>| {
            problems.add(self.path([key.into()]), message, hint.map(str::to_owned));
            None
        };
        match (at, layout) {
            (Some(_), Some(_)) => refuse("layout", "a station has `at` or `layout`, not both".to_owned(), None),
            (Some(_), None) if end.group().is_some() => {
                let message = format!("`{}` is a group of {count} nodes, which are not all at one place", self.node);
                refuse("at", message, Some("layout = { kind = \"grid\", columns = 4, spacing = \"150 m\" }"))
            }
            (Some(at), None) => Some(vec![position(at)]),
            (None, Some(layout)) => Some(positions(layout, count, self.node)),
            (None, None) => {
                let hint = "at = [\"0 m\", \"150 m\"], or a `layout` for a group";
                refuse("node", format!("`{}` has no position", self.node), Some(hint))
            }
        }
    }

    /// Path of the member `name` from `begin`, until `span`; `None` for given points of a group, which are reported.
    pub fn way(
        self,
        begin: Position,
        motion: &Motion,
        (end, name): (End, &str),
        span: Duration,
        problems: &mut Problems,
    ) -> Option<Way> {
        match motion {
            Motion::Waypoints(motion) if end.group().is_none() => Some(self.given(begin, motion, problems)),
            Motion::Waypoints(_) => {
                let message = format!("`{}` is a group of nodes, which are not all at one place", self.node);
                let hint = "motion = { kind = \"random-waypoint\", width = \"500 m\", height = \"500 m\" }";
                problems.add(self.path(["motion".into()]), message, Some(hint.to_owned()));
                None
            }
            Motion::RandomWaypoint(motion) => Some(self.drawn(begin, motion, name, span, problems)),
        }
    }

    /// Path from the first position through the given points.
    fn given(self, begin: Position, motion: &Waypoints, problems: &mut Problems) -> Way {
        let mut way = vec![(Time::ZERO, begin)];
        for (point, Waypoint { time, at }) in motion.points.iter().enumerate() {
            let when = Time::ZERO + time.0;
            let place = position(at);
            if point == 0 && time.0 == Duration::ZERO {
                way[0].1 = place;
            } else if way.last().is_some_and(|&(last, _)| when <= last) {
                let path = self.path(["motion".into(), "points".into(), Segment::Index(point), "time".into()]);
                problems.add(path, format!("{} is not after the time of the point before", time.0), None);
            }
            way.push((when, place));
        }
        way.dedup_by_key(|(time, _)| *time);
        way
    }

    /// Random path from position to position until `span`.
    fn drawn(
        self,
        begin: Position,
        motion: &RandomWaypoint,
        name: &str,
        span: Duration,
        problems: &mut Problems,
    ) -> Way {
        let [slow, fast] = [motion.min_speed, motion.max_speed].map(|speed| speed.0.as_metres_per_sec());
        let mut refuse = |key: &'static str, message: String| {
            problems.add(self.path(["motion".into(), key.into()]), message, None);
        };
        let mut way = vec![(Time::ZERO, begin)];
        if slow > fast {
            refuse("min_speed", format!("the least speed of {slow} m/s is above the largest of {fast} m/s"));
            return way;
        }
        let (entity, seed) = (key("motion", name), u64::from(motion.seed));
        let [x, y] = [&motion.origin[0], &motion.origin[1]].map(|side| side.0.as_metres());
        let (mut now, mut at) = (0.0, begin);
        for leg in 0.. {
            if now >= span.as_secs() {
                break;
            }
            if leg * 2 > MAX_WAYPOINTS {
                let most = MAX_WAYPOINTS;
                refuse("width", format!("a station would turn more than {most} times; let it go slower or further"));
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

/// A position.
pub(super) fn position([x, y]: &[Written<Distance>; 2]) -> Position {
    (x.0.as_metres(), y.0.as_metres())
}

/// Positions of `count` members of the group `name`.
fn positions(layout: &Layout, count: u32, name: &str) -> Vec<Position> {
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
