//! Growth of the window with its use: slow start after a timeout, windows that are not used, and marks after a timeout,
//! for every law and both stacks.

use crate::common::{flow, law, link, network, simulate};
use windward_laws::LawSpec;
use windward_sim::{
    Buffer, CoDelConfig, EcnMode, FlowConfig, LawChoice, LinkChange, LinkConfig, LinkStep, Loss, Output, QueueConfig,
    Rate, TcpOptions, Writing,
};
use windward_units::{BitRate, Bytes, Duration, Packets, Time};

const SEGMENT: u64 = 1448;

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// Both stacks, with SACK and without.
fn stacks() -> [(&'static str, TcpOptions); 4] {
    [
        ("rfc", TcpOptions::default()),
        ("rfc, no SACK", TcpOptions { sack: false, ..TcpOptions::default() }),
        ("linux", TcpOptions::linux(true)),
        ("linux, no SACK", TcpOptions::linux(false)),
    ]
}

/// All laws but those that model their path by rates: these have a window for safety only.
fn laws() -> impl Iterator<Item = (&'static str, LawChoice)> {
    LawSpec::all().into_iter().filter_map(|spec| {
        let name = spec.name();
        (!spec.build(Packets::new(10.0)).needs().reads_samples).then_some((name, LawChoice::Known(spec)))
    })
}

/// A link of 50 ms there and back.
fn path(rate: u64, buffer: u64) -> Vec<LinkConfig> {
    vec![link(0, rate, ms(25), Buffer::Packets(buffer)), link(1, rate, ms(25), Buffer::Unlimited)]
}

/// Loses all data in this time.
fn outage(links: &mut [LinkConfig], from: u64, to: u64) {
    let step = |at: u64, loss: f64| LinkStep {
        at: Time::ZERO + ms(at),
        change: LinkChange { loss: Some(Loss::Bernoulli(loss)), ..LinkChange::default() },
    };
    links[0].steps = vec![step(from, 1.0), step(to, 0.0)].into();
}

/// Runs one flow, whose statistics count in this span of seconds.
fn one(links: Vec<LinkConfig>, law: LawChoice, tcp: TcpOptions, size: Option<u64>, [from, to]: [u64; 2]) -> Output {
    let flow = FlowConfig { size: size.map(Bytes::new), ..flow(0, law, vec![0], vec![1], tcp) };
    simulate(&network(links, vec![flow], from, to), 1)
}

fn goodput(output: &Output) -> f64 {
    output.flows[0].goodput_bps / 1e6
}

/// A writer of so many segments every 100 ms.
fn writing(segments: u64, tcp: TcpOptions) -> TcpOptions {
    let writing = Writing::Fixed { chunk: Bytes::new(SEGMENT * segments), every: ms(100) };
    TcpOptions { writing: Some(writing), ..tcp }
}

/// RFC 5681 §3.1: a timeout is followed by slow start, whether or not there are new data. The last 108 segments of a
/// file are lost until 0.8 s. The timer expires twice, the second time within 0.4 s of the outage's end. With delayed
/// ACKs a window of one grows by half in a round trip: 1, 2, 3, 5, 8, 12, 18, 27 and 41 segments, nine round trips of
/// 50 ms and the delay of an ACK (40 ms). Linux 6.18 needs 1.63 s between kernels.
#[test]
fn slow_start_after_a_timeout_needs_no_new_data() {
    for (stack, tcp) in stacks() {
        for (name, law) in laws().filter(|(name, _)| ["reno", "cubic", "hybla", "scalable"].contains(name)) {
            let mut links = path(100_000_000, 1000);
            outage(&mut links, 270, 800);
            let took = one(links, law, tcp.clone(), Some(600_000), [0, 20]).flows[0].completion_s;
            assert!(took < 0.8 + 0.4 + 9.0 * 0.05 + 0.04, "{name}, {stack}: {took} s");
        }
    }
}

/// Slow start after a timeout with a receive window of 200 segments: CUBIC restarts at β = 0.7 of them at least.
#[test]
fn slow_start_after_a_timeout_needs_no_room_at_the_receiver() {
    for (stack, tcp) in stacks() {
        let tcp = TcpOptions { receive_window: 200, ..tcp };
        let mut links = path(50_000_000, 300);
        outage(&mut links, 3000, 3600);
        let found = |span| goodput(&one(links.clone(), law("cubic", serde_json::json!({})), tcp.clone(), None, span));
        let (before, after) = (found([1, 3]), found([5, 7]));
        assert!(after > 0.7 * before, "{stack}: {after} of {before} Mbit/s");
    }
}

/// Without SACK an ACK after a timeout skips segments that had arrived before: they are no rate, and do not open the
/// window. Laws that control a rate have the link again six seconds after an outage. Linux's BBR takes them for a rate:
/// between kernels 6.18 it has less than 8 Mbit/s of 20 for ten seconds and more.
#[test]
fn rates_without_sack_are_those_of_the_path_after_a_timeout() {
    for (stack, tcp) in stacks().into_iter().filter(|(_, tcp)| !tcp.sack) {
        for name in ["bbr", "bbr3", "copa"].into_iter().filter(|name| stack.starts_with("rfc") || *name != "bbr") {
            for (mbit, buffer, lasts) in [(20, 100, 600), (10, 100, 300), (20, 400, 600)] {
                let mut links = path(mbit * 1_000_000, buffer);
                outage(&mut links, 2000, 2000 + lasts);
                let found = goodput(&one(links, law(name, serde_json::json!({})), tcp.clone(), None, [8, 30]));
                assert!(found > 0.9 * mbit as f64, "{name}, {stack}, {buffer} packets: {found} of {mbit} Mbit/s");
            }
        }
    }
}

/// A writer of 20 segments every 100 ms has its rate again a few seconds after an outage, by every law that does not
/// give way to its own bursts, as TCP-LP does.
#[test]
fn a_writer_recovers_from_a_timeout() {
    let rate = 20.0 * 8.0 * SEGMENT as f64 / 1e5;
    for (stack, tcp) in stacks() {
        for (name, law) in laws().filter(|(name, _)| *name != "lp") {
            let mut links = path(10_000_000, 100);
            outage(&mut links, 2000, 2600);
            let output = one(links, law, writing(20, tcp.clone()), None, [6, 10]);
            // A write more or less at either end of four seconds.
            assert!((goodput(&output) / rate - 1.0).abs() < 0.03, "{name}, {stack}: {} Mbit/s", goodput(&output));
        }
    }
}

/// Two TCP-LP flows use an idle link of 10 Mbit/s and 60 ms: the wait of delayed ACKs at small windows is no sign of
/// others. Windows that were halved together and grow by a packet a round trip leave three quarters; windows reduced to
/// one packet leave half.
#[test]
fn low_priority_flows_use_an_idle_link() {
    for (stack, tcp) in stacks() {
        let lp = |key: u32| FlowConfig {
            start: Time::ZERO + ms(20_000 * u64::from(key)),
            ..flow(key.into(), law("lp", serde_json::json!({})), vec![0], vec![1], tcp.clone())
        };
        let links =
            vec![link(0, 10_000_000, ms(30), Buffer::Packets(75)), link(1, 10_000_000, ms(30), Buffer::Unlimited)];
        let output = simulate(&network(links, vec![lp(0), lp(1)], 30, 90), 1);
        let goodputs: Vec<f64> = output.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect();
        assert!(goodputs.iter().sum::<f64>() > 5.0, "{stack}: {goodputs:?} Mbit/s");
    }
}

/// One over 14.8 Mbit/s and 102 ms, paced: packets of a window of two are 40 ms apart, and each of their ACKs waits for
/// 40 ms. Without pacing it has 8.3 Mbit/s, and 0.33 where the wait is taken for a queue.
#[test]
fn paced_low_priority_flows_use_an_idle_link() {
    for (stack, tcp) in stacks() {
        let tcp = TcpOptions { pacing: true, ..tcp };
        let links =
            vec![link(0, 14_800_000, ms(51), Buffer::Packets(171)), link(1, 14_800_000, ms(51), Buffer::Unlimited)];
        let output = one(links, law("lp", serde_json::json!({})), tcp, None, [0, 16]);
        assert!(goodput(&output) > 4.0, "{stack}: {} Mbit/s", goodput(&output));
    }
}

/// A window that does not limit the sender does not grow: RFC 9438 §5.8, RFC 9002 §7.8, Linux (`tcp_is_cwnd_limited`).
/// Slow start ends at twice the outstanding segments, which an ACK may pass by those that it acknowledges: three times
/// what a writer or a full receive window has out. At 300 ms Hybla would add 4095 for each packet. The windows of laws
/// that model their path by rates are bounds for safety, of two bandwidth-delay products and a fifth at most.
#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut grown = Vec::new();
    for (stack, tcp) in stacks() {
        for spec in LawSpec::all() {
            let name = spec.name();
            let is_by_rate = spec.build(Packets::new(10.0)).needs().reads_samples;
            let law = LawChoice::Known(spec);
            for (rtt, most, tcp) in [
                (50, 21, writing(21, tcp.clone())),
                (50, 50, TcpOptions { receive_window: 50, ..tcp.clone() }),
                (300, 50, TcpOptions { receive_window: 50, ..tcp.clone() }),
            ] {
                let ways = [Buffer::Packets(1000), Buffer::Unlimited];
                let links = [0, 1].map(|key| link(key, 100_000_000, ms(rtt / 2), ways[key as usize]));
                let output = one(links.to_vec(), law, tcp, None, [0, 15]);
                let cwnd = &output.flow_series.unpack().cwnd;
                let largest = cwnd.iter().copied().fold(0.0, f64::max);
                let bdp = 1e8 * rtt as f64 / 1e3 / (8.0 * 1500.0);
                let bound = if is_by_rate { 2.2 * bdp } else { 3.0 * f64::from(most) };
                if cwnd[cwnd.len() - 1].is_nan() || largest > bound {
                    grown.push(format!("{name}, {stack}, {rtt} ms: {largest} with {most} segments out"));
                }
            }
        }
    }
    assert!(grown.is_empty(), "{grown:#?}");
}

