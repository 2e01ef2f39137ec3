//! Tests by hand from the equations, and properties of every controller.

use super::{Controller, Kind, Params, Rounding, Sample, State, share};
use proptest::prelude::*;

/// The fast law without a bound.
const FREE: Params = Params { bound: false, ..Params::of(Kind::Fast) };

/// Measurements of a host at `now` with a queue of `queue` seconds over a base of 0.1 s.
fn sample(now: f64, queue: f64, connections: u32) -> Sample {
    Sample { now, rtt: Some(0.1 + queue), rtt_min: 0.1, rate: 1e6, connections, remaining: None }
}

/// Follows the controller from `from` to `to` seconds while the queue is `queue(connections)`. Returns the share of the
/// time with more than one connection.
fn host(controller: &mut Controller, from: f64, to: f64, queue: impl Fn(u32) -> f64) -> f64 {
    let looks = ((to - from) * 10.0).round() as u32;
    let mut several = 0;
    for look in 1..=looks {
        let open = controller.wanted();
        several += u32::from(open > 1);
        controller.update(sample(from + f64::from(look) / 10.0, queue(open), open));
    }
    f64::from(several) / f64::from(looks)
}

fn fast() -> Controller {
    Controller::new(FREE, None)
}

/// §IV-A: rtt_min begins anew with a new route. From 100 ms to 150 ms is a queue over the old route and none over a new
/// one: n grows on, 1.25, 1.45, 1.6224 as below, and .25/1.6224 more.
#[test]
fn a_new_route_begins_the_least_round_trip_anew() {
    let n = |is_told: bool| {
        let mut controller = Controller::new(Params::of(Kind::Paper), None);
        for second in 0..=60 {
            controller.update(sample(f64::from(second), 0.0, 1));
        }
        if is_told {
            controller.forget_path();
        }
        for second in 61..=81 {
            controller.update(sample(f64::from(second), 0.05, 1));
        }
        controller.connections()
    };
    assert!((n(false) - 1.3709).abs() < 1e-4, "{}", n(false));
    assert!((n(true) - 1.7765).abs() < 1e-4, "{}", n(true));
}

/// §IV with α = ¼, β = ¾ without congestion: 1 + .25/1 = 1.25; 1.25 + .25/1.25 = 1.45; 1.45 + .25/1.45 = 1.6224. Then a
/// queue of 50 ms over the least mean of 100 ms, more than 0.2 of it: .75·1.6224 + .25/1.6224 = 1.3709.
#[test]
fn the_papers_law_by_hand() {
    let mut controller = Controller::new(Params::of(Kind::Paper), None);
    let mut seen = vec![];
    for second in 0..=80 {
        let queue = if second > 60 { 0.05 } else { 0.0 };
        let before = controller.connections();
        controller.update(sample(f64::from(second), queue, 1));
        if controller.connections() != before {
            seen.push((second, (controller.connections() * 1e4).round() / 1e4));
        }
    }
    assert_eq!(seen, [(20, 1.25), (40, 1.45), (60, 1.6224), (80, 1.3709)]);
}

/// n is 1, 1.25, 1.45, 1.62, 1.78, 1.92, 2.05: ⌊n⌋ = 2 at the sixth update, ⌊n + ½⌋ at the third.
#[test]
fn rounding_decides_when_the_second_connection_opens() {
    for (rounding, first) in [(Rounding::Floor, 6), (Rounding::Nearest, 3)] {
        let mut controller = Controller::new(Params { rounding, tau: 1.0, ..Params::of(Kind::Paper) }, None);
        let opens = (0..20).find(|second| controller.update(sample(f64::from(*second), 0.0, 1)) == 2);
        assert_eq!(opens, Some(first), "{rounding:?}");
    }
}

