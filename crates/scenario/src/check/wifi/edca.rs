//! Networks of 802.11n, ac and ax.

use super::air::Band;
use super::check::Check;
use super::reach::{Radio, watts};
use crate::check::common::{given_of, place};
use crate::check::link::Links;
use crate::format::wifi::{Access, LossOf, Mode, Routing, TransmitQueue};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::NodeId;
use windward_sim::wifi::edca::{EdcaConfig, EdcaStation, EdcaWay, Noise, RateChoice, ladder};
use windward_sim::wifi::ppdu::{Format, Mode as Rate, Timing, Width};
use windward_sim::wifi::{Phy, Position, Reach, StationConfig};
use windward_units::{Bytes, Duration, PowerLevel, Time};

/// Headers and checksum of an MPDU beside the IP packet: 26 bytes of QoS data, 8 of LLC and SNAP, 4 of the checksum.
const OVERHEAD: Bytes = Bytes::new(38);
/// Bytes of an MPDU beside its A-MSDU: 26 of QoS data, 4 of the checksum.
pub(super) const MPDU_BYTES: u64 = 30;
/// Noise figure of receivers over kT at 290 K, in decibels per hertz and milliwatt: −174 dBm and 7 dB, as in ns-3.
const NOISE_DENSITY: f64 = -174.0 + 7.0;
/// Signals this much below the noise, in decibels, are neglected.
const NEGLIGIBLE: f64 = 10.0;
/// Propagation delay between stations of a household: 30 m.
const PROPAGATION: Duration = Duration::from_nanos(100);

