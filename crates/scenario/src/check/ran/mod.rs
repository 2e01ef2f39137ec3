//! Cells of LTE and NR, expanded into stations, each a link in both directions.

mod keys;
mod sites;
mod stations;

use self::keys::path;
use self::sites::geometry;
use self::stations::stations;
use super::cell_parts::{
    access_point, check_not_empty, check_queue, in_bytes, refuse_average, refuse_urgency, scheduler,
};
use super::common::{place, ratio};
use super::link::Links;
use super::nodes::Nodes;
use crate::format::AnyCell;
use crate::format::cell::{Scheduler, deadline, violation};
use crate::format::ran::{AdaptationTable, Drx, McsTable, RanCell, RanStation, Technology, tenth};
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use windward_sim::ran::phy::{Carrier, Pattern, SlotKind, Special, carrier};
use windward_sim::ran::{Adaptation, Drx as Cycles, Harq, Pdcp, RanConfig, Rlc, RlcMode, Uplink};
use windward_sim::{MediumConfig, Topology};
use windward_units::{Decibels, Duration};

/// Least ratio at which the buffer of a moving station is sized.
const ON_THE_WAY: Decibels = Decibels::new(15.0);

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
    check_radio(cell, at, problems);
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
    if cell.delay_spread.is_some() && found.configs.iter().all(|station| station.delay_spread == 0.0) {
        let message = "a delay spread is of Rayleigh fading, which no station has";
        let hint = "give the stations a `speed`, or fading = \"jakes\", or leave it out".to_owned();
        problems.add(path(at, ["delay_spread"]), message, Some(hint));
    }
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
    refuse_average(rule, cell.average != tenth(), at, problems);
    for (index, station) in cell.station.iter().enumerate() {
        let given = [station.deadline != deadline(), station.violation != violation()];
        refuse_urgency(rule, given, (at, index), problems);
    }
}

/// Refuses keys that no station and no layer of the technology uses.
fn check_radio(cell: &RanCell, at: usize, problems: &mut Problems) {
    let has_doppler =
        |station: &RanStation| station.speed.is_some() || station.at.is_some() || station.layout.is_some();
    if cell.frequency.is_some() && !cell.station.iter().any(has_doppler) {
        let message = "`frequency` has no effect: it gives the Doppler frequency of a `speed` and the loss to a place";
        let hint = "speed = \"3 km/h\" of a station, or leave it out".to_owned();
        problems.add(path(at, ["frequency"]), message, Some(hint));
    }
    if cell.technology == Technology::Lte && cell.pdcp.reordering.is_some() {
        let message = "`reordering` is for NR: RLC of LTE delivers in order";
        problems.add(
            path(at, ["pdcp", "reordering"]),
            message,
            Some("`reassembly` of `rlc`, or leave it out".to_owned()),
        );
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
