//! LTE and NR cells against closed forms and numbers worked out by hand.

use super::phy::{Carrier, McsTable, Technology};
use super::*;
use crate::Hooks;
use crate::cell::SchedulerConfig;
use crate::cell::channel::Fading;
use crate::interface::Medium;
use crate::world::World;
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{Duration, Time};

mod bearers;
mod handover;
mod oracles;
mod repetitions;

pub(super) const DOWN: u32 = 0;
pub(super) const UP: u32 = 1;

/// A cell of a preset with constant channels at these ratios in decibels, down and up.
pub(super) fn cell(preset: &str, ratios: &[f64]) -> RanConfig {
    let carrier = Carrier::preset(preset).expect("a preset");
    let is_lte = carrier.technology == Technology::Lte;
    let table = if is_lte { McsTable::Qam64 } else { McsTable::Qam256 };
    let ms = Duration::from_millis;
    let station = |(key, &snr): (u64, &f64)| {
        let linear = libm::exp10(snr / 10.0);
        StationConfig {
            keys: [2 * key, 2 * key + 1],
            mean_snr: [linear, linear],
            fading: Fading::Constant,
            delay_spread: 0.0,
            delay: Duration::ZERO,
            buffer: [Buffer::Unlimited; 2],
            queue: [QueueConfig::DropTail; 2],
            urgency: 1.0,
            way: None,
            weight: 1.0,
            priority: 1,
        }
    };
    let mut config = RanConfig::standard(carrier, table, 1, 0.0);
    config.rlc = Rlc { reassembly: ms(20), poll_packets: 16, status_prohibit: ms(10), ..config.rlc };
    config.adaptation.cqi_period = ms(10);
    config.adaptation.cqi_delay = ms(4);
    RanConfig { decoding: [Duration::ZERO; 2], stations: (1..).zip(ratios).map(station).collect(), ..config }
}

/// A medium and its world.
pub(super) struct Run {
    pub medium: Ran,
    pub world: World,
}

pub(super) fn packet(number: u32, size: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Datagram, Time::ZERO, 0, 0, size) }
}

pub(super) fn at_ms(ms: f64) -> Time {
    Time::from_nanos((ms * 1e6).round() as u64)
}

impl Run {
    pub fn new(config: &RanConfig) -> Self {
        Self { medium: Ran::new(config, &Hooks::default(), 1), world: World::default() }
    }

    /// Runs until `end`, and offers a packet then.
    pub fn offer(&mut self, end: Time, local: u32, packet: Packet) {
        self.until(end);
        self.medium.offer(end, local, packet, &mut self.world);
    }

    pub fn until(&mut self, end: Time) {
        while let Some((time, timer)) = self.world.next(end) {
            self.medium.wake(time, timer, &mut self.world);
        }
    }

    /// Keeps `local` backlogged until `end`, with packets of `size` bytes.
    pub fn saturate(&mut self, locals: &[u32], end: Time, size: u32) {
        let mut number = 0;
        let mut now = Time::ZERO;
        while now < end {
            for &local in locals {
                while self.medium.see(now, local).backlog < 2000 {
                    self.medium.offer(now, local, packet(number, size), &mut self.world);
                    number += 1;
                }
            }
            now += Duration::from_millis(5);
            self.until(now.min(end));
        }
    }

    /// Bits of packets of `size` bytes that arrived at `local` in [from, to), a second.
    pub fn rate(&self, local: u32, size: u32, from: Time, to: Time) -> f64 {
        let count = self.world.arrived.iter().filter(|seen| seen.1 == local && from <= seen.0 && seen.0 < to).count();
        count as f64 * f64::from(size) * 8.0 / to.since(from).as_secs()
    }
}

/// A full cell carries its block sizes: bytes of the blocks of a pattern, less 8 for the packet that a block of NR
/// continues, times the share of payload, 1500 of 1509 bytes (LTE: 1504). MCS 27 on all resource blocks and one layer,
/// in D and in S.
#[test]
fn a_full_cell_carries_its_block_sizes() {
    let (from, to) = (at_ms(500.0), at_ms(2500.0));
    for (preset, bits, continued, packet, period) in [
        ("n78-20mhz", &[45_096, 45_096, 45_096, 31_752][..], 8, 1509.0, 2.5e-3),
        ("n78-100mhz", &[241_720, 241_720, 241_720, 167_976], 8, 1509.0, 2.5e-3),
        ("nr-fdd-20mhz", &[94_248], 8, 1509.0, 1e-3),
        ("lte-20mhz", &[75_376], 0, 1504.0, 1e-3),
    ] {
        let mut run = Run::new(&cell(preset, &[40.0]));
        run.saturate(&[DOWN], to, 1500);
        let bytes: u32 = bits.iter().map(|bits| bits / 8 - continued).sum();
        let expected = f64::from(bytes) * 8.0 / period * 1500.0 / packet;
        let share = run.rate(DOWN, 1500, from, to) / expected;
        assert!((share - 1.0).abs() < 5e-4, "{preset}: {share}");
        assert!(run.world.lost.is_empty());
    }
}

