//! Rate control: Linux's numbers, steps of the channel, and histories of Linux's own code.

use super::groups::{Rate, shape};
use super::sample::Samples;
use super::stats::{SCALE, Stats};
use super::{Capabilities, Ideal, Minstrel, RateControl, STAGES, SampleTable};
use crate::wifi::ppdu::{Format, Guard, Mode, Width};
use windward_units::{Time, splitmix64};

fn table(format: Format, seed: u64) -> SampleTable {
    let mut state = seed;
    SampleTable::new(format, || {
        state = splitmix64(state);
        state as u8
    })
}

fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

fn new(format: Format, width: Width, streams: u8) -> Minstrel {
    Minstrel::new(at(1000), &Capabilities::new(format, width, streams), table(format, 1))
}

fn durations(group: usize, count: usize) -> Vec<u32> {
    (0..count).map(|mcs| Rate::new(group, mcs).duration()).collect()
}

#[test]
fn average_packets_last_as_in_linux() {
    // HT 20 MHz, one stream, long guard interval: ⌊4000·⌈153600/26⌉/16⌋ = 1 477 000, in 16 bits shifted by 5.
    assert_eq!(durations(0, 8), [1_476_992, 738_496, 492_480, 369_248, 246_240, 184_736, 164_224, 147_744]);
    let ends = |group| (durations(group, 1)[0], durations(group, 8)[7]);
    assert_eq!(ends(4), (1_329_344, 133_024));
    assert_eq!(ends(8), (711_248, 71_248));
    assert_eq!(ends(12), (640_160, 64_160));
    let vht = [328_248, 164_248, 109_496, 82_248, 54_744, 41_248, 36_496, 33_000, 27_496, 24_744];
    assert_eq!(durations(34, 10), vht);
    assert_eq!((durations(38, 10)[0], durations(38, 10)[9]), (295_472, 22_320));
    assert_eq!(durations(39, 10)[9], 11_300);
}

#[test]
fn groups_have_linux_numbers() {
    assert_eq!(shape(13), (Format::Ht, Width::Mhz40, 2, Guard::Ns400));
    assert_eq!(shape(18), (Format::Vht, Width::Mhz20, 1, Guard::Ns800));
    assert_eq!(shape(41), (Format::Vht, Width::Mhz80, 4, Guard::Ns400));
    // Ours: HE behind them.
    assert_eq!(shape(42), (Format::He, Width::Mhz20, 1, Guard::Ns3200));
    assert_eq!(shape(89), (Format::He, Width::Mhz160, 4, Guard::Ns800));
    // ⌈153600/1950⌉ = 79 symbols of 13.6 µs by 16: 67 150; the group's first is 1 116 050, shifted by 5.
    let group = (42..90).find(|&group| shape(group) == (Format::He, Width::Mhz20, 1, Guard::Ns800)).unwrap();
    assert_eq!(durations(group, 12)[11], 67_150 >> 5 << 5);
    // Combinations that the standard lacks are not in use.
    let vht = new(Format::Vht, Width::Mhz80, 3);
    let supported = |group: usize| vht.to.groups[group - 18].supported;
    assert_eq!((supported(18), supported(20), supported(36)), (0x1ff, 0x3ff, 0x3bf));
    assert_eq!(supported(21), 0);
}

#[test]
fn probabilities_pass_a_low_pass_filter() {
    let mut stats = Stats::default();
    let inputs = [0, 4096, 4096, 4096, 4096, 0, 0, 0, 4096];
    let outputs = inputs.map(|input| {
        stats.filter(input);
        stats.probability
    });
    assert_eq!(outputs, [1, 1173, 2682, 3952, 4096, 3005, 1518, 230, 598]);
    // An interval without attempts changes nothing.
    stats.close();
    assert_eq!(stats.probability, 598);
}

#[test]
fn lengths_are_averaged() {
    let mut ht = new(Format::Ht, Width::Mhz20, 1);
    let chain = ht.chain(at(1000));
    ht.report(at(1001), &chain, [1, 0, 0, 0], 16, 16);
    assert_eq!(ht.to.length, 4096);
    ht.update(1100);
    assert_eq!(ht.to.length, 19_456);
}

