//! Stations of a cell of LTE or NR: their bearers, channels and places.

use super::keys::path;
use super::sites::frequency;
use crate::check::cell_parts::{fading_model, queue_of_station, urgency};
use crate::check::common::{MAX_LINKS, is_within_limit, place, ratio};
use crate::check::key::key;
use crate::check::link::Links;
use crate::check::nodes::{End, Nodes};
use crate::check::places::{Entry, Way};
use crate::format::cell::{Fading, Scheduler};
use crate::format::ran::{RanBearer, RanCell, RanStation};
use crate::names::LinkName;
use crate::path::Segment;
use crate::problems::Problems;
use windward_sim::NodeId;
use windward_sim::cell::channel::{Fading as Model, MAX_SINUSOIDS};
use windward_sim::ran::geometry::Geometry;
use windward_sim::ran::qos::{DEFAULT_QI, Qos};
use windward_sim::ran::{BearerConfig, RanConfig, StationConfig};
use windward_sim::wifi::place_at;
use windward_units::{Decibels, Duration, Time};

/// Speed of light in metres a second.
const LIGHT: f64 = 299_792_458.0;
/// Sinusoids of the fading that a speed gives: the default of `jakes`.
const SINUSOIDS: usize = 16;
/// Largest delay spread.
const MOST_SPREAD: Duration = Duration::from_micros(10);
/// Decibels of the uplink below the downlink: a guess.
const UPLINK_BELOW: f64 = 6.0;

/// Stations, each with its node and the ends of its two links.
#[derive(Default)]
pub(super) struct Stations {
    pub configs: Vec<StationConfig>,
    pub bearers: Vec<BearerConfig>,
    pub ends: Vec<(NodeId, NodeId)>,
    pub nodes: Vec<NodeId>,
}

/// The stations; `None`, and a report, if there are too many.
pub(super) fn stations(
    (cell, of_cell): (&RanCell, &RanConfig),
    at: usize,
    center: NodeId,
    (nodes, span): (&Nodes, Duration),
    links: &mut Links,
    problems: &mut Problems,
) -> Option<Stations> {
    let mut found = Stations::default();
    for (index, station) in cell.station.iter().enumerate() {
        let path = || place("cell", at, ["station".into(), Segment::Index(index), "node".into()]);
        let Some(end) = nodes.find(&station.node, path(), problems) else { continue };
        let entry = Entry { list: "cell", at, index, node: &station.node.0 };
        let Some(ways) = ways(station, entry, end, (nodes, span), problems) else { continue };
        let bearers = bearers((cell, of_cell), station, entry, problems);
        let members = end.group().unwrap_or(1);
        if !is_within_limit("link", links.names.len() as u64 + 2 * u64::from(members), MAX_LINKS, at, problems) {
            return None;
        }
        for (member, node) in (0..members).map(|member| (member, end.member(member))) {
            let way = ways.get(member as usize);
            let Some(config) = station_config((cell, of_cell), (station, way), at, index, problems) else { break };
            let [from, to] = [center, node].map(|node| nodes.names[node as usize].clone());
            if from == to {
                problems.add(path(), format!("`{from}` is the access point itself"), None);
                continue;
            }
            let both = [(center, node), (node, center)];
            if both.iter().any(|ends| links.between.contains_key(ends)) {
                let message =
                    format!("there is already a link between `{from}` and `{to}`; the cell makes both directions");
                problems.add(path(), message, None);
                continue;
            }
            let names = [format!("{from}->{to}"), format!("{to}->{from}")];
            // Keys come from names and not from places: one more station leaves the random streams of the others as
            // they are.
            let of_station = |bearer: &BearerConfig| BearerConfig {
                station: found.configs.len() as u32,
                keys: [&names[0], &names[1]].map(|name| key("bearer", &format!("{name}/{}", bearer.qos.qi))),
                ..bearer.clone()
            };
            found.bearers.extend(bearers.iter().map(of_station));
            found.configs.push(StationConfig { keys: [key("link", &names[0]), key("link", &names[1])], ..config });
            found.nodes.push(node);
            for ((ends, name), [from, to]) in both.into_iter().zip(names).zip([[&from, &to], [&to, &from]]) {
                links.between.insert(ends, links.names.len() as u32);
                found.ends.push(ends);
                links.names.push(LinkName { name, from: from.clone(), to: to.clone() });
            }
        }
    }
    Some(found)
}

