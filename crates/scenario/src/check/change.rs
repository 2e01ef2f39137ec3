//! Changes during the run: names resolved, steps in order of time, each assigned to its link or station.

use super::common::{REPEATED, place, ratio};
use super::link::{Links, NOTHING_TO_REORDER, changed, delay_of, rate_of};
use super::nodes::Nodes;
use crate::format::{Change, Drop, Name, Recording, Values};
use crate::path::Segment;
use crate::problems::Problems;
use crate::suggest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use windward_sim as sim;
use windward_sim::cell::MeanChange;
use windward_sim::wifi::Position;
use windward_sim::{LinkChange, LinkStep, MediumConfig, NodeId, PortKind};
use windward_units::{Duration, Time};

/// Jumps of Wi-Fi stations, by node: time, position, and index of the table.
pub(crate) type Jumps = BTreeMap<NodeId, Vec<(Time, Position, usize)>>;

/// Maximum number of steps that a period makes.
const MOST_STEPS: u64 = 1_000_000;

/// A table of changes, its steps in order of time.
pub(crate) struct PlannedChange<'a> {
    change: &'a Change,
    /// Index of the table.
    index: usize,
    steps: Vec<Step<'a>>,
}

/// Plans all tables, before links and stations are known; reports problems of their steps.
pub(crate) fn plan<'a>(changes: &'a [Change], span: Duration, problems: &mut Problems) -> Vec<PlannedChange<'a>> {
    let planned = |(index, change)| PlannedChange { change, index, steps: steps(change, index, span, problems) };
    changes.iter().enumerate().map(planned).collect()
}

/// A step of a change.
#[derive(Clone)]
struct Step<'a> {
    at: Time,
    values: Values<'a>,
    path: Vec<Segment>,
}

impl Step<'_> {
    /// Path of one of its values.
    fn of(&self, key: &str) -> Vec<Segment> {
        self.path.iter().cloned().chain([key.into()]).collect()
    }
}

/// The steps of a table, in order of time; reports problems.
fn steps<'a>(change: &'a Change, index: usize, span: Duration, problems: &mut Problems) -> Vec<Step<'a>> {
    let here = || place("change", index, []);
    let own = change.values();
    if change.until.is_some() && change.every.is_none() {
        let message = "`until` ends a repetition, which needs `every`";
        problems.add(place("change", index, ["until".into()]), message, None);
    }
    if let (Some(_), None) = (change.every, &change.steps) {
        let message = "`every` repeats `steps`, of which there are none";
        problems.add(place("change", index, ["every".into()]), message, None);
    }
    let found: Vec<Step<'a>> = match (&change.at, &change.steps) {
        (Some(at), None) => vec![Step { at: Time::ZERO + at.0, values: own, path: here() }],
        (None, Some(Recording::Values(steps))) => {
            if let Some(key) = own.given().next() {
                let message = format!("with `steps`, `{key}` belongs to a step");
                problems.add(place("change", index, [key.into()]), message, None);
            }
            let step = |(number, step): (usize, &'a crate::format::Step)| Step {
                at: Time::ZERO + step.at.0,
                values: step.values(),
                path: place("change", index, ["steps".into(), Segment::Index(number)]),
            };
            repeated(steps.iter().enumerate().map(step).collect(), change, index, span, problems)
        }
        // It could not be read.
        (None, Some(Recording::File(_))) => return Vec::new(),
        (Some(_), Some(_)) => {
            let message = "a change has `at` or `steps`, not both";
            problems.add(place("change", index, ["steps".into()]), message, None);
            return Vec::new();
        }
        (None, None) => {
            let hint = Some("at = \"30 s\", or `steps` for several changes".to_owned());
            problems.add(here(), "the change has no time", hint);
            return Vec::new();
        }
    };
    if found.is_empty() {
        problems.add(place("change", index, ["steps".into()]), "there is no step", None);
    }
    for (number, step) in found.iter().enumerate() {
        if step.at >= Time::ZERO + span {
            let message = format!("`at` ({}) must be before the end of the run ({span})", step.at.since(Time::ZERO));
            problems.add(step.of("at"), message, None);
        }
        if number > 0 && found[number - 1].at >= step.at {
            let message = format!("{} is not after the time of the step before", step.at.since(Time::ZERO));
            problems.add(step.of("at"), message, None);
        }
        if step.values.given().next().is_none() {
            let hint = change.link.as_ref().map_or(Values::OF_STATIONS, |_| Values::OF_LINKS).join(", ");
            problems.add(step.path.clone(), "nothing changes", Some(format!("give one of: {hint}")));
        }
        if step.values.drop.is_some_and(|drop| drop != Drop::Nothing) && step.values.up != Some(false) {
            problems.add(
                step.of("drop"),
                "`drop` says what is lost when a link goes down",
                Some("up = false".to_owned()),
            );
        }
    }
    found
}

