//! A link that takes orders over Unix sockets: the links of tests.
//!
//! Orders and answers are lines of JSON, with descriptors beside them where an order is about files. An answer is an
//! object: `error` says why an order was not carried out.

use super::Ends;
use super::children::{self, Task};
use super::hosts::Hosts;
use super::publish::publish;
use super::relay::{Life, begin};
use super::report::report;
use crate::error::Error;
use crate::sys::{self, Clock, Lines, process_end, send_with, wait_for};
use crate::wire::{Desk, Order, Orders, Totals};
use serde_json::{Map, Value, json};
use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread, time};
use windward_scenario::{Links, MAX_RECORDING, read_text};
use windward_sim::{LinkStep, PortKind};
use windward_units::{Duration, Time};

/// Name of the links in messages.
const ORIGIN: &str = "link";

/// Longest wait for the emulator's answer.
const PATIENCE: time::Duration = time::Duration::from_secs(5);

/// Longest wait in a call, after which it is repeated.
const LONG: Duration = Duration::from_millis(3_600_000);

/// Shared by the connections.
struct Shared {
    hosts: &'static Hosts,
    /// The network without its changes, to which those of orders are added.
    network: Value,
    folder: PathBuf,
    routes: [Vec<u32>; 2],
    desk: Desk,
    life: Arc<Life>,
    tasks: Mutex<Sender<Task>>,
    processes: File,
    /// Sockets in the file system.
    paths: Mutex<Vec<PathBuf>>,
    is_over: AtomicBool,
    /// Reason why the emulator has ended.
    fault: Mutex<Option<String>>,
}

/// Emulates one link for the process at the other end of `stream`, until that closes it or ends. The first line
/// describes the link. The calling process belongs to the link, and must have one thread.
///
/// # Errors
/// The connection broke before the link could be described.
pub fn serve(stream: UnixStream) -> io::Result<()> {
    // SAFETY: it reads a number.
    let parent = process_end(unsafe { libc::getppid() } as u32);
    ignore_interrupts();
    let mut lines = Lines::of(stream);
    let Some((first, _)) = lines.next()? else { return Ok(()) };
    let (shared, children) = match serde_json::from_str(&first).map_err(|why| why.to_string()).and_then(start) {
        Ok(started) => started,
        Err(why) => return send_with(lines.stream(), &json!({ "error": why }).to_string(), &[]),
    };
    let answer = json!({
        "server": shared.hosts.addresses.server.to_string(),
        "client": shared.hosts.addresses.client.to_string(),
        "pid": std::process::id(),
    });
    send_with(lines.stream(), &answer.to_string(), &[])?;
    let own = lines.stream().try_clone()?;
    if let Some(parent) = parent {
        // A copy of its socket may be in a process that it has forked: its own end counts.
        begin(&shared.life, move |_| {
            while wait_for(&[&parent], LONG)?.is_none() {}
            own.shutdown(std::net::Shutdown::Both)
        });
    }
    let stopped = attend(&mut lines, &shared);
    shared.is_over.store(true, Ordering::Relaxed);
    let _ = shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).send(Task::End);
    let _ = children.join();
    for path in shared.paths.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _ = fs::remove_file(path);
    }
    if stopped {
        let last = shared.totals().unwrap_or_else(|why| json!({ "error": why }));
        send_with(lines.stream(), &last.to_string(), &[])?;
    }
    Ok(())
}

/// Interrupts of a terminal are meant for others. What is started here handles them as it likes: an action of one's
/// own, unlike none, ends with exec.
fn ignore_interrupts() {
    extern "C" fn nothing(_: libc::c_int) {}
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP] {
        // SAFETY: the handler does nothing.
        unsafe { libc::signal(signal, nothing as *const () as libc::sighandler_t) };
    }
}

