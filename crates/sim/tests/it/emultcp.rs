//! E-MULTCP over simulated TCP: chen2007's own times and figure, and what the fast law is for.

use crate::common::{flow, law, link, network, plain_tcp, says, simulate};
use std::sync::LazyLock;
use windward_laws::emultcp::{Kind, Params};
use windward_sim::{
    Buffer, FlowConfig, LinkChange, LinkStep, Loss, LossDetection, Network, Output, Pattern, RtoRule, SourceConfig,
    TcpOptions, TransferConfig,
};
use windward_units::{BitRate, Bytes, Duration, Time};

/// The fast law without a bound.
const FREE: Params = Params { bound: false, ..Params::of(Kind::Fast) };
const PAGE: &str = "docs/reference/laws/emultcp.md";
const TRIALS: &str = "evidence/measured/emultcp-trials.md";

fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// A transfer controlled by `params` from 0 s on, over both directions of one path; then the flows of `others`.
fn transfer(
    params: Params,
    law_name: &str,
    tcp: TcpOptions,
    others: Vec<FlowConfig>,
) -> (Vec<FlowConfig>, TransferConfig) {
    let count = params.max as usize;
    let connection = |key| {
        let choice = law(law_name, serde_json::json!({}));
        FlowConfig { start: Time::NEVER, ..flow(key, choice, vec![0], vec![1], tcp.clone()) }
    };
    let flows = (100..).map(connection).take(count).chain(others).collect();
    let transfer = TransferConfig {
        flows: 0..count,
        controller: params,
        is_combined: false,
        probes: None,
        start: Time::ZERO,
        stop: None,
    };
    (flows, transfer)
}

/// The series of what the controller shows as `name`: (second, value).
fn shown(output: &Output, name: &str) -> Vec<(f64, f64)> {
    let internals = &output.internals;
    let wanted = internals.names.iter().position(|known| *known == name).expect("the transfer shows it") as u32;
    let samples = &internals.samples;
    let rows = samples.name.iter().zip(samples.time_s.iter().zip(&samples.value));
    rows.filter(|(name, _)| **name == wanted).map(|(_, (time, value))| (*time, *value)).collect()
}

/// chen2007 §5.1: 1 Mbit/s, 80 ms each way and 8 ms to transmit a packet of 1000 bytes make its RTT_min of 168 ms;
/// NewReno; packets are lost at rate `loss` after the queue of 50.
fn papers_link(loss: f64, params: Params, end: u64) -> Network {
    let mut out = link(1, 1_000_000, Duration::from_millis(80), Buffer::Packets(50));
    out.loss = if loss > 0.0 { Loss::Bernoulli(loss) } else { Loss::None };
    let back = link(2, 100_000_000, Duration::from_millis(80), Buffer::Unlimited);
    let tcp = TcpOptions { sack: false, timestamps: false, ..plain_tcp() };
    let (flows, transfer) = transfer(params, "reno", tcp, Vec::new());
    let internals = true;
    Network { transfers: vec![transfer], internals, ..network(vec![out, back], flows, end / 10, end) }
}

/// 300 s of that link, where probes of 32 bytes measure the round trips of one connection.
fn probed_link(loss: f64) -> Network {
    let mut network = papers_link(loss, Params { tau: 2.0, max: 1, ..Params::of(Kind::Paper) }, 300);
    let pattern = Pattern::Probes;
    let source = SourceConfig::new(7, (0, 1), vec![0], pattern, Bytes::new(32));
    network.sources = vec![SourceConfig { reply: Some(vec![1].into()), ..source }];
    network.transfers[0].probes = Some(0);
    network
}

