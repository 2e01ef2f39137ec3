//! AQM in the fluid model: the share of packets that a discipline marks or drops as a function of its queue.
//!
//! Disciplines act at random, by time or by both; this is their mean in steady state. A discipline with a target delay
//! marks or drops the packets beyond it once per round trip, as a full buffer does. That many hold the queue at the
//! target under any law.

/// AQM of a link's queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Early {
    /// Rule for the share of packets.
    pub rule: Rule,
    /// True if packets of ECN-capable flows are marked instead of dropped.
    pub marks: bool,
    /// Queue in packets above which ECN-capable packets are dropped too; may be infinite.
    pub hard: f64,
}

/// Share of packets that a queue marks or drops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Packets beyond this delay in seconds: PIE (RFC 8033), CoDel (RFC 8289).
    Delay(f64),
    /// Random early detection (Floyd and Jacobson 1993), with the queue as its average.
    Red {
        /// Packets from which the share rises.
        min: f64,
        /// Packets at which the share is `probability`; at least `min`, and a step if equal.
        max: f64,
        /// Share at `max`.
        probability: f64,
        /// True if the share rises to one from `max` to twice `max`; otherwise all packets beyond `max` are marked or
        /// dropped.
        is_gentle: bool,
    },
    /// Coupled PI² (RFC 9332 §2.1): with p' as in `Delay`, p'² of the classic packets and `coupling`·p' of the scalable
    /// ones, in a common queue here.
    Coupled {
        /// Seconds.
        delay: f64,
        /// k.
        coupling: f64,
    },
}

/// ECN capability of a flow's packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// No ECN: packets are dropped.
    #[default]
    Off,
    /// Classic ECN, ECT(0).
    Classic,
    /// Scalable ECN, ECT(1).
    Scalable,
}

/// Shares of packets that a queue drops and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fate {
    /// Share of dropped packets.
    pub dropped: f64,
    /// Share of marks among the others.
    pub marked: f64,
}

impl Early {
    /// Base share with `waiting` packets in the queue of a link of `rate` packets per second, crossed by windows of
    /// `crossing` packets in total.
    pub(crate) fn share(&self, waiting: f64, rate: f64, crossing: f64) -> f64 {
        let beyond = |packets: f64| ((waiting - packets).max(0.0) / crossing).min(1.0);
        match self.rule {
            Rule::Delay(delay) | Rule::Coupled { delay, .. } => beyond(delay * rate),
            Rule::Red { min, max, probability, is_gentle } => {
                let rising = match max > min {
                    true => probability * ((waiting - min) / (max - min)).clamp(0.0, 1.0),
                    false if is_gentle => beyond(max).min(probability),
                    false => 0.0,
                };
                let above = if is_gentle { (1.0 - probability) * (waiting / max - 1.0).clamp(0.0, 1.0) } else { 0.0 };
                // From one to the next are evenly 1 to 1/p packets (§VII, method 2): 2p/(1 + p) of all.
                let p = rising + above;
                (2.0 * p / (1.0 + p) + if is_gentle { 0.0 } else { beyond(max) }).min(1.0)
            }
        }
    }

    /// Shares for a flow's packets, given the base share `share` and `waiting` packets in the queue.
    pub(crate) fn fate(&self, ecn: Ecn, share: f64, waiting: f64) -> Fate {
        let share = match (self.rule, ecn) {
            (Rule::Coupled { coupling, .. }, Ecn::Scalable) => (coupling * share).min(1.0),
            (Rule::Coupled { .. }, _) => share * share,
            _ => share,
        };
        match self.marks && ecn != Ecn::Off && waiting <= self.hard {
            true => Fate { dropped: 0.0, marked: share },
            false => Fate { dropped: share, marked: 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn red(min: f64, max: f64, is_gentle: bool) -> Early {
        Early { rule: Rule::Red { min, max, probability: 0.1, is_gentle }, marks: true, hard: f64::INFINITY }
    }

    #[test]
    fn shares_rise_with_what_waits() {
        // A tenth at 15 packets, from 5: p = 0.04 at 9. Gently on to all at 30: 0.1 + 0.9/3 at 20. Else one of 50
        // besides at 16.
        let gentle = [4.0, 9.0, 20.0, 40.0].map(|waiting| red(5.0, 15.0, true).share(waiting, 1.0, 50.0));
        let exact = [0.0, 0.08 / 1.04, 0.8 / 1.4, 1.0];
        assert!(gentle.iter().zip(exact).all(|(got, exact)| (got - exact).abs() < 1e-12), "{gentle:?}");
        assert!((red(5.0, 15.0, false).share(16.0, 1.0, 50.0) - (0.2 / 1.1 + 0.02)).abs() < 1e-12);
        // A step: two of 50; gently p = 0.04 + 0.9/5. Beyond 5 ms at 1000 a second: three of 50.
        assert!((red(10.0, 10.0, false).share(12.0, 1.0, 50.0) - 0.04).abs() < 1e-12);
        assert!((red(10.0, 10.0, true).share(12.0, 1.0, 50.0) - 0.44 / 1.22).abs() < 1e-12);
        let pie = Early { rule: Rule::Delay(0.005), marks: false, hard: f64::INFINITY };
        assert!((pie.share(8.0, 1000.0, 50.0) - 0.06).abs() < 1e-12);
    }

    #[test]
    fn what_does_not_understand_marks_is_dropped() {
        let fate = |early: Early, ecn, waiting| {
            let Fate { dropped, marked } = early.fate(ecn, 0.1, waiting);
            (dropped, marked)
        };
        let hard = Early { hard: 15.0, ..red(5.0, 15.0, true) };
        assert_eq!(
            [(Ecn::Off, 9.0), (Ecn::Classic, 9.0), (Ecn::Classic, 16.0)].map(|(ecn, waiting)| fate(hard, ecn, waiting)),
            [(0.1, 0.0), (0.0, 0.1), (0.1, 0.0)]
        );
        let dual = Early { rule: Rule::Coupled { delay: 0.015, coupling: 2.0 }, marks: true, hard: f64::INFINITY };
        assert_eq!(fate(dual, Ecn::Scalable, 9.0), (0.0, 0.2));
        assert!((fate(dual, Ecn::Classic, 9.0).1 - 0.01).abs() < 1e-12);
        assert!((fate(dual, Ecn::Off, 9.0).0 - 0.01).abs() < 1e-12);
    }
}
