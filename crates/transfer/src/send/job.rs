//! The steps of an upload.

use std::fs::File;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use url::Url;
use windward_laws::emultcp::Params;

use super::guide::Guide;
use super::worker::{Task, head, work};
use super::workers::{End, Workers};
use super::{Event, Options, Report};
use crate::error::Error;
use crate::get::memory;
use crate::http::ping::{self, Pings};
use crate::http::{Address, Dialer, Proxies, confidential, masked, without_zone};
use crate::local;
use crate::options::refused;
use crate::seconds::seconds;
use crate::tree::Tree;
use crate::upload::{HASH, LENGTH, Missing, TREE, is_fit};

/// Default port of a server: that of `windward serve`.
const PORT: u16 = 8765;
/// Maximum size in bytes of the answer to a posted tree.
const MOST_ANSWER: usize = 16 << 20;
/// Interval between calls of the observer.
const TICK: Duration = Duration::from_millis(100);
/// Wait before an unresponsive server is asked again; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Maximum number of times that an upload is restarted because the server has forgotten it.
const MOST_BEGINNINGS: u32 = 5;

type Observer<'a> = dyn FnMut(&Event) -> ControlFlow<()> + 'a;

/// Uploads the file at `path` to the folder at `address`: `HOST`, `HOST:PORT`, or `http(s)://HOST:PORT/FOLDER/`.
///
/// # Errors
/// See [`Error`]. Received pieces stay on the server, and the same call resumes.
pub fn send(path: &Path, address: &str, options: &Options, observer: &mut Observer<'_>) -> Result<Report, Error> {
    let job = Job::new(path, address, options, observer)?;
    if options.forget {
        memory::forget(&job.task.memory());
    }
    let begun = Instant::now();
    let mut first = None;
    let mut most = 0;
    for _ in 0..MOST_BEGINNINGS {
        let missing = job.post(observer)?;
        let left: u64 = pieces(&missing).map(|piece| job.task.tree.piece_length(piece)).sum();
        let first_left = *first.get_or_insert(left);
        if missing.is_there {
            let duration_s = begun.elapsed().as_secs_f64();
            let mut url = job.task.url.clone();
            url.set_query(None);
            return Ok(Report {
                url: url.to_string(),
                blake3: job.task.tree.hash().to_hex().to_string(),
                length_bytes: job.task.tree.length(),
                there_bytes: job.task.tree.length() - first_left,
                duration_s,
                rate_bps: first_left as f64 * 8.0 / duration_s,
                connections_max: most,
            });
        }
        most = most.max(job.run(&missing, begun, observer)?);
    }
    Err(Error::Refused { status: 404, reason: ": the server keeps losing the upload".to_owned() })
}

fn pieces(missing: &Missing) -> impl Iterator<Item = u64> {
    missing.missing.iter().flat_map(|(from, to)| *from..*to)
}

struct Job<'a> {
    task: Arc<Task>,
    options: &'a Options,
    params: Params,
}

