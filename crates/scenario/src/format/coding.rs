//! Network coding of a flow, as written.

use super::Number;
use super::amounts::whole_packets;
use super::written::{Refusal, text_schema, units};
use serde::de::{self, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use windward_sim::coding::{BlockSize, CodingConfig, MOST_SEGMENTS};
use windward_units::Packets;

/// Number of segments in a block: "cwnd", "mean-cwnd" or a number of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block(BlockSize);

tagged! {
    /// Network coding between TCP and the network: linear combinations of the segments of a block are sent.
    Coding by "kind", "a table with a `kind`, such as { kind = \"random\", block = \"32 packets\" }" {
        /// Random combinations over GF(2^8).
        "random" Random {
            /// Number of segments in a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most
            /// 256.
            #[serde(default = "cwnd")]
            block: Block,
            /// Time without progress after which the receiver requests the missing combinations of a block, in smoothed
            /// round trips.
            #[serde(default = "patience")]
            patience: Number,
        }
        /// An infinite field: every combination is innovative until the block is complete. For comparison.
        "ideal" Ideal {
            /// Number of segments in a block: "cwnd" is the window when the block opens, "mean-cwnd" its mean, at most
            /// 256.
            #[serde(default = "cwnd")]
            block: Block,
            /// Time without progress after which the receiver requests the missing combinations of a block, in smoothed
            /// round trips.
            #[serde(default = "patience")]
            patience: Number,
        }
    }
}

// The defaults are the simulator's own.

fn cwnd() -> Block {
    Block(CodingConfig::default().block)
}

fn patience() -> Number {
    Number(CodingConfig::default().patience)
}

impl Coding {
    /// Returns the simulator's configuration.
    pub fn config(&self) -> CodingConfig {
        let (block, patience, ideal) = match self {
            Self::Random(Random { block, patience }) => (block, patience, false),
            Self::Ideal(Ideal { block, patience }) => (block, patience, true),
        };
        CodingConfig { block: block.0, ideal, patience: patience.0 }
    }
}

impl Block {
    fn read(text: &str) -> Result<Self, Refusal> {
        Ok(Self(match text.trim() {
            "cwnd" => BlockSize::Cwnd,
            "mean-cwnd" => BlockSize::MeanCwnd,
            _ => {
                let refusal = || {
                    Refusal::new(format!(
                        "`{text}` is not the size of a block; write \"cwnd\", \"mean-cwnd\" or 1 to {MOST_SEGMENTS} \
                         packets, such as \"32 packets\""
                    ))
                };
                let packets = whole_packets(text).map_err(|_| refusal())?;
                let allowed = |size: &u32| (1..=MOST_SEGMENTS).contains(size);
                BlockSize::Fixed(u32::try_from(packets).ok().filter(allowed).ok_or_else(refusal)?)
            }
        }))
    }
}

struct BlockVisitor;

impl Visitor<'_> for BlockVisitor {
    type Value = Block;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the size of a block: \"cwnd\", \"mean-cwnd\", or packets such as \"32 packets\"")
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Block, E> {
        Block::read(text).map_err(E::custom)
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            BlockSize::Cwnd => serializer.serialize_str("cwnd"),
            BlockSize::MeanCwnd => serializer.serialize_str("mean-cwnd"),
            BlockSize::Fixed(size) => serializer.collect_str(&Packets::new(f64::from(size))),
        }
    }
}

fn block_schema() -> schemars::Schema {
    text_schema(&units::<Packets>().collect::<Vec<_>>(), &["cwnd", "mean-cwnd"], &["cwnd", "32 packets"])
}

read_and_describe! {
    Block by BlockVisitor => |block| block, block_schema();
}