/// Waits for a grant, of one packet at an empty buffer: [`Uplink::min_k2`] and the base station's slots after the
/// request. The request is in the first occasion, then uniform over the period.
#[test]
fn one_packet_in_the_uplink() {
    // Preset, k2, slots of the base station, period in slots, least in ms, slots of arrivals, worst in ms.
    for (preset, k2, gnb, period, least, most) in [
        ("n78-40mhz", 4, 2, 20, 5.5, 15.5),
        ("n78-40mhz", 4, 2, 5, 5.5, 8.0),
        ("n78-40mhz", 2, 1, 20, 3.0, 13.0),
        ("n78-40mhz", 4, 2, 40, 5.5, 25.5),
        ("lte-20mhz", 4, 4, 10, 9.0, 19.0),
        ("lte-20mhz", 4, 4, 20, 9.0, 29.0),
    ] {
        let mut config = cell(preset, &[30.0]);
        config.uplink = Uplink { min_k2: k2, sr_period: period, ..config.uplink };
        config.harq.gnb_slots = gnb;
        let slot = config.carrier.slot.as_nanos() as f64 / 1e6;
        let mut waits: Vec<f64> = Vec::new();
        // An arrival at each slot of the period and just after it.
        for step in 0..period {
            for extra in [0.0, 1e-6] {
                let arrival = at_ms(1000.0 + step as f64 * slot + extra);
                let mut run = Run::new(&config);
                run.offer(arrival, UP, packet(0, 100));
                run.until(at_ms(2000.0));
                assert_eq!(run.world.arrived.len(), 1);
                waits.push(run.world.arrived[0].0.since(arrival).as_nanos() as f64 / 1e6);
            }
        }
        waits.sort_by(f64::total_cmp);
        let mean = waits.iter().sum::<f64>() / waits.len() as f64;
        assert!((waits[0] - least).abs() < 1e-5, "{preset}: {waits:?}");
        assert!((waits[waits.len() - 1] - most).abs() < 1e-4, "{preset}: {waits:?}");
        assert!((mean - (least + most) / 2.0).abs() < 1e-4, "{preset}: {mean}");
    }
}

/// Proportional fairness with constant channels: equal airtime, so each of four stations has a quarter of its rate
/// alone. Round robin: 25 groups of LTE, so that each has 6 in three slots of four and 7 in the other.
#[test]
fn shares_of_the_rules() {
    let ratios = [23.5, 13.9, 6.6, 0.55];
    let (from, to) = (at_ms(2000.0), at_ms(6000.0));
    // Without the outer loop a constant channel has no errors.
    let fixed =
        |config: RanConfig| RanConfig { adaptation: Adaptation { target: None, ..config.adaptation }, ..config };
    let rates = |scheduler| {
        let mut config = fixed(cell("lte-20mhz", &ratios));
        config.scheduler = scheduler;
        let mut run = Run::new(&config);
        run.saturate(&[0, 2, 4, 6], to, 1500);
        [0, 2, 4, 6].map(|local| run.rate(local, 1500, from, to))
    };
    let alone = ratios.map(|ratio| {
        let mut run = Run::new(&fixed(cell("lte-20mhz", &[ratio])));
        run.saturate(&[DOWN], to, 1500);
        run.rate(DOWN, 1500, from, to)
    });
    for (rate, alone) in rates(SchedulerConfig::ProportionalFair).into_iter().zip(alone) {
        assert!((rate / alone - 0.25).abs() < 2.5e-3, "{rate} of {alone}");
    }
    let in_turn = rates(SchedulerConfig::RoundRobin { is_oblivious: false });
    // I_TBS 26: 17 568 bits on 24 resource blocks, 20 616 on 28.
    let expected = (3.0 * 17_568.0 + 20_616.0) / 4.0 * 1e3 * 1500.0 / 1504.0;
    assert!((in_turn[0] / expected - 1.0).abs() < 1e-3, "{in_turn:?}");
    let best = rates(SchedulerConfig::MaxSnr { is_oblivious: false });
    assert!((best[0] / alone[0] - 1.0).abs() < 1e-3 && best[1] == 0.0, "{best:?}");
}

