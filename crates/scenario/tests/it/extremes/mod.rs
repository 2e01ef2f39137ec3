//! A part of the scenarios of evidence/benches/sim/extremes.rs.

#[expect(dead_code, reason = "the bench reads the rest")]
mod check;
mod scenarios;

use check::{Outcome, judge};

/// Number of scenarios per thread. Each new law changes the draws; with this many, more than 150 run, by a margin of
/// over two standard deviations.
const EACH: u64 = 88;

/// One thread for each quarter. A failing seed is printed, and `judge(seed)` repeats it.
#[test]
fn nothing_breaks_at_the_ends_of_the_format() {
    let ran: usize = std::thread::scope(|scope| {
        let quarters = (0..4_u64).map(|quarter| {
            scope.spawn(move || (quarter * EACH..(quarter + 1) * EACH).filter(|&seed| is_run(seed)).count())
        });
        quarters.collect::<Vec<_>>().into_iter().map(|quarter| quarter.join().expect("no seed fails")).sum()
    });
    // The rest is refused, about half: among them parameters out of their range.
    assert!(ran > 150, "only {ran} of {} ran", 4 * EACH);
}

fn is_run(seed: u64) -> bool {
    matches!(judge(seed).unwrap_or_else(|wrong| panic!("{wrong}")), Outcome::Ran { .. })
}
