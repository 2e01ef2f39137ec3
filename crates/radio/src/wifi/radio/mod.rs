//! Radio below both MACs: physical layers, propagation, motion and errors of frames.

pub(super) mod air;
pub(super) mod errors;
pub(super) mod motion;
pub(super) mod phy;
pub(super) mod propagation;
pub(super) mod reception;

pub use errors::{Fading, Modulation};
pub use motion::{Motion, place_at};
pub use phy::{Coding, Phy};
pub use propagation::{Neighbour, PathLoss, Position, Propagation, Reach};
