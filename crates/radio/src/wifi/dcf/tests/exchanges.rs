//! Exchanges by hand, to the microsecond.

use super::harness::{Bench, star};
use crate::wifi::{Access, LossOf, Mac, Neighbour, Phy, Reach, StationConfig, Way, WifiConfig};
use crate::{Buffer, QueueConfig};
use windward_elements::status::Cause;
use windward_units::{BitRate, Bytes, Duration, Time};

const MBIT: u64 = 1_000_000;

fn micros(count: u64) -> Time {
    Time::ZERO + Duration::from_micros(count)
}

fn standard() -> Mac {
    Mac::standard(BitRate::bits_per_sec(MBIT))
}

/// A packet at an idle medium is sent at once: 1464 + 36 bytes at 2 Mbit/s after 192 µs, and 1 µs of propagation. The
/// next one follows after the ACK (10 + 304 + 1 µs), DIFS and the backoff drawn.
#[test]
fn a_packet_to_an_idle_medium_goes_at_once_and_the_next_after_a_backoff() {
    let mut bench = Bench::new(&star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT)), 3);
    bench.now = micros(1000);
    bench.offer(0, 1464);
    bench.offer(0, 1464);
    bench.run(micros(100_000), &[]);
    let [first, second] = &bench.world.arrived[..] else { panic!("{:?}", bench.world.arrived) };
    assert_eq!(first.0, micros(1000 + 192 + 6000 + 1));
    let gap = second.0.since(first.0).as_nanos() / 1000;
    let slots = gap - (10 + 304 + 1 + 50 + 192 + 6000 + 1);
    assert!(slots % 20 == 0 && slots / 20 <= 31, "{slots}");
}

/// With RTS the data follow after RTS, CTS and two SIFS.
#[test]
fn a_long_packet_is_announced() {
    let mac = Mac { rts_threshold: Some(Bytes::new(1000)), ..standard() };
    let mut bench = Bench::new(&star(1, Phy::B, mac, BitRate::bits_per_sec(2 * MBIT)), 3);
    bench.now = micros(1000);
    bench.offer(0, 964);
    bench.run(micros(50_000), &[]);
    bench.now = micros(50_000);
    bench.offer(0, 965);
    bench.run(micros(100_000), &[]);
    let times: Vec<Time> = bench.world.arrived.iter().map(|arrival| arrival.0).collect();
    assert_eq!(times[0], micros(1000 + 192 + 4000 + 1));
    let (rts, cts) = (192 + 160, 192 + 112);
    let data = Time::from_nanos(micros(50_000 + rts + 1 + 10 + cts + 1 + 10 + 192 + 1).as_nanos() + 1001 * 4000);
    assert_eq!(times[1], data);
}

/// Hidden stations: 0 and 2 reach 1, but not each other.
fn hidden(mac: Mac) -> WifiConfig {
    let hears = |station| Neighbour { station, power: 1.0, decodes: true };
    let station = |key| StationConfig {
        key,
        node: key as u32,
        place: (0.0, 0.0),
        buffer: Buffer::Unlimited,
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(2 * MBIT),
    };
    WifiConfig {
        phy: Phy::B,
        mac,
        access: Access::Dcf,
        stations: (0..3).map(station).collect(),
        ways: vec![Way { from: 0, to: 1, ..Way::default() }, Way { from: 2, to: 1, ..Way::default() }],
        reach: Reach::of_lists([vec![hears(1)], vec![hears(0), hears(2)], vec![hears(1)]]),
        motion: None,
        fading: None,
        routing: None,
    }
}

