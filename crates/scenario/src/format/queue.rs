//! Queue disciplines, as written.

use super::cake::{Framing, Isolation, Tins};
use super::{Count, Number, Positive, Probability, Written};
use windward_sim::{
    CakeConfig, CoDelConfig, DualPi2Config, FqCoDelConfig, L4SpanConfig, PieConfig, PolicerConfig, QueueConfig,
    RedConfig, Sharing,
};
use windward_units::{BitRate, Bytes, Duration};

tagged! {
    /// Queue discipline: scheduling, dropping and marking.
    Queue by "discipline", "a table with a `discipline`" {
        /// First in, first out; packets that arrive at a full buffer are dropped.
        "drop-tail" DropTail {}
        /// Random early detection (Floyd and Jacobson 1993): the drop probability rises with the mean queue.
        "red" Red {
            /// Mean queue above which packets are dropped, in packets.
            #[serde(default = "red_min")]
            min: Number,
            /// Mean queue at which the drop probability is `probability`, in packets; `min` itself for a step.
            #[serde(default = "red_max")]
            max: Number,
            /// Drop probability at a mean queue of `max`.
            #[serde(default = "red_probability")]
            probability: Probability,
            /// Weight of the queue length at an arrival in the moving average.
            #[serde(default = "red_weight")]
            weight: Probability,
            /// Raises the drop probability to one between `max` and twice that; if false, all packets are dropped above
            /// `max`.
            #[serde(default = "yes")]
            gentle: bool,
            /// Marks packets of flows with `ecn` instead of dropping them, while the mean queue is below `max`.
            #[serde(default)]
            ecn: bool,
            /// Drops packets of flows with `ecn` while the mean queue is above `max`; if false, they are marked there
            /// too.
            #[serde(default = "yes")]
            hard_drop: bool,
        }
        /// Controlled delay (RFC 8289): drops at the head while the minimum delay over an interval is above the target.
        "codel" CoDel {
            /// Acceptable standing delay.
            #[serde(default = "codel_target")]
            target: Positive<Duration>,
            /// Window of the minimum delay: the largest expected round-trip time.
            #[serde(default = "codel_interval")]
            interval: Positive<Duration>,
            /// Marks packets of flows with `ecn` instead of dropping them.
            #[serde(default)]
            ecn: bool,
        }
        /// Flow queueing (RFC 8290): a CoDel queue per flow, in round-robin order; the default of many Linux hosts.
        "fq-codel" FqCoDel {
            /// Acceptable standing delay.
            #[serde(default = "codel_target")]
            target: Positive<Duration>,
            /// Window of the minimum delay.
            #[serde(default = "codel_interval")]
            interval: Positive<Duration>,
            /// Number of queues, to which flows are assigned by a hash.
            #[serde(default = "fq_queues")]
            queues: Count,
            /// Bytes that a queue may send per round, 1 B to 1 MB.
            #[serde(default = "fq_quantum")]
            quantum: Positive<Bytes>,
            /// Marks packets of flows with `ecn` instead of dropping them.
            #[serde(default = "yes")]
            ecn: bool,
        }
        /// CAKE, as Linux's `sch_cake`: a shaper, priority tins, host and flow isolation, and COBALT in each queue.
        "cake" Cake {
            /// Rate of the shaper, below that of the link so that the queue is here. Default: no shaper.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            bandwidth: Option<Positive<BitRate>>,
            /// Units among which the bandwidth is shared equally.
            #[serde(default)]
            isolation: Isolation,
            /// Priority tins by the code points of packets (`dscp`).
            #[serde(default)]
            tins: Tins,
            /// Framing of the line that the shaper accounts for.
            #[serde(default)]
            framing: Framing,
            /// Bytes that the line adds to each packet, −64 to 256.
            #[serde(default = "zero")]
            overhead: Number,
            /// Least size of a packet on the line, in bytes, 0 to 256.
            #[serde(default = "zero")]
            mpu: Number,
            /// Round-trip time for which the queue is tuned: COBALT's interval; its target is a twentieth of it. 1 µs
            /// to 4 s.
            #[serde(default = "codel_interval")]
            rtt: Positive<Duration>,
            /// Limit on the memory of queued packets. Default: four times bandwidth × rtt, at least 4 MiB.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            memory: Option<Positive<Bytes>>,
            /// Charges dropped packets to the shaper, for a shaper behind the bottleneck.
            #[serde(default)]
            ingress: bool,
            /// Marks packets of flows with `ecn` instead of dropping them.
            #[serde(default = "yes")]
            ecn: bool,
        }
        /// Proportional integral controller enhanced (RFC 8033): drops at the tail to keep the delay at a target.
        "pie" Pie {
            /// Target delay.
            #[serde(default = "pie_target")]
            target: Positive<Duration>,
            /// Time between updates of the probability, at least 1 ms.
            #[serde(default = "pie_update")]
            update: Positive<Duration>,
            /// α: increase of the probability per update for each second of delay above the target.
            #[serde(default = "pie_alpha")]
            alpha: Number,
            /// β: increase of the probability per update for each second by which the delay rose.
            #[serde(default = "pie_beta")]
            beta: Number,
            /// Length of a burst that passes without drops after idleness.
            #[serde(default = "pie_burst")]
            burst: Positive<Duration>,
            /// Marks packets of flows with `ecn` instead of dropping them, while the probability is at most 10 %.
            #[serde(default)]
            ecn: bool,
        }
        /// Dual queue with coupled PI² (RFC 9332): flows with `ecn = "scalable"` have their own, which marks early.
        "dualpi2" DualPi2 {
            /// Target delay of the classic queue.
            #[serde(default = "dual_target")]
            target: Positive<Duration>,
            /// Time between updates of the base probability p', at least 1 ms.
            #[serde(default = "dual_update")]
            update: Positive<Duration>,
            /// α: increase of p' per update for each second of delay above the target.
            #[serde(default = "dual_alpha")]
            alpha: Number,
            /// β: increase of p' per update for each second by which the delay rose.
            #[serde(default = "dual_beta")]
            beta: Number,
            /// k: scalable packets are marked with probability k·p', classic ones with p'²; at least 1.
            #[serde(default = "dual_coupling")]
            coupling: Number,
            /// Delay above which scalable packets are marked regardless of the classic queue.
            #[serde(default = "dual_threshold")]
            threshold: Written<Duration>,
            /// Range of delay over which the mark probability rises from 0 at `threshold` to 1; "0 s" for a step.
            #[serde(default = "dual_range")]
            range: Written<Duration>,
            /// Share of the bytes for the classic queue while packets wait in both queues, above 0 and below 1.
            #[serde(default = "dual_share")]
            classic_share: Probability,
            /// Time shift that replaces `classic_share`: packets are sent in order of arrival, and scalable packets
            /// count as having arrived this much earlier.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            shift: Option<Written<Duration>>,
        }
        /// Marks by predicted sojourn (L4Span, 2025): the bytes ahead of an arrival over the recent rate of service.
        /// For links whose rate changes within milliseconds. Packets of flows without `ecn` pass.
        "l4span" L4Span {
            /// Predicted sojourn at which half of the packets of flows with `ecn = "scalable"` are marked.
            #[serde(default = "span_threshold")]
            threshold: Positive<Duration>,
            /// Time over which the rate of service is measured, while packets wait.
            #[serde(default = "span_window")]
            window: Positive<Duration>,
        }
        /// Token bucket policer: drops arrivals above `rate` that exceed `burst`, and delays none. Packets that pass
        /// wait for the link as in drop-tail.
        "policer" Policer {
            /// Rate of the tokens, below that of the link. Default: no policing.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            rate: Option<Positive<BitRate>>,
            /// Size of the bucket, which is full at first, at least 1500 B.
            #[serde(default = "policer_burst")]
            burst: Positive<Bytes>,
        }
    }
}

