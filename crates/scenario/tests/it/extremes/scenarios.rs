//! Random scenarios at the limits of the format.
//!
//! Each is small: its endpoints offer some thousand packets. A long run therefore indicates a fault.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Map, Value, json};
use windward_laws::LawSpec;

/// Maximum number of packets that a source or a flow without a size offers.
const PACKETS: f64 = 3000.0;
/// Duration of a run, in seconds.
const DURATIONS: [f64; 7] = [1e-9, 1e-6, 1e-3, 0.1, 1.0, 30.0, 1000.0];
/// Rates in bits a second.
const RATES: [f64; 9] = [1.0, 100.0, 1e4, 1e6, 1e7, 1e9, 1e10, 1e12, 8e18];
/// Times in seconds.
const DELAYS: [f64; 8] = [0.0, 0.0, 1e-9, 1e-6, 1e-3, 0.05, 1.0, 1e9];
const BUFFERS: [&str; 12] = [
    "0 packets",
    "1 packets",
    "2 packets",
    "50 packets",
    "1000 packets",
    "0 B",
    "1 B",
    "64 kB",
    "0 s",
    "1 ns",
    "10 ms",
    "unlimited",
];
const PROBABILITIES: [f64; 6] = [0.0, 1e-300, 0.01, 0.3, 0.999, 1.0];
/// Factors and values of a law's parameters.
const FACTORS: [f64; 9] = [1e-300, 1e-4, 1e-3, 0.1, 10.0, 100.0, 1e3, 1e5, 1e300];

/// A scenario's JSON, the same for the same `seed`.
pub fn scenario(seed: u64) -> String {
    Generator(Xoshiro256PlusPlus::seed_from_u64(seed)).scenario().to_string()
}

/// A recording of 1 to 3 opportunities a millisecond.
pub const RECORDING: &str = "1\n2\n2\n3\n5\n";

struct Generator(Xoshiro256PlusPlus);

fn seconds(span: f64) -> String {
    format!("{:.0} ns", span * 1e9)
}

fn rate_text(rate: f64) -> String {
    format!("{rate} bit/s")
}

/// Bounds a transfer without end by its slowest link: no more segments than [`PACKETS`] in the whole duration.
fn slow_down(link: &mut Value, flow: &Value, duration: f64) {
    let segment: f64 = flow["segment"].as_str().and_then(|text| text.strip_suffix(" B")?.parse().ok()).expect("bytes");
    let most = (PACKETS * segment * 8.0 / duration).clamp(1.0, 9e18).floor();
    let limit = |rate: &mut Value| {
        let written = rate.as_str().and_then(|text| text.strip_suffix(" bit/s")?.parse::<f64>().ok());
        if let Some(written) = written {
            *rate = json!(rate_text(written.min(most)));
        }
    };
    limit(&mut link["rate"]);
    if let Some(back) = link["reverse"].get_mut("rate") {
        limit(back);
    }
}

impl Generator {
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    fn chance(&mut self, p: f64) -> bool {
        self.0.random_range(0.0..1.0) < p
    }

    fn scenario(&mut self) -> Value {
        let duration = self.one(&DURATIONS);
        let warmup = match self.0.random_range(0..4) {
            0 if duration > 1e-9 => 1e-9,
            1 => (duration / 2.0 * 1e9).floor() / 1e9,
            2 => (duration * 1e9 - 1.0).max(0.0) / 1e9,
            _ => 0.0,
        };
        let hops = self.0.random_range(1..4_usize);
        let nodes: Vec<Value> = (0..=hops).map(|n| json!({ "name": format!("n{n}") })).collect();
        // The last hop may be a cell.
        let has_cell = self.chance(0.15);
        let mut links: Vec<Value> = (0..hops).map(|at| self.link(at, has_cell && at + 1 == hops)).collect();
        let cell: Vec<Value> = if has_cell { vec![self.cell(hops - 1)] } else { Vec::new() };
        let ends = [String::from("n0"), format!("n{hops}")];
        let flows = self.0.random_range(0..3_usize);
        let sources = if flows == 0 { 1 } else { self.0.random_range(0..2_usize) };
        let flow: Vec<Value> = (0..flows).map(|at| self.flow(at, &ends, duration)).collect();
        let background: Vec<Value> = (0..sources).map(|at| self.source(at, &ends, duration)).collect();
        flow.iter()
            .filter(|flow| !flow["size"].is_string())
            .for_each(|endless| slow_down(&mut links[0], endless, duration));
        json!({
            "name": "extreme", "duration": seconds(duration), "warmup": seconds(warmup),
            "output": { "internals": self.chance(0.2) },
            "node": nodes, "link": links, "cell": cell, "flow": flow, "background": background,
        })
    }

