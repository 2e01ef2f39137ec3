//! The fluid form of every law: it moves towards where it says it rests, and the derivative of what it says it
//! maximises is the price that it reads.

use serde_json::json;
use windward_laws::{Ack, Congestion, CongestionKind, FluidLaw, FluidPath, LawSpec, Price, Sample, Utility, cubic};
use windward_units::{Duration, Packets, Time};

/// 100 ms of propagation, 20 ms of queue, one percent of loss, no marks.
fn path() -> FluidPath {
    FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::from_millis(20), loss: 0.01, marks: 0.0 }
}

fn change(law: &dyn FluidLaw, cwnd: f64) -> f64 {
    let (mut state, mut out) = (vec![0.0; law.dimension()], vec![0.0; law.dimension()]);
    law.start(Packets::new(cwnd), &mut state);
    law.derivative(&state, &path(), &mut out);
    out[0]
}

#[test]
fn windows_grow_below_the_equilibrium_and_shrink_above() {
    for spec in LawSpec::all() {
        let Some(law) = spec.fluid() else { continue };
        let rest = law.equilibrium(&path()).unwrap().count();
        let (below, at, above) = (change(&*law, rest / 2.0), change(&*law, rest), change(&*law, rest * 2.0));
        assert!(at.abs() < 1e-9 * rest, "{}: {at} at {rest}", spec.name());
        // A window may stand still at first while the rest of the state moves, as CUBIC's on its plateau.
        assert!(below >= 0.0 && above <= 0.0, "{}: {below}, {above}", spec.name());
        for cwnd in [rest / 2.0, rest * 2.0] {
            let (begin, end) = ((cwnd - rest).abs(), (follow(&*law, cwnd, 20) - rest).abs());
            assert!(end < begin, "{}: {begin} from rest, later {end}", spec.name());
        }
    }
}

/// The window `seconds` (or steps) after `cwnd`, by explicit Euler in steps of 1 ms.
fn follow(law: &dyn FluidLaw, cwnd: f64, seconds: u32) -> f64 {
    let (mut state, mut out) = (vec![0.0; law.dimension()], vec![0.0; law.dimension()]);
    law.start(Packets::new(cwnd), &mut state);
    for _ in 0..1000 * seconds {
        law.derivative(&state, &path(), &mut out);
        state.iter_mut().zip(&out).for_each(|(value, slope)| *value += 0.001 * slope);
    }
    state[0]
}

#[test]
fn cubic_comes_to_rest_as_its_plateau_lets_it() {
    // With e = W* − W small, s − K is in proportion to e and dW_max/dt = C·(s − K)³·λ to −e³: e falls as 1/√t, to a
    // half in four times the time. At one loss in 10 000, beyond the Reno-friendly region; explicit Euler in steps of
    // 10 ms, far shorter than the time from loss to loss, rtt/(p·W) ≈ 5.5 s.
    let law = cubic::Params::default();
    let path = FluidPath { loss: 1e-4, ..path() };
    let rest = law.equilibrium(&path).unwrap();
    let (mut state, mut out) = ([0.0; 4], [0.0; 4]);
    law.start(rest * 0.5, &mut state);
    let mut distance_after = |seconds: u32| {
        for _ in 0..100 * seconds {
            law.derivative(&state, &path, &mut out);
            state.iter_mut().zip(out).for_each(|(value, slope)| *value += 0.01 * slope);
        }
        rest.count() - state[0]
    };
    let (early, late) = (distance_after(6000), distance_after(18_000));
    assert!(early > 0.0 && early < 0.05 * rest.count(), "{early}");
    assert!((late / early - 0.5).abs() < 0.02, "{early}, {late}");
}

#[test]
fn the_marginal_utility_is_the_price() {
    for spec in LawSpec::all() {
        let Some(law) = spec.fluid() else { continue };
        let Some(utility) = law.maximises(&path()) else { continue };
        near_the_price(&spec, &*law, &path(), utility);
    }
    // Delay-based laws have a utility only where nothing is lost.
    for spec in LawSpec::all() {
        let Some(law) = spec.fluid().filter(|law| law.adds_losses()) else { continue };
        let path = FluidPath { loss: 0.0, ..path() };
        assert_eq!(law.maximises(&self::path()), None, "{}", spec.name());
        near_the_price(&spec, &*law, &path, law.maximises(&path).expect("it has one without losses"));
    }
}

