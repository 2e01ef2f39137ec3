//! Thrift's compact protocol, in which Parquet keeps its metadata: as much as is written.

/// A structure being written: fields in rising order of their ids.
#[derive(Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

impl Struct {
    pub(crate) fn i32(self, id: u8, value: i32) -> Self {
        self.integer(id, I32, i64::from(value))
    }

    pub(crate) fn i64(self, id: u8, value: usize) -> Self {
        self.integer(id, I64, value as i64)
    }

    fn integer(mut self, id: u8, kind: u8, value: i64) -> Self {
        self.header(id, kind);
        varint(&mut self.bytes, ((value << 1) ^ (value >> 63)) as u64);
        self
    }

    pub(crate) fn text(mut self, id: u8, text: &str) -> Self {
        self.header(id, BINARY);
        binary(&mut self.bytes, text);
        self
    }

    pub(crate) fn structure(mut self, id: u8, value: Self) -> Self {
        self.header(id, STRUCT);
        self.bytes.extend(value.end());
        self
    }

    pub(crate) fn structures(self, id: u8, values: Vec<Self>) -> Self {
        let items = values.into_iter().map(Self::end);
        self.list(id, STRUCT, items.collect())
    }

    pub(crate) fn i32s(self, id: u8, values: &[i32]) -> Self {
        let zigzag = |&value: &i32| {
            let mut bytes = Vec::new();
            varint(&mut bytes, ((i64::from(value) << 1) ^ (i64::from(value) >> 63)) as u64);
            bytes
        };
        self.list(id, I32, values.iter().map(zigzag).collect())
    }

    pub(crate) fn texts(self, id: u8, texts: &[&str]) -> Self {
        let item = |text: &&str| {
            let mut bytes = Vec::new();
            binary(&mut bytes, text);
            bytes
        };
        self.list(id, BINARY, texts.iter().map(item).collect())
    }

    fn list(mut self, id: u8, kind: u8, items: Vec<Vec<u8>>) -> Self {
        self.header(id, LIST);
        match items.len() {
            short @ 0..15 => self.bytes.push((short as u8) << 4 | kind),
            long => {
                self.bytes.push(0xf0 | kind);
                varint(&mut self.bytes, long as u64);
            }
        }
        self.bytes.extend(items.into_iter().flatten());
        self
    }

    /// The id of a field as its distance from the one before, and its type.
    fn header(&mut self, id: u8, kind: u8) {
        debug_assert!(id > self.last && id - self.last < 16, "fields rise, by less than 16");
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    /// The bytes, with the mark of the end.
    pub(crate) fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// An integer by seven bits, the lowest first.
pub(crate) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn binary(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand from the protocol's specification: field 1, i32 -1 (zigzag 1); field 3, "ab"; field 4, a list of two
    /// i32.
    #[test]
    fn a_structure_is_written_as_specified() {
        let bytes = Struct::default().i32(1, -1).text(3, "ab").i32s(4, &[0, 300]).end();
        assert_eq!(bytes, [0x15, 1, 0x28, 2, b'a', b'b', 0x19, 0x25, 0, 0xd8, 0x04, 0]);
    }

    #[test]
    fn long_lists_have_their_length_apart() {
        let bytes = Struct::default().i32s(1, &[0; 15]).end();
        assert_eq!(bytes[..3], [0x19, 0xf5, 15]);
        assert_eq!(bytes.len(), 3 + 15 + 1);
    }
}
