//! MAC tests: frame by frame by hand, and closed forms of mean values.

mod anomaly;
mod backpressure;
mod bianchi;
mod contention;
mod exchanges;
mod harness;
mod radio;
