//! What uses the network: background sources, and transfers that open and close TCP flows.

mod source;
mod transfer;

pub use source::Source;
pub use transfer::Transfer;
