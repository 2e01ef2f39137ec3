//! TCP flows, expanded and routed.

use super::common::{MAX_ENTITIES, Names, Times, is_within_limit, member_name, place};
use super::flow_plan::{FlowEntry, FlowPlan, Flows};
use super::key::key;
use super::nodes::{Nodes, Request, ends, label};
use crate::format::{Flow, KnownBaseRtt, LossDetection, ReceiveWindow, Rto, Stack};
use crate::names::FlowName;
use crate::path::Segment;
use crate::problems::Problems;
use windward_sim::{EcnMode, LawChoice, TcpOptions};
use windward_units::{Bytes, Duration, Time};

/// IPv4, and a DCCP header with sequence number and RTT (RFC 4340 §5.1), to 4 bytes.
const TFRC_HEADERS: Bytes = Bytes::new(40);

/// Largest IPv4 packet.
const MAX_PACKET: u64 = 65_535;

/// All flows, without their routes; `None`, and reports, if one is wrong.
pub(crate) fn expand(
    flows: &[Flow],
    laws: Vec<Option<LawChoice>>,
    nodes: &Nodes,
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
            spread: flow.start_spread.map_or(Duration::ZERO, |spread| spread.0),
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
                    start_spread: Duration::ZERO,
                    forward: Vec::new(),
                    backward: Vec::new(),
                    is_fixed: [false; 2],
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
    is_right.then_some(all)
}

/// What the flows of a table share; what is wrong is reported.
fn entry(flow: &Flow, law: Option<LawChoice>, at: usize, problems: &mut Problems) -> Option<FlowEntry> {
    let path = |key: &str| -> Vec<Segment> { place("flow", at, [key.into()]) };
    let before = problems.len();
    let segment = flow.segment.0;
    let receive_window = match flow.receive_window {
        ReceiveWindow::Packets(count) => count,
        ReceiveWindow::Bytes(bytes) => u32::try_from(bytes.count() / segment.count()).unwrap_or(u32::MAX),
    };
    let is_tfrc = matches!(law, Some(LawChoice::Tfrc(_)));
    let known_base_rtt = match flow.known_base_rtt {
        Some(KnownBaseRtt::Of(rtt)) => Some(rtt),
        Some(KnownBaseRtt::Path) | None => None,
    };
    let is_linux = flow.stack == Stack::Linux;
    let of_stack = if is_linux && flow.sack { LossDetection::Rack } else { LossDetection::Rfc6675 };
    let tcp = TcpOptions {
        segment,
        overhead: flow.overhead.map(|overhead| overhead.0).or(is_tfrc.then_some(TFRC_HEADERS)),
        delayed_ack: flow.delayed_ack.0,
        receive_window,
        sack: flow.sack,
        timestamps: flow.timestamps,
        initial_window: flow.initial_window.0,
        min_rto: flow.min_rto.0,
        known_base_rtt,
        pacing: flow.pacing,
        ecn: flow.ecn.into(),
        loss_detection: flow.loss_detection.unwrap_or(of_stack).into(),
        rto: flow.rto.unwrap_or(if is_linux { Rto::Linux } else { Rto::Rfc6298 }).into(),
        quick_acks: flow.quick_acks.unwrap_or(if is_linux { TcpOptions::QUICK_ACKS_OF_LINUX } else { 0 }),
    };
    let overhead = tcp.header_bytes();
    let largest = (MAX_PACKET - TcpOptions::LEAST_HEADER).min(MAX_PACKET.saturating_sub(overhead));
    if segment.count() > largest {
        let message = format!(
            "a segment of {segment} is too large: with {overhead} B of headers the limit is {largest} B (an IPv4 packet \
             has at most {MAX_PACKET} B)"
        );
        problems.add(path("segment"), message, None);
    }
    if receive_window == 0 {
        let message = format!("the receive window is smaller than one segment of {segment}");
        problems.add(path("receive_window"), message, None);
    }
    let controller = flow.connections.as_ref().map(|connections| connections.0.params());
    if let Some(Err((field, why))) = controller.map(|params| params.check()) {
        problems.add(place("flow", at, ["connections".into(), field.into()]), format!("`{field}`: {why}"), None);
    }
    if controller.is_some() && flow.size.is_some() {
        let message = "`size` cannot be combined with `connections`".to_owned();
        problems.add(path("size"), message, Some("use `stop` to end the flow".to_owned()));
    }
    if is_tfrc && flow.size.is_some() {
        let message = "TFRC sends nothing again and has no `size`".to_owned();
        problems.add(path("size"), message, Some("use `stop` to end the flow".to_owned()));
    }
    if !flow.sack && flow.loss_detection == Some(LossDetection::Rack) {
        let message = "`loss_detection = \"rack\"` needs `sack`".to_owned();
        let hint = "leave one of them out: without SACK losses are found by duplicate ACKs (RFC 6582)".to_owned();
        problems.add(path("loss_detection"), message, Some(hint));
    }
    if is_tfrc && tcp.ecn != EcnMode::Off {
        problems.add(path("ecn"), "`ecn` needs TCP; the flow is TFRC's".to_owned(), None);
    }
    if let (Some(LawChoice::Known(law)), EcnMode::Classic) = (&law, tcp.ecn)
        && law.counts_marks()
    {
        let message = format!("`{}` answers marks by their number, which classic ECN does not tell", law.name());
        problems.add(path("ecn"), message, Some("ecn = \"accurate\", or \"scalable\" before dualpi2".to_owned()));
    }
    if is_tfrc && flow.coding.is_some() {
        problems.add(path("coding"), "`coding` needs TCP; the flow is TFRC's".to_owned(), None);
    }
    let coding = flow.coding.as_ref().map(|coding| coding.0.config());
    if let Some(coding) = &coding {
        if tcp.ecn != EcnMode::Off {
            let message = "`ecn` cannot be combined with `coding`: a mark on a combination belongs to no segment";
            problems.add(path("ecn"), message, None);
        }
        if coding.patience < 0.0 {
            let message = format!("`patience` is {}; it must not be negative", coding.patience);
            problems.add(place("flow", at, ["coding".into(), "patience".into()]), message, None);
        }
        if controller.is_some() {
            let hint = Some("leave one of them out".to_owned());
            problems.add(path("coding"), "`coding` cannot be combined with `connections`".to_owned(), hint);
        }
        let header = u64::from(windward_sim::coding::HEADER + windward_sim::coding::MOST_SEGMENTS);
        if segment.count() + header > largest {
            let message = format!("with coding, segments have at most {} B", largest.saturating_sub(header));
            problems.add(path("segment"), message, None);
        }
    }
    let law = law.filter(|_| problems.len() == before)?;
    Some(FlowEntry {
        law,
        start_spread: flow.start_spread.map(|spread| spread.0),
        stop: flow.stop.map(|stop| Time::from_nanos(stop.0.as_nanos())),
        size: flow.size.map(|size| size.0),
        controller,
        tcp,
        coding,
        is_base_rtt_of_path: flow.known_base_rtt == Some(KnownBaseRtt::Path),
    })
}
