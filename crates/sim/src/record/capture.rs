//! Packet captures for Wireshark: pcapng with real IPv4, TCP and UDP headers.
//!
//! Each source node is an interface, with the packets that its flows send and receive, as tcpdump on that host would
//! show. Payload is zeros and omitted, but its length is not. Each station of a wireless network is an interface too:
//! every frame on the air is written once, at the end of its transmission, at the station that sent it. Of an A-MPDU
//! each MPDU is a record of its own, as monitors show it.

use super::pcapng::{Destination, LinkType, Pcapng};
use super::radio::{self, Place};
use crate::net::Tap;
use crate::network::{EcnMode, Network, TcpOptions};
use crate::tcp::{IP_HEADER, TCP_HEADER, sack_option};
use std::collections::BTreeMap;
use std::io;
use windward_elements::ecn::{COUNT_MODULO, Ecn};
use windward_elements::packet::{Kind, NodeId, Packet, Range};
use windward_radio::MediumConfig;
use windward_radio::air::{AirFrame, FrameKind};
use windward_units::Time;

const FIN: u8 = 1;
const SYN: u8 = 2;
const PSH: u8 = 8;
const ACK: u8 = 16;
/// Shift of the advertised window (RFC 7323 §2.3): the largest allowed.
const WINDOW_SHIFT: u8 = 14;

/// A capture in progress.
pub struct Capture {
    out: Pcapng,
    flows: Vec<Endpoints>,
    packets: u16,
    /// A-MPDUs so far.
    aggregates: u32,
    /// Interface of each station, by node.
    stations: BTreeMap<NodeId, u32>,
    /// Source and sink node of each background source's datagrams.
    datagrams: Vec<(u32, u32)>,
}

/// Data for a flow's headers.
struct Endpoints {
    interface: u32,
    source: u32,
    sink: u32,
    source_port: u16,
    sink_port: u16,
    tcp: TcpOptions,
    payload: u64,
    /// The receiver's latest timestamp, which the sender's packets echo.
    echo: u64,
}

impl Endpoints {
    /// Headers of a datagram of QUIC.
    fn udp(&self, packet: &Packet, is_outgoing: bool, id: u16) -> Vec<u8> {
        let (ends, ports) = ((self.source, self.sink), (self.source_port, self.sink_port));
        let (ends, ports) = if is_outgoing { (ends, ports) } else { ((ends.1, ends.0), (ports.1, ports.0)) };
        ip_and_udp(ends, packet.ecn, packet.size, ports, id)
    }
}

impl Capture {
    /// Starts a capture of the flows of `network`; nodes are named by their numbers.
    pub fn new(out: Destination, network: &Network) -> Self {
        let mut sources: Vec<u32> = network.flows.iter().map(|flow| flow.source).collect();
        sources.sort_unstable();
        sources.dedup();
        let flows = network.flows.iter().enumerate().map(|(index, flow)| Endpoints {
            interface: sources.binary_search(&flow.source).unwrap_or_default() as u32,
            source: address(flow.source),
            sink: address(flow.sink),
            source_port: 1024 + (index % 64_000) as u16,
            sink_port: 5001 + (index / 64_000) as u16,
            tcp: flow.tcp.clone(),
            payload: flow.size.map_or(u64::MAX, |size| size.count()),
            echo: 0,
        });
        let flows = flows.collect();
        let mut interfaces: Vec<(String, LinkType)> =
            sources.iter().map(|node| (format!("node{node}"), LinkType::Raw)).collect();
        let mut stations = BTreeMap::new();
        for node in network.topology.media.iter().flat_map(MediumConfig::observed_nodes) {
            stations.insert(node, interfaces.len() as u32);
            interfaces.push((format!("node{node}-wifi"), LinkType::Radiotap));
        }
        let datagrams = network.sources.iter().map(|source| (address(source.source), address(source.sink))).collect();
        Self { out: Pcapng::new(out, interfaces), flows, packets: 0, aggregates: 0, stations, datagrams }
    }
}