/// A station alone gets at least what sixteen get together: blocks in flight that fail together cost no more than their
/// own repetition.
#[test]
fn a_station_alone_gets_as_much_as_sixteen() {
    let rate = |count: usize| {
        let mut config = cell("n78-100mhz", &vec![20.0; count]);
        config.scheduler = SchedulerConfig::RoundRobin { is_oblivious: false };
        let locals: Vec<u32> = (0..count as u32).map(|station| 2 * station).collect();
        let mut run = Run::new(&config);
        run.saturate(&locals, at_ms(4000.0), 1500);
        locals.iter().map(|&local| run.rate(local, 1500, at_ms(1500.0), at_ms(4000.0))).sum::<f64>()
    };
    let (alone, together) = (rate(1), rate(16));
    assert!((alone / together - 1.0).abs() < 0.02, "{alone} {together}");
}

/// Uplink grants of LTE have 2^a·3^b·5^c resource blocks (36.211 §5.3.3). In turn two stations have 52 and 48, of which
/// 50 and 48 are granted; seven have 16 and 12.
#[test]
fn uplinks_of_lte_have_smooth_numbers_of_resource_blocks() {
    let lte = Carrier::preset("lte-20mhz").expect("a preset");
    assert_eq!([1, 7, 11, 14, 52, 99, 100].map(|prbs| lte.granted(prbs)), [1, 6, 10, 12, 50, 96, 100]);
    assert_eq!(Carrier::preset("nr-fdd-20mhz").expect("a preset").granted(52), 52);
    for (count, most) in [(1, 100), (2, 50), (7, 16)] {
        let mut config = cell("lte-20mhz", &vec![40.0; count]);
        config.scheduler = SchedulerConfig::RoundRobin { is_oblivious: false };
        let mut run = Run::new(&config);
        let mut sizes = std::collections::BTreeSet::new();
        for step in 0..200_u32 {
            let now = at_ms(f64::from(step));
            run.until(now);
            for local in (1..2 * count as u32).step_by(2) {
                while run.medium.see(now, local).backlog < 200 {
                    run.medium.offer(now, local, packet(0, 1500), &mut run.world);
                }
            }
            let granted = |process: &harq::Process| process.elements / 144;
            // Until all stations are heard, others have more.
            if step == 50 {
                sizes.clear();
            }
            sizes.extend(run.medium.legs.iter().skip(1).step_by(2).flat_map(|leg| leg.processes.iter().map(granted)));
        }
        sizes.remove(&0);
        assert_eq!(sizes.last(), Some(&most));
        assert!(sizes.iter().all(|&size| lte.granted(size) == size), "{sizes:?}");
    }
}

/// Ping in an idle cell: the request's wait falls by the drift of the pings against the occasions, and jumps back after
/// a period: pings every 101 ms against occasions every 20 ms fall by 1 ms a ping, 20 a tooth.
#[test]
fn grants_make_a_sawtooth() {
    let mut config = cell("n78-40mhz", &[30.0]);
    config.uplink.sr_period = 40;
    let mut run = Run::new(&config);
    let mut delays = Vec::new();
    for ping in 0..60_u32 {
        let now = at_ms(1000.0 + 101.0 * f64::from(ping));
        run.offer(now, UP, packet(ping, 84));
        run.until(now + Duration::from_millis(100));
        assert_eq!(run.world.arrived.len(), ping as usize + 1);
        delays.push(run.world.arrived[ping as usize].0.since(now).as_nanos() as i64);
    }
    let ms = 1_000_000;
    let steps: Vec<i64> = delays.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let jumps: Vec<usize> = (0..steps.len()).filter(|&at| steps[at] > 0).collect();
    assert!(jumps.iter().all(|&at| steps[at] == 19 * ms) && jumps.windows(2).all(|pair| pair[1] - pair[0] == 20));
    assert!(steps.iter().all(|&step| step == -ms || step == 19 * ms), "{steps:?}");
    assert!(jumps.len() >= 2);
}

/// An idle cell schedules nothing, and a run of one packet wakes a few times.
#[test]
fn an_idle_cell_sleeps() {
    let mut config = cell("n78-100mhz", &[30.0, 20.0]);
    config.rlc.mode = RlcMode::Unacknowledged;
    let mut run = Run::new(&config);
    run.medium.begin(&mut run.world);
    assert_eq!(run.world.next(at_ms(1e6)), None);
    run.offer(at_ms(1000.0), DOWN, packet(0, 1500));
    let mut wakes = 0;
    while let Some((time, timer)) = run.world.next(at_ms(1e6)) {
        run.medium.wake(time, timer, &mut run.world);
        wakes += 1;
    }
    assert!(wakes <= 3, "{wakes}");
    assert_eq!(run.world.arrived.len(), 1);
}