    fn cell(&mut self, at: usize) -> Value {
        let buffer = self.one(&["0 packets", "1 packets", "2 packets", "1000 packets", "unlimited", "1 B"]);
        json!({
            "name": "cell", "access_point": format!("n{at}"), "slot": self.one(&["1 ms", "10 ms", "1000 s"]),
            "symbol_rate": self.one(&["1 Sym/s", "1 MSym/s", "1000 MSym/s"]), "amc": { "kind": "standard" },
            "service": self.one(&["whole", "carry", "fluid"]),
            "scheduler": self.one(&["round-robin", "proportional-fair", "queueing-delay", "max-snr"]),
            "station": [{
                "node": format!("n{}", at + 1), "mean_snr": self.one(&["-20 dB", "10 dB", "40 dB"]),
                "delay": seconds(self.one(&DELAYS)), "buffer": buffer,
            }],
        })
    }

    /// A link; `back_alone` if the forward one belongs to a cell.
    fn link(&mut self, at: usize, back_alone: bool) -> Value {
        let rate = if self.chance(0.05) { json!({ "trace": "r.trace" }) } else { json!(rate_text(self.one(&RATES))) };
        let loss = match self.0.random_range(0..6) {
            0 => json!(self.one(&PROBABILITIES)),
            1 => json!({
                "model": "gilbert-elliott", "good_to_bad": self.one(&PROBABILITIES), "bad_to_good": self.one(&PROBABILITIES),
                "loss_bad": self.one(&PROBABILITIES),
            }),
            _ => json!(0),
        };
        let jitter = match self.0.random_range(0..8) {
            0 => json!({ "model": "uniform", "max": seconds(self.one(&DELAYS[2..])) }),
            1 => json!({ "model": "normal", "deviation": seconds(self.one(&DELAYS[2..])) }),
            2 => json!({ "model": "exponential", "mean": seconds(self.one(&DELAYS[2..])) }),
            _ => Value::Null,
        };
        let mut ends = [at, at + 1].map(|n| format!("n{n}"));
        if back_alone {
            ends.swap(0, 1);
        }
        json!({
            "from": ends[0], "to": ends[1], "duplex": !back_alone, "rate": rate, "delay": seconds(self.one(&DELAYS)),
            "buffer": self.one(&BUFFERS), "loss": loss, "jitter": jitter,
            "reverse": if back_alone { Value::Null } else {
                json!({ "rate": rate_text(self.one(&RATES)), "buffer": self.one(&BUFFERS), "loss": 0 })
            },
        })
    }