/// RFC 3168 §6.1.2 and §6.1.5: until the gaps of a timeout are repaired the receiver repeats a mark, which holds no
/// window: RFC 5681 §3.1's slow start goes on. CoDel marks while the link is slow, then nothing arrives for 0.7 s. With
/// ECN the flow has what it has without, at least half of it in the five seconds that follow.
#[test]
fn marks_do_not_hold_the_window_after_a_timeout() {
    for (stack, tcp) in stacks() {
        for name in ["reno", "cubic", "hybla", "htcp"] {
            let found = |ecn: EcnMode| {
                let mut links = path(20_000_000, 1000);
                let marks = ecn != EcnMode::Off;
                links[0].queue = QueueConfig::CoDel(CoDelConfig { marks, ..CoDelConfig::default() });
                let rate = |mbit: u64| Some(Rate::Constant(BitRate::bits_per_sec(mbit * 1_000_000)));
                let loss = |share: f64| Some(Loss::Bernoulli(share));
                let step = |at: u64, change: LinkChange| LinkStep { at: Time::ZERO + ms(at), change };
                links[0].steps = vec![
                    step(5000, LinkChange { rate: rate(2), ..LinkChange::default() }),
                    step(5300, LinkChange { loss: loss(1.0), ..LinkChange::default() }),
                    step(6000, LinkChange { rate: rate(20), loss: loss(0.0), ..LinkChange::default() }),
                ]
                .into();
                let tcp = TcpOptions { ecn, ..tcp.clone() };
                goodput(&one(links, law(name, serde_json::json!({})), tcp, None, [7, 12]))
            };
            let (with, without) = (found(EcnMode::Classic), found(EcnMode::Off));
            assert!(with > 0.5 * without, "{name}, {stack}: {with} Mbit/s with ECN, {without} without");
        }
    }
}
