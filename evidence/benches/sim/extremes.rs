//! Runs ten thousand scenarios at the ends of what the format allows: `cargo bench -p windward-scenario --bench
//! extremes`, some minutes. Arguments: how many, and the first seed.

#[path = "../../../crates/scenario/tests/it/extremes/check.rs"]
mod check;
#[path = "../../../crates/scenario/tests/it/extremes/scenarios.rs"]
mod scenarios;

use check::{Outcome, judge};
use std::process::ExitCode;
use std::time::Duration;

const SCENARIOS: u64 = 10_000;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let count = numbers.first().copied().unwrap_or(SCENARIOS);
    let first = numbers.get(1).copied().unwrap_or(0);
    let (mut ran, mut refused, mut wrong) = (0, 0, 0);
    let mut slowest = (Duration::ZERO, 0, 0);
    for seed in first..first + count {
        match judge(seed) {
            Ok(Outcome::Ran { events, took }) => {
                ran += 1;
                slowest = slowest.max((took, events, seed));
            }
            Ok(Outcome::Refused) => refused += 1,
            Err(what) => {
                wrong += 1;
                println!("{what}");
            }
        }
    }
    let (took, events, seed) = slowest;
    println!("{count} scenarios: {ran} ran, {refused} refused, {wrong} wrong");
    println!("the longest run, seed {seed}: {took:.1?} for {events} events");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
