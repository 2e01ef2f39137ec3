//! A download from its address to its file: the steps in order, and the number of connections over time.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use url::{Position, Url};
use windward_laws::emultcp::{Controller, Params};

use super::checksum::Checksum;
use super::contact::{self, Contact, Kind, News};
use super::crew::{Crew, FIRST_LEASE};
use super::error::Error;
use super::gauge::Gauge;
use super::journal::Identity;
use super::memory;
use super::name;
use super::options::Options;
use super::pace::Pace;
use super::part::{Found, Part, is_free};
use super::plan::Plan;
use super::request::Requests;
use super::retry::Retry;
use super::worker::{self, First};
use super::{Event, Report};
use crate::http::{Dialer, Proxies};

/// Time between looks at what happened.
const TICK: Duration = Duration::from_millis(100);
/// Time between samples for the user.
const SAMPLE: Duration = Duration::from_millis(250);
/// Time between writes to the disk of what arrived.
const SYNC: Duration = Duration::from_secs(1);
/// Patience with a connection that is silent while others have nothing left to do; doubled each time.
const TAIL: Duration = Duration::from_secs(1);
/// How long connections may take to note what they have when the download is stopped.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// Told of every event; may wish to stop.
type Observer<'a> = dyn FnMut(&Event) -> ControlFlow<()> + 'a;

/// Downloads the file at `address`. `observer` hears of every event, several times a second, on the caller's thread;
/// if it breaks, the download stops and can be gone on with later.
///
/// # Errors
/// Why the file is not there; [`Error::code`] tells the kinds apart. What has arrived stays beside the target.
pub fn get(
    address: &str,
    options: &Options,
    observer: &mut dyn FnMut(&Event) -> ControlFlow<()>,
) -> Result<Report, Error> {
    let job = Job::new(address, options)?;
    let mut restarts = 0;
    loop {
        match job.run(observer) {
            Err(End { error: Error::Changed(reason), .. }) if restarts == 0 => {
                restarts += 1;
                notice(observer, format!("the file changed on the server ({reason}); starting again"))?;
            }
            Err(End { error, can_start_again: true }) if restarts + 1 < options.max_tries => {
                restarts += 1;
                let wait = job.retry.after(restarts, None).unwrap_or_default();
                let seconds = wait.as_secs_f64();
                notice(observer, format!("{error}; starting again in {seconds:.0} s, for the server gives no parts"))?;
                let until = Instant::now() + wait;
                while Instant::now() < until {
                    thread::sleep(TICK);
                    tell(observer, &Event::Tick)?;
                }
            }
            Err(End { error, .. }) => return Err(error),
            Ok(report) => return Ok(report),
        }
    }
}

/// Why a run ended without a file.
struct End {
    error: Error,
    /// Whether another run from the beginning may do better, and nothing else can.
    can_start_again: bool,
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self { error, can_start_again: false }
    }
}

/// What stays the same over all runs.
struct Job<'a> {
    options: &'a Options,
    url: Url,
    law: Params,
    fields: Vec<(String, String)>,
    proxies: Proxies,
    checksum: Option<Checksum>,
    connect_timeout: Duration,
    stall_timeout: Duration,
    retry: Retry,
}