/// MULTFRC: 1 + 1/1 = 2, 2.5, 2.9; then a queue takes 1 each time, down to 1.
#[test]
fn multfrc_by_hand() {
    let mut controller = Controller::new(Params { tau: 1.0, ..Params::of(Kind::Additive) }, None);
    let mut n = |second: u32, queue| {
        controller.update(sample(f64::from(second), queue, 1));
        (controller.connections() * 1e6).round() / 1e6
    };
    assert_eq!([0, 1, 2, 3].map(|second| n(second, 0.0)), [1.0, 2.0, 2.5, 2.9]);
    assert_eq!([4, 5, 6].map(|second| n(second, 0.05)), [1.9, 1.0, 1.0]);
}

/// The path becomes longer by 50 ms, half of its base: a queue for ever, or a longer path after a minute.
#[test]
fn a_window_forgets_the_shorter_path() {
    for law in [Kind::Paper, Kind::Fast] {
        let run = |window| {
            let mut controller =
                Controller::new(Params { tau: 1.0, min_rtt_window: window, bound: false, ..Params::of(law) }, None);
            controller.update(sample(0.0, 0.0, 1));
            host(&mut controller, 0.0, 60.0, |_| 0.0);
            let before = controller.connections();
            host(&mut controller, 60.0, 110.0, |_| 0.05);
            let shorter = controller.connections();
            host(&mut controller, 110.0, 180.0, |_| 0.05);
            (before, shorter, controller.connections())
        };
        let (before, during, after) = run(0.0);
        assert!(before > 4.0 && during < 1.5 && after < 1.5, "{law}: {before} {during} {after}");
        let (before, during, after) = run(60.0);
        assert!(before > 4.0 && during < 1.5 && after > 4.0, "{law}: {before} {during} {after}");
    }
}

/// A path whose queue stood from the first mean on, 50 ms over a base of 100 that the handshake has shown: a window of
/// 60 s takes it for a queue, as an unlimited one does.
#[test]
fn a_window_keeps_the_hosts_least_while_it_lasts() {
    let run = |window| {
        let params = Params { tau: 1.0, min_rtt_window: window, bound: false, ..Params::of(Kind::Fast) };
        let mut controller = Controller::new(params, None);
        controller.update(sample(0.0, 0.05, 1));
        host(&mut controller, 0.0, 50.0, |_| 0.05);
        controller.connections()
    };
    assert_eq!((run(0.0), run(60.0)), (1.0, 1.0));
}

/// Updates until n, from `from`, has passed `to`.
fn updates(from: f64, to: f64, queue: f64) -> u32 {
    let params = Params { tau: 1.0, ..Params::of(Kind::Paper) };
    let mut controller = Controller::new(params, None);
    // A first period without a queue shows it the base RTT; then n is set.
    for now in [0.0, 1.0] {
        controller.update(sample(now, 0.0, 1));
    }
    let State::Paper(paper) = &mut controller.state else { panic!("the paper's law was asked for") };
    paper.n = from;
    let is_there = |n: f64| if to > from { n >= to } else { n <= to };
    (1..)
        .find(|count| {
            is_there({
                controller.update(sample(1.0 + f64::from(*count), queue, 1));
                controller.connections()
            })
        })
        .expect("the range has no end")
}

/// Repeating n + ¼/n from 2 passes 5 at the 42nd time: 840 s at τ = 20 s, 210 s at τ = 5 s; repeating ¾n + ¼/n from 5
/// passes 2 at the 4th: 5 → 3.8 → 2.92 → 2.27 → 1.81. §IV-C has (τ/2α)(N1² − N2²) = 42 τ and (τ/α)·ln(N1/N2) = 3.7 τ.
#[test]
fn the_papers_ramps_take_as_many_updates_as_its_formulas() {
    assert_eq!((updates(2.0, 5.0, 0.0), updates(5.0, 2.0, 0.05)), (42, 4));
}

/// Bound in bytes; the windows of a start do not count.
fn bounded(controller: &Controller) -> Option<f64> {
    let State::Fast(fast) = &controller.state else { return None };
    fast.bound.window().map(|bits| bits / 8.0)
}

