//! Properties common to the flows of one table.

use super::common::{given_of, place};
use super::flow_plan::FlowEntry;
use super::{quic, tcp};
use crate::format::{Flow, KnownBaseRtt, LawOf, SmallQueues, Stack, Tcp, Transport, Write};
use crate::problems::Problems;
use windward_laws::emultcp::{Params, Rounding};
use windward_sim::coding::{CodingConfig, HEADER, MOST_SEGMENTS};
use windward_sim::{EcnMode, LawChoice, QuicOptions, TcpOptions, Writing};
use windward_units::{Bytes, Duration, Time};

/// Headers of IPv4, and of DCCP with sequence number and RTT (RFC 4340 §5.1), rounded to 4 bytes.
const TFRC_HEADERS: Bytes = Bytes::new(40);

/// Maximum host processing time; longer ones would be a path.
const MOST_HOST_JITTER: Duration = Duration::from_millis(1000);

/// Least time between two writes of an application.
const LEAST_EVERY: Duration = Duration::from_micros(1);

/// Most ACKs in the place of one: a byte each.
const MOST_PIECES: u32 = 1448;

/// Longest time from the departure of a segment to that of its optimistic ACK.
const MOST_LAG: Duration = Duration::from_millis(10_000);

/// Send buffer of Linux (`tcp_wmem`), in bytes.
const SEND_BUFFER: u64 = 4 << 20;

/// Largest pacing shift: about 1 µs.
const MOST_SHIFT: u32 = 20;

/// Properties common to the flows of a table; reports problems.
pub(super) fn entry(
    flow: &Flow,
    law: Option<LawChoice>,
    stack: Stack,
    at: usize,
    problems: &mut Problems,
) -> Option<FlowEntry> {
    let before = problems.len();
    let stack = flow.stack.unwrap_or(stack);
    let tcp = options(flow, law.as_ref(), stack);
    let controller = flow.connections.as_ref().map(|connections| {
        let params = connections.0.params();
        // TFRC has no window to bound.
        Params { bound: params.bound && !is_tfrc(law.as_ref()), ..params }
    });
    let coding = flow.coding.as_ref().map(|coding| coding.0.config());
    let mut table = Table { flow, law: law.as_ref(), tcp: &tcp, at, problems };
    tcp::check_sizes(table.tcp, ("flow", at, &[]), table.problems);
    if let Some(Err((field, why))) = controller.as_ref().map(|params| params.check()) {
        table.refuse(["connections", field], format!("`{field}`: {why}"), None);
    }
    let is_combined = flow.connections.as_ref().is_some_and(|connections| connections.0.is_combined());
    if is_combined {
        table.check_combined(controller.as_ref());
    }
    table.check_end();
    table.check_host_jitter();
    table.check_small_queues();
    table.check_receiver();
    table.check_applications();
    tcp::check(&flow.tcp(), table.tcp, table.law, ("flow", at, &[]), table.problems);
    table.refuse_with_tfrc("ecn", tcp.ecn != EcnMode::Off);
    table.refuse_with_tfrc("coding", coding.is_some());
    for (key, is_given) in of_tcp(flow) {
        table.refuse_with_tfrc(key, is_given);
    }
    if let Some(coding) = &coding {
        table.check_coding(coding);
    }
    let law = if flow.transport == Some(Transport::Quic) {
        table.check_quic()
    } else {
        quic::refuse_options(flow.law_of, flow.zero_rtt, ("flow", at), table.problems);
        law
    };
    let law = law.filter(|_| problems.len() == before)?;
    Some(FlowEntry {
        law,
        start_spread: flow.start_spread.map(|spread| spread.0),
        stop: flow.stop.map(|stop| Time::from_nanos(stop.0.as_nanos())),
        size: flow.size.map(|size| size.0),
        controller,
        is_combined,
        stack,
        tcp,
        coding,
        has_base_of_handshake: flow.known_base_rtt == Some(KnownBaseRtt::Handshake),
        is_base_rtt_of_path: flow.known_base_rtt == Some(KnownBaseRtt::Path),
    })
}

