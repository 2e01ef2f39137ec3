//! The macro that declares a table.

/// Declares a table of results.
///
/// ```
/// windward_tables::table! {
///     /// Totals of each queue.
///     pub struct QueueStats: "queues", Totals, "queue", IfAny;
///     columns {
///         /// Name of the queue.
///         queue: u32 @ "queues" fixed [""],
///         /// Packets dropped.
///         dropped: u64 ["packets"],
///         /// 95th percentile of the wait.
///         wait_p95_s: f64 binned ["s"],
///     }
/// }
///
/// use windward_tables::{Data, Row};
/// let rows = [QueueStats { queue: 0, dropped: 3, wait_p95_s: 0.5 }];
/// assert_eq!(QueueStats::columns(&rows)[1], Data::Unsigned(vec![3]));
/// assert_eq!(QueueStats::TABLE.columns[2].unit, "s");
/// ```
///
/// The head gives the name of the table, its [`crate::Shape`], the column that names the entity, and its
/// [`crate::Presence`]. `struct` generates a row, `series` a structure of vectors, `schema` the [`crate::Table`] alone.
/// A column is `name: type`, then `@ "list"` if it indexes a list of names, then its role (`fixed` or `binned`,
/// default: measured), then its unit. Columns in an optional block `about`, before `columns`, describe the entity: the
/// scenario determines them, and the structure lacks them.
#[macro_export]
macro_rules! table {
    ($(#[doc = $doc:literal])* $vis:vis struct $name:ident: $($rest:tt)*) => {
        $crate::table! { @row [$($doc)*] [$vis] $name, $($rest)* }
        $crate::table! { @impl_row [$($doc)*] $name, $($rest)* }
    };
    ($(#[doc = $doc:literal])* $vis:vis series $name:ident: $($rest:tt)*) => {
        $crate::table! { @vectors [$($doc)*] [$vis] $name, $($rest)* }
        $crate::table! { @impl_series [$($doc)*] $name, $($rest)* }
    };
    ($(#[doc = $doc:literal])* $vis:vis schema $name:ident: $($rest:tt)*) => {
        $(#[doc = $doc])*
        $vis const $name: &$crate::Table = $crate::table! { @table [$($doc)*] $($rest)* };
    };
    (@row [$($doc:literal)*] [$vis:vis] $name:ident,
        $table:literal, $shape:ident, $entity:literal, $presence:ident; $(about { $($about:tt)* })? columns { $(
        $(#[doc = $field_doc:literal])* $field:ident: $type:ident $(@ $names:literal)? $($role:ident)? [$unit:literal],
    )* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }
    };
    (@vectors [$($doc:literal)*] [$vis:vis] $name:ident,
        $table:literal, $shape:ident, $entity:literal, $presence:ident; $(about { $($about:tt)* })? columns { $(
        $(#[doc = $field_doc:literal])* $field:ident: $type:ident $(@ $names:literal)? $($role:ident)? [$unit:literal],
    )* }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            $($(#[doc = $field_doc])* pub $field: Vec<$type>,)*
        }
    };
    (@impl_row [$($doc:literal)*] $name:ident,
        $table:literal, $shape:ident, $entity:literal, $presence:ident; $(about { $($about:tt)* })? columns { $(
        $(#[doc = $field_doc:literal])* $field:ident: $type:ident $(@ $names:literal)? $($role:ident)? [$unit:literal],
    )* }) => {
        impl $crate::Row for $name {
            const TABLE: &'static $crate::Table = $crate::table! { @table [$($doc)*]
                $table, $shape, $entity, $presence; $(about { $($about)* })? columns { $(
                $(#[doc = $field_doc])* $field: $type $(@ $names)? $($role)? [$unit],
            )* } };

            fn columns(rows: &[Self]) -> Vec<$crate::Data> {
                vec![$($crate::column(rows, |row| row.$field)),*]
            }

            fn from_columns(columns: Vec<$crate::Data>) -> Vec<Self> {
                let mut columns = columns.into_iter();
                $(let $field: Vec<$type> = columns.next().map(Vec::from).unwrap_or_default();)*
                let rows = [$($field.len()),*].into_iter().min().unwrap_or(0);
                (0..rows).map(|at| Self { $($field: $field[at]),* }).collect()
            }
        }
    };
    (@impl_series [$($doc:literal)*] $name:ident,
        $table:literal, $shape:ident, $entity:literal, $presence:ident; $(about { $($about:tt)* })? columns { $(
        $(#[doc = $field_doc:literal])* $field:ident: $type:ident $(@ $names:literal)? $($role:ident)? [$unit:literal],
    )* }) => {
        impl $crate::Series for $name {
            const TABLE: &'static $crate::Table = $crate::table! { @table [$($doc)*]
                $table, $shape, $entity, $presence; $(about { $($about)* })? columns { $(
                $(#[doc = $field_doc])* $field: $type $(@ $names)? $($role)? [$unit],
            )* } };

            fn rows(&self) -> usize {
                [$(self.$field.len()),*][0]
            }

            fn into_columns(self) -> Vec<$crate::Data> {
                vec![$($crate::Data::from(self.$field)),*]
            }

            fn from_columns(columns: Vec<$crate::Data>) -> Self {
                let mut columns = columns.into_iter();
                Self { $($field: columns.next().map(Vec::from).unwrap_or_default()),* }
            }

            fn reserve(&mut self, rows: usize) {
                $(self.$field.reserve(rows);)*
            }

            fn pack(&self) -> Vec<$crate::Block> {
                vec![$($crate::Block::of(&self.$field)),*]
            }

            fn clear(&mut self) {
                $(self.$field.clear();)*
            }
        }
    };
    (@table [$($doc:literal)*] $table:literal, $shape:ident, $entity:literal, $presence:ident;
        $(about { $($about:tt)* })? columns { $($columns:tt)* }) => {
        &$crate::Table {
            name: $table,
            doc: concat!($($doc, "\n"),*),
            shape: $crate::Shape::$shape,
            entity: $entity,
            presence: $crate::Presence::$presence,
            about: $crate::table! { @columns $($($about)*)? },
            columns: $crate::table! { @columns $($columns)* },
        }
    };
    (@columns $(
        $(#[doc = $doc:literal])* $field:ident: $type:ident $(@ $names:literal)? $($role:ident)? [$unit:literal],
    )*) => {
        &[$($crate::Column {
            name: stringify!($field),
            kind: $crate::table! { @kind $type },
            unit: $unit,
            doc: concat!($($doc, "\n"),*),
            names: $crate::table! { @names $($names)? },
            role: $crate::table! { @role $($role)? },
        }),*]
    };
    (@kind f64) => { $crate::Kind::Double };
    (@kind u64) => { $crate::Kind::Unsigned };
    (@kind u32) => { $crate::Kind::Unsigned32 };
    (@kind i64) => { $crate::Kind::Signed };
    (@kind bool) => { $crate::Kind::Truth };
    (@kind Text) => { $crate::Kind::Text };
    (@names) => { None };
    (@names $names:literal) => { Some($names) };
    (@role) => { $crate::Role::Measured };
    (@role fixed) => { $crate::Role::Fixed };
    (@role binned) => { $crate::Role::Binned };
}

#[cfg(test)]
mod tests {
    use crate::{Data, Frames, Kind, Presence, Role, Row, Series, Shape};

    table! {
        /// Totals of each queue.
        ///
        /// In two paragraphs.
        struct QueueStats: "queues", Totals, "queue", IfAny;
        about {
            /// Place of the queue.
            place: Text fixed [""],
        }
        columns {
            /// Name of the queue.
            queue: u32 @ "queues" fixed [""],
            /// Packets dropped.
            dropped: u64 ["packets"],
            /// Median wait.
            wait_p50_s: f64 binned ["s"],
        }
    }

    table! {
        /// Samples.
        series Samples: "samples", Series, "", Always;
        columns {
            /// Time.
            time_s: f64 ["s"],
        }
    }

    table! {
        /// A table without a structure.
        schema ANSWERS: "answers", Parts, "flow", Always;
        columns {
            /// Flow.
            flow: Text fixed [""],
            /// Hops of the path.
            hops: i64 [""],
        }
    }

    #[test]
    fn a_declaration_is_the_schema() {
        let table = QueueStats::TABLE;
        assert_eq!((table.name, table.entity), ("queues", "queue"));
        assert_eq!((table.shape, table.presence), (Shape::Totals, Presence::IfAny));
        assert_eq!(table.doc, " Totals of each queue.\n\n In two paragraphs.\n");
        let columns: Vec<_> = table.all().map(|column| (column.name, column.kind, column.unit, column.role)).collect();
        let expected = [
            ("place", Kind::Text, "", Role::Fixed),
            ("queue", Kind::Unsigned32, "", Role::Fixed),
            ("dropped", Kind::Unsigned, "packets", Role::Measured),
            ("wait_p50_s", Kind::Double, "s", Role::Binned),
        ];
        assert_eq!(columns, expected);
        assert_eq!(table.columns[0].names, Some("queues"));
        assert_eq!((Samples::TABLE.name, Samples::TABLE.presence), ("samples", Presence::Always));
        assert_eq!((ANSWERS.columns[1].kind, ANSWERS.columns[1].doc), (Kind::Signed, " Hops of the path.\n"));
    }

    #[test]
    fn rows_of_one_table_are_gathered() {
        let row = |queue, dropped| QueueStats { queue, dropped, wait_p50_s: 0.5 };
        let mut frames = Frames::default();
        frames.add(&[row(1, 10), row(2, 20)]);
        frames.add(&[row(5, 50)]);
        assert_eq!(frames.0.len(), 1);
        let frame = &frames.0[0];
        assert_eq!(frame.counts("dropped"), Some(&[10, 20, 50][..]));
        assert_eq!(frame.values("wait_p50_s"), Some(&[0.5; 3][..]));
        assert_eq!((frame.counts("queue"), frame.values("dropped")), (None, None));
        assert_eq!(frames.rows::<QueueStats>(), [row(1, 10), row(2, 20), row(5, 50)]);
        frames.add_series(Samples::default());
        frames.add_series(Samples { time_s: vec![1.0] });
        frames.add_series(Samples { time_s: vec![2.0] });
        assert_eq!(frames.series::<Samples>().time_s, [1.0, 2.0]);
        assert_eq!(Samples { time_s: vec![1.0] }.into_columns(), [Data::Double(vec![1.0])]);
    }
}
