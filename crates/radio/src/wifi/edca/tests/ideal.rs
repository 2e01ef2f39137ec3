//! Rates by signal: the one with the most goodput.

use crate::wifi::edca::errors::data_hazard;
use crate::wifi::edca::{Rung, ladder};
use crate::wifi::ppdu::{Format, Guard, Mode, Width};

fn modes(format: Format, width: Width, guard: Guard) -> Vec<Mode> {
    let schemes = (1..=4).flat_map(|streams| (0..12).map(move |mcs| (streams, mcs)));
    schemes.filter_map(|(streams, mcs)| Mode::new(format, width, streams, guard, mcs).ok()).collect()
}

/// Goodput in bits a second of MPDUs of 1538 bytes.
fn goodput(mode: Mode, decibels: f64) -> f64 {
    let hazard = data_hazard(mode, libm::pow(10.0, decibels / 10.0));
    mode.bits_per_sec() as f64 * libm::exp(-1538.0 * hazard)
}

/// No fixed rate delivers more, at any signal at which the most robust one delivers something.
#[test]
fn no_fixed_rate_is_better() {
    for (format, guard) in [(Format::Ht, Guard::Ns400), (Format::Vht, Guard::Ns400), (Format::He, Guard::Ns800)] {
        let modes = modes(format, Width::Mhz40, guard);
        let ladder = ladder(modes.iter().copied());
        for tenth in -30..500 {
            let decibels = f64::from(tenth) / 10.0;
            let above = |rung: &&Rung| rung.ratio <= libm::pow(10.0, decibels / 10.0);
            let chosen = ladder.iter().take_while(above).last().unwrap_or(&ladder[0]).mode;
            let best = modes.iter().map(|&mode| goodput(mode, decibels)).fold(0.0, f64::max);
            let found = goodput(chosen, decibels);
            assert!(found >= best * (1.0 - 1e-6) || best < 1e6, "{format:?} {decibels} dB: {found} for {best}");
        }
    }
}

/// VHT at 20 MHz, one stream: MCS 8 (78 Mbit/s) overtakes MCS 7 (65 Mbit/s) where it loses a sixth of its MPDUs, as MCS
/// 7 loses nothing there. By the points of its code 1458 bytes lose 10 % at 23.65 dB and 50 % at 22.73 dB; between them
/// ln h is a straight line. For 1538 bytes h = ln(6/5), so that ln h = −1.7554 for 1458: 23.408 dB.
#[test]
fn a_faster_rate_pays_before_it_loses_nothing() {
    let of = |mcs| Mode::new(Format::Vht, Width::Mhz20, 1, Guard::Ns800, mcs).unwrap();
    let rungs = ladder([of(7), of(8)]);
    let decibels = 10.0 * libm::log10(rungs[1].ratio);
    let expected = 23.408;
    assert!((decibels - expected).abs() < 0.001, "{decibels} for {expected}");
}