/// The steps, and their repetitions until the end of the run; reports periods that cannot be.
fn repeated<'a>(
    mut steps: Vec<Step<'a>>,
    change: &Change,
    index: usize,
    span: Duration,
    problems: &mut Problems,
) -> Vec<Step<'a>> {
    let (Some(every), Some(first), Some(last)) = (change.every, steps.first(), steps.last()) else { return steps };
    let path = || place("change", index, ["every".into()]);
    let (every, first, length) = (every.0, first.at, last.at.since(first.at));
    let span = if span == Duration::MAX { REPEATED } else { span };
    if length >= every {
        let message = format!("the steps take {length}, which is not less than the period of {every}");
        problems.add(path(), message, None);
        return steps;
    }
    // The first repetition is the list itself.
    let until = change.until.map_or(span, |until| until.0.min(span));
    let left = until.as_nanos().saturating_sub(1).saturating_sub(first.as_nanos()) / every.as_nanos();
    let each = steps.len() as u64;
    if each.saturating_mul(left) > MOST_STEPS {
        let message =
            format!("the period makes {} steps; at most {MOST_STEPS} are allowed", each.saturating_mul(left + 1));
        problems.add(path(), message, None);
        return steps;
    }
    let once = steps.clone();
    for time in 1..=left {
        let later = Duration::from_nanos(time * every.as_nanos());
        let shifted = once.iter().map(|step| Step { at: step.at + later, ..step.clone() });
        // The last period may be cut short by the end of the run.
        steps.extend(shifted.filter(|step| step.at < Time::ZERO + span));
    }
    steps
}

/// The steps that give only values of their kind of target; reports others.
fn only<'a, 'b>(steps: &'b [Step<'a>], allowed: &[&str], what: &str, problems: &mut Problems) -> Vec<&'b Step<'a>> {
    let mut has_only = |step: &&Step<'_>| {
        let others: Vec<&str> = step.values.given().filter(|name| !allowed.contains(name)).collect();
        for name in &others {
            let hint = Some(format!("{what} can change: {}", allowed.join(", ")));
            problems.add(step.of(name), format!("{what} has no `{name}`"), hint);
        }
        others.is_empty()
    };
    steps.iter().filter(|step| has_only(step)).collect()
}

