//! Radio between a site and a station that moves: path loss, line of sight and shadowing.

use super::{Geometry, distance};
use crate::wifi::Position;
use windward_elements::engine::Stream;

/// Decorrelation distances after which line of sight is drawn again.
const RENEWAL: f64 = 10.0;

/// Radio between a site and a station.
#[derive(Debug)]
pub(in crate::ran) struct Radio {
    stream: Stream,
    is_clear: bool,
    /// Shadowing in standard deviations.
    shadow: f64,
    /// Place of the last update, and distance moved since line of sight was drawn.
    place: Position,
    moved: f64,
}

impl Radio {
    /// Radio of a station at `place`.
    pub fn new(geometry: &Geometry, site: usize, place: Position, mut stream: Stream) -> Self {
        let ground = distance(place, geometry.sites[site].place);
        let is_clear = draw(geometry, ground, &mut stream);
        let shadow = if geometry.has_shadowing { stream.normal() } else { 0.0 };
        Self { stream, is_clear, shadow, place, moved: 0.0 }
    }

    /// Path loss with shadowing at `place`, in decibels.
    pub fn loss(&mut self, geometry: &Geometry, site: usize, place: Position) -> f64 {
        let environment = geometry.environment;
        let ground = distance(place, geometry.sites[site].place);
        let step = distance(place, self.place);
        if step > 0.0 {
            let decorrelation = environment.decorrelation(self.is_clear);
            self.place = place;
            self.moved += step;
            if geometry.has_shadowing {
                // A Gauss-Markov process over the distance moved.
                let keep = libm::exp(-step / decorrelation);
                self.shadow = keep * self.shadow + libm::sqrt(1.0 - keep * keep) * self.stream.normal();
            }
            if self.moved >= RENEWAL * decorrelation {
                self.moved = 0.0;
                self.is_clear = draw(geometry, ground, &mut self.stream);
            }
        }
        let deviation = environment.deviation(ground, geometry.frequency, self.is_clear);
        environment.loss(ground, geometry.frequency, self.is_clear) + self.shadow * deviation
    }
}

/// Draws line of sight.
fn draw(geometry: &Geometry, ground: f64, stream: &mut Stream) -> bool {
    geometry.line_of_sight.unwrap_or_else(|| stream.chance(geometry.environment.line_of_sight(ground)))
}

#[cfg(test)]
mod tests {
    use super::super::{Environment, Handover, Site};
    use super::*;
    use windward_elements::engine::Purpose;

    /// Shadowing of UMa without line of sight over 40 000 m in steps of 5 m: deviation 6 dB, correlation e^(−1/10) from
    /// step to step and e^(−1) over 50 m. Some 400 independent samples: 5 standard errors.
    #[test]
    fn shadowing_has_its_deviation_and_distance() {
        let site = Site { name: String::new(), number: 0, key: 1, place: (0.0, 0.0), power: 46.0 };
        let geometry = Geometry {
            environment: Environment::UrbanMacro,
            frequency: 3.5e9,
            has_shadowing: true,
            line_of_sight: Some(false),
            station_power: 23.0,
            sites: vec![site],
            handover: Handover::standard(),
        };
        // On a circle, so that the path loss stays.
        let place = |step: i32| {
            let angle = f64::from(step) * 0.005;
            (1000.0 * libm::cos(angle), 1000.0 * libm::sin(angle))
        };
        let stream = Stream::new(1, 2, Purpose::Shadowing);
        let mut radio = Radio::new(&geometry, 0, place(0), stream);
        let loss = geometry.environment.loss(1000.0, 3.5e9, false);
        let shadows: Vec<f64> = (0..8000).map(|step| radio.loss(&geometry, 0, place(step)) - loss).collect();
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
            sum / count
        };
        let variance = mean(&mut shadows.iter().map(|shadow| shadow * shadow));
        let lagged = mean(&mut shadows.iter().zip(&shadows[10..]).map(|(a, b)| a * b));
        assert!((variance / 36.0 - 1.0).abs() < 5.0 * (2.0 / 400.0_f64).sqrt(), "{variance}");
        assert!((lagged / variance - libm::exp(-1.0)).abs() < 5.0 / 20.0, "{lagged}");
        let next = mean(&mut shadows.iter().zip(&shadows[1..]).map(|(a, b)| a * b));
        assert!((next / variance - libm::exp(-0.1)).abs() < 0.02, "{next}");
    }
}
