//! Rates and durations of 802.11n, ac and ax for Python. See `windward.theory.wifi`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use windward_sim::wifi::Phy;
use windward_sim::wifi::ppdu::{
    self, ACK, CTS, Format, Guard, Limits, Mode, RTS, Timing, Width, aggregate_bytes, answer_rate, block_ack_bytes,
};
use windward_units::{BitRate, Duration};

/// A rate of 802.11n, ac or ax, with the timing of its band.
#[pyclass(frozen, module = "windward._engine")]
pub(crate) struct WifiMode {
    mode: Mode,
    timing: Timing,
}

/// Basic rates of an access point as they are usually set, in Mbit/s.
const BASIC_RATES: [u64; 3] = [6, 12, 24];

#[pymethods]
impl WifiMode {
    /// Raises ValueError for a combination that the standard lacks.
    #[new]
    fn new(
        standard: &str,
        width_mhz: u32,
        streams: u8,
        guard_ns: u64,
        mcs: u8,
        he_ltf_ns: Option<u64>,
        signal_extension_ns: u64,
    ) -> PyResult<Self> {
        let format = match standard {
            "802.11n" => Format::Ht,
            "802.11ac" => Format::Vht,
            "802.11ax" => Format::He,
            other => {
                let reason = format!("unknown standard `{other}`; allowed: 802.11n, 802.11ac, 802.11ax");
                return Err(PyValueError::new_err(reason));
            }
        };
        let width = Width::ALL.into_iter().find(|width| width.mhz() == width_mhz).ok_or_else(|| {
            PyValueError::new_err(format!("channels are 20, 40, 80 or 160 MHz wide, not {width_mhz} MHz"))
        })?;
        let guards = [Guard::Ns400, Guard::Ns800, Guard::Ns1600, Guard::Ns3200];
        let guard = guards.into_iter().find(|guard| guard.nanos() == guard_ns).ok_or_else(|| {
            PyValueError::new_err(format!(
                "guard intervals are 0.4, 0.8, 1.6 or 3.2 µs, not {} µs",
                guard_ns as f64 / 1e3
            ))
        })?;
        let mode = Mode::new(format, width, streams, guard, mcs)
            .map_err(|impossible| PyValueError::new_err(format!("{standard}: {impossible}")))?;
        let timing = Timing {
            he_ltf: he_ltf_ns.map(Duration::from_nanos),
            signal_extension: Duration::from_nanos(signal_extension_ns),
            ..Timing::STANDARD
        };
        Ok(Self { mode, timing })
    }

    /// Bits a second within the data field.
    fn bits_per_sec(&self) -> f64 {
        self.mode.data_bits() as f64 / self.mode.symbol().as_secs()
    }

    /// Duration in seconds of a PPDU of `frames` MPDUs of `mpdu` bytes.
    fn duration_s(&self, frames: u64, mpdu: u64) -> f64 {
        ppdu::ppdu_duration(self.mode, aggregate_bytes(frames, mpdu), &self.timing).as_secs()
    }

    /// Most MPDUs of `mpdu` bytes that an A-MPDU holds; `frames` is the window of the BlockAck session.
    fn largest_aggregate(&self, mpdu: u64, frames: Option<u64>, limit: Option<u64>, duration_s: Option<f64>) -> u64 {
        let most = Limits::most(self.mode.format());
        let limits = Limits {
            frames: frames.unwrap_or(most.frames),
            bytes: limit.unwrap_or(most.bytes),
            duration: duration_s.map_or(most.duration, |longest| Duration::from_secs(longest).min(most.duration)),
        };
        ppdu::largest_aggregate(self.mode, mpdu, &limits, &self.timing)
    }

    /// Duration in seconds of the BlockAck for a window of `frames`, or of an ACK.
    fn answer_s(&self, frames: Option<u64>) -> f64 {
        self.control_s(frames.map_or(ACK, block_ack_bytes))
    }

    /// Duration in seconds of an RTS and of a CTS.
    fn protection_s(&self) -> (f64, f64) {
        (self.control_s(RTS), self.control_s(CTS))
    }
}

impl WifiMode {
    /// Duration in seconds of a control frame, at the rate of answers to this mode.
    fn control_s(&self, bytes: u64) -> f64 {
        let rate = BitRate::bits_per_sec(answer_rate(self.mode, &BASIC_RATES) * 1_000_000);
        (Phy::A.air_time(bytes, rate) + self.timing.signal_extension).as_secs()
    }
}
