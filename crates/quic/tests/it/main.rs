//! quinn in virtual time, over the simulator's links.

mod exchanges;
mod flows;
mod uploads;
