//! Settings that a script makes before it begins, as far as the simulator has them.

use std::path::Path;
use windward_laws::{AnyLaw, LawSpec};
use windward_sim::{EcnMode, IdleRestart, TcpOptions};
use windward_units::Packets;

/// Settings that change nothing of what the simulator has, whatever their value: buffers, the repetition of SYNs
/// (handshakes are taken as they stand), TCP Fast Open, what the receiver's window and the two ends' options begin with
/// (the handshake's lines say that), and how many segments leave in one piece (the player joins and cuts them).
const WITHOUT_EFFECT: [&str; 23] = [
    "tcp_rmem",
    "tcp_wmem",
    "tcp_syn_retries",
    "tcp_synack_retries",
    "tcp_timestamps",
    "tcp_sack",
    "tcp_fack",
    "tcp_ecn",
    "tcp_ecn_option",
    "tcp_ecn_option_beacon",
    "tcp_ecn_fallback",
    "tcp_invalid_ratelimit",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_notsent_lowat",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_syncookies",
    "tcp_no_metrics_save",
    "tcp_rto_min_us",
    "tcp_fin_timeout",
    "tcp_fwmark_accept",
    "ip_local_port_range",
];

/// Settings of which the simulator has one value.
const WITH_ONE_VALUE: [(&str, &[&str]); 7] = [
    ("tcp_frto", &["1", "2"]),
    ("tcp_dsack", &["1"]),
    ("tcp_reordering", &["3"]),
    ("tcp_recovery", &["1"]),
    ("tcp_pacing_ss_ratio", &["200"]),
    ("tcp_pacing_ca_ratio", &["120"]),
    ("tcp_rto_max_ms", &["120000"]),
];

/// Settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The law, in Linux's words.
    pub law: String,
    /// HyStart ends CUBIC's slow start.
    pub has_hystart: bool,
    /// A script without tail loss probes; the simulator always has them.
    pub has_probes: bool,
    /// The host's queue paces; the simulator has none.
    pub is_paced: bool,
    /// The window is reduced after a pause.
    pub has_idle_restart: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { law: "cubic".into(), has_hystart: true, has_probes: true, is_paced: false, has_idle_restart: true }
    }
}

impl Settings {
    /// Reads the settings that `commands` of a script in `folder` make; an error names the first that the simulator
    /// cannot follow, with its reason.
    pub fn read(commands: &[String], folder: &Path) -> Result<Self, String> {
        let mut settings = Self::default();
        settings.read_on(commands, folder)?;
        Ok(settings)
    }

    /// Adds the settings that more `commands` make.
    pub fn read_on(&mut self, commands: &[String], folder: &Path) -> Result<(), String> {
        commands.iter().flat_map(|line| line.split("; ")).try_for_each(|command| self.run(command, folder))
    }

    fn run(&mut self, command: &str, folder: &Path) -> Result<(), String> {
        let command = [" > /dev/null", " #"].iter().fold(command, |text, end| text.split(end).next().unwrap_or(text));
        let words: Vec<&str> = command.split_whitespace().filter(|word| *word != "2>&1").collect();
        match words[..] {
            // Segments leave one by one in any case.
            [] | ["ip", "tcp_metrics", "flush", "all"] | ["ethtool", "-K", ..] => Ok(()),
            [first, ..] if first.starts_with('#') || first.contains("sysctl_restore") => Ok(()),
            ["sysctl", ref rest @ ..] => self.set_all(rest.join(" ").as_str()),
            [script, ref rest @ ..] if script.ends_with("set_sysctls.py") => self.set_all(&rest.join(" ")),
            [script] if script.ends_with(".sh") => self.run_file(&folder.join(script)),
            ["tc", "qdisc", _, "dev", _, "root", "pfifo"] => {
                self.is_paced = false;
                Ok(())
            }
            ["tc", "qdisc", _, "dev", _, "root", "fq"] => {
                self.is_paced = true;
                Ok(())
            }
            ["echo", value, ">", path] if path.starts_with("/sys/module/tcp_cubic/parameters/hystart") => {
                // Bit 0: trains of ACKs; bit 1: delay.
                match (path.ends_with("hystart_detect"), value) {
                    (true, "3") | (false, "1") => self.has_hystart = true,
                    (false, "0") => self.has_hystart = false,
                    _ => return Err(format!("HyStart by one of its two signs (`{command}`)")),
                }
                Ok(())
            }
            _ => Err(format!("the command `{command}`")),
        }
    }

