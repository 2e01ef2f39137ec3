//! Units of radio: frequencies, symbol rates, ratios in decibels.

/// Cycles a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Frequency(f64);

impl Frequency {
    /// `rate` cycles a second.
    pub const fn hertz(rate: f64) -> Self {
        Self(rate)
    }

    /// Cycles a second.
    pub const fn as_hertz(self) -> f64 {
        self.0
    }
}

/// Modulation symbols a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct SymbolRate(f64);

impl SymbolRate {
    /// `rate` symbols a second.
    pub const fn per_sec(rate: f64) -> Self {
        Self(rate)
    }

    /// Symbols a second.
    pub const fn as_per_sec(self) -> f64 {
        self.0
    }
}

/// A ratio of powers in decibels; negative below one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decibels(f64);

impl Decibels {
    /// A number of decibels.
    pub const fn new(decibels: f64) -> Self {
        Self(decibels)
    }

    /// A number of decibels.
    pub const fn count(self) -> f64 {
        self.0
    }
}

/// A length in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Distance(f64);

impl Distance {
    /// So many metres.
    pub const fn metres(count: f64) -> Self {
        Self(count)
    }

    /// Metres.
    pub const fn as_metres(self) -> f64 {
        self.0
    }
}

/// A speed in metres a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Speed(f64);

impl Speed {
    /// So many metres a second.
    pub const fn metres_per_sec(count: f64) -> Self {
        Self(count)
    }

    /// Metres a second.
    pub const fn as_metres_per_sec(self) -> f64 {
        self.0
    }
}

/// A power by its level above a milliwatt; negative below one.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct PowerLevel(f64);

impl PowerLevel {
    /// So many decibels above a milliwatt.
    pub const fn dbm(level: f64) -> Self {
        Self(level)
    }

    /// Decibels above a milliwatt.
    pub const fn as_dbm(self) -> f64 {
        self.0
    }
}