/// §IV-A: a probe of 32 bytes for each data packet, there and back. On an empty link of 1 Mbit/s and 160 ms its round
/// trip is that of the path and 0.256 ms of transmission, 8 ms less than that of a packet of 1000 bytes.
#[test]
fn probes_leave_as_often_as_segments_and_measure_the_path() {
    let network = probed_link(0.08);
    let output = simulate(&network, 1);
    let (probes, flow) = (&output.sources[0], &output.flows[0]);
    let ratio = probes.sent as f64 / flow.segments_sent as f64;
    assert!((0.9..1.1).contains(&ratio), "{} probes for {} segments", probes.sent, flow.segments_sent);
    let trips: Vec<f64> =
        shown(&output, "mean_rtt_s").iter().map(|(_, rtt)| *rtt).filter(|rtt| rtt.is_finite()).collect();
    let least = trips.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((0.1602..0.1610).contains(&least), "{least}");
}

/// An outage of a minute: the rate of the transfer, and with it that of the probes, falls to nearly nothing. Once the
/// transfer sends again probes return, whose mean is the controller's round trip.
#[test]
fn probes_come_back_after_an_outage() {
    let mut network = probed_link(0.0);
    let step = |time: f64, is_up: bool| LinkStep {
        at: at(time),
        change: LinkChange { is_up: Some(is_up), ..LinkChange::default() },
    };
    network.topology.links_mut().next().expect("there is a link").steps =
        [step(100.0, false), step(160.0, true)].into();
    let output = simulate(&network, 1);
    let seen = shown(&output, "mean_rtt_s");
    let after = seen.iter().filter(|(time, _)| *time > 240.0);
    assert!(after.clone().count() > 10 && after.clone().all(|(_, rtt)| rtt.is_finite()), "{seen:?}");
}

/// §IV-C: opening takes (τ/2α)(N1² − N2²), closing (τ/α)·ln(N1/N2). At 6 % loss n passes 2 and then 4; when 3000 s are
/// over, datagrams fill the link, a queue stands, and n falls back to 2. With α = ¼ that is 2τ(16 − 4) = 24τ and
/// 4τ·ln(n/2).
///
/// Tolerances: updates are whole, one period each way; and (21) itself is a little faster than its formula, which
/// leaves out the α²/n² of each step: (α/2)·ln 4/α = 0.7 of a period. On the way up chance queues cost a period of
/// growth and a quarter of n each; the paper's own simulation took 660 s where its formula says 650. A fifth covers one
/// of them at n = 2.
#[test]
fn the_papers_ramps() {
    for tau in [20.0, 5.0] {
        let params = Params { tau, max: 16, ..Params::of(Kind::Paper) };
        let mut network = papers_link(0.06, params, 3600);
        let pattern = Pattern::Cbr { rate: BitRate::bits_per_sec(990_000) };
        network.sources = vec![SourceConfig {
            start: at(3000.0),
            ..SourceConfig::new(7, (0, 1), vec![0], pattern, Bytes::new(1000))
        }];
        let output = simulate(&network, 1);
        let (n, open) = (shown(&output, "n"), shown(&output, "open"));
        // What is open is ⌊n⌋ of the same look, or of the last one.
        let is_followed = |((_, open), (_, n)): (&(f64, f64), &(f64, f64))| (open - n.floor()).abs() <= 1.0;
        assert!(open.iter().zip(&n).all(is_followed), "τ = {tau}: the connections do not follow n");
        let passes = |after: f64, is_there: &dyn Fn(f64) -> bool| {
            let row = n.iter().find(|(time, value)| *time > after && is_there(*value));
            row.expect("n comes there").0
        };
        let up = passes(0.0, &|n| n >= 4.0) - passes(0.0, &|n| n >= 2.0);
        assert!((up / (24.0 * tau) - 1.0).abs() < 0.2, "τ = {tau}: {up} s from 2 to 4");
        let before = n.iter().rfind(|(time, _)| *time <= 3000.0).expect("it is sampled").1;
        let down = passes(3000.0, &|n| n <= 2.0) - 3000.0;
        let formula = 4.0 * tau * libm::log(before / 2.0);
        assert!(
            (down - formula).abs() <= 2.0 * tau,
            "τ = {tau}: {down} s from {before} to 2, by the formula {formula}"
        );
    }
}