/// A relay that forwards a packet at once finds the medium idle, but not for DIFS: its own ACK is next. It therefore
/// waits for that ACK (10 + 304 µs), DIFS and a backoff (IEEE 802.11-2016, §10.3.2.1, §10.3.4.2).
#[test]
fn a_relay_backs_off() {
    let mut config = hidden(standard());
    config.ways.push(Way { from: 1, to: 2, ..Way::default() });
    let came = micros(1000 + 192 + 6000 + 1);
    let slots = |seed| {
        let mut bench = Bench::new(&config, seed);
        bench.now = micros(1000);
        bench.offer(0, 1464);
        bench.run(came, &[]);
        assert_eq!(bench.world.arrived.len(), 1);
        bench.offer(2, 1464);
        bench.run(micros(100_000), &[]);
        let gap = bench.world.arrived[1].0.since(came).as_nanos() / 1000;
        let slots = gap - (10 + 304 + 50 + 192 + 6000 + 1);
        assert!(slots.is_multiple_of(20) && slots / 20 <= 31, "{slots}");
        slots / 20
    };
    let mean = (1..=100).map(slots).sum::<u64>() as f64 / 100.0;
    // Uniform from 0 to 31: a standard error of 0.92.
    assert!((mean - 15.5).abs() < 4.0 * 0.92, "{mean}");
}

/// Hidden stations lose most of their simultaneous frames without RTS, and few with it.
#[test]
fn announcements_help_hidden_stations() {
    let delivered = |threshold: Option<Bytes>| {
        let mut bench = Bench::new(&hidden(Mac { rts_threshold: threshold, ..standard() }), 5);
        bench.run(micros(20_000_000), &[(0, 1464), (1, 1464)]);
        bench.world.arrived.len()
    };
    let (without, with) = (delivered(None), delivered(Some(Bytes::new(0))));
    assert!(with as f64 > 1.5 * without as f64, "{with} with RTS, {without} without");
}

/// A station that hears a CTS defers without hearing the data: during one station's exchange the other completes no
/// attempt.
#[test]
fn a_reservation_is_kept() {
    let mac = Mac { rts_threshold: Some(Bytes::new(0)), ..standard() };
    let mut bench = Bench::new(&hidden(mac), 1);
    bench.now = micros(1000);
    bench.offer(0, 1464);
    // CTS is received at 1000 + 352 + 1 + 10 + 304 + 1; the exchange ends with the ACK at 8 188 µs.
    bench.run(micros(2000), &[]);
    bench.offer(1, 1464);
    bench.run(micros(100_000), &[]);
    let [first, second] = &bench.world.arrived[..] else { panic!("{:?}", bench.world.arrived) };
    assert_eq!(first.0, micros(1000 + 352 + 1 + 10 + 304 + 1 + 10 + 6192 + 1));
    // ACK, DIFS, backoff, and the second exchange up to its data.
    let rest = second.0.since(first.0).as_nanos() / 1000 - (10 + 304 + 1 + 50 + 352 + 1 + 10 + 304 + 1 + 10 + 6192 + 1);
    assert!(rest % 20 <= 1 && rest / 20 <= 31, "{rest}");
}

/// Without a receiver a short frame has seven attempts with windows of 32, 64, … 1024 slots; then the packet is given
/// up.
#[test]
fn a_packet_is_given_up_after_seven_attempts() {
    let mut config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    config.ways[0].loss = 1.0;
    let mut bench = Bench::new(&config, 3);
    let number = bench.offer(0, 1464);
    bench.run(micros(10_000_000), &[]);
    assert_eq!(bench.world.lost, [(number, Cause::Sent)]);
    let counts = bench.wifi.ways[0].counts;
    assert_eq!((counts.attempts, counts.data_frames, counts.failures, counts.link.lost), (7, 7, 7, 1));
    assert_eq!(bench.wifi.ways[0].backlog, 0);
}

/// Losses of packets: each packet is received at the first attempt, or given up after seven. Of 400 packets a quarter
/// is given up, within five standard deviations, and the sender knows which.
#[test]
fn a_packet_can_lose_all_its_attempts() {
    let mut config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    (config.ways[0].loss, config.ways[0].loss_of) = (0.25, LossOf::Packets);
    let mut bench = Bench::new(&config, 3);
    (0..400).for_each(|_| _ = bench.offer(0, 1000));
    bench.run(micros(60_000_000), &[]);
    let (arrived, lost) = (bench.world.arrived.len() as u64, bench.world.lost.len() as u64);
    assert_eq!(arrived + lost, 400);
    assert!(lost.abs_diff(100) < 44, "{lost}");
    let counts = bench.wifi.ways[0].counts;
    assert_eq!((counts.successes, counts.failures, counts.link.lost), (arrived, 7 * lost, lost));
}

