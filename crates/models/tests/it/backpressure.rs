//! Forwarding by backlog in whole networks: seferoglu2014's tree and diamond, and conservation of packets.

use windward_models::{Models, Objective};
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Output, Step, run};

const TREE: &str = include_str!("../../../../evidence/papers/seferoglu2014/tree.toml");
const DIAMOND: &str = include_str!("../../../../evidence/papers/seferoglu2014/diamond.toml");

/// A paper's file with another routing, law and length, and without RTS: with it, the classical rule starves no flow.
fn variant(text: &str, routing: &str, law: &str) -> String {
    let line = |line: &str| match line.split_once(" = ").map(|(key, _)| key) {
        Some("routing") => format!("routing = {routing}"),
        Some("law") => format!("law = \"{law}\""),
        Some("rts_threshold") => "rts_threshold = \"3 kB\"".to_owned(),
        Some("duration") => "duration = \"100 s\"".to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

fn simulate(text: &str, seed: u64) -> (Scenario, Output) {
    let scenario = Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let network = scenario.compile(seed).network;
    let output = run(&network, &Makers::default(), seed, &Control::new(), None).unwrap();
    (scenario, output)
}

/// Mean goodput of every flow over three seeds, in kbit/s.
fn goodputs(text: &str) -> Vec<f64> {
    let runs: Vec<Output> = (2..5).map(|seed| simulate(text, seed).1).collect();
    let mean = |flow: usize| runs.iter().map(|run| run.flows[flow].goodput_bps).sum::<f64>() / 3e3;
    (0..runs[0].flows.len()).map(mean).collect()
}

const CLASSICAL: &str = "{ kind = \"backpressure\", k = 0 }";
const TCP_AWARE: &str = "\"backpressure\"";

/// Fig. 6: the classical rule starves the flow of two hops; a threshold prevents that. Vegas keeps queues short, and
/// both flows survive. ACKs in line with data leave the starved flow 13 % of the other (seeds 2 to 11: 15 %), the
/// threshold 37 %; ACKs before data leave it 7 % in these seeds.
#[test]
fn the_tree_starves_without_a_threshold() {
    let [classical, aware] = ["0", "\"shared\""].map(|k| {
        let routing = |acks: &str| format!("{{ kind = \"backpressure\", k = {k}, acks = \"{acks}\" }}");
        ["fifo", "shortest"].map(|acks| goodputs(&variant(TREE, &routing(acks), "reno")))
    });
    let share = |rates: &[f64]| rates[1] / rates[0];
    assert!(share(&classical[0]) < 0.5 * share(&aware[0]), "{aware:?} {classical:?}");
    let [classical, aware] = [&classical[1], &aware[1]];
    assert!(classical[1] < 0.1 * classical[0], "{classical:?}");
    assert!(aware[1] > 2.0 * classical[1] && aware[1] > 0.2 * aware[0], "{aware:?} {classical:?}");
    let vegas = goodputs(&variant(TREE, TCP_AWARE, "vegas"));
    assert!(vegas[1] > 0.4 * vegas[0], "{vegas:?}");
}

/// Eight sources of 1 kbit/s, a datagram every 0.5 s each, count as eight flows in K = B/|S|, and the flow of two hops
/// starves (seeds 1 to 8: 246 to 50 kbit/s). By its recent traffic such a source counts next to nothing (254).
#[test]
fn silent_sources_take_nothing_where_flows_count_by_their_traffic() {
    let sources = r#"
        [[background]]
        name = "ghost"
        from = "A"
        to = "D"
        count = 8
        packet = "60 B"
        start_step = "0.05 s"
        pattern = { kind = "cbr", rate = "1 kbit/s" }
    "#;
    let tree = TREE.replace("law = \"reno\"", "law = \"reno\"\nstack = \"linux\"");
    let tree = tree.replace("\"200 s\"", "\"60 s\"\nwarmup = \"15 s\"");
    let [shared, recent] =
        ["shared", "recent"].map(|k| goodputs(&(tree.replace("k = \"shared\"", &format!("k = \"{k}\"")) + sources))[1]);
    assert!(shared < 100.0 && recent > 200.0, "{shared} {recent}");
    // Without them both rules are alike.
    let [shared, recent] =
        ["shared", "recent"].map(|k| goodputs(&tree.replace("k = \"shared\"", &format!("k = \"{k}\"")))[1]);
    assert!((recent / shared - 1.0).abs() < 0.25, "{shared} {recent}");
}

/// In the diamond both flows may use both paths, and no packet takes a link against the current.
#[test]
fn the_diamond_uses_both_ways() {
    let (scenario, output) = simulate(&variant(DIAMOND, TCP_AWARE, "reno"), 2);
    let compiled = scenario.compile(2);
    assert!(matches!(compiled.network.flows[1].forward.0[..], [Step::Across { .. }]));
    let packets = |name: &str| {
        let port = compiled.links.iter().position(|link| link.name == name).expect("the link is there");
        output.links[port].packets
    };
    for name in ["A->B", "A->C", "B->D", "C->D"] {
        assert!(packets(name) > 500, "{name}: {}", packets(name));
    }
}

/// The diamond with half of the attempts on A–B lost, under RTS and CTS: station B sends ACKs of flow 1 over the lossy
/// link. Before data they leave B next to no time for flow 2; in line with data both are sent.
#[test]
fn acks_in_line_let_the_relay_of_the_diamond_send_data() {
    let lossy = |from, to| format!("[[wifi.loss]]\nfrom = \"{from}\"\nto = \"{to}\"\nprobability = 0.5\n");
    let relayed = |acks: &str| {
        let routing = format!("{{ kind = \"backpressure\", links = \"downstream\", acks = \"{acks}\" }}");
        let text = variant(DIAMOND, &routing, "reno").replace("\"3 kB\"", "\"0 B\"");
        let text = text.replace("law =", "coding = \"random\"\nlaw =") + &lossy("A", "B") + &lossy("B", "A");
        let (scenario, output) = simulate(&text, 2);
        let links = scenario.compile(2).links;
        let sent = |name: &str| output.links[links.iter().position(|link| link.name == name).unwrap()].packets;
        (sent("B->D"), sent("B->A"))
    };
    let [(before, _), (in_line, acks)] = ["shortest", "fifo"].map(relayed);
    // 1 and 231 packets of data, 3351 ACKs.
    assert!(before < 20 && in_line > 100 && acks > 500, "{before} {in_line} {acks}");
}

/// In that diamond, by fewest hops, the ACKs of flow 2 return over B and the lossy link; by loss they return over C.
#[test]
fn acks_by_loss_avoid_the_lossy_link() {
    let lossy = |from, to| format!("[[wifi.loss]]\nfrom = \"{from}\"\nto = \"{to}\"\nprobability = 0.5\n");
    let returned = |acks: &str| {
        let routing = format!("{{ kind = \"backpressure\", links = \"downstream\", acks = \"{acks}\" }}");
        let text = variant(DIAMOND, &routing, "reno").replace("law =", "coding = \"random\"\nlaw =");
        let (scenario, output) = simulate(&(text + &lossy("A", "B") + &lossy("B", "A")), 2);
        let links = scenario.compile(2).links;
        let sent = |name: &str| output.links[links.iter().position(|link| link.name == name).unwrap()].packets;
        (sent("D->B"), sent("D->C"))
    };
    let [(over_b, _), (avoided, over_c)] = ["fifo", "loss"].map(returned);
    assert!(over_b > 500 && avoided == 0 && over_c > 500, "{over_b} {avoided} {over_c}");
}

/// Every packet sent is delivered, lost for a reason, or under way, for all parameters; and equal seeds give equal
/// runs.
#[test]
fn packets_are_all_accounted_for() {
    let lossy = "[[wifi.loss]]\nfrom = \"A\"\nto = \"B\"\nprobability = 0.4\n[[background]]\nname = \"udp\"\nfrom = \"A\"\n\
                 to = \"D\"\npacket = \"1000 B\"\npattern = { kind = \"poisson\", rate = \"200 kbit/s\" }\n";
    for routing in [
        TCP_AWARE,
        CLASSICAL,
        "{ kind = \"backpressure\", k = \"7 packets\", links = \"all\", acks = \"backlog\" }",
        "{ kind = \"backpressure\", k = \"7 packets\", links = \"all\", acks = \"fifo\" }",
        "{ kind = \"backpressure\", k = \"7 packets\", links = \"all\", acks = \"loss\" }",
        "{ kind = \"backpressure\", links = \"not-farther\", failures = \"attempts\", report = \"20 ms\" }",
        "{ kind = \"backpressure\", links = \"downstream\", report_entry = \"6 B\", memory = \"100 ms\" }",
    ] {
        let text = variant(DIAMOND, routing, "reno").replace("100 packets", "12 packets") + lossy;
        let (_, output) = simulate(&text, 3);
        let balance = output.balance;
        assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way, "{routing}");
        assert!(balance.lost[0] > 0 && balance.delivered > 3000, "{routing}: {balance:?}");
        assert_eq!(format!("{output:?}"), format!("{:?}", simulate(&text, 3).1), "{routing}");
    }
}

/// Fig. 12: beside a source with the rate control (5) TCP survives with the TCP-aware rule, and the source's packets
/// arrive.
#[test]
fn tcp_lives_beside_a_source_that_sees_its_backlog() {
    let source = "[[background]]\nname = \"flow3\"\nfrom = \"A\"\nto = \"B\"\npacket = \"1000 B\"\n\
                  pattern = { kind = \"backlog\", limit = \"2 Mbit/s\" }\n";
    let (_, output) = simulate(&(variant(DIAMOND, TCP_AWARE, "reno") + source), 2);
    let balance = output.balance;
    assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way);
    assert!(output.sources[0].received_bps > 1e5, "{:?}", output.sources[0]);
    assert!(output.flows.iter().all(|flow| flow.goodput_bps > 2e4), "{:?}", output.flows);
    // x = M/U: with 50 and some 50 packets queued about one packet a slot of 20 ms, 400 kbit/s, at the most.
    let queue = output.backlogs.iter().find(|queue| queue.class == 2 && queue.mean_backlog > 5.0).expect("A's");
    let rate = output.sources[0].sent as f64 / 100.0;
    assert!((rate * 0.02 * queue.mean_backlog / 50.0 - 1.0).abs() < 0.5, "{rate} {queue:?}");
}

