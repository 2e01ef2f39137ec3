//! Registry of laws by name: parameters as read from a scenario, and the law behind static dispatch.

use crate::external::External;
use crate::reins::Reins;
use crate::{Ack, Congestion, FluidLaw, FluidPath, Law, Needs, Price, Response, Start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use windward_units::{Duration, PacketRate, Packets, Time};

/// Error in a law's name or parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum SpecError {
    /// No law of this name.
    Name(String),
    /// A parameter is unknown or out of range: its path below the law, and the reason.
    Parameter(String, String),
}

impl LawSpec {
    /// Price at equilibrium, that of its utility; `None` if it maximises none.
    pub fn price(&self) -> Option<Price> {
        // Any path does on which nothing is zero; delay-based laws have a utility only where nothing is lost.
        let path = FluidPath {
            base_rtt: Duration::from_millis(100),
            queue_delay: Duration::from_millis(20),
            loss: 0.01,
            marks: 0.0,
        };
        let law = self.fluid()?;
        let utility = law.maximises(&path).or_else(|| law.maximises(&FluidPath { loss: 0.0, ..path }));
        utility.map(|utility| utility.price())
    }
}

/// The reason of a refusal; of a word that is none of the known ones in the words of a scenario's reader.
fn plain(why: &str) -> String {
    let Some((given, known)) = why.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    else {
        return why.to_owned();
    };
    let known = known.trim_start_matches("one of ").replace(" or ", ", ").replace('`', "");
    format!("unknown value {given}; allowed: {known}")
}

/// Refuses a parameter whose type differs from its default's; serde's message would name Rust types.
fn check_types(parameters: &Value, defaults: impl Serialize) -> Result<(), SpecError> {
    let defaults = serde_json::to_value(defaults).expect("numbers, truths and words are JSON");
    for (name, given) in parameters.as_object().into_iter().flatten() {
        let wanted = match defaults.get(name) {
            Some(Value::Number(_)) if given.is_null() => "a finite number",
            Some(Value::Number(_)) if !given.is_number() => "a number",
            Some(Value::Bool(_)) if !given.is_boolean() => "true or false",
            Some(Value::String(_)) if !given.is_string() => "text in quotes",
            Some(Value::Object(_)) if !given.is_object() => "a table",
            _ => continue,
        };
        return Err(SpecError::Parameter(name.clone(), format!("{given} is not {wanted}")));
    }
    Ok(())
}

/// A law as a differential equation; laws that model rates have none.
macro_rules! fluid {
    (rates, $params:expr) => {{
        let _ = $params;
        None
    }};
    (formula, $params:expr) => {
        $params.fluid().map(|law| Box::new(law) as Box<dyn FluidLaw + Send + Sync>)
    };
    ($memory:ident, $params:expr) => {
        Some(Box::new($params))
    };
}

/// A memoryless law's [`Response`] is that of its parameters; laws with memory have none.
macro_rules! response {
    (memoryless, $params:expr) => {
        Some(Box::new($params))
    };
    ($memory:ident, $params:expr) => {{
        let _ = $params;
        None
    }};
}

impl AnyLaw {
    /// A user-defined law.
    pub fn external<L: Law + Send + 'static>(law: L) -> Self {
        Self::External(External::new(law))
    }
}

