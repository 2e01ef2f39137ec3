//! The request for a download, and its observer.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use windward_laws::emultcp::Params;

use super::checksum::Checksum;
use super::options::Options;
use super::request::Requests;
use super::retry::Retry;
use super::{Event, name};
use crate::error::Error;
use crate::http::{Address, Dialer, Proxies, confidential};
use crate::seconds::seconds;

/// Interval between calls of the observer.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// Receives every event, and may stop the download.
pub(super) type Observer<'a> = dyn FnMut(&Event) -> ControlFlow<()> + 'a;

/// Reason why a run ended without a file.
pub(super) struct End {
    pub error: Error,
    /// True if only another run from the beginning may succeed.
    pub can_start_again: bool,
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self { error, can_start_again: false }
    }
}

/// State that is constant over all runs.
pub(super) struct Job<'a> {
    pub options: &'a Options,
    pub url: Address,
    pub law: Params,
    fields: Vec<(String, String)>,
    proxies: Proxies,
    pub checksum: Option<Checksum>,
    connect_timeout: Duration,
    stall_timeout: Duration,
    pub retry: Retry,
}

pub(super) fn tell(observer: &mut Observer<'_>, event: &Event) -> Result<(), Error> {
    match observer(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}

pub(super) fn notice(observer: &mut Observer<'_>, text: String) -> Result<(), Error> {
    tell(observer, &Event::Notice { text })
}

impl<'a> Job<'a> {
    pub fn new(address: &str, options: &'a Options) -> Result<Self, Error> {
        let url = Address::parse(address).map_err(Error::Usage)?;
        if options.connections == Some(0) || options.max_tries == 0 || options.limit_rate == Some(0) {
            return Err(Error::Usage(
                "the number of connections, the number of tries and the rate limit must be at least 1".to_owned(),
            ));
        }
        let fields = options.fields()?;
        let has_secret = url.credentials().is_some_and(|own| own.has_password())
            || fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        if has_secret && !options.insecure {
            confidential(&url).map_err(Error::Usage)?;
        }
        Ok(Self {
            options,
            url,
            law: options.params()?,
            fields,
            proxies: Proxies::from_environment(|name| std::env::var(name).ok())?,
            checksum: options.digest()?,
            connect_timeout: seconds("connect_timeout_s", options.connect_timeout_s)?,
            stall_timeout: seconds("stall_timeout_s", options.stall_timeout_s)?,
            retry: Retry { tries: options.max_tries, wait: seconds("retry_wait_s", options.retry_wait_s)? },
        })
    }

    pub fn requests(&self) -> Requests {
        let (connect, stall) = (self.connect_timeout, self.stall_timeout);
        let dialer = Dialer::new(self.proxies.clone(), self.options.ca.clone(), connect, stall);
        let dialer = dialer.in_zone(self.url.url(), self.url.zone());
        Requests::new(dialer, self.url.clone(), self.fields.clone(), self.options.insecure)
    }

    /// Path of the file; `disposition` is the server's `Content-Disposition`.
    pub fn target(&self, disposition: Option<&str>) -> PathBuf {
        let named = || self.in_directory(Path::new(&name::name(self.url.url(), disposition)));
        self.known_target().unwrap_or_else(named)
    }

    /// Path of the file, if it does not depend on the server.
    pub fn known_target(&self) -> Option<PathBuf> {
        self.options.output.as_deref().map(|output| self.in_directory(output))
    }

    fn in_directory(&self, file: &Path) -> PathBuf {
        self.options.directory.as_ref().map_or_else(|| file.to_owned(), |directory| directory.join(file))
    }
}
