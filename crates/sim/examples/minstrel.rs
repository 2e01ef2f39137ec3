//! Random histories of Minstrel-HT, to be compared with those of Linux's own code (`make validate WHAT=minstrel`).
//!
//! `minstrel FIRST COUNT REPORTS [verbose]` prints a line for each of COUNT histories: its seed, 12 bits of a hash of
//! all state so far after each report, and the whole hash. With `verbose`, a line for each report has the state itself.

#[path = "../tests/it/minstrel/history.rs"]
mod history;

use std::fmt::Write;

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let number = |at: usize| given.get(at).and_then(|text| text.parse::<u64>().ok());
    let (Some(first), Some(count), Some(reports)) = (number(1), number(2), number(3)) else {
        eprintln!("usage: minstrel FIRST COUNT REPORTS [verbose]");
        std::process::exit(2);
    };
    let is_verbose = given.len() > 4;
    for seed in first..first + count {
        let mut line = seed.to_string();
        let mut whole = 0;
        history::run(seed, reports as usize, |at, seen, hash| {
            whole = hash;
            if is_verbose {
                let numbers: String = seen.iter().map(|value| format!(" {value}")).collect();
                println!("{seed} {at}:{numbers}");
            } else {
                write!(line, " {:03x}", hash >> 52).expect("a string takes it");
            }
        });
        if !is_verbose {
            println!("{line} {whole:016x}");
        }
    }
}
