//! The fluid form of every law: it moves towards where it says it rests, and its utility's derivative is its price.

use windward_laws::{FluidLaw, FluidPath, LawSpec, cubic};
use windward_units::{Duration, Packets};

/// 100 ms of propagation, 20 ms of queue, one percent of loss.
fn path() -> FluidPath {
    FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::from_millis(20), loss: 0.01 }
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
        let law = spec.fluid();
        let rest = law.equilibrium(&path()).unwrap().count();
        let (below, at, above) = (change(&*law, rest / 2.0), change(&*law, rest), change(&*law, rest * 2.0));
        assert!(at.abs() < 1e-9 * rest, "{}: {at} at {rest}", spec.name());
        // CUBIC starts on its plateau, where only its age drives it.
        if spec.name() != "cubic" {
            assert!(below > 0.0 && above < 0.0, "{}: {below}, {above}", spec.name());
        }
    }
}

#[test]
fn cubic_comes_to_rest_as_its_plateau_lets_it() {
    // With e = W* − W small, s − K is in proportion to e and dW_max/dt = C·(s − K)³·λ to −e³: e falls as 1/√t, to a half in
    // four times the time. Explicit Euler in steps of 1 ms, far shorter than the time from loss to loss, rtt/(p·W) ≈ 2 s.
    let law = cubic::Params::default();
    let rest = law.equilibrium(&path()).unwrap();
    let (mut state, mut out) = ([0.0; 3], [0.0; 3]);
    law.start(rest * 0.5, &mut state);
    let mut distance_after = |seconds: u32| {
        for _ in 0..1000 * seconds {
            law.derivative(&state, &path(), &mut out);
            state.iter_mut().zip(out).for_each(|(value, slope)| *value += 0.001 * slope);
        }
        rest.count() - state[0]
    };
    let (early, late) = (distance_after(2000), distance_after(6000));
    assert!(early > 0.0 && early < 0.05 * rest.count(), "{early}");
    assert!((late / early - 0.5).abs() < 0.02, "{early}, {late}");
}

#[test]
fn the_marginal_utility_is_the_price() {
    let price = |name| match name {
        "reno" | "cubic" | "westwood" | "tcp-fit" => Some(path().loss),
        "vegas" | "fast" | "quic-tcp" => Some(path().queue_delay.as_secs()),
        "compound" => None,
        other => panic!("state the price of {other}"),
    };
    for spec in LawSpec::all() {
        let law = spec.fluid();
        let x = law.equilibrium(&path()).unwrap().count() / path().rtt();
        let utility = |x: f64| law.utility(x, &path());
        let step = 1e-4 * x;
        // The central difference is off by the third derivative, step²·U'''/6: 1e-8 of the price for powers of x.
        let marginal = utility(x + step).zip(utility(x - step)).map(|(up, down)| (up - down) / (2.0 * step));
        match (marginal, price(spec.name())) {
            (Some(marginal), Some(price)) => {
                assert!((marginal / price - 1.0).abs() < 1e-6, "{}: {marginal}, {price}", spec.name());
            }
            (None, None) => {}
            other => panic!("{}: {other:?}", spec.name()),
        }
    }
}

#[test]
fn only_memoryless_laws_are_responses() {
    let memoryless: Vec<_> =
        LawSpec::all().into_iter().filter(|spec| spec.response().is_some()).map(|spec| spec.name()).collect();
    assert_eq!(memoryless, ["reno"]);
}