impl Tap for Capture {
    fn packet(&mut self, now: Time, packet: &Packet, is_outgoing: bool) {
        let flow = &mut self.flows[packet.flow as usize];
        if !is_outgoing {
            flow.echo = now.as_nanos();
        }
        let header = if matches!(packet.kind, Kind::Quic | Kind::QuicBack) {
            let bytes = flow.udp(packet, is_outgoing, self.packets);
            let payload = packet.size.saturating_sub(bytes.len() as u32);
            Header { bytes, payload }
        } else {
            ip_and_tcp(flow, packet, is_outgoing, now, self.packets)
        };
        self.packets = self.packets.wrapping_add(1);
        let length = header.bytes.len() as u32 + header.payload;
        self.out.packet(flow.interface, now, &header.bytes, length);
    }

    fn frame(&mut self, frame: &AirFrame) {
        let Some(&interface) = self.stations.get(&frame.from) else { return };
        if frame.mpdus.is_empty() {
            let (bytes, length) = radio::control(frame);
            self.put(interface, frame, &bytes, length);
        }
        self.aggregates = self.aggregates.wrapping_add(u32::from(frame.is_aggregate));
        let last = frame.mpdus.len().wrapping_sub(1);
        for (at, mpdu) in frame.mpdus.iter().enumerate() {
            let place = Place { reference: self.aggregates, is_last: at == last };
            let (mut bytes, length) = radio::data(frame, mpdu, frame.is_aggregate.then_some(place));
            if mpdu.followers.is_empty() {
                radio::put_snap(&mut bytes);
                self.put_headers(frame, mpdu.packet.as_ref(), &mut bytes);
            } else {
                let start = bytes.len();
                let mut end = start;
                for packet in mpdu.packet.iter().chain(&mpdu.followers) {
                    // Subframes are found by their lengths: what packets hold behind their headers is zero, and the
                    // last one ends with its headers.
                    bytes.resize(start + (end - start).next_multiple_of(4), 0);
                    radio::put_subframe(&mut bytes, frame, packet.size);
                    radio::put_snap(&mut bytes);
                    end = bytes.len() + packet.size as usize;
                    self.put_headers(frame, Some(packet), &mut bytes);
                }
            }
            self.put(interface, frame, &bytes, length);
        }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.out.finish()
    }
}

impl Capture {
    /// Writes a frame or an MPDU of `length` bytes on the air.
    fn put(&mut self, interface: u32, frame: &AirFrame, bytes: &[u8], length: u32) {
        self.packets = self.packets.wrapping_add(1);
        let length = length.max(bytes.len() as u32);
        self.out.packet(interface, frame.ended, bytes, length);
    }

    /// Adds the headers of a packet.
    fn put_headers(&self, frame: &AirFrame, packet: Option<&Packet>, bytes: &mut Vec<u8>) {
        if let Some(packet) = packet {
            match packet.kind {
                Kind::Datagram | Kind::Report => {
                    let (from, to) = self.datagrams[packet.flow as usize];
                    let ends = if packet.kind == Kind::Report { (to, from) } else { (from, to) };
                    bytes.extend(ip_and_udp(
                        ends,
                        packet.ecn,
                        packet.size,
                        (BACKGROUND_PORT, BACKGROUND_PORT),
                        self.packets,
                    ));
                }
                // Of two-way connections, frames show no headers.
                Kind::Quic | Kind::QuicBack => {
                    if let Some(flow) = self.flows.get(packet.flow as usize) {
                        bytes.extend(flow.udp(packet, packet.kind == Kind::Quic, self.packets));
                    }
                }
                Kind::Parcel { .. } | Kind::Routing | Kind::Coded | Kind::CodedAck | Kind::Segment | Kind::Probe => {}
                _ => {
                    let is_outgoing = matches!(packet.kind, Kind::Syn | Kind::HandshakeAck | Kind::Data);
                    if let Some(flow) = self.flows.get(packet.flow as usize) {
                        bytes.extend(ip_and_tcp(flow, packet, is_outgoing, frame.began, self.packets).bytes);
                    }
                }
            }
        } else if frame.kind == FrameKind::Broadcast {
            let size = frame.bytes.saturating_sub(ROUTING_OVERHEAD);
            let ends = (address(frame.from), u32::MAX);
            bytes.extend(ip_and_udp(ends, Ecn::default(), size, (ROUTING_PORT, ROUTING_PORT), self.packets));
        }
    }
}

