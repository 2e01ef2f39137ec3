//! Compiled form of a valid scenario: groups expanded, routes found, defaults filled in.

use windward_scenario::{Compiled, Scenario};
use windward_sim::{AppKind, Buffer, LawChoice, Length, Pattern, Route, Size, Spread};
use windward_units::{BitRate, Bytes, Duration, Time};

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn compile(text: &str) -> Compiled {
    read(text).compile(1)
}

/// Names of a flow's links, forward and back.
fn routes(compiled: &Compiled, flow: usize) -> [Vec<&str>; 2] {
    let flow = &compiled.network.flows[flow];
    let names = |route: &Route| route.ports().map(|link| compiled.links[link as usize].name.as_str()).collect();
    [names(&flow.forward), names(&flow.backward)]
}

/// `nodes` and `links`, each link of 10 Mbit/s and the delay given in ms, and a flow.
fn network(nodes: &[&str], links: &[(&str, &str, u32)], flow: &str) -> String {
    let nodes: String = nodes.iter().map(|node| format!("[[node]]\nname = \"{node}\"\n")).collect();
    let link = |(from, to, delay): &(&str, &str, u32)| {
        format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mbit/s\"\ndelay = \"{delay} ms\"\n")
    };
    let links: String = links.iter().map(link).collect();
    format!("name = \"test\"\nduration = \"10 s\"\n{nodes}{links}[[flow]]\nlaw = \"reno\"\n{flow}\n")
}

const GROUPS: &str = r#"
name = "groups"
duration = "60 s"
[[node]]
name = "sender"
count = 3
[[node]]
name = "r1"
[[node]]
name = "r2"
[[node]]
name = "receiver"
count = 3
[[link]]
name = "access"
from = "sender"
to = "r1"
rate = "1 Gbit/s"
delay = "1 ms"
[[link]]
name = "bottleneck"
from = "r1"
to = "r2"
rate = "10 Mbit/s"
delay = "48 ms"
buffer = "50 packets"
reverse = { rate = "1 Mbit/s", buffer = "unlimited" }
[[link]]
from = "r2"
to = "receiver"
rate = "1 Gbit/s"
delay = "1 ms"
[[flow]]
name = "bulk"
from = "sender"
to = "receiver"
law = "reno"
"#;

#[test]
fn groups_make_one_of_each_for_every_member() {
    let compiled = compile(GROUPS);
    assert_eq!(compiled.nodes.join(" "), "sender-1 sender-2 sender-3 r1 r2 receiver-1 receiver-2 receiver-3");
    let links: Vec<_> = compiled.links.iter().map(|link| format!("{}:{}>{}", link.name, link.from, link.to)).collect();
    assert_eq!(links.len(), 14);
    assert_eq!(links[0], "access-1:sender-1>r1");
    assert_eq!(links[1], "access-reverse-1:r1>sender-1");
    assert_eq!(links[6], "bottleneck:r1>r2");
    assert_eq!(links[7], "bottleneck-reverse:r2>r1");
    assert_eq!(links[12], "r2->receiver-3:r2>receiver-3");
    let flows: Vec<_> =
        compiled.flows.iter().map(|f| (f.name.as_str(), f.label.as_str(), f.from.as_str(), f.to.as_str())).collect();
    assert_eq!(flows[2], ("bulk-3", "bulk", "sender-3", "receiver-3"));
    assert_eq!(
        routes(&compiled, 1),
        [
            vec!["access-2", "bottleneck", "r2->receiver-2"],
            vec!["receiver-2->r2", "bottleneck-reverse", "access-reverse-2"]
        ]
    );
}

#[test]
fn a_reverse_differs_only_in_what_it_says() {
    let compiled = compile(GROUPS);
    let [forth, back] = [6, 7].map(|port| compiled.network.topology.link(port).expect("it is a link"));
    assert_eq!((forth.rate.mean(), forth.buffer), (BitRate::bits_per_sec(10_000_000), Buffer::Packets(50)));
    assert_eq!((back.rate.mean(), back.buffer), (BitRate::bits_per_sec(1_000_000), Buffer::Unlimited));
    assert_eq!(forth.delay, back.delay);
    assert_ne!(forth.key, back.key);
}

