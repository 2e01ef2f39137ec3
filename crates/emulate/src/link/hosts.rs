//! The hosts at the two ends of a link, and the emulator between them.

use super::Ends;
use super::ends::Addresses;
use super::gateway::Gateway;
use crate::error::Error;
use crate::ip;
use crate::remedy::Step;
use crate::sys::{Namespace, Netlink, Ours, Route, Tun, has_rights, own_user_namespace, read_dropped, write_setting};
use crate::wire::{Orders, Sort, Sorted, Wire};
use std::fs::File;
use std::net::Ipv4Addr;
use std::sync::Arc;
use windward_scenario::Links;
use windward_sim::wifi::edca::Category;
use windward_sim::{self as sim, Fabric, Parcel, PortKind, Timing};
use windward_units::{Duration, Time};

/// Index of a namespace's loopback device.
const LOOPBACK: u32 = 1;

/// Largest packet on the link.
const MTU: u32 = 1500;

/// The two hosts.
pub(super) struct Hosts {
    pub server: Namespace,
    pub client: Namespace,
    pub addresses: Addresses,
    /// True if nothing but the servers can be reached: no gateway.
    pub is_isolated: bool,
    /// True if they belong to a user namespace of this process.
    pub is_of_user: bool,
}

/// The devices of the server and the client.
pub(super) type Devices = [File; 2];

impl Hosts {
    /// Makes them. The process must have one thread, unless it has the rights of root.
    pub(super) fn new(ends: &Ends) -> Result<(Self, Devices), Error> {
        let is_of_user = !has_rights();
        if is_of_user {
            own_user_namespace()
                .map_err(Error::refused("creating a user namespace, as this is not root", Step::User))?;
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
                   `windward kernel load` adds more"
                .to_owned(),
        })?;
        if !ends.is_isolated {
            // Every other address is this host's own.
            let rest = Route { ours: Ours::Yes, ..Route::new((Ipv4Addr::UNSPECIFIED, 0), LOOPBACK) };
            server.inside(|| Netlink::open()?.add_route(&rest)).map_err(Error::system("setting up the gateway"))?;
        }
        let hosts = Self { server, client, addresses, is_isolated: ends.is_isolated, is_of_user };
        Ok((hosts, [server_tun.file, client_tun.file]))
    }

    /// Packets that the devices dropped because the emulator did not read them in time.
    pub(super) fn missed(&self) -> u64 {
        [&self.client, &self.server].map(|host| host.inside(read_dropped).unwrap_or(0)).iter().sum()
    }

    /// The emulator between them. With `orders` its links can be changed while it runs.
    pub(super) fn wire(&self, links: &Links, seed: u64, devices: Devices, orders: Option<Orders>) -> Wire<TwoEnds<'_>> {
        let mut topology = links.topology().clone();
        if orders.is_some() {
            for port in Arc::make_mut(&mut topology.ports) {
                if let PortKind::Link(link) = &mut port.kind {
                    link.make_changeable();
                }
            }
        }
        // Its duration is unknown: nothing is sampled.
        let timing = Timing { duration: Time::NEVER, warmup: Time::ZERO, sample_interval: Duration::MAX };
        let [down, up] = links.routes().clone().map(sim::Route::from);
        Wire {
            fabric: Fabric::new(topology, links.sources().to_vec(), Category::ALL.map(|_| [&down, &up]), timing, seed),
            orders,
            ports: devices.into(),
            frame: MTU as usize,
            sort: TwoEnds { gateway: (!self.is_isolated).then(|| Gateway::new(&self.server, self.addresses.server)) },
        }
    }
}

/// A host with one device, from which everything is reached.
fn host(own: Ipv4Addr) -> Result<(Namespace, Tun), Error> {
    let refused = Error::refused("creating a network namespace", Step::Namespace);
    let namespace = Namespace::new().map_err(refused)?;
    let make = || {
        // Only IPv4 crosses the link; without this the kernel would send its own IPv6 greetings.
        let _ = write_setting("ipv6/conf/all/disable_ipv6", "1");
        let tun = Tun::new(MTU, &[(own, 32)])?;
        Netlink::open()?.add_route(&Route::new((Ipv4Addr::UNSPECIFIED, 0), tun.device))?;
        Ok(tun)
    };
    let tun = namespace.inside(make).map_err(Error::refused("creating a TUN device", Step::Device))?;
    Ok((namespace, tun))
}

/// All packets of one end go to the other; the flows of the network are the access categories.
pub(super) struct TwoEnds<'a> {
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
