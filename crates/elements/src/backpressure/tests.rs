//! Numerical examples of seferoglu2014, and rules worked out by hand.

use super::*;
use crate::engine::{Purpose, Stream};
use crate::packet::{Kind, Packet};
use windward_units::Time;

/// No link.
const NONE: u32 = u32::MAX;

const fn slot(count: u64) -> Time {
    Time::from_nanos(count * 1_000_000)
}

fn packet(flow: u32, number: u32) -> Packet {
    Packet { number, ..Packet::new(Kind::Data, Time::ZERO, flow, 0, 1000) }
}

fn stream() -> Stream {
    Stream::new(1, 1, Purpose::Forwarding)
}

/// A graph with links in both directions between the nodes of each pair.
fn graph(nodes: u32, pairs: &[(u32, u32)]) -> Graph {
    Graph::new(nodes, pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect())
}

/// Two flows from 0, one to 1 and one to 2, with these numbers of packets.
fn fork(threshold: Threshold, buffer: u32, packets: [u32; 2]) -> (Queues, [u32; 2]) {
    let config = WeightConfig { threshold, links: Links::Downstream };
    let mut queues = Queues::new(config, graph(3, &[(0, 1), (0, 2)]), [buffer; 3]);
    let flows = [0, 1].map(|flow| queues.commodity(0, flow + 1, &packet(flow, 0)));
    for (flow, count) in (0..).zip(packets) {
        for number in 0..count {
            assert!(queues.push(Time::ZERO, 0, flows[flow as usize], packet(flow, number)).is_none());
        }
    }
    (queues, flows)
}

/// Number of times that each of two flows is picked at node 0 in 10 000 draws.
fn shares(queues: &Queues) -> [u32; 2] {
    let mut stream = stream();
    let mut counts = [0; 2];
    for _ in 0..10_000 {
        let (_, pick) = queues.pick_at(0, |_, _| 0, |_| 1.0, &mut stream).expect("packets wait");
        counts[pick.commodity as usize] += 1;
    }
    counts
}

/// Example 2: K = 10. Queues of 1 and 3 both count as 10 and are equally likely; 5 standard deviations of 10 000 draws
/// are 250. Of 7 and 12 only the second is served: max{10, 7} < 12.
#[test]
fn example_2_of_the_paper() {
    let [first, second] = shares(&fork(Threshold::Fixed(10.0), 100, [1, 3]).0);
    assert!(first.abs_diff(second) < 500, "{first} {second}");
    assert_eq!(shares(&fork(Threshold::Fixed(10.0), 100, [7, 12]).0), [0, 10_000]);
    // The classical rule serves the longer one in both cases.
    assert_eq!(shares(&fork(Threshold::Fixed(0.0), 100, [1, 3]).0), [0, 10_000]);
}

/// Trapped packets by hand: the 12 packets of the second flow are never served, so they are trapped from 1 s on, for 9
/// of 10 s. The first flow sends at 2 s and at 4 s. It is trapped from 1 to 2 s with 7 packets, from 3 to 4 s with 6,
/// and from 5 to 10 s with 5.
#[test]
fn what_does_not_move_for_a_second_is_trapped() {
    let (mut queues, flows) = fork(Threshold::Fixed(0.0), 100, [7, 12]);
    let link = queues.graph().between(0, 1).expect("they are neighbours");
    for millis in [2_000, 4_000] {
        queues.take(0, flows[0]).expect("it waits");
        queues.leave(slot(millis), link, flows[0]);
    }
    let trapped: Vec<f64> = queues.queues(Time::ZERO, slot(10_000)).map(|(_, _, books)| books.trapped).collect();
    assert!((trapped[0] - 3.8).abs() < 1e-9 && (trapped[1] - 10.8).abs() < 1e-9, "{trapped:?}");
    let idle: Vec<f64> = queues.lengths(slot(4_500)).map(|(_, _, _, idle)| idle.as_secs()).collect();
    assert_eq!(idle, [0.5, 4.5]);
}

/// Two equal flows on one link, and one on another: each link first picks its own, and each flow of the pair gets half
/// of that half.
#[test]
fn ties_are_drawn_within_a_link_and_then_between_links() {
    let config = WeightConfig { threshold: Threshold::Fixed(5.0), links: Links::Downstream };
    let mut queues = Queues::new(config, graph(3, &[(0, 1), (0, 2)]), [100; 3]);
    for (flow, to) in [(0, 1), (1, 1), (2, 2)] {
        let commodity = queues.commodity(0, to, &packet(flow, 0));
        queues.push(Time::ZERO, 0, commodity, packet(flow, 0));
    }
    let mut stream = stream();
    let mut counts = [0_i32; 3];
    for _ in 0..10_000 {
        let (_, pick) = queues.pick_at(0, |_, _| 0, |_| 1.0, &mut stream).unwrap();
        counts[pick.commodity as usize] += 1;
    }
    // 5 standard deviations of 10 000 draws with p = 1/4 are 217.
    for (count, share) in counts.into_iter().zip([2500, 2500, 5000]) {
        assert!((count - share).abs() < 250, "{counts:?}");
    }
}

