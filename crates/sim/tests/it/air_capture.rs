//! Captures of 802.11n, ac and ax, decoded here byte by byte, tell of every MPDU what the simulator counted.

use crate::common::network;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use windward_sim::wifi::edca::{
    BlockAckConfig, Category, Contention, EdcaConfig, EdcaStation, EdcaWay, Hardware, RateChoice,
};
use windward_sim::wifi::ppdu::{Format, Guard, Limits, Mode, Timing, Width};
use windward_sim::wifi::{Phy, Reach};
use windward_sim::{
    Buffer, Control, Destination, Makers, MediumConfig, Network, Output, Pattern, RunError, SourceConfig, run,
};
use windward_units::{BitRate, Bytes, Duration, Time};

/// Two stations; datagrams over one way, which loses MPDUs.
fn pair(mode: Mode, category: Category, rate: u64) -> Network {
    let station = |key: u32| EdcaStation {
        key: u64::from(key),
        node: key,
        place: (0.0, 0.0),
        contention: Contention::STATION,
        buffer: Buffer::Packets(1000),
        txqs: None,
        is_strict: false,
        hardware: Hardware::Driver,
        weight: 256,
    };
    let limits = Limits::most(mode.format());
    let mut block_ack = BlockAckConfig::linux(limits.frames as u32);
    block_ack.attempts = Some(2);
    let config = EdcaConfig {
        format: mode.format(),
        phy: Phy { propagation: Duration::from_nanos(100), ..Phy::A },
        timing: Timing::STANDARD,
        basic_rates: vec![6, 12, 24],
        overhead: Bytes::new(38),
        rts_threshold: Some(Bytes::new(20_000)),
        retries: 7,
        ampdu: Some(limits),
        amsdu: Bytes::new(0),
        spacing: Duration::ZERO,
        block_ack,
        stations: (0..2).map(station).collect(),
        access_point: None,
        channel_mhz: 5180,
        ways: vec![EdcaWay { from: 0, to: 1, loss: 0.2, rate: RateChoice::Fixed(mode) }],
        reach: Reach::complete(2),
        sense: 0.0,
        motion: None,
        ladder: Vec::new(),
        noise: None,
        flows: Vec::new(),
        sources: vec![category],
    };
    let mut network = network(Vec::new(), Vec::new(), 0, 1);
    let ends: Vec<_> = config.ways.iter().map(|way| config.ends(way)).collect();
    network.topology.add_medium(MediumConfig::Edca(config), ends);
    network.sources = vec![SourceConfig {
        stop: Some(Time::ZERO + Duration::from_millis(150)),
        ..SourceConfig::new(0, (0, 1), vec![0], Pattern::Cbr { rate: BitRate::bits_per_sec(rate) }, Bytes::new(1500))
    }];
    network.air = Some(Time::ZERO..Time::ZERO + Duration::from_millis(1000));
    network
}

/// A file in memory.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn captured(network: &Network) -> (Output, Vec<u8>) {
    let file = Shared::default();
    let out = Destination::Together(Box::new(file.clone()));
    let output = run(network, &Makers::default(), 1, &Control::new(), Some(out)).unwrap();
    let bytes = file.0.lock().unwrap().clone();
    (output, bytes)
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

fn long(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Interface, bytes, and length on the air.
type Packet<'a> = (u32, &'a [u8], u32);

/// Blocks of a pcapng file: names of interfaces, and packets.
fn packets(file: &[u8]) -> (Vec<String>, Vec<Packet<'_>>) {
    let (mut names, mut packets, mut at) = (Vec::new(), Vec::new(), 0);
    while at < file.len() {
        let (kind, length) = (long(file, at), long(file, at + 4) as usize);
        assert_eq!(long(file, at + length - 4) as usize, length);
        match kind {
            1 => {
                assert_eq!(word(file, at + 16), 2, "the name is the first option");
                let name = &file[at + 20..at + 20 + usize::from(word(file, at + 18))];
                names.push(String::from_utf8(name.to_vec()).unwrap());
            }
            6 => {
                let bytes = &file[at + 28..at + 28 + long(file, at + 20) as usize];
                packets.push((long(file, at + 8), bytes, long(file, at + 24)));
            }
            _ => assert_eq!((kind, at), (0x0a0d_0d0a, 0)),
        }
        at += length;
    }
    (names, packets)
}

