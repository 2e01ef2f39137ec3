//! The fading cell as a whole: what its schedulers share out, against closed forms.

use crate::common::{network, simulate, stream};
use std::sync::{Arc, Mutex};
use windward_sim::cell::amc::{Errors, Mode, Table};
use windward_sim::cell::channel::Fading;
use windward_sim::cell::{Average, CellConfig, Choose, Repair, SchedulerConfig, Service, Slot, StationConfig};
use windward_sim::{
    Buffer, Control, Hooks, MakeScheduler, Makers, MediumConfig, Network, Output, Pattern, QueueConfig, run,
};
use windward_units::{BitRate, Duration};

const SYMBOL_RATE: f64 = 1e6;
const SECONDS: u64 = 100;
const SLOTS: f64 = SECONDS as f64 * 1e3;

fn station(key: u64, mean_snr: f64) -> StationConfig {
    StationConfig {
        key,
        mean_snr,
        fading: Fading::Independent,
        delay: Duration::ZERO,
        buffer: Buffer::Packets(100),
        queue: QueueConfig::DropTail,
        urgency: 1.0,
    }
}

/// Slots of 1 ms.
fn cell(table: Table, scheduler: SchedulerConfig, mean_snrs: &[f64]) -> CellConfig {
    CellConfig {
        changes: Vec::new(),
        slot: Duration::from_millis(1),
        symbol_rate: SYMBOL_RATE,
        table: Arc::new(table),
        repair: None,
        scheduler,
        service: Service::Carry,
        average: Average { slots: 1000.0, ..Average::default() },
        shared_buffer: None,
        stations: (100..).zip(mean_snrs).map(|(key, &snr)| station(key, snr)).collect(),
    }
}

/// A cell whose stations are each sent datagrams of 100 bytes at `rate`.
fn loaded(cell: CellConfig, rate: u64) -> Network {
    let pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(rate) };
    let source = |index: u32| stream(index, (0, index + 1), pattern, 100);
    let count = cell.stations.len() as u32;
    let mut network = network(Vec::new(), Vec::new(), 0, SECONDS);
    network.sources = (0..count).map(source).collect();
    let ends = (0..count).map(|index| (0, index + 1));
    network.topology.add_medium(MediumConfig::Cell(cell), ends);
    network
}

/// Queues that never run empty.
fn saturated(cell: CellConfig) -> Network {
    loaded(cell, 20_000_000)
}

/// Makers with this user-defined scheduler.
fn hooks<S: Choose + Send + 'static>(make: impl Fn() -> S + Send + Sync + 'static) -> Makers {
    let schedulers = vec![Arc::new(move || Box::new(make()) as Box<dyn Choose + Send>) as MakeScheduler];
    Makers { hooks: Hooks { schedulers, ..Hooks::default() }, ..Makers::default() }
}

/// A figure of every station.
fn figure<'a>(output: &'a Output, name: &str) -> &'a [f64] {
    output.media.0[0].values(name).expect("stations have it")
}

fn rates(output: &Output) -> Vec<f64> {
    output.links.iter().map(|link| link.bytes as f64 * 8.0 / SECONDS as f64).collect()
}

/// Slot by slot in turn, a station gets a quarter of its mean rate. The rate of a slot is at most 5 bits a symbol, so
/// its mean over n/4 slots is within 5·2.5/√(n/4) = 0.04 of Σ η P; a buffer of packets takes nothing of it.
#[test]
fn round_robin_gives_everyone_an_equal_share_of_slots() {
    let snrs = [16.0, 80.0, 20.0, 40.0];
    let table = Table::ctc_802_16e();
    let output =
        simulate(&saturated(cell(table.clone(), SchedulerConfig::RoundRobin { is_oblivious: true }, &snrs)), 1);
    for (rate, snr) in rates(&output).iter().zip(snrs) {
        let expected = table.mean_efficiency(snr) * SYMBOL_RATE / 4.0;
        assert!(
            (rate / expected - 1.0).abs() < 12.5 / (SLOTS / 4.0).sqrt() / table.mean_efficiency(snr),
            "{rate} {expected}"
        );
    }
    for (at, snr) in snrs.into_iter().enumerate() {
        assert!((figure(&output, "airtime")[at] - 0.25).abs() < 1e-5);
        // The mean of n exponentials is within 5/√n of theirs.
        assert!((figure(&output, "mean_snr")[at] / snr - 1.0).abs() < 5.0 / SLOTS.sqrt());
        let offered = figure(&output, "offered_bps")[at];
        assert!((offered - table.mean_efficiency(snr) * SYMBOL_RATE).abs() < 12.5 / SLOTS.sqrt() * SYMBOL_RATE);
    }
}