/// chen2007 Fig. 7 at τ = 20 s: what the link carries of its best, B(1 − p), the round trip, and the connections.
///
/// The paper shows throughput within a quarter of the best and the round trip within a fifth of 168 ms, more
/// connections the more is lost, one connection without loss; (22) says 0.881 of the best for a link whose price does
/// not vary. With three standard errors of the runs, which last half an hour each where the paper's last two.
///
/// rtt_min is the least mean of a period. Without any loss it includes the queue of one connection, which never empties
/// the buffer. The run without loss therefore begins with losses of 2 %.
#[test]
fn the_papers_figure_7() {
    let params = Params { max: 16, ..Params::of(Kind::Paper) };
    let mut rows =
        ["| loss | throughput, share of B(1 − p) | RTT, ms | n |", "|---|---|---|---|"].map(str::to_owned).to_vec();
    let mut last = 0.0;
    for loss in [0.0, 0.02, 0.04, 0.06, 0.08] {
        let mut network = papers_link(if loss == 0.0 { 0.02 } else { loss }, params, 9000);
        if loss == 0.0 {
            let change = LinkChange { loss: Some(Loss::None), ..LinkChange::default() };
            network.topology.links_mut().next().expect("it has two").steps =
                [LinkStep { at: at(800.0), change }].into();
        }
        let runs: Vec<[f64; 3]> = (1..=4).map(|seed| figure_7(&network, loss, seed)).collect();
        let mean = |at: usize| runs.iter().map(|run| run[at]).sum::<f64>() / runs.len() as f64;
        let (share, rtt, n) = (mean(0), mean(1), mean(2));
        rows.push(format!("| {} % | {share:.2} | {rtt:.0} | {n:.1} |", loss * 100.0));
        assert!(n > last, "n falls to {n} at {loss}");
        last = n;
        if loss == 0.0 {
            assert!(n < 1.1 && share > 0.99, "{n} connections get {share} without loss");
        } else {
            // Sixteen runs have these means, with standard deviations of 0.004, 0.011, 0.009 and 0.008; four runs must
            // be within four standard errors of them.
            let (expected, error) = match loss {
                0.02 => (0.753, 0.008),
                0.04 => (0.818, 0.023),
                0.06 => (0.842, 0.019),
                _ => (0.845, 0.016),
            };
            assert!((share - expected).abs() < error, "{loss}: {share} of the best");
            assert!((168.0..1.2 * 168.0).contains(&rtt), "{loss}: {rtt} ms");
        }
    }
    says(TRIALS, "figure 7", &rows);
}

/// Share of the best throughput, mean RTT in milliseconds, mean n, after the first tenth.
fn figure_7(network: &Network, loss: f64, seed: u64) -> [f64; 3] {
    let output = simulate(network, seed);
    let segments: f64 = output.flows.iter().map(|flow| flow.delivered_bytes as f64 / 960.0).sum();
    let span = network.timing.duration.since(network.timing.warmup).as_secs();
    let mean = |name: &str| {
        let values = shown(&output, name).into_iter().filter(|(time, value)| *time > span / 9.0 && value.is_finite());
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), (_, value)| (sum + value, count + 1.0));
        sum / count
    };
    [segments * 8000.0 / span / (1e6 * (1.0 - loss)), mean("mean_rtt_s") * 1e3, mean("n")]
}

/// A file of 50 MB over 10 Mbit/s, 100 ms, a queue of one BDP and this loss, from a server with CUBIC. Returns the rate
/// of the file in Mbit/s, the mean queue in milliseconds while it lasts, and the rate of a competing CUBIC flow, which
/// began 10 s before if there is one.
fn download(connections: Connections, case: Case, seed: u64) -> [f64; 3] {
    // Seconds from its start. Most end within the first, and what goes on behind them would cost as much again.
    let whole = [55, 100, 200, 1200].into_iter().find_map(|span| download_within(span, connections, case, seed));
    whole.expect("a connection brings more than 0.4 Mbit/s")
}

/// Path of a download.
#[derive(Clone, Copy)]
struct Case {
    loss: f64,
    /// A CUBIC flow was there before.
    is_shared: bool,
    /// From 10 s on the way is 15 ms longer in both directions.
    is_rerouted: bool,
}