/// Fields of a radiotap header by bit, and the frame behind it.
fn radiotap(bytes: &[u8]) -> (BTreeMap<u32, &[u8]>, &[u8]) {
    let (length, present) = (usize::from(word(bytes, 2)), long(bytes, 4));
    assert_eq!(bytes[..2], [0, 0]);
    let (mut fields, mut at) = (BTreeMap::new(), 8_usize);
    for bit in (0..32).filter(|bit| present >> bit & 1 == 1) {
        let (align, size) = match bit {
            0 => (8, 8),
            1 | 2 => (1, 1),
            3 => (2, 4),
            19 => (1, 3),
            20 => (4, 8),
            21 | 23 => (2, 12),
            _ => panic!("field {bit}"),
        };
        at = at.next_multiple_of(align);
        fields.insert(bit, &bytes[at..at + size]);
        at += size;
    }
    assert_eq!(at, length);
    (fields, &bytes[length..])
}

/// MPDUs of a network as a capture shows them.
#[derive(Debug, Default, PartialEq)]
struct Told {
    ppdus: u64,
    mpdus: u64,
    repeated: u64,
    /// MPDUs without a bit in the BlockAck, or without an ACK.
    failed: u64,
    requests: u64,
    /// Times at which the numbers began again at 0.
    wraps: u64,
    /// Fields of HT, VHT or HE.
    modes: BTreeSet<(u32, Vec<u8>)>,
}

