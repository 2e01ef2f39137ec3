//! The schema and the reference page say what the reader does.

use serde_json::json;
use std::fs;
use std::path::Path;
use windward_scenario::{reference, schema};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn the_reference_page_is_up_to_date() {
    let page = fs::read_to_string(repository().join("docs/reference/scenario.md")).expect("the page is committed");
    let command = "cargo run -p windward-scenario --example reference > docs/reference/scenario.md";
    assert!(page == reference(), "the page is not what the schema says; write it anew: {command}");
}

#[test]
fn the_schema_is_a_json_schema() {
    assert!(jsonschema::meta::is_valid(&schema()));
}

#[test]
fn the_schema_refuses_what_the_reader_refuses_by_form() {
    let validator = jsonschema::validator_for(&schema()).expect("it is a JSON Schema");
    let right = json!({
        "name": "n", "duration": "1 s", "node": [{ "name": "a" }, { "name": "b" }],
        "link": [{ "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms" }],
        "flow": [{ "from": "a", "to": "b", "law": { "name": "quic-tcp", "rho": 0.5 } }],
    });
    assert!(validator.is_valid(&right));
    let wrong = [
        ("/duration", json!("1")),
        ("/duration", json!("1 meter")),
        ("/duration", json!(1)),
        ("/seeds", json!([1, 1])),
        ("/durration", json!("1 s")),
        ("/node/0/count", json!(0)),
        ("/node/0/name", json!("a b")),
        ("/link/0/rate", json!("1 Mbit")),
        ("/link/0/loss", json!(1.5)),
        ("/link/0/loss", json!({ "model": "gilbert" })),
        ("/link/0/jitter", json!({ "model": "uniform", "mean": "1 ms" })),
        ("/link/0/buffer", json!("100 potatoes")),
        ("/flow/0/law", json!("cubik")),
        ("/flow/0/law", json!({ "name": "quic-tcp", "rhoo": 0.5 })),
        ("/flow/0/initial_window", json!(11)),
        ("/flow/0/delayed_ack", json!(true)),
    ];
    for (pointer, value) in wrong {
        let mut changed = right.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[key] = value.clone();
        assert!(!validator.is_valid(&changed), "{pointer} = {value}");
        let error =
            windward_scenario::Scenario::from_json(&changed.to_string(), "n").expect_err("the reader refuses too");
        let path = &error.problems()[0].path;
        let expected: String = pointer.replace("/0", "[0]").replace('/', ".");
        assert!(path.starts_with(expected.trim_start_matches('.')), "{pointer} = {value}: told at {path}");
    }
}
