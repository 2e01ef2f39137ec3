//! Long series in little memory: complete blocks of rows are compressed while a run goes on.

use crate::frame::{Data, Series};
use crate::schema::Kind;

/// Rows from which a block is compressed.
const BLOCK: usize = 1 << 14;

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
            self.sealed =
                S::TABLE.columns.iter().map(|column| Blocks { kind: column.kind, blocks: Vec::new() }).collect();
        }
        self.sealed.iter_mut().zip(packed).for_each(|(column, block)| column.blocks.push(block));
    }
}

impl<S: Series> From<S> for Chunked<S> {
    fn from(series: S) -> Self {
        Self { newest: series, sealed: Vec::new() }
    }
}

/// A column in compressed blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    kind: Kind,
    blocks: Vec<Block>,
}

impl Blocks {
    /// Type of the values.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.blocks.iter().map(|block| block.rows).sum()
    }

    /// All values.
    #[must_use]
    pub fn unpack(&self) -> Data {
        match self.kind {
            Kind::Double => Data::Double(self.values(0..self.rows())),
            Kind::Unsigned => Data::Unsigned(self.values(0..self.rows())),
            Kind::Unsigned32 => Data::Unsigned32(self.values(0..self.rows())),
            Kind::Truth => Data::Truth(self.values(0..self.rows())),
            // No engine fills a series with these.
            Kind::Signed | Kind::Text => unreachable!("a series has no column of this type"),
        }
    }

    /// The values of some rows; `T` is the type of the column.
    pub(crate) fn values<T: Element>(&self, rows: std::ops::Range<usize>) -> Vec<T> {
        let mut values = Vec::with_capacity(rows.len());
        let mut begin = 0;
        for block in &self.blocks {
            let end = begin + block.rows;
            if begin < rows.end && rows.start < end {
                let from = rows.start.max(begin) - begin;
                block.append(from..rows.end.min(end) - begin, &mut values);
            }
            begin = end;
        }
        values
    }
}

/// Values of a column of a series.
pub trait Element: Copy {
    /// Size in bytes.
    const SIZE: usize;
    /// The byte `at` of a value, from the least significant one.
    fn byte(self, at: usize) -> u8;
    /// The value with these bytes.
    fn of_bytes(bytes: [u8; 8]) -> Self;
}

macro_rules! elements {
    ($($type:ty, $size:literal, $to:expr, $from:expr;)*) => {$(
        impl Element for $type {
            const SIZE: usize = $size;

            #[inline]
            fn byte(self, at: usize) -> u8 {
                let bits: u64 = $to(self);
                (bits >> (8 * at)) as u8
            }

            #[inline]
            fn of_bytes(bytes: [u8; 8]) -> Self {
                $from(u64::from_le_bytes(bytes))
            }
        }
    )*};
}

elements! {
    f64, 8, f64::to_bits, f64::from_bits;
    u64, 8, |value| value, |bits| bits;
    u32, 4, u64::from, |bits| bits as u32;
    bool, 1, u64::from, |bits| bits != 0;
}

/// Compressed rows of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    rows: usize,
    bytes: Vec<u8>,
}

impl Block {
    /// Compresses values: all first bytes, then all second ones, and so on, since neighbours agree in most of them.
    ///
    /// Snappy runs twice. Its copies have at most 64 bytes, so that a long run comes out as three bytes repeated, a
    /// twentieth of its length; the second time leaves a four-hundredth.
    pub fn of<T: Element>(values: &[T]) -> Self {
        let planes: Vec<u8> = (0..T::SIZE).flat_map(|at| values.iter().map(move |value| value.byte(at))).collect();
        let once = compress(&planes);
        let mut bytes = compress(&once);
        bytes.shrink_to_fit();
        Self { rows: values.len(), bytes }
    }

    fn append<T: Element>(&self, rows: std::ops::Range<usize>, values: &mut Vec<T>) {
        let planes = decompress(&decompress(&self.bytes));
        values.extend(rows.map(|row| {
            let mut bytes = [0; 8];
            (0..T::SIZE).for_each(|at| bytes[at] = planes[at * self.rows + row]);
            T::of_bytes(bytes)
        }));
    }
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(bytes).expect("a block is far below Snappy's 4 GB")
}

fn decompress(bytes: &[u8]) -> Vec<u8> {
    snap::raw::Decoder::new().decompress_vec(bytes).expect("a block is as it was compressed")
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

    /// Idle links: 8 bytes a row as vectors.
    #[test]
    fn equal_values_take_a_four_hundredth() {
        let block = Block::of(&[0.25; 1 << 16]);
        assert!(block.bytes.len() < (8 << 16) / 400, "{}", block.bytes.len());
    }
}
