//! Cells of LTE and NR, expanded into stations, each a link in both directions.

use super::cell_parts::{
    access_point, check_not_empty, check_queue, fading_model, in_bytes, queue_of_station, refuse_urgency, scheduler,
    urgency,
};
use super::common::{MAX_LINKS, is_within_limit, place, ratio};
use super::key::key;
use super::links::Links;
use super::nodes::{End, Nodes};
use super::places::{Entry, Way, position};
use crate::format::AnyCell;
use crate::format::cell::{Fading, Scheduler, deadline, violation};
use crate::format::ran::{
    AdaptationTable, Drx, HandoverTable, McsTable, Propagation, RanBearer, RanCell, RanSite, RanStation, Technology,
    station_power,
};
use crate::names::LinkName;
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use std::collections::BTreeSet;
use windward_sim::cell::channel::{Fading as Model, MAX_SINUSOIDS};
use windward_sim::ran::geometry::{Geometry, Handover, Site};
use windward_sim::ran::phy::{Carrier, Pattern, SlotKind, Special, carrier};
use windward_sim::ran::qos::{DEFAULT_QI, Qos};
use windward_sim::ran::{
    Adaptation, BearerConfig, Drx as Cycles, Harq, Pdcp, RanConfig, Rlc, RlcMode, StationConfig, Uplink,
};
use windward_sim::wifi::place_at;
use windward_sim::{MediumConfig, NodeId, Topology};
use windward_units::{Decibels, Duration, Time};

/// Speed of light in metres a second.
const LIGHT: f64 = 299_792_458.0;
/// Sinusoids of the fading that a speed gives: the default of `jakes`.
const SINUSOIDS: usize = 16;
/// Largest delay spread.
const MOST_SPREAD: Duration = Duration::from_micros(10);
/// Transmit power of the only site, in dBm.
const SITE_POWER: f64 = 46.0;
/// Least ratio at which the buffer of a moving station is sized.
const ON_THE_WAY: Decibels = Decibels::new(15.0);
/// Decibels of the uplink below the downlink: a guess.
const UPLINK_BELOW: f64 = 6.0;