/// TCP options of the flows' hosts.
fn options(flow: &Flow, law: Option<&LawChoice>, stack: Stack) -> TcpOptions {
    let options = tcp::options(&flow.tcp(), stack, law, flow.write.is_some());
    let known_base_rtt = match flow.known_base_rtt {
        Some(KnownBaseRtt::Of(rtt)) => Some(rtt),
        Some(KnownBaseRtt::Path | KnownBaseRtt::Handshake) | None => None,
    };
    TcpOptions {
        overhead: options.overhead.or(is_tfrc(law).then_some(TFRC_HEADERS)),
        known_base_rtt,
        host_jitter: flow.host_jitter.map_or(Duration::ZERO, |jitter| jitter.0),
        device_queue: flow.device_queue.map(|packets| packets.0),
        ack_division: flow.ack_division.unwrap_or(1),
        optimistic_acks: flow.optimistic_acks.map(|lag| lag.0),
        receive_window: match flow.optimistic_acks {
            // No loss ever reduces the window: the send buffer bounds it.
            Some(_) => options.receive_window.min((SEND_BUFFER / options.segment.count()).max(1) as u32),
            None => options.receive_window,
        },
        // A mark on a combination belongs to no segment.
        ecn: if flow.coding.is_some() && flow.ecn.is_none() { EcnMode::Off } else { options.ecn },
        writing: flow.write.and_then(|write| writing(write, options.segment)),
        // Small queues are decided by the route.
        ..options
    }
}

/// The simulator's writer; `None` if it is not determined, which is reported elsewhere.
fn writing(write: Write, segment: Bytes) -> Option<Writing> {
    match (write.rate.map(|rate| rate.0), write.every.map(|every| every.0), write.chunk.map(|chunk| chunk.0)) {
        (Some(rate), Some(every), None) => Some(Writing::Periodic { rate, every }),
        (Some(rate), None, chunk) => Some(Writing::Chunks { rate, chunk: chunk.unwrap_or(segment) }),
        (None, Some(every), Some(chunk)) => Some(Writing::Fixed { chunk, every }),
        _ => None,
    }
}

/// Options that only TCP has, each with true if it is not the default.
fn of_tcp(flow: &Flow) -> [(&'static str, bool); 15] {
    let given = flow.tcp();
    let [
        delayed_ack,
        quick_acks,
        compress_sacks,
        ack_counting,
        sack,
        loss_detection,
        newreno,
        timestamps,
        min_rto,
        rto,
        pacing,
    ] = tcp::mechanisms(&given);
    [
        ("stack", flow.stack.is_some()),
        delayed_ack,
        quick_acks,
        compress_sacks,
        ack_counting,
        ("receive_window", given.receive_window.is_some()),
        sack,
        loss_detection,
        newreno,
        timestamps,
        ("initial_window", given.initial_window != Tcp::default().initial_window),
        min_rto,
        rto,
        pacing,
        ("known_base_rtt", flow.known_base_rtt.is_some()),
    ]
}

fn is_tfrc(law: Option<&LawChoice>) -> bool {
    matches!(law, Some(LawChoice::Tfrc(_)))
}

/// A table of flows under examination.
struct Table<'a> {
    flow: &'a Flow,
    law: Option<&'a LawChoice>,
    tcp: &'a TcpOptions,
    at: usize,
    problems: &'a mut Problems,
}

