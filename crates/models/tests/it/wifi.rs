//! Wireless networks: links, conflicts, routes that stations find, and conservation of packets.

use windward_models::{Models, Objective};
use windward_scenario::Scenario;
use windward_sim::{Control, Makers, Output, Step, run};

/// The grid of wang2013 according to its notes: all used links conflict, ftp2 and ftp3 share AP->N6.
fn grid(wifi: &str, flows: &str, duration: &str) -> String {
    let mut text = format!(
        r#"
        name = "grid"
        duration = "{duration}"
        node = [{{ name = "AP" }}, {{ name = "N", count = 15 }}]
        [[wifi]]
        name = "air"
        reach = {{ receive = "250 m", sense = "{}" }}
        {wifi}
        "#,
        "700 m"
    );
    let rows = [(0, 450), (150, 450), (300, 450), (450, 450), (0, 300), (150, 300), (300, 300), (450, 300)];
    let rest = [(150, 150), (300, 150), (450, 150), (0, 0), (150, 0), (300, 0), (450, 0)];
    let mut station = |name: &str, x: u32, y: u32| {
        text += &format!("[[wifi.station]]\nnode = \"{name}\"\nat = [\"{x} m\", \"{y} m\"]\n");
    };
    station("AP", 0, 150);
    rows.iter().chain(&rest).enumerate().for_each(|(at, &(x, y))| station(&format!("N-{}", at + 1), x, y));
    text + flows
}

