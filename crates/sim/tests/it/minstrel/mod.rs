//! Minstrel-HT against Linux's own code: `vectors.txt` has what `evidence/benches/wifi/minstrel/driver.c` printed for
//! it.

mod history;

/// 200 histories of 200 reports from the kernel's file: seed, 12 bits of the hash of all state after each report, hash.
const VECTORS: &str = include_str!("vectors.txt");

/// All state of a few histories, in numbers: a fault shows what differs.
const NUMBERS: &str = include_str!("numbers.txt");

#[test]
fn histories_are_those_of_linux() {
    let mut histories = 0;
    for line in VECTORS.lines() {
        let mut words = line.split(' ');
        let seed: u64 = words.next().and_then(|word| word.parse().ok()).expect("a seed comes first");
        let expected: Vec<&str> = words.collect();
        let reports = expected.len() - 1;
        assert_eq!(reports, 200);
        history::run(seed, reports, |at, seen, hash| {
            assert_eq!(format!("{:03x}", hash >> 52), expected[at], "seed {seed}, report {at}: {seen:?}");
            if at + 1 == reports {
                assert_eq!(format!("{hash:016x}"), expected[reports], "seed {seed}");
            }
        });
        histories += 1;
    }
    assert_eq!(histories, 200);
}

#[test]
fn numbers_are_those_of_linux() {
    let mut lines = NUMBERS.lines();
    for seed in 1..4 {
        history::run(seed, 40, |at, seen, _| {
            let numbers: String = seen.iter().map(|value| format!(" {value}")).collect();
            assert_eq!(Some(format!("{seed} {at}:{numbers}").as_str()), lines.next());
        });
    }
    assert_eq!(lines.next(), None);
}
