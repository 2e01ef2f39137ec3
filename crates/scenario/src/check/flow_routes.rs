//! Forward and return routes of TCP flows, and the round-trip times that follow from them.

use super::common::place;
use super::flow_plan::{FlowPlan, Flows};
use super::ground::Network;
use super::link::Links;
use super::nodes::Request;
use super::route::{Asker, Direction, Graph, Via};
use crate::format::{Flow, SmallQueues, Stack};
use crate::problems::Problems;
use std::collections::BTreeSet;
use windward_sim::{LawChoice, TcpOptions};
use windward_units::Duration;

/// Finds all routes; `None`, and reports, if some do not exist.
pub(crate) fn find(flows: &[Flow], mut all: Flows, network: Network<'_>, problems: &mut Problems) -> Option<Flows> {
    let before = problems.len();
    let open = follow(flows, &mut all, network, problems);
    search(open, &mut all.plans, network, problems);
    check_length(&all.plans, problems);
    set_small_queues(flows, &mut all, network.links, problems);
    for plan in &mut all.plans {
        let entry = &all.entries[plan.entry];
        if entry.is_base_rtt_of_path {
            plan.known_base_rtt = Some(base_rtt(&entry.tcp, &plan.forward, &plan.backward, network.links));
        }
        if entry.has_base_of_handshake {
            let of = |bytes| round_trip(bytes, &plan.forward, &plan.backward, network.links);
            let (tcp, syn) = (&entry.tcp, entry.tcp.syn_bytes());
            let whole = of([tcp.wire_bytes(), tcp.header_bytes()]);
            plan.handshake_excess = Some(whole.saturating_sub(of([syn, syn])));
        }
    }
    (problems.len() == before).then_some(all)
}

/// Gives every flow without a spread in the file a spread of its start, so that no two seeds are the same run: a round
/// trip without queues, at most half of its remaining time.
pub(crate) fn spread_starts(flows: &mut Flows, span: Duration, links: &Links) {
    for plan in &mut flows.plans {
        let entry = &flows.entries[plan.entry];
        let end = entry.stop.map_or(span, |stop| span.min(Duration::from_nanos(stop.as_nanos())));
        let rtt = base_rtt(&entry.tcp, &plan.forward, &plan.backward, links);
        plan.start_spread = rtt.min(end.saturating_sub(plan.start).scale(0.5));
    }
}

/// Gives TCP small queues to the flows that have them: those whose first link tells when a packet is completed.
fn set_small_queues(flows: &[Flow], all: &mut Flows, links: &Links, problems: &mut Problems) {
    let mut reported = BTreeSet::new();
    for plan in &mut all.plans {
        let (flow, entry) = (&flows[plan.entry], &all.entries[plan.entry]);
        let completes = plan.forward.first().is_some_and(|&first| links.topology.has_small_queues(first));
        plan.small_queues = match flow.small_queues {
            Some(given) if completes => given.shift(),
            Some(given) => {
                if given.shift().is_some() && !plan.forward.is_empty() && reported.insert(plan.entry) {
                    let why = "`small_queues` needs a sender on a station of 802.11n, ac or ax";
                    let hint = Some("remove it; a sender on a wired link has none".to_owned());
                    problems.add(place("flow", plan.entry, ["small_queues".into()]), why, hint);
                }
                None
            }
            None => {
                let is_bulk = !entry.tcp.is_paced_by_applications();
                let can = entry.coding.is_none() && entry.tcp.device_queue.is_none() && is_bulk;
                let is_tcp = !matches!(entry.law, LawChoice::Tfrc(_) | LawChoice::Quic(_, _));
                let is_linux = entry.stack == Stack::Linux && is_tcp && can;
                (completes && is_linux).then_some(SmallQueues::Switch(true)).and_then(SmallQueues::shift)
            }
        }
        .map(|shift| shift as u8);
    }
}

/// Maximum number of links on all routes together.
const MAX_HOPS: usize = 10_000_000;

/// Refuses routes with more links than memory should hold.
fn check_length(plans: &[FlowPlan], problems: &mut Problems) {
    let mut hops = 0;
    for plan in plans {
        hops += plan.forward.len() + plan.backward.len();
        if hops > MAX_HOPS {
            let message = format!("the routes of all flows have more than {MAX_HOPS} links together");
            return problems.add(
                place("flow", plan.entry, []),
                message,
                Some("use fewer flows or shorter routes".to_owned()),
            );
        }
    }
}

