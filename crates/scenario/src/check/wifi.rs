//! Wireless networks, expanded into stations and the links between those that can receive each other.

use super::common::{MAX_LINKS, Names, is_within_limit, place};
use super::key::{key, uniform};
use super::links::Links;
use super::nodes::{End, Nodes};
use super::wifi_plan::WifiPlan;
use crate::format::wifi::{Access, Layout, Mode, PathLoss, Reach, Routing, Standard, Station, Timing, Wifi};
use crate::format::{Buffer, Written};
use crate::names::LinkName;
use crate::path::Segment;
use crate::problems::Problems;
use std::collections::BTreeMap;
use windward_sim as sim;
use windward_sim::csma::{Aggression, CsmaConfig, Holding};
use windward_sim::wifi::{
    self as model, Aggressiveness, DsdvConfig, Fading, Mac, Modulation, Phy, Position, Propagation, StationConfig, Way,
    WifiConfig,
};
use windward_sim::{Forwarding, MediumConfig, NodeConfig, NodeId};
use windward_units::{BitRate, Decibels, Distance, PowerLevel};

/// Adds all wireless networks, whose ways are links too. What is wrong is reported.
pub(crate) fn expand(networks: &[Wifi], nodes: &Nodes, links: &mut Links, problems: &mut Problems) {
    let mut names = Names::new("wifi");
    let mut placed = BTreeMap::new();
    for (at, wifi) in networks.iter().enumerate() {
        names.take(&wifi.name.0, at, problems);
        let mut check = Check { wifi, at, nodes, problems };
        let Some(config) = check.config(&mut placed) else { continue };
        let Some(ways) = check.ways(&config, links) else { continue };
        let config = WifiConfig { ways, ..config };
        let ends: Vec<(NodeId, NodeId)> = config.ways.iter().map(|way| config.ends(way)).collect();
        for &(from, to) in &ends {
            links.between.insert((from, to), links.names.len() as u32);
            let [from, to] = [from, to].map(|node| nodes.names[node as usize].clone());
            links.names.push(LinkName { name: format!("{from}->{to}"), from, to });
        }
        let entropy = check.entropy();
        let finds_routes = config.routing.is_some();
        let index = links.topology.media.len() as u32;
        if finds_routes {
            let node = |(station, config): (u32, &StationConfig)| NodeConfig {
                node: config.node,
                forwarding: Forwarding::Medium { medium: index, station },
            };
            links.topology.nodes.extend((0..).zip(&config.stations).map(node));
        }
        let medium = check.medium(config);
        let first = links.topology.add_medium(medium, ends);
        let links_of = first..links.topology.ports.len() as u32;
        links.wireless.push(WifiPlan { links: links_of, finds_routes, entropy });
    }
}

/// One table.
struct Check<'a> {
    wifi: &'a Wifi,
    at: usize,
    nodes: &'a Nodes,
    problems: &'a mut Problems,
}

