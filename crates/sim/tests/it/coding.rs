//! Network coding under a real TCP: what it hides, and what it does not.

use crate::common::{flow, law, link, network, plain_tcp, simulate};
use windward_sim::coding::{BlockSize, CodingConfig, FEEDBACK, HEADER};
use windward_sim::*;
use windward_units::{Bytes, Duration};

const DELAY: Duration = Duration::from_millis(20);

/// One flow over a link of 2 Mbit/s that loses packets, coded or not; its window is `window` at most.
fn lossy(loss: f64, window: u32, coding: Option<CodingConfig>) -> Network {
    let model = if loss > 0.0 { Loss::Bernoulli(loss) } else { Loss::None };
    let forth = LinkConfig { loss: model, ..link(1, 2_000_000, DELAY, Buffer::Unlimited) };
    let tcp = TcpOptions { receive_window: window, ..plain_tcp() };
    let flow = FlowConfig { coding, ..flow(1, law("reno", serde_json::json!({})), vec![0], vec![1], tcp) };
    network(vec![forth, link(2, 2_000_000, DELAY, Buffer::Unlimited)], vec![flow], 5, 65)
}

fn coded(block: BlockSize) -> Option<CodingConfig> {
    Some(CodingConfig { block, ..CodingConfig::default() })
}

/// 10 % loss on a link with room for a window of 30: TCP retransmits nothing, and goodput is what the link carries,
/// less losses and headers. Uncoded, the same flow gets a fraction.
#[test]
fn losses_on_the_air_are_hidden() {
    let block = 16;
    for ideal in [false, true] {
        let coding = CodingConfig { block: BlockSize::Fixed(block), ideal, ..CodingConfig::default() };
        let output = simulate(&lossy(0.1, 60, Some(coding)), 1);
        let stats = &output.flows[0];
        assert_eq!((stats.retransmits, stats.recoveries, stats.timeouts), (0, 0, 0));
        // 1000 B of which 960 are payload, and the header; a tenth is lost. 30 000 combinations: 1 %.
        let share = 960.0 / f64::from(1000 + HEADER + block);
        let expected = 2e6 * share * 0.9;
        assert!((stats.goodput_bps / expected - 1.0).abs() < 0.01, "{} for {expected}", stats.goodput_bps);
        let layer = &output.coding[0];
        // A repair for each combination that was lost and, of the real ones, for each that said nothing new.
        let lost = layer.combinations - layer.received;
        assert!(layer.repairs >= lost - 60 && layer.repairs < lost + lost / 3, "{layer:?}");
        assert!(layer.innovative > layer.received * 9 / 10, "{layer:?}");
        assert_eq!(layer.unmasked, 0);
        assert_eq!(output.blocks.iter().map(|b| b.size).sum::<u32>() / block, output.blocks.len() as u32);
        assert!(output.blocks.iter().all(|b| b.opened_s < b.began_s && b.began_s <= b.decoded_s));
    }
    let uncoded = simulate(&lossy(0.1, 60, None), 1);
    assert!(uncoded.flows[0].goodput_bps < 0.5e6 && uncoded.flows[0].retransmits > 100);
}

/// Without losses the layer costs its headers and nothing else.
#[test]
fn a_clean_link_carries_the_same() {
    let plain = simulate(&lossy(0.0, 60, None), 1);
    let block = 30;
    let output = simulate(&lossy(0.0, 60, coded(BlockSize::Fixed(block))), 1);
    let expected = plain.flows[0].goodput_bps * 1000.0 / f64::from(1000 + HEADER + block);
    assert!((output.flows[0].goodput_bps / expected - 1.0).abs() < 1e-3);
    let layer = &output.coding[0];
    assert_eq!((layer.repairs, layer.requests, layer.unmasked, output.flows[0].retransmits), (0, 0, 0, 0));
    assert_eq!(layer.received, layer.innovative);
    // Every ACK takes its eight bytes more.
    let bytes = |output: &Output| output.links[1].bytes as f64 / output.links[1].packets as f64;
    assert!((bytes(&output) - bytes(&plain) - f64::from(FEEDBACK)).abs() < 0.01);
}

/// A full queue at the source is congestion: TCP sees each of these losses, and repairs them as without coding.
#[test]
fn drops_at_the_source_are_tcp_s() {
    let mut network = lossy(0.0, 1000, coded(BlockSize::Cwnd));
    network.topology = Topology::of_links([
        link(1, 2_000_000, DELAY, Buffer::Packets(20)),
        link(2, 2_000_000, DELAY, Buffer::Unlimited),
    ]);
    let output = simulate(&network, 1);
    let (stats, layer) = (&output.flows[0], &output.coding[0]);
    assert!(stats.recoveries > 10 && layer.unmasked >= stats.recoveries, "{stats:?} {layer:?}");
    assert_eq!((stats.timeouts, layer.unmasked), (0, output.links[0].dropped));
    assert_eq!(stats.retransmits, layer.unmasked);
    // Reno over a buffer of about its bandwidth-delay product keeps the link busy.
    assert!(output.links[0].utilization > 0.95, "{}", output.links[0].utilization);
    network.flows[0].coding = None;
    let uncoded = simulate(&network, 1);
    let ratio = stats.recoveries as f64 / uncoded.flows[0].recoveries as f64;
    assert!((0.8..1.25).contains(&ratio), "{} and {}", stats.recoveries, uncoded.flows[0].recoveries);
}

/// A transfer of a given size ends, is whole, and is over only when all has been decoded; without SACK and with odd
/// sizes too.
#[test]
fn a_sized_flow_is_whole() {
    for (size, sack, block) in
        [(960, true, 4), (961, true, 4), (300_000, true, 7), (300_001, false, 100), (1_000_000, true, 256)]
    {
        let mut network = lossy(0.2, 40, coded(BlockSize::Fixed(block)));
        network.flows[0].size = Some(Bytes::new(size));
        network.flows[0].tcp.sack = sack;
        network.timing.warmup = windward_units::Time::ZERO;
        let output = simulate(&network, 3);
        let stats = &output.flows[0];
        assert_eq!(stats.delivered_bytes, size, "of blocks of {block}");
        assert!(stats.completion_s > 0.0, "{stats:?}");
        let last = output.blocks.last().expect("there are blocks");
        assert!(last.decoded_s <= stats.completion_s, "{last:?} {}", stats.completion_s);
    }
}

/// A seed gives the same run twice, and another seed another run.
#[test]
fn runs_repeat() {
    let network = lossy(0.1, 60, coded(BlockSize::MeanCwnd));
    let shown = |seed| format!("{:?}", simulate(&network, seed));
    assert!(shown(5) == shown(5));
    assert_ne!(simulate(&network, 5).coding, simulate(&network, 6).coding);
}