impl Case {
    fn label(self) -> String {
        let Self { loss, is_shared, is_rerouted } = self;
        let more = if is_shared { ", shared" } else { "" };
        format!("{} %{more}{}", loss * 100.0, if is_rerouted { ", 30 ms longer from 10 s on" } else { "" })
    }
}

/// The cases of the page's table.
const CASES: [Case; 6] = {
    const fn alone(loss: f64) -> Case {
        Case { loss, is_shared: false, is_rerouted: false }
    }
    [alone(0.0), alone(0.001), alone(0.01), alone(0.02), alone(0.04), Case { is_shared: true, ..alone(0.0) }]
};

/// A download's figures; `None` if it takes more than `span` seconds.
fn download_within(span: u64, connections: Connections, case: Case, seed: u64) -> Option<[f64; 3]> {
    let Case { loss, is_shared, is_rerouted } = case;
    let mut out = link(1, 10_000_000, Duration::from_millis(50), Buffer::Bytes(Bytes::new(125_000)));
    out.loss = if loss > 0.0 { Loss::Bernoulli(loss) } else { Loss::None };
    let back = link(2, 1_000_000_000, Duration::from_millis(50), Buffer::Unlimited);
    let start = if is_shared { 10 + seed } else { 0 };
    let (begin, end) = (start as f64, start + span);
    let cubic = |key| flow(key, law("cubic", serde_json::json!({})), vec![0], vec![1], TcpOptions::default());
    let mut network = match connections {
        Connections::Fixed(count) => {
            let flows = (100..100 + count).map(|key| FlowConfig { start: at(begin), ..cubic(key) }).collect();
            network(vec![out, back], flows, 0, end)
        }
        Connections::By(params) => {
            let (flows, transfer) = transfer(params, "cubic", TcpOptions::default(), Vec::new());
            let transfers = vec![TransferConfig { start: at(begin), ..transfer }];
            Network { transfers, ..network(vec![out, back], flows, 0, end) }
        }
    };
    network.timing.sample_interval = Duration::from_millis(100);
    let mine = network.flows.len();
    if is_shared {
        network.flows.push(cubic(1));
    }
    for link in network.topology.links_mut().filter(|_| is_rerouted) {
        let change = LinkChange { delay: Some(Duration::from_millis(65).into()), ..LinkChange::default() };
        link.steps = [LinkStep { at: at(10.0), change }].into();
    }
    let output = simulate(&network, seed);
    let (mut file, mut other, mut queue, mut looks) = (0.0, 0.0, 0.0, 0.0);
    let (flow_series, link_series) = (output.flow_series.unpack(), output.link_series.unpack());
    let flows = flow_series.goodput_bps.chunks_exact(network.flows.len());
    let links = link_series.queue_delay_ms.chunks_exact(2);
    for (goodputs, queues) in flows.zip(links).skip((begin * 10.0) as usize) {
        file += goodputs[..mine].iter().sum::<f64>() / 1e7;
        other += goodputs[mine..].iter().sum::<f64>() / 1e7;
        queue += queues[0];
        looks += 1.0;
        if file >= 400.0 {
            return Some([10.0 * file / looks, queue / looks, 10.0 * other / looks]);
        }
    }
    None
}

/// Choice of a download's number of connections.
#[derive(Clone, Copy)]
enum Connections {
    /// So many.
    Fixed(u64),
    /// By a controller.
    By(Params),
}

/// Means of six runs, or of 24 beside another flow: whose bursts meet decides half a minute, and one run differs from
/// the next by a sixth.
fn mean_download(connections: Connections, case: Case) -> [f64; 3] {
    let count = if case.is_shared { 24 } else { 6 };
    let runs: Vec<[f64; 3]> = (1..=count).map(|seed| download(connections, case, seed)).collect();
    [0, 1, 2].map(|at| runs.iter().map(|run| run[at]).sum::<f64>() / count as f64)
}

