//! The window of each law, round trip by round trip, alone on one bottleneck: 1000 packets a second, 100 ms, 100
//! packets of buffer. A difference in a snapshot is a difference in results; look at it before accepting it
//! (`INSTA_UPDATE=always`).
//!
//! `WINDWARD_DRAW=1 cargo test -p windward-laws trajectory -- --nocapture` draws the windows instead of comparing them.

use crate::host::{Bottleneck, Flow, run};
use serde_json::{Map, json};
use windward_laws::{LawSpec, Mode, cubic, fast, quic_tcp};
use windward_units::{Duration, Time};

/// Runs for 30 s and compares the windows, rounded to packets, with the snapshot `name`.
fn snapshot(name: &str, law: LawSpec) {
    let bottleneck = Bottleneck { rate: 1000.0, buffer: 100.0 };
    let flow = Flow::new(law, Duration::from_millis(100));
    let end = Time::from_nanos(30_000_000_000);
    let trace = run(bottleneck, &[flow], Time::ZERO, end).remove(0);
    if std::env::var_os("WINDWARD_DRAW").is_some() {
        draw(name, &trace.cwnd);
        return;
    }
    let lines: Vec<String> = trace
        .cwnd
        .chunks(20)
        .map(|rounds| rounds.iter().map(|cwnd| format!("{cwnd:4.0}")).collect::<Vec<_>>().join(" "))
        .collect();
    let summary = format!("losses {} timeouts {} rate {:.0}/s", trace.losses, trace.timeouts, trace.rate);
    insta::assert_snapshot!(name, format!("{summary}\n{}", lines.join("\n")));
}

/// One line a round trip, one column for three packets.
fn draw(name: &str, windows: &[f64]) {
    println!("{name}");
    for (round, cwnd) in windows.iter().enumerate() {
        println!("{round:4} {cwnd:6.1} {}*", " ".repeat((cwnd / 3.0) as usize));
    }
}

/// Every law with its defaults, but with little enough in the queue for the buffer.
#[test]
fn laws() {
    for spec in LawSpec::all() {
        let parameters =
            spec.fluid().and_then(|law| law.backlog_parameter()).map(|backlog| (backlog.to_owned(), json!(BACKLOG)));
        let law = LawSpec::from_json(spec.name(), parameters.into_iter().collect::<Map<_, _>>().into());
        snapshot(spec.name(), law.expect("a backlog may be as small"));
    }
}

/// Trajectories with a parameter changed.
#[test]
fn other_forms() {
    snapshot("cubic-hystart", LawSpec::Cubic(cubic::Params { hystart: true, ..Default::default() }));
    let version = cubic::Version::Linux;
    snapshot("cubic-linux", LawSpec::Cubic(cubic::Params { version, hystart: true, ..Default::default() }));
    let version = cubic::Version::Linux2622;
    snapshot("cubic-linux-2.6.22", LawSpec::Cubic(cubic::Params { version, ..Default::default() }));
    let version = cubic::Version::Linux2631;
    snapshot("cubic-linux-2.6.31", LawSpec::Cubic(cubic::Params { version, hystart: true, ..Default::default() }));
    snapshot("fast-ns2", LawSpec::Fast(fast::Params { alpha: BACKLOG, mode: Mode::Ns2, ..Default::default() }));
    let ns2 = quic_tcp::Params { backlog: BACKLOG, mode: Mode::Ns2, ..Default::default() };
    snapshot("quic-tcp-ns2", LawSpec::QuicTcp(ns2));
}

/// Packets in the queue of a law that keeps a number of its own there.
const BACKLOG: f64 = 40.0;
