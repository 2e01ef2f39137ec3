//! Paths through satellites in a low orbit, as the steps of a change.

use super::common::place;
use super::key::{key, uniform};
use crate::format::{Change, Delay, Drop, Leo, Loss, Positive, Rate, Recording, Step, Written};
use crate::path::Segment;
use crate::problems::Problems;
use libm::{acos, asin, cos, exp, log, sin, sqrt};
use std::f64::consts::{PI, TAU};
use windward_units::{BitRate, Duration};

/// Mean radius of the earth, in metres.
const EARTH: f64 = 6_371e3;
/// Gravitational parameter of the earth, in m³/s².
const GRAVITY: f64 = 3.986_004_418e14;
/// Speed of light, in metres a second.
const LIGHT: f64 = 299_792_458.0;
/// Share of the deviation of a capacity that is kept from one update to the next.
const KEEP: f64 = 0.8;
/// Most steps of a path.
const MOST_STEPS: f64 = 1e6;
/// Most draws of a satellite that stays in view.
const DRAWS: u32 = 1000;

/// Replaces the satellites of changes by steps, until `span`. Reports problems.
pub(super) fn expand(changes: &mut [Change], span: Duration, problems: &mut Problems) {
    for (at, change) in changes.iter_mut().enumerate() {
        let Some(leo) = change.leo.take() else { continue };
        let before = problems.len();
        let path = |key: &'static str| place("change", at, ["leo".into(), key.into()]);
        if let Some(key) = conflict(change) {
            let message = format!("`leo` gives the steps of a link, so `{key}` has no meaning");
            problems.add(place("change", at, [Segment::from(key)]), message, Some("remove one of them".to_owned()));
        }
        check(&leo, span, path, problems);
        if problems.len() == before {
            let name = change.link.as_ref().map_or("", |name| name.0.as_str());
            change.steps = Some(Recording::Values(steps(&leo, name, span)));
        } else {
            // As of a file that could not be read: no steps, and no further problem.
            (change.at, change.every, change.until) = (None, None, None);
            change.steps = Some(Recording::File(String::new()));
        }
    }
}

/// A key of the change beside `leo` that excludes it.
fn conflict(change: &Change) -> Option<&'static str> {
    let given = [
        ("station", change.station.is_some()),
        ("at", change.at.is_some()),
        ("steps", change.steps.is_some()),
        ("every", change.every.is_some()),
        ("until", change.until.is_some()),
    ];
    given.into_iter().find(|(_, is)| *is).map(|(key, _)| key).or_else(|| change.values().given().next())
}

