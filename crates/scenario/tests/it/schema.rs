//! The reference page agrees with the schema. `tests/scenario/test_schema.py` checks that the schema agrees with the
//! reader.

use std::fs;
use std::path::Path;
use windward_scenario::reference;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn the_reference_page_is_up_to_date() {
    let page = fs::read_to_string(repository().join("docs/reference/scenario.md")).expect("the page is committed");
    let command = "cargo run -p windward-scenario --example reference > docs/reference/scenario.md";
    assert!(page == reference(), "the page is not what the schema says; write it anew: {command}");
}
