//! Decisions of applications, as arithmetic on times that the caller gives: no network and no clock.

#![forbid(unsafe_code)]

pub mod emodel;
pub mod page;
pub mod rtp;
pub mod video;
