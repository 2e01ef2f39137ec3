//! Loss detection and recovery.

pub mod rack;
pub mod rack_tlp;
pub mod state;
pub mod undo;
