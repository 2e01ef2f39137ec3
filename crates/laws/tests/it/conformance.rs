//! Invariants of every registered law under arbitrary events.

use proptest::prelude::*;
use windward_laws::{
    Ack, AnyLaw, Congestion, CongestionKind, LawSpec, Mode, Repair, Sample, cubic, fast, quic_tcp, tcp_fit,
};
use windward_units::{Duration, Packets, Time};

/// Every law as registered, and the forms that a parameter switches on.
fn laws() -> Vec<LawSpec> {
    let quic = |rho, mode| LawSpec::QuicTcp(quic_tcp::Params { rho, mode, ..Default::default() });
    let mut laws = LawSpec::all();
    laws.extend([
        LawSpec::Cubic(cubic::Params { hystart: true, ..Default::default() }),
        LawSpec::Cubic(cubic::Params { version: cubic::Version::Linux, hystart: true, ..Default::default() }),
        LawSpec::Cubic(cubic::Params { version: cubic::Version::Linux2622, ..Default::default() }),
        LawSpec::Cubic(cubic::Params { version: cubic::Version::Linux2631, hystart: true, ..Default::default() }),
        LawSpec::Fast(fast::Params { mode: Mode::Ns2, ..Default::default() }),
        quic(0.0, Mode::Paper),
        quic(1.0, Mode::Paper),
        quic(0.25, Mode::Ns2),
        crate::formula::reno(),
        crate::formula::quic_tcp(20.0),
        LawSpec::TcpFit(tcp_fit::Params { update: tcp_fit::Update::Step, reset: true, ..Default::default() }),
    ]);
    laws
}

/// One thing that happens, in fractions of what is possible where it happens.
#[derive(Clone, Debug)]
enum Event {
    Ack {
        gap: u64,
        acked: f64,
        marked: f64,
        rtt: Option<u64>,
        flight: f64,
        app_limited: bool,
        recovering: bool,
        ends_round: bool,
    },
    Congestion(CongestionKind),
    Restart(u64),
    Undo,
}

fn event() -> impl Strategy<Value = Event> {
    let ack = (
        0..50_000_000u64,
        (1..4u32, 0..4u32),
        prop::option::weighted(0.9, 1_000_000..2_000_000_000u64),
        0.0..=1.0,
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(gap, (acked, marked), rtt, flight, app_limited, recovering, ends_round)| Event::Ack {
            gap,
            acked: f64::from(acked),
            marked: f64::from(marked.min(acked)),
            rtt,
            flight,
            app_limited,
            recovering,
            ends_round,
        });
    let kind = prop::sample::select(vec![CongestionKind::Loss, CongestionKind::Mark, CongestionKind::Timeout]);
    prop_oneof![
        40 => ack,
        2 => kind.prop_map(Event::Congestion),
        1 => (0..5_000_000_000u64).prop_map(Event::Restart),
        1 => Just(Event::Undo),
    ]
}

/// The books of a host.
struct Host {
    law: AnyLaw,
    now: Time,
    round: u64,
    base_rtt: Duration,
    srtt: Duration,
    delivered: Packets,
    lost: Packets,
    repair: Repair,
    /// The window ahead of the last congestion event.
    before: Packets,
}

impl Host {
    fn new(spec: &LawSpec) -> Self {
        let law = spec.build(Packets::new(10.0));
        Self {
            law,
            now: Time::ZERO,
            round: 0,
            base_rtt: Duration::MAX,
            srtt: Duration::ZERO,
            delivered: Packets::ZERO,
            lost: Packets::ZERO,
            repair: Repair::Nothing,
            before: Packets::ZERO,
        }
    }

    /// Whole packets that may be in flight at a share of the window; an event finds the window of the past round trip,
    /// which is never above the present one by more than this model needs.
    fn flight(&self, share: f64) -> Packets {
        Packets::new((self.law.cwnd().count() * share).floor())
    }

