//! Transport block sizes, peak rates, block errors and link adaptation against published numbers and closed forms.

use super::carrier::{Elements, PRESETS};
use super::mcs::{McsTable, Modulation, Scheme, Technology};
use super::{Carrier, Curves, Grid, LAYER_LOSS, Pattern, PatternError, SlotKind, Special, lte, tbs};

fn size(elements: u32, prbs: u32, table: McsTable, mcs: usize, layers: u32) -> u32 {
    tbs::size(elements, prbs, table.mcs()[mcs], layers)
}

/// 38.214 table 5.1.3.2-1 has 93 sizes.
#[test]
fn small_sizes_are_those_of_the_standard() {
    let sizes: Vec<u32> = tbs::small_sizes().collect();
    assert_eq!(sizes.len(), 93);
    assert!(sizes.is_sorted());
    assert_eq!((sizes[0], sizes[92]), (24, 3824));
}

/// Sizes of the public unit tests of srsRAN Project (12 of PDSCH with 108 resource elements) and of the profile.
#[test]
fn sizes_of_public_tests() {
    use McsTable::{Qam64, Qam256};
    for (mcs, prbs, bits) in [
        (28, 5, 2976),
        (28, 20, 12_040),
        (26, 106, 58_384),
        (23, 3, 1416),
        (19, 275, 90_176),
        (13, 32, 6528),
        (8, 179, 22_536),
        (3, 84, 4488),
        (0, 55, 1416),
        (0, 5, 120),
    ] {
        assert_eq!(size(108, prbs, Qam64, mcs, 1), bits, "MCS {mcs}, {prbs} PRB");
    }
    for (prbs, elements, table, mcs, layers, bits) in [
        (1, 132, Qam64, 0, 1, 24),
        (4, 132, Qam64, 3, 1, 256),
        (3, 120, Qam64, 28, 1, 2024),
        (51, 132, Qam64, 5, 1, 4992),
        (16, 132, Qam256, 9, 2, 10_248),
        (106, 120, Qam256, 10, 2, 65_576),
        (273, 120, Qam256, 20, 4, 704_904),
        (273, 132, Qam256, 27, 4, 1_081_512),
    ] {
        assert_eq!(size(elements, prbs, table, mcs, layers), bits, "MCS {mcs}, {prbs} PRB");
    }
    for (prbs, elements, bits) in [
        (51, 132, [50_184, 100_392, 200_808]),
        (51, 120, [45_096, 90_176, 180_376]),
        (51, 84, [31_752, 63_528, 127_080]),
        (106, 120, [94_248, 188_576, 376_896]),
        (273, 120, [241_720, 483_464, 966_896]),
        (273, 84, [167_976, 335_976, 671_976]),
    ] {
        assert_eq!([1, 2, 4].map(|layers| size(elements, prbs, Qam256, 27, layers)), bits, "{prbs} PRB");
    }
}

/// The documented examples of a commercial toolbox. Their code rates are no multiples of 1/2048: 16-QAM, 4 layers, 52
/// PRB, R = 0.48, 6 elements of overhead, scaling 1/4; then QPSK and 64-QAM on four of eight layers, 106 PRB, 100
/// elements, R = 0.3701 and 0.4277.
#[test]
fn sizes_of_documented_examples() {
    let info = |elements: u32, rate: f64, bits: u32| (f64::from(elements * bits) * rate * 2048.0) as u64;
    assert_eq!(tbs::size_of(info(114 * 52, 0.48, 4), false), 11_272);
    assert_eq!(tbs::size_of(info(100 * 106, 0.3701, 2 * 4), false), 31_240);
    assert_eq!(tbs::size_of(info(100 * 106, 0.4277, 6 * 4), false), 108_552);
}

