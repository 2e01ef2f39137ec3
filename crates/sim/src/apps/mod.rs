//! Applications on the network: background sources, and transfers that open and close TCP flows.

mod share;
mod source;
mod transfer;

pub use source::{Source, introduce};
pub use transfer::Transfer;
