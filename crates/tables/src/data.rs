//! Columns of a table in memory, as vectors or compressed.

use crate::schema::Kind;

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// 64-bit floating point.
    Double(Vec<f64>),
    /// 64-bit integers without sign.
    Unsigned(Vec<u64>),
    /// 32-bit integers without sign.
    Unsigned32(Vec<u32>),
    /// True or false.
    Truth(Vec<bool>),
    /// A long column, compressed.
    Blocks(Blocks),
}

impl From<Vec<f64>> for Data {
    fn from(values: Vec<f64>) -> Self {
        Self::Double(values)
    }
}

impl From<Vec<u64>> for Data {
    fn from(values: Vec<u64>) -> Self {
        Self::Unsigned(values)
    }
}

impl From<Vec<u32>> for Data {
    fn from(values: Vec<u32>) -> Self {
        Self::Unsigned32(values)
    }
}

impl From<Vec<bool>> for Data {
    fn from(values: Vec<bool>) -> Self {
        Self::Truth(values)
    }
}

macro_rules! vectors {
    ($($type:ty = $variant:ident),*) => {$(
        impl From<Data> for Vec<$type> {
            /// The values of a column of this type; none of another one.
            fn from(data: Data) -> Self {
                match data {
                    Data::$variant(values) => values,
                    Data::Blocks(blocks) => blocks.unpack().into(),
                    _ => {
                        debug_assert!(false, "a column has the type of its declaration");
                        Vec::new()
                    }
                }
            }
        }
    )*};
}

vectors!(f64 = Double, u64 = Unsigned, u32 = Unsigned32, bool = Truth);

impl Data {
    /// Appends the values of another column of the same type. An empty column takes the memory of the other.
    pub(crate) fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Double(values), Self::Double(more)) if values.is_empty() => *values = more,
            (Self::Unsigned(values), Self::Unsigned(more)) if values.is_empty() => *values = more,
            (Self::Unsigned32(values), Self::Unsigned32(more)) if values.is_empty() => *values = more,
            (Self::Double(values), Self::Double(more)) => values.extend(more),
            (Self::Unsigned(values), Self::Unsigned(more)) => values.extend(more),
            (Self::Unsigned32(values), Self::Unsigned32(more)) => values.extend(more),
            (Self::Truth(values), Self::Truth(more)) => values.extend(more),
            _ => debug_assert!(false, "columns of one table have the same types"),
        }
    }
}

/// A column in compressed blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    kind: Kind,
    blocks: Vec<Block>,
}

impl Blocks {
    /// A column without rows.
    pub(crate) fn empty(kind: Kind) -> Self {
        Self { kind, blocks: Vec::new() }
    }

    /// Appends rows of this type.
    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

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

    /// Idle links: 8 bytes a row as vectors.
    #[test]
    fn equal_values_take_a_four_hundredth() {
        let block = Block::of(&[0.25; 1 << 16]);
        assert!(block.bytes.len() < (8 << 16) / 400, "{}", block.bytes.len());
    }
}