/// Multi-user diversity with a rate linear in the signal-to-noise ratio (Shannon with a large gap): picking the best of
/// n equal Rayleigh channels gains Σ 1/k over one of them, whose share is 1/n. Proportional fairness makes the same
/// picks, because its averages are equal up to the ripple of a filter of 1000 slots. The ripple, some 1/√1000 of an
/// average, costs in second order.
#[test]
fn multi_user_diversity_gains_the_harmonic_number() {
    let gap = 1e4;
    for count in [2, 4, 8] {
        let harmonic: f64 = (1..=count).map(|k| 1.0 / f64::from(k)).sum();
        // log2(1 + x) = x/ln 2 − x²/(2 ln 2): with x up to 10/gap the square is below 1e-3.
        let alone = 10.0 / gap / std::f64::consts::LN_2 * 1e9;
        for scheduler in [SchedulerConfig::MaxSnr { is_oblivious: false }, SchedulerConfig::ProportionalFair] {
            let text = format!("{scheduler:?}");
            let mut cell = cell(Table::shannon(gap, f64::INFINITY), scheduler, &vec![10.0; count as usize]);
            cell.symbol_rate = 1e9;
            let total: f64 = rates(&simulate(&saturated(cell), 1)).iter().sum();
            let gain = total / alone;
            assert!((gain / harmonic - 1.0).abs() < 0.01, "{text}, {count} stations: {gain} {harmonic}");
        }
    }
}

/// Under proportional fairness stations of different means get equal airtime, where rates are linear.
#[test]
fn proportional_fairness_shares_time_not_rate() {
    let mut cell = cell(Table::shannon(1e4, f64::INFINITY), SchedulerConfig::ProportionalFair, &[5.0, 10.0, 20.0]);
    cell.symbol_rate = 1e9;
    let output = simulate(&saturated(cell), 1);
    let (served, offered) = (figure(&output, "served_bps"), figure(&output, "offered_bps"));
    for (at, airtime) in figure(&output, "airtime").iter().enumerate() {
        // A share of n slots is within 5·√(2/9n) = 0.0075; successive picks are all but independent.
        assert!((airtime - 1.0 / 3.0).abs() < 0.0075, "{airtime}");
        // The best of three exponentials has the mean 11/6.
        assert!((served[at] / offered[at] / (11.0 / 6.0) - 1.0).abs() < 0.02);
    }
}

/// MaxWeight rules stabilise what any rule can: a load within the capacity region leaves bounded queues, under either
/// weight, where round robin, which gives the weak station a quarter, loses packets.
#[test]
fn maxweight_carries_what_round_robin_cannot() {
    let snrs = [16.0, 80.0, 20.0, 40.0];
    let dropped = |scheduler| {
        let mut cell = cell(Table::ctc_802_16e(), scheduler, &snrs);
        cell.stations.iter_mut().for_each(|station| station.buffer = Buffer::Packets(5000));
        let output = simulate(&loaded(cell, 600_000), 1);
        (output.links.iter().map(|link| link.dropped).sum::<u64>(), output)
    };
    // The weak station's share by turns: 1.63 Mbit/s / 4 = 0.41 < 0.6.
    assert!(dropped(SchedulerConfig::RoundRobin { is_oblivious: true }).0 > 1000);
    for scheduler in
        [SchedulerConfig::QueueingDelay, SchedulerConfig::QueueLength, SchedulerConfig::MLwdf, SchedulerConfig::ExpRule]
    {
        let text = format!("{scheduler:?}");
        let (lost, output) = dropped(scheduler);
        assert_eq!(lost, 0, "{text}");
        for rate in rates(&output) {
            assert!((rate / 600_000.0 - 1.0).abs() < 0.01, "{text}: {rate}");
        }
    }
}

