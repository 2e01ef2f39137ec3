//! Every law by name: its parameters as read from a scenario, and the law itself behind static dispatch.

use crate::{Ack, Congestion, Law};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windward_units::{PacketRate, Packets, Time};

/// What is wrong with a law's name or parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum SpecError {
    /// No law of this name.
    Name(String),
    /// A parameter is unknown or out of range: its path below the law, and why.
    Parameter(String, String),
}

macro_rules! laws {
    ($($(#[$doc:meta])* $name:literal $variant:ident $module:ident,)*) => {
        /// A law and its parameters, as a scenario names them.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "name")]
        pub enum LawSpec {
            $($(#[$doc])* #[serde(rename = $name)] $variant(crate::$module::Params),)*
        }

        impl LawSpec {
            /// The names of all laws.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The law `name` with `parameters` (a JSON object) over its defaults.
            ///
            /// # Errors
            /// An unknown name, an unknown parameter or a value out of range.
            pub fn from_json(name: &str, parameters: serde_json::Value) -> Result<Self, SpecError> {
                match name {
                    $($name => {
                        let params: crate::$module::Params = serde_path_to_error::deserialize(parameters)
                            .map_err(|e| SpecError::Parameter(e.path().to_string(), e.into_inner().to_string()))?;
                        params.check().map_err(|(field, why)| SpecError::Parameter(field.to_owned(), why))?;
                        Ok(Self::$variant(params))
                    })*
                    other => Err(SpecError::Name(other.to_owned())),
                }
            }

            /// The law's name.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// The law's BibTeX entry.
            pub const fn bibtex(&self) -> &'static str {
                match self { $(Self::$variant(_) => crate::$module::BIBTEX,)* }
            }

            /// A law of this kind whose window begins at `initial`.
            pub fn build(&self, initial: Packets) -> AnyLaw {
                match self { $(Self::$variant(params) => AnyLaw::$variant(crate::$module::$variant::new(*params, initial)),)* }
            }

            /// Each law with its default parameters.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$variant(crate::$module::Params::default())),*]
            }
        }

        /// Any law, dispatched statically; a user's own sits behind a pointer.
        #[expect(missing_docs, reason = "the variants are the laws, documented in their own modules")]
        pub enum AnyLaw {
            $($variant(crate::$module::$variant),)*
            External(Box<dyn Law + Send>),
        }

        impl Law for AnyLaw {
            #[inline]
            fn on_ack(&mut self, ack: &Ack) {
                match self { $(Self::$variant(law) => law.on_ack(ack),)* Self::External(law) => law.on_ack(ack) }
            }
            fn on_congestion(&mut self, event: &Congestion) {
                match self { $(Self::$variant(law) => law.on_congestion(event),)* Self::External(law) => law.on_congestion(event) }
            }
            #[inline]
            fn cwnd(&self) -> Packets {
                match self { $(Self::$variant(law) => law.cwnd(),)* Self::External(law) => law.cwnd() }
            }
            #[inline]
            fn pacing_rate(&self) -> Option<PacketRate> {
                match self { $(Self::$variant(law) => law.pacing_rate(),)* Self::External(law) => law.pacing_rate() }
            }
            fn on_restart(&mut self, now: Time) {
                match self { $(Self::$variant(law) => law.on_restart(now),)* Self::External(law) => law.on_restart(now) }
            }
            fn on_undo(&mut self) {
                match self { $(Self::$variant(law) => law.on_undo(),)* Self::External(law) => law.on_undo() }
            }
            fn observe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
                match self { $(Self::$variant(law) => law.observe(sink),)* Self::External(law) => law.observe(sink) }
            }
        }
    };
}

laws! {
    /// RFC 5681's additive increase, multiplicative decrease.
    "reno" Reno reno,
}
