use super::*;
use crate::Sample;
use crate::testing::{congestion, near, slow_ack};

/// A path that delivers at a rate that a test sets, a packet an ACK, with `flight` packets on their way.
struct Path {
    law: Bbr,
    now: u64,
    delivered: f64,
    lost: f64,
    rate: f64,
    rtt: u64,
    flight: f64,
    repair: Repair,
}

impl Path {
    /// Handshake of 100 ms at 0 ms.
    fn new(params: Params, seed: u64) -> Self {
        let mut law = Bbr::new(params, Packets::new(10.0));
        law.on_start(&Start { now: Time::ZERO, rtt: Some(Duration::from_millis(100)), seed });
        Self {
            law,
            now: 100,
            delivered: 0.0,
            lost: 0.0,
            rate: 1000.0,
            rtt: 100,
            flight: 100.0,
            repair: Repair::Nothing,
        }
    }

    /// `acked` packets are delivered, of a packet that was sent when `ago` fewer were.
    fn ack(&mut self, acked: f64, ago: f64, lost: f64) {
        self.delivered += acked;
        self.lost += lost;
        let sample = Sample {
            delivered: Packets::new(self.delivered),
            delivered_at_send: Packets::new((self.delivered - ago).max(0.0)),
            lost: Packets::new(self.lost),
            interval: Duration::from_secs(ago / self.rate),
            prior_flight: Packets::new(self.flight + acked),
            next_send: Time::from_nanos(self.now * 1_000_000),
            repair: self.repair,
            ..Sample::default()
        };
        let ack = slow_ack(self.now, 0, self.flight + 1.0, self.rtt);
        self.law.on_ack(&Ack { acked: Packets::new(acked), lost: Packets::new(lost), sample, ..ack });
    }

    /// A round trip of 100 ms, a tenth of it at a time: delivered packets were sent a round trip ago.
    fn round(&mut self) {
        let window = self.rate * 0.1;
        for _ in 0..10 {
            self.now += 10;
            self.ack(window / 10.0, window, 0.0);
        }
    }

    /// Past Startup and Drain, at 1000 packets a second.
    fn probing(params: Params, seed: u64) -> Self {
        let mut path = Self::new(params, seed);
        (0..6).for_each(|_| path.round());
        assert_eq!(path.law.0.mode, Mode::ProbeBw);
        path
    }

    fn cwnd(&self) -> f64 {
        self.law.cwnd().count()
    }
}

#[test]
fn it_begins_at_the_handshakes_rate() {
    // 0.99 · 739/256 · 10 packets/100 ms = 285.79 packets a second, in pieces of 2.
    let path = Path::new(Params::default(), 1);
    near(path.law.pacing_rate().unwrap().as_per_sec(), 285.79, 0.005);
    assert_eq!(path.law.send_quantum(), 2);
}

#[test]
fn startup_ends_when_the_rate_stops_growing() {
    // The first ACK shows little; when the second round trip begins, 1000 packets a second have been seen, and three
    // later no more: full. There are no more than T(1) = 100 + 3·2 in flight: Drain is over at once.
    let mut path = Path::new(Params::default(), 1);
    let modes: Vec<Mode> = (0..5)
        .map(|_| {
            path.round();
            path.law.0.mode
        })
        .collect();
    assert_eq!(modes, [Mode::Startup, Mode::Startup, Mode::Startup, Mode::Startup, Mode::ProbeBw]);
}

#[test]
fn drain_waits_for_the_queue() {
    let mut path = Path::new(Params::default(), 1);
    path.flight = 250.0;
    (0..5).for_each(|_| path.round());
    // 0.99 · 88/256 · 1000 = 340.3 packets a second.
    assert_eq!(path.law.0.mode, Mode::Drain);
    near(path.law.pacing_rate().unwrap().as_per_sec(), 340.3, 0.05);
    path.flight = 106.0;
    path.round();
    assert_eq!(path.law.0.mode, Mode::ProbeBw);
}

#[test]
fn the_window_is_two_products_and_three_pieces() {
    // 2 · 1000 · 0.1 = 200; 3 pieces of 2 at 990 packets a second; one packet may come ahead of the rate, the ACKs here
    // bring ten: 216, and 2 more in the phase of 5/4.
    let mut path = Path::probing(Params::default(), 1);
    (0..9).for_each(|_| path.round());
    let extra = if path.law.0.phase == 0 { 2.0 } else { 0.0 };
    assert_eq!(path.cwnd(), 216.0 + extra);
    // At 100 000 packets a second a piece is 96 packets, of which 64 KiB hold 44.
    path.rate = 100_000.0;
    path.round();
    assert_eq!(path.law.send_quantum(), 44);
}

#[test]
fn gains_go_round_in_eight_phases_of_a_round_trip() {
    let mut path = Path::probing(Params::default(), 1);
    // In the phase of 3/4 there are never as few in flight as T(1), and in that of 5/4 always as many as T(5/4).
    path.flight = 150.0;
    let mut changes: Vec<(u64, f64)> = Vec::new();
    for _ in 0..20 {
        for _ in 0..10 {
            path.now += 10;
            path.ack(10.0, 100.0, 0.0);
            let gain = path.law.0.pacing_gain;
            if changes.last().is_none_or(|&(_, last)| last != gain) {
                changes.push((path.now, gain));
            }
        }
    }
    let up = changes.iter().position(|&(_, gain)| gain == 1.25).unwrap();
    let [up, down, flat, next] = [up, up + 1, up + 2, up + 3].map(|at| changes[at]);
    assert_eq!([down.1, flat.1, next.1], [0.75, 1.0, 1.25]);
    // A phase is over with the first ACK more than 100 ms after it began: after 110 ms.
    assert_eq!([down.0 - up.0, flat.0 - down.0, next.0 - flat.0], [110, 110, 6 * 110]);
}

