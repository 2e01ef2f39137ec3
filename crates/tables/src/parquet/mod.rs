//! Tables as Parquet files (<https://parquet.apache.org/docs/file-format/>): flat, every value present, Snappy.
//!
//! Own code where a library would do, because of what the libraries cost: to import pyarrow takes more memory than all
//! the rest of `windward simulate`, and the `parquet` crate takes longer to build than any crate of Windward. Little is
//! needed: columns of numbers are their own bytes (PLAIN), columns of names are dictionaries (RLE_DICTIONARY). The
//! tests in Python hold the files to pyarrow, which also reads them again.

mod thrift;

use crate::data::Blocks;
use crate::schema::Kind;
use std::io::{self, Write};
use thrift::{Struct, varint};

/// The values of a column.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// 64-bit floating point; NaN is what was not measured.
    Double(&'a [f64]),
    /// 64-bit integers without sign.
    Unsigned(&'a [u64]),
    /// 32-bit integers without sign.
    Unsigned32(&'a [u32]),
    /// 64-bit integers.
    Signed(&'a [i64]),
    /// Text.
    Text(&'a [String]),
    /// Names by their index.
    Named {
        /// The names.
        names: &'a [String],
        /// One for each row, below the number of names.
        indices: &'a [u32],
    },
    /// A compressed column of numbers. At most a row group of it is unpacked at a time.
    Blocks(&'a Blocks),
    /// Names by their index, compressed.
    NamedBlocks {
        /// The names.
        names: &'a [String],
        /// A column of 32-bit integers, each below the number of names.
        indices: &'a Blocks,
    },
}

impl Values<'_> {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Double(values) => values.len(),
            Self::Unsigned(values) => values.len(),
            Self::Unsigned32(values) => values.len(),
            Self::Signed(values) => values.len(),
            Self::Text(values) => values.len(),
            Self::Named { indices, .. } => indices.len(),
            Self::Blocks(blocks) | Self::NamedBlocks { indices: blocks, .. } => blocks.rows(),
        }
    }

    /// True without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Physical type, and the "converted type" that says what it means where that is more.
    fn kind(&self) -> (i32, Option<i32>) {
        match self {
            Self::Double(_) => (DOUBLE, None),
            Self::Unsigned(_) => (INT64, Some(UINT_64)),
            Self::Unsigned32(_) => (INT32, Some(UINT_32)),
            Self::Signed(_) => (INT64, None),
            Self::Text(_) | Self::Named { .. } | Self::NamedBlocks { .. } => (BYTE_ARRAY, Some(UTF8)),
            Self::Blocks(blocks) => match blocks.kind() {
                Kind::Double => (DOUBLE, None),
                Kind::Unsigned => (INT64, Some(UINT_64)),
                Kind::Unsigned32 => (INT32, Some(UINT_32)),
                Kind::Signed | Kind::Truth | Kind::Text => unreachable!("no file has such a compressed column"),
            },
        }
    }

    /// The content of a data page of these rows.
    fn page(&self, rows: std::ops::Range<usize>) -> Vec<u8> {
        match self {
            Self::Double(values) => plain(values[rows].iter().map(|value| value.to_le_bytes())),
            Self::Unsigned(values) => plain(values[rows].iter().map(|value| value.to_le_bytes())),
            Self::Unsigned32(values) => plain(values[rows].iter().map(|value| value.to_le_bytes())),
            Self::Signed(values) => plain(values[rows].iter().map(|value| value.to_le_bytes())),
            Self::Text(values) => plain_text(&values[rows]),
            Self::Named { names, indices } => packed(&indices[rows], names.len()),
            Self::NamedBlocks { names, indices } => packed(&indices.values(rows), names.len()),
            Self::Blocks(blocks) => match blocks.kind() {
                Kind::Double => Values::Double(&blocks.values(rows.clone())).page(0..rows.len()),
                Kind::Unsigned => Values::Unsigned(&blocks.values(rows.clone())).page(0..rows.len()),
                _ => Values::Unsigned32(&blocks.values(rows.clone())).page(0..rows.len()),
            },
        }
    }
}

/// Numbers by which the format calls things.
const INT32: i32 = 1;
const INT64: i32 = 2;
const DOUBLE: i32 = 5;
const BYTE_ARRAY: i32 = 6;
const UTF8: i32 = 0;
const UINT_32: i32 = 13;
const UINT_64: i32 = 14;
const REQUIRED: i32 = 0;
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;
const SNAPPY: i32 = 1;
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;

const MAGIC: &[u8] = b"PAR1";

/// Rows of a row group; each of its columns is one page.
const GROUP: usize = 1 << 20;

/// Writes a table of columns of one length, with texts about it by key.
///
/// # Errors
/// What `out` fails with.
///
/// # Panics
/// If the columns differ in length, or an index is of no name.
pub fn write(out: impl Write, columns: &[(&str, Values<'_>)], about: &[(&str, &str)]) -> io::Result<()> {
    let rows = columns.first().map_or(0, |(_, values)| values.len());
    assert!(columns.iter().all(|(_, values)| values.len() == rows), "columns of a table have one length");
    let mut file = File { out, position: 0 };
    file.put(MAGIC)?;
    let mut groups = Vec::new();
    for begin in (0..rows).step_by(GROUP) {
        let range = begin..rows.min(begin + GROUP);
        let begin = file.position;
        let chunks = columns.iter().map(|(name, values)| file.chunk(name, values, range.clone()));
        let chunks = chunks.collect::<io::Result<Vec<_>>>()?;
        let group = Struct::default().structures(1, chunks).i64(2, file.position - begin).i64(3, range.len());
        groups.push(group);
    }
    let root = Struct::default().text(4, "schema").i32(5, columns.len() as i32);
    let fields = columns.iter().map(|(name, values)| {
        let (physical, converted) = values.kind();
        let field = Struct::default().i32(1, physical).i32(3, REQUIRED).text(4, name);
        if let Some(converted) = converted { field.i32(6, converted) } else { field }
    });
    let footer = Struct::default()
        .i32(1, 1)
        .structures(2, std::iter::once(root).chain(fields).collect())
        .i64(3, rows)
        .structures(4, groups);
    let texts = about.iter().map(|(key, text)| Struct::default().text(1, key).text(2, text));
    let footer = if about.is_empty() { footer } else { footer.structures(5, texts.collect()) };
    let footer = footer.text(6, concat!("windward ", env!("CARGO_PKG_VERSION"))).end();
    file.put(&footer)?;
    file.put(&(footer.len() as u32).to_le_bytes())?;
    file.put(MAGIC)?;
    file.out.flush()
}

struct File<W> {
    out: W,
    position: usize,
}

impl<W: Write> File<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.position += bytes.len();
        self.out.write_all(bytes)
    }

    /// Writes the pages of a column's rows; returns the metadata, a `ColumnChunk`.
    fn chunk(&mut self, name: &str, values: &Values<'_>, rows: std::ops::Range<usize>) -> io::Result<Struct> {
        let begin = self.position;
        let mut size = 0;
        if let Values::Named { names, .. } | Values::NamedBlocks { names, .. } = values {
            let kind = Struct::default().i32(1, names.len() as i32).i32(2, PLAIN);
            size += self.page(DICTIONARY_PAGE, 7, kind, &plain_text(names))?;
        }
        let data = self.position;
        let encoding = if data > begin { RLE_DICTIONARY } else { PLAIN };
        let kind = Struct::default().i32(1, rows.len() as i32).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        size += self.page(DATA_PAGE, 5, kind, &values.page(rows.clone()))?;
        let metadata = Struct::default()
            .i32(1, values.kind().0)
            .i32s(2, if data > begin { &[PLAIN, RLE, RLE_DICTIONARY] } else { &[PLAIN, RLE] })
            .texts(3, &[name])
            .i32(4, SNAPPY)
            .i64(5, rows.len())
            .i64(6, size)
            .i64(7, self.position - begin)
            .i64(9, data);
        let metadata = if data > begin { metadata.i64(11, begin) } else { metadata };
        Ok(Struct::default().i64(2, begin).structure(3, metadata))
    }

    /// Writes a page whose header holds `kind` in the field `id`; returns its size without compression, header
    /// included.
    fn page(&mut self, page: i32, id: u8, kind: Struct, content: &[u8]) -> io::Result<usize> {
        let compressed = snap::raw::Encoder::new().compress_vec(content).map_err(io::Error::other)?;
        let header = Struct::default()
            .i32(1, page)
            .i32(2, content.len() as i32)
            .i32(3, compressed.len() as i32)
            .structure(id, kind)
            .end();
        self.put(&header)?;
        self.put(&compressed)?;
        Ok(header.len() + content.len())
    }
}

fn plain<const SIZE: usize>(values: impl ExactSizeIterator<Item = [u8; SIZE]>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIZE * values.len());
    values.for_each(|value| bytes.extend_from_slice(&value));
    bytes
}

/// Texts, each after its length.
fn plain_text(texts: &[String]) -> Vec<u8> {
    texts.iter().flat_map(|text| (text.len() as u32).to_le_bytes().into_iter().chain(text.bytes())).collect()
}

/// Indices below `names` as one bit-packed run, of whole bytes: then packing is writing them one after another.
fn packed(indices: &[u32], names: usize) -> Vec<u8> {
    assert!(indices.iter().all(|&index| (index as usize) < names), "an index is of a name");
    let width = match names {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    };
    let groups = indices.len().div_ceil(8);
    let mut bytes = vec![8 * width as u8];
    varint(&mut bytes, (groups as u64) << 1 | 1);
    let end = bytes.len() + groups * 8 * width;
    bytes.reserve(groups * 8 * width);
    indices.iter().for_each(|index| bytes.extend_from_slice(&index.to_le_bytes()[..width]));
    bytes.resize(end, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;

    #[test]
    fn a_file_begins_and_ends_as_the_format_says() {
        let mut file = Vec::new();
        write(&mut file, &[("x", Values::Double(&[1.0, f64::NAN])), ("n", Values::Unsigned(&[1, u64::MAX]))], &[])
            .unwrap();
        let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap()) as usize;
        assert_eq!((&file[..4], &file[file.len() - 4..]), (MAGIC, MAGIC));
        assert!(length < file.len() - 12);
    }

    /// RLE/bit-packing hybrid: the width in bits, 1 group of 8 values (1 << 1 | 1), the values, padding.
    #[test]
    fn indices_are_packed_by_whole_bytes() {
        assert_eq!(packed(&[0, 2, 1], 3), [8, 3, 0, 2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(packed(&[256], 257)[..4], [16, 3, 0, 1]);
    }

    crate::table! {
        /// Samples.
        series Samples: "samples", Series, "", Always;
        columns {
            /// Rate.
            rate: f64 [""],
            /// Link.
            link: u32 @ "links" fixed [""],
            /// Number.
            number: u32 [""],
            /// Drops.
            drops: u64 [""],
        }
    }

    /// Samples of 10 000 links, over the end of a row group.
    #[test]
    fn compressed_columns_make_the_same_file() {
        let names: Vec<String> = (0..10_000).map(|link| format!("link-{link}")).collect();
        let mut whole = Samples::default();
        let mut chunked = crate::Chunked::<Samples>::default();
        for time in 0..110_u32 {
            let push = |series: &mut Samples| {
                (0..10_000).for_each(|link| {
                    series.rate.push(if link % 3 == 0 { f64::NAN } else { f64::from(link % 50 * time) * 0.1 });
                    series.link.push(link);
                    series.number.push(time);
                    series.drops.push(u64::from(link) << 20);
                });
            };
            push(&mut whole);
            chunked.add(push);
        }
        let columns = chunked.into_columns();
        let [Data::Blocks(rate), Data::Blocks(link), Data::Blocks(number), Data::Blocks(drops)] = &columns[..] else {
            panic!("compressed")
        };
        let compressed = [
            ("rate", Values::Blocks(rate)),
            ("link", Values::NamedBlocks { names: &names, indices: link }),
            ("number", Values::Blocks(number)),
            ("drops", Values::Blocks(drops)),
        ];
        let vectors = [
            ("rate", Values::Double(&whole.rate)),
            ("link", Values::Named { names: &names, indices: &whole.link }),
            ("number", Values::Unsigned32(&whole.number)),
            ("drops", Values::Unsigned(&whole.drops)),
        ];
        let files = [compressed, vectors].map(|columns| {
            let mut file = Vec::new();
            write(&mut file, &columns, &[]).unwrap();
            file
        });
        assert!(whole.rate.len() > GROUP && files[0] == files[1]);
    }

    #[test]
    #[should_panic(expected = "one length")]
    fn columns_differ_in_length() {
        let _ = write(Vec::new(), &[("x", Values::Double(&[1.0])), ("n", Values::Signed(&[]))], &[]);
    }
}