/// Follows the routes given in the file. Returns the flows without one, for the forward and the return path.
fn follow(flows: &[Flow], all: &mut Flows, network: Network<'_>, problems: &mut Problems) -> [Vec<usize>; 2] {
    let mut open = [Vec::new(), Vec::new()];
    let mut first = 0;
    for (at, flow) in flows.iter().enumerate() {
        let count = all.plans[first..].iter().take_while(|plan| plan.entry == at).count();
        let members = first..first + count;
        let slots = all.entries[at].slots();
        let asker = Asker { list: "flow", at };
        let mut resolve =
            |names: &Vec<_>, key| Via::resolve(names, key, asker, count as u32 / slots, network.nodes, problems);
        let forth = flow.via.as_ref().and_then(|names| resolve(names, "via"));
        let back = match &flow.return_via {
            Some(names) => resolve(names, "return_via"),
            None => forth.as_ref().map(Via::reversed),
        };
        let mut is_right = true;
        for (direction, via) in [forth, back].into_iter().enumerate() {
            let Some(via) = via else {
                open[direction].extend(members.clone());
                continue;
            };
            for (slot, plan) in (0..).zip(&mut all.plans[members.clone()]) {
                // The next member and the return path would fail in the same way.
                if !is_right {
                    break;
                }
                let (ends, route) = match direction {
                    0 => (Request { from: plan.source, to: plan.sink }, &mut plan.forward),
                    _ => (Request { from: plan.sink, to: plan.source }, &mut plan.backward),
                };
                match via.route(ends, slot / slots, asker, network, problems) {
                    Some(links) => {
                        *route = links;
                        plan.is_fixed[direction] = true;
                    }
                    None => is_right = false,
                }
            }
        }
        first += count;
    }
    open
}

/// Finds shortest paths for the flows that are `open` on the forward and the return path.
fn search(open: [Vec<usize>; 2], plans: &mut [FlowPlan], network: Network<'_>, problems: &mut Problems) {
    let Network { nodes, links, .. } = network;
    // One report for each table is enough.
    let mut reported = BTreeSet::new();
    for (direction, open) in [Direction::Forth, Direction::Back].into_iter().zip(open) {
        let ends = |at: &usize| Request { from: plans[*at].source, to: plans[*at].sink };
        let requests: Vec<Request> = open.iter().map(ends).collect();
        let found = Graph::new(nodes, links, direction).shortest(&requests);
        for ((at, Request { from, to }), found) in open.into_iter().zip(requests).zip(found) {
            let plan = &mut plans[at];
            match (found, direction) {
                (Some(route), Direction::Forth) => plan.forward = route,
                (Some(route), Direction::Back) => plan.backward = route,
                (None, _) => {
                    if !reported.insert(plan.entry) {
                        continue;
                    }
                    let (what, a, b) = match direction {
                        Direction::Forth => ("no route", from, to),
                        Direction::Back => ("no route for ACKs", to, from),
                    };
                    let [a, b] = [a, b].map(|node| &nodes.names[node as usize]);
                    let path = place("flow", plan.entry, ["to".into()]);
                    problems.add(path, format!("{what} from `{a}` to `{b}`"), None);
                }
            }
        }
    }
}

/// Propagation and transmission of a full segment along `forward` and of its ACK along `backward`, in whole nanoseconds
/// of each link, rounded down; to a station of a cell at the rate of its mean signal-to-noise ratio.
fn base_rtt(tcp: &TcpOptions, forward: &[u32], backward: &[u32], links: &Links) -> Duration {
    round_trip([tcp.wire_bytes(), tcp.header_bytes()], forward, backward, links)
}

/// Propagation and transmission of a packet of `there` bytes along one route, and of one of `back` bytes along the
/// other.
fn round_trip([there, back]: [u64; 2], forward: &[u32], backward: &[u32], links: &Links) -> Duration {
    let one_way = |route: &[u32], bytes: u64| -> u64 {
        let link = |&link: &u32| {
            let delay = links.topology.delay(link).as_nanos();
            let bits = u128::from(bytes) * 8 * 1_000_000_000;
            let transmission = bits.checked_div(u128::from(links.topology.nominal_rate(link))).unwrap_or(0);
            delay + u64::try_from(transmission).unwrap_or(u64::MAX / 4)
        };
        route.iter().map(link).fold(0, u64::saturating_add)
    };
    Duration::from_nanos(one_way(forward, there).saturating_add(one_way(backward, back)))
}