    fn apply(&mut self, event: &Event) {
        match *event {
            Event::Ack { gap, acked, marked, rtt, flight, app_limited, recovering, ends_round } => {
                self.now += Duration::from_nanos(gap);
                self.round += u64::from(ends_round);
                let rtt = rtt.map(Duration::from_nanos);
                if let Some(rtt) = rtt {
                    self.base_rtt = self.base_rtt.min(rtt);
                    self.srtt = rtt;
                }
                // What was in flight a round trip ago has been delivered since; recovery ends with the first ACK out of
                // it.
                let delivered_at_send = self.delivered;
                self.delivered += Packets::new(acked);
                if !recovering {
                    self.repair = Repair::Nothing;
                }
                let sample = Sample {
                    delivered: self.delivered,
                    delivered_at_send,
                    lost: self.lost,
                    lost_at_send: self.lost,
                    interval: self.srtt,
                    prior_flight: self.flight(flight) + Packets::new(acked),
                    next_send: self.now,
                    repair: self.repair,
                };
                let ack = Ack {
                    now: self.now,
                    acked: Packets::new(acked),
                    counts_acks: false,
                    marked: Packets::new(marked),
                    lost: Packets::ZERO,
                    rtt,
                    srtt: self.srtt,
                    base_rtt: self.base_rtt,
                    flight: self.flight(flight),
                    sent_at: self.now - self.srtt,
                    flight_at_send: self.flight(flight) + Packets::ONE,
                    delivery_rate: None,
                    app_limited,
                    recovering,
                    round: self.round,
                    sample,
                };
                self.law.on_ack(&ack);
            }
            Event::Congestion(kind) => {
                if kind != CongestionKind::Mark {
                    self.lost += Packets::ONE;
                    let repair = if kind == CongestionKind::Loss { Repair::Losses } else { Repair::Timeout };
                    self.repair = self.repair.max(repair);
                }
                let event = Congestion {
                    now: self.now,
                    kind,
                    flight: self.flight(1.0),
                    lost: Packets::ONE,
                    srtt: self.srtt,
                    base_rtt: self.base_rtt,
                };
                self.before = self.law.cwnd();
                self.law.on_congestion(&event);
            }
            Event::Restart(gap) => {
                self.now += Duration::from_nanos(gap);
                self.law.on_restart(self.now);
            }
            Event::Undo => self.law.on_undo(self.before),
        }
    }

    fn observed(&self) -> Vec<(String, f64)> {
        let mut seen = Vec::new();
        self.law.observe(&mut |name, value| seen.push((name.to_owned(), value)));
        seen
    }
}

/// Least window that a law may set, in packets: RFC 5681's loss window.
const LEAST: f64 = 1.0;

/// Least window after a loss that is not a timeout.
const LEAST_AFTER_LOSS: f64 = 2.0;