impl Table<'_> {
    fn is_tfrc(&self) -> bool {
        is_tfrc(self.law)
    }

    /// Reports a problem with the field at `path`.
    fn refuse<const N: usize>(&mut self, path: [&'static str; N], why: impl Into<String>, hint: Option<&str>) {
        self.problems.add(place("flow", self.at, path.map(Into::into)), why, hint.map(str::to_owned));
    }

    /// Refuses a field of TCP, if it is given, for the flows of TFRC.
    fn refuse_with_tfrc(&mut self, key: &'static str, is_given: bool) {
        if self.is_tfrc() && is_given {
            self.refuse([key], format!("`{key}` needs TCP; the flow is TFRC's"), None);
        }
    }

    /// Law of a flow over QUIC; refuses the laws and the options that only TCP has.
    fn check_quic(&mut self) -> Option<LawChoice> {
        let flow = self.flow;
        let given = [
            ("known_base_rtt", flow.known_base_rtt.is_some()),
            ("connections", flow.connections.is_some()),
            ("coding", flow.coding.is_some()),
            ("host_jitter", flow.host_jitter.is_some()),
            ("device_queue", flow.device_queue.is_some()),
            ("small_queues", flow.small_queues.is_some()),
            ("ack_division", flow.ack_division.is_some()),
            ("optimistic_acks", flow.optimistic_acks.is_some()),
        ];
        for key in given_of(given) {
            self.refuse([key], quic::needs_tcp(key, "flow"), Some(quic::REMOVE));
        }
        let law = (self.law, QuicOptions { law_of: LawOf::chosen(flow.law_of), zero_rtt: flow.zero_rtt });
        quic::check(&flow.tcp(), self.tcp, law, (("flow", self.at, &[]), "flow"), self.problems)
    }

    /// Refuses `key` beside each of the fields that are given.
    fn refuse_beside<const N: usize>(&mut self, key: &'static str, others: [(&'static str, bool); N]) {
        for other in given_of(others) {
            self.refuse([key], format!("`{key}` cannot be combined with `{other}`"), Some("leave one of them out"));
        }
    }

    /// Refuses one connection with the rate of several for TCP, whose window is its connection's own, and a number of
    /// connections that nothing rounds.
    fn check_combined(&mut self, controller: Option<&Params>) {
        if !self.is_tfrc() {
            let hint = Some("`law = \"tfrc\"`, or leave `combined` out");
            self.refuse(["connections", "combined"], "`combined` needs TFRC; the flow is TCP's", hint);
        }
        if controller.is_some_and(|params| params.rounding != Rounding::default()) {
            let why = "`rounding` cannot be combined with `combined`: one connection sends at n times the rate";
            self.refuse(["connections", "rounding"], why, Some("leave one of them out"));
        }
    }

    /// Refuses `size` for flows without an end.
    fn check_end(&mut self) {
        if self.flow.size.is_none() {
            return;
        }
        let hint = Some("use `stop` to end the flow");
        if self.flow.connections.is_some() {
            self.refuse(["size"], "`size` cannot be combined with `connections`", hint);
        }
        if self.is_tfrc() {
            self.refuse(["size"], "TFRC sends nothing again and has no `size`", hint);
        }
    }

    fn check_host_jitter(&mut self) {
        let jitter = self.tcp.host_jitter;
        self.refuse_with_tfrc("host_jitter", jitter > Duration::ZERO);
        self.refuse_with_tfrc("device_queue", self.tcp.device_queue.is_some());
        if jitter > MOST_HOST_JITTER {
            let why = format!("`host_jitter` is {jitter}; the limit is {MOST_HOST_JITTER}");
            self.refuse(["host_jitter"], why, None);
        }
    }

    fn check_small_queues(&mut self) {
        let Some(shift) = self.flow.small_queues.and_then(SmallQueues::shift) else { return };
        if shift > MOST_SHIFT {
            let why = format!("a shift of {shift} is too large; allowed: 0 to {MOST_SHIFT}");
            self.refuse(["small_queues", "shift"], why, None);
        }
        self.refuse_with_tfrc("small_queues", true);
        let others = [("coding", self.flow.coding.is_some()), ("device_queue", self.flow.device_queue.is_some())];
        self.refuse_beside("small_queues", others);
    }

    /// Refuses receivers that cheat in ways that do not exist, or beside what is not modelled with them.
    fn check_receiver(&mut self) {
        let flow = self.flow;
        if let Some(pieces) = flow.ack_division.filter(|pieces| !(1..=MOST_PIECES).contains(pieces)) {
            let why = format!("`ack_division` is {pieces}; allowed: 1 to {MOST_PIECES}");
            self.refuse(["ack_division"], why, None);
        }
        if let Some(lag) = flow.optimistic_acks.map(|lag| lag.0).filter(|lag| *lag > MOST_LAG) {
            self.refuse(["optimistic_acks"], format!("`optimistic_acks` is {lag}; the limit is {MOST_LAG}"), None);
        }
        let given =
            [("ack_division", flow.ack_division.is_some()), ("optimistic_acks", flow.optimistic_acks.is_some())];
        for key in given_of(given) {
            self.refuse_with_tfrc(key, true);
            let others = [
                ("coding", flow.coding.is_some()),
                ("connections", flow.connections.is_some()),
                ("write", flow.write.is_some()),
                ("read", flow.read.is_some()),
                ("receive_buffer", flow.receive_buffer.is_some()),
                ("send_buffer", flow.send_buffer.is_some()),
            ];
            self.refuse_beside(key, others);
        }
        if given.iter().all(|(_, is_given)| *is_given) {
            self.refuse_beside("ack_division", [("optimistic_acks", true)]);
        }
    }

    /// Refuses applications that write or read at their own pace where flows have no connection of two ends.
    fn check_applications(&mut self) {
        let flow = self.flow;
        self.check_writer();
        let given = [
            ("write", flow.write.is_some()),
            ("read", flow.read.is_some()),
            ("receive_buffer", flow.receive_buffer.is_some()),
            ("send_buffer", flow.send_buffer.is_some()),
        ];
        let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given) else { return };
        if self.is_tfrc() {
            return self.refuse_with_tfrc(key, true);
        }
        let others = [
            ("coding", flow.coding.is_some()),
            ("connections", flow.connections.is_some()),
            ("host_jitter", flow.host_jitter.is_some()),
            ("device_queue", flow.device_queue.is_some()),
            ("small_queues", flow.small_queues.is_some()),
        ];
        self.refuse_beside(key, others);
    }

    fn check_writer(&mut self) {
        let flow = self.flow;
        let Some(write) = &flow.write else {
            if flow.nagle {
                self.refuse(["nagle"], "`nagle` needs `write`: a flow that always has data sends full segments", None);
            }
            if flow.idle_restart.is_some() {
                let why = "`idle_restart` needs `write`: a flow that always has data never pauses";
                self.refuse(["idle_restart"], why, None);
            }
            return;
        };
        let Some(writing) = self.tcp.writing else {
            let why = "`write` needs `rate` alone, or two of `rate`, `every` and `chunk`";
            return self.refuse(["write"], why, Some("write = { rate = \"1 Mbit/s\", every = \"20 ms\" }"));
        };
        if writing.span() < LEAST_EVERY.as_secs() {
            let why = format!("the application writes more often than every {LEAST_EVERY}");
            let key = if write.every.is_some() { "every" } else { "rate" };
            self.refuse(["write", key], why, Some("write more at a time"));
        }
    }

    fn check_coding(&mut self, coding: &CodingConfig) {
        if self.tcp.ecn != EcnMode::Off {
            let why = "`ecn` cannot be combined with `coding`: a mark on a combination belongs to no segment";
            self.refuse(["ecn"], why, None);
        }
        if coding.patience < 0.0 {
            let why = format!("`patience` is {}; it must not be negative", coding.patience);
            self.refuse(["coding", "patience"], why, None);
        }
        // The receiver acknowledges each combination at once (sundararajan2009 §4).
        let waits = self.flow.delayed_ack.0.is_some() && self.flow.delayed_ack != Tcp::default().delayed_ack;
        let others = [
            ("connections", self.flow.connections.is_some()),
            ("delayed_ack", waits),
            ("quick_acks", self.flow.quick_acks.is_some()),
            ("compress_sacks", self.flow.compress_sacks.is_some()),
        ];
        self.refuse_beside("coding", others);
        let (largest, header) = (tcp::largest_segment(self.tcp), u64::from(HEADER + MOST_SEGMENTS));
        if self.tcp.segment.count() + header > largest {
            let why = format!("with coding, segments have at most {} B", largest.saturating_sub(header));
            self.refuse(["segment"], why, None);
        }
    }
}
