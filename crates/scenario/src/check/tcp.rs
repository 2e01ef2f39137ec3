//! TCP options of flows and applications.

use super::common::place;
use crate::format::{Autotuning, LossDetection, Read, ReceiveBuffer, ReceiveWindow, SendBuffer, Stack, Tcp, Written};
use crate::path::Segment;
use crate::problems::Problems;
use windward_laws::LawSpec;
use windward_sim::{self as sim, EcnMode, IdleRestart, LawChoice, Reading, TcpOptions};
use windward_units::{Bytes, Duration, Packets, Time};

/// Largest IPv4 packet.
const MAX_PACKET: u64 = 65_535;

/// Most payload in flight of a flow whose buffers are Linux's. Its writer fills 4 MiB (`tcp_wmem`) and waits until a
/// third is free: between kernels 6.18 0.61 and 0.65 of them leave in a round trip of 0.8 and 0.3 s.
const MOST_IN_FLIGHT: Bytes = Bytes::new(2_600_000);

/// Time over which hosts of Linux join the segments of an A-MPDU or of another burst: interrupts of network cards are
/// that far apart under load (20 000 a second). On paths without bursts nothing is joined.
const RECEIVE_OFFLOAD: Duration = Duration::from_micros(50);

/// Place of a table of TCP options: its list, the index in it, and the keys inside.
pub(super) type Table<'a> = (&'static str, usize, &'a [&'static str]);

/// Options of mechanisms that TCP alone has, each with true if it is not the default.
pub(super) fn mechanisms(given: &Tcp) -> [(&'static str, bool); 11] {
    let default = Tcp::default();
    [
        ("delayed_ack", given.delayed_ack != default.delayed_ack),
        ("quick_acks", given.quick_acks.is_some()),
        ("compress_sacks", given.compress_sacks.is_some()),
        ("ack_counting", given.ack_counting),
        ("sack", given.sack != default.sack),
        ("loss_detection", given.loss_detection.is_some()),
        ("newreno", given.newreno.is_some()),
        ("timestamps", given.timestamps != default.timestamps),
        ("min_rto", given.min_rto != default.min_rto),
        ("rto", given.rto.is_some()),
        ("pacing", given.pacing),
    ]
}

/// Path of a field of a table.
pub(super) fn path((list, at, inside): Table<'_>, keys: &[&'static str]) -> Vec<Segment> {
    let keys = inside.iter().chain(keys).copied().map(Segment::from);
    place(list, at, []).into_iter().chain(keys).collect()
}

/// The simulator's options on hosts with this stack, for a law. `is_paced`: the application of a flow writes at its own
/// pace.
pub(super) fn options(tcp: &Tcp, of: Stack, law: Option<&LawChoice>, is_paced: bool) -> TcpOptions {
    let segment = tcp.segment.0;
    let receive_window = match tcp.receive_window {
        Some(ReceiveWindow::Packets(count)) => count,
        Some(ReceiveWindow::Bytes(bytes)) => u32::try_from(bytes.count() / segment.count()).unwrap_or(u32::MAX),
        None => TcpOptions::default().receive_window,
    };
    let stack = match of {
        Stack::Rfc => TcpOptions::default(),
        Stack::Linux => TcpOptions::linux(tcp.sack),
    };
    let (receive_buffer, send_buffer) = buffers(tcp, of, is_paced);
    TcpOptions {
        segment,
        overhead: tcp.overhead.map(|overhead| overhead.0),
        delayed_ack: tcp.delayed_ack.0,
        receive_window,
        sack: tcp.sack,
        timestamps: tcp.timestamps,
        initial_window: tcp.initial_window.0,
        initial_ssthresh: tcp.initial_ssthresh,
        min_rto: tcp.min_rto.0,
        pacing: tcp.pacing,
        ecn: tcp.ecn.map_or_else(|| ecn_of(law), Into::into),
        loss_detection: tcp.loss_detection.map_or(stack.loss_detection, Into::into),
        newreno: tcp.newreno.map_or(stack.newreno, Into::into),
        rto: tcp.rto.map_or(stack.rto, Into::into),
        compress_sacks: tcp.compress_sacks.unwrap_or(stack.compress_sacks),
        ack_counting: tcp.ack_counting,
        quick_acks: tcp.quick_acks.unwrap_or(stack.quick_acks),
        quick_growth: tcp.quick_acks.is_none() && stack.quick_growth,
        nagle: tcp.nagle,
        idle_restart: match (tcp.idle_restart, of) {
            (None, _) => stack.idle_restart,
            (Some(false), _) => IdleRestart::Off,
            (Some(true), Stack::Rfc) => IdleRestart::Rfc5681,
            (Some(true), Stack::Linux) => IdleRestart::Linux,
        },
        // The path decides whether there are bursts.
        receive_offload: (of == Stack::Linux && tcp.delayed_ack.0.is_some()).then_some(RECEIVE_OFFLOAD),
        receive_buffer,
        send_buffer,
        most_in_flight: (of == Stack::Linux && tcp.receive_window.is_none()).then_some(MOST_IN_FLIGHT.max(segment)),
        reading: tcp.read.as_ref().map(|read| reading(read, segment)),
        ..stack
    }
}

