//! Both ends, driven by hand and at random.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};
use windward_coding::Encoder;
use windward_units::{Duration, Time};

const RTT: Duration = Duration::from_millis(100);
const KEY: u64 = 7;

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn fixed(size: u32) -> CodingConfig {
    CodingConfig { block: BlockSize::Fixed(size), ..CodingConfig::default() }
}

fn pair(config: &CodingConfig) -> (Source, Sink) {
    (Source::new(config), Sink::new(config, 1))
}

fn admit(source: &mut Source) -> Combination {
    source.admit(at(0), 10.0, RTT, false)
}

fn receive(sink: &mut Sink, now: Time, combination: &Combination) -> Feedback {
    sink.receive(now, combination, &coefficients(KEY, combination), &[0]).expect("it is well formed").feedback
}

/// Next segment and SACK blocks of an acknowledgement.
type Told = (u32, Vec<(u32, u32)>);

/// Acknowledgements passed to TCP for each of these combinations.
fn answers(source: &mut Source, sink: &mut Sink, arriving: &[Combination]) -> Vec<Option<Told>> {
    let told = |combination| {
        let feedback = receive(sink, at(1), combination);
        source
            .on_feedback(&feedback)
            .map(|told| (told.next, told.sack.into_iter().filter(|range| range.0 < range.1).collect()))
    };
    arriving.iter().map(told).collect()
}

/// Number of segments that the sink hands up now.
fn taken(sink: &mut Sink) -> usize {
    std::iter::from_fn(|| sink.take(at(2))).count()
}

#[test]
fn a_block_is_the_window_when_it_opens() {
    let mut source = Source::new(&CodingConfig::default());
    let windows = [3.9, 8.0, 8.0, 2.0, 8.0, 0.3, 9e9];
    let sizes = windows.map(|cwnd| {
        let combination = source.admit(at(0), cwnd, RTT, false);
        (combination.block, combination.id, combination.size, combination.columns)
    });
    let expected = [(0, 0, 3, 1), (0, 1, 3, 2), (0, 2, 3, 3), (1, 0, 2, 1), (1, 1, 2, 2), (2, 0, 1, 1), (3, 0, 256, 1)];
    assert_eq!(sizes, expected);
    // 8 + (16 - 8)/32, then + (16 - 8.25)/32.
    let mut source = Source::new(&CodingConfig { block: BlockSize::MeanCwnd, ..CodingConfig::default() });
    let sizes = [8.0, 16.0, 16.0].map(|cwnd| {
        source.admit(at(0), cwnd, RTT, false);
        source.mean_window()
    });
    assert_eq!(sizes, [8.0, 8.25, 8.4921875]);
}

/// Incremental coding: each combination of a block has one segment more than the previous one, and is innovative.
#[test]
fn combinations_are_incremental() {
    let (mut source, mut sink) = pair(&fixed(40));
    for columns in 1..=40 {
        let combination = admit(&mut source);
        let drawn = coefficients(KEY, &combination);
        assert_eq!((combination.columns, drawn.len()), (columns, 40));
        assert_ne!(drawn[columns as usize - 1], 0);
        assert!(drawn[columns as usize..].iter().all(|&c| c == 0));
        assert_eq!(receive(&mut sink, at(0), &combination).rank, columns);
        // A triangular system: received segments are decoded at once.
        assert_eq!(taken(&mut sink), 1);
    }
    assert_eq!(sink.decoded.len(), 1);
}

/// η_1 to η_4 in any order are acknowledged in order.
#[test]
fn order_does_not_matter() {
    let (mut source, mut sink) = pair(&fixed(4));
    let [a, b, c, d] = [(); 4].map(|()| admit(&mut source));
    let told = answers(&mut source, &mut sink, &[c, a, d, b]);
    assert_eq!(told, [1, 2, 3, 4].map(|next| Some((next, vec![]))));
    assert_eq!(taken(&mut sink), 4);
    // A copy is not innovative.
    assert_eq!(answers(&mut source, &mut sink, &[b]), [None]);
    assert_eq!(sink.counts, SinkCounts { received: 5, innovative: 4, requests: 0, requested: 0 });
}