/// Losses of deliveries: every packet is acknowledged at its first attempt, and a quarter is lost nevertheless.
#[test]
fn a_delivery_can_be_lost_unseen() {
    let mut config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    (config.ways[0].loss, config.ways[0].loss_of) = (0.25, LossOf::Deliveries);
    let mut bench = Bench::new(&config, 3);
    (0..400).for_each(|_| _ = bench.offer(0, 1000));
    bench.run(micros(60_000_000), &[]);
    let lost = bench.world.lost.len() as u64;
    assert_eq!(bench.world.arrived.len() as u64 + lost, 400);
    assert!(lost.abs_diff(100) < 44, "{lost}");
    let counts = bench.wifi.ways[0].counts;
    assert_eq!((counts.successes, counts.failures, counts.link.lost), (400, 0, lost));
    assert_eq!(bench.wifi.ways[0].backlog, 0);
}

/// ACKs are lost with probability one half, as the receiver's frames are not decoded: the packet is retransmitted and
/// delivered once.
#[test]
fn a_repeated_packet_is_delivered_once() {
    let mut config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    // ACKs never arrive.
    let hears = |station, decodes| Neighbour { station, power: 1.0, decodes };
    config.reach = Reach::of_lists([vec![hears(1, true)], vec![hears(0, false)]]);
    let mut bench = Bench::new(&config, 3);
    bench.offer(0, 1464);
    bench.run(micros(10_000_000), &[]);
    assert_eq!(bench.world.arrived.len(), 1);
    assert!(bench.world.lost.is_empty(), "what has arrived is not lost");
    assert_eq!(bench.wifi.ways[0].counts.data_frames, 7);
}

/// The nearer of two hidden senders captures the receiver if its frame began first and is strong enough: 5.2 dB at 2
/// Mbit/s, or the scenario's ratio.
#[test]
fn a_strong_frame_captures_the_receiver() {
    let with = |power: f64, capture| {
        let mut config = hidden(Mac { capture, ..standard() });
        let at = |station, power| Neighbour { station, power, decodes: true };
        config.reach = Reach::of_lists([vec![at(1, power)], vec![at(0, 1.0), at(2, 1.0)], vec![at(1, 1.0)]]);
        let mut bench = Bench::new(&config, 1);
        bench.offer(0, 1464);
        bench.run(micros(3000), &[]);
        bench.offer(1, 1464);
        bench.run(micros(6500), &[]);
        bench.world.arrived.len()
    };
    assert_eq!([with(3.31, None), with(3.32, None)], [0, 1]);
    assert_eq!([with(9.9, Some(10.0)), with(10.0, Some(10.0))], [0, 1]);
}

/// Air time of every station: sending, sensing and idle time add up to the clock.
#[test]
fn air_time_adds_up_to_the_clock() {
    for (n, threshold) in [(3, None), (8, Some(Bytes::new(0)))] {
        let mac = Mac { rts_threshold: threshold, ..standard() };
        let mut bench = Bench::new(&star(n, Phy::B, mac, BitRate::bits_per_sec(11 * MBIT)), 2);
        let ways: Vec<(u32, u32)> = (0..n).map(|way| (way, 1000)).collect();
        bench.run(micros(5_000_000), &ways);
        for station in &bench.wifi.stations {
            let air = &station.air;
            let sent = air.sent.iter().fold(Duration::ZERO, |sum, span| sum + *span);
            assert_eq!(sent + air.sensed + air.idle, air.until.since(Time::ZERO));
        }
        // All stations hear each other: each senses what another sends, except for collisions and propagation.
        let sent =
            |station: &super::super::station::Station| station.air.sent.iter().map(|span| span.as_secs()).sum::<f64>();
        let total: f64 = bench.wifi.stations.iter().map(sent).sum();
        let listener = &bench.wifi.stations[n as usize];
        assert!(sent(listener) + listener.air.sensed.as_secs() <= total * 1.001);
    }
}