/// n doubles in the least time, 0.2 τ, up to 0.1 s: dn/dt = (ln 2/0.2)·n in ten steps of 0.1 s, 1.346574^10 = 19.602;
/// without windows in 0.4 τ, 1.173287^10 = 4.944. Over 0.3 s two round trips are 0.6 τ: 1.115525^10 = 2.984. At three
/// quarters of θ = 42 ms e is a quarter, and n grows half as fast: 1.057762^10 = 1.754.
#[test]
fn the_start_doubles_in_two_round_trips() {
    let cases = [
        (true, 0.02, 0.0, 19.602),
        (true, 0.1, 0.0, 19.602),
        (false, 0.1, 0.0, 4.944),
        (true, 0.3, 0.0, 2.984),
        (true, 0.3, 0.0315, 1.754),
    ];
    for (bound, rtt, queue, expected) in cases {
        let mut controller = Controller::new(Params { bound, ..FREE }, None);
        for look in 0..=10 {
            let seen = sample(f64::from(look) / 10.0, 0.0, 1);
            controller.update(Sample { rtt: Some(rtt + queue), rtt_min: rtt, ..seen });
        }
        assert!((controller.connections() - expected).abs() < 1e-3, "{controller:?}");
    }
}

/// In the start eight connections are offered 8 segments each, 92 672 bytes, and at 100 Mbit/s twice the 1.25 MB that
/// the path carries in 0.1 s. Over 0.3 s, three times τ/10, it is three times as much: 22.5 MB. A queue of 50 ms ends
/// the start, and the windows are unlimited, as for one connection.
#[test]
fn a_start_offers_twice_what_the_path_carries() {
    for (rtt_min, expected) in [(0.1, 2.5e6), (0.3, 2.25e7)] {
        let mut controller = Controller::new(Params::default(), Some(16.0));
        let mut offered = |look: u32, queue| {
            let seen = Sample { rate: 1e8, ..sample(f64::from(look) / 10.0, 0.0, 1) };
            controller.update(Sample { rtt: Some(rtt_min + queue), rtt_min, ..seen });
            controller.window()
        };
        assert_eq!(offered(0, 0.0).map(f64::round), Some(f64::round(92_672.0 * 10.0 * rtt_min)));
        let last = (1..=30).filter_map(|look| offered(look, 0.0)).last().expect("the start lasts");
        assert!((last / expected - 1.0).abs() < 1e-3, "{last}");
        assert_eq!((31..40).filter_map(|look| offered(look, 0.5)).count(), 0);
    }
    let mut controller = Controller::new(Params::default(), None);
    controller.update(sample(0.0, 0.0, 1));
    assert_eq!(controller.window(), None);
}

/// A queue of 50 ms is beyond twice the threshold of 14 ms. Two settling times after the last opening, a quarter of n
/// goes in τ: 8, 6 and 4.5.
#[test]
fn a_standing_queue_takes_a_quarter_once_openings_have_settled() {
    let mut controller = Controller::new(FREE, Some(16.0));
    assert_eq!(controller.wanted(), 8);
    controller.update(sample(0.0, 0.05, 8));
    let at = |controller: &mut Controller, from: f64, to: f64| {
        host(controller, from, to, |_| 0.05);
        (controller.connections() * 1e3).round() / 1e3
    };
    assert_eq!(at(&mut controller, 0.0, 1.9), 8.0);
    assert_eq!(at(&mut controller, 1.9, 2.9), 6.0);
    assert_eq!(at(&mut controller, 2.9, 3.9), 4.5);
    host(&mut controller, 3.9, 20.0, |_| 0.05);
    assert_eq!(controller.wanted(), 1);
}

