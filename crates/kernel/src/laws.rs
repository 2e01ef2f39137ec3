//! Laws in the kernel: the twins of laws of `windward-laws`, whose parameters, defaults and ranges they have.

use crate::Error;
use serde_json::{Map, Value};
use windward_laws::{LawSpec, SpecError};

/// A law that can be loaded.
#[derive(Debug, PartialEq)]
pub struct KernelLaw {
    /// Name, that of its twin.
    pub name: &'static str,
    /// Meaning of `own` in [`Flow`](crate::Flow): the law's own figure, and its unit.
    pub own: (&'static str, &'static str),
}

/// A parameter of a law; the kernel holds it in steps of 2^-16.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// The laws that can be loaded.
pub const LAWS: &[KernelLaw] = &[
    KernelLaw { name: "quic-tcp", own: ("backlog", "packets") },
    KernelLaw { name: "fast", own: ("backlog", "packets") },
    KernelLaw { name: "vegas", own: ("diff", "packets") },
    KernelLaw { name: "tcp-fit", own: ("n", "connections") },
    KernelLaw { name: "compound", own: ("delay_window", "packets") },
    KernelLaw { name: "westwood", own: ("bandwidth", "packets/s") },
    KernelLaw { name: "veno", own: ("backlog", "packets") },
    KernelLaw { name: "hybla", own: ("rho", "") },
    KernelLaw { name: "htcp", own: ("beta", "") },
];

impl KernelLaw {
    /// The law `name`.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        LAWS.iter().find(|law| law.name == name).ok_or_else(|| {
            let names: Vec<_> = LAWS.iter().map(|law| law.name).collect();
            Error::UnknownLaw { given: name.to_owned(), allowed: format!("one of {}", names.join(", ")) }
        })
    }

    /// Numeric parameters of the twin, in the order of `struct params` of its header, in their ranges as far as a word
    /// of the kernel holds them.
    pub fn parameters(&self) -> Vec<Parameter> {
        let ranges = self.twin(&[]).map_or(&[][..], |twin| twin.ranges());
        let parameter = |&(name, least, greatest): &(&'static str, f64, f64)| Parameter {
            name,
            least: if least > 0.0 { least.max(STEP) } else { least },
            greatest: greatest.min(GREATEST),
        };
        ranges.iter().map(parameter).collect()
    }

    /// `values` with `changes` made, as the kernel will hold them; one value for each parameter.
    pub(crate) fn change(&'static self, values: &[f64], changes: &[(String, f64)]) -> Result<Vec<f64>, Error> {
        let refuse =
            |parameter: &str, why: String| Error::Parameter { law: self.name, parameter: parameter.to_owned(), why };
        let (mut values, parameters) = (values.to_vec(), self.parameters());
        for (name, value) in changes {
            let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else {
                let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
                return Err(refuse(name, format!("unknown parameter; parameters: {}", names.join(", "))));
            };
            let Parameter { least, greatest, .. } = parameters[index];
            if !(least..=greatest).contains(value) {
                return Err(refuse(name, format!("{value} is not between {least} and {greatest}")));
            }
            values[index] = (value / STEP).round() * STEP;
        }
        // The law knows which of them do not go together.
        match self.twin(&values) {
            Err(SpecError::Parameter(parameter, why)) => Err(refuse(&parameter, why)),
            Err(SpecError::Name(_)) | Ok(_) => Ok(values),
        }
    }

    /// The law that this one is the twin of, with these values of the first of its parameters.
    fn twin(&self, values: &[f64]) -> Result<LawSpec, SpecError> {
        let spec = LawSpec::from_json(self.name, Map::new().into())?;
        let named =
            spec.ranges().iter().zip(values).map(|((name, ..), &value)| ((*name).to_owned(), Value::from(value)));
        LawSpec::from_json(self.name, named.collect::<Map<_, _>>().into())
    }

    /// The default values: those of the law it is the twin of.
    pub fn defaults(&self) -> Vec<f64> {
        let written = self.twin(&[]).map(serde_json::to_value);
        let fields = written.ok().and_then(Result::ok).unwrap_or_default();
        self.parameters().iter().map(|parameter| fields[parameter.name].as_f64().unwrap_or(f64::NAN)).collect()
    }

    /// The names with `values` beside them.
    pub(crate) fn label(&self, values: &[f64]) -> Vec<(&'static str, f64)> {
        self.parameters().iter().map(|parameter| parameter.name).zip(values.iter().copied()).collect()
    }
}

/// The kernel's words for `values`.
pub(crate) fn encode(values: &[f64]) -> Vec<u32> {
    values.iter().map(|value| (value / STEP).round() as u32).collect()
}

/// The values of the kernel's words: of the numbers that a word may stand for the one with the fewest digits, as
/// it was written.
pub(crate) fn decode(words: &[u32]) -> Vec<f64> {
    let value = |&word: &u32| {
        let exact = f64::from(word) * STEP;
        let rounded = (0..6).map(|digits| {
            let scale = 10_f64.powi(digits);
            (exact * scale).round() / scale
        });
        rounded.into_iter().find(|&value| encode(&[value]) == [word]).unwrap_or(exact)
    };
    words.iter().map(value).collect()
}

/// One unit of a parameter in the kernel.
const STEP: f64 = 1.0 / 65_536.0;

/// Greatest whole number of a parameter in the kernel.
const GREATEST: f64 = 65_535.0;