/// The second of four is lost on the air: TCP sees the first three acknowledged, and all of them with the next block's
/// first.
#[test]
fn a_loss_on_the_air_is_masked_and_repaired() {
    let (mut source, mut sink) = pair(&fixed(4));
    let sent = [(); 5].map(|()| admit(&mut source));
    let told = answers(&mut source, &mut sink, &[sent[0], sent[2], sent[3], sent[4]]);
    assert_eq!(told, [1, 2, 3, 5].map(|next| Some((next, vec![]))));
    assert_eq!(taken(&mut sink), 1);
    // A round trip after its last progress, the sink requests one combination; then after twice and four times that.
    assert_eq!(sink.due(), at(101));
    let asked = sink.expire(at(101));
    let request = Request { block: 0, missing: 1 };
    assert_eq!(asked, [Feedback { block: 0, rank: 3, below: 0, request: Some(request) }]);
    assert_eq!(sink.due(), at(301));
    assert_eq!(sink.expire(at(301)).len(), 1);
    assert_eq!(sink.due(), at(701));
    assert_eq!(source.owed(&request), 1);
    let repair = source.repair(0, RTT).expect("the block is still there");
    assert_eq!((repair.columns, repair.segment), (4, None));
    assert_eq!(answers(&mut source, &mut sink, &[repair]), [None]);
    assert_eq!((taken(&mut sink), sink.due(), source.oldest()), (4, Time::NEVER, 4));
    assert_eq!((sink.decoded[0].requests, source.counts.repairs), (2, 1));
}

/// The third of five is dropped at the source: TCP sees it missing, and no other, until it has retransmitted it.
#[test]
fn congestion_is_not_masked() {
    let (mut source, mut sink) = pair(&fixed(5));
    let [a, b, c, d, e] = [(); 5].map(|()| admit(&mut source));
    source.dropped(c.segment);
    let told = answers(&mut source, &mut sink, &[a, b, d, e]);
    let missing = |sack| Some((2, vec![sack]));
    assert_eq!(told, [Some((1, vec![])), Some((2, vec![])), missing((3, 4)), missing((3, 5))]);
    // TCP has to retransmit the segment that the sink requests.
    assert_eq!(source.owed(&Request { block: 0, missing: 1 }), 0);
    let again = source.repeat(at(50), 2, RTT).expect("it is not acknowledged");
    assert_eq!((again.segment, again.columns), (Some(2), 5));
    assert_eq!(answers(&mut source, &mut sink, &[again]), [Some((5, vec![]))]);
    assert_eq!((taken(&mut sink), source.counts), (5, SourceCounts { sent: 6, repairs: 0, unmasked: 1 }));
}

/// TCP's timer expires for a late segment: the extra combination stands for no segment, so its loss has no meaning.
#[test]
fn what_is_late_is_helped() {
    let (mut source, mut sink) = pair(&fixed(3));
    let [a, b, _] = [(); 3].map(|()| admit(&mut source));
    answers(&mut source, &mut sink, &[a, b]);
    let again = source.repeat(at(50), 2, RTT).expect("it is not acknowledged");
    assert_eq!(again.segment, None);
    source.dropped(again.segment);
    let again = source.repeat(at(60), 2, RTT).expect("it is not acknowledged");
    assert_eq!(answers(&mut source, &mut sink, &[again]), [Some((3, vec![]))]);
    assert_eq!(source.repeat(at(70), 2, RTT), None);
}

/// The end of a sized flow is acknowledged after all has been decoded.
#[test]
fn the_end_waits_for_what_is_missing() {
    let (mut source, mut sink) = pair(&fixed(2));
    let [_, b] = [(); 2].map(|()| admit(&mut source));
    let last = source.admit(at(0), 10.0, RTT, true);
    assert_eq!((last.size, last.columns), (1, 1));
    assert_eq!(answers(&mut source, &mut sink, &[b, last]), [Some((1, vec![])), Some((2, vec![]))]);
    let repair = source.repair(0, RTT).expect("the block is still there");
    assert_eq!(answers(&mut source, &mut sink, &[repair]), [Some((3, vec![]))]);
    assert_eq!(taken(&mut sink), 3);
}