fn check(leo: &Leo, span: Duration, path: impl Fn(&'static str) -> Vec<Segment>, problems: &mut Problems) {
    for (key, value, least, most) in [
        ("min_elevation", leo.min_elevation.0, 5.0, 85.0),
        ("spread", leo.spread.0, 0.0, 3.0),
        ("variation", leo.variation.0, 0.0, 3.0),
        ("altitude", leo.altitude.0.as_metres() / 1e3, 160.0, 2000.0),
    ] {
        if !(least..=most).contains(&value) {
            let unit = if key == "altitude" { " km" } else { "" };
            problems.add(path(key), format!("{value}{unit} is out of range; allowed: {least} to {most}{unit}"), None);
        }
    }
    if leo.outage.0 >= leo.update.0 {
        let message = format!("the outage of {} must be shorter than an update of {}", leo.outage.0, leo.update.0);
        problems.add(path("outage"), message, None);
    }
    if !leo.epoch.0.as_nanos().is_multiple_of(leo.update.0.as_nanos()) {
        let message = format!("{} is not a divisor of the epoch of {}", leo.update.0, leo.epoch.0);
        problems.add(path("update"), message, Some("update = \"1 s\"".to_owned()));
    }
    // Half of the longest way through the view: most satellites stay in it then.
    let elevation = leo.min_elevation.0.clamp(5.0, 85.0).to_radians();
    if leo.epoch.0.as_secs() * rate(leo) > central(leo.altitude.0.as_metres(), elevation) {
        let message = format!("few satellites stay in view for an epoch of {}", leo.epoch.0);
        problems.add(path("epoch"), message, Some("epoch = \"15 s\", or a lower `min_elevation`".to_owned()));
    }
    if span.as_secs() / leo.update.0.as_secs() > MOST_STEPS / 2.0 {
        let message = format!("the updates make more than {MOST_STEPS} steps; update less often");
        problems.add(path("update"), message, None);
    }
}

/// Angular speed of a satellite, in radians a second.
fn rate(leo: &Leo) -> f64 {
    let radius = EARTH + leo.altitude.0.as_metres();
    sqrt(GRAVITY / (radius * radius * radius))
}

/// Angle at the earth's centre between a station and a satellite of `altitude` metres at an elevation in radians.
fn central(altitude: f64, elevation: f64) -> f64 {
    // The law of sines in the triangle of centre, station and satellite.
    PI / 2.0 - elevation - asin(EARTH * cos(elevation) / (EARTH + altitude))
}

/// Distance of a satellite, by the angle at the earth's centre.
fn range(altitude: f64, central: f64) -> f64 {
    let radius = EARTH + altitude;
    sqrt(EARTH * EARTH + radius * radius - 2.0 * EARTH * radius * cos(central))
}

/// A satellite over an epoch: the angle at its beginning, and the direction of its flight.
#[derive(Clone, Copy, Debug)]
struct Pass {
    central: f64,
    direction: f64,
    rate: f64,
}

impl Pass {
    /// Angle after `time` seconds.
    fn at(self, time: f64) -> f64 {
        let moved = self.rate * time;
        acos((cos(self.central) * cos(moved) - sin(self.central) * sin(moved) * cos(self.direction)).clamp(-1.0, 1.0))
    }
}

/// The satellite of an epoch: uniform over the part of the sky in which it stays in view.
fn pass(leo: &Leo, epoch: i64) -> Pass {
    let (altitude, length) = (leo.altitude.0.as_metres(), leo.epoch.0.as_secs());
    let farthest = central(altitude, leo.min_elevation.0.to_radians());
    let entity = key("leo", "path");
    let draw = |at: u32| {
        let of = |what: &str| uniform(u64::from(leo.seed), entity, &format!("{what}{epoch}/{at}"));
        // Uniform over the cap of the sphere.
        let central = acos(1.0 - of("place") * (1.0 - cos(farthest)));
        Pass { central, direction: TAU * of("direction"), rate: rate(leo) }
    };
    let stays = |pass: &Pass| pass.at(length) <= farthest;
    (0..DRAWS).map(draw).find(stays).unwrap_or(Pass { central: 0.0, direction: 0.0, rate: rate(leo) })
}

/// The steps of link `name` until `span`.
fn steps(leo: &Leo, name: &str, span: Duration) -> Vec<Step> {
    let (epoch, update) = (leo.epoch.0.as_nanos(), leo.update.0.as_nanos());
    let entity = key("leo", name);
    let normal = |what: &str| {
        let of = |part: &str| uniform(u64::from(leo.seed), entity, &format!("{what}{part}"));
        // Box and Muller's form.
        sqrt(-2.0 * log(1.0 - of("r"))) * cos(TAU * of("a"))
    };
    let altitude = leo.altitude.0.as_metres();
    let mut steps = Vec::new();
    // The epoch that is under way at the beginning has begun before it.
    let offset = leo.offset.0.as_nanos() % epoch;
    let first = if offset == 0 { 0 } else { -1 };
    for number in first.. {
        let begin = offset as i64 + number * epoch as i64;
        if begin >= 0 && begin as u64 >= span.as_nanos() {
            break;
        }
        let pass = pass(leo, number);
        let level = leo.spread.0 * normal(&format!("level{number}"));
        let mut wander = normal(&format!("begin{number}"));
        for part in 0..epoch / update {
            if part > 0 {
                wander = KEEP * wander + sqrt(1.0 - KEEP * KEEP) * normal(&format!("{number}/{part}"));
            }
            let at = begin + (part * update) as i64;
            let next = at + update as i64;
            if next <= 0 || at >= 0 && at as u64 >= span.as_nanos() {
                continue;
            }
            // An update that is under way at the beginning takes effect then.
            let at = at.max(0) as u64;
            let legs = 2.0 * range(altitude, pass.at((part * update) as f64 * 1e-9)) / LIGHT;
            let delay = Duration::from_secs(legs) + leo.gateway.0;
            let bits = leo.capacity.0.as_bits_per_sec() as f64 * exp(level + leo.variation.0 * wander);
            let is_change = part == 0 && at > 0;
            let mut step = Step::empty(Duration::from_nanos(at));
            if is_change && leo.outage.0 > Duration::ZERO {
                let down = Step { up: Some(false), drop: Some(Drop::Flight), ..step };
                steps.push(down);
                step = Step { up: Some(true), ..Step::empty(Duration::from_nanos(at) + leo.outage.0) };
                if step.at.0 >= span {
                    break;
                }
            }
            step.delay = Some(Delay::Constant(Written(delay)));
            step.rate = Some(Rate::Constant(Positive(BitRate::bits_per_sec((bits as u64).max(1)))));
            // From the beginning of the run on, which is no change of the satellite.
            // The loss of a change lasts for one update.
            let is_plain = part == 1 || steps.is_empty();
            step.loss = match (is_change, is_plain) {
                (true, _) => Some(Loss::Plain(leo.loss_at_change)),
                (false, true) => Some(Loss::Plain(leo.loss)),
                (false, false) => None,
            };
            steps.push(step);
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Number;

    fn leo() -> Leo {
        serde_json::from_str(r#"{ "capacity": "100 Mbit/s" }"#).expect("a table")
    }

    /// Slant ranges at 550 km: 550 km in the zenith, and 812, 993 and 1123 km at 40, 30 and 25 degrees; −R·s + √((R·s)²
    /// + 2Rh + h²), s the sine of the elevation. The period is 95.5 min.
    #[test]
    fn ranges_by_hand() {
        for (elevation, expected) in [(90.0, 550.0), (40.0, 812.0), (30.0, 993.0), (25.0, 1123.0_f64)] {
            let found = range(550e3, central(550e3, f64::to_radians(elevation))) / 1e3;
            assert!((found - expected).abs() < 1.0, "{elevation}: {found}");
        }
        assert!((TAU / rate(&leo()) / 60.0 - 95.5).abs() < 0.2);
    }

    /// Satellites stay in view, so two legs take 3.67 to 7.49 ms; one changes by at most 0.32 ms in an epoch.
    #[test]
    fn delays_are_those_of_satellites_in_view() {
        let leo = leo();
        let mut all = Vec::new();
        for epoch in 0..400 {
            let pass = pass(&leo, epoch);
            let legs = |time: f64| 2.0 * range(550e3, pass.at(time)) / LIGHT * 1e3;
            let ends = [legs(0.0), legs(15.0)];
            assert!(ends.iter().all(|ms| (3.66..7.50).contains(ms)), "{ends:?}");
            assert!((ends[1] - ends[0]).abs() <= 0.64);
            all.push(ends[0]);
        }
        let spread = all.iter().fold((f64::MAX, f64::MIN), |(low, high), ms| (low.min(*ms), high.max(*ms)));
        assert!(spread.0 < 4.2 && spread.1 > 7.0, "{spread:?}");
    }

    /// 60 s with changes at 12, 27, 42 and 57 s: an outage with what is in flight, then a new path, then the loss ends.
    #[test]
    fn steps_of_a_minute() {
        let leo = Leo { offset: Written(Duration::from_secs(12.0)), variation: Number(0.0), ..leo() };
        let steps = steps(&leo, "down", Duration::from_secs(60.0));
        assert!(steps.windows(2).all(|pair| pair[0].at.0 < pair[1].at.0));
        let downs: Vec<f64> =
            steps.iter().filter(|step| step.up == Some(false)).map(|step| step.at.0.as_secs()).collect();
        assert_eq!(downs, [12.0, 27.0, 42.0, 57.0]);
        let after =
            steps.iter().position(|step| step.at.0 == Duration::from_millis(12_075)).expect("the end of the outage");
        assert_eq!((steps[after].up, steps[after].drop), (Some(true), None));
        assert_eq!(steps[after].loss, Some(Loss::Plain(leo.loss_at_change)));
        assert_eq!(
            (steps[after + 1].at.0, &steps[after + 1].loss),
            (Duration::from_secs(13.0), &Some(Loss::Plain(leo.loss)))
        );
        // One rate an epoch without variation, and other ones in other epochs.
        let rates: Vec<&Rate> = steps.iter().filter_map(|step| step.rate.as_ref()).collect();
        let mut levels: Vec<String> = rates.iter().map(|rate| format!("{rate:?}")).collect();
        levels.dedup();
        assert_eq!(levels.len(), 5);
        assert_eq!((steps[0].at.0, &steps[0].loss), (Duration::ZERO, &Some(Loss::Plain(leo.loss))));
    }
}
