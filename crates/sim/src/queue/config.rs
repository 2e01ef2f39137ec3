//! What a queue is given: a discipline and its parameters.

use windward_units::Duration;

/// Which discipline a queue follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// First come, first served; what finds no room is dropped.
    DropTail,
    /// Random early detection.
    Red(RedConfig),
    /// Controlled delay.
    CoDel(CoDelConfig),
    /// A queue for each flow under controlled delay.
    FqCoDel(FqCoDelConfig),
    /// Proportional integral controller enhanced.
    Pie(PieConfig),
    /// Dual queue with coupled PI².
    DualPi2(DualPi2Config),
}

/// Random early detection (Floyd and Jacobson 1993), with the gentle slope of Floyd's note of 2000.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Mean queue from which packets are dropped, in packets.
    pub min: f64,
    /// Mean queue at which so many are dropped as `probability` says, in packets; at least `min`, where there is a step.
    pub max: f64,
    /// Share dropped at `max`.
    pub probability: f64,
    /// Weight of the queue that a packet finds in the mean.
    pub weight: f64,
    /// From `max` to twice that, the share dropped rises to one; otherwise all are dropped above `max`.
    pub is_gentle: bool,
    /// Packets that know of marks are marked below `max`, not dropped.
    pub marks: bool,
    /// From `max` on they are dropped all the same (RFC 3168 §7).
    pub drops_hard: bool,
}

/// Controlled delay (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDelConfig {
    /// The standing delay that is accepted.
    pub target: Duration,
    /// For how long the delay must have been above `target` before packets are dropped: a round trip.
    pub interval: Duration,
    /// Packets that know of marks are marked, not dropped.
    pub marks: bool,
}

/// Flow queueing with controlled delay (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCoDelConfig {
    /// Each queue's own.
    pub codel: CoDelConfig,
    /// Queues among which flows are distributed by a hash.
    pub queues: u32,
    /// Bytes that a queue may send in its turn.
    pub quantum: u32,
}

/// Proportional integral controller enhanced (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// The delay that it steers to.
    pub target: Duration,
    /// How often the probability of a drop is computed.
    pub update: Duration,
    /// What an error of a second adds to the probability at each update.
    pub alpha: f64,
    /// What a delay that rises by a second adds.
    pub beta: f64,
    /// For how long after idleness nothing is dropped.
    pub burst: Duration,
    /// Packets that know of marks are marked, not dropped, while the probability is at most [`PieConfig::MARKS_BELOW`].
    pub marks: bool,
}

/// Dual queue with coupled PI² (RFC 9332).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// The delay of classic packets that it steers to.
    pub target: Duration,
    /// How often the probability is computed.
    pub update: Duration,
    /// What an error of a second adds to the base probability at each update.
    pub alpha: f64,
    /// What a delay that rises by a second adds.
    pub beta: f64,
    /// k: the probability of a mark of a scalable packet is so many times the base probability; at least 1.
    pub coupling: f64,
    /// Delay above which scalable packets are marked whatever the classic queue asks for.
    pub threshold: Duration,
    /// From `threshold` the share marked rises to one over such a delay; zero is a step.
    pub range: Duration,
    /// Who goes first where packets wait in both queues.
    pub sharing: Sharing,
}

/// Who goes first where packets wait in both queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sharing {
    /// Weighted round robin: the classic queue has this share of the bytes, above 0 and below 1.
    Weighted(f64),
    /// Who came first, where scalable packets count as having come so much earlier.
    Shifted(Duration),
}

impl Default for RedConfig {
    /// Thresholds for a buffer of 50 packets and more, as Floyd's notes recommend.
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
    /// RFC 8290 §5.2; Linux marks by default.
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
    /// RFC 9332 appendix A.1; the interval of updates, the gains that go with it (RFC: 15 ms, 0.15 and 3) and the classic
    /// queue's share are those of Linux.
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
    /// The classic queue's share by default.
    pub const CLASSIC_SHARE: f64 = 0.1;
}

impl PieConfig {
    /// Above this probability a packet is dropped even where it could be marked (RFC 8033 §5.1).
    pub const MARKS_BELOW: f64 = 0.1;
}
