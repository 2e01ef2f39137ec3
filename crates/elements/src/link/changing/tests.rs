//! Departures around changes, by hand.

use super::super::{Delay, DelayTrace, Fate, Jitter, Link, LinkChange, Loss, Opportunities, Rate, Reorder};
use super::*;
use crate::packet::Kind;
use crate::queue::Buffer;
use proptest::prelude::*;
use std::sync::Arc;
use windward_units::{BitRate, Duration};

fn millis(millis: f64) -> Time {
    Time::from_nanos((millis * 1e6).round() as u64)
}

/// 12 Mbit/s: a 1500-byte packet takes 1 ms to transmit and 10 ms to the far end.
fn config() -> LinkConfig {
    LinkConfig::new(1, megabits(12), Duration::from_millis(10))
}

fn megabits(rate: u64) -> Rate {
    BitRate::bits_per_sec(rate * 1_000_000).into()
}

fn step(at: f64, change: LinkChange) -> LinkStep {
    LinkStep { at: millis(at), change }
}

fn down(at: f64, drops: Drops) -> LinkStep {
    step(at, LinkChange { is_up: Some(false), drops, ..LinkChange::default() })
}

fn up(at: f64) -> LinkStep {
    step(at, LinkChange { is_up: Some(true), ..LinkChange::default() })
}

/// Events, in their order at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrive,
    ArriveLate,
    Offer(u32, u32),
    Transmit,
    Change,
}

/// Fates of packets, by number.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    arrived: Vec<(u32, Time)>,
    lost: Vec<(u32, Cause)>,
}

/// Runs a link as the network does, with all events that it requested, including outdated ones.
fn run(link: &mut ChangingLink, offers: &[(Time, u32)]) -> Seen {
    let mut seen = Seen::default();
    let offers = (0..).zip(offers).map(|(number, &(at, size))| (at, Event::Offer(number, size)));
    let mut pending: Vec<(Time, Event)> = offers.chain(link.next_change().map(|at| (at, Event::Change))).collect();
    while let Some(at) = (0..pending.len()).min_by_key(|&at| pending[at]) {
        let (now, event) = pending.swap_remove(at);
        let lost = &mut seen.lost;
        let mut lose = |packet: Packet, cause| lost.push((packet.number, cause));
        let mut complete = |link: &mut ChangingLink, pending: &mut Vec<(Time, Event)>| {
            let done = link.transmit(now, |packet| lose(packet, Cause::Queue));
            pending.extend(done.next.map(|end| (end, Event::Transmit)));
            match done.sent {
                Some((_, Fate::First(time))) => pending.push((time, Event::Arrive)),
                Some((_, Fate::Late(Some(time)))) => pending.push((time, Event::ArriveLate)),
                Some((packet, Fate::Lost)) => lose(packet, Cause::Sent),
                _ => {}
            }
        };
        match event {
            Event::Arrive => {
                if let Some((packet, next)) = link.land(now) {
                    seen.arrived.push((packet.number, now));
                    pending.extend(next.map(|next| (next, Event::Arrive)));
                }
            }
            Event::ArriveLate => {
                if let Some((packet, next)) = link.land_late(now) {
                    seen.arrived.push((packet.number, now));
                    pending.extend(next.map(|next| (next, Event::ArriveLate)));
                }
            }
            Event::Offer(number, size) => {
                complete(link, &mut pending);
                let packet = Packet { number, ..Packet::new(Kind::Data, now, 0, 0, size) };
                match link.offer(now, packet, |packet| lose(packet, Cause::Queue)) {
                    Offered::Waits(wake) => pending.extend(wake.map(|time| (time, Event::Transmit))),
                    Offered::Refused => lose(packet, Cause::Queue),
                    Offered::Sent(_) => unreachable!("a transmission is told of at its end"),
                }
            }
            Event::Transmit => complete(link, &mut pending),
            Event::Change => {
                complete(link, &mut pending);
                let changed = link.change(now, |packet, cause, _| lose(packet, cause));
                pending.extend(changed.transmits.map(|end| (end, Event::Transmit)));
                pending.extend(changed.next.map(|next| (next, Event::Change)));
            }
        }
    }
    seen
}

/// `count` packets at time zero.
fn burst(count: usize) -> Vec<(Time, u32)> {
    vec![(Time::ZERO, 1500); count]
}

fn arrivals(steps: &[LinkStep], offers: &[(Time, u32)]) -> Vec<(u32, Time)> {
    let mut link = ChangingLink::new(&config(), QueueConfig::DropTail, steps, 1);
    let seen = run(&mut link, offers);
    assert_eq!(seen.lost, []);
    assert_eq!(link.held(), 0);
    seen.arrived
}

