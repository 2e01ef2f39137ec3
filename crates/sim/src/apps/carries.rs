//! Rows of what the datagrams of sources carry.

use super::source::Source;
use crate::output::SourceStats;
use windward_tables::Row;
use windward_units::Time;

/// Row of a table of sources that carry something.
pub trait Carries: Row {
    /// Row of the source `index` with these totals at the end of the run; `None` if it carries something else.
    fn of(index: u32, source: &Source, totals: &SourceStats, end: Time) -> Option<Self>;
}