fn tell(observer: &mut Observer<'_>, event: &Event) -> Result<(), Error> {
    match observer(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}

fn notice(observer: &mut Observer<'_>, text: String) -> Result<(), Error> {
    tell(observer, &Event::Notice { text })
}

impl<'a> Job<'a> {
    fn new(address: &str, options: &'a Options) -> Result<Self, Error> {
        let text = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
        let url = Url::parse(&text).map_err(|error| Error::Usage(format!("{address}: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(Error::Usage(format!("{address}: only http:// and https:// addresses can be fetched")));
        }
        if options.connections == Some(0) || options.max_tries == 0 || options.limit_rate == Some(0) {
            return Err(Error::Usage("connections, tries and a limited rate are at least 1".to_owned()));
        }
        Ok(Self {
            options,
            url,
            law: options.params()?,
            fields: options.fields()?,
            proxies: Proxies::from_environment(|name| std::env::var(name).ok())?,
            checksum: options.digest()?,
            connect_timeout: Options::seconds("connect-timeout", options.connect_timeout)?,
            stall_timeout: Options::seconds("stall-timeout", options.stall_timeout)?,
            retry: Retry { tries: options.max_tries, wait: Options::seconds("retry-wait", options.retry_wait)? },
        })
    }

    fn requests(&self) -> Requests {
        let (connect, stall) = (self.connect_timeout, self.stall_timeout);
        let dialer = Dialer::new(self.proxies.clone(), self.options.ca.clone(), connect, stall);
        Requests::new(dialer, self.url.clone(), self.fields.clone())
    }

    /// Where the file goes, if the server is not asked for its name.
    fn known_target(&self) -> Option<PathBuf> {
        self.options.output.as_ref().map(|output| self.options.directory.join(output))
    }

    fn run(&self, observer: &mut Observer<'_>) -> Result<Report, End> {
        if let Some(target) = self.known_target().filter(|_| !self.options.is_forced && !self.options.is_continued) {
            is_free(&target)?;
        }
        let contact = self.contact(observer)?;
        let target = self
            .known_target()
            .unwrap_or_else(|| self.options.directory.join(name::name(&self.url, contact.disposition.as_deref())));
        let length = match contact.kind {
            Kind::Part { length, .. } => Some(length),
            Kind::Whole { length } => length,
        };
        if self.is_there(&target, length, observer)? {
            let length_bytes = length.unwrap_or_default();
            return Ok(Report {
                path: target,
                length_bytes,
                there_bytes: length_bytes,
                duration_s: 0.0,
                rate_bps: 0.0,
                series: super::Series::default(),
                retries: 0,
                has_known_length: true,
                is_checked: self.checksum.is_some(),
            });
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::file(&folder.display().to_string(), &error))?;
        }
        self.fetch(contact, &target, length, observer)
    }

    /// Whether a target that is there may be taken for the file.
    fn is_there(&self, target: &Path, length: Option<u64>, observer: &mut Observer<'_>) -> Result<bool, Error> {
        if self.options.is_forced {
            return Ok(false);
        }
        let is_same =
            |about: &fs::Metadata| self.options.is_continued && about.is_file() && Some(about.len()) == length;
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

    /// Waits for the first answer, which a thread of its own asks for: no lookup of a name holds up the observer.
    fn contact(&self, observer: &mut Observer<'_>) -> Result<Contact, Error> {
        let (sender, news) = mpsc::channel();
        let (requests, url, retry) = (self.requests(), self.url.clone(), self.retry);
        let needs_validator = self.checksum.is_none();
        thread::Builder::new()
            .name("contact".to_owned())
            .spawn(move || contact::contact(&requests, &url, FIRST_LEASE, needs_validator, retry, &sender))
            .map_err(|error| Error::File(format!("no thread can be started: {error}")))?;
        loop {
            match news.recv_timeout(TICK) {
                Ok(News::Notice(text)) => notice(observer, text)?,
                Ok(News::End(end)) => return *end,
                Err(RecvTimeoutError::Timeout) => tell(observer, &Event::Tick)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::File("the thread that asks the server died".to_owned()));
                }
            }
        }
    }

    fn fetch(
        &self,
        contact: Contact,
        target: &Path,
        length: Option<u64>,
        observer: &mut Observer<'_>,
    ) -> Result<Report, End> {
        // Without a validator parts of two versions could only be told apart by a checksum of the whole.
        let can_mix = contact.validator.is_none() && self.checksum.is_none();
        let has_ranges = matches!(contact.kind, Kind::Part { .. }) && !can_mix;
        let identity = Identity {
            resource: format!("{}://{}{}", self.url.scheme(), host(&self.url), self.url.path()),
            length,
            validator: contact.validator.clone().filter(|_| has_ranges),
        };
        let mut goes_on = || tell(observer, &Event::Tick).is_ok();
        let (part, found) = Part::open(target, &identity, &mut goes_on)?;
        let there = match found {
            Found::Nothing => Vec::new(),
            Found::Other => {
                notice(observer, "what was there is of another version; it is thrown away".to_owned())?;
                Vec::new()
            }
            Found::There(there) => there,
        };
        let mut plan = Plan::new(length.unwrap_or(u64::MAX), &there);
        let there_bytes = length.map_or(0, |length| length - plan.left());
        let path = target.to_owned();
        tell(observer, &Event::Begin { path, length_bytes: length, there_bytes, has_ranges })?;
        let first_end = match contact.kind {
            Kind::Part { end, .. } => end,
            Kind::Whole { length } => length.unwrap_or(u64::MAX),
        };
        let first = plan.lease_exactly(1, 0, first_end).map(|grant| First {
            connection: contact.connection,
            body: contact.body,
            grant,
            is_last: contact.is_last || !has_ranges,
        });
        let now = Instant::now();
        let pace = self.options.limit_rate.map(|rate| Pace::new(rate, now));
        let version = (length, identity.validator);
        let crew =
            Arc::new(Crew::new(self.requests(), part, plan, contact.url, has_ranges, version, (pace, self.retry)));
        let mut shift = Shift::new(self, Arc::clone(&crew), there_bytes, now);
        let result = shift.run(first, observer);
        let retries = crew.lock().retries;
        let received = crew.lock().received;
        let ended = crew.lock().ended;
        let duration_s = now.elapsed().as_secs_f64();
        crew.end();
        shift.last_words()?;
        result?;
        let length_bytes = length.or(ended).unwrap_or_default();
        let mut goes_on = || tell(observer, &Event::Tick).is_ok();
        crew.part.finish(length_bytes, self.checksum.as_ref(), self.options.is_forced, &mut goes_on)?;
        Ok(Report {
            path: target.to_owned(),
            length_bytes,
            there_bytes,
            duration_s,
            rate_bps: received as f64 * 8.0 / duration_s.max(1e-3),
            series: shift.gauge.series,
            retries,
            has_known_length: length.is_some(),
            is_checked: self.checksum.is_some(),
        })
    }
}

/// The time in which connections work.
struct Shift<'a> {
    job: &'a Job<'a>,
    crew: Arc<Crew>,
    there: u64,
    controller: Controller,
    gauge: Gauge,
    /// How often a silent connection was given up because others had nothing left to do.
    impatience: u32,
    syncer: Syncer,
}

