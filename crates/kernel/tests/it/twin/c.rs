//! A law in C: `twin.c`, compiled by the build script.

use std::ffi::{c_int, c_ulong, c_void};

/// `struct ack` of `bpf/law.h`.
#[repr(C)]
pub struct Ack {
    pub now: u64,
    pub sent_at: u64,
    pub acked: u32,
    pub rtt: u32,
    pub srtt: u32,
    pub base_rtt: u32,
    pub flight_at_send: u32,
    pub round: u32,
}

/// `struct congestion` of `bpf/law.h`.
#[repr(C)]
pub struct Congestion {
    pub flight: u32,
    pub base_rtt: u32,
}

/// The table that `twin.c` makes of a law's functions.
#[repr(C)]
struct Functions {
    size: c_ulong,
    init: unsafe extern "C" fn(*mut c_void, u32),
    on_ack: unsafe extern "C" fn(*mut c_void, *const u32, *const Ack, c_int),
    on_congestion: unsafe extern "C" fn(*mut c_void, *const u32, *const Congestion, c_int),
    follow: unsafe extern "C" fn(*mut c_void, u64),
    undo: unsafe extern "C" fn(*mut c_void, u64, u64),
    cwnd: unsafe extern "C" fn(*const c_void) -> u64,
    own: unsafe extern "C" fn(*const c_void, u32) -> u64,
}

macro_rules! tables {
    ($($law:literal $library:literal $table:ident,)*) => {
        $(#[link(name = $library, kind = "static")]
        unsafe extern "C" {
            static $table: Functions;
        })*

        fn functions(law: &str) -> &'static Functions {
            match law {
                // SAFETY: a constant of C with the same layout.
                $($law => unsafe { &$table },)*
                other => panic!("bpf/ has no {other}"),
            }
        }
    };
}

// Each law of `bpf/`, by the build script.
include!(concat!(env!("OUT_DIR"), "/twins.rs"));

/// The law and its parameters as the kernel holds them.
pub struct Law {
    functions: &'static Functions,
    params: Vec<u32>,
    state: Vec<u64>,
}

impl Law {
    pub fn new(name: &str, params: Vec<u32>, cwnd: u32) -> Self {
        let functions = functions(name);
        let mut law = Self { functions, params, state: vec![0; (functions.size as usize).div_ceil(8)] };
        // SAFETY: the state has the size that the law asks for, and a u64's alignment, the strictest of what is in it.
        unsafe { (law.functions.init)(law.state.as_mut_ptr().cast(), cwnd) };
        law
    }

    pub fn on_ack(&mut self, ack: &Ack, may_grow: bool) {
        let (state, params) = (self.state.as_mut_ptr().cast(), self.params.as_ptr());
        // SAFETY: state and parameters are this law's, of its sizes.
        unsafe { (self.functions.on_ack)(state, params, ack, may_grow.into()) }
    }

    pub fn on_congestion(&mut self, event: &Congestion, is_timeout: bool) {
        let (state, params) = (self.state.as_mut_ptr().cast(), self.params.as_ptr());
        // SAFETY: as above.
        unsafe { (self.functions.on_congestion)(state, params, event, is_timeout.into()) }
    }

    /// The host sets the window.
    pub fn follow(&mut self, cwnd: f64) {
        // SAFETY: as above.
        unsafe { (self.functions.follow)(self.state.as_mut_ptr().cast(), (cwnd * PACKET).round() as u64) }
    }

    /// The last event was spurious, which found a window of `cwnd` packets and a threshold of `ssthresh`; `None`: none.
    pub fn undo(&mut self, cwnd: f64, ssthresh: Option<f64>) {
        let [cwnd, ssthresh] =
            [Some(cwnd), ssthresh].map(|q24| q24.map_or(u64::MAX, |q24| (q24 * PACKET).round() as u64));
        // SAFETY: as above.
        unsafe { (self.functions.undo)(self.state.as_mut_ptr().cast(), cwnd, ssthresh) }
    }

    pub fn cwnd(&self) -> f64 {
        // SAFETY: as above.
        unsafe { (self.functions.cwnd)(self.state.as_ptr().cast()) as f64 / PACKET }
    }

    /// The figure that `windward kernel show` prints.
    pub fn own(&self, base_rtt: u32) -> f64 {
        // SAFETY: as above.
        unsafe { (self.functions.own)(self.state.as_ptr().cast(), base_rtt) as f64 / PACKET }
    }
}

/// `PACKET` of `bpf/fixed.h`.
pub const PACKET: f64 = (1 << 24) as f64;
