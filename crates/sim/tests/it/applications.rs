//! Flows whose applications write or read at their own pace.

use crate::common::{flow, law, link, network, simulate};
use windward_sim::{
    Buffer, FlowConfig, IdleRestart, Network, Output, Reading, ReceiveBuffer, SendBuffer, TcpOptions, Writing,
};
use windward_units::{BitRate, Bytes, Duration, Time};

/// A link of this rate, 20 ms each way.
const RATE: u64 = 10_000_000;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A flow of `name` over links of `rate`, with samples every 100 ms.
fn over(rate: u64, name: &str, tcp: TcpOptions, seconds: u64) -> Network {
    let links = [0, 1].map(|key| link(key, rate, Duration::from_millis(20), Buffer::Packets(1000))).to_vec();
    let flow = flow(0, law(name, serde_json::json!({})), vec![0], vec![1], tcp);
    let mut network = network(links, vec![flow], 5, seconds);
    network.timing.sample_interval = Duration::from_millis(100);
    network
}

fn reading(rate: Option<u64>, pauses: &[(u64, u64)]) -> Option<Reading> {
    let pauses = pauses.iter().map(|&(from, to)| (at(from), at(to))).collect();
    Some(Reading { rate: rate.map(BitRate::bits_per_sec), chunk: Bytes::new(1448), pauses })
}

/// Bytes that the application reads in the `index`th tenth of a second.
fn read_in(output: &Output, index: usize) -> f64 {
    output.flow_series.unpack().goodput_bps[index] / 80.0
}

/// A reader at 2 Mbit/s of a path of 10 Mbit/s gets exactly that, within a read, and the bottleneck's queue holds no
/// more than the bursts that a window update lets out: a sixteenth of the buffer, or two segments.
#[test]
fn a_slow_reader_sets_the_goodput() {
    for (stack, tcp) in [TcpOptions::default(), TcpOptions::linux(true)].into_iter().enumerate() {
        let auto = Some(ReceiveBuffer::Auto { start: ReceiveBuffer::START, most: ReceiveBuffer::MOST });
        for receive_buffer in [Some(ReceiveBuffer::Fixed(Bytes::new(65_536))), auto] {
            let tcp = TcpOptions { receive_buffer, reading: reading(Some(2_000_000), &[]), ..tcp.clone() };
            let output = simulate(&over(RATE, "cubic", tcp, 45), 1);
            let (flow, link) = (&output.flows[0], &output.links[0]);
            let read = 1448.0 * 8.0 / 40.0;
            assert!((flow.goodput_bps - 2e6).abs() <= read, "{} with {receive_buffer:?}, {stack}", flow.goodput_bps);
            assert!(link.mean_queue_delay_s < 0.006, "{} with {receive_buffer:?}, {stack}", link.mean_queue_delay_s);
            assert_eq!((flow.timeouts, link.dropped), (0, 0));
        }
    }
}

/// A file of 173 segments whose application reads at 2 Mbit/s is complete when it has read the last one, not when its
/// system has it: 172 reads of 5.792 ms after the first. That one comes after 60 ms and the transmission of 1.2 ms, and
/// two of the handshake's packets. All of the file is goodput since the handshake's end.
#[test]
fn a_file_is_complete_when_it_has_been_read() {
    let size = 173 * 1448;
    let tcp = TcpOptions { reading: reading(Some(2_000_000), &[]), ..TcpOptions::linux(true) };
    let mut network = over(RATE, "cubic", tcp, 10);
    network.timing.warmup = Time::ZERO;
    network.flows[0].size = Some(Bytes::new(size));
    let flow = &simulate(&network, 1).flows[0];
    let expected = 0.0612 + 172.0 * 0.005792;
    assert!((expected..expected + 0.0002).contains(&flow.completion_s), "{} for {expected}", flow.completion_s);
    let open = expected - 0.04;
    assert!((flow.goodput_bps * open / (8.0 * size as f64) - 1.0).abs() < 2e-4, "{}", flow.goodput_bps);
}

/// The application stops from 6 s to 8 s. The buffer fills, and nothing is read; when it reads again, one update opens
/// the window, and the path is full again after a round trip of 40 ms: smoltcp#199 was a stall for ever. Of the 64 KiB,
/// 40 ms of the path are 50 kB.
#[test]
fn a_reader_that_stops_resumes_within_a_round_trip() {
    for tcp in [TcpOptions::default(), TcpOptions { idle_restart: IdleRestart::Off, ..TcpOptions::linux(true) }] {
        let buffer = ReceiveBuffer::Fixed(Bytes::new(65_536));
        let tcp = TcpOptions { receive_buffer: Some(buffer), reading: reading(None, &[(6000, 8000)]), ..tcp };
        let output = simulate(&over(RATE, "reno", tcp, 12), 1);
        let full = RATE as f64 / 80.0 * 1448.0 / 1500.0;
        let before = read_in(&output, 58);
        assert!(before > 0.99 * full, "{before} of {full}");
        // Of the tenth that begins at 6 s nothing is read, and so on.
        for index in 60..80 {
            assert_eq!(read_in(&output, index), 0.0, "{index}");
        }
        let after: Vec<f64> = (81..85).map(|index| read_in(&output, index)).collect();
        assert!(after.iter().all(|bytes| *bytes > 0.98 * full), "{after:?} of {full}");
        assert_eq!(output.flows[0].timeouts, 0);
    }
}

