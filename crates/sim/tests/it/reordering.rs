//! Links that reorder, and what the two ways of finding losses make of it.

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{Buffer, FlowStats, LossDetection, Reorder, RtoRule, TcpOptions};
use windward_units::Duration;

/// A Reno flow over 10 Mbit/s and 40 ms; one packet in a hundred is overtaken by 8 ms, seven others.
fn over_a_reordering_link(loss_detection: LossDetection) -> FlowStats {
    let mut out = link(1, 10_000_000, Duration::from_millis(20), Buffer::Packets(100));
    out.reorder = Some(Reorder { share: 0.01, delay: Duration::from_millis(8) });
    let back = link(2, 10_000_000, Duration::from_millis(20), Buffer::Unlimited);
    let tcp = TcpOptions { loss_detection, rto: RtoRule::Linux, ..TcpOptions::default() };
    let reno = law("reno", serde_json::json!({}));
    let network = network(vec![out, back], vec![flow(1, reno, vec![0], vec![1], tcp)], 5, 65);
    let output = simulate(&network, 1);
    let balance = output.balance;
    assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way);
    output.flows[0].clone()
}

/// By counting, every overtaken packet is a loss and halves the window. By time, once it has seen reordering, the
/// sender waits for a quarter of the least round trip, 10 ms: what is sent again is what the full buffer dropped.
#[test]
fn by_time_reordering_is_no_loss() {
    let counting = over_a_reordering_link(LossDetection::Rfc6675);
    let by_time = over_a_reordering_link(LossDetection::Rack);
    assert!(counting.recoveries > 20, "{counting:?}");
    assert!(by_time.retransmits <= by_time.segments_lost + 2, "{by_time:?}");
    assert!(
        by_time.goodput_bps > 9.6e6 && counting.goodput_bps < 0.9 * by_time.goodput_bps,
        "{counting:?} {by_time:?}"
    );
}