/// Maximum quantum in bytes, and minimum update interval.
const MAX_QUANTUM: u64 = 1_000_000;
const MIN_UPDATE: Duration = Duration::from_millis(1);

/// Minimum bucket of a policer: with less no full packet passes.
const LEAST_BURST: Bytes = Bytes::new(1500);

/// Range of CAKE's interval; its control law has 32 bits of nanoseconds.
const SHORTEST_RTT: Duration = Duration::from_micros(1);
const LONGEST_RTT: Duration = Duration::from_millis(4000);

impl Default for Queue {
    fn default() -> Self {
        Self::DropTail(DropTail {})
    }
}

impl Queue {
    /// Returns the discipline, or the field with an invalid value and the reason.
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
            Self::Cake(cake) => cake.config().map(QueueConfig::Cake),
            Self::Pie(pie) => pie.config().map(QueueConfig::Pie),
            Self::DualPi2(dual) => dual.config().map(QueueConfig::DualPi2),
            Self::L4Span(L4Span { threshold, window }) => {
                Ok(QueueConfig::L4Span(L4SpanConfig { threshold: threshold.0, window: window.0 }))
            }
            Self::Policer(Policer { rate, burst }) => {
                if burst.0 < LEAST_BURST {
                    return Err(("burst", format!("{} is less than {LEAST_BURST}, a full packet", burst.0)));
                }
                if rate.is_none() && *burst != policer_burst() {
                    return Err(("burst", "it has no effect without a `rate` of the tokens".to_owned()));
                }
                Ok(QueueConfig::Policer(PolicerConfig { rate: rate.map(|rate| rate.0), burst: burst.0 }))
            }
        }
    }
}

