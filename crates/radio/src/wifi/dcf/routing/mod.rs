//! Routing protocols of 802.11 networks.

mod aodv;
mod backpressure;
mod calls;
mod directory;
mod dsdv;
mod handles;
mod state;

use state::Routing;
pub use state::Wifi;
