//! An end alone: windows, probes, and what its segments say.

use super::*;
use crate::network::ReceiveBuffer;
use windward_laws::LawSpec;
use windward_units::{Bytes, Packets};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn end(tcp: &TcpOptions, cwnd: f64) -> End {
    let law = LawSpec::from_json("reno", serde_json::json!({})).expect("Reno is known");
    let mut end = End::new(law.build(Packets::new(cwnd)), tcp, 1);
    end.sender.establish(Time::ZERO, 1, Some(Duration::from_millis(100)));
    end
}

fn ack(number: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Ack, Time::ZERO, 0, 0, 0) }
}

fn data(now: Time, number: u32, acknowledges: u32) -> Packet {
    let mut packet = Packet { number, ..Packet::new(Kind::Segment, now, 0, 0, 0) };
    packet.set_ack(windward_elements::packet::Piggyback { number: acknowledges, window: 0, stamp: 0, block: (0, 0) });
    packet
}

/// Linux by hand: a window of 64, an initial one of 10, and pauses of just a timeout, and of more than one, two and
/// three of them leave 64, 32, 16 and 10. RFC 5681: 10 after each but the first.
#[test]
fn a_pause_halves_the_window_once_a_timeout() {
    for (rule, expected) in [(IdleRestart::Linux, [64, 32, 16, 10]), (IdleRestart::Rfc5681, [64, 10, 10, 10])] {
        for (timeouts, cwnd) in (0..).zip(expected) {
            let tcp = TcpOptions { idle_restart: rule, ..TcpOptions::default() };
            // One segment out of 64 leaves the window as it is.
            let mut end = end(&tcp, 64.0);
            end.write(at(0), 1448, false, |_| {});
            end.arrive(at(100), &ack(1), 0, |_| {});
            let info = end.sender.info();
            assert_eq!(info.cwnd, 64);
            let pause = if timeouts == 0 { info.rto } else { info.rto * timeouts + Duration::from_millis(10) };
            let mut sent = 0;
            end.write(Time::ZERO + pause, 100 * 1448, false, |_| sent += 1);
            assert_eq!((end.sender.info().cwnd, sent), (cwnd, cwnd), "{rule:?} after {timeouts}");
            let remembers = timeouts == 0 || end.sender.info().ssthresh.is_none_or(|ssthresh| ssthresh >= 48);
            assert!(remembers);
        }
    }
}

/// The other end closes its window of 5 segments. With a timeout of 300 ms, probes leave after 0.3, 0.6 and 1.2 s,
/// and the ACK of each starts the time of the next anew. The window is that of before. The third answer opens it.
#[test]
fn a_closed_window_is_probed() {
    let buffer = Some(ReceiveBuffer::Fixed(Bytes::new(5 * 1448)));
    let mut end = end(&TcpOptions { receive_buffer: buffer, ..TcpOptions::linux(true) }, 36.0);
    let update = |number, segments: u32| {
        let mut packet = ack(number);
        packet.set_window(segments * 1448);
        packet
    };
    let mut sent = 0;
    end.write(at(0), 20 * 1448, false, |_| sent += 1);
    assert_eq!(sent, 5);
    end.arrive(at(100), &update(5, 0), 0, |_| panic!("the window is closed"));
    let cwnd = end.sender.info().cwnd;
    for (probe, answer) in [(400, 500), (1100, 1200), (2400, 2500)] {
        assert_eq!(end.sender.timer().deadline(), at(probe));
        end.sender.timer().cancel();
        let mut probes = Vec::new();
        end.expire(at(probe), |out| probes.push((out.is_probe, out.data, out.number)));
        assert_eq!(probes, [(true, None, 0)]);
        assert_eq!(end.sender.info().cwnd, cwnd);
        let window = if probe == 2400 { 2 } else { 0 };
        let mut numbers = Vec::new();
        end.arrive(at(answer), &update(5, window), 0, |out| numbers.extend(out.data.map(|data| data.number)));
        assert_eq!(numbers, if window == 0 { vec![] } else { vec![5, 6] });
    }
    assert_eq!(end.sender.counts().timeouts, 0);
}

