//! Reception: interference by rate, noise and fading at all receivers.

use super::super::waiting::Waiting;
use super::harness::{Bench, star};
use crate::air::FrameKind;
use crate::interface::Medium;
use crate::wifi::{Access, Fading, Mac, Neighbour, Phy, Position, Propagation, Reach, StationConfig, Way, WifiConfig};
use windward_elements::packet::{Kind, Packet};
use windward_elements::queue::{Buffer, QueueConfig};
use windward_units::{BitRate, Bytes, Duration, Time};

const MBIT: u64 = 1_000_000;

fn micros(count: u64) -> Time {
    Time::ZERO + Duration::from_micros(count)
}

fn standard() -> Mac {
    Mac::standard(BitRate::bits_per_sec(MBIT))
}

/// Stations of 802.11b in a line, in metres, with ns-2's radio.
fn line(places: &[f64], ways: &[(u32, u32)], data_rate: u64, sense: f64) -> WifiConfig {
    let station = |key: u64| StationConfig {
        key,
        node: key as u32,
        place: (places[key as usize], 0.0),
        buffer: Buffer::Unlimited,
        queue: QueueConfig::DropTail,
        data_rate: BitRate::bits_per_sec(data_rate),
    };
    let positions: Vec<Position> = places.iter().map(|&x| (x, 0.0)).collect();
    let radio = Propagation::NS2;
    WifiConfig {
        phy: Phy::B,
        mac: standard(),
        access: Access::Dcf,
        stations: (0..places.len() as u64).map(station).collect(),
        ways: ways.iter().map(|&(from, to)| Way { from, to, ..Way::default() }).collect(),
        reach: Reach::of_positions(&positions, &radio, radio.received(250.0), radio.received(sense)),
        motion: None,
        fading: None,
        routing: None,
    }
}

/// Payload in Mbit/s on each of two saturated links, for 1500-byte datagrams with 28 bytes of headers, over 8 s.
fn goodputs(config: &WifiConfig) -> [f64; 2] {
    let mut bench = Bench::new(config, 1);
    bench.run(micros(8_000_000), &[(0, 1500), (1, 1500)]);
    [0, 1].map(|way| bench.rate(way, 1472) / 1e6)
}

fn assert_near(found: [f64; 2], expected: [f64; 2], share: f64) {
    let is_near = (0..2).all(|at| (found[at] / expected[at] - 1.0).abs() < share);
    assert!(is_near, "{found:?} instead of {expected:?}");
}

/// The second sender receives its ACKs, at 1 Mbit/s, 5.3 dB above the frames of the first, which it is hidden from.
/// Goodputs are those of ns-3 with its own receiver (evidence/benches/wifi). With 10 dB for every rate the second had
/// 0.36 Mbit/s.
#[test]
fn acks_at_the_lowest_rate_stand_more_interference_than_data() {
    let config = line(&[0.0, 157.0, 320.0, 556.0], &[(0, 1), (2, 3)], 11 * MBIT, 550.0);
    assert_near(goodputs(&config), [4.04, 2.68], 0.04);
    let single = WifiConfig { mac: Mac { capture: Some(10.0), ..config.mac }, ..config };
    assert!(goodputs(&single)[1] < 0.6);
}

/// At the receiver the nearer of two hidden senders is 4.5 dB above the other: too little for data at 11 Mbit/s. With 4
/// dB for every rate the shares were 3.9 and 0.2 Mbit/s.
#[test]
fn data_at_the_highest_rate_do_not_stand_a_near_interferer() {
    let config = line(&[0.0, 153.0, 351.0], &[(0, 1), (2, 1)], 11 * MBIT, 250.0);
    assert_near(goodputs(&config), [2.14, 1.90], 0.12);
}