fn read(text: &str) -> Scenario {
    Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn simulate(text: &str) -> (Scenario, Output) {
    let scenario = read(text);
    let network = scenario.compile(1).network;
    let output = run(&network, &Makers::default(), 1, &Control::new(), None).unwrap();
    (scenario, output)
}

const ROUTES: [(&str, &str, &str); 4] =
    [("ftp0", "N-15", r#""N-13", "N-14""#), ("ftp1", "N-12", ""), ("ftp2", "N-3", r#""N-6""#), ("ftp3", "N-6", "")];

fn downloads(law: &str, spelled_out: bool) -> String {
    let flow = |&(name, to, via): &(&str, &str, &str)| {
        let via = if spelled_out { format!("via = [{via}]") } else { String::new() };
        format!("[[flow]]\nname = \"{name}\"\nfrom = \"AP\"\nto = \"{to}\"\n{via}\nlaw = {law}\n")
    };
    ROUTES.iter().map(flow).collect()
}

/// wang2013, (2) on one resource: the reference solution x/b, derived by hand for p = 1, 10, 50, 200, to its printed
/// digits.
#[test]
fn the_grids_optimum_is_the_reference_solution() {
    let reference = [
        (1, [0.09917, 0.23642, 0.12246, 0.21769]),
        (10, [0.08516, 0.24869, 0.12479, 0.24624]),
        (50, [0.08370, 0.24974, 0.12496, 0.24923]),
        (200, [0.08343, 0.24993, 0.12499, 0.24981]),
    ];
    for (backlog, exact) in reference {
        let law = format!("{{ name = \"quic-tcp\", backlog = {backlog} }}");
        let scenario = read(&grid("entropy = 1", &downloads(&law, true), "10 s"));
        let optimum = scenario.optimum(Objective::Law).unwrap_or_else(|error| panic!("{error}"));
        let bits = optimum.packet_bytes as f64 * 8.0;
        let alone = optimum.links.iter().find(|link| link.name == "AP->N-12").unwrap().capacity_bps / bits;
        let network = scenario.compile(1).network;
        let windward_sim::MediumConfig::Wifi(wifi) = &network.topology.media[0] else { panic!("a wireless network") };
        let b = 1.0 / wifi.exchange(0, optimum.packet_bytes).as_secs();
        for (flow, exact) in optimum.flows.iter().zip(exact) {
            let share = flow.rate_bps / bits / b;
            assert!((share - exact).abs() <= 0.6e-5, "p = {backlog}, {}: {share} for {exact}", flow.name);
        }
        assert!(alone > 0.0 && alone <= b);
    }
}

/// The rate of a link is that of its data frames, as given, and not the packet rate that they allow.
#[test]
fn tables_show_the_rate_that_was_set() {
    for (wifi, rate) in [("standard = \"802.11g\"", 54e6), ("data_rate = \"2 Mbit/s\"", 2e6)] {
        let topology = read(&grid(wifi, &downloads("\"reno\"", true), "1 s")).compile(1).network.topology;
        assert_eq!(topology.shown_rate(0), rate);
        assert!(topology.mean_rate(0) < 0.9 * rate);
    }
}

/// The required ratio of powers: by rate, one for all rates if given, ns-2's 10 dB.
#[test]
fn interference_is_by_rate_unless_a_ratio_is_written() {
    let capture = |mode: &str, reach: &str| {
        let reach = format!("reach = {{ receive = \"250 m\", sense = \"700 m\"{reach} }}");
        let text = grid(mode, &downloads("\"reno\"", true), "1 s")
            .replace("reach = { receive = \"250 m\", sense = \"700 m\" }", &reach);
        match &read(&text).compile(1).network.topology.media[0] {
            windward_sim::MediumConfig::Wifi(wifi) => wifi.mac.capture,
            _ => panic!("a wireless network"),
        }
    };
    assert_eq!([capture("", ""), capture("mode = \"ns2\"", "")], [None, Some(10.0)]);
    for mode in ["", "mode = \"ns2\""] {
        let ratio = capture(mode, ", capture = \"4 dB\"").expect("a ratio");
        assert!((ratio - 2.5119).abs() < 1e-4, "{ratio}");
    }
}

/// Without the entropy the best schedule: shares in proportion to 1/h for h hops each.
#[test]
fn without_entropy_airtime_is_shared_equally() {
    let scenario = read(&grid("", &downloads(r#"{ name = "quic-tcp", backlog = 50 }"#, true), "10 s"));
    let optimum = scenario.optimum(Objective::Proportional).unwrap_or_else(|error| panic!("{error}"));
    let rates: Vec<f64> = optimum.flows.iter().map(|flow| flow.rate_bps).collect();
    for (rate, hops) in rates.iter().zip([3.0, 1.0, 2.0, 1.0]) {
        assert!((rate * hops / rates[1] - 1.0).abs() < 1e-6, "{rates:?}");
    }
}

/// Stations within 250 m can receive each other, and no others; one link for each direction.
#[test]
fn links_follow_from_places() {
    let compiled = read(&grid("", &downloads("\"reno\"", false), "10 s")).compile(1);
    // 24 straight neighbours and 18 diagonal ones, both ways.
    assert_eq!(compiled.links.len(), 84);
    let name = |port: u32| compiled.links[port as usize].name.as_str();
    let route: Vec<&str> = compiled.network.flows[0].forward.ports().map(name).collect();
    assert_eq!((route.len(), route[0].split_once("->").unwrap().0), (3, "AP"));
}

/// Two paths of two hops: the station with the first name has the packets and the ACKs, for every order in the file.
/// Names are compared in natural order, in which 2 comes before 10.
#[test]
fn ties_of_shortest_routes_go_by_name() {
    let network = |places: [(&str, &str); 2]| {
        let stations: String = [("b", "400 m"), ("a", "0 m"), places[0], places[1]]
            .iter()
            .zip(["50 m", "50 m", "100 m", "0 m"])
            .map(|((name, x), y)| format!("[[wifi.station]]\nnode = \"{name}\"\nat = [\"{x}\", \"{y}\"]\n"))
            .collect();
        let nodes = r#"node = [{ name = "s10" }, { name = "s2" }, { name = "b" }, { name = "a" }]"#;
        let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n";
        format!("name = \"tie\"\nduration = \"1 s\"\n{nodes}\n[[wifi]]\nname = \"air\"\n{stations}{flow}")
    };
    for places in [[("s10", "200 m"), ("s2", "200 m")], [("s2", "200 m"), ("s10", "200 m")]] {
        let compiled = read(&network(places)).compile(1);
        let names = |route: &windward_sim::Route| -> Vec<String> {
            route.ports().map(|port| compiled.links[port as usize].name.clone()).collect()
        };
        let flow = &compiled.network.flows[0];
        assert_eq!([names(&flow.forward), names(&flow.backward)], [["a->s2", "s2->b"], ["b->s2", "s2->a"]]);
    }
}

/// Every packet sent is delivered, lost for a reason, or under way, for every access and routing.
#[test]
fn packets_are_all_accounted_for() {
    let ns2 = "mode = \"ns2\"\nrouting = \"dsdv\"\nbuffer = \"20 packets\"";
    let lossy = "[[wifi.loss]]\nfrom = \"AP\"\nto = \"N-12\"\nprobability = 0.4\n";
    for (wifi, extra) in [
        ("rts_threshold = \"500 B\"", ""),
        ("routing = \"dsdv\"", ""),
        (ns2, lossy),
        ("routing = \"aodv\"", lossy),
        ("mode = \"ns2\"\nrouting = \"aodv\"\nbuffer = \"20 packets\"", lossy),
        ("access = \"queueing-delay\"", lossy),
        ("access = { kind = \"queue-length\", scale = 0.1, rounding = \"random\" }", ""),
        ("access = { kind = \"ideal\", cap = 4 }", ""),
        ("standard = \"802.11a\"\ndata_rate = \"12 Mbit/s\"\nnoise = { power = \"-82 dBm\", rayleigh = true }", ""),
    ] {
        let text = grid(wifi, &(extra.to_owned() + &downloads("\"cubic\"", false)), "20 s");
        let (_, output) = simulate(&text);
        let balance = output.balance;
        assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way, "{wifi}");
        let goodput: f64 = output.flows.iter().map(|flow| flow.goodput_bps).sum();
        assert!(balance.delivered > 1000 && goodput > 3e5, "{wifi}: {balance:?}, {goodput} bit/s");
        for flow in &output.flows {
            assert!(flow.delivered_bytes > 20_000, "{wifi}: a flow starves: {flow:?}");
        }
    }
}

/// Stations that find their routes have routes of the fewest hops within seconds; a flow's own `via` is kept.
#[test]
fn stations_find_routes_unless_a_flow_has_its_own() {
    let law = r#"{ name = "quic-tcp", backlog = 10 }"#;
    let mut text = grid("routing = \"dsdv\"", &downloads(law, false), "30 s");
    text = text.replace("to = \"N-3\"\n", "to = \"N-3\"\nvia = [\"N-6\"]\n");
    let (scenario, output) = simulate(&text);
    let flows = scenario.compile(1).network.flows;
    assert!(matches!(flows[0].forward.0[..], [Step::Across { .. }]));
    assert!(matches!(flows[2].forward.0[..], [Step::Port(_), Step::Port(_)]));
    let table = output.media.get("wifi_stations").expect("stations have a table");
    let broadcasts: u64 = table.counts("broadcast_frames").unwrap().iter().sum();
    // One full update a station in 11.25 to 15 s, and changes on top.
    assert!((32..1000).contains(&broadcasts), "{broadcasts}");
    let three_hops = output.flows[0].delivered_bytes;
    assert!(three_hops > 100_000, "{three_hops}");
}

/// Routes by request carry the downloads too, and routing messages are counted.
#[test]
fn routes_are_found_when_they_are_needed() {
    let law = r#"{ name = "quic-tcp", backlog = 10 }"#;
    let (_, output) = simulate(&grid("routing = \"aodv\"", &downloads(law, false), "30 s"));
    let table = output.media.get("wifi_stations").expect("stations have a table");
    let sum = |name| table.counts(name).unwrap().iter().sum::<u64>();
    let (count, bytes) = (sum("routing_messages"), sum("routing_bytes"));
    // A request is 52 bytes long, an answer 48; errors are shorter.
    assert!(count > 20 && (40 * count..=60 * count).contains(&bytes), "{count} messages, {bytes} bytes");
    assert!(output.flows.iter().all(|flow| flow.delivered_bytes > 100_000));
}

/// Equal seeds give equal runs, different seeds different ones.
#[test]
fn a_run_is_its_seed() {
    let scenario = read(&grid("routing = \"dsdv\"", &downloads("\"reno\"", false), "5 s"));
    let once = |seed| run(&scenario.compile(seed).network, &Makers::default(), seed, &Control::new(), None).unwrap();
    // As text: where nothing was measured stands NaN, which equals nothing.
    let text = |seed| format!("{:?}", once(seed));
    assert_eq!(text(1), text(1));
    assert_ne!(once(1).events, once(2).events);
}

/// Station `b` relays from `a` to `c`, and leaves; `d` takes its place 20 s later, according to `motion`.
fn handover(routing: &str) -> String {
    format!(
        "name = \"t\"\nduration = \"60 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}, {{ name = \"c\" }}, {{ name = \"d\" }}]\n\
         [[wifi]]\nname = \"air\"\nrouting = {routing}\nreach = {{ receive = \"250 m\", sense = \"550 m\" }}\n\
         [[wifi.station]]\nnode = \"a\"\nat = [\"0 m\", \"900 m\"]\n\
         [[wifi.station]]\nnode = \"b\"\nat = [\"200 m\", \"900 m\"]\n\
         motion = {{ kind = \"waypoints\", points = [{{ time = \"20 s\", at = [\"200 m\", \"900 m\"] }}, {{ time = \"25 s\", at = [\"200 m\", \"1800 m\"] }}] }}\n\
         [[wifi.station]]\nnode = \"c\"\nat = [\"400 m\", \"900 m\"]\n\
         [[wifi.station]]\nnode = \"d\"\nat = [\"200 m\", \"0 m\"]\n\
         motion = {{ kind = \"waypoints\", points = [{{ time = \"35 s\", at = [\"200 m\", \"0 m\"] }}, {{ time = \"40 s\", at = [\"200 m\", \"900 m\"] }}] }}\n\
         [[background]]\nname = \"cbr\"\nfrom = \"a\"\nto = \"c\"\npacket = \"1000 B\"\n\
         pattern = {{ kind = \"cbr\", rate = \"80 kbit/s\" }}\n"
    )
}

/// All of ten packets a second arrive while there is a station in the middle. `b` is out of range, 150 m aside, from
/// 20.83 s on. `a` knew `c` two hops away and requests 4, 6 and then all hops, which takes 0.48, 0.64, 2.8, 5.6 and
/// 11.2 s. So the search ends at 41.6 s, and all its waiting packets are dropped, 207 or 208. `d` came into range at
/// 39.2 s, and the next request finds it.
#[test]
fn routes_follow_stations_that_move() {
    let (_, output) = simulate(&handover("\"aodv\""));
    let source = &output.sources[0];
    // From 0 to 60 s.
    assert_eq!(source.sent, 601);
    assert!((390..=394).contains(&source.received), "{} of 601", source.received);
    // By distance vectors the way through `d` is known after its next update, within 15 s of its coming.
    let (_, output) = simulate(&handover("{ kind = \"dsdv\", link_layer = true }"));
    let received = output.sources[0].received;
    assert!((200..=420).contains(&received), "{received} of 600");
}

/// Twenty stations at random: all sent packets are accounted for, and some arrive.
#[test]
fn packets_are_accounted_for_where_stations_move() {
    for routing in [
        "\"aodv\"",
        "\"dsdv\"",
        "{ kind = \"aodv\", mode = \"ns2\" }",
        "{ kind = \"aodv\", hello = \"1 s\", link_layer = false }",
    ] {
        let text = format!(
            "name = \"t\"\nduration = \"40 s\"\nnode = [{{ name = \"n\", count = 20 }}]\n\
             [[wifi]]\nname = \"air\"\nrouting = {routing}\nreach = {{ receive = \"250 m\" }}\n\
             [[wifi.station]]\nnode = \"n\"\nlayout = {{ kind = \"random\", width = \"600 m\", height = \"400 m\" }}\n\
             motion = {{ kind = \"random-waypoint\", width = \"600 m\", height = \"400 m\", max_speed = \"20 m/s\", pause = \"1 s\" }}\n\
             [[flow]]\nfrom = \"n-1\"\nto = \"n-2\"\nlaw = \"reno\"\n[[flow]]\nfrom = \"n-3\"\nto = \"n-4\"\nlaw = \"cubic\"\n\
             [[background]]\nfrom = \"n-5\"\nto = \"n-6\"\npattern = {{ kind = \"cbr\", rate = \"40 kbit/s\" }}\n"
        );
        let (_, output) = simulate(&text);
        let balance = output.balance;
        assert_eq!(balance.sent, balance.delivered + balance.lost.iter().sum::<u64>() + balance.under_way, "{routing}");
        assert!(balance.delivered > 1000, "{routing}: {balance:?}");
    }
}

/// Messages of the engines without packets name the medium that the scenario has, and no engine that refuses too.
#[test]
fn refusals_name_the_medium_and_an_engine_that_works() {
    let text = |medium: &str, more: &str| {
        format!(
            "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n{medium}\n\
             [[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n{more}"
        )
    };
    let wifi = "[[wifi]]\nname = \"w\"\nstandard = \"802.11g\"\nstation = [{ node = \"a\", at = [\"0 m\", \"0 m\"] }, \
                { node = \"b\", at = [\"5 m\", \"0 m\"] }]";
    let cell = "[[cell]]\nname = \"c\"\naccess_point = \"a\"\ntechnology = \"lte\"\npreset = \"lte-10mhz\"\n\
                station = [{ node = \"b\", snr = \"20 dB\" }]";
    let link = "[[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"5 Mbit/s\"\ndelay = \"5 ms\"";
    let background = "[[background]]\nfrom = \"a\"\nto = \"b\"\npattern = { kind = \"cbr\", rate = \"1 Mbit/s\" }\n";
    let read = |text: String| Scenario::from_toml(&text, "n.toml").unwrap_or_else(|error| panic!("{error}"));
    let fluid = |text: String| {
        let method = windward_fluid::Method::Ode { tolerance: 1e-6 };
        read(text).fluid(method).expect_err("it has no fluid form").to_string()
    };
    for (medium, named) in [(wifi, "Wi-Fi"), (cell, "a cell")] {
        let told = fluid(text(medium, background));
        assert!(told.contains(&format!("background traffic over {named} is not supported")), "{told}");
        let best = read(text(medium, background)).optimum(Objective::Proportional);
        let told = best.expect_err("it is refused").to_string();
        assert!(told.contains(&format!("background traffic over {named} is not supported")), "{told}");
    }
    // The optimum has closed loops, but no pages.
    let closed = "[[app]]\nkind = \"requests\"\nfrom = \"b\"\nto = \"a\"\nlaw = \"reno\"\nresponse = \"1 kB\"\n\
                  arrivals = { kind = \"closed\", users = 2, think = \"1 s\" }\n";
    let page = "[[app]]\nname = \"page\"\nkind = \"page\"\nfrom = \"b\"\nto = \"a\"\n";
    assert!(fluid(text(link, closed)).contains("use `optimum` or `simulate`"));
    for apps in [page.to_owned(), format!("{closed}{page}")] {
        let told = fluid(text(link, &apps));
        assert!(told.contains("hint: use `simulate`") && !told.contains("optimum"), "{told}");
    }
    let alone = text(link, background).replace("[[flow]]\nfrom = \"a\"\nto = \"b\"\nlaw = \"reno\"\n", "");
    let told = fluid(alone);
    assert!(told.ends_with("hint: use `simulate`"), "{told}");
}
