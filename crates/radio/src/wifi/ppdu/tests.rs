//! Durations by hand, the standard's missing combinations, and saturation in closed form.

use super::saturation::{Saturated, table};
use super::*;
use crate::wifi::Phy;
use windward_units::{BitRate, Duration};

fn mode(format: Format, width: Width, streams: u8, guard: Guard, mcs: u8) -> Mode {
    Mode::new(format, width, streams, guard, mcs).expect("the standard has it")
}

fn micros(length: Duration) -> f64 {
    length.as_nanos() as f64 / 1e3
}

/// Durations worked out by hand from the standard's equations, and those of ns-3, for MPDUs of 1538 bytes.
#[test]
fn durations_are_the_standards() {
    use Format::{He, Ht, Vht};
    use Guard::{Ns400, Ns800};
    use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
    let aggregate = |frames| aggregate_bytes(frames, 1538);
    let rows = [
        (mode(Ht, Mhz20, 1, Ns800, 0), 1538, 1, 1936.0, 1936.0),
        (mode(Ht, Mhz20, 1, Ns800, 0), aggregate(2), 1, 3840.0, 3840.0),
        (mode(Ht, Mhz20, 1, Ns800, 7), aggregate(28), 1, 5360.0, 5360.0),
        (mode(Ht, Mhz40, 2, Ns400, 7), aggregate(42), 1, 1772.0, 1771.6),
        (mode(Ht, Mhz40, 4, Ns800, 7), aggregate(42), 2, 1012.0, 1012.0),
        (mode(Vht, Mhz80, 1, Ns400, 9), aggregate(64), 1, 1868.0, 1865.2),
        (mode(Vht, Mhz80, 2, Ns400, 9), aggregate(64), 2, 960.0, 958.4),
        (mode(Vht, Mhz80, 4, Ns400, 9), aggregate(64), 3, 512.0, 509.2),
        (mode(Vht, Mhz160, 2, Ns800, 8), aggregate(64), 3, 608.0, 608.0),
        (mode(He, Mhz20, 1, Ns800, 0), aggregate(1), 1, 1485.6, 1485.6),
        (mode(He, Mhz80, 1, Ns800, 11), aggregate(256), 1, 5320.8, 5320.8),
        (mode(He, Mhz160, 2, Ns800, 11), aggregate(256), 1, 1371.2, 1371.2),
    ];
    let standard = Timing { he_ltf: Some(Duration::from_micros(8)), ..Timing::STANDARD };
    for (mode, bytes, encoders, expected, ns3) in rows {
        assert_eq!(mode.encoders(), encoders, "{mode:?}");
        assert_eq!(micros(ppdu_duration(mode, bytes, &standard)), expected, "{mode:?}");
        assert_eq!(micros(ppdu_duration(mode, bytes, &Timing::NS3)), ns3, "{mode:?}");
    }
    assert_eq!([2, 28, 42, 64, 256].map(aggregate), [3086, 43_230, 64_846, 98_814, 395_262]);
}

/// Training fields of HE follow the guard interval; 2.4 GHz and the packet extension add to the end.
#[test]
fn preambles_and_extensions_add_up() {
    let with = |guard| ppdu_duration(mode(Format::He, Width::Mhz20, 2, guard, 0), 100, &Timing::STANDARD);
    // (16 + 800 + 6)/234 is four symbols of 12.8 µs and the guard interval.
    assert_eq!(micros(with(Guard::Ns800)), 36.0 + 2.0 * 7.2 + 4.0 * 13.6);
    assert_eq!(micros(with(Guard::Ns1600)), 36.0 + 2.0 * 8.0 + 4.0 * 14.4);
    assert_eq!(micros(with(Guard::Ns3200)), 36.0 + 2.0 * 16.0 + 4.0 * 16.0);
    let (packet_extension, signal_extension) = (Duration::from_micros(16), Duration::from_micros(6));
    let timing = Timing { packet_extension, signal_extension, ..Timing::STANDARD };
    let extended = ppdu_duration(mode(Format::He, Width::Mhz20, 2, Guard::Ns800, 0), 100, &timing);
    assert_eq!(extended - with(Guard::Ns800), packet_extension + signal_extension);
    // Only HE has a packet extension.
    let vht = mode(Format::Vht, Width::Mhz20, 1, Guard::Ns800, 0);
    assert_eq!(ppdu_duration(vht, 100, &timing) - ppdu_duration(vht, 100, &Timing::STANDARD), signal_extension);
}