/// 50 Mbit/s over 40 ms are 250 kB. From a window of 65 535 B, 13 Mbit/s, autotuning opens it; a buffer of that size
/// does not.
#[test]
fn autotuning_fills_the_path() {
    let auto = ReceiveBuffer::Auto { start: ReceiveBuffer::START, most: ReceiveBuffer::MOST };
    let fixed = ReceiveBuffer::Fixed(Bytes::new(65_535));
    let goodput = |buffer| {
        let tcp = TcpOptions { receive_buffer: Some(buffer), ..TcpOptions::linux(true) };
        simulate(&over(50_000_000, "cubic", tcp, 15), 1).flows[0].goodput_bps / 1e6
    };
    let (most, least) = (goodput(auto), goodput(fixed));
    assert!(most > 0.95 * 50.0 * 1448.0 / 1500.0, "{most}");
    // 45 full segments of 65 535 B, a round trip of 40 ms and a segment's time twice.
    let expected = 45.0 * 1448.0 * 8.0 / 0.0405 / 1e6;
    assert!((least / expected - 1.0).abs() < 0.03, "{least} of {expected}");
}

/// Autotuning of the send buffer fills the same path.
#[test]
fn an_autotuned_send_buffer_fills_the_path() {
    let tcp = TcpOptions { send_buffer: Some(SendBuffer::Auto { most: SendBuffer::MOST }), ..TcpOptions::linux(true) };
    let most = simulate(&over(50_000_000, "cubic", tcp, 15), 1).flows[0].goodput_bps / 1e6;
    assert!(most > 0.95 * 50.0 * 1448.0 / 1500.0, "{most}");
}

/// A send buffer of 65 536 B over 100 Mbit/s and 100 ms, by the size of the writes of an application that always has
/// data. Between kernels 6.18 without Nagle's algorithm .637, .960 and .973 of the buffer leave in a round trip with 4,
/// 16 and 64 KiB; with 1 MiB the window limits. An autotuned buffer that has reached its limit is the same.
#[test]
fn the_size_of_writes_sets_the_rate_of_a_send_buffer() {
    let delay = Duration::from_millis(50);
    let links = [0, 1].map(|key| link(key, 100_000_000, delay, Buffer::Packets(2000))).to_vec();
    let share = |chunk, buffer| {
        let writing = Writing::Chunks { chunk: Bytes::new(chunk), rate: BitRate::bits_per_sec(100_000_000) };
        let tcp = TcpOptions { send_buffer: Some(buffer), writing: Some(writing), ..TcpOptions::linux(true) };
        let flow = flow(0, law("cubic", serde_json::json!({})), vec![0], vec![1], tcp);
        simulate(&network(links.clone(), vec![flow], 5, 15), 1).flows[0].goodput_bps * 0.1 / 8.0 / 65_536.0
    };
    for buffer in [SendBuffer::Fixed(Bytes::new(65_536)), SendBuffer::Auto { most: Bytes::new(65_536) }] {
        for (chunk, expected) in [(4096, 0.637), (16_384, 0.96), (65_536, 0.973)] {
            let found = share(chunk, buffer);
            assert!((found / expected - 1.0).abs() < 0.05, "{found} with {chunk} B, {buffer:?}");
        }
        let found = share(1 << 20, buffer);
        assert!(found > 2.0, "{found} with 1 MiB, {buffer:?}");
    }
}

/// A send buffer of 64 KiB over 20 ms, with a receive window that moves. Between kernels 6.18 writes of 4 KiB, 64 KiB
/// and 1 MiB have .61, .89 and 2.65 buffers a round trip. Those of 1 MiB leave in two bursts, each of half of the
/// receive window.
#[test]
fn a_large_write_leaves_in_halves_of_the_receive_window() {
    let links = [0, 1].map(|key| link(key, 100_000_000, Duration::from_millis(10), Buffer::Packets(2000))).to_vec();
    for (chunk, expected) in [(4096, 0.61), (65_536, 0.89), (1 << 20, 2.65)] {
        let writing = Writing::Chunks { chunk: Bytes::new(chunk), rate: BitRate::bits_per_sec(100_000_000) };
        let receive_buffer = Some(ReceiveBuffer::Auto { start: ReceiveBuffer::START, most: ReceiveBuffer::MOST });
        let send_buffer = Some(SendBuffer::Fixed(Bytes::new(65_536)));
        let tcp = TcpOptions { send_buffer, receive_buffer, writing: Some(writing), ..TcpOptions::linux(true) };
        let law = law("cubic", serde_json::json!({ "version": "linux", "hystart": true }));
        let output = simulate(&network(links.clone(), vec![flow(0, law, vec![0], vec![1], tcp)], 2, 8), 1);
        let found = output.flows[0].goodput_bps * 0.02 / 8.0 / 65_536.0;
        assert!((found / expected - 1.0).abs() < 0.05, "{found} with {chunk} B");
    }
}

