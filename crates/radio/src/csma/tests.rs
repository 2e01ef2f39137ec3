//! Ideal CSMA validated against its stationary law (wang2013 (1)).

use super::{Aggression, Csma, CsmaConfig, Holding};
use crate::interface::Medium;
use crate::wifi::{Access, Mac, Phy, Reach, StationConfig, Way, WifiConfig};
use crate::world::World;
use windward_elements::engine::{Purpose, Stream};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Time};

fn config(links: u32, conflicts: &[(u32, u32)], rho: f64, holding: Holding) -> CsmaConfig {
    let station = |key| StationConfig {
        key,
        node: key as u32,
        place: (0.0, 0.0),
        buffer: Buffer::Unlimited,
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(11_000_000),
    };
    let network = WifiConfig {
        phy: Phy::B,
        mac: Mac::standard(BitRate::bits_per_sec(1_000_000)),
        access: Access::Dcf,
        stations: (0..2 * u64::from(links)).map(station).collect(),
        ways: (0..links).map(|link| Way { from: 2 * link, to: 2 * link + 1, ..Way::default() }).collect(),
        reach: Reach::complete(2 * links),
        motion: None,
        fading: None,
        routing: None,
    };
    let mut lists = vec![Vec::new(); links as usize];
    for &(a, b) in conflicts {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    }
    CsmaConfig { network, conflicts: lists, aggression: Aggression::Fixed(rho), holding, weight: None }
}

/// Share of time of each set of active links, indexed by its bits, and packets a second of each link times its exchange
/// time.
fn simulate(config: &CsmaConfig, packets: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let links = config.members();
    let mut csma = Csma::new(config, &crate::Hooks::default(), seed);
    let mut world = World::default();
    let packet = Packet::new(Kind::Datagram, Time::ZERO, 0, 0, 1000);
    for link in 0..links as u32 {
        (0..2).for_each(|_| csma.offer(Time::ZERO, link, packet, &mut world));
    }
    let (mut shares, mut now, mut arrived) = (vec![0.0; 1 << links], Time::ZERO, 0);
    while let Some((time, timer)) = world.next(Time::NEVER) {
        let set = csma.links.iter().enumerate().map(|(at, link)| usize::from(link.is_active()) << at).sum::<usize>();
        shares[set] += time.since(now).as_secs();
        now = time;
        csma.wake(time, timer, &mut world);
        if world.arrived.len() > arrived {
            csma.offer(now, world.arrived[arrived].1, packet, &mut world);
            arrived += 1;
        }
        if arrived >= packets {
            break;
        }
    }
    let total = now.as_secs();
    let rate = |link: u32| {
        let count = world.arrived.iter().filter(|&&(_, at, _)| at == link).count() as f64;
        count / total * config.network.exchange(link, 1000).as_secs()
    };
    (shares.into_iter().map(|share| share / total).collect(), (0..links as u32).map(rate).collect())
}

/// exp(Σ ρ r) over all independent sets, normalised.
fn law(links: usize, conflicts: &[(u32, u32)], rho: f64) -> Vec<f64> {
    let is_independent = |set: usize| conflicts.iter().all(|&(a, b)| set >> a & set >> b & 1 == 0);
    let weight = |set: usize| if is_independent(set) { libm::exp(rho * f64::from(set.count_ones())) } else { 0.0 };
    let weights: Vec<f64> = (0..1 << links).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Number of runs of each graph.
const RUNS: u64 = 30;

/// Thirty random graphs of 2 to 6 links, with exact and exponential transmissions in turn. Thirty independent runs give
/// the standard error of the mean shares. The law holds within five standard errors for every set and for every link's
/// throughput b_l·Σ u_i·r_l^i. (Some 600 checks; Student's t with 29 degrees of freedom exceeds 5 once in 40 000.)
#[test]
fn the_law_is_met_on_random_graphs_whatever_transmissions_last() {
    let mut stream = Stream::new(1, 1, Purpose::Pattern);
    for graph in 0..30 {
        let links = 2 + graph % 5;
        let pairs = (0..links).flat_map(|a| (a + 1..links).map(move |b| (a, b)));
        let conflicts: Vec<(u32, u32)> = pairs.filter(|_| stream.chance(0.5)).collect();
        let rho = 2.0 * stream.uniform() - 0.5;
        let holding = if graph % 2 == 0 { Holding::Exact } else { Holding::Exponential };
        let config = config(links, &conflicts, rho, holding);
        let runs: Vec<_> = (0..RUNS).map(|seed| simulate(&config, 2500, seed)).collect();
        let exact = law(links as usize, &conflicts, rho);
        let check = |name: String, exact: f64, found: Vec<f64>| {
            let count = found.len() as f64;
            let mean = found.iter().sum::<f64>() / count;
            let variance = found.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (count - 1.0);
            let error = (variance / count).sqrt();
            assert!((mean - exact).abs() <= 5.0 * error, "graph {graph}, {name}: {mean} for {exact} ± {error}");
        };
        for set in 0..exact.len() {
            check(format!("set {set:b}"), exact[set], runs.iter().map(|(shares, _)| shares[set]).collect());
        }
        for link in 0..links as usize {
            let active = (0..exact.len()).filter(|set| set >> link & 1 == 1).map(|set| exact[set]).sum();
            check(format!("link {link}"), active, runs.iter().map(|(_, rates)| rates[link]).collect());
        }
    }
}

/// Two links in conflict, one with twice the queue. The law of (13) favours it if queues keep their sizes; here both
/// are refilled to the same size and share equally.
#[test]
fn the_cap_bounds_the_aggressiveness() {
    let mut config = config(2, &[(0, 1)], 0.0, Holding::Exact);
    config.aggression = Aggression::QueueingDelay { scale: 10.0, cap: 2.0 };
    let (shares, _) = simulate(&config, 40_000, 3);
    let exact = law(2, &[(0, 1)], 2.0);
    assert!((shares[1] - exact[1]).abs() < 0.02 && (shares[0] - exact[0]).abs() < 0.01, "{shares:?} for {exact:?}");
}

/// Every link that waits has two packets, so that ε·b·Q is 1 for ε = 1/(2b): the law of that constant.
#[test]
fn the_aggressiveness_follows_the_queue_length() {
    let conflicts = [(0, 1), (1, 2)];
    let mut config = config(3, &conflicts, 0.0, Holding::Exact);
    let scale = config.network.exchange(0, 1000).as_secs() / 2.0;
    config.aggression = Aggression::QueueLength { scale, cap: 8.0 };
    let (shares, _) = simulate(&config, 60_000, 5);
    for (set, (found, exact)) in shares.iter().zip(law(3, &conflicts, 1.0)).enumerate() {
        assert!((found - exact).abs() < 0.01, "set {set:b}: {found} for {exact}");
    }
}
