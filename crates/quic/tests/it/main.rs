//! quinn in virtual time, over the simulator's links.

mod exchanges;
mod flows;
#[cfg(feature = "noq")]
mod noq;
mod uploads;
