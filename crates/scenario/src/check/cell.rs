//! Cells, expanded into stations, each a one-way link.

use super::cell_parts::{
    access_point, check_not_empty, check_queue, fading_model, in_bytes, queue_of_station, refuse_average,
    refuse_urgency, scheduler, urgency,
};
use super::common::{MAX_LINKS, Names, check_least, given_of, is_within_limit, place, ratio};
use super::key::key;
use super::link::Links;
use super::nodes::Nodes;
use super::ran;
use crate::format::cell::{
    Amc, Average as AverageTable, Cell, Direction, Mode, Station, deadline, one_in_a_hundred, violation,
};
use crate::format::{AnyCell, Buffer, Named, Positive};
use crate::names::LinkName;
use crate::path::Segment;
use crate::problems::Problems;
use crate::python::PythonClass;
use std::sync::Arc;
use windward_sim as sim;
use windward_sim::cell::amc::{Errors, Table};
use windward_sim::cell::{Average, CellConfig, Repair, SchedulerConfig, StationConfig};
use windward_sim::{MediumConfig, NodeId};
use windward_units::{Bytes, Duration};

/// Adds all cells, whose stations are links too, and schedulers in Python to `classes`. Reports problems.
pub(crate) fn expand(
    cells: &[AnyCell],
    nodes: &Nodes,
    span: Duration,
    links: &mut Links,
    classes: &mut Vec<PythonClass>,
    problems: &mut Problems,
) {
    let mut names = Names::new("cell");
    let mut taken = Names::new("link");
    taken.taken.extend(links.names.iter().map(|name| name.name.clone()));
    for (at, cell) in cells.iter().enumerate() {
        let cell = match cell {
            AnyCell::Slotted(cell) => cell,
            AnyCell::Ran(cell) => {
                names.take(&cell.name.0, at, problems);
                ran::expand(cell, at, (nodes, span), links, classes, problems);
                continue;
            }
        };
        names.take(&cell.name.0, at, problems);
        // Both are checked, so that all problems are reported.
        let (config, scheduler) =
            (config(cell, at, nodes, links, problems), scheduler(&cell.scheduler.0, at, classes, problems));
        if let (Some((config, stations)), Some(scheduler)) = (config, scheduler) {
            for (station, node) in (0..).zip(stations.nodes) {
                links.in_cells.entry(node).or_default().push((links.topology.media.len(), station));
            }
            let medium = MediumConfig::Cell(CellConfig { scheduler, stations: stations.configs, ..config });
            let first = links.topology.add_medium(medium, stations.ends);
            size_buffers(&mut links.topology, first);
        }
    }
}

/// Turns the buffers in time of the newest medium, a cell whose ports begin at `first`, into bytes.
fn size_buffers(topology: &mut sim::Topology, first: u32) {
    let count = topology.media.last().map_or(0, MediumConfig::members);
    let rates: Vec<f64> = (first..).take(count).map(|port| topology.mean_rate(port)).collect();
    if let Some(MediumConfig::Cell(cell)) = topology.media.last_mut() {
        for (station, rate) in cell.stations.iter_mut().zip(rates) {
            station.buffer = in_bytes(station.buffer, rate, count);
        }
    }
}

/// The stations of a cell, each with the ends of its link and its node.
#[derive(Default)]
struct Stations {
    configs: Vec<StationConfig>,
    ends: Vec<(NodeId, NodeId)>,
    nodes: Vec<NodeId>,
}