/// Bearers of a station beside the default one; reports problems.
fn bearers(
    (cell, of_cell): (&RanCell, &RanConfig),
    station: &RanStation,
    entry: Entry<'_>,
    problems: &mut Problems,
) -> Vec<BearerConfig> {
    let mut found: Vec<BearerConfig> = Vec::new();
    for (number, bearer) in station.bearer.iter().enumerate() {
        let inside = |key: &'static str| entry.path(["bearer".into(), Segment::Index(number), key.into()]);
        let RanBearer { qi, dscp, guaranteed, buffer, queue } = bearer;
        if matches!(cell.scheduler.0, Scheduler::PythonScheduler(_)) {
            let message = "a scheduler in Python decides on stations, without bearers";
            let hint = Some("remove it, or choose a built-in `scheduler`".to_owned());
            problems.add(inside("qi"), message, hint);
            break;
        }
        let Some(qos) = Qos::of(qi.0).filter(|_| qi.0 != DEFAULT_QI) else {
            let (message, hint) = match qi.0 {
                DEFAULT_QI => ("9 is the 5QI of the default bearer".to_owned(), "allowed: 1 to 8"),
                other => (
                    format!("{other} is no 5QI of a bearer; allowed: 1 to 8"),
                    "delay-critical and mission-critical classes are missing: use the one of the nearest delay budget",
                ),
            };
            problems.add(inside("qi"), message, Some(hint.to_owned()));
            continue;
        };
        if found.iter().any(|other| other.qos.qi == qos.qi) {
            let hint = Some("choose another `qi`".to_owned());
            problems.add(inside("qi"), format!("another bearer of the station has {}", qos.qi), hint);
            continue;
        }
        if dscp.0 == 0 {
            let hint = Some("dscp = \"EF\", and the same in the flow or application".to_owned());
            problems.add(inside("dscp"), "packets without a code point have the default bearer", hint);
        } else if found.iter().any(|other| other.dscps >> dscp.0 & 1 == 1) {
            problems.add(inside("dscp"), "another bearer of the station has this code point", None);
        }
        match (qos.is_guaranteed, guaranteed) {
            (true, None) => {
                let hint = Some("guaranteed = \"200 kbit/s\"".to_owned());
                problems.add(inside("guaranteed"), format!("5QI {} needs a guaranteed rate", qos.qi), hint);
            }
            (false, Some(_)) => {
                let message = format!("5QI {} has no guaranteed rate; 1 to 4 have one", qos.qi);
                problems.add(inside("guaranteed"), message, None);
            }
            _ => {}
        }
        let queues = (queue.as_ref(), station.queue.as_ref().or(cell.queue.as_ref()));
        let buffers = (*buffer, station.buffer.unwrap_or(cell.buffer));
        let (buffer, queue) = queue_of_station(buffers, queues, inside, problems);
        found.push(BearerConfig {
            station: 0,
            keys: [0; 2],
            dscps: 1 << dscp.0,
            qos,
            guaranteed: guaranteed.map(|rate| rate.0.as_bits_per_sec() as f64),
            rlc: qos.rlc(of_cell.rlc),
            pdcp: qos.pdcp(),
            buffer: [buffer; 2],
            queue: [queue; 2],
        });
    }
    found
}