    /// A file of commands beside the script.
    fn run_file(&mut self, path: &Path) -> Result<(), String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        text.replace("\\\n", " ").lines().map(str::trim).try_for_each(|line| self.run(line, folder))
    }

    /// `a=1 b="2 3"`, with options before.
    fn set_all(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, value) = rest.split_once('=').ok_or_else(|| format!("the setting `{rest}`"))?;
            let name = name.trim_start_matches("-q ").trim_start_matches("-e ").trim_start_matches("-q ");
            let end = match value.strip_prefix('"') {
                Some(quoted) => quoted.find('"').map_or(value.len(), |end| end + 2),
                None => value.find(' ').unwrap_or(value.len()),
            };
            self.set(name.trim(), value[..end].trim_matches('"'))?;
            rest = value[end..].trim_start();
        }
        Ok(())
    }

    fn set(&mut self, path: &str, value: &str) -> Result<(), String> {
        let name = path.rsplit(['.', '/']).next().unwrap_or(path);
        if WITHOUT_EFFECT.contains(&name) {
            return Ok(());
        }
        match (name, value) {
            ("tcp_congestion_control", law) => self.law = law.to_owned(),
            ("tcp_slow_start_after_idle", "0") => self.has_idle_restart = false,
            ("tcp_slow_start_after_idle", "1") => self.has_idle_restart = true,
            ("tcp_early_retrans", "3" | "4") => self.has_probes = true,
            ("tcp_early_retrans", "0") => self.has_probes = false,
            _ => {
                let is_one = WITH_ONE_VALUE.iter().any(|(one, values)| *one == name && values.contains(&value));
                return if is_one { Ok(()) } else { Err(format!("the setting {name} = {value}")) };
            }
        }
        Ok(())
    }

    /// The law.
    pub fn build(&self, initial: Packets) -> Result<AnyLaw, String> {
        let parameters = match self.law.as_str() {
            "cubic" => serde_json::json!({"version": CUBIC, "hystart": self.has_hystart}),
            _ => serde_json::json!({}),
        };
        let spec = LawSpec::from_json(&self.law, parameters).map_err(|_| format!("the law {}", self.law))?;
        Ok(spec.build(initial))
    }

    /// TCP as with `stack = "linux"` in a scenario.
    pub fn tcp(&self, sack: bool, timestamps: bool, ecn: EcnMode) -> TcpOptions {
        let linux = TcpOptions::linux(sack);
        let idle_restart = if self.has_idle_restart { linux.idle_restart } else { IdleRestart::Off };
        TcpOptions { timestamps, ecn, idle_restart, ..linux }
    }
}

/// CUBIC as Linux has it.
const CUBIC: &str = "linux";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(commands: &[&str]) -> Result<Settings, String> {
        Settings::read(&commands.iter().map(|&command| command.to_owned()).collect::<Vec<_>>(), Path::new("nowhere"))
    }

    #[test]
    fn settings_are_followed_or_refused() {
        let settings = read(&[
            "sysctl -q net.ipv4.tcp_rmem=\"4096 540000 15\" net.ipv4.tcp_early_retrans=0",
            "sysctl -e -q net/ipv4/tcp_congestion_control=reno # a note",
            "tc qdisc replace dev tun0 root fq",
        ]);
        assert_eq!(
            settings,
            Ok(Settings { law: "reno".into(), has_probes: false, is_paced: true, ..Settings::default() })
        );
        for (command, reason) in [
            ("sysctl -q net.ipv4.tcp_recovery=0", "the setting tcp_recovery = 0"),
            (
                "tc qdisc replace dev tun0 root pfifo limit 0",
                "the command `tc qdisc replace dev tun0 root pfifo limit 0`",
            ),
            ("./nothing.sh", "nowhere/./nothing.sh: No such file or directory (os error 2)"),
        ] {
            assert_eq!(read(&[command]), Err(reason.into()));
        }
        assert!(Settings::default().build(Packets::new(10.0)).is_ok());
        assert_eq!(
            Settings { law: "cdg".into(), ..Settings::default() }.build(Packets::new(10.0)).map(|_| ()),
            Err("the law cdg".into())
        );
    }
}
