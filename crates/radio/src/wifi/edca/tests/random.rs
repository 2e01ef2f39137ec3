//! Random exchanges: several receivers and categories at a time, all ways to compose a PPDU, stations that come and go.
//!
//! `WINDWARD_EXCHANGES` is the number of draws, `WINDWARD_EXCHANGES_FROM` the first of them.

use super::harness::{Bench, secs, star};
use crate::interface::Medium;
use crate::wifi::category::CATEGORIES;
use crate::wifi::edca::{
    AfterLoss, BlockAckConfig, Category, Contention, Edca, EdcaConfig, EdcaStation, EdcaWay, Hardware, Noise,
    RateChoice, ladder,
};
use crate::wifi::minstrel::Capabilities;
use crate::wifi::ppdu::{Format, Guard, Limits, Mode, Width};
use crate::wifi::radio::motion::Motion;
use crate::wifi::radio::propagation::{PathLoss, Propagation};
use crate::wifi::txq::{Discipline, FlowsConfig, TxqConfig};
use std::env;
use windward_elements::queue::Buffer;
use windward_units::{Bytes, Duration, Time, splitmix64};

/// Time for which packets are offered, and time at which all stations are back.
const LOADED: f64 = 0.3;
/// End of a run. An MPDU without a limit on its transmissions is repeated until its station is back.
const END: f64 = 40.0;

struct Draw(u64);