fn station_config(
    (cell, of_cell): (&RanCell, &RanConfig),
    (station, way): (&RanStation, Option<&Way>),
    at: usize,
    index: usize,
    problems: &mut Problems,
) -> Option<StationConfig> {
    let inside = |key: &'static str| place("cell", at, ["station".into(), Segment::Index(index), key.into()]);
    let queues = (station.queue.as_ref(), cell.queue.as_ref());
    let (buffer, queue) = queue_of_station((station.buffer, cell.buffer), queues, inside, problems);
    let urgency = urgency(station.violation, station.deadline, inside("violation"), problems);
    check_claim(cell, station, inside, problems);
    let fading = match (station.speed, &station.fading, &cell.fading) {
        (Some(_), Some(_), _) => {
            let hint = Some("remove one of them".to_owned());
            problems.add(inside("speed"), "`speed` gives the fading, and so does `fading`", hint);
            return None;
        }
        (Some(speed), None, _) => fading_at(speed.0.as_metres_per_sec(), cell),
        (None, Some(fading), _) => of_instants(&fading.0, inside("fading"), problems)?,
        (None, None, Some(fading)) => of_instants(&fading.0, path(at, ["fading"]), problems)?,
        (None, None, None) => match way.and_then(mean_speed) {
            Some(speed) => fading_at(speed, cell),
            None => Model::Constant,
        },
    };
    let delay_spread = delay_spread((cell, station), &fading, (at, inside("delay_spread")), problems);
    let snr = match (way, &of_cell.geometry, station.snr) {
        (Some(way), Some(geometry), _) => {
            let noise = Geometry::noise(of_cell.carrier.prbs, of_cell.carrier.slot);
            geometry.clear_ratios(place_at(way, Time::ZERO), noise).map(|snr| ratio(Decibels::new(snr)))
        }
        (_, _, snr) => {
            let snr = snr.map_or(0.0, |snr| snr.0.count());
            let uplink = station.uplink_snr.map_or(snr - UPLINK_BELOW, |snr| snr.0.count());
            [snr, uplink].map(|snr| ratio(Decibels::new(snr)))
        }
    };
    Some(StationConfig {
        keys: [0; 2],
        mean_snr: snr,
        fading,
        delay_spread,
        delay: station.delay.unwrap_or(cell.delay).0,
        buffer: [buffer; 2],
        queue: [queue; 2],
        urgency,
        way: way.map(|way| way.as_slice().into()),
        weight: station.weight.0,
        priority: station.priority.0,
    })
}

