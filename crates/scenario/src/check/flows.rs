//! TCP flows, expanded and routed.

use super::key::key;
use super::laws::LawPlan;
use super::links::Links;
use super::nodes::{Nodes, Pairs};
use super::route::{Asker, Direction, Graph, Request, Via};
use super::{MAX_ENTITIES, Names, check_times, is_within_limit, member_name, place};
use crate::error::{Problems, Segment};
use crate::format::{Count, Flow, KnownBaseRtt, Name, ReceiveWindow};
use crate::scenario::FlowName;
use windward_sim::{NodeId, TcpOptions};
use windward_units::{Bytes, Duration, Time};

/// IPv4 and TCP headers without options (RFC 791, RFC 9293).
const HEADERS: u64 = 40;
/// The timestamps option, padded (RFC 7323 appendix A).
const TIMESTAMPS: u64 = 12;
/// Largest IPv4 packet.
const MAX_PACKET: u64 = 65_535;

/// What the flows of one table share.
#[derive(Clone, Debug)]
pub(crate) struct FlowEntry {
    pub law: LawPlan,
    pub start: Duration,
    pub start_spread: Duration,
    pub stop: Option<Time>,
    pub size: Option<Bytes>,
    pub tcp: TcpOptions,
    is_base_rtt_of_path: bool,
}

/// One flow.
#[derive(Clone, Debug)]
pub(crate) struct FlowPlan {
    pub key: u64,
    /// Index of its [`FlowEntry`].
    pub entry: usize,
    pub source: NodeId,
    pub sink: NodeId,
    pub forward: Vec<u32>,
    pub backward: Vec<u32>,
    pub known_base_rtt: Option<Duration>,
}

pub(crate) struct Flows {
    pub entries: Vec<FlowEntry>,
    pub plans: Vec<FlowPlan>,
    pub names: Vec<FlowName>,
}

pub(crate) fn expand(
    flows: &[Flow],
    laws: Vec<Option<LawPlan>>,
    nodes: &Nodes,
    links: &Links,
    span: Duration,
    problems: &mut Problems,
) -> Option<Flows> {
    let mut all = Flows { entries: Vec::new(), plans: Vec::new(), names: Vec::new() };
    let mut names = Names::new("flow");
    let mut is_right = true;
    for ((at, flow), law) in flows.iter().enumerate().zip(laws) {
        let entry = entry(flow, law, at, span, problems);
        let name = law_name(flow);
        let plans = members(flow, at, all.plans.len(), nodes, problems);
        let Some((entry, (pairs, requests))) = entry.zip(plans) else {
            is_right = false;
            continue;
        };
        let label = label(flow.name.as_ref(), &flow.from, &flow.to);
        for (member, Request { from, to }) in (0..pairs.count).zip(requests) {
            let flow_name = member_name(&label, pairs.is_group, member);
            if !names.take(&flow_name, at, problems) {
                is_right = false;
                break;
            }
            all.plans.push(FlowPlan {
                key: key("flow", &flow_name),
                entry: at,
                source: from,
                sink: to,
                forward: Vec::new(),
                backward: Vec::new(),
                known_base_rtt: entry.tcp.known_base_rtt,
            });
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            all.names.push(FlowName { name: flow_name, label: label.clone(), law: name.to_owned(), from, to });
        }
        all.entries.push(entry);
    }
    if is_right && route(flows, &mut all, nodes, links, problems) { Some(all) } else { None }
}

fn law_name(flow: &Flow) -> &str {
    &flow.law.name
}

/// The name of a table: its own, or that of its ends.
pub(crate) fn label(name: Option<&Name>, Name(from): &Name, Name(to): &Name) -> String {
    name.map_or_else(|| format!("{from}->{to}"), |Name(name)| name.clone())
}

/// The ends of every flow of a table.
fn members(
    flow: &Flow,
    at: usize,
    before: usize,
    nodes: &Nodes,
    problems: &mut Problems,
) -> Option<(Pairs, Vec<Request>)> {
    ends("flow", (&flow.from, &flow.to), flow.count, at, before, nodes, problems)
}

