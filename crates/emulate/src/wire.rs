//! The emulator: the network between the hosts, in real time.
//!
//! One thread reads packets from the hosts' devices, sends them through the simulator's [`Fabric`], whose time it moves
//! along with the wall clock, and writes to the devices what has arrived. It runs before all other threads where it may
//! (SCHED_FIFO), for a packet that leaves late is a delay that no link has. Waits end a little early and spin for the rest,
//! but not for longer than a real-time thread may run: Linux stops one that leaves less than 5 % of a second to others.

use crate::error::Error;
use crate::frames::Frames;
use crate::quality::{Lateness, Quality};
use crate::sys::{Clock, Devices, Ready, cpu_time, make_realtime, rest};
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use windward_sim::{Fabric, Parcel};
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

/// What the packets of a network mean.
pub(crate) trait Sort: Send {
    /// What a packet is that was read from device `port`; `None` for what does not belong here.
    fn sort(&mut self, port: usize, packet: &[u8]) -> Option<Sorted>;
    /// The device at the end of a parcel's route.
    fn port(&self, parcel: &Parcel) -> usize;
    /// A packet was read.
    fn sent(&mut self, _: Time, _: &Parcel, _: &[u8]) {}
    /// A packet arrived.
    fn arrived(&mut self, _: Time, _: &Parcel, _: &[u8]) {}
    /// A packet was lost.
    fn lost(&mut self, _: Time, _: &Parcel, _: &[u8]) {}
}

/// The emulator before it runs.
pub(crate) struct Wire<S> {
    pub fabric: Fabric,
    /// The hosts' devices.
    pub ports: Vec<File>,
    /// The largest packet.
    pub mtu: usize,
    pub sort: S,
}

/// What is left when it has run.
pub(crate) struct Outcome<S> {
    pub fabric: Fabric,
    pub sort: S,
    /// All but [`Quality::missed`].
    pub quality: Quality,
}

impl<S: Sort> Wire<S> {
    /// Runs until `stop`, or until `clock` shows `end`.
    pub(crate) fn run(self, clock: Clock, stop: &AtomicBool, end: Time) -> Result<Outcome<S>, Error> {
        let Self { fabric, ports, mtu, sort } = self;
        let mut devices = Devices::new(&ports).map_err(failed("watching the devices"))?;
        let mut emulator =
            Emulator { fabric, sort, clock, frames: Frames::new(mtu, 4096), lateness: Lateness::new()?, overflowed: 0 };
        let is_realtime = make_realtime().is_ok();
        let mut timer = RestTimer::default();
        loop {
            let now = clock.now().min(end);
            emulator.deliver(now, &ports);
            if now >= end || stop.load(Ordering::Relaxed) {
                break;
            }
            let next = emulator.fabric.next_time().unwrap_or(Time::NEVER).min(end);
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
        let Emulator { fabric, sort, lateness, overflowed, .. } = emulator;
        let mut quality = Quality { overflowed, is_realtime, ..lateness.quality() };
        quality.cpu_per_packet_s = cpu_time().as_secs() / quality.packets as f64;
        Ok(Outcome { fabric, sort, quality })
    }
}

fn failed(what: &'static str) -> impl FnOnce(io::Error) -> Error {
    Error::system(format!("emulating: {what}"))
}

/// The emulator at work.
struct Emulator<S> {
    fabric: Fabric,
    sort: S,
    clock: Clock,
    frames: Frames,
    lateness: Lateness,
    overflowed: u64,
}

impl<S: Sort> Emulator<S> {
    /// Takes in what has come to the devices.
    fn read_ready(&mut self, devices: &mut Devices, ports: &[File]) -> Result<(), Error> {
        for Ready { device, is_gone } in devices.ready().map_err(failed("waiting"))? {
            if is_gone {
                return Err(failed("a device")(io::Error::other("the device is gone")));
            }
            self.read(device, &ports[device]).map_err(failed("reading a device"))?;
        }
        Ok(())
    }

    /// Moves the network to `now`, and hands over what has arrived until then.
    fn deliver(&mut self, now: Time, ports: &[File]) {
        self.fabric.advance(now);
        for (due, parcel) in self.fabric.arrived() {
            let packet = self.frames.packet(parcel.handle);
            self.sort.arrived(due, &parcel, packet);
            self.lateness.record(self.clock.now().since(due));
            // A host that is gone, or refuses the packet, has lost it.
            let _ = (&ports[self.sort.port(&parcel)]).write(packet);
            self.frames.give_back(parcel.handle);
        }
        for (parcel, _) in self.fabric.lost() {
            self.sort.lost(now, &parcel, self.frames.packet(parcel.handle));
            self.frames.give_back(parcel.handle);
        }
    }

    /// Takes the packets that wait at a device into the network, a batch at most.
    fn read(&mut self, port: usize, mut file: &File) -> io::Result<()> {
        for _ in 0..BATCH {
            let Some(handle) = self.frames.take() else {
                // Read it away, or it would be there for ever.
                self.overflowed += u64::from(file.read(&mut [0; 1]).is_ok());
                break;
            };
            let length = match file.read(self.frames.room(handle)) {
                Ok(length) => length,
                Err(error) => {
                    self.frames.give_back(handle);
                    return match error.kind() {
                        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(()),
                        _ => Err(error),
                    };
                }
            };
            self.frames.set_length(handle, length);
            let Some(Sorted { flow, is_backward, size }) = self.sort.sort(port, self.frames.packet(handle)) else {
                self.frames.give_back(handle);
                continue;
            };
            let now = self.clock.now();
            self.fabric.advance(now);
            let parcel = Parcel { flow, is_backward, size, handle };
            self.sort.sent(now, &parcel, self.frames.packet(handle));
            self.fabric.send(now, parcel);
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
    /// Whether it has worked for too long.
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

    /// Who never waits rests 300 of every 5301 µs; who waits 10 µs after each µs is left alone.
    #[test]
    fn a_busy_thread_rests() {
        assert!((rested(0) - 300.0 / 5302.0).abs() < 0.001, "{}", rested(0));
        assert!((rested(10) - 10.0 / 11.0).abs() < 0.001, "{}", rested(10));
    }
}
