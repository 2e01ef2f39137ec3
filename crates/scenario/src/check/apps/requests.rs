//! Requests: sizes of responses, and arrivals.

use super::shared::{MOST_BYTES, MOST_REQUESTS, inside, request};
use crate::format::{Arrivals, Recording, Requests, Response, Reuse, Session, Sizes};
use crate::problems::Problems;
use windward_sim::{self as sim, ConnectionUse, Ideal, RequestsConfig, Size};
use windward_units::{Bytes, Duration};

/// Largest number of users of a client.
const MOST_USERS: u32 = (1 << 24) - 1;

/// Properties common to the clients of a table; reports problems.
pub fn config(
    app: &Requests,
    connections: RequestsConfig,
    at: usize,
    problems: &mut Problems,
) -> Option<RequestsConfig> {
    let request = request(app.request.0, at, problems);
    let response = size(&app.response, "response", at, problems)?;
    Some(RequestsConfig {
        request: request?,
        response,
        service: app.service.0,
        connections: match app.connections {
            Reuse::New => ConnectionUse::New,
            Reuse::Pool => ConnectionUse::Kept { most: u32::MAX },
            Reuse::Most(count) => ConnectionUse::Kept { most: count.0 },
        },
        deadline: app.deadline.map(|deadline| deadline.0),
        ..connections
    })
}

/// Properties common to the transfers of a table; reports problems.
pub fn session(
    app: &Session,
    connections: RequestsConfig,
    at: usize,
    problems: &mut Problems,
) -> Option<RequestsConfig> {
    let spread = app.on_spread.map_or(sim::Spread::Exponential, sim::Spread::from);
    let (response, on) = match (&app.size, app.on) {
        (Some(sizes), None) => (size(sizes, "size", at, problems)?, None),
        (None, Some(on)) => (connections.response, Some((on.0, spread))),
        (given, _) => {
            let key = if given.is_some() { "on" } else { "size" };
            problems.add(inside(at, [key.into()]), "give either `size` or `on`", None);
            return None;
        }
    };
    if on.is_none() && app.on_spread.is_some() {
        problems.add(inside(at, ["on_spread".into()]), "`on_spread` needs `on`", None);
    }
    Some(RequestsConfig { response, on, connections: ConnectionUse::New, ..connections })
}

/// Distribution of the sizes of the field `field`; reports problems.
fn size(Response(sizes): &Response, field: &'static str, at: usize, problems: &mut Problems) -> Option<Size> {
    let mut refuse = |key: &'static str, why: String| {
        problems.add(inside(at, [field.into(), key.into()]), why, None);
        None
    };
    let size = match sizes {
        Sizes::FixedSize(fixed) => Size::Fixed(fixed.size.0.count()),
        Sizes::ExponentialSize(exponential) => Size::Exponential(exponential.mean.0.count() as f64),
        Sizes::LognormalSize(lognormal) => {
            let cv = lognormal.cv.0;
            if !(0.001..=100.0).contains(&cv) {
                return refuse("cv", format!("{cv} is out of range; allowed: 0.001 to 100"));
            }
            Size::lognormal(lognormal.mean.0.count() as f64, cv)
        }
        Sizes::ParetoSize(pareto) => {
            let [min, max] = [pareto.min.0, pareto.max.0];
            if pareto.shape.0 <= 0.0 {
                return refuse("shape", format!("{} is out of range; allowed: above 0", pareto.shape.0));
            }
            if max <= min {
                return refuse("max", format!("`max` ({max}) must be above `min` ({min})"));
            }
            Size::Pareto { shape: pareto.shape.0, min: min.count() as f64, max: max.count() as f64 }
        }
        Sizes::WebSearchSize(_) => Size::Points(sim::WEB_SEARCH.into()),
        Sizes::DataMiningSize(_) => Size::Points(sim::DATA_MINING.into()),
        Sizes::ListedSizes(listed) => {
            let Recording::Values(points) = &listed.points else { return None };
            let points: Vec<(f64, f64)> =
                points.iter().map(|point| (point.bytes.0.count() as f64, point.share.0)).collect();
            let grows = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
            if !grows || points.first().is_none_or(|first| first.1 < 0.0) {
                return refuse("points", "sizes and shares must increase, from a share of at least 0".to_owned());
            }
            if points.last().is_none_or(|last| last.1 != 1.0) {
                return refuse("points", "the last share must be 1".to_owned());
            }
            Size::Points(points.into())
        }
    };
    if size.mean() > MOST_BYTES as f64 {
        let message = format!("responses are too large; at most {} are allowed", Bytes::new(MOST_BYTES));
        problems.add(inside(at, [field.into()]), message, None);
        return None;
    }
    Some(size)
}