/// j* = argmax D·R(1 − p): with equal differences the better link wins; twice the difference makes up for half the
/// rate.
#[test]
fn the_quality_of_a_link_counts() {
    let (queues, flows) = fork(Threshold::Fixed(0.0), 100, [6, 10]);
    let chosen = |quality: [f64; 2]| {
        let of = |link: u32| quality[queues.graph().ends(link).1 as usize - 1];
        queues.pick_at(0, |_, _| 0, of, &mut stream()).unwrap().1.commodity
    };
    assert_eq!(chosen([1.0, 1.0]), flows[1]);
    assert_eq!(chosen([1.0, 0.5]), flows[0]);
    assert_eq!(chosen([1.0, 0.7]), flows[1]);
}

/// D must be positive: with 4 packets here and 4 there none is sent; at the destination they count as none.
#[test]
fn nothing_goes_uphill() {
    let config = WeightConfig { threshold: Threshold::Fixed(0.0), links: Links::Downstream };
    let mut queues = Queues::new(config, graph(3, &[(0, 1), (1, 2)]), [100; 3]);
    let flow = queues.commodity(0, 2, &packet(0, 0));
    (0..4).for_each(|number| _ = queues.push(Time::ZERO, 0, flow, packet(0, number)));
    let pick = |theirs: u32| queues.pick_at(0, |_, _| theirs, |_| 1.0, &mut stream()).map(|(_, pick)| pick.difference);
    assert_eq!([pick(3), pick(4), pick(u32::MAX)], [Some(1.0), None, None]);
    assert!(queues.has_pick(0, |_, _| 3) && !queues.has_pick(0, |_, _| 4));
    // At 1, the known backlog of 2 is ignored.
    let mut there = queues.clone();
    there.push(Time::ZERO, 1, flow, packet(0, 9));
    assert!(there.has_pick(1, |_, _| 50));
}

/// B = 5 with 3 packets of one flow and 2 of the other: the newest packet of the longer queue is dropped, and with
/// equal queues the arriving one.
#[test]
fn the_newest_packet_of_the_longest_queue_is_dropped() {
    let (mut queues, [long, short]) = fork(Threshold::Fixed(0.0), 5, [3, 2]);
    assert!(queues.is_full(0));
    let dropped = queues.push(Time::ZERO, 0, short, packet(1, 2)).expect("one has to go");
    assert_eq!((dropped.flow, dropped.number), (0, 2));
    // Now the queues are 2 and 3: the short one has become the long one.
    let dropped = queues.push(Time::ZERO, 0, short, packet(1, 3)).expect("one has to go");
    assert_eq!((dropped.flow, dropped.number), (1, 3));
    let dropped = queues.push(Time::ZERO, 0, long, packet(0, 9)).expect("one has to go");
    assert_eq!((dropped.flow, dropped.number), (1, 2));
    assert_eq!([queues.backlog(0, long), queues.backlog(0, short)], [3, 2]);
}

/// A packet being sent counts until it has left; one that could not be sent is the first again.
#[test]
fn packets_under_way_count_as_backlog() {
    let (mut queues, [flow, _]) = fork(Threshold::Fixed(0.0), 100, [2, 0]);
    let link = queues.graph().between(0, 1).unwrap();
    let first = queues.take(0, flow).unwrap();
    assert_eq!((first.number, queues.backlog(0, flow), queues.waiting()), (0, 2, 1));
    queues.put_back(0, flow, first);
    assert_eq!(queues.take(0, flow).map(|packet| packet.number), Some(0));
    queues.leave(slot(1), link, flow);
    assert_eq!((queues.backlog(0, flow), queues.waiting()), (1, 1));
    assert!(!queues.is_full(0));
}

/// K = B/|S|: 100 for one flow, 50 for two, 100 again after one has been silent and empty for long.
#[test]
fn the_threshold_follows_the_flows() {
    let (mut queues, flows) = fork(Threshold::Shared, 100, [1, 0]);
    assert_eq!(queues.threshold(0), 100.0);
    queues.push(slot(1), 0, flows[1], packet(1, 0));
    assert_eq!((queues.threshold(0), queues.active(0)), (50.0, 2));
    let link = queues.graph().between(0, 1).unwrap();
    // A commodity with waiting packets is never over.
    queues.push(slot(20_000), 0, flows[1], packet(1, 1));
    assert_eq!(queues.threshold(0), 50.0);
    queues.take(0, flows[0]);
    queues.leave(slot(20_000), link, flows[0]);
    queues.push(slot(21_500), 0, flows[1], packet(1, 2));
    assert_eq!(queues.threshold(0), 100.0);
    queues.push(slot(21_501), 0, flows[0], packet(0, 1));
    assert_eq!(queues.threshold(0), 50.0);
}

