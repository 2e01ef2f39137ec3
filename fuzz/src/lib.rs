//! Fuzz targets: everything that reads what others wrote.
//!
//! Each target takes any bytes. It must neither panic nor hang, and what it reads must agree with itself: a scenario
//! written out reads back equal, a message that arrives in pieces is the message that arrives at once. `make fuzz` runs
//! them under libFuzzer; `cargo test` runs them over the corpus, in which every finding stays.

pub mod mutate;

use std::io;
use windward_scenario::Scenario;
use windward_sim::Opportunities;
use windward_sim::cell::channel::SnrTrace;
use windward_transfer::fuzz as transfer;

/// A scenario in TOML, or in JSON if the text begins with `{`: read, checked, compiled, written, read again.
pub fn scenario(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let scenario = if text.starts_with('{') {
        Scenario::from_json_with(text, "fuzz.json", &recording)
    } else {
        Scenario::from_toml_with(text, "fuzz.toml", &recording)
    };
    let scenario = match scenario {
        Ok(scenario) => scenario,
        Err(error) => {
            assert!(!error.problems().is_empty() && !error.to_string().is_empty());
            return;
        }
    };
    let again = Scenario::from_toml(&scenario.to_toml(), "again.toml");
    assert_eq!(again.as_ref(), Ok(&scenario), "TOML reads back");
    let again = Scenario::from_json(&scenario.to_json(), "again.json");
    assert_eq!(again.as_ref(), Ok(&scenario), "JSON reads back");
    compile(&scenario);
}

/// Files in a scenario's folder: one recording of each kind.
fn recording(name: &str) -> io::Result<String> {
    match name {
        "trace" => Ok("1\n2\n2\n5\n".to_owned()),
        "snr.csv" => Ok("time_s,snr_db\n0.0,10\n0.1,12.5\n0.2,-3\n".to_owned()),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

fn compile(scenario: &Scenario) {
    let compiled = scenario.compile(1);
    assert_eq!(compiled.flows.len(), compiled.network.flows.len());
    let places = compiled.links.len() as u32;
    let routes = compiled.network.flows.iter().flat_map(|flow| [&flow.forward, &flow.backward]);
    for route in routes.chain(compiled.network.sources.iter().map(|source| &source.path)) {
        assert!(!route.0.is_empty() && route.ports().all(|port| port < places), "routes lead over links that exist");
    }
}

/// A request to the server or a response to the client; the first byte chooses, and for a response how it is framed.
pub fn http(data: &[u8]) {
    let Some((kind, message)) = data.split_first() else { return };
    match kind % 4 {
        0 => transfer::request(message),
        1 => transfer::response(message, false),
        2 => transfer::response(message, true),
        _ => transfer::values(message),
    }
}

/// Reads recordings of earlier runs and other programs; the first byte chooses the kind.
pub fn recordings(data: &[u8]) {
    let Some((kind, recording)) = data.split_first() else { return };
    match (kind % 4, std::str::from_utf8(recording)) {
        (0, Ok(text)) => opportunities(text),
        (1, Ok(text)) => snr(text),
        (2, _) => transfer::journal(recording),
        (3, Ok(text)) => transfer::memory(text),
        _ => {}
    }
}

fn opportunities(text: &str) {
    match Opportunities::from_mahimahi(text) {
        Ok(trace) => {
            let millis: Vec<u64> = trace.millis().collect();
            assert_eq!(Opportunities::from_millis(&millis).as_ref(), Ok(&trace));
            assert!(trace.mean_rate().as_bits_per_sec() > 0);
        }
        Err(error) => assert!(error.line > 0 && !error.to_string().is_empty()),
    }
}

fn snr(text: &str) {
    match SnrTrace::from_csv(text) {
        Ok(trace) => assert!(trace.samples.len() > 1 && trace.samples.iter().all(|sample| sample.is_finite())),
        Err(error) => assert!(error.line > 0 && !error.to_string().is_empty()),
    }
}
