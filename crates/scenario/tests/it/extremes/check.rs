//! Invariants of every run, however extreme its scenario.
#![expect(clippy::disallowed_types, reason = "how long a run takes is what is asked")]

use super::scenarios::{RECORDING, scenario};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Network, Output, run};

/// Time limit of a run, and its increase per event. An event of a full window takes some microseconds.
const BASE: Duration = Duration::from_secs(5);
const PER_EVENT: Duration = Duration::from_micros(200);
/// Time after which a run counts as endless.
const FOREVER: Duration = Duration::from_secs(120);

/// Outcome of a scenario.
pub enum Outcome {
    /// Refused, with its place and a reason.
    Refused,
    /// Completed: number of events, and time.
    Ran { events: u64, took: Duration },
}

/// Runs the scenario of `seed`; returns the faults of its outcome.
pub fn judge(seed: u64) -> Result<Outcome, String> {
    let text = scenario(seed);
    let scenario = match Scenario::from_json_with(&text, "extreme", &|_| Ok(RECORDING.to_owned())) {
        Ok(scenario) => scenario,
        Err(error) => {
            let problems = error.problems();
            let is_told = !problems.is_empty() && problems.iter().all(|p| !p.path.is_empty() && !p.message.is_empty());
            return if is_told {
                Ok(Outcome::Refused)
            } else {
                Err(format!("seed {seed}: refused without a place: {error}"))
            };
        }
    };
    let network = scenario.compile(1).network;
    let wrong = |what: &dyn std::fmt::Display| Err(format!("seed {seed}: {what}\n{text}"));
    let (first, second) = (simulate(&network), simulate(&network));
    let (Some((output, took)), Some((again, _))) = (first, second) else {
        return wrong(&format_args!("not over after {FOREVER:?}"));
    };
    if took > BASE + PER_EVENT * u32::try_from(output.events).unwrap_or(u32::MAX) {
        return wrong(&format_args!("{took:?} for {} events", output.events));
    }
    if let Err(what) = holds(&network, &output) {
        return wrong(&what);
    }
    // Series hold NaN, which does not equal itself.
    if format!("{output:?}") != format!("{again:?}") {
        return wrong(&"a second run differs from the first");
    }
    Ok(Outcome::Ran { events: output.events, took })
}

/// Output of a run and its duration; `None` if it does not end.
fn simulate(network: &Network) -> Option<(Output, Duration)> {
    let control = Control::new();
    let (began, (done, is_done)) = (Instant::now(), mpsc::channel::<()>());
    let watched = &control;
    thread::scope(|scope| {
        let watch = scope.spawn(move || {
            if is_done.recv_timeout(FOREVER).is_err() {
                watched.cancel();
            }
        });
        let output = run(network, &Makers::default(), 1, &control, None).ok();
        let took = began.elapsed();
        let _ = done.send(());
        watch.join().expect("it only waits");
        Some((output?, took))
    })
}

fn holds(network: &Network, output: &Output) -> Result<(), String> {
    let fail = |what: String| Err(what);
    let balance = output.balance;
    if balance.sent != balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way {
        return fail(format!("{balance:?}"));
    }
    for link in &output.links {
        let numbers = [link.utilization, link.mean_backlog];
        if !numbers.iter().all(|value| value.is_finite() && *value >= 0.0) {
            return fail(format!("not finite: {link:?}"));
        }
        // Means are quotients of whole nanoseconds: rounding is all that may be above.
        if link.utilization > 1.0 + 1e-12 || link.mean_backlog > link.max_backlog as f64 * (1.0 + 1e-12) {
            return fail(format!("a mean above its limit: {link:?}"));
        }
        if link.lost > link.packets {
            return fail(format!("more lost than sent: {link:?}"));
        }
        if !(link.mean_queue_delay_s >= 0.0 || link.packets == 0) {
            return fail(format!("a wait below zero: {link:?}"));
        }
    }
    for (flow, config) in output.flows.iter().zip(&network.flows) {
        if flow.segments_lost > flow.segments_sent || flow.retransmits > flow.segments_sent {
            return fail(format!("more lost than sent: {flow:?}"));
        }
        let goodput = flow.goodput_bps;
        if !(goodput.is_finite() && goodput >= 0.0)
            || config.size.is_some_and(|size| flow.delivered_bytes > size.count())
        {
            return fail(format!("delivered: {flow:?}"));
        }
        if flow.mean_cwnd < 0.0 || flow.mean_cwnd.is_infinite() || flow.mean_window_rate_pps < 0.0 {
            return fail(format!("a window: {flow:?}"));
        }
        if flow.min_rtt_s > flow.mean_rtt_s * (1.0 + 1e-9) || flow.mean_rtt_s > flow.max_rtt_s * (1.0 + 1e-9) {
            return fail(format!("a round trip: {flow:?}"));
        }
    }
    Ok(())
}