/// By recent traffic: 10 packets of 1000 B and one of 60 B count 1 + 60/1000, so that K = 1000/1.06. A flow of a tenth
/// of the traffic counts as a whole. With d = e^(−1/10) for each second of age, 60·d + 1020 bytes beside 10 000·d do.
#[test]
fn a_nearly_silent_flow_hardly_counts_by_its_traffic() {
    let config = WeightConfig { threshold: Threshold::Recent, links: Links::Downstream };
    let mut queues = Queues::new(config, graph(2, &[(0, 1)]), [1000; 2]);
    let flows = [0, 1].map(|flow| queues.commodity(0, 1, &packet(flow, 0)));
    let mut push = |at: Time, flow: u32, size: u32, count: u32| {
        for number in 0..count {
            let packet = Packet { size, ..packet(flow, number) };
            assert!(queues.push(at, 0, flows[flow as usize], packet).is_none());
        }
        queues.threshold(0)
    };
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    near(push(slot(1), 0, 1000, 10), 1000.0);
    push(slot(2), 1, 60, 1);
    // The packet that leads to a count is not in it.
    near(push(slot(1001), 1, 60, 1), 1000.0 / 1.06);
    push(slot(1500), 1, 60, 16);
    near(push(slot(2001), 1, 60, 1), 500.0);
    push(slot(2500), 0, 1000, 100);
    let d = libm::exp(-0.1);
    let (loud, quiet) = (10_000.0 * d * d + 100_000.0, (60.0 * d + 1020.0) * d + 60.0);
    near(push(slot(3001), 0, 1000, 1), 1000.0 / (1.0 + quiet / (0.1 * loud)));
    assert_eq!(queues.active(0), 2);
}

/// The two flows of Figs. 1 and 2: a node serves one packet per slot. Each flow keeps a window of packets queued, which
/// grows by its inverse with every ACK, a slot later. Returns the number of served packets of each, and the backlogs of
/// the first over time.
fn two_windows(threshold: f64, windows: [f64; 2]) -> ([u32; 2], Vec<u32>) {
    let (mut queues, flows) = fork(Threshold::Fixed(threshold), 1_000_000, [0, 0]);
    let (mut windows, mut flight, mut served, mut seen) = (windows, [0; 2], [0; 2], Vec::new());
    let mut stream = stream();
    for now in 0..5_000 {
        for flow in 0..2 {
            while f64::from(flight[flow] + 1) <= windows[flow] {
                flight[flow] += 1;
                queues.push(slot(now), 0, flows[flow], packet(flow as u32, 0));
            }
        }
        seen.push(queues.backlog(0, flows[0]));
        let Some((link, pick)) = queues.pick_at(0, |_, _| 0, |_| 1.0, &mut stream) else { continue };
        let flow = pick.commodity as usize;
        queues.take(0, pick.commodity);
        queues.leave(slot(now), link, pick.commodity);
        served[flow] += 1;
        flight[flow] -= 1;
        windows[flow] += 1.0 / windows[flow];
    }
    (served, seen)
}

/// Fig. 1(b): with windows of 1 and 3 the classical rule never serves the first flow, whose queue is 1 for ever. K = 10
/// serves both alike while both are short.
#[test]
fn a_window_of_one_starves_without_a_threshold() {
    let (served, backlogs) = two_windows(0.0, [1.0, 3.0]);
    assert_eq!(served, [0, 5_000]);
    assert!(backlogs.iter().all(|&backlog| backlog == 1));
    let (served, backlogs) = two_windows(10.0, [1.0, 3.0]);
    assert!(served[0] > 2_000 && backlogs.last() > Some(&10), "{served:?}");
}

/// Directed links that a rule allows between named nodes.
fn allowed(graph: &Graph, from: u32, to: u32, rule: Links) -> Vec<(u32, u32)> {
    let allowed = graph.allowed(from, to, rule);
    let mut links: Vec<_> =
        (0..graph.links()).filter(|&link| allowed[link as usize]).map(|link| graph.ends(link)).collect();
    links.sort_unstable();
    links
}

const A: u32 = 0;
const B: u32 = 1;
const C: u32 = 2;
const D: u32 = 3;

/// The tree A–B, A–C, C–D: only `All` lets packets for D into the dead end B, and back.
#[test]
fn links_of_the_tree() {
    let tree = graph(4, &[(A, B), (A, C), (C, D)]);
    for rule in [Links::Downstream, Links::NotFarther, Links::LoopFree] {
        assert_eq!(allowed(&tree, A, B, rule), [(A, B)], "{rule:?}");
        assert_eq!(allowed(&tree, A, D, rule), [(A, C), (C, D)], "{rule:?}");
    }
    assert_eq!(allowed(&tree, A, D, Links::All), [(A, B), (A, C), (B, A), (C, A), (C, D)]);
}

