use super::*;
use crate::Sample;
use crate::testing::{near, slow_ack};

/// A path that delivers 1000 packets a second in 100 ms, 10 packets an ACK.
struct Path {
    law: Bbr3,
    now: u64,
    delivered: f64,
    lost: f64,
    flight: f64,
    /// Packets in flight when those were sent that are acknowledged now; `flight` by default.
    flight_at_send: Option<f64>,
    rtt: u64,
}

impl Path {
    fn new(seed: u64) -> Self {
        let mut law = Bbr3::new(Params::default(), Packets::new(10.0));
        law.on_start(&Start { now: Time::ZERO, rtt: Some(Duration::from_millis(100)), seed });
        Self { law, now: 100, delivered: 0.0, lost: 0.0, flight: 100.0, flight_at_send: None, rtt: 100 }
    }

    /// Ten packets delivered in 10 ms, `lost` found lost, all of the last round trip's.
    fn ack(&mut self, lost: f64) {
        self.now += 10;
        (self.delivered, self.lost) = (self.delivered + 10.0, self.lost + lost);
        let sample = Sample {
            delivered: Packets::new(self.delivered),
            delivered_at_send: Packets::new((self.delivered - 100.0).max(0.0)),
            lost: Packets::new(self.lost),
            lost_at_send: Packets::new(self.lost - lost),
            interval: Duration::from_millis(100),
            prior_flight: Packets::new(self.flight + 10.0),
            repair: if lost > 0.0 { Repair::Losses } else { Repair::Nothing },
            ..Sample::default()
        };
        let ack = slow_ack(self.now, 0, self.flight, self.rtt);
        let flight_at_send = self.flight_at_send.map_or(ack.flight_at_send, Packets::new);
        self.law.on_ack(&Ack { acked: Packets::new(10.0), lost: Packets::new(lost), flight_at_send, sample, ..ack });
    }

    fn until(&mut self, phase: Phase) -> u64 {
        let begun = self.now;
        while self.law.0.phase != phase {
            assert!(self.now - begun < 20_000, "{phase:?} does not come");
            self.ack(0.0);
        }
        self.now - begun
    }
}

#[test]
fn it_begins_at_the_handshakes_rate() {
    // 2.77 · 10 packets/100 ms.
    let path = Path::new(1);
    near(path.law.pacing_rate().unwrap().as_per_sec(), 277.0, 1e-9);
}

#[test]
fn phases_follow_one_another() {
    let mut path = Path::new(1);
    // 100 in flight are no more than a product: Drain and DOWN are over at once.
    path.until(Phase::Cruise);
    near(path.law.pacing_rate().unwrap().as_per_sec(), 0.99 * 1000.0, 1e-9);
    // 2 to 3 s, not the 63 rounds of 6.3 s.
    let wait = path.until(Phase::Refill);
    assert!((1900..3100).contains(&wait), "{wait}");
    // A round trip: the first packet sent after it began comes back.
    assert_eq!(path.until(Phase::Up), 100);
    near(path.law.pacing_rate().unwrap().as_per_sec(), 0.99 * 1250.0, 1e-9);
    // Three rounds without growth.
    let up = path.until(Phase::Down);
    assert!((300..=400).contains(&up), "{up}");
}

/// `BBR.MaxBwFilterLen`: a rate counts in the cycle that saw it and in the next.
#[test]
fn a_rate_is_forgotten_two_cycles_later() {
    let mut path = Path::new(1);
    path.law.0.params.probe_rtt_interval = 1000.0;
    path.until(Phase::Cruise);
    path.law.0.max_bw[1] = 5000.0;
    let rates = [1, 2, 3].map(|_| {
        path.until(Phase::Up);
        path.until(Phase::Cruise);
        (0..11).for_each(|_| path.ack(0.0));
        path.law.0.max_bw()
    });
    assert_eq!(rates, [5000.0, 1000.0, 1000.0]);
}

#[test]
fn waits_are_drawn() {
    let wait = |seed| {
        let mut path = Path::new(seed);
        path.until(Phase::Cruise);
        path.until(Phase::Refill)
    };
    let waits: Vec<u64> = (0..20).map(wait).collect();
    assert_eq!(waits, (0..20).map(wait).collect::<Vec<u64>>());
    assert!(waits.iter().min().unwrap() + 500 < *waits.iter().max().unwrap(), "{waits:?}");
}

