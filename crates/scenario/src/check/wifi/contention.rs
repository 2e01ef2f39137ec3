//! Access categories: contention, and the queues of stations.

use super::check::Check;
use super::motion::places;
use super::profile::Defaults;
use crate::format::wifi::{Edca, Hardware, TransmitQueue, TransmitQueues};
use crate::path::Segment;
use windward_sim::Buffer;
use windward_sim::wifi::StationConfig;
use windward_sim::wifi::edca::{self, Contention};
use windward_sim::wifi::ppdu::Format;
use windward_sim::wifi::txq::{Aql, Discipline, FlowsConfig, TxqConfig, Txqs};
use windward_units::Duration;

/// Contention windows above this do not exist in the standard.
const LARGEST_WINDOW: u32 = 32_767;
/// Longest TXOP limit: 255 times 32 µs.
const LONGEST_TXOP: Duration = Duration::from_micros(8160);
/// Packets of a category below a shared queue: those that ath9k holds.
const BELOW: u32 = 123;
/// Refusal of a buffer that no queue has.
const NO_BUFFER: &str = "`buffer` is for one drop-tail queue: mac80211's queues have limits of their own";
const BUFFER_HINT: &str = "txq = { queue = \"fifo\" }, or leave it out";
const FIRMWARE_HINT: &str = "txq = { hardware = \"driver\" }, or leave it out";

impl Check<'_> {
    /// Contention parameters of a station.
    pub(super) fn contention(
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

    /// Refuses what decides between receivers where firmware serves them in turn.
    fn refuse_fairness(&mut self, given: &TransmitQueues, inside: impl Fn(&'static str) -> Vec<Segment>) {
        for (key, is_given) in [
            ("airtime_fairness", given.airtime_fairness.is_some()),
            ("received_airtime", given.received_airtime.is_some()),
        ] {
            if is_given {
                let message = format!("`{key}` has no effect behind firmware, which serves receivers in turn");
                self.problems.add(self.path(&inside(key)), message, Some(FIRMWARE_HINT.to_owned()));
            }
        }
    }

    /// Refuses weights of stations to which firmware alone sends, the access point's if there is one, and a buffer of
    /// all stations that none has. `hardware` and `has_buffer` are those of each station.
    pub(super) fn check_effects(
        &mut self,
        stations: &[StationConfig],
        access_point: Option<usize>,
        hardware: &[edca::Hardware],
        has_buffer: &[bool],
        is_weighted: &[bool],
    ) {
        let senders = access_point.map_or(0..stations.len(), |at| at..at + 1);
        let is_firmware = |at: usize| hardware[at] == edca::Hardware::Firmware;
        let weighs = |at: usize| is_firmware(at) || is_weighted[at];
        let weighing = senders.clone().filter(|&at| weighs(at)).count();
        let drivers = senders.clone().filter(|&at| !is_firmware(at)).count();
        let places = places(stations);
        for (index, table) in self.wifi.station.iter().enumerate() {
            let Some(end) = self.nodes.known(&table.node).filter(|_| table.weight.is_some()) else { continue };
            // A station does not send to itself.
            let own = places.get(&end.member(0)).copied().filter(|at| senders.contains(at));
            let others = |all: usize, counts: &dyn Fn(usize) -> bool| all - usize::from(own.is_some_and(counts));
            if others(weighing, &weighs) == 0 {
                let message = "`weight` is for airtime fairness, which no station that sends to this one has";
                let hint = Some("txq = { queue = \"fq-codel\" }, or leave it out");
                self.refuse(["station".into(), Segment::Index(index), "weight".into()], message, hint);
            } else if others(drivers, &|at| !is_firmware(at)) == 0 {
                let message = "`weight` has no effect behind firmware, which serves receivers in turn";
                self.refuse(["station".into(), Segment::Index(index), "weight".into()], message, Some(FIRMWARE_HINT));
            }
        }
        if self.wifi.buffer.is_some() && !has_buffer.contains(&true) {
            self.refuse(["buffer".into()], NO_BUFFER, Some(BUFFER_HINT));
        }
    }

    /// Discipline of a station's queues.
    pub(super) fn discipline(&self, station: &StationConfig, defaults: &Defaults) -> TransmitQueue {
        let own = self.station_of(station.node).and_then(|(_, table)| table.txq.as_ref());
        let given = own.or(self.wifi.txq.as_ref()).and_then(|txq| txq.queue);
        given.unwrap_or(defaults.queue)
    }

    /// Queues of a station, and its weight at those that send to it.
    pub(super) fn queues(
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
        if let Some((index, table)) = self.station_of(station.node)
            && table.buffer.is_some()
            && !queue.has_buffer()
        {
            self.refuse(["station".into(), Segment::Index(index), "buffer".into()], NO_BUFFER, Some(BUFFER_HINT));
        }
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
        if queue == TransmitQueue::StrictFifo {
            let hardware = self.strict_hardware(&given, defaults, inside);
            return (None, hardware.of_sim(), weight as u16);
        }
        let below = given.below.map_or(BELOW, |count| count.0);
        let shared = |above| Discipline::Shared { above, below };
        let discipline = match queue {
            TransmitQueue::FqCodel => Discipline::PerStation(FlowsConfig::mac80211(format != Format::Ht)),
            TransmitQueue::SharedFqCodel => shared(FlowsConfig::fq_codel()),
            TransmitQueue::Fifo => {
                // Linux's `fifo` counts packets. A buffer in other units is the driver's own queue.
                let Buffer::Packets(packets) = station.buffer else {
                    return (None, edca::Hardware::Driver, weight as u16);
                };
                shared(FlowsConfig::fifo(u32::try_from(packets).unwrap_or(u32::MAX)))
            }
            TransmitQueue::StrictFifo => return (None, edca::Hardware::Driver, weight as u16),
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
        if hardware == Hardware::Firmware {
            self.refuse_fairness(&given, inside);
        }
        (Some(config), hardware.of_sim(), weight as u16)
    }

    /// Place at which a strict FIFO's A-MPDUs are composed. Refuses firmware, which serves receivers in turn, and room
    /// below the queue.
    fn strict_hardware(
        &mut self,
        given: &TransmitQueues,
        defaults: &Defaults,
        inside: impl Fn(&'static str) -> Vec<Segment>,
    ) -> Hardware {
        if given.below.is_some() {
            let message = "a strict FIFO has no room below it: packets leave it as an A-MPDU is composed";
            self.problems.add(self.path(&inside("below")), message, Some("queue = \"fifo\"".to_owned()));
        }
        let default = if defaults.hardware == Hardware::Firmware { Hardware::Driver } else { defaults.hardware };
        let hardware = given.hardware.unwrap_or(default);
        if hardware == Hardware::Firmware {
            let message = "firmware serves receivers in turn, not in the order of arrival";
            self.problems.add(self.path(&inside("hardware")), message, Some("hardware = \"driver\"".to_owned()));
        }
        hardware
    }
}