/// Congestion notification that a law needs.
fn ecn_of(law: Option<&LawChoice>) -> EcnMode {
    match law {
        // RFC 9331 §4.1: ECT(1) and accurate feedback.
        Some(LawChoice::Known(LawSpec::Prague(_))) => EcnMode::Scalable,
        Some(LawChoice::Known(law)) if law.needs().counts_marks => EcnMode::Accurate,
        _ => EcnMode::Off,
    }
}

/// Buffers at both ends. Linux's follow the application. Where nothing paces it, they only bound the data in flight:
/// `most_in_flight` does so at less cost.
fn buffers(tcp: &Tcp, of: Stack, is_paced: bool) -> (Option<sim::ReceiveBuffer>, Option<sim::SendBuffer>) {
    let is_two_way = is_paced || tcp.read.is_some() || tcp.receive_buffer.is_some() || tcp.send_buffer.is_some();
    let is_linux = of == Stack::Linux && is_two_way;
    let can_follow = is_linux && tcp.receive_window.is_none() && fits_autotuning(tcp);
    let to_receive = tcp.receive_buffer.or(can_follow.then_some(ReceiveBuffer::Auto));
    let to_send = tcp.send_buffer.or(is_linux.then_some(SendBuffer::Auto));
    (to_receive.map(ReceiveBuffer::config), to_send.map(SendBuffer::config))
}

/// True if the first window of an autotuned receive buffer holds two segments.
fn fits_autotuning(tcp: &Tcp) -> bool {
    4 * tcp.segment.0.count() <= sim::ReceiveBuffer::START.count()
}

fn reading(read: &Read, segment: Bytes) -> Reading {
    let at = |time: Duration| Time::from_nanos(time.as_nanos());
    let pause = |[from, length]: &[Written<Duration>; 2]| (at(from.0), at(from.0) + length.0);
    Reading {
        rate: read.rate.map(|rate| rate.0),
        chunk: read.chunk.map_or(segment, |chunk| chunk.0),
        pauses: read.pauses.iter().map(pause).collect(),
    }
}

/// Maximum segment size in bytes, in a packet of IPv4.
pub(super) fn largest_segment(tcp: &TcpOptions) -> u64 {
    (MAX_PACKET - TcpOptions::LEAST_HEADER).min(MAX_PACKET.saturating_sub(tcp.header_bytes()))
}

/// Refuses segments and windows of impossible sizes.
pub(super) fn check_sizes(tcp: &TcpOptions, table: Table<'_>, problems: &mut Problems) {
    let (segment, overhead, largest) = (tcp.segment, tcp.header_bytes(), largest_segment(tcp));
    if segment.count() > largest {
        let why = format!(
            "a segment of {segment} is too large: with {overhead} B of headers the limit is {largest} B (an IPv4 \
             packet has at most {MAX_PACKET} B)"
        );
        problems.add(path(table, &["segment"]), why, None);
    }
    if tcp.receive_window == 0 {
        let why = format!("the receive window is smaller than one segment of {segment}");
        problems.add(path(table, &["receive_window"]), why, None);
    }
}

