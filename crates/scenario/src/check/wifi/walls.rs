//! Walls around stations, and signal-to-noise ratios of their own.

use super::check::Check;
use super::motion::places;
use crate::check::common::{place, ratio};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::NodeId;
use windward_sim::wifi::{Propagation, StationConfig};

/// Allowed attenuation, and allowed signal-to-noise ratio, in decibels.
const WALLS_DB: (f64, f64) = (0.0, 100.0);
const SNR_DB: (f64, f64) = (-20.0, 100.0);

impl Check<'_> {
    /// Factor of the power of all that each station sends and receives; empty if no station has walls or a ratio of its
    /// own. `radio` has the path loss and the noise in watts.
    pub fn gains(
        &mut self,
        stations: &[StationConfig],
        radio: Option<(Propagation, f64)>,
        access_point: Option<usize>,
    ) -> Vec<f64> {
        let wifi = self.wifi;
        let places = places(stations);
        let mut gains = Vec::new();
        let given = wifi.station.iter().enumerate();
        for (index, station) in given.filter(|(_, station)| station.wall_loss.is_some() || station.snr.is_some()) {
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let members = self.members(&station.node, &places);
            let own = match (station.wall_loss, station.snr) {
                (Some(_), Some(_)) => {
                    let message = "a station has `wall_loss` or `snr`, not both: the ratio says what walls leave";
                    self.refuse(inside("snr"), message, None);
                    continue;
                }
                (Some(loss), None) => {
                    self.within(loss.0.count(), WALLS_DB, inside("wall_loss")).map(|loss| Gain::Walls(-loss))
                }
                (None, Some(snr)) => self.within(snr.0.count(), SNR_DB, inside("snr")).map(Gain::Snr),
                (None, None) => None,
            };
            let Some(own) = own else { continue };
            gains.resize(stations.len(), 1.0);
            match own {
                Gain::Walls(decibels) => {
                    members.into_iter().for_each(|at| gains[at] = ratio(windward_units::Decibels::new(decibels)));
                }
                Gain::Snr(decibels) => {
                    // The standard has no ratio, which is reported elsewhere.
                    let Some((propagation, noise)) = radio else { continue };
                    if self.problems.has_within(&place("wifi", self.at, ["access_point".into()])) {
                        continue;
                    }
                    let Some(access_point) = access_point.filter(|at| !members.contains(at)) else {
                        let message = "`snr` is that between a station and the access point of the network";
                        let hint = "name it by `access_point` in the [[wifi]], and give it no `snr`";
                        self.refuse(inside("snr"), message, Some(hint));
                        continue;
                    };
                    let wanted = ratio(windward_units::Decibels::new(decibels)) * noise;
                    for at in members {
                        let ((x, y), (there_x, there_y)) = (stations[at].place, stations[access_point].place);
                        gains[at] = wanted / propagation.received(libm::hypot(x - there_x, y - there_y));
                    }
                }
            }
        }
        self.beside_walls(&mut gains, &places, access_point);
        gains
    }

    /// Takes the access point's own walls out of the factors of stations with a ratio of their own.
    fn beside_walls(&self, gains: &mut [f64], places: &BTreeMap<NodeId, usize>, access_point: Option<usize>) {
        let Some(of_access_point) = access_point.and_then(|at| gains.get(at).copied()) else { return };
        for station in self.wifi.station.iter().filter(|station| station.snr.is_some()) {
            for at in self.members(&station.node, places) {
                gains[at] /= of_access_point;
            }
        }
    }

    /// Indices of the stations of a node or group.
    fn members(&self, name: &crate::format::Name, places: &BTreeMap<NodeId, usize>) -> Vec<usize> {
        let Some(end) = self.nodes.known(name) else { return Vec::new() };
        let nodes = (0..end.group().unwrap_or(1)).map(|member| end.member(member));
        nodes.filter_map(|node| places.get(&node).copied()).collect()
    }

    /// A value in decibels that is allowed.
    fn within(&mut self, value: f64, (least, most): (f64, f64), path: [Segment; 3]) -> Option<f64> {
        if (least..=most).contains(&value) {
            return Some(value);
        }
        self.refuse(path, format!("{value} dB is out of range; allowed: {least} dB to {most} dB"), None);
        None
    }
}

/// Walls or ratio of a station, in decibels.
enum Gain {
    Walls(f64),
    Snr(f64),
}
