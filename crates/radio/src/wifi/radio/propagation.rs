//! Radio propagation: path loss and reach.

use std::f64::consts::PI;
use std::sync::OnceLock;

/// Speed of light, in metres a second.
const LIGHT: f64 = 299_792_458.0;

/// Path loss model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// Friis: G·λ²/(4πd)²·P.
    FreeSpace,
    /// Two-ray ground reflection, h_t²·h_r²/d⁴, beyond the distance 4π·h_t·h_r/λ at which it meets free space.
    TwoRayGround {
        /// Height of every antenna above the ground, in metres; positive.
        height: f64,
    },
    /// Free space up to a reference distance, and from there d^−exponent.
    LogDistance {
        /// The exponent; positive.
        exponent: f64,
        /// The reference distance, in metres; positive.
        reference: f64,
    },
}

/// Transmitter and path loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// Transmit power of every station, in watts; positive.
    pub power: f64,
    /// Carrier frequency, in hertz; positive.
    pub frequency: f64,
    /// Path loss.
    pub loss: PathLoss,
}

impl Propagation {
    /// Radio of ns-2: 914 MHz, 0.28 W, antennas 1.5 m above the ground.
    pub const NS2: Self = Self { power: 0.281_838_15, frequency: 914e6, loss: PathLoss::TwoRayGround { height: 1.5 } };

    /// Received power at a distance in metres, in watts.
    pub fn received(&self, distance: f64) -> f64 {
        let length = LIGHT / self.frequency;
        let free = |distance: f64| {
            let ratio = length / (4.0 * PI * distance);
            self.power * ratio * ratio
        };
        match self.loss {
            PathLoss::FreeSpace => free(distance),
            PathLoss::TwoRayGround { height } => {
                let squared = height * height;
                if distance < 4.0 * PI * squared / length {
                    free(distance)
                } else {
                    let fourth = distance * distance * distance * distance;
                    self.power * squared * squared / fourth
                }
            }
            PathLoss::LogDistance { exponent, reference } => {
                let beyond = (distance / reference).max(1.0);
                free(distance.min(reference)) * libm::pow(beyond, -exponent)
            }
        }
    }
}

/// Position of a station, in metres.
pub type Position = (f64, f64);

/// A station in reach of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Index of the station.
    pub station: u32,
    /// Mean received power, in watts.
    pub power: f64,
    /// True if it can receive frames; otherwise it only senses them.
    pub decodes: bool,
}

/// Stations in reach of each sender.
///
/// The list of a sender at a position is computed when it is first asked for: stations that never send have none.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    lists: Vec<OnceLock<Box<[Neighbour]>>>,
    places: Option<Places>,
}

/// Positions from which lists are computed, and what decides them.
#[derive(Clone, Debug)]
struct Places {
    positions: Vec<Position>,
    propagation: Propagation,
    /// Least power in watts of a frame that is received, and that is sensed.
    thresholds: (f64, f64),
    /// Factor of the power of all that a station sends and receives; empty: 1.
    gains: Vec<f64>,
}

impl Places {
    /// A station as a sender reaches it, if it does.
    fn neighbour(&self, from: u32, to: u32) -> Option<Neighbour> {
        // A threshold equal to the power at a distance includes that distance.
        let is_at_least = |power: f64, threshold: f64| power >= threshold * (1.0 - 1e-9);
        let (receive, sense) = self.thresholds;
        let (one, other) = (self.positions[from as usize], self.positions[to as usize]);
        let power = self.propagation.received(libm::hypot(other.0 - one.0, other.1 - one.1))
            * gain(&self.gains, from as usize)
            * gain(&self.gains, to as usize);
        let decodes = is_at_least(power, receive);
        (from != to && is_at_least(power, sense)).then_some(Neighbour { station: to, power, decodes })
    }

    /// All stations that a sender reaches.
    fn of(&self, from: u32) -> Box<[Neighbour]> {
        (0..self.positions.len() as u32).filter_map(|to| self.neighbour(from, to)).collect()
    }
}

impl Reach {
    /// Creates the reach from a list for each sender.
    pub fn of_lists(lists: impl IntoIterator<Item = Vec<Neighbour>>) -> Self {
        Self { lists: lists.into_iter().map(|list| OnceLock::from(list.into_boxed_slice())).collect(), places: None }
    }

    /// Takes the list of a sender, to be returned by [`Self::replace`].
    #[inline]
    pub(in crate::wifi) fn take(&mut self, station: u32) -> Box<[Neighbour]> {
        self.of(station);
        self.lists[station as usize].take().unwrap_or_default()
    }

    /// Replaces the list of a sender.
    #[inline]
    pub(in crate::wifi) fn replace(&mut self, station: u32, list: Box<[Neighbour]>) {
        self.lists[station as usize] = OnceLock::from(list);
    }

    /// Computes the reach from positions: frames are received from `receive` watts on, sensed from `sense` watts on,
    /// which is not more.
    pub fn of_positions(positions: &[Position], propagation: &Propagation, receive: f64, sense: f64) -> Self {
        let places = Places {
            positions: positions.to_vec(),
            propagation: *propagation,
            thresholds: (receive, sense),
            gains: Vec::new(),
        };
        Self { lists: vec![OnceLock::new(); positions.len()], places: Some(places) }
    }