/// Makes a link of its description, and starts the emulator.
fn start(mut about: Value) -> Result<(Arc<Shared>, thread::JoinHandle<()>), String> {
    let folder = PathBuf::from(about["folder"].as_str().unwrap_or("."));
    let seed = about["seed"].as_u64().ok_or("the description has no seed")?;
    let mut network = about["network"].take();
    let links = read(&network, &folder)?;
    let servers = about["servers"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let ends = Ends {
        command: Vec::new(),
        servers: servers.collect(),
        congestion: about["congestion"].as_str().map(str::to_owned),
        is_isolated: about["isolate"].as_bool().unwrap_or(false),
    };
    let told = |error: Error| error.to_string();
    let (hosts, devices) = Hosts::new(&ends).map_err(told)?;
    // As long as the process.
    let hosts: &'static Hosts = Box::leak(Box::new(hosts));
    let (orders, desk) = Orders::new().map_err(|error| error.to_string())?;
    let wire = hosts.wire(&links, seed, devices, Some(orders));
    let (tasks, waiting) = mpsc::channel();
    let (ready, is_ready) = mpsc::channel();
    let children = thread::spawn(move || children::attend(&ends.servers, hosts, &waiting, &ready));
    let processes = is_ready.recv().map_err(|_| "the servers were not started")?.map_err(told)?;
    if let Some(network) = network.as_object_mut() {
        network.remove("change");
    }
    let shared = Arc::new(Shared {
        hosts,
        network,
        folder,
        routes: links.routes().clone(),
        desk,
        life: Arc::default(),
        tasks: Mutex::new(tasks),
        processes,
        paths: Mutex::default(),
        is_over: AtomicBool::new(false),
        fault: Mutex::default(),
    });
    let clock = Clock::start();
    let own = Arc::clone(&shared);
    thread::spawn(move || {
        if let Err(error) = wire.run(|| clock, &AtomicBool::new(false), Time::NEVER) {
            *own.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
        }
    });
    Ok((shared, children))
}

fn read(network: &Value, folder: &Path) -> Result<Links, String> {
    let file = |name: &str| read_text(&folder.join(name), MAX_RECORDING);
    Links::from_json_with(&network.to_string(), ORIGIN, &file).map_err(|error| error.to_string())
}

/// Carries out orders until the end of a connection; true if one of them was to stop.
fn attend(lines: &mut Lines, shared: &Arc<Shared>) -> bool {
    while let Ok(Some((line, files))) = lines.next() {
        let order: Value = match serde_json::from_str(&line) {
            Ok(order) => order,
            Err(why) => json!({ "do": null, "error": why.to_string() }),
        };
        let answered = match (order["do"].as_str(), order["error"].as_str()) {
            (Some("stop"), _) => return true,
            (Some("run"), _) => run(&order, files, lines.stream(), shared),
            (Some("enter"), _) => hand_over(lines.stream(), shared),
            (_, Some(why)) => answer(lines.stream(), Err(why.to_owned())),
            (Some(what), _) => answer(lines.stream(), obey(what, &order, files, shared)),
            (None, None) => answer(lines.stream(), Err("an order has `do`".to_owned())),
        };
        if answered.is_err() {
            break;
        }
    }
    false
}

fn answer(stream: &UnixStream, result: Result<Value, String>) -> io::Result<()> {
    let answer = result.unwrap_or_else(|why| json!({ "error": why }));
    send_with(stream, &answer.to_string(), &[])
}

/// Orders with an answer and nothing beside it.
fn obey(what: &str, order: &Value, files: Vec<OwnedFd>, shared: &Arc<Shared>) -> Result<Value, String> {
    match what {
        "attach" => {
            for file in files {
                greet(UnixStream::from(file), shared);
            }
            Ok(json!({}))
        }
        "listen" => listen(order["path"].as_str().ok_or("`listen` needs a `path`")?, shared),
        "publish" => {
            let number = |key: &str| u16::try_from(order[key].as_u64().unwrap_or(0)).map_err(|why| why.to_string());
            let host: Ipv4Addr =
                order["host"].as_str().unwrap_or("127.0.0.1").parse().map_err(|_| "no IPv4 address")?;
            let at = SocketAddrV4::new(host, number("at")?);
            let own = publish(shared.hosts, &shared.life, at, number("port")?).map_err(|why| format!("{at}: {why}"))?;
            Ok(json!({ "port": own }))
        }
        "report" => shared.totals(),
        "up" => shared.change(tables(&Map::from_iter([("up".to_owned(), true.into())]), "0 s")),
        "down" => {
            let mut steps = tables(&Map::from_iter([("up".to_owned(), false.into())]), "0 s");
            if let Some(seconds) = order["seconds"].as_f64() {
                let at = Duration::from_secs(seconds.max(0.0)).as_nanos().max(1);
                steps.extend(tables(&Map::from_iter([("up".to_owned(), true.into())]), &format!("{at} ns")));
            }
            shared.change(steps)
        }
        "change" => shared.change(match order["change"].as_array() {
            Some(tables) => tables.clone(),
            None => by_direction(order)?,
        }),
        other => Err(format!(
            "unknown order `{other}`; expected one of: attach, change, down, enter, listen, publish, report, run, stop, up"
        )),
    }
}

/// Names of the two directions: those of links that Python describes.
const DIRECTIONS: [&str; 2] = ["down", "up"];

/// A change of both directions at one time.
fn tables(values: &Map<String, Value>, at: &str) -> Vec<Value> {
    let table = |link: &str| {
        let about = [("link".to_owned(), link.into()), ("at".to_owned(), at.into())];
        Value::Object(about.into_iter().chain(values.clone()).collect())
    };
    DIRECTIONS.map(table).into()
}

/// The values of an order: those of both directions, and those of one in an object of its name.
fn by_direction(order: &Value) -> Result<Vec<Value>, String> {
    let values = order.as_object().cloned().unwrap_or_default();
    let is_own = |name: &str, value: &Value| DIRECTIONS.contains(&name) && value.is_object();
    let both = values.iter().filter(|(name, value)| *name != "do" && !is_own(name, value));
    let both: Map<String, Value> = both.map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut tables = Vec::new();
    for name in DIRECTIONS {
        let mut table = both.clone();
        table.extend(values.get(name).and_then(Value::as_object).cloned().unwrap_or_default());
        if !table.is_empty() {
            table.insert("link".to_owned(), name.into());
            table.insert("at".to_owned(), "0 s".into());
            tables.push(Value::Object(table));
        }
    }
    let nothing = || "nothing changes; give rate, delay, loss, buffer, jitter or reorder".to_owned();
    if tables.is_empty() { Err(nothing()) } else { Ok(tables) }
}

/// Serves a connection on a thread of its own.
fn greet(stream: UnixStream, shared: &Arc<Shared>) {
    let own = Arc::clone(shared);
    begin(&shared.life, move |_| {
        attend(&mut Lines::of(stream), &own);
        Ok(())
    });
}

/// Takes connections at a path.
fn listen(path: &str, shared: &Arc<Shared>) -> Result<Value, String> {
    let listener = UnixListener::bind(path).map_err(|why| format!("{path}: {why}"))?;
    shared.paths.lock().unwrap_or_else(PoisonError::into_inner).push(path.into());
    let own = Arc::clone(shared);
    begin(&shared.life, move |_| {
        for stream in listener.incoming() {
            greet(stream?, &own);
        }
        Ok(())
    });
    Ok(json!({}))
}

impl Shared {
    /// Why nothing is carried out any more.
    fn ended(&self) -> String {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.clone().unwrap_or_else(|| "the emulator does not answer".to_owned())
    }

    /// Totals so far.
    fn totals(&self) -> Result<Value, String> {
        let (reply, answer) = mpsc::channel::<Totals>();
        self.desk.order(Order::Totals(reply));
        let totals = answer.recv_timeout(PATIENCE).map_err(|_| self.ended())?;
        Ok(report(&totals, &self.routes, self.hosts.missed()))
    }

    /// Changes links, from now on.
    fn change(&self, tables: Vec<Value>) -> Result<Value, String> {
        let mut network = self.network.clone();
        network["change"] = tables.into();
        let links = read(&network, &self.folder)?;
        let steps = |(port, config): (u32, &windward_sim::PortConfig)| match &config.kind {
            PortKind::Link(link) if !link.steps.is_empty() => Some((port, link.steps.to_vec())),
            _ => None,
        };
        let changes: Vec<(u32, Vec<LinkStep>)> = (0..).zip(links.topology().ports.iter()).filter_map(steps).collect();
        if self.desk.order(Order::Change(changes)) { Ok(json!({})) } else { Err(self.ended()) }
    }
}

/// Runs a program behind the link, with the order's descriptors as its streams, and answers with its exit code. It is
/// killed where the connection ends first.
fn run(order: &Value, files: Vec<OwnedFd>, stream: &UnixStream, shared: &Shared) -> io::Result<()> {
    let child = match begin_program(order, files, shared) {
        Ok(child) => child,
        Err((why, code)) => return send_with(stream, &json!({ "error": why, "errno": code }).to_string(), &[]),
    };
    send_with(stream, &json!({ "pid": child.id() }).to_string(), &[])?;
    let code = wait_until_gone(child, stream)?;
    send_with(stream, &json!({ "code": code }).to_string(), &[])
}

fn begin_program(order: &Value, files: Vec<OwnedFd>, shared: &Shared) -> Result<Child, (String, Option<i32>)> {
    let words: Vec<&str> = order["argv"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let [name, arguments @ ..] = &words[..] else { return Err(("`run` needs `argv`".to_owned(), None)) };
    let mut command = Command::new(name);
    command.args(arguments);
    if let Some(variables) = order["env"].as_object() {
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        command.env_clear().envs(variables.iter().filter_map(text));
    }
    if let Some(folder) = order["cwd"].as_str() {
        command.current_dir(folder);
    }
    let mut streams = files.into_iter().map(Stdio::from);
    command.stdin(streams.next().unwrap_or_else(Stdio::null));
    command.stdout(streams.next().unwrap_or_else(Stdio::null));
    command.stderr(streams.next().unwrap_or_else(Stdio::null));
    let (reply, answer): (_, Receiver<io::Result<Child>>) = mpsc::channel();
    let _ = shared.tasks.lock().unwrap_or_else(PoisonError::into_inner).send(Task::Start(Box::new(command), reply));
    match answer.recv() {
        Ok(Ok(child)) => Ok(child),
        Ok(Err(error)) => Err((error.to_string(), error.raw_os_error())),
        Err(_) => Err(("the link has ended".to_owned(), None)),
    }
}

/// Waits for a program; kills it if `stream` ends before.
fn wait_until_gone(mut child: Child, stream: &UnixStream) -> io::Result<i32> {
    use std::os::unix::process::ExitStatusExt;
    let end = process_end(child.id());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().unwrap_or_else(|| -status.signal().unwrap_or(0)));
        }
        let gone = match &end {
            Some(end) => wait_for(&[stream, end], LONG)?,
            None => wait_for(&[stream], Duration::from_millis(5))?,
        };
        if gone == Some(0) {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("nobody waits for it"));
        }
    }
}

/// Hands over the namespaces: of the network, of processes, and that of users, if there is one.
fn hand_over(stream: &UnixStream, shared: &Shared) -> io::Result<()> {
    let users = if shared.hosts.is_of_user { Some(File::open("/proc/self/ns/user")?) } else { None };
    let mut files: Vec<&dyn AsRawFd> = vec![&shared.hosts.client, &shared.processes];
    files.extend(users.as_ref().map(|users| users as &dyn AsRawFd));
    send_with(stream, "{}", &files)
}

/// Moves the calling process, which must have one thread, behind a link whose namespaces it was handed. What it starts
/// ends with the link.
///
/// # Errors
/// The kernel refuses: the process has more threads than one, or belongs to another user.
pub fn enter(network: RawFd, processes: RawFd, user: Option<RawFd>) -> io::Result<()> {
    sys::enter(user, network, processes)
}
