//! A link at run time.

use super::config::{EdcaConfig, EdcaWay, RateChoice};
use super::counts::{RateCounts, SizeCounts};
use crate::wifi::minstrel::{Ideal, Minstrel, RateControl, SampleTable};
use crate::wifi::ppdu::{Mode, Timing, longest_psdu};
use std::collections::BTreeMap;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::status::{Books, Counts};
use windward_units::{Duration, Time};

/// Counters of a link beyond those of a wired one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WayCounts {
    pub link: Counts,
    /// Attempts: PPDUs with data, RTS that a PPDU should have followed, and requests.
    pub attempts: u64,
    /// Attempts without an answer.
    pub failures: u64,
    /// PPDUs with data.
    pub ppdus: u64,
    /// MPDUs in them.
    pub mpdus: u64,
    /// MPDUs sent for the first time.
    pub numbered: u64,
    /// MPDUs in them that were not acknowledged.
    pub mpdu_failures: u64,
    /// Acknowledged packets.
    pub successes: u64,
    /// Packets given up after all attempts.
    pub given_up: u64,
    /// BlockAck requests.
    pub requests: u64,
    /// Sum over attempts of the contention window of the backoff before each.
    pub windows: f64,
    /// Air time of the exchanges with their answers.
    pub airtime: Duration,
    /// Air time of the PPDUs with data.
    pub data_time: Duration,
    /// Bytes of their PSDUs.
    pub psdu_bytes: u64,
}

/// Attempts of a PPDU at one rate before its MPDUs go back to the queue, where no chain of rates says otherwise.
const ATTEMPTS: u8 = 7;

/// Rate control of link `at` of `config` in the run of `seed`.
fn control(at: u32, config: &EdcaConfig, seed: u64) -> RateControl {
    let way = &config.ways[at as usize];
    match &way.rate {
        RateChoice::Fixed(mode) => RateControl::Fixed(*mode, ATTEMPTS),
        RateChoice::Ideal => {
            let decibels = |ratio: f64| 10.0 * libm::log10(ratio);
            let rates = config.ladder.iter().map(|rung| (rung.mode, decibels(rung.ratio)));
            let mut ideal = Ideal::new(rates, ATTEMPTS);
            ideal.heard(decibels(config.ratio(at)), config.rate(at).width());
            RateControl::Ideal(ideal)
        }
        RateChoice::Minstrel(capabilities) => {
            let key = config.stations[way.from as usize].key ^ config.stations[way.to as usize].key.rotate_left(1);
            let mut stream = Stream::new(seed, key, Purpose::Rates);
            let table = SampleTable::new(capabilities.format, || (stream.uniform() * 256.0) as u8);
            RateControl::Minstrel(Box::new(Minstrel::new(Time::ZERO, capabilities, table)))
        }
    }
}

/// A link at run time.
#[derive(Debug)]
pub(super) struct WayState {
    pub from: u32,
    pub to: u32,
    /// Hazard of an MPDU from the link's own losses.
    pub hazard: f64,
    /// Control of the rate of data.
    pub control: RateControl,
    /// Rate of the last PPDU.
    pub mode: Option<Mode>,
    /// The sender's number of the receiver.
    pub peer: u32,
    /// Link in the other direction.
    pub reverse: Option<u32>,
    /// Most bytes of an A-MSDU.
    pub longest_amsdu: u64,
    /// Rate of the link alone, in bits a second.
    pub alone: f64,
    /// Packets queued or in service, and not yet received.
    pub backlog: u32,
    /// Waiting-time statistics of the packets not yet sent.
    pub line: Books,
    /// PPDUs by rate.
    pub rates: RateCounts,
    /// PPDUs by the number of their MPDUs.
    pub sizes: SizeCounts,
    pub longest: Longest,
    pub counts: WayCounts,
}

impl WayState {
    /// Creates all links of `config` in the run of `seed`, empty.
    pub fn all(config: &EdcaConfig, seed: u64) -> Vec<Self> {
        let places: BTreeMap<(u32, u32), u32> =
            config.ways.iter().zip(0..).map(|(way, at)| ((way.from, way.to), at)).collect();
        let mut peers = vec![0; config.stations.len()];
        let way = |(at, way): (u32, &EdcaWay)| {
            let peer = &mut peers[way.from as usize];
            let reverse = places.get(&(way.to, way.from)).copied();
            *peer += 1;
            Self::new(at, config, seed, (*peer - 1, reverse))
        };
        (0..).zip(&config.ways).map(way).collect()
    }

    fn new(at: u32, config: &EdcaConfig, seed: u64, (peer, reverse): (u32, Option<u32>)) -> Self {
        let way = &config.ways[at as usize];
        Self {
            from: way.from,
            to: way.to,
            hazard: super::errors::hazard_of(way.loss),
            control: control(at, config, seed),
            mode: None,
            peer,
            reverse,
            longest_amsdu: config.longest_amsdu(at),
            alone: config.mean_rate(at),
            backlog: 0,
            line: Books::default(),
            rates: RateCounts::default(),
            sizes: SizeCounts::default(),
            longest: Longest::default(),
            counts: WayCounts::default(),
        }
    }
}

/// Cache of the longest PSDU of a mode and a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Longest {
    key: (u64, u64),
    bytes: u64,
}

impl WayState {
    /// Bytes of the longest PSDU at `mode` within `limit` nanoseconds.
    #[inline]
    pub fn longest_psdu(&mut self, mode: Mode, limit: u64, timing: &Timing) -> u64 {
        let key = (mode.data_bits(), limit);
        if self.longest.key != key {
            let bytes = longest_psdu(mode, Duration::from_nanos(limit), timing);
            self.longest = Longest { key, bytes };
        }
        self.longest.bytes
    }
}
