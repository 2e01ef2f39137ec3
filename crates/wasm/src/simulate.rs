//! The packets of one seed.

use crate::answer::Answer;
use crate::watch::{SHOWN, Watch};
use serde_json::Map;
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, run_shown};
use windward_tables::{Frame, Shape};

pub(crate) fn run(scenario: &Scenario, seed: u64, watch: Watch) -> Answer {
    if let Err(error) = scenario.check_packets() {
        return Answer::of("error", error.to_string());
    }
    if let Some(class) = crate::describe::python_classes(scenario).first() {
        return Answer::of("error", format!("`{class}` is written in Python, which does not run in a browser"));
    }
    if let Some(flow) = scenario.first_over_quic() {
        return Answer::of("error", format!("`{flow}` is over QUIC, which does not run in a browser"));
    }
    let (network, groups) = {
        let compiled = scenario.compile(seed);
        let groups = compiled.group_of_flows();
        (compiled.network, groups)
    };
    let control = Control::watched(watch.look);
    let makers = Makers::default();
    let outcome = SHOWN.with(|shown| run_shown(&network, &makers, seed, &control, Some(shown), None));
    let mut output = match outcome {
        Ok(output) => output,
        Err(error) => return Answer::of("error", error.to_string()),
    };
    drop(network);
    output.group(&groups);
    let mut answer = Answer::of("seed", output.seed);
    answer.set("events", output.events);
    answer.set("packet_hops", output.packet_hops);
    let (frames, internal_names) = output.into_tables();
    answer.set("internal_names", internal_names);
    let is_total = |frame: &&Frame| frame.table.shape == Shape::Totals;
    answer.set("totals", frames.iter().filter(is_total).map(|frame| frame.table.name).collect::<Vec<_>>());
    let mut tables = Map::new();
    for frame in frames {
        tables.insert(frame.table.name.to_owned(), answer.frame(frame));
    }
    answer.set("tables", tables);
    answer
}