#[test]
fn throughput_counts_overhead_and_probability() {
    let mut ht = new(Format::Ht, Width::Mhz20, 1);
    ht.to.length = 16 << SCALE;
    let [slow, fast, vht] = [Rate::new(0, 0), Rate::new(0, 7), Rate::new(38, 9)];
    let of = |probability| [slow, fast, vht].map(|rate| ht.to.throughput(rate, probability));
    assert_eq!(of(3686), [60, 582, 3095]);
    assert_eq!(of(4096), of(3686));
    assert_eq!(of(2048), [33, 323, 1719]);
    assert_eq!(of(409), [6, 64, 343]);
    assert_eq!(of(408), [0; 3]);
    // 582 · 10 packets of 1200 bytes a second.
    ht.to.best[0] = fast;
    ht.to.stats_mut(fast).probability = 4096;
    assert_eq!(ht.expected_throughput(), 582 * 10 * 1200 * 8 / 1024);
}

#[test]
fn retries_fit_into_a_segment() {
    let count = |format, tries, rate| {
        let capabilities = Capabilities { tries, ..Capabilities::new(format, Width::Mhz40, 1) };
        let capabilities = match format {
            Format::Vht => Capabilities { width: Width::Mhz80, ..capabilities },
            _ => capabilities,
        };
        let mut minstrel = Minstrel::new(at(0), &capabilities, table(format, 1));
        minstrel.to.length = 16 << SCALE;
        minstrel.to.stats_mut(rate).probability = 4096;
        minstrel.to.count_retries(rate, tries);
        let stats = minstrel.to.stats(rate);
        (stats.retries, stats.retries_rts)
    };
    for mcs in [0, 3, 5, 7] {
        assert_eq!(count(Format::Ht, 7, Rate::new(0, mcs)).0, 2);
    }
    // 357 µs of data: 206 + 2·465 = 1136, then 283, 571, 1147 and 2299 of contention: 1884, 2920, 4532, 7296 µs. With
    // RTS 1376, 2244, 3400, 5132, 8016.
    assert_eq!(count(Format::Vht, 7, Rate::new(38, 9)), (5, 5));
    assert_eq!(count(Format::Vht, 3, Rate::new(38, 9)), (3, 3));
    // A limit of two is looked at after the third.
    assert_eq!(count(Format::Vht, 2, Rate::new(38, 9)), (3, 3));
}

#[test]
fn a_kept_first_entry_is_overwritten() {
    let mut list = Samples::starting(0);
    let five = [1, 2, 3, 4, 5].map(|mcs| Rate::new(4, mcs));
    list.fill(five);
    assert_eq!(list.keep(|_| true), 4);
    let [_, b, c, d, e] = five;
    assert_eq!(*list.rates(), [b, c, d, e, Rate::NONE]);
}

#[test]
fn probes_come_every_20_milliseconds_and_take_the_best_rate_out_of_the_chain() {
    let mut vht = new(Format::Vht, Width::Mhz80, 2);
    let probes: Vec<_> = (1000..1200).filter(|&now| vht.chain(at(now)).probe).collect();
    assert!(probes.len() <= 10 && probes.len() > 3, "{probes:?}");
    assert!(probes.windows(2).all(|pair| pair[1] - pair[0] >= 20));
    // Without reports nothing is refilled: the lists run dry.
    let mut vht = new(Format::Vht, Width::Mhz80, 2);
    let chain = vht.chain(at(1000));
    assert!(chain.probe);
    assert_eq!((chain.stages[0].attempts, chain.stages[0].rts), (1, false));
    assert!(chain.stages[1..].iter().all(|stage| stage.rts));
    assert_eq!(chain.stages[1..], vht.chain.stages[1..]);
}

#[test]
fn the_lowest_rate_of_ht_is_never_probed() {
    let mut ht = new(Format::Ht, Width::Mhz20, 1);
    for now in 1000..5000 {
        let chain = ht.chain(at(now));
        assert!(!(chain.probe && Minstrel::number(&chain.stages[0]) == 0));
        ht.report(at(now), &chain, [1, 0, 0, 0], 8, u16::from(now % 3 == 0) * 8);
    }
}