/// Reads the frames of a capture in their order; data carry the identifier `tid`.
fn told(file: &[u8], tid: u16) -> Told {
    let mut told = Told::default();
    // Numbers in the PPDU that waits for its answer, its reference, and its start.
    let mut pending: Vec<u16> = Vec::new();
    let mut current: Option<(u32, u64)> = None;
    let mut references = BTreeSet::new();
    let (mut is_whole, mut latest) = (true, 0);
    let (names, packets) = packets(file);
    for (interface, bytes, length) in packets {
        let sender = match names[interface as usize].as_str() {
            "node0-wifi" => 1,
            "node1-wifi" => 2,
            _ => continue,
        };
        let (fields, frame) = radiotap(bytes);
        let start = u64::from_le_bytes(fields[&0].try_into().unwrap());
        assert_eq!(fields[&1], [0]);
        assert_eq!((word(fields[&3], 0), word(fields[&3], 2)), (5180, 0x0140));
        // Receiver, and sender where there is one.
        assert_eq!(frame[4..10], [2, 0, 0, 0, 0, 3 - sender]);
        if !matches!(frame[0], 0xc4 | 0xd4) {
            assert_eq!(frame[10..16], [2, 0, 0, 0, 0, sender]);
        }
        let on_air = length - u32::from(word(bytes, 2)) + 4;
        assert_eq!(frame[0] == 0x88, !fields.contains_key(&2), "a rate, or a scheme");
        match frame[0] {
            0x88 => {
                assert_eq!((on_air, word(frame, 24)), (1538, tid));
                assert_eq!(frame[26..34], [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
                assert_eq!((frame[34], frame[43]), (0x45, 17), "IPv4 and UDP");
                let mode = [19, 21, 23].into_iter().find_map(|bit| Some((bit, fields.get(&bit)?.to_vec())));
                told.modes.insert(mode.expect("a scheme"));
                let number = word(frame, 22) >> 4;
                assert_eq!(word(frame, 22) & 15, 0);
                if is_whole {
                    // No answer came.
                    told.failed += pending.drain(..).len() as u64;
                    told.ppdus += 1;
                }
                let status = fields.get(&20).map(|field| (long(field, 0), word(field, 4)));
                if let Some((reference, flags)) = status {
                    assert_eq!(is_whole, references.insert(reference), "a reference for each A-MPDU");
                    assert!(is_whole || current == Some((reference, start)), "one reference, one start");
                    current = Some((reference, start));
                    assert!(flags == 4 || flags == 12);
                    is_whole = flags == 12;
                } else {
                    assert!(is_whole, "a bare MPDU");
                }
                if frame[1] & 8 != 0 {
                    told.repeated += 1;
                } else {
                    assert_eq!(number, if told.mpdus == 0 { 0 } else { (latest + 1) % 4096 }, "new ones count up");
                    told.wraps += u64::from(number < latest);
                    latest = number;
                }
                told.mpdus += 1;
                pending.push(number);
            }
            0x94 => {
                assert_eq!(word(frame, 16), 4 | tid << 12, "compressed");
                let bitmap = &frame[20..];
                let fragment = if bitmap.len() == 32 { 4 } else { 0 };
                assert_eq!((on_air as usize, word(frame, 18) & 15), (24 + bitmap.len(), fragment));
                let first = word(frame, 18) >> 4;
                let is_received = |number: u16| {
                    let at = usize::from(number.wrapping_sub(first) & 4095);
                    bitmap.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
                };
                told.failed += pending.drain(..).filter(|&number| !is_received(number)).count() as u64;
            }
            0xd4 => {
                assert_eq!((on_air, pending.len()), (14, 1));
                pending.clear();
            }
            0x84 => {
                assert_eq!((on_air, word(frame, 16)), (24, 4 | tid << 12));
                told.failed += pending.drain(..).len() as u64;
                told.requests += 1;
            }
            kind => assert!(matches!((kind, on_air), (0xb4, 20) | (0xc4, 14)), "{kind:x} {on_air}"),
        }
    }
    told
}

/// Fields of the scheme for HT, VHT and HE, and sums of MPDUs, retransmissions, losses and requests: the decoder above
/// derives them from data and BlockAcks, and they equal the simulator's own counts.
#[test]
fn a_capture_tells_the_fate_of_every_mpdu() {
    let ht = Mode::new(Format::Ht, Width::Mhz40, 2, Guard::Ns400, 7).unwrap();
    let vht = Mode::new(Format::Vht, Width::Mhz80, 3, Guard::Ns800, 4).unwrap();
    let he = Mode::new(Format::He, Width::Mhz160, 1, Guard::Ns1600, 11).unwrap();
    // Index 15; 4 << 4 | 3; scheme 11 with LDPC, 160 MHz with a guard interval of 1.6 µs and two-fold training fields.
    let cases = [
        (ht, Category::BestEffort, 0, (19, vec![0x7f, 0x05, 15]), 200),
        (vht, Category::Video, 4, (21, vec![0x45, 0, 0, 4, 0x43, 0, 0, 0, 0, 0, 0, 0]), 300),
        (he, Category::Background, 1, (23, vec![0xe0, 0x42, 6, 0, 0, 0x2b, 0, 0, 0x93, 0, 1, 0]), 500),
    ];
    for (mode, category, tid, field, mbit) in cases {
        let network = pair(mode, category, mbit * 1_000_000);
        let (output, file) = captured(&network);
        let told = told(&file, tid);
        let of_table = |table, name| output.media.get(table).and_then(|table| table.counts(name));
        let tables = ["wifi_stations", "wifi_links", "edca_stations", "edca_links"];
        let count = |name| -> u64 { tables.iter().filter_map(|table| of_table(*table, name)).flatten().sum() };
        assert_eq!(told.modes, BTreeSet::from([field]));
        // A row for each link, and one for each station.
        assert_eq!((2 * told.ppdus, told.mpdus), (count("data_frames"), count("mpdus")));
        assert_eq!((told.failed, told.requests), (count("mpdu_failures"), count("requests")));
        assert!(told.failed > 300 && told.requests > 2 && count("given_up") > 20, "{told:?}");
        // Each MPDU goes out twice at most, so all failures but the last ones are sent again.
        assert_eq!(told.repeated, told.failed - count("given_up"));
        // 150 ms hold more than 4096 numbers.
        assert_eq!(told.wraps, u64::from(mode == he));
        // The log of the air holds the same.
        let (frames, mpdus) = (&output.air, &output.air_mpdus);
        assert_eq!(frames.mpdus.iter().map(|&count| u64::from(count)).sum::<u64>(), told.mpdus);
        assert_eq!(mpdus.number.len() as u64, told.mpdus);
        let received = |list: &[u32]| list.iter().map(|&count| u64::from(count)).sum::<u64>();
        assert_eq!(told.mpdus - received(&mpdus.received), told.failed);
        assert_eq!(received(&frames.mpdus_received), received(&mpdus.received));
        assert_eq!(mpdus.attempt.iter().filter(|&&attempt| attempt > 1).count() as u64, told.repeated);
    }
}

/// Three packets of 1500 bytes in 4600: an MPDU of 30 bytes and 2·1524 + 1522 of subframes, in A-MPDUs. Each subframe
/// has the addresses of its MPDU, its length, LLC and SNAP, and the headers of its packet; the numbers of the packets
/// go on.
#[test]
fn an_amsdu_shows_its_packets() {
    let mode = Mode::new(Format::Vht, Width::Mhz80, 1, Guard::Ns400, 9).unwrap();
    let mut network = pair(mode, Category::BestEffort, 300_000_000);
    let Some(MediumConfig::Edca(config)) = network.topology.media.first_mut() else { panic!("a network") };
    config.amsdu = Bytes::new(4600);
    let (output, file) = captured(&network);
    let (mut joined, mut aggregated) = (0, 0);
    for (_, bytes, length) in packets(&file).1 {
        let (fields, frame) = radiotap(bytes);
        if frame[0] != 0x88 {
            continue;
        }
        let on_air = length - u32::from(word(bytes, 2)) + 4;
        if word(frame, 24) & 0x80 == 0 {
            assert_eq!(on_air, 1538);
            continue;
        }
        aggregated += u32::from(fields.contains_key(&20));
        let mut at = 26;
        let mut left = (on_air - 30) as usize;
        while left > 0 {
            joined += 1;
            let subframe = &frame[at..];
            assert_eq!((&subframe[..6], &subframe[6..12]), (&frame[4..10], &frame[10..16]));
            assert_eq!(subframe[12..22], [5, 0xe4, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0], "1508 bytes, LLC and SNAP");
            assert_eq!((subframe[22], subframe[31]), (0x45, 17), "IPv4 and UDP");
            let step = if left == 1522 { 1522 } else { 1524 };
            (at, left) = (at + step, left - step);
        }
        assert!(matches!(on_air, 3076 | 4600), "two or three packets");
    }
    assert!(joined > 3000 && aggregated > 1000, "{joined} {aggregated}");
    let links = output.media.get("edca_links").expect("links");
    let mean = links.values("mean_amsdu").expect("a column")[0];
    assert!((2.5..=3.0).contains(&mean), "{mean}");
}

/// To DS with the access point as receiver and destination, From DS with it as sender and source.
#[test]
fn an_access_point_has_its_directions() {
    let mode = Mode::new(Format::He, Width::Mhz20, 1, Guard::Ns800, 3).unwrap();
    for (access_point, flag, third) in [(1, 1, 2), (0, 2, 1)] {
        let mut network = pair(mode, Category::BestEffort, 5_000_000);
        let Some(MediumConfig::Edca(config)) = network.topology.media.first_mut() else { panic!("a network") };
        config.access_point = Some(access_point);
        config.channel_mhz = 2437;
        let (_, file) = captured(&network);
        let (_, packets) = packets(&file);
        let mut data = 0;
        for (_, bytes, _) in packets {
            let (fields, frame) = radiotap(bytes);
            assert_eq!((word(fields[&3], 0), word(fields[&3], 2)), (2437, 0x00c0));
            if frame[0] == 0x88 {
                data += 1;
                assert_eq!((frame[1] & 3, &frame[16..22]), (flag, &[2, 0, 0, 0, 0, third][..]));
            } else {
                assert_eq!(frame[1], 0);
            }
        }
        assert!(data > 50);
    }
}

/// Each interface in a file of its own has the packets that it has in the file of all.
#[test]
fn interfaces_can_have_files_of_their_own() {
    let mode = Mode::new(Format::Vht, Width::Mhz20, 1, Guard::Ns800, 0).unwrap();
    let network = pair(mode, Category::Voice, 5_000_000);
    let (_, together) = captured(&network);
    let files: Arc<Mutex<BTreeMap<String, Shared>>> = Arc::default();
    let opened = Arc::clone(&files);
    let open = move |name: &str| -> io::Result<Box<dyn Write + Send>> {
        let file = Shared::default();
        assert!(opened.lock().unwrap().insert(name.to_owned(), file.clone()).is_none());
        Ok(Box::new(file))
    };
    let out = Destination::Apart(Box::new(open));
    run(&network, &Makers::default(), 1, &Control::new(), Some(out)).unwrap();
    let files = files.lock().unwrap();
    let (names, all) = packets(&together);
    assert_eq!(names, ["node0-wifi", "node1-wifi"]);
    assert_eq!(files.keys().collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    for (at, name) in (0..).zip(&names) {
        let file = files[name].0.lock().unwrap();
        let (own_names, own) = packets(&file);
        assert_eq!(&own_names, std::slice::from_ref(name));
        let expected = all.iter().filter(|packet| packet.0 == at).map(|&(_, bytes, length)| (0, bytes, length));
        assert!(!own.is_empty() && own.into_iter().eq(expected));
    }
}

/// A file that cannot be opened ends the capture with its error.
#[test]
fn a_file_that_cannot_be_opened_is_an_error() {
    let mode = Mode::new(Format::Vht, Width::Mhz20, 1, Guard::Ns800, 0).unwrap();
    let network = pair(mode, Category::Voice, 1_000_000);
    let open = |_: &str| Err(io::Error::from(io::ErrorKind::PermissionDenied));
    let outcome = run(&network, &Makers::default(), 1, &Control::new(), Some(Destination::Apart(Box::new(open))));
    assert!(matches!(outcome, Err(RunError::Capture(error)) if error.kind() == io::ErrorKind::PermissionDenied));
}