/// A probe is answered with the window of the moment, which carries no data: it is no duplicate to report.
#[test]
fn a_probe_is_answered() {
    let buffer = Some(ReceiveBuffer::Fixed(Bytes::new(2896)));
    let mut receiver = end(&TcpOptions { receive_buffer: buffer, ..TcpOptions::default() }, 10.0);
    let probe = Packet::new(Kind::Probe, at(0), 0, 0, 0);
    let mut answers = Vec::new();
    receiver.arrive(at(0), &probe, 0, |out| answers.push((out.data, out.window, out.sack[0])));
    assert_eq!(answers, [(None, Some(2896), (0, 0))]);
}

/// An ACK renews `snd_cwnd_stamp` in Linux (`tcp_cong_avoid`), so RFC 2861's rule of an unused window finds no timeout
/// without one: 4 of 64 segments each 100 ms keep the window for 10 s. Between kernels 6.18 one of 493 segments stood
/// for 5 s (TCP_INFO).
#[test]
fn a_window_that_is_not_used_is_kept_while_acks_arrive() {
    let mut end = end(&TcpOptions::linux(true), 64.0);
    for round in 0..100 {
        end.write(at(100 * round), 4 * 1448, false, |_| {});
        assert_eq!(end.sender.info().cwnd, 64);
        // The ACK comes while the next data wait.
        let acked = 4 * (round as u32 + 1);
        end.arrive(at(100 * round + 99), &ack(acked), 0, |_| {});
    }
    assert_eq!(end.sender.info().ssthresh, None);
}

/// Linux marks segments as app-limited at the write: while less than a segment waits, the window has room and
/// nothing is lost. A write of 3 segments finds 2 in flight: the next 3 deliveries end the mark.
#[test]
fn a_write_marks_what_it_sends() {
    let mut end = end(&TcpOptions::default(), 10.0);
    end.write(at(0), 2 * 1448, false, |_| {});
    end.write(at(10), 3 * 1448, false, |_| {});
    assert_eq!(end.sender.app_limited_until(), 5);
    // The window is full: the write marks nothing.
    end.write(at(20), 20 * 1448, false, |_| {});
    end.write(at(30), 1448, false, |_| {});
    assert_eq!(end.sender.app_limited_until(), 6);
}

/// A request answered after 5 ms: its ACK rides on the response. Answered after 60 ms, it is acknowledged alone
/// after 40 ms.
#[test]
fn an_answer_carries_the_ack() {
    for (answer, alone) in [(5, 0), (60, 1)] {
        let mut server = end(&TcpOptions::default(), 10.0);
        let mut acks = 0;
        server.arrive(at(0), &data(at(0), 0, 0), 328, |out| acks += u32::from(out.data.is_none()));
        if server.receiver.timer.deadline() <= at(answer) {
            assert_eq!(server.receiver.timer.deadline(), at(40));
            server.expire_ack(at(40), |_| acks += 1);
        }
        let mut carried = None;
        server.write(at(answer), 1000, false, |out| carried = Some((out.number, out.data)));
        let data = Data { number: 0, payload: 1000, is_last: false };
        assert_eq!((acks, carried), (alone, Some((1, Some(data)))));
        assert_eq!(server.receiver.timer.deadline(), Time::NEVER);
    }
}

/// With Nagle's algorithm a second small write waits for the ACK of the first, and a third joins it. One that
/// follows a full segment leaves at once (Minshall).
#[test]
fn small_writes_wait_for_small_segments() {
    let tcp = TcpOptions { nagle: true, ..TcpOptions::default() };
    let mut end = end(&tcp, 10.0);
    let mut payloads = Vec::new();
    let mut record = |out: Outgoing| payloads.push(out.data.map_or(0, |data| data.payload));
    end.write(at(0), 100, false, &mut record);
    end.write(at(1), 200, false, &mut record);
    end.write(at(2), 300, false, &mut record);
    end.arrive(at(100), &ack(1), 0, &mut record);
    end.arrive(at(200), &ack(2), 0, &mut record);
    end.write(at(300), 1448 + 50, false, &mut record);
    assert_eq!(payloads, [100, 500, 1448, 50]);
}
