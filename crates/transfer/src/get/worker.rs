//! One connection, from its opening to its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::contact::{MOST_HOPS, meaning, part};
use super::pace::Pace;
use super::plan::{Grant, LeaseId, Owner};
use super::request::is_redirect;
use super::retry::{is_busy, is_transient, retry_after};
use super::state::Trouble;
use super::validator::{Match, Validator};
use super::workers::Workers;
use crate::error::Error;
use crate::http::{self, Address, Body, Connection, Head};

/// Bytes per read.
const READ: usize = 128 << 10;
/// Fewer bytes than this within the timeout count as none.
const LEAST_TRICKLE: u64 = 1 << 10;
/// Maximum sleep under a limited rate without checking for changes.
const NAP: Duration = Duration::from_millis(100);

/// The response that began before the workers were created.
pub(super) struct First {
    pub connection: Connection,
    pub body: Body,
    /// The wanted bytes, with which the body begins.
    pub grant: Grant,
    /// True if the connection ends with this response.
    pub is_last: bool,
}

/// Starts the thread of a connection.
pub(super) fn start(workers: &Arc<Workers>, first: Option<First>) {
    let guard = WorkerGuard { owner: workers.enlist(first.is_some()), workers: Arc::clone(workers), end: Ok(()) };
    // 256 KiB of stack are enough for TLS and keep many threads cheap.
    let spawned = thread::Builder::new().name("get".to_owned()).stack_size(256 << 10).spawn(move || {
        let mut guard = guard;
        guard.end = work(&guard, first);
    });
    if let Err(error) = spawned {
        workers.lock().error = Some(Error::File(format!("cannot start a thread: {error}")));
    }
}

/// A slot in the workers, released on every exit path.
struct WorkerGuard {
    owner: Owner,
    workers: Arc<Workers>,
    end: Result<(), Trouble>,
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.workers.leave(self.owner, std::mem::replace(&mut self.end, Ok(())));
    }
}

impl From<http::Error> for Trouble {
    fn from(error: http::Error) -> Self {
        match error {
            http::Error::Tls { .. } | http::Error::Malformed(_) => Self::Fatal(error.into()),
            _ => Self::Again(error.into()),
        }
    }
}

fn work(guard: &WorkerGuard, first: Option<First>) -> Result<(), Trouble> {
    let workers = &*guard.workers;
    let (url, window) = {
        let state = workers.lock();
        (state.url.clone(), state.window)
    };
    let mut buffer = vec![0; READ];
    let (connection, first) = match first {
        Some(First { connection, body, grant, is_last }) => (connection, Some((body, grant, is_last))),
        None => (workers.requests.dialer.dial(url.url(), window)?, None),
    };
    let mut worker = Worker { workers, owner: guard.owner, url, connection, asked: VecDeque::new(), answered: 0 };
    if !workers.opened(guard.owner, worker.connection.socket()) {
        return Ok(());
    }
    if let Some((body, grant, is_last)) = first {
        let can_go_on = worker.fetch(body, grant, grant.end, &mut buffer)?;
        if !can_go_on || is_last {
            return Ok(());
        }
        worker.answered = 1;
    }
    worker.run(&mut buffer)
}

/// A body that is being received.
struct Arrival {
    lease: LeaseId,
    /// The first byte not received yet.
    next: u64,
    /// The byte after the last one announced; `u64::MAX` if unknown.
    end: u64,
    /// Hash of the received bytes.
    hasher: blake3::Hasher,
}

/// A request without a response yet.
struct Asked {
    grant: Grant,
    /// True if it was sent with `If-Range`.
    has_if_range: bool,
}

struct Worker<'a> {
    workers: &'a Workers,
    owner: Owner,
    url: Address,
    connection: Connection,
    /// Pending requests, in the order of their responses.
    asked: VecDeque<Asked>,
    /// Number of complete responses.
    answered: u64,
}