fn at(times: &[f64]) -> Vec<(u32, Time)> {
    (0..).zip(times).map(|(number, &time)| (number, millis(time))).collect()
}

/// At 1.5 ms half of the second packet has left; the other half takes 1 ms at 6 Mbit/s, the third packet 2 ms.
#[test]
fn the_rest_of_a_packet_goes_at_the_new_rate() {
    let slower = step(1.5, LinkChange { rate: Some(megabits(6)), ..LinkChange::default() });
    assert_eq!(arrivals(&[slower], &burst(3)), at(&[11.0, 12.5, 14.5]));
}

/// The first two of three changes fall into one packet: half of it at 12, a quarter at 6, the last quarter at 3 Mbit/s.
#[test]
fn a_packet_may_see_several_rates() {
    let rate = |at, rate| step(at, LinkChange { rate: Some(megabits(rate)), ..LinkChange::default() });
    assert_eq!(arrivals(&[rate(0.5, 6), rate(1.0, 3), rate(2.0, 12)], &burst(2)), at(&[12.0, 13.0]));
}

/// Packets leave at 1, 2 and 3 ms, the first before the delay falls from 10 to 1 ms: the others wait for it.
#[test]
fn a_shorter_delay_does_not_reorder() {
    let nearer = step(1.5, LinkChange { delay: Some(Duration::from_millis(1).into()), ..LinkChange::default() });
    let offers = [burst(3), vec![(millis(20.0), 1500)]].concat();
    assert_eq!(arrivals(&[nearer], &offers), at(&[11.0, 11.0, 11.0, 22.0]));
}

/// Delays of 10, 20 and 1 ms, a millisecond each, in turn. Packets leave at 1, 2, 3 and 22 ms: into 20, 1, 10 and again
/// 20 ms. The second and the third wait for the first. From 30 ms on the delay is constant again.
#[test]
fn recorded_delays_keep_the_order() {
    let trace = DelayTrace::from_millis(Duration::from_millis(1), &[10.0, 20.0, 1.0]).expect("delays");
    let recorded = LinkConfig { delay: Delay::Recorded(Arc::new(trace)), ..config() };
    let constant = step(30.0, LinkChange { delay: Some(Duration::from_millis(5).into()), ..LinkChange::default() });
    let offers = [burst(3), vec![(millis(21.0), 1500), (millis(50.0), 1500)]].concat();
    let mut link = ChangingLink::new(&recorded, QueueConfig::DropTail, &[constant], 1);
    assert_eq!(run(&mut link, &offers).arrived, at(&[21.0, 21.0, 21.0, 42.0, 56.0]));
}

/// The second packet stops half way and continues at 10 ms; an arrival in between waits.
#[test]
fn a_link_that_is_down_loses_nothing() {
    let offers = [burst(3), vec![(millis(5.0), 1500)]].concat();
    assert_eq!(arrivals(&[down(1.5, Drops::Nothing), up(10.0)], &offers), at(&[11.0, 20.5, 21.5, 22.5]));
}

#[test]
fn an_idle_link_comes_up_idle() {
    let offers = [(millis(20.0), 1500)];
    assert_eq!(arrivals(&[down(1.0, Drops::All), up(2.0)], &offers), at(&[31.0]));
}

/// At 1.5 ms the first packet is in flight, the second half sent, the third queued.
#[test]
fn what_is_dropped_is_said() {
    let offers = [burst(3), vec![(millis(10.0), 1500)]].concat();
    let seen = |drops| {
        let mut link = ChangingLink::new(&config(), QueueConfig::DropTail, &[down(1.5, drops), up(10.0)], 1);
        let seen = run(&mut link, &offers);
        let counts = link.counts(millis(100.0));
        (seen, (counts.packets, counts.lost, counts.dropped, counts.busy))
    };
    let flight = [(1, Cause::Sent), (0, Cause::Sent)];
    let (found, counts) = seen(Drops::Flight);
    // The third packet is sent at 10 ms; the event of the first one's arrival at 11 ms finds none.
    assert_eq!((found.arrived, found.lost), (vec![(2, millis(21.0)), (3, millis(22.0))], flight.to_vec()));
    assert_eq!(counts, (4, 2, 0, 3_500_000));
    let (found, counts) = seen(Drops::All);
    assert_eq!(found.arrived, [(3, millis(21.0))]);
    assert_eq!(found.lost, [&flight[..], &[(2, Cause::Queue)]].concat());
    assert_eq!(counts, (3, 2, 1, 2_500_000));
}