/// UDP ports: discard for datagrams, and ns-3's port of distance-vector routing.
const BACKGROUND_PORT: u16 = 9;
const ROUTING_PORT: u16 = 269;
/// Bytes of a broadcast beyond its packet.
const ROUTING_OVERHEAD: u32 = 36;

/// Returns the headers of a datagram of `size` bytes.
fn ip_and_udp((from, to): (u32, u32), ecn: Ecn, size: u32, ports: (u16, u16), id: u16) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(28);
    bytes.extend([0x45, ecn.codepoint().bits()]);
    bytes.extend((size.min(65_535) as u16).to_be_bytes());
    bytes.extend(id.to_be_bytes());
    bytes.extend([0x40, 0, 64, 17, 0, 0]);
    bytes.extend(from.to_be_bytes());
    bytes.extend(to.to_be_bytes());
    let sum = checksum(&bytes, 0);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes.extend(ports.0.to_be_bytes());
    bytes.extend(ports.1.to_be_bytes());
    bytes.extend((size.saturating_sub(IP_HEADER).min(65_535) as u16).to_be_bytes());
    // No checksum, which IPv4 allows.
    bytes.extend([0; 2]);
    bytes
}

/// Returns the address of a node: 10.0.0.1 for node 0, and upwards.
const fn address(node: u32) -> u32 {
    0x0a00_0000 | ((node + 1) & 0x00ff_ffff)
}

struct Header {
    bytes: Vec<u8>,
    payload: u32,
}

/// Returns the headers of `packet` as on the wire; initial sequence numbers are zero.
fn ip_and_tcp(flow: &Endpoints, packet: &Packet, is_outgoing: bool, now: Time, id: u16) -> Header {
    let segment = flow.tcp.segment.count();
    // Offset of the first byte of segment `number`; a SYN takes the first number.
    let offset = |number: u32| 1 + (u64::from(number) * segment).min(flow.payload);
    let is_data = packet.kind == Kind::Data;
    let payload = if is_data { (offset(packet.number + 1) - offset(packet.number)) as u32 } else { 0 };
    let (seq, ack, flags) = match packet.kind {
        Kind::Syn => (0, 0, SYN),
        Kind::SynAck => (0, 1, SYN | ACK),
        Kind::Data if packet.is_last => (offset(packet.number), 1, ACK | PSH | FIN),
        Kind::Data => (offset(packet.number), 1, ACK),
        // The receiver's FIN acknowledges the sender's FIN, which took a number of its own.
        _ if packet.is_last => (1, offset(packet.number) + 1, ACK | FIN),
        _ => (1, if is_outgoing { 1 } else { offset(packet.number) }, ACK),
    };
    let options = tcp_options(flow, packet, now, offset);
    let tcp_length = TCP_HEADER + options.len() as u32;
    let total = (IP_HEADER + tcp_length + payload).min(65_535) as u16;
    let (from, to, from_port, to_port) = if is_outgoing {
        (flow.source, flow.sink, flow.source_port, flow.sink_port)
    } else {
        (flow.sink, flow.source, flow.sink_port, flow.source_port)
    };
    let mut bytes = Vec::with_capacity(100);
    bytes.extend([0x45, packet.ecn.codepoint().bits()]);
    bytes.extend(total.to_be_bytes());
    bytes.extend(id.to_be_bytes());
    // Don't fragment; time to live 64; TCP; checksum below.
    bytes.extend([0x40, 0, 64, 6, 0, 0]);
    bytes.extend(from.to_be_bytes());
    bytes.extend(to.to_be_bytes());
    let sum = checksum(&bytes, 0);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());

    let window = u64::from(flow.tcp.receive_window) * segment;
    let shift = if flags & SYN != 0 { 0 } else { WINDOW_SHIFT };
    bytes.extend(from_port.to_be_bytes());
    bytes.extend(to_port.to_be_bytes());
    bytes.extend((seq as u32).to_be_bytes());
    bytes.extend((ack as u32).to_be_bytes());
    let [high, low] = ecn_flags(flow.tcp.ecn, packet);
    bytes.push((tcp_length as u8 / 4) << 4 | high);
    bytes.push(flags | low);
    bytes.extend((((window >> shift).clamp(1, 65_535)) as u16).to_be_bytes());
    bytes.extend([0; 4]);
    bytes.extend(&options);
    // The pseudo-header consists of addresses, protocol and length; the payload is zeros and adds nothing.
    let pseudo = sum_words(&bytes[12..20]) + 6 + tcp_length + payload;
    let sum = checksum(&bytes[20..], pseudo);
    bytes[36..38].copy_from_slice(&sum.to_be_bytes());
    Header { bytes, payload }
}

