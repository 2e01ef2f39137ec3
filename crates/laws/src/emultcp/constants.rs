//! Constants of the fast law in three groups, each with its unit and its reason.
//!
//! evidence/measured/emultcp-trials.md measures the cost of removing each of them.

/// Constants of the start: n doubles until a queue forms.
pub(super) struct Start {
    /// Doubling time of n, in round trips: a new connection takes two to show its effect.
    pub doubling_rtts: f64,
    /// Minimum doubling time of n, in τ: on short paths the queue is measured more slowly than it forms.
    pub doubling_least: f64,
    /// Minimum on hosts that control no windows, in τ: their queue at the end of the start is longer.
    pub doubling_least_unbound: f64,
    /// Share of θ up to which n doubles at full speed: delayed ACKs and timers alone cause that much. Beyond it unused
    /// capacity is not searched.
    pub free_share: f64,
    /// Sum of the receive windows, in loads x·rtt_min of the path: a window that was offered cannot be withdrawn, and
    /// without a limit the queue at the end of the start overflows.
    pub offered_loads: f64,
    /// Minimum of that sum for each connection, in segments: with fewer a slow start ends early.
    pub offered_segments: f64,
    /// Round trip above which that sum grows in proportion, in τ: connections that have not delivered anything yet
    /// occupy a part of it.
    pub offered_rtt: f64,
}

/// See [`Start`].
pub(super) const START: Start = Start {
    doubling_rtts: 2.0,
    doubling_least: 0.2,
    doubling_least_unbound: 0.4,
    free_share: 0.5,
    offered_loads: 2.0,
    offered_segments: 8.0,
    offered_rtt: 0.1,
};

/// Constants of the growth and decrease of n after the start.
pub(super) struct Growth {
    /// Time constant of the smoothed queue and rate, in τ: two updates.
    pub smoothing: f64,
    /// Memory of the maximum rate, in τ: a path may become slower.
    pub memory: f64,
    /// Share of the maximum rate at which a path counts as full: a rate varies by some percent.
    pub full_share: f64,
    /// Time without a queue after which a path counts as unused, in seconds: it may have become faster.
    pub unfilled: f64,
    /// Time after the opening of a connection in which no queue lowers n, in settling times: slow starts make queues.
    pub blindness: f64,
    /// Distance of n below the number of connections at which one closes, in connections: each opening costs a slow
    /// start.
    pub closing: f64,
    /// Time for which one connection must keep a rate alone, in τ: random losses end the burst of a slow start sooner.
    pub kept: f64,
    /// Duration of a hold at n = 1, in seconds: each trial of a second connection makes a queue.
    pub hold: f64,
    /// Time constant of the rate that justifies a hold, in τ: the rate of one connection varies.
    pub hold_smoothing: f64,
    /// Share of that rate below which the hold ends: one connection is not enough.
    pub hold_share: f64,
}

/// See [`Growth`].
pub(super) const GROWTH: Growth = Growth {
    smoothing: 0.2,
    memory: 20.0,
    full_share: 0.95,
    unfilled: 9.0,
    blindness: 2.0,
    closing: 0.5,
    kept: 0.5,
    hold: 32.0,
    hold_smoothing: 2.0,
    hold_share: 0.75,
};

/// Constants of the bound W on the sum of the receive windows.
pub(super) struct Bound {
    /// Number of connections that begin a bound at their first queue: fewer may be about to close.
    pub connections: u32,
    /// Time for which there must have been several connections before fewer begin one, in seconds.
    pub few_after: f64,
    /// Initial W, in loads x·rtt_min of the path: the queue hides a part of the load.
    pub initial_loads: f64,
    /// Target queue Q as a share of rtt_min: the resolution of a round trip.
    pub target_share: f64,
    /// Further part of Q, in packets at the maximum rate: fewer cannot be told from none.
    pub target_packets: f64,
    /// Ratio of the speeds of growth and decrease of W: no queue is shorter than none, so that W learns less from it.
    pub growth_factor: f64,
    /// Time without a queue of Q after which W grows by the unused share, in τ: gaps in the arrivals are shorter.
    pub patience: f64,
    /// Addition to that time, in round trips: the growth of W shows after one.
    pub patience_rtts: f64,
    /// Use of W above which W does not shrink and n stays: windows offered earlier are used up first.
    pub overused: f64,
    /// Target of the use of W: losses leave the rest unused.
    pub target_use: f64,
    /// Speed of n per missing use, per τ.
    pub use_gain: f64,
    /// Share of its value at the last queue shorter than Q at which W gives way: other flows fill the queue.
    pub yield_share: f64,
    /// Time without a bound after that, in seconds.
    pub rest: f64,
    /// Minimum room of a connection, in segments: with fewer, duplicates cannot reveal a loss (RFC 5681 §3.2).
    pub room: f64,
}

/// See [`Bound`].
pub(super) const BOUND: Bound = Bound {
    connections: 4,
    few_after: 5.0,
    initial_loads: 1.1,
    target_share: 0.015,
    target_packets: 1.3,
    growth_factor: 4.0,
    patience: 0.5,
    patience_rtts: 2.0,
    overused: 1.1,
    target_use: 0.95,
    use_gain: 6.0,
    yield_share: 0.7,
    rest: 30.0,
    room: 4.0,
};

/// Bits of a packet of 1500 bytes.
pub(super) const PACKET: f64 = 1500.0 * 8.0;
/// Bits of its segment.
pub(super) const SEGMENT: f64 = 1448.0 * 8.0;
