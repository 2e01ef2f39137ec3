//! Defaults that follow from the stack of hosts, and from what a law needs.

use windward_laws::{LawSpec, cubic};
use windward_scenario::{Compiled, Scenario};
use windward_sim::{
    Buffer, EcnMode, IdleRestart, LawChoice, LossDetection, MediumConfig, ReceiveBuffer, RtoRule, SendBuffer,
    TcpOptions,
};
use windward_units::Bytes;

fn read(scenario: &str, flow: &str) -> Scenario {
    let text = format!(
        "name = \"n\"\nduration = \"1 s\"\n{scenario}\nnode = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         link = [{{ from = \"a\", to = \"b\", rate = \"10 Mbit/s\", delay = \"10 ms\" }}]\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\n{flow}\n"
    );
    Scenario::from_toml(&text, "n.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn compiled(scenario: &str, flow: &str) -> Compiled {
    read(scenario, flow).compile(1)
}

fn tcp(scenario: &str, flow: &str) -> TcpOptions {
    compiled(scenario, flow).network.flows.remove(0).tcp
}

fn law(scenario: &str, flow: &str) -> cubic::Params {
    match compiled(scenario, flow).network.flows.remove(0).law {
        LawChoice::Known(LawSpec::Cubic(params)) => params,
        other => panic!("{other:?} is not CUBIC"),
    }
}

/// Linux 6.18: RACK-TLP, 16 quick ACKs (`TCP_MAX_QUICKACKS`), at most 0.62 of 4 MiB (`tcp_wmem`) in flight, CUBIC with
/// HyStart.
#[test]
fn the_default_is_linux() {
    let own = tcp("", "law = \"cubic\"");
    assert_eq!(
        (own.loss_detection, own.rto, own.idle_restart),
        (LossDetection::Rack, RtoRule::Linux, IdleRestart::Linux)
    );
    assert_eq!((own.quick_acks, own.compress_sacks, own.initial_window), (16, true, 10));
    assert_eq!(own.most_in_flight, Some(Bytes::new(2_600_000)));
    assert_eq!((own.receive_buffer, own.send_buffer), (None, None));
    let linux = cubic::Params { version: cubic::Version::Linux, hystart: true, ..Default::default() };
    assert_eq!(law("", "law = \"cubic\""), linux);
    assert_eq!(law("", "law = \"cubic\"\nstack = \"linux\""), linux);
    assert_eq!(law("stack = \"rfc\"", "law = \"cubic\"\nstack = \"linux\""), linux);
}

#[test]
fn the_rfcs_are_one_line() {
    for (scenario, flow) in [("stack = \"rfc\"", ""), ("", "stack = \"rfc\""), ("stack = \"linux\"", "stack = \"rfc\"")]
    {
        let flow = format!("law = \"cubic\"\n{flow}");
        assert_eq!(tcp(scenario, &flow), TcpOptions::default());
        assert_eq!(law(scenario, &flow), cubic::Params::default());
    }
}

/// C and β are RFC 9438's alone; Linux 2.6.22 has no HyStart.
#[test]
fn what_is_given_of_cubic_stays() {
    let own = |table: &str| law("", &format!("law = {{ name = \"cubic\", {table} }}"));
    let rfc = cubic::Params { hystart: true, ..Default::default() };
    assert_eq!(own("beta = 0.8"), cubic::Params { beta: 0.8, ..rfc });
    assert_eq!(own("beta = 0.7"), rfc, "the value of a sweep does not change the version");
    assert_eq!(own("version = \"rfc9438\", hystart = false"), cubic::Params::default());
    let old = cubic::Version::Linux2622;
    assert_eq!(own("version = \"linux-2.6.22\""), cubic::Params { version: old, ..Default::default() });
    assert!(!own("hystart = false").hystart);
}

/// A scenario that was read keeps what was given, so that its stack can be changed.
#[test]
fn the_stack_of_a_scenario_that_was_read_can_be_changed() {
    let linux = read("", "law = \"cubic\"");
    assert_eq!(Scenario::from_toml(&linux.to_toml(), "copy"), Ok(linux.clone()));
    let rfc = linux.to_toml().replace("stack = \"linux\"", "stack = \"rfc\"");
    let rfc = Scenario::from_toml(&rfc, "rfc").expect("it is right").compile(1);
    assert_eq!(rfc.network.flows[0].law, LawChoice::Known(LawSpec::Cubic(cubic::Params::default())));
    assert_eq!(rfc.network.flows[0].tcp, TcpOptions::default());
}

#[test]
fn buffers_follow_applications_with_a_pace() {
    let auto = Some(ReceiveBuffer::Auto { start: ReceiveBuffer::START, most: ReceiveBuffer::MOST });
    let to_send = Some(SendBuffer::Auto { most: SendBuffer::MOST });
    let buffers = |flow: &str| {
        let own = tcp("", &format!("law = \"reno\"\n{flow}"));
        (own.receive_buffer, own.send_buffer, own.most_in_flight)
    };
    let most = Some(Bytes::new(2_600_000));
    assert_eq!(buffers("read = { rate = \"1 Mbit/s\" }"), (auto, to_send, most));
    assert_eq!(buffers("write = { rate = \"1 Mbit/s\", every = \"20 ms\" }"), (auto, to_send, most));
    assert_eq!(buffers("receive_window = \"100 packets\""), (None, None, None));
    // One that is written counts, whatever its value.
    assert_eq!(buffers("receive_window = \"1048576 packets\""), (None, None, None));
    let given = "receive_window = \"100 packets\"\nread = { rate = \"1 Mbit/s\" }";
    assert_eq!(buffers(given), (None, to_send, None));
}

/// RFC 9331 §4.1 for Prague, RFC 8257 §3 for DCTCP.
#[test]
fn a_law_brings_the_ecn_that_it_needs() {
    let ecn = |flow: &str| tcp("", flow).ecn;
    assert_eq!(ecn("law = \"prague\""), EcnMode::Scalable);
    assert_eq!(ecn("law = \"dctcp\""), EcnMode::Accurate);
    assert_eq!(ecn("law = \"cubic\""), EcnMode::Off);
    assert_eq!(ecn("law = \"prague\"\necn = \"off\""), EcnMode::Off);
    assert_eq!(ecn("law = \"prague\"\necn = \"accurate\""), EcnMode::Accurate);
}

/// 400 ms of a tenth of the rate that a phone alone has; between 150 kB and the RLC queue of a base station.
#[test]
fn buffers_of_cells_are_a_time() {
    let buffers = |count: u32, more: &str| {
        let text = format!(
            "name = \"n\"\nduration = \"1 s\"\nnode = [{{ name = \"mast\" }}, {{ name = \"phone\", count = {count} }}]\n\
             flow = [{{ from = \"mast\", to = \"phone\", law = \"cubic\" }}]\n\
             [[cell]]\nname = \"c\"\naccess_point = \"mast\"\ntechnology = \"nr\"\npreset = \"n78-40mhz\"\n{more}\n\
             station = [{{ node = \"phone\", snr = \"18 dB\" }}]\n"
        );
        let scenario = Scenario::from_toml(&text, "n.toml").unwrap_or_else(|error| panic!("{error}"));
        let topology = scenario.compile(1).network.topology;
        let rates = [0, 1].map(|port| topology.mean_rate(port));
        let MediumConfig::Ran(cell) = &topology.media[0] else { panic!("the medium is a cell") };
        (cell.stations[0].buffer, rates)
    };
    let (found, rates) = buffers(10, "");
    assert!(rates[0] > 50e6, "{rates:?}");
    let share = |rate: f64| Buffer::Bytes(Bytes::new((0.4 * rate / 80.0).clamp(150e3, 6_172_672.0) as u64));
    assert_eq!(found, rates.map(share));
    assert_eq!(buffers(1, "buffer = \"10 s\"").0[0], Buffer::Bytes(Bytes::new(6_172_672)));
    assert_eq!(buffers(1, "buffer = \"1 ms\"").0[0], Buffer::Bytes(Bytes::new(150_000)));
    assert_eq!(buffers(1, "buffer = \"2000 packets\"").0[0], Buffer::Packets(2000));
}
