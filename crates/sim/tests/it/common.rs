//! Small networks that several tests use.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use windward_laws::LawSpec;
use windward_sim::*;
use windward_units::{BitRate, Bytes, Duration, Time};

/// The law `name` with `parameters` over its defaults.
pub fn law(name: &str, parameters: serde_json::Value) -> LawChoice {
    LawChoice::Known(LawSpec::from_json(name, parameters).expect("a known law"))
}

/// A link that neither loses nor jitters.
pub fn link(key: u64, rate: u64, delay: Duration, buffer: Buffer) -> LinkConfig {
    let rate = BitRate::bits_per_sec(rate);
    LinkConfig { buffer, ..LinkConfig::new(key, rate, delay) }
}

/// A flow over `forward`, back over `backward`.
pub fn flow(key: u64, law: LawChoice, forward: Vec<u32>, backward: Vec<u32>, tcp: TcpOptions) -> FlowConfig {
    FlowConfig {
        key,
        source: 2 * key as u32,
        sink: 2 * key as u32 + 1,
        forward: forward.into(),
        backward: backward.into(),
        law,
        start: Time::ZERO,
        stop: None,
        size: None,
        tcp,
        coding: None,
    }
}

/// Datagrams of `size` bytes over one link between its ends.
pub fn stream(link: u32, ends: (u32, u32), pattern: Pattern, size: u64) -> SourceConfig {
    SourceConfig::new(u64::from(link), ends, vec![link], pattern, Bytes::new(size))
}

/// A client of node 0 and its server at node 1, over link 0 and back over link 1.
pub fn app(law: LawChoice, tcp: TcpOptions, kind: AppKind) -> AppConfig {
    AppConfig {
        key: 7,
        client: 0,
        server: 1,
        forward: vec![0].into(),
        backward: vec![1].into(),
        law,
        tcp,
        start: Time::ZERO,
        stop: None,
        request: Bytes::new(328),
        ideal: Ideal { rate: BitRate::bits_per_sec(0), rtt: Duration::ZERO },
        kind,
    }
}

/// Requests that servers answer at once.
pub fn requests(arrivals: Arrivals, response: Size, connections: ConnectionUse) -> AppKind {
    AppKind::Requests(RequestsConfig { arrivals, response, service: Duration::ZERO, connections, deadline: None })
}

/// A network of these parts; statistics count from `warmup` to `end`, in seconds.
pub fn network(links: Vec<LinkConfig>, flows: Vec<FlowConfig>, warmup: u64, end: u64) -> Network {
    let at = |seconds: u64| Time::ZERO + Duration::from_millis(1000 * seconds);
    let timing = Timing { duration: at(end), warmup: at(warmup), sample_interval: Duration::from_millis(1000) };
    Network { flows, ..Network::new(Topology::of_links(links), timing) }
}

/// All disciplines, those that can mark with and without.
pub fn queues() -> Vec<QueueConfig> {
    let marking = |queue: QueueConfig| [queue.with_marks(false), queue.with_marks(true)].into_iter().flatten();
    let queues = |queue: QueueConfig| match queue.with_marks(false) {
        Some(_) => marking(queue).collect(),
        None => vec![queue],
    };
    QueueConfig::all().into_iter().flat_map(queues).collect()
}

/// Returns the network with a queue of this discipline before every link.
pub fn with_queues(mut network: Network, queue: QueueConfig) -> Network {
    network.topology.links_mut().for_each(|link| link.queue = queue);
    network
}

/// The output of a run that nobody interrupts.
pub fn simulate(network: &Network, seed: u64) -> Output {
    run(network, &Makers::default(), seed, &Control::new(), None).expect("nobody interrupts it")
}

/// TCP as the papers' simulations use it: 1000-byte packets, headers included, every segment acknowledged.
pub fn plain_tcp() -> TcpOptions {
    TcpOptions { segment: Bytes::new(960), overhead: Some(Bytes::new(40)), delayed_ack: None, ..TcpOptions::default() }
}

/// Mean and half width of the confidence interval with the given Student factor.
pub fn interval(samples: &[f64], student: f64) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n;
    let variance = samples.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / (n - 1.0);
    (mean, student * (variance / n).sqrt())
}

/// Holds the table `name` of evidence/measured/validation/README.md to these lines; WINDWARD_SNAPSHOTS=update writes
/// them.
pub fn page_says(name: &str, lines: &[String]) {
    says("evidence/measured/validation/README.md", name, lines);
}

/// Checks the lines of any page.
pub fn says(page: &str, name: &str, lines: &[String]) {
    // Tests of one program run at once, and some share the page.
    static PAGE: Mutex<()> = Mutex::new(());
    let _turn = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let page = std::fs::read_to_string(&path).expect("the page is committed");
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let place = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?)));
    let (before, (said, after)) = place.unwrap_or_else(|| panic!("{} has no place for {name}", path.display()));
    let table: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if std::env::var("WINDWARD_SNAPSHOTS").is_ok_and(|wish| wish == "update") {
        std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page can be written");
    } else {
        assert!(
            said == table,
            "the page says\n{said}and was measured\n{table}WINDWARD_SNAPSHOTS=update writes it anew"
        );
    }
}
