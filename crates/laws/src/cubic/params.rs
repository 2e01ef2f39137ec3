//! Parameters of CUBIC.

use crate::shared::Refusal;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Implementation of CUBIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Version {
    /// RFC 9438.
    #[default]
    #[serde(rename = "rfc9438")]
    Rfc9438,
    /// CUBIC 2.3 of Linux 6.
    #[serde(rename = "linux")]
    Linux,
    /// CUBIC 2.1 of Linux 2.6.22, which ns-2.35 runs.
    #[serde(rename = "linux-2.6.22")]
    Linux2622,
    /// CUBIC 2.3 of Linux 2.6.31.
    #[serde(rename = "linux-2.6.31")]
    Linux2631,
}

/// Removes the defaults that a host chooses from a schema.
fn leave_to_host(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in properties.into_iter().flatten().filter(|(name, _)| Params::BY_HOST.contains(&name.as_str())) {
        field.as_object_mut().map(|field| field.remove("default"));
    }
}

params! {
    /// Parameters of [`Cubic`](super::Cubic).
    #[schemars(transform = leave_to_host)]
    Params check suits_version {
        /// Implementation: "rfc9438", "linux" (Linux 6, in its integer arithmetic), "linux-2.6.22" (v2.1, as in
        /// ns-2.35) or "linux-2.6.31" (v2.3).
        version: Version = Rfc9438, note "\"linux\" with Linux's stack, \"rfc9438\" otherwise and if `c` or `beta` is given";
        /// Steepness C in packets/s³ (RFC 9438 §5.1); the kernels have their own.
        c: f64 = 0.4, in STEP;
        /// Share of the window that a loss leaves, β (RFC 9438 §4.6); the kernels have their own.
        beta: f64 = 0.7, from 0.1 to 0.99;
        /// Give way to new flows after two losses at falling windows (RFC 9438 §4.7).
        fast_convergence: bool = true;
        /// Leave the first slow start before it causes losses, by HyStart++ (RFC 9406); in "linux" and "linux-2.6.31"
        /// by HyStart, which the kernels have on.
        hystart: bool = false, note "; on with Linux's stack";
        /// "linux-2.6.22" only: packets carry timestamps, without which that kernel has no round-trip samples and no
        /// limit S_max of its growth.
        timestamps: bool = true, note "; ns-2's senders have none";
    }
}

impl Params {
    /// Parameters whose defaults a host chooses.
    pub const BY_HOST: [&str; 4] = ["version", "c", "beta", "hystart"];

    /// Adds to `given` the defaults of Linux's hosts. C and β are RFC 9438's alone, so either of them chooses its
    /// version.
    pub fn as_linux(given: &mut Map<String, Value>) {
        let has_own = ["c", "beta"].iter().any(|name| given.contains_key(*name));
        let version = given.entry("version").or_insert_with(|| if has_own { json!("rfc9438") } else { json!("linux") });
        if version != "linux-2.6.22" {
            given.entry("hystart").or_insert(json!(true));
        }
    }

    /// Refuses what the version does not have.
    fn suits_version(&self) -> Result<(), Refusal> {
        let standard = Self::default();
        match self.version {
            version if !self.timestamps && version != Version::Linux2622 => {
                Err(("timestamps", "other versions than \"linux-2.6.22\" have samples without them".into()))
            }
            Version::Rfc9438 => Ok(()),
            _ if self.c != standard.c => Err(("c", "the kernels have their own; it belongs to \"rfc9438\"".into())),
            _ if self.beta != standard.beta => {
                Err(("beta", "the kernels have their own; it belongs to \"rfc9438\"".into()))
            }
            Version::Linux2622 if self.hystart => Err(("hystart", "Linux has it since 2.6.29".into())),
            _ => Ok(()),
        }
    }

    /// C in packets/s³ and β.
    pub(super) fn constants(&self) -> (f64, f64) {
        match self.version {
            Version::Rfc9438 => (self.c, self.beta),
            Version::Linux2622 => (410.0 / 1024.0, 819.0 / 1024.0),
            Version::Linux | Version::Linux2631 => (410.0 / 1024.0, 717.0 / 1024.0),
        }
    }

    /// Time from a fall to `low` back to `w_max`, in seconds (RFC 9438, Eq. 2).
    pub(super) fn k(&self, w_max: f64, low: f64) -> f64 {
        libm::cbrt((w_max - low) / self.constants().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::near;
    use crate::{FluidLaw, FluidPath};
    use windward_units::Duration;

    #[test]
    fn the_kernels_have_constants_of_their_own() {
        let refused = |params: Params| params.check().map_err(|(field, _)| field);
        assert_eq!(refused(Params { version: Version::Linux2622, beta: 0.8, ..Params::default() }), Err("beta"));
        assert_eq!(refused(Params { version: Version::Linux2631, c: 1.0, ..Params::default() }), Err("c"));
        assert_eq!(refused(Params { version: Version::Linux2622, hystart: true, ..Params::default() }), Err("hystart"));
        assert_eq!(refused(Params { version: Version::Linux2631, hystart: true, ..Params::default() }), Ok(()));
        // (0.400 39/0.200 20)^¼ = 1.189 21; (0.1/0.0001)^¾ = 177.828; Reno-friendly √(3/1.7998·9999) = 129.1.
        let path =
            FluidPath { base_rtt: Duration::from_millis(100), queue_delay: Duration::ZERO, loss: 0.0001, marks: 0.0 };
        let rest =
            Params { version: Version::Linux2622, ..Params::default() }.equilibrium(&path).expect("there is loss");
        near(rest.count(), 211.475, 1e-2);
    }
}
