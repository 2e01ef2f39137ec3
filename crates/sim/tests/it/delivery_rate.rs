//! The delivery rate that laws are told, whatever bursts they send in.

use crate::common::{flow, link, network};
use std::sync::{Arc, Mutex};
use windward_laws::{Ack, AnyLaw, Congestion, Law};
use windward_sim::{Buffer, Control, FlowConfig, LawChoice, LossDetection, Makers, Network, RtoRule, TcpOptions, run};
use windward_units::{Bytes, Duration, Packets};

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

    fn on_undo(&mut self, _: Packets) {}

    fn cwnd(&self) -> Packets {
        Packets::new(self.cwnd)
    }
}

/// draft-cheng-iccrg-delivery-rate-estimation §2: over the longer of sending and acknowledging, so that neither a burst
/// that left at ten times the bottleneck's rate nor ACKs in a heap show more than the bottleneck carries; behind a full
/// queue they show that.
#[test]
fn it_is_the_bottlenecks_and_never_more() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watched = Arc::clone(&seen);
    let make = move |cwnd: Packets| AnyLaw::external(Doubling { cwnd: cwnd.count(), seen: Arc::clone(&watched) });
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

/// BBR's pacing gain at the end of ten seconds at 100 Mbit/s and 100 ms, of which the receiver's 50 segments use 6 %.
fn gain_behind_a_receive_window(name: &str, tcp: TcpOptions, size: Option<Bytes>) -> f64 {
    let delay = Duration::from_millis(50);
    let links = [0, 1].map(|key| link(key, 100_000_000, delay, Buffer::Unlimited)).to_vec();
    let tcp = TcpOptions { receive_window: 50, ..tcp };
    let flow = FlowConfig { size, ..flow(0, crate::common::law(name, serde_json::json!({})), vec![0], vec![1], tcp) };
    let network = Network { internals: true, ..network(links, vec![flow], 0, 10) };
    let internals = crate::common::simulate(&network, 1).internals;
    let wanted = if name == "bbr" { "pacing_gain" } else { "phase" };
    let name = internals.names.iter().position(|name| name == wanted).expect("it shows that") as u32;
    let last = internals.samples.name.iter().rposition(|at| *at == name).expect("it was sampled");
    internals.samples.value[last]
}

/// A receive window that is full is no lack of data (Linux: `tcp_rate_check_app_limited`): BBR finds that the rate does
/// not rise and leaves Startup, whose gain is 2.89, in bounded transfers too.
#[test]
fn a_full_receive_window_ends_startup() {
    let linux = TcpOptions { loss_detection: LossDetection::Rack, rto: RtoRule::Linux, ..TcpOptions::default() };
    for tcp in [TcpOptions::default(), linux] {
        for size in [None, Some(Bytes::new(100_000_000))] {
            let gain = gain_behind_a_receive_window("bbr", tcp.clone(), size);
            assert!(gain <= 1.25, "{gain} with {:?}", tcp.loss_detection);
            let phase = gain_behind_a_receive_window("bbr3", tcp.clone(), size);
            assert!(phase > 0.0, "BBRv3 is in Startup with {:?}", tcp.loss_detection);
        }
    }
}

/// RFC 7661 in spirit: the window does not grow behind a receive window that is full.
#[test]
fn a_full_receive_window_holds_the_window() {
    let delay = Duration::from_millis(50);
    let links = [0, 1].map(|key| link(key, 100_000_000, delay, Buffer::Unlimited)).to_vec();
    let tcp = TcpOptions { receive_window: 50, ..TcpOptions::default() };
    let flow = flow(0, crate::common::law("reno", serde_json::json!({})), vec![0], vec![1], tcp);
    let output = crate::common::simulate(&network(links, vec![flow], 5, 10), 1);
    // The last round trip of slow start has doubled it.
    assert!(output.flows[0].mean_cwnd < 103.0, "{}", output.flows[0].mean_cwnd);
}
