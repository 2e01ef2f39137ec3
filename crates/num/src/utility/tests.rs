use super::*;

const ALL: [Utility; 10] = [
    Utility::ProportionalFair { weight: 3.0 },
    Utility::AlphaFair { weight: 2.0, alpha: 0.5 },
    Utility::AlphaFair { weight: 2.0, alpha: 1.0 },
    Utility::AlphaFair { weight: 2.0, alpha: 2.0 },
    Utility::AlphaFair { weight: 2.0, alpha: 7.3 },
    Utility::Reno { segment: 1.0, rtt: 0.1, loss: 0.01 },
    Utility::Emultcp { segment: 1.0, rtt: 0.168, loss: 0.02, beta: 50.0 },
    Utility::Emultcp { segment: 1.0, rtt: 0.168, loss: 0.0, beta: 1000.0 },
    Utility::Emultcp { segment: 1.5, rtt: 0.5, loss: 0.2, beta: 1e6 },
    Utility::Window { window: 40.0, base_rtt: 0.3 },
];

/// Central differences: error h²U‴/6 + 1e-16 U/h, below 1e-7 of the terms of U′ for h = 1e-5 x.
#[test]
fn derivatives_are_the_slopes() {
    for u in ALL {
        for x in [0.3, 1.0, 4.0, 30.0, 200.0] {
            let h = 1e-5 * x;
            let slope = (u.value(x + h) - u.value(x - h)) / (2.0 * h);
            let scale = u.turnover(x) / x + u.value(x).abs() / x;
            assert!((slope - u.derivative(x)).abs() < 1e-6 * scale, "{u:?} at {x}: {slope}, {}", u.derivative(x));
            let bend = (u.derivative(x + h) - u.derivative(x - h)) / (2.0 * h);
            assert!((bend - u.second_derivative(x)).abs() < 1e-6 * (scale / x), "{u:?} at {x}: {bend}");
        }
    }
}

#[test]
fn the_inverse_inverts() {
    for u in ALL {
        for x in [1e-3, 0.3, 1.0, 4.0, 30.0, 100.0] {
            let y = u.derivative(x);
            assert!((u.inverse_derivative(y) / x - 1.0).abs() < 1e-11, "{u:?} at {x}: {}", u.inverse_derivative(y));
        }
    }
}

/// Worked by hand: S = 1, T = 0.1, ε = 0.01, q = 0.01: x = √2/(0.1·√0.02) = 100.
#[test]
fn reno_by_hand() {
    let u = Utility::Reno { segment: 1.0, rtt: 0.1, loss: 0.01 };
    assert!((u.inverse_derivative(0.01) - 100.0).abs() < 1e-10);
    assert!((u.free_rate() - 200f64.sqrt() * 10.0).abs() < 1e-10);
}

/// chen2007: ε = 0, β → ∞ gives h(z) = z, plain TCP (5).
#[test]
fn emultcp_without_loss_is_tcp() {
    let u = Utility::Emultcp { segment: 1.0, rtt: 0.2, loss: 0.0, beta: 1e6 };
    let tcp = Utility::Reno { segment: 1.0, rtt: 0.2, loss: 0.0 };
    for x in [1.0, 10.0, 100.0] {
        assert!((u.derivative(x) / tcp.derivative(x) - 1.0).abs() < 1e-12);
        let from = 50f64.sqrt();
        assert!((u.value(x) - tcp.value(x) + tcp.value(from)).abs() < 1e-7 * tcp.value(1.0).abs());
    }
}

/// α = 0: x jumps from infinity to 0 at the weight.
#[test]
fn linear_response() {
    let u = Utility::AlphaFair { weight: 2.0, alpha: 0.0 };
    assert_eq!(u.inverse_derivative(2.5), 0.0);
    assert_eq!(u.inverse_derivative(1.5), f64::INFINITY);
    assert_eq!((u.value(3.0), u.derivative(3.0), u.second_derivative(3.0)), (6.0, 2.0, 0.0));
}

#[test]
fn impossible_values_are_named() {
    let refused = Utility::AlphaFair { weight: 1.0, alpha: f64::INFINITY }.check();
    assert_eq!(refused.unwrap_err().0, "alpha");
    assert_eq!(Utility::Window { window: 0.0, base_rtt: 0.1 }.check().unwrap_err().0, "window");
    assert_eq!(Utility::Reno { segment: 1.0, rtt: 0.1, loss: -0.1 }.check().unwrap_err().0, "loss");
}
