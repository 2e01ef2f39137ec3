//! Solves random problems over six powers of ten, judges them by their certificates, and writes
//! evidence/measured/validation/optimum.md: `cargo bench -p windward-num --bench robustness` (some minutes).

#[path = "../../../crates/num/tests/it/random.rs"]
#[expect(dead_code, reason = "the tests use the rest")]
mod random;
#[path = "../../../crates/num/tests/it/wide.rs"]
mod wide;

use random::KINDS;
use std::fmt::Write;
use windward_num::{Options, Problem, Utility, solve};

const DECADES: [f64; 3] = [1.5, 3.0, 6.0];
/// Per kind of region, at 6 decades; an eighth of it at fewer.
const PROBLEMS: u64 = 1250;

/// Outcome of the problems of one kind.
#[derive(Default)]
struct Tally {
    problems: u64,
    refused: u64,
    refused_max_min: u64,
    /// Largest of the primal, dual and scheduling residuals and the gap.
    worst: f64,
    slackness: f64,
}

fn main() {
    let mut rows = String::new();
    let mut total = Tally::default();
    for decades in DECADES {
        for kind in KINDS {
            let count = if decades == 6.0 { PROBLEMS } else { PROBLEMS / 8 };
            let tally = run(kind, decades, count);
            total.problems += tally.problems;
            total.refused += tally.refused;
            let Tally { problems, refused, refused_max_min, worst, slackness } = tally;
            let row = format!(
                "| {decades} | {kind} | {problems} | {refused} | {refused_max_min} | {worst:.0e} | {slackness:.0e} |"
            );
            println!("{row}");
            writeln!(rows, "{row}").expect("a string can be written to");
        }
    }
    let (problems, refused) = (total.problems, total.refused);
    let page = PAGE.replace("{rows}", rows.trim_end()).replace("{problems}", &problems.to_string());
    let page = page.replace("{refused}", &refused.to_string());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/measured/validation/optimum.md");
    std::fs::write(path, page).expect("the page can be written");
}

fn run(kind: &str, decades: f64, count: u64) -> Tally {
    let mut tally = Tally { problems: count, ..Tally::default() };
    for seed in 0..count {
        let problem = wide::problem(seed, kind, decades);
        let Ok(best) = solve(&problem, &Options::default()) else {
            tally.refused += 1;
            tally.refused_max_min += u64::from(is_max_min(&problem));
            continue;
        };
        let c = best.certificate;
        tally.worst = [c.primal, c.dual, c.scheduling, c.gap].into_iter().fold(tally.worst, f64::max);
        tally.slackness = tally.slackness.max(c.slackness);
    }
    tally
}

fn is_max_min(problem: &Problem) -> bool {
    problem.utilities.iter().any(|u| matches!(u, Utility::MaxMin { .. }))
}

const PAGE: &str = "\
# Optima over many powers of ten

<!-- Generated: make bench -->

Written by `cargo bench -p windward-num --bench robustness`, a part of `make bench`. {problems} random problems, {refused} refused. They have
2 to 60 flows of one to four links each over 2 to 40 links. Each problem has every utility (alpha from 0.3 to 8); every sixteenth is
max-min. Capacities and weights spread over the powers of ten of the first column. An optimum is judged by its
[certificate](../../reference/models/num.md#the-certificate).

| decades | region | problems | refused | of these max-min | worst of primal, dual, scheduling, gap | slackness |
|---|---|---|---|---|---|---|
{rows}
";
