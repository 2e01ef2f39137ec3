//! The emulator: the network between the hosts, in real time.
//!
//! One thread reads packets from the hosts' devices, sends them through the simulator's [`Fabric`], whose time it moves
//! along with the wall clock, and writes to the devices what has arrived. It runs before all other threads where it may
//! (SCHED_FIFO), for a packet that leaves late is a delay that no link has. Waits end a little early and spin for the
//! rest, but not for longer than a real-time thread may run: Linux stops one that leaves less than 5 % of a second to
//! others.

use crate::error::Error;
use crate::frames::Frames;
use crate::ip;
use crate::quality::{Lateness, Quality};
use crate::sys::{Bell, Clock, Devices, Rank, Ready, Watch, cpu_time, make_realtime, rest};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use windward_sim::{Codepoint, Fabric, LinkStats, LinkStep, Parcel, Probed};
use windward_units::{Duration, Time};

/// A wait ends this much before its time: what a wake-up takes.
const SPIN: Duration = Duration::from_micros(30);

/// The longest wait, after which somebody may want the emulator to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// Packets read from a device in a row.
const BATCH: usize = 32;

/// Every so often the thread rests for [`REST`] at least: 6 % for others, where Linux asks for 5 %.
const WORK: Duration = Duration::from_millis(5);
const REST: Duration = Duration::from_micros(300);

/// A packet, as the network sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sorted {
    pub flow: u32,
    pub is_backward: bool,
    /// Bytes on the wire.
    pub size: u32,
}

/// Classification of a network's packets.
pub(crate) trait Sort: Send {
    /// Classifies a packet read from device `port`; `None` if it does not belong to the network.
    fn sort(&mut self, port: usize, packet: &[u8]) -> Option<Sorted>;
    /// The device at the end of a parcel's route.
    fn port(&self, parcel: &Parcel) -> usize;
    /// A packet was read: it goes into the network.
    fn send(&mut self, _: Time, parcel: Parcel, hands: &mut Hands) {
        hands.send(parcel);
    }
    /// A parcel has arrived, at the time given: its packet goes to the device.
    fn arrive(&mut self, due: Time, parcel: Parcel, hands: &mut Hands) {
        hands.write(due, self.port(&parcel), parcel.handle);
    }
    /// A parcel was lost, `is_at_source` by a full queue where its route begins.
    fn lose(&mut self, _: Time, parcel: Parcel, _is_at_source: bool, hands: &mut Hands) {
        hands.frames.give_back(parcel.handle);
    }
    /// Next time to call [`Self::wake`].
    fn due(&self) -> Time {
        Time::NEVER
    }
    /// It is time.
    fn wake(&mut self, _: Time, _: &mut Hands) {}
}

/// Destination of frames.
pub(crate) struct Hands {
    pub frames: Frames,
    parcels: Vec<Parcel>,
    packets: Vec<(Option<Time>, usize, u32)>,
    overflowed: u64,
}

impl Hands {
    /// Those of an emulator with frames of `size` bytes.
    pub(crate) fn new(size: usize) -> Self {
        Self { frames: Frames::new(size, 4096), parcels: Vec::new(), packets: Vec::new(), overflowed: 0 }
    }

    /// A frame to write into; `None` where too many are in use.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let handle = self.frames.take();
        self.overflowed += u64::from(handle.is_none());
        handle
    }

    /// Sends a parcel into the network.
    pub(crate) fn send(&mut self, parcel: Parcel) {
        self.parcels.push(parcel);
    }

    /// Takes out what was to be sent.
    #[cfg(test)]
    pub(crate) fn sent(&mut self) -> Vec<Parcel> {
        std::mem::take(&mut self.parcels)
    }

    /// Writes the packet in a frame to a device, where it was to be at `due`, and gives the frame back.
    pub(crate) fn write(&mut self, due: Time, port: usize, handle: u32) {
        self.packets.push((Some(due), port, handle));
    }

    /// Writes a packet right behind the previous one, without a time of its own: only the first of them can be late.
    pub(crate) fn write_behind(&mut self, port: usize, handle: u32) {
        self.packets.push((None, port, handle));
    }
}

/// Request to the emulator while it runs.
pub(crate) enum Order {
    /// Changes of ports, with times from now on.
    Change(Vec<(u32, Vec<LinkStep>)>),
    /// Totals so far.
    Totals(Sender<Totals>),
    /// Probes per second of a transfer's source, and the round trips since the last order.
    Pace(u32, f64, Sender<Probed>),
}

/// Totals of a running emulation.
pub(crate) struct Totals {
    pub links: Vec<LinkStats>,
    pub media: windward_tables::Frames,
    pub at: Time,
    /// All but [`Quality::missed`].
    pub quality: Quality,
}

/// Orders for the emulator.
pub(crate) struct Orders {
    orders: Receiver<Order>,
    bell: Bell,
}

