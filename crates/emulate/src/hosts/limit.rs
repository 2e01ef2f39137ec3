//! Measures the packet rate that this machine sustains.

use crate::error::Error;
use crate::sys::{self, Clock, Namespace, Netlink, Tun};
use crate::wire::{Sort, Sorted, Wire};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use windward_sim::{Control, Fabric, LinkConfig, MediumConfig, Network, Parcel, Route, TcpOptions, Timing, Topology};
use windward_units::{BitRate, Duration, Time};

/// Duration of the measurement.
const TRIAL: Duration = Duration::from_millis(200);

/// Share of what was measured that a scenario may ask for: hosts and laws need their part too.
const SHARE: f64 = 0.5;

/// Packets a second of which any machine is capable: fewer are not worth the measurement.
const ANY: f64 = 5_000.0;

/// Refuses a network whose packets are too many for this machine.
pub(super) fn check(network: &Network, control: &Control) -> Result<(), Error> {
    let flows = || {
        let flows = network.flows.iter().map(|flow| (&flow.forward, &flow.tcp));
        flows.chain(network.apps.iter().map(|app| (&app.backward, &app.tcp)))
    };
    // At its busiest, where links change.
    let instants = [Time::ZERO].into_iter().chain(network.topology.changes());
    let expected = instants.map(|now| expected_rate(&network.topology.at(now), flows())).fold(0.0, f64::max);
    if expected <= ANY || control.is_cancelled() {
        return Ok(());
    }
    let limit = SHARE * measure()?;
    if expected <= limit { Ok(()) } else { Err(Error::TooFast { expected, limit }) }
}

/// Packets a second, at most, that the flows of a network cause: each link that is the narrowest of a flow's way is
/// full of that flow's segments, and there is an ACK for every other of them, or for every one where ACKs are not
/// delayed. Links that take turns on one channel have the packets of the fastest of them.
fn expected_rate<'a>(topology: &Topology, flows: impl Iterator<Item = (&'a Route, &'a TcpOptions)>) -> f64 {
    let rates: Vec<f64> = (0..topology.ports.len() as u32).map(|port| topology.mean_rate(port)).collect();
    let mut most = vec![0.0_f64; rates.len()];
    for (forward, tcp) in flows {
        let acks = if tcp.delayed_ack.is_some() { 0.5 } else { 1.0 };
        let narrowest = forward.ports().map(|port| port as usize).min_by(|&a, &b| rates[a].total_cmp(&rates[b]));
        if let Some(port) = narrowest {
            most[port] = most[port].max(rates[port] / (8.0 * tcp.wire_bytes() as f64) * (1.0 + acks));
        }
    }
    for (medium, members) in topology.media.iter().zip(topology.members()) {
        if let MediumConfig::Cell(_) | MediumConfig::Ran(_) | MediumConfig::Edca(_) = medium {
            let fastest = members.iter().map(|&port| most[port as usize]).fold(0.0, f64::max);
            members.iter().for_each(|&port| most[port as usize] = 0.0);
            members.first().into_iter().for_each(|&port| most[port as usize] = fastest);
        }
    }
    most.iter().sum()
}

/// Packets of full size a second that this machine carries from one host to another through a network without limits.
pub(super) fn measure() -> Result<f64, Error> {
    let addresses = [Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)];
    let hosts = [Namespace::new(), Namespace::new()];
    let failed = || Error::system("measuring this machine");
    let [sender, receiver] = hosts;
    let (sender, receiver) = (sender.map_err(failed())?, receiver.map_err(failed())?);
    let furnish = |own: Ipv4Addr, other: Ipv4Addr| {
        move || {
            let tun = Tun::new(1500, &[(own, 32)])?;
            Netlink::open()?.add_route(&sys::Route::new((other, 32), tun.device))?;
            Ok(tun.file)
        }
    };
    let from = sender.inside(furnish(addresses[0], addresses[1])).map_err(failed())?;
    let to = receiver.inside(furnish(addresses[1], addresses[0])).map_err(failed())?;
    let socket = sender.inside(|| UdpSocket::bind((addresses[0], 0))).map_err(failed())?;
    // Somebody listens, or every packet would be answered by a complaint.
    let _listener = receiver.inside(|| UdpSocket::bind((addresses[1], 9))).map_err(failed())?;
    let wire = Wire { fabric: open_road(), orders: None, ports: vec![from, to], frame: 1500, sort: FirstToSecond };
    let stop = AtomicBool::new(false);
    let clock = Clock::start();
    let ran = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // A full queue is no reason to stop.
                let _ = socket.send_to(&[0; 1472], (addresses[1], 9));
            }
        });
        let ran = wire.run(|| clock, &stop, Time::ZERO + TRIAL);
        stop.store(true, Ordering::Relaxed);
        ran
    })?;
    Ok(ran.quality.packets as f64 / TRIAL.as_secs())
}

/// Everything goes from the first device to the second.
struct FirstToSecond;

impl Sort for FirstToSecond {
    fn sort(&mut self, port: usize, packet: &[u8]) -> Option<Sorted> {
        (port == 0).then_some(Sorted { flow: 0, is_backward: false, size: packet.len() as u32 })
    }
    fn port(&self, _: &Parcel) -> usize {
        1
    }
}

/// One link that holds nothing up, for everything.
fn open_road() -> Fabric {
    let timing = Timing { duration: Time::ZERO + TRIAL, warmup: Time::ZERO, sample_interval: TRIAL };
    let route = Route::from(vec![0]);
    Fabric::new(Topology::of_links([fast_link()]), Vec::new(), [[&route, &route]], timing, 0)
}

fn fast_link() -> LinkConfig {
    LinkConfig::new(1, BitRate::bits_per_sec(100_000_000_000), Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 Gbit/s are 8.3 million packets of 1500 B a second, and half as many ACKs.
    #[test]
    fn the_narrowest_link_says_how_many_packets_there_are() {
        let (route, tcp) = (Route::from(vec![0]), TcpOptions::default());
        let expected = expected_rate(&Topology::of_links([fast_link()]), [(&route, &tcp)].into_iter());
        assert!((expected - 1.5 * 1e11 / 12_000.0).abs() < 1.0);
    }
}