#[test]
fn up_waits_for_its_packets_unless_some_are_lost() {
    let mut path = Path::probing(Params::default(), 1);
    while path.law.0.pacing_gain != 1.25 {
        path.round();
    }
    path.flight = 100.0;
    (0..5).for_each(|_| path.round());
    assert_eq!(path.law.0.pacing_gain, 1.25);
    path.now += 10;
    path.ack(10.0, 100.0, 1.0);
    assert_eq!(path.law.0.pacing_gain, 0.75);
    // No more than T(1) = 106 in flight: nothing to drain.
    (path.now, path.flight) = (path.now + 10, 96.0);
    path.ack(10.0, 100.0, 0.0);
    assert_eq!(path.law.0.pacing_gain, 1.0);
}

#[test]
fn the_first_phase_is_random_but_never_the_draining_one() {
    let mut seen = [0; 8];
    for seed in 0..200 {
        let mut path = Path::new(Params::default(), seed);
        while path.law.0.mode != Mode::ProbeBw {
            path.now += 10;
            path.ack(10.0, 100.0, 0.0);
        }
        seen[path.law.0.phase] += 1;
    }
    assert_eq!(seen[1], 0);
    // 200 draws of 7: 28.6 ± 5 each.
    assert!(seen.iter().enumerate().all(|(phase, &count)| phase == 1 || (10..50).contains(&count)), "{seen:?}");
}

#[test]
fn recovery_conserves_packets_for_a_round_trip_and_gives_the_window_back() {
    let mut path = Path::probing(Params::default(), 1);
    (0..9).for_each(|_| path.round());
    let before = path.cwnd();
    path.law.on_congestion(&congestion(CongestionKind::Loss, 103.0));
    // 100 in flight and one delivered: 101.
    (path.repair, path.flight) = (Repair::Losses, 100.0);
    path.now += 1;
    path.ack(1.0, 100.0, 3.0);
    assert_eq!(path.cwnd(), 101.0);
    path.flight = 90.0;
    path.ack(1.0, 100.0, 0.0);
    assert_eq!(path.cwnd(), 101.0);
    // A packet sent after recovery began ends the round trip: one more for each delivered, less those found lost.
    path.ack(98.0, 100.0, 0.0);
    path.ack(1.0, 100.0, 0.0);
    assert_eq!(path.cwnd(), 188.0 + 1.0);
    path.ack(1.0, 100.0, 5.0);
    assert_eq!(path.cwnd(), 189.0 - 5.0 + 1.0);
    path.repair = Repair::Nothing;
    path.ack(1.0, 100.0, 0.0);
    near(path.cwnd(), before, 2.0);
}

#[test]
fn a_timeout_leaves_one_packet() {
    let mut path = Path::probing(Params::default(), 1);
    path.law.on_congestion(&congestion(CongestionKind::Timeout, 100.0));
    assert_eq!(path.cwnd(), 1.0);
    path.repair = Repair::Timeout;
    path.ack(1.0, 100.0, 0.0);
    assert_eq!(path.cwnd(), 4.0);
}

#[test]
fn the_round_trip_is_measured_anew_after_ten_seconds() {
    let mut path = Path::probing(Params::default(), 1);
    path.rtt = 120;
    let mut before = 0.0;
    // The handshake's 100 ms were seen at 0 s.
    while path.now < 10_000 {
        assert_ne!(path.law.0.mode, Mode::ProbeRtt, "at {} ms", path.now);
        before = path.cwnd();
        path.round();
    }
    path.now += 1;
    path.ack(1.0, 100.0, 0.0);
    assert_eq!((path.law.0.mode, path.cwnd()), (Mode::ProbeRtt, 4.0));
    // Now four are in flight, and 110 ms are measured: 200 ms from here, and a round trip.
    (path.flight, path.rtt) = (4.0, 110);
    path.now += 10;
    path.ack(1.0, 100.0, 0.0);
    let begun = path.now;
    // Four packets in 100 ms.
    path.rate = 40.0;
    while path.law.0.mode == Mode::ProbeRtt {
        assert!(path.cwnd() == 4.0);
        path.now += 10;
        path.ack(1.0, 4.0, 0.0);
    }
    assert_eq!((path.now - begun, path.law.0.min_rtt), (210, Duration::from_millis(110)));
    near(path.cwnd(), before, 2.0);
    // What was delivered four at a time says nothing of the path.
    near(path.law.0.bandwidth(), 1000.0, 1e-9);
}

#[test]
fn a_policers_rate_is_kept_to() {
    // 750 of 1000 packets a second come through, in round trips of 100 ms.
    let mut path = Path::probing(Params::default(), 1);
    path.rate = 750.0;
    for _ in 0..12 {
        path.now += 100;
        path.ack(75.0, 75.0, 25.0);
    }
    near(path.law.pacing_rate().unwrap().as_per_sec(), 0.99 * 750.0, 1e-6);
    let mut path = Path::probing(Params { policer: false, ..Params::default() }, 1);
    path.rate = 750.0;
    for _ in 0..9 {
        path.now += 100;
        path.ack(75.0, 75.0, 25.0);
    }
    near(path.law.0.bandwidth(), 1000.0, 1e-6);
}