/// After a queue, eight connections carry the capacity of the path, or only half of it: growth of a fiftieth in τ, or
/// nearly doubling. By 2 s the smoothed rate has fallen to half and the queue is forgotten for most of the time.
#[test]
fn what_the_path_carried_before_is_sought_at_once() {
    let grown = |share: f64| {
        let mut controller = Controller::new(FREE, Some(20.0));
        for look in 0..60_u32 {
            let (queue, rate) = if look < 30 { (0.05, 1e6) } else { (0.0, share * 1e6) };
            let before = if look == 30 { Some(controller.connections()) } else { None };
            controller.update(Sample { rate, ..sample(f64::from(look) / 10.0, queue, 8) });
            if let Some(before) = before {
                assert!(before > 4.0, "{before}");
            }
        }
        controller.connections()
    };
    let (full, half) = (grown(1.0), grown(0.5));
    assert!(half > 2.0 * full, "{half} beside {full}");
}

/// A queue of 2.5 s ends the start and leaves 8.4 of 10 connections; it is below θ after 0.25 s. In 6 s n doubles
/// ∫(t/9)²dt = 5.75³/243 = 0.78 times, by 1.72, and in 12 s all three times of the first 9 s and more. With a queue of
/// a quarter of θ, where 2e − 1 is a half, n doubles 0.36 times, by 1.28, and with half of θ only α/n adds one
/// hundredth.
#[test]
fn a_path_without_a_queue_is_tried_ever_faster() {
    let after = |seconds: f64, queue: f64| {
        let mut controller = Controller::new(FREE, Some(20.0));
        controller.update(sample(0.0, 0.05, 10));
        host(&mut controller, 0.0, 2.5, |_| 0.05);
        let before = controller.connections();
        assert!((before - 8.415).abs() < 1e-3, "{before}");
        host(&mut controller, 2.5, 2.5 + seconds, |_| queue);
        controller.connections() / before
    };
    assert!((1.7..1.8).contains(&after(6.0, 0.0)), "{}", after(6.0, 0.0));
    assert!((1.2..1.32).contains(&after(6.0, 0.0035)), "{}", after(6.0, 0.0035));
    assert!(after(6.0, 0.007) < 1.02, "{}", after(6.0, 0.007));
    assert!(after(12.0, 0.0) > 7.6, "{}", after(12.0, 0.0));
}

#[test]
fn no_evidence_changes_nothing() {
    for law in Kind::ALL {
        let mut controller = Controller::new(Params { tau: 1.0, bound: false, ..Params::of(law) }, None);
        for look in 0..100 {
            controller.update(Sample { rtt: None, ..sample(f64::from(look), 0.0, 1) });
            controller.update(Sample { rtt_min: f64::INFINITY, rtt: None, ..sample(f64::from(look), 0.0, 1) });
        }
        assert_eq!((controller.connections(), controller.queue()), (1.0, None), "{law}");
    }
}

/// A server that fills the link with one connection, and makes a queue of 60 ms with two: one connection is held for 32
/// s, and growth to two takes 1.4 s more, so that little of ten minutes is spent with two.
#[test]
fn a_second_connection_that_only_makes_a_queue_is_tried_rarely() {
    let mut controller = fast();
    let (mut openings, mut several, mut was_open) = (vec![], 0, 1);
    for look in 1..=6000 {
        let (now, open) = (f64::from(look) / 10.0, controller.wanted());
        if was_open == 1 && open > 1 {
            openings.push(now);
        }
        several += u32::from(open > 1);
        was_open = open;
        controller.update(sample(now, if open > 1 { 0.06 } else { 0.005 }, open));
    }
    let pauses = openings.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    // The first opens before one has kept a rate alone.
    let held = &pauses[1..];
    assert!(held.len() > 10 && held.iter().all(|pause| (32.0..40.0).contains(pause)), "{pauses:?}");
    assert!(several < 100, "{several} looks");
}