/// Means of the law as it is in each of `CASES`, for two tables.
static FAST: LazyLock<[[f64; 3]; CASES.len()]> =
    LazyLock::new(|| CASES.map(|case| mean_download(Connections::By(Params::default()), case)));

/// A row of a page's table.
fn row(case: Case, means: &[[f64; 3]]) -> String {
    let cell = |[file, queue, other]: &[f64; 3]| match case.is_shared {
        true => format!(" {file:.1}, leaves {other:.1} |"),
        false => format!(" {file:.1} ({queue:.0}) |"),
    };
    format!("| {} |{}", case.label(), means.iter().map(cell).collect::<String>())
}

/// The fast law with the least round trip of a window: on the same matrix, and where the way becomes longer by twice
/// the threshold.
#[test]
#[ignore = "a long test: make validate WHAT=long"]
fn a_window_costs_little_and_finds_a_longer_way() {
    let within = |window| Connections::By(Params { min_rtt_window: window, ..Params::default() });
    let columns = [10.0, 30.0, 120.0].map(within);
    let mut rows = ["| loss | for ever | 10 s | 30 s | 120 s |", "|---|---|---|---|---|"].map(str::to_owned).to_vec();
    let longer = Case { loss: 0.01, is_shared: false, is_rerouted: true };
    let ever = FAST.into_iter().chain([mean_download(within(0.0), longer)]);
    for (case, ever) in CASES.into_iter().chain([longer]).zip(ever) {
        let [ten, half_a_minute, two_minutes] = columns.map(|connections| mean_download(connections, case));
        let means = [ever, ten, half_a_minute, two_minutes];
        rows.push(row(case, &means));
        if case.is_rerouted {
            assert!(ever[0] < 4.0 && half_a_minute[0] > 1.5 * ever[0], "{means:?}");
        } else {
            assert!(half_a_minute[0] > 0.9 * ever[0], "{}: {means:?}", case.label());
        }
    }
    says(TRIALS, "window", &rows);
}

/// Goals of issue 6 for the fast law, beside one connection, sixteen, and the paper's own law. Means of six runs.
///
/// The floors are the issue's, below the spread of the seeds. Those for the other columns only confirm the issue's
/// link: one connection at 1 % loss gets a sixth, sixteen fill the queue and starve the competitor.
#[test]
#[ignore = "a long test: make validate WHAT=long"]
fn a_download_of_a_minute() {
    let columns = [
        ("one connection", Connections::Fixed(1)),
        ("sixteen", Connections::Fixed(16)),
        ("emultcp, τ = 20 s", Connections::By(Params::of(Kind::Paper))),
        ("emultcp-fast, no bound", Connections::By(FREE)),
    ];
    let names: String = columns.iter().map(|(name, _)| format!(" {name} |")).collect();
    let mut rows = vec![format!("| loss |{names} emultcp-fast |"), "|---|---|---|---|---|---|".to_owned()];
    let mut measured = Vec::new();
    for (case, fast) in CASES.into_iter().zip(*FAST) {
        let [one, sixteen, paper, free] = columns.map(|(_, connections)| mean_download(connections, case));
        let means = [one, sixteen, paper, free, fast];
        rows.push(row(case, &means));
        measured.push(means);
    }
    says(TRIALS, "download", &rows);
    let [clean, _, one, two, four, shared] = measured.as_slice() else { panic!("six rows were measured") };
    assert!(one[0][0] < 2.0 && one[1][1] > 40.0 && shared[1][2] < 2.0, "the link is another: {measured:?}");
    assert!(clean[3][0] >= 9.3, "{clean:?}");
    for ours in [3, 4] {
        assert!(one[ours][0] >= 8.3, "{one:?}");
        assert!(two[ours][0] >= 8.0, "{two:?}");
        assert!(four[ours][0] >= 7.0, "{four:?}");
        assert!(shared[ours][2] >= 5.0, "{shared:?}");
    }
    for row in &measured[1..5] {
        assert!(row[4][1] <= 20.0 && row[4][1] < row[3][1], "{row:?}");
    }
}

