//! The video of a call.

use crate::format::source::DatagramEcn;
use crate::format::{Number, Positive, Written};
use windward_units::{BitRate, Bytes, Duration};

tagged! {
    /// Video of a call: frames of an encoder, whose bit rate a law decides by the reports of the receiver. Rates are on
    /// the wire, headers included.
    CallVideo by "control", "a law, such as \"nada\", or a table with a `control`" with {
        /// Frames per second, 1 to 240.
        #[serde(default = "thirty")]
        pub fps: Number,
        /// Largest datagram on the wire, headers included: 100 B to 65 535 B. A frame is divided evenly.
        #[serde(default = "packet")]
        pub packet: Written<Bytes>,
        /// Scale of the Laplace distribution of frame sizes, as a share of the mean: 0 to 0.5. 0: all have the mean
        /// size. RFC 8593 has 0.15.
        #[serde(default = "none")]
        pub spread: Number,
        /// Time between two reports of the receiver, at least 1 ms. Default: 100 ms (RFC 8698); with `scream` at most
        /// 40 ms, 16 datagrams, and at the end of each frame (the draft's requirements).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub report: Option<Positive<Duration>>,
        /// ECN field of the datagrams: none, ECT(0), or ECT(1). `nada` and `scream` respond to marks, `scream` to those
        /// of ECT(1) as to L4S.
        #[serde(default)]
        pub ecn: DatagramEcn,
    } {
        /// Constant bit rate.
        "constant" ConstantVideo {
            /// Bit rate.
            rate: Positive<BitRate>,
        }
        /// NADA (RFC 8698): by queueing delay, losses and marks.
        "nada" Nada {
            /// RMIN: least bit rate.
            #[serde(default = "least")]
            least: Positive<BitRate>,
            /// RMAX: largest bit rate. Shares of a bottleneck are proportional to it.
            #[serde(default = "most")]
            most: Positive<BitRate>,
            /// PRIO: weight of the stream, 0.01 to 100.
            #[serde(default = "one")]
            priority: Number,
        }
        /// SCReAM v2 (draft-ietf-ccwg-rfc8298bis-screamv2, August 2026): a window by queueing delay, losses and marks.
        "scream" Scream {
            /// Least bit rate.
            #[serde(default = "least")]
            least: Positive<BitRate>,
            /// Largest bit rate.
            #[serde(default = "most")]
            most: Positive<BitRate>,
        }
        /// GCC (draft-ietf-rmcat-gcc-02): by the trend of the delay, and losses. Browsers have moved on from the draft.
        "gcc" Gcc {
            /// Least bit rate.
            #[serde(default = "least")]
            least: Positive<BitRate>,
            /// Largest bit rate.
            #[serde(default = "most")]
            most: Positive<BitRate>,
        }
    }
}

fn thirty() -> Number {
    Number(30.0)
}

fn packet() -> Written<Bytes> {
    Written(Bytes::new(1200))
}

fn none() -> Number {
    Number(0.0)
}

fn one() -> Number {
    Number(1.0)
}

fn least() -> Positive<BitRate> {
    Positive(BitRate::bits_per_sec(150_000))
}

fn most() -> Positive<BitRate> {
    Positive(BitRate::bits_per_sec(1_500_000))
}
