//! Tables of results: one declaration for each, the columns in memory, percentiles, and Parquet files.
//!
//! [`table!`] declares a table once: its name, the entity of its rows, and every column with type, unit and meaning. It
//! generates the structure that an engine fills, its conversion to columns, and the [`Table`] that Python, the
//! documentation and the metadata of files read.

#![forbid(unsafe_code)]

mod chunked;
mod data;
mod declare;
mod frame;
mod histogram;
pub mod parquet;
mod schema;

pub use chunked::{Chunked, Series};
pub use data::{Block, Blocks, Data, Element};
pub use frame::{Frame, Frames, Row, column};
pub use histogram::{Bucket, Histogram, WIDTH};
pub use schema::{Column, Kind, Presence, Role, Shape, Table};