#[test]
fn defaults_are_those_of_the_reference() {
    let compiled = compile(GROUPS);
    let network = &compiled.network;
    assert_eq!(network.timing.sample_interval, Duration::from_millis(100));
    assert_eq!((network.timing.warmup, network.timing.duration), (Time::ZERO, Time::from_nanos(60_000_000_000)));
    assert!(!network.internals);
    assert_eq!(network.topology.buffer(0), Buffer::Packets(1000));
    let most_in_flight = Some(Bytes::new(2_600_000));
    let linux = windward_sim::TcpOptions { most_in_flight, ..windward_sim::TcpOptions::linux(true) };
    assert_eq!(network.flows[0].tcp, linux);
    assert_eq!(read(GROUPS).seeds(), [1]);
}

#[test]
fn the_default_sample_interval_is_round() {
    let interval = |duration: &str| compile(&GROUPS.replace("60 s", duration)).network.timing.sample_interval;
    assert_eq!(interval("20 s"), Duration::from_millis(50)); // 33.3 ms
    assert_eq!(interval("600 s"), Duration::from_millis(1000));
    assert_eq!(interval("700 s"), Duration::from_millis(2000)); // 1.17 s
    // 40 000 flows and 160 002 links: 10 million rows are 49 samples in 60 s, 1.22 s apart.
    let many = GROUPS.replace("count = 3", "count = 40000");
    assert_eq!(compile(&many).network.timing.sample_interval, Duration::from_millis(2000));
}

#[test]
fn the_shortest_path_has_fewest_links_then_least_delay_then_the_first_in_the_file() {
    let nodes = ["a", "b", "c", "d", "e"];
    let flow = "from = \"a\"\nto = \"d\"";
    // Fewer links win against less delay.
    let links = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("a", "e", 50), ("e", "d", 50)];
    assert_eq!(routes(&compile(&network(&nodes, &links, flow)), 0)[0], ["a->e", "e->d"]);
    // Of two links each, the faster; it stands second in the file.
    let links = [("a", "b", 9), ("b", "d", 9), ("a", "e", 9), ("e", "d", 8)];
    assert_eq!(routes(&compile(&network(&nodes, &links, flow)), 0)[0], ["a->e", "e->d"]);
    // The first hop alone is faster by b, the whole by e.
    let links = [("a", "b", 1), ("b", "d", 9), ("a", "e", 4), ("e", "d", 4)];
    assert_eq!(routes(&compile(&network(&nodes, &links, flow)), 0)[0], ["a->e", "e->d"]);
    // Equal: the first in the file.
    let links = [("a", "e", 5), ("a", "b", 5), ("b", "d", 5), ("e", "d", 5)];
    assert_eq!(routes(&compile(&network(&nodes, &links, flow)), 0), [vec!["a->b", "b->d"], vec!["d->b", "b->a"]]);
}

#[test]
fn leaves_of_one_router_and_a_lone_pair_are_routed() {
    let star = [("a", "r", 1), ("b", "r", 1)];
    let compiled = compile(&network(&["a", "b", "r"], &star, "from = \"a\"\nto = \"b\""));
    assert_eq!(routes(&compiled, 0), [vec!["a->r", "r->b"], vec!["b->r", "r->a"]]);
    let compiled = compile(&network(&["a", "b", "r"], &star, "from = \"r\"\nto = \"b\""));
    assert_eq!(routes(&compiled, 0), [vec!["r->b"], vec!["b->r"]]);
    let compiled = compile(&network(&["a", "b"], &[("a", "b", 1)], "from = \"b\"\nto = \"a\""));
    assert_eq!(routes(&compiled, 0), [vec!["b->a"], vec!["a->b"]]);
}

