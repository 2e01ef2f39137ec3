//! The window of each law, round trip by round trip, alone on one bottleneck: 1000 packets a second, 100 ms, 100 packets of
//! buffer. A difference in a snapshot is a difference in results; look at it before accepting it (`INSTA_UPDATE=always`).
//!
//! `WINDWARD_DRAW=1 cargo test -p windward-laws trajectory -- --nocapture` draws the windows instead of comparing them.

use crate::host::{Bottleneck, Flow, run};
use windward_laws::{LawSpec, Mode, compound, cubic, fast, quic_tcp, reno, tcp_fit, vegas, westwood};
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

#[test]
fn reno_trajectory() {
    snapshot("reno", LawSpec::Reno(reno::Params::default()));
}

#[test]
fn cubic_trajectory() {
    snapshot("cubic", LawSpec::Cubic(cubic::Params::default()));
    snapshot("cubic-hystart", LawSpec::Cubic(cubic::Params { hystart: true, ..Default::default() }));
}

#[test]
fn vegas_trajectory() {
    snapshot("vegas", LawSpec::Vegas(vegas::Params::default()));
}

#[test]
fn fast_trajectory() {
    for (name, mode) in [("fast", Mode::Paper), ("fast-ns2", Mode::Ns2)] {
        snapshot(name, LawSpec::Fast(fast::Params { alpha: 40.0, mode, ..Default::default() }));
    }
}

#[test]
fn quic_tcp_trajectory() {
    for (name, mode) in [("quic-tcp", Mode::Paper), ("quic-tcp-ns2", Mode::Ns2)] {
        snapshot(name, LawSpec::QuicTcp(quic_tcp::Params { backlog: 40.0, mode, ..Default::default() }));
    }
}

#[test]
fn compound_trajectory() {
    snapshot("compound", LawSpec::Compound(compound::Params::default()));
}

#[test]
fn westwood_trajectory() {
    snapshot("westwood", LawSpec::Westwood(westwood::Params::default()));
}

#[test]
fn tcp_fit_trajectory() {
    snapshot("tcp-fit", LawSpec::TcpFit(tcp_fit::Params::default()));
}
