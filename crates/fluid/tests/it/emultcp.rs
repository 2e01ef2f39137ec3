//! Theorems of chen2007 about E-MULTCP, on the papers' single link and on random networks.

use rand::SeedableRng;
use rand::rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use windward_fluid::{Congestion, Emultcp, EmultcpUser};
use windward_num::Utility;

/// chen2007 §V: 1 Mbit/s in packets of 8000 bit, 168 ms, c = α/τ with α = ¼ and τ = 20 s.
fn single(loss: f64, speed: f64, congestion: Congestion) -> Emultcp {
    let user = EmultcpUser { segment: 1.0, rtt: 0.168, loss, speed };
    Emultcp::new(&[125.0], vec![vec![0]], vec![user], congestion).expect("right")
}

/// Two to four users on two links.
fn random(seed: u64, beta: f64) -> (Emultcp, Vec<EmultcpUser>) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut uniform = |low: f64, high: f64| low + (high - low) * (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let users = uniform(2.0, 5.0) as usize;
    let routes = (0..users).map(|at| [vec![0], vec![1], vec![0, 1]][at % 3].clone()).collect();
    let user = |_| EmultcpUser {
        segment: 1.0,
        rtt: uniform(0.05, 0.3),
        loss: uniform(0.01, 0.08),
        speed: uniform(0.01, 0.05),
    };
    let users: Vec<EmultcpUser> = (0..users).map(user).collect();
    let capacities = [uniform(100.0, 400.0), uniform(100.0, 400.0)];
    (Emultcp::new(&capacities, routes, users.clone(), Congestion::Smooth { beta }).expect("right"), users)
}

/// Theorem 1 with its root corrected: from two starts on each network the same rest; there n = f^(−1/2) and U′(x) = Σg,
/// the condition of (19) with the utility that crate num computes. The slowest mode is 2cf^½ > 2·0.01·0.1 a second:
/// 8000 s leave e^(−16), and twice that in a second run of as long from there.
#[test]
fn it_rests_at_theorem_one() {
    for seed in 0..6 {
        let beta = 100.0;
        let (model, users) = random(seed, beta);
        let ends = [(10.0, 1.0), (300.0, 8.0)].map(|(x, n)| {
            let run = model.follow(&vec![x; users.len()], &vec![n; users.len()], 16_000.0, 1000.0, 1e-10);
            (run.rates.last().expect("samples").clone(), run.connections.last().expect("samples").clone())
        });
        let (rates, connections) = &ends[0];
        for (at, user) in users.iter().enumerate() {
            assert!((rates[at] / ends[1].0[at] - 1.0).abs() < 1e-6, "seed {seed}: {ends:?}");
            let price = model.path_prices(rates)[at];
            let f = model.indicator(price);
            assert!((connections[at] * f.sqrt() - 1.0).abs() < 1e-6, "seed {seed}");
            let utility = Utility::Emultcp { segment: 1.0, rtt: user.rtt, loss: user.loss, beta };
            assert!((utility.derivative(rates[at]) / price - 1.0).abs() < 1e-5, "seed {seed}, user {at}");
        }
    }
}

/// Large β: the link is full and n* = C·T·√ε/(√2·S) (from y = C): 2.10, 2.97, 3.64, 4.20 for a loss of 2, 4, 6, 8 %.
/// The rest of the price at y = C, ln 2/β = 7e-6 beside ε, and f = 1/n² > 0 needs y above C by at most 1e-5: 1e-3
/// is far beyond both.
#[test]
fn a_large_beta_fills_the_link() {
    for (loss, hand) in [(0.02, 2.100), (0.04, 2.970), (0.06, 3.637), (0.08, 4.200)] {
        let model = single(loss, 0.0125, Congestion::Smooth { beta: 1e5 });
        let run = model.follow(&[50.0], &[1.0], 3000.0, 1000.0, 1e-8);
        let (x, n) = (run.rates[3][0], run.connections[3][0]);
        assert!((x / 125.0 - 1.0).abs() < 1e-3 && (n - hand).abs() < 2e-3, "{loss}: {x}, {n}");
    }
}

/// The discontinuous form slides along y = C to the same number of connections: within 2 %, the swing of n while x,
/// which takes about n·S/(ε·x) = 0.8 s, lags behind it.
#[test]
fn the_discontinuous_form_slides_to_the_same_rest() {
    let run = single(0.02, 0.0125, Congestion::Discontinuous).follow(&[50.0], &[1.0], 1000.0, 10.0, 1e-6);
    for (x, n) in run.rates.iter().zip(&run.connections).skip(50) {
        assert!((x[0] / 125.0 - 1.0).abs() < 0.02 && (n[0] / 2.100 - 1.0).abs() < 0.02, "{}, {}", x[0], n[0]);
    }
}

/// (8) and the growth of n while nothing is congested: x = √2·S/(T·√ε) · n with ṅ = c/n, so n² = n₀² + 2ct.
#[test]
fn uncongested_connections_grow_as_the_root_of_time() {
    let model = single(0.08, 0.0125, Congestion::Discontinuous);
    let run = model.follow(&[29.76], &[1.0], 200.0, 50.0, 1e-9);
    for (at, (x, n)) in run.rates.iter().zip(&run.connections).enumerate() {
        let exact = (1.0 + 2.0 * 0.0125 * 50.0 * at as f64).sqrt();
        assert!((n[0] / exact - 1.0).abs() < 1e-7, "{}", n[0]);
        // 29.762 packets/s a connection; the rate follows n within the time of the boundary layer, 1/(x·ε/n) = 0.4 s of
        // 40 s.
        assert!((x[0] / (29.762 * exact) - 1.0).abs() < 0.02, "{}", x[0]);
    }
}

/// c = 0 is TCP: n stays, x goes to (8).
#[test]
fn a_user_of_speed_zero_is_tcp() {
    let run = single(0.02, 0.0, Congestion::Discontinuous).follow(&[5.0], &[1.0], 100.0, 100.0, 1e-9);
    assert_eq!(run.connections[1][0], 1.0);
    // √2/(0.168·√0.02) = 59.524.
    assert!((run.rates[1][0] - 59.524).abs() < 1e-3, "{}", run.rates[1][0]);
}
