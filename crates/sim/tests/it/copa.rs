//! Copa tells its own queue from another's: alone it keeps what the paper says, beside flows that fill the queue it
//! takes its share.
//!
//! V. Arun and H. Balakrishnan, NSDI 2018, §2.1 and §2.2: N flows keep from nothing to 2.5/δ packets each in the queue,
//! 1.25/δ in the mean; beside flows that fill it 1/δ follows AIMD as Reno's window does.

use crate::common::{flow, law, link, network, simulate};
use serde_json::json;
use windward_sim::{Buffer, LossDetection, Network, Output, RtoRule, TcpOptions};
use windward_units::{Duration, Time};

/// A path: its rate, its round trip and its buffer in packets of 1500 bytes.
#[derive(Clone, Copy, Debug)]
struct Path {
    mbit: u64,
    rtt_ms: u64,
    buffer: u64,
}

/// A modem that keeps a second of packets; one bandwidth-delay product is 13.
const MODEM: Path = Path { mbit: 5, rtt_ms: 30, buffer: 417 };
/// One and a half bandwidth-delay products.
const USUAL: Path = Path { mbit: 10, rtt_ms: 60, buffer: 75 };
const FAST: Path = Path { mbit: 100, rtt_ms: 20, buffer: 170 };

impl Path {
    fn network(self, laws: &[&str], apart_s: u64, warmup: u64, end: u64) -> Network {
        let delay = Duration::from_millis(self.rtt_ms / 2);
        let links = (0..2).map(|key| link(key, self.mbit * 1_000_000, delay, Buffer::Packets(self.buffer))).collect();
        let tcp = TcpOptions { loss_detection: LossDetection::Rack, rto: RtoRule::Linux, ..TcpOptions::default() };
        let flows = laws.iter().zip(0..).map(|(name, key)| {
            let mut flow = flow(key, law(name, json!({})), vec![0], vec![1], tcp.clone());
            flow.start = Time::ZERO + Duration::from_millis(1000 * apart_s * key);
            flow
        });
        network(links, flows.collect(), warmup, end)
    }

    /// Packets that wait at the bottleneck in the mean: those of the link's rate in what round trips are longer than
    /// the shortest.
    fn waiting(self, output: &Output) -> f64 {
        let packet_s = 1500.0 * 8.0 / (self.mbit as f64 * 1e6);
        let empty_s = self.rtt_ms as f64 * 1e-3 + packet_s;
        (output.flows[0].mean_rtt_s - empty_s) / packet_s
    }

    fn share(self, output: &Output) -> f64 {
        output.flows[0].goodput_bps / output.flows.iter().map(|flow| flow.goodput_bps).sum::<f64>()
    }
}

#[test]
fn alone_it_swings_from_nothing_to_two_and_a_half_targets() {
    for path in [MODEM, USUAL, FAST] {
        let output = simulate(&path.network(&["copa"], 0, 20, 60), 1);
        let waiting = path.waiting(&output);
        // 1/δ = 2, swing 5, mean 2.5; the packet that an ACK waits for is not in the queue.
        assert!((1.5..=4.0).contains(&waiting), "{waiting} packets at {path:?}");
        let most = path.mbit as f64 * 1e6 * 1448.0 / 1500.0;
        assert!(output.flows[0].goodput_bps > 0.985 * most, "{} bit/s at {path:?}", output.flows[0].goodput_bps);
        assert_eq!(output.flows[0].segments_lost, 0);
    }
}

#[test]
fn two_of_a_kind_do_not_take_each_other_for_rivals() {
    for (path, apart_s) in [(MODEM, 5), (USUAL, 10), (FAST, 5)] {
        let output = simulate(&path.network(&["copa", "copa"], apart_s, 40, 100), 1);
        let (waiting, share) = (path.waiting(&output), path.share(&output));
        assert!((2.5..=8.0).contains(&waiting), "{waiting} packets at {path:?}, {apart_s} s apart");
        assert!((0.45..=0.55).contains(&share), "a share of {share} at {path:?}, {apart_s} s apart");
    }
}

#[test]
fn beside_flows_that_fill_the_queue_it_has_its_share() {
    for (path, rival) in [(MODEM, "reno"), (USUAL, "reno"), (USUAL, "cubic"), (FAST, "reno"), (FAST, "cubic")] {
        let output = simulate(&path.network(&["copa", rival], 5, 40, 120), 1);
        let share = path.share(&output);
        assert!((0.35..=0.65).contains(&share), "a share of {share} beside {rival} at {path:?}");
    }
}

#[test]
fn when_the_rival_has_gone_the_queue_is_short_again() {
    let mut network = MODEM.network(&["copa", "cubic"], 0, 60, 100);
    network.flows[1].stop = Some(Time::ZERO + Duration::from_millis(40_000));
    let waiting = MODEM.waiting(&simulate(&network, 1));
    // A second of packets is 417. What waited when RTTmin was last measured may stay.
    assert!(waiting < 40.0, "{waiting} packets");
}