/// Flags AE (in the byte of the header's length), CWR and ECE of a packet. In a handshake they negotiate ECN (RFC 3168
/// §6.1.1, RFC 9768 §3.1.1). Later they are the echo, the answer, or the counter of marks, which starts at 5 (§3.2.1).
fn ecn_flags(mode: EcnMode, packet: &Packet) -> [u8; 2] {
    const CWR: u8 = 0x80;
    const ECE: u8 = 0x40;
    let spread = |bits: u32| [(bits >> 2 & 1) as u8, ((bits & 0b11) as u8) << 6];
    match (mode, packet.kind) {
        (EcnMode::Off, _) => [0, 0],
        (EcnMode::Classic, Kind::Syn) => [0, CWR | ECE],
        (EcnMode::Classic, Kind::SynAck) => [0, ECE],
        (EcnMode::Classic, Kind::Data) => [0, if packet.ecn.flag() { CWR } else { 0 }],
        (EcnMode::Classic, _) => [0, if packet.ecn.flag() { ECE } else { 0 }],
        (_, Kind::Syn) => spread(0b111),
        (_, Kind::SynAck | Kind::HandshakeAck) => spread(0b010),
        (_, Kind::Ack) => spread((packet.ecn.count() + 5) % COUNT_MODULO),
        (_, _) => spread(5),
    }
}

fn tcp_options(flow: &Endpoints, packet: &Packet, now: Time, offset: impl Fn(u32) -> u64) -> Vec<u8> {
    let mut options = Vec::with_capacity(40);
    if matches!(packet.kind, Kind::Syn | Kind::SynAck) {
        let mss = (flow.tcp.segment.count() as u16).to_be_bytes();
        options.extend([2, 4, mss[0], mss[1], 1, 3, 3, WINDOW_SHIFT]);
        options.extend(if flow.tcp.sack { [1, 1, 4, 2] } else { [1; 4] });
    }
    if flow.tcp.timestamps {
        let micros = |nanos: u64| ((nanos / 1000) as u32).to_be_bytes();
        options.extend([1, 1, 8, 10]);
        // A receiver's packet gets the time of its arrival as timestamp: its time of transmission is unknown here.
        let (value, echo) = match packet.kind {
            Kind::SynAck | Kind::Ack => (now.as_nanos(), packet.stamp),
            _ => (packet.stamp, flow.echo),
        };
        options.extend(micros(value));
        options.extend(micros(echo));
    }
    if packet.kind == Kind::Ack && sack_option(&packet.sack) > 0 {
        let blocks: Vec<Range> = packet.sack.iter().copied().take_while(|(from, to)| from < to).collect();
        options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
        for (from, to) in blocks {
            options.extend((offset(from) as u32).to_be_bytes());
            options.extend((offset(to) as u32).to_be_bytes());
        }
    }
    options
}

fn sum_words(bytes: &[u8]) -> u32 {
    bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum()
}

/// The Internet checksum (RFC 1071), starting from `initial`.
fn checksum(bytes: &[u8], initial: u32) -> u16 {
    let mut sum = sum_words(bytes) + initial;
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 1071's usual textbook example: the header 45 00 00 73 … has checksum b861.
    #[test]
    fn a_known_header_has_its_known_checksum() {
        let header = [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7];
        assert_eq!(checksum(&header, 0), 0xb861);
    }
}
