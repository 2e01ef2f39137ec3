//! Places of sites and stations, and what a station receives from each site.

pub mod path_loss;
mod radio;

pub use path_loss::Environment;
pub(super) use radio::Radio;

use crate::wifi::Position;
use windward_units::Duration;

/// Thermal noise at 290 K, in dBm a hertz.
const THERMAL_NOISE: f64 = -174.0;
/// Noise figures of stations and of base stations, in decibels.
const NOISE_FIGURES: [f64; 2] = [9.0, 5.0];
/// Subcarriers of a resource block.
const SUBCARRIERS: f64 = 12.0;

/// Sites, and the radio between them and the stations.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Environment, which gives path loss, shadowing and line of sight.
    pub environment: Environment,
    /// Carrier frequency in hertz.
    pub frequency: f64,
    /// True if shadowing is drawn.
    pub has_shadowing: bool,
    /// True or false for all pairs of sites and stations; `None`: drawn by the probability of the environment.
    pub line_of_sight: Option<bool>,
    /// Transmit power of a station in dBm.
    pub station_power: f64,
    /// Sites; not empty.
    pub sites: Vec<Site>,
    /// Handover between them.
    pub handover: Handover,
}

/// A site: a base station with a carrier of its own, at the frequency of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Name.
    pub name: String,
    /// Number among the sites of all cells.
    pub number: u32,
    /// Key of its random streams.
    pub key: u64,
    /// Position, in metres.
    pub place: Position,
    /// Transmit power in dBm.
    pub power: f64,
}

/// Handover by event A3, and radio link failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handover {
    /// Decibels by which a neighbour must exceed the serving site.
    pub offset: f64,
    /// Decibels beyond the offset.
    pub hysteresis: f64,
    /// Time for which the condition must hold.
    pub time_to_trigger: Duration,
    /// Period of the measurements, and of the updates of positions; positive.
    pub sample: Duration,
    /// Filter coefficient k: measurements 200 ms apart have the weight 2^(−k/4).
    pub filter: f64,
    /// Time from the trigger to the command, for the preparation of the target.
    pub preparation: Duration,
    /// Time without a site.
    pub interruption: Duration,
    /// Delay of forwarding to the target; `None`: the source drops what it has not sent.
    pub forwarding: Option<Duration>,
    /// Mean ratio in decibels below which a link is out of sync.
    pub out_of_sync: f64,
    /// Time out of sync after which the link has failed.
    pub failure: Duration,
    /// Time from a failure to service by the strongest site.
    pub reestablishment: Duration,
}

/// Time between the measurements that a filter coefficient assumes: 200 ms in 36.331 §5.5.3.2, and a measurement
/// period of frequency range 1 in 38.331 §5.5.3.2, which 38.133 §9.2.5.2 gives as at least that.
const FILTER_PERIOD: Duration = Duration::from_millis(200);

impl Handover {
    /// Weight of a measurement in the filter. At other periods than 200 ms the filter keeps its behaviour
    /// over time.
    pub fn weight(&self) -> f64 {
        let keep = 1.0 - libm::exp2(-self.filter / 4.0);
        1.0 - libm::pow(keep, self.sample.as_secs() / FILTER_PERIOD.as_secs())
    }

    /// A3 of srsRAN (offset 3 dB) with a time to trigger of 256 ms; interruption by field measurements; failure after
    /// 200 ms and a T310 of 1 s.
    pub fn standard() -> Self {
        let ms = Duration::from_millis;
        Self {
            offset: 3.0,
            hysteresis: 0.0,
            time_to_trigger: ms(256),
            sample: ms(40),
            filter: 4.0,
            preparation: ms(15),
            interruption: ms(40),
            forwarding: Some(ms(5)),
            out_of_sync: -8.0,
            failure: ms(1200),
            reestablishment: ms(500),
        }
    }
}

impl Geometry {
    /// Noise powers of a carrier at a station and at a site, in dBm; the carrier has `prbs` resource blocks in slots of
    /// the length `slot`.
    pub fn noise(prbs: u32, slot: Duration) -> [f64; 2] {
        // 15 kHz in slots of 1 ms.
        let spacing = 15.0 / slot.as_secs();
        let bandwidth = f64::from(prbs) * SUBCARRIERS * spacing;
        NOISE_FIGURES.map(|figure| THERMAL_NOISE + 10.0 * libm::log10(bandwidth) + figure)
    }

    /// Mean ratios in decibels, down and up, of a station at `place` with the strongest site: without shadowing and
    /// interference, in line of sight unless that is ruled out.
    pub fn clear_ratios(&self, place: Position, noise: [f64; 2]) -> [f64; 2] {
        let is_clear = self.line_of_sight.unwrap_or(true);
        let level = |site: &Site| {
            let loss = self.environment.loss(distance(place, site.place), self.frequency, is_clear);
            (site.power - loss, self.station_power - loss)
        };
        let best = self.sites.iter().map(level).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0.0));
        [best.0 - noise[0], best.1 - noise[1]]
    }
}

/// Distance of two places on the ground, in metres.
pub(super) fn distance(a: Position, b: Position) -> f64 {
    libm::hypot(a.0 - b.0, a.1 - b.1)
}
