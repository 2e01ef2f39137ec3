//! Capacities of links and cells: the constraints of optimum and fluid.
//!
//! A wire carries its bit rate, less the mean rate of the background over it. The stations of a cell share its ergodic
//! capacity region E_h[R(h)] (huang2020 (1)): one station at a time, by the state h of all channels. Each channel
//! enters by the distribution of its rate, which does not depend on its fading speed. Channels are independent, so the
//! probabilities of joint states are products. Where there are too many of these states, they are sampled at the points
//! of a Kronecker sequence. Links without a rate share the region that the scenario names.

use crate::load::Load;
use std::collections::{BTreeMap, BTreeSet};
use windward_fluid::Airtime;
use windward_num::{Coupling, Link, Network as Constraints, Region};
use windward_scenario::{RegionPlan, WifiPlan};
use windward_sim::cell::amc::Table;
use windward_sim::cell::channel::Fading;
use windward_sim::cell::{CellConfig, SchedulerConfig, StationConfig};
use windward_sim::ran::RanConfig;
use windward_sim::slotted::SlottedConfig;
use windward_sim::wifi::Conflict;
use windward_sim::wifi::edca::{Category, EdcaConfig, Hardware};
use windward_sim::wifi::txq::Discipline;
use windward_sim::{MediumConfig, Network, Pattern, Route};

/// Maximum number of joint channel states that are enumerated, and number of sampling points above it.
const STATES: usize = 4096;
/// Number of equally likely parts into which the rates of a channel without modes are divided; each counts by its
/// middle.
const QUANTILES: usize = 16;

/// Division of a cell's capacity among its stations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// The best division: the whole region.
    Best,
    /// The cell's own scheduler.
    Scheduler,
}