/// An application that writes 1 Mbit/s: its goodput is that, whatever the pieces, and nothing waits anywhere.
#[test]
fn a_writer_sets_the_goodput() {
    let rate = BitRate::bits_per_sec(1_000_000);
    let pieces = [
        Writing::Periodic { rate, every: Duration::from_millis(20) },
        Writing::Chunks { rate, chunk: Bytes::new(4000) },
        Writing::Fixed { chunk: Bytes::new(125), every: Duration::from_millis(1) },
    ];
    for writing in pieces {
        for (name, tcp) in
            [("cubic", TcpOptions::linux(true)), ("bbr3", TcpOptions::linux(true)), ("reno", TcpOptions::default())]
        {
            let network = over(RATE, name, TcpOptions { writing: Some(writing), ..tcp }, 25);
            let output = simulate(&network, 1);
            let goodput = output.flows[0].goodput_bps;
            // A write or a segment at either end of the 20 s.
            let write = (writing.rate() * writing.span()).max(1448.0 * 8.0) / 20.0;
            assert!((goodput - 1e6).abs() <= 2.0 * write, "{goodput} of {name} with {writing:?}");
            assert_eq!(output.links[0].dropped, 0);
        }
    }
}

/// draft-ietf-ccwg-bbr: app-limited samples never lower the estimate of the bandwidth, and no writer below it ends
/// Startup without a loss. picoquic#839: an app-limited start held BBR back for 10 s. Here it writes 1 Mbit/s for all
/// the time.
#[test]
fn an_application_limited_bbr_stays_in_startup() {
    let writing = Writing::Periodic { rate: BitRate::bits_per_sec(1_000_000), every: Duration::from_millis(10) };
    let network = over(RATE, "bbr3", TcpOptions { writing: Some(writing), ..TcpOptions::linux(true) }, 20);
    let internals = simulate(&Network { internals: true, ..network }, 1).internals;
    let last = |wanted: &str| {
        let name = internals.names.iter().position(|name| name == wanted).expect("it shows that") as u32;
        let last = internals.samples.name.iter().rposition(|at| *at == name).expect("it was sampled");
        internals.samples.value[last]
    };
    assert_eq!(last("phase"), 0.0, "Startup");
}

/// A pause of 30 s with the window kept: CUBIC's clock stands still, so that the window is no larger a second after the
/// pause than it would be a second later without it. Four stacks had a jump here (quiche#2370, quicly#380,
/// s2n-quic#947, rfc8312bis#14).
#[test]
fn a_pause_is_no_time_for_cubic() {
    let window = |stop: Option<(u64, u64)>, name: &str| {
        let tcp = match name {
            "linux" => TcpOptions { idle_restart: IdleRestart::Off, ..TcpOptions::linux(true) },
            _ => TcpOptions::default(),
        };
        // The reader's pause closes the window: nothing is in flight meanwhile.
        let pauses: Vec<_> = stop.into_iter().collect();
        let buffer = Some(ReceiveBuffer::Fixed(Bytes::new(10_000_000)));
        let tcp = TcpOptions { receive_buffer: buffer, reading: reading(None, &pauses), ..tcp };
        let mut network = over(RATE, "cubic", tcp, 60);
        network.topology.links_mut().for_each(|link| link.buffer = Buffer::Packets(50));
        simulate(&network, 1).flow_series.unpack().cwnd
    };
    for name in ["rfc", "linux"] {
        let (paused, through) = (window(Some((20_000, 50_000)), name), window(None, name));
        let most = through[100..].iter().copied().fold(0.0, f64::max);
        let after = paused[500..520].iter().copied().fold(0.0, f64::max);
        assert!(after <= 1.05 * most, "{after} packets after the pause of {name}, {most} without");
    }
}

/// A sized flow of a slow writer completes after its last write: 100 kB at 1 Mbit/s in writes of 10 kB every 80 ms, the
/// last 720 ms after the handshake's 40 ms; then half a round trip, the transmission and the ACK.
#[test]
fn a_sized_writer_completes() {
    let writing = Writing::Chunks { rate: BitRate::bits_per_sec(1_000_000), chunk: Bytes::new(10_000) };
    let mut network = over(RATE, "cubic", TcpOptions { writing: Some(writing), ..TcpOptions::linux(true) }, 10);
    network.timing.warmup = Time::ZERO;
    network.flows = vec![FlowConfig { size: Some(Bytes::new(100_000)), ..network.flows.remove(0) }];
    let output = simulate(&network, 1);
    let completion = output.flows[0].completion_s;
    assert_eq!((output.flows[0].delivered_bytes, output.flows[0].unfinished), (100_000, 0));
    // 7 segments: 8.3 ms of transmission.
    assert!((0.760 + 0.048..0.760 + 0.050).contains(&completion), "{completion}");
}