#[test]
fn via_is_followed_and_walked_back() {
    let links = [("a", "d", 1), ("a", "b", 5), ("b", "c", 5), ("c", "d", 5)];
    let nodes = ["a", "b", "c", "d"];
    let flow = "from = \"a\"\nto = \"d\"\nvia = [\"b\", \"c\"]";
    let compiled = compile(&network(&nodes, &links, flow));
    assert_eq!(routes(&compiled, 0), [vec!["a->b", "b->c", "c->d"], vec!["d->c", "c->b", "b->a"]]);
    let compiled = compile(&network(&nodes, &links, &format!("{flow}\nreturn_via = []")));
    assert_eq!(routes(&compiled, 0), [vec!["a->b", "b->c", "c->d"], vec!["d->a"]]);
}

#[test]
fn count_makes_parallel_flows_and_a_start_spread_is_drawn_for_each() {
    let flow = "name = \"f\"\nfrom = \"a\"\nto = \"b\"\ncount = 4\nstart = \"1 s\"\nstart_spread = \"2 s\"";
    let scenario = read(&network(&["a", "b"], &[("a", "b", 1)], flow));
    let starts = |seed| -> Vec<Time> { scenario.compile(seed).network.flows.iter().map(|f| f.start).collect() };
    let first = starts(1);
    assert_eq!(first, starts(1));
    assert_ne!(first, starts(2));
    for (i, start) in first.iter().enumerate() {
        assert!((1.0..3.0).contains(&start.as_secs()));
        assert!(!first[..i].contains(start));
    }
}

#[test]
fn a_start_step_staggers_the_members() {
    let flow = "name = \"f\"\nfrom = \"a\"\nto = \"b\"\ncount = 3\nstart = \"1 s\"\nstart_step = \"2 s\"";
    let background = "[[background]]\nfrom = \"a\"\nto = \"b\"\ncount = 2\nstart_step = \"3 s\"\n\
        pattern = { kind = \"cbr\", rate = \"1 Mbit/s\" }";
    let compiled = compile(&network(&["a", "b"], &[("a", "b", 1)], &format!("{flow}\n{background}")));
    let starts: Vec<_> = compiled.network.flows.iter().map(|flow| flow.start.as_secs()).collect();
    assert_eq!(starts, [1.0, 3.0, 5.0]);
    let starts: Vec<_> = compiled.network.sources.iter().map(|source| source.start.as_secs()).collect();
    assert_eq!(starts, [0.0, 3.0]);
}

#[test]
fn one_more_flow_leaves_the_streams_of_the_others_alone() {
    let flow = "name = \"f\"\nfrom = \"a\"\nto = \"b\"\nstart_spread = \"2 s\"";
    let text = network(&["a", "b"], &[("a", "b", 1)], flow);
    let more = text.replace("[[flow]]", "[[flow]]\nname = \"g\"\nfrom = \"b\"\nto = \"a\"\nlaw = \"reno\"\n[[flow]]");
    let (alone, among) = (compile(&text), compile(&more));
    assert_eq!(among.flows[1].name, "f");
    assert_eq!(alone.network.flows[0].key, among.network.flows[1].key);
    assert_eq!(alone.network.flows[0].start, among.network.flows[1].start);
}

#[test]
fn the_base_rtt_of_a_path_is_propagation_and_transmission() {
    // By hand: 1500 B at 10 Mbit/s take 1.2 ms, an ACK of 52 B 41.6 us; twice 10 ms of propagation; two links.
    let flow = "from = \"a\"\nto = \"c\"\nknown_base_rtt = \"path\"";
    let compiled = compile(&network(&["a", "b", "c"], &[("a", "b", 10), ("b", "c", 10)], flow));
    let expected = Duration::from_nanos(2 * (10_000_000 + 1_200_000) + 2 * (10_000_000 + 41_600));
    assert_eq!(compiled.network.flows[0].tcp.known_base_rtt, Some(expected));
    // Without timestamps and with 60 B of headers: 1508 B take 1.2064 ms, 60 B take 48 us.
    let compiled = compile(&network(
        &["a", "b"],
        &[("a", "b", 10)],
        "from = \"a\"\nto = \"b\"\nknown_base_rtt = \"path\"\ntimestamps = false\noverhead = \"60 B\"",
    ));
    let expected = Duration::from_nanos(20_000_000 + 1_206_400 + 48_000);
    assert_eq!(compiled.network.flows[0].tcp.known_base_rtt, Some(expected));
}

