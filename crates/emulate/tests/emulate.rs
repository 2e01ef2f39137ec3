//! Scenarios between real kernels. As root: `cargo test -p windward-emulate -- --ignored --test-threads 1`, which `make
//! test` does where it can, and with nothing beside it.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use windward_emulate::{Emulation, Options, emulate};
use windward_scenario::Scenario;
use windward_sim::Control;

/// Emulates a scenario until the machine has kept the network's time, at most five times. What is asserted of the
/// result holds of any run that was in time. `None`, and a line among what was skipped, where none was.
fn in_time(test: &str, text: &str) -> Option<Emulation> {
    let scenario = Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let compiled = scenario.compile(1);
    let mut problems = Vec::new();
    for _ in 0..5 {
        let options = Options { seed: 1, ..Options::default() };
        let emulation = emulate(&compiled, options, &Control::new()).unwrap_or_else(|error| panic!("{error}"));
        match emulation.quality.problem() {
            None => return Some(emulation),
            Some(problem) => {
                println!("once more: {problem}");
                problems.push(problem);
            }
        }
    }
    let why = format!("{test}: the machine was too busy in {} runs: {}", problems.len(), problems[0]);
    println!("skipped: {why}");
    if let Some(list) = std::env::var_os("WINDWARD_SKIPPED") {
        let mut list = fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
        writeln!(list, "crates/emulate/tests/emulate.rs: {why}").unwrap();
    }
    None
}

/// 1448 of 1500 bytes are data.
const CEILING: f64 = 10e6 * 1448.0 / 1500.0;

#[test]
#[ignore = "needs root"]
fn a_flow_fills_its_link() {
    let text = r#"
        name = "one"
        duration = "6 s"
        warmup = "2 s"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "20 ms"
        buffer = "50 packets"
        [[flow]]
        from = "a"
        to = "b"
        law = { name = "cubic", hystart = true }
    "#;
    let Some(emulation) = in_time("a_flow_fills_its_link", text) else { return };
    let goodput = emulation.output.flows[0].goodput_bps;
    // A packet of which the last bit, not the first, crosses within the four seconds counts whole.
    assert!(goodput > 0.98 * CEILING && goodput < 1.0003 * CEILING, "{goodput}");
    assert!(emulation.output.links[0].max_backlog <= 50 && emulation.notes.is_empty());
    assert!(emulation.quality.packets > emulation.output.links[0].packets);
}

/// Slow start ends in the loss of half a window; while that is repaired, everything else arrives beyond a gap. Whoever
/// counted what is in order would find ten times the link's rate when the gap is filled, and credit a warm-up that ends
/// within the recovery with what arrived before it.
#[test]
#[ignore = "needs root"]
fn no_sample_exceeds_the_link_in_a_recovery() {
    let text = r#"
        name = "overshoot"
        duration = "3 s"
        [output]
        sample_interval = "10 ms"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        from = "a"
        to = "b"
        rate = "10 Mbit/s"
        delay = "20 ms"
        buffer = "50 packets"
        [[flow]]
        from = "a"
        to = "b"
        law = "reno"
    "#;
    let Some(Emulation { output, .. }) = in_time("no_sample_exceeds_the_link_in_a_recovery", text) else { return };
    let (flow, series) = (&output.flows[0], &output.flow_series.unpack());
    assert!(flow.recoveries > 0 && flow.retransmits > 1, "{flow:?}");
    // 8⅓ packets in 10 ms.
    let peak = series.goodput_bps.iter().copied().fold(0.0, f64::max);
    assert!(peak <= CEILING * (1.0 + 0.0012 / 0.010), "{peak}");
    let bytes = series.goodput_bps.iter().sum::<f64>() * 0.010 / 8.0;
    assert_eq!(bytes.round() as u64, flow.delivered_bytes);
}