impl Check<'_> {
    /// Refuses keys that the network's standard does not know.
    pub fn keys(&mut self) {
        let wifi = self.wifi;
        let is_new = wifi.standard.format().is_some();
        let of_new = [
            ("band", wifi.band.is_some()),
            ("width", wifi.width.is_some()),
            ("streams", wifi.streams.is_some()),
            ("guard_interval", wifi.guard_interval.is_some()),
            ("profile", wifi.profile.is_some()),
            ("rate_control", wifi.rate_control.is_some()),
            ("ampdu", wifi.ampdu.is_some()),
            ("amsdu", wifi.amsdu.is_some()),
            ("block_ack", wifi.block_ack.is_some()),
            ("edca", wifi.edca.is_some()),
            ("txq", wifi.txq.is_some()),
            ("access_point", wifi.access_point.is_some()),
        ];
        let of_old = [
            ("mode", wifi.mode != Mode::Standard),
            ("data_rate", wifi.data_rate.is_some()),
            ("basic_rate", wifi.basic_rate.is_some()),
            ("timing", wifi.timing.is_some()),
            ("entropy", wifi.entropy.is_some()),
            ("access", !matches!(wifi.access.0, Access::Dcf(_))),
            ("routing", !matches!(wifi.routing.0, Routing::Shortest(_))),
            ("queue", wifi.queue.is_some()),
            ("long_retries", wifi.long_retries.is_some()),
        ];
        let (given, of, hint) = if is_new {
            let hint =
                "for 802.11n, ac and ax `rate_control`, `edca`, `ampdu`, `amsdu`, `block_ack` and `txq` set the MAC";
            (&of_old[..], "802.11a, b and g", hint)
        } else {
            (&of_new[..], "802.11n, ac and ax", "standard = \"802.11ac\"")
        };
        for key in given_of(given.iter().copied()) {
            self.refuse([key.into()], format!("`{key}` is for {of}"), Some(hint));
        }
        if is_new && wifi.reach.capture.is_some() {
            let why = format!("`capture` is for {of}: the rate of each MPDU decides");
            self.refuse(["reach".into(), "capture".into()], why, Some("leave it out"));
        }
        for (index, station) in wifi.station.iter().enumerate() {
            let keys = [
                ("rate_control", station.rate_control.is_some(), false),
                ("receive_rate", station.receive_rate.is_some(), false),
                ("edca", station.edca.is_some(), false),
                ("txq", station.txq.is_some(), false),
                ("weight", station.weight.is_some(), false),
                ("snr", station.snr.is_some(), false),
                ("data_rate", station.data_rate.is_some(), true),
                ("queue", station.queue.is_some(), true),
            ];
            for (key, _, _) in keys.iter().filter(|(_, is_given, is_old)| *is_given && *is_old == is_new) {
                let path = ["station".into(), Segment::Index(index), (*key).into()];
                self.refuse(path, format!("`{key}` is for {of}"), Some(hint));
            }
        }
    }

    /// Network of 802.11n, ac or ax with its links.
    pub fn edca(&mut self, format: Format, placed: &mut BTreeMap<NodeId, usize>, links: &Links) -> Option<EdcaConfig> {
        let before = self.problems.len();
        let wifi = self.wifi;
        let defaults = self.defaults(format);
        let band = self.band(format);
        let air = self.air(format);
        let stations = self.stations(placed)?;
        let positions: Vec<Position> = stations.iter().map(|station| station.place).collect();
        let radio = self.radio();
        let width = air.as_ref().map_or(80.0, |air| f64::from(air.width.mhz()));
        let noise = wifi.noise.as_ref().map_or_else(
            || watts(PowerLevel::dbm(NOISE_DENSITY + 10.0 * libm::log10(width * 1e6))),
            |noise| watts(noise.power.0),
        );
        let is_rayleigh = wifi.noise.as_ref().is_some_and(|noise| noise.rayleigh);
        let weakest = noise * libm::pow(10.0, -NEGLIGIBLE / 10.0);
        // Signals too weak for carrier sense still disturb receptions: the network reaches down to them, and compares
        // with `sense` apart.
        let sensed = radio.map(|radio| radio.sense);
        let radio = radio.map(|radio| Radio { sense: radio.sense.min(weakest), ..radio });
        let access_point = self.access_point(&stations);
        let gains = self.gains(&stations, radio.map(|radio| (radio.propagation, noise)), access_point);
        let motion = self.motion(&stations, radio, &gains);
        let ampdu = self.ampdu(format, &defaults);
        let amsdu = self.amsdu(format, ampdu);
        let block_ack = self.block_ack(format, &defaults);
        let edca: Vec<_> =
            (0..stations.len()).map(|at| self.contention(&stations, at, access_point, &defaults)).collect();
        let queues: Vec<_> = stations.iter().map(|station| self.queues(format, station, &defaults)).collect();
        let disciplines: Vec<_> = stations.iter().map(|station| self.discipline(station, &defaults)).collect();
        let has_buffer: Vec<bool> = disciplines.iter().map(|queue| queue.has_buffer()).collect();
        let hardware: Vec<_> = queues.iter().map(|(_, hardware, _)| *hardware).collect();
        let is_weighted: Vec<bool> =
            queues.iter().map(|(config, ..)| config.as_ref().is_some_and(|config| config.airtime_fairness)).collect();
        self.check_effects(&stations, access_point, &hardware, &has_buffer, &is_weighted);
        // From here on the parts need one another. Before, each has reported its own problems.
        let (Some(air), Some(radio), Some(sense)) = (air, radio, sensed) else { return None };
        let rates = self.rates(&air, &stations, &defaults);
        let Radio { propagation, receive, sense: weakest } = radio;
        let band = band?;
        let phy = Phy { propagation: PROPAGATION, ..if band == Band::Low { Phy::G } else { Phy::A } };
        let extension = if band == Band::Low { Duration::from_micros(6) } else { Duration::ZERO };
        let modes = Width::ALL.into_iter().filter(|&width| width == air.width).flat_map(|width| {
            let schemes = (1..=air.streams).flat_map(|streams| (0..12).map(move |mcs| (streams, mcs)));
            schemes.filter_map(move |(streams, mcs)| Rate::new(air.format, width, streams, air.guard, mcs).ok())
        });
        let config = EdcaConfig {
            format,
            phy,
            timing: Timing { signal_extension: extension, ..defaults.timing },
            basic_rates: vec![6, 12, 24],
            overhead: OVERHEAD,
            rts_threshold: wifi.rts_threshold.map(|threshold| threshold.0),
            retries: wifi.short_retries.0,
            ampdu: ampdu?.0,
            amsdu: amsdu?,
            spacing: wifi.ampdu.as_ref().and_then(|ampdu| ampdu.spacing).map_or(Duration::ZERO, |span| span.0),
            block_ack: block_ack?,
            stations: (stations.iter().zip(edca).zip(queues).zip(&disciplines))
                .map(|(((station, contention), (txqs, hardware, weight)), discipline)| EdcaStation {
                    key: station.key,
                    node: station.node,
                    place: station.place,
                    contention,
                    buffer: station.buffer,
                    txqs,
                    is_strict: *discipline == TransmitQueue::StrictFifo,
                    hardware,
                    weight,
                })
                .collect(),
            access_point: access_point.map(|at| at as u32),
            // Channels 6, 36, and 1 at 6 GHz.
            channel_mhz: match band {
                Band::Low => 2437,
                Band::Middle => 5180,
                Band::High => 5955,
            },
            ways: Vec::new(),
            reach: Reach::of_positions(&positions, &propagation, receive, weakest).with_gains(&gains),
            sense,
            motion: motion?,
            ladder: ladder(modes),
            noise: Some(Noise { power: noise, is_rayleigh }),
            // Filled in by `plan`, which knows flows and sources.
            flows: Vec::new(),
            sources: Vec::new(),
        };
        let ways = self.edca_ways(&config, rates, access_point, links)?;
        (self.problems.len() == before).then_some(EdcaConfig { ways, ..config })
    }

    /// Place in the file of a part of this network.
    pub(super) fn path(&self, rest: &[Segment]) -> Vec<Segment> {
        let mut path = place("wifi", self.at, []);
        path.extend_from_slice(rest);
        path
    }

    /// Index of the access point among the stations.
    fn access_point(&mut self, stations: &[StationConfig]) -> Option<usize> {
        let name = self.wifi.access_point.as_ref()?;
        let node = self.nodes.find(name, place("wifi", self.at, ["access_point".into()]), self.problems)?.member(0);
        let found = stations.iter().position(|station| station.node == node);
        if found.is_none() {
            let message = format!("`{}` is not a station of the network", name.0);
            self.refuse(["access_point".into()], message, Some("name a [[wifi.station]]"));
        }
        found
    }

    /// Table of the station in the file, and its index.
    pub(super) fn station_of(&self, node: NodeId) -> Option<(usize, &crate::format::wifi::Station)> {
        let index = *self.tables.get(&node)?;
        Some((index, &self.wifi.station[index]))
    }

    /// Links between all stations that can receive each other, or between the access point and the others.
    fn edca_ways(
        &mut self,
        config: &EdcaConfig,
        rates: Vec<[Option<RateChoice>; 2]>,
        access_point: Option<usize>,
        links: &Links,
    ) -> Option<Vec<EdcaWay>> {
        let end = Time::ZERO + self.span;
        let count = config.stations.len();
        let is_linked = |from: usize, to: usize| {
            let meets = || match &config.motion {
                Some(motion) => motion.meet(from, to, end),
                None => config.reach.decodes(from as u32, to as u32),
            };
            from != to && meets()
        };
        // Beside an access point there are no other pairs: their number would be the square of the stations'.
        let others = |from: usize| match access_point {
            Some(at) if from != at => at..at + 1,
            _ => 0..count,
        };
        let pairs = (0..count).flat_map(|from| others(from).map(move |to| (from, to)));
        let ends: Vec<(usize, usize)> = pairs.filter(|&(from, to)| is_linked(from, to)).collect();
        let node = |station: usize| config.stations[station].node;
        let nodes: Vec<(NodeId, NodeId)> = ends.iter().map(|&(from, to)| (node(from), node(to))).collect();
        let stations: Vec<NodeId> = (0..count).map(node).collect();
        if !self.admit(&nodes, &stations, links) {
            return None;
        }
        let mut losses = vec![0.0; ends.len()];
        for (link, loss) in self.losses(&nodes) {
            losses[link] = loss.probability.0;
        }
        for (index, _) in self.wifi.loss.iter().enumerate().filter(|(_, loss)| loss.of != LossOf::Attempts) {
            let message = "with A-MPDUs each transmission of an MPDU is lost on its own";
            self.refuse(["loss".into(), Segment::Index(index), "of".into()], message, Some("of = \"attempts\""));
        }
        let way = |(&(from, to), loss): (&(usize, usize), f64)| EdcaWay {
            from: from as u32,
            to: to as u32,
            loss,
            rate: rates[to][1].or(rates[from][0]).unwrap_or(RateChoice::Ideal),
        };
        Some(ends.iter().zip(losses).map(way).collect())
    }
}
