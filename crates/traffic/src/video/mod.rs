//! Adaptive video: a player that asks for chunks, and the rules that choose their bit rates. All of it is arithmetic on
//! times that the caller gives.

mod config;
mod mpc;
mod player;
mod rules;

pub use config::{AbrRule, Estimate, Qoe, VideoConfig};
pub use player::{Played, Player};
