//! A full device queue stops the sender without a loss (Linux: txqueuelen, `tcp_enter_cwr`); growth by ACKs.

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{Buffer, Output, TcpOptions};
use windward_units::Duration;

/// Renos of `tcp` over 10 Mbit/s, 100 ms and an unlimited buffer, which holds whatever the device queue lets through.
fn over(flows: u64, tcp: &TcpOptions) -> Output {
    let delay = Duration::from_millis(50);
    let links = vec![link(0, 10_000_000, delay, Buffer::Unlimited), link(1, 1_000_000_000, delay, Buffer::Unlimited)];
    let reno = |key| flow(key, law("reno", serde_json::json!({})), vec![0], vec![1], tcp.clone());
    simulate(&network(links, (0..flows).map(reno).collect(), 100, 600), 1)
}

fn device(packets: u32) -> TcpOptions {
    TcpOptions { delayed_ack: None, device_queue: Some(packets), ..TcpOptions::default() }
}

/// The window swings between W/2 and W = 83.3 + 20: on the path are 83.3 packets, 20 wait. W/2 to 83.3 takes 31.7 round
/// trips of 100 ms with a mean of 67.5 packets, then 20 round trips of 112 ms full: (2140 + 1867)/(3.17 + 2.24) = 741
/// of 833 packets a second. Nothing is lost.
#[test]
fn a_full_device_queue_halves_the_window_without_a_loss() {
    let output = over(1, &device(20));
    let (flow, link) = (&output.flows[0], &output.links[0]);
    assert_eq!((flow.retransmits, flow.timeouts, flow.recoveries), (0, 0, 0));
    assert!(link.max_backlog == 20, "{} packets waited", link.max_backlog);
    assert!((flow.goodput_pps / 741.0 - 1.0).abs() < 0.02, "{} packets a second", flow.goodput_pps);
}

/// Eight flows that share a device queue of 5 packets: none stops for good, although some find it full with nothing in
/// flight.
#[test]
fn a_sender_that_has_nothing_in_flight_tries_again() {
    let output = over(8, &device(5));
    for flow in &output.flows {
        assert!(flow.goodput_pps > 20.0 && flow.retransmits == 0, "{} packets a second", flow.goodput_pps);
    }
}

/// With an ACK for every second packet a window of W grows by W/2 ACKs of 1/W: half a packet a round trip.
#[test]
fn delayed_acks_halve_a_growth_by_acks() {
    let steps = |ack_counting| {
        let tcp = TcpOptions { delayed_ack: Some(Duration::from_millis(40)), ack_counting, ..device(200) };
        let cwnd = over(1, &tcp).flow_series.unpack().cwnd;
        let rises = cwnd.windows(2).map(|pair| pair[1] - pair[0]).filter(|&step| step > 0.0);
        let (count, sum) = rises.fold((0, 0.0), |(count, sum), step| (count + 1, sum + step));
        sum / f64::from(count)
    };
    let ratio = steps(true) / steps(false);
    assert!((ratio - 0.5).abs() < 0.03, "{ratio} of the growth by packets");
}