/// Jumps of stations. [`apply`] reports other problems of changes.
pub(crate) fn jumps(changes: &[PlannedChange<'_>], nodes: &Nodes) -> Jumps {
    let mut jumps = Jumps::new();
    for &PlannedChange { change, index, ref steps } in changes {
        let Some(end) = change.station.as_ref().and_then(|name| nodes.known(name)) else { continue };
        for step in steps {
            let Some(place) = step.values.position else { continue };
            jumps.entry(end.member(0)).or_default().push((step.at, place, index));
        }
    }
    jumps.values_mut().for_each(|jumps| jumps.sort_by_key(|(at, ..)| *at));
    jumps
}

/// Assigns all changes to their links and stations; reports problems.
pub(crate) fn apply(changes: &[PlannedChange<'_>], nodes: &Nodes, links: &mut Links, problems: &mut Problems) {
    let mut of_links: BTreeMap<u32, Vec<LinkStep>> = BTreeMap::new();
    // Changed links and stations, each at most once per time.
    let mut seen: BTreeSet<(bool, u32, Time)> = BTreeSet::new();
    for &PlannedChange { change, index, ref steps } in changes {
        let mut is_first = |is_link: bool, who: u32, name: &str, step: &Step<'_>, problems: &mut Problems| {
            // Two changes at one time have no order: one of them would win unnoticed.
            let is_first = seen.insert((is_link, who, step.at));
            if !is_first {
                let message = format!("`{name}` already changes at {}", step.at.since(Time::ZERO));
                problems.add(step.of("at"), message, Some("put all of it into one table".to_owned()));
            }
            is_first
        };
        match (&change.link, &change.station) {
            (Some(name), None) => {
                let Some(found) = find(name, index, links, problems) else { continue };
                let steps = only(steps, Values::OF_LINKS, "a link", problems);
                for link in found {
                    let name = links.names[link as usize].name.clone();
                    for step in &steps {
                        if is_first(true, link, &name, step, problems)
                            && let Some(change) = link_change(step, link, links, problems)
                        {
                            of_links.entry(link).or_default().push(LinkStep { at: step.at, change });
                        }
                    }
                }
            }
            (None, Some(name)) => {
                let path = place("change", index, ["station".into()]);
                let Some(end) = nodes.find(name, path.clone(), problems) else { continue };
                let steps = only(steps, Values::OF_STATIONS, "a station", problems);
                for node in (0..end.group().unwrap_or(1)).map(|member| end.member(member)) {
                    let name = nodes.names[node as usize].clone();
                    for step in &steps {
                        if is_first(false, node, &name, step, problems) {
                            station_change(step, node, &name, end.group().is_some(), &path, links, problems);
                        }
                    }
                }
            }
            (Some(_), Some(_)) => {
                let message = "a change is of a `link` or of a `station`, not of both";
                problems.add(place("change", index, ["station".into()]), message, None);
            }
            (None, None) => {
                let hint = Some("name a `link` or a `station`".to_owned());
                problems.add(place("change", index, []), "the change does not say of what", hint);
            }
        }
    }
    for (link, mut steps) in of_links {
        steps.sort_by_key(|step| step.at);
        // Only links are found by name.
        if let PortKind::Link(config) = &mut Arc::make_mut(&mut links.topology.ports)[link as usize].kind {
            config.steps = steps.into();
        }
    }
    for medium in &mut links.topology.media {
        if let Some(changes) = mean_changes(medium) {
            changes.sort_by_key(|change| change.at);
        }
    }
}

/// Changes of the stations' mean ratios, in a medium that has these.
fn mean_changes(medium: &mut MediumConfig) -> Option<&mut Vec<MeanChange>> {
    match medium {
        MediumConfig::Cell(cell) => Some(&mut cell.changes),
        MediumConfig::Ran(cell) => Some(&mut cell.changes),
        MediumConfig::Wifi(_) | MediumConfig::Edca(_) | MediumConfig::Csma(_) | MediumConfig::Slotted(_) => None,
    }
}

fn is_wifi(medium: &MediumConfig) -> bool {
    matches!(medium, MediumConfig::Wifi(_) | MediumConfig::Edca(_))
}

fn is_cell(medium: &MediumConfig) -> bool {
    matches!(medium, MediumConfig::Cell(_) | MediumConfig::Ran(_))
}

/// The links of a name, or of a group; reports other names.
fn find(Name(name): &Name, index: usize, links: &Links, problems: &mut Problems) -> Option<Vec<u32>> {
    let path = || place("change", index, ["link".into()]);
    if let Some(group) = links.groups.get(name) {
        return Some(group.clone());
    }
    if let Some(link) = links.names.iter().position(|link| link.name == *name) {
        if !links.is_station(link as u32) {
            return Some(vec![link as u32]);
        }
        let hint = match (links.topology.media.iter().any(is_wifi), links.topology.media.iter().any(is_cell)) {
            (true, false) => "change the `position` of its `station`",
            (false, true) => "change the `snr` of its `station`",
            _ => "change its `station`: the `snr` of a cell's, the `position` of one of Wi-Fi",
        };
        problems.add(path(), format!("`{name}` is the way of a station, not a link"), Some(hint.to_owned()));
        return None;
    }
    let wires = || (0..).zip(&links.names).filter(|(at, _)| !links.is_station(*at)).map(|(_, link)| link.name.as_str());
    let nearest = suggest::nearest(name, wires().chain(links.groups.keys().map(String::as_str)));
    const SHOWN: usize = 12;
    let list = wires().take(SHOWN).collect::<Vec<_>>().join(", ");
    let list = match wires().count() {
        0 => "there are no links".to_owned(),
        1..=SHOWN => format!("links: {list}"),
        more => format!("links: {list} and {} more", more - SHOWN),
    };
    problems.add(path(), format!("unknown link `{name}`; {list}"), nearest.map(suggest::did_you_mean));
    None
}

fn link_change(step: &Step<'_>, link: u32, links: &Links, problems: &mut Problems) -> Option<LinkChange> {
    let values = step.values;
    let has_no_rate = links.shared.iter().any(|(shared, _)| *shared == link);
    if has_no_rate && values.rate.is_some() {
        let message = "a link of a [[region]] has no rate of its own";
        problems.add(step.of("rate"), message, None);
        return None;
    }
    if has_no_rate && values.buffer.is_some_and(|buffer| matches!(buffer.0, sim::Buffer::Time(_))) {
        let message = "the buffer of a link without a rate is given in packets or bytes";
        problems.add(step.of("buffer"), message, None);
        return None;
    }
    if has_no_rate && values.reorder.is_some() {
        problems.add(step.of("reorder"), NOTHING_TO_REORDER, None);
        return None;
    }
    let rate = match values.rate {
        None => None,
        Some(rate) => Some(rate_of(rate, &step.of("rate"), problems)?),
    };
    let delay = match values.delay {
        None => None,
        Some(delay) => Some(delay_of(delay, &step.of("delay"), problems)?),
    };
    Some(LinkChange { rate, delay, ..changed(values) })
}

/// Adds the change of a station of cells; those of Wi-Fi stations are among the [`jumps`].
fn station_change(
    step: &Step<'_>,
    node: NodeId,
    name: &str,
    is_group: bool,
    path: &[Segment],
    links: &mut Links,
    problems: &mut Problems,
) {
    if let Some(snr) = step.values.snr {
        let places = links.in_cells.get(&node).map_or(&[][..], Vec::as_slice);
        if places.is_empty() {
            let media = &links.topology.media;
            if media.iter().any(is_wifi) && !media.iter().any(is_cell) {
                let message = "the `snr` of a Wi-Fi station changes with its place";
                problems.add(step.of("snr"), message, Some("change its `position`".to_owned()));
            } else {
                problems.add(path.to_vec(), format!("`{name}` is not a station of a [[cell]]"), None);
            }
        }
        for &(medium, station) in places {
            let mean_snr = ratio(snr);
            let medium = &mut links.topology.media[medium];
            if let MediumConfig::Cell(cell) = medium
                && let Err(why) = cell.stations[station as usize].fading.check(mean_snr, cell.slot, &cell.table)
            {
                problems.add_refusal(step.of("snr"), &why.to_string());
                continue;
            }
            if let MediumConfig::Ran(cell) = medium
                && cell.stations[station as usize].way.is_some()
            {
                let hint = Some("give it a `motion`".to_owned());
                problems.add(step.of("snr"), format!("the place of `{name}` gives its `snr`"), hint);
                continue;
            }
            if let Some(changes) = mean_changes(medium) {
                changes.push(MeanChange { at: step.at, station, mean_snr });
            }
        }
    }
    if step.values.position.is_some() {
        let is_station = |medium: &MediumConfig| match medium {
            MediumConfig::Wifi(network) => network.stations.iter().any(|station| station.node == node),
            MediumConfig::Edca(network) => network.stations.iter().any(|station| station.node == node),
            MediumConfig::Cell(_) | MediumConfig::Ran(_) | MediumConfig::Csma(_) | MediumConfig::Slotted(_) => false,
        };
        if is_group {
            problems.add(
                step.of("position"),
                format!("`{name}` is one of a group, which are not all at one place"),
                None,
            );
        } else if !links.topology.media.iter().any(is_station) {
            problems.add(path.to_vec(), format!("`{name}` is not a station of a [[wifi]] that moves"), None);
        }
    }
}