#[test]
fn a_receive_window_in_bytes_counts_whole_segments() {
    let flow = "from = \"a\"\nto = \"b\"\nsegment = \"1000 B\"\nreceive_window = \"4.5 kB\"\ndelayed_ack = false";
    let compiled = compile(&network(&["a", "b"], &[("a", "b", 10)], flow));
    let tcp = &compiled.network.flows[0].tcp;
    assert_eq!((tcp.segment, tcp.receive_window, tcp.delayed_ack), (Bytes::new(1000), 4, None));
}

#[test]
fn pulses_are_fixed_periods_with_exponential_gaps() {
    let background = "[[background]]\nfrom = \"a\"\nto = \"b\"\n\
        pattern = { kind = \"pulses\", rate = \"5 Mbit/s\", length = \"10 ms\", every = \"1 s\" }";
    let text = network(&["a", "b"], &[("a", "b", 10)], &format!("from = \"a\"\nto = \"b\"\n{background}"));
    let compiled = compile(&text);
    assert_eq!(
        compiled.network.sources[0].pattern,
        Pattern::OnOff {
            rate: BitRate::bits_per_sec(5_000_000),
            on: Duration::from_millis(10),
            off: Duration::from_millis(990),
            on_spread: Spread::Fixed,
            off_spread: Spread::Exponential,
        }
    );
    assert_eq!(compiled.sources[0].name, "a->b");
    assert_eq!(compiled.network.sources[0].packet, Bytes::new(1500));
}

#[test]
fn a_law_in_python_is_an_index_the_same_for_all_flows_of_a_table() {
    let law = "law = { class = \"my_law.py:MyLaw\", name = \"python\", gain = 0.5, deep = { a = [1, 2] } }";
    let text =
        network(&["a", "b"], &[("a", "b", 10)], "from = \"a\"\nto = \"b\"\ncount = 3").replace("law = \"reno\"", law);
    let scenario = read(&text);
    let [class] = scenario.python_laws() else { panic!("{:?}", scenario.python_laws()) };
    assert_eq!((class.class.as_str(), class.name()), ("my_law.py:MyLaw", "MyLaw"));
    let expected = serde_json::json!({ "gain": 0.5, "deep": { "a": [1, 2] } });
    assert_eq!(serde_json::Value::Object(class.params.clone()), expected);
    let compiled = scenario.compile(1);
    assert!(compiled.network.flows.iter().all(|flow| flow.law == LawChoice::Own(0)));
    assert_eq!(compiled.flows[2].law, "python");
}

#[test]
fn what_is_written_out_reads_back() {
    for text in
        [GROUPS, &GROUPS.replace("[[node]]\nname = \"r1\"", "[output]\ninternals = true\n[[node]]\nname = \"r1\"")]
    {
        let scenario = read(text);
        let toml = scenario.to_toml();
        assert_eq!(read(&toml), scenario, "{toml}");
        let json = scenario.to_json();
        assert_eq!(Scenario::from_json(&json, "test.json").unwrap_or_else(|e| panic!("{e}")), scenario, "{json}");
        assert!(toml.contains("buffer = \"1000 packets\"") && toml.contains("sample_interval = \"100 ms\""), "{toml}");
    }
}

