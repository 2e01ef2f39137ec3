//! Configuration of a queue: its discipline and parameters.

use windward_units::Duration;

/// Queue discipline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// Drop-tail: FIFO that drops arrivals when full.
    DropTail,
    /// RED: random early detection.
    Red(RedConfig),
    /// CoDel: controlled delay.
    CoDel(CoDelConfig),
    /// FQ-CoDel: a CoDel queue for each flow.
    FqCoDel(FqCoDelConfig),
    /// PIE: proportional integral controller enhanced.
    Pie(PieConfig),
    /// DualPI2: dual queue with coupled PI².
    DualPi2(DualPi2Config),
}

impl QueueConfig {
    /// True if the discipline draws from the seed.
    pub const fn is_random(&self) -> bool {
        match self {
            Self::Red(_) | Self::Pie(_) => true,
            Self::DropTail | Self::CoDel(_) | Self::FqCoDel(_) | Self::DualPi2(_) => false,
        }
    }
}

/// Parameters of random early detection (Floyd and Jacobson 1993), with the gentle slope of Floyd's note of 2000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Mean queue in packets at which drops begin.
    pub min: f64,
    /// Mean queue in packets at which the drop probability is `probability`; at least `min`. With `min` equal to `max`
    /// the probability is a step.
    pub max: f64,
    /// Drop probability at `max`.
    pub probability: f64,
    /// EWMA weight of the current queue in the mean.
    pub weight: f64,
    /// True if the drop probability rises to one between `max` and twice `max`; otherwise all packets are dropped above
    /// `max`.
    pub is_gentle: bool,
    /// True if ECN-capable packets are marked instead of dropped below `max`.
    pub marks: bool,
    /// True if ECN-capable packets too are dropped from `max` on (RFC 3168 §7).
    pub drops_hard: bool,
}

/// Parameters of CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDelConfig {
    /// Acceptable standing delay.
    pub target: Duration,
    /// Time for which the delay must be above `target` before the first drop: a round trip.
    pub interval: Duration,
    /// True if ECN-capable packets are marked instead of dropped.
    pub marks: bool,
}

/// Parameters of FQ-CoDel (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCoDelConfig {
    /// Parameters of each flow's CoDel.
    pub codel: CoDelConfig,
    /// Number of queues to which flows are hashed.
    pub queues: u32,
    /// Bytes that a queue may send per round.
    pub quantum: u32,
}

/// Parameters of PIE (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// Target delay.
    pub target: Duration,
    /// Update interval of the drop probability.
    pub update: Duration,
    /// Integral gain: change of the probability per update and second of error.
    pub alpha: f64,
    /// Proportional gain: change of the probability per second by which the delay has risen.
    pub beta: f64,
    /// Time after idleness without drops.
    pub burst: Duration,
    /// True if ECN-capable packets are marked instead of dropped, while the probability is at most
    /// [`PieConfig::MARKS_BELOW`].
    pub marks: bool,
}

/// Parameters of DualPI2 (RFC 9332).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// Target delay of classic packets.
    pub target: Duration,
    /// Update interval of the base probability.
    pub update: Duration,
    /// Integral gain: change of the base probability per update and second of error.
    pub alpha: f64,
    /// Proportional gain: change of the base probability per second by which the delay has risen.
    pub beta: f64,
    /// k: ratio of the marking probability of scalable packets to the base probability; at least 1.
    pub coupling: f64,
    /// Delay above which scalable packets are marked independently of the classic queue.
    pub threshold: Duration,
    /// Range of delays above `threshold` over which the marking probability rises to one; zero is a step.
    pub range: Duration,
    /// Scheduler between the two queues.
    pub sharing: Sharing,
}

/// Scheduler between the two queues of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sharing {
    /// Weighted round robin with this share of bytes for the classic queue, above 0 and below 1.
    Weighted(f64),
    /// Time-shifted FIFO: scalable packets are served as if they had arrived earlier by this time.
    Shifted(Duration),
}

impl Default for RedConfig {
    /// Thresholds for a buffer of 50 packets or more, as recommended in Floyd's notes.
    fn default() -> Self {
        Self { min: 5.0, max: 15.0, probability: 0.1, weight: 0.002, is_gentle: true, marks: false, drops_hard: true }
    }
}

impl Default for CoDelConfig {
    /// RFC 8289 §4.2 and §4.3.
    fn default() -> Self {
        Self { target: Duration::from_millis(5), interval: Duration::from_millis(100), marks: false }
    }
}

impl Default for FqCoDelConfig {
    /// RFC 8290 §5.2, with ECN on, as in Linux.
    fn default() -> Self {
        Self { codel: CoDelConfig { marks: true, ..CoDelConfig::default() }, queues: 1024, quantum: 1514 }
    }
}

impl Default for PieConfig {
    /// RFC 8033 §4.1, §4.2 and §4.4.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst: Duration::from_millis(150),
            marks: false,
        }
    }
}

impl Default for DualPi2Config {
    /// RFC 9332 appendix A.1, except for the update interval, its gains (RFC: 15 ms, 0.15 and 3) and the share of the
    /// classic queue, which are those of Linux.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            threshold: Duration::from_micros(800),
            range: Duration::from_micros(400),
            sharing: Sharing::Weighted(Self::CLASSIC_SHARE),
        }
    }
}

impl DualPi2Config {
    /// Default share of the classic queue.
    pub const CLASSIC_SHARE: f64 = 0.1;
}

impl PieConfig {
    /// Probability above which ECN-capable packets too are dropped (RFC 8033 §5.1).
    pub const MARKS_BELOW: f64 = 0.1;
}