/// A mode of 1.5 bits a symbol at 1 Msymbol/s carries 1500 bits in a slot: one packet of 800 bits and 700 bits of the
/// next. Whole packets: one a slot. Carried: 1500/800 = 1.875 a slot. Two stations, round robin.
#[test]
fn leftover_bits_are_lost_or_carried() {
    let table = Table::of_modes(vec![Mode { efficiency: 1.5, threshold: 1.0, errors: None }]).expect("a table");
    let rate_of = |service, load| {
        let mut cell = cell(table.clone(), SchedulerConfig::RoundRobin { is_oblivious: false }, &[10.0, 10.0]);
        cell.service = service;
        cell.stations.iter_mut().for_each(|station| station.fading = Fading::Constant);
        simulate(&loaded(cell, load), 1).links[0].packets as f64 / (SLOTS / 2.0)
    };
    assert!((rate_of(Service::Whole, 20_000_000) - 1.0).abs() < 1e-4);
    assert!((rate_of(Service::Carry, 20_000_000) - 1.875).abs() < 1e-4);
    assert!((rate_of(Service::Fluid, 20_000_000) - 1.875).abs() < 1e-4);
}

/// One busy station and one that is sent a packet of 800 bits every 10 ms: with fluid service the busy one gets all but
/// 80 bits a slot; else the other's packet costs it a whole slot in ten.
#[test]
fn fluid_service_hands_on_what_an_empty_queue_leaves() {
    let table = Table::of_modes(vec![Mode { efficiency: 1.5, threshold: 1.0, errors: None }]).expect("a table");
    let busy = |service| {
        let mut cell = cell(table.clone(), SchedulerConfig::RoundRobin { is_oblivious: false }, &[10.0, 10.0]);
        cell.service = service;
        cell.stations.iter_mut().for_each(|station| station.fading = Fading::Constant);
        let mut network = saturated(cell);
        network.sources[1].pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(80_000) };
        rates(&simulate(&network, 1))[0]
    };
    assert!((busy(Service::Fluid) / (1.5e6 - 0.08e6) - 1.0).abs() < 1e-3, "{}", busy(Service::Fluid));
    assert!((busy(Service::Carry) / (1.5e6 * 0.9) - 1.0).abs() < 1e-3, "{}", busy(Service::Carry));
}

/// Transmissions fail with probability P = 0.2: with three transmissions a packet is lost with P³, and takes
/// (1 − P³)/(1 − P) = 1.24 of them.
#[test]
fn failed_transmissions_are_repeated_and_given_up() {
    let errors = Errors { a: 1.0, g: -libm::log(0.2) / 10.0, packet_bits: 800.0 };
    let table = Table::of_modes(vec![Mode { efficiency: 1.6, threshold: 1.0, errors: Some(errors) }]).expect("a table");
    let mut cell = cell(table, SchedulerConfig::QueueLength, &[10.0]);
    cell.repair = Some(Repair { max_transmissions: 3 });
    cell.stations[0].fading = Fading::Constant;
    let output = simulate(&saturated(cell), 1);
    let link = &output.links[0];
    let transmissions = 2.0 * SLOTS;
    let packets = link.packets as f64;
    // Shares of n draws, within five standard errors.
    assert!(
        (output.media.0[0].counts("errors").expect("they are counted")[0] as f64 / transmissions - 0.2).abs()
            < 5.0 * (0.16 / transmissions).sqrt()
    );
    assert!((link.lost as f64 / packets - 0.008).abs() < 5.0 * (0.008 / packets).sqrt());
    assert!((transmissions / packets - 1.24).abs() < 5.0 * (0.5 / packets).sqrt());
    // The last packet may still be on its way.
    assert!(link.packets - link.lost - output.sources[0].received <= 1);
}

/// A buffer that stations share holds so many packets in all.
#[test]
fn a_shared_buffer_is_shared() {
    let mut cell = cell(Table::ctc_802_16e(), SchedulerConfig::QueueLength, &[20.0, 20.0]);
    cell.shared_buffer = Some(60);
    let output = simulate(&saturated(cell), 1);
    let most: u64 = output.links.iter().map(|link| link.max_backlog).sum();
    let series = &output.link_series.unpack();
    let both = series.backlog.chunks(2).map(|pair| pair[0] + pair[1]).fold(0.0, f64::max);
    assert!(both <= 60.0 && most >= 60, "{both} {most}");
}

