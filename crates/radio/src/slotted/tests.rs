//! The theorems of seferoglu2014 §III on networks whose stability regions are known by hand.

use super::choice::heaviest;
use super::{Slotted, SlottedConfig};
use crate::interface::Medium;
use crate::wifi::{Access, Conflict, Mac, Phy, Reach, StationConfig, Way, WifiConfig};
use crate::world::World;
use windward_elements::backpressure::{Links, Threshold, WeightConfig};
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Duration, Time};

const SLOT: Duration = Duration::from_millis(1);

/// Network of links (from, to, probability of ON); links that share a station conflict.
fn config(stations: u32, links: &[(u32, u32, f64)], threshold: f64) -> SlottedConfig {
    let station = |node| StationConfig {
        key: u64::from(node),
        node,
        place: (0.0, 0.0),
        buffer: Buffer::Unlimited,
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(1_000_000),
    };
    let network = WifiConfig {
        phy: Phy::B,
        mac: Mac::standard(BitRate::bits_per_sec(1_000_000)),
        access: Access::Dcf,
        stations: (0..stations).map(station).collect(),
        ways: links.iter().map(|&(from, to, on)| Way { from, to, loss: 1.0 - on, ..Way::default() }).collect(),
        reach: Reach::complete(stations),
        motion: None,
        fading: None,
        routing: None,
    };
    let conflicts = network.conflicts(Conflict::Primary);
    let weight = WeightConfig { threshold: Threshold::Fixed(threshold), links: Links::LoopFree };
    SlottedConfig { network, conflicts, weight, slot: SLOT }
}

/// A network and its flows, slot by slot: arrivals of a slot can leave in the next one (seferoglu2014 (1)).
struct Bench {
    slotted: Slotted,
    world: World,
    seen: usize,
    flows: Vec<(u32, u32)>,
    delivered: Vec<u64>,
    slot: u64,
    stream: Stream,
}

impl Bench {
    fn new(config: &SlottedConfig, flows: &[(u32, u32)], seed: u64) -> Self {
        Self {
            slotted: Slotted::new(config, &crate::Hooks::default(), seed),
            world: World::default(),
            seen: 0,
            flows: flows.to_vec(),
            delivered: vec![0; flows.len()],
            slot: 0,
            stream: Stream::new(seed, 77, Purpose::Pattern),
        }
    }

    fn push(&mut self, now: Time, at: u32, flow: usize) {
        let (_, to) = self.flows[flow];
        let packet = Packet { to, number: flow as u32, ..Packet::new(Kind::Datagram, now, flow as u32, 0, 1000) };
        self.slotted.carry(now, at, packet, &mut self.world);
    }

    /// One slot, with `arrivals` packets of each flow at its end.
    fn turn(&mut self, arrivals: &[u32]) {
        let now = Time::from_nanos(self.slot * SLOT.as_nanos());
        while let Some(&(_, link, flow)) = self.world.arrived.get(self.seen) {
            self.seen += 1;
            let at = self.slotted.forward.queues.graph().ends(link).1;
            if at == self.flows[flow as usize].1 {
                self.delivered[flow as usize] += 1;
            } else {
                self.push(now, at, flow as usize);
            }
        }
        while let Some((_, timer)) = self.world.next(now) {
            self.slotted.wake(now, timer, &mut self.world);
        }
        for (flow, &count) in arrivals.iter().enumerate() {
            (0..count).for_each(|_| self.push(now, self.flows[flow].0, flow));
        }
        self.slot += 1;
    }

    /// Runs independent arrivals of at most one packet a slot. Returns Σ U at the end, and its mean over the last half.
    fn run(&mut self, rates: &[f64], slots: u64) -> (f64, f64) {
        let mut sum = 0.0;
        for slot in 0..slots {
            let arrivals: Vec<u32> = rates.iter().map(|&rate| u32::from(self.stream.chance(rate))).collect();
            self.turn(&arrivals);
            if slot >= slots / 2 {
                sum += self.total();
            }
        }
        (self.total(), sum / (slots - slots / 2) as f64)
    }

    fn total(&self) -> f64 {
        self.slotted.forward.queues.waiting() as f64
    }
}

/// A station with two receivers, one served at a time, each ON half of the time. At least one is ON in three quarters
/// of the slots, each alone in half (Tassiulas and Ephremides 1993).
fn star(threshold: f64) -> SlottedConfig {
    config(3, &[(0, 1, 0.5), (0, 2, 0.5)], threshold)
}