/// One connection carries 10 Mbit/s for two seconds. Eight make a queue of 50 ms, beyond θ at once, during blindness
/// after openings. If they carry no more, one remains, and nothing is bounded; with a fifth more, four would be, and
/// their number stays. The rate of eight does not count, nor does that of one for less than half a second.
#[test]
fn one_connection_that_is_enough_is_left() {
    let left = |before: u32, alone: u32, gain: f64| {
        let mut controller = Controller::new(Params::default(), Some(16.0));
        let mut look = 0;
        let mut looks = |count, queue, rate, connections| {
            for _ in 0..count {
                controller.update(Sample { rate, ..sample(f64::from(look) / 10.0, queue, connections) });
                look += 1;
            }
            (controller.wanted(), bounded(&controller).is_some())
        };
        looks(before, 0.0, 1e7, 8);
        looks(alone, 0.0, 1e7, 1);
        // The queue and the rate are smoothed over two looks.
        looks(4, 0.05, gain * 1e7, 8)
    };
    assert_eq!(left(0, 20, 1.0), (1, false));
    let (several, bounded) = left(0, 20, 1.3);
    assert!(several > 4 && bounded, "{several}");
    assert!(left(20, 0, 1.0).1);
    assert!(left(20, 4, 1.0).1);
}

/// One connection that was enough carries half from then on: smoothed over 2 τ that is below three quarters after 2·ln
/// 2 = 1.39 s, or slightly later, as the earlier rate was still growing. n grows again, and a queue of several is
/// bounded as usual.
#[test]
fn one_connection_is_not_enough_for_long_if_it_brings_less() {
    let mut controller = Controller::new(Params::default(), None);
    let mut look = 0;
    let mut next = |queue, rate, connections| {
        controller.update(Sample { rate, ..sample(f64::from(look) / 10.0, queue, connections) });
        look += 1;
        (controller.connections(), bounded(&controller).is_some())
    };
    (0..50).for_each(|_| _ = next(0.013, 1e7, 1));
    assert!((0..5).any(|_| next(0.05, 1e7, 8).0 == 1.0));
    let held = (0..100).take_while(|_| next(0.0, 5e6, 1).0 == 1.0).count();
    assert!((13..=17).contains(&held), "{held} looks");
    assert!((0..10).any(|_| next(0.05, 1e7, 8).1));
}

/// 1 Mbit/s carries the remaining 100 kB in 0.8 s, less than the second that a new connection takes to settle.
#[test]
fn the_tail_opens_no_more_connections() {
    let mut controller = Controller::new(FREE, Some(16.0));
    let tail = |remaining| Sample { remaining: Some(remaining), ..sample(0.0, 0.0, 3) };
    assert_eq!(controller.update(tail(100e3)), 3);
    assert_eq!(controller.update(tail(200e3)), 8);
}

/// A bounded transfer over 10 Mbit/s and 0.1 s. Updates are a tenth of a second apart.
struct Bounded {
    controller: Controller,
    look: u32,
}

impl Bounded {
    /// Eight connections make a queue of 50 ms after two seconds, which begins the bound, and the queue drains: W is
    /// 1.1·x·rtt_min, 137.5 kB.
    fn begun() -> Self {
        let mut transfer = Self { controller: Controller::new(Params::default(), Some(16.0)), look: 0 };
        (0..20).for_each(|_| _ = transfer.look(0.0, 1e7));
        assert!((0..10).any(|_| transfer.look(0.05, 1e7).is_some()));
        transfer.look(0.0, 1e7);
        transfer
    }

    /// Bound in bytes after an update with this queue and rate.
    fn look(&mut self, queue: f64, rate: f64) -> Option<f64> {
        self.controller.update(Sample { rate, ..sample(f64::from(self.look) / 10.0, queue, 8) });
        self.look += 1;
        bounded(&self.controller)
    }

    /// Bounds of `count` updates.
    fn looks(&mut self, count: u32, queue: f64, rate: f64) -> Vec<f64> {
        (0..count).map(|_| self.look(queue, rate).expect("it is bounded")).collect()
    }
}