impl Worker<'_> {
    fn run(&mut self, buffer: &mut [u8]) -> Result<(), Trouble> {
        loop {
            let (depth, has_if_range) = {
                let state = self.workers.lock();
                (state.depth, state.has_if_range)
            };
            while self.asked.len() < depth {
                let Some(grant) = self.workers.next(self.owner, self.asked.is_empty()) else { break };
                let validator = self.workers.validator.as_ref().filter(|_| has_if_range);
                self.asked.push_back(Asked { grant, has_if_range: validator.is_some() });
                self.connection.send(&self.workers.requests.get(
                    &self.url,
                    Some((grant.start, grant.end)),
                    validator,
                ))?;
            }
            let Some(Asked { grant, has_if_range }) = self.asked.pop_front() else { return Ok(()) };
            let answer = self.connection.head(false).map_err(Trouble::from);
            let can_go_on = answer.and_then(|(head, body)| {
                let end = self.judge(&head, grant, has_if_range)?;
                Ok(self.fetch(body, grant, end, buffer)? && !head.is_last())
            });
            match can_go_on {
                Ok(true) => self.answered += 1,
                Ok(false) => return Ok(()),
                // The first response was valid and a later one is not: the server does not support pipelining.
                Err(Trouble::Fatal(Error::Http(http::Error::Malformed(_))))
                    if self.answered > 0 && self.workers.lock().depth > 1 =>
                {
                    return Err(Trouble::NoPipeline);
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Checks that a response contains the requested bytes; returns the byte after its last.
    fn judge(&self, head: &Head, grant: Grant, has_if_range: bool) -> Result<u64, Trouble> {
        let Grant { start, end: most, .. } = grant;
        let compared = self.workers.validator.as_ref().map(|validator| (validator, validator.compare(head)));
        match head.status {
            206 => {
                let (end, _) = part(head, start, most, self.workers.length)?;
                // The response need not repeat the coding (RFC 9110 §15.3.7).
                let coding = head.content_encoding();
                if coding.is_some() && coding != self.workers.coding {
                    return Err(Trouble::Fatal(recoded(coding.as_deref(), self.workers.coding.as_deref())));
                }
                match compared {
                    None | Some((_, Match::Same)) => Ok(end),
                    // A 206 to If-Range need not repeat the date, but must repeat the tag (RFC 9110 §15.3.7).
                    Some((Validator::LastModified(_), Match::Absent)) if has_if_range => Ok(end),
                    Some((validator, _)) => Err(changed(validator, head)),
                }
            }
            200 => match compared {
                Some((validator, Match::Differs)) => Err(changed(validator, head)),
                Some((_, Match::Same)) if has_if_range => Err(Trouble::NoIfRange),
                _ => Err(Trouble::Again(Error::Refused {
                    status: 200,
                    reason: " with the whole file to a range request".to_owned(),
                })),
            },
            416 => Err(Trouble::Fatal(Error::Changed(format!("bytes {start} to {} no longer exist", most - 1)))),
            status if is_redirect(status) => {
                let mut state = self.workers.lock();
                state.hops += 1;
                if state.hops > MOST_HOPS {
                    let reason = format!(": more than {MOST_HOPS} redirects");
                    return Err(Trouble::Fatal(Error::Refused { status, reason }));
                }
                let moved = self.workers.requests.redirected(&self.url, head);
                Err(Trouble::Moved(moved.map_err(Trouble::Fatal)?))
            }
            status => {
                let error = Error::Refused { status, reason: meaning(status).to_owned() };
                Err(match status {
                    _ if is_busy(status) => Trouble::Busy(error, retry_after(head, SystemTime::now())),
                    _ if is_transient(status) => Trouble::Again(error),
                    // A signed address has expired: the user's address may redirect to a fresh one.
                    401 | 403 | 404 | 410 if self.url != self.workers.requests.origin => {
                        let mut state = self.workers.lock();
                        state.hops += 1;
                        if state.hops > MOST_HOPS {
                            return Err(Trouble::Fatal(error));
                        }
                        Trouble::Moved(self.workers.requests.origin.clone())
                    }
                    // Some servers reject too many connections like this.
                    400..500 if self.workers.lock().is_serving() => Trouble::Busy(error, None),
                    _ => Trouble::Fatal(error),
                })
            }
        }
    }

    /// Reads the body of a response, whose last byte comes before `end`, as far as its lease goes. Records the received
    /// bytes even after a failure. Returns whether the connection can be reused.
    fn fetch(&mut self, mut body: Body, grant: Grant, end: u64, buffer: &mut [u8]) -> Result<bool, Trouble> {
        let Grant { lease, start, .. } = grant;
        self.workers.begin(self.owner, lease);
        let mut arrival = Arrival { lease, next: start, end, hasher: blake3::Hasher::new() };
        let result = self.transfer(&mut body, &mut arrival, buffer);
        let Arrival { next, hasher, .. } = arrival;
        let noted = if next > start { self.workers.part.record(start, next, hasher.finalize()) } else { Ok(()) };
        self.workers.finish(lease);
        noted.map_err(Trouble::Fatal)?;
        result
    }

    fn transfer(&mut self, body: &mut Body, arrival: &mut Arrival, buffer: &mut [u8]) -> Result<bool, Trouble> {
        let mut since = (Instant::now(), arrival.next);
        let most = self.workers.pace.as_ref().map_or(READ, |pace| ((pace.rate() / 20.0) as usize).clamp(1 << 10, READ));
        loop {
            let count = body.read(&mut self.connection, &mut buffer[..most])? as u64;
            if count == 0 {
                return self.ended(arrival);
            }
            if arrival.next + count > arrival.end {
                let reason = format!("more than the {} bytes announced", arrival.end - arrival.next);
                return Err(Trouble::Fatal(http::Error::malformed(reason).into()));
            }
            let (taken, is_done) = self.workers.arrived(self.owner, arrival.lease, count);
            let bytes = &buffer[..usize::try_from(taken).unwrap_or(0)];
            self.workers.part.write(bytes, arrival.next).map_err(Trouble::Fatal)?;
            arrival.hasher.update(bytes);
            arrival.next += taken;
            if is_done && arrival.next < arrival.end {
                // Another connection has leased the rest; the remaining body is not worth reading.
                return Ok(false);
            }
            if let Some(pace) = &self.workers.pace {
                self.sleep(pace, pace.take(count, Instant::now()));
                since = (Instant::now(), arrival.next);
            } else if since.0.elapsed() > self.connection.patience() {
                if arrival.next - since.1 < LEAST_TRICKLE {
                    return Err(Trouble::Again(http::Error::Stalled(self.connection.patience().as_secs_f64()).into()));
                }
                since = (Instant::now(), arrival.next);
            }
        }
    }

    /// Handles the end of the body.
    fn ended(&self, &Arrival { lease, next, end, .. }: &Arrival) -> Result<bool, Trouble> {
        if end == u64::MAX {
            let mut state = self.workers.lock();
            state.plan.end_at(lease);
            state.ended = Some(next);
            return Ok(false);
        }
        if next < end {
            return Err(http::Error::closed().into());
        }
        Ok(true)
    }

    /// Waits for the limit, unless the connection should end.
    fn sleep(&self, pace: &Pace, wait: Duration) {
        let until = Instant::now() + wait;
        loop {
            let begun = Instant::now();
            let left = until.saturating_duration_since(begun);
            let is_wanted = {
                let state = self.workers.lock();
                !state.is_over && state.slots.get(&self.owner).is_some_and(|slot| !slot.is_retired)
            };
            if left.is_zero() || !is_wanted {
                return;
            }
            thread::sleep(left.min(NAP));
            pace.rested(begun.elapsed());
        }
    }
}

/// Refusal of a part with another content coding.
fn recoded(now: Option<&str>, before: Option<&str>) -> Error {
    let [now, before] = [now, before].map(|coding| coding.unwrap_or("identity"));
    Error::Refused { status: 206, reason: format!(" with Content-Encoding {now:?}, which was {before:?} before") }
}

fn changed(validator: &Validator, head: &Head) -> Trouble {
    let (name, now) = match validator {
        Validator::Etag(_) => ("ETag", head.field("etag")),
        Validator::LastModified(_) => ("Last-Modified", head.field("last-modified")),
    };
    let now = now.unwrap_or("none");
    Trouble::Fatal(Error::Changed(format!("its {name} was {:?} and is {now:?}", validator.text())))
}