/// The ends of all that a table of flows or sources makes; what is wrong is reported.
pub(crate) fn ends(
    list: &'static str,
    (from, to): (&Name, &Name),
    count: Option<Count>,
    at: usize,
    before: usize,
    nodes: &Nodes,
    problems: &mut Problems,
) -> Option<(Pairs, Vec<Request>)> {
    let from_end = nodes.find(from, place(list, at, ["from".into()]), problems);
    let to_end = nodes.find(to, place(list, at, ["to".into()]), problems);
    let (from_end, to_end) = (from_end?, to_end?);
    let pairs = nodes.pairs((from, from_end), (to, to_end), place(list, at, ["to".into()]), problems)?;
    let pairs = match count {
        Some(_) if pairs.is_group => {
            let message = format!(
                "`count` is for two single nodes; the groups here make {} of kind `{list}` already",
                pairs.count
            );
            problems.add(place(list, at, ["count".into()]), message, None);
            return None;
        }
        Some(Count(count)) => Pairs { count, is_group: true },
        None => pairs,
    };
    if !is_within_limit(list, before as u64 + u64::from(pairs.count), MAX_ENTITIES, at, problems) {
        return None;
    }
    let request = |member| Request { from: from_end.member(member), to: to_end.member(member) };
    let requests: Vec<Request> = (0..pairs.count).map(request).collect();
    if let Some(looped) = requests.iter().find(|request| request.from == request.to) {
        let message = format!("a {list} from `{}` to itself", nodes.names[looped.from as usize]);
        problems.add(place(list, at, ["to".into()]), message, None);
        return None;
    }
    Some((pairs, requests))
}

/// What the flows of a table share; what is wrong is reported.
fn entry(flow: &Flow, law: Option<LawPlan>, at: usize, span: Duration, problems: &mut Problems) -> Option<FlowEntry> {
    let path = |key: &str| -> Vec<Segment> { place("flow", at, [key.into()]) };
    let before = problems.len();
    let (start, spread, segment) = (flow.start.0, flow.start_spread.0, flow.segment.0);
    // The last instant at which a flow may start.
    let latest = Duration::from_nanos(start.as_nanos() + spread.as_nanos());
    check_times("flow", at, (start, latest), flow.stop.map(|stop| stop.0), span, problems);
    let real = HEADERS + if flow.timestamps { TIMESTAMPS } else { 0 };
    let overhead = flow.overhead.map_or(real, |overhead| overhead.0.count());
    let largest = (MAX_PACKET - HEADERS).min(MAX_PACKET.saturating_sub(overhead));
    if segment.count() > largest {
        let message = format!(
            "a segment of {segment} is too large; with {overhead} B of headers it has at most {largest} B, for an IPv4 \
             packet has at most {MAX_PACKET} B"
        );
        problems.add(path("segment"), message, None);
    }
    let receive_window = match flow.receive_window {
        ReceiveWindow::Packets(count) => count,
        ReceiveWindow::Bytes(bytes) => u32::try_from(bytes.count() / segment.count()).unwrap_or(u32::MAX),
    };
    if receive_window == 0 {
        let message = format!("the receive window holds less than one segment of {segment}");
        problems.add(path("receive_window"), message, None);
    }
    let known_base_rtt = match flow.known_base_rtt {
        Some(KnownBaseRtt::Of(rtt)) => Some(rtt),
        Some(KnownBaseRtt::Path) | None => None,
    };
    let tcp = TcpOptions {
        segment,
        overhead: flow.overhead.map(|overhead| overhead.0),
        delayed_ack: flow.delayed_ack.0,
        receive_window,
        sack: flow.sack,
        timestamps: flow.timestamps,
        initial_window: flow.initial_window.0,
        min_rto: flow.min_rto.0,
        known_base_rtt,
        pacing: flow.pacing,
    };
    let law = law.filter(|_| problems.len() == before)?;
    Some(FlowEntry {
        law,
        start,
        start_spread: spread,
        stop: flow.stop.map(|stop| Time::from_nanos(stop.0.as_nanos())),
        size: flow.size.map(|size| size.0),
        tcp,
        is_base_rtt_of_path: flow.known_base_rtt == Some(KnownBaseRtt::Path),
    })
}

