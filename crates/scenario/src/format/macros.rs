//! Macros that many fields use: reading by a visitor, and tables of several kinds.

/// Reads each type by its visitor, and describes it by a schema written in place.
macro_rules! read_and_describe {
    ($($type:ident by $visitor:expr => $map:expr, $schema:expr;)*) => {
        $(impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor).map($map)
            }
        }

        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        })*
    };
}

/// Tables of several kinds, distinguished by one key. Serde's own reader of such enums copies the table first and loses
/// the position of errors in it; this one reads in place. It needs the deciding key first; [`crate::read`] ensures
/// that. Fields after `with` are the first ones of every kind.
macro_rules! tagged {
    (@kind [$($doc:tt)*] $variant:ident { $($common:tt)* } { $($(#[$meta:meta])* $field:ident: $type:ty,)* }) => {
        $($doc)*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, expecting = "a table")]
        pub(crate) struct $variant {
            $($common)*
            $($(#[$meta])* pub $field: $type,)*
        }
    };
    ($(#[$meta:meta])* $name:ident by $tag:literal, $what:literal { $($kinds:tt)* }) => {
        tagged! { $(#[$meta])* $name by $tag, $what with {} { $($kinds)* } }
    };
    (
        $(#[$meta:meta])*
        $name:ident by $tag:literal, $what:literal with $common:tt {
            $($(#[$doc:meta])* $word:literal $variant:ident $fields:tt)*
        }
    ) => {
        $(tagged! { @kind [$(#[$doc])*] $variant $common $fields })*

        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
        #[serde(tag = $tag)]
        pub(crate) enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant($variant),)*
        }

        const _: () = assert!($crate::format::named::is_deciding($tag), "the reader gives this key first");

        impl $name {
            fn from_map<'de, A: serde::de::MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
                if map.next_key::<String>()?.as_deref() != Some($tag) {
                    let kinds = [$($word),*].join(", ");
                    return Err(serde::de::Error::custom(format!("`{}` is missing; allowed: {kinds}", $tag)));
                }
                let kind = map.next_value_seed($crate::format::named::OneOf(&[$($word),*]))?;
                let rest = serde::de::value::MapAccessDeserializer::new(map);
                match kind {
                    $($word => <$variant as serde::Deserialize>::deserialize(rest).map(Self::$variant),)*
                    other => unreachable!("{other} is not one of the kinds given"),
                }
            }
        }

        impl $crate::format::named::Tagged for $name {
            const TAG: &'static str = $tag;
            const KINDS: &'static [&'static str] = &[$($word),*];
            fn from_table<'de, A: serde::de::MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
                Self::from_map(map)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Table;
                impl<'de> serde::de::Visitor<'de> for Table {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        $name::from_map(map)
                    }
                }
                deserializer.deserialize_any(Table)
            }
        }
    };
}