/// True if station 1 receives a frame of 0 of this power, which begins at 1000 µs; one of 2 ends `overlap` µs later.
fn is_received(power: f64, overlap: u64, data_rate: u64, capture: Option<f64>) -> bool {
    let at = |station, power, decodes| Neighbour { station, power, decodes };
    let config = WifiConfig {
        mac: Mac { capture, short_retries: Some(1), ..standard() },
        reach: Reach::of_lists([
            vec![at(1, power, true)],
            vec![at(0, 1.0, true), at(2, 1.0, true)],
            vec![at(1, 1.0, false)],
        ]),
        ..line(&[0.0, 100.0, 200.0], &[(0, 1), (2, 1)], data_rate, 250.0)
    };
    let mut bench = Bench::new(&config, 1);
    let bytes = 100;
    let time = config.phy.air_time(bytes + 36, BitRate::bits_per_sec(data_rate));
    bench.now = Time::ZERO + Duration::from_micros(1000 + overlap).saturating_sub(time);
    bench.offer(1, bytes as u32);
    bench.run(micros(1000), &[]);
    bench.offer(0, 1464);
    let end = micros(1001) + config.phy.air_time(1500, BitRate::bits_per_sec(data_rate));
    bench.run(end + Duration::from_nanos(1), &[]);
    !bench.world.arrived.is_empty()
}

/// During preamble and header, 192 µs, the ratio of 1 Mbit/s suffices, 2.2 dB; then the frame's own rate requires 7.6
/// dB at 11 Mbit/s. A ratio of the scenario applies to both.
#[test]
fn the_header_stands_more_interference_than_the_payload() {
    let ratio = |decibels: f64| libm::pow(10.0, decibels / 10.0);
    let with = |decibels, overlap| is_received(ratio(decibels), overlap, 11 * MBIT, None);
    assert_eq!([with(2.1, 150), with(2.3, 150)], [false, true]);
    assert_eq!([with(7.5, 250), with(7.7, 250)], [false, true]);
    assert_eq!([2, 11].map(|mbit| is_received(ratio(5.3), 250, mbit * MBIT, None)), [true, false]);
    let single = |decibels, overlap| is_received(ratio(decibels), overlap, 11 * MBIT, Some(10.0));
    assert_eq!([single(9.9, 150), single(10.1, 150), single(9.9, 250), single(10.1, 250)], [false, true, false, true]);
}

/// Star of equal powers, 0 and 2 sending to 1 at 1 Mbit/s, under Rayleigh fading and noise that garble about a third of
/// 1's frames.
fn noisy() -> WifiConfig {
    let fading = Some(Fading { noise: 0.3, is_rayleigh: true });
    WifiConfig { fading, ..star(2, Phy::B, standard(), BitRate::bits_per_sec(MBIT)) }
}

impl Bench {
    /// Sends a broadcast, as routing protocols do.
    fn broadcast(&mut self, from: u32, size: u32) {
        let packet = Packet::new(Kind::Routing, self.now, 0, 0, size);
        let waiting = Waiting { since: self.now, way: u32::MAX, packet, turn: 0 };
        self.wifi.take(self.now, from, waiting);
        self.wifi.contend_anew(self.now, from, &mut self.world);
    }

    /// Garbled frames at each of three stations since the last call.
    fn garbled(&mut self) -> [f64; 3] {
        [0, 1, 2].map(|at: usize| std::mem::take(&mut self.wifi.stations[at].air.garbled) as f64)
    }
}

/// Data frames are garbled with one probability at their destination, at overhearing stations, and as broadcasts of the
/// same size and rate: 3000 frames each, within five standard deviations of the difference.
#[test]
fn noise_garbles_what_is_broadcast_and_overheard_as_what_is_meant() {
    let mut bench = Bench::new(&noisy(), 1);
    let mut now = 0;
    let mut next = |bench: &mut Bench| {
        now += 100_000;
        bench.run(micros(now), &[]);
    };
    // Station 2 is the receiver of the star's links.
    let (mut frames, mut lost) = (0.0, 0.0);
    while frames < 3000.0 {
        bench.offer(0, 500);
        next(&mut bench);
        frames = bench.wifi.stations[0].air.frames[FrameKind::Data as usize] as f64;
        lost += bench.garbled()[2];
    }
    let meant = lost / frames;
    for _ in 0..3000 {
        bench.broadcast(0, 500);
        next(&mut bench);
    }
    let of_all = bench.garbled();
    assert!(meant > 0.2 && meant < 0.6, "{meant}");
    for share in [of_all[1] / 3000.0, of_all[2] / 3000.0] {
        let deviation = libm::sqrt(meant * (1.0 - meant) * (1.0 / frames + 1.0 / 3000.0));
        assert!((share - meant).abs() < 5.0 * deviation, "{share} of broadcasts, {meant} of data");
    }
}

