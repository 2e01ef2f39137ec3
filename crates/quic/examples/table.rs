//! Uploads over quinn under quinn's own laws and Windward's, as the page evidence/measured/validation/quic.md.

use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;
use windward_laws::LawSpec;
use windward_network::Time;
use windward_quic::{Laws, Upload, Uploaded, bottleneck};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// Half a bandwidth-delay product, one, two and five, in packets.
const BUFFERS: [u64; 4] = [42, 83, 167, 417];

fn over(upload: &Upload, packets: u64, end: Time) -> Uploaded {
    let network = bottleneck("10 Mbit/s", "50 ms", packets).expect("a valid link");
    let path = network.path("a", "b").expect("its flow");
    upload.run(network, path, end)
}

fn cell(controller: &dyn Fn() -> Factory, packets: u64) -> String {
    let until = |seconds: u64| -> Uploaded {
        over(&Upload::new(controller()), packets, Time::from_nanos(seconds * 1_000_000_000))
    };
    let (early, whole) = (until(10), until(60));
    let rate = (whole.received - early.received) as f64 * 8.0 / 50.0 / 1e6;
    let lost = 100.0 * whole.lost as f64 / whole.sent as f64;
    format!("{rate:.3}, {lost:.2} %, {:.0}", whole.rtt.as_millis())
}

fn row(name: &str, controller: &dyn Fn() -> Factory) {
    let cells: Vec<_> = BUFFERS.iter().map(|&packets| cell(controller, packets)).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

fn main() {
    println!(
        "# quinn in virtual time, under its own laws and Windward's\n\n\
         <!-- Generated: make validate WHAT=quic -->\n\n\
         One upload over 10 Mbit/s and 100 ms there and back, in datagrams of 1452 bytes, for 60 s. A cell has the goodput\n\
         from 10 s on in Mbit/s, the share of packets lost, and the smoothed round-trip time at the end in milliseconds. The\n\
         buffers are half a bandwidth-delay product, one, two and five. The link carries at most 9.59 Mbit/s of payload.\n"
    );
    let heads: Vec<_> = BUFFERS.iter().map(|packets| format!("{packets} packets")).collect();
    println!("| law | {} |\n|---|---|---|---|---|", heads.join(" | "));
    row("quinn's NewReno", &|| Arc::new(NewRenoConfig::default()));
    row("quinn's CUBIC", &|| Arc::new(CubicConfig::default()));
    row("quinn's BBR", &|| Arc::new(BbrConfig::default()));
    for spec in LawSpec::all() {
        if Laws::new(spec).is_ok() {
            row(&format!("`{}`", spec.name()), &|| Arc::new(Laws::new(spec).expect("it was made before")));
        }
    }
    println!(
        "\nquinn paces at 1.25 windows per round trip, whatever rate a law asks for. Laws whose window is only a bound, and\n\
         whose rate keeps the queue short, fill the buffer with twice the product: BBR, quinn's own and ours, loses a\n\
         quarter of its packets and more at half a product. BBR version 3 bounds its window by the losses, and Copa by the\n\
         delay. A pacer that had the law's rate would cure it: draft-ietf-ccwg-bbr asks for one."
    );
}