/// Reports a weight or a priority that is out of range, or has no meaning for the scheduler.
fn check_claim(
    cell: &RanCell,
    station: &RanStation,
    inside: impl Fn(&'static str) -> Vec<Segment>,
    problems: &mut Problems,
) {
    let (weight, priority) = (station.weight.0, station.priority.0);
    if !(0.01..=100.0).contains(&weight) {
        problems.add(inside("weight"), format!("{weight} is out of range; allowed: 0.01 to 100"), None);
    }
    if !(1..=8).contains(&priority) {
        problems.add(inside("priority"), format!("{priority} is out of range; allowed: 1 to 8"), None);
    }
    let (rule, has_weights) = match &cell.scheduler.0 {
        Scheduler::RoundRobin(_) => ("round-robin", false),
        Scheduler::PythonScheduler(_) => ("a scheduler in Python", false),
        _ => ("", true),
    };
    if !has_weights && weight != 1.0 {
        let hint = Some("scheduler = \"proportional-fair\"".to_owned());
        problems.add(inside("weight"), format!("{rule} has no weights"), hint);
    }
    if matches!(cell.scheduler.0, Scheduler::PythonScheduler(_)) && priority != 1 {
        let message = "a scheduler in Python decides by itself, without priorities";
        problems.add(inside("priority"), message, Some("remove it, or decide by the station".to_owned()));
    }
}

/// Delay spread of a station's channel in seconds, zero for a flat one; reports a spread without Rayleigh fading by
/// sinusoids, which a spread of the cell may be for some stations.
fn delay_spread(
    (cell, station): (&RanCell, &RanStation),
    fading: &Model,
    (at, inside): (usize, Vec<Segment>),
    problems: &mut Problems,
) -> f64 {
    let (spread, place) = match (station.delay_spread, cell.delay_spread) {
        (Some(own), _) => (own.0, inside),
        (None, Some(of_cell)) => (of_cell.0, path(at, ["delay_spread"])),
        (None, None) => return 0.0,
    };
    if spread > MOST_SPREAD {
        problems.add(place, format!("{spread} is out of range; allowed: up to {MOST_SPREAD}"), None);
        return 0.0;
    }
    match fading {
        Model::Jakes { .. } => spread.as_secs(),
        _ if station.delay_spread.is_some() => {
            let hint = Some("give the station a `speed`, or fading = \"jakes\"".to_owned());
            problems.add(place, "a delay spread is of Rayleigh fading, which the station lacks", hint);
            0.0
        }
        _ => 0.0,
    }
}

/// Rayleigh fading of a station at `speed` metres a second.
fn fading_at(speed: f64, cell: &RanCell) -> Model {
    Model::Jakes { doppler: speed * frequency(cell) / LIGHT, sinusoids: SINUSOIDS }
}

/// Mean speed in metres a second while a station moves; `None` if it does not.
fn mean_speed(way: &Way) -> Option<f64> {
    let legs = way.windows(2).map(|pair| {
        let (dx, dy) = (pair[1].1.0 - pair[0].1.0, pair[1].1.1 - pair[0].1.1);
        (libm::hypot(dx, dy), pair[1].0.since(pair[0].0).as_secs())
    });
    let moved = legs.filter(|leg| leg.0 > 0.0).fold((0.0, 0.0), |sum, leg| (sum.0 + leg.0, sum.1 + leg.1));
    (moved.1 > 0.0).then(|| moved.0 / moved.1)
}

/// Places of a station's members over time, empty for stations with an `snr`; reports problems.
fn ways(
    station: &RanStation,
    entry: Entry<'_>,
    end: End,
    (nodes, span): (&Nodes, Duration),
    problems: &mut Problems,
) -> Option<Vec<Way>> {
    let mut refuse = |key: &'static str, message: String, hint: &str| {
        problems.add(entry.path([key.into()]), message, Some(hint.to_owned()));
        None
    };
    let has_place = station.at.is_some() || station.layout.is_some();
    match (station.snr, has_place) {
        (None, false) => {
            let hint = "snr = \"18 dB\", or a place: at = [\"50 m\", \"200 m\"], or a `layout` for a group";
            return refuse("node", format!("`{}` has neither `snr` nor a place", entry.node), hint);
        }
        (Some(_), true) => {
            return refuse("snr", "the place of a station gives its `snr`".to_owned(), "remove one of them");
        }
        (None, true) if station.uplink_snr.is_some() => {
            let hint = "remove it, and set `station_power` of the cell";
            return refuse("uplink_snr", "the place of a station gives its `uplink_snr`".to_owned(), hint);
        }
        (Some(_), false) if station.motion.is_some() => {
            let hint = "at = [\"50 m\", \"200 m\"] instead of `snr`";
            return refuse("motion", "a station that moves has a place to begin with".to_owned(), hint);
        }
        (Some(_), false) => return Some(Vec::new()),
        (None, true) => {}
    }
    let places = entry.places(station.at.as_ref(), station.layout.as_ref(), end, problems)?;
    let way = |(member, place)| match &station.motion {
        None => Some(vec![(Time::ZERO, place)]),
        Some(motion) => {
            let name = nodes.names[end.member(member) as usize].as_str();
            entry.way(place, motion, (end, name), span, problems)
        }
    };
    (0..).zip(places).map(way).collect()
}

/// A fading model that has a value at an instant; others are refused.
fn of_instants(fading: &Fading, path: Vec<Segment>, problems: &mut Problems) -> Option<Model> {
    let model = fading_model(fading)?;
    match model {
        Model::Markov { .. } | Model::Autoregressive { .. } => {
            let message = "this model steps from slot to slot, and LTE and NR cells look at instants";
            problems.add(path, message, Some("choose \"jakes\", or give the station a `speed`".to_owned()));
            None
        }
        Model::Jakes { sinusoids, .. } if !(8..=MAX_SINUSOIDS).contains(&sinusoids) => {
            problems.add(path, format!("{sinusoids} sinusoids; allowed: 8 to {MAX_SINUSOIDS}"), None);
            None
        }
        Model::Trace { ref samples, .. } if samples.is_empty() => {
            problems.add(path, "the trace has no samples", None);
            None
        }
        model => Some(model),
    }
}
