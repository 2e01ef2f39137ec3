//! One connection at work, from its opening to its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use url::Url;

use super::contact::{MOST_HOPS, encoded, meaning, part};
use super::crew::Crew;
use super::error::Error;
use super::plan::{Grant, Owner};
use super::request::{is_redirect, redirected};
use super::retry::{is_busy, is_transient, retry_after};
use super::state::Trouble;
use super::validator::{Match, Validator};
use crate::http::{self, Body, Connection, Head};

/// Bytes read at once.
const READ: usize = 128 << 10;
/// Fewer bytes than this within the patience are as good as none.
const LEAST_TRICKLE: u64 = 1 << 10;
/// Longest sleep under a limited rate without a look at what else happens.
const NAP: Duration = Duration::from_millis(100);

/// A response that has begun before the crew was there.
pub(super) struct First {
    pub connection: Connection,
    pub body: Body,
    /// What of it is wanted; the body begins with it.
    pub grant: Grant,
    /// Whether the connection can be used after it.
    pub is_last: bool,
}

/// Starts the thread of a connection.
pub(super) fn start(crew: &Arc<Crew>, first: Option<First>) {
    let seat = Seat { owner: crew.enlist(), crew: Arc::clone(crew), end: Ok(()) };
    // 256 KiB of stack are enough for TLS, and many threads are cheap.
    let spawned = thread::Builder::new().name("get".to_owned()).stack_size(256 << 10).spawn(move || {
        let mut seat = seat;
        seat.end = work(&seat, first);
    });
    if let Err(error) = spawned {
        crew.lock().error = Some(Error::File(format!("no thread can be started: {error}")));
    }
}

/// A place in the crew, given up whatever happens.
struct Seat {
    owner: Owner,
    crew: Arc<Crew>,
    end: Result<(), Trouble>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.crew.leave(self.owner, std::mem::replace(&mut self.end, Ok(())));
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

fn work(seat: &Seat, first: Option<First>) -> Result<(), Trouble> {
    let crew = &*seat.crew;
    let url = crew.lock().url.clone();
    let mut buffer = vec![0; READ];
    let (connection, first) = match first {
        Some(First { connection, body, grant, is_last }) => (connection, Some((body, grant, is_last))),
        None => (crew.requests.dialer.dial(&url)?, None),
    };
    let mut worker = Worker { crew, owner: seat.owner, url, connection, asked: VecDeque::new(), answered: 0 };
    if !crew.opened(seat.owner, worker.connection.socket()) {
        return Ok(());
    }
    if let Some((body, grant, is_last)) = first {
        let can_go_on = worker.fetch(body, grant, grant.2, &mut buffer)?;
        if !can_go_on || is_last {
            return Ok(());
        }
        worker.answered = 1;
    }
    worker.run(&mut buffer)
}

struct Worker<'a> {
    crew: &'a Crew,
    owner: Owner,
    url: Url,
    connection: Connection,
    /// Leases whose responses are to come, in this order.
    asked: VecDeque<(Grant, bool)>,
    /// Responses that were taken whole.
    answered: u64,
}

