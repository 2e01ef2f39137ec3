//! Tests of EDCA, aggregation and BlockAcks against closed forms.

mod ahead;
mod bianchi;
mod exchanges;
mod harness;
mod ideal;
mod queues;
mod random;
mod saturation;