/// Every block of the profile equals the text of the standard followed in floating point.
#[test]
fn integers_agree_with_the_text_of_the_standard() {
    let small: Vec<f64> = tbs::small_sizes().map(f64::from).collect();
    let twin = |elements: u32, prbs: u32, Scheme { modulation, rate }: Scheme, layers: u32| {
        let rate = f64::from(rate) / 2048.0;
        let info = f64::from(elements.min(156) * prbs * modulation.bits() * layers) * rate;
        if info <= 3824.0 {
            let step = libm::exp2((info.log2().floor() - 6.0).max(3.0));
            let quantised = (step * (info / step).floor()).max(24.0);
            return small.iter().copied().find(|&size| size >= quantised).expect("within the table");
        }
        let step = libm::exp2((info - 24.0).log2().floor() - 5.0);
        let quantised = (step * ((info - 24.0) / step).round()).max(3840.0) + 24.0;
        let blocks = if rate <= 0.25 {
            (quantised / 3816.0).ceil()
        } else if quantised > 8448.0 {
            (quantised / 8424.0).ceil()
        } else {
            1.0
        };
        8.0 * blocks * (quantised / (8.0 * blocks)).ceil() - 24.0
    };
    let mut compared = 0;
    for table in [McsTable::Qam64, McsTable::Qam256, McsTable::LowRate] {
        for scheme in table.mcs() {
            for prbs in 1..=273 {
                for (elements, layers) in [(120, 1), (120, 2), (120, 4), (84, 2), (156, 1)] {
                    let bits = tbs::size(elements, prbs, scheme, layers);
                    assert_eq!(f64::from(bits), twin(elements, prbs, scheme, layers), "{scheme:?}, {prbs} PRB");
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, (29 + 28 + 29) * 273 * 5);
}

/// Sums of all sizes and of rows 0 to 26; entries that implementations had wrong (row 6 on one resource block, row 29
/// on 12); the peak rates of the categories in Mbit/s.
#[test]
fn sizes_of_lte() {
    let sizes = lte::Sizes::new();
    assert_eq!(sizes.rows(), 34);
    let sum = |rows: std::ops::Range<usize>| -> u64 {
        rows.flat_map(|row| sizes.row(row)).map(|&bits| u64::from(bits)).sum()
    };
    assert_eq!((sum(0..34), sum(0..27)), (82_058_216, 48_163_328));
    assert_eq!(
        [sizes.size(6, 1), sizes.size(29, 12), sizes.size(26, 50), sizes.size(26, 100)],
        [328, 8760, 36_696, 75_376]
    );
    assert_eq!([sizes.size(33, 50), sizes.size(33, 100)], [48_936, 97_896]);
    // Row 6 has 328 bits on one resource block and 176 on two, as the standard does.
    assert!((0..34).all(|row| sizes.row(row)[usize::from(row == 6)..].is_sorted()));
    let index = |table, is_uplink| lte::schemes(table, is_uplink).iter().map(|scheme| scheme.1).collect::<Vec<_>>();
    let down =
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12, 13, 14, 15, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26];
    assert_eq!(index(McsTable::Qam64, false), down);
    let up = index(McsTable::Qam64, true);
    assert_eq!([up[9], up[10], up[11], up[20], up[21], up[28]], [9, 10, 10, 19, 19, 26]);
    let high = index(McsTable::Qam256, false);
    assert_eq!([high[5], high[6], high[20], high[21], high[27]], [10, 11, 25, 27, 33]);
}

/// Published efficiencies of CQI tables, and the MCS that carries each CQI at its threshold: the highest efficiency
/// that is not above.
#[test]
fn cqi_and_the_mcs_that_it_stands_for() {
    let efficiencies = |table: McsTable| table.cqi().iter().map(|cqi| cqi.efficiency()).collect::<Vec<_>>();
    let published = [
        0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234, 5.1152,
        5.5547,
    ];
    for (own, published) in efficiencies(McsTable::Qam64).iter().zip(published) {
        assert!((own - published).abs() < 5e-5, "{own}");
    }
    for (own, published) in efficiencies(McsTable::Qam256)[12..].iter().zip([6.2266, 6.9141, 7.4063]) {
        assert!((own - published).abs() < 5e-5, "{own}");
    }
    let curves = Curves::new(Technology::Nr, 0.0);
    for (table, expected) in [
        (McsTable::Qam64, [0, 0, 2, 4, 6, 8, 11, 13, 15, 18, 20, 22, 24, 26, 28]),
        (McsTable::Qam256, [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27]),
        (McsTable::LowRate, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28]),
    ] {
        let grid = Grid::new(Technology::Nr, (106, 120), (table, false), 1, &curves);
        let chosen: Vec<u8> = (1..=15).map(|cqi| grid.choose(grid.of_cqi(cqi).snr)).collect();
        assert_eq!(chosen, expected, "{table:?}");
        // A CQI is reported from the ratio on at which its transport block on the carrier has 10 % errors.
        for (cqi, scheme) in (1..=15).zip(table.cqi()) {
            let bits = tbs::size(120, 106, scheme, 1);
            let theta = grid.of_cqi(cqi).snr;
            let errors = curves.errors(theta, scheme.modulation, bits, tbs::code_blocks(bits, scheme.rate));
            let first =
                (0..2000).map(|step| theta - 0.5 + 0.001 * f64::from(step)).find(|snr| grid.report(*snr).cqi == cqi);
            let first = first.expect("it is reported");
            let [at, below] = [first, first - 0.001].map(|snr| curves.probability(errors, snr));
            assert!(at <= 0.1 && below > 0.1, "CQI {cqi}: {at} {below}");
        }
    }
}

/// Table 1: MCS 17 (2.5664 bits a symbol) carries less than 16 (2.5703) and needs more, so it is not used.
#[test]
fn dominated_schemes_are_not_used() {
    let curves = Curves::new(Technology::Nr, 0.0);
    let grid = Grid::new(Technology::Nr, (52, 120), (McsTable::Qam64, false), 1, &curves);
    let expected: Vec<u8> = (0..=28).filter(|&mcs| mcs != 17).collect();
    assert_eq!(grid.ladder(), expected);
    assert!(grid.is_top(28) && grid.is_bottom(0) && !grid.is_top(27));
    // LTE: MCS 10 and 17 have the sizes of 9 and 16.
    let curves = Curves::new(Technology::Lte, 0.0);
    let grid = Grid::new(Technology::Lte, (100, 144), (McsTable::Qam64, false), 1, &curves);
    assert_eq!(grid.ladder(), (0..=28).filter(|mcs| ![10, 17].contains(mcs)).collect::<Vec<u8>>());
}

/// Thresholds of NR's CQI in decibels, from Shannon's limit and the gaps.
#[test]
fn thresholds_by_hand() {
    let grid = |table| Grid::new(Technology::Nr, (52, 120), (table, false), 1, &Curves::new(Technology::Nr, 0.0));
    let table_1 = [-8.63, -6.64, -4.35, -1.96, 0.12, 1.90, 3.81, 5.72, 7.64, 9.51, 11.54, 13.45, 15.42, 17.27, 18.63];
    let table_2 = [-8.63, -4.35, 0.12, 3.81, 5.72, 7.64, 9.51, 11.54, 13.45, 15.42, 17.27, 19.03, 21.09, 23.18, 24.67];
    for (table, thresholds) in [(McsTable::Qam64, table_1), (McsTable::Qam256, table_2)] {
        let grid = grid(table);
        for (cqi, threshold) in (1..).zip(thresholds) {
            assert!((grid.of_cqi(cqi).snr - threshold).abs() < 0.006, "CQI {cqi}: {}", grid.of_cqi(cqi).snr);
        }
    }
    let lossy = Curves::new(Technology::Nr, 2.5);
    let moved =
        lossy.threshold(Modulation::Qpsk, 0.877) - Curves::new(Technology::Nr, 0.0).threshold(Modulation::Qpsk, 0.877);
    assert!((moved - 2.5).abs() < 1e-12);
}

/// Errors fall with the ratio. One long code block has 10 % at θ₁₀ and half at θ₁₀ − 0.18 dB; of 12 of them, each with
/// a tenth, 1 − 0.9¹² = 0.718 fail. An acknowledgement of 40 bytes in 64-QAM has s = 0.45 dB and σ = 0.47 dB: 10 % at
/// −0.18 + 0.45 + 1.28·0.47 = 0.87 dB.
#[test]
fn block_errors() {
    let curves = Curves::new(Technology::Nr, 0.0);
    let theta = 10.0;
    let long = curves.errors(theta, Modulation::Qam64, 8424, 1);
    assert!((curves.probability(long, theta) - 0.1).abs() < 1e-3);
    assert!((curves.probability(long, theta - 0.18) - 0.5).abs() < 1e-4);
    let many = curves.errors(theta, Modulation::Qam64, 12 * 8448 - 24, 12);
    let one = curves.probability(long, theta);
    assert!((curves.probability(many, theta) - (1.0 - (1.0 - one).powi(12))).abs() < 1e-9);
    let short = curves.errors(theta, Modulation::Qam64, 320, 1);
    assert!(curves.probability(short, theta + 0.8) > 0.1 && curves.probability(short, theta + 0.95) < 0.1);
    for errors in [long, many, short] {
        let all: Vec<f64> = (0..400).map(|step| curves.probability(errors, 6.0 + f64::from(step) * 0.02)).collect();
        assert!(all.is_sorted_by(|a, b| a >= b));
        assert!(all[0] > 0.999 && all[399] < 1e-9);
    }
}

/// Mean efficiency under Rayleigh fading with each MCS from its θ₁₀ on and no errors, at means of 0 to 30 dB:
/// Σ η_n (e^{−γ_n/γ̄} − e^{−γ_{n+1}/γ̄}), computed elsewhere.
#[test]
fn mean_efficiency_under_rayleigh_fading() {
    let curves = Curves::new(Technology::Nr, 0.0);
    for (table, expected) in [
        (McsTable::Qam64, [0.659, 1.375, 2.369, 3.612, 4.691, 5.243, 5.452]),
        (McsTable::Qam256, [0.614, 1.341, 2.354, 3.619, 5.034, 6.297, 6.995]),
    ] {
        let modes = Grid::new(Technology::Nr, (52, 120), (table, false), 1, &curves).modes();
        for (at, expected) in expected.into_iter().enumerate() {
            let mean = libm::exp10(at as f64 * 0.5);
            let beyond =
                |mode: usize| modes.get(mode).map_or(0.0, |mode| libm::exp(-libm::exp10(mode.1 / 10.0) / mean));
            let sum: f64 = (0..modes.len()).map(|mode| modes[mode].0 * (beyond(mode) - beyond(mode + 1))).sum();
            assert!((sum / expected - 1.0).abs() < 5e-3, "{table:?} at {} dB: {sum}, not {expected}", 5 * at);
        }
    }
}

/// Peak rates of 38.306 in Mbit/s for 256-QAM, and what the sizes give in DDDSU, per layer count 1, 2 and 4.
#[test]
fn peak_rates() {
    for (name, formula, own) in [
        ("n78-20mhz", [109.15, 218.29, 436.58], [66.82, 133.62, 267.28]),
        ("n78-40mhz", [226.85, 453.70, 907.41], [139.33, 278.76, 557.23]),
        ("n78-100mhz", [584.25, 1168.50, 2337.00], [357.25, 714.55, 1429.07]),
        ("nr-fdd-10mhz", [55.64, 111.29, 222.57], [46.10, 92.20, 184.42]),
        ("nr-fdd-20mhz", [113.43, 226.85, 453.70], [94.25, 188.58, 376.90]),
    ] {
        let carrier = Carrier::preset(name).expect("a preset");
        let top = McsTable::Qam256.mcs()[27];
        for (at, layers) in [1, 2, 4].into_iter().enumerate() {
            let symbol = carrier.slot.as_secs() / 14.0;
            let peak = f64::from(layers * 8 * carrier.prbs * 12) * 948.0 / 1024.0 * 0.86 / symbol / 1e6;
            assert!((peak - formula[at]).abs() < 0.006, "{name}: {peak}");
            let bits: u32 = (0..carrier.pattern.period())
                .map(|slot| match carrier.pattern.kind(slot) {
                    SlotKind::Downlink | SlotKind::Both => {
                        tbs::size(carrier.elements.downlink, carrier.prbs, top, layers)
                    }
                    SlotKind::Special => tbs::size(carrier.elements.special, carrier.prbs, top, layers),
                    SlotKind::Uplink => 0,
                })
                .sum();
            let rate = f64::from(bits) / (carrier.slot.as_secs() * carrier.pattern.period() as f64) / 1e6;
            assert!((rate - own[at]).abs() < 0.006, "{name}: {rate}");
        }
    }
    let lte = |name: &str, table, layers| {
        let carrier = Carrier::preset(name).expect("a preset");
        let grid =
            Grid::new(Technology::Lte, (carrier.prbs, 144), (table, false), layers, &Curves::new(Technology::Lte, 0.0));
        let top = *grid.ladder().last().expect("schemes");
        f64::from(grid.entry(if layers == 2 { 1 } else { 0 }, top, carrier.prbs).bits) / 1e3
    };
    assert_eq!([lte("lte-10mhz", McsTable::Qam64, 1), lte("lte-10mhz", McsTable::Qam64, 2)], [36.696, 73.392]);
    assert_eq!([lte("lte-20mhz", McsTable::Qam64, 1), lte("lte-20mhz", McsTable::Qam64, 2)], [75.376, 150.752]);
    assert_eq!([lte("lte-20mhz", McsTable::Qam256, 1), lte("lte-20mhz", McsTable::Qam256, 2)], [97.896, 195.792]);
}

/// Groups of resource blocks: number, and size of the last.
#[test]
fn carriers() {
    let groups = |name: &str| {
        let carrier = Carrier::preset(name).expect("a preset");
        let groups: Vec<u32> = carrier.groups().collect();
        assert_eq!(groups.iter().sum::<u32>(), carrier.prbs);
        (groups.len(), *groups.last().expect("a group"))
    };
    assert_eq!(PRESETS.map(groups), [(17, 2), (25, 4), (13, 3), (14, 2), (18, 1), (13, 4), (14, 2)]);
    let n78 = Carrier::preset("n78-20mhz").expect("a preset");
    assert_eq!(n78.elements, Elements { downlink: 120, special: 84, uplink: 156 });
    // (3·120 + 84)/5 and 156/5.
    assert_eq!(n78.mean_elements(), (88.8, 31.2));
    assert_eq!(Carrier::preset("n79"), None);
}

#[test]
fn patterns() {
    let pattern = Pattern::parse("DDDSU").expect("a pattern");
    assert_eq!([pattern.next_uplink(0), pattern.next_uplink(5), pattern.next_downlink(4)], [4, 9, 5]);
    assert!(Pattern::parse("DDDDDDDSUU").is_ok());
    assert_eq!(Pattern::parse("DDX"), Err(PatternError::Letter('X')));
    assert_eq!(Pattern::parse("DDDD"), Err(PatternError::OneWay));
    assert_eq!(Pattern::parse("DDSDU"), Err(PatternError::Place));
    assert_eq!(Pattern::parse("D"), Err(PatternError::Length(1)));
    assert_eq!(Special::parse("6:4:4"), Ok(Special { downlink: 6, gap: 4, uplink: 4 }));
    for text in ["10:2", "10:2:3", "14:0:0", "3:9:2", "a:b:c", "10:2:2:0"] {
        assert!(Special::parse(text).is_err(), "{text}");
    }
}

/// Table 2 with losses of 2.8 and 7 dB. 10 dB: CQI 7 (2.7305) on one layer, CQI 5 on two (2·1.9141), CQI 3 on four
/// (4·0.877). 18 dB: CQI 11 (5.1152), CQI 9 on two (2·3.9023), CQI 7 on four (4·2.7305).
#[test]
fn layers_follow_the_ratio() {
    let curves = Curves::new(Technology::Nr, 0.0);
    let grid = |layers| Grid::new(Technology::Nr, (106, 120), (McsTable::Qam256, false), layers, &curves);
    let report = |layers, snr| {
        let report = grid(layers).report(snr);
        (report.cqi, report.rank)
    };
    assert_eq!([report(4, -6.0), report(4, 10.0), report(4, 18.0), report(4, 40.0)], [(1, 0), (5, 1), (7, 2), (15, 2)]);
    assert_eq!([report(2, 18.0), report(1, 18.0)], [(9, 1), (11, 0)]);
    assert_eq!(report(4, -9.0), (0, 0));
    assert_eq!(LAYER_LOSS, [0.0, 2.8, 7.0]);
}
