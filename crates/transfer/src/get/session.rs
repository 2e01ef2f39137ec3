//! The steps of a download, from address to file.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Instant;
use std::{fs, thread};

use super::contact::{self, Contact, Kind, Lack, News};
use super::job::{End, Job, Observer, TICK, notice, tell};
use super::journal::Identity;
use super::options::Options;
use super::pace::Pace;
use super::part::{self, Arriving, Found, Part, is_free};
use super::plan::Plan;
use super::request::Requests;
use super::state::{FIRST_LEASE, State};
use super::supervisor::Supervisor;
use super::worker::First;
use super::workers::Workers;
use super::{Event, Report};
use crate::common::Monitor;
use crate::error::Error;

/// Downloads the file at `address`. `observer` receives every event, several times a second, on the caller's thread. If
/// it breaks, the download stops and can be resumed later.
///
/// # Errors
/// Reason why there is no file; [`Error::code`] distinguishes the kinds. Received bytes stay beside the target.
pub fn get(
    address: &str,
    options: &Options,
    observer: &mut dyn FnMut(&Event) -> ControlFlow<()>,
) -> Result<Report, Error> {
    let job = Job::new(address, options)?;
    if let Some(report) = job.settle(&job.target(None), observer)? {
        return Ok(report);
    }
    let mut restarts = 0;
    loop {
        match job.run(observer) {
            Err(End { error: Error::Changed(reason), .. }) if restarts == 0 => {
                restarts += 1;
                notice(observer, format!("the file changed on the server ({reason}); restarting"))?;
            }
            Err(End { error, can_start_again: true }) if restarts + 1 < options.max_tries => {
                restarts += 1;
                let wait = job.retry.after(restarts, None).unwrap_or_default();
                let seconds = wait.as_secs_f64();
                notice(
                    observer,
                    format!("{error}; restarting in {seconds:.0} s (the server does not support ranges)"),
                )?;
                let until = Instant::now() + wait;
                while Instant::now() < until {
                    thread::sleep(TICK);
                    tell(observer, &Event::Tick)?;
                }
            }
            Err(End { error: Error::Changed(reason), .. }) => {
                return Err(Error::Changed(format!(
                    "the file changed on the server during the download: {reason}\nhint: mirrors behind one name that \
                     disagree look the same; -n 1 uses a single connection"
                )));
            }
            Err(End { error, .. }) => return Err(error),
            Ok(report) => return Ok(report),
        }
    }
}

