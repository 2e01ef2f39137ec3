//! Paths, and files that are refused.

use windward_network::{Network, Unusable};

const TWO: &str = r#"
name = "two"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]
link = [
  { from = "a", to = "b", rate = "8 Mbit/s", delay = "10 ms" },
  { from = "b", to = "c", rate = "8 Mbit/s", delay = "5 ms" },
]
flow = [
  { name = "near", from = "a", to = "b", law = "cubic" },
  { name = "far", from = "a", to = "c", law = "cubic", count = 2 },
]
"#;

fn network(own: &[&str]) -> Result<Network, Unusable> {
    Network::from_toml(TWO, own, 1)
}

fn refusal<T>(found: Result<T, Unusable>) -> String {
    found.err().expect("it is refused").to_string()
}

#[test]
fn a_path_leads_forward_or_backward() {
    let network = network(&[]).unwrap();
    let near = network.path("a", "b").unwrap();
    assert_eq!(network.path("b", "a").unwrap(), near.back());
    assert_eq!(network.flow("near").unwrap(), near);
    assert_ne!(network.path("a", "c").unwrap(), network.flow("far-2").unwrap());
}

#[test]
fn what_is_not_there_is_refused_with_what_is() {
    let all = network(&[]).unwrap();
    let own = network(&["far"]).unwrap();
    let refused = [
        refusal(all.path("b", "c")),
        refusal(own.path("a", "b")),
        refusal(own.flow("near")),
        refusal(network(&["fair"])),
    ];
    assert_eq!(
        refused,
        [
            "no flow of yours leads from `b` to `c` or back; yours: a to b, a to c, a to c\nhint: add a [[flow]] between \
             the two",
            "no flow of yours leads from `a` to `b` or back; yours: a to c, a to c\nhint: add a [[flow]] between the two",
            "there is no flow `near`; flows: far-1, far-2",
            "there is no flow `fair`; flows: near, far-1, far-2",
        ]
    );
}

#[test]
fn a_file_that_has_no_packets_or_needs_python_is_refused() {
    let region = r#"
name = "region"
duration = "10 s"
node = [{ name = "a" }, { name = "b" }]
link = [{ name = "air", from = "a", to = "b", delay = "10 ms", reverse = { rate = "100 Mbit/s" } }]
region = [{ name = "channel", kind = "csma", links = ["air"], capacity = "24 Mbit/s", conflicts = [] }]
flow = [{ from = "a", to = "b", law = "cubic" }]
"#;
    let found = Network::<Vec<u8>>::from_toml(region, &[], 1);
    assert!(matches!(found, Err(Unusable::NoPackets(_))), "{:?}", found.err());
    let own = r#"law = { name = "python", class = "law.py:Law" }"#;
    let found = Network::<Vec<u8>>::from_toml(&TWO.replacen(r#"law = "cubic""#, own, 1), &[], 1);
    assert!(matches!(&found, Err(Unusable::Python(class)) if class == "law.py:Law"), "{:?}", found.err());
    let problem = refusal(Network::<Vec<u8>>::from_toml(&TWO.replace("8 Mbit/s", "8 Mbyte"), &[], 1));
    assert!(problem.contains("rate"), "{problem}");
}

/// Own flows send nothing of themselves, whatever their transport.
#[test]
fn applications_and_others_flows_over_quic_are_refused() {
    let app = r#"
[[app]]
kind = "page"
name = "browser"
from = "b"
to = "a"
law = "cubic"
protocol = "h3"
"#;
    let found = Network::<Vec<u8>>::from_toml(&format!("{TWO}{app}"), &[], 1);
    assert!(matches!(&found, Err(Unusable::Quic(name)) if name == "browser"), "{:?}", found.err());
    let over_tcp = Network::<Vec<u8>>::from_toml(&format!("{TWO}{}", app.replace("h3", "h2")), &[], 1);
    assert!(over_tcp.is_ok(), "{:?}", over_tcp.err());

    let flow = TWO.replacen(r#"law = "cubic""#, r#"law = "cubic", transport = "quic""#, 1);
    let found = Network::<Vec<u8>>::from_toml(&flow, &["far"], 1);
    assert!(matches!(&found, Err(Unusable::Quic(name)) if name == "near"), "{:?}", found.err());
    assert!(Network::<Vec<u8>>::from_toml(&flow, &["near"], 1).is_ok());
}
