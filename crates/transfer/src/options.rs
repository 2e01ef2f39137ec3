//! Declaration of options: the structure that a transfer reads, and what Python and the command line know of each.

use crate::error::Error;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// Declares the options of a transfer: name, type and default, then how the command line shows it.
///
/// [`Declared`] lists are what `tools/generate_transfer.py` writes Python's functions from, and what the command line
/// makes its options of.
macro_rules! options {
    ($(#[doc = $about:literal])* $name:ident {
        $($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr, $shown:expr;)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// All options, in the order of their declaration.
            pub fn declared() -> Vec<$crate::options::Declared> {
                let default = Self::default();
                vec![$($crate::options::Declared::new(
                    stringify!($field), concat!($($doc),*), &default.$field, $shown,
                )),*]
            }
        }
    };
}

pub(crate) use options;

/// Error of an option whose value is out of range, by the name and reason of the law's parameter.
pub(crate) fn refused((parameter, reason): (&str, String)) -> Error {
    let option = match parameter {
        "max" => "max_connections",
        other => other,
    };
    Error::Usage(format!("`{option}`: {reason}"))
}

/// An option as it is declared.
#[derive(Clone, Debug, Serialize)]
pub struct Declared {
    /// Name in Rust and in Python.
    name: &'static str,
    /// Meaning, with the unit.
    doc: &'static str,
    /// Type of a value.
    kind: &'static str,
    /// True if it may be absent.
    is_optional: bool,
    /// True if it may be given several times.
    is_repeated: bool,
    default: Value,
    #[serde(flatten)]
    shown: Shown,
}

impl Declared {
    pub(crate) fn new<T: Typed>(name: &'static str, doc: &'static str, default: &T, shown: Shown) -> Self {
        let doc = doc.trim();
        let (is_optional, is_repeated) = (T::IS_OPTIONAL, T::IS_REPEATED);
        Self { name, doc, kind: T::KIND, is_optional, is_repeated, default: default.value(), shown }
    }
}

/// An option on the command line.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Shown {
    /// Long form; by default the name with hyphens and without its unit.
    long: Option<&'static str>,
    short: Option<&'static str>,
    /// Name of the value.
    value: Option<&'static str>,
    /// Heading in the help.
    group: Option<&'static str>,
    least: Option<u32>,
    most: Option<u32>,
    /// True for a number of bytes that may be given with a suffix.
    is_size: bool,
    /// True for a truth that can be switched off as well.
    can_negate: bool,
}

impl Shown {
    /// An option whose value is called `value`.
    pub(crate) const fn value(value: &'static str) -> Self {
        Self { value: Some(value), ..Self::plain() }
    }

    /// An option without a value, or without a name for it.
    pub(crate) const fn plain() -> Self {
        Self {
            long: None,
            short: None,
            value: None,
            group: None,
            least: None,
            most: None,
            is_size: false,
            can_negate: false,
        }
    }

    pub(crate) const fn long(self, long: &'static str) -> Self {
        Self { long: Some(long), ..self }
    }

    pub(crate) const fn short(self, short: &'static str) -> Self {
        Self { short: Some(short), ..self }
    }

    pub(crate) const fn under(self, group: &'static str) -> Self {
        Self { group: Some(group), ..self }
    }

    pub(crate) const fn at_least(self, least: u32) -> Self {
        Self { least: Some(least), ..self }
    }

    pub(crate) const fn at_most(self, most: u32) -> Self {
        Self { most: Some(most), ..self }
    }

    pub(crate) const fn size(self) -> Self {
        Self { is_size: true, ..self }
    }

    pub(crate) const fn negatable(self) -> Self {
        Self { can_negate: true, ..self }
    }
}

/// Type of an option.
pub(crate) trait Typed {
    /// Name of the type in Python.
    const KIND: &'static str;
    const IS_OPTIONAL: bool = false;
    const IS_REPEATED: bool = false;

    fn value(&self) -> Value;
}

macro_rules! typed {
    ($($type:ty => $kind:literal, $value:expr;)*) => {
        $(impl Typed for $type {
            const KIND: &'static str = $kind;

            fn value(&self) -> Value {
                let value: fn(&Self) -> Value = $value;
                value(self)
            }
        })*
    };
}

typed! {
    bool => "bool", |value| (*value).into();
    u32 => "int", |value| (*value).into();
    u64 => "int", |value| (*value).into();
    f64 => "float", |value| (*value).into();
    String => "str", |value| value.as_str().into();
    PathBuf => "path", |value| value.to_string_lossy().into();
}

impl<T: Typed> Typed for Option<T> {
    const KIND: &'static str = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::value)
    }
}

impl<T: Typed> Typed for Vec<T> {
    const KIND: &'static str = T::KIND;
    const IS_REPEATED: bool = true;

    fn value(&self) -> Value {
        self.iter().map(T::value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    options! {
        /// Options of a test.
        Options {
            /// Longest wait, in seconds.
            wait_s: f64 = 2.5, Shown::value("SECONDS").short("-w").under("Time");
            /// Lines to send.
            lines: Vec<String> = Vec::new(), Shown::plain().long("--line");
            /// Number of tries.
            tries: Option<u32> = None, Shown::value("N").at_least(1);
        }
    }

    #[test]
    fn a_declaration_is_the_structure_and_its_description() {
        let told = serde_json::to_value(Options::declared()).expect("it is JSON");
        let wait = json!({
            "name": "wait_s", "doc": "Longest wait, in seconds.", "kind": "float", "is_optional": false,
            "is_repeated": false, "default": 2.5, "long": null, "short": "-w", "value": "SECONDS", "group": "Time",
            "least": null, "most": null, "is_size": false, "can_negate": false,
        });
        assert_eq!(told[0], wait);
        assert_eq!((&told[1]["default"], &told[1]["is_repeated"]), (&json!([]), &json!(true)));
        assert_eq!((&told[2]["kind"], &told[2]["is_optional"]), (&json!("int"), &json!(true)));
        let read: Options = serde_json::from_value(json!({"tries": 3})).expect("it is an option");
        assert_eq!((read.wait_s, read.lines.len(), read.tries), (2.5, 0, Some(3)));
        assert!(serde_json::from_value::<Options>(json!({"trys": 3})).is_err());
    }
}