/// Refuses readers without a pace or a buffer, and buffers of impossible sizes.
fn check_reader(tcp: &Tcp, options: &TcpOptions, table: Table<'_>, problems: &mut Problems) {
    let mut refuse = |keys: &[_], why: String, hint: &str| problems.add(path(table, keys), why, Some(hint.to_owned()));
    let has_window = tcp.receive_window.is_some();
    if let Some(read) = &tcp.read {
        if read.rate.is_none() && read.pauses.is_empty() {
            refuse(&["read"], "`read` has neither a `rate` nor `pauses`".to_owned(), "give one of them");
        }
        if read.rate.is_none() && read.chunk.is_some() {
            refuse(&["read", "chunk"], "`chunk` needs a `rate`".to_owned(), "leave it out, or give a `rate`");
        }
        if options.receive_buffer.is_none() && !has_window {
            let why = "`read` needs a receive buffer that can fill: the default window holds 1.5 GB".to_owned();
            refuse(&["read"], why, "receive_buffer = \"auto\", or a size such as \"256 KiB\"");
        }
        let ends = read.pauses.iter().map(|[at, length]| at.0 + length.0);
        if ends.zip(read.pauses.iter().skip(1)).any(|(end, [next, _])| next.0 <= end) {
            let hint = "each begins after the end of the one before";
            refuse(&["read", "pauses"], "the pauses overlap or are not in order".to_owned(), hint);
        }
        if read.pauses.iter().any(|[_, length]| length.0 == Duration::ZERO) {
            refuse(&["read", "pauses"], "a pause has no length".to_owned(), "a pause is a time and a length");
        }
    }
    let segment = tcp.segment.0.count();
    let to_send = match tcp.send_buffer {
        Some(SendBuffer::Of(bytes)) => Some((bytes, &["send_buffer"] as &[_])),
        Some(SendBuffer::Limited(limit)) => Some((limit.max.0, &["send_buffer", "max"] as &[_])),
        Some(SendBuffer::Auto) | None => None,
    };
    if let Some((bytes, keys)) = to_send.filter(|(bytes, _)| bytes.count() < segment) {
        let why = format!("a send buffer of {bytes} is smaller than one segment of {}", tcp.segment.0);
        refuse(keys, why, "allow at least two segments");
    }
    match tcp.receive_buffer {
        Some(_) if has_window => {
            let why = "`receive_buffer` cannot be combined with `receive_window`".to_owned();
            refuse(&["receive_buffer"], why, "leave one of them out");
        }
        Some(ReceiveBuffer::Of(bytes)) if bytes.count() < segment => {
            let why = format!("a receive buffer of {bytes} is smaller than one segment of {}", tcp.segment.0);
            refuse(&["receive_buffer"], why, "allow at least two segments");
        }
        Some(ReceiveBuffer::Limited(Autotuning { max })) if max.0 < sim::ReceiveBuffer::START => {
            let why = format!("a limit of {} is below the initial buffer of {}", max.0, sim::ReceiveBuffer::START);
            refuse(&["receive_buffer", "max"], why, "raise it, or give a constant size");
        }
        Some(ReceiveBuffer::Auto | ReceiveBuffer::Limited(_)) if !fits_autotuning(tcp) => {
            let why = format!("autotuning begins with a window of 65 536 B, too few for segments of {}", tcp.segment.0);
            refuse(&["receive_buffer"], why, "give a constant size");
        }
        _ => {}
    }
}

/// Refuses options that exclude each other, or the law.
pub(super) fn check(
    tcp: &Tcp,
    options: &TcpOptions,
    law: Option<&LawChoice>,
    table: Table<'_>,
    problems: &mut Problems,
) {
    check_reader(tcp, options, table, problems);
    let mut refuse = |key, why: String, hint: &str| problems.add(path(table, &[key]), why, Some(hint.to_owned()));
    if !tcp.sack && tcp.loss_detection == Some(LossDetection::Rack) {
        let hint = "leave one of them out: without SACK losses are found by duplicate ACKs (RFC 6582)";
        refuse("loss_detection", "`loss_detection = \"rack\"` needs `sack`".to_owned(), hint);
    }
    if !tcp.sack && tcp.compress_sacks == Some(true) {
        refuse("compress_sacks", "`compress_sacks` needs `sack`".to_owned(), "leave one of them out");
    }
    if tcp.quick_acks.is_some() && tcp.delayed_ack.0.is_none() {
        let why = "`quick_acks` has no effect: `delayed_ack = false` acknowledges every segment at once".to_owned();
        refuse("quick_acks", why, "leave one of them out");
    }
    if tcp.sack && tcp.newreno.is_some() {
        refuse("newreno", "`newreno` is for flows without SACK".to_owned(), "sack = false");
    }
    if let Some(ssthresh) = options.initial_ssthresh.filter(|ssthresh| *ssthresh < 2) {
        let why = format!("a threshold of {ssthresh} is below that of a loss, 2");
        refuse("initial_ssthresh", why, "leave it out for none");
    }
    let remembers = |ssthresh| match law {
        Some(LawChoice::Known(law)) => law.build(Packets::ONE).remember(Packets::new(f64::from(ssthresh))),
        Some(LawChoice::Own(_) | LawChoice::Tfrc(_) | LawChoice::Quic(_, _)) => false,
        None => true,
    };
    if options.initial_ssthresh.is_some_and(|ssthresh| !remembers(ssthresh)) {
        let why = "the law has no slow-start threshold".to_owned();
        refuse("initial_ssthresh", why, "leave it out, or take a law such as reno, cubic or tcp-fit");
    }
    if let Some(LawChoice::Known(law)) = law
        && options.pacing
        && law.build(Packets::ONE).pacing_rate().is_some()
    {
        let why = format!("`{}` paces at a rate of its own", law.name());
        refuse("pacing", why, "leave it out");
    }
    if let (Some(LawChoice::Known(law)), EcnMode::Classic) = (law, options.ecn)
        && law.needs().counts_marks
    {
        let why = format!("`{}` answers marks by their number, which classic ECN does not tell", law.name());
        refuse("ecn", why, "ecn = \"accurate\", or \"scalable\" before dualpi2");
    }
}