impl Job<'_> {
    fn run(&self, observer: &mut Observer<'_>) -> Result<Report, End> {
        if let Some(target) = self.known_target().filter(|_| !self.options.replace && !self.options.resume) {
            is_free(&target)?;
        }
        // If an earlier run has left a part, its first bytes are most likely received: one byte is enough to learn the
        // version.
        let first = if part::is_begun(&self.target(None)) { 1 } else { FIRST_LEASE };
        let requests = Arc::new(self.requests());
        let contact = self.contact(&requests, first, observer)?;
        let target = self.target(contact.disposition.as_deref());
        let length = contact.kind.length();
        if self.is_there(&target, length, observer)? {
            return Ok(self.complete(target, length.unwrap_or_default()));
        }
        if target != self.target(None)
            && let Some(report) = self.settle(&target, observer)?
        {
            return Ok(report);
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::file(&folder.display().to_string(), &error))?;
        }
        self.fetch(requests, contact, &target, observer)
    }

    /// Completes a part whose checksum matches, whatever the server would answer now. With another checksum the part is
    /// kept for the server's response, unless the download is forced.
    fn settle(&self, target: &Path, observer: &mut Observer<'_>) -> Result<Option<Report>, Error> {
        let Some(checksum) = &self.checksum else { return Ok(None) };
        if !self.options.replace && fs::symlink_metadata(target).is_ok() {
            return Ok(None);
        }
        let Some((part, length)) = Part::whole(target)? else { return Ok(None) };
        let mut goes_on = || tell(observer, &Event::Tick).is_ok();
        match part.finish(length, Some(checksum), self.options.replace, &mut goes_on) {
            Ok(()) => Ok(Some(self.complete(target.to_owned(), length))),
            Err(Error::Checksum { .. }) => {
                if self.options.replace {
                    part.discard();
                    notice(observer, "the partial file has another checksum; discarding it".to_owned())?;
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Report of a file that was already there.
    fn complete(&self, path: PathBuf, length_bytes: u64) -> Report {
        Report {
            path,
            length_bytes,
            there_bytes: length_bytes,
            duration_s: 0.0,
            rate_bps: 0.0,
            series: super::Series::default(),
            retries: 0,
            has_known_length: true,
            has_known_end: true,
            single: None,
            is_checked: self.checksum.is_some(),
        }
    }

    /// True if an existing target may be taken for the file.
    fn is_there(&self, target: &Path, length: Option<u64>, observer: &mut Observer<'_>) -> Result<bool, Error> {
        if self.options.replace {
            return Ok(false);
        }
        let is_same = |about: &fs::Metadata| self.options.resume && about.is_file() && Some(about.len()) == length;
        if fs::symlink_metadata(target).is_ok_and(|about| is_same(&about)) {
            if let Some(checksum) = &self.checksum {
                let failure = |error| Error::file(&target.display().to_string(), &error);
                let mut file = fs::File::open(target).map_err(failure)?;
                checksum.check(&mut file, || tell(observer, &Event::Tick).is_ok())?;
            }
            return Ok(true);
        }
        is_free(target).map(|()| false)
    }

    /// Waits for the first response, which a separate thread requests: a slow name lookup does not block the observer.
    fn contact(&self, requests: &Arc<Requests>, first: u64, observer: &mut Observer<'_>) -> Result<Contact, Error> {
        let (sender, news) = mpsc::channel();
        let (requests, url, retry) = (Arc::clone(requests), self.url.clone(), self.retry);
        let needs_validator = self.checksum.is_none();
        thread::Builder::new()
            .name("contact".to_owned())
            .spawn(move || contact::contact(&requests, &url, first, needs_validator, retry, &sender))
            .map_err(|error| Error::File(format!("cannot start a thread: {error}")))?;
        loop {
            match news.recv_timeout(TICK) {
                Ok(News::Notice(text)) => notice(observer, text)?,
                Ok(News::End(end)) => return *end,
                Err(RecvTimeoutError::Timeout) => tell(observer, &Event::Tick)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::File("the thread that contacts the server panicked".to_owned()));
                }
            }
        }
    }

    fn fetch(
        &self,
        requests: Arc<Requests>,
        contact: Contact,
        target: &Path,
        observer: &mut Observer<'_>,
    ) -> Result<Report, End> {
        let length = contact.kind.length();
        // Without a validator, only a checksum of the whole could detect mixed versions.
        let can_mix = contact.validator.is_none() && self.checksum.is_none();
        let has_ranges = matches!(contact.kind, Kind::Part { .. }) && !can_mix;
        let has_known_end = length.is_some() || contact.has_end;
        let lack = contact.lack;
        let (part, plan) = self.open(&contact, target, has_ranges, observer)?;
        let there_bytes = length.map_or(0, |length| length - plan.left());
        let path = target.to_owned();
        tell(observer, &Event::Begin { path, length_bytes: length, there_bytes, has_ranges })?;
        let (workers, first) = self.workers(requests, contact, part, plan, has_ranges);
        let begun = Instant::now();
        let mut supervisor = Supervisor::new(self, Arc::clone(&workers), there_bytes, begun);
        let result = supervisor.run(first, observer);
        let (retries, received, ended) = {
            let state = workers.lock();
            (state.retries, state.received, state.ended)
        };
        let duration_s = begun.elapsed().as_secs_f64();
        workers.end();
        supervisor.last_words()?;
        let length_bytes = length.or(ended).unwrap_or_default();
        let finished = result.and_then(|()| {
            let mut goes_on = || tell(observer, &Event::Tick).is_ok();
            Ok(workers.part.finish(length_bytes, self.checksum.as_ref(), self.options.replace, &mut goes_on)?)
        });
        // Threads that are still opening a connection keep the workers alive, and with them the part's lock. They do
        // not write any more.
        workers.part.unlock();
        finished?;
        Ok(Report {
            path: target.to_owned(),
            length_bytes,
            there_bytes,
            duration_s,
            rate_bps: received as f64 * 8.0 / duration_s.max(1e-3),
            series: supervisor.meter.series,
            retries,
            has_known_length: length.is_some(),
            has_known_end,
            // A file that fits into one request needs no parts.
            single: lack.filter(|_| length_bytes > FIRST_LEASE).map(Lack::text),
            is_checked: self.checksum.is_some(),
        })
    }

    /// Opens the part of `target`, and plans the missing bytes.
    fn open(
        &self,
        contact: &Contact,
        target: &Path,
        has_ranges: bool,
        observer: &mut Observer<'_>,
    ) -> Result<(Part, Plan), Error> {
        let length = contact.kind.length();
        let identity = Identity {
            resource: format!("{}://{}{}", self.url.url().scheme(), self.url.host(), self.url.url().path()),
            length,
            validator: contact.validator.clone(),
            coding: contact.coding.clone(),
            media: contact.media.clone(),
        };
        let arriving = Arriving {
            identity: &identity,
            status: if has_ranges { 206 } else { 200 },
            has_ranges,
            is_forced: self.options.replace,
        };
        let (part, found) = Part::open(target, arriving, &mut || tell(observer, &Event::Tick).is_ok())?;
        let (there, text) = match found {
            Found::There(there) => (there, ""),
            Found::Nothing => (Vec::new(), ""),
            Found::Useless => (Vec::new(), "the partial file cannot be resumed; discarding it"),
            Found::Older => (Vec::new(), "the partial file is of another version; discarding it"),
            Found::Again => (Vec::new(), "the server does not support ranges any more; downloading the whole file"),
            Found::Kept => {
                (Vec::new(), "the partial file is of another version; it is replaced once this one is whole")
            }
        };
        if !text.is_empty() {
            notice(observer, text.to_owned())?;
        }
        if let Some(coding) = contact.coding.as_deref().filter(|_| !is_packed(target)) {
            notice(observer, format!("the content is encoded (Content-Encoding: {coding}); it is saved as it is"))?;
        }
        Ok((part, Plan::new(length.unwrap_or(u64::MAX), &there)))
    }

    /// State shared by the connections, and the response that has begun, if its bytes are still missing.
    fn workers(
        &self,
        requests: Arc<Requests>,
        contact: Contact,
        part: Part,
        mut plan: Plan,
        has_ranges: bool,
    ) -> (Arc<Workers>, Option<First>) {
        let Contact { url, connection, body, kind, validator, coding, is_last, .. } = contact;
        let first_end = match kind {
            Kind::Part { end, .. } => end,
            Kind::Whole { length } => length.unwrap_or(u64::MAX),
        };
        let first = plan.lease_exactly(1, 0, first_end);
        let first = first.map(|grant| First { connection, body, grant, is_last: is_last || !has_ranges });
        let now = Instant::now();
        let workers = Workers {
            requests,
            part,
            has_ranges,
            length: kind.length(),
            validator: validator.filter(|_| has_ranges),
            coding,
            pace: self.options.limit_rate.map(|rate| Pace::new(rate, now)),
            retry: self.retry,
            state: Monitor::new(State::new(plan, url, now)),
        };
        (Arc::new(workers), first)
    }
}

/// Returns whether the name's extension already indicates an encoding.
fn is_packed(target: &Path) -> bool {
    const PACKED: [&str; 10] = ["gz", "tgz", "svgz", "z", "bz2", "xz", "br", "zst", "zip", "lz4"];
    target.extension().is_some_and(|end| PACKED.iter().any(|packed| end.eq_ignore_ascii_case(packed)))
}