/// The diamond of the paper: A sends all the time, half of it to B and half to C, which relay in the other half.
fn diamond(threshold: f64) -> SlottedConfig {
    let edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let links: Vec<(u32, u32, f64)> = edges.iter().flat_map(|&(a, b)| [(a, b, 1.0), (b, a, 1.0)]).collect();
    config(4, &links, threshold)
}

/// Theorem 1, inside and outside: at 95 % of the boundary backlogs are stable, at 105 % they grow by the excess, for
/// every K.
#[test]
fn theorem_1_inside_and_outside() {
    const SLOTS: u64 = 200_000;
    for threshold in [0.0, 10.0] {
        for (name, config, flows, boundary) in
            [("star", star(threshold), [(0, 1), (0, 2)], 0.375), ("diamond", diamond(threshold), [(0, 1), (0, 3)], 0.5)]
        {
            let (last, mean) = Bench::new(&config, &flows, 1).run(&[0.95 * boundary; 2], SLOTS);
            assert!(mean < 20.0 && last < 200.0, "{name} K = {threshold}: {last}, {mean}");
            let (last, _) = Bench::new(&config, &flows, 1).run(&[1.05 * boundary; 2], SLOTS);
            // Two flows with 5 % surplus. Bernoulli arrivals and channels leave 5 standard deviations of 5 √(SLOTS/2) =
            // 1600.
            let surplus = 2.0 * 0.05 * boundary * SLOTS as f64;
            assert!((last - surplus).abs() < 1600.0, "{name} K = {threshold}: {last} is not {surplus}");
        }
    }
}

/// (12): the mean backlog is below (B + 2 |L||S| K F_max)/(2ε), and may grow linearly with K. Of links with ON
/// probabilities of 0.9 and 0.3 the second must be served nearly always when it is ON. Below K both weigh the same, so
/// its queue is about K. Rates of 0.58 and 0.28 leave ε = 0.02; B is 1 + 2: one packet leaves and at most two arrive in
/// a slot.
#[test]
fn backlogs_grow_linearly_with_k_within_the_bound() {
    let thresholds = [0.0, 20.0, 40.0, 80.0, 160.0];
    let means = thresholds.map(|threshold| {
        let config = config(3, &[(0, 1, 0.9), (0, 2, 0.3)], threshold);
        Bench::new(&config, &[(0, 1), (0, 2)], 1).run(&[0.58, 0.28], 400_000).1
    });
    for (mean, threshold) in means.iter().zip(thresholds) {
        let bound = (3.0 + 2.0 * 4.0 * threshold) / 0.04;
        assert!(*mean < bound, "K = {threshold}: {mean} is not below {bound}");
    }
    // One packet more in the second queue per unit of K; the random walks above K may add a tenth.
    for at in 1..4 {
        let slope = (means[at + 1] - means[at]) / (thresholds[at + 1] - thresholds[at]);
        assert!((slope - 1.0).abs() < 0.1, "{means:?}");
    }
}

/// Theorem 2: with the rate control (5), x = min(1, M/U) for utilities ln x, rates approach the optimum with M and
/// backlogs grow with M. Of links with ON probabilities of 0.9 and 0.3 the second is best always served when ON: 0.3.
/// The first gets the rest, 1 − 0.1·0.7 − 0.3 = 0.63.
#[test]
fn theorem_2() {
    for threshold in [0.0, 10.0] {
        for m in [1.0, 10.0, 100.0, 1000.0] {
            let mut bench = Bench::new(&config(3, &[(0, 1, 0.9), (0, 2, 0.3)], threshold), &[(0, 1), (0, 2)], 1);
            let mut owed = [0.0; 2];
            let (slots, warm) = (400_000, 100_000);
            let mut sum = 0.0;
            let mut sent = [0.0; 2];
            for slot in 0..slots {
                let mut arrivals = [0; 2];
                for flow in 0..2 {
                    let name = windward_elements::backpressure::Name {
                        class: windward_elements::backpressure::Class::Datagrams,
                        flow: flow as u32,
                        to: flow as u32 + 1,
                    };
                    let backlog = f64::from(bench.slotted.forward.queues.backlog_of(0, name));
                    let rate = (m / backlog).min(1.0);
                    owed[flow] += rate;
                    arrivals[flow] = owed[flow] as u32;
                    owed[flow] -= f64::from(arrivals[flow]);
                    if slot >= warm {
                        sent[flow] += f64::from(arrivals[flow]);
                    }
                }
                bench.turn(&arrivals);
                if slot >= warm {
                    sum += bench.total();
                }
            }
            let rates = sent.map(|sent| sent / f64::from(slots - warm));
            let lost = libm::log(0.63 * 0.3 / rates[0] / rates[1]);
            // (B + 2 |L||S| K)/(2M), with B at most 1 + 2, and 5 standard deviations of 300 000 slots:
            // √(0.21/0.3²/3e5)·5 = 0.014.
            let bound = (3.0 + 8.0 * threshold) / (2.0 * m) + 0.014;
            assert!(lost.abs() < bound, "K = {threshold}, M = {m}: {rates:?}, {lost} of utility lost");
            // U = M/x at the optimum.
            let backlog = sum / f64::from(slots - warm);
            assert!(m < 10.0 || (backlog / (m / 0.63 + m / 0.3) - 1.0).abs() < 0.05, "M = {m}: {backlog}");
        }
    }
}

