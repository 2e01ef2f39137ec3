//! Random histories of Minstrel-HT; `evidence/benches/wifi/minstrel/driver.c` draws the same ones for Linux's own code.

use windward_sim::wifi::minstrel::{Capabilities, Chain, Minstrel, STAGES, SampleTable};
use windward_sim::wifi::ppdu::{Format, Guard, Width};
use windward_units::{Time, splitmix64};

/// Linux's groups and the rates of a group.
const GROUPS: usize = 42;
const RATES: usize = 10;

/// Random numbers.
struct Draws(u64);

impl Draws {
    const fn draw(&mut self) -> u64 {
        self.0 = splitmix64(self.0);
        self.0
    }

    const fn below(&mut self, count: u64) -> u64 {
        (self.draw() >> 32) % count
    }
}

/// Success probabilities of all rates, in 65536ths.
type Hidden = [[u64; RATES]; GROUPS];

/// Draws new success probabilities: any at all, those of a limit on the MCS, or on the streams.
fn change(draws: &mut Draws, hidden: &mut Hidden) {
    let (kind, limit) = (draws.below(3), draws.below(10));
    for (group, rates) in hidden.iter_mut().enumerate() {
        let streams = match group {
            16 | 17 => 1,
            ..16 => group as u64 % 4 + 1,
            _ => (group as u64 - 18) % 4 + 1,
        };
        for (mcs, probability) in rates.iter_mut().enumerate() {
            let any = draws.draw() >> 48;
            *probability = match kind {
                0 => any,
                1 if mcs as u64 <= limit => 62_000,
                1 => any / 32,
                _ if streams <= 1 + limit / 3 => 50_000 + any / 8,
                _ => any / 64,
            };
        }
    }
}

/// Lets `see` see all numbers after each of `reports` reports of the history of a seed; then the hash of all so far.
pub fn run(seed: u64, reports: usize, mut see: impl FnMut(usize, &[u32], u64)) {
    let mut draws = Draws(seed);
    let draws = &mut draws;
    let is_vht = draws.below(2) == 1;
    let width = Width::ALL[draws.below(if is_vht { 3 } else { 2 }) as usize];
    let streams = 1 + draws.below(4) as u8;
    let is_short = draws.below(2) == 1;
    let mcs = if is_vht { 7 + draws.below(3) as u8 } else { 7 };
    let tries = [2, 4, 7, 10][draws.below(4) as usize];
    let reports_length = draws.below(8) != 0;
    let format = if is_vht { Format::Vht } else { Format::Ht };
    let guard = if is_short { Guard::Ns400 } else { Guard::Ns800 };
    let capabilities = Capabilities { format, width, streams, guard, mcs, tries, reports_length };
    let mut millis = 1000 + draws.below(1000);
    let table = SampleTable::new(format, || (draws.draw() >> 32) as u8);
    let mut hidden = [[0; RATES]; GROUPS];
    change(draws, &mut hidden);
    let now = |millis| Time::from_nanos(millis * 1_000_000);
    let mut minstrel = Minstrel::new(now(millis), &capabilities, table);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut seen = Vec::new();
    for at in 0..reports {
        let pace = draws.below(8);
        millis += draws.below(match pace {
            ..6 => 4,
            6 => 30,
            _ => 120,
        });
        if draws.below(64) == 0 {
            change(draws, &mut hidden);
        }
        let chain = minstrel.chain(now(millis));
        let mut mpdus = 1 + draws.below(64);
        if chain.probe && draws.below(2) == 1 {
            mpdus = 1;
        }
        seen.clear();
        for stage in &chain.stages {
            seen.extend([u32::from(Minstrel::number(stage)), u32::from(stage.attempts), u32::from(stage.rts)]);
        }
        seen.push(u32::from(chain.probe));
        let (tries, acknowledged) = attempt(draws, &hidden, &chain, mpdus);
        minstrel.report(now(millis), &chain, tries, mpdus as u16, acknowledged as u16);
        minstrel.observe(|value| seen.push(value));
        seen.push(minstrel.expected_throughput() as u32);
        for value in &seen {
            hash = (hash ^ u64::from(*value)).wrapping_mul(0x100_0000_01b3);
        }
        see(at, &seen, hash);
    }
}

/// Attempts a PPDU along a chain.
fn attempt(draws: &mut Draws, hidden: &Hidden, chain: &Chain, mpdus: u64) -> ([u8; STAGES], u64) {
    let mut tries = [0; STAGES];
    for (at, stage) in chain.stages.iter().enumerate() {
        let rate = usize::from(Minstrel::number(stage));
        for _ in 0..stage.attempts {
            let any = draws.draw();
            tries[at] += 1;
            if any & 0xffff < hidden[rate >> 4][rate & 15] {
                return (tries, 1 + (any >> 32) % mpdus);
            }
        }
    }
    (tries, 0)
}
