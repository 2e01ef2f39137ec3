//! Runs a dumbbell and prints what `make bench` reads: `dumbbell LAW FLOWS MBIT RTT_MS BUFFER SECONDS [QUEUE [STACK]]`,
//! where QUEUE is the discipline of every link's queue (`drop-tail`, `codel`, `fq-codel`, `pie`, `dualpi2`, `red`) and
//! STACK that of every host (`rfc`, `linux`).
//!
//! Each flow has an access link of ten times the bottleneck's rate at either end, so that a data packet takes three
//! hops.

use windward_laws::LawSpec;
use windward_sim::{
    Buffer, CoDelConfig, Control, DualPi2Config, FlowConfig, FqCoDelConfig, LawChoice, LinkConfig, Makers, Network,
    PieConfig, QueueConfig, RedConfig, TcpOptions, Timing, Topology, run,
};
use windward_units::{BitRate, Bytes, Duration, Time};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [law, numbers @ ..] = arguments.as_slice() else {
        eprintln!("usage: dumbbell LAW FLOWS MBIT RTT_MS BUFFER SECONDS [QUEUE [STACK]]");
        std::process::exit(2);
    };
    let numbers: Vec<u64> = numbers.iter().take(5).filter_map(|text| text.parse().ok()).collect();
    let &[flows, mbit, rtt_ms, buffer, seconds] = numbers.as_slice() else {
        eprintln!("five whole numbers are needed after the law");
        std::process::exit(2);
    };
    let Ok(law) = LawSpec::from_json(law, serde_json::json!({})) else {
        eprintln!("no law is called {law}; there are {}", LawSpec::NAMES.join(", "));
        std::process::exit(2);
    };
    let mut network = dumbbell(law, flows as u32, mbit, rtt_ms, buffer, seconds);
    if let Some(name) = arguments.get(6) {
        let Some(queue) = discipline(name) else {
            eprintln!("no discipline is called {name}; there are drop-tail, codel, fq-codel, pie, dualpi2, red");
            std::process::exit(2);
        };
        network.topology.links_mut().for_each(|link| link.queue = queue);
    }
    if let Some(name) = arguments.get(7) {
        let Some(tcp) = stack(name) else {
            eprintln!("no stack is called {name}; there are rfc, linux");
            std::process::exit(2);
        };
        network.flows.iter_mut().for_each(|flow| flow.tcp = tcp.clone());
    }
    match run(&network, &Makers::default(), 1, &Control::new(), None) {
        Ok(output) => {
            let delivered: u64 = output.flows.iter().map(|flow| flow.delivered_bytes).sum();
            println!(
                "events {} hops {} goodput_mbit {:.3} retransmits {} timeouts {} peak_kib {}",
                output.events,
                output.packet_hops,
                delivered as f64 * 8e-6 / seconds as f64,
                output.flows.iter().map(|flow| flow.retransmits).sum::<u64>(),
                output.flows.iter().map(|flow| flow.timeouts).sum::<u64>(),
                peak_memory().unwrap_or_else(|| "nan".into()),
            );
        }
        Err(error) => eprintln!("{error}"),
    }
}

fn discipline(name: &str) -> Option<QueueConfig> {
    match name {
        "drop-tail" => Some(QueueConfig::DropTail),
        "codel" => Some(QueueConfig::CoDel(CoDelConfig::default())),
        "fq-codel" => Some(QueueConfig::FqCoDel(FqCoDelConfig::default())),
        "pie" => Some(QueueConfig::Pie(PieConfig::default())),
        "dualpi2" => Some(QueueConfig::DualPi2(DualPi2Config::default())),
        "red" => Some(QueueConfig::Red(RedConfig::default())),
        _ => None,
    }
}

/// Options of a scenario's `stack`, on paths that deliver no bursts.
fn stack(name: &str) -> Option<TcpOptions> {
    match name {
        "rfc" => Some(TcpOptions::default()),
        "linux" => Some(TcpOptions { most_in_flight: Some(Bytes::new(2_600_000)), ..TcpOptions::linux(true) }),
        _ => None,
    }
}

/// Most memory that this process had, in KiB, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.split_whitespace().next().map(str::to_owned)
}

/// Links 0 and 1 are the bottleneck and its way back; each flow has four more.
fn dumbbell(law: LawSpec, flows: u32, mbit: u64, rtt_ms: u64, buffer: u64, seconds: u64) -> Network {
    let link = |key: u32, rate: u64, delay: Duration, most: u64| {
        let link = LinkConfig::new(u64::from(key), BitRate::bits_per_sec(rate), delay);
        LinkConfig { buffer: Buffer::Packets(most), ..link }
    };
    // One millisecond on each access link, the rest in the middle.
    let access = Duration::from_millis(1);
    let middle = Duration::from_millis(rtt_ms / 2) - access * 2;
    let rate = mbit * 1_000_000;
    let mut links = vec![link(0, rate, middle, buffer), link(1, rate, middle, buffer)];
    let flow = |index: u32| {
        let first = 2 + 4 * index;
        FlowConfig {
            key: u64::from(index),
            source: 2 * index,
            sink: 2 * index + 1,
            forward: vec![first, 0, first + 1].into(),
            backward: vec![first + 2, 1, first + 3].into(),
            law: LawChoice::Known(law),
            start: Time::ZERO + Duration::from_millis(u64::from(index) * 1000 / u64::from(flows)),
            stop: None,
            size: None,
            tcp: TcpOptions::default(),
            coding: None,
        }
    };
    for key in 2..2 + 4 * flows {
        links.push(link(key, rate * 10, access, 10_000));
    }
    let timing = Timing {
        duration: Time::ZERO + Duration::from_millis(1000 * seconds),
        warmup: Time::ZERO,
        sample_interval: Duration::from_millis(1000),
    };
    Network { flows: (0..flows).map(flow).collect(), ..Network::new(Topology::of_links(links), timing) }
}
