//! Remarks on settings without effect or that contradict each other, and on shares that depend on phase.

use super::flow_plan::Flows;
use super::link::Links;
use crate::format::{App, Flow};
use crate::names::{FlowName, SourceName};
use crate::problems::Problems;
use std::collections::BTreeMap;
use windward_laws::{LawSpec, Price};
use windward_sim::{
    AppConfig, Buffer, Codepoint, EcnMode, LawChoice, LinkConfig, MediumConfig, PortKind, QueueConfig, SourceConfig,
};
use windward_units::Duration;

/// Most flows whose shares a phase decides: their windows are many at a larger number, and their losses spread.
const MOST: usize = 8;

/// Applications, with their names.
pub(super) type Apps<'a> = (&'a [App], &'a [AppConfig], &'a [FlowName]);

/// Adds the remarks on flows, applications and their routes.
pub(super) fn add(
    flows: (&[Flow], &Flows),
    apps: Apps<'_>,
    sources: (&[SourceConfig], &[SourceName]),
    links: &Links,
    problems: &mut Problems,
) {
    let (tables, all) = flows;
    let mut notes = Vec::new();
    let mut before = usize::MAX;
    for (plan, name) in all.plans.iter().zip(&all.names).filter(|(plan, _)| !plan.forward.is_empty()) {
        // One remark for each table.
        if std::mem::replace(&mut before, plan.entry) == plan.entry {
            continue;
        }
        let entry = &all.entries[plan.entry];
        let is_off = tables[plan.entry].ecn.is_some() && entry.tcp.ecn == EcnMode::Off;
        notes.extend(unread(("flow", &name.label), &entry.law, &tables[plan.entry]));
        notes.extend(marks(("flow", &name.label), &entry.law, (entry.tcp.ecn, is_off), &plan.forward, links));
    }
    let (tables, configs, names) = apps;
    let given: BTreeMap<&str, bool> = tables
        .iter()
        .filter_map(|app| {
            let ends = app.ends();
            let label = ends.name.map_or_else(|| format!("{}->{}", ends.from.0, ends.to.0), |name| name.0.clone());
            let label = names.iter().find(|name| name.label == label)?.label.as_str();
            Some((label, app.tcp()?.1.ecn.is_some()))
        })
        .collect();
    let mut last = "";
    for (app, name) in configs.iter().zip(names) {
        if std::mem::replace(&mut last, &name.label) == name.label {
            continue;
        }
        let is_off = given.get(name.label.as_str()) == Some(&true) && app.tcp.ecn == EcnMode::Off;
        // Servers send most of the data.
        let route: Vec<u32> = app.backward.ports().collect();
        notes.extend(marks(("app", &name.label), &app.law, (app.tcp.ecn, is_off), &route, links));
    }
    notes.extend(of_sources(sources, links));
    let (sources, _) = sources;
    notes.extend(idle_queues(all, configs, sources, links));
    if configs.is_empty() {
        notes.extend(phase(all, sources, links));
    }
    problems.notes.extend(notes);
}

/// Remark on a law that counts marks and gets none, or on ECN over queues that mark nothing. `is_off`: the file
/// switches ECN off.
fn marks(
    (kind, name): (&str, &str),
    law: &LawChoice,
    (ecn, is_off): (EcnMode, bool),
    route: &[u32],
    links: &Links,
) -> Option<String> {
    let counting = match law {
        LawChoice::Known(law) | LawChoice::Quic(law, _) if law.needs().counts_marks => Some(law),
        _ => None,
    };
    let as_reno = |law: &LawSpec| format!("`{}` gets no marks and answers losses alone, as Reno does", law.name());
    if let (Some(law), true) = (counting, is_off) {
        return Some(format!("{kind} `{name}`: with `ecn = \"off\"` {}", as_reno(law)));
    }
    if ecn == EcnMode::Off || route.iter().any(|port| can_mark(*port, links)) {
        return None;
    }
    let effect = counting.map_or_else(|| "its `ecn` has no effect".to_owned(), as_reno);
    Some(format!("{kind} `{name}`: no queue on its way marks packets, so {effect}"))
}

/// Remark on keys of a flow that its law does not read.
fn unread((kind, name): (&str, &str), law: &LawChoice, given: &Flow) -> Option<String> {
    let LawChoice::Known(law) = law else { return None };
    let (of, key) = if given.known_base_rtt.is_some() && !law.needs().reads_base_rtt {
        ("does not read the base round trip", "known_base_rtt")
    } else if given.ack_counting && !law.needs().counts_acks {
        ("does not grow in the way of Reno", "ack_counting")
    } else if matches!(law, LawSpec::Formula(formulas) if formulas.has_mark() && ecn_is_off(given)) {
        ("gets no marks without `ecn`", "mark")
    } else {
        return None;
    };
    Some(format!("{kind} `{name}`: `{}` {of}, so `{key}` has no effect", law.name()))
}

/// True if a flow of a law without needs of its own has no congestion notification.
fn ecn_is_off(flow: &Flow) -> bool {
    flow.ecn.is_none_or(|ecn| EcnMode::from(ecn) == EcnMode::Off)
}

/// Remarks on sources whose packets no queue on their way marks, one for each table.
fn of_sources((sources, names): (&[SourceConfig], &[SourceName]), links: &Links) -> Vec<String> {
    let is_idle = |source: &SourceConfig| {
        source.ecn != Codepoint::NotCapable && !source.path.ports().any(|port| can_mark(port, links))
    };
    let mut labels: Vec<&str> =
        sources.iter().zip(names).filter(|(source, _)| is_idle(source)).map(|(_, name)| name.label.as_str()).collect();
    labels.dedup();
    let remark = |label| format!("`{label}`: no queue on its way marks packets, so its `ecn` has no effect");
    labels.into_iter().map(remark).collect()
}

