//! The laws in a real kernel: loaded, chosen, driving connections, changed, unloaded. As root, and where the kernel
//! takes laws: `cargo test -p windward-kernel -- --ignored --test-threads 1`, which `make test` does where it can.
//! Connections live on the loopback of a network namespace without a name: it goes with its thread, however that ends.
//! Laws have names of this test's own.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::{self, Command};
use windward_kernel::{Entry, Error, Flow, KernelLaw, LAWS, Loaded, Options, list, load, set, show, unload};

/// Says that something was not tested, and why, where `make test` collects it.
fn skip(what: &str, why: &str) {
    println!("skipped: {what}: {why}");
    if let Some(list) = std::env::var_os("WINDWARD_SKIPPED") {
        let mut list = fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
        writeln!(list, "crates/kernel/tests/it/kernel.rs: {what}: {why}").unwrap();
    }
}

/// A name that no other test and no other run has.
fn unique(test: &str) -> String {
    format!("ww{test}_{}", process::id())
}

fn options(name: &str, parameters: &[(&str, f64)]) -> Options {
    let parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    Options { name: Some(name.to_owned()), parameters, stay: false }
}

fn loaded(law: &str, name: &str, parameters: &[(&str, f64)]) -> Loaded {
    load(law, &options(name, parameters)).unwrap_or_else(|error| panic!("{law}: {error}"))
}

fn is_available(name: &str) -> bool {
    let known = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    known.split_whitespace().any(|known| known == name)
}

/// Runs `inside` in a network namespace of its own, whose loopback is up.
fn in_namespace<T: Send>(inside: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            // SAFETY: it concerns this thread alone, which has been started for it.
            assert_eq!(unsafe { libc::unshare(libc::CLONE_NEWNET) }, 0, "{}", std::io::Error::last_os_error());
            raise_loopback();
            inside()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn raise_loopback() {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    // SAFETY: an interface request is plain data, for which zeros are a value; the call fills in and reads the flags.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[..2].copy_from_slice(&[b'l' as libc::c_char, b'o' as libc::c_char]);
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        assert_eq!(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request), 0);
    }
}

/// A connection whose sender has chosen `law`, and its other end.
struct Connection {
    sender: TcpStream,
    receiver: TcpStream,
}

impl Connection {
    fn open(law: &str) -> Self {
        Self::open_at("127.0.0.1:0", law)
    }

    fn open_at(address: &str, law: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        // Before the window scale is agreed on; the connection inherits it.
        enlarge(&listener, libc::SO_RCVBUFFORCE);
        let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        enlarge(&sender, libc::SO_SNDBUFFORCE);
        let receiver = listener.accept().unwrap().0;
        choose(&sender, law).unwrap();
        Self { sender, receiver }
    }

    /// Sends so many bytes and takes them in.
    fn send(&mut self, bytes: usize) {
        let Self { sender, receiver } = self;
        std::thread::scope(|scope| {
            scope.spawn(|| sender.write_all(&vec![1; bytes]).unwrap());
            let mut buffer = vec![0; 1 << 16];
            let mut left = bytes;
            while left > 0 {
                let limit = left.min(buffer.len());
                let read = receiver.read(&mut buffer[..limit]).unwrap();
                assert!(read > 0 && buffer[..read].iter().all(|&byte| byte == 1));
                left -= read;
            }
        });
    }

    /// The kernel's TCP_INFO of the connection.
    fn info(&self) -> libc::tcp_info {
        // SAFETY: it is plain data, for which zeros are a value; the kernel fills in as much as it is told to.
        unsafe {
            let mut info: libc::tcp_info = std::mem::zeroed();
            let mut length = size_of_val(&info) as libc::socklen_t;
            let (socket, place) = (self.sender.as_raw_fd(), (&raw mut info).cast());
            assert_eq!(libc::getsockopt(socket, libc::IPPROTO_TCP, libc::TCP_INFO, place, &raw mut length), 0);
            info
        }
    }

    /// State that the law `name` reports for the connection.
    fn shown(&self, name: &str) -> Option<Flow> {
        let local = self.sender.local_addr().unwrap();
        show(name).unwrap().1.into_iter().find(|flow| flow.local == local)
    }
}

/// Gives a socket a buffer that no window here fills. Buffers that the kernel sizes follow how soon the receiver reads,
/// which on a busy machine is late: they would bound the flight, and the law's window would no longer matter.
fn enlarge(socket: &impl AsRawFd, buffer: libc::c_int) {
    let bytes: libc::c_int = 16 << 20;
    // SAFETY: a live descriptor, and a value of the length told.
    let answer = unsafe {
        let (value, length) = ((&raw const bytes).cast(), size_of_val(&bytes) as libc::socklen_t);
        libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, buffer, value, length)
    };
    assert_eq!(answer, 0, "{}", std::io::Error::last_os_error());
}

