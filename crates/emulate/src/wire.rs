//! The emulator: the network between the hosts, in real time.
//!
//! One thread reads packets from the hosts' devices, sends them through the simulator's [`Fabric`], whose time it moves
//! along with the wall clock, and writes to the devices what has arrived. It runs before all other threads where it may
//! (SCHED_FIFO), for a packet that leaves late is a delay that no link has. Waits end a little early and spin for the rest,
//! but not for longer than a real-time thread may run: Linux stops one that leaves less than 5 % of a second to others.

use crate::error::Error;
use crate::frames::Frames;
use crate::quality::{Lateness, Quality};
use crate::sys::{Clock, cpu_time, make_realtime, wait_readable};
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

/// In so much time the thread rests for [`REST`] at least: 6 % for others, where Linux asks for 5 %.
const SHIFT: Duration = Duration::from_millis(5);
const REST: Duration = Duration::from_micros(300);

/// What the packets of a network mean.
pub(crate) trait Sort: Send {
    /// The flow of a packet that was read from device `port`, its direction and its size on the wire; `None` for what does
    /// not belong here.
    fn sort(&mut self, port: usize, packet: &[u8]) -> Option<(u32, bool, u32)>;
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
pub(crate) struct Ran<S> {
    pub fabric: Fabric,
    pub sort: S,
    /// All but [`Quality::missed`].
    pub quality: Quality,
}

impl<S: Sort> Wire<S> {
    /// Runs until `stop`, or until `clock` shows `end`.
    pub(crate) fn run(self, clock: Clock, stop: &AtomicBool, end: Time) -> Result<Ran<S>, Error> {
        let Self { mut fabric, ports, mtu, mut sort } = self;
        let files: Vec<&File> = ports.iter().collect();
        let mut polls = Vec::with_capacity(files.len());
        let mut frames = Frames::new(mtu, 4096);
        let mut lateness = Lateness::new();
        let mut overflowed = 0;
        let is_realtime = make_realtime().is_ok();
        let mut shift = Shift::default();
        let failed = |what: &'static str| Error::system(format!("emulating: {what}"));
        loop {
            let now = clock.now().min(end);
            fabric.advance(now);
            for (due, parcel) in fabric.arrived() {
                let packet = frames.packet(parcel.handle);
                sort.arrived(due, &parcel, packet);
                lateness.record(clock.now().since(due));
                // A host that is gone, or refuses the packet, has lost it.
                let _ = (&ports[sort.port(&parcel)]).write(packet);
                frames.give_back(parcel.handle);
            }
            for parcel in fabric.lost() {
                sort.lost(now, &parcel, frames.packet(parcel.handle));
                frames.give_back(parcel.handle);
            }
            if now >= end || stop.load(Ordering::Relaxed) {
                break;
            }
            let next = fabric.next_time().unwrap_or(Time::NEVER).min(end);
            let wait = next.since(clock.now()).min(PATIENCE);
            let began = clock.now();
            let is_over = shift.is_over(began);
            let (watched, wait) = match is_over {
                true => (&[][..], REST),
                false => (&files[..], if wait > SPIN { wait - SPIN } else { Duration::ZERO }),
            };
            let is_input = wait_readable(watched, wait, &mut polls).map_err(failed("waiting"))?;
            shift.waited(began, clock.now());
            if !is_input {
                continue;
            }
            for (port, mut file) in files.iter().copied().enumerate() {
                if polls[port].revents & (libc::POLLERR | libc::POLLHUP) != 0 {
                    return Err(failed("a device")(io::Error::other("it is gone")));
                }
                if polls[port].revents & libc::POLLIN == 0 {
                    continue;
                }
                for _ in 0..BATCH {
                    let Some(handle) = frames.take() else {
                        // Read it away, or it would be there for ever.
                        overflowed += u64::from(file.read(&mut [0; 1]).is_ok());
                        break;
                    };
                    let length = match file.read(frames.room(handle)) {
                        Ok(length) => length,
                        Err(error) => {
                            frames.give_back(handle);
                            match error.kind() {
                                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => break,
                                _ => return Err(failed("reading a device")(error)),
                            }
                        }
                    };
                    frames.set_length(handle, length);
                    let Some((flow, is_backward, size)) = sort.sort(port, frames.packet(handle)) else {
                        frames.give_back(handle);
                        continue;
                    };
                    let now = clock.now();
                    fabric.advance(now);
                    let parcel = Parcel { flow, is_backward, size, handle };
                    sort.sent(now, &parcel, frames.packet(handle));
                    fabric.send(now, parcel);
                }
            }
        }
        let mut quality = lateness.quality();
        quality.overflowed = overflowed;
        quality.is_realtime = is_realtime;
        quality.cpu_per_packet_s = cpu_time().as_secs() / quality.packets as f64;
        Ok(Ran { fabric, sort, quality })
    }
}

/// Sees to it that the thread rests.
#[derive(Default)]
struct Shift {
    since: Time,
    rested: Duration,
}

impl Shift {
    /// Whether it has worked for too long.
    fn is_over(&self, now: Time) -> bool {
        now.since(self.since) > SHIFT
    }

    /// It waited. A wait that ends at once was none: something was there to be done.
    fn waited(&mut self, from: Time, to: Time) {
        let rest = to.since(from);
        if rest >= NAP {
            self.rested += rest;
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

    /// Works for a second in steps of 1 µs, waiting `wait` after each as long as the shift is not over, and returns how much
    /// it rested.
    fn rested(wait: u64) -> f64 {
        let (mut shift, mut now, mut rested) = (Shift::default(), Time::ZERO, Duration::ZERO);
        while now < Time::from_nanos(1_000_000_000) {
            let wait = if shift.is_over(now) { REST } else { Duration::from_micros(wait) };
            let end = now + wait;
            shift.waited(now, end);
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