impl Draw {
    fn uniform(&mut self) -> f64 {
        self.0 = splitmix64(self.0);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

fn modes(format: Format) -> Vec<Mode> {
    let (width, guard, most) = match format {
        Format::Ht => (Width::Mhz20, Guard::Ns800, 7),
        Format::Vht => (Width::Mhz80, Guard::Ns400, 9),
        Format::He => (Width::Mhz80, Guard::Ns800, 11),
    };
    (0..=most).map(|mcs| Mode::new(format, width, 1, guard, mcs).unwrap()).collect()
}

/// Paths of `count` stations around the first, which rests. Some walk out of reach, some jump there; all are back at
/// the end of the load.
fn motion(draw: &mut Draw, count: usize) -> Motion {
    let propagation =
        Propagation { power: 0.1, frequency: 5.18e9, loss: PathLoss::LogDistance { exponent: 3.0, reference: 1.0 } };
    let place = |draw: &mut Draw, far: f64| (far * (draw.uniform() - 0.5), far * (draw.uniform() - 0.5));
    let path = |draw: &mut Draw| {
        let mut path = vec![(Time::ZERO, place(draw, 60.0))];
        while draw.chance(0.7) && path.len() < 5 {
            let at = secs(LOADED * path.len() as f64 / 5.0);
            if draw.chance(0.5) {
                // A jump.
                path.push((at, path[path.len() - 1].1));
            }
            path.push((at, place(draw, 200.0)));
        }
        path.push((secs(LOADED), place(draw, 20.0)));
        path
    };
    let ways = (0..count).map(|at| if at == 0 { vec![(Time::ZERO, (0.0, 0.0))] } else { path(draw) }).collect();
    let thresholds = (propagation.received(70.0), propagation.received(90.0));
    Motion { ways, every: Duration::from_millis(5), propagation, thresholds, gains: Vec::new() }
}

/// One of Linux's queues or one FIFO, and a place where PPDUs are composed that goes with it.
fn queueing(draw: &mut Draw) -> (Option<TxqConfig>, Hardware) {
    let aggregates = [Hardware::Driver, Hardware::TwoAggregates];
    let fifo = Discipline::Shared { above: FlowsConfig::fifo(30), below: 8 };
    let fq_codel = Discipline::Shared { above: FlowsConfig::fq_codel(), below: 16 };
    let per_station = Discipline::PerStation(FlowsConfig { packets: 50, ..FlowsConfig::mac80211(true) });
    let default = TxqConfig::default();
    match draw.below(3) {
        0 => (None, draw.of(&aggregates)),
        1 => (Some(default), draw.of(&[Hardware::Driver, Hardware::TwoAggregates, Hardware::Firmware])),
        _ => {
            let discipline = draw.of(&[fifo, fq_codel, per_station]);
            let airtime_fairness = draw.chance(0.5);
            (Some(TxqConfig { discipline, airtime_fairness, aql: None, ..default }), draw.of(&aggregates))
        }
    }
}

fn rate(draw: &mut Draw, format: Format) -> RateChoice {
    match draw.below(3) {
        0 => RateChoice::Ideal,
        1 => RateChoice::Minstrel(Capabilities::new(format, modes(format)[0].width(), 1)),
        _ => RateChoice::Fixed(draw.of(&modes(format)[..6])),
    }
}

fn station(draw: &mut Draw, at: usize, is_access_point: bool) -> EdcaStation {
    let (txqs, hardware) = queueing(draw);
    EdcaStation {
        contention: if is_access_point { Contention::ACCESS_POINT } else { Contention::STATION },
        buffer: draw.of(&[Buffer::Unlimited, Buffer::Packets(10), Buffer::Packets(200)]),
        txqs,
        is_strict: draw.chance(0.5),
        hardware,
        weight: draw.of(&[128, 256, 512]),
        ..EdcaStation { key: at as u64, node: at as u32, ..star(1, modes(Format::Ht)[0]).stations[0].clone() }
    }
}

/// A network with links both ways between its access point and each of its stations.
fn network(draw: &mut Draw) -> EdcaConfig {
    let format = draw.of(&[Format::Ht, Format::Vht, Format::He]);
    let count = 3 + draw.below(3);
    let motion = motion(draw, count);
    let pairs = (1..count as u32).flat_map(|at| [(0, at), (at, 0)]);
    let lossy = draw.chance(0.6);
    let mut way = |(from, to)| EdcaWay {
        from,
        to,
        loss: if lossy { draw.of(&[0.0, 0.1, 0.7]) } else { 0.0 },
        rate: rate(draw, format),
    };
    let links: Vec<EdcaWay> = pairs.map(&mut way).collect();
    let ways = links.len();
    let limits = Limits::most(format);
    let frames = draw.of(&[1, 2, 16, limits.frames]);
    EdcaConfig {
        stations: (0..count).map(|at| station(draw, at, at == 0)).collect(),
        ways: links,
        reach: motion.reach(Time::ZERO),
        sense: motion.thresholds.1,
        motion: Some(motion),
        noise: Some(Noise { power: 4e-13, is_rayleigh: draw.chance(0.4) }),
        ladder: ladder(modes(format)),
        rts_threshold: draw.of(&[None, None, Some(Bytes::new(0)), Some(Bytes::new(3000))]),
        amsdu: Bytes::new(draw.of(&[0, 0, 3839])),
        ampdu: draw.chance(0.9).then_some(Limits { frames, ..limits }),
        block_ack: BlockAckConfig {
            attempts: draw.of(&[None, Some(2), Some(30)]),
            after_loss: draw.of(&[AfterLoss::Data, AfterLoss::Request]),
            reorder_timeout: draw.of(&[Duration::from_millis(2), Duration::from_millis(100)]),
            ..BlockAckConfig::linux(draw.of(&[8, limits.frames as u32]))
        },
        // A source for each link and category. Of two with one number, mac80211's queues may reorder one.
        sources: Category::ALL.repeat(ways),
        ..star(1, modes(format)[0])
    }
}

/// Each packet of a link has a fate or waits. Each numbered one is acknowledged, given up or under way, or, if some
/// were sent before the statistics began, at most that.
fn check_books(bench: &Bench, warmup: Option<Time>) {
    for (at, way) in bench.edca.ways.iter().enumerate() {
        assert_eq!(i64::from(way.backlog), bench.pending[at], "backlog of link {at} at {:?}", bench.now);
        let of_link = at * CATEGORIES..(at + 1) * CATEGORIES;
        let under_way: u64 = bench.edca.sessions[of_link].iter().map(|session| session.outstanding_packets()).sum();
        let counts = &way.counts;
        if warmup.is_none() {
            assert_eq!(counts.link.packets, counts.successes + counts.given_up + under_way, "link {at}");
        }
        let successes: u64 = way.rates.used().iter().map(|count| count.successes).sum();
        assert!(successes + counts.mpdu_failures <= counts.mpdus, "MPDUs of link {at}");
        assert!(bench.edca.config.amsdu > Bytes::new(0) || counts.successes <= counts.mpdus, "successes of link {at}");
        assert!(counts.failures <= counts.attempts && counts.link.lost <= counts.link.packets, "losses of link {at}");
        assert!(counts.airtime <= bench.now.since(warmup.unwrap_or(Time::ZERO)), "airtime of link {at}");
    }
    for station in &bench.edca.stations {
        assert!(station.fresh & !station.counting == 0, "a packet without backoff contends");
    }
    let window = bench.edca.config.block_ack.window;
    bench.edca.sessions.iter().for_each(|session| session.check(window));
}

/// Packets arrive in the order of their queue, once, and all others are lost, once. Where Linux's queues put a flow
/// into that of another, they may reorder it.
fn check_fates(bench: &Bench, categories: &[u32]) {
    let Edca { ways, sessions, stations, .. } = &bench.edca;
    let mut last = vec![None; sessions.len()];
    for &(_, way, number) in &bench.world.arrived {
        let last = &mut last[way as usize * CATEGORIES + categories[number as usize] as usize];
        let sender = ways[way as usize].from as usize;
        let is_shared = bench.edca.config.stations[sender]
            .txqs
            .is_some_and(|txqs| matches!(txqs.discipline, Discipline::Shared { .. }));
        let has_shared =
            is_shared || stations[sender].transmit.as_deref().is_some_and(|transmit| transmit.txqs.collisions() > 0);
        assert!(has_shared || *last < Some(number), "in order, and once: {last:?} before {number} on link {way}");
        *last = Some(number);
    }
    let arrived = bench.world.arrived.iter().map(|&(.., number)| number);
    let mut all: Vec<u32> = arrived.chain(bench.world.lost.iter().map(|&(number, _)| number)).collect();
    all.sort_unstable();
    assert!(all.iter().copied().eq(0..categories.len() as u32), "{} fates of {}", all.len(), categories.len());
    for station in &bench.edca.stations {
        assert_eq!(station.waiting, 0);
        assert!(station.transmit.as_deref().is_none_or(|transmit| transmit.txqs.outstanding() == 0), "completed once");
    }
}

/// Runs a random network until all is drained. Returns the attempts on the air.
fn exchanges(seed: u64) -> u64 {
    let mut draw = Draw(splitmix64(seed));
    let config = network(&mut draw);
    let mut bench = Bench::new(&config, seed);
    let last_cold = draw.chance(0.5).then(|| 1 + draw.below(59));
    let mut warmup = None;
    bench.edca.begin(&mut bench.world);
    let mut categories = Vec::new();
    let busy = 1.0 / config.ways.len() as f64 * draw.of(&[1.0, 2.0, 4.0]);
    let deepest = draw.of(&[8, 20, 60]);
    let steps = 60;
    for step in 1..=steps {
        for way in 0..config.ways.len() as u32 {
            if !draw.chance(busy) {
                continue;
            }
            let (category, size) = (draw.below(CATEGORIES) as u32, draw.of(&[100, 700, 1500]));
            for _ in 0..=draw.below(deepest) {
                categories.push(category);
                bench.offer(way, way * CATEGORIES as u32 + category, size);
            }
        }
        bench.run(secs(LOADED * step as f64 / steps as f64), 0, &[]);
        if last_cold == Some(step) {
            warmup = Some(bench.now);
            bench.edca.reset_counts(bench.now);
        }
        check_books(&bench, warmup);
    }
    let mut end = LOADED;
    while end < END && bench.pending.iter().any(|&pending| pending > 0) {
        end += 0.1;
        bench.run(secs(end), 0, &[]);
        check_books(&bench, warmup);
    }
    // Senders that have not heard of the last arrivals repeat them.
    let is_known = |bench: &Bench| bench.edca.sessions.iter().all(|session| session.outstanding_packets() == 0);
    while end < END && !is_known(&bench) {
        end += 0.1;
        bench.run(secs(end), 0, &[]);
    }
    check_fates(&bench, &categories);
    bench.edca.ways.iter().map(|way| way.counts.attempts).sum()
}

#[test]
fn random_exchanges_conserve_every_mpdu() {
    let number = |name: &str, default| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, draws) = (number("WINDWARD_EXCHANGES_FROM", 1), number("WINDWARD_EXCHANGES", 100));
    // Draw 1751 stalled: a round of the airtime scheduler passed over its only TXQ.
    let attempts: u64 = (first..first + draws)
        .chain([1751])
        .map(|seed| {
            std::panic::catch_unwind(|| exchanges(seed)).unwrap_or_else(|fault| {
                eprintln!("draw {seed}: WINDWARD_EXCHANGES_FROM={seed} WINDWARD_EXCHANGES=1");
                std::panic::resume_unwind(fault)
            })
        })
        .sum();
    // A mean of some 1000 on the air; single draws may have few.
    assert!(attempts > 200 * draws || draws < 20, "{attempts} attempts in {draws} draws");
}