/// Random weights and conflicts: the result is independent and no set is heavier.
#[test]
fn the_heaviest_set_is_the_heaviest() {
    let mut stream = Stream::new(1, 1, Purpose::Forwarding);
    for links in [1_usize, 3, 8, 12] {
        for _ in 0..50 {
            let weights: Vec<f64> = (0..links).map(|_| (stream.uniform() * 12.0 - 2.0).floor()).collect();
            let mut conflicts = vec![0_u64; links];
            for a in 0..links {
                for b in 0..a {
                    if stream.chance(0.4) {
                        conflicts[a] |= 1 << b;
                        conflicts[b] |= 1 << a;
                    }
                }
            }
            let order: Vec<u32> = (0..links as u32).collect();
            let weight = |set: u64| (0..links).filter(|l| set >> l & 1 == 1).map(|l| weights[l]).sum::<f64>();
            let is_independent = |set: &u64| (0..links).all(|l| set >> l & 1 == 0 || set & conflicts[l] == 0);
            let best = (0..1 << links).filter(is_independent).map(weight).fold(0.0, f64::max);
            let found = heaviest(&weights, &conflicts, &order);
            assert!(is_independent(&found));
            assert_eq!(weight(found), best);
        }
    }
}

/// (7): with W = max{K, U} the choice satisfies Σ (U_i − U_j) f ≥ Σ (U_i − U_j) f* − |L||S| K F_max for every f*, on
/// random queues.
#[test]
fn inequality_7_on_random_queues() {
    let mut stream = Stream::new(2, 1, Purpose::Pattern);
    let flows = [(0, 3), (0, 1), (2, 1)];
    for threshold in [0.0, 3.0, 10.0, 30.0] {
        for state in 0..500 {
            let config = diamond(threshold);
            let mut bench = Bench::new(&config, &flows, state);
            for (flow, &(source, to)) in flows.iter().enumerate() {
                // Registers the commodity at its source first.
                bench.push(Time::ZERO, source, flow);
                for at in (0..4).filter(|at| *at != to) {
                    let scale = if stream.chance(0.5) { 4.0 } else { 40.0 };
                    let count = (stream.uniform() * scale) as u32;
                    (0..count).for_each(|_| bench.push(Time::ZERO, at, flow));
                }
            }
            let links = config.members();
            let is_on: Vec<bool> = (0..links).map(|_| stream.chance(0.8)).collect();
            let chosen = bench.slotted.choose(&is_on);
            let queues = &bench.slotted.forward.queues;
            let allowed = flows.map(|(from, to)| queues.graph().allowed(from, to, Links::LoopFree));
            let slope = |link: u32, commodity: u32| {
                let (from, to) = queues.graph().ends(link);
                let of = |node: u32| f64::from(queues.backlog(node, commodity));
                if allowed[commodity as usize][link as usize] { of(from) - of(to) } else { 0.0 }
            };
            let ours: f64 = chosen.iter().map(|(link, pick)| slope(*link, pick.commodity)).sum();
            let most = |link: usize| {
                let slopes = (0..flows.len() as u32).map(|commodity| slope(link as u32, commodity));
                if is_on[link] { slopes.fold(0.0, f64::max) } else { 0.0 }
            };
            let is_independent = |set: u64| {
                (0..links).all(|l| set >> l & 1 == 0 || config.conflicts[l].iter().all(|o| set >> o & 1 == 0))
            };
            let sets = (0..1_u64 << links).filter(|set| is_independent(*set));
            let best = sets.map(|set| (0..links).filter(|l| set >> l & 1 == 1).map(most).sum()).fold(0.0, f64::max);
            let room = (links * flows.len()) as f64 * threshold;
            assert!(ours >= best - room, "K = {threshold}: {ours} < {best} - {room}");
        }
    }
}