fn choose(socket: &TcpStream, law: &str) -> std::io::Result<()> {
    // SAFETY: a live descriptor, and a buffer of the length told.
    let answer = unsafe {
        let length = law.len() as libc::socklen_t;
        libc::setsockopt(socket.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_CONGESTION, law.as_ptr().cast(), length)
    };
    if answer == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn every_law_passes_the_verifier_and_drives_a_connection() {
    for (index, law) in LAWS.iter().enumerate() {
        let name = unique(&format!("a{index}"));
        let held = loaded(law.name, &name, &[]);
        assert!(is_available(&name));
        in_namespace(|| {
            let mut connection = Connection::open(&name);
            connection.send(50_000_000);
            let flow = connection.shown(&name).expect("the connection is shown");
            println!("{}: {flow:?}", law.name);
            assert_eq!(flow.remote, connection.sender.peer_addr().unwrap());
            // Fifty megabytes are 763 segments of the loopback's size: no window swallows them in one round trip.
            assert!(flow.rounds >= 5, "{flow:?}");
            assert!(flow.cwnd >= 1.0 && flow.cwnd < 1e6, "{flow:?}");
            let (base_rtt, avg_rtt) = (flow.base_rtt.unwrap(), flow.avg_rtt.unwrap());
            assert!(base_rtt > 0.0 && base_rtt <= avg_rtt && avg_rtt < 10.0, "{flow:?}");
            assert!(flow.own.is_finite() && flow.own >= 0.0, "{flow:?}");
        });
        drop(held);
        assert!(!is_available(&name), "{name} is still there");
    }
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_law_in_use_is_not_unloaded_unless_forced() {
    let name = unique("u");
    let held = loaded("fast", &name, &[]);
    in_namespace(|| {
        let mut connection = Connection::open(&name);
        connection.send(1_000_000);
        match unload(&name, false) {
            Err(Error::InUse { connections, .. }) => assert!(connections >= 1),
            other => panic!("{other:?}"),
        }
        assert!(is_available(&name) && !held.wait(std::time::Duration::ZERO).unwrap());
        unload(&name, true).unwrap();
        assert!(!is_available(&name) && held.wait(std::time::Duration::ZERO).unwrap());
        // The connection keeps the law; no new one can have it.
        connection.send(1_000_000);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(choose(&other, &name).unwrap_err().raw_os_error(), Some(libc::ENOENT));
    });
    assert!(matches!(unload(&name, false), Err(Error::NotLoaded { .. })));
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_closed_connection_is_forgotten() {
    let name = unique("c");
    let _held = loaded("vegas", &name, &[]);
    in_namespace(|| {
        let mut connection = Connection::open(&name);
        connection.send(1_000_000);
        assert!(connection.shown(&name).is_some());
        let local = connection.sender.local_addr().unwrap();
        drop(connection);
        assert!(show(&name).unwrap().1.iter().all(|flow| flow.local != local));
    });
    unload(&name, false).unwrap();
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_name_is_taken_once() {
    let name = unique("n");
    let _held = loaded("fast", &name, &[]);
    let refusal = |name: &str| load("vegas", &options(name, &[])).unwrap_err().to_string();
    assert!(refusal(&name).contains("loaded by Windward"));
    // The kernel's own reno is always there.
    assert!(refusal("reno").contains("not one of Windward's"));
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_law_stays_only_when_asked_to() {
    let name = unique("s");
    drop(load("westwood", &Options { stay: true, ..options(&name, &[]) }).unwrap());
    assert!(is_available(&name));
    let entry = list().unwrap().into_iter().find(|entry| entry.name == name).unwrap();
    let expected = Entry { name: name.clone(), law: "westwood", parameters: vec![], connections: 0, stays: true };
    assert_eq!(Entry { parameters: vec![], ..entry }, expected);
    unload(&name, false).unwrap();
    assert!(!is_available(&name));
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_connection_over_ipv6_is_shown() {
    let name = unique("v6");
    let _held = loaded("vegas", &name, &[]);
    in_namespace(|| {
        if TcpListener::bind("[::1]:0").is_err() {
            skip("a connection over IPv6", "this machine has no IPv6");
            return;
        }
        let mut connection = Connection::open_at("[::1]:0", &name);
        connection.send(10_000_000);
        let flow = connection.shown(&name).expect("the connection is shown");
        assert_eq!(flow.remote, connection.sender.peer_addr().unwrap());
    });
}

/// Output of a command run in this thread's namespace; `None` if it cannot run.
fn output(line: &str) -> Option<String> {
    let mut words = line.split(' ');
    match Command::new(words.next().unwrap_or_default()).args(words).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        other => {
            skip(line, &format!("{other:?}"));
            None
        }
    }
}

/// Makes the loopback a link of so many Mbit/s, packets of 1500 bytes and a queue of so many of them.
fn narrow(rate: u32, queue: u32) -> bool {
    let link = format!("tc qdisc replace dev lo root tbf rate {rate}mbit burst 4kb limit {}", 1514 * queue);
    output("ip link set lo mtu 1500").is_some() && output(&link).is_some()
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn a_queue_holds_the_backlog_asked_for_and_another_when_it_changes() {
    // QUIC-TCP's step is damped by base_rtt/avg_rtt, here a hundredth: four times the default κ takes it there in a
    // second or two, and is still far from where it would swing.
    let laws: [(_, _, &[_]); 2] = [("quic-tcp", "backlog", &[("kappa", 2.0)]), ("fast", "alpha", &[])];
    for (index, (law, parameter, others)) in laws.into_iter().enumerate() {
        let name = unique(&format!("q{index}"));
        let _held = loaded(law, &name, &[&[(parameter, 8.0)], others].concat());
        // A law that overflows a queue many times what it asks for does so in each run, a machine that halts seldom.
        let queues: Vec<_> = (0..3).map_while(|_| in_namespace(|| overflown(&name, parameter))).collect();
        println!("{name}: {queues:?}");
        assert!(queues.len() < 3, "{law} has overflown a queue of 400 packets in each run: {queues:?}");
        let entry = list().unwrap().into_iter().find(|entry| entry.name == name).unwrap();
        assert_eq!((entry.law, entry.stays), (law, false));
        assert!(entry.parameters.contains(&(parameter, 24.0)));
    }
}

/// The queue of 400 packets before a link of 100 Mbit/s, if a connection has overflown it whose law asks first for 8
/// packets of it, then for 24. Where the machine halts, the kernel probes for the tail (RFC 8985) and asks for an
/// ssthresh, and may take something else for the answer until the next ACK (`mend` of crates/kernel/bpf/host.h).
fn overflown(name: &str, parameter: &str) -> Option<String> {
    set(name, &[(parameter.to_owned(), 8.0)]).unwrap();
    let is_narrow = narrow(100, 400);
    let mut connection = Connection::open(name);
    if is_narrow {
        settle(&mut connection, name, 8.0);
    }
    set(name, &[(parameter.to_owned(), 24.0)]).unwrap();
    if !is_narrow {
        return None;
    }
    settle(&mut connection, name, 24.0);
    let queue = output("tc -s qdisc show dev lo").unwrap();
    (!queue.contains("(dropped 0,")).then_some(queue)
}

/// Sends over a link of 100 Mbit/s until five transfers in a row find `backlog` packets: the law's estimate within a
/// tenth, and the queue by its average RTT, of which next to nothing is anything else (1514 bytes take 121 µs); of the
/// window, up to a third may wait in the host to be sent at once (tcp_tso_win_divisor). A machine that halts for a
/// moment lengthens the RTT for some hundred ACKs; a transfer has seven hundred.
fn settle(connection: &mut Connection, name: &str, backlog: f64) {
    let mut found = Vec::new();
    let mut in_a_row = 0;
    while in_a_row < 5 {
        assert!(found.len() < 100, "{name}: {backlog} packets asked for, (backlog, RTT in packets) {found:.1?}");
        connection.send(2_000_000);
        let flow = connection.shown(name).unwrap();
        let (own, queue) = (flow.own, flow.avg_rtt.unwrap() / 121e-6);
        found.push((own, queue));
        let is_there = (own / backlog - 1.0).abs() < 0.1 && queue > backlog * 2.0 / 3.0 && queue < backlog * 1.1;
        in_a_row = if is_there { in_a_row + 1 } else { 0 };
    }
    println!("{name}: {backlog} packets asked for, {found:.1?}");
}

#[test]
#[ignore = "needs root, and a kernel that takes laws"]
fn losses_and_timeouts_are_survived() {
    std::thread::scope(|scope| {
        for (index, law) in LAWS.iter().enumerate() {
            scope.spawn(move || in_namespace(|| survive(law, &unique(&format!("l{index}")))));
        }
    });
}

fn survive(law: &KernelLaw, name: &str) {
    // Delay laws that want more than the queue can hold lose packets too.
    let greedy: &[_] = match law.name {
        "quic-tcp" => &[("backlog", 200.0)],
        "fast" => &[("alpha", 200.0)],
        "vegas" => &[("alpha", 200.0), ("beta", 200.0)],
        _ => &[],
    };
    let _held = loaded(law.name, name, greedy);
    if !narrow(20, 20) {
        return;
    }
    let mut connection = Connection::open(name);
    connection.send(1_000_000);
    assert!(connection.info().tcpi_total_retrans > 0, "{}: a queue of 20 packets was never full", law.name);
    // A packet now takes a second and a half: the timer expires.
    assert!(output("tc qdisc replace dev lo root tbf rate 8kbit burst 2kb limit 1mb").is_some());
    connection.sender.set_nonblocking(true).unwrap();
    let sent = connection.sender.write(&[1; 100_000]).unwrap();
    while connection.info().tcpi_ca_state != TCP_CA_LOSS {
        std::thread::yield_now();
    }
    assert!(connection.info().tcpi_snd_cwnd <= 2, "{}", law.name);
    assert!(narrow(20, 20));
    connection.sender.set_nonblocking(false).unwrap();
    connection.receiver.read_exact(&mut vec![0; sent]).unwrap();
    connection.send(1_000_000);
    let flow = connection.shown(name).unwrap();
    println!("{}: {} retransmitted, {flow:?}", law.name, connection.info().tcpi_total_retrans);
    assert!(flow.cwnd >= 1.0 && flow.cwnd < 200.0, "{}: {flow:?}", law.name);
}

/// enum tcp_ca_state.
const TCP_CA_LOSS: u8 = 4;
