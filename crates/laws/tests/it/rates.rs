//! Laws that model their path by rates and delays, alone and together on one bottleneck of 1000 packets a second and
//! 100 ms.

use crate::host::{Bottleneck, Flow, Trace, run};
use windward_laws::{LawSpec, bbr, bbr3, copa};
use windward_units::{Duration, Time};

/// `flows` of one law, counted from 20 s to 60 s.
fn traces(law: LawSpec, flows: usize, buffer: f64) -> Vec<Trace> {
    let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
    let flows: Vec<Flow> =
        (0..flows).map(|n| Flow { start: at(n as u64), ..Flow::new(law, Duration::from_millis(100)) }).collect();
    run(Bottleneck { rate: 1000.0, buffer }, &flows, at(20), at(60))
}

/// Cardwell et al. 2016, Fig. 1: the whole rate with less than a bandwidth-delay product of 101 packets in the queue,
/// whatever the buffer. 99 % of it goes out, and in 4 of 40 s it is measured for 0.3 s with 4 packets in flight:
/// 0.99·(1 − 0.03) = 0.96.
#[test]
fn bbr_alone_fills_the_link_and_not_the_buffer() {
    for law in [LawSpec::Bbr(bbr::Params::default()), LawSpec::Bbr3(bbr3::Params::default())] {
        for buffer in [100.0, 1000.0] {
            let trace = traces(law, 1, buffer).remove(0);
            println!(
                "{} {buffer}: {:.0}/s, {:.1} waiting, {} losses",
                law.name(),
                trace.rate,
                trace.backlog,
                trace.losses
            );
            assert!(trace.rate > 950.0, "{}: {}", law.name(), trace.rate);
            assert!(trace.backlog < 60.0, "{}: {}", law.name(), trace.backlog);
        }
    }
}

/// Two flows of version 1 together hold up to the two products that each is allowed: the queue has one to two products,
/// and the shares are alike to a third (both measure the round trip anew at the same time, as the paper's Fig. 6
/// shows).
#[test]
fn bbr_flows_share() {
    let both = traces(LawSpec::Bbr(bbr::Params::default()), 2, 1000.0);
    let share = both[0].rate / (both[0].rate + both[1].rate);
    println!("share {share:.2}, {:.1} and {:.1} waiting", both[0].backlog, both[1].backlog);
    assert!((share - 0.5).abs() < 0.17, "{share}");
    assert!(both[0].rate + both[1].rate > 950.0);
}

/// In a buffer of a tenth of a product version 1 goes on losing packets, version 3 stays near its 2 % only while it
/// probes: draft §5.
#[test]
fn version_3_loses_less_in_a_short_buffer() {
    let [one, three] = [LawSpec::Bbr(bbr::Params::default()), LawSpec::Bbr3(bbr3::Params::default())]
        .map(|law| traces(law, 1, 10.0).remove(0));
    println!("version 1: {:.0}/s, {} losses; 3: {:.0}/s, {} losses", one.rate, one.losses, three.rate, three.losses);
    assert!(three.losses * 2 < one.losses, "{} and {}", one.losses, three.losses);
    assert!(three.rate > 850.0, "{}", three.rate);
}

/// Arun and Balakrishnan, §3: each flow rests at x·d_q = 1/δ and swings to 2.5/δ and empty in five round trips; the
/// mean of the queue lies in between, and flows share alike. Four that begin a second apart would take each other for
/// flows that fill the queue.
#[test]
fn copa_flows_keep_some_packets_each_and_share() {
    for (count, delta) in [(1, 0.5), (2, 0.5), (4, 0.5), (1, 0.1)] {
        let law = LawSpec::Copa(copa::Params { delta, competitive: count < 4, ..Default::default() });
        let all = traces(law, count, 1000.0);
        let total: f64 = all.iter().map(|trace| trace.rate).sum();
        let waiting: f64 = all.iter().map(|trace| trace.backlog).sum();
        println!("{count} flows, 1/δ = {:.0}: {total:.0}/s, {waiting:.1} waiting", 1.0 / delta);
        for trace in &all {
            let share = trace.rate * count as f64 / total;
            assert!((share - 1.0).abs() < 0.2, "{count}, {delta}: {share}");
        }
        assert!(total > 950.0, "{count}, {delta}: {total}");
        let least = 0.5 * count as f64 / delta;
        assert!((least..=5.0 * least).contains(&waiting), "{count}, {delta}: {waiting}");
    }
}