#[test]
fn seeds_are_a_number_or_a_list() {
    let seeds = |text: &str| read(&GROUPS.replace("duration", &format!("seeds = {text}\nduration"))).seeds().to_vec();
    assert_eq!(seeds("3"), [1, 2, 3]);
    assert_eq!(seeds("[1, 7, 9]"), [1, 7, 9]);
    let scenario = read(GROUPS).with_seeds(vec![4, 2]).unwrap();
    assert_eq!(scenario.seeds(), [4, 2]);
    assert_eq!(read(&scenario.to_toml()), scenario);
    assert!(read(GROUPS).with_seeds(vec![4, 4]).is_err());
    assert!(read(GROUPS).with_seeds(vec![]).is_err());
}

#[test]
fn json_nulls_count_as_absent() {
    let json = r#"{ "name": "n", "title": null, "duration": "1 s", "node": [{ "name": "a", "count": null }, { "name": "b" }],
        "link": [{ "from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "1 ms", "buffer": null }],
        "flow": [{ "from": "a", "to": "b", "law": "reno", "stop": null }] }"#;
    let scenario = Scenario::from_json(json, "scenario").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scenario.compile(1).network.topology.buffer(0), Buffer::Packets(1000));
}

/// Each pair of a group has a transfer of its own, over up to the maximum number of connections. Only the transfer
/// starts and stops.
#[test]
fn a_transfer_has_the_flows_that_it_may_open() {
    let text = GROUPS.to_owned() + "connections = { law = \"emultcp\", tau = \"5 s\", max = 4 }\nstop = \"50 s\"\n";
    let compiled = compile(&text);
    let own: Vec<&str> = compiled.flows.iter().map(|flow| flow.name.as_str()).take(5).collect();
    assert_eq!(own, ["bulk-1.1", "bulk-1.2", "bulk-1.3", "bulk-1.4", "bulk-2.1"]);
    let transfers = &compiled.network.transfers;
    assert_eq!(transfers.iter().map(|transfer| transfer.flows.clone()).collect::<Vec<_>>(), [0..4, 4..8, 8..12]);
    let params = &transfers[0].controller;
    assert_eq!((params.tau, params.max, params.beta, params.floor), (5.0, 4, 0.75, 0.0));
    assert_eq!(transfers[2].stop, Some(Time::ZERO + Duration::from_millis(50_000)));
    assert!(compiled.network.flows.iter().all(|flow| flow.start == Time::NEVER && flow.stop.is_none()));
    // The second connection of the third pair goes the way of that pair.
    assert_eq!(routes(&compiled, 9), routes(&compiled, 8));
    assert_ne!(routes(&compiled, 9), routes(&compiled, 0));
}

/// Only starts without a given spread are random: seed 1 starts as written, the others within a round trip of it. A
/// spread of zero, or any other randomness, leaves all starts as written.
#[test]
fn seeds_differ_by_their_starts_where_nothing_else_is_random() {
    let text = |link: &str, flow: &str| {
        format!(
            "name = \"n\"\nduration = \"10 s\"\nseeds = 3\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n\
             [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"50 ms\"\n{link}\n\
             [[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\ncount = 2\nstart = \"1 s\"\n{flow}\n"
        )
    };
    let starts = |link: &str, flow: &str, seed| -> Vec<u64> {
        let scenario = Scenario::from_toml(&text(link, flow), "test.toml").unwrap_or_else(|error| panic!("{error}"));
        scenario.compile(seed).network.flows.iter().map(|flow| flow.start.as_nanos()).collect()
    };
    const AS_WRITTEN: u64 = 1_000_000_000;
    assert_eq!(starts("", "", 1), [AS_WRITTEN; 2]);
    // 1500 bytes take 1.2 ms, an ACK of 52 bytes 41.6 µs.
    let spread = starts("", "", 2);
    assert!(spread.iter().all(|start| (AS_WRITTEN..AS_WRITTEN + 101_300_000).contains(start)), "{spread:?}");
    assert_ne!(spread[0], spread[1]);
    assert_ne!(spread, starts("", "", 3));
    assert_eq!(starts("", "start_spread = \"0 s\"", 2), [AS_WRITTEN; 2]);
    assert_eq!(starts("loss = 0.01", "", 2), [AS_WRITTEN; 2]);
    assert_eq!(starts("jitter = { model = \"uniform\", max = \"1 ms\" }", "", 2), [AS_WRITTEN; 2]);
    // One flow that is spread is chance enough.
    let other = "\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nname = \"other\"\nlaw = \"reno\"\nstart_spread = \"1 s\"";
    assert_eq!(starts("", other, 2)[..2], [AS_WRITTEN; 2]);
    // No later than the flow's end allows.
    assert!(starts("", "stop = \"1.01 s\"", 2).iter().all(|start| *start < AS_WRITTEN + 5_000_001));
}

