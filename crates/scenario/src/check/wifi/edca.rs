//! Networks of 802.11n, ac and ax.

use super::check::Check;
use super::profile::Defaults;
use super::reach::{Radio, watts};
use crate::check::common::place;
use crate::check::links::Links;
use crate::format::Positive;
use crate::format::wifi::{
    Access, AfterLoss, Edca, FixedRate, Hardware, LossOf, Mode, RateControl, Routing, TransmitQueue,
};
use crate::path::Segment;
use std::collections::BTreeMap;
use windward_sim::Buffer;
use windward_sim::NodeId;
use windward_sim::wifi::edca::{
    self, BlockAckConfig, Contention, EdcaConfig, EdcaStation, EdcaWay, Noise, RateChoice, ladder,
};
use windward_sim::wifi::minstrel::Capabilities;
use windward_sim::wifi::ppdu::{Format, Guard, Impossible, Limits, Mode as Rate, Timing, Width};
use windward_sim::wifi::txq::{Aql, Discipline, FlowsConfig, TxqConfig, Txqs};
use windward_sim::wifi::{Phy, Position, Reach, StationConfig};
use windward_units::{Bytes, Duration, Frequency, PowerLevel, Time};

/// Headers and checksum of an MPDU beside the IP packet: 26 bytes of QoS data, 8 of LLC and SNAP, 4 of the checksum.
const OVERHEAD: Bytes = Bytes::new(38);
/// Bytes of an MPDU beside its A-MSDU: 26 of QoS data, 4 of the checksum.
const MPDU_BYTES: u64 = 30;
/// Longest A-MSDU of 802.11n, longest MPDU of it within an A-MPDU, and longest MPDU of 802.11ac and ax (IEEE
/// 802.11-2020, table 9-25).
const HT_AMSDU: u64 = 7935;
const HT_MPDU: u64 = 4095;
const VHT_MPDU: u64 = 11_454;
/// Noise figure of receivers over kT at 290 K, in decibels per hertz and milliwatt: −174 dBm and 7 dB, as in ns-3.
const NOISE_DENSITY: f64 = -174.0 + 7.0;
/// Signals this much below the noise, in decibels, are neglected.
const NEGLIGIBLE: f64 = 10.0;
/// Propagation delay between stations of a household: 30 m.
const PROPAGATION: Duration = Duration::from_nanos(100);
/// Contention windows above this do not exist in the standard.
const LARGEST_WINDOW: u32 = 32_767;
/// Longest TXOP limit: 255 times 32 µs.
const LONGEST_TXOP: Duration = Duration::from_micros(8160);
/// Packets of a category below a shared queue: those that ath9k holds.
const BELOW: u32 = 123;
/// Longest spacing of MPDUs that a receiver may ask for.
const LONGEST_SPACING: Duration = Duration::from_micros(16);

