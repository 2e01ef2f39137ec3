//! The laws as the kernel has them: their parameters, in the order of `struct params` of each law's header.

use crate::Error;

/// A law that can be loaded.
#[derive(Debug, PartialEq)]
pub struct KernelLaw {
    /// Its name, that of the law it is the twin of.
    pub name: &'static str,
    /// Its parameters, those of the law it is the twin of as far as integers can do them.
    pub parameters: &'static [Parameter],
    /// What `own` is in [`Flow`](crate::Flow): the figure that this law alone keeps, and its unit.
    pub own: (&'static str, &'static str),
}

/// A parameter of a law; the kernel holds it in steps of 2^-16.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The value of the law it is the twin of.
    pub default: f64,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// The laws that can be loaded.
pub const LAWS: &[KernelLaw] = &[
    KernelLaw {
        name: "quic-tcp",
        parameters: &[within("rho", 0.5, 0.0, 1.0), positive("kappa", 0.5), positive("backlog", 200.0)],
        own: ("backlog", "packets"),
    },
    KernelLaw {
        name: "fast",
        parameters: &[within("gamma", 0.5, STEP, 4.0), positive("alpha", 100.0)],
        own: ("backlog", "packets"),
    },
    KernelLaw {
        name: "vegas",
        parameters: &[positive("alpha", 2.0), positive("beta", 4.0), positive("gamma", 1.0)],
        own: ("diff", "packets"),
    },
    KernelLaw {
        name: "tcp-fit",
        parameters: &[within("alpha", 0.1, 0.001, 1.0), positive("beta", 1.0), positive("period", 0.5)],
        own: ("n", "connections"),
    },
    KernelLaw {
        name: "compound",
        parameters: &[
            positive("alpha", 0.125),
            within("k", 0.75, 0.0, 1.0),
            within("beta", 0.5, 0.1, 0.9),
            positive("gamma", 30.0),
            positive("zeta", 1.0),
        ],
        own: ("delay_window", "packets"),
    },
    KernelLaw { name: "westwood", parameters: &[within("filter", 0.9, 0.0, 0.999)], own: ("bandwidth", "packets/s") },
];

const fn within(name: &'static str, default: f64, least: f64, greatest: f64) -> Parameter {
    Parameter { name, default, least, greatest }
}

const fn positive(name: &'static str, default: f64) -> Parameter {
    within(name, default, STEP, 65_535.0)
}

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

    /// `values` with `changes` made, as the kernel will hold them; one value for each parameter.
    pub(crate) fn change(&'static self, values: &[f64], changes: &[(String, f64)]) -> Result<Vec<f64>, Error> {
        let refuse =
            |parameter: &str, why: String| Error::Parameter { law: self.name, parameter: parameter.to_owned(), why };
        let mut values = values.to_vec();
        for (name, value) in changes {
            let Some(index) = self.parameters.iter().position(|parameter| parameter.name == name) else {
                let names: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
                return Err(refuse(name, format!("unknown parameter; parameters: {}", names.join(", "))));
            };
            let Parameter { least, greatest, .. } = self.parameters[index];
            if !(least..=greatest).contains(value) {
                return Err(refuse(name, format!("{value} is not between {least} and {greatest}")));
            }
            values[index] = (value / STEP).round() * STEP;
        }
        // Vegas's band.
        let at = |name| self.parameters.iter().position(|parameter| parameter.name == name).map(|index| values[index]);
        match (self.name, at("alpha"), at("beta")) {
            ("vegas", Some(alpha), Some(beta)) if alpha > beta => {
                Err(refuse("beta", format!("{beta} is below alpha, {alpha}")))
            }
            _ => Ok(values),
        }
    }

    /// The default values.
    pub(crate) fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|parameter| parameter.default).collect()
    }

    /// The names with `values` beside them.
    pub(crate) fn label(&self, values: &[f64]) -> Vec<(&'static str, f64)> {
        self.parameters.iter().map(|parameter| parameter.name).zip(values.iter().copied()).collect()
    }
}

/// The kernel's words for `values`.
pub(crate) fn encode(values: &[f64]) -> Vec<u32> {
    values.iter().map(|value| (value / STEP).round() as u32).collect()
}

/// The values of the kernel's words.
pub(crate) fn decode(words: &[u32]) -> Vec<f64> {
    words.iter().map(|&word| f64::from(word) * STEP).collect()
}

/// One unit of a parameter in the kernel.
const STEP: f64 = 1.0 / 65_536.0;