/// Remarks on queues without work: a discipline that would mark, where no packet at any of its links has ECN, or a
/// policer without a rate.
fn idle_queues(flows: &Flows, apps: &[AppConfig], sources: &[SourceConfig], links: &Links) -> Vec<String> {
    let topology = &links.topology;
    let mut has_ecn = vec![false; topology.ports.len()];
    let mut reach = |ports: &mut dyn Iterator<Item = u32>| ports.for_each(|port| has_ecn[port as usize] = true);
    for plan in flows.plans.iter().filter(|plan| flows.entries[plan.entry].tcp.ecn != EcnMode::Off) {
        reach(&mut plan.forward.iter().copied());
    }
    for app in apps.iter().filter(|app| app.tcp.ecn != EcnMode::Off) {
        reach(&mut app.forward.ports().chain(app.backward.ports()));
    }
    for source in sources.iter().filter(|source| source.ecn != Codepoint::NotCapable) {
        reach(&mut source.path.ports());
    }
    // The first link of each discipline, and true if one of them has work.
    let mut found: Vec<(&str, String, bool)> = Vec::new();
    for (port, name) in (0..).zip(&links.names) {
        let (discipline, effect) = match topology.discipline(port) {
            QueueConfig::L4Span(_) => ("l4span", "passes all packets: none over it has `ecn`"),
            QueueConfig::Red(red) if red.marks => ("red", "marks nothing: no packet over it has `ecn`"),
            QueueConfig::CoDel(codel) if codel.marks => ("codel", "marks nothing: no packet over it has `ecn`"),
            QueueConfig::Pie(pie) if pie.marks => ("pie", "marks nothing: no packet over it has `ecn`"),
            QueueConfig::Policer(policer) if policer.rate.is_none() => ("policer", "has no `rate`, and drops nothing"),
            _ => continue,
        };
        let works = discipline != "policer" && has_ecn[port as usize];
        match found.iter_mut().find(|(seen, ..)| *seen == discipline) {
            Some((.., has_work)) => *has_work |= works,
            None => found.push((discipline, format!("`{discipline}` at link `{}` {effect}", name.name), works)),
        }
    }
    found.into_iter().filter(|(.., works)| !works).map(|(_, remark, _)| remark).collect()
}

/// True if the queue of a port marks packets.
fn can_mark(port: u32, links: &Links) -> bool {
    match &links.topology.ports[port as usize].kind {
        PortKind::Shared { medium, .. } if matches!(links.topology.media[*medium as usize], MediumConfig::Edca(_)) => {
            true
        }
        _ => does_mark(links.topology.discipline(port)),
    }
}

/// True if a discipline marks packets instead of dropping them.
fn does_mark(queue: QueueConfig) -> bool {
    match queue {
        QueueConfig::DropTail => false,
        // One without a choice always marks.
        queue => queue.with_marks(true).is_none_or(|marking| marking == queue),
    }
}

/// True if a law goes on until packets are lost.
fn fills_queues(law: &LawChoice) -> bool {
    matches!(law, LawChoice::Known(law) | LawChoice::Quic(law, _) if law.price() == Some(Price::Loss))
}

/// Remark on equal packets of few flows with different round trips at a drop-tail queue, where neither hosts nor links
/// take random times.
fn phase(all: &Flows, sources: &[SourceConfig], links: &Links) -> Option<String> {
    let topology = &links.topology;
    let is_exact = |link: &LinkConfig| !link.is_random() && link.steps.is_empty();
    let is_fixed = topology.media.is_empty() && topology.links().all(is_exact) && sources.is_empty();
    if !is_fixed || all.plans.len() < 2 || all.plans.len() > MOST * links.names.len() {
        return None;
    }
    let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, plan) in all.plans.iter().enumerate() {
        let rate = |port: &u32| topology.nominal_rate(*port);
        let slowest = plan.forward.iter().copied().filter(|port| rate(port) > 0).min_by_key(rate);
        at.entry(slowest?).or_default().push(index);
    }
    let (port, members) = at.into_iter().find(|(port, members)| {
        let own = |&index: &usize| &all.entries[all.plans[index].entry];
        let is_plain = members.iter().all(|index| {
            let entry = own(index);
            let is_bulk = entry.size.is_none() && entry.tcp.writing.is_none() && entry.controller.is_none();
            entry.tcp.host_jitter == Duration::ZERO && is_bulk && fills_queues(&entry.law)
        });
        let sizes = |index: &usize| own(index).tcp.wire_bytes();
        let delay = |index: &usize| {
            let plan = &all.plans[*index];
            plan.forward.iter().chain(&plan.backward).map(|&port| topology.delay(port).as_nanos()).sum::<u64>()
        };
        let is_tail =
            topology.discipline(*port) == QueueConfig::DropTail && topology.buffer(*port) != Buffer::Unlimited;
        let are_few = (2..=MOST).contains(&members.len());
        let differ = |of: &dyn Fn(&usize) -> u64| members.iter().any(|index| of(index) != of(&members[0]));
        is_tail && are_few && is_plain && !differ(&sizes) && differ(&delay)
    })?;
    let time = Duration::from_secs(
        all.entries[all.plans[members[0]].entry].tcp.wire_bytes() as f64 * 8.0 / topology.nominal_rate(port) as f64,
    );
    Some(format!(
        "equal packets of {} flows meet drop-tail at `{}`: their shares may depend on phase, which seeds do not show; \
         compare with `host_jitter = \"{time}\"`, and with other round trips",
        members.len(),
        links.names[port as usize].name
    ))
}
