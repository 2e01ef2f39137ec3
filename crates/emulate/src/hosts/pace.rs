//! Applications of a flow that write and read at their own pace. Times and sizes are the simulator's.
//!
//! Writers block in their calls, as in a simulation.

use crate::sys::TcpSocket;
use std::io;
use windward_sim::{Reader, Reading, SendBuffer, TcpOptions, Writer};
use windward_units::{Bytes, Time};

/// Bytes of a write without a size of its own, as in a simulation and in iperf3.
pub(super) const CALL: u64 = 128 << 10;

/// Most bytes handed to the kernel at once.
const MOST: u64 = 64 << 20;

/// An application that writes. A write that finds the send buffer full ends later, and delays those after it.
pub(super) struct WritingApp {
    /// `None`: it always has data.
    writer: Option<Writer>,
    /// Bytes of the writes to come.
    rest: u64,
    /// Bytes of the current write that the kernel has not taken.
    call: u64,
    is_blocked: bool,
    zeros: Vec<u8>,
}

impl WritingApp {
    /// The application of a flow of `size` whose connection opens `now`; `None` of one that always has data and whose
    /// send buffer is not fixed.
    pub(super) fn new(tcp: &TcpOptions, size: Option<Bytes>, now: Time) -> Option<Self> {
        let is_bounded = matches!(tcp.send_buffer, Some(SendBuffer::Fixed(_)));
        (tcp.writing.is_some() || is_bounded).then(|| Self {
            writer: tcp.writing.map(|writing| Writer::new(writing, now)),
            rest: size.map_or(u64::MAX, Bytes::count),
            call: 0,
            is_blocked: false,
            zeros: Vec::new(),
        })
    }

    /// Bytes that the kernel has not taken.
    pub(super) fn left(&self) -> u64 {
        self.rest.saturating_add(self.call)
    }

    /// Time of the next write; `None` while the current one waits for room.
    pub(super) fn due(&self) -> Option<Time> {
        (!self.is_blocked).then(|| self.writer.as_ref().map_or(Time::ZERO, Writer::next))
    }

    /// Continues the current write, or begins the one that is due by `now`. `send` hands bytes to the kernel and
    /// returns the number that it takes.
    pub(super) fn write(&mut self, now: Time, send: impl Fn(&[u8]) -> io::Result<usize>) -> io::Result<()> {
        if self.call == 0 && self.due().is_some_and(|due| due <= now) {
            self.call = self.writer.as_mut().map_or(CALL, Writer::write).min(self.rest);
            self.rest -= self.call;
        }
        self.is_blocked = false;
        while self.call > 0 && !self.is_blocked {
            let length = self.call.min(MOST) as usize;
            if self.zeros.len() < length {
                self.zeros = vec![0; length];
            }
            let sent = match send(&self.zeros[..length]) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                sent => sent?,
            };
            self.call -= sent as u64;
            self.is_blocked = sent < length;
        }
        Ok(())
    }
}

/// An application that reads. A read that begins late, although its data waited, delays none after it.
pub(super) struct ReadingApp {
    reader: Reader,
    /// Time at which the last read was due, if it left data.
    last: Option<Time>,
}

impl ReadingApp {
    /// One before its first byte.
    pub(super) fn new(reading: &Reading) -> Self {
        Self { reader: Reader::new(reading.clone()), last: None }
    }

    /// Time at which it reads again, `now` or later.
    pub(super) fn free_at(&self, now: Time) -> Time {
        self.reader.free_at(now)
    }

    /// Time as of which it reads `now`.
    fn due(&self, now: Time) -> Time {
        self.last.map_or(now, |last| self.reader.free_at(last).min(now))
    }

