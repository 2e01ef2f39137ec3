//! Figures that only some ports or nodes have, as tables with named columns.

/// A figure of a port or node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A count.
    Count(u64),
    /// A quantity.
    Value(f64),
}

/// Values of one figure for several ports or nodes.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Counts.
    Counts(Vec<u64>),
    /// Quantities.
    Values(Vec<f64>),
}

/// Entity that a table's rows describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Ports.
    Ports,
    /// Nodes.
    Nodes,
}

/// Figures of one kind of ports or nodes beyond [`super::LinkStats`]: one row for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Name of the table.
    pub name: &'static str,
    /// Entity that its rows describe.
    pub of: Of,
    /// Index of each row's port or node.
    pub rows: Vec<u32>,
    /// Columns of equal length, with their names.
    pub columns: Vec<(&'static str, Column)>,
}

impl Figures {
    /// An empty table.
    pub fn new(name: &'static str, of: Of) -> Self {
        Self { name, of, rows: Vec::new(), columns: Vec::new() }
    }

    /// Adds the row of `entity`. Every row must contain the same figures in the same order.
    pub fn add(&mut self, entity: u32, show: impl FnOnce(&mut dyn FnMut(&'static str, Figure))) {
        let (columns, is_first) = (&mut self.columns, self.rows.is_empty());
        let mut at = 0;
        show(&mut |name, figure| {
            if is_first {
                let empty = match figure {
                    Figure::Count(_) => Column::Counts(Vec::new()),
                    Figure::Value(_) => Column::Values(Vec::new()),
                };
                columns.push((name, empty));
            }
            match (&mut columns[at], figure) {
                ((known, Column::Counts(column)), Figure::Count(count)) if *known == name => column.push(count),
                ((known, Column::Values(column)), Figure::Value(value)) if *known == name => column.push(value),
                _ => debug_assert!(false, "{name}: every row shows the same figures"),
            }
            at += 1;
        });
        self.rows.push(entity);
    }

    /// Returns a column of counts.
    pub fn counts(&self, name: &str) -> Option<&[u64]> {
        self.columns.iter().find_map(|(known, column)| match column {
            Column::Counts(counts) if *known == name => Some(&counts[..]),
            _ => None,
        })
    }

    /// Returns a column of values.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find_map(|(known, column)| match column {
            Column::Values(values) if *known == name => Some(&values[..]),
            _ => None,
        })
    }
}
