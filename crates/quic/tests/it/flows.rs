//! Flows over QUIC in scenarios, beside TCP with the same law.

use std::thread;
use windward_quic::ends;
use windward_scenario::Scenario;
use windward_sim::{Control, FlowStats, Makers, Output, run};

/// Runs a scenario for a seed.
fn simulate(text: &str, seed: u64) -> Output {
    let scenario = Scenario::from_toml(text, "flows.toml").unwrap_or_else(|error| panic!("{error}"));
    let makers = Makers { quic: Some(ends(None)), ..Makers::default() };
    run(&scenario.compile(seed).network, &makers, seed, &Control::new(), None).expect("it is not cancelled")
}

/// Flows `flow` from a to b over `link`, and its keys.
fn over(link: &str, flow: &str, duration: u32) -> String {
    format!(
        r#"
name = "flows"
duration = "{duration} s"
warmup = "10 s"
node = [{{ name = "a" }}, {{ name = "b" }}]
link = [{{ from = "a", to = "b", {link}, reverse = {{ buffer = "unlimited" }} }}]
flow = [{{ from = "a", to = "b", {flow} }}]
"#
    )
}

/// Goodput in Mbit/s, the mean queue in packets, and the share of lost packets, over 110 s.
fn figures(link: &str, flow: &str) -> (f64, f64, f64) {
    let output = simulate(&over(link, flow, 120), 1);
    (output.flows[0].goodput_bps / 1e6, output.links[0].mean_backlog, output.flows[0].loss)
}

/// Payload of TCP in a packet of 1500 bytes, and of QUIC: less the short header of 11 or 12 bytes, the tag of 16 bytes
/// and the header of a frame of 6 to 10 bytes.
const TCP: f64 = 1448.0;
const QUIC: f64 = 1439.0;