/// The emulator, for those who give it orders.
#[derive(Clone)]
pub(crate) struct Desk {
    orders: Sender<Order>,
    bell: Bell,
}

impl Orders {
    /// Orders, and the desk that takes them.
    pub(crate) fn new() -> io::Result<(Self, Desk)> {
        let (sender, orders) = mpsc::channel();
        let bell = Bell::new()?;
        Ok((Self { orders, bell: bell.clone() }, Desk { orders: sender, bell }))
    }
}

impl Desk {
    /// Gives an order; false if the emulator has ended.
    pub(crate) fn order(&self, order: Order) -> bool {
        let is_taken = self.orders.send(order).is_ok();
        self.bell.ring();
        is_taken
    }
}

/// The emulator before it runs.
pub(crate) struct Wire<S> {
    pub fabric: Fabric,
    /// Requests while it runs, if anybody has any.
    pub orders: Option<Orders>,
    /// The hosts' devices.
    pub ports: Vec<File>,
    /// Bytes of a frame: the largest packet, or what the sorter makes of it.
    pub frame: usize,
    pub sort: S,
}

/// State after the run.
pub(crate) struct Outcome<S> {
    pub fabric: Fabric,
    pub sort: S,
    /// All but [`Quality::missed`].
    pub quality: Quality,
}

impl<S: Sort> Wire<S> {
    /// Runs until `stop`, or until the clock that `start` gives shows `end`. `start` is called once, when everything
    /// is ready: a packet that is read late is a delay that no link has.
    pub(crate) fn run(self, start: impl FnOnce() -> Clock, stop: &AtomicBool, end: Time) -> Result<Outcome<S>, Error> {
        let Self { fabric, orders, ports, frame, sort } = self;
        let made = Devices::new(&ports).map_err(failed("watching the devices"));
        let (hands, lateness) = (Hands::new(frame), Lateness::new());
        let is_realtime = make_realtime(Rank::Network).is_ok();
        let clock = start();
        let (mut devices, lateness) = (made?, lateness?);
        if let Some(orders) = &orders {
            devices.add(&orders.bell, ports.len() as u64, Watch::Level).map_err(failed("watching for orders"))?;
        }
        let mut emulator = Emulator { fabric, orders, sort, clock, hands, lateness, is_realtime };
        let mut timer = RestTimer::default();
        loop {
            let now = clock.now().min(end);
            emulator.deliver(now, &ports);
            if now >= end || stop.load(Ordering::Relaxed) {
                break;
            }
            let next = emulator.fabric.next_time().unwrap_or(Time::NEVER).min(emulator.sort.due()).min(end);
            let wait = next.since(clock.now()).min(PATIENCE);
            let began = clock.now();
            let is_input = match timer.is_due(began) {
                true => rest(REST).map(|()| false),
                false => devices.wait(if wait > SPIN { wait - SPIN } else { Duration::ZERO }),
            };
            let is_input = is_input.map_err(failed("waiting"))?;
            timer.waited(began, clock.now());
            if is_input {
                emulator.read_ready(&mut devices, &ports)?;
            }
        }
        let quality = emulator.quality();
        let Emulator { fabric, sort, .. } = emulator;
        Ok(Outcome { fabric, sort, quality })
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    Error::system(format!("emulating: {what}"))
}

/// The emulator at work.
struct Emulator<S> {
    fabric: Fabric,
    orders: Option<Orders>,
    sort: S,
    clock: Clock,
    hands: Hands,
    lateness: Lateness,
    is_realtime: bool,
}

impl<S: Sort> Emulator<S> {
    /// Takes in what has come to the devices.
    fn read_ready(&mut self, devices: &mut Devices, ports: &[File]) -> Result<(), Error> {
        for Ready { device, is_gone } in devices.ready().map_err(failed("waiting"))? {
            if device == ports.len() {
                self.obey();
                continue;
            }
            if is_gone {
                return Err(failed("a device")(io::Error::other("the device is gone")));
            }
            self.read(device, &ports[device]).map_err(failed("reading a device"))?;
        }
        Ok(())
    }

    /// Carries out what has been ordered.
    fn obey(&mut self) {
        let Some(Orders { orders, bell }) = &self.orders else { return };
        bell.silence();
        let waiting: Vec<Order> = orders.try_iter().collect();
        for order in waiting {
            let now = self.clock.now();
            self.fabric.advance(now);
            match order {
                Order::Change(changes) => {
                    for (port, mut steps) in changes {
                        steps.iter_mut().for_each(|step| step.at = now + step.at.since(Time::ZERO));
                        self.fabric.plan(port, &steps);
                    }
                }
                Order::Pace(source, pace, reply) => {
                    let _ = reply.send(self.fabric.set_pace(source, pace));
                }
                Order::Totals(reply) => {
                    let (links, media) = self.fabric.totals(now);
                    // Whoever asked may have gone.
                    let _ = reply.send(Totals { links, media, at: now, quality: self.quality() });
                }
            }
        }
    }

