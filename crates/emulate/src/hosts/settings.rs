//! Settings of the hosts' kernels.

use crate::error::Error;
use crate::sys::write_setting;
use std::io;

/// Settings that flows have for themselves, and the key of each.
const OF_FLOWS: [(&str, &str); 3] =
    [("net.ipv4.tcp_sack", "sack"), ("net.ipv4.tcp_timestamps", "timestamps"), ("net.ipv4.tcp_ecn", "ecn")];

/// Settings of the hosts' kernels beyond those of the scenario, by their names for sysctl(8).
pub(super) struct Settings(Vec<(String, String)>);

impl Settings {
    /// Checks their names.
    pub(super) fn new(settings: Vec<(String, String)>) -> Result<Self, Error> {
        for (name, value) in &settings {
            let given = format!("setting `{name} = {value}`");
            let is_plain = |part: &str| {
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
            };
            if !name.strip_prefix("net.").is_some_and(|rest| rest.split('.').all(is_plain)) {
                let hint = "a name below `net.` is expected, as in net.ipv4.tcp_early_retrans=0";
                return Err(Error::Impossible(format!("{given}: not a setting of a network namespace\nhint: {hint}")));
            }
            if let Some((_, key)) = OF_FLOWS.iter().find(|(of_flows, _)| of_flows == name) {
                return Err(Error::Impossible(format!(
                    "{given}: each flow has its own\nhint: use `{key}` of the flow"
                )));
            }
        }
        Ok(Self(settings))
    }

    /// Writes them in the namespace that this thread is in.
    pub(super) fn write(&self) -> io::Result<()> {
        let path = |name: &str| name.trim_start_matches("net.").replace('.', "/");
        self.0.iter().try_for_each(|(name, value)| write_setting(&path(name), value))
    }

    /// Note on the settings in a result.
    pub(super) fn note(&self) -> Option<String> {
        let written: Vec<String> = self.0.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        (!written.is_empty()).then(|| format!("kernel settings: {}", written.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let settings = |name: &str| Settings::new(vec![(name.to_owned(), "0".to_owned())]);
        let good = settings("net.ipv4.tcp_early_retrans").map(|settings| settings.note());
        assert_eq!(good.ok().flatten().as_deref(), Some("kernel settings: net.ipv4.tcp_early_retrans = 0"));
        for name in ["kernel.panic", "net.", "net..", "net.ipv4/../../kernel/panic", "net", "net.ipv4.", ""] {
            let error = settings(name).err().expect(name).to_string();
            assert!(error.starts_with(&format!("setting `{name} = 0`: not a setting")), "{error}");
        }
        let error = settings("net.ipv4.tcp_sack").err().expect("flows have it").to_string();
        assert!(error.ends_with("hint: use `sack` of the flow"), "{error}");
    }
}