#[test]
fn more_than_two_percent_lost_in_up_bound_what_is_in_flight() {
    let mut path = Path::new(1);
    path.until(Phase::Up);
    path.flight = 130.0;
    // 2 of 130 are less than 2 %, the bound stays off.
    path.ack(2.0);
    assert_eq!((path.law.0.phase, path.law.0.inflight_longterm), (Phase::Up, f64::INFINITY));
    // 5 of 130: lost_prefix = (0.02·129 − 4)/0.98 = −1.449, 129 − 1.449 = 127.551 fitted.
    path.ack(5.0);
    assert_eq!(path.law.0.phase, Phase::Down);
    near(path.law.0.inflight_longterm, 127.551, 1e-3);
    // 15 % of it are left to others in CRUISE.
    path.flight = 100.0;
    path.until(Phase::Cruise);
    path.ack(0.0);
    assert!(path.law.cwnd().count() <= 0.85 * 127.552, "{:?}", path.law.cwnd());
}

#[test]
fn losses_in_cruise_take_three_tenths_at_most() {
    let mut path = Path::new(1);
    path.until(Phase::Cruise);
    (0..10).for_each(|_| path.ack(0.0));
    let before = path.law.cwnd().count();
    path.ack(3.0);
    // The round in which the losses were found ends.
    (0..10).for_each(|_| path.ack(0.0));
    // The rate delivered is still 1000, that in flight 100 a round: max(100, 0.7·W).
    near(path.law.0.short.bw, 1000.0, 1e-9);
    near(path.law.0.short.inflight, (0.7 * before).max(100.0), 8.0);
    path.until(Phase::Refill);
    assert_eq!(path.law.0.short.bw, f64::INFINITY);
}

#[test]
fn the_round_trip_is_measured_every_five_seconds() {
    let mut path = Path::new(1);
    path.rtt = 105;
    let wait = path.until(Phase::ProbeRtt);
    // The handshake's sample was of 0 s, the first ACK came at 110 ms.
    assert_eq!(wait, 5010 - 100);
    // Half a product.
    near(path.law.cwnd().count(), 50.0, 1.0);
    path.flight = 40.0;
    assert_eq!(path.until(Phase::Cruise), 220);
    near(path.law.0.max_bw(), 1000.0, 1e-9);
}

#[test]
fn a_spurious_loss_gives_the_bound_back() {
    let mut path = Path::new(1);
    path.until(Phase::Up);
    path.flight = 130.0;
    path.ack(6.0);
    assert_eq!(path.law.0.phase, Phase::Down);
    path.law.on_undo(path.law.cwnd());
    assert_eq!((path.law.0.phase, path.law.0.inflight_longterm), (Phase::Refill, f64::INFINITY));
}

/// ietf-wg-ccwg/draft-ietf-ccwg-bbr, issue 109: with an interval of ProbeRTT that is the filter's window both expire at
/// once, and half a product is that of a queue.
#[test]
fn probe_rtt_may_keep_the_minimum_that_expires() {
    let window = |prior_min_rtt, interval| {
        let mut path = Path::new(1);
        path.law.0.params.prior_min_rtt = prior_min_rtt;
        path.law.0.params.probe_rtt_interval = interval;
        path.until(Phase::Cruise);
        // A queue of others that stays.
        path.rtt = 300;
        path.until(Phase::ProbeRtt);
        path.law.0.probe_rtt_cwnd()
    };
    // 1000 packets a second: half of 100 ms, or half of the 300 ms that the queue gives.
    near(window(false, 5.0), 50.0, 1e-9);
    near(window(false, 10.0), 150.0, 1e-9);
    near(window(true, 10.0), 50.0, 1e-9);
}

/// The draft's "Precautionary Bandwidth Probing: Deceleration".
#[test]
fn a_probe_ends_where_the_last_one_lost_too_much() {
    let ends = |precaution, prior_flight, flight| {
        let mut path = Path::new(1);
        (path.law.0.params.precaution, path.law.0.params.prior_flight) = (precaution, prior_flight);
        // This path's flight never falls to ProbeRTT's window, so that it would not end.
        path.law.0.params.probe_rtt_interval = 1000.0;
        path.until(Phase::Up);
        path.flight = 130.0;
        path.ack(5.0);
        path.flight = 100.0;
        path.until(Phase::Up);
        // What is acknowledged in this round was sent before it.
        (path.flight, path.flight_at_send) = (flight, Some(100.0));
        path.until(Phase::Down)
    };
    // The flight of the last loss, 127, at once, or three rounds without growth. Ten packets more before an ACK.
    assert!(ends(true, false, 130.0) <= 20);
    assert!(ends(true, false, 120.0) >= 100);
    assert!(ends(true, true, 120.0) <= 20);
    assert!(ends(true, true, 110.0) >= 100);
    assert!(ends(false, true, 130.0) >= 100);
}