impl<'a> Shift<'a> {
    fn new(job: &'a Job<'a>, crew: Arc<Crew>, there: u64, now: Instant) -> Self {
        let (is_proxied, host) = {
            let state = crew.lock();
            (crew.requests.dialer.proxy(&state.url).is_some(), host(&state.url))
        };
        let controller = Controller::new(job.law, memory::recall(&host));
        let syncer = Syncer::start(&crew);
        let gauge = Gauge::new(now, is_proxied);
        Self { job, crew, there, controller, gauge, impatience: 0, syncer }
    }

    /// Until all is there.
    fn run(&mut self, first: Option<First>, observer: &mut Observer<'_>) -> Result<(), End> {
        if first.is_some() {
            worker::start(&self.crew, first);
        }
        self.staff(self.controller.wanted(), Instant::now());
        let period = Duration::from_secs_f64(self.controller.period()).min(TICK);
        let (mut sampled, mut shown) = (Instant::now(), Instant::now());
        loop {
            let now = Instant::now();
            let (notices, is_done) = {
                let mut state = self.crew.lock();
                if let Some(error) = state.error.take() {
                    let can_start_again = !self.crew.has_ranges && is_passing(&error);
                    return Err(End { error, can_start_again });
                }
                state.forgive(now);
                (std::mem::take(&mut state.notices), state.plan.left() == 0 && !state.plan.is_leased())
            };
            for text in notices {
                notice(observer, text)?;
            }
            if is_done {
                self.remember();
                return Ok(());
            }
            if now.saturating_duration_since(sampled) >= period {
                sampled = now;
                self.control(now);
            }
            if now.saturating_duration_since(shown) >= SAMPLE {
                shown = now;
                tell(observer, &Event::Sample(self.gauge.snapshot(&self.crew, self.there, &self.controller)))?;
            }
            self.crew.wait(period);
        }
    }

    /// Brings the number of connections to what the controller wants.
    fn control(&mut self, now: Instant) {
        let sample = self.gauge.read(&self.crew, now, self.controller.params().settle);
        let law = self.controller.update(sample);
        // More connections do not make a limited rate more.
        let is_limited = self.crew.pace.as_ref().is_some_and(|pace| sample.rate >= 0.9 * 8.0 * pace.rate());
        self.staff(if is_limited { law.min(sample.connections) } else { law }, now);
        self.hurry(now, sample.rtt_min);
    }

