//! Disciplines of queues, as written.

use super::{Count, Number, Positive, Probability};
use windward_sim::{CoDelConfig, FqCoDelConfig, PieConfig, QueueConfig, RedConfig};
use windward_units::{Bytes, Duration};

tagged! {
    /// What a queue drops or marks, and who goes first.
    Queue by "discipline", "a table with a `discipline`" {
        /// First come, first served; what finds no room is dropped.
        "drop-tail" DropTail {}
        /// Random early detection (Floyd and Jacobson 1993): the share dropped rises with the mean queue.
        "red" Red {
            /// Mean queue from which packets are dropped, in packets.
            #[serde(default = "red_min")]
            min: Number,
            /// Mean queue at which `probability` are dropped, in packets.
            #[serde(default = "red_max")]
            max: Number,
            /// Share dropped when the mean queue is `max`.
            #[serde(default = "red_probability")]
            probability: Probability,
            /// Weight of the queue that a packet finds in the mean.
            #[serde(default = "red_weight")]
            weight: Probability,
            /// Whether the share dropped rises to one between `max` and twice that; otherwise all are dropped above `max`.
            #[serde(default = "yes")]
            gentle: bool,
            /// Whether packets of flows with `ecn` are marked, not dropped, while the mean queue is below `max`.
            #[serde(default)]
            ecn: bool,
        }
        /// Controlled delay (RFC 8289): drops at the head while the least delay over an interval is above the target.
        "codel" CoDel {
            /// Acceptable standing delay.
            #[serde(default = "codel_target")]
            target: Positive<Duration>,
            /// Time over which the least delay is taken: the largest round-trip time expected.
            #[serde(default = "codel_interval")]
            interval: Positive<Duration>,
            /// Whether packets of flows with `ecn` are marked, not dropped.
            #[serde(default)]
            ecn: bool,
        }
        /// Flow queueing (RFC 8290): a queue for each flow under CoDel, served in turn; the default of many Linux hosts.
        "fq-codel" FqCoDel {
            /// Acceptable standing delay.
            #[serde(default = "codel_target")]
            target: Positive<Duration>,
            /// Time over which the least delay is taken.
            #[serde(default = "codel_interval")]
            interval: Positive<Duration>,
            /// Number of queues, to which flows are assigned by a hash.
            #[serde(default = "fq_queues")]
            queues: Count,
            /// Bytes that a queue may send in its turn, 1 B to 1 MB.
            #[serde(default = "fq_quantum")]
            quantum: Positive<Bytes>,
            /// Whether packets of flows with `ecn` are marked, not dropped.
            #[serde(default = "yes")]
            ecn: bool,
        }
        /// Proportional integral controller enhanced (RFC 8033): drops at the tail to hold the delay at a target.
        "pie" Pie {
            /// The delay that it steers to.
            #[serde(default = "pie_target")]
            target: Positive<Duration>,
            /// Time between updates of the probability, at least 1 ms.
            #[serde(default = "pie_update")]
            update: Positive<Duration>,
            /// α: what a delay of one second above the target adds to the probability at each update.
            #[serde(default = "pie_alpha")]
            alpha: Number,
            /// β: what a rise of the delay by one second adds.
            #[serde(default = "pie_beta")]
            beta: Number,
            /// How long a burst is let through after idleness.
            #[serde(default = "pie_burst")]
            burst: Positive<Duration>,
            /// Whether packets of flows with `ecn` are marked, not dropped, while the probability is at most 10 %.
            #[serde(default)]
            ecn: bool,
        }
    }
}

/// Most bytes of a quantum, and the shortest update.
const MAX_QUANTUM: u64 = 1_000_000;
const MIN_UPDATE: Duration = Duration::from_millis(1);

impl Default for Queue {
    fn default() -> Self {
        Self::DropTail(DropTail {})
    }
}

impl Queue {
    /// The discipline, or the field that cannot be so and why.
    pub fn config(&self) -> Result<QueueConfig, (&'static str, String)> {
        let codel = |target: Positive<Duration>, interval: Positive<Duration>, marks| match target.0 <= interval.0 {
            true => Ok(CoDelConfig { target: target.0, interval: interval.0, marks }),
            false => Err(("target", format!("{} is longer than the interval of {}", target.0, interval.0))),
        };
        match self {
            Self::DropTail(_) => Ok(QueueConfig::DropTail),
            Self::Red(red) => red.config().map(QueueConfig::Red),
            Self::CoDel(given) => codel(given.target, given.interval, given.ecn).map(QueueConfig::CoDel),
            Self::FqCoDel(given) => {
                let codel = codel(given.target, given.interval, given.ecn)?;
                let quantum = given.quantum.0.count();
                if quantum > MAX_QUANTUM {
                    return Err(("quantum", format!("{} is more than {MAX_QUANTUM} B", given.quantum.0)));
                }
                Ok(QueueConfig::FqCoDel(FqCoDelConfig { codel, queues: given.queues.0, quantum: quantum as u32 }))
            }
            Self::Pie(pie) => pie.config().map(QueueConfig::Pie),
        }
    }
}

impl Red {
    fn config(&self) -> Result<RedConfig, (&'static str, String)> {
        let (min, max) = (self.min.0, self.max.0);
        if min <= 0.0 {
            return Err(("min", format!("{min} is not above zero")));
        }
        if max <= min {
            return Err(("max", format!("{max} is not above `min`, which is {min}")));
        }
        let (probability, weight) = (self.probability.0, self.weight.0);
        if let Some((field, _)) =
            [("probability", probability), ("weight", weight)].iter().find(|(_, value)| *value == 0.0)
        {
            return Err((field, "it must be above zero".to_owned()));
        }
        Ok(RedConfig { min, max, probability, weight, is_gentle: self.gentle, marks: self.ecn })
    }
}

impl Pie {
    fn config(&self) -> Result<PieConfig, (&'static str, String)> {
        let (alpha, beta, update) = (self.alpha.0, self.beta.0, self.update.0);
        if update < MIN_UPDATE {
            return Err(("update", format!("{update} is less than {MIN_UPDATE}")));
        }
        if let Some((field, value)) = [("alpha", alpha), ("beta", beta)].iter().find(|(_, value)| *value < 0.0) {
            return Err((field, format!("{value} is negative")));
        }
        Ok(PieConfig { target: self.target.0, update, alpha, beta, burst: self.burst.0, marks: self.ecn })
    }
}

// The defaults are the simulator's own.

fn yes() -> bool {
    true
}

fn red_min() -> Number {
    Number(RedConfig::default().min)
}

fn red_max() -> Number {
    Number(RedConfig::default().max)
}

fn red_probability() -> Probability {
    Probability(RedConfig::default().probability)
}

fn red_weight() -> Probability {
    Probability(RedConfig::default().weight)
}

fn codel_target() -> Positive<Duration> {
    Positive(CoDelConfig::default().target)
}

fn codel_interval() -> Positive<Duration> {
    Positive(CoDelConfig::default().interval)
}

fn fq_queues() -> Count {
    Count(FqCoDelConfig::default().queues)
}

fn fq_quantum() -> Positive<Bytes> {
    Positive(Bytes::new(u64::from(FqCoDelConfig::default().quantum)))
}

fn pie_target() -> Positive<Duration> {
    Positive(PieConfig::default().target)
}

fn pie_update() -> Positive<Duration> {
    Positive(PieConfig::default().update)
}

fn pie_alpha() -> Number {
    Number(PieConfig::default().alpha)
}

fn pie_beta() -> Number {
    Number(PieConfig::default().beta)
}

fn pie_burst() -> Positive<Duration> {
    Positive(PieConfig::default().burst)
}
