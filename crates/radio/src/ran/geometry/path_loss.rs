//! Path loss, shadowing and line of sight of 3GPP TR 38.901: urban macro (UMa), urban micro (UMi) and rural macro (RMa)
//! cells, tables 7.4.1-1, 7.4.2-1 and 7.5-6.

use libm::{exp, fmax, fmin, hypot, log10, pow};

/// Speed of light in metres a second, as the report has it.
const LIGHT: f64 = 3.0e8;
/// Height of a station, in metres.
const STATION: f64 = 1.5;
/// Least distance on the ground, in metres.
const LEAST: f64 = 10.0;
/// Mean height of buildings and mean width of streets of RMa, in metres.
const BUILDINGS: f64 = 5.0;
const STREETS: f64 = 20.0;

/// Environment of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// Urban macro: base stations at 25 m.
    UrbanMacro,
    /// Urban micro, street canyon: base stations at 10 m.
    UrbanMicro,
    /// Rural macro: base stations at 35 m, buildings of 5 m.
    RuralMacro,
}

impl Environment {
    /// Height of a base station, in metres.
    const fn height(self) -> f64 {
        match self {
            Self::UrbanMacro => 25.0,
            Self::UrbanMicro => 10.0,
            Self::RuralMacro => 35.0,
        }
    }

    /// Breakpoint distance on the ground at `frequency` hertz.
    fn breakpoint(self, frequency: f64) -> f64 {
        let product = match self {
            // Effective heights, above an environment of 1 m.
            Self::UrbanMacro | Self::UrbanMicro => 4.0 * (self.height() - 1.0) * (STATION - 1.0),
            Self::RuralMacro => std::f64::consts::TAU * self.height() * STATION,
        };
        product * frequency / LIGHT
    }

    /// Path loss in decibels at `ground` metres on the ground and `frequency` hertz.
    pub fn loss(self, ground: f64, frequency: f64, is_clear: bool) -> f64 {
        let ground = fmax(ground, LEAST);
        let drop = self.height() - STATION;
        let distance = hypot(ground, drop);
        let ghz = frequency * 1e-9;
        let clear = self.clear_loss((ground, distance), frequency);
        if is_clear {
            return clear;
        }
        let (far, carrier) = (log10(distance), log10(ghz));
        let obstructed = match self {
            Self::UrbanMacro => 13.54 + 39.08 * far + 20.0 * carrier,
            Self::UrbanMicro => 22.4 + 35.3 * far + 21.3 * carrier,
            Self::RuralMacro => {
                let mast = self.height();
                161.04 - 7.1 * log10(STREETS) + 7.5 * log10(BUILDINGS)
                    - (24.37 - 3.7 * (BUILDINGS / mast) * (BUILDINGS / mast)) * log10(mast)
                    + (43.42 - 3.1 * log10(mast)) * (far - 3.0)
                    + 20.0 * carrier
                    - (3.2 * pow(log10(11.75 * STATION), 2.0) - 4.97)
            }
        };
        fmax(clear, obstructed)
    }

    /// Loss in line of sight, at a distance on the ground and in space.
    fn clear_loss(self, (ground, distance): (f64, f64), frequency: f64) -> f64 {
        let breakpoint = self.breakpoint(frequency);
        let drop = self.height() - STATION;
        let carrier = 20.0 * log10(frequency * 1e-9);
        let urban = |constant: f64, near: f64, beyond: f64| match ground <= breakpoint {
            true => constant + near * log10(distance) + carrier,
            false => {
                constant + 40.0 * log10(distance) + carrier - beyond * log10(breakpoint * breakpoint + drop * drop)
            }
        };
        match self {
            Self::UrbanMacro => urban(28.0, 22.0, 9.0),
            Self::UrbanMicro => urban(32.4, 21.0, 9.5),
            Self::RuralMacro => {
                let near = |distance: f64| {
                    let rough = pow(BUILDINGS, 1.72);
                    20.0 * log10(40.0 * std::f64::consts::PI * distance * frequency * 1e-9 / 3.0)
                        + fmin(0.03 * rough, 10.0) * log10(distance)
                        - fmin(0.044 * rough, 14.77)
                        + 0.002 * log10(BUILDINGS) * distance
                };
                match ground <= breakpoint {
                    true => near(distance),
                    false => near(breakpoint) + 40.0 * log10(distance / breakpoint),
                }
            }
        }
    }

    /// Probability of line of sight at `ground` metres on the ground.
    pub fn line_of_sight(self, ground: f64) -> f64 {
        match self {
            Self::UrbanMacro | Self::UrbanMicro if ground <= 18.0 => 1.0,
            Self::UrbanMacro => 18.0 / ground + exp(-ground / 63.0) * (1.0 - 18.0 / ground),
            Self::UrbanMicro => 18.0 / ground + exp(-ground / 36.0) * (1.0 - 18.0 / ground),
            Self::RuralMacro if ground <= 10.0 => 1.0,
            Self::RuralMacro => exp(-(ground - 10.0) / 1000.0),
        }
    }