    /// Timing so far, all but [`Quality::missed`].
    fn quality(&self) -> Quality {
        let Self { hands, is_realtime, lateness, .. } = self;
        let mut quality = Quality { overflowed: hands.overflowed, is_realtime: *is_realtime, ..lateness.quality() };
        quality.add_processor_time(cpu_time());
        quality
    }

    /// Moves the network to `now`, and hands over what has arrived until then.
    fn deliver(&mut self, now: Time, ports: &[File]) {
        loop {
            self.fabric.advance(now);
            if self.sort.due() <= now {
                self.sort.wake(now, &mut self.hands);
            }
            for (due, parcel) in self.fabric.arrived() {
                if parcel.ecn == Codepoint::Marked {
                    ip::mark(self.hands.frames.packet_mut(parcel.handle));
                }
                self.sort.arrive(due, parcel, &mut self.hands);
            }
            for (parcel, is_at_source) in self.fabric.lost() {
                self.sort.lose(now, parcel, is_at_source, &mut self.hands);
            }
            if !self.send(now) {
                break;
            }
        }
        for (due, port, handle) in self.hands.packets.drain(..) {
            if let Some(due) = due {
                self.lateness.record(self.clock.now().since(due));
            }
            // A host that is gone, or refuses the packet, has lost it.
            let _ = (&ports[port]).write(self.hands.frames.packet(handle));
            self.hands.frames.give_back(handle);
        }
    }

    /// Sends what is to be sent; whether that was anything.
    fn send(&mut self, now: Time) -> bool {
        let is_any = !self.hands.parcels.is_empty();
        for parcel in self.hands.parcels.drain(..) {
            self.fabric.send(now, parcel);
        }
        is_any
    }

    /// Takes the packets that wait at a device into the network, a batch at most.
    fn read(&mut self, port: usize, mut file: &File) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some(handle) = self.hands.frames.take() else {
                // Read it away, or it would be there for ever.
                self.hands.overflowed += u64::from(file.read(&mut [0; 1]).is_ok());
                break;
            };
            let length = match file.read(self.hands.frames.room(handle)) {
                Ok(length) => length,
                Err(error) => {
                    self.hands.frames.give_back(handle);
                    return match error.kind() {
                        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(()),
                        _ => Err(error),
                    };
                }
            };
            self.hands.frames.set_length(handle, length);
            let Some(Sorted { flow, is_backward, size }) = self.sort.sort(port, self.hands.frames.packet(handle))
            else {
                self.hands.frames.give_back(handle);
                continue;
            };
            let now = self.clock.now();
            self.fabric.advance(now);
            let packet = self.hands.frames.packet(handle);
            let (conversation, ecn) = (ip::conversation(packet), ip::codepoint(packet));
            let parcel = Parcel { flow, is_backward, size, handle, conversation, ecn };
            self.sort.send(now, parcel, &mut self.hands);
            self.send(now);
        }
        Ok(())
    }
}

/// Sees to it that the thread rests.
#[derive(Default)]
struct RestTimer {
    since: Time,
    rested: Duration,
}

impl RestTimer {
    /// True if it has worked for too long.
    fn is_due(&self, now: Time) -> bool {
        now.since(self.since) > WORK
    }

    /// It waited. A wait that ends at once was none: something was there to be done.
    fn waited(&mut self, from: Time, to: Time) {
        let waited = to.since(from);
        if waited >= NAP {
            self.rested += waited;
        }
        if self.rested >= REST {
            *self = Self { since: to, rested: Duration::ZERO };
        }
    }
}

/// The shortest wait that let others run: two switches between threads.
const NAP: Duration = Duration::from_micros(5);

#[cfg(test)]
mod tests {
    use super::*;

    /// Works for a second in steps of 1 µs, waiting `wait` after each as long as no rest is due, and returns how much
    /// it rested.
    fn rested(wait: u64) -> f64 {
        let (mut rest, mut now, mut rested) = (RestTimer::default(), Time::ZERO, Duration::ZERO);
        while now < Time::from_nanos(1_000_000_000) {
            let wait = if rest.is_due(now) { REST } else { Duration::from_micros(wait) };
            let end = now + wait;
            rest.waited(now, end);
            rested += wait;
            now = end + Duration::from_micros(1);
        }
        rested.as_secs()
    }

    /// A thread that never waits rests 300 of every 5301 µs; one that waits 10 µs after each µs is left alone.
    #[test]
    fn a_busy_thread_rests() {
        assert!((rested(0) - 300.0 / 5302.0).abs() < 0.001, "{}", rested(0));
        assert!((rested(10) - 10.0 / 11.0).abs() < 0.001, "{}", rested(10));
    }
}
