//! Answers as bytes: a header in JSON, and the columns that it refers to.

use serde_json::{Map, Value, json};
use windward_tables::{Data, Frame};

/// Columns begin at multiples of this, so that a page can view them as arrays of numbers without copying.
const ALIGNED: usize = 8;

/// An answer that is being written.
#[derive(Default)]
pub(crate) struct Answer {
    header: Map<String, Value>,
    data: Vec<u8>,
}

impl Answer {
    /// An answer of one field.
    pub(crate) fn of(name: &str, value: impl Into<Value>) -> Self {
        let mut answer = Self::default();
        answer.set(name, value);
        answer
    }

    /// Sets a field of the header.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.header.insert(name.to_owned(), value.into());
    }

    /// Appends a column and returns the reference to it.
    pub(crate) fn column(&mut self, data: &Data) -> Value {
        match data {
            Data::Double(values) => self.numbers("f64", values, |value| value.to_le_bytes()),
            Data::Unsigned(values) => self.numbers("u64", values, |value| value.to_le_bytes()),
            Data::Unsigned32(values) => self.numbers("u32", values, |value| value.to_le_bytes()),
            Data::Truth(values) => self.numbers("bool", values, |value| [u8::from(value)]),
            Data::Blocks(blocks) => self.column(&blocks.unpack()),
        }
    }

    /// Appends a column of floating-point numbers.
    pub(crate) fn doubles(&mut self, values: impl IntoIterator<Item = f64>) -> Value {
        self.column(&Data::Double(values.into_iter().collect()))
    }

    fn numbers<T: Copy, const N: usize>(&mut self, kind: &str, values: &[T], bytes: impl Fn(T) -> [u8; N]) -> Value {
        self.data.resize(self.data.len().next_multiple_of(ALIGNED), 0);
        let at = self.data.len();
        self.data.reserve(N * values.len());
        values.iter().for_each(|&value| self.data.extend_from_slice(&bytes(value)));
        json!({ "kind": kind, "at": at, "count": values.len() })
    }

    /// Appends the columns of a table, each freed after it, and returns their references by name.
    pub(crate) fn frame(&mut self, frame: Frame) -> Value {
        let columns = frame.table.columns.iter().zip(frame.columns);
        let columns: Map<String, Value> =
            columns.map(|(about, data)| (about.name.to_owned(), self.column(&data))).collect();
        Value::Object(columns)
    }

    /// Number of bytes of the header (32 bits, little-endian), header, padding, columns.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut header = Value::Object(self.header).to_string().into_bytes();
        let whole = (4 + header.len()).next_multiple_of(ALIGNED);
        header.resize(whole - 4, b' ');
        let size = u32::try_from(header.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(whole + self.data.len());
        bytes.extend_from_slice(&size.to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&self.data);
        bytes
    }
}
