use super::*;

/// Independent sets of a path of n vertices: 2, 3, 5, 8, 13 (Fibonacci); of a complete graph n + 1.
#[test]
fn sets_are_counted() {
    let path = |n: u32| (1..n).map(|l| (l - 1, l)).collect::<Vec<_>>();
    let counts: Vec<usize> = (1..6).map(|n| independent_sets(n as usize, &path(n)).unwrap().len()).collect();
    assert_eq!(counts, [2, 3, 5, 8, 13]);
    let complete: Vec<(u32, u32)> = (0..9).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    assert_eq!(independent_sets(9, &complete).unwrap().len(), 10);
    assert_eq!(independent_sets(3, &[(0, 1)]).unwrap(), [0b000, 0b001, 0b010, 0b100, 0b101, 0b110]);
}

/// Size limits: 16 free links have 65 536 sets, 17 have more; 65 links do not fit a mask.
#[test]
fn sets_have_a_limit() {
    assert_eq!(independent_sets(16, &[]).unwrap().len(), MAX_INDEPENDENT_SETS);
    assert!(independent_sets(17, &[]).is_none());
    assert!(independent_sets(65, &[]).is_none());
}

/// wang2013 (7) by hand: two links in conflict, b = 1, 2, q = ln 2, ln 3 /2: weights 1, 2, 3 over 6.
#[test]
fn stationary_law() {
    let region = Region::Csma { rates: vec![1.0, 2.0], conflicts: vec![(0, 1)], entropy: 1.0 };
    let q = [libm::log(2.0), 0.5 * libm::log(3.0)];
    for (u, expected) in region.stationary(&q).unwrap().iter().zip([1.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0]) {
        assert!((u - expected).abs() < 1e-15);
    }
    let rates = region.rates(&q);
    assert!((rates[0] - 1.0 / 3.0).abs() < 1e-15 && (rates[1] - 1.0).abs() < 1e-15);
    assert!((region.support(&q) - libm::log(6.0)).abs() < 1e-15);
}

/// Jacobians against central differences of the rates; the null vector q of curved regions (huang2020 Lemma 3,
/// corrected), and none for CSMA (wang2013 Lemma 1).
#[test]
fn jacobians() {
    let matrix = vec![vec![2.0, 0.3, -0.1], vec![0.3, 1.0, 0.2], vec![-0.1, 0.2, 0.5]];
    let curved = [
        Region::Norm { capacity: vec![1.0, 2.0, 3.0], exponent: 2.0 },
        Region::Norm { capacity: vec![1.0, 2.0, 3.0], exponent: 1.3 },
        Region::Norm { capacity: vec![1.0, 2.0, 3.0], exponent: 5.0 },
        Region::Ellipsoid { matrix },
        Region::Csma { rates: vec![1.0, 2.0, 3.0], conflicts: vec![(0, 1), (1, 2)], entropy: 0.7 },
    ];
    let q = [0.5, 0.3, 0.4];
    for region in curved {
        let jacobian = region.jacobian(&q).unwrap();
        for n in 0..3 {
            let moved = |h: f64| {
                let mut at = q;
                at[n] += h;
                region.rates(&at)
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            for l in 0..3 {
                let slope = (up[l] - down[l]) / 2e-5;
                assert!((slope - jacobian[l][n]).abs() < 1e-7 * (1.0 + slope.abs()), "{region:?}");
            }
        }
        let flat = jacobian.iter().map(|row| dense::dot(row, &q).abs()).fold(0.0, f64::max);
        assert_eq!(flat < 1e-12, !matches!(region, Region::Csma { .. }), "{region:?}");
        assert_eq!(
            dense::inverse(&jacobian.concat(), 3).is_some(),
            matches!(region, Region::Csma { .. }),
            "{region:?}"
        );
    }
}

/// θ ∇f(r) = q with f = rᵀHr − 1 (huang2020 Lemma 2), and f(r) = 0.
#[test]
fn gradients_align() {
    let h = [[2.0, 0.3], [0.3, 1.0]];
    let region = Region::Ellipsoid { matrix: h.iter().map(|row| row.to_vec()).collect() };
    for q in [[1.0, 1.0], [0.2, 3.0], [5.0, 0.9]] {
        let r = region.rates(&q);
        let gradient = [h[0][0] * r[0] + h[0][1] * r[1], h[1][0] * r[0] + h[1][1] * r[1]];
        assert!((gradient[0] / q[0] - gradient[1] / q[1]).abs() < 1e-14);
        assert!((dense::dot(&gradient, &r) - 1.0).abs() < 1e-14);
    }
}

/// huang2020 Claim 1: r = (8/5, 6/5) while q lies in the cone of (1,2) and (3,1); (0,2) and (2,0) outside of it.
#[test]
fn corners() {
    let region = Region::HalfSpaces { normals: vec![vec![1.0, 2.0], vec![3.0, 1.0]], offsets: vec![4.0, 6.0] };
    for (q, corner) in [([1.0, 1.0], [1.6, 1.2]), ([1.0, 2.5], [0.0, 2.0]), ([4.0, 1.0], [2.0, 0.0])] {
        for (r, expected) in region.rates(&q).iter().zip(corner) {
            assert!((r - expected).abs() < 1e-7, "{q:?}: {r}, {expected}");
        }
    }
}

/// MaxWeight over draws: q = (1, 2) serves link 1 in the draws (1,1), (2,3) and link 0 in (5,2).
#[test]
fn max_weight() {
    let rates = vec![vec![1.0, 1.0], vec![5.0, 2.0], vec![2.0, 3.0]];
    let region = Region::Fading { rates, probabilities: Some(vec![2.0, 1.0, 1.0]) };
    assert_eq!(region.rates(&[1.0, 2.0]), [1.25, 1.25]);
    assert_eq!(region.support(&[1.0, 2.0]), 3.75);
}

/// Norms between time sharing and the box.
#[test]
fn gauges() {
    let gauge = |exponent| Norm::new(&[2.0, 4.0], exponent);
    let at = |norm: Norm| Curved::Norm(norm).gauge(&[1.0, 2.0]);
    assert!((at(gauge(2.0)) - 0.5f64.sqrt()).abs() < 1e-15);
    assert!((at(gauge(1.0 + 1e-9)) - 1.0).abs() < 1e-8);
    assert!((at(gauge(1e6)) - 0.5).abs() < 1e-6);
}
