//! Questions, and which engine answers them.

use crate::answer::Answer;
use crate::watch::Watch;
use crate::{describe, fluid, optimum, simulate};
use serde_json::{Value, json};
use std::io;
use windward_scenario::{Error, Scenario};

/// Answers a question in JSON. Its field `do` is one of these, and the others are its arguments:
///
/// * `read`: the scenario as resolved and its names, or the problems of the text with their places;
/// * `simulate` with `seed`: all tables of a run;
/// * `optimum` with `utility` and `time`: the best rates, at a time in seconds or at the end;
/// * `fluid`: the windows as differential equations;
/// * `quantity` with `text`: a number with a unit in its base unit;
/// * `schema`: the JSON Schema of the format.
///
/// `scenario` is a text, TOML unless `format` is "json", and `files` has the recordings that it names.
///
/// # Panics
/// If the question is none of these: the page has a fault.
pub fn ask(question: &[u8], watch: Watch) -> Vec<u8> {
    let question: Value = serde_json::from_slice(question).expect("a question is JSON");
    let answer = match question["do"].as_str() {
        Some("schema") => Answer::of("schema", windward_scenario::schema()),
        Some("quantity") => describe::quantity(question["text"].as_str().unwrap_or_default()),
        Some(task @ ("read" | "simulate" | "optimum" | "fluid")) => match read(&question) {
            Ok(scenario) => match task {
                "read" => describe::scenario(&scenario, written(&question)),
                "simulate" => simulate::run(&scenario, question["seed"].as_u64().unwrap_or(1), watch),
                "optimum" => optimum::solve(&scenario, &question, watch),
                _ => fluid::follow(&scenario, watch),
            },
            Err(error) => problems(&error),
        },
        _ => panic!("no such question: {}", question["do"]),
    };
    answer.finish()
}

/// The fields of the text, without defaults.
fn written(question: &Value) -> Value {
    let text = question["scenario"].as_str().unwrap_or_default();
    match question["format"].as_str() {
        Some("json") => serde_json::from_str(text).unwrap_or_default(),
        _ => toml::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default(),
    }
}

fn read(question: &Value) -> Result<Scenario, Error> {
    let text = question["scenario"].as_str().unwrap_or_default();
    let origin = question["origin"].as_str().unwrap_or("scenario");
    let file = |name: &str| {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "it is not on the page; open it there too");
        question["files"][name].as_str().map(str::to_owned).ok_or_else(missing)
    };
    match question["format"].as_str() {
        Some("json") => Scenario::from_json_with(text, origin, &file),
        _ => Scenario::from_toml_with(text, origin, &file),
    }
}

/// Problems of a text, each with its place.
fn problems(error: &Error) -> Answer {
    let mut answer = Answer::of("error", error.to_string());
    let each = error.problems().iter().map(|problem| {
        json!({
            "line": problem.position.as_ref().map(|at| at.line),
            "column": problem.position.as_ref().map(|at| at.column),
            "width": problem.position.as_ref().map(|at| at.width),
            "path": problem.path,
            "message": problem.message,
            "hint": problem.hint,
        })
    });
    answer.set("problems", each.collect::<Vec<_>>());
    answer
}
