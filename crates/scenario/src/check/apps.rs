//! Applications, expanded and routed.

use super::common::{Names, Times, member_name, place};
use super::ground::Network;
use super::key::key;
use super::nodes::{Request, Senders, ends, label};
use super::route::{Asker, Direction, Graph, Via};
use super::tcp;
use crate::format::{App, Arrivals, Name, Recording, Requests, Response, Reuse, Sizes, Spread};
use crate::names::FlowName;
use crate::path::Segment;
use crate::problems::Problems;
use std::sync::Arc;
use windward_sim::{self as sim, ConnectionUse, Ideal, LawChoice, MediumConfig, PortKind, RequestsConfig, Size};
use windward_units::{BitRate, Bytes, Duration, Time};

/// Largest number of requests that one application may be expected to make.
const MOST_REQUESTS: f64 = 1e7;
/// Largest size of a response.
const MOST_BYTES: u64 = 1_000_000_000_000;
/// Largest number of users of a client.
const MOST_USERS: u32 = (1 << 24) - 1;

/// All applications and their names.
pub(crate) struct Apps {
    pub configs: Vec<RequestsConfig>,
    pub names: Vec<FlowName>,
    /// True if the file gives the route there, and back.
    pub is_fixed: Vec<[bool; 2]>,
}

/// All applications; `None`, and reports, if one is wrong.
pub(crate) fn expand(
    apps: &[App],
    laws: Vec<Option<LawChoice>>,
    network: Network<'_>,
    span: Duration,
    problems: &mut Problems,
) -> Option<Apps> {
    let before = problems.len();
    let graphs = [Direction::Forth, Direction::Back].map(|way| Graph::new(network.nodes, network.links, way));
    let mut all = Apps { configs: Vec::new(), names: Vec::new(), is_fixed: Vec::new() };
    let mut names = Names::new("app");
    for ((at, App::Requests(app)), law) in apps.iter().enumerate().zip(laws) {
        let Requests { from, to, count, .. } = app;
        let made = ends(
            &Senders { list: "app", at, from, to, count: *count, before: all.configs.len() },
            network.nodes,
            problems,
        );
        let times = Times {
            start: app.start.0,
            step: Duration::ZERO,
            spread: Duration::ZERO,
            stop: app.stop.map(|stop| stop.0),
        };
        times.check(1, "app", at, span, problems);
        let common = common(app, law, at, problems);
        let (Some(common), Some((pairs, requests))) = (common, made) else { continue };
        if !network.is_whole {
            continue;
        }
        let Some(routes) = routes(app, at, &requests, network, &graphs, problems) else { continue };
        if !is_passable(&routes, at, network, problems) {
            continue;
        }
        let stop = times.stop.map_or(span, |stop| stop.min(span));
        let label = label(app.name.as_ref(), from, to);
        for ((member, Request { from, to }), [forward, backward]) in (0..).zip(requests).zip(routes) {
            let name = member_name(&label, pairs.is_group, member);
            if !names.take(&name, at, problems) {
                break;
            }
            let ideal = ideal(&forward, &backward, network);
            let window = stop.saturating_sub(times.start);
            let Some(arrivals) = arrivals(app, &common, (ideal, pairs.count, window), at, problems) else { break };
            all.configs.push(RequestsConfig {
                key: key("app", &name),
                client: from,
                server: to,
                forward: forward.into(),
                backward: backward.into(),
                arrivals,
                ideal,
                ..common.clone()
            });
            let [from, to] = [from, to].map(|node| network.nodes.names[node as usize].clone());
            all.is_fixed.push([app.via.is_some(), app.via.is_some() || app.return_via.is_some()]);
            all.names.push(FlowName { name, label: label.clone(), law: app.law.name.clone(), from, to });
        }
    }
    (network.is_whole && problems.len() == before).then_some(all)
}

/// Properties common to the applications of a table; reports problems.
fn common(app: &Requests, law: Option<LawChoice>, at: usize, problems: &mut Problems) -> Option<RequestsConfig> {
    let before = problems.len();
    let options = tcp::options(&app.tcp);
    let table = ("app", at, &["tcp"][..]);
    tcp::check_sizes(&options, table, problems);
    tcp::check(&app.tcp, &options, law.as_ref(), table, problems);
    if matches!(law, Some(LawChoice::Tfrc(_))) {
        let hint = Some("choose a law of TCP".to_owned());
        problems.add(place("app", at, ["law".into()]), "TFRC carries no requests", hint);
    }
    let request = app.request.0;
    if request.count() > MOST_BYTES {
        let message = format!("a request of {request} is too large; at most {} are allowed", Bytes::new(MOST_BYTES));
        problems.add(place("app", at, ["request".into()]), message, None);
    }
    let response = size(&app.response, at, problems);
    let (law, response) = law.filter(|_| problems.len() == before).zip(response)?;
    Some(RequestsConfig {
        key: 0,
        client: 0,
        server: 0,
        forward: Vec::new().into(),
        backward: Vec::new().into(),
        law,
        tcp: options,
        start: Time::from_nanos(app.start.0.as_nanos()),
        stop: app.stop.map(|stop| Time::from_nanos(stop.0.as_nanos())),
        arrivals: sim::Arrivals::Times(Arc::new([])),
        request,
        response,
        service: app.service.0,
        connections: match app.connections {
            Reuse::New => ConnectionUse::New,
            Reuse::Pool => ConnectionUse::Kept { most: u32::MAX },
            Reuse::Most(count) => ConnectionUse::Kept { most: count.0 },
        },
        deadline: app.deadline.map(|deadline| deadline.0),
        ideal: Ideal { rate: BitRate::bits_per_sec(0), rtt: Duration::ZERO },
    })
}