/// One packet fills a block, Poisson arrivals of load ρ: a queue with vacations, T/2 + ρT/(2(1 − ρ)) + T.
#[test]
fn rlc_is_a_queue_with_vacations() {
    for (load, tolerance) in [(0.3, 0.01), (0.6, 0.01), (0.8, 0.02)] {
        let mut config = cell("lte-20mhz", &[60.0]);
        config.rlc.mode = RlcMode::Unacknowledged;
        config.adaptation.cqi_delay = Duration::from_secs(10_000.0);
        config.adaptation.first_cqi = 15;
        let size = 75_376 / 8 - 4;
        let mut arrivals = windward_elements::engine::Stream::new(3, 4, windward_elements::engine::Purpose::Pattern);
        let mut run = Run::new(&config);
        let (mut now, mut sent) = (0.0, Vec::new());
        for number in 0..150_000 {
            now += arrivals.exponential() / load;
            let time = at_ms(now);
            run.offer(time, DOWN, packet(number, size));
            sent.push(time);
        }
        run.until(at_ms(now + 1000.0));
        let waits = run.world.arrived.iter().map(|seen| seen.0.since(sent[seen.2 as usize]).as_nanos() as f64 / 1e6);
        let mean = waits.sum::<f64>() / sent.len() as f64;
        let expected = 0.5 + load / (2.0 * (1.0 - load)) + 1.0;
        assert!((mean / expected - 1.0).abs() < tolerance, "{load}: {mean}, not {expected}");
    }
}

/// A sleeping station: a packet at a random instant waits (C − o)²/(2C) on average, beyond the wait of an awake one.
#[test]
fn a_sleeping_station_is_slow() {
    let mut config = cell("nr-fdd-20mhz", &[30.0]);
    config.rlc.mode = RlcMode::Unacknowledged;
    config.drx = Some(Drx { on: 10, inactivity: 20, short: None, long: 160 });
    let mut run = Run::new(&config);
    let mut delays = Vec::new();
    let mut instants = windward_elements::engine::Stream::new(5, 6, windward_elements::engine::Purpose::Pattern);
    for number in 0..4000_u32 {
        let now = at_ms(1000.0 * f64::from(number + 1) + 160.0 * instants.uniform());
        run.offer(now, DOWN, packet(number, 100));
        run.until(now + Duration::from_millis(800));
        delays.push(run.world.arrived[number as usize].0.since(now).as_nanos() as f64 / 1e6);
    }
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    // Half a slot until the next one and its length; from 0 to 150 ms of sleep, deviation 47 ms.
    let expected = 1.5 + 150.0 * 150.0 / 320.0;
    assert!((mean - expected).abs() < 5.0 * 55.0 / 4000f64.sqrt(), "{mean}");
    assert!(delays.iter().all(|&delay| delay <= 152.0));
}

