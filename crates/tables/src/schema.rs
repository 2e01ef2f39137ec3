//! Schema of a table: its columns with type, unit and meaning.

/// A table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name of the table, and of its file.
    pub name: &'static str,
    /// Meaning of the table, in lines.
    pub doc: &'static str,
    /// Kind of rows.
    pub shape: Shape,
    /// Column that names the entity of a row; empty if rows belong to none.
    pub entity: &'static str,
    /// Presence in results if it has no rows.
    pub presence: Presence,
    /// Leading columns that describe the entity; the scenario determines them.
    pub about: &'static [Column],
    /// Columns that an engine fills.
    pub columns: &'static [Column],
}

impl Table {
    /// All columns, in their order.
    pub fn all(&self) -> impl Iterator<Item = &'static Column> {
        self.about.iter().chain(self.columns)
    }
}

/// Kind of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One row per entity, with totals and means: summarized over seeds.
    Totals,
    /// Totals of pairs of entities that occurred in the run: other rows in other seeds.
    Parts,
    /// Samples or single occurrences.
    Series,
}

impl Shape {
    /// Name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Totals => "totals",
            Self::Parts => "parts",
            Self::Series => "series",
        }
    }
}

/// Presence of a table without rows in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// The table is always there.
    Always,
    /// The table is there only if it has rows.
    IfAny,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Unit; empty for pure numbers and names.
    pub unit: &'static str,
    /// Meaning, in lines.
    pub doc: &'static str,
    /// List of names that its values index; `None` for numbers and texts.
    pub names: Option<&'static str>,
    /// Part that it plays.
    pub role: Role,
}

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 64-bit floating point; NaN: not measured.
    Double,
    /// 64-bit integer without sign.
    Unsigned,
    /// 32-bit integer without sign.
    Unsigned32,
    /// 64-bit integer.
    Signed,
    /// True or false.
    Truth,
    /// Text.
    Text,
}

impl Kind {
    /// Name in Python and in the documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Double => "float64",
            Self::Unsigned => "uint64",
            Self::Unsigned32 => "uint32",
            Self::Signed => "int64",
            Self::Truth => "bool",
            Self::Text => "string",
        }
    }
}

/// Part that a column plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A property of the entity: equal in all seeds, never averaged.
    Fixed,
    /// A measurement.
    Measured,
    /// A percentile from a [`crate::Histogram`].
    Binned,
}