/// Arrivals at one of `count` clients with this path, within `window`; reports problems.
pub fn arrivals(
    arrivals: &Arrivals,
    common: &RequestsConfig,
    (ideal, count, window): (Ideal, u32, Duration),
    at: usize,
    problems: &mut Problems,
) -> Option<sim::Arrivals> {
    let mut refuse = |key: &'static str, why: String, hint: Option<&str>| {
        problems.add(inside(at, ["arrivals".into(), key.into()]), why, hint.map(str::to_owned));
        None
    };
    let is_positive = |number: f64| number > 0.0 && number.is_finite();
    let (expected, key, arrivals) = match arrivals {
        Arrivals::PoissonArrivals(poisson) => {
            let (key, rate) = match (poisson.load, poisson.rate) {
                (Some(_), None) if common.on.is_some() => {
                    let why = "`load` needs a `size`: how much a transfer of a given time carries is not known";
                    return refuse("load", why.to_owned(), Some("give a `rate`"));
                }
                (Some(load), None) => {
                    if ideal.rate.as_bits_per_sec() == 0 {
                        let why = "`load` needs links with a known rate on the way of the responses".to_owned();
                        return refuse("load", why, Some("give a `rate`"));
                    }
                    let segment = common.tcp.segment.count() as f64;
                    let mean = common.response.mean() * (1.0 + common.tcp.header_bytes() as f64 / segment);
                    ("load", load.0 * ideal.rate.as_bits_per_sec() as f64 / (8.0 * mean * f64::from(count)))
                }
                (None, Some(rate)) => ("rate", rate.0),
                _ => return refuse("kind", "give either `load` or `rate`".to_owned(), None),
            };
            if !is_positive(rate) {
                return refuse(key, format!("`{key}` must be above 0"), None);
            }
            let mean = Duration::from_secs(1.0 / rate);
            (window.as_secs() * rate, key, sim::Arrivals::Poisson { mean: mean.max(Duration::from_nanos(1)) })
        }
        Arrivals::PeriodicArrivals(periodic) => {
            let every = periodic.every.0;
            (window.as_secs() / every.as_secs(), "every", sim::Arrivals::Periodic { every })
        }
        Arrivals::ClosedLoop(closed) => {
            let (users, think) = (closed.users.0, closed.think.0);
            if users > MOST_USERS {
                return refuse("users", format!("{users} users; at most {MOST_USERS} are allowed"), None);
            }
            // A round trip is the least time between two requests of a user.
            let least = think.as_secs() + ideal.rtt.as_secs();
            if least <= 0.0 {
                let why = "users neither think nor wait for a link's `delay`".to_owned();
                return refuse("think", why, Some("let them think, or give the links a `delay`"));
            }
            let expected = f64::from(users) * window.as_secs() / least;
            (expected, "users", sim::Arrivals::Closed { users, think, spread: closed.think_spread.into() })
        }
        Arrivals::ListedArrivals(listed) => {
            let Recording::Values(times) = &listed.times else { return None };
            let times: Vec<(Duration, Option<Bytes>)> =
                times.iter().map(|arrival| (arrival.time.0, arrival.bytes.map(|bytes| bytes.0))).collect();
            if let Some(back) = times.windows(2).position(|pair| pair[1].0 < pair[0].0) {
                let why = format!("arrival {} is before the one above", back + 2);
                return refuse("times", why, Some("sort them by time"));
            }
            if common.on.is_some() && times.iter().any(|(_, bytes)| bytes.is_some()) {
                return refuse("times", "`bytes` and `on` exclude each other".to_owned(), None);
            }
            (times.len() as f64, "times", sim::Arrivals::Times(times.into()))
        }
    };
    if expected > MOST_REQUESTS {
        let why = format!("a client makes some {expected:.0} requests; at most {MOST_REQUESTS:.0} are allowed");
        return refuse(key, why, None);
    }
    Some(arrivals)
}
