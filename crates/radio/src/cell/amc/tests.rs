//! Modulation tables validated against published numbers and sampling.

use super::*;
use windward_elements::engine::{Purpose, Stream};

fn decibels(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

/// Thresholds in dB for three error rates, modes 1 to 6 (papers' common table, recomputed there from a and g).
#[test]
fn thresholds_are_the_published_ones() {
    let published = [
        (0.1, [-0.041, 2.888, 5.866, 9.712, 12.233, 18.142]),
        (0.01, [1.068, 4.154, 7.180, 11.080, 13.589, 19.580]),
        (1e-3, [1.950, 5.133, 8.187, 12.119, 14.621, 20.658]),
        (1e-5, [3.310, 6.605, 9.692, 13.659, 16.153, 22.241]),
    ];
    for (target, row) in published {
        let table = Table::convolutional(true, target);
        for (mode, expected) in table.modes().iter().zip(row) {
            assert!(
                (decibels(mode.threshold) - expected).abs() < 6e-4,
                "{target}: {} {expected}",
                decibels(mode.threshold)
            );
        }
    }
    assert_eq!(Table::convolutional(false, 0.01).modes().len(), 5);
}

/// Published γ_p, where a e^{−gγ} = 1: the table is consistent.
#[test]
fn the_error_rate_is_one_where_published() {
    let points = [-1.5331, 1.0942, 3.9722, 7.7021, 10.2488, 15.9784];
    for (mode, point) in Table::convolutional(true, 0.01).modes().iter().zip(points) {
        let errors = mode.errors.expect("fitted modes have errors");
        assert!((decibels(errors.threshold(1.0)) - point).abs() < 6e-4);
    }
}

#[test]
fn a_mode_is_used_from_its_threshold_on() {
    let table = Table::ctc_802_16e();
    assert_eq!((table.mode(ratio(4.99)), table.efficiency(ratio(4.99))), (None, 0.0));
    assert_eq!((table.mode(ratio(5.01)), table.efficiency(ratio(5.01))), (Some(0), 1.0));
    assert_eq!((table.mode(ratio(30.0)), table.efficiency(ratio(30.0))), (Some(7), 5.0));
}

/// Mean efficiencies of huang2020's stations as published elsewhere, from sampling: within half a per cent.
#[test]
fn mean_efficiencies_of_the_papers_stations() {
    let ctc = Table::ctc_802_16e();
    for (db, mean) in [(12.0, 1.626), (19.0, 3.245), (13.0, 1.832), (16.0, 2.514)] {
        assert!((ctc.mean_efficiency(ratio(db)) - mean).abs() < 5e-3, "{db}");
    }
    let five = Table::convolutional(false, 0.01);
    for (db, mean) in [(11.0, 1.435), (17.0, 2.605), (12.0, 1.604), (15.0, 2.176)] {
        assert!((five.mean_efficiency(ratio(db)) - mean).abs() < 5e-3, "{db}");
    }
}

/// 200 000 exponential draws: each share within five standard errors, √(p(1−p)/n) ≤ 1.2e-3.
#[test]
fn modes_are_as_frequent_as_the_integrals_say() {
    let (table, mean) = (Table::ctc_802_16e(), ratio(15.0));
    let mut stream = Stream::new(1, 2, Purpose::Fading);
    let n = 200_000;
    let mut counts = [0.0; 8];
    for _ in 0..n {
        if let Some(mode) = table.mode(mean * stream.exponential()) {
            counts[mode] += 1.0 / f64::from(n);
        }
    }
    for (count, p) in counts.iter().zip(table.probabilities(mean)) {
        assert!((count - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt(), "{count} {p}");
    }
}

/// ∫ log2(1+γ) e^{−γ/γ̄}/γ̄ dγ = e^{1/γ̄} E1(1/γ̄)/ln 2; E1(0.1) = 1.8229239585 (Abramowitz and Stegun, Table 5.1).
#[test]
fn shannons_mean_is_the_exponential_integral() {
    let expected = libm::exp(0.1) * 1.822_923_958_5 / std::f64::consts::LN_2;
    assert!((Table::shannon(1.0, f64::INFINITY).mean_efficiency(10.0) - expected).abs() < 1e-8);
}

/// At its threshold a mode has the target error probability for packets of 1080 bits; at twice the bits, 1 − (1 − P)².
#[test]
fn errors_grow_with_the_packet() {
    let table = Table::convolutional(true, 0.01);
    let snr = table.modes()[3].threshold * (1.0 + 1e-12);
    assert!((table.error_probability(snr, 1080.0) - 0.01).abs() < 1e-9);
    assert!((table.error_probability(snr, 2160.0) - 0.0199).abs() < 1e-9);
    assert_eq!(Table::ctc_802_16e().error_probability(snr, 1080.0), 0.0);
}

#[test]
fn what_is_no_table_is_refused() {
    let mode = |efficiency, threshold| Mode { efficiency, threshold, errors: None };
    let refusal = |modes| Table::of_modes(modes).unwrap_err().to_string();
    assert_eq!(refusal(vec![]), "mode 1: a table has at least one mode");
    assert_eq!(refusal(vec![mode(0.0, 1.0)]), "mode 1: its efficiency is not a number above 0");
    assert_eq!(refusal(vec![mode(1.0, f64::NAN)]), "mode 1: its threshold is not a number above 0");
    assert_eq!(
        refusal(vec![mode(1.0, 2.0), mode(2.0, 2.0)]),
        "mode 2: its threshold is not above that of the mode before"
    );
    assert_eq!(
        refusal(vec![mode(2.0, 1.0), mode(1.0, 2.0)]),
        "mode 2: it is slower than the mode before, which needs less"
    );
    let errors = Some(Errors { a: 1.0, g: -1.0, packet_bits: 1.0 });
    assert_eq!(
        refusal(vec![Mode { errors, ..mode(1.0, 1.0) }]),
        "mode 1: `a`, `g` and the packet size of its error rate are numbers above 0"
    );
    let wrong = |text| Table::from_json(text, 0.01).unwrap_err().to_string();
    assert!(wrong("{}").contains("missing field `modes`"));
    assert_eq!(
        wrong(r#"{"modes": [{"efficiency": 1}]}"#),
        "mode 1: it has neither `snr_db` nor `a` and `g` with `packet_bits`"
    );
    assert_eq!(
        wrong(r#"{"modes": [{"efficiency": 1, "snr_db": 3, "a": 2, "g": 1}]}"#),
        "mode 1: `a` and `g` stand together, and with `packet_bits`"
    );
}
