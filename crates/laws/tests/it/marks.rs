//! Laws that answer marks by their number, where each packet is marked by chance.

use windward_laws::{Ack, LawSpec, Sample, dctcp, prague};
use windward_units::{Duration, Packets, Time};

/// Round trip of an empty path.
const RTT: Duration = Duration::from_millis(100);

/// A generator that every platform has alike.
struct Chance(u64);

impl Chance {
    fn comes(&mut self, probability: f64) -> bool {
        self.0 = windward_units::splitmix64(self.0);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 <= probability
    }
}

/// Mean window over `rounds` round trips after as many, where packets leave evenly and each is marked with this
/// probability.
fn window(spec: LawSpec, probability: f64, rounds: u64) -> f64 {
    let mut law = spec.build(Packets::new(10.0));
    let mut chance = Chance(7);
    let (mut now, mut round, mut round_began) = (Time::ZERO + RTT, 0, Time::ZERO);
    let (mut sum, mut time) = (0.0, 0.0);
    while round < 2 * rounds {
        let cwnd = law.cwnd().count();
        let gap = RTT.scale(1.0 / cwnd);
        now += gap;
        let sent_at = now - RTT;
        if sent_at >= round_began {
            (round, round_began) = (round + 1, now);
        }
        let is_marked = chance.comes(probability);
        law.on_ack(&ack(now, sent_at, round, is_marked));
        if round >= rounds {
            sum += cwnd * gap.as_secs();
            time += gap.as_secs();
        }
    }
    sum / time
}

fn ack(now: Time, sent_at: Time, round: u64, is_marked: bool) -> Ack {
    Ack {
        now,
        acked: Packets::ONE,
        counts_acks: false,
        marked: if is_marked { Packets::ONE } else { Packets::ZERO },
        lost: Packets::ZERO,
        rtt: Some(RTT),
        sample: Sample::default(),
        srtt: RTT,
        base_rtt: RTT,
        flight: Packets::ONE,
        sent_at,
        flight_at_send: Packets::ONE,
        delivery_rate: None,
        app_limited: false,
        recovering: false,
        round,
    }
}

/// With α = p, a window rests at m marks a round trip: a reduction of α·W/2 = m/2 each 1 + 1/m round trips. Prague
/// grows by a packet in all of them, DCTCP only in those 1/m without a reduction: m = 1 + √3 and m = √2. α is not p but
/// moves about it, and 3 % less was seen at most.
#[test]
fn scalable_windows_are_inverse_to_the_marks() {
    for p in [0.03, 0.01, 0.003] {
        let prague = window(LawSpec::Prague(prague::Params::default()), p, 20_000) * p;
        let dctcp = window(LawSpec::Dctcp(dctcp::Params::default()), p, 20_000) * p;
        assert!((prague / (1.0 + 3_f64.sqrt()) - 1.0).abs() < 0.05, "{p}: {prague}");
        assert!((dctcp / 2_f64.sqrt() - 1.0).abs() < 0.05, "{p}: {dctcp}");
    }
}

/// An equal share of marks at a quarter of the round trip: a virtual round trip of 400 ms makes a quarter of the
/// window, so that the rate is that of the longer one.
#[test]
fn virtual_round_trips_make_rates_alike() {
    let of = |rtt_target| window(LawSpec::Prague(prague::Params { rtt_target, ..Default::default() }), 0.003, 40_000);
    let (own, virtual_one) = (of(0.0), of(0.4));
    assert!((4.0 * virtual_one / own - 1.0).abs() < 0.05, "{own} {virtual_one}");
}
