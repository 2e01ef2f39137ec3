//! Mobility: positions of stations over time, and reach.

use super::propagation::{Neighbour, Position, Propagation, Reach, gain};
use windward_units::{Duration, Time};

/// Mobility of the stations of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Trajectory of each station: positions by time, in order, not empty. It moves straight at constant speed between
    /// points and rests before the first and after the last. At two points with one time it jumps from the first to the
    /// second.
    pub ways: Vec<Vec<(Time, Position)>>,
    /// Interval of reach updates; positive.
    pub every: Duration,
    /// Path loss model.
    pub propagation: Propagation,
    /// Least power in watts of a frame that is received, and that is sensed, which is not more.
    pub thresholds: (f64, f64),
    /// Factor of the power of all that a station sends and receives; empty: 1.
    pub gains: Vec<f64>,
}

/// Position of a station just before `now`; it differs from [`place_at`] only at a jump.
fn place_before(way: &[(Time, Position)], now: Time) -> Position {
    match way.iter().position(|(time, _)| *time >= now) {
        Some(at) if at > 0 && way[at].0 == now => way[at].1,
        _ => place_at(way, now),
    }
}

/// Position at `now` on the trajectory `way`.
pub fn place_at(way: &[(Time, Position)], now: Time) -> Position {
    let after = way.partition_point(|(time, _)| *time <= now);
    match (after.checked_sub(1).map(|before| way[before]), way.get(after)) {
        (Some((begin, from)), Some(&(end, to))) => {
            let part = now.since(begin).as_secs() / end.since(begin).as_secs();
            (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1))
        }
        (Some((_, place)), None) | (None, Some(&(_, place))) => place,
        (None, None) => (0.0, 0.0),
    }
}

/// Senders whose reach changes at the end of the frame that they are sending.
#[derive(Debug)]
pub(in crate::wifi) struct NextReach(Vec<bool>);

impl NextReach {
    /// No sender, of that many stations; without motion none can be.
    pub fn new(motion: Option<&Motion>, stations: usize) -> Self {
        Self(vec![false; motion.map_or(0, |_| stations)])
    }

    /// Moves the stations at `places` and updates their reach; returns the time of the next update. A frame that is on
    /// the air, by `is_sending`, keeps the reach of its beginning.
    pub fn step<'a>(
        &mut self,
        now: Time,
        motion: &Motion,
        places: impl Iterator<Item = &'a mut Position>,
        reach: &mut Reach,
        is_sending: impl Fn(usize) -> bool,
    ) -> Time {
        for (place, next) in places.zip(motion.places(now)) {
            *place = next;
        }
        let mut next = motion.reach(now);
        for (id, keeps) in self.0.iter_mut().enumerate() {
            *keeps = is_sending(id);
            if *keeps {
                next.replace(id as u32, reach.take(id as u32));
            }
        }
        *reach = next;
        now + motion.every
    }

    /// Ends a frame that the stations of `list` could hear; a new reach takes effect with the next frame.
    #[inline]
    pub fn end(&mut self, id: u32, list: Box<[Neighbour]>, reach: &mut Reach) {
        let is_old = self.0.get_mut(id as usize).is_some_and(std::mem::take);
        if !is_old {
            reach.replace(id, list);
        }
    }
}

impl Motion {
    /// Time of the first update.
    pub fn first(&self) -> Time {
        Time::ZERO + self.every
    }

    /// Positions of all stations.
    pub fn places(&self, now: Time) -> Vec<Position> {
        self.ways.iter().map(|way| place_at(way, now)).collect()
    }

    /// Reach of all stations.
    pub fn reach(&self, now: Time) -> Reach {
        let (receive, sense) = self.thresholds;
        Reach::of_positions(&self.places(now), &self.propagation, receive, sense).with_gains(&self.gains)
    }

    /// True if two stations come into reach of each other before `end`.
    pub fn meet(&self, one: usize, other: usize, end: Time) -> bool {
        let power = self.propagation.received(self.closest(one, other, end));
        power * gain(&self.gains, one) * gain(&self.gains, other) >= self.thresholds.0 * (1.0 - 1e-9)
    }

    /// Least distance of two stations between 0 and `end`, in metres.
    pub fn closest(&self, one: usize, other: usize, end: Time) -> f64 {
        let (one, other) = (&self.ways[one], &self.ways[other]);
        let turns = one.iter().chain(other).map(|(time, _)| *time).filter(|time| *time < end);
        let mut instants: Vec<Time> = turns.chain([Time::ZERO, end]).collect();
        instants.sort_unstable();
        let apart = |place: fn(&[(Time, Position)], Time) -> Position, now| {
            let (a, b) = (place(one, now), place(other, now));
            (a.0 - b.0, a.1 - b.1)
        };
        // Between two points the difference of the positions is linear.
        let least = |pair: &[Time]| {
            let (begin, end) = (apart(place_at, pair[0]), apart(place_before, pair[1]));
            let (dx, dy) = (end.0 - begin.0, end.1 - begin.1);
            let length = dx * dx + dy * dy;
            let part = if length > 0.0 { -(begin.0 * dx + begin.1 * dy) / length } else { 0.0 };
            let part = part.clamp(0.0, 1.0);
            libm::hypot(begin.0 + part * dx, begin.1 + part * dy)
        };
        instants.windows(2).map(least).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(count: u64) -> Time {
        Time::from_nanos(count * 1_000_000_000)
    }

    fn motion(ways: Vec<Vec<(Time, Position)>>) -> Motion {
        let propagation = Propagation::NS2;
        let thresholds = (propagation.received(250.0), propagation.received(550.0));
        Motion { ways, every: Duration::from_millis(100), propagation, thresholds, gains: Vec::new() }
    }

    #[test]
    fn stations_go_straight_and_evenly() {
        let way = [(secs(10), (0.0, 0.0)), (secs(20), (100.0, 50.0)), (secs(30), (100.0, 0.0))];
        let at = |time| place_at(&way, secs(time));
        assert_eq!([at(0), at(10), at(15), at(20)], [(0.0, 0.0), (0.0, 0.0), (50.0, 25.0), (100.0, 50.0)]);
        assert_eq!([at(25), at(30), at(99)], [(100.0, 25.0), (100.0, 0.0), (100.0, 0.0)]);
    }

    /// One station rests at the origin, another passes at 30 m between two points; after 15 s the least distance so far
    /// is 50 m.
    #[test]
    fn the_least_distance_lies_between_turns() {
        let passing = vec![(secs(10), (-400.0, 30.0)), (secs(30), (400.0, 30.0))];
        let motion = motion(vec![vec![(secs(0), (0.0, 0.0))], passing]);
        assert!((motion.closest(0, 1, secs(40)) - 30.0).abs() < 1e-9);
        let early = motion.closest(0, 1, secs(19));
        assert!((early - libm::hypot(40.0, 30.0)).abs() < 1e-9, "{early}");
        assert!(motion.reach(secs(20)).decodes(0, 1) && !motion.reach(secs(10)).decodes(0, 1));
    }
}
