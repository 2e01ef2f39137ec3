//! The delivery rate that laws are told, whatever bursts they send in.

mod common;

use common::{flow, link, network};
use std::sync::{Arc, Mutex};
use windward_laws::{Ack, Congestion, Law};
use windward_sim::{Buffer, Control, LawChoice, Makers, TcpOptions, run};
use windward_units::{Duration, Packets};

/// 10 Mbit/s in packets of 1500 bytes, a second.
const BOTTLENECK: f64 = 1e7 / 12_000.0;

/// Slow start without end, and the rates that it saw.
#[derive(Debug)]
struct Doubling {
    cwnd: f64,
    seen: Arc<Mutex<Vec<f64>>>,
}

impl Law for Doubling {
    fn on_ack(&mut self, ack: &Ack) {
        self.cwnd += ack.acked.count();
        if let Some(rate) = ack.delivery_rate {
            self.seen.lock().expect("one thread").push(rate.as_per_sec());
        }
    }

    fn on_congestion(&mut self, _: &Congestion) {}

    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd)
    }
}

/// draft-cheng-iccrg-delivery-rate-estimation §2: over the longer of sending and acknowledging, so that neither a burst that left at
/// ten times the bottleneck's rate nor ACKs in a heap show more than the bottleneck carries; behind a full queue they show that.
#[test]
fn it_is_the_bottlenecks_and_never_more() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watched = Arc::clone(&seen);
    let make = move |cwnd: Packets| Box::new(Doubling { cwnd: cwnd.count(), seen: Arc::clone(&watched) }) as _;
    let makers = Makers { laws: vec![Arc::new(make)], ..Makers::default() };
    let delay = Duration::from_millis(20);
    let links = vec![
        link(0, 100_000_000, Duration::ZERO, Buffer::Unlimited),
        link(1, 10_000_000, delay, Buffer::Unlimited),
        link(2, 100_000_000, delay, Buffer::Unlimited),
    ];
    let tcp = TcpOptions { delayed_ack: None, ..TcpOptions::default() };
    let network = network(links, vec![flow(0, LawChoice::Own(0), vec![0, 1], vec![2], tcp)], 0, 2);
    run(&network, &makers, 1, &Control::new(), None).expect("nobody interrupts it");
    let seen = seen.lock().expect("one thread");
    let most = seen.iter().copied().fold(0.0, f64::max);
    assert!(most < BOTTLENECK * (1.0 + 1e-6), "{most} packets a second through {BOTTLENECK}");
    let last = seen.last().copied().expect("ACKs came");
    assert!((last / BOTTLENECK - 1.0).abs() < 0.01, "{last} packets a second of {BOTTLENECK}");
}