/// The queue is smoothed over 0.2 τ: with 20 ms the third update measures more than θ = 14 ms, 20·(1 − e^(−k/2)). W is
/// 1.1·rtt_min times the rate, smoothed alike: 5·(1 + e^(−3/2)) Mbit/s.
#[test]
fn the_bound_begins_with_what_the_full_link_carries() {
    let mut transfer = Bounded { controller: Controller::new(Params::default(), Some(16.0)), look: 0 };
    let mut looks = |count, queue, rate| (0..count).map(|_| transfer.look(queue, rate)).collect::<Vec<_>>();
    assert_eq!(looks(40, 0.0, 1e7), [None; 40]);
    assert_eq!(looks(2, 0.02, 5e6), [None; 2]);
    let window = looks(1, 0.02, 5e6)[0].expect("it begins");
    // One update has moved W meanwhile, by less than two hundredths.
    assert!((window / (1.1 * 0.1 * 5e6 * (1.0 + libm::exp(-1.5)) / 8.0) - 1.0).abs() < 0.02, "{window}");
}

/// dW/dt = (W/τ)·((rtt_min + Q)/rtt − 1), and four times that upwards, Q = 1.5 ms and 1.3 packets at 10 Mbit/s, 3.06
/// ms. At rtt = 0.115 s W loses 0.1·(1 − 0.10306/0.115) = 1.0383 % per update; at 0.10306 s it stays; at 0.1 s it gains
/// 1.224 %. With twice as much in flight, earlier offers are used up first.
#[test]
fn the_bound_goes_where_the_queue_is_the_target() {
    for (queue, rate, change) in [(0.015, 1e7, -0.010383), (0.00306, 1e7, 0.0), (0.0, 1e7, 0.01224)] {
        let windows = Bounded::begun().looks(5, queue, rate);
        for pair in windows.windows(2) {
            assert!((pair[1] / pair[0] - 1.0 - change).abs() < 2e-5, "{queue}: {windows:?}");
        }
    }
    let windows = Bounded::begun().looks(20, 0.1, 2e7);
    assert_eq!(windows[19], windows[8]);
}

/// Q counts packets at the maximum rate of 20 s: others take a seventh of the link, and it stays 3.06 ms; after 20 s it
/// is 1.5 ms and 1.3 packets at 8.5 Mbit/s, 3.335 ms. Half of the link leaves it too: at a queue of 5 ms W loses
/// 0.1·(1 − 0.10306/0.105) = 0.1848 % per update.
#[test]
fn the_target_is_of_the_most_that_came() {
    let last = |windows: &[f64]| windows[windows.len() - 1] / windows[windows.len() - 2] - 1.0;
    let mut transfer = Bounded::begun();
    let change = last(&transfer.looks(20, 0.00307, 8.5e6));
    assert!(change.abs() < 2e-5, "{change}");
    let change = last(&transfer.looks(250, 0.003345, 8.5e6));
    assert!(change.abs() < 2e-5, "{change}");
    let change = last(&Bounded::begun().looks(40, 0.005, 5e6));
    assert!((change + 0.001848).abs() < 1e-5, "{change}");
}

/// 8 Mbit/s arrive after 10: m = 1 − 8/(0.95·10) = 0.158. After 0.7 s without a queue of Q, τ/2 and two round trips, W
/// gains m/10 per update besides the 1.22 % of Q.
#[test]
fn a_bound_that_hides_what_the_path_carried_grows() {
    let windows = Bounded::begun().looks(20, 0.0, 8e6);
    let growths = windows.windows(2).map(|pair| pair[1] / pair[0] - 1.0).collect::<Vec<_>>();
    assert!(growths[..4].iter().all(|growth| (0.0122..0.0123).contains(growth)), "{growths:?}");
    assert!(growths[11..13].iter().all(|growth| (0.0279..0.0281).contains(growth)), "{growths:?}");
}