/// Rates of the standard's tables in kbit/s, rounded down.
#[test]
fn rates_are_the_standards() {
    let kbit = |mode: Mode| mode.bits_per_sec() / 1000;
    use Format::{He, Ht, Vht};
    use Guard::{Ns400, Ns800, Ns3200};
    assert_eq!(kbit(mode(Ht, Width::Mhz20, 1, Ns800, 0)), 6_500);
    assert_eq!(kbit(mode(Ht, Width::Mhz20, 1, Ns400, 7)), 72_222);
    assert_eq!(kbit(mode(Ht, Width::Mhz40, 1, Ns400, 7)), 150_000);
    assert_eq!(kbit(mode(Vht, Width::Mhz80, 1, Ns400, 9)), 433_333);
    assert_eq!(kbit(mode(Vht, Width::Mhz80, 2, Ns400, 9)), 866_666);
    assert_eq!(kbit(mode(He, Width::Mhz20, 1, Ns800, 0)), 8_602);
    assert_eq!(kbit(mode(He, Width::Mhz80, 1, Ns800, 11)), 600_441);
    assert_eq!(kbit(mode(He, Width::Mhz160, 1, Ns3200, 11)), 1_020_812);
    // Whole bits after the multiplication by the streams: three times 6533 would be one bit short.
    assert_eq!(mode(He, Width::Mhz80, 3, Ns800, 9).data_bits(), 19_600);
}

#[test]
fn combinations_that_the_standard_lacks_are_refused() {
    use Format::{He, Ht, Vht};
    let refused = |format, width, streams, guard, mcs| Mode::new(format, width, streams, guard, mcs).err();
    for guard in [Guard::Ns400, Guard::Ns800] {
        let lacking: Vec<_> = Width::ALL
            .into_iter()
            .flat_map(|width| (1..=4).flat_map(move |streams| (0..=9).map(move |mcs| (width, streams, mcs))))
            .filter(|&(width, streams, mcs)| refused(Vht, width, streams, guard, mcs).is_some())
            .map(|(width, streams, mcs)| (width.mhz(), streams, mcs))
            .collect();
        assert_eq!(lacking, [(20, 1, 9), (20, 2, 9), (20, 4, 9), (80, 3, 6), (160, 3, 9)]);
    }
    assert_eq!(refused(Vht, Width::Mhz20, 1, Guard::Ns800, 9), Some(Impossible::Combination(8)));
    assert_eq!(refused(Ht, Width::Mhz80, 1, Guard::Ns800, 0), Some(Impossible::Width(Width::Mhz40)));
    assert_eq!(refused(Ht, Width::Mhz20, 1, Guard::Ns1600, 0), Some(Impossible::Guard(Guard::Ns800)));
    assert_eq!(refused(He, Width::Mhz20, 1, Guard::Ns400, 0), Some(Impossible::Guard(Guard::Ns800)));
    assert_eq!(refused(He, Width::Mhz20, 5, Guard::Ns800, 0), Some(Impossible::Streams));
    assert_eq!(refused(He, Width::Mhz20, 1, Guard::Ns800, 12), Some(Impossible::Mcs(11)));
}

/// Answers at 5 GHz: the rate follows the data's, and their durations are those of 802.11a.
#[test]
fn answers_go_at_the_basic_rate_below_the_data() {
    let basic = [6, 12, 24];
    let rate = |mcs| answer_rate(mode(Format::He, Width::Mhz20, 1, Guard::Ns800, mcs), &basic);
    assert_eq!([0, 1, 2, 3, 7, 11].map(rate), [6, 12, 12, 24, 24, 24]);
    assert_eq!(answer_rate(mode(Format::Ht, Width::Mhz20, 1, Guard::Ns800, 0), &[24, 54]), 24);
    let lasts = |bytes| {
        [6, 12, 24, 54].map(|mbit| micros(Phy::A.air_time(bytes, BitRate::bits_per_sec(mbit * 1_000_000))) as u64)
    };
    assert_eq!(lasts(ACK), [44, 32, 28, 24]);
    assert_eq!(lasts(BAR_BYTES), [56, 40, 32, 24]);
    assert_eq!(lasts(block_ack_bytes(64)), [68, 44, 32, 28]);
    assert_eq!(lasts(block_ack_bytes(256)), [100, 60, 40, 32]);
}

/// Aggregate and throughput of one saturated station: payload of the largest A-MPDU over AIFS, mean backoff, PPDU, SIFS
/// and BlockAck.
fn saturated(mode: Mode, limits: &Limits, timing: &Timing) -> (u64, f64) {
    let frames = largest_aggregate(mode, 1538, limits, timing);
    let rate = BitRate::bits_per_sec(answer_rate(mode, &[6, 12, 24]) * 1_000_000);
    let answer = Phy::A.air_time(block_ack_bytes(limits.frames), rate);
    let data = ppdu_duration(mode, aggregate_bytes(frames, 1538), timing);
    (frames, (8 * 1472 * frames) as f64 / (43.0 + 67.5 + micros(data) + 16.0 + micros(answer)))
}

/// 238 combinations of scheme, width, streams and guard interval, to the printed digits.
#[test]
fn saturation_is_the_closed_form() {
    let timing = Timing { he_ltf: Some(Duration::from_micros(8)), ..Timing::STANDARD };
    let mut seen = 0;
    for Saturated { place, mode, limits, expected } in table() {
        let Some((frames, mbit)) = expected else {
            assert!(mode.is_none(), "{place}");
            continue;
        };
        let (held, reached) = saturated(mode.expect(&place), &limits, &timing);
        assert_eq!(held, frames, "{place}");
        assert_eq!(format!("{reached:.2}"), mbit, "{place}");
        seen += 1;
    }
    assert_eq!(seen, 238);
}