/// Five packets are queued behind the one in transmission. With a new buffer of two, arrivals are refused until three
/// more have left.
#[test]
fn a_smaller_buffer_drops_nothing_that_waits() {
    let smaller = step(0.5, LinkChange { buffer: Some(Buffer::Packets(2)), ..LinkChange::default() });
    let offers = [burst(6), vec![(millis(0.6), 1500), (millis(4.2), 1500)]].concat();
    let mut link = ChangingLink::new(&config(), QueueConfig::DropTail, &[smaller], 1);
    let seen = run(&mut link, &offers);
    assert_eq!(seen.lost, [(6, Cause::Queue)]);
    assert_eq!(seen.arrived.last(), Some(&(7, millis(17.0))));
}

/// From 2.5 ms on opportunities come every 4 ms, those of 4, 8 and 12 ms: the third packet, half sent, begins again.
#[test]
fn a_recording_takes_over() {
    let trace = Arc::new(Opportunities::from_millis(&[4]).expect("a trace"));
    let recorded = step(2.5, LinkChange { rate: Some(Rate::Recorded(trace)), ..LinkChange::default() });
    assert_eq!(arrivals(std::slice::from_ref(&recorded), &burst(4)), at(&[11.0, 12.0, 14.0, 18.0]));
    // Back to a constant rate at 5 ms: the fourth begins again.
    let back = step(5.0, LinkChange { rate: Some(megabits(12)), ..LinkChange::default() });
    assert_eq!(arrivals(&[recorded, back], &burst(4)), at(&[11.0, 12.0, 14.0, 16.0]));
}

/// Opportunities every millisecond; during the outage those of 2 to 6 ms pass unused.
#[test]
fn opportunities_pass_while_a_link_is_down() {
    let trace = Arc::new(Opportunities::from_millis(&[1]).expect("a trace"));
    let link = LinkConfig { rate: Rate::Recorded(trace), ..config() };
    let mut link = ChangingLink::new(&link, QueueConfig::DropTail, &[down(1.5, Drops::Nothing), up(6.5)], 1);
    assert_eq!(run(&mut link, &burst(3)).arrived, at(&[11.0, 17.0, 18.0]));
}

#[test]
fn loss_begins_and_ends_when_it_is_to() {
    let loss = |at, loss| step(at, LinkChange { loss: Some(loss), ..LinkChange::default() });
    let steps = [loss(2.5, Loss::Bernoulli(1.0)), loss(4.5, Loss::None)];
    let mut link = ChangingLink::new(&config(), QueueConfig::DropTail, &steps, 1);
    let seen = run(&mut link, &burst(6));
    assert_eq!(seen.lost, [(2, Cause::Sent), (3, Cause::Sent)]);
    assert_eq!(seen.arrived.len(), 4);
}

/// Packets leave at 1, 2, …, 6 ms. From 1.5 ms on each takes 25 ms longer; from 3.5 ms on 4 ms, but the fourth stays
/// behind the third, which is delayed too; from 4.5 ms on none is delayed.
#[test]
fn reordering_begins_and_ends_when_it_is_to() {
    let late = |at, delay: Option<u64>| {
        let reorder = delay.map(|delay| Reorder { share: 1.0, delay: Duration::from_millis(delay) });
        step(at, LinkChange { reorder: Some(reorder), ..LinkChange::default() })
    };
    let seen = arrivals(&[late(1.5, Some(25)), late(3.5, Some(4)), late(4.5, None)], &burst(6));
    let expected = [(0, 11.0), (4, 15.0), (5, 16.0), (1, 37.0), (2, 38.0), (3, 38.0)];
    assert_eq!(seen, expected.map(|(number, time)| (number, millis(time))));
}

/// Reordered packets are in flight too: at 3.5 ms the first three packets are lost, of which the second is delayed; its
/// event finds no packet.
#[test]
fn what_is_late_is_lost_with_what_is_in_flight() {
    let reorder = |at, share| {
        let reorder = (share > 0.0).then_some(Reorder { share, delay: Duration::from_millis(25) });
        step(at, LinkChange { reorder: Some(reorder), ..LinkChange::default() })
    };
    let steps = [reorder(1.5, 1.0), reorder(2.5, 0.0), down(3.5, Drops::Flight), up(4.0)];
    let mut link = ChangingLink::new(&config(), QueueConfig::DropTail, &steps, 1);
    let mut seen = run(&mut link, &[burst(3), vec![(millis(20.0), 1500)]].concat());
    seen.lost.sort_unstable_by_key(|(number, _)| *number);
    assert_eq!(seen.lost, [0, 1, 2].map(|number| (number, Cause::Sent)));
    assert_eq!((seen.arrived, link.held()), (vec![(3, millis(31.0))], 0));
}