/// A wire that loses every tenth packet: TCP sees none of that, and all bytes come out as they went in, or the
/// sink's kernel would not take them.
#[test]
#[ignore = "needs root"]
fn a_coded_flow_sees_no_losses() {
    let text = r#"
        name = "coded"
        duration = "10 s"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        from = "a"
        to = "b"
        rate = "2 Mbit/s"
        delay = "10 ms"
        loss = "10 %"
        buffer = "100 packets"
        reverse = { loss = 0 }
        [[flow]]
        from = "a"
        to = "b"
        law = "reno"
        segment = "960 B"
        overhead = "40 B"
        delayed_ack = false
        coding = "random"
    "#;
    let Some(Emulation { output, .. }) = in_time("a_coded_flow_sees_no_losses", text) else { return };
    let (flow, coding) = (&output.flows[0], &output.coding[0]);
    println!("{flow:?}\n{coding:?}");
    assert!(flow.goodput_bps > 1.1e6, "{flow:?}");
    // What the source's own queue drops, TCP sends again; beyond that hardly anything: SACK has room for three ranges.
    assert!(flow.retransmits <= coding.unmasked * 11 / 10 + 10 && flow.timeouts == 0, "{flow:?} {coding:?}");
    assert!(flow.segments_lost > coding.unmasked + 150, "{flow:?} {coding:?}");
    assert!(coding.innovative <= coding.received && coding.received < coding.combinations);
    assert!(output.blocks.iter().map(|block| u64::from(block.size)).sum::<u64>() * 960 > flow.delivered_bytes * 9 / 10);
}

/// Random losses hold a Reno below 3 Mbit/s: 1.22/√p packets a round trip of 40 ms are 1.2 Mbit/s. n grows by 0.5/n a
/// second without a queue. While there are no losses, connections make a queue and n comes down to one. When losses
/// come back, what was closed opens again.
#[test]
#[ignore = "needs root"]
fn a_transfer_opens_and_closes_connections_by_its_probes() {
    let text = r#"
        name = "transfer"
        duration = "17 s"
        [output]
        internals = true
        sample_interval = "100 ms"
        [[node]]
        name = "a"
        [[node]]
        name = "b"
        [[link]]
        name = "path"
        from = "a"
        to = "b"
        rate = "3 Mbit/s"
        delay = "20 ms"
        buffer = "100 packets"
        loss = "7 %"
        reverse = { loss = 0 }
        [[change]]
        link = "path"
        steps = [{ at = "6 s", loss = 0 }, { at = "9 s", loss = "7 %" }]
        [[flow]]
        name = "transfer"
        from = "a"
        to = "b"
        law = "reno"
        connections = { law = "emultcp", tau = "500 ms", probes = true, max = 4 }
    "#;
    let test = "a_transfer_opens_and_closes_connections_by_its_probes";
    let Some(Emulation { output, notes, .. }) = in_time(test, text) else { return };
    println!("{:?}\n{:?}", output.sources, output.flows);
    let internals = &output.internals;
    let wanted = internals.names.iter().position(|name| name == "open").expect("transfers show it") as u32;
    let samples = internals.samples.name.iter().zip(&internals.samples.time_s).zip(&internals.samples.value);
    let open = |from: f64, to: f64| {
        let within = samples.clone().filter(|((name, time), _)| **name == wanted && (from..to).contains(*time));
        within.map(|(_, open)| *open).collect::<Vec<_>>()
    };
    let [lossy, clean, again] = [open(0.0, 6.0), open(6.0, 9.0), open(9.0, 18.0)];
    println!("{lossy:?}\n{clean:?}\n{again:?}");
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    assert!(lossy[0] == 1.0 && most(&lossy) >= 2.0, "{lossy:?}");
    assert!(clean.last() == Some(&1.0) && most(&again) >= 2.0, "{clean:?} {again:?}");
    // A probe for each segment, by the mean rate of the last second.
    let segments: u64 = output.flows.iter().map(|flow| flow.segments_sent).sum();
    let probes = &output.sources[0];
    assert!(probes.sent.abs_diff(segments) < segments / 5 && probes.received > probes.sent / 2, "{probes:?}");
    assert!(notes.is_empty() && output.flows[1].delivered_bytes > 0, "{notes:?}");
}
