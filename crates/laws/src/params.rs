//! Parameters of a law, each declared once: [`params!`] makes the struct, its defaults, the check of its ranges, the
//! schema, and the sentences of the documentation that state range and default.

/// Makes `Params` of its fields.
///
/// A field is `name: type = default`; a number also has `from LEAST to MOST`, or `in` one of the ranges of [`range!`].
/// The default of an enumeration is a variant. `note` follows the default in the documentation; for an enumeration it
/// is the default's name there. A method named by `check` refuses values that exclude each other.
macro_rules! params {
    (
        $(#[$meta:meta])*
        Params $(check $check:ident)? {
            $(
                $(#[$field_meta:meta])*
                $field:ident: $type:ident = $default:tt
                    $(, from $least:literal to $most:literal)? $(, in $range:ident)? $(, note $note:literal)?;
            )*
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        $(#[$meta])*
        pub struct Params {
            $(
                $(#[$field_meta])*
                $(
                    #[doc = concat!($least, " to ", $most, ".")]
                    #[schemars(range(min = $least as f64, max = $most as f64))]
                )?
                $(
                    #[doc = concat!(range!($range text), ".")]
                    #[schemars(range(min = range!($range least), max = range!($range most)))]
                )?
                #[doc = default!(text $type $default $($note)?)]
                pub $field: $type,
            )*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($field: default!(value $type $default)),* }
            }
        }

        impl Params {
            /// Least and greatest value of the numbers, in order of declaration.
            pub(crate) const RANGES: &[(&str, f64, f64)] = &[
                $(
                    $((stringify!($field), $least as f64, $most as f64),)?
                    $((stringify!($field), range!($range least), range!($range most)),)?
                )*
            ];

            /// Refuses values outside their range, naming the field.
            pub(crate) fn check(&self) -> Result<(), $crate::shared::Refusal> {
                $(
                    $($crate::shared::between(stringify!($field), self.$field, $least as f64..=$most as f64)?;)?
                    $(
                        let range = range!($range least)..=range!($range most);
                        $crate::shared::between(stringify!($field), self.$field, range)?;
                    )?
                )*
                $(self.$check()?;)?
                Ok(())
            }
        }
    };
}

/// Ranges of several laws. `TARGET`, a backlog in packets: above it no window suffices, below it no queue is visible.
/// `STEP`, factors and times in seconds for a law's steps: within it no window leaves the range of `f64`, and no step
/// is lost in rounding.
macro_rules! range {
    (TARGET text) => {
        "0.001 to 1e9"
    };
    (TARGET least) => {
        1e-3
    };
    (TARGET most) => {
        1e9
    };
    (STEP text) => {
        "1e-6 to 1e6"
    };
    (STEP least) => {
        1e-6
    };
    (STEP most) => {
        1e6
    };
}

/// Default of a field: the value, and the text.
macro_rules! default {
    (value f64 $value:tt) => {
        $value as f64
    };
    (value bool $value:tt) => {
        $value
    };
    (value $type:ident $variant:tt) => {
        $type::$variant
    };
    (text bool true) => {
        "Default on."
    };
    (text bool false) => {
        "Default off."
    };
    (text bool true $note:literal) => {
        concat!("Default on", $note, ".")
    };
    (text bool false $note:literal) => {
        concat!("Default off", $note, ".")
    };
    (text f64 $value:tt) => {
        concat!("Default ", $value, ".")
    };
    (text f64 $value:tt $note:literal) => {
        concat!("Default ", $value, $note, ".")
    };
    (text $type:ident $variant:tt $note:literal) => {
        concat!("Default ", $note, ".")
    };
}