/// Every packet arrives, is lost, or is in the cell, once and in order: 300 random cells.
#[test]
fn packets_are_conserved() {
    let mut draw = windward_elements::engine::Stream::new(7, 8, windward_elements::engine::Purpose::Pattern);
    let mut handovers = 0;
    for run_number in 0..300 {
        let mut pick = |most: f64| draw.uniform() * most;
        let presets = ["lte-10mhz", "n78-20mhz", "nr-fdd-10mhz", "n78-40mhz"];
        let ratios: Vec<f64> = (0..1 + pick(4.0) as usize).map(|_| pick(30.0) - 6.0).collect();
        let mut config = cell(presets[pick(4.0) as usize], &ratios);
        config.rlc.mode = if pick(1.0) < 0.5 { RlcMode::Acknowledged } else { RlcMode::Unacknowledged };
        config.harq.retransmissions = pick(4.0) as u32;
        config.harq.feedback_error = if pick(1.0) < 0.5 { 0.0 } else { 0.05 };
        config.rlc.max_retransmissions = 1 + pick(8.0) as u32;
        config.rlc.window = if pick(1.0) < 0.5 { None } else { Some(1 + pick(40.0) as u64) };
        config.pdcp.discard = if pick(1.0) < 0.7 { None } else { Some(Duration::from_millis(30)) };
        config.uplink.prescheduling = Duration::from_millis(if pick(1.0) < 0.7 { 0 } else { 10 });
        config.drx = (pick(1.0) < 0.3).then_some(Drx { on: 10, inactivity: 40, short: Some((40, 2)), long: 160 });
        for station in &mut config.stations {
            station.buffer = [Buffer::Packets(1 + pick(200.0) as u64); 2];
            if pick(1.0) < 0.7 {
                station.fading = Fading::Jakes { doppler: 1.0 + pick(100.0), sinusoids: 16 };
            }
        }
        let moves = pick(1.0) < 0.4;
        if moves {
            let places: Vec<f64> = (0..1 + pick(3.0) as usize).map(|_| pick(800.0)).collect();
            let mut geometry = handover::geometry(&places);
            geometry.has_shadowing = true;
            geometry.line_of_sight = None;
            geometry.handover.offset = pick(3.0);
            geometry.handover.time_to_trigger = Duration::from_millis(pick(100.0) as u64);
            geometry.handover.forwarding = (pick(1.0) < 0.6).then_some(Duration::from_millis(5));
            config.geometry = Some(geometry);
            for station in &mut config.stations {
                let way = [(Time::ZERO, (pick(800.0), 10.0)), (at_ms(4000.0), (pick(1600.0), 10.0))];
                station.way = (pick(1.0) < 0.8).then(|| way.into());
            }
        }
        // A bearer beside the default one, whose packets are those of flow 1.
        if run_number % 3 == 0 {
            config.sources = vec![0, 46];
            let number = config.stations.len() as u32;
            let qi = 1 + pick(8.0) as u32;
            config.bearers =
                (0..number).filter(|station| station % 2 == 0).map(|at| bearers::bearer(&config, at, qi)).collect();
        }
        let members = config.members() as u32;
        let mut run = Run::new(&config);
        run.medium.begin(&mut run.world);
        let mut now = 0.0;
        let count = 1500;
        let (mut offered, mut flows) = (Vec::new(), Vec::new());
        for number in 0..count {
            now += pick(2.0);
            let size = 40 + pick(1460.0) as u32;
            offered.push(at_ms(now));
            flows.push(number % 2);
            let packet = Packet { flow: number % 2, ..packet(number, size) };
            run.offer(at_ms(now), pick(f64::from(members)) as u32, packet);
        }
        run.until(at_ms(now + 20_000.0));
        let waiting: usize = (0..members).map(|local| run.medium.see(at_ms(now), local).backlog).sum();
        let (arrived, lost) = (run.world.arrived.len(), run.world.lost.len());
        let total = arrived + lost + waiting + run.medium.held() as usize;
        assert_eq!(total, count as usize, "run {run_number}: {arrived} arrived, {lost} lost, {waiting} wait");
        let mut seen: Vec<u32> = run.world.arrived.iter().map(|seen| seen.2).collect();
        seen.extend(run.world.lost.iter().map(|lost| lost.0));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), arrived + lost, "run {run_number}: twice");
        for local in 0..members {
            let of: Vec<&(Time, u32, u32)> = run.world.arrived.iter().filter(|seen| seen.1 == local).collect();
            for flow in 0..2 {
                let of_flow = of.iter().filter(|seen| flows[seen.2 as usize] == flow);
                assert!(of_flow.is_sorted_by(|a, b| a.2 < b.2 && a.0 <= b.0), "run {run_number}: order");
            }
            // The causes of the delays add up to them.
            let delays: u64 = of.iter().map(|seen| seen.0.since(offered[seen.2 as usize]).as_nanos()).sum();
            let parts: u64 = run.medium.bearers.legs(local).map(|id| run.medium.legs[id].delays.sum()).sum();
            assert_eq!(delays, parts, "run {run_number}: delays");
        }
        let is_repaired = config.rlc.mode == RlcMode::Acknowledged
            && config.drx.is_none()
            && config.rlc.window.is_none()
            && config.bearers.is_empty();
        handovers += run.medium.mobility.iter().map(|mobility| mobility.log.len()).sum::<usize>();
        let is_heard = !moves && ratios.iter().all(|&ratio| ratio > 6.0);
        if is_repaired && is_heard {
            assert_eq!((waiting, run.medium.held()), (0, 0), "run {run_number}");
        }
        // Unacknowledged mode knows the fate of every packet.
        if config.rlc.mode == RlcMode::Unacknowledged && config.bearers.is_empty() && is_heard && config.drx.is_none() {
            assert_eq!((waiting, run.medium.held()), (0, 0), "run {run_number}");
        }
    }
    assert!(handovers > 500, "{handovers}");
}
