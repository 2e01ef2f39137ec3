//! quinn in virtual time, over the simulator's links.

mod flows;
mod uploads;
