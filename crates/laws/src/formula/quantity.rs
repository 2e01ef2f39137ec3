//! Quantities that a formula can read.

macro_rules! quantities {
    ($($(#[doc = $doc:literal])* $name:literal $variant:ident,)*) => {
        /// A quantity of a formula.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Quantity {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Quantity {
            /// The quantity called `name`.
            pub fn of(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Names of all quantities.
            pub fn names() -> impl Iterator<Item = &'static str> {
                [$($name),*].into_iter()
            }
        }
    };
}

quantities! {
    /// Window, packets.
    "w" Window,
    /// Packets that the ACK is for.
    "acked" Acked,
    /// Packets in flight; in `loss` and `mark` those at the event.
    "flight" Flight,
    /// Slow-start threshold, packets; infinite before the first loss.
    "ssthresh" Ssthresh,
    /// Newest round-trip sample, seconds.
    "rtt" Rtt,
    /// Smoothed round-trip time (RFC 6298), seconds.
    "srtt" Srtt,
    /// Average of the last `average` round-trip samples, seconds.
    "avg" Average,
    /// Least round-trip time of the last round trip, seconds.
    "least" Least,
    /// Least round-trip time ever, seconds.
    "base" Base,
    /// base/avg, at most 1: the share of the round trip that is not queueing.
    "share" Share,
    /// Delivery rate, packets per second.
    "rate" Rate,
    /// Average share of lost packets.
    "lost" Lost,
    /// Time since the last reduction, seconds.
    "since" Since,
    /// Round trips since the last reduction.
    "rounds" Rounds,
    /// Window before the last reduction, packets.
    "last" Last,
}

impl Quantity {
    /// True if it depends on more than the present state of the path.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Since | Self::Rounds | Self::Last | Self::Ssthresh)
    }
}