    /// Reads what it reads `now`. Returns its bytes; `None` where the other side has closed.
    pub(super) fn read(&mut self, now: Time, socket: &TcpSocket) -> io::Result<Option<u64>> {
        let waiting = socket.waiting()?;
        let due = self.due(now);
        let most = if waiting == 0 { 1 } else { self.reader.take(due, waiting) };
        self.last = (most < waiting).then_some(due);
        match socket.discard(most as usize) {
            Ok(0) if most > 0 => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Some(0)),
            taken => Ok(Some(taken? as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::thread;
    use windward_sim::Writing;
    use windward_units::{BitRate, Duration};

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// A kernel that takes `room` bytes, and the lengths of the calls.
    fn kernel(room: u64) -> (RefCell<u64>, RefCell<Vec<usize>>) {
        (RefCell::new(room), RefCell::default())
    }

    fn send(kernel: &(RefCell<u64>, RefCell<Vec<usize>>), data: &[u8]) -> io::Result<usize> {
        kernel.1.borrow_mut().push(data.len());
        let taken = (*kernel.0.borrow()).min(data.len() as u64);
        *kernel.0.borrow_mut() -= taken;
        if taken == 0 { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(taken as usize) }
    }

    /// 1 Mbit/s every 8 ms are 1000 B. 2500 B are three writes, of which the second finds room for 200 B. It ends at
    /// 20 ms, and the third one follows at once, as its time was 16 ms after the first.
    #[test]
    fn a_write_that_finds_no_room_delays_the_next() {
        let writing = Writing::Periodic { rate: BitRate::bits_per_sec(1_000_000), every: Duration::from_millis(8) };
        let tcp = TcpOptions { writing: Some(writing), ..TcpOptions::linux(true) };
        let mut app = WritingApp::new(&tcp, Some(Bytes::new(2500)), at(3)).expect("it writes");
        let kernel = kernel(1200);
        assert_eq!((app.due(), app.left()), (Some(at(3)), 2500));
        app.write(at(3), |data| send(&kernel, data)).unwrap();
        assert_eq!((app.due(), app.left()), (Some(at(11)), 1500));
        app.write(at(10), |data| send(&kernel, data)).unwrap();
        app.write(at(11), |data| send(&kernel, data)).unwrap();
        assert_eq!((app.due(), app.left()), (None, 1300));
        app.write(at(12), |data| send(&kernel, data)).unwrap();
        assert_eq!((app.due(), app.left()), (None, 1300));
        *kernel.0.borrow_mut() = 10_000;
        app.write(at(20), |data| send(&kernel, data)).unwrap();
        assert_eq!((app.due(), app.left()), (Some(at(19)), 500));
        app.write(at(20), |data| send(&kernel, data)).unwrap();
        assert_eq!(app.left(), 0);
        assert_eq!(*kernel.1.borrow(), [1000, 1000, 800, 800, 500]);
    }

    /// A flow that always has data writes 128 KiB at a time into a buffer of a fixed size, and is none of ours without.
    #[test]
    fn data_without_end_come_in_calls() {
        let fixed = TcpOptions { send_buffer: Some(SendBuffer::Fixed(Bytes::new(65_536))), ..TcpOptions::linux(true) };
        let mut app = WritingApp::new(&fixed, None, at(0)).expect("its buffer is fixed");
        let kernel = kernel(200_000);
        app.write(at(1), |data| send(&kernel, data)).unwrap();
        assert!(app.due().is_some_and(|due| due <= at(1)));
        app.write(at(1), |data| send(&kernel, data)).unwrap();
        assert_eq!((app.due(), &*kernel.1.borrow()), (None, &vec![131_072; 2]));
        assert!(WritingApp::new(&TcpOptions::linux(true), None, at(0)).is_none());
    }

    /// A connection over the loopback: an end that writes, and one that does not block.
    fn connection() -> (TcpStream, TcpSocket) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = listener.accept().unwrap().0;
        socket.set_nonblocking(true).unwrap();
        (peer, TcpSocket::of(socket))
    }

    /// Writes a number of bytes, and waits until they are there.
    fn deliver(peer: &mut TcpStream, socket: &TcpSocket, bytes: usize) {
        peer.write_all(&vec![0; bytes]).unwrap();
        let is_there = (0..10_000_000).any(|_| {
            thread::yield_now();
            socket.waiting().unwrap() == bytes as u64
        });
        assert!(is_there, "{bytes} bytes do not arrive");
    }

    /// 8 Mbit/s are a chunk of 1000 B in a millisecond.
    #[test]
    fn a_reader_takes_a_chunk_and_is_busy() {
        let (mut peer, socket) = connection();
        let rate = Some(BitRate::bits_per_sec(8_000_000));
        let mut app = ReadingApp::new(&Reading { rate, chunk: Bytes::new(1000), pauses: [(at(3), at(9))].into() });
        assert_eq!(app.read(at(0), &socket).unwrap(), Some(0));
        deliver(&mut peer, &socket, 1500);
        assert_eq!((app.read(at(1), &socket).unwrap(), app.free_at(at(1))), (Some(1000), at(2)));
        assert_eq!(app.read(at(1), &socket).unwrap(), Some(0));
        assert_eq!((app.read(at(2), &socket).unwrap(), app.free_at(at(3))), (Some(500), at(9)));
        drop(peer);
        assert!(socket.wait(false, Duration::from_millis(1000)).unwrap());
        assert_eq!(app.read(at(9), &socket).unwrap(), None);
    }

    /// The read of 2 ms begins at 4 ms, that of 3 ms at once: its data waited. After the last byte the time counts
    /// anew.
    #[test]
    fn a_late_read_delays_none_after_it() {
        let (mut peer, socket) = connection();
        let rate = Some(BitRate::bits_per_sec(8_000_000));
        let mut app = ReadingApp::new(&Reading { rate, chunk: Bytes::new(1000), pauses: [].into() });
        deliver(&mut peer, &socket, 3000);
        assert_eq!((app.read(at(1), &socket).unwrap(), app.free_at(at(1))), (Some(1000), at(2)));
        assert_eq!((app.read(at(4), &socket).unwrap(), app.free_at(at(4))), (Some(1000), at(4)));
        assert_eq!((app.read(at(4), &socket).unwrap(), app.free_at(at(4))), (Some(1000), at(4)));
        assert_eq!(app.read(at(9), &socket).unwrap(), Some(0));
        deliver(&mut peer, &socket, 500);
        assert_eq!(
            (app.read(at(12), &socket).unwrap(), app.free_at(at(12))),
            (Some(500), at(12) + Duration::from_micros(500))
        );
    }
}
