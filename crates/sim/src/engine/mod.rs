//! The event engine: what happens next, and where luck comes from.

mod calendar;
mod event;
mod random;

pub use calendar::Calendar;
pub use event::{Class, Event};
pub use random::{Purpose, Stream};