/// A link of evidence/benches/transfer/links.csv, which the law was not tuned on.
#[derive(Clone, Copy)]
struct Drawn {
    rate_mbps: f64,
    rtt_ms: f64,
    loss: f64,
    buffer_bdp: f64,
}

/// The thirty of them.
fn drawn() -> Vec<Drawn> {
    let rows = include_str!("../../../../evidence/benches/transfer/links.csv").lines().skip(1);
    let number = |field: &str| field.parse::<f64>().expect("a number");
    let link = |row: &str| match row.split(',').map(number).collect::<Vec<_>>().as_slice() {
        &[rate_mbps, rtt_ms, percent, buffer_bdp] => Drawn { rate_mbps, rtt_ms, loss: percent / 100.0, buffer_bdp },
        other => panic!("a rate, an RTT, a loss and a buffer: {other:?}"),
    };
    rows.map(link).collect()
}

/// Results of half a minute over a drawn link: shares of C(1 − p) from the start and in the last ten seconds, the mean
/// queue in milliseconds, and the rate of a CUBIC flow that began ten seconds before, in Mbit/s.
fn half_a_minute(drawn: Drawn, connections: Connections, is_shared: bool, tcp: &TcpOptions, seed: u64) -> [f64; 4] {
    let Drawn { rate_mbps, rtt_ms, loss, buffer_bdp } = drawn;
    let buffer = rate_mbps * 1e6 / 8.0 * rtt_ms / 1e3 * buffer_bdp;
    let delay = Duration::from_secs(rtt_ms / 2e3);
    let mut out = link(1, (rate_mbps * 1e6) as u64, delay, Buffer::Bytes(Bytes::new(buffer as u64)));
    out.loss = Loss::Bernoulli(loss);
    let back = link(2, 1_000_000_000, delay, Buffer::Unlimited);
    let begin = if is_shared { 10.0 } else { 0.0 };
    let cubic = |key| flow(key, law("cubic", serde_json::json!({})), vec![0], vec![1], tcp.clone());
    let (mut flows, transfers) = match connections {
        Connections::Fixed(count) => {
            ((100..100 + count).map(|key| FlowConfig { start: at(begin), ..cubic(key) }).collect(), Vec::new())
        }
        Connections::By(params) => {
            let (flows, controlled) = transfer(params, "cubic", tcp.clone(), Vec::new());
            (flows, vec![TransferConfig { start: at(begin), ..controlled }])
        }
    };
    let mine = flows.len();
    if is_shared {
        flows.push(cubic(1));
    }
    let count = flows.len();
    let mut network = Network { transfers, ..network(vec![out, back], flows, 0, begin as u64 + 30) };
    network.timing.sample_interval = Duration::from_millis(100);
    let output = simulate(&network, seed);
    let (flow_series, link_series) = (output.flow_series.unpack(), output.link_series.unpack());
    let flows = flow_series.goodput_bps.chunks_exact(count);
    let rows = flows.zip(link_series.queue_delay_ms.chunks_exact(2)).skip(10 * begin as usize);
    let mut sums = [0.0; 4];
    for (look, (goodputs, queues)) in rows.enumerate() {
        let file = goodputs[..mine].iter().sum::<f64>() / (rate_mbps * 1e6 * (1.0 - loss));
        sums[0] += file / 300.0;
        sums[1] += if look >= 200 { file / 100.0 } else { 0.0 };
        sums[2] += queues[0] / 300.0;
        sums[3] += goodputs[mine..].iter().sum::<f64>() / 1e6 / 300.0;
    }
    sums
}

/// Results over the drawn links: means, and the number of links on which the goal is reached.
struct Reached {
    /// Shares of C(1 − p) from the start and in the last ten seconds, and on how many links they are 0.8.
    shares: [(usize, f64); 2],
    /// Mean queue in milliseconds, and on how many links it is below a quarter of the round trip and ten milliseconds.
    queue: (usize, f64),
    /// Number of links on which a CUBIC flow keeps 0.9 of its rate beside one more, and its mean share of that rate.
    kept: (usize, f64),
}