/// The ends detect losses alike (by time and by three later packets), but quinn paces at 1.25 windows a round trip with
/// bursts of ten, has no PRR, and acknowledges every second packet. A burst is part of a short queue: a packet is
/// allowed where a tenth is less. Laws whose rate keeps the queue short are left out, for quinn's pacer does not take
/// it.
#[test]
fn goodput_and_queue_are_those_of_tcp_under_the_same_law() {
    let networks = [
        r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "42 packets""#,
        r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "83 packets""#,
        r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "167 packets""#,
        r#"rate = "50 Mbit/s", delay = "10 ms", buffer = "83 packets""#,
        r#"rate = "2 Mbit/s", delay = "30 ms", buffer = "20 packets""#,
        r#"rate = "20 Mbit/s", delay = "20 ms", queue = "codel", buffer = "1000 packets""#,
    ];
    let mut wrong = Vec::new();
    for law in ["reno", "cubic", "vegas", "copa"] {
        for network in networks {
            let (tcp, tcp_queue, tcp_lost) = figures(network, &format!("law = \"{law}\""));
            let (quic, quic_queue, lost) = figures(network, &format!("law = \"{law}\", transport = \"quic\""));
            let rate = quic / QUIC / (tcp / TCP);
            let line = format!(
                "{law}, {network}: {quic:.3} ({tcp:.3}) Mbit/s {rate:.4}, queue {quic_queue:.2} ({tcp_queue:.2}), \
                 lost {lost:.5} ({tcp_lost:.5})"
            );
            println!("{line}");
            if (rate - 1.0).abs() > 0.02 || (quic_queue - tcp_queue).abs() > (0.1 * tcp_queue).max(1.0) {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The full packet of 1480 bytes of the trial behind the crate: quinn's own CUBIC carried 9.586 Mbit/s.
#[test]
fn cubic_carries_what_the_link_does_at_one_product() {
    let link = r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "83 packets""#;
    let flow = r#"law = "cubic", transport = "quic", segment = "1428 B""#;
    let rate = simulate(&over(link, flow, 60), 1).flows[0].goodput_bps / 1e6;
    assert!((rate - 9.586).abs() < 0.01, "{rate}");
}

/// The goodput test of the QUIC interop runner: 10 MB over 10 Mbit/s, 15 ms each way, 25 packets of buffer. The link
/// needs 8.35 s, connection and slow start some round trips of 30 ms.
#[test]
fn ten_megabytes_take_what_the_interop_runner_measures() {
    let link = r#"rate = "10 Mbit/s", delay = "15 ms", buffer = "25 packets""#;
    for law in ["reno", "cubic"] {
        let flow = format!("law = \"{law}\", transport = \"quic\", size = \"10 MB\"");
        let output = simulate(&over(link, &flow, 20), 1);
        let took = output.flows[0].completion_s;
        println!("{law}: {took} s, {} Mbit/s", 80.0 / took);
        assert!((8.4..8.9).contains(&took), "{law}: {took}");
    }
}

fn fingerprint(output: Output) -> String {
    format!("{:?}", output.into_tables())
}

#[test]
fn runs_are_equal_to_the_bit_on_any_number_of_threads() {
    let text = over(
        r#"rate = "10 Mbit/s", delay = "20 ms", buffer = "40 packets", loss = 0.002"#,
        r#"law = "bbr3", transport = "quic", count = 3, start_step = "1 s""#,
        20,
    );
    let expected = [1, 2].map(|seed| fingerprint(simulate(&text, seed)));
    assert_ne!(expected[0], expected[1]);
    for threads in [1, 2, 8] {
        thread::scope(|scope| {
            let runs: Vec<_> = (0..threads)
                .map(|at| {
                    scope.spawn({
                        let text = &text;
                        move || (at, fingerprint(simulate(text, 1 + at % 2)))
                    })
                })
                .collect();
            for run in runs {
                let (at, found) = run.join().expect("it does not panic");
                assert!(found == expected[(at % 2) as usize], "thread {at} of {threads}");
            }
        });
    }
}

fn flow(link: &str, flow: &str) -> FlowStats {
    simulate(&over(link, flow, 30), 1).flows.swap_remove(0)
}

/// quinn sends ECT(0) and answers the echo of a mark as a loss without lost bytes; without `ecn` the queue drops.
#[test]
fn queues_mark_the_flows_that_have_ecn() {
    let link =
        r#"rate = "10 Mbit/s", delay = "10 ms", queue = { discipline = "codel", ecn = true }, buffer = "1000 packets""#;
    let marked = flow(link, r#"law = "reno", transport = "quic", ecn = "accurate""#);
    let dropped = flow(link, r#"law = "reno", transport = "quic""#);
    assert!(marked.marked > 10 && marked.segments_lost == 0 && marked.retransmits == 0, "{marked:?}");
    assert!(dropped.marked == 0 && dropped.segments_lost > 10, "{dropped:?}");
    assert!((marked.goodput_bps / dropped.goodput_bps - 1.0).abs() < 0.05, "{marked:?}, {dropped:?}");
}

/// quinn declares lost the packets that the network has lost, apart from those under way at the measurement's ends.
#[test]
fn losses_of_the_network_are_found() {
    let link = r#"rate = "10 Mbit/s", delay = "20 ms", buffer = "1000 packets", loss = 0.01"#;
    let found = flow(link, r#"law = "cubic", transport = "quic""#);
    assert!(found.segments_lost > 30, "{found:?}");
    assert!(found.retransmits.abs_diff(found.segments_lost) <= 3, "{found:?}");
}

/// 125 kB in 101 ms are 9.9 Mbit/s. New credit leaves when an eighth of the window has been read.
#[test]
fn a_receive_window_bounds_the_rate() {
    let link = r#"rate = "100 Mbit/s", delay = "50 ms", buffer = "1000 packets""#;
    let rate = flow(link, r#"law = "cubic", transport = "quic", receive_window = "125 kB""#).goodput_bps / 1e6;
    assert!((8.0..9.9).contains(&rate), "{rate}");
}

/// The client knows of the last byte two round trips after it has begun: one for the handshake, one for the data. 0-RTT
/// saves the first. A flow that is stopped sends nothing any more.
#[test]
fn flows_begin_and_end_when_they_say() {
    let link = r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "83 packets""#;
    let short = flow(link, r#"law = "cubic", transport = "quic", size = "1 kB", start = "15 s""#);
    assert!((0.2..0.24).contains(&short.completion_s) && short.delivered_bytes == 1000, "{short:?}");
    let first = ["false", "true"].map(|resumed| {
        let keys =
            format!(r#"law = "cubic", transport = "quic", size = "10 kB", start = "15 s", zero_rtt = {resumed}"#);
        let series = simulate(&over(link, &keys, 20), 1).flow_series.unpack();
        let mut arrivals = series.time_s.iter().zip(&series.goodput_bps).filter(|(_, rate)| **rate > 0.0);
        *arrivals.next().expect("it arrives").0
    });
    // Samples are 100 ms apart: data arrives after 150 ms, or after 50.
    assert!((first[0] - first[1] - 0.1).abs() < 1e-6, "{first:?}");
    let text = over(link, r#"law = "cubic", transport = "quic", start = "12 s", stop = "20 s""#, 30);
    let output = simulate(&text, 1);
    assert!((output.flows[0].goodput_bps - 9.5e6).abs() < 0.3e6, "{:?}", output.flows[0]);
    let series = output.flow_series.unpack();
    let late = series.time_s.iter().zip(&series.goodput_bps).filter(|(time, _)| **time > 20.5);
    assert!(late.clone().count() > 50 && late.clone().all(|(_, rate)| *rate == 0.0));
    assert!(series.cwnd.last().is_some_and(|cwnd| cwnd.is_nan()), "it is closed");
}

/// 1 Mbit/s of writes are 1 Mbit/s of goodput, and a window that is not used does not grow.
#[test]
fn a_writer_has_its_pace() {
    let link = r#"rate = "10 Mbit/s", delay = "20 ms", buffer = "100 packets""#;
    let found = flow(link, r#"law = "reno", transport = "quic", write = { rate = "1 Mbit/s", every = "20 ms" }"#);
    assert!((found.goodput_bps / 1e6 - 1.0).abs() < 0.005, "{found:?}");
    assert!(found.mean_cwnd < 20.0, "{found:?}");
    let whole =
        flow(link, r#"law = "reno", transport = "quic", write = { chunk = "10 kB", every = "1 s" }, size = "95 kB""#);
    // The tenth write is at 9 s, after the handshake of 40 ms, and takes half a round trip there and back.
    assert!((9.08..9.15).contains(&whole.completion_s), "{whole:?}");
}

/// Data of both transports behind FQ-CoDel under one law: each has half, as far as CoDel's drops let CUBIC fill it.
#[test]
fn quic_and_tcp_share_a_queue() {
    let text = r#"
name = "beside"
duration = "120 s"
warmup = "20 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "20 Mbit/s", delay = "20 ms", queue = "fq-codel", buffer = "1000 packets" }]
flow = [
  { from = "a", to = "b", law = "cubic", name = "tcp" },
  { from = "a", to = "b", law = "cubic", name = "quic", transport = "quic" },
]
"#;
    let output = simulate(text, 1);
    let [tcp, quic] = [0, 1].map(|at| output.flows[at].goodput_bps);
    // FQ-CoDel gives each its turns. What is left is how fast each fills its share again after CoDel's drops: 2.4 %.
    assert!((quic / QUIC / (tcp / TCP) - 1.0).abs() < 0.05, "{tcp}, {quic}");
}

/// quinn's CUBIC in a scenario is quinn's CUBIC in a driver of its own, and its BBR loses a quarter of its packets at
/// half a bandwidth-delay product. Its random phases change nothing that is sent.
#[test]
fn quinns_own_controllers_run_in_scenarios() {
    let over = |law: &str, packets: u32| {
        let link = format!(r#"rate = "10 Mbit/s", delay = "50 ms", buffer = "{packets} packets""#);
        let flow = format!(r#"law = "{law}", law_of = "quinn", transport = "quic", segment = "1428 B""#);
        simulate(&over(&link, &flow, 60), 1)
    };
    let cubic = over("cubic", 83);
    assert!((cubic.flows[0].goodput_bps / 1e6 - 9.586).abs() < 0.01, "{:?}", cubic.flows[0]);
    assert!((over("reno", 83).flows[0].goodput_bps / 1e6 - 9.56).abs() < 0.05);
    let bbr = over("bbr", 42);
    assert!((0.2..0.35).contains(&bbr.flows[0].loss), "{:?}", bbr.flows[0]);
    assert_eq!(fingerprint(bbr), fingerprint(over("bbr", 42)));
}