    fn flow(&mut self, at: usize, ends: &[String; 2], duration: f64) -> Value {
        let segment = self.one(&[1_u32, 2, 536, 1448, 65_400]);
        let segments = self.one(&[1.0, 2.0, 100.0, PACKETS]);
        let window = self.one(&["1 packets", "2 packets", "1000 packets", "1000000 packets"]);
        let mut flow = json!({
            "name": format!("f{at}"), "from": ends[0], "to": ends[1], "law": self.law(),
            "start": seconds(if self.chance(0.3) { duration / 2.0 } else { 0.0 }),
            "segment": format!("{segment} B"), "receive_window": window, "initial_window": self.one(&[1, 2, 10]),
            "delayed_ack": (["1 ns", "40 ms", "1000 s"].get(self.0.random_range(0..4_usize)).map_or(json!(false), |wait| json!(wait))),
            "min_rto": self.one(&["1 ns", "1 us", "200 ms", "1 s", "1000 s"]),
            "sack": self.chance(0.7), "timestamps": self.chance(0.7), "pacing": self.chance(0.3), "start_spread": "0 s",
            "known_base_rtt": match self.0.random_range(0..6) { 0 => json!("path"), 1 => json!("1 ns"), 2 => json!("1000 s"), _ => Value::Null },
        });
        if self.chance(0.1) {
            flow["connections"] = json!({
                "law": self.one(&["emultcp", "emultcp-fast"]), "tau": self.one(&["1 ms", "1 s", "1000 s"]),
                "alpha": self.one(&[1e-6, 0.25, 1e6]), "beta": self.one(&[0.01, 0.75, 0.99]),
                "gamma": self.one(&[1e-6, 0.2, 1e6]), "max": self.one(&[1, 4, 32]),
            });
        } else {
            flow["size"] = json!(format!("{} B", segments * f64::from(segment)));
        }
        flow
    }

    /// A law, half of the time with one or two of its parameters far from their defaults.
    fn law(&mut self) -> Value {
        let spec = LawSpec::all()[self.0.random_range(0..LawSpec::NAMES.len())];
        let Ok(Value::Object(mut law)) = serde_json::to_value(spec) else { panic!("a law is a table") };
        if self.chance(0.5) {
            let numbers: Vec<String> = law.iter().filter(|(_, v)| v.is_number()).map(|(key, _)| key.clone()).collect();
            for _ in 0..self.0.random_range(1..3).min(numbers.len()) {
                let key = &numbers[self.0.random_range(0..numbers.len())];
                let factor = self.one(&FACTORS);
                let default = law[key].as_f64().unwrap_or(1.0);
                let value = if factor.abs().log10().abs() > 100.0 { factor } else { default * factor };
                law.insert(key.clone(), json!(value));
            }
            let switches: Vec<String> =
                law.iter().filter(|(_, v)| v.is_boolean()).map(|(key, _)| key.clone()).collect();
            for key in switches {
                let value = self.chance(0.5);
                law.insert(key, Value::Bool(value));
            }
            if law.contains_key("mode") && self.chance(0.5) {
                law.insert("mode".to_owned(), json!("ns2"));
            }
        }
        Value::Object(Map::from_iter(law))
    }

    fn source(&mut self, at: usize, ends: &[String; 2], duration: f64) -> Value {
        let packet = self.one(&[28_u32, 100, 1500, 65_535]);
        // No more packets than PACKETS in the whole duration.
        let most = (PACKETS * f64::from(packet) * 8.0 / duration).min(9e18);
        let rate = rate_text(self.one(&RATES).min(most).max(1.0).floor());
        let periods = [1e-9, 1e-6, 1e-3, 0.1, 1.0, 1000.0, 1e9];
        let spreads = [json!("fixed"), json!("exponential"), json!({ "pareto": 1.000_001 }), json!({ "pareto": 50.0 })];
        let pattern = match self.0.random_range(0..4) {
            0 => json!({ "kind": "cbr", "rate": rate }),
            1 => json!({ "kind": "poisson", "rate": rate }),
            2 => json!({
                "kind": "on-off", "rate": rate, "on": seconds(self.one(&periods)), "off": seconds(self.one(&periods)),
                "on_spread": spreads[self.0.random_range(0..4)], "off_spread": spreads[self.0.random_range(0..4)],
            }),
            _ => {
                json!({ "kind": "pulses", "rate": rate, "length": seconds(self.one(&periods[..4])), "every": seconds(self.one(&periods[4..])) })
            }
        };
        json!({ "name": format!("b{at}"), "from": ends[0], "to": ends[1], "pattern": pattern, "packet": format!("{packet} B") })
    }
}
