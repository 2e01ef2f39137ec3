//! The simulator's numbers under the names that scripts give them: the fields of Linux's `struct tcp_info`.

use crate::assertion::Names;
use windward_sim::socket::{Info, State};
use windward_units::Duration;

/// Linux's `TCP_INFINITE_SSTHRESH`.
const INFINITE: i64 = 0x7fff_ffff;

/// Fields of `tcp_info`, with the times that limits of the sender took; the other end reported `marks` in the
/// handshake.
pub fn of(info: &Info, busy: (Duration, Duration), marks: u32) -> Names {
    let states = [
        ("TCP_CA_Open", State::Open),
        ("TCP_CA_Disorder", State::Disorder),
        ("TCP_CA_CWR", State::Reduction),
        ("TCP_CA_Recovery", State::Recovery),
        ("TCP_CA_Loss", State::Loss),
    ];
    let state = states.iter().position(|(_, state)| *state == info.state).unwrap_or(0) as i64;
    let micros = |span: Duration| (span.as_nanos() / 1000) as i64;
    let fields = [
        ("tcpi_ca_state", state),
        ("tcpi_snd_cwnd", i64::from(info.cwnd)),
        ("tcpi_snd_ssthresh", info.ssthresh.map_or(INFINITE, i64::from)),
        ("tcpi_unacked", i64::from(info.unacked)),
        ("tcpi_sacked", i64::from(info.sacked)),
        ("tcpi_lost", i64::from(info.lost)),
        ("tcpi_retrans", i64::from(info.retransmitted)),
        ("tcpi_reordering", i64::from(info.reordering)),
        ("tcpi_reord_seen", i64::from(info.reorderings)),
        ("tcpi_rtt", micros(info.srtt)),
        ("tcpi_rto", micros(info.rto)),
        // Linux counts the SYN.
        ("tcpi_delivered", i64::from(info.delivered) + 1),
        ("tcpi_delivered_ce", i64::from(marks + info.marked)),
        ("tcpi_total_retrans", info.retransmits as i64),
        ("tcpi_busy_time", micros(busy.0)),
        ("tcpi_rwnd_limited", micros(busy.1)),
    ];
    let states = states.iter().enumerate().map(|(number, (name, _))| (*name, number as i64));
    fields.into_iter().chain(states).map(|(name, value)| (name.to_owned(), value)).collect()
}
