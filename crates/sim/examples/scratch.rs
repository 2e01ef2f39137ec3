use windward_laws::LawSpec;
use windward_sim::*;
use windward_units::{BitRate, Duration, Time};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (law, linux, p, secs): (&str, bool, f64, u64) =
        (&args[1], args[2] == "linux", args[3].parse().unwrap(), args[4].parse().unwrap());
    let params: serde_json::Value = args.get(5).map_or(serde_json::json!({}), |s| serde_json::from_str(s).unwrap());
    let reorder: f64 = args.get(6).map_or(0.0, |s| s.parse().unwrap());
    let tcp = if linux {
        TcpOptions { loss_detection: LossDetection::Rack, rto: RtoRule::Linux, quick_acks: 16, ..TcpOptions::default() }
    } else {
        TcpOptions::default()
    };
    let n = 20u32;
    let at = |s: u64| Time::ZERO + Duration::from_millis(1000 * s);
    let mut all = vec![];
    let mut rec = 0;
    let mut to = 0;
    let mut re = 0;
    let mut prob = 0;
    let mut und = 0;
    let mut rtt = vec![];
    for seed in 1..=6u64 {
        let mut links = vec![];
        let mut flows = vec![];
        for i in 0..n {
            let base = LinkConfig {
                buffer: Buffer::Packets(83),
                ..LinkConfig::new(u64::from(2 * i), BitRate::bits_per_sec(10_000_000), Duration::from_millis(50))
            };
            links.push(LinkConfig {
                loss: if p > 0.0 { Loss::Bernoulli(p) } else { Loss::None },
                key: u64::from(2 * i),
                ..base.clone()
            });
            links.push(LinkConfig { key: u64::from(2 * i + 1), ..base });
            let _ = reorder;
            flows.push(FlowConfig {
                key: u64::from(i),
                source: 2 * i,
                sink: 2 * i + 1,
                forward: vec![2 * i].into(),
                backward: vec![2 * i + 1].into(),
                law: LawChoice::Known(LawSpec::from_json(law, params.clone()).unwrap()),
                start: Time::ZERO,
                stop: None,
                size: None,
                tcp: tcp.clone(),
                coding: None,
            });
        }
        let net = Network {
            topology: Topology::of_links(links),
            flows,
            transfers: vec![],
            sources: vec![],
            timing: Timing { duration: at(secs), warmup: at(10), sample_interval: Duration::from_millis(1000) },
            internals: false,
            air: None,
        };
        let out = run(&net, &Makers::default(), seed, &Control::new(), None).unwrap();
        for f in &out.flows {
            all.push(f.goodput_bps / 1e6);
            re += f.retransmits;
            to += f.timeouts;
            rec += f.recoveries;
            rtt.push(f.mean_rtt_s);
        }
    }
    let _ = (&mut prob, &mut und);
    let m = all.iter().sum::<f64>() / all.len() as f64;
    let sd = (all.iter().map(|x| (x - m).powi(2)).sum::<f64>() / (all.len() - 1) as f64).sqrt();
    let k = all.len() as f64;
    println!(
        "{law} {} p={p}: {m:.4} ± {:.4} Mbit/s  per flow: retx {:.2} recov {:.2} timeouts {:.3} rtt {:.2} ms",
        args[2],
        1.96 * sd / k.sqrt(),
        re as f64 / k,
        rec as f64 / k,
        to as f64 / k,
        rtt.iter().sum::<f64>() / k * 1e3
    );
}