/// Acknowledgements do not run ahead of a missing block for ever.
#[test]
fn acknowledgements_stop_far_ahead() {
    let (mut source, mut sink) = pair(&fixed(1));
    admit(&mut source);
    let later: Vec<Combination> = (0..=AHEAD).map(|_| admit(&mut source)).collect();
    let told = answers(&mut source, &mut sink, &later);
    let (last, others) = told.split_last().expect("there are many");
    assert!(others[..others.len() - 1].iter().all(Option::is_some), "{told:?}");
    assert_eq!((&others[others.len() - 1], last), (&None, &None));
}

/// With `ideal` every combination counts, while any segment is missing.
#[test]
fn the_ideal_counts() {
    let config = CodingConfig { ideal: true, ..fixed(3) };
    let (mut source, mut sink) = pair(&config);
    let [a, _, _] = [(); 3].map(|()| admit(&mut source));
    let mut rank = |combination: &Combination| {
        let received = sink.receive(at(0), combination, &[], &[]).expect("nothing can be wrong");
        (received.is_innovative, received.feedback.rank)
    };
    assert_eq!([rank(&a), rank(&a)], [(true, 1), (false, 1)]);
    let repair = source.repair(0, RTT).expect("the block is there");
    assert_eq!([rank(&repair), rank(&repair), rank(&repair)], [(true, 2), (true, 3), (false, 3)]);
}

#[test]
fn malformed_combinations_are_refused() {
    let mut sink = Sink::new(&CodingConfig::default(), 4);
    let good = Combination { block: 0, id: 0, size: 2, columns: 1, segment: None, rtt: RTT };
    assert!(sink.receive(at(0), &good, &[0, 0], &[1; 4]).is_none(), "no coefficients");
    assert!(sink.receive(at(0), &good, &[1, 0], &[1; 3]).is_none(), "too short");
    assert!(sink.receive(at(0), &good, &[], &[1; 4]).is_none(), "none at all");
    assert!(sink.receive(at(0), &good, &[1, 0], &[1; 4]).is_some());
    assert!(sink.receive(at(0), &good, &[1, 0, 1], &[1; 4]).is_none(), "more than the block has");
    // A source ignores feedback on nothing.
    let mut source = Source::new(&CodingConfig::default());
    let nonsense = Feedback { block: 9, rank: 9, below: u32::MAX, request: None };
    assert_eq!(source.on_feedback(&nonsense), None);
    assert_eq!((source.owed(&Request { block: 3, missing: 1 }), source.repair(3, RTT)), (0, None));
    assert_eq!(source.repeat(at(0), 0, RTT), None);
}

/// A network that reorders, loses and drops by the bytes of `draws`, and a TCP that retransmits the segments that its
/// ACKs show missing.
struct Trial {
    source: Source,
    sink: Sink,
    payloads: Vec<Vec<u8>>,
    /// Combinations in flight, with their payload.
    air: VecDeque<(Combination, Vec<u8>)>,
    /// Segments dropped at the source and not yet retransmitted.
    withheld: BTreeSet<u32>,
    /// Segments that were ever dropped.
    dropped: BTreeSet<u32>,
    got: Vec<Vec<u8>>,
    acked: u32,
}

impl Trial {
    fn send(&mut self, combination: Combination, fate: u8) {
        if fate < 20 {
            self.source.dropped(combination.segment);
            if let Some(segment) = combination.segment {
                self.withheld.insert(segment);
                self.dropped.insert(segment);
            }
            return;
        }
        if let Some(segment) = combination.segment {
            self.withheld.remove(&segment);
        }
        if fate < 70 {
            return;
        }
        let (first, count) = self.source.segments(combination.block).expect("it is not forgotten");
        let coefficients = coefficients(KEY, &combination);
        let packets = &self.payloads[first as usize..(first + count) as usize];
        let encoder = Encoder::new(packets).expect("they are of one size");
        let payload = encoder.encode(&coefficients[..count as usize]).expect("one for each");
        let place = usize::from(fate) % (self.air.len() + 1);
        self.air.insert(place, (combination, payload));
    }

