//! Tables of sources whose datagrams carry something.

use super::call::{CallStats, CallVideoStats};
use super::carries::Carries;
use super::game::GameStats;
use super::source::Source;
use crate::output::SourceStats;
use windward_tables::{Frames, Row, Table};
use windward_units::Time;

/// Lists the tables, and fills them.
macro_rules! carried {
    ($($row:ty),*) => {
        /// Tables of sources.
        pub const OF_SOURCES: &[&Table] = &[$(<$row>::TABLE),*];

        /// Tables of `sources` with these totals at the end of a run.
        pub fn report_sources(sources: &[Source], totals: &[SourceStats], end: Time) -> Frames {
            let mut tables = Frames::default();
            $({
                let all = (0..).zip(sources.iter().zip(totals));
                let rows = all.filter_map(|(index, (source, totals))| <$row>::of(index, source, totals, end));
                tables.add(&rows.collect::<Vec<_>>());
            })*
            tables
        }
    };
}

carried!(CallStats, CallVideoStats, GameStats);