impl Red {
    fn config(&self) -> Result<RedConfig, (&'static str, String)> {
        let (min, max) = (self.min.0, self.max.0);
        if min <= 0.0 {
            return Err(("min", format!("{min} is not above zero")));
        }
        if max < min {
            return Err(("max", format!("{max} is below `min`, which is {min}")));
        }
        let (probability, weight) = (self.probability.0, self.weight.0);
        if let Some((field, _)) =
            [("probability", probability), ("weight", weight)].iter().find(|(_, value)| *value == 0.0)
        {
            return Err((field, "it must be above zero".to_owned()));
        }
        if !self.ecn && !self.hard_drop {
            return Err(("hard_drop", "it is for flows with `ecn`, and the queue marks none: ecn = true".to_owned()));
        }
        let (is_gentle, marks, drops_hard) = (self.gentle, self.ecn, self.hard_drop);
        Ok(RedConfig { min, max, probability, weight, is_gentle, marks, drops_hard })
    }
}

/// Validates the parameters that all controllers of a delay have.
fn check_gains(update: Duration, alpha: f64, beta: f64) -> Result<(), (&'static str, String)> {
    if update < MIN_UPDATE {
        return Err(("update", format!("{update} is less than {MIN_UPDATE}")));
    }
    match [("alpha", alpha), ("beta", beta)].iter().find(|(_, value)| *value < 0.0) {
        Some((field, value)) => Err((field, format!("{value} is negative"))),
        None => Ok(()),
    }
}

impl DualPi2 {
    fn config(&self) -> Result<DualPi2Config, (&'static str, String)> {
        let (alpha, beta, update) = (self.alpha.0, self.beta.0, self.update.0);
        check_gains(update, alpha, beta)?;
        let coupling = self.coupling.0;
        if coupling < 1.0 {
            return Err(("coupling", format!("{coupling} is less than 1")));
        }
        let share = self.classic_share.0;
        if share <= 0.0 || share >= 1.0 {
            return Err(("classic_share", format!("{share} is out of range; allowed: above 0 and below 1")));
        }
        if self.shift.is_some() && self.classic_share != dual_share() {
            return Err(("classic_share", "`shift` replaces it: remove one of them".to_owned()));
        }
        let sharing = self.shift.map_or(Sharing::Weighted(share), |shift| Sharing::Shifted(shift.0));
        let (target, threshold, range) = (self.target.0, self.threshold.0, self.range.0);
        Ok(DualPi2Config { target, update, alpha, beta, coupling, threshold, range, sharing })
    }
}

impl Pie {
    fn config(&self) -> Result<PieConfig, (&'static str, String)> {
        let (alpha, beta, update) = (self.alpha.0, self.beta.0, self.update.0);
        check_gains(update, alpha, beta)?;
        Ok(PieConfig { target: self.target.0, update, alpha, beta, burst: self.burst.0, marks: self.ecn })
    }
}

impl Cake {
    fn config(&self) -> Result<CakeConfig, (&'static str, String)> {
        let whole = |field, value: f64, least: f64, most: f64| match value.fract() == 0.0
            && (least..=most).contains(&value)
        {
            true => Ok(value as i32),
            false => Err((field, format!("{value} is out of range; allowed: whole numbers from {least} to {most}"))),
        };
        let interval = self.rtt.0;
        if !(SHORTEST_RTT..=LONGEST_RTT).contains(&interval) {
            return Err(("rtt", format!("{interval} is out of range; allowed: {SHORTEST_RTT} to {LONGEST_RTT}")));
        }
        let framing = windward_sim::Framing {
            overhead: whole("overhead", self.overhead.0, -64.0, 256.0)?,
            least: whole("mpu", self.mpu.0, 0.0, 256.0)? as u32,
            cells: self.framing.config(),
        };
        Ok(CakeConfig {
            bandwidth: self.bandwidth.map(|bandwidth| bandwidth.0),
            isolation: self.isolation.config(),
            tins: self.tins.config(),
            framing,
            target: Duration::from_nanos(interval.as_nanos() / 20).max(SHORTEST_RTT),
            interval,
            memory: self.memory.map(|memory| memory.0),
            marks: self.ecn,
            is_ingress: self.ingress,
        })
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

fn policer_burst() -> Positive<Bytes> {
    Positive(PolicerConfig::default().burst)
}

fn zero() -> Number {
    Number(0.0)
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

fn dual_target() -> Positive<Duration> {
    Positive(DualPi2Config::default().target)
}

fn dual_update() -> Positive<Duration> {
    Positive(DualPi2Config::default().update)
}

fn dual_alpha() -> Number {
    Number(DualPi2Config::default().alpha)
}

fn dual_beta() -> Number {
    Number(DualPi2Config::default().beta)
}

fn dual_coupling() -> Number {
    Number(DualPi2Config::default().coupling)
}

fn dual_threshold() -> Written<Duration> {
    Written(DualPi2Config::default().threshold)
}

fn dual_range() -> Written<Duration> {
    Written(DualPi2Config::default().range)
}

fn dual_share() -> Probability {
    Probability(DualPi2Config::CLASSIC_SHARE)
}

fn span_threshold() -> Positive<Duration> {
    Positive(L4SpanConfig::default().threshold)
}

fn span_window() -> Positive<Duration> {
    Positive(L4SpanConfig::default().window)
}
