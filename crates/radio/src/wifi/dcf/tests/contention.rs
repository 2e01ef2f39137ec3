//! Backoffs and contention windows by hand.

use super::harness::{Bench, star};
use crate::wifi::dcf::station::Stage;
use crate::wifi::{LossOf, Mac, Phy, WifiConfig};
use windward_units::{BitRate, Duration, Time};

const MBIT: u64 = 1_000_000;

fn micros(count: u64) -> Time {
    Time::ZERO + Duration::from_micros(count)
}

fn pair() -> WifiConfig {
    star(1, Phy::B, Mac::standard(BitRate::bits_per_sec(MBIT)), BitRate::bits_per_sec(2 * MBIT))
}

/// The medium turns busy after three and a half of ten slots of 20 µs: seven are left, or six if a busy slot counts, as
/// in Bianchi's model.
#[test]
fn a_frozen_backoff_keeps_the_slots_that_were_not_idle() {
    for (counts_busy_slots, left) in [(false, 7), (true, 6)] {
        let mut bench = Bench::new(&pair(), 1);
        let times = bench.wifi.times;
        let station = &mut bench.wifi.stations[0];
        (station.stage, station.slots, station.is_fresh) = (Stage::Contend, Some(10), false);
        (station.counts_from, station.acts_at) = (micros(1000), micros(1200));
        assert!(station.freeze(micros(1070), &times, counts_busy_slots, false));
        assert_eq!(station.slots, Some(left));
    }
}

/// Every attempt is lost: windows of 31, 63, 127, 255, 511 and 1023 slots, no more, and 31 again after the packet is
/// given up at the seventh attempt. A frame takes longer than the millisecond between two samples.
#[test]
fn the_contention_window_doubles_up_to_its_greatest_value() {
    let mut config = pair();
    (config.ways[0].loss, config.ways[0].loss_of) = (1.0, LossOf::Attempts);
    let mut bench = Bench::new(&config, 1);
    bench.offer(0, 1000);
    let mut windows = vec![31];
    for at in 1..400 {
        bench.run(micros(1000 * at), &[]);
        let cw = bench.wifi.stations[0].cw;
        if windows.last() != Some(&cw) {
            windows.push(cw);
        }
    }
    assert_eq!(bench.wifi.ways[0].counts.failures, 7);
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 31]);
}
