//! Reception and carrier sense.

use super::check::Check;
use crate::format::Written;
use crate::format::wifi::{PathLoss, Reach};
use windward_sim::wifi::{self as model, Propagation};
use windward_units::{Distance, PowerLevel};

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
        let propagation = Propagation {
            power: watts(wifi.reach.power.0),
            frequency: wifi.reach.frequency.0.as_hertz(),
            loss: match &wifi.reach.path_loss.0 {
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
            (distance, None) => at(distance.map_or(Distance::metres(250.0), |distance| distance.0)),
        };
        let sensed = match (sense, sense_threshold) {
            (_, Some(Written(level))) => watts(*level),
            (Some(distance), None) => at(distance.0),
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

pub(super) fn watts(level: PowerLevel) -> f64 {
    libm::pow(10.0, level.as_dbm() / 10.0 - 3.0)
}