/// Finds all routes; false, and reports, where there are none.
fn route(flows: &[Flow], all: &mut Flows, nodes: &Nodes, links: &Links, problems: &mut Problems) -> bool {
    let before = problems.len();
    let mut first = 0;
    let mut open: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for (at, flow) in flows.iter().enumerate() {
        let count = all.plans[first..].iter().take_while(|plan| plan.entry == at).count();
        let asker = Asker { list: "flow", at };
        let explicit = |names: Option<&Vec<Name>>, key, problems: &mut Problems| {
            names.and_then(|names| Via::resolve(names, key, asker, count as u32, nodes, problems))
        };
        let forth = explicit(flow.via.as_ref(), "via", problems);
        let back = explicit(flow.return_via.as_ref(), "return_via", problems);
        let back = back.or_else(|| forth.as_ref().map(Via::reversed).filter(|_| flow.return_via.is_none()));
        for (direction, via) in [forth, back].iter().enumerate() {
            let Some(via) = via else {
                open[direction].extend(first..first + count);
                continue;
            };
            for (member, plan) in (0..).zip(&mut all.plans[first..first + count]) {
                let (from, to) = if direction == 0 { (plan.source, plan.sink) } else { (plan.sink, plan.source) };
                let Some(route) = via.route(Request { from, to }, member, asker, (nodes, links), problems) else {
                    break;
                };
                *(if direction == 0 { &mut plan.forward } else { &mut plan.backward }) = route;
            }
        }
        first += count;
    }
    for (direction, open) in [Direction::Forth, Direction::Back].into_iter().zip(open) {
        let ends = |at: &usize| Request { from: all.plans[*at].source, to: all.plans[*at].sink };
        let requests: Vec<Request> = open.iter().map(ends).collect();
        let found = Graph::new(nodes.names.len(), links, direction).shortest(&requests);
        let mut reported = None;
        for ((at, Request { from, to }), found) in open.into_iter().zip(requests).zip(found) {
            let plan = &mut all.plans[at];
            match (found, direction) {
                (Some(route), Direction::Forth) => plan.forward = route,
                (Some(route), Direction::Back) => plan.backward = route,
                (None, _) if reported == Some(plan.entry) => {}
                (None, _) => {
                    reported = Some(plan.entry);
                    let (what, a, b) = match direction {
                        Direction::Forth => ("no route leads", from, to),
                        Direction::Back => ("no route for the ACKs leads", to, from),
                    };
                    let [a, b] = [a, b].map(|node| &nodes.names[node as usize]);
                    let path = place("flow", plan.entry, ["to".into()]);
                    problems.add(path, format!("{what} from `{a}` to `{b}`"), None);
                }
            }
        }
    }
    for plan in &mut all.plans {
        let entry = &all.entries[plan.entry];
        if entry.is_base_rtt_of_path {
            plan.known_base_rtt = Some(base_rtt(&entry.tcp, &plan.forward, &plan.backward, links));
        }
    }
    problems.len() == before
}

/// Propagation and transmission of a full segment along `forward` and of its ACK along `backward`, in whole
/// nanoseconds of each link, rounded down.
fn base_rtt(tcp: &TcpOptions, forward: &[u32], backward: &[u32], links: &Links) -> Duration {
    let real = HEADERS + if tcp.timestamps { TIMESTAMPS } else { 0 };
    let header = tcp.overhead.map_or(real, Bytes::count);
    let one_way = |route: &[u32], bytes: u64| -> u64 {
        let link = |&link: &u32| {
            let config = &links.configs[link as usize];
            let bits = u128::from(bytes) * 8 * 1_000_000_000;
            let transmission = bits / u128::from(config.rate.as_bits_per_sec());
            config.delay.as_nanos() + u64::try_from(transmission).unwrap_or(u64::MAX / 4)
        };
        route.iter().map(link).fold(0, u64::saturating_add)
    };
    Duration::from_nanos(one_way(forward, tcp.segment.count() + header).saturating_add(one_way(backward, header)))
}
