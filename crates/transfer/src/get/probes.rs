//! Round trips by UDP probes at the rate of the data packets (chen2007 §IV-A, Fig. 3), which `windward serve` returns.
//!
//! rtt_min begins anew when the route changes: the hop limit of what arrives at either end is another.
//!
//! **Where we differ**
//! * At most [`MOST`] probes leave in a second: on fast paths the mean of a period needs no more.
//! * The paper detects a change of the route by traceroute.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::probe::{Arrived, Probe, receive, watch_hop_limit};

/// Highest number of probes per second.
pub(super) const MOST: f64 = 1000.0;
/// Lowest number, so that a transfer without data still measures.
const LEAST: f64 = 5.0;
/// Numbers of probes whose times are kept: more than return within any round trip.
const KEPT: usize = 1 << 13;
/// Probes that leave at once after the thread slept for too long.
const BURST: u32 = 8;
/// Longest wait for an answer before the next look at the state.
const TICK: Duration = Duration::from_millis(50);
/// Time without any answer after which the server is taken to return none.
const PATIENCE: Duration = Duration::from_secs(3);

/// Round trips since they were last taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Probed {
    /// Mean in seconds; `None` without any.
    pub mean: Option<f64>,
    /// Least of all on this route, in seconds; infinite without any.
    pub least: f64,
    /// True if the route has changed.
    pub is_new_route: bool,
    /// True if none has returned for some seconds.
    pub is_silent: bool,
}

/// Probes of a transfer; they end when it is dropped.
#[derive(Debug)]
pub(super) struct Probes(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    pace: f64,
    sum: f64,
    count: u32,
    least: f64,
    /// Hop limits at the server and here.
    hop_limits: Option<(u8, u8)>,
    is_new_route: bool,
    /// Time of the last answer, or of the start.
    heard: Instant,
    is_over: bool,
}

impl State {
    fn new(now: Instant) -> Self {
        Self {
            pace: LEAST,
            sum: 0.0,
            count: 0,
            least: f64::INFINITY,
            hop_limits: None,
            is_new_route: false,
            heard: now,
            is_over: false,
        }
    }

    /// Adds a round trip. One over another route begins anew.
    fn add(&mut self, now: Instant, rtt: Duration, hop_limits: (u8, u8)) {
        if self.hop_limits.replace(hop_limits).is_some_and(|before| before != hop_limits) {
            (self.sum, self.count, self.least, self.is_new_route) = (0.0, 0, f64::INFINITY, true);
        }
        let rtt = rtt.as_secs_f64();
        self.sum += rtt;
        self.count += 1;
        self.least = self.least.min(rtt);
        self.heard = now;
    }

    fn take(&mut self, now: Instant) -> Probed {
        let probed = Probed {
            mean: (self.count > 0).then(|| self.sum / f64::from(self.count)),
            least: self.least,
            is_new_route: self.is_new_route,
            is_silent: now.saturating_duration_since(self.heard) >= PATIENCE,
        };
        (self.sum, self.count, self.is_new_route) = (0.0, 0, false);
        probed
    }
}

impl Probes {
    /// Probes the UDP port of `server` in a separate thread.
    ///
    /// # Errors
    /// The system has no socket or no thread for it.
    pub fn start(server: SocketAddr) -> io::Result<Self> {
        let any: SocketAddr =
            if server.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
        let socket = UdpSocket::bind(any)?;
        socket.connect(server)?;
        watch_hop_limit(&socket);
        let state = Arc::new(Mutex::new(State::new(Instant::now())));
        let own = Arc::clone(&state);
        thread::Builder::new().name("probes".to_owned()).stack_size(256 << 10).spawn(move || run(&socket, &own))?;
        Ok(Self(state))
    }

    /// Sets the number of probes per second to that of the data packets.
    pub fn set_pace(&self, packets: f64) {
        lock(&self.0).pace = packets.clamp(LEAST, MOST);
    }

