//! Columns of a table in memory.

use crate::chunked::{Block, Blocks, Chunked};
use crate::schema::Table;

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
    /// Appends the values of another column of the same type.
    fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Double(values), Self::Double(more)) => values.extend(more),
            (Self::Unsigned(values), Self::Unsigned(more)) => values.extend(more),
            (Self::Unsigned32(values), Self::Unsigned32(more)) => values.extend(more),
            (Self::Truth(values), Self::Truth(more)) => values.extend(more),
            _ => debug_assert!(false, "columns of one table have the same types"),
        }
    }
}

/// A row of a table, declared by [`crate::table!`].
pub trait Row: Sized {
    /// Its table.
    const TABLE: &'static Table;
    /// Columns of these rows, in the order of [`Table::columns`].
    fn columns(rows: &[Self]) -> Vec<Data>;
}

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

/// A table with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The table.
    pub table: &'static Table,
    /// Values of [`Table::columns`].
    pub columns: Vec<Data>,
}

impl Frame {
    /// The table of these rows.
    pub fn of_rows<R: Row>(rows: &[R]) -> Self {
        Self { table: R::TABLE, columns: R::columns(rows) }
    }

    /// The table of these vectors.
    pub fn of_series<S: Series>(series: S) -> Self {
        Self { table: S::TABLE, columns: series.into_columns() }
    }

    /// The table of these rows.
    pub fn of_chunked<S: Series>(series: Chunked<S>) -> Self {
        Self { table: S::TABLE, columns: series.into_columns() }
    }

    fn column(&self, name: &str) -> Option<&Data> {
        let at = self.table.columns.iter().position(|column| column.name == name)?;
        self.columns.get(at)
    }

    /// A column of 64-bit integers.
    pub fn counts(&self, name: &str) -> Option<&[u64]> {
        if let Some(Data::Unsigned(counts)) = self.column(name) { Some(counts) } else { None }
    }

    /// A column of floating-point numbers.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        if let Some(Data::Double(values)) = self.column(name) { Some(values) } else { None }
    }
}

/// Tables that several sources fill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames(pub Vec<Frame>);

impl Frames {
    /// Appends rows to their table.
    pub fn add<R: Row>(&mut self, rows: &[R]) {
        let more = Frame::of_rows(rows);
        match self.0.iter_mut().find(|frame| frame.table == more.table) {
            Some(frame) => frame.columns.iter_mut().zip(more.columns).for_each(|(column, more)| column.append(more)),
            None => self.0.push(more),
        }
    }

    /// The table of this name.
    pub fn get(&self, name: &str) -> Option<&Frame> {
        self.0.iter().find(|frame| frame.table.name == name)
    }
}
