//! Built-in modulation tables, as data files in the format of user-defined ones.

use super::{Errors, Mode, Table, TableError, ratio};
use serde::Deserialize;
use std::fmt;

/// A table as it is written in a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Source of the numbers, for readers.
    #[serde(default, rename = "source")]
    _source: String,
    /// Packet size for which `a` and `g` were fitted.
    #[serde(default)]
    packet_bits: Option<f64>,
    modes: Vec<FileMode>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMode {
    /// Name of the mode, for readers.
    #[serde(default, rename = "name")]
    _name: String,
    efficiency: f64,
    /// Threshold in decibels; by default derived from `a`, `g` and the target error rate.
    #[serde(default)]
    snr_db: Option<f64>,
    #[serde(default)]
    a: Option<f64>,
    #[serde(default)]
    g: Option<f64>,
}

/// Error of a table file.
#[derive(Clone, Debug, PartialEq)]
pub enum FileError {
    /// Invalid JSON of a table.
    Syntax(String),
    /// A mode with neither a threshold nor a and g.
    Threshold(usize),
    /// A mode with only some of a, g and the packet size.
    Part(usize),
    /// Modes that form no table.
    Table(TableError),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => f.write_str(message),
            Self::Threshold(mode) => {
                write!(f, "mode {}: it has neither `snr_db` nor `a` and `g` with `packet_bits`", mode + 1)
            }
            Self::Part(mode) => write!(f, "mode {}: `a` and `g` stand together, and with `packet_bits`", mode + 1),
            Self::Table(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

impl Table {
    /// Reads a table from JSON: `modes`, each with `efficiency` and either `snr_db` or `a` and `g`. With `a` and `g`,
    /// `packet_bits` is required, and thresholds follow from the packet error rate `target`. `source` and `name` are
    /// for readers.
    ///
    /// # Errors
    /// See [`FileError`].
    pub fn from_json(text: &str, target: f64) -> Result<Self, FileError> {
        let file: File = serde_json::from_str(text).map_err(|error| FileError::Syntax(error.to_string()))?;
        let mode = |(at, mode): (usize, &FileMode)| {
            let errors = match (mode.a, mode.g, file.packet_bits) {
                (Some(a), Some(g), Some(packet_bits)) => Some(Errors { a, g, packet_bits }),
                (None, None, _) => None,
                _ => return Err(FileError::Part(at)),
            };
            let threshold = match (mode.snr_db, errors) {
                (Some(decibels), _) => ratio(decibels),
                (None, Some(errors)) => errors.threshold(target),
                (None, None) => return Err(FileError::Threshold(at)),
            };
            Ok(Mode { efficiency: mode.efficiency, threshold, errors })
        };
        let modes = file.modes.iter().enumerate().map(mode).collect::<Result<_, _>>()?;
        Self::of_modes(modes).map_err(FileError::Table)
    }

    /// The eight convolutional turbo codes of IEEE 802.16e.
    pub fn ctc_802_16e() -> Self {
        Self::built_in(include_str!("tables/802.16e-ctc.json"), 1.0)
    }

    /// Convolutionally coded modes with thresholds for a packet error rate of `target`, above 0 and below 1: six, or
    /// five without 16-QAM 9/16.
    pub fn convolutional(has_nine_sixteenths: bool, target: f64) -> Self {
        let Self(super::Kind::Modes(mut modes)) = Self::built_in(include_str!("tables/convolutional.json"), target)
        else {
            unreachable!("the file holds modes")
        };
        modes.retain(|mode| has_nine_sixteenths || mode.efficiency != 2.25);
        Self(super::Kind::Modes(modes))
    }

    fn built_in(text: &str, target: f64) -> Self {
        Self::from_json(text, target).expect("the tables that come with the simulator are right")
    }
}