    /// Standard deviation of shadowing in decibels.
    pub fn deviation(self, ground: f64, frequency: f64, is_clear: bool) -> f64 {
        match (self, is_clear) {
            (Self::RuralMacro, true) if ground > self.breakpoint(frequency) => 6.0,
            (_, true) => 4.0,
            (Self::UrbanMacro, false) => 6.0,
            (Self::UrbanMicro, false) => 7.82,
            (Self::RuralMacro, false) => 8.0,
        }
    }

    /// Distance in metres over which shadowing decorrelates to 1/e.
    pub const fn decorrelation(self, is_clear: bool) -> f64 {
        match (self, is_clear) {
            (Self::UrbanMicro, true) => 10.0,
            (Self::UrbanMicro, false) => 13.0,
            (_, true) => 37.0,
            (Self::UrbanMacro, false) => 50.0,
            (Self::RuralMacro, false) => 120.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand at 3.5 GHz (20·lg 3.5 = 10.881) and 100 m, 1 km on the ground. UMa: 102.724 and 1000.276 m in space; the
    /// breakpoint is 4·24·0.5·3.5/0.3 = 560 m. UMi: 100.361, 1000.036 m; 4·9·0.5·3.5/0.3 = 210 m. RMa: 105.476,
    /// 1000.561 m; 2π·35·1.5·3.5/0.3 = 3848 m.
    #[test]
    fn losses_by_hand() {
        for (environment, ground, is_clear, expected) in [
            // 28 + 22·2.01167 + 10.881.
            (Environment::UrbanMacro, 100.0, true, 83.138),
            // 28 + 40·3.00012 + 10.881 − 9·lg(560² + 23.5²) = 158.886 − 9·5.49714.
            (Environment::UrbanMacro, 1000.0, true, 109.412),
            // 13.54 + 39.08·3.00012 + 10.881.
            (Environment::UrbanMacro, 1000.0, false, 141.666),
            // 32.4 + 21·2.00156 + 10.881.
            (Environment::UrbanMicro, 100.0, true, 85.314),
            // 32.4 + 40·3.0000156 + 10.881 − 9.5·lg(210² + 8.5²) = 163.282 − 9.5·4.64515.
            (Environment::UrbanMicro, 1000.0, true, 119.153),
            // 22.4 + 35.3·3.0000156 + 21.3·0.544068.
            (Environment::UrbanMicro, 1000.0, false, 139.889),
            // 20·lg(41.8879·105.476·3.5) + 0.477821·lg 105.476 − 0.700804 + 0.00139794·105.476.
            (Environment::RuralMacro, 100.0, true, 84.198),
            // 161.04 − 9.23731 + 5.24228 − (24.37 − 0.0755102)·1.544068 + (43.42 − 4.78661)·0.000243 + 10.881 −
            // (4.96908 − 4.97).
            (Environment::RuralMacro, 1000.0, false, 130.424),
        ] {
            let loss = environment.loss(ground, 3.5e9, is_clear);
            assert!((loss - expected).abs() < 2e-3, "{environment:?} {ground} {is_clear}: {loss}, not {expected}");
        }
    }

    /// Losses are continuous at the breakpoint, grow with distance, and obstruction never lowers them.
    #[test]
    fn losses_grow() {
        for environment in [Environment::UrbanMacro, Environment::UrbanMicro, Environment::RuralMacro] {
            for frequency in [0.7e9, 2.1e9, 3.5e9] {
                let edge = environment.breakpoint(frequency);
                let [before, after] = [edge, edge * (1.0 + 1e-9)].map(|at| environment.loss(at, frequency, true));
                assert!((before - after).abs() < 0.01, "{environment:?}: {before} {after}");
                let mut least = [0.0; 2];
                for step in 1..500 {
                    let ground = 10.0 * f64::from(step);
                    let both = [true, false].map(|is_clear| environment.loss(ground, frequency, is_clear));
                    assert!(both[0] > least[0] - 0.01 && both[1] >= least[1] - 0.01 && both[1] >= both[0]);
                    least = both;
                }
            }
        }
    }

    /// UMa at 100 m: 0.18 + e^(−100/63)·0.82 = 0.18 + 0.20448·0.82; UMi: 0.18 + 0.062177·0.82; RMa at 510 m: e^(−0.5).
    #[test]
    fn lines_of_sight_by_hand() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a}, not {b}");
        close(Environment::UrbanMacro.line_of_sight(100.0), 0.34767);
        close(Environment::UrbanMicro.line_of_sight(100.0), 0.23099);
        close(Environment::RuralMacro.line_of_sight(510.0), 0.60653);
        close(Environment::UrbanMacro.line_of_sight(18.0), 1.0);
    }
}
