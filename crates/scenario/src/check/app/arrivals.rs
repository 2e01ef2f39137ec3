//! Arrivals of requests and sessions.

use super::shared::{MOST_REQUESTS, inside};
use crate::format::{Arrivals, Recording};
use crate::problems::Problems;
use windward_sim::{self as sim, Ideal, Size, TcpOptions};
use windward_units::{Bytes, Duration};

/// Largest number of users of a client.
const MOST_USERS: u32 = (1 << 24) - 1;

/// Surroundings of one of the clients of a table.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub tcp: &'a TcpOptions,
    /// The path without other traffic.
    pub ideal: Ideal,
    /// Number of clients.
    pub count: u32,
    /// Time from the client's start to its end.
    pub window: Duration,
}

/// Arrivals at a client of responses of `size`, or of a time without one; reports problems.
pub fn arrivals(
    arrivals: &Arrivals,
    size: Option<&Size>,
    place: Place<'_>,
    at: usize,
    problems: &mut Problems,
) -> Option<sim::Arrivals> {
    let Place { tcp, ideal, count, window } = place;
    let mut refuse = |key: &'static str, why: String, hint: Option<&str>| {
        problems.add(inside(at, ["arrivals".into(), key.into()]), why, hint.map(str::to_owned));
        None
    };
    let is_positive = |number: f64| number > 0.0 && number.is_finite();
    let (expected, key, arrivals) = match arrivals {
        Arrivals::PoissonArrivals(poisson) => {
            let (key, rate) = match (poisson.load, poisson.rate) {
                (Some(load), None) => {
                    let Some(size) = size else {
                        let why = "`load` needs a `size`: how much a transfer of a given time carries is not known";
                        return refuse("load", why.to_owned(), Some("give a `rate`"));
                    };
                    if ideal.rate.as_bits_per_sec() == 0 {
                        let why = "`load` needs links with a known rate on the way of the responses".to_owned();
                        return refuse("load", why, Some("give a `rate`"));
                    }
                    let mean = Ideal::mean_wire_bytes(size, tcp);
                    ("load", load.0 * ideal.rate.as_bits_per_sec() as f64 / (8.0 * mean * f64::from(count)))
                }
                (None, Some(rate)) => ("rate", rate.0),
                _ => return refuse("kind", "give either `load` or `rate`".to_owned(), None),
            };
            if !is_positive(rate) {
                return refuse(key, format!("`{key}` must be above 0"), None);
            }
            // No interval below the clock's step: time would stand still.
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
            // A file that could not be read has been reported.
            let Recording::Values(times) = &listed.times else { return None };
            let times: Vec<(Duration, Option<Bytes>)> =
                times.iter().map(|arrival| (arrival.time.0, arrival.bytes.map(|bytes| bytes.0))).collect();
            if let Some(back) = times.windows(2).position(|pair| pair[1].0 < pair[0].0) {
                let why = format!("arrival {} is before the one above", back + 2);
                return refuse("times", why, Some("sort them by time"));
            }
            if size.is_none() && times.iter().any(|(_, bytes)| bytes.is_some()) {
                return refuse("times", "`bytes` and `on` exclude each other".to_owned(), None);
            }
            (times.len() as f64, "times", sim::Arrivals::Times(times.into()))
        }
    };
    // Refused before the run, whose memory they would exhaust.
    if expected > MOST_REQUESTS {
        let why = format!("a client makes some {expected:.0} requests; at most {MOST_REQUESTS:.0} are allowed");
        return refuse(key, why, None);
    }
    Some(arrivals)
}
