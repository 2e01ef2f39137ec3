//! The MAC held to closed forms, frame by frame and in the mean.

mod anomaly;
mod backpressure;
mod bianchi;
mod contention;
mod exchanges;
mod harness;
mod radio;