/// A link's losses apply to broadcasts on it too, and not on others.
#[test]
fn a_lossy_way_loses_broadcasts() {
    let mut config = star(2, Phy::B, standard(), BitRate::bits_per_sec(MBIT));
    config.ways[0].loss = 1.0;
    let mut bench = Bench::new(&config, 1);
    for at in 0..10 {
        bench.broadcast(0, 500);
        bench.run(micros(100_000 * (at + 1)), &[]);
    }
    assert_eq!(bench.garbled(), [0.0, 0.0, 10.0]);
}

/// A station that overhears a garbled RTS or CTS sets no NAV, and waits for EIFS.
#[test]
fn a_garbled_announcement_reserves_nothing() {
    let nav = |noise: f64| {
        let at = |station, power| Neighbour { station, power, decodes: true };
        let config = WifiConfig {
            mac: Mac { rts_threshold: Some(Bytes::new(0)), ..standard() },
            fading: Some(Fading { noise, is_rayleigh: false }),
            // Station 1 receives both others worse than they receive each other.
            reach: Reach::of_lists([
                vec![at(2, 1.0), at(1, 1e-6)],
                vec![at(0, 1e-6), at(2, 1e-6)],
                vec![at(0, 1.0), at(1, 1e-6)],
            ]),
            ..star(2, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT))
        };
        let mut bench = Bench::new(&config, 1);
        bench.offer(0, 1464);
        bench.run(micros(20_000), &[]);
        assert_eq!(bench.world.arrived.len(), 1);
        let third = &bench.wifi.stations[1];
        // RTS, CTS, data, ACK.
        (third.nav.until > Time::ZERO, third.air.garbled, third.error_until > Time::ZERO)
    };
    assert_eq!(nav(1e-9), (true, 0, false));
    assert_eq!(nav(1e-3), (false, 4, true));
}

/// Seven attempts without an answer, with windows of 31, 63, …, 1023 and 1023 again: 433.3 in the mean.
#[test]
fn the_mean_window_is_that_of_the_attempts() {
    let mut config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    config.ways[0].loss = 1.0;
    let mut bench = Bench::new(&config, 3);
    bench.offer(0, 1464);
    bench.run(micros(10_000_000), &[]);
    let mean = (31 + 63 + 127 + 255 + 511 + 1023 + 1023) as f64 / 7.0;
    assert!((bench.wifi.ways[0].counts.mean_cw() - mean).abs() < 1e-9);
}

/// A link is in use while its sender serves a packet: 192 + 6000 + 1 µs of data, 10 + 304 + 1 µs until the ACK is
/// received. A saturated link is always in use, also after a reset of the counters.
#[test]
fn a_saturated_link_is_always_in_use() {
    let config = star(1, Phy::B, standard(), BitRate::bits_per_sec(2 * MBIT));
    let mut bench = Bench::new(&config, 3);
    bench.now = micros(1000);
    bench.offer(0, 1464);
    bench.run(micros(50_000), &[]);
    assert_eq!(bench.wifi.counts(bench.now, 0).busy, (192 + 6000 + 1 + 10 + 304 + 1) * 1000);
    bench.offer(0, 1464);
    bench.run(micros(51_000), &[(0, 1464)]);
    bench.wifi.reset_counts(bench.now);
    bench.run(micros(1_000_000), &[(0, 1464)]);
    assert_eq!(bench.wifi.counts(bench.now, 0).busy, 949_000_000);
}