    /// Takes the round trips since the last call.
    pub fn take(&self, now: Instant) -> Probed {
        lock(&self.0).take(now)
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        lock(&self.0).is_over = true;
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(socket: &UdpSocket, state: &Mutex<State>) {
    let mut sent: Vec<Option<(u16, Instant)>> = vec![None; KEPT];
    let (mut number, mut next) = (0_u16, Instant::now());
    loop {
        let pace = {
            let state = lock(state);
            if state.is_over {
                return;
            }
            state.pace
        };
        let gap = Duration::from_secs_f64(1.0 / pace);
        let mut now = Instant::now();
        for _ in 0..BURST {
            if now < next {
                break;
            }
            sent[usize::from(number) % KEPT] = Some((number, now));
            // A port without a reader refuses, and a full queue drops: both are probes that do not return.
            let _ = socket.send(&Probe { number, there: 0 }.bytes());
            (number, next) = (number.wrapping_add(1), next + gap);
            now = Instant::now();
        }
        next = next.max(now);
        // Zero would wait without end.
        let wait = next.saturating_duration_since(now).clamp(Duration::from_micros(100), TICK);
        if socket.set_read_timeout(Some(wait)).is_err() {
            return;
        }
        let arrived = receive(socket);
        let now = Instant::now();
        match arrived {
            Ok(Some(Arrived { probe, hop_limit, .. })) => {
                let place = &mut sent[usize::from(probe.number) % KEPT];
                if let Some((_, begun)) = place.take_if(|(number, _)| *number == probe.number) {
                    lock(state).add(now, now.saturating_duration_since(begun), (probe.there, hop_limit));
                }
            }
            Ok(None) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            // Nobody listens there: without the pause the refusals would keep this thread busy.
            Err(_) => thread::sleep(TICK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_hop_limit_begins_the_minimum_anew() {
        let now = Instant::now();
        let mut state = State::new(now);
        state.add(now, Duration::from_millis(50), (60, 61));
        state.add(now, Duration::from_millis(70), (60, 61));
        let first = state.take(now);
        assert!((first.mean.unwrap() - 0.06).abs() < 1e-9 && (first.least - 0.05).abs() < 1e-9 && !first.is_new_route);
        // The route back is a hop longer. The round trip before it within the period does not count.
        state.add(now, Duration::from_millis(50), (60, 61));
        state.add(now, Duration::from_millis(90), (60, 60));
        let second = state.take(now);
        assert!((second.mean.unwrap() - 0.09).abs() < 1e-9 && (second.least - 0.09).abs() < 1e-9);
        assert!(second.is_new_route && !state.take(now).is_new_route);
        assert_eq!(state.take(now).mean, None);
    }

    #[test]
    fn silence_is_noticed_after_three_seconds() {
        let now = Instant::now();
        let mut state = State::new(now);
        assert!(!state.take(now + Duration::from_secs(2)).is_silent);
        assert!(state.take(now + Duration::from_secs(3)).is_silent);
        state.add(now + Duration::from_secs(3), Duration::from_millis(50), (0, 0));
        assert!(!state.take(now + Duration::from_secs(4)).is_silent);
    }

    /// Probes leave at their pace and return from a socket that answers.
    #[test]
    fn probes_return() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        server.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let probes = Probes::start(server.local_addr().unwrap()).unwrap();
        probes.set_pace(200.0);
        let begun = Instant::now();
        for _ in 0..40 {
            let arrived = receive(&server).unwrap().unwrap();
            server.send_to(&arrived.probe.bytes(), arrived.from).unwrap();
        }
        // The first ones may leave at the lowest pace.
        assert!(begun.elapsed() > Duration::from_millis(100), "{:?}", begun.elapsed());
        let until = Instant::now() + Duration::from_secs(5);
        let probed = loop {
            let probed = probes.take(Instant::now());
            if probed.mean.is_some() || Instant::now() > until {
                break probed;
            }
            thread::sleep(Duration::from_millis(10));
        };
        assert!(probed.mean.is_some_and(|mean| mean > 0.0 && mean < 1.0), "{probed:?}");
        assert!(!probed.is_silent && probed.least <= probed.mean.unwrap());
        // A server whose answers have fewer hops left is one that they take another route from.
        assert!(!probes.take(Instant::now()).is_new_route);
        server.set_ttl(20).unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        while !probes.take(Instant::now()).is_new_route {
            assert!(Instant::now() < until, "the changed hop limit was not seen");
            let arrived = receive(&server).unwrap().unwrap();
            server.send_to(&arrived.probe.bytes(), arrived.from).unwrap();
        }
    }
}