/// A cell without its scheduler, and its stations.
fn config(
    cell: &Cell,
    at: usize,
    nodes: &Nodes,
    links: &mut Links,
    problems: &mut Problems,
) -> Option<(CellConfig, Stations)> {
    let center = nodes.find(&cell.access_point, place("cell", at, ["access_point".into()]), problems);
    let table = Arc::new(table(&cell.amc.0, at, problems)?);
    check_shared(cell, at, problems);
    if cell.repair.is_some() && table.modes().iter().all(|mode| mode.errors.is_none()) {
        let message = "`repair` has no effect: the modes of `amc` have no error rates, so every packet is decoded";
        let hint = "amc = \"convolutional\", or modes with `a` and `g`, or leave it out".to_owned();
        problems.add(place("cell", at, ["repair".into()]), message, Some(hint));
    }
    let center = access_point(center?, &cell.access_point, at, problems)?;
    let stations = stations(cell, at, center, &table, nodes, links, problems)?;
    let config = CellConfig {
        slot: cell.slot.0,
        symbol_rate: cell.symbol_rate.0.as_per_sec(),
        table,
        repair: cell.repair.as_ref().map(|repair| Repair { max_transmissions: repair.transmissions.0 }),
        scheduler: SchedulerConfig::QueueingDelay,
        service: cell.service.of_sim(),
        average: Average {
            slots: cell.average.slots.0,
            start: cell.average.start.0.as_bits_per_sec() as f64,
            is_held_when_empty: cell.average.held_when_empty,
        },
        shared_buffer: match cell.shared_buffer {
            Some(Buffer(sim::Buffer::Packets(most))) => Some(most),
            _ => None,
        },
        stations: Vec::new(),
        changes: Vec::new(),
    };
    Some((config, stations))
}

/// Shortest slot: a symbol of NR at a subcarrier spacing of 120 kHz lasts 9 µs.
const LEAST_SLOT: Duration = Duration::from_micros(1);

/// Checks the values that all stations of a cell share; reports problems.
fn check_shared(cell: &Cell, at: usize, problems: &mut Problems) {
    let path = |key: &'static str| place("cell", at, [key.into()]);
    check_not_empty(cell.station.len(), at, problems);
    check_least(cell.slot.0, LEAST_SLOT, path("slot"), problems);
    if !matches!(cell.shared_buffer, None | Some(Buffer(sim::Buffer::Unlimited | sim::Buffer::Packets(_)))) {
        problems.add(path("shared_buffer"), "a shared buffer is given in packets", None);
    }
    if cell.average.slots.0 < 1.0 {
        let message = format!("the averaging window must be at least 1 slot, not {}", cell.average.slots.0);
        problems.add(place("cell", at, ["average".into(), "slots".into()]), message, None);
    }
    refuse_average(&cell.scheduler.0, cell.average != AverageTable::default(), at, problems);
    check_queue(cell.queue.as_ref(), at, problems);
}

/// The stations, which become links; `None`, and a report, if there are too many.
fn stations(
    cell: &Cell,
    at: usize,
    center: NodeId,
    table: &Table,
    nodes: &Nodes,
    links: &mut Links,
    problems: &mut Problems,
) -> Option<Stations> {
    let mut found = Stations::default();
    for (index, station) in cell.station.iter().enumerate() {
        let path = || place("cell", at, ["station".into(), Segment::Index(index), "node".into()]);
        let Some(end) = nodes.find(&station.node, path(), problems) else { continue };
        let Some(config) = station_config(cell, station, table, at, index, problems) else { continue };
        let members = end.group().unwrap_or(1);
        if !is_within_limit("link", links.names.len() as u64 + u64::from(members), MAX_LINKS, at, problems) {
            return None;
        }
        for node in (0..members).map(|member| end.member(member)) {
            let ends = match cell.direction {
                Direction::Downlink => (center, node),
                Direction::Uplink => (node, center),
            };
            let [from, to] = [ends.0, ends.1].map(|node| nodes.names[node as usize].clone());
            if from == to {
                problems.add(path(), format!("`{from}` is the access point itself"), None);
                continue;
            }
            if links.between.insert(ends, links.names.len() as u32).is_some() {
                problems.add(path(), format!("there is already a link from `{from}` to `{to}`"), None);
                continue;
            }
            let name = format!("{from}->{to}");
            found.configs.push(StationConfig { key: key("link", &name), ..config.clone() });
            found.ends.push(ends);
            found.nodes.push(node);
            links.names.push(LinkName { name, from, to });
        }
    }
    Some(found)
}

