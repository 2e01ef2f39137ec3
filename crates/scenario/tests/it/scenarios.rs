//! The files in `scenarios/` are valid and agree with their comments.

use std::fs;
use std::path::{Path, PathBuf};
use windward_scenario::{Compiled, Scenario};
use windward_units::{Bytes, Duration};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios")
}

/// All files, in order.
fn files() -> Vec<PathBuf> {
    let list = |folder: PathBuf| fs::read_dir(folder).expect("the folder exists").map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = list(folder())
        .chain(list(folder().join("tcpeval")))
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    files
}

fn read(path: &Path) -> Scenario {
    let text = fs::read_to_string(path).expect("the file can be read");
    let recording = |name: &str| fs::read_to_string(path.with_file_name(name));
    Scenario::from_toml_with(&text, &path.display().to_string(), &recording).unwrap_or_else(|error| panic!("{error}"))
}

fn compile(name: &str) -> Compiled {
    read(&folder().join(name)).compile(1)
}

/// Two-way propagation delay of the first flow of a table.
fn round_trip(compiled: &Compiled, label: &str) -> Duration {
    let at = compiled.flows.iter().position(|flow| flow.label == label).unwrap_or_else(|| panic!("no flow {label}"));
    let flow = &compiled.network.flows[at];
    let ports = flow.forward.ports().chain(flow.backward.ports());
    Duration::from_nanos(ports.map(|port| compiled.network.topology.delay(port).as_nanos()).sum())
}

#[test]
fn every_file_reads_compiles_and_is_named_as_it_names_itself() {
    assert!(files().len() > 35, "{}", files().len());
    for path in files() {
        let scenario = read(&path);
        assert_eq!(path.file_stem().unwrap().to_string_lossy(), scenario.name());
        assert!(scenario.title().is_some(), "{}", path.display());
        assert!(scenario.python_laws().is_empty(), "{}", path.display());
        let compiled = scenario.compile(scenario.seeds()[0]);
        assert!(!compiled.network.flows.is_empty() || !compiled.network.sources.is_empty());
        for flow in &compiled.network.flows {
            assert!(!flow.forward.0.is_empty() && !flow.backward.0.is_empty());
        }
    }
}

#[test]
fn every_file_reads_back_as_it_is_written_out() {
    for path in files() {
        let scenario = read(&path);
        let toml = scenario.to_toml();
        assert_eq!(Scenario::from_toml(&toml, "written out").unwrap_or_else(|error| panic!("{error}")), scenario);
        let json = scenario.to_json();
        assert_eq!(Scenario::from_json(&json, "written out").unwrap_or_else(|error| panic!("{error}")), scenario);
    }
}

#[test]
fn dumbbells_have_three_links_and_a_round_trip_of_100_ms() {
    for (name, flows) in [("dumbbell.toml", 16), ("gigabit.toml", 2), ("many-flows.toml", 10_000)] {
        let compiled = compile(name);
        assert_eq!(compiled.network.flows.len(), flows);
        assert_eq!(round_trip(&compiled, "cubic"), Duration::from_millis(100));
        for flow in &compiled.network.flows {
            assert_eq!((flow.forward.0.len(), flow.backward.0.len()), (3, 3));
        }
    }
}

#[test]
fn round_trips_are_those_of_the_evaluation_suite() {
    for rate in ["10mbit", "1gbit"] {
        for (established, new) in [(80, 80), (120, 30), (30, 120)] {
            let compiled = compile(&format!("tcpeval/ramp-up-{rate}-{established}-{new}.toml"));
            assert_eq!(round_trip(&compiled, "established"), Duration::from_millis(established));
            assert_eq!(round_trip(&compiled, "new"), Duration::from_millis(new));
        }
    }
}

#[test]
fn parking_lots_offer_the_load_of_their_name() {
    for load in [60, 80, 100] {
        let compiled = compile(&format!("tcpeval/parking-lot-{load}.toml"));
        assert_eq!(round_trip(&compiled, "through-large"), Duration::from_millis(100));
        assert_eq!(round_trip(&compiled, "second-small"), Duration::from_millis(60));
        for bottleneck in ["link-1", "link-2", "link-3"] {
            let link = compiled.links.iter().position(|link| link.name == bottleneck).unwrap() as u32;
            let crossing = compiled.network.flows.iter().filter(|flow| flow.forward.ports().any(|port| port == link));
            let bytes: u64 = crossing.map(|flow| flow.size.map_or(0, Bytes::count)).sum();
            // Over the 100 s in which transfers start, as a share of 100 Mbit/s; transfers are whole, which is 1/375 of
            // the smallest load at most.
            let offered = bytes as f64 * 8.0 / 100.0 / 1e6;
            assert!((offered / f64::from(load) - 1.0).abs() < 1.0 / 375.0, "{bottleneck}: {offered}");
        }
    }
}
