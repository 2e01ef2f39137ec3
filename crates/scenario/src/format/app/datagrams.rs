//! Games, calls and pings: defaults of their datagrams.

use crate::format::{Number, Positive, Written};
use windward_units::{Bytes, Duration};

pub(super) fn every() -> Positive<Duration> {
    Positive(Duration::from_millis(200))
}

pub(super) fn speech() -> Written<Bytes> {
    Written(Bytes::new(120))
}

pub(super) fn twenty_ms() -> Positive<Duration> {
    Positive(Duration::from_millis(20))
}

pub(super) fn playout() -> Written<Duration> {
    Written(Duration::from_millis(60))
}

pub(super) fn no_impairment() -> Number {
    Number(0.0)
}

pub(super) fn robustness() -> Number {
    Number(25.0)
}

pub(super) fn echo() -> Written<Bytes> {
    Written(Bytes::new(84))
}