fn station_config(
    cell: &Cell,
    station: &Station,
    table: &Table,
    at: usize,
    index: usize,
    problems: &mut Problems,
) -> Option<StationConfig> {
    let inside = |key: &'static str| place("cell", at, ["station".into(), Segment::Index(index), key.into()]);
    let queues = (station.queue.as_ref(), cell.queue.as_ref());
    let (buffer, queue) = queue_of_station((station.buffer, cell.buffer), queues, inside, problems);
    let given = [station.deadline != deadline(), station.violation != violation()];
    refuse_urgency(&cell.scheduler.0, given, (at, index), problems);
    let urgency = urgency(station.violation, station.deadline, inside("violation"), problems);
    let mean_snr = ratio(station.snr.0);
    let Named(fading) = station.fading.as_ref().unwrap_or(&cell.fading);
    let fading = fading_model(fading)?;
    if let Err(why) = fading.check(mean_snr, cell.slot.0, table) {
        let path = if station.fading.is_some() { inside("fading") } else { place("cell", at, ["fading".into()]) };
        problems.add_refusal(path, &why.to_string());
        return None;
    }
    Some(StationConfig {
        key: 0,
        mean_snr,
        fading,
        delay: station.delay.unwrap_or(cell.delay).0,
        buffer,
        queue,
        urgency,
    })
}

fn table(amc: &Amc, at: usize, problems: &mut Problems) -> Option<Table> {
    let path = |key: &'static str| place("cell", at, ["amc".into(), key.into()]);
    match amc {
        Amc::Ctc(_) => Some(Table::ctc_802_16e()),
        Amc::Convolutional(amc) => {
            let target = amc.target_error.0;
            if !matches!(amc.modes.0, 5 | 6) {
                problems.add(path("modes"), format!("`modes` is 5 or 6, not {}", amc.modes.0), None);
            } else if target <= 0.0 || target >= 1.0 {
                problems.add(
                    path("target_error"),
                    format!("{target} is out of range; allowed: above 0 and below 1"),
                    None,
                );
            } else {
                return Some(Table::convolutional(amc.modes.0 == 6, target));
            }
            None
        }
        Amc::Shannon(amc) => {
            let most = amc.max_efficiency.map_or(f64::INFINITY, |most| most.0);
            if most <= 0.0 {
                problems.add(path("max_efficiency"), format!("{most} is out of range; allowed: above 0"), None);
                return None;
            }
            Some(Table::shannon(ratio(amc.gap.0), most))
        }
        Amc::Modes(amc) => {
            let target = amc.target_error.0;
            if target <= 0.0 || target >= 1.0 {
                problems.add(
                    path("target_error"),
                    format!("{target} is out of range; allowed: above 0 and below 1"),
                    None,
                );
                return None;
            }
            let given = [
                (
                    "target_error",
                    amc.target_error != one_in_a_hundred() && amc.modes.iter().all(|mode| mode.snr.is_some()),
                ),
                ("packet", amc.packet.is_some() && amc.modes.iter().all(|mode| mode.a.is_none() && mode.g.is_none())),
            ];
            for key in given_of(given) {
                let of = if key == "packet" { "modes with `a` and `g`" } else { "modes without `snr`" };
                let message = format!("`{key}` has no effect: it is for {of}, and there are none");
                problems.add(path(key), message, Some("leave it out".to_owned()));
            }
            let mut modes = Vec::new();
            for (index, given) in amc.modes.iter().enumerate() {
                match mode(given, amc.packet, target) {
                    Ok(mode) => modes.push(mode),
                    Err(why) => {
                        let inside = [path("modes"), vec![Segment::Index(index)]].concat();
                        problems.add(inside, why, None);
                        return None;
                    }
                }
            }
            match Table::of_modes(modes) {
                Ok(table) => Some(table),
                Err(error) => {
                    problems.add(path("modes"), error.to_string(), None);
                    None
                }
            }
        }
    }
}

/// A user-defined mode, or the reason why it is invalid.
fn mode(mode: &Mode, packet: Option<Positive<Bytes>>, target: f64) -> Result<sim::cell::amc::Mode, &'static str> {
    let errors = match (mode.a, mode.g, packet) {
        (None, None, _) => None,
        (Some(a), Some(g), Some(packet)) => Some(Errors { a: a.0, g: g.0, packet_bits: packet.0.count() as f64 * 8.0 }),
        _ => return Err("`a` and `g` must be given together, and need the `packet` of the table"),
    };
    let threshold = match (mode.snr, errors) {
        (Some(snr), _) => ratio(snr.0),
        (None, Some(errors)) => errors.threshold(target),
        (None, None) => return Err("a mode needs `snr`, or `a` and `g`"),
    };
    Ok(sim::cell::amc::Mode { efficiency: mode.efficiency.0, threshold, errors })
}
