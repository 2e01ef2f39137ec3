//! Event engine: the calendar, events and random streams.

mod calendar;
mod event;
mod random;

pub use calendar::Calendar;
pub use event::{AppTimer, Event, FlowTimer, PortTimer, RtpTimer, RunTimer, Wake};
pub use random::{Purpose, Stream};
