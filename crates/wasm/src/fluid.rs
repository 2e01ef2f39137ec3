//! The windows as differential equations.

use crate::answer::Answer;
use crate::watch::Watch;
use serde_json::json;
use std::sync::Arc;
use windward_fluid::{Losses, Method, Rest};
use windward_models::{FluidRun, Models};
use windward_scenario::Scenario;
use windward_sim::Control;

/// Relative tolerance of the integration, as `windward fluid` has it.
const TOLERANCE: f64 = 1e-6;

/// Deviation within which rates count as settled, as `windward fluid` has it.
const SETTLED: f64 = 0.01;

pub(crate) fn follow(scenario: &Scenario, watch: Watch) -> Answer {
    let control = Arc::new(Control::watched(watch.look));
    match scenario.fluid_until(Method::Ode { tolerance: TOLERANCE }, Losses::Law, &control) {
        Ok(run) => columns(&run),
        Err(error) => Answer::of("error", error.to_string()),
    }
}

fn columns(run: &FluidRun) -> Answer {
    let mut answer = Answer::default();
    let trajectory = &run.trajectory;
    let goodputs = trajectory.time.iter().zip(&trajectory.rates).flat_map(|(&time, rates)| {
        let efficiency = &run.efficiency[trajectory.piece_at(time)];
        let rates = run.class.iter().map(|&class| rates[class as usize]);
        rates.zip(efficiency).map(|(rate, share)| rate * (run.packet_bits * share))
    });
    let goodputs: Vec<f64> = goodputs.collect();
    let flat = |rows: &[Vec<f64>], scale: f64| -> Vec<f64> {
        rows.iter().flat_map(|row| run.class.iter().map(move |&class| row[class as usize] * scale)).collect()
    };
    // A row for each instant, in it a column for each flow.
    let series = json!({
        "time_s": answer.doubles(trajectory.time.iter().copied()),
        "cwnd": answer.doubles(flat(&trajectory.windows, 1.0)),
        "rate_bps": answer.doubles(flat(&trajectory.rates, run.packet_bits)),
        "goodput_bps": answer.doubles(goodputs),
        "queue_delay_ms": answer.doubles(flat(&trajectory.delays, 1e3)),
    });
    let class = |flow: usize| run.class[flow] as usize;
    let rests = trajectory.rests.iter().enumerate();
    let each = |of: &dyn Fn(&Rest, usize, usize) -> f64| -> Vec<f64> {
        let pairs = rests.clone().flat_map(|(piece, rest)| (0..run.flows.len()).map(move |flow| (rest, piece, flow)));
        pairs.map(|(rest, piece, flow)| of(rest, piece, flow)).collect()
    };
    let rests = json!({
        "from_s": answer.doubles(each(&|rest, _, _| rest.span.0)),
        "until_s": answer.doubles(each(&|rest, _, _| rest.span.1)),
        "goodput_bps": answer.doubles(each(&|rest, piece, flow| {
            rest.rates[class(flow)] * (run.packet_bits * run.efficiency[piece][flow])
        })),
    });
    answer.set("tables", json!({ "flow_series": series, "rests": rests }));
    answer.set("flow", run.flows.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    answer.set("law", run.flows.iter().map(|(_, law)| law.as_str()).collect::<Vec<_>>());
    answer.set("settled_s", trajectory.settled(SETTLED));
    answer.set("evaluations", trajectory.evaluations);
    answer
}