impl Check<'_> {
    fn refuse<const N: usize>(&mut self, rest: [Segment; N], message: impl Into<String>, hint: Option<&str>) {
        self.problems.add(place("wifi", self.at, rest), message, hint.map(str::to_owned));
    }

    /// The network but for its ways.
    fn config(&mut self, placed: &mut BTreeMap<NodeId, usize>) -> Option<WifiConfig> {
        let before = self.problems.len();
        let (phy, mac) = self.mac();
        let stations = self.stations(placed)?;
        let positions: Vec<Position> = stations.iter().map(|station| station.place).collect();
        let reach = self.reach(&positions);
        let fading =
            self.wifi.noise.as_ref().map(|noise| Fading { noise: watts(noise.power.0), is_rayleigh: noise.rayleigh });
        let config = WifiConfig {
            phy,
            mac,
            access: self.access(),
            stations,
            ways: Vec::new(),
            reach: reach?,
            fading,
            routing: self.routing(),
        };
        self.modulations(&config);
        (self.problems.len() == before).then_some(config)
    }

    /// Timings and rules: the standard's, what the mode makes of them, and what the table says.
    fn mac(&mut self) -> (Phy, Mac) {
        let wifi = self.wifi;
        let slowest = wifi.basic_rate.map_or(slowest(wifi.standard), |rate| rate.0);
        let phy = match wifi.standard {
            Standard::B => Phy::B,
            Standard::A => Phy::A,
            Standard::G => Phy::G,
            Standard::Bianchi => Phy::BIANCHI,
        };
        let mut mac = match wifi.standard {
            Standard::Bianchi => Mac { basic_rate: slowest, ..Mac::bianchi() },
            _ => Mac {
                short_retries: Some(wifi.short_retries.0),
                long_retries: Some(wifi.long_retries.0),
                ..Mac::standard(slowest)
            },
        };
        let timing = wifi.timing.clone().unwrap_or_default();
        let phy = self.phy(phy, &timing);
        if wifi.mode == Mode::Ns2 {
            mac = mac.of_ns2(&phy);
        }
        mac.rts_threshold = wifi.rts_threshold.map(|threshold| threshold.0).or(mac.rts_threshold);
        mac.capture = ratio(wifi.reach.capture.0);
        mac.uses_eifs = timing.eifs.unwrap_or(mac.uses_eifs);
        mac.overhead = timing.overhead.map_or(mac.overhead, |bytes| bytes.0);
        mac.timeout = timing.timeout.map(|span| span.0).or(mac.timeout);
        let answer = phy.sifs + phy.propagation + phy.propagation;
        if let Some(timeout) = mac.timeout.filter(|timeout| *timeout <= answer) {
            let message = format!("a timeout of {timeout} ends before an answer can begin, after {answer}");
            self.refuse(["timing".into(), "timeout".into()], message, None);
        }
        (phy, mac)
    }

    fn phy(&mut self, phy: Phy, timing: &Timing) -> Phy {
        let phy = Phy {
            slot: timing.slot.map_or(phy.slot, |span| span.0),
            sifs: timing.sifs.map_or(phy.sifs, |span| span.0),
            difs: timing.difs.map_or(phy.difs, |span| span.0),
            preamble: timing.preamble.map_or(phy.preamble, |span| span.0),
            propagation: timing.propagation.map_or(phy.propagation, |span| span.0),
            cw_min: timing.cw_min.map_or(phy.cw_min, |count| count.0),
            cw_max: timing.cw_max.map_or(phy.cw_max, |count| count.0),
            ..phy
        };
        let mut must = |holds: bool, key: &'static str, message: String| {
            if !holds {
                self.refuse(["timing".into(), key.into()], message, None);
            }
        };
        must(phy.difs > phy.sifs, "difs", format!("DIFS ({}) must be longer than SIFS ({})", phy.difs, phy.sifs));
        let least = phy.sifs.as_nanos().min(phy.slot.as_nanos());
        let message = format!(
            "the propagation delay ({}) must be shorter than SIFS ({}) and a slot ({})",
            phy.propagation, phy.sifs, phy.slot
        );
        must(phy.propagation.as_nanos() < least, "propagation", message);
        let message = format!("cw_max ({}) must be at least cw_min ({})", phy.cw_max, phy.cw_min);
        must(phy.cw_max >= phy.cw_min, "cw_max", message);
        phy
    }

    fn stations(&mut self, placed: &mut BTreeMap<NodeId, usize>) -> Option<Vec<StationConfig>> {
        let wifi = self.wifi;
        if wifi.station.len() < 2 && !wifi.station.iter().any(|station| station.layout.is_some()) {
            let hint = "add a [[wifi.station]]";
            self.refuse(["station".into()], "a wireless network needs at least two stations", Some(hint));
            return None;
        }
        let mut stations: Vec<StationConfig> = Vec::new();
        for (index, station) in wifi.station.iter().enumerate() {
            let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
            let path = place("wifi", self.at, inside("node"));
            let Some(end) = self.nodes.find(&station.node, path, self.problems) else { continue };
            let Some(places) = self.places(station, end, index) else { continue };
            let Buffer(buffer) = station.buffer.unwrap_or(wifi.buffer);
            if matches!(buffer, sim::Buffer::Time(_)) {
                let message = "an interface queue is given in packets or bytes: its rate is not known in advance";
                match station.buffer {
                    Some(_) => self.refuse(inside("buffer"), message, None),
                    None => self.refuse(["buffer".into()], message, None),
                }
            }
            for (member, place) in (0..).zip(places) {
                let node = end.member(member);
                let name = &self.nodes.names[node as usize];
                if placed.insert(node, self.at).is_some() {
                    let message = format!("`{name}` already is a station; a node has one transceiver and one place");
                    self.refuse(inside("node"), message, None);
                    continue;
                }
                if let Some(other) = stations.iter().find(|other| other.place == place) {
                    let other = &self.nodes.names[other.node as usize];
                    let message = format!("`{name}` and `{other}` are at the same place");
                    self.refuse(inside("node"), message, None);
                    continue;
                }
                let data_rate = station.data_rate.or(wifi.data_rate).map_or(fastest(wifi.standard), |rate| rate.0);
                stations.push(StationConfig { key: key("station", name), node, place, buffer, data_rate });
            }
        }
        Some(stations)
    }

    /// Where the members of a station's node are.
    fn places(&mut self, station: &Station, end: End, index: usize) -> Option<Vec<Position>> {
        let inside = |key: &'static str| ["station".into(), Segment::Index(index), key.into()];
        let count = end.group().unwrap_or(1);
        match (&station.at, &station.layout) {
            (Some(_), Some(_)) => {
                self.refuse(inside("layout"), "a station has `at` or `layout`, not both", None);
                None
            }
            (Some(_), None) if end.group().is_some() => {
                let message =
                    format!("`{}` is a group of {count} nodes, which are not all at one place", station.node.0);
                let hint = "layout = { kind = \"grid\", columns = 4, spacing = \"150 m\" }";
                self.refuse(inside("at"), message, Some(hint));
                None
            }
            (Some(at), None) => Some(vec![position(at)]),
            (None, Some(layout)) => Some(layout_of(layout, count, &station.node.0)),
            (None, None) => {
                let message = format!("`{}` has no position", station.node.0);
                let hint = "at = [\"0 m\", \"150 m\"], or a `layout` for a group";
                self.refuse(inside("node"), message, Some(hint));
                None
            }
        }
    }

    /// Who hears whom; a station that nobody can receive is reported.
    fn reach(&mut self, positions: &[Position]) -> Option<model::Reach> {
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
        Some(model::Reach::of_positions(positions, &propagation, received, sensed))
    }

    fn access(&mut self) -> model::Access {
        let by =
            |scale: f64, rounding: crate::format::wifi::Rounding| Aggressiveness { scale, rounding: rounding.of_sim() };
        let (access, scale) = match &self.wifi.access.0 {
            Access::Dcf(_) | Access::Ideal(_) => (model::Access::Dcf, 1.0),
            Access::ByDelay(rule) => (model::Access::QueueingDelay(by(rule.scale.0, rule.rounding)), rule.scale.0),
            Access::ByLength(rule) => (model::Access::QueueLength(by(rule.scale.0, rule.rounding)), rule.scale.0),
        };
        if scale < 0.0 {
            self.refuse(
                ["access".into(), "scale".into()],
                format!("{scale} is out of range; allowed: at least 0"),
                None,
            );
        }
        access
    }

    fn routing(&self) -> Option<DsdvConfig> {
        let Routing::DistanceVectors(rule) = &self.wifi.routing.0 else { return None };
        Some(DsdvConfig {
            period: rule.period.0,
            settling: rule.settling.0,
            spacing: rule.spacing.0,
            missed: rule.missed.0,
            asks_mac: rule.link_layer,
            ..DsdvConfig::default()
        })
    }

    /// Noise asks for modulations that are known.
    fn modulations(&mut self, config: &WifiConfig) {
        if config.fading.is_none() {
            return;
        }
        let rates = config.stations.iter().map(|station| station.data_rate).chain([config.mac.basic_rate]);
        let unknown = rates.into_iter().find(|&rate| Modulation::of(config.phy.coding, rate).is_none());
        if let Some(rate) = unknown {
            let message = format!("no error rate is known for {rate}: noise needs the standard's own rates");
            self.refuse(["noise".into()], message, None);
        }
    }

    /// The ways between all that can receive each other.
    fn ways(&mut self, config: &WifiConfig, links: &Links) -> Option<Vec<Way>> {
        let (nodes, count) = (self.nodes, config.stations.len() as u32);
        let name = |station: u32| nodes.names[config.stations[station as usize].node as usize].as_str();
        let mut ways = Vec::new();
        for from in 0..count {
            let reached = config.reach.of(from).iter().filter(|neighbour| neighbour.decodes);
            ways.extend(reached.map(|neighbour| Way { from, to: neighbour.station, loss: 0.0 }));
        }
        let total = links.names.len() as u64 + ways.len() as u64;
        if !is_within_limit("link", total, MAX_LINKS, self.at, self.problems) {
            return None;
        }
        let before = self.problems.len();
        let mut is_heard = vec![false; count as usize];
        ways.iter().for_each(|way| is_heard[way.from as usize] = true);
        if let Some(alone) = is_heard.iter().position(|heard| !heard) {
            let message = format!("`{}` is out of reach of all other stations", name(alone as u32));
            let hint = "move it, or enlarge `reach.receive`";
            self.refuse(["station".into()], message, Some(hint));
        }
        if let Some(taken) = ways.iter().find(|way| links.between.contains_key(&config.ends(way))) {
            let message = format!("there is already a link from `{}` to `{}`", name(taken.from), name(taken.to));
            self.refuse(["station".into()], message, None);
        }
        for (index, loss) in self.wifi.loss.iter().enumerate() {
            let inside = |key: &'static str| place("wifi", self.at, ["loss".into(), Segment::Index(index), key.into()]);
            let from = nodes.find(&loss.from, inside("from"), self.problems).map(|end| end.member(0));
            let to = nodes.find(&loss.to, inside("to"), self.problems).map(|end| end.member(0));
            let (Some(from), Some(to)) = (from, to) else { continue };
            match ways.iter_mut().find(|way| config.ends(way) == (from, to)) {
                Some(way) => way.loss = loss.probability.0,
                None => {
                    let message = format!("`{}` cannot receive frames of `{}`", loss.to.0, loss.from.0);
                    self.problems.add(inside("to"), message, None);
                }
            }
        }
        (self.problems.len() == before).then_some(ways)
    }

    fn entropy(&self) -> f64 {
        let scale = match &self.wifi.access.0 {
            Access::ByDelay(rule) => rule.scale.0,
            Access::Ideal(rule) => rule.scale.0,
            Access::Dcf(_) | Access::ByLength(_) => 0.0,
        };
        let default = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        self.wifi.entropy.map_or(default, |entropy| entropy.0)
    }

    fn medium(&mut self, network: WifiConfig) -> MediumConfig {
        if let Some(entropy) = self.wifi.entropy.filter(|entropy| entropy.0 < 0.0) {
            let message = format!("{} is out of range; allowed: at least 0", entropy.0);
            self.refuse(["entropy".into()], message, None);
        }
        let Access::Ideal(rule) = &self.wifi.access.0 else { return MediumConfig::Wifi(network) };
        if network.routing.is_some() {
            let message = "ideal access has no frames, and so no routing messages";
            self.refuse(["routing".into()], message, Some("routing = \"shortest\""));
        }
        let aggression = match rule.aggressiveness {
            Some(rho) => Aggression::Fixed(rho.0),
            None => Aggression::QueueingDelay { scale: rule.scale.0, cap: rule.cap.0 },
        };
        let conflicts = network.conflicts(rule.conflicts.of_sim());
        MediumConfig::Csma(CsmaConfig { network, conflicts, aggression, holding: Holding::Exact })
    }
}