/// The tables are consistent: packets that entered a queue left by a link, were dropped, or are still there.
#[test]
fn queues_and_shares_add_up() {
    let (_, output) = simulate(&variant(DIAMOND, TCP_AWARE, "reno"), 2);
    let came = output.backlogs.iter().map(|queue| queue.arrived - queue.dropped).sum::<u64>();
    let left = output.shares.iter().map(|share| share.packets).sum::<u64>();
    let stays = output.backlogs.iter().map(|queue| queue.last_backlog).sum::<u64>();
    // Dropped is the newest of the longest queue, which came before.
    assert_eq!(came, left + stays);
    assert!(output.backlog_series.time_s.len() > 1000);
}

/// The optimum uses the shortest routes.
#[test]
fn the_optimum_takes_the_shortest_routes() {
    let optimum = |routing| {
        let scenario = Scenario::from_toml(&variant(TREE, routing, "reno"), "test").unwrap();
        scenario.optimum(Objective::Proportional).unwrap().flows.iter().map(|flow| flow.rate_bps).collect::<Vec<_>>()
    };
    assert_eq!(optimum(TCP_AWARE), optimum("\"shortest\""));
}

/// The file with all defaults reads back as the same scenario.
#[test]
fn parameters_are_written_as_they_are_read() {
    for k in ["\"shared\"", "0", "\"50 packets\"", "\"2.5 packets\""] {
        let text = variant(TREE, &format!("{{ kind = \"backpressure\", k = {k} }}"), "reno");
        let scenario = Scenario::from_toml(&text, "test").unwrap();
        assert_eq!(Scenario::from_toml(&scenario.to_toml(), "again").unwrap(), scenario, "{}", scenario.to_toml());
    }
}
