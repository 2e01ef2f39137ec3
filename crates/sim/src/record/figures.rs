//! Figures that only some ports or nodes have, as tables whose columns have names.

/// A figure that somebody shows of himself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A number of things.
    Count(u64),
    /// A quantity.
    Value(f64),
}

/// One kind of figure of several ports.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers of things.
    Counts(Vec<u64>),
    /// Quantities.
    Values(Vec<f64>),
}

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Ports.
    Ports,
    /// Nodes.
    Nodes,
}

/// What ports or nodes of one kind have beyond [`super::LinkStats`]: a row for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// What the table is called.
    pub name: &'static str,
    /// What its rows are.
    pub of: Of,
    /// The port or node of each row, by its index.
    pub rows: Vec<u32>,
    /// Columns of one length, by name.
    pub columns: Vec<(&'static str, Column)>,
}

impl Figures {
    /// An empty table.
    pub fn new(name: &'static str, of: Of) -> Self {
        Self { name, of, rows: Vec::new(), columns: Vec::new() }
    }

    /// Adds the row of `entity`. Every row shows the same figures in the same order.
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

    /// A column of counts.
    pub fn counts(&self, name: &str) -> Option<&[u64]> {
        self.columns.iter().find_map(|(known, column)| match column {
            Column::Counts(counts) if *known == name => Some(&counts[..]),
            _ => None,
        })
    }

    /// A column of values.
    pub fn values(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find_map(|(known, column)| match column {
            Column::Values(values) if *known == name => Some(&values[..]),
            _ => None,
        })
    }
}
