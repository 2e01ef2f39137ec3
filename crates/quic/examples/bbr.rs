//! quinn's BBR with its own pacer and with one that has its rate, as the page evidence/measured/quinn-bbr.md.

use quinn_proto::congestion::{BbrConfig, ControllerFactory};
use std::sync::Arc;
use windward_network::Time;
use windward_quic::{Laws, Upload, bottleneck};

type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// Half a bandwidth-delay product, one, two and five, in packets.
const BUFFERS: [u64; 4] = [42, 83, 167, 417];

/// Runs of each kind: the phases of BBR's gain have another beginning in each.
const RUNS: usize = 5;

/// Goodput from 10 s on in Mbit/s, packets lost in per cent, smoothed RTT at the end in ms, and the run's digest.
fn run(controller: &dyn Fn() -> Factory, packets: u64, is_paced: bool) -> ([f64; 3], u64) {
    let until = |seconds: u64| {
        let upload = Upload::new(controller());
        let upload = if is_paced { upload.paced_by_controller() } else { upload };
        let network = bottleneck("10 Mbit/s", "50 ms", packets).expect("a valid link");
        let path = network.path("a", "b").expect("its flow");
        upload.run(network, path, Time::from_nanos(seconds * 1_000_000_000))
    };
    let (early, whole) = (until(10), until(60));
    let rate = (whole.received.saturating_sub(early.received)) as f64 * 8.0 / 50.0 / 1e6;
    ([rate, 100.0 * whole.lost as f64 / whole.sent as f64, whole.rtt.as_millis()], whole.digest)
}

/// Least and largest of a figure, one number if they are equal as shown.
fn span(values: impl Iterator<Item = f64>, digits: usize, unit: &str) -> String {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
    }
    let [least, most] = [least, most].map(|value| format!("{value:.digits$}"));
    if least == most { format!("{least}{unit}") } else { format!("{least}–{most}{unit}") }
}

fn row(name: &str, controller: &dyn Fn() -> Factory, is_paced: bool) -> Vec<Vec<u64>> {
    let mut digests = Vec::new();
    let cells: Vec<_> = BUFFERS
        .iter()
        .map(|&packets| {
            let runs: Vec<_> = (0..RUNS).map(|_| run(controller, packets, is_paced)).collect();
            digests.push(runs.iter().map(|(_, digest)| *digest).collect());
            let of = |at: usize| runs.iter().map(move |(figures, _)| figures[at]);
            format!("{}, {}, {}", span(of(0), 2, ""), span(of(1), 2, " %"), span(of(2), 0, ""))
        })
        .collect();
    println!("| {name} | {} |", cells.join(" | "));
    digests
}

const HEAD: &str = "# The pacing rate of quinn's BBR never reaches the pacer

<!-- Generated: make validate WHAT=quic -->

In quinn-proto 0.11.19, `congestion::Bbr` loses a quarter of its packets behind a buffer of half a bandwidth-delay product
(BDP). It computes a pacing rate, which ends in the statistics. The pacer sends at 1.25 windows per round trip instead,
and BBR's window is two products. With a pacer that takes the rate, 0.1 % are lost and the queue is gone.

## Measured

One upload between two endpoints of quinn-proto in virtual time: 10 Mbit/s, 100 ms there and back, drop-tail, datagrams of
1452 bytes, 60 s. A cell has the goodput from 10 s on in Mbit/s, the share of packets lost, and the smoothed round-trip
time at the end in milliseconds: least and largest of 5 runs. The link carries at most 9.59 Mbit/s of payload. The
buffers are 0.5, 1, 2 and 5 BDP.

`cargo run --release -p windward-quic --example bbr`
";

fn main() {
    println!("{HEAD}");
    let heads: Vec<_> = BUFFERS.iter().map(|packets| format!("{packets} packets")).collect();
    println!("| controller and pacer | {} |\n|---|---|---|---|---|", heads.join(" | "));
    let quinns = || -> Factory { Arc::new(BbrConfig::default()) };
    let digests = row("quinn's BBR, quinn's pacer", &quinns, false);
    let paced = row("quinn's BBR, a pacer at its own rate", &quinns, true);
    for (name, law) in [("`bbr` of Windward", "bbr"), ("`bbr3` of Windward", "bbr3")] {
        let ours = || -> Factory { Arc::new(Laws::named(law).expect("a law of quinn")) };
        row(&format!("{name}, quinn's pacer"), &ours, false);
        row(&format!("{name}, a pacer at its own rate"), &ours, true);
    }
    let equal = |all: &[Vec<u64>]| all.iter().filter(|runs| runs.windows(2).all(|pair| pair[0] == pair[1])).count();
    println!(
        "\n## The rate has no effect\n\n\
         BBR begins its cycle of pacing gains at a phase from the thread's generator of random numbers, so that the rates of\n\
         two runs differ. With quinn's pacer the runs are equal all the same: in {} of {} buffers, all {RUNS} runs send the\n\
         same datagrams at the same nanoseconds. With a pacer at BBR's rate they are equal in {} of {}.\n",
        equal(&digests),
        digests.len(),
        equal(&paced),
        paced.len()
    );
    println!("{TAIL}");
}

const TAIL: &str = "## Cause

* `Bbr::calculate_pacing_rate` stores bandwidth times gain in `pacing_rate`. `Controller::metrics` returns it as
  `ControllerMetrics::pacing_rate`, and qlog shows it. Nothing else reads it.
* `Connection::poll_transmit` asks `Pacer::delay(smoothed_rtt, bytes_to_send, mtu, window, now)`. The pacer fills its bucket
  at 1.25 · window / smoothed_rtt. The trait `Controller` has no method by which a controller could give a rate.
* BBR's window bounds the flight at `K_DERIVED_HIGH_CWNDGAIN` = 2 BDP. The rate is meant to keep the flight at one. With a
  window of 2 BDP and a rate above the link's, the flight is always the window.
* A path of one BDP with a buffer of *b* holds 1 + *b*. At *b* = 0.5 the excess is 0.5 of 2 BDP, a quarter of what is sent.
  At *b* ≥ 1 the excess is gone but for the aggregation of ACKs that the window adds, and the round trip is that of two
  BDP: 200 ms.

## Cure

Give the pacer the rate. A method with a default keeps every other controller as it is:

```rust
pub trait Controller {
    /// Rate at which to pace, in bytes per second; the pacer paces at 1.25 windows per round trip without one
    fn pacing_rate(&self) -> Option<u64> {
        None
    }
}
```

`Bbr` returns `Some(self.pacing_rate)` once it is above zero, and `Connection::poll_transmit` hands it to `Pacer::delay`.
The pacer adds `rate · elapsed` tokens in the place of `1.25 · window · elapsed_rtts`. noq-proto 1.4, a fork of quinn-proto,
reads `ControllerMetrics::pacing_rate` for this.

The rows with a pacer at the controller's rate have an unchanged quinn-proto. The driver asks `congestion_state().metrics()`
for the rate after each datagram. It calls `poll_transmit` again when the datagram has had its time. Any driver of
quinn-proto can do the same. `quinn` itself cannot: its driver sends what `poll_transmit` gives.

## Related

quinn issues 1254, 1372 and 1630 report slow or lossy BBR; pull request 2481 adds BBR version 3, whose rate has the same way
to go.
";