/// PPDUs of a network: what all its rates have in common.
struct Air {
    format: Format,
    width: Width,
    streams: u8,
    guard: Guard,
}

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
        ];
        let (given, of, hint) = if is_new {
            let hint =
                "for 802.11n, ac and ax `rate_control`, `edca`, `ampdu`, `amsdu`, `block_ack` and `txq` set the MAC";
            (&of_old[..], "802.11a, b and g", hint)
        } else {
            (&of_new[..], "802.11n, ac and ax", "standard = \"802.11ac\"")
        };
        for (key, _) in given.iter().filter(|(_, is_given)| *is_given) {
            self.refuse([(*key).into()], format!("`{key}` is for {of}"), Some(hint));
        }
        for (index, station) in wifi.station.iter().enumerate() {
            let keys = [
                ("rate_control", station.rate_control.is_some(), false),
                ("receive_rate", station.receive_rate.is_some(), false),
                ("edca", station.edca.is_some(), false),
                ("txq", station.txq.is_some(), false),
                ("weight", station.weight.is_some(), false),
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
        let sensed = radio.map(|radio| radio.sense);
        let radio = radio.map(|radio| Radio { sense: radio.sense.min(weakest), ..radio });
        let motion = self.motion(&stations, radio);
        let ampdu = self.ampdu(format, &defaults);
        let amsdu = self.amsdu(format, ampdu);
        let block_ack = self.block_ack(format, &defaults);
        let access_point = self.access_point(&stations);
        let edca: Vec<_> =
            (0..stations.len()).map(|at| self.contention(&stations, at, access_point, &defaults)).collect();
        let queues: Vec<_> = stations.iter().map(|station| self.queues(format, station, &defaults)).collect();
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
            stations: (stations.iter().zip(edca).zip(queues))
                .map(|((station, contention), (txqs, hardware, weight))| EdcaStation {
                    key: station.key,
                    node: station.node,
                    place: station.place,
                    contention,
                    buffer: station.buffer,
                    txqs,
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
            reach: Reach::of_positions(&positions, &propagation, receive, weakest),
            sense,
            motion: motion?,
            ladder: ladder(modes),
            noise: Some(Noise { power: noise, is_rayleigh }),
            flows: Vec::new(),
            sources: Vec::new(),
        };
        let ways = self.edca_ways(&config, rates, access_point, links)?;
        (self.problems.len() == before).then_some(EdcaConfig { ways, ..config })
    }

    /// Band of the channel.
    fn band(&mut self, format: Format) -> Option<Band> {
        let Some(band) = self.wifi.band else { return Some(Band::Middle) };
        let megahertz = band.0.as_hertz() / 1e6;
        let found = match megahertz as u32 {
            2_400 => Some(Band::Low),
            5_000 => Some(Band::Middle),
            6_000 => Some(Band::High),
            _ => None,
        };
        let is_allowed = match format {
            Format::Ht => matches!(found, Some(Band::Low | Band::Middle)),
            Format::Vht => found == Some(Band::Middle),
            Format::He => found.is_some(),
        };
        if !is_allowed {
            let allowed = match format {
                Format::Ht => "\"2.4 GHz\", \"5 GHz\"",
                Format::Vht => "\"5 GHz\"",
                Format::He => "\"2.4 GHz\", \"5 GHz\", \"6 GHz\"",
            };
            let message = format!("{} has no channels at {}; allowed: {allowed}", standard_name(format), band.0);
            self.refuse(["band".into()], message, None);
            return None;
        }
        found
    }

    /// Format, width, streams and guard interval of the network's PPDUs.
    fn air(&mut self, format: Format) -> Option<Air> {
        let wifi = self.wifi;
        let widest = if format == Format::Ht { Width::Mhz40 } else { Width::Mhz160 };
        let default = if format == Format::Ht { Width::Mhz20 } else { Width::Mhz80 };
        let width = self.width(wifi.width, default, &["width".into()])?;
        let is_low = format != Format::Vht && wifi.band.is_some_and(|band| band.0.as_hertz() < 3e9);
        if width > widest || is_low && width > Width::Mhz40 {
            let most = if is_low { 40 } else { widest.mhz() };
            let message = format!(
                "{} has no channels of {} MHz{}; the widest has {most} MHz",
                standard_name(format),
                width.mhz(),
                if is_low { " at 2.4 GHz" } else { "" }
            );
            self.refuse(["width".into()], message, Some(&format!("width = \"{most} MHz\"")));
            return None;
        }
        let streams = wifi.streams.map_or(2, |count| count.0);
        if streams > 4 {
            let message = format!("{streams} spatial streams are too many; allowed: 1 to 4");
            self.refuse(["streams".into()], message, None);
            return None;
        }
        let shortest = if format == Format::He { Guard::Ns800 } else { Guard::Ns400 };
        let guard = match wifi.guard_interval {
            None => shortest,
            Some(span) => {
                let allowed: &[(u64, Guard)] = match format {
                    Format::Ht | Format::Vht => &[(400, Guard::Ns400), (800, Guard::Ns800)],
                    Format::He => &[(800, Guard::Ns800), (1600, Guard::Ns1600), (3200, Guard::Ns3200)],
                };
                let found = allowed.iter().find(|(nanos, _)| *nanos == span.0.as_nanos());
                let Some(&(_, guard)) = found else {
                    let names: Vec<String> = allowed.iter().map(|(nanos, _)| format!("\"{nanos} ns\"")).collect();
                    let message = format!(
                        "{} has no guard interval of {}; allowed: {}",
                        standard_name(format),
                        span.0,
                        names.join(", ")
                    );
                    self.refuse(["guard_interval".into()], message, None);
                    return None;
                };
                guard
            }
        };
        Some(Air { format, width, streams: streams as u8, guard })
    }

    fn width(&mut self, given: Option<Positive<Frequency>>, default: Width, path: &[Segment]) -> Option<Width> {
        let Some(width) = given else { return Some(default) };
        let found = Width::ALL.into_iter().find(|known| f64::from(known.mhz()) * 1e6 == width.0.as_hertz());
        if found.is_none() {
            let message = format!("channels of {} do not exist", width.0);
            let hint = "allowed: \"20 MHz\", \"40 MHz\", \"80 MHz\", \"160 MHz\"".to_owned();
            self.problems.add(self.path(path), message, Some(hint));
        }
        found
    }

    /// Place in the file of a part of this network.
    fn path(&self, rest: &[Segment]) -> Vec<Segment> {
        let mut path = place("wifi", self.at, []);
        path.extend_from_slice(rest);
        path
    }

    /// Limits of A-MPDUs; `Some((None,))` without aggregation.
    fn ampdu(&mut self, format: Format, defaults: &Defaults) -> Option<(Option<Limits>,)> {
        let (most, standard) = (Limits::most(format), defaults.ampdu);
        let Some(given) = &self.wifi.ampdu else { return Some((Some(standard),)) };
        let frames = given.mpdus.map_or(standard.frames, |count| u64::from(count.0));
        let bytes = given.bytes.map_or(standard.bytes, |bytes| bytes.0.count());
        let duration = given.duration.map_or(standard.duration, |span| span.0);
        let before = self.problems.len();
        let mut must = |holds: bool, key: &'static str, message: String| {
            if !holds {
                self.refuse(["ampdu".into(), key.into()], message, None);
            }
        };
        let name = standard_name(format);
        let text = format!("{frames} MPDUs are too many; allowed in {name}: 1 to {}", most.frames);
        must(frames <= most.frames, "mpdus", text);
        must(
            bytes <= most.bytes,
            "bytes",
            format!("{bytes} B are too many; allowed in {name}: up to {} B", most.bytes),
        );
        let text = format!("{duration} is too long; allowed: up to {}, what a header can announce", most.duration);
        must(duration <= most.duration, "duration", text);
        let spacing = given.spacing.map_or(Duration::ZERO, |span| span.0);
        must(spacing <= LONGEST_SPACING, "spacing", format!("{spacing} is too long; allowed: up to {LONGEST_SPACING}"));
        let limits = (frames > 1).then_some(Limits { frames, bytes, duration });
        (self.problems.len() == before).then_some((limits,))
    }

    /// Most bytes of an A-MSDU.
    fn amsdu(&mut self, format: Format, ampdu: Option<(Option<Limits>,)>) -> Option<Bytes> {
        let Some(given) = self.wifi.amsdu else { return Some(Bytes::new(0)) };
        let is_low = self.wifi.band.is_some_and(|band| band.0.as_hertz() < 3e9);
        let (most, of) = match format {
            Format::Ht if matches!(ampdu, Some((None,))) => (HT_AMSDU, ""),
            Format::Ht => (HT_MPDU - MPDU_BYTES, " within A-MPDUs"),
            Format::He if is_low => (HT_AMSDU, " at 2.4 GHz"),
            Format::Vht | Format::He => (VHT_MPDU - MPDU_BYTES, ""),
        };
        if given.0.count() > most {
            let message = format!(
                "A-MSDUs of {} B are too long; allowed in {}{of}: up to {most} B",
                given.0.count(),
                standard_name(format)
            );
            self.refuse(["amsdu".into()], message, Some(&format!("amsdu = \"{most} B\"")));
            return None;
        }
        Some(given.0)
    }

    fn block_ack(&mut self, format: Format, defaults: &Defaults) -> Option<BlockAckConfig> {
        let most = if format == Format::He { 256 } else { 64 };
        let (attempts, after_loss) = (defaults.attempts, defaults.after_loss.of_sim());
        let standard = BlockAckConfig { attempts, after_loss, ..BlockAckConfig::linux(most) };
        let Some(given) = &self.wifi.block_ack else { return Some(standard) };
        let window = given.window.map_or(most, |count| count.0);
        if window > most {
            let name = standard_name(format);
            let message = format!("a window of {window} MPDUs is too large; allowed in {name}: 1 to {most}");
            self.refuse(["block_ack".into(), "window".into()], message, None);
            return None;
        }
        Some(BlockAckConfig {
            window,
            attempts: given.attempts.map_or(standard.attempts, |count| Some(count.0)),
            after_loss: given.after_loss.map_or(standard.after_loss, AfterLoss::of_sim),
            reorder_timeout: given.reorder_timeout.map_or(standard.reorder_timeout, |span| span.0),
        })
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
    fn station_of(&self, node: NodeId) -> Option<(usize, &crate::format::wifi::Station)> {
        let is_it = |station: &crate::format::wifi::Station| {
            self.nodes
                .known(&station.node)
                .is_some_and(|end| (0..end.group().unwrap_or(1)).any(|member| end.member(member) == node))
        };
        self.wifi.station.iter().enumerate().find(|(_, station)| is_it(station))
    }

    /// Contention parameters of a station.
    fn contention(
        &mut self,
        stations: &[StationConfig],
        at: usize,
        access_point: Option<usize>,
        defaults: &Defaults,
    ) -> [Contention; 4] {
        let mut all = defaults.contention[usize::from(access_point == Some(at))];
        let own = self.station_of(stations[at].node).and_then(|(index, station)| Some((index, station.edca.clone()?)));
        let of_all = self.wifi.edca.clone();
        if let Some(edca) = &of_all {
            self.apply(edca, &mut all, &["edca".into()]);
        }
        if let Some((index, edca)) = &own {
            self.apply(edca, &mut all, &["station".into(), Segment::Index(*index), "edca".into()]);
        }
        all
    }

    fn apply(&mut self, edca: &Edca, all: &mut [Contention; 4], path: &[Segment]) {
        let given = [
            ("background", &edca.background),
            ("best_effort", &edca.best_effort),
            ("video", &edca.video),
            ("voice", &edca.voice),
        ];
        for ((name, given), contention) in given.into_iter().zip(all) {
            let Some(given) = given else { continue };
            let before = *contention;
            *contention = Contention {
                aifsn: given.aifsn.map_or(before.aifsn, |count| count.0),
                cw_min: given.cw_min.map_or(before.cw_min, |count| count.0),
                cw_max: given.cw_max.map_or(before.cw_max, |count| count.0),
                txop: given.txop.map_or(before.txop, |span| span.0),
            };
            let Contention { aifsn, cw_min, cw_max, txop } = *contention;
            let mut must = |holds: bool, key: &'static str, message: String| {
                if !holds {
                    let inside: Vec<Segment> = path.iter().cloned().chain([name.into(), key.into()]).collect();
                    self.problems.add(self.path(&inside), message, None);
                }
            };
            must(aifsn <= 15, "aifsn", format!("{aifsn} slots are too many; allowed: 1 to 15"));
            let most = LARGEST_WINDOW;
            must(cw_max <= most, "cw_max", format!("{cw_max} is too large; allowed: up to {most}"));
            let key = if given.cw_min.is_some() { "cw_min" } else { "cw_max" };
            must(cw_min <= cw_max, key, format!("cw_min ({cw_min}) must be at most cw_max ({cw_max})"));
            must(txop <= LONGEST_TXOP, "txop", format!("{txop} is too long; allowed: up to {LONGEST_TXOP}"));
        }
    }

    /// Queues of a station, and its weight at those that send to it.
    fn queues(
        &mut self,
        format: Format,
        station: &StationConfig,
        defaults: &Defaults,
    ) -> (Option<TxqConfig>, edca::Hardware, u16) {
        let own = self.station_of(station.node).map(|(index, table)| (index, table.txq.clone(), table.weight));
        let weight = own.as_ref().and_then(|(_, _, weight)| *weight).map_or(u32::from(Txqs::WEIGHT), |count| count.0);
        if let (Some((index, ..)), true) = (&own, weight > u32::from(u16::MAX)) {
            let message = format!("a weight of {weight} is too large; allowed: 1 to {}", u16::MAX);
            self.refuse(["station".into(), Segment::Index(*index), "weight".into()], message, None);
        }
        let (path, given) = match own {
            Some((index, Some(own), _)) => (vec!["station".into(), Segment::Index(index), "txq".into()], own),
            _ => (vec!["txq".into()], self.wifi.txq.clone().unwrap_or_default()),
        };
        let queue = given.queue.unwrap_or(defaults.queue);
        let is_per_station = queue == TransmitQueue::FqCodel;
        let inside = |key: &'static str| -> Vec<Segment> { path.iter().cloned().chain([key.into()]).collect() };
        for (key, is_given) in
            [("airtime_fairness", given.airtime_fairness == Some(true)), ("aql", given.aql == Some(true))]
        {
            if is_given && !is_per_station {
                let message = format!("`{key}` needs queues for each receiver");
                self.problems.add(self.path(&inside(key)), message, Some("queue = \"fq-codel\"".to_owned()));
            }
        }
        let is_fair = given.airtime_fairness.unwrap_or(is_per_station);
        if given.received_airtime == Some(true) && !is_fair {
            let message = "`received_airtime` needs airtime fairness";
            let hint = if is_per_station { "airtime_fairness = true" } else { "queue = \"fq-codel\"" };
            let hint = Some(hint.to_owned());
            self.problems.add(self.path(&inside("received_airtime")), message, hint);
        }
        if given.below.is_some() && is_per_station {
            let message = "`below` is for queues that all receivers share";
            self.problems.add(self.path(&inside("below")), message, Some("queue = \"fifo\"".to_owned()));
        }
        let below = given.below.map_or(BELOW, |count| count.0);
        let shared = |above| Discipline::Shared { above, below };
        let discipline = match queue {
            TransmitQueue::FqCodel => Discipline::PerStation(FlowsConfig::mac80211(format != Format::Ht)),
            TransmitQueue::SharedFqCodel => shared(FlowsConfig::fq_codel()),
            TransmitQueue::Fifo => {
                let Buffer::Packets(packets) = station.buffer else {
                    return (None, edca::Hardware::Driver, weight as u16);
                };
                shared(FlowsConfig::fifo(u32::try_from(packets).unwrap_or(u32::MAX)))
            }
        };
        let config = TxqConfig {
            discipline,
            airtime_fairness: is_fair,
            charges_received: given.received_airtime.unwrap_or(true),
            aql: given.aql.unwrap_or(is_per_station && defaults.aql).then(Aql::default),
        };
        // A default of firmware needs what other keys may exclude.
        let is_default_allowed = defaults.hardware != Hardware::Firmware || config.aql.is_some();
        let default = if is_default_allowed { defaults.hardware } else { Hardware::Driver };
        let hardware = given.hardware.unwrap_or(default);
        if hardware == Hardware::Firmware && config.aql.is_none() {
            let message = "the firmware would take all packets: it needs airtime queue limits";
            self.problems.add(self.path(&inside("hardware")), message, Some("aql = true".to_owned()));
        }
        (Some(config), hardware.of_sim(), weight as u16)
    }

    /// Fixed rates of what each station sends and of what is sent to it.
    fn rates(&mut self, air: &Air, stations: &[StationConfig], defaults: &Defaults) -> Vec<[Option<RateChoice>; 2]> {
        let of_all = self.wifi.rate_control.clone().map(|control| control.0).or_else(|| defaults.rate_control.clone());
        let of_all = of_all.and_then(|control| self.choice(air, &control, &["rate_control".into()]));
        let mut known: BTreeMap<usize, [Option<RateChoice>; 2]> = BTreeMap::new();
        let mut rates = Vec::new();
        for station in stations {
            let Some((index, table)) = self.station_of(station.node) else {
                rates.push([of_all, None]);
                continue;
            };
            if let Some(&same) = known.get(&index) {
                rates.push(same);
                continue;
            }
            let (sends, receives) = (table.rate_control.clone(), table.receive_rate.clone());
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let own = sends.and_then(|control| self.choice(air, &control.0, &inside("rate_control")));
            let to = receives.and_then(|fixed| self.rate(air, &fixed, &inside("receive_rate")));
            let of_station = [own.or(of_all), to.map(RateChoice::Fixed)];
            known.insert(index, of_station);
            rates.push(of_station);
        }
        rates
    }

    /// Choice of a rate.
    fn choice(&mut self, air: &Air, control: &RateControl, path: &[Segment]) -> Option<RateChoice> {
        match control {
            RateControl::IdealRate(_) => Some(RateChoice::Ideal),
            RateControl::MinstrelHt(_) if air.width == Width::Mhz160 => {
                let message = "Minstrel-HT has no rates of 160 MHz";
                self.problems.add(self.path(path), message, Some("width = \"80 MHz\", or \"ideal\"".to_owned()));
                None
            }
            RateControl::MinstrelHt(_) => {
                let most = Capabilities::new(air.format, air.width, air.streams);
                Some(RateChoice::Minstrel(Capabilities { guard: air.guard, ..most }))
            }
            RateControl::FixedRate(fixed) => self.rate(air, fixed, path).map(RateChoice::Fixed),
        }
    }

    /// One rate, which the standard must have.
    fn rate(&mut self, air: &Air, fixed: &FixedRate, path: &[Segment]) -> Option<Rate> {
        let inside = |key: &'static str| -> Vec<Segment> { path.iter().cloned().chain([key.into()]).collect() };
        let width = self.width(fixed.width, air.width, &inside("width"))?;
        if width > air.width {
            let message = format!("PPDUs of {} MHz do not fit into a channel of {} MHz", width.mhz(), air.width.mhz());
            self.problems.add(self.path(&inside("width")), message, None);
            return None;
        }
        let streams = fixed.streams.map_or(u32::from(air.streams), |count| count.0);
        let mcs = u8::try_from(fixed.mcs).unwrap_or(u8::MAX);
        match Rate::new(air.format, width, u8::try_from(streams).unwrap_or(u8::MAX), air.guard, mcs) {
            Ok(rate) => Some(rate),
            Err(why) => {
                let name = standard_name(air.format);
                let (key, message, hint) = match why {
                    Impossible::Streams => ("streams", format!("{streams} spatial streams: {why}"), None),
                    Impossible::Width(_) => ("width", format!("{name}: {why}"), None),
                    Impossible::Mcs(highest) => {
                        let ht = (air.format == Format::Ht && fixed.mcs < 32).then(|| {
                            format!(
                                "mcs = {}, streams = {}: MCS count per stream here",
                                fixed.mcs % 8,
                                fixed.mcs / 8 + 1
                            )
                        });
                        let message = format!("{name} has no MCS {}; allowed: 0 to {highest}", fixed.mcs);
                        ("mcs", message, ht)
                    }
                    Impossible::Combination(lower) => {
                        let message = format!(
                            "{name} has no MCS {mcs} at {} MHz with {streams} spatial {}",
                            width.mhz(),
                            if streams == 1 { "stream" } else { "streams" }
                        );
                        ("mcs", message, Some(format!("mcs = {lower}")))
                    }
                    Impossible::Guard(_) => ("mcs", why.to_string(), None),
                };
                self.problems.add(self.path(&inside(key)), message, hint);
                None
            }
        }
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
            let is_of_cell = access_point.is_none_or(|at| from == at || to == at);
            let meets = || match &config.motion {
                Some(motion) => motion.meet(from, to, end),
                None => config.reach.decodes(from as u32, to as u32),
            };
            from != to && is_of_cell && meets()
        };
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
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

/// Band of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Band {
    /// 2.4 GHz.
    Low,
    /// 5 GHz.
    Middle,
    /// 6 GHz.
    High,
}

/// Name of the standard of a format.
const fn standard_name(format: Format) -> &'static str {
    match format {
        Format::Ht => "802.11n",
        Format::Vht => "802.11ac",
        Format::He => "802.11ax",
    }
}