impl<'a> Job<'a> {
    fn new(path: &Path, address: &str, options: &'a Options, observer: &mut Observer<'_>) -> Result<Self, Error> {
        // The receive windows belong to the server.
        let params = Params { max: options.max_connections, bound: false, ..options.law.params() };
        params.check().map_err(refused)?;
        if options.connections == Some(0) || options.max_tries == 0 {
            return Err(Error::Usage(
                "the number of connections and the number of tries must be at least 1".to_owned(),
            ));
        }
        let connect = seconds("connect_timeout_s", options.connect_timeout_s)?;
        let stall = seconds("stall_timeout_s", options.stall_timeout_s)?;
        let (mut url, zone) = address_of(address)?;
        let authorization = authorization(&mut url, options)?;
        let failure = |error: io::Error| Error::File(format!("cannot read {}: {error}", path.display()));
        let file = local::require_file(path).and_then(|()| File::open(path)).map_err(failure)?;
        let kind = file.metadata().map_err(failure)?;
        // Compared as bytes: a name need not be UTF-8.
        let own = path.file_name().unwrap_or_default().as_bytes();
        let name = options.name.as_ref().map_or(own, |name| name.as_bytes()).to_vec();
        if !is_fit(&name) {
            let name = String::from_utf8_lossy(&name);
            return Err(Error::Usage(format!("{name:?} is not a valid name on the server; choose another `name`")));
        }
        let tree = hash(&file, kind.len(), observer)?.map_err(failure)?;
        let mut path = url.path().trim_end_matches('/').to_owned();
        path.push('/');
        path.extend(percent_encode(&name, NON_ALPHANUMERIC));
        url.set_path(&path);
        url.set_query(Some(&format!("upload={}{}", tree.hash(), if options.replace { "&replace" } else { "" })));
        let proxies = Proxies::from_environment(|name| std::env::var(name).ok())?;
        let dialer = Dialer::new(proxies, options.ca.clone(), connect, stall).in_zone(&url, zone.as_deref());
        let max_tries = options.max_tries;
        Ok(Self { task: Arc::new(Task { dialer, file, tree, url, authorization, max_tries }), options, params })
    }

    /// Posts the tree in a separate thread, so that an unreachable server does not block the observer.
    fn post(&self, observer: &mut Observer<'_>) -> Result<Missing, Error> {
        let (sender, result) = mpsc::channel();
        let task = Arc::clone(&self.task);
        // The receiver is gone once the observer has stopped the upload.
        thread::spawn(move || drop(sender.send(post(&task))));
        loop {
            match result.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if observer(&Event::Tick).is_continue() => {}
                Err(RecvTimeoutError::Timeout) => return Err(Error::Interrupted),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::File("the thread that contacts the server panicked".to_owned()));
                }
            }
        }
    }

    /// Sends the missing pieces; returns the maximum number of connections. Afterwards the file is complete, or the
    /// server has forgotten the upload.
    fn run(&self, missing: &Missing, begun: Instant, observer: &mut Observer<'_>) -> Result<u32, Error> {
        let workers = Arc::new(Workers::new(pieces(missing)));
        let options = self.options;
        // A fixed number of connections needs no measurements.
        let pings = options.connections.is_none().then(|| ping(&self.task, &workers));
        let mut guide = Guide::new(&self.task, self.params, options.connections, begun, pieces(missing), pings);
        let end = loop {
            if let Some(end) = workers.lock().end.take() {
                break end;
            }
            let event = guide.look(&workers);
            if observer(&event).is_break() {
                break End::Failed(Error::Interrupted);
            }
            for slot in workers.vacant() {
                let (task, workers) = (Arc::clone(&self.task), Arc::clone(&workers));
                thread::spawn(move || work(&task, &workers, slot));
            }
            workers.wait(Duration::from_secs_f64(guide.period()));
        };
        workers.end(End::All);
        // Threads that are still opening a connection are not waited for; they send nothing any more.
        workers.cut();
        guide.remember();
        match end {
            End::All | End::Forgotten => Ok(guide.most()),
            End::Failed(error) => Err(error),
        }
    }
}

/// Posts the tree, with as many tries as allowed.
fn post(task: &Task) -> Result<Missing, Error> {
    let mut wait = FIRST_WAIT;
    for _ in 1..task.max_tries {
        match try_post(task) {
            Err(Error::Http(_) | Error::Refused { status: 429 | 503, .. }) => thread::sleep(wait),
            result => return result,
        }
        wait *= 2;
    }
    try_post(task)
}

