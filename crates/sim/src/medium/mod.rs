//! Media that several ports share.

pub mod cell;