/// Hosts take no time in either stack unless the scenario says so.
#[test]
fn a_host_takes_time_where_it_is_told_to() {
    for (stack, jitter, micros) in [("rfc", "", 0), ("linux", "", 0), ("rfc", "host_jitter = \"0.6 ms\"", 600)] {
        let flow = format!("from = \"a\"\nto = \"b\"\nstack = \"{stack}\"\n{jitter}");
        let compiled = compile(&network(&["a", "b"], &[("a", "b", 10)], &flow));
        assert_eq!(compiled.network.flows[0].tcp.host_jitter, Duration::from_micros(micros), "{stack} {jitter}");
    }
}

/// The key that decides the kind of a table may be written after others.
#[test]
fn a_kind_may_be_written_last() {
    let compiled = compile(
        r#"
        name = "n"
        duration = "10 s"
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms", queue = { target = "7 ms", discipline = "codel" } }]
        flow = [{ from = "a", to = "b", law = "reno", connections = { alpha = 2, law = "emultcp" } }]
        app = [
            { from = "a", to = "b", video = { most = "1 Mbit/s", control = "nada" }, kind = "call" },
            { name = "film", from = "a", law = "cubic", to = "b", rule = "bola", kind = "video" },
        ]
        "#,
    );
    assert_eq!(compiled.network.transfers.len(), 1);
    let Pattern::Rtp(video) = &compiled.network.sources[2].pattern else { panic!("a video") };
    assert_eq!(video.control.range(), [150e3, 1e6]);
}

/// Speech and video, each both ways; reports return on the other direction's route. A link has the rates of speech and
/// the least of the videos less: 48 kbit/s, 150 kbit/s, and reports of 48 B and 2 B for each of two packets every 100
/// ms.
#[test]
fn a_call_with_video_has_four_sources() {
    let text = r#"
        name = "n"
        duration = "10 s"
        node = [{ name = "a" }, { name = "b" }]
        link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms" }]
        app = [{ kind = "call", name = "call", from = "a", to = "b", video = "nada" }]
        flow = [{ from = "a", to = "b", law = "reno" }]
        "#;
    let compiled = compile(text);
    let names: Vec<&str> = compiled.sources.iter().map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["call:up", "call:down", "call:video-up", "call:video-down"]);
    let down = &compiled.network.sources[3];
    assert_eq!((down.source, down.sink), (1, 0));
    assert_eq!((&down.path, down.reply.as_ref()), (&vec![1].into(), Some(&vec![0].into())));
    assert_eq!(down.mean_rates(), [150e3, 52.0 * 80.0]);
}

const LISTS: &str = r#"
name = "n"
duration = "10 s"
node = [{ name = "a", count = 2 }, { name = "b" }]
link = [{ from = "a", to = "b", rate = "10 Mbit/s", delay = "10 ms" }]
"#;