/// Reason why a network has no constraints.
pub(crate) enum CapacityError {
    /// Background traffic takes all capacity of this link.
    Full(usize),
    /// A saturated source starts at this link.
    Saturated(usize),
    /// Background crosses this share of a medium, which is named.
    BackgroundInMedium(usize, &'static str),
    /// The load of an application crosses this share of a medium.
    LoadInMedium(usize),
    /// Links of a slotted network, this one among them, are not always ON, and more than one can be active at a time.
    Channels(usize),
    /// The fluid model has no region for a cell with this scheduler; it has for those that are told.
    Scheduler(SchedulerConfig, &'static str),
    /// The stations of the wireless network of this link move.
    Motion(usize),
    /// The stations of the cell of this link have places, from which their channels follow.
    Places(usize),
    /// Nothing arrives over this link.
    Dead(usize),
    /// The fluid model has no division of the airtime of this link and others, for this reason.
    Airtime(usize, &'static str),
}

/// Constraints of a network.
pub(crate) struct Capacity {
    /// Links and regions.
    pub network: Constraints,
    /// Channels whose airtime is divided among wired links; empty under the best sharing.
    pub channels: Vec<Airtime>,
}

/// The ports that each flow's data takes where routes are fixed.
pub(crate) fn fixed_routes(network: &Network) -> Vec<Vec<u32>> {
    network.flows.iter().map(|flow| flow.forward.ports().collect()).collect()
}

/// Constraints, in packets of `packet_bits` a second; a link for each port. `routes` are the ports that each flow
/// crosses, or may. Background and `loads` take their mean rates.
pub(crate) fn constraints(
    network: &Network,
    routes: Vec<Vec<u32>>,
    (regions, wireless): (&[RegionPlan], &[WifiPlan]),
    packet_bits: f64,
    (sharing, loads): (Sharing, &[Load]),
) -> Result<Capacity, CapacityError> {
    let shared: BTreeSet<usize> = regions.iter().flat_map(|region| &region.links).map(|&link| link as usize).collect();
    let topology = &network.topology;
    let mut free: Vec<f64> =
        (0..topology.ports.len() as u32).map(|port| topology.rate_for(port, (packet_bits / 8.0) as u64)).collect();
    for source in &network.sources {
        // That of a source that sends by its backlog is none: its node is a station, refused below.
        let [there, back] = source.mean_rates();
        let replies = source.reply.iter().flat_map(Route::ports).map(|port| (port, back));
        for (port, mean) in source.path.ports().map(|port| (port, there)).chain(replies) {
            if topology.link(port).is_none() {
                return Err(CapacityError::BackgroundInMedium(port as usize, medium_of(network, port)));
            }
            if matches!(source.pattern, Pattern::Saturated { .. }) {
                return Err(CapacityError::Saturated(port as usize));
            }
            free[port as usize] -= mean;
        }
    }
    for load in loads {
        for port in load.route.ports() {
            if topology.link(port).is_none() || shared.contains(&(port as usize)) {
                return Err(CapacityError::LoadInMedium(port as usize));
            }
            free[port as usize] -= load.bps;
        }
    }
    let used: BTreeSet<u32> = routes.iter().flatten().copied().collect();
    // Only the wireless links that carry data: others would add schedules but no rates.
    let is_idle = |at: usize| WifiPlan::of(wireless, at as u32).is_some() && !used.contains(&(at as u32));
    let is_wire = |at: usize| topology.link(at as u32).is_some() && !shared.contains(&at) || is_idle(at);
    if let Some(full) = free.iter().enumerate().position(|(at, &bps)| bps <= 0.0 && is_wire(at)) {
        return Err(CapacityError::Full(full));
    }
    let link = |(at, bps): (usize, &f64)| if is_wire(at) { Link::Wired(bps / packet_bits) } else { Link::Wireless };
    let mut wires: Vec<Link> = free.iter().enumerate().map(link).collect();
    let mut channels = Vec::new();
    let of_plan =
        |plan: &RegionPlan| Coupling { links: plan.links.clone(), region: in_packets(&plan.region, packet_bits) };
    let mut couplings: Vec<Coupling> = regions.iter().map(of_plan).collect();
    let bytes = (packet_bits / 8.0) as u64;
    for (medium, mut links) in topology.media.iter().zip(topology.members()) {
        let plan = links.first().and_then(|&link| WifiPlan::of(wireless, link));
        let region = match medium {
            MediumConfig::Slotted(slotted) => {
                let first = links.first().map_or(0, |&link| link as usize);
                slotted_region(slotted, &mut links, &used).ok_or(CapacityError::Channels(first))?
            }
            MediumConfig::Cell(cell) => cell_region(cell, packet_bits, sharing)?,
            MediumConfig::Ran(cell) if cell.geometry.is_none() => {
                // The uplink has a carrier or slots of its own.
                let [down, up] = ran_regions(cell, packet_bits, sharing)?;
                let of = |way: usize| links.iter().copied().skip(way).step_by(2).collect();
                couplings.push(Coupling { links: of(1), region: up });
                links = of(0);
                down
            }
            MediumConfig::Ran(_) => {
                return Err(CapacityError::Places(links.first().map_or(0, |&link| link as usize)));
            }
            moving if moving.motion().is_some() => {
                return Err(CapacityError::Motion(links.first().map_or(0, |&link| link as usize)));
            }
            MediumConfig::Wifi(wifi) => {
                let conflicts = wifi.conflicts(Conflict::Sense);
                let received = |local| wifi.received(local, bytes);
                let rate = |local| received(local) / wifi.exchange(local, bytes).as_secs();
                wireless_region(&conflicts, rate, &mut links, &used, plan)?
            }
            MediumConfig::Edca(edca) if sharing == Sharing::Scheduler => {
                let channel = airtime(edca, &mut links, &used, bytes)?;
                for &(link, time, _) in &channel.links {
                    wires[link as usize] = Link::Wired(1.0 / time);
                }
                channels.extend(Some(channel).filter(|channel| !channel.links.is_empty()));
                continue;
            }
            MediumConfig::Edca(edca) => {
                let senders: BTreeSet<u32> = (0..)
                    .zip(&links)
                    .filter(|(_, link)| used.contains(link))
                    .map(|(at, _)| edca.ways[at].from)
                    .collect();
                let rate = |local| edca.bound(local, bytes, senders.len() == 1);
                wireless_region(&edca.conflicts(), rate, &mut links, &used, plan)?
            }
            MediumConfig::Csma(csma) => {
                let rate = |local| 1.0 / csma.network.exchange(local, bytes).as_secs();
                wireless_region(&csma.conflicts, rate, &mut links, &used, plan)?
            }
        };
        if !links.is_empty() {
            couplings.push(Coupling { links, region });
        }
    }
    Ok(Capacity { network: Constraints { links: wires, couplings, routes }, channels })
}

/// The shared medium of a port, as messages name it.
fn medium_of(network: &Network, port: u32) -> &'static str {
    let topology = &network.topology;
    let found = topology.media.iter().zip(topology.members()).find(|(_, links)| links.contains(&port));
    match found.map(|(medium, _)| medium) {
        Some(MediumConfig::Cell(_) | MediumConfig::Ran(_)) => "a cell",
        Some(MediumConfig::Wifi(_) | MediumConfig::Edca(_)) => "Wi-Fi",
        Some(MediumConfig::Csma(_) | MediumConfig::Slotted(_)) | None => "a shared medium",
    }
}

/// Region that the stations of a cell share, in packets a second.
fn cell_region(cell: &CellConfig, packet_bits: f64, sharing: Sharing) -> Result<Region, CapacityError> {
    match (sharing, cell.scheduler) {
        (Sharing::Best, _) | (_, SchedulerConfig::QueueingDelay) => {
            Ok(ergodic(&channels(cell), cell.symbol_rate / packet_bits))
        }
        (_, SchedulerConfig::RoundRobin { is_oblivious: true }) => Ok(turns(cell, packet_bits)),
        (_, scheduler) => {
            let known = "\"queueing-delay\", or \"round-robin\" with oblivious = true";
            Err(CapacityError::Scheduler(scheduler, known))
        }
    }
}

/// Regions that the stations of an LTE or NR cell share in the downlink and in the uplink, in packets a second.
///
/// A group of resource blocks serves one station, so shares of groups are shares of time, and the region is that of the
/// slotted cell with the highest efficiency that each ratio carries. It bounds the cell from above: reports are fresh,
/// and block errors cost nothing.
fn ran_regions(cell: &RanConfig, packet_bits: f64, sharing: Sharing) -> Result<[Region; 2], CapacityError> {
    if sharing == Sharing::Scheduler && cell.scheduler != SchedulerConfig::QueueingDelay {
        return Err(CapacityError::Scheduler(cell.scheduler, "\"queueing-delay\""));
    }
    let members = 2 * cell.stations.len() as u32;
    Ok([0, 1].map(|way| {
        let channels = (way..members).step_by(2).map(|local| merged(cell.efficiencies(local)));
        ergodic(&channels.collect::<Vec<_>>(), cell.symbols(way) / packet_bits)
    }))
}

/// Region that the used links of a wireless network share: the schedules of its conflict graph (wang2013 (2)). `rate`
/// is b_l, the packets a second that a link alone delivers: with headers, control frames and retransmissions, without
/// backoffs. `links` keeps those that are used.
fn wireless_region(
    conflicts: &[Vec<u32>],
    rate: impl Fn(u32) -> f64,
    links: &mut Vec<u32>,
    used: &BTreeSet<u32>,
    plan: Option<&WifiPlan>,
) -> Result<Region, CapacityError> {
    let locals = keep_used(links, used);
    let rates: Vec<f64> = locals.iter().map(|&local| rate(local)).collect();
    if let Some(dead) = rates.iter().position(|&rate| rate <= 0.0) {
        return Err(CapacityError::Dead(links[dead] as usize));
    }
    let entropy = plan.map_or(0.0, |plan| plan.entropy);
    Ok(Region::Csma { rates, conflicts: conflicts_among(&locals, conflicts), entropy })
}

/// Division of the airtime of 802.11n, ac or ax among the used links of one sender: mac80211's deficit round robin, or
/// turns of a PPDU each. ACKs of TCP take their part of it.
fn airtime(
    edca: &EdcaConfig,
    links: &mut Vec<u32>,
    used: &BTreeSet<u32>,
    bytes: u64,
) -> Result<Airtime, CapacityError> {
    let locals = keep_used(links, used);
    let Some(&first) = locals.first() else { return Ok(Airtime { links: Vec::new() }) };
    let from = edca.ways[first as usize].from;
    let refused = |why| Err(CapacityError::Airtime(links[0] as usize, why));
    if locals.iter().any(|&local| edca.ways[local as usize].from != from) {
        return refused(
            "several stations of 802.11n, ac or ax that send data contend for the air, which has no equation",
        );
    }
    if edca.data_categories().any(|category| category != Category::BestEffort) {
        return refused("flows of other categories than best effort over 802.11n, ac or ax have no equation");
    }
    let sender = &edca.stations[from as usize];
    let is_fair = match sender.txqs {
        Some(txqs) if matches!(txqs.discipline, Discipline::PerStation(_)) => {
            txqs.airtime_fairness && sender.hardware != Hardware::Firmware
        }
        _ if locals.len() == 1 => true,
        _ => return refused("one queue for several stations of 802.11n, ac or ax has no equation"),
    };
    let mut channel = Vec::new();
    for (&local, &link) in locals.iter().zip(&*links) {
        let turn = edca.turn(local, bytes, ACK_BYTES);
        if turn.rate() <= 0.0 {
            return Err(CapacityError::Dead(link as usize));
        }
        let receiver = &edca.stations[edca.ways[local as usize].to as usize];
        let weight = if is_fair { f64::from(receiver.weight) } else { turn.time };
        channel.push((link, 1.0 / turn.rate(), weight));
    }
    Ok(Airtime { links: channel })
}

/// Bytes of a TCP ACK with timestamps.
const ACK_BYTES: u64 = 52;

/// Region that the used links of a slotted network share, with one packet per slot and link. It has the schedules of
/// the network's conflict graph if all links are always ON. If only one can be active at a time, it has one schedule in
/// each state of the channels. `None` if it has no such form, or too many states.
fn slotted_region(slotted: &SlottedConfig, links: &mut Vec<u32>, used: &BTreeSet<u32>) -> Option<Region> {
    let locals = keep_used(links, used);
    let rate = 1.0 / slotted.slot.as_secs();
    let on: Vec<f64> = locals.iter().map(|&local| slotted.probability_on(local)).collect();
    let conflicts = conflicts_among(&locals, &slotted.conflicts);
    if on.iter().all(|&on| on == 1.0) {
        return Some(Region::Csma { rates: vec![rate; locals.len()], conflicts, entropy: 0.0 });
    }
    let count = 1_usize.checked_shl(locals.len() as u32).filter(|&count| count <= STATES)?;
    if conflicts.len() < locals.len() * (locals.len() - 1) / 2 {
        return None;
    }
    let is_on = |state: usize, link: usize| state >> link & 1 == 1;
    let row = |state| (0..on.len()).map(|link| if is_on(state, link) { rate } else { 0.0 }).collect();
    let probability =
        |state| (0..on.len()).map(|link| if is_on(state, link) { on[link] } else { 1.0 - on[link] }).product();
    let probabilities = Some((0..count).map(probability).collect());
    Some(Region::Fading { rates: (0..count).map(row).collect(), probabilities })
}

/// Keeps the used links; returns their places among all.
fn keep_used(links: &mut Vec<u32>, used: &BTreeSet<u32>) -> Vec<u32> {
    let locals = (0..).zip(&*links).filter(|(_, link)| used.contains(link)).map(|(local, _)| local).collect();
    links.retain(|link| used.contains(link));
    locals
}

/// Pairs of these links that conflict, by their places among them.
fn conflicts_among(locals: &[u32], conflicts: &[Vec<u32>]) -> Vec<(u32, u32)> {
    let place: BTreeMap<u32, u32> = (0..).zip(locals).map(|(place, &local)| (local, place)).collect();
    let pairs = locals.iter().flat_map(|local| {
        let others = conflicts[*local as usize].iter().filter(move |other| *other > local);
        let place = &place;
        others.filter_map(move |other| Some((place[local], *place.get(other)?)))
    });
    pairs.collect()
}

/// Converts a region from bits a second to packets a second.
fn in_packets(region: &Region, packet_bits: f64) -> Region {
    let all = |rates: &[f64]| rates.iter().map(|bps| bps / packet_bits).collect::<Vec<f64>>();
    match region {
        Region::Box { capacity } => Region::Box { capacity: all(capacity) },
        Region::Norm { capacity, exponent } => Region::Norm { capacity: all(capacity), exponent: *exponent },
        Region::Ellipsoid { matrix } => {
            let scaled = |row: &Vec<f64>| row.iter().map(|h| h * packet_bits * packet_bits).collect();
            Region::Ellipsoid { matrix: matrix.iter().map(scaled).collect() }
        }
        Region::HalfSpaces { normals, offsets } => {
            Region::HalfSpaces { normals: normals.clone(), offsets: all(offsets) }
        }
        Region::Fading { rates, probabilities } => {
            Region::Fading { rates: rates.iter().map(|row| all(row)).collect(), probabilities: probabilities.clone() }
        }
        Region::Csma { rates, conflicts, entropy } => {
            Region::Csma { rates: all(rates), conflicts: conflicts.clone(), entropy: *entropy }
        }
    }
}

/// Possible rates of a station's channel, in bits a symbol, and their probabilities.
type Rates = Vec<(f64, f64)>;

/// Rates of the stations of a slotted cell.
fn channels(cell: &CellConfig) -> Vec<Rates> {
    cell.stations.iter().map(|station| rates(station, &cell.table)).collect()
}

/// E_h[R(h)]: one row of rates per joint state; `scale` is packets a second for each bit a symbol.
fn ergodic(channels: &[Rates], scale: f64) -> Region {
    let count = channels.iter().try_fold(1usize, |count, rates| count.checked_mul(rates.len())).unwrap_or(usize::MAX);
    let (mut rows, mut probabilities) = (Vec::new(), Vec::new());
    if count <= STATES {
        for mut state in 0..count {
            let mut probability = 1.0;
            let row = channels.iter().map(|rates| {
                let (rate, p) = rates[state % rates.len()];
                state /= rates.len();
                probability *= p;
                rate * scale
            });
            rows.push(row.collect());
            probabilities.push(probability);
        }
    } else {
        let steps = kronecker(channels.len());
        for point in 0..STATES {
            let at = |step: f64| (0.5 + step * point as f64).fract();
            rows.push(channels.iter().zip(&steps).map(|(rates, &step)| quantile(rates, at(step)) * scale).collect());
        }
        probabilities = vec![1.0; STATES];
    }
    Region::Fading { rates: rows, probabilities: Some(probabilities) }
}

/// A box: every station has its own slots, used or not.
fn turns(cell: &CellConfig, packet_bits: f64) -> Region {
    let share = cell.symbol_rate / packet_bits / cell.stations.len() as f64;
    let mean = |station| rates(station, &cell.table).iter().map(|(rate, p)| rate * p).sum::<f64>() * share;
    Region::Box { capacity: cell.stations.iter().map(mean).collect() }
}

/// Distribution of a station's rate in bits a symbol: exact over modes.
fn rates(station: &StationConfig, table: &Table) -> Rates {
    let rates: Rates = match &station.fading {
        Fading::Constant => vec![(table.efficiency(station.mean_snr), 1.0)],
        Fading::Trace { samples, .. } => {
            let snr = |decibels: &f64| station.mean_snr * libm::pow(10.0, decibels / 10.0);
            samples.iter().map(|sample| (table.efficiency(snr(sample)), 1.0 / samples.len() as f64)).collect()
        }
        _ if table.modes().is_empty() => {
            // γ is exponential.
            let middle = |at: usize| -libm::log(1.0 - (at as f64 + 0.5) / QUANTILES as f64) * station.mean_snr;
            (0..QUANTILES).map(|at| (table.efficiency(middle(at)), 1.0 / QUANTILES as f64)).collect()
        }
        _ => {
            let heard = table.probabilities(station.mean_snr);
            let silence = (0.0, 1.0 - heard.iter().sum::<f64>());
            let modes = table.modes().iter().zip(heard).map(|(mode, p)| (mode.efficiency, p));
            std::iter::once(silence).chain(modes).collect()
        }
    };
    merged(rates)
}

/// Rates in order, each once.
fn merged(mut rates: Rates) -> Rates {
    rates.sort_by(|a, b| a.0.total_cmp(&b.0));
    rates.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    rates
}

/// Quantile of the rate at probability `level`.
fn quantile(rates: &Rates, level: f64) -> f64 {
    let mut sum = 0.0;
    let above = rates.iter().find(|(_, p)| {
        sum += p;
        level < sum
    });
    above.or(rates.last()).map_or(0.0, |(rate, _)| *rate)
}

/// Steps of a low-discrepancy sequence: powers of 1/g, with g the root of g^{n+1} = g + 1 (the golden ratio for n = 1).
fn kronecker(dimensions: usize) -> Vec<f64> {
    let exponent = 1.0 / (dimensions as f64 + 1.0);
    let root = (0..64).fold(2.0, |g, _| libm::pow(1.0 + g, exponent));
    (1..=dimensions).map(|at| libm::pow(root, -(at as f64)).fract()).collect()
}
