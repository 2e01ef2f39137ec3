//! The hot path allocates nothing: a run of twice the length makes no more allocations than one of once the length.

mod common;

use common::{flow, law, link, network, simulate};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use windward_sim::{Buffer, Network, TcpOptions};
use windward_units::Duration;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Four CUBIC flows with losses, so that recovery is on the path too; the same number of samples whatever the length.
fn bottleneck(seconds: u64) -> Network {
    let delay = Duration::from_millis(25);
    let links =
        vec![link(0, 50_000_000, delay, Buffer::Packets(100)), link(1, 50_000_000, delay, Buffer::Packets(100))];
    let cubic = || law("cubic", serde_json::json!({}));
    let flows = (0..4).map(|key| flow(key, cubic(), vec![0], vec![1], TcpOptions::default())).collect();
    let mut network = network(links, flows, 1, seconds);
    network.sample_interval = Duration::from_millis(10 * seconds);
    network
}

#[test]
fn a_longer_run_allocates_no_more() {
    let count = |seconds| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let output = simulate(&bottleneck(seconds), 1);
        (ALLOCATIONS.load(Ordering::Relaxed) - before, output.packet_hops)
    };
    let (short, hops) = count(60);
    let (long, more_hops) = count(120);
    assert!(more_hops > hops + 100_000);
    assert_eq!(short, long);
}