fn check(spec: &LawSpec, events: &[Event]) -> Result<(), TestCaseError> {
    let (mut host, mut twin) = (Host::new(spec), Host::new(spec));
    let shown: Vec<_> = host.observed().into_iter().map(|(name, _)| name).collect();
    for event in events {
        let before = host.law.cwnd().count();
        host.apply(event);
        twin.apply(event);
        let after = host.law.cwnd().count();
        prop_assert!(after.is_finite() && after >= LEAST, "{spec:?}: {before} -> {after} after {event:?}");
        prop_assert_eq!(after.to_bits(), twin.law.cwnd().count().to_bits(), "{:?} does not repeat itself", spec);
        match event {
            // A law that drives recovery grows in it. One that reads samples models the path, and bounds its window by
            // it.
            Event::Ack { app_limited, recovering, .. }
                if (*app_limited && !host.law.needs().reads_samples)
                    || (*recovering && !host.law.needs().drives_recovery) =>
            {
                prop_assert!(after <= before, "{spec:?} grew from {before} to {after} on {event:?}");
            }
            Event::Congestion(_) => {
                prop_assert!(after <= before.max(LEAST_AFTER_LOSS), "{spec:?}: {before} -> {after} on {event:?}");
            }
            // BBR keeps a model of the path, not a window.
            Event::Undo if !matches!(spec, LawSpec::Bbr(_) | LawSpec::Bbr3(_)) => {
                prop_assert!(
                    after >= before.max(host.before.count()) * (1.0 - 1e-12),
                    "{spec:?}: {before} -> {after} on {event:?}"
                );
            }
            _ => {}
        }
        let observed = host.observed();
        prop_assert!(observed.iter().map(|(name, _)| name).eq(&shown), "{spec:?}: {observed:?}");
        prop_assert!(observed.iter().all(|(_, value)| !value.is_nan()), "{spec:?}: {observed:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_law_keeps_the_interface(events in prop::collection::vec(event(), 1..400)) {
        for spec in laws() {
            check(&spec, &events)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Under any events, too. Before its first sample QUIC-TCP waits, and after an undo it may fall to the threshold:
    /// it has a sample here, and no undo.
    #[test]
    fn formulas_are_the_laws_that_they_write(events in prop::collection::vec(event(), 1..400)) {
        let quic = LawSpec::QuicTcp(quic_tcp::Params { backlog: 20.0, ..Default::default() });
        let pairs = [
            (LawSpec::Reno(Default::default()), crate::formula::reno(), true),
            (quic, crate::formula::quic_tcp(20.0), false),
        ];
        for (built_in, formula, undoes) in pairs {
            let (mut own, mut of_formula) = (Host::new(&built_in), Host::new(&formula));
            let first = Event::Ack {
                gap: 0,
                acked: 1.0,
                marked: 0.0,
                rtt: Some(50_000_000),
                flight: 1.0,
                app_limited: false,
                recovering: false,
                ends_round: false,
            };
            for event in [first].iter().chain(&events).filter(|event| undoes || !matches!(event, Event::Undo)) {
                own.apply(event);
                of_formula.apply(event);
                let windows = [&own, &of_formula].map(|host| host.law.cwnd().count());
                prop_assert_eq!(windows[0].to_bits(), windows[1].to_bits(), "{:?}: {:?}", built_in, event);
            }
        }
    }
}

/// Linux restores the window of every module (`tcp_reno_undo_cwnd`), and the slow-start threshold with it: a window
/// that was below it doubles on.
#[test]
fn every_law_takes_a_spurious_event_back() {
    let ack = |now: u64, rtt: u64| Event::Ack {
        gap: now,
        acked: 1.0,
        marked: 0.0,
        rtt: Some(rtt),
        flight: 1.0,
        app_limited: false,
        recovering: false,
        ends_round: false,
    };
    let laws = laws().into_iter().filter(|spec| !matches!(spec, LawSpec::Bbr(_) | LawSpec::Bbr3(_)));
    for (spec, kind) in laws.flat_map(|spec| [CongestionKind::Loss, CongestionKind::Timeout].map(|kind| (spec, kind))) {
        let mut host = Host::new(&spec);
        for _ in 0..30 {
            host.apply(&ack(1_000_000, 50_000_000));
        }
        let mut untouched = Host::new(&spec);
        for _ in 0..30 {
            untouched.apply(&ack(1_000_000, 50_000_000));
        }
        let before = host.law.cwnd().count();
        host.apply(&Event::Congestion(kind));
        host.apply(&Event::Undo);
        let after = host.law.cwnd().count();
        assert!((after - before).abs() < 1e-9, "{spec:?}: {before} -> {after} after {kind:?}");
        let grown = [&mut host, &mut untouched].map(|host| {
            host.apply(&ack(1_000_000, 50_000_000));
            host.law.cwnd().count()
        });
        // Some decide anew only with the next round trip whether they grow.
        assert!(grown[0] >= before - 1e-9 && grown[0] <= grown[1] + 1e-9, "{spec:?}: {grown:?} after {kind:?}");
    }
}

#[test]
fn a_law_is_small_enough_to_live_in_its_flow() {
    // Ten thousand flows of a quarter of a KiB fit into a processor's cache.
    assert!(size_of::<AnyLaw>() <= 256, "{} bytes", size_of::<AnyLaw>());
}
