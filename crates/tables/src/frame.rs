//! Tables with their values.

use crate::chunked::{Chunked, Series};
use crate::data::Data;
use crate::schema::Table;

/// A row of a table, declared by [`crate::table!`].
pub trait Row: Sized {
    /// Its table.
    const TABLE: &'static Table;
    /// Columns of these rows, in the order of [`Table::columns`].
    fn columns(rows: &[Self]) -> Vec<Data>;
    /// The rows of these columns.
    fn from_columns(columns: Vec<Data>) -> Vec<Self>;
}

/// A column of these rows. By a function, not a closure of its own type: compiled once for each table and kind of
/// value, and not for each of some 250 columns.
pub fn column<R, T>(rows: &[R], field: fn(&R) -> T) -> Data
where
    Data: From<Vec<T>>,
{
    Data::from(rows.iter().map(field).collect::<Vec<T>>())
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
        self.append(Frame::of_rows(rows));
    }

    /// Appends vectors to their table.
    pub fn add_series<S: Series>(&mut self, series: S) {
        self.append(Frame::of_series(series));
    }

    fn append(&mut self, more: Frame) {
        match self.0.iter_mut().find(|frame| frame.table == more.table) {
            Some(frame) => frame.columns.iter_mut().zip(more.columns).for_each(|(column, more)| column.append(more)),
            None => self.0.push(more),
        }
    }

    /// The rows of a table.
    pub fn rows<R: Row>(&self) -> Vec<R> {
        R::from_columns(self.get(R::TABLE.name).map(|frame| frame.columns.clone()).unwrap_or_default())
    }

    /// The vectors of a table.
    pub fn series<S: Series>(&self) -> S {
        S::from_columns(self.get(S::TABLE.name).map(|frame| frame.columns.clone()).unwrap_or_default())
    }

    /// The table of this name.
    pub fn get(&self, name: &str) -> Option<&Frame> {
        self.0.iter().find(|frame| frame.table.name == name)
    }
}