/// Makes the registry of the list at the head of the crate.
macro_rules! laws {
    ($($(#[doc = $doc:literal])* $name:literal $variant:ident $module:ident $memory:ident,)*) => {
        /// A law and its parameters, as a scenario names them.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "name")]
        pub enum LawSpec {
            $($(#[doc = $doc])* #[serde(rename = $name)] $variant(crate::$module::Params),)*
        }

        impl LawSpec {
            /// Names of all laws.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The law `name` with `parameters` (a JSON object) over its defaults.
            ///
            /// # Errors
            /// An unknown name, an unknown parameter or a value out of range.
            pub fn from_json(name: &str, parameters: Value) -> Result<Self, SpecError> {
                match name {
                    $($name => {
                        check_types(&parameters, crate::$module::Params::default())?;
                        let params: crate::$module::Params = serde_path_to_error::deserialize(parameters)
                            .map_err(|e| SpecError::Parameter(e.path().to_string(), plain(&e.into_inner().to_string())))?;
                        params.check().map_err(|(field, why)| SpecError::Parameter(field.to_owned(), why))?;
                        Ok(Self::$variant(params))
                    })*
                    other => Err(SpecError::Name(other.to_owned())),
                }
            }

            /// Demands of the law on its host.
            pub const fn needs(&self) -> Needs {
                match self { $(Self::$variant(_) => <crate::$module::$variant as Law>::NEEDS,)* }
            }

            /// Reason why a Linux kernel cannot run the law by a module of its name; `None` if such a module is this
            /// law.
            pub const fn not_in_linux(&self) -> Option<&'static str> {
                match self { $(Self::$variant(_) => <crate::$module::$variant as Law>::NOT_IN_LINUX,)* }
            }

            /// Numeric parameters of the law, in order of declaration: name, least and greatest value.
            pub const fn ranges(&self) -> &'static [(&'static str, f64, f64)] {
                match self { $(Self::$variant(_) => crate::$module::Params::RANGES,)* }
            }

            /// Name of the law.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// One-sentence summary of the law.
            pub fn summary(&self) -> &'static str {
                match self { $(Self::$variant(_) => concat!($($doc),*).trim_start(),)* }
            }

            /// BibTeX entry of the law.
            pub const fn bibtex(&self) -> &'static str {
                match self { $(Self::$variant(_) => crate::$module::BIBTEX,)* }
            }

            /// A law of this kind whose window begins at `initial`.
            pub fn build(&self, initial: Packets) -> AnyLaw {
                match self { $(Self::$variant(params) => AnyLaw::$variant(crate::$module::$variant::new(*params, initial)),)* }
            }

            /// The law with the window `initial` behind a pointer, beneath a law that modulates its window.
            pub fn boxed(&self, initial: Packets) -> External {
                match self { $(Self::$variant(params) => External::new(crate::$module::$variant::new(*params, initial)),)* }
            }

            /// The law as a differential equation; `None` if it has none.
            pub fn fluid(&self) -> Option<Box<dyn FluidLaw + Send + Sync>> {
                match self { $(Self::$variant(params) => fluid!($memory, *params),)* }
            }

            /// Gain and cut of a memoryless law; `None` for others.
            pub fn response(&self) -> Option<Box<dyn Response + Send + Sync>> {
                match self { $(Self::$variant(params) => response!($memory, *params),)* }
            }

            /// All laws with their default parameters.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$variant(crate::$module::Params::default())),*]
            }
        }

        /// Any law, dispatched statically; user-defined laws are boxed.
        // A tag of its own: one in a niche of the largest law costs four instructions more at each of the calls.
        #[repr(u8)]
        #[expect(missing_docs, reason = "the variants are the laws, documented in their own modules")]
        pub enum AnyLaw {
            $($variant(crate::$module::$variant),)*
            External(External),
            Reins(Reins),
        }

        /// The methods of [`Law`].
        #[expect(missing_docs, reason = "they are documented in the trait")]
        impl AnyLaw {
            /// Demands on the host.
            pub const fn needs(&self) -> Needs {
                match self { $(Self::$variant(_) => <crate::$module::$variant as Law>::NEEDS,)* Self::External(law) => law.needs, Self::Reins(law) => law.needs }
            }
            pub fn on_start(&mut self, start: &Start) {
                match self { $(Self::$variant(law) => law.on_start(start),)* Self::External(law) => law.own.on_start(start), Self::Reins(law) => law.on_start(start) }
            }
            #[inline]
            pub fn on_ack(&mut self, ack: &Ack) {
                match self { $(Self::$variant(law) => law.on_ack(ack),)* Self::External(law) => law.own.on_ack(ack), Self::Reins(law) => law.on_ack(ack) }
            }
            pub fn on_congestion(&mut self, event: &Congestion) {
                match self { $(Self::$variant(law) => law.on_congestion(event),)* Self::External(law) => law.own.on_congestion(event), Self::Reins(law) => law.on_congestion(event) }
            }
            #[inline]
            pub fn cwnd(&self) -> Packets {
                match self { $(Self::$variant(law) => law.cwnd(),)* Self::External(law) => law.own.cwnd(), Self::Reins(law) => law.cwnd() }
            }
            #[inline]
            pub fn pacing_rate(&self) -> Option<PacketRate> {
                match self { $(Self::$variant(law) => law.pacing_rate(),)* Self::External(law) => law.own.pacing_rate(), Self::Reins(law) => law.pacing_rate() }
            }
            pub fn send_quantum(&self) -> u32 {
                match self { $(Self::$variant(law) => law.send_quantum(),)* Self::External(law) => law.own.send_quantum(), Self::Reins(law) => law.send_quantum() }
            }
            pub fn on_restart(&mut self, now: Time) {
                match self { $(Self::$variant(law) => law.on_restart(now),)* Self::External(law) => law.own.on_restart(now), Self::Reins(law) => law.on_restart(now) }
            }
            pub fn on_idle(&mut self, cwnd: Packets) {
                match self { $(Self::$variant(law) => law.on_idle(cwnd),)* Self::External(law) => law.own.on_idle(cwnd), Self::Reins(law) => law.on_idle(cwnd) }
            }
            pub fn remember(&mut self, ssthresh: Packets) -> bool {
                match self { $(Self::$variant(law) => law.remember(ssthresh),)* Self::External(law) => law.own.remember(ssthresh), Self::Reins(law) => law.remember(ssthresh) }
            }
            pub fn on_undo(&mut self, before: Packets) {
                match self { $(Self::$variant(law) => law.on_undo(before),)* Self::External(law) => law.own.on_undo(before), Self::Reins(law) => law.on_undo(before) }
            }
            pub fn observe(&self, sink: &mut dyn FnMut(&str, f64)) {
                match self { $(Self::$variant(law) => law.observe(sink),)* Self::External(law) => law.own.observe(sink), Self::Reins(law) => law.observe(sink) }
            }
        }
    };
}

