//! Errors of the loader.

use std::io;

/// Why a kernel law cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller may not load programs.
    #[error("loading laws into the kernel needs root\n  hint: run it with sudo")]
    NotRoot,
    /// No description of the kernel's own types.
    #[error(
        "the kernel has no type information (BTF): {0} is missing\n  hint: laws need a kernel built with CONFIG_DEBUG_INFO_BTF=y, as those of large distributions are"
    )]
    NoBtf(String),
    /// The kernel lacks something that the loader stands on.
    #[error("this kernel is too old: {0}\n  hint: laws need Linux 6.4 or newer")]
    TooOld(String),
    /// The law was not compiled when Windward was built.
    #[error(
        "{law} was left out when Windward was built: {why}\n  hint: install clang 14 or newer, or `pip install ziglang`, and build again"
    )]
    LeftOut {
        /// The law.
        law: &'static str,
        /// Reason given by the build.
        why: &'static str,
    },
    /// No law of this name.
    #[error("unknown kernel law {given}\n  hint: {allowed}")]
    UnknownLaw {
        /// Requested name.
        given: String,
        /// The laws there are.
        allowed: String,
    },
    /// A parameter is unknown or out of range.
    #[error("{law}: {parameter}: {why}")]
    Parameter {
        /// The law.
        law: &'static str,
        /// The parameter as given.
        parameter: String,
        /// Reason, and allowed values.
        why: String,
    },
    /// The name to register under cannot be one.
    #[error("{0:?} is not a valid name of a law\n  hint: use 1 to 15 letters, digits, '_' and '.'")]
    Name(String),
    /// The name is in use.
    #[error("the kernel already has a law named {name}, {whose}\n  hint: {hint}")]
    NameTaken {
        /// The name.
        name: String,
        /// Owner of the loaded law.
        whose: &'static str,
        /// Hint for the user.
        hint: String,
    },
    /// Nothing of ours is loaded under this name.
    #[error("no Windward law is loaded as {name}\n  hint: {loaded}")]
    NotLoaded {
        /// The name.
        name: String,
        /// Laws that are loaded.
        loaded: String,
    },
    /// Connections still use the law.
    #[error(
        "{name} is in use by {connections} connection(s)\n  hint: close them, or --even-if-used: they keep the law until they close"
    )]
    InUse {
        /// The name.
        name: String,
        /// Number of connections.
        connections: usize,
    },
    /// New connections get the law where they choose none.
    #[error(
        "{name} is the default of new connections (net.ipv4.tcp_congestion_control), which keeps it loaded\n  hint: choose another default first: sysctl -w net.ipv4.tcp_congestion_control={other}"
    )]
    Default {
        /// The name.
        name: String,
        /// A law that could be the default.
        other: String,
    },
    /// The kernel refused a program.
    #[error("the kernel refused {law}'s {function}: {source}\n{log}")]
    Refused {
        /// The law.
        law: &'static str,
        /// The operation.
        function: String,
        /// The verifier's last words.
        log: String,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The compiled object is not as expected; a bug.
    #[error("the compiled law is invalid: {0}")]
    Object(String),
    /// Anything else that the system says.
    #[error("{what}: {source}")]
    System {
        /// Attempted operation.
        what: String,
        /// The system's answer.
        source: io::Error,
    },
}

impl Error {
    /// `what` failed with the system's last error.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}
