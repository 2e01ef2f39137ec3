//! Histories of Linux's own code: draws as its drivers make them, the hash of all state, and the comparison. The tests
//! of Wi-Fi's transmit queues include this file too.

use windward_units::splitmix64;

/// Draws of a history, as the driver of the kernel's code makes them.
pub struct Draws(pub u64);

impl Draws {
    pub const fn below(&mut self, count: u64) -> u64 {
        self.0 = splitmix64(self.0);
        (self.0 >> 32) % count
    }
}

/// State after a step, and the hash of all states so far (FNV-1a over 32-bit words).
pub struct Seen {
    pub values: Vec<u32>,
    pub hash: u64,
}

impl Seen {
    pub const fn new() -> Self {
        Self { values: Vec::new(), hash: 0xcbf2_9ce4_8422_2325 }
    }

    pub fn see(&mut self, value: u32) {
        self.hash = (self.hash ^ u64::from(value)).wrapping_mul(0x100_0000_01b3);
        self.values.push(value);
    }
}

/// Compares the histories of `run` with lines of a driver, and returns their number. A line has a seed, 12 bits of the
/// hash after each step, and, as a word of 16 digits, the whole hash after the last. `run` takes the seed, the number
/// of steps, and what looks at each.
pub fn compare(lines: &str, run: impl Fn(u64, usize, &mut dyn FnMut(usize, &Seen))) -> usize {
    let mut histories = 0;
    for line in lines.lines() {
        let mut words = line.split(' ');
        let seed = words.next().and_then(|word| word.parse().ok()).expect("a seed comes first");
        let (steps, whole): (Vec<&str>, Vec<&str>) = words.partition(|word| word.len() < 16);
        let mut last = 0;
        run(seed, steps.len(), &mut |step, seen| {
            last = seen.hash;
            let found = format!("{:03x}", seen.hash >> 52);
            assert_eq!(found, steps[step], "seed {seed}, step {step}: {:?}", seen.values);
        });
        for hash in whole {
            assert_eq!(format!("{last:016x}"), hash, "seed {seed}");
        }
        histories += 1;
    }
    histories
}

/// The lines of the file that an environment variable names.
pub fn lines_of(variable: &str) -> String {
    let file = std::env::var(variable).expect("the variable names a file");
    std::fs::read_to_string(file).expect("the file can be read")
}
