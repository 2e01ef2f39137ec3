use super::*;
use crate::tcp::{SYN, Timestamps};
use windward_scenario::Scenario;

const SOURCE: u32 = 0x0a00_0010;
const SINK: u32 = 0x0a00_0011;
const PAYLOAD: u32 = 100;
/// Sequence numbers of the two SYNs; the source's data wrap around.
const FIRST: u32 = u32::MAX - 449;
const OTHER: u32 = 5000;

/// A layer with blocks of five, and the frames of an emulator.
fn layer() -> (Coded<'static>, Hands) {
    let text = r#"
        name = "coded"
        duration = "1 s"
        node = [{ name = "a" }, { name = "b" }]
        [[link]]
        from = "a"
        to = "b"
        rate = "1 Mbit/s"
        delay = "1 ms"
        [[flow]]
        from = "a"
        to = "b"
        law = "reno"
        segment = "100 B"
        overhead = "40 B"
        coding = { kind = "random", block = "5 packets" }
    "#;
    let scenario = Scenario::from_toml(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let flow = &scenario.compile(1).network.flows[0];
    let look = || Sight { cwnd: 10.0, srtt: Duration::from_millis(20) };
    let layer = Coded::new(0, flow, 7, 200, Box::new(look)).expect("the flow is coded");
    (layer, Hands::new(frame_size(200)))
}

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// A packet in a frame: from the source unless it answers, with timestamps and so much data.
fn packet(hands: &mut Hands, is_answer: bool, sequence: u32, flags: u8, stamps: (u32, u32), data: u32) -> u32 {
    let (from, to) = if is_answer { (SINK, SOURCE) } else { (SOURCE, SINK) };
    let acknowledged = if is_answer { FIRST + 1 } else { OTHER + 1 };
    let timestamps = Some(Timestamps { value: stamps.0, echo: stamps.1 });
    let ports = if is_answer { [5001, 9] } else { [9, 5001] };
    let ack = Acknowledgement { from, to, ports, sequence, acknowledged, window: 77, timestamps, sack: &[] };
    let handle = hands.take().expect("there are frames");
    let room = hands.frames.room(handle);
    let header = ack.write(room);
    let length = header + data as usize;
    room[2..4].copy_from_slice(&(length as u16).to_be_bytes());
    room[33] |= flags;
    // Every packet has data of its own.
    room[header..length].fill(sequence as u8);
    if flags & SYN != 0 {
        // SACK permitted takes the place of the padding.
        room[40..42].copy_from_slice(&[4, 2]);
    }
    hands.frames.set_length(handle, length);
    handle
}

fn parcel(is_backward: bool, handle: u32) -> Parcel {
    Parcel { is_backward, handle, ..Parcel::default() }
}

/// The handshake, then so many segments, 1 ms apart and stamped with their numbers. Returns the combinations.
fn begin(layer: &mut Coded<'_>, hands: &mut Hands, segments: u32) -> Vec<Parcel> {
    let syn = packet(hands, false, FIRST, SYN, (1, 0), 0);
    assert_eq!(layer.send(at(0), parcel(false, syn), hands), Some(parcel(false, syn)));
    let answer = packet(hands, true, OTHER, SYN, (900, 1), 0);
    assert_eq!(layer.answer(parcel(true, answer), hands), Some(parcel(true, answer)));
    let third = packet(hands, false, FIRST + 1, 0, (2, 900), 0);
    assert_eq!(layer.send(at(1), parcel(false, third), hands), Some(parcel(false, third)));
    (0..segments).flat_map(|number| send(layer, hands, number)).collect()
}

fn sequence(number: u32) -> u32 {
    (FIRST + 1).wrapping_add(number * PAYLOAD)
}

fn send(layer: &mut Coded<'_>, hands: &mut Hands, number: u32) -> Vec<Parcel> {
    let data = packet(hands, false, sequence(number), 0, (100 + number, 900), PAYLOAD);
    assert_eq!(layer.send(at(10 + u64::from(number)), parcel(false, data), hands), None);
    hands.sent()
}

/// A combination arrives, and what the sink says about it at the source: the data that come out, by their numbers, and
/// the ACK.
fn cross(layer: &mut Coded<'_>, hands: &mut Hands, combination: Parcel) -> (Vec<u32>, Option<(Segment, Vec<u8>)>) {
    let out = layer.arrive(at(100), combination, hands);
    let number = |&handle: &u32| {
        let packet = hands.frames.packet(handle);
        let segment = Segment::read(packet).expect("a segment comes out");
        assert!(packet[packet.len() - segment.payload as usize..].iter().all(|&byte| byte == segment.sequence as u8));
        segment.sequence.wrapping_sub(FIRST + 1) / PAYLOAD
    };
    let out = out.iter().map(number).collect();
    let feedback = hands.sent();
    assert_eq!((feedback.len(), feedback[0].is_backward, feedback[0].size), (1, true, 48));
    let acks = layer.arrive(at(110), feedback[0], hands);
    let ack = acks.first().map(|&handle| hands.frames.packet(handle).to_vec());
    (out, ack.map(|ack| (Segment::read(&ack).expect("an ACK is a segment"), ack)))
}

/// Combinations take 40 + 100 B as segments do, and 8 + 5 of header; each that arrives is acknowledged in the sink's
/// name.
#[test]
fn segments_come_out_as_they_went_in() {
    let (mut layer, mut hands) = layer();
    let combinations = begin(&mut layer, &mut hands, 12);
    assert!(combinations.iter().all(|combination| combination.size == 153 && !combination.is_backward));
    for (number, &combination) in (0..).zip(&combinations) {
        let (out, ack) = cross(&mut layer, &mut hands, combination);
        let (segment, packet) = ack.expect("it is news");
        assert_eq!(out, [number]);
        assert_eq!((segment.from, segment.to, segment.ports), (SINK, SOURCE, [5001, 9]));
        assert_eq!((segment.acknowledged, segment.sequence), (sequence(number + 1), OTHER + 1));
        let expected = Timestamps { value: 900, echo: 100 + number };
        assert_eq!(segment.options(&packet).timestamps, Some(expected));
    }
    // What the sink's kernel says of it stays here, but for its window and its clock, and its FIN passes.
    let ack = packet(&mut hands, true, OTHER + 1, 0, (950, 111), 0);
    assert_eq!(layer.answer(parcel(true, ack), &mut hands), None);
    let fin = packet(&mut hands, true, OTHER + 1, FIN, (960, 111), 0);
    assert_eq!(layer.answer(parcel(true, fin), &mut hands), Some(parcel(true, fin)));
    let last = send(&mut layer, &mut hands, 12);
    let (segment, packet) = cross(&mut layer, &mut hands, last[0]).1.expect("it is news");
    assert_eq!((segment.sequence, segment.window), (OTHER + 2, 77));
    assert_eq!(segment.options(&packet).timestamps, Some(Timestamps { value: 960, echo: 112 }));
    let (counts, blocks) = layer.finish(Time::ZERO);
    assert_eq!((counts.combinations, counts.innovative, counts.repairs, blocks.len()), (13, 13, 0, 2));
}

/// The second is lost on the air: the kernel learns nothing of it, and the sink asks. The fourth is dropped by the
/// source's own queue: the kernel sees that one missing, and sends it again.
#[test]
fn what_the_air_loses_is_masked_and_what_the_source_drops_is_not() {
    let (mut layer, mut hands) = layer();
    let combinations = begin(&mut layer, &mut hands, 5);
    let cross_all = |layer: &mut Coded<'_>, hands: &mut Hands, all: &[Parcel]| -> Vec<(Vec<u32>, Option<u32>)> {
        let cross = |&each| cross(layer, hands, each);
        all.iter().map(cross).map(|(out, ack)| (out, ack.map(|(ack, _)| ack.acknowledged))).collect()
    };
    assert!(layer.lose(combinations[1], false, &hands));
    assert!(layer.lose(combinations[3], true, &hands));
    let [first, third] = [0, 2].map(|at| combinations[at]);
    let expected = [(vec![0], Some(sequence(1))), (vec![], Some(sequence(2)))];
    assert_eq!(cross_all(&mut layer, &mut hands, &[first, third]), expected);
    let (out, ack) = cross(&mut layer, &mut hands, combinations[4]);
    let (segment, _) = ack.expect("it is news");
    assert_eq!((out, segment.acknowledged), (vec![], sequence(3)));
    // Sent again at 20 ms: acknowledged with the rest behind it, and only one more is owed.
    let again = packet(&mut hands, false, sequence(3), 0, (130, 900), PAYLOAD);
    layer.send(at(20), parcel(false, again), &mut hands);
    let again = hands.sent();
    assert_eq!(again.len(), 1);
    let (_, ack) = cross(&mut layer, &mut hands, again[0]);
    let (segment, bytes) = ack.expect("it is news");
    assert_eq!(segment.acknowledged, sequence(3));
    assert_eq!(bytes.len(), 52 + 12, "the fifth is SACKed");
    assert!(layer.due() < Time::NEVER);
    layer.expire(layer.due(), &mut hands);
    let asked = hands.sent();
    assert!(layer.arrive(at(200), asked[0], &mut hands).is_empty());
    let repairs = hands.sent();
    assert_eq!(repairs.len(), 1);
    let (out, ack) = cross(&mut layer, &mut hands, repairs[0]);
    assert_eq!((out, ack.map(|(ack, _)| ack.acknowledged)), (vec![1, 2, 3, 4], Some(sequence(5))));
    let (counts, _) = layer.finish(Time::ZERO);
    assert_eq!((counts.combinations, counts.unmasked, counts.repairs, counts.innovative), (7, 1, 1, 5));
}
