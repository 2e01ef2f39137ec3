//! Long series in little memory: complete blocks of rows are compressed while a run goes on.

use crate::data::{Block, Blocks, Data};
use crate::schema::Table;

/// Rows from which a block is compressed.
const BLOCK: usize = 1 << 14;

/// A table as vectors, declared by [`crate::table!`].
pub trait Series: Sized {
    /// Its table.
    const TABLE: &'static Table;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Columns, in the order of [`Table::columns`].
    fn into_columns(self) -> Vec<Data>;
    /// The series of these columns.
    fn from_columns(columns: Vec<Data>) -> Self;
    /// Reserves memory for more rows.
    fn reserve(&mut self, rows: usize);
    /// Compresses each column.
    fn pack(&self) -> Vec<Block>;
    /// Removes all rows and keeps their memory.
    fn clear(&mut self);
}

/// A series whose rows are compressed block by block, except the newest ones.
///
/// Samples of 10 000 flows and 40 000 links repeat themselves: most links are idle. 4 million rows take
/// 189 MB as vectors and 25 MB here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chunked<S> {
    newest: S,
    /// Complete blocks of each column; empty before the first.
    sealed: Vec<Blocks>,
}

impl<S: Series> Chunked<S> {
    /// Reserves memory for `times` additions of `rows` rows each, or until the newest rows are compressed.
    pub fn reserve(&mut self, times: usize, rows: usize) {
        self.newest.reserve((times * rows).min(BLOCK + rows));
    }

    /// Appends rows by `add`, which lengthens all columns of the given series by the same number of rows.
    pub fn add(&mut self, add: impl FnOnce(&mut S)) {
        add(&mut self.newest);
        if self.newest.rows() >= BLOCK {
            self.seal();
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.sealed.first().map_or(0, Blocks::rows) + self.newest.rows()
    }

    /// The whole series as vectors.
    #[must_use]
    pub fn unpack(&self) -> S
    where
        S: Clone,
    {
        if self.sealed.is_empty() {
            return self.newest.clone();
        }
        let mut whole = self.clone();
        whole.seal();
        S::from_columns(whole.sealed.iter().map(Blocks::unpack).collect())
    }

    /// Columns, in the order of [`crate::Table::columns`]: vectors, or [`Data::Blocks`] if any block is compressed.
    pub fn into_columns(mut self) -> Vec<Data> {
        if self.sealed.is_empty() {
            return self.newest.into_columns();
        }
        self.seal();
        self.sealed.into_iter().map(Data::Blocks).collect()
    }

    /// Compresses the newest rows. Their vectors keep their memory for the next ones.
    fn seal(&mut self) {
        let packed = self.newest.pack();
        self.newest.clear();
        if self.sealed.is_empty() {
            self.sealed = S::TABLE.columns.iter().map(|column| Blocks::empty(column.kind)).collect();
        }
        self.sealed.iter_mut().zip(packed).for_each(|(column, block)| column.push(block));
    }
}

impl<S: Series> From<S> for Chunked<S> {
    fn from(series: S) -> Self {
        Self { newest: series, sealed: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::table! {
        /// Samples.
        series Samples: "samples", Series, "", Always;
        columns {
            /// Time.
            time_s: f64 ["s"],
            /// Link.
            link: u32 @ "links" fixed [""],
            /// Drops.
            dropped: u64 ["packets"],
            /// State.
            is_up: bool [""],
        }
    }

    /// `rows` rows, of which the first is `first`.
    fn samples(first: usize, rows: usize) -> Samples {
        let all = first..first + rows;
        Samples {
            time_s: all.clone().map(|row| if row % 7 == 0 { f64::NAN } else { (row / 100) as f64 * 0.1 }).collect(),
            link: all.clone().map(|row| (row % 100) as u32).collect(),
            dropped: all.clone().map(|row| (row as u64) << 40).collect(),
            is_up: all.map(|row| row % 3 == 0).collect(),
        }
    }

    fn extend(all: &mut Samples, more: Samples) {
        all.time_s.extend(more.time_s);
        all.link.extend(more.link);
        all.dropped.extend(more.dropped);
        all.is_up.extend(more.is_up);
    }

    fn bits(data: &Data) -> Vec<u64> {
        match data {
            Data::Double(values) => values.iter().map(|value| value.to_bits()).collect(),
            Data::Unsigned(values) => values.clone(),
            Data::Unsigned32(values) => values.iter().copied().map(u64::from).collect(),
            Data::Truth(values) => values.iter().copied().map(u64::from).collect(),
            Data::Blocks(blocks) => bits(&blocks.unpack()),
        }
    }

    #[test]
    fn rows_come_back_to_the_bit_from_any_blocks() {
        for parts in [vec![10, 20], vec![BLOCK], vec![40_000, 40_000, 7], vec![BLOCK - 1, 1, 3 * BLOCK + 5, 99]] {
            let (mut whole, mut chunked) = (Samples::default(), Chunked::<Samples>::default());
            for rows in parts {
                let first = whole.rows();
                extend(&mut whole, samples(first, rows));
                chunked.add(|newest| extend(newest, samples(first, rows)));
            }
            assert_eq!(chunked.rows(), whole.rows());
            let expected: Vec<_> = whole.into_columns().iter().map(bits).collect();
            assert_eq!(chunked.unpack().into_columns().iter().map(bits).collect::<Vec<_>>(), expected);
            assert_eq!(chunked.into_columns().iter().map(bits).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_part_of_the_rows_may_cross_blocks() {
        let mut chunked = Chunked::<Samples>::default();
        (0..4).for_each(|at| chunked.add(|newest| extend(newest, samples(at * 50_000, 50_000))));
        let columns = chunked.into_columns();
        let Data::Blocks(drops) = &columns[2] else { panic!("compressed") };
        assert_eq!(drops.values::<u64>(99_998..150_002), (99_998..150_002).map(|row| row << 40).collect::<Vec<u64>>());
        assert_eq!(drops.values::<u64>(7..7), []);
    }
}
