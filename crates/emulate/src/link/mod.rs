//! One link in front of a program: `windward link`.
//!
//! The program runs in a network namespace whose only way out is the link; at its other end stands a second namespace,
//! with the servers that are to be reached through it and a `gateway` to everything else. All processes are in a PID
//! namespace (`processes`), which ends with this program, however that ends. Without root all belong to a user
//! namespace of our own.

mod children;
mod ends;
mod gateway;
mod names;
mod processes;

use crate::error::Error;
use crate::ip;
use crate::quality::Quality;
use crate::sys::{Clock, Namespace, Netlink, Ours, Route, Tun, own_user_namespace, read_dropped, write_setting};
use crate::wire::{Outcome, Sort, Sorted, Wire};
use children::Children;
use ends::Addresses;
pub use ends::Ends;
use gateway::Gateway;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use windward_scenario::Links;
use windward_sim::wifi::edca::Category;
use windward_sim::{self as sim, Fabric, LinkStats, Parcel, Timing};
use windward_tables::Frames;
use windward_units::{Duration, Time};

/// Index of a namespace's loopback device.
const LOOPBACK: u32 = 1;

/// Largest packet on the link.
const MTU: u32 = 1500;

/// Report of a link.
#[derive(Clone, Debug)]
pub struct Report {
    /// The exit code of the program; 128 and the signal's number where a signal ended it.
    pub code: i32,
    /// Ports towards the program and away from it, in the order of its packets.
    pub routes: [Vec<u32>; 2],
    /// Statistics of all ports.
    pub links: Vec<LinkStats>,
    /// Tables of wireless networks.
    pub media: Frames,
    /// Duration in seconds.
    pub seconds: f64,
    /// Timing quality.
    pub quality: Quality,
}

/// Runs `ends` with `links` between them: the servers are at its first node, the program is at the second.
///
/// # Errors
/// Namespaces and devices cannot be made here; the program cannot be started.
pub fn run(links: &Links, seed: u64, ends: &Ends) -> Result<Report, Error> {
    let topology = links.topology().clone();
    // SAFETY: it reads a number.
    if unsafe { libc::geteuid() } != 0 {
        own_user_namespace().map_err(|source| Error::Refused {
            what: "creating a user namespace, as this is not root",
            source,
            hint: "run it as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone, \
                   kernel.apparmor_restrict_unprivileged_userns)",
        })?;
    }
    let addresses = Addresses::choose();
    let (server, server_tun) = host(addresses.server)?;
    let (client, client_tun) = host(addresses.client)?;
    // By the route and not as the host's default, which the kernel refuses for laws that only root may choose.
    let congestion = ends.congestion.as_deref();
    let ours = if ends.is_isolated { Ours::No } else { Ours::Never };
    let to_client = Route { congestion, ours, ..Route::new((addresses.client, 32), server_tun.device) };
    server.inside(|| Netlink::open()?.add_route(&to_client)).map_err(|source| Error::Refused {
        what: "choosing the server's congestion control",
        source,
        hint: "`cat /proc/sys/net/ipv4/tcp_available_congestion_control` lists the available ones; \
               `windward kernel load` adds more",
    })?;
    if !ends.is_isolated {
        // Every other address is this host's own.
        let rest = Route { ours: Ours::Yes, ..Route::new((Ipv4Addr::UNSPECIFIED, 0), LOOPBACK) };
        server.inside(|| Netlink::open()?.add_route(&rest)).map_err(Error::system("setting up the gateway"))?;
    }
    // How long it will last, nobody knows: nothing is sampled.
    let timing = Timing { duration: Time::NEVER, warmup: Time::ZERO, sample_interval: Duration::MAX };
    let [down, up] = links.routes().clone().map(sim::Route::from);
    let stop = AtomicBool::new(false);
    let clock = Clock::start();
    let wire = Wire {
        fabric: Fabric::new(topology, links.sources().to_vec(), Category::ALL.map(|_| [&down, &up]), timing, seed),
        ports: vec![server_tun.file, client_tun.file],
        frame: MTU as usize,
        sort: TwoEnds { gateway: (!ends.is_isolated).then(|| Gateway::new(&server, addresses.server)) },
    };
    let (ran, code) = thread::scope(|scope| {
        let emulator = scope.spawn(|| wire.run(|| clock, &stop, Time::NEVER));
        // A thread of its own: from it on, what is started has process numbers of its own.
        let children = scope.spawn(|| Children::start(ends, addresses, &client, &server).and_then(Children::wait));
        let code = children.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let missed = [&client, &server].map(|host| host.inside(read_dropped).unwrap_or(0)).iter().sum();
        stop.store(true, Ordering::Relaxed);
        let mut ran = emulator.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        ran.quality.missed = missed;
        Ok::<_, Error>((ran, code?))
    })?;
    let Outcome { fabric, quality, .. } = ran;
    let end = clock.now();
    let output = fabric.finish(end);
    Ok(Report {
        code,
        routes: links.routes().clone(),
        links: output.links,
        media: output.media,
        seconds: end.as_secs(),
        quality,
    })
}

/// A host with one device, from which everything is reached.
fn host(own: Ipv4Addr) -> Result<(Namespace, Tun), Error> {
    let refused = |what| {
        move |source| Error::Refused {
            what,
            source,
            hint: "this needs root, or a user namespace with /dev/net/tun; containers often allow neither",
        }
    };
    let namespace = Namespace::new().map_err(refused("creating a network namespace"))?;
    let make = || {
        // Only IPv4 crosses the link; without this the kernel would send its own IPv6 greetings.
        let _ = write_setting("ipv6/conf/all/disable_ipv6", "1");
        let tun = Tun::new(MTU, &[(own, 32)])?;
        Netlink::open()?.add_route(&Route::new((Ipv4Addr::UNSPECIFIED, 0), tun.device))?;
        Ok(tun)
    };
    let tun = namespace.inside(make).map_err(refused("creating a TUN device"))?;
    Ok((namespace, tun))
}

/// All packets of one end go to the other; the flows of the network are the access categories.
struct TwoEnds<'a> {
    gateway: Option<Gateway<'a>>,
}

impl Sort for TwoEnds<'_> {
    fn sort(&mut self, port: usize, packet: &[u8]) -> Option<Sorted> {
        let is_ipv4 = packet.first().is_some_and(|first| first >> 4 == 4);
        if port == 1
            && is_ipv4
            && let Some(gateway) = &mut self.gateway
        {
            gateway.see(packet);
        }
        let category = Category::of_dscp(ip::dscp(packet));
        is_ipv4.then_some(Sorted { flow: category as u32, is_backward: port == 1, size: packet.len() as u32 })
    }

    fn port(&self, parcel: &Parcel) -> usize {
        usize::from(!parcel.is_backward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CS1 is background, AF41 video, EF voice (RFC 8325).
    #[test]
    fn the_dscp_selects_the_access_category() {
        let mut ends = TwoEnds { gateway: None };
        for (dscp, category) in [(0, 1), (8, 0), (34, 2), (46, 3)] {
            let packet = [0x45, dscp << 2 | 2, 0, 20];
            let sorted = Sorted { flow: category, is_backward: false, size: 4 };
            assert_eq!(ends.sort(0, &packet), Some(sorted));
        }
        assert_eq!(ends.sort(0, &[0x60, 0]), None);
    }
}