/// Others fill the queue: the flight is W, and W yields until it is 0.7 of its value. Then for 30 s no bound begins,
/// for any number of connections.
#[test]
fn a_bound_ends_where_others_fill_the_queue() {
    let mut transfer = Bounded::begun();
    let before = transfer.looks(1, 0.0, 1e7)[0];
    let mut last = before;
    while let Some(window) = transfer.look(0.1, last * 8.0 / 0.2) {
        last = window;
    }
    assert!(last >= 0.7 * before && last < 0.73 * before, "{last} of {before}");
    let ended = transfer.look;
    assert!((0..400).any(|_| transfer.look(0.05, 1e7).is_some()));
    let rest = f64::from(transfer.look - ended) / 10.0;
    assert!((rest - 30.0).abs() < 0.2, "{rest}");
}

/// Two or three connections are bounded after five seconds. The queue of 20 ms, unsmoothed at first, counts
/// at once.
#[test]
fn few_connections_are_bounded_late() {
    let begins = |connections| {
        let mut controller = Controller::new(Params::default(), Some(16.0));
        (0..100).find(|look| {
            controller.update(Sample { rate: 1e7, ..sample(f64::from(*look) / 10.0, 0.02, connections) });
            bounded(&controller).is_some()
        })
    };
    assert_eq!(begins(4), Some(0));
    assert_eq!(begins(3), Some(50));
    assert_eq!(begins(2), Some(50));
    assert_eq!(begins(1), None);
}

/// No bound begins if disabled, or under other laws.
#[test]
fn a_bound_is_asked_for() {
    let begins = |bound, law| {
        let mut controller = Controller::new(Params { bound, tau: 1.0, ..Params::of(law) }, Some(16.0));
        (0..100).any(|look| {
            controller.update(Sample { rate: 1e7, ..sample(f64::from(look) / 10.0, 0.02, 8) });
            controller.window().is_some()
        })
    };
    assert!(begins(true, Kind::Fast));
    assert!(!begins(false, Kind::Fast) && !begins(true, Kind::Paper));
}

#[test]
fn a_window_is_shared_in_whole_segments() {
    // 14 479 bytes are nine segments of 1448 and a rest.
    assert_eq!([0, 1, 2, 3].map(|index| share(14_479.0, 1448, 4, index)), [3, 2, 2, 2]);
    assert_eq!([0, 1].map(|index| share(1_000.0, 1448, 2, index)), [0, 0]);
}

#[test]
fn impossible_parameters_are_named() {
    let fast = Params::default();
    let wrong = [
        Params { tau: 0.0, ..fast },
        Params { alpha: f64::NAN, ..fast },
        Params { beta: 1.0, ..fast },
        Params { gamma: 0.0, ..fast },
        Params { floor: -1.0, ..fast },
        Params { max: 0, ..fast },
        Params { settle: f64::INFINITY, ..fast },
    ];
    let named: Vec<_> = wrong.iter().map(|params| params.check().expect_err("it is impossible").0).collect();
    assert_eq!(named, ["tau", "alpha", "beta", "gamma", "floor", "max", "settle"]);
    assert!(Kind::ALL.iter().all(|law| Params::of(*law).check().is_ok()));
}

proptest! {
    /// For any measurements the answer is a number of connections, and the same again for the same measurements.
    #[test]
    fn the_answer_is_between_one_and_max(
        law in prop::sample::select(&Kind::ALL),
        bound: bool,
        max in 1_u32..40,
        remembered in prop::option::of(prop::num::f64::ANY),
        looks in prop::collection::vec((0.0..30.0, prop::option::of(0.0..10.0), 0.0..2.0, 0_u32..64, prop::option::of(0.0..1e9)), 1..200),
    ) {
        let params = Params { max, bound, ..Params::of(law) };
        let mut twins = [Controller::new(params, remembered), Controller::new(params, remembered)];
        let mut now = 0.0;
        for (span, rtt, rtt_min, connections, remaining) in looks {
            now += span;
            let sample = Sample { now, rtt, rtt_min, rate: 1e6, connections, remaining };
            let [first, second] = twins.each_mut().map(|twin| (twin.update(sample), twin.connections()));
            prop_assert_eq!(first, second);
            prop_assert!((1..=max).contains(&first.0) && (1.0..=f64::from(max)).contains(&first.1), "{:?}", first);
        }
    }
}