fn try_post(task: &Task) -> Result<Missing, Error> {
    let tree = task.tree.to_bytes();
    let (length, hash) = (task.tree.length(), task.tree.hash());
    let fields = format!("Content-Type: {TREE}\r\n{LENGTH}: {length}\r\n{HASH}: {hash}\r\n");
    let mut connection = task.dialer.dial(&task.url, None)?;
    let mut request = head(task, "POST", "", tree.len(), &fields).into_bytes();
    request.extend(tree);
    connection.send(&request)?;
    let (head, mut body) = connection.head(false)?;
    let mut answer = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        match body.read(&mut connection, &mut block)? {
            0 => break,
            count if answer.len() + count <= MOST_ANSWER => answer.extend_from_slice(&block[..count]),
            _ => return Err(crate::http::Error::Malformed("a response that is too long".to_owned()).into()),
        }
    }
    if head.status != 200 {
        let reason = String::from_utf8_lossy(&answer[..answer.len().min(512)]).trim().to_owned();
        let reason = if reason.is_empty() { reason } else { format!(": {reason}") };
        let hint = match head.status {
            404 if is_below_root(&task.url) => "\nhint: the address is that of a folder; `name` names the file",
            409 => "\nhint: `replace` replaces a file that was uploaded before",
            _ => "",
        };
        return Err(Error::Refused { status: head.status, reason: format!("{reason}{hint}") });
    }
    let malformed = || crate::http::Error::Malformed("not a response of `windward serve`".to_owned());
    let missing: Missing = serde_json::from_slice(&answer).map_err(|_| malformed())?;
    if missing.is_sane(task.tree.count()) { Ok(missing) } else { Err(malformed().into()) }
}

/// Returns whether the file goes to a folder within the served one.
fn is_below_root(url: &Url) -> bool {
    url.path().trim_matches('/').contains('/')
}

/// Pings the server until the upload ends.
fn ping(task: &Arc<Task>, workers: &Arc<Workers>) -> Arc<Pings> {
    let task = Arc::clone(task);
    let dial = move |_: &Workers| Ok((task.dialer.dial(&task.url, None)?, head(&task, "HEAD", "", 0, "").into_bytes()));
    ping::start(workers, |workers| workers.lock().end.is_some(), dial)
}

/// Parses the folder's address, and the zone of an IPv6 address.
fn address_of(address: &str) -> Result<(Url, Option<String>), Error> {
    let text = if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let (text, zone) = without_zone(text);
    let shown = masked(address);
    let mut url = Url::parse(&text).map_err(|error| Error::Usage(format!("{shown}: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || url.query().is_some() {
        return Err(Error::Usage(format!("{shown}: expected HOST, HOST:PORT or https://HOST:PORT/FOLDER/")));
    }
    let has_port =
        address.rsplit('/').any(|part| part.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()));
    if !has_port && url.set_port(Some(PORT)).is_err() {
        return Err(Error::Usage(format!("{shown}: cannot set a port")));
    }
    url.set_fragment(None);
    Ok((url, zone))
}

/// The token as a header field. Without the option, the token in the address counts. It is removed from the address.
fn authorization(url: &mut Url, options: &Options) -> Result<String, Error> {
    let own = url.password().map(|text| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned());
    // An address with a host can always drop its user and password.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    let Some(token) = options.token.clone().or(own) else { return Ok(String::new()) };
    if !options.insecure {
        Address::parse(url.as_str()).and_then(|address| confidential(&address)).map_err(Error::Usage)?;
    }
    if token.contains(|c: char| c.is_control() || !c.is_ascii()) {
        return Err(Error::Usage("the token must be printable ASCII".to_owned()));
    }
    Ok(format!("Authorization: Bearer {token}\r\n"))
}

/// Hashes the file; the outer error comes from the observer.
fn hash(file: &File, length: u64, observer: &mut Observer<'_>) -> Result<io::Result<Tree>, Error> {
    let mut is_stopped = false;
    let tree = Tree::of(file, length, |read_bytes| {
        is_stopped = observer(&Event::Hashing { read_bytes, length_bytes: length }).is_break();
        if is_stopped { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    });
    if is_stopped { Err(Error::Interrupted) } else { Ok(tree) }
}