/// An RTS without a CTS silences its hearers for NAVTimeout, 2·10 + 304 + 192 + 2·20 µs from its end at 1353 µs. It
/// does not silence them for the announced exchange, up to 8183 µs; in ns-2 it does.
#[test]
fn a_reservation_is_given_up_where_nothing_follows() {
    let arrival = |is_ns2: bool| {
        let once = Mac { rts_threshold: Some(Bytes::new(0)), short_retries: Some(1), is_ns2, ..standard() };
        let mut config = hidden(once);
        let hears = |station, decodes| Neighbour { station, power: 1.0, decodes };
        // 2 hears the frames of 0 to 1; 1 does not.
        config.reach =
            Reach::of_lists([vec![hears(2, true)], vec![hears(2, true)], vec![hears(1, true), hears(0, true)]]);
        let mut bench = Bench::new(&config, 1);
        bench.now = micros(1000);
        bench.offer(0, 1464);
        // ns-2 draws a backoff even then: up to 620 µs and DIFS.
        bench.run(micros(if is_ns2 { 1800 } else { 1200 }), &[]);
        bench.offer(1, 1464);
        bench.run(micros(100_000), &[]);
        bench.world.arrived[0].0.since(Time::ZERO).as_nanos() / 1000
    };
    let exchange = 352 + 1 + 10 + 304 + 1 + 10 + 6192 + 1;
    let backoff = arrival(false) - (1353 + 556 + 50 + exchange);
    assert!(backoff % 20 == 0 && backoff / 20 <= 31, "{backoff}");
    assert!(arrival(true) > 8183 + 50 + exchange);
}

/// A signal too weak to be received is noise: a frame twenty times as strong that begins during it is received. In ns-2
/// the signal occupies the receiver.
#[test]
fn a_weak_signal_does_not_occupy_the_receiver() {
    let arrived = |is_ns2: bool| {
        let mut config = hidden(Mac { is_ns2, ..standard() });
        let at = |station, power, decodes| Neighbour { station, power, decodes };
        config.reach = Reach::of_lists([
            vec![at(1, 1.0, true)],
            vec![at(0, 1.0, true), at(2, 0.05, false)],
            vec![at(1, 0.05, false)],
        ]);
        let mut bench = Bench::new(&config, 1);
        bench.offer(1, 1464);
        bench.run(micros(2000), &[]);
        bench.offer(0, 1464);
        bench.run(micros(9200), &[]);
        bench.world.arrived.len()
    };
    assert_eq!([arrived(false), arrived(true)], [1, 0]);
}

/// Two frames begin together: the one that is ten times as strong is received, in either order of events. With equal
/// powers none is received, and no EIFS follows, as no frame was detected.
#[test]
fn of_preambles_that_begin_together_the_strongest_is_found() {
    let with = |first: f64, second: f64| {
        let mut config = hidden(standard());
        let at = |station, power| Neighbour { station, power, decodes: true };
        config.reach = Reach::of_lists([vec![at(1, first)], vec![at(0, 1.0), at(2, 1.0)], vec![at(1, second)]]);
        let mut bench = Bench::new(&config, 1);
        bench.now = micros(1000);
        bench.offer(0, 1464);
        bench.offer(1, 1464);
        bench.run(micros(7300), &[]);
        let ways: Vec<u32> = bench.world.arrived.iter().map(|arrival| arrival.1).collect();
        (ways, bench.wifi.stations[1].error_until > Time::ZERO)
    };
    assert_eq!(with(10.0, 1.0), (vec![0], false));
    assert_eq!(with(1.0, 10.0), (vec![1], false));
    assert_eq!(with(1.0, 1.0), (vec![], false));
}

/// EIFS includes an ACK at the lowest rate, 6 Mbit/s in 802.11a, whatever the rate of ACKs: 16 + 44 + 34 µs.
#[test]
fn eifs_reckons_with_the_lowest_rate() {
    let fast = Mac::standard(BitRate::bits_per_sec(24 * MBIT));
    let bench = Bench::new(&star(1, Phy::A, fast, BitRate::bits_per_sec(54 * MBIT)), 1);
    assert_eq!(bench.wifi.times.eifs, Some(Duration::from_micros(94)));
}