/// A list of starts makes as many flows, sources or applications between two single nodes, and belongs to the members
/// of a group. The first need not be the earliest.
#[test]
fn each_start_of_a_list_is_a_member() {
    let compiled = compile(&format!(
        "{LISTS}
        [[flow]]
        name = \"one\"
        from = \"a-1\"
        to = \"b\"
        law = \"reno\"
        start = [\"3 s\", \"1 s\", \"2 s\"]
        [[flow]]
        name = \"two\"
        from = \"a\"
        to = \"b\"
        law = \"reno\"
        start = [\"5 s\", \"4 s\"]
        start_spread = \"0 s\"
        [[background]]
        from = \"b\"
        to = \"a-1\"
        pattern = {{ kind = \"cbr\", rate = \"1 Mbit/s\" }}
        start = [\"1 s\", \"6 s\"]
        [[app]]
        kind = \"requests\"
        name = \"web\"
        from = \"a\"
        to = \"b\"
        law = \"reno\"
        arrivals = {{ kind = \"periodic\", every = \"1 s\" }}
        response = \"1 kB\"
        start = [\"7 s\", \"8 s\"]
        [[app]]
        kind = \"ping\"
        from = \"a-2\"
        to = \"b\"
        start = [\"1.5 s\"]
        "
    ));
    let secs = |time: Time| time.as_secs();
    let network = &compiled.network;
    assert_eq!(network.flows.iter().map(|flow| secs(flow.start)).collect::<Vec<_>>(), [3.0, 1.0, 2.0, 5.0, 4.0]);
    let names: Vec<&str> = compiled.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["one-1", "one-2", "one-3", "two-1", "two-2"]);
    assert_eq!(network.sources.iter().map(|source| secs(source.start)).collect::<Vec<_>>(), [1.0, 6.0, 1.5]);
    assert_eq!(network.apps.iter().map(|app| secs(app.start)).collect::<Vec<_>>(), [7.0, 8.0]);
}

/// The list survives being written, and a scenario with it equals itself.
#[test]
fn a_list_of_starts_is_written_as_one() {
    let scenario =
        read(&format!("{LISTS}flow = [{{ from = \"a-1\", to = \"b\", law = \"reno\", start = [\"1 s\", \"2 s\"] }}]"));
    assert!(scenario.to_toml().contains("start = [\"1 s\", \"2 s\"]"), "{}", scenario.to_toml());
    assert_eq!(read(&scenario.to_toml()), scenario);
}

/// Transfers of a session go from the server, or with `direction = "up"` from the client; the end that receives asks
/// with one byte, and each has a connection of its own.
#[test]
fn sessions_transfer_in_their_direction() {
    for (direction, ends, routes) in [("down", [0, 2], [0, 1]), ("up", [2, 0], [1, 0])] {
        let compiled = compile(&format!(
            "{LISTS}
            [[app]]
            kind = \"session\"
            name = \"files\"
            from = \"a-1\"
            to = \"b\"
            law = \"cubic\"
            arrivals = {{ kind = \"closed\", users = 3, think = \"2 s\" }}
            size = {{ kind = \"exponential\", mean = \"1 MB\" }}
            direction = \"{direction}\"
            "
        ));
        let [app] = &compiled.network.apps[..] else { panic!("one session") };
        assert_eq!([app.client, app.server], ends);
        assert_eq!((&app.forward, &app.backward), (&vec![routes[0]].into(), &vec![routes[1]].into()));
        let AppKind::Session(session) = &app.kind else { panic!("a session: {:?}", app.kind) };
        assert_eq!((app.request, &session.length), (Bytes::new(1), &Length::Bytes(Size::Exponential(1e6))));
        assert_eq!((compiled.apps[0].from.as_str(), compiled.apps[0].to.as_str()), ("a-1", "b"));
    }
}

/// Data has 1500 bytes and its ACK 52, a SYN and its answer 64: at 10 Mbit/s there are 1436 and −12 bytes between them.
#[test]
fn a_base_of_the_handshake_adds_the_difference_of_transmission_times() {
    let flow = |base| format!("from = \"a\"\nto = \"b\"\nknown_base_rtt = \"{base}\"");
    let tcp = |base| compile(&network(&["a", "b"], &[("a", "b", 10)], &flow(base))).network.flows[0].tcp.clone();
    assert_eq!(tcp("handshake").handshake_excess, Some(Duration::from_nanos((1436 - 12) * 800)));
    assert_eq!((tcp("handshake").known_base_rtt, tcp("path").handshake_excess), (None, None));
}