/// Compares the marginal utility with the price that the law reads.
fn near_the_price(spec: &LawSpec, law: &dyn FluidLaw, path: &FluidPath, utility: Utility) {
    let x = law.equilibrium(path).unwrap().count() / path.rtt();
    let value = |x: f64| utility.value(x, path.rtt());
    let step = 1e-4 * x;
    // The central difference is off by the third derivative, step²·U'''/6: 1e-8 of the price for powers of x.
    let marginal = (value(x + step) - value(x - step)) / (2.0 * step);
    let price = match utility.price() {
        Price::Loss => path.loss,
        Price::QueueDelay => path.queue_delay.as_secs(),
    };
    assert!((marginal / price - 1.0).abs() < 1e-6, "{}: {marginal}, {price}", spec.name());
}

/// Vegas grows by one per round trip and a loss takes a quarter: 1.9327/√p packets by the law of the stationary window,
/// 61.1 at one loss in a thousand, of which a repair in every 1/0.0611 round trips takes 1.4 %. FAST with α = 100 grows
/// by 50 and halves: 1.3098·√(50/p) = 92.6 at one in a hundred, and with a repair in every 1.08 round trips (1 +
/// 0.463)/(1 + 0.926) of it, 70.3.
#[test]
fn delay_based_laws_answer_losses_as_their_packets_do() {
    let at = |loss| FluidPath { queue_delay: Duration::ZERO, loss, ..path() };
    let rest = |name: &str, loss| LawSpec::from_json(name, json!({})).unwrap().fluid().unwrap().equilibrium(&at(loss));
    let (vegas, fast) = (rest("vegas", 1e-3).unwrap().count(), rest("fast", 1e-2).unwrap().count());
    assert!((vegas / (61.1 * (1.0 + 0.75 * 0.0611) / 1.0611) - 1.0).abs() < 1e-3, "{vegas}");
    assert!((fast / 70.3 - 1.0).abs() < 1e-3, "{fast}");
    // Without losses there is no rest without a queue.
    assert_eq!(rest("vegas", 0.0), None);
}

#[test]
fn laws_that_keep_a_backlog_rest_with_it_in_the_queue() {
    for spec in LawSpec::all() {
        let Some(law) = spec.fluid() else { continue };
        let Some(backlog) = law.backlog() else {
            assert_eq!(law.backlog_parameter(), None, "{}", spec.name());
            continue;
        };
        let path = FluidPath { loss: 0.0, ..path() };
        let waiting = law.equilibrium(&path).unwrap() * (path.queue_delay.as_secs() / path.rtt());
        assert!((waiting.count() / backlog.count() - 1.0).abs() < 1e-12, "{}: {waiting:?}, {backlog:?}", spec.name());
        assert_eq!(law.maximises(&path), Some(Utility::Backlog(backlog)), "{}", spec.name());
        if let Some(parameter) = law.backlog_parameter() {
            let changed = LawSpec::from_json(spec.name(), json!({ parameter: 7 })).unwrap();
            assert_eq!(changed.fluid().unwrap().backlog(), Some(Packets::new(7.0)), "{}", spec.name());
        }
    }
}

#[test]
fn a_memoryless_law_does_in_packets_what_its_response_says() {
    let responses = LawSpec::all().into_iter().filter_map(|spec| Some((spec, spec.response()?)));
    for (spec, response) in responses {
        let mut law = spec.build(Packets::new(40.0));
        let (cwnd, rtt) = (law.cwnd(), Duration::from_millis(100));
        law.on_congestion(&loss(cwnd, rtt));
        let cut = cwnd - response.cut(cwnd, rtt);
        assert_eq!(law.cwnd(), cut, "{}", spec.name());
        law.on_ack(&ack(cut, rtt));
        assert_eq!(law.cwnd(), cut + response.gain(Packets::ONE, cut, rtt), "{}", spec.name());
    }
}

/// A loss that finds `flight` packets in flight.
fn loss(flight: Packets, rtt: Duration) -> Congestion {
    let now = Time::ZERO;
    Congestion { now, kind: CongestionKind::Loss, flight, lost: Packets::ONE, srtt: rtt, base_rtt: rtt }
}

/// An ACK of one packet of a full window.
fn ack(cwnd: Packets, rtt: Duration) -> Ack {
    Ack {
        now: Time::ZERO + rtt,
        acked: Packets::ONE,
        counts_acks: false,
        marked: Packets::ZERO,
        lost: Packets::ZERO,
        rtt: Some(rtt),
        srtt: rtt,
        base_rtt: rtt,
        flight: cwnd - Packets::ONE,
        sent_at: Time::ZERO,
        flight_at_send: cwnd,
        delivery_rate: None,
        app_limited: false,
        recovering: false,
        round: 1,
        sample: Sample::default(),
    }
}