/// Means of three runs of half a minute over each of `links`.
fn half_minutes(links: &[Drawn], connections: Connections, is_shared: bool, tcp: &TcpOptions) -> Vec<[f64; 4]> {
    let mean = |link: &Drawn| {
        let runs = [1, 2, 3].map(|seed| half_a_minute(*link, connections, is_shared, tcp, seed));
        [0, 1, 2, 3].map(|at| runs.iter().map(|run| run[at]).sum::<f64>() / 3.0)
    };
    links.iter().map(mean).collect()
}

/// Issue 15's measures over `links`: of the law without a bound, and of the law.
fn reached(links: &[Drawn], tcp: &TcpOptions) -> [Reached; 2] {
    let beside_one = half_minutes(links, Connections::Fixed(1), true, tcp);
    [FREE, Params::default()].map(|params| {
        let [alone, shared] = [false, true].map(|shared| half_minutes(links, Connections::By(params), shared, tcp));
        compared(links, &alone, &shared, &beside_one)
    })
}

/// The measures from what a download has alone and beside a CUBIC flow, and what that flow has beside one more.
fn compared(links: &[Drawn], alone: &[[f64; 4]], shared: &[[f64; 4]], beside_one: &[[f64; 4]]) -> Reached {
    let over = |is_reached: &dyn Fn(usize) -> bool, value: &dyn Fn(usize) -> f64| {
        let count = (0..links.len()).filter(|at| is_reached(*at)).count();
        (count, (0..links.len()).map(value).sum::<f64>() / links.len() as f64)
    };
    let kept = |at: usize| shared[at][3] / beside_one[at][3];
    Reached {
        shares: [0, 1].map(|part| over(&|at| alone[at][part] >= 0.8, &|at| alone[at][part])),
        queue: over(&|at| alone[at][2] < links[at].rtt_ms / 4.0 + 10.0, &|at| alone[at][2]),
        kept: over(&|at| kept(at) >= 0.9, &kept),
    }
}

/// In the last third of half a minute nine in ten links carry 0.8 of what they can, and on all of them the mean queue
/// stays below a quarter of the round trip and ten milliseconds. That is the bound's doing, and so is what a neighbour
/// keeps.
#[test]
#[ignore = "a long test: make validate WHAT=long"]
fn links_that_it_was_not_tuned_on() {
    let rfc = TcpOptions::default();
    let linux = TcpOptions {
        loss_detection: LossDetection::Rack,
        rto: RtoRule::Linux,
        compress_sacks: true,
        ..TcpOptions::default()
    };
    let links = drawn();
    let pairs = [rfc, linux].map(|tcp| reached(&links, &tcp));
    let columns = pairs.as_flattened();
    let row = |label: &str, unit: &str, digits: usize, of: &dyn Fn(&Reached) -> (usize, f64)| {
        let cell = |column| {
            let (count, mean) = of(column);
            format!(" {count}, mean {mean:.digits$}{unit} |")
        };
        format!("| {label} |{}", columns.iter().map(cell).collect::<String>())
    };
    let rows = [
        "| of 30 links | RFCs' TCP, no bound | RFCs' TCP | Linux's TCP, no bound | Linux's TCP |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
        row("0.8 of C(1 − p) from 0 to 30 s", "", 2, &|column| column.shares[0]),
        row("0.8 of C(1 − p) from 20 to 30 s", "", 2, &|column| column.shares[1]),
        row("a mean queue below RTT/4 + 10 ms", " ms", 0, &|column| column.queue),
        row("a CUBIC flow keeps 0.9 of what it has beside one more", "", 2, &|column| column.kept),
    ];
    says(PAGE, "drawn", &rows);
    for [free, law] in &pairs {
        assert!(law.shares[1].0 >= 27, "{rows:#?}");
        assert!(law.queue.0 == 30 && law.queue.1 < 0.5 * free.queue.1, "{rows:#?}");
        // The ratio of two means of three runs varies by 9.5 %, their mean over the links by 1.7 %.
        assert!(law.kept.1 >= 0.93 && law.kept.1 > free.kept.1 + 0.05, "{rows:#?}");
    }
}