    /// Applies the factors of the power of all that stations send and receive to a reach from positions, before it is
    /// asked for. None are 1.
    #[must_use]
    pub fn with_gains(mut self, gains: &[f64]) -> Self {
        if let Some(places) = &mut self.places {
            places.gains = gains.to_vec();
        }
        self
    }

    /// Full reach: every station receives every other, at the same power.
    pub fn complete(stations: u32) -> Self {
        let others = |from| {
            let neighbour = |station| Neighbour { station, power: 1.0, decodes: true };
            (0..stations).filter(|&station| station != from).map(neighbour).collect()
        };
        Self::of_lists((0..stations).map(others))
    }

    /// Stations in reach of a sender.
    #[inline]
    pub fn of(&self, station: u32) -> &[Neighbour] {
        self.lists[station as usize]
            .get_or_init(|| self.places.as_ref().map(|places| places.of(station)).unwrap_or_default())
    }

    /// A station as a sender reaches it, if it does.
    pub fn between(&self, from: u32, to: u32) -> Option<Neighbour> {
        match (self.lists[from as usize].get(), &self.places) {
            (None, Some(places)) => places.neighbour(from, to),
            _ => self.of(from).iter().find(|neighbour| neighbour.station == to).copied(),
        }
    }

    /// Number of stations.
    pub fn stations(&self) -> u32 {
        self.lists.len() as u32
    }

    /// True if `to` can receive frames of `from`.
    pub fn decodes(&self, from: u32, to: u32) -> bool {
        self.between(from, to).is_some_and(|neighbour| neighbour.decodes)
    }
}

/// Factor of the power of a station.
pub(in crate::wifi) fn gain(gains: &[f64], station: usize) -> f64 {
    gains.get(station).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The thresholds of ns-2's radio are its powers at 250 m and 550 m; the two path loss models meet at 86.14 m.
    #[test]
    fn the_radio_of_ns_2_reaches_as_far_as_it_is_known_to() {
        let at = |distance| Propagation::NS2.received(distance);
        assert!((at(250.0) / 3.652e-10 - 1.0).abs() < 1e-3, "{}", at(250.0));
        assert!((at(550.0) / 1.559e-11 - 1.0).abs() < 1e-3, "{}", at(550.0));
        assert!((at(86.143) / at(86.144) - 1.0).abs() < 1e-3);
        // Capture of 10 dB: an interferer must be 10^(1/4) times as far.
        assert!((at(150.0) / at(266.74) / 10.0 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn power_falls_as_each_model_says() {
        let with = |loss| Propagation { power: 1.0, frequency: 2.4e9, loss };
        let log = with(PathLoss::LogDistance { exponent: 3.0, reference: 1.0 });
        let free = with(PathLoss::FreeSpace);
        assert!((free.received(10.0) / free.received(20.0) - 4.0).abs() < 1e-12);
        assert!((log.received(10.0) / log.received(20.0) - 8.0).abs() < 1e-12);
        assert_eq!(log.received(1.0), free.received(1.0));
        assert_eq!(log.received(0.5), free.received(0.5));
    }

    /// Walls of 10 dB around one station: 10 dB less from it and to it, 20 dB less between two such stations.
    #[test]
    fn walls_weaken_both_directions() {
        let positions = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)];
        let radio = Propagation::NS2;
        let of = |gains: &[f64]| Reach::of_positions(&positions, &radio, 1e-12, 1e-12).with_gains(gains);
        let power = |reach: &Reach, from, to| reach.between(from, to).expect("it is near").power;
        let (free, walled) = (of(&[]), of(&[1.0, 0.1, 0.1]));
        let loss = |from, to| power(&free, from, to) / power(&walled, from, to);
        for (from, to, right) in [(0, 1, 10.0), (1, 0, 10.0), (0, 2, 10.0), (1, 2, 100.0)] {
            assert!((loss(from, to) / right - 1.0).abs() < 1e-12, "{from} to {to}");
        }
    }

    /// Neighbours in a grid of 150 m with ranges of 250 m and 550 m: an inner station can receive eight others.
    #[test]
    fn a_grid_has_its_neighbours() {
        let positions: Vec<Position> =
            (0..16).map(|at| (f64::from(at % 4) * 150.0, f64::from(at / 4) * 150.0)).collect();
        let radio = Propagation::NS2;
        let reach = Reach::of_positions(&positions, &radio, radio.received(250.0), radio.received(550.0));
        let degree = |station| reach.of(station).iter().filter(|neighbour| neighbour.decodes).count();
        assert_eq!([degree(0), degree(1), degree(5)], [3, 5, 8]);
        // Only the opposite corners are further apart than 550 m.
        let sensed: usize = (0..16).map(|station| reach.of(station).len()).sum();
        assert_eq!(sensed, 16 * 15 - 4);
        // One pair is computed alone, and as it is in the list.
        let fresh = Reach::of_positions(&positions, &radio, radio.received(250.0), radio.received(550.0));
        assert_eq!(fresh.between(0, 5), reach.of(0).iter().find(|neighbour| neighbour.station == 5).copied());
        assert!(fresh.lists.iter().all(|list| list.get().is_none()), "no list without need");
        assert!(reach.decodes(0, 5) && !reach.decodes(0, 2));
    }
}