fn watts(level: PowerLevel) -> f64 {
    libm::pow(10.0, level.as_dbm() / 10.0 - 3.0)
}

fn ratio(decibels: Decibels) -> f64 {
    libm::pow(10.0, decibels.count() / 10.0)
}

const fn mbit(rate: u64) -> BitRate {
    BitRate::bits_per_sec(rate * 1_000_000)
}

const fn fastest(standard: Standard) -> BitRate {
    match standard {
        Standard::B => mbit(11),
        Standard::A | Standard::G => mbit(54),
        Standard::Bianchi => mbit(1),
    }
}

const fn slowest(standard: Standard) -> BitRate {
    match standard {
        Standard::B | Standard::Bianchi => mbit(1),
        Standard::A | Standard::G => mbit(6),
    }
}

fn position([x, y]: &[Written<Distance>; 2]) -> Position {
    (x.0.as_metres(), y.0.as_metres())
}

fn layout_of(layout: &Layout, count: u32, name: &str) -> Vec<Position> {
    match layout {
        Layout::Grid(grid) => {
            let (spacing, origin) = (grid.spacing.0.as_metres(), position(&grid.origin));
            let at = |member: u32| {
                let (column, row) = (member % grid.columns.0, member / grid.columns.0);
                (origin.0 + f64::from(column) * spacing, origin.1 + f64::from(row) * spacing)
            };
            (0..count).map(at).collect()
        }
        Layout::Random(area) => {
            let origin = position(&area.origin);
            let draw =
                |member: u32, axis| uniform(u64::from(area.seed), key("place", &format!("{name}-{member}")), axis);
            let at = |member| {
                let (width, height) = (area.width.0.as_metres(), area.height.0.as_metres());
                (origin.0 + draw(member, "x") * width, origin.1 + draw(member, "y") * height)
            };
            (0..count).map(at).collect()
        }
    }
}