    /// Opens or ends connections until there are as many as the law says, unless the user or the server says otherwise.
    fn staff(&self, law: u32, now: Instant) {
        let wanted = self.job.options.connections.unwrap_or(law);
        let (missing, surplus) = {
            let state = self.crew.lock();
            let wanted = usize::try_from(wanted.min(state.cap).max(1)).unwrap_or(usize::MAX);
            let count = state.slots.values().filter(|slot| !slot.is_retired).count();
            let can_open = self.crew.has_ranges && now >= state.opens_at && state.plan.unassigned() > 0;
            let missing = if can_open { wanted.saturating_sub(count) } else { 0 };
            // The youngest have the least to lose.
            let surplus = state.slots.iter().rev().filter(|(_, slot)| !slot.is_retired).map(|(owner, _)| *owner);
            (missing, surplus.take(count.saturating_sub(wanted)).collect::<Vec<_>>())
        };
        surplus.into_iter().for_each(|owner| self.crew.retire(owner));
        (0..missing).for_each(|_| worker::start(&self.crew, None));
    }

    /// The end game: nothing is left to lease, some connections have nothing to do, and another one is silent. It is
    /// given up, and its rest goes to those.
    fn hurry(&mut self, now: Instant, rtt_min: f64) {
        let rtt = if rtt_min.is_finite() { rtt_min } else { 0.0 };
        let patience = TAIL.max(Duration::from_secs_f64(4.0 * rtt)) * (1 << self.impatience.min(8));
        let silent = {
            let state = self.crew.lock();
            if state.plan.unassigned() > 0 || !state.slots.values().any(|slot| slot.is_idle) {
                return;
            }
            let mut slots = state.slots.iter();
            let is_silent = |heard| now.saturating_duration_since(heard) > patience;
            slots.find(|(_, slot)| !slot.is_idle && !slot.is_retired && is_silent(slot.heard)).map(|(owner, _)| *owner)
        };
        if let Some(owner) = silent {
            self.impatience += 1;
            self.crew.retire(owner);
        }
    }

    fn remember(&self) {
        if self.job.options.connections.is_none() && self.crew.has_ranges {
            memory::remember(&host(&self.crew.lock().url), self.controller.connections());
        }
    }

    /// Lets the connections note what has arrived, and brings it to the disk.
    fn last_words(&mut self) -> Result<(), Error> {
        let until = Instant::now() + LAST_WORDS;
        while self.crew.lock().plan.is_leased() && Instant::now() < until {
            self.crew.wait(TICK);
        }
        self.syncer.stop();
        self.crew.part.sync()
    }
}

/// Whether trying again may help.
fn is_passing(error: &Error) -> bool {
    use crate::http;
    match error {
        Error::Http(http::Error::Stalled(_) | http::Error::Lost(_) | http::Error::Connect { .. }) => true,
        Error::Refused { status, .. } => super::retry::is_transient(*status),
        _ => false,
    }
}

fn host(url: &Url) -> String {
    url[Position::BeforeHost..Position::AfterPort].to_owned()
}

/// Brings what arrived to the disk, in a thread of its own: a slow disk holds up nobody.
struct Syncer {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    fn start(crew: &Arc<Crew>) -> Self {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let (crew, told) = (Arc::clone(crew), Arc::clone(&stop));
        let sync = move || {
            let (lock, changed) = &*told;
            let mut is_over = lock.lock().unwrap_or_else(PoisonError::into_inner);
            while !*is_over {
                is_over = changed.wait_timeout(is_over, SYNC).unwrap_or_else(PoisonError::into_inner).0;
                if let Err(error) = crew.part.sync() {
                    crew.lock().error = Some(error);
                    return;
                }
            }
        };
        // Without it the disk is written at the end only.
        let thread = thread::Builder::new().name("sync".to_owned()).stack_size(64 << 10).spawn(sync).ok();
        Self { stop, thread }
    }

    fn stop(&mut self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say that the last sync will not say too.
            _ = thread.join();
        }
    }
}
