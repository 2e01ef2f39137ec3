//! Whether this machine is fast enough for a network.

use crate::error::Error;
use crate::sys::{Clock, Namespace, Netlink, Route, Tun};
use crate::wire::{Sort, Sorted, Wire};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use windward_laws::LawSpec;
use windward_sim::{
    Buffer, Control, Fabric, FlowConfig, Jitter, LawChoice, LinkConfig, Loss, Network, Parcel, TcpOptions,
};
use windward_units::{BitRate, Duration, Time};

/// How long the machine is measured.
const TRIAL: Duration = Duration::from_millis(200);

/// Share of what was measured that a scenario may ask for: hosts and laws need their part too.
const SHARE: f64 = 0.5;

/// Packets a second of which any machine is capable: fewer are not worth the measurement.
const ANY: f64 = 5_000.0;

/// Refuses a network whose packets are too many for this machine.
pub(super) fn check(network: &Network, control: &Control) -> Result<(), Error> {
    let expected = expected_rate(network);
    if expected <= ANY || control.is_cancelled() {
        return Ok(());
    }
    let limit = SHARE * measure()?;
    if expected <= limit { Ok(()) } else { Err(Error::TooFast { expected, limit }) }
}

/// Packets a second, at most, that the flows of a network cause: each link that is the narrowest of a flow's way is full of
/// that flow's segments, and there is an ACK for every other of them, or for every one where ACKs are not delayed.
fn expected_rate(network: &Network) -> f64 {
    let stations = network.cells.iter().flat_map(|cell| {
        let mean = |snr| cell.table.mean_efficiency(snr) * cell.symbol_rate;
        cell.stations.iter().map(move |station| mean(station.mean_snr))
    });
    let wires = network.links.iter().map(|link| link.rate.mean().as_bits_per_sec() as f64);
    let rates: Vec<f64> = wires.chain(stations).collect();
    let mut most = vec![0.0_f64; rates.len()];
    for flow in &network.flows {
        let tcp = &flow.tcp;
        let acks = if tcp.delayed_ack.is_some() { 0.5 } else { 1.0 };
        let narrowest = flow.forward.iter().map(|&link| link as usize).min_by(|&a, &b| rates[a].total_cmp(&rates[b]));
        if let Some(link) = narrowest {
            most[link] = most[link].max(rates[link] / (8.0 * tcp.wire_bytes() as f64) * (1.0 + acks));
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
            Netlink::open()?.add_route(&Route::new((other, 32), tun.device))?;
            Ok(tun.file)
        }
    };
    let from = sender.inside(furnish(addresses[0], addresses[1])).map_err(failed())?;
    let to = receiver.inside(furnish(addresses[1], addresses[0])).map_err(failed())?;
    let socket = sender.inside(|| UdpSocket::bind((addresses[0], 0))).map_err(failed())?;
    // Somebody listens, or every packet would be answered by a complaint.
    let _listener = receiver.inside(|| UdpSocket::bind((addresses[1], 9))).map_err(failed())?;
    let wire = Wire { fabric: Fabric::new(&open_road(), 0), ports: vec![from, to], mtu: 1500, sort: FirstToSecond };
    let stop = AtomicBool::new(false);
    let clock = Clock::start();
    let ran = thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // A full queue is no reason to stop.
                let _ = socket.send_to(&[0; 1472], (addresses[1], 9));
            }
        });
        let ran = wire.run(clock, &stop, Time::ZERO + TRIAL);
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

fn open_road() -> Network {
    let link = LinkConfig {
        key: 1,
        rate: BitRate::bits_per_sec(100_000_000_000).into(),
        delay: Duration::ZERO,
        buffer: Buffer::Unlimited,
        loss: Loss::None,
        jitter: Jitter::None,
    };
    let flow = FlowConfig {
        key: 2,
        source: 0,
        sink: 1,
        forward: vec![0],
        backward: vec![0],
        law: LawChoice::Known(LawSpec::all()[0]),
        start: Time::ZERO,
        stop: None,
        size: None,
        tcp: TcpOptions::default(),
    };
    Network {
        links: vec![link],
        cells: Vec::new(),
        flows: vec![flow],
        sources: Vec::new(),
        transfers: Vec::new(),
        duration: Time::ZERO + TRIAL,
        warmup: Time::ZERO,
        sample_interval: TRIAL,
        internals: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 Gbit/s are 8.3 million packets of 1500 B a second, and half as many ACKs.
    #[test]
    fn the_narrowest_link_says_how_many_packets_there_are() {
        let network = open_road();
        assert!((expected_rate(&network) - 1.5 * 1e11 / 12_000.0).abs() < 1.0);
    }
}
