//! TCP small queues of senders on stations of 802.11n, ac and ax.

use windward_scenario::{Compiled, Scenario};
use windward_sim::{Control, Makers, Output, run};

/// A laptop beside an access point uploads to a server 20 ms away; the air carries 433.3 Mbit/s.
fn compiled(flow: &str) -> Compiled {
    let text = format!(
        r#"
name = "upload"
duration = "1500 ms"
warmup = "500 ms"
node = [{{ name = "server" }}, {{ name = "AP" }}, {{ name = "laptop" }}]
link = [{{ name = "fibre", from = "AP", to = "server", rate = "10 Gbit/s", delay = "10 ms" }}]
[[wifi]]
name = "home"
standard = "802.11ac"
access_point = "AP"
streams = 1
rate_control = {{ kind = "fixed", mcs = 9 }}
station = [{{ node = "AP", at = ["0 m", "0 m"] }}, {{ node = "laptop", at = ["3 m", "0 m"] }}]
[[flow]]
{flow}
"#
    );
    Scenario::from_toml(&text, "upload.toml").unwrap_or_else(|error| panic!("{error}")).compile(1)
}

fn between(from: &str, to: &str, law: &str, more: &str) -> String {
    format!("from = \"{from}\"\nto = \"{to}\"\nlaw = \"{law}\"\n{more}")
}

/// The first link decides, and the stack.
#[test]
fn linux_has_small_queues_where_the_senders_interface_is_the_wifi() {
    let shift = |flow: &str| compiled(flow).network.flows[0].tcp.small_queues;
    let linux = |from, to, more| shift(&between(from, to, "cubic", &format!("stack = \"linux\"\n{more}")));
    assert_eq!(linux("laptop", "server", ""), Some(7));
    assert_eq!(linux("AP", "laptop", ""), Some(7));
    assert_eq!(linux("server", "laptop", ""), None, "a router between wire and air has none");
    assert_eq!(linux("laptop", "server", "small_queues = false"), None);
    assert_eq!(linux("server", "laptop", "small_queues = false"), None);
    assert_eq!(linux("laptop", "server", "small_queues = { shift = 10 }"), Some(10));
    assert_eq!(linux("laptop", "server", "device_queue = 1000"), None);
    assert_eq!(shift(&between("laptop", "server", "cubic", "")), Some(7));
    assert_eq!(shift(&between("laptop", "server", "cubic", "stack = \"rfc\"")), None);
    assert_eq!(shift(&between("laptop", "server", "cubic", "stack = \"rfc\"\nsmall_queues = true")), Some(7));
    assert_eq!(shift(&between("laptop", "server", "tfrc", "")), None);
}

/// Goodput in Mbit/s, and milliseconds of it that waited at most in front of the air: means of four seeds, because
/// BBR's Startup ends before the warm-up or after it.
fn upload(law: &str, more: &str) -> (f64, f64) {
    let compiled = compiled(&between("laptop", "server", law, &format!("stack = \"linux\"\n{more}")));
    let at = compiled.links.iter().position(|link| link.from == "laptop").expect("it has a link");
    let runs = (1..=4).map(|seed| {
        let Output { flows, links, .. } =
            run(&compiled.network, &Makers::default(), seed, &Control::new(), None).expect("it runs");
        (flows[0].goodput_bps / 1e6, links[at].max_backlog as f64 / flows[0].goodput_pps * 1e3)
    });
    let sum = runs.fold((0.0, 0.0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
    (sum.0 / 4.0, sum.1 / 4.0)
}

/// BBRv3 paces at 1.25 times the bandwidth at most while its window allows that: 1/128 s of that is 9.8 ms of its
/// goodput in memory, and packets take 2304 bytes of it for 1448 of payload: 6.1 ms. Slow start may wait longer, before
/// the warm-up ends. A limit of 1 ms starves aggregation: `tx_sk_pacing_shift` exists for that.
#[test]
fn the_pacing_shift_trades_waiting_for_aggregation() {
    let [(fast, long), (middle, _), (slow, short)] =
        [7, 8, 10].map(|shift| upload("bbr3", &format!("small_queues = {{ shift = {shift} }}")));
    assert!(fast > 295.0 && middle > 0.96 * fast && slow < 0.8 * fast, "{fast}, {middle}, {slow} Mbit/s");
    assert!(short < 1.5 && long < 9.4 && long > 3.0, "{short} and {long} ms wait");
    let (free, without) = upload("bbr3", "small_queues = false");
    assert!(without > 1.3 * long && free < 1.05 * fast, "{free} Mbit/s, {without} ms wait");
}
