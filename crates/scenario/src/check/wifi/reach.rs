//! Reception and carrier sense.

use super::check::Check;
use crate::format::wifi::{LogDistance, PathLoss, Reach, TwoRayGround, Wifi};
use crate::format::{Named, Number, Positive, Written};
use windward_sim::wifi::{self as model, Propagation};
use windward_units::{Distance, Frequency, PowerLevel};

/// Path loss of frames, and the power needed for reception and carrier sense.
#[derive(Clone, Copy)]
pub(super) struct Radio {
    pub propagation: Propagation,
    /// Minimum power of reception in watts.
    pub receive: f64,
    /// Minimum power of carrier sense in watts.
    pub sense: f64,
}

impl Check<'_> {
    /// Radio model of the stations.
    pub fn radio(&mut self) -> Option<Radio> {
        let wifi = self.wifi;
        let Reach { receive, sense, receive_threshold, sense_threshold, .. } = &wifi.reach;
        let is_new = wifi.standard.format().is_some();
        let usual = usual(wifi);
        let Reach { power, frequency, path_loss, .. } = &wifi.reach;
        let propagation = Propagation {
            power: watts(power.unwrap_or(usual.0).0),
            frequency: frequency.unwrap_or(usual.1).0.as_hertz(),
            loss: match &path_loss.as_ref().unwrap_or(&usual.2).0 {
                PathLoss::FreeSpace(_) => model::PathLoss::FreeSpace,
                PathLoss::TwoRayGround(loss) => model::PathLoss::TwoRayGround { height: loss.height.0.as_metres() },
                PathLoss::LogDistance(loss) => {
                    if loss.exponent.0 <= 0.0 {
                        let message = format!("{} is out of range; allowed: above 0", loss.exponent.0);
                        self.refuse(["reach".into(), "path_loss".into(), "exponent".into()], message, None);
                        return None;
                    }
                    let reference = loss.reference.0.as_metres();
                    model::PathLoss::LogDistance { exponent: loss.exponent.0, reference }
                }
            },
        };
        let mut twice = |distance: bool, threshold: bool, key: &'static str| {
            if distance && threshold {
                let message = "a range is given as a distance or as a threshold, not both";
                self.refuse(["reach".into(), key.into()], message, None);
            }
        };
        twice(receive.is_some(), receive_threshold.is_some(), "receive_threshold");
        twice(sense.is_some(), sense_threshold.is_some(), "sense_threshold");
        let at = |distance: Distance| propagation.received(distance.as_metres());
        let received = match (receive, receive_threshold) {
            (_, Some(Written(level))) => watts(*level),
            (None, None) if is_new => watts(DETECTED),
            (distance, None) => at(distance.map_or(Distance::metres(250.0), |distance| distance.0)),
        };
        let sensed = match (sense, sense_threshold) {
            (_, Some(Written(level))) => watts(*level),
            (Some(distance), None) => at(distance.0),
            (None, None) if is_new => received,
            // ns-2's 550 m for 250 m.
            (None, None) => match receive_threshold {
                None => at(Distance::metres(2.2 * receive.map_or(250.0, |distance| distance.0.as_metres()))),
                Some(_) => received,
            },
        };
        if sensed > received * (1.0 + 1e-9) {
            let key = if sense_threshold.is_some() { "sense_threshold" } else { "sense" };
            let message =
                "frames are received where they are not sensed; `sense` must reach at least as far as `receive`";
            self.refuse(["reach".into(), key.into()], message, None);
            return None;
        }
        Some(Radio { propagation, receive: received, sense: sensed })
    }
}

/// Least power at which a preamble is detected in 802.11n, ac and ax (IEEE 802.11-2020, §17.3.10.6).
const DETECTED: PowerLevel = PowerLevel::dbm(-82.0);

/// Power, frequency and path loss if the table gives none: ns-2's, for which the papers' networks are made, or those of
/// an access point and its stations in a house.
fn usual(wifi: &Wifi) -> (Written<PowerLevel>, Positive<Frequency>, Named<PathLoss>) {
    if wifi.standard.format().is_none() {
        let loss = PathLoss::TwoRayGround(TwoRayGround { height: TwoRayGround::usual_height() });
        return (Written(PowerLevel::dbm(24.5)), Positive(Frequency::hertz(914e6)), Named(loss));
    }
    let frequency = match wifi.band.map_or(5e9, |band| band.0.as_hertz()) {
        low if low < 3e9 => 2.437e9,
        high if high > 5.5e9 => 6.5e9,
        _ => 5.25e9,
    };
    let loss = LogDistance { exponent: Number(3.5), reference: Positive(Distance::metres(5.0)) };
    (Written(PowerLevel::dbm(20.0)), Positive(Frequency::hertz(frequency)), Named(PathLoss::LogDistance(loss)))
}

/// Fills in the radio that the table leaves open.
pub(crate) fn resolve(wifi: &mut Wifi) {
    let (power, frequency, path_loss) = usual(wifi);
    wifi.reach.power.get_or_insert(power);
    wifi.reach.frequency.get_or_insert(frequency);
    wifi.reach.path_loss.get_or_insert(path_loss);
}

pub(super) fn watts(level: PowerLevel) -> f64 {
    libm::pow(10.0, level.as_dbm() / 10.0 - 3.0)
}