/// Sends PPDUs of 16 MPDUs, one a millisecond, over a channel that carries rates up to `most` bits a second. Returns
/// the bits a second of the last first stage that was no probe.
fn send(minstrel: &mut Minstrel, millis: std::ops::Range<u64>, most: u64) -> u64 {
    let mut last = 0;
    for now in millis {
        let chain = minstrel.chain(at(now));
        let mut tries = [0; STAGES];
        let mut acknowledged = 0;
        for (stage, tries) in chain.stages.iter().zip(&mut tries) {
            if stage.mode.bits_per_sec() <= most {
                (*tries, acknowledged) = (1, 16);
                break;
            }
            *tries = stage.attempts;
        }
        if !chain.probe {
            last = chain.stages[0].mode.bits_per_sec();
        }
        minstrel.report(at(now), &chain, tries, 16, acknowledged);
    }
    last
}

#[test]
fn a_step_of_the_channel_is_followed() {
    for (format, width, streams) in
        [(Format::Ht, Width::Mhz40, 2), (Format::Vht, Width::Mhz80, 2), (Format::He, Width::Mhz80, 2)]
    {
        let mut minstrel = new(format, width, streams);
        let start = minstrel.chain(at(1000)).stages[1].mode.bits_per_sec();
        assert!(start < 10_000_000, "it begins at the lowest rate: {start}");
        let best = send(&mut minstrel, 1001..4000, u64::MAX);
        assert!(best > 290_000_000, "{format:?} reaches {best}");
        // The channel falls to 70 Mbit/s: within 300 ms.
        let slow = send(&mut minstrel, 4000..4300, 70_000_000);
        assert!(slow <= 70_000_000, "{format:?} stays at {slow}");
        let settled = send(&mut minstrel, 4300..8000, 70_000_000);
        assert!((52_000_000..=70_000_000).contains(&settled), "{format:?} settles at {settled}");
        let again = send(&mut minstrel, 8000..11_000, u64::MAX);
        assert!(again > 290_000_000, "{format:?} comes back to {again}");
    }
}

#[test]
fn an_unreported_length_is_guessed() {
    let capabilities = Capabilities { reports_length: false, ..Capabilities::new(Format::Ht, Width::Mhz20, 1) };
    let mut ht = Minstrel::new(at(0), &capabilities, table(Format::Ht, 1));
    let chain = ht.chain(at(0));
    ht.report(at(51), &chain, [1, 0, 0, 0], 16, 16);
    assert_eq!(ht.to.length, 0);
    let of = |mcs| {
        let mut to = ht.to.clone();
        to.best = [Rate::new(0, mcs); 4];
        to.mean_length()
    };
    assert_eq!([of(0), of(3), of(5), of(7)], [2, 4, 8, 16]);
}

#[test]
fn the_highest_rate_below_the_snr_is_taken() {
    let modes = || (0..8).flat_map(|mcs| [Width::Mhz20, Width::Mhz40].map(|width| mode_of(width, mcs)));
    // 3 dB a step, in the mode's own width.
    let mut ideal = Ideal::new(modes().map(|mode| (mode, 3.0 * f64::from(mode.mcs()))), 7);
    assert_eq!(ideal.choice(), (mode_of(Width::Mhz20, 0), 7));
    // 12 dB over 20 MHz are 8.99 over 40: MCS 4 at 20 MHz, 39 Mbit/s, and MCS 2 at 40, 40.5 Mbit/s.
    ideal.heard(12.0, Width::Mhz20);
    assert_eq!(ideal.choice().0, mode_of(Width::Mhz40, 2));
    ideal.heard(12.0, Width::Mhz40);
    assert_eq!(ideal.choice().0, mode_of(Width::Mhz40, 4));
    ideal.heard(-10.0, Width::Mhz40);
    assert_eq!(ideal.choice().0, mode_of(Width::Mhz20, 0));
}

fn mode_of(width: Width, mcs: u8) -> Mode {
    Mode::new(Format::Ht, width, 1, Guard::Ns800, mcs).unwrap()
}

#[test]
fn a_fixed_rate_has_one_stage() {
    let mode = mode_of(Width::Mhz40, 5);
    let mut fixed = RateControl::Fixed(mode, 7);
    let chain = fixed.chain(at(0));
    fixed.report(at(1), &chain, [7, 0, 0, 0], 1, 0);
    fixed.heard(3.0, Width::Mhz20);
    assert_eq!(chain, fixed.chain(at(2)));
    assert_eq!(chain.stages.map(|stage| stage.attempts), [7, 0, 0, 0]);
    assert_eq!(chain.stages[0].mode, mode);
}
