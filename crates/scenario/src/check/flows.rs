//! TCP flows, expanded and routed.

use super::flow_routes;
use super::key::key;
use super::laws::LawPlan;
use super::nodes::{Nodes, Pairs};
use super::route::Request;
use super::{MAX_ENTITIES, Names, Network, Times, is_within_limit, member_name, place};
use crate::error::{Problems, Segment};
use crate::format::{Count, Flow, KnownBaseRtt, Name, ReceiveWindow};
use crate::scenario::FlowName;
use windward_laws::emultcp;
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
    pub start_spread: Duration,
    pub stop: Option<Time>,
    pub size: Option<Bytes>,
    /// What decides how many of a member's flows are open; `None`: it has one.
    pub controller: Option<emultcp::Params>,
    pub tcp: TcpOptions,
    pub is_base_rtt_of_path: bool,
}

impl FlowEntry {
    /// Connections that each member can have.
    pub fn slots(&self) -> u32 {
        self.controller.map_or(1, |params| params.max)
    }
}

/// One flow, or one connection of a transfer.
#[derive(Clone, Debug)]
pub(crate) struct FlowPlan {
    pub key: u64,
    /// Index of its [`FlowEntry`].
    pub entry: usize,
    pub source: NodeId,
    pub sink: NodeId,
    /// Without its spread.
    pub start: Duration,
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
    Network { nodes, links, is_whole }: Network<'_>,
    span: Duration,
    problems: &mut Problems,
) -> Option<Flows> {
    let mut all = Flows { entries: Vec::new(), plans: Vec::new(), names: Vec::new() };
    let mut names = Names::new("flow");
    let mut is_right = true;
    for ((at, flow), law) in flows.iter().enumerate().zip(laws) {
        let made = ends("flow", (&flow.from, &flow.to), flow.count, at, all.plans.len(), nodes, problems);
        let times = Times {
            start: flow.start.0,
            step: flow.start_step.0,
            spread: flow.start_spread.0,
            stop: flow.stop.map(|stop| stop.0),
        };
        times.check(made.as_ref().map_or(1, |(pairs, _)| pairs.count), "flow", at, span, problems);
        let entry = entry(flow, law, at, problems);
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
                    forward: Vec::new(),
                    backward: Vec::new(),
                    known_base_rtt: entry.tcp.known_base_rtt,
                });
                let [from, to] = ends.clone();
                all.names.push(FlowName { name, label: label.clone(), law: flow.law.name.clone(), from, to });
            }
            if !is_right {
                break;
            }
        }
        all.entries.push(entry);
    }
    let is_routed = is_whole && is_right && flow_routes::find(flows, &mut all, nodes, links, problems);
    is_routed.then_some(all)
}

/// The name of a table: its own, or that of its ends.
pub(crate) fn label(name: Option<&Name>, Name(from): &Name, Name(to): &Name) -> String {
    name.map_or_else(|| format!("{from}->{to}"), |Name(name)| name.clone())
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
fn entry(flow: &Flow, law: Option<LawPlan>, at: usize, problems: &mut Problems) -> Option<FlowEntry> {
    let path = |key: &str| -> Vec<Segment> { place("flow", at, [key.into()]) };
    let before = problems.len();
    let segment = flow.segment.0;
    let overhead = header(flow.timestamps, flow.overhead.map(|overhead| overhead.0));
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
    let controller = flow.connections.as_ref().map(|connections| connections.0.params());
    if let Some(Err((field, why))) = controller.map(|params| params.check()) {
        problems.add(place("flow", at, ["connections".into(), field.into()]), format!("`{field}`: {why}"), None);
    }
    if controller.is_some() && flow.size.is_some() {
        let message = "a flow over changing `connections` has no end: it has no `size`".to_owned();
        problems.add(path("size"), message, Some("end it by `stop`".to_owned()));
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
        start_spread: flow.start_spread.0,
        stop: flow.stop.map(|stop| Time::from_nanos(stop.0.as_nanos())),
        size: flow.size.map(|size| size.0),
        controller,
        tcp,
        is_base_rtt_of_path: flow.known_base_rtt == Some(KnownBaseRtt::Path),
    })
}

/// Header bytes of a packet: `overhead`, or what IPv4, TCP and its options take.
pub(crate) fn header(has_timestamps: bool, overhead: Option<Bytes>) -> u64 {
    overhead.map_or(HEADERS + if has_timestamps { TIMESTAMPS } else { 0 }, Bytes::count)
}