impl Worker<'_> {
    fn run(&mut self, buffer: &mut [u8]) -> Result<(), Trouble> {
        loop {
            let (depth, has_if_range) = {
                let state = self.crew.lock();
                (state.depth, state.has_if_range)
            };
            while self.asked.len() < depth {
                let Some(grant) = self.crew.next(self.owner, self.asked.is_empty()) else { break };
                let validator = self.crew.validator.as_ref().filter(|_| has_if_range);
                self.asked.push_back((grant, validator.is_some()));
                self.connection.send(&self.crew.requests.get(&self.url, Some((grant.1, grant.2)), validator))?;
            }
            let Some((grant, has_if_range)) = self.asked.pop_front() else { return Ok(()) };
            let answer = self.connection.head(false).map_err(Trouble::from);
            let can_go_on = answer.and_then(|(head, body)| {
                let end = self.judge(&head, grant, has_if_range)?;
                Ok(self.fetch(body, grant, end, buffer)? && !head.is_last())
            });
            match can_go_on {
                Ok(true) => self.answered += 1,
                Ok(false) => return Ok(()),
                // The first answer was right and a later one is nonsense: the server cannot be asked ahead.
                Err(Trouble::Fatal(Error::Http(http::Error::Malformed(_))))
                    if self.answered > 0 && self.crew.lock().depth > 1 =>
                {
                    return Err(Trouble::NoPipeline);
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Whether a response holds what was asked for; the byte after its last.
    fn judge(&self, head: &Head, (_, start, most): Grant, has_if_range: bool) -> Result<u64, Trouble> {
        let compared = self.crew.validator.as_ref().map(|validator| (validator, validator.compare(head)));
        match head.status {
            206 => {
                let (end, _) = part(head, start, most, self.crew.length)?;
                if let Some(coding) = head.content_encoding() {
                    return Err(Trouble::Fatal(encoded(206, coding)));
                }
                match compared {
                    None | Some((_, Match::Same)) => Ok(end),
                    // A 206 to If-Range need not repeat the date, but always the tag (RFC 9110 §15.3.7).
                    Some((Validator::LastModified(_), Match::Absent)) if has_if_range => Ok(end),
                    Some((validator, _)) => Err(changed(validator, head)),
                }
            }
            200 => match compared {
                Some((validator, Match::Differs)) => Err(changed(validator, head)),
                Some((_, Match::Same)) if has_if_range => Err(Trouble::NoIfRange),
                _ => Err(Trouble::Again(Error::Refused {
                    status: 200,
                    reason: " with the whole file to a request for a part".to_owned(),
                })),
            },
            416 => {
                Err(Trouble::Fatal(Error::Changed(format!("it has no bytes from {start} to {} any more", most - 1))))
            }
            status if is_redirect(status) => {
                let mut state = self.crew.lock();
                state.hops += 1;
                if state.hops > MOST_HOPS {
                    let reason = format!(", the last of more than {MOST_HOPS} redirects");
                    return Err(Trouble::Fatal(Error::Refused { status, reason }));
                }
                Err(Trouble::Moved(redirected(&self.url, head).map_err(Trouble::Fatal)?))
            }
            status => {
                let error = Error::Refused { status, reason: meaning(status).to_owned() };
                Err(match status {
                    _ if is_busy(status) => Trouble::Busy(error, retry_after(head, SystemTime::now())),
                    _ if is_transient(status) => Trouble::Again(error),
                    // A signed address has expired: the one that the user gave may lead to a fresh one.
                    401 | 403 | 404 | 410 if self.url != self.crew.requests.origin => {
                        let mut state = self.crew.lock();
                        state.hops += 1;
                        if state.hops > MOST_HOPS {
                            return Err(Trouble::Fatal(error));
                        }
                        Trouble::Moved(self.crew.requests.origin.clone())
                    }
                    // Some servers say so that there are too many connections.
                    400..500 if self.crew.lock().slots.values().any(|slot| slot.received > 0) => {
                        Trouble::Busy(error, None)
                    }
                    _ => Trouble::Fatal(error),
                })
            }
        }
    }

    /// Takes the body of a response, whose last byte comes before `end`, as far as its lease goes; notes what arrived,
    /// even if not all did. Whether the connection can be used after it.
    fn fetch(&mut self, mut body: Body, grant: Grant, end: u64, buffer: &mut [u8]) -> Result<bool, Trouble> {
        let (lease, start, _) = grant;
        self.crew.lock().plan.begin(lease);
        let mut hasher = blake3::Hasher::new();
        let mut next = start;
        let result = self.transfer(&mut body, grant, end, buffer, (&mut next, &mut hasher));
        let noted = if next > start { self.crew.part.record(start, next, hasher.finalize()) } else { Ok(()) };
        self.crew.finish(lease);
        noted.map_err(Trouble::Fatal)?;
        result
    }

    fn transfer(
        &mut self,
        body: &mut Body,
        (lease, ..): Grant,
        end: u64,
        buffer: &mut [u8],
        (next, hasher): (&mut u64, &mut blake3::Hasher),
    ) -> Result<bool, Trouble> {
        let mut since = (Instant::now(), *next);
        let most = self.crew.pace.as_ref().map_or(READ, |pace| ((pace.rate() / 20.0) as usize).clamp(1 << 10, READ));
        loop {
            let count = body.read(&mut self.connection, &mut buffer[..most])? as u64;
            if count == 0 {
                return self.ended(lease, *next, end);
            }
            if *next + count > end {
                let reason = format!("more than the {} bytes that it announced", end - *next);
                return Err(Trouble::Fatal(http::Error::malformed(reason).into()));
            }
            let (taken, is_done) = self.crew.arrived(self.owner, lease, count);
            let bytes = &buffer[..usize::try_from(taken).unwrap_or(0)];
            self.crew.part.write(bytes, *next).map_err(Trouble::Fatal)?;
            hasher.update(bytes);
            *next += taken;
            if is_done && *next < end {
                // The rest is another's now; what still comes of it is not worth waiting for.
                return Ok(false);
            }
            if let Some(pace) = &self.crew.pace {
                self.sleep(pace.take(count, Instant::now()));
                since = (Instant::now(), *next);
            } else if since.0.elapsed() > self.connection.patience() {
                if *next - since.1 < LEAST_TRICKLE {
                    return Err(Trouble::Again(http::Error::Stalled(self.connection.patience().as_secs_f64()).into()));
                }
                since = (Instant::now(), *next);
            }
        }
    }

    /// The body has ended at `next`, and should have at `end`.
    fn ended(&self, lease: u64, next: u64, end: u64) -> Result<bool, Trouble> {
        if end == u64::MAX {
            let mut state = self.crew.lock();
            state.plan.end_at(lease);
            state.ended = Some(next);
            return Ok(false);
        }
        if next < end {
            return Err(http::Error::closed().into());
        }
        Ok(true)
    }

    /// Sleeps unless the connection is to end.
    fn sleep(&self, wait: Duration) {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let is_wanted = {
                let state = self.crew.lock();
                !state.is_over && state.slots.get(&self.owner).is_some_and(|slot| !slot.is_retired)
            };
            if left.is_zero() || !is_wanted {
                return;
            }
            thread::sleep(left.min(NAP));
        }
    }
}

fn changed(validator: &Validator, head: &Head) -> Trouble {
    let (name, now) = match validator {
        Validator::Etag(_) => ("ETag", head.field("etag")),
        Validator::LastModified(_) => ("Last-Modified", head.field("last-modified")),
    };
    let now = now.unwrap_or("none");
    Trouble::Fatal(Error::Changed(format!("its {name} was {:?} and is {now:?}", validator.text())))
}