proptest! {
    /// Without changes it equals the plain link: the same arrivals to the nanosecond, and the same counters.
    #[test]
    fn without_changes_it_is_a_link(
        gaps in prop::collection::vec((0_u64..4_000_000, 40_u32..1501), 1..200),
        rate in prop_oneof![
            (1_000_000_u64..50_000_000).prop_map(|rate| Rate::from(BitRate::bits_per_sec(rate))),
            prop::collection::vec(1_u64..9, 1..6).prop_map(|gaps| {
                let instants: Vec<u64> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect();
                Rate::Recorded(Arc::new(Opportunities::from_millis(&instants).expect("a trace")))
            }),
        ],
        buffer in prop_oneof![Just(Buffer::Unlimited), (0_u64..9).prop_map(Buffer::Packets)],
        loss in prop_oneof![Just(Loss::None), Just(Loss::Bernoulli(0.2))],
        jitter in prop_oneof![Just(Jitter::None), Just(Jitter::Exponential(Duration::from_millis(2)))],
    ) {
        let config = LinkConfig { buffer, loss, jitter, ..LinkConfig::new(1, rate, Duration::from_millis(5)) };
        let mut now = Time::ZERO;
        let offers: Vec<_> = gaps.iter().map(|&(gap, size)| { now += Duration::from_nanos(gap); (now, size) }).collect();
        let end = Time::from_nanos(1_000_000_000_000);
        let (mut link, mut arrived, mut due) = (Link::new(&config, 5), Vec::new(), None);
        let mut land = |link: &mut Link, due: &mut Option<Time>, until: Time| {
            while let Some(time) = due.filter(|time| *time <= until) {
                let Some((packet, next)) = link.flight().land() else { return };
                arrived.push((packet.number, time));
                *due = next;
            }
        };
        for (number, &(at, size)) in (0..).zip(&offers) {
            land(&mut link, &mut due, at);
            let packet = Packet { number, ..Packet::new(Kind::Data, at, 0, 0, size) };
            if let Fate::First(time) = link.offer(at, packet) {
                due = Some(time);
            }
        }
        land(&mut link, &mut due, Time::NEVER);
        let mut changing = ChangingLink::new(&config, QueueConfig::DropTail, &[], 5);
        prop_assert_eq!(arrived, run(&mut changing, &offers).arrived);
        prop_assert_eq!(link.counts(end), changing.counts(end));
    }

    /// Under random changes packets keep their order, and each arrives or is lost, once.
    #[test]
    fn nothing_reorders_and_nothing_vanishes(
        gaps in prop::collection::vec((0_u64..4_000_000, 40_u32..1501), 1..100),
        changes in prop::collection::vec(
            (0_u64..9_000_000, prop::option::of(1_u64..50), prop::option::of(0_u64..20), prop::option::of(any::<bool>()), 0..3),
            0..20,
        ),
    ) {
        let mut now = Time::ZERO;
        let offers: Vec<_> = gaps.iter().map(|&(gap, size)| { now += Duration::from_nanos(gap); (now, size) }).collect();
        let mut now = Time::ZERO;
        let change = |&(gap, rate, delay, is_up, drops): &(u64, Option<u64>, Option<u64>, Option<bool>, i32)| {
            now += Duration::from_nanos(gap);
            let drops = [Drops::Nothing, Drops::Flight, Drops::All][drops as usize];
            let delay = delay.map(|delay| Duration::from_millis(delay).into());
            LinkStep { at: now, change: LinkChange { rate: rate.map(megabits), delay, is_up, drops, ..LinkChange::default() } }
        };
        let mut steps: Vec<LinkStep> = changes.iter().map(change).collect();
        steps.push(LinkStep { at: now + Duration::from_millis(1), ..up(0.0) });
        let config = LinkConfig { buffer: Buffer::Packets(5), loss: Loss::Bernoulli(0.1), ..config() };
        let mut link = ChangingLink::new(&config, QueueConfig::DropTail, &steps, 3);
        let seen = run(&mut link, &offers);
        prop_assert!(seen.arrived.is_sorted());
        let mut all: Vec<u32> = seen.arrived.iter().map(|(number, _)| *number).chain(seen.lost.iter().map(|(number, _)| *number)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..offers.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!(link.held(), 0);
    }
}