each_law! { laws }

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_are_read_over_the_defaults() {
        let spec = LawSpec::from_json("quic-tcp", json!({ "rho": 0.25, "mode": "ns2" })).unwrap();
        let expected = crate::quic_tcp::Params { rho: 0.25, mode: crate::Mode::Ns2, ..Default::default() };
        assert_eq!(spec, LawSpec::QuicTcp(expected));
        assert_eq!(spec.name(), "quic-tcp");
    }

    #[test]
    fn wrong_parameters_are_named() {
        let refused = |name: &str, parameters| match LawSpec::from_json(name, parameters) {
            Err(SpecError::Parameter(field, why)) => (field, why),
            other => panic!("{other:?}"),
        };
        assert_eq!(refused("quic-tcp", json!({ "rho": 2 })), ("rho".into(), "2 is not between 0 and 1".into()));
        assert_eq!(refused("fast", json!({ "alpha": 0 })), ("alpha".into(), "0 is not between 0.001 and 1e9".into()));
        assert_eq!(refused("vegas", json!({ "alpha": 5 })), ("beta".into(), "4 is below alpha, 5".into()));
        assert_eq!(refused("cubic", json!({ "c": "steep" })), ("c".into(), "\"steep\" is not a number".into()));
        assert_eq!(refused("cubic", json!({ "hystart": 1 })), ("hystart".into(), "1 is not true or false".into()));
        assert_eq!(refused("fast", json!({ "alpha": null })), ("alpha".into(), "null is not a finite number".into()));
        let versions = "unknown value `linux7`; allowed: rfc9438, linux, linux-2.6.22, linux-2.6.31";
        assert_eq!(refused("cubic", json!({ "version": "linux7" })), ("version".into(), versions.into()));
        let modes = "unknown value `linux`; allowed: paper, ns2";
        assert_eq!(refused("quic-tcp", json!({ "mode": "linux" })), ("mode".into(), modes.into()));
        assert_eq!(refused("compound", json!({ "k": 1.5 })).0, "k");
        assert_eq!(LawSpec::from_json("rheno", json!({})), Err(SpecError::Name("rheno".to_owned())));
    }

    #[test]
    fn every_default_is_allowed_and_every_law_can_be_cited() {
        assert_eq!(LawSpec::all().len(), LawSpec::NAMES.len());
        for spec in LawSpec::all() {
            let mut written = serde_json::to_value(spec).unwrap();
            let name = written.as_object_mut().unwrap().remove("name").unwrap();
            assert_eq!(LawSpec::from_json(name.as_str().unwrap(), written), Ok(spec));
            assert!(spec.summary().ends_with('.'), "{}: {}", spec.name(), spec.summary());
            // Drafts, USENIX and PFLDnet have no DOI.
            let is_found =
                ["doi", "Internet-Draft", "USENIX", "PFLDnet"].iter().any(|known| spec.bibtex().contains(known));
            assert!(spec.bibtex().starts_with('@') && is_found, "{}", spec.name());
        }
    }
}