/// Path of a key of a cell, or of a key of a table in it.
fn path<const N: usize>(at: usize, keys: [&'static str; N]) -> Vec<Segment> {
    place("cell", at, keys.map(Segment::from))
}

/// Adds a cell, whose stations are links in both directions. Reports problems.
pub(super) fn expand(
    cell: &RanCell,
    at: usize,
    (nodes, span): (&Nodes, Duration),
    links: &mut Links,
    classes: &mut Vec<PythonClass>,
    problems: &mut Problems,
) {
    let before = problems.len();
    let center = nodes.find(&cell.access_point, path(at, ["access_point"]), problems);
    let carrier = carrier(cell, at, problems);
    let rule = match &cell.scheduler.0 {
        Scheduler::MaxSnr(rule) if rule.oblivious => Err("max-snr"),
        Scheduler::RoundRobin(rule) if rule.oblivious => Err("round-robin"),
        rule => Ok(scheduler(rule, at, classes, problems)),
    };
    if let Err(name) = rule {
        let message = format!("`{name}` that is oblivious serves stations without data, which no LTE or NR cell does");
        problems.add(path(at, ["scheduler", "oblivious"]), message, Some("remove `oblivious`".to_owned()));
    }
    check_not_empty(cell.station.len(), at, problems);
    check_queue(cell.queue.as_ref(), at, problems);
    check_mode(cell, at, problems);
    check_outer_loop(cell, at, problems);
    check_rule(cell, at, problems);
    let Some(carrier) = carrier else { return };
    let config = config(cell, at, &carrier, problems);
    let Some(center) = center.and_then(|center| access_point(center, &cell.access_point, at, problems)) else { return };
    let (Ok(Some(scheduler)), true) = (rule, problems.len() == before) else { return };
    // Tables name sites by number, so the numbers go on from cell to cell.
    let sites = links.topology.media.iter().map(|medium| match medium {
        MediumConfig::Ran(other) => other.geometry.as_ref().map_or(0, |geometry| geometry.sites.len()),
        _ => 0,
    });
    let geometry = geometry(cell, at, sites.sum(), problems);
    let config = RanConfig { geometry, ..config };
    let Some(found) = stations((cell, &config), at, center, (nodes, span), links, problems) else { return };
    for (station, &node) in (0..).zip(&found.nodes) {
        links.in_cells.entry(node).or_default().push((links.topology.media.len(), station));
    }
    if !found.configs.is_empty() {
        let (stations, bearers) = (found.configs, found.bearers);
        let medium = MediumConfig::Ran(RanConfig { scheduler, stations, bearers, ..config });
        let first = links.topology.add_medium(medium, found.ends);
        size_buffers(&mut links.topology, first);
    }
}

/// Turns the buffers in time of the newest medium, a cell whose ports begin at `first`, into bytes. A moving station
/// counts at a signal-to-noise ratio of 15 dB at least, which it has somewhere on its way.
fn size_buffers(topology: &mut Topology, first: u32) {
    let Some(MediumConfig::Ran(cell)) = topology.media.last_mut() else { return };
    let before: Vec<[f64; 2]> = cell.stations.iter().map(|station| station.mean_snr).collect();
    for station in cell.stations.iter_mut().filter(|station| station.way.is_some()) {
        station.mean_snr = station.mean_snr.map(|snr| snr.max(ratio(ON_THE_WAY)));
    }
    let count = before.len();
    let rates: Vec<f64> = (first..).take(2 * count).map(|port| topology.mean_rate(port)).collect();
    let Some(MediumConfig::Ran(cell)) = topology.media.last_mut() else { return };
    for (at, (station, snr)) in cell.stations.iter_mut().zip(before).enumerate() {
        station.mean_snr = snr;
        for (way, buffer) in station.buffer.iter_mut().enumerate() {
            *buffer = in_bytes(*buffer, rates[2 * at + way], count);
        }
    }
    for bearer in &mut cell.bearers {
        for (way, buffer) in bearer.buffer.iter_mut().enumerate() {
            *buffer = in_bytes(*buffer, rates[2 * bearer.station as usize + way], count);
        }
    }
}

/// Carrier of a cell; reports problems.
fn carrier(cell: &RanCell, at: usize, problems: &mut Problems) -> Option<Carrier> {
    let name = cell.preset.name();
    let mut carrier = Carrier::preset(name)?;
    let is_lte = name.starts_with("lte");
    if is_lte != (cell.technology == Technology::Lte) {
        let of = if is_lte { "lte" } else { "nr" };
        let message = format!("`{name}` is a carrier of {}", if is_lte { "LTE" } else { "NR" });
        problems.add(
            path(at, ["preset"]),
            message,
            Some(format!("write technology = \"{of}\", or choose another preset")),
        );
        return None;
    }
    if !matches!((cell.layers.0, is_lte), (1 | 2, _) | (4, false)) {
        let allowed = if is_lte { "1 or 2 with LTE" } else { "1, 2 or 4 with NR" };
        problems.add(path(at, ["layers"]), format!("{} layers; allowed: {allowed}", cell.layers.0), None);
    }
    if is_lte && cell.mcs_table == Some(McsTable::LowRate) {
        problems.add(path(at, ["mcs_table"]), "`low-rate` is a table of NR; allowed with LTE: 64qam, 256qam", None);
    }
    for (key, given) in [("tdd", &cell.tdd), ("special", &cell.special)] {
        if given.is_some() && carrier.pattern.is_fdd() {
            let message = format!("`{name}` is FDD: it has no pattern of slots");
            let hint = "remove it, or choose a TDD preset: n78-20mhz, n78-40mhz, n78-100mhz".to_owned();
            problems.add(path(at, [key]), message, Some(hint));
            return None;
        }
    }
    if cell.tdd.is_none() && cell.special.is_none() {
        return Some(carrier);
    }
    let pattern = Pattern::parse(cell.tdd.as_deref().unwrap_or(carrier::PATTERN));
    let special = cell.special.as_deref().map_or(Ok(carrier::SPECIAL), Special::parse);
    let mut report = |key, error: &dyn std::fmt::Display| problems.add(path(at, [key]), error.to_string(), None);
    match (pattern, special) {
        (Ok(pattern), Ok(special)) => {
            if cell.special.is_some() && !pattern.slots().contains(&SlotKind::Special) {
                report("special", &"the pattern has no slot S");
                return None;
            }
            carrier.repeat(pattern, special);
            Some(carrier)
        }
        (pattern, special) => {
            pattern.err().into_iter().for_each(|error| report("tdd", &error));
            special.err().into_iter().for_each(|error| report("special", &error));
            None
        }
    }
}

/// The cell without its stations and scheduler; reports problems.
fn config(cell: &RanCell, at: usize, carrier: &Carrier, problems: &mut Problems) -> RanConfig {
    let is_lte = cell.technology == Technology::Lte;
    let (link, rlc) = (&cell.adaptation, &cell.rlc);
    let table = cell.mcs_table.unwrap_or(if is_lte { McsTable::Qam64 } else { McsTable::Qam256 });
    let standard = RanConfig::standard(carrier.clone(), table.of_sim(), cell.layers.0, link.receiver_loss.0.count());
    let mut within = |keys: [&'static str; 2], value: u32, least: u32, most: u32| {
        if !(least..=most).contains(&value) {
            problems.add(path(at, keys), format!("{value} is out of range; allowed: {least} to {most}"), None);
        }
        value
    };
    let gnb_slots = cell.harq.gnb_slots.map_or(standard.harq.gnb_slots, |slots| slots.0);
    let harq = Harq {
        retransmissions: within(["harq", "transmissions"], cell.harq.transmissions.0, 1, 16).saturating_sub(1),
        min_k1: within(["harq", "min_k1"], cell.harq.min_k1.0, 1, 32),
        gnb_slots: within(["harq", "gnb_slots"], gnb_slots, 1, 16),
        feedback_error: cell.harq.feedback_error.0,
    };
    let min_k2 = within(["uplink", "min_k2"], cell.uplink.min_k2.0, 1, 32);
    let first_cqi = within(["adaptation", "first_cqi"], link.first_cqi.0, 1, 15);
    let target = link.target.0;
    if target <= 0.0 || target >= 1.0 {
        let message = format!("{target} is out of range; allowed: above 0 and below 1");
        problems.add(path(at, ["adaptation", "target"]), message, None);
    }
    for (key, given) in [("step", link.step.0), ("limit", link.limit.0)] {
        if given.count() < 0.0 {
            let message = format!("{} dB is out of range; allowed: 0 dB or more", given.count());
            problems.add(path(at, ["adaptation", key]), message, None);
        }
    }
    RanConfig {
        average: cell.average.0.ratio(carrier.slot).max(1.0),
        per_slot: cell.per_slot.0,
        harq,
        adaptation: Adaptation {
            target: link.outer_loop.then_some(target),
            step: link.step.0.count(),
            limit: link.limit.0.count(),
            cqi_period: link.cqi_period.map_or(standard.adaptation.cqi_period, |period| period.0),
            cqi_delay: link.cqi_delay.map_or(standard.adaptation.cqi_delay, |delay| delay.0),
            first_cqi: first_cqi as u8,
        },
        uplink: Uplink {
            sr_period: sr_period(cell.uplink.sr_period.0, carrier, at, problems),
            min_k2,
            first_grant: cell.uplink.first_grant.0.count(),
            prescheduling: cell.uplink.prescheduling.0,
        },
        rlc: Rlc {
            mode: rlc.mode.of_sim(),
            reassembly: rlc.reassembly.map_or(standard.rlc.reassembly, |timer| timer.0),
            poll_retransmit: rlc.poll_retransmit.map_or(standard.rlc.poll_retransmit, |timer| timer.0),
            poll_packets: rlc.poll_packets.map_or(standard.rlc.poll_packets, |count| u64::from(count.0)),
            status_prohibit: rlc.status_prohibit.map_or(standard.rlc.status_prohibit, |timer| timer.0),
            max_retransmissions: rlc.max_retransmissions.map_or(standard.rlc.max_retransmissions, |count| count.0),
            window: match rlc.mode.of_sim() {
                RlcMode::Unacknowledged => None,
                RlcMode::Acknowledged => rlc.window.map_or(standard.rlc.window, |window| Some(u64::from(window.0))),
            },
            headers: standard.rlc.headers,
        },
        pdcp: Pdcp {
            reordering: cell.pdcp.reordering.map_or(standard.pdcp.reordering, |timer| Some(timer.0)),
            discard: cell.pdcp.discard.map(|age| age.0),
        },
        drx: cycles(&cell.drx.0, carrier, at, problems),
        ..standard
    }
}

/// Refuses keys of acknowledged mode where nothing is acknowledged.
fn check_mode(cell: &RanCell, at: usize, problems: &mut Problems) {
    let rlc = &cell.rlc;
    let has_bearers = cell.station.iter().any(|station| !station.bearer.is_empty());
    if rlc.mode.of_sim() != RlcMode::Unacknowledged || has_bearers {
        return;
    }
    for (key, is_given) in [
        ("poll_retransmit", rlc.poll_retransmit.is_some()),
        ("poll_packets", rlc.poll_packets.is_some()),
        ("status_prohibit", rlc.status_prohibit.is_some()),
        ("max_retransmissions", rlc.max_retransmissions.is_some()),
        ("window", rlc.window.is_some()),
    ] {
        if is_given {
            let hint = Some("mode = \"am\", or leave it out".to_owned());
            problems.add(path(at, ["rlc", key]), format!("`{key}` is for acknowledged mode"), hint);
        }
    }
}

/// Refuses keys of the outer loop where it is off.
fn check_outer_loop(cell: &RanCell, at: usize, problems: &mut Problems) {
    let (given, default) = (&cell.adaptation, AdaptationTable::default());
    if given.outer_loop {
        return;
    }
    for (key, is_given) in [
        ("target", given.target != default.target),
        ("step", given.step != default.step),
        ("limit", given.limit != default.limit),
    ] {
        if is_given {
            let hint = Some("outer_loop = true, or leave it out".to_owned());
            problems.add(path(at, ["adaptation", key]), format!("`{key}` is for the outer loop, which is off"), hint);
        }
    }
}

/// Refuses what the scheduler does not look at.
fn check_rule(cell: &RanCell, at: usize, problems: &mut Problems) {
    let rule = &cell.scheduler.0;
    for (index, station) in cell.station.iter().enumerate() {
        let given = [station.deadline != deadline(), station.violation != violation()];
        refuse_urgency(rule, given, (at, index), problems);
    }
}

/// Period of scheduling requests in slots: a multiple of the pattern.
fn sr_period(period: Duration, carrier: &Carrier, at: usize, problems: &mut Problems) -> u64 {
    let pattern = Duration::from_nanos(carrier.slot.as_nanos() * carrier.pattern.period());
    if !period.as_nanos().is_multiple_of(pattern.as_nanos()) {
        let message = format!("{period} is not a multiple of the pattern of slots, {pattern}");
        problems.add(path(at, ["uplink", "sr_period"]), message, None);
    }
    (period.as_nanos() / carrier.slot.as_nanos()).max(1)
}

/// Cycles of discontinuous reception in slots; reports problems.
fn cycles(drx: &Drx, carrier: &Carrier, at: usize, problems: &mut Problems) -> Option<Cycles> {
    let slots = |time: Duration| time.as_nanos().div_ceil(carrier.slot.as_nanos());
    let ms = |count| slots(Duration::from_millis(count));
    match drx {
        Drx::AlwaysAwake(_) => None,
        Drx::PhoneCycles(_) => {
            Some(Cycles { on: ms(10), inactivity: ms(200), short: Some((ms(40), 4)), long: ms(320) })
        }
        Drx::OwnCycles(cycles) => {
            let short = cycles.short.map(|short| short.0);
            let shortest = short.unwrap_or(cycles.long.0);
            if cycles.on.0 > shortest || shortest > cycles.long.0 {
                let message = format!(
                    "on for {} in cycles of {} and {}: the on-duration must fit into a cycle, and the short cycle into the \
                     long one",
                    cycles.on.0, shortest, cycles.long.0
                );
                problems.add(path(at, ["drx"]), message, None);
            }
            Some(Cycles {
                on: slots(cycles.on.0),
                inactivity: slots(cycles.inactivity.0),
                short: short.map(|short| (slots(short), u64::from(cycles.short_cycles.0))),
                long: slots(cycles.long.0),
            })
        }
    }
}

/// Stations, each with its node and the ends of its two links.
#[derive(Default)]
struct Stations {
    configs: Vec<StationConfig>,
    bearers: Vec<BearerConfig>,
    ends: Vec<(NodeId, NodeId)>,
    nodes: Vec<NodeId>,
}

/// The stations; `None`, and a report, if there are too many.
fn stations(
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

/// Gives cells with bearers the code points of flows and sources; reports bearers that no packet has.
pub(super) fn sort_packets(
    cells: &[AnyCell],
    media: &mut [MediumConfig],
    (flows, sources): (&[[u8; 2]], &[u8]),
    problems: &mut Problems,
) {
    // A bearer without packets is refused: most likely a code point is mistyped.
    let used = flows.iter().flatten().chain(sources).fold(0_u64, |used, dscp| used | 1 << dscp);
    for (at, cell) in cells.iter().enumerate() {
        let AnyCell::Ran(cell) = cell else { continue };
        for (index, station) in cell.station.iter().enumerate() {
            for (number, bearer) in
                station.bearer.iter().enumerate().filter(|(_, bearer)| used >> bearer.dscp.0 & 1 == 0)
            {
                let keys =
                    ["station".into(), Segment::Index(index), "bearer".into(), Segment::Index(number), "dscp".into()];
                let message = format!("no flow, background source or application has the code point {}", bearer.dscp.0);
                let hint = Some("`dscp` or `ack_dscp` of a flow, `dscp` of an application".to_owned());
                problems.add(place("cell", at, keys), message, hint);
            }
        }
    }
    for medium in media {
        if let MediumConfig::Ran(cell) = medium
            && !cell.bearers.is_empty()
        {
            (cell.flows, cell.sources) = (flows.to_vec(), sources.to_vec());
        }
    }
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

/// Sites and handover of a cell in which a station has a place; there are `before` sites of other cells. Reports
/// problems.
fn geometry(cell: &RanCell, at: usize, before: usize, problems: &mut Problems) -> Option<Geometry> {
    if !cell.station.iter().any(|station| station.at.is_some() || station.layout.is_some()) {
        let given = [
            ("site", !cell.site.is_empty()),
            ("handover", cell.handover != HandoverTable::default()),
            ("propagation", cell.propagation != Propagation::default()),
            ("shadowing", !cell.shadowing),
            ("line_of_sight", cell.line_of_sight.is_some()),
            ("station_power", cell.station_power != station_power()),
        ];
        for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            let hint = "at = [\"50 m\", \"200 m\"] of a station instead of its `snr`".to_owned();
            let message = format!("`{key}` is for stations that have a place, and none has");
            problems.add(path(at, [key]), message, Some(hint));
        }
        return None;
    }
    let table = &cell.handover;
    let filter = table.filter.0;
    if !(0.0..=19.0).contains(&filter) {
        problems.add(path(at, ["handover", "filter"]), format!("{filter} is out of range; allowed: 0 to 19"), None);
    }
    if table.hysteresis.0.count() < 0.0 {
        let message = format!("{} dB is out of range; allowed: 0 dB or more", table.hysteresis.0.count());
        problems.add(path(at, ["handover", "hysteresis"]), message, None);
    }
    let mut names = BTreeSet::new();
    for (index, site) in cell.site.iter().enumerate() {
        if !names.insert(&site.name.0) {
            let path = place("cell", at, ["site".into(), Segment::Index(index), "name".into()]);
            let message = format!("duplicate name `{}`: another site already has it", site.name.0);
            problems.add(path, message, Some("choose another `name`".to_owned()));
        }
    }
    let site = |(index, name, place, power): (usize, &str, _, f64)| Site {
        name: name.to_owned(),
        number: (before + index) as u32,
        key: key("site", &format!("{}/{name}", cell.name.0)),
        place,
        power,
    };
    let of_table = |(index, of): (usize, &RanSite)| site((index, &of.name.0, position(&of.at), of.power.0.as_dbm()));
    let sites = match cell.site.is_empty() {
        true => vec![site((0, &cell.name.0, (0.0, 0.0), SITE_POWER))],
        false => cell.site.iter().enumerate().map(of_table).collect(),
    };
    Some(Geometry {
        environment: cell.propagation.of_sim(),
        frequency: frequency(cell),
        has_shadowing: cell.shadowing,
        line_of_sight: cell.line_of_sight,
        station_power: cell.station_power.0.as_dbm(),
        sites,
        handover: Handover {
            offset: table.offset.0.count(),
            hysteresis: table.hysteresis.0.count(),
            time_to_trigger: table.time_to_trigger.0,
            sample: table.measurement_period.0,
            filter,
            preparation: table.preparation.0,
            interruption: table.interruption.0,
            forwarding: table.forwarding.then_some(table.forwarding_delay.0),
            reestablishment: table.reestablishment.0,
            ..Handover::standard()
        },
    })
}

/// Carrier frequency of a cell, in hertz.
fn frequency(cell: &RanCell) -> f64 {
    cell.frequency.map_or_else(|| band(cell), |frequency| frequency.0.as_hertz())
}

/// Carrier frequency of a preset's band, in hertz.
fn band(cell: &RanCell) -> f64 {
    if cell.preset.name().starts_with("n78") { 3.5e9 } else { 2.1e9 }
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