/// A station has a random stream of its own: another station in the cell leaves its channel as it was.
#[test]
fn a_new_station_leaves_the_others_channels_alone() {
    let snr = |snrs: &[f64]| {
        let scheduler = SchedulerConfig::RoundRobin { is_oblivious: true };
        figure(&simulate(&saturated(cell(Table::ctc_802_16e(), scheduler, snrs)), 1), "mean_snr")[0]
    };
    assert_eq!(snr(&[20.0, 20.0]), snr(&[20.0, 20.0, 30.0]));
}

/// A rule of one's own sees what the others see; one that names nobody, or a station that is not there, serves nobody.
#[test]
fn a_rule_of_ones_own() {
    struct Only(Option<usize>);
    impl Choose for Only {
        fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
            assert_eq!(slot.stations.len(), 2);
            self.0
        }
    }
    let served = |station| {
        let network = saturated(cell(Table::ctc_802_16e(), SchedulerConfig::Own(0), &[20.0, 20.0]));
        let makers = hooks(move || Only(station));
        rates(&run(&network, &makers, 1, &Control::new(), None).expect("nobody interrupts it"))
    };
    assert!(served(Some(1))[1] > 1e6 && served(Some(1))[0] == 0.0);
    assert_eq!(served(None), [0.0, 0.0]);
    assert_eq!(served(Some(7)), [0.0, 0.0]);
}

/// Averages of the past that rules receive: the served rate of a station that is always served, zero for one that never
/// is, and alike the rates offered to both. Over windows of 1000 slots, of rates whose standard deviation is below
/// their mean: within 4/√500 of the mean of the whole run, 1/√(2n) each.
#[test]
fn averages_are_of_what_was_served_and_offered() {
    struct First(Arc<Mutex<[[f64; 2]; 2]>>);
    impl Choose for First {
        fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
            let [first, second] = slot.stations else { unreachable!("there are two") };
            *self.0.lock().expect("one thread") =
                [[first.average_rate, second.average_rate], [first.average_offer, second.average_offer]];
            Some(0)
        }
    }
    let seen = Arc::new(Mutex::default());
    let network = saturated(cell(Table::ctc_802_16e(), SchedulerConfig::Own(0), &[20.0, 20.0]));
    let told = Arc::clone(&seen);
    let makers = hooks(move || First(Arc::clone(&told)));
    let output = run(&network, &makers, 1, &Control::new(), None).expect("nobody interrupts it");
    let [served, offered] = *seen.lock().expect("one thread");
    let whole = rates(&output)[0];
    let near = |found: f64| (found / whole - 1.0).abs() < 4.0 / 500.0_f64.sqrt();
    assert!(near(served[0]) && near(offered[0]) && near(offered[1]), "{served:?}, {offered:?} of {whole}");
    assert!(served[1] < 1e-9 * whole, "{served:?}");
}

/// A packet in transmission counts with its unsent bits only: packets of 800 bits, of which less than one has left.
#[test]
fn a_begun_packet_waits_with_what_is_left_of_it() {
    struct First(Arc<Mutex<u32>>);
    impl Choose for First {
        fn choose(&mut self, slot: &Slot<'_>) -> Option<usize> {
            let station = slot.stations[0];
            let gone = 800.0 * station.backlog_packets as f64 - station.backlog_bits;
            assert!((0.0..800.0).contains(&gone), "{gone} bits of the head are gone");
            *self.0.lock().expect("one thread") += u32::from(gone > 0.0);
            Some(0)
        }
    }
    let begun = Arc::new(Mutex::new(0));
    let told = Arc::clone(&begun);
    let network = saturated(cell(Table::ctc_802_16e(), SchedulerConfig::Own(0), &[20.0]));
    let makers = hooks(move || First(Arc::clone(&told)));
    run(&network, &makers, 1, &Control::new(), None).expect("nobody interrupts it");
    assert!(*begun.lock().expect("one thread") > 1000);
}
