//! TCP flows, expanded and routed.

use super::common::{MAX_ENTITIES, Names, Times, is_within_limit, member_name};
use super::flow_entry::entry;
use super::flow_plan::{FlowPlan, Flows};
use super::key::key;
use super::nodes::{Nodes, Request, Senders, ends, label};
use super::quic;
use crate::format::{Flow, Stack};
use crate::names::FlowName;
use crate::problems::Problems;
use windward_sim::LawChoice;
use windward_units::Duration;

/// All flows of a scenario of `stack`, without their routes; `None`, and reports, if one is wrong.
pub(crate) fn expand(
    flows: &[Flow],
    laws: Vec<Option<LawChoice>>,
    nodes: &Nodes,
    (span, stack): (Duration, Stack),
    problems: &mut Problems,
) -> Option<Flows> {
    let mut all = Flows { entries: Vec::new(), plans: Vec::new(), names: Vec::new(), transfers: Vec::new() };
    let mut names = Names::new("flow");
    let mut is_right = true;
    for ((at, flow), law) in flows.iter().enumerate().zip(laws) {
        let (from, to, count, starts, before) = (&flow.from, &flow.to, flow.count, &flow.start, all.plans.len());
        let made = ends(&Senders { list: "flow", at, from, to, count, starts, before }, nodes, problems);
        let times = Times {
            starts,
            step: flow.start_step.0,
            spread: flow.start_spread.map_or(Duration::ZERO, |spread| spread.0),
            stop: flow.stop.map(|stop| stop.0),
        };
        times.check(made.as_ref().map_or(1, |(pairs, _)| pairs.count), "flow", at, span, problems);
        let entry = entry(flow, law, stack, at, problems);
        let Some((entry, (pairs, requests))) = entry.zip(made) else {
            is_right = false;
            continue;
        };
        let total = all.plans.len() as u64 + u64::from(pairs.count) * u64::from(entry.slots());
        if !is_within_limit("flow", total, MAX_ENTITIES, at, problems) {
            is_right = false;
            continue;
        }
        let label = label(flow.name.as_ref(), &flow.from, &flow.to);
        for (member, Request { from, to }) in (0..pairs.count).zip(requests) {
            let member_name = member_name(&label, pairs.is_group, member);
            let ends = [from, to].map(|node| nodes.names[node as usize].clone());
            // A transfer has a slot for each connection that its controller may open.
            if entry.controller.is_some() {
                let first = all.plans.len();
                all.transfers.push(first..first + entry.slots() as usize);
            }
            for slot in 1..=entry.slots() {
                let name =
                    if entry.controller.is_some() { format!("{member_name}.{slot}") } else { member_name.clone() };
                is_right &= names.take(&name, at, problems);
                all.plans.push(FlowPlan {
                    key: key("flow", &name),
                    entry: at,
                    source: from,
                    sink: to,
                    start: times.start_of(member),
                    start_spread: Duration::ZERO,
                    forward: Vec::new(),
                    backward: Vec::new(),
                    is_fixed: [false; 2],
                    known_base_rtt: entry.tcp.known_base_rtt,
                    handshake_excess: None,
                    small_queues: None,
                });
                let [from, to] = ends.clone();
                all.names.push(FlowName {
                    name,
                    label: label.clone(),
                    law: quic::shown(&flow.law, flow.law_of),
                    from,
                    to,
                });
            }
            // One report for a table: the names of its other members would clash as well.
            if !is_right {
                break;
            }
        }
        all.entries.push(entry);
    }
    is_right.then_some(all)
}
