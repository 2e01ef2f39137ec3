//! The MAC held to closed forms, frame by frame and in the mean.

mod anomaly;
mod backpressure;
mod bianchi;
mod exchanges;
mod harness;