    fn arrive(&mut self, now: Time, fate: &mut dyn FnMut() -> u8) {
        let Some((combination, payload)) = self.air.pop_front() else { return };
        let drawn = coefficients(KEY, &combination);
        let feedback = self.sink.receive(now, &combination, &drawn, &payload).expect("it is well formed").feedback;
        self.got.extend(std::iter::from_fn(|| self.sink.take(now)));
        self.tell(&feedback, fate);
    }

    fn tell(&mut self, feedback: &Feedback, fate: &mut dyn FnMut() -> u8) {
        if fate() < 40 {
            return;
        }
        if let Some(told) = self.source.on_feedback(feedback) {
            assert!(told.next >= self.acked, "acknowledgements never go back");
            self.acked = told.next;
            assert!(self.withheld.iter().all(|&segment| segment >= told.next), "what was dropped is not acknowledged");
            for (from, to) in told.sack.into_iter().filter(|range| range.0 < range.1) {
                assert!(from > told.next && to <= self.source.next());
                assert!(self.withheld.range(from..to).next().is_none(), "nor is it by SACK");
            }
            // Losses on the air and reordering leave no gap.
            let is_gap = told.sack[0].0 < told.sack[0].1;
            assert!(!is_gap || self.dropped.contains(&told.next), "TCP sees missing what was never dropped");
        }
        if let Some(request) = feedback.request {
            for _ in 0..self.source.owed(&request) {
                if let Some(repair) = self.source.repair(request.block, RTT) {
                    self.send(repair, fate());
                }
            }
        }
    }
}

proptest! {
    /// For any losses, drops and reordering: all bytes arrive in order, and TCP sees exactly the dropped segments
    /// missing.
    #[test]
    fn everything_comes_out_in_order(draws in prop::collection::vec(any::<u8>(), 200..1500), window in 1u32..20) {
        let config = fixed(window);
        let count = draws.len() as u32 / 10;
        let payloads: Vec<Vec<u8>> = (0..count).map(|n| n.to_be_bytes().to_vec()).collect();
        let mut trial = Trial {
            source: Source::new(&config),
            sink: Sink::new(&config, 4),
            payloads: payloads.clone(),
            air: VecDeque::new(),
            withheld: BTreeSet::new(),
            dropped: BTreeSet::new(),
            got: Vec::new(),
            acked: 0,
        };
        let mut rest = draws.iter().copied();
        // After the end of `draws` all goes well.
        let mut fate = move || rest.next().unwrap_or(255);
        let mut clock = 0;
        while trial.got.len() < count as usize || trial.acked < count {
            clock += 10;
            prop_assert!(clock < 1_000_000, "stuck at {} of {count}, acknowledged {}", trial.got.len(), trial.acked);
            let next = trial.source.next();
            if next < count && next < trial.acked + 2 * window {
                let combination = trial.source.admit(at(clock), 10.0, RTT, next + 1 == count);
                trial.send(combination, fate());
            } else if clock % 500 == 0 {
                // TCP's timer.
                if let Some(combination) = trial.source.repeat(at(clock), trial.acked, RTT) {
                    trial.send(combination, fate());
                }
            }
            if let Some(&segment) = trial.withheld.first() && clock % 70 == 0 {
                // Three duplicates.
                if let Some(combination) = trial.source.repeat(at(clock), segment, RTT) {
                    trial.send(combination, fate());
                }
            }
            trial.arrive(at(clock), &mut fate);
            if trial.sink.due() <= at(clock) {
                for feedback in trial.sink.expire(at(clock)) {
                    trial.tell(&feedback, &mut fate);
                }
            }
        }
        prop_assert_eq!(trial.got, payloads);
        prop_assert_eq!(trial.source.oldest(), count);
    }
}