fn inside<const N: usize>(at: usize, keys: [Segment; N]) -> Vec<Segment> {
    place("app", at, keys)
}

/// Distribution of the sizes; reports problems.
fn size(Response(sizes): &Response, at: usize, problems: &mut Problems) -> Option<Size> {
    let mut refuse = |key: &'static str, why: String| {
        problems.add(inside(at, ["response".into(), key.into()]), why, None);
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
        problems.add(inside(at, ["response".into()]), message, None);
        return None;
    }
    Some(size)
}

/// Arrivals at one of `count` clients with this path, within `window`; reports problems.
fn arrivals(
    app: &Requests,
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
    let (expected, key, arrivals) = match &app.arrivals {
        Arrivals::PoissonArrivals(poisson) => {
            let (key, rate) = match (poisson.load, poisson.rate) {
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
            let spread = match closed.think_spread {
                Spread::Fixed => sim::Spread::Fixed,
                Spread::Exponential => sim::Spread::Exponential,
                Spread::Pareto(shape) => sim::Spread::Pareto(shape.0),
            };
            let expected = f64::from(users) * window.as_secs() / least;
            (expected, "users", sim::Arrivals::Closed { users, think, spread })
        }
        Arrivals::ListedArrivals(listed) => {
            let Recording::Values(times) = &listed.times else { return None };
            let times: Vec<(Duration, Option<Bytes>)> =
                times.iter().map(|arrival| (arrival.time.0, arrival.bytes.map(|bytes| bytes.0))).collect();
            if let Some(back) = times.windows(2).position(|pair| pair[1].0 < pair[0].0) {
                let why = format!("arrival {} is before the one above", back + 2);
                return refuse("times", why, Some("sort them by time"));
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

/// The path without other traffic.
fn ideal(forward: &[u32], backward: &[u32], network: Network<'_>) -> Ideal {
    let topology = &network.links.topology;
    let delay = |route: &[u32]| route.iter().map(|&port| topology.delay(port).as_nanos()).sum::<u64>();
    let rate = backward.iter().map(|&port| topology.nominal_rate(port)).min().unwrap_or(0);
    Ideal { rate: BitRate::bits_per_sec(rate), rtt: Duration::from_nanos(delay(forward) + delay(backward)) }
}

/// The routes of every pair of a table, there and back; reports missing ones.
fn routes(
    app: &Requests,
    at: usize,
    requests: &[Request],
    network: Network<'_>,
    graphs: &[Graph<'_>; 2],
    problems: &mut Problems,
) -> Option<Vec<[Vec<u32>; 2]>> {
    let asker = Asker { list: "app", at };
    let resolve = |names: &Vec<Name>, key, problems: &mut Problems| {
        Via::resolve(names, key, asker, requests.len() as u32, network.nodes, problems)
    };
    let forth = app.via.as_ref().map(|names| resolve(names, "via", problems));
    let back = app.return_via.as_ref().map(|names| resolve(names, "return_via", problems));
    let forth = forth.map_or(Some(None), |via| via.map(Some))?;
    let back = back.map_or_else(|| Some(forth.as_ref().map(Via::reversed)), |via| via.map(Some))?;
    let mut both = Vec::new();
    for (way, via) in [forth, back].into_iter().enumerate() {
        let found: Vec<Option<Vec<u32>>> = match via {
            None => graphs[way].shortest(requests),
            Some(via) => {
                let route = |(member, request): (u32, &Request)| {
                    let Request { from, to } = *request;
                    let ends = if way == 0 { Request { from, to } } else { Request { from: to, to: from } };
                    via.route(ends, member, asker, network, problems)
                };
                (0..).zip(requests).map(route).collect::<Option<Vec<_>>>()?.into_iter().map(Some).collect()
            }
        };
        if let Some((Request { from, to }, _)) = requests.iter().zip(&found).find(|(_, route)| route.is_none()) {
            let (from, to) = if way == 0 { (from, to) } else { (to, from) };
            let [from, to] = [from, to].map(|node| &network.nodes.names[*node as usize]);
            problems.add(inside(at, ["to".into()]), format!("no route from `{from}` to `{to}`"), None);
        }
        both.push(found.into_iter().collect::<Option<Vec<_>>>()?);
    }
    let back = both.pop()?;
    Some(both.pop()?.into_iter().zip(back).map(|(forth, back)| [forth, back]).collect())
}

/// False, and a report, if a route crosses a network that applications do not support.
fn is_passable(routes: &[[Vec<u32>; 2]], at: usize, network: Network<'_>, problems: &mut Problems) -> bool {
    let topology = &network.links.topology;
    let by_backlog = |link: u32| match topology.ports[link as usize].kind {
        PortKind::Shared { medium, .. } => {
            topology.media.get(medium as usize).is_some_and(MediumConfig::uses_backpressure)
        }
        PortKind::Link(_) => false,
    };
    let crosses = routes.iter().flatten().flatten().any(|&link| by_backlog(link));
    if crosses {
        let message = "applications cannot cross stations that forward by backlog";
        problems.add(inside(at, ["to".into()]), message, Some("use another `routing` in the [[wifi]]".to_owned()));
    }
    !crosses
}
