//! The best rates.

use crate::answer::Answer;
use crate::watch::Watch;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use windward_models::{Models, Objective, Optimum};
use windward_num::Stop;
use windward_scenario::Scenario;
use windward_sim::Control;
use windward_units::{Duration, Time};

pub(crate) fn solve(scenario: &Scenario, question: &Value, watch: Watch) -> Answer {
    let name = question["utility"].as_str().unwrap_or("proportional");
    let Some(objective) = objective(name) else {
        return Answer::of("error", format!("unknown utility `{name}`"));
    };
    let time = question["time"].as_f64().map_or(scenario.duration(), Duration::from_secs);
    let control = Arc::new(Control::watched(watch.look));
    let stop = Stop::when(move || {
        control.set_simulated(Time::ZERO);
        control.is_cancelled()
    });
    match scenario.optimum_until(objective, Time::ZERO + time, &stop) {
        Ok(best) => columns(&best, &crate::describe::laws(scenario)),
        Err(error) => Answer::of("error", error.to_string()),
    }
}

/// Objective of this name: "proportional", "max-min", "law" or "alpha=NUMBER".
fn objective(name: &str) -> Option<Objective> {
    match name {
        "proportional" => Some(Objective::Proportional),
        "max-min" => Some(Objective::MaxMin),
        "law" => Some(Objective::Law),
        _ => {
            let alpha: f64 = name.strip_prefix("alpha=")?.parse().ok()?;
            (alpha >= 0.0 && alpha.is_finite()).then_some(Objective::Alpha(alpha))
        }
    }
}

fn columns(best: &Optimum, laws: &[String]) -> Answer {
    let mut answer = Answer::default();
    let flows = json!({
        "flow": best.flows.iter().map(|flow| flow.name.as_str()).collect::<Vec<_>>(),
        "law": laws,
        "rate_bps": answer.doubles(best.flows.iter().map(|flow| flow.rate_bps)),
        "goodput_bps": answer.doubles(best.flows.iter().map(|flow| flow.goodput_bps)),
        "path_price": answer.doubles(best.flows.iter().map(|flow| flow.path_price)),
    });
    let links = json!({
        "link": best.links.iter().map(|link| link.name.as_str()).collect::<Vec<_>>(),
        "capacity_bps": answer.doubles(best.links.iter().map(|link| link.capacity_bps)),
        "load_bps": answer.doubles(best.links.iter().map(|link| link.load_bps)),
        "price": answer.doubles(best.links.iter().map(|link| link.price)),
    });
    let mut tables = Map::new();
    tables.insert("flows".to_owned(), flows);
    tables.insert("links".to_owned(), links);
    if !best.apps.is_empty() {
        let apps = json!({
            "app": best.apps.iter().map(|app| app.name.as_str()).collect::<Vec<_>>(),
            "requests_per_s": answer.doubles(best.apps.iter().map(|app| app.requests_per_s)),
            "request_bps": answer.doubles(best.apps.iter().map(|app| app.request_bps)),
            "response_bps": answer.doubles(best.apps.iter().map(|app| app.response_bps)),
            "bottleneck": best.apps.iter().map(|app| app.bottleneck.as_str()).collect::<Vec<_>>(),
            "load": answer.doubles(best.apps.iter().map(|app| app.load)),
            "completion_s": answer.doubles(best.apps.iter().map(|app| app.completion_s)),
            "slowdown": answer.doubles(best.apps.iter().map(|app| app.slowdown)),
        });
        tables.insert("apps".to_owned(), apps);
    }
    answer.set("tables", tables);
    answer.set("objective", best.solution.objective);
    answer.set("iterations", best.solution.iterations);
    answer.set("certificate", serde_json::to_value(best.solution.certificate).unwrap_or_default());
    answer.set("packet_bytes", best.packet_bytes);
    answer
}