/// The diamond A–B, A–C, B–D, C–D. From A to B the current takes the direct link and, a third as strong, the longer
/// path. Only the direct link leads closer to B.
#[test]
fn links_of_the_diamond() {
    let diamond = graph(4, &[(A, B), (A, C), (B, D), (C, D)]);
    let both = [(A, B), (A, C), (B, D), (C, D)];
    assert_eq!(allowed(&diamond, A, D, Links::Downstream), both);
    assert_eq!(allowed(&diamond, A, D, Links::LoopFree), both);
    assert_eq!(allowed(&diamond, A, B, Links::Downstream), [(A, B)]);
    assert_eq!(allowed(&diamond, A, B, Links::NotFarther), [(A, B)]);
    assert_eq!(allowed(&diamond, A, B, Links::LoopFree), [(A, B), (A, C), (C, D), (D, B)]);
    assert_eq!(allowed(&diamond, A, B, Links::All).len(), 6);
}

/// A ladder of 2 × 3 nodes, 0 1 2 above 3 4 5, from 0 to 5. By symmetry v(4) = 1 − v(1) and v(3) = 1 − v(2).
/// Kirchhoff's law at 1 and 2: 3·v(1) = 1 + v(2) + v(4) and 2·v(2) = v(1) + 0. So v(1) = 4/7, v(2) = 2/7, v(3) = 5/7,
/// v(4) = 3/7: current flows from 1 to 4.
#[test]
fn links_of_the_ladder() {
    let ladder = graph(6, &[(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]);
    let closer = [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)];
    assert_eq!(allowed(&ladder, 0, 5, Links::Downstream), closer);
    assert_eq!(allowed(&ladder, 0, 5, Links::LoopFree), closer);
    // From 0 to 1 the current also takes both longer paths: 0, 3, 4, 1 and 4, 5, 2, 1.
    let round = [(0, 1), (0, 3), (2, 1), (3, 4), (4, 1), (4, 5), (5, 2)];
    assert_eq!(allowed(&ladder, 0, 1, Links::LoopFree), round);
    assert_eq!(allowed(&ladder, 0, 1, Links::NotFarther), [(0, 1)]);
}

/// With diagonals there are links between equally distant nodes: 1 and 3 below, both a hop from 2.
#[test]
fn links_between_nodes_equally_far() {
    let kite = graph(4, &[(0, 1), (0, 3), (1, 3), (1, 2), (3, 2)]);
    assert_eq!(allowed(&kite, 0, 2, Links::NotFarther), [(0, 1), (0, 3), (1, 2), (1, 3), (3, 1), (3, 2)]);
    assert_eq!(allowed(&kite, 0, 2, Links::Downstream), [(0, 1), (0, 3), (1, 2), (3, 2)]);
    // Wheatstone's bridge in balance: no current between 1 and 3.
    assert_eq!(allowed(&kite, 0, 2, Links::LoopFree), [(0, 1), (0, 3), (1, 2), (3, 2)]);
}

/// A square 0–1–3, 0–2–3 and a chord 0–3. With the chord at 3 attempts and 1–3 at 2 the way from 0 leads over 2; with
/// all links alike the chord is shortest; where sums are equal the fewer hops win.
#[test]
fn the_cheapest_path_has_the_least_sum() {
    let square = graph(5, &[(0, 1), (1, 3), (0, 2), (2, 3), (0, 3)]);
    let ends = |link: u32| if link == NONE { None } else { Some(square.ends(link)) };
    let costs = |chord: f64, second: f64| -> Vec<f64> {
        let of = |&(a, b): &(u32, u32)| {
            if (a, b) == (0, 3) {
                chord
            } else if (a, b) == (1, 3) {
                second
            } else {
                1.0
            }
        };
        [(0, 1), (1, 3), (0, 2), (2, 3), (0, 3)].iter().flat_map(|pair| [of(pair); 2]).collect()
    };
    let first = |chord, second| -> Vec<_> {
        square.cheapest_links(3, &costs(chord, second), NONE).into_iter().map(ends).collect()
    };
    assert_eq!(first(3.0, 2.0), [Some((0, 2)), Some((1, 3)), Some((2, 3)), None, None]);
    assert_eq!(first(1.0, 1.0)[0], Some((0, 3)));
    assert_eq!(first(2.0, 1.0)[0], Some((0, 3)));
    assert_eq!(first(2.5, 1.0)[0], Some((0, 1)));
    assert_eq!(first(2.5, 9.0)[1], Some((1, 0)), "the way back and over 2");
}
