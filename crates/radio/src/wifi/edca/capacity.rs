//! Capacity of links: the best mode and A-MPDU, as an upper bound for any control, and as a station's turn.

use super::config::{EdcaConfig, EdcaWay, RateChoice};
use super::errors::data_hazard;
use crate::wifi::category::{Category, Contention};
use crate::wifi::ppdu::{
    ACK, CTS, DELIMITER, Format, Guard, Limits, Mode, RTS, Width, aggregate_bytes, block_ack_bytes, largest_aggregate,
    largest_amsdu, longest_psdu, ppdu_duration,
};
use crate::wifi::radio::phy::Phy;
use windward_units::Duration;

/// Longest turns of a link that always has packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Mean time of a turn in seconds, with access, answers and, if counted, TCP's ACKs.
    pub time: f64,
    /// Packets that arrive in a turn.
    pub packets: f64,
}

impl Turn {
    /// Packets a second of a link alone; 0 if nothing arrives.
    pub fn rate(&self) -> f64 {
        self.packets / self.time
    }
}

/// Contents of the longest PPDU in one mode.
struct Longest {
    mode: Mode,
    psdu: u64,
    is_single: bool,
    /// MPDUs of so many packets: full ones, and a shorter one.
    parts: [(u64, u64); 2],
}

impl EdcaConfig {
    /// Upper bound of the packets of `bytes` a second on the link `local`, for any rate control: the mode and size of
    /// A-MSDU that deliver most, with fading known in advance. The packets may be of any
    /// category that flows have. `is_only` if all
    /// data are the sender's: its mean backoff then precedes each PPDU. Several senders count their backoffs down
    /// together, and a category with a TXOP sends several PPDUs in a row: nothing but interframe spaces is sure.
    pub fn bound(&self, local: u32, bytes: u64, is_only: bool) -> f64 {
        let contention = self.sender(local).contention;
        let used = self.data_categories().map(|category| self.least_access(contention[category as usize], is_only));
        let access = used.fold(self.least_access(contention[0], is_only), Duration::min);
        let powers = self.powers();
        let modes = self.modes(local);
        let best = |power: &f64| self.best(local, bytes, &modes, &[*power], access).rate();
        powers.iter().map(best).sum::<f64>() / powers.len() as f64
    }

    /// Turns of the link `local` with packets of `bytes`: at its rate under ideal rate control, else in the mode that
    /// delivers most over the fading. The receiver answers with a PPDU of TCP's ACKs, of `ack_bytes`, one for every two
    /// packets.
    pub fn turn(&self, local: u32, bytes: u64, ack_bytes: u64) -> Turn {
        let EdcaWay { from, to, .. } = self.ways[local as usize];
        let best_effort = self.stations[from as usize].contention[Category::BestEffort as usize];
        let modes = if self.ways[local as usize].rate == RateChoice::Ideal {
            vec![self.rate(local)]
        } else {
            self.modes(local)
        };
        let data = self.best(local, bytes, &modes, &self.powers(), self.mean_access(best_effort));
        let back = self.ways.iter().position(|way| (way.from, way.to) == (to, from));
        let acks = back.map_or(0.0, |back| self.ack_time(back as u32, (data.packets / 2.0).ceil() as u64, ack_bytes));
        Turn { time: data.time + acks, ..data }
    }

    /// Seconds of a PPDU of `count` ACKs on the link `local`, without backoff: it runs down beside that of the data.
    fn ack_time(&self, local: u32, count: u64, bytes: u64) -> f64 {
        let mode = self.modes(local).into_iter().max_by(|a, b| {
            let goodput = |mode: &Mode| mode.bits_per_sec() as f64 * self.arriving(local, *mode, 1, bytes, &[1.0]);
            goodput(a).total_cmp(&goodput(b))
        });
        let Some(mode) = mode else { return 0.0 };
        let count = if self.ampdu.is_some() { count.max(1) } else { 1 };
        let mpdu = self.mpdu_bytes(1, bytes);
        let ppdu = ppdu_duration(mode, aggregate_bytes(count, mpdu), &self.timing);
        let contention = self.sender(local).contention[Category::BestEffort as usize];
        let Phy { slot, sifs, propagation, .. } = self.phy;
        let answer = if count == 1 { ACK } else { block_ack_bytes(u64::from(self.block_ack.window)) };
        let space = sifs * 2 + slot * u64::from(contention.aifsn) + propagation * 2;
        (space + ppdu + self.control(mode, answer)).as_secs()
    }

    /// The PPDU that delivers most per second over equally likely powers, as multiples of the mean.
    fn best(&self, local: u32, bytes: u64, modes: &[Mode], powers: &[f64], access: Duration) -> Turn {
        let mut best = Turn { time: 1.0, packets: 0.0 };
        for &mode in modes {
            let most = largest_amsdu(bytes, self.longest_amsdu(local));
            for packets in 1..=most {
                let longest = self.longest(mode, packets, bytes);
                let arriving = |&(mpdus, packets): &(u64, u64)| {
                    if mpdus == 0 {
                        0.0
                    } else {
                        self.arriving(local, mode, packets, bytes, powers) * (mpdus * packets) as f64
                    }
                };
                let turn = Turn {
                    time: (access + self.occupies(&longest)).as_secs(),
                    packets: longest.parts.iter().map(arriving).sum(),
                };
                if turn.rate() > best.rate() {
                    best = turn;
                }
            }
        }
        best
    }

    /// Modes that the rate control of a link may choose.
    fn modes(&self, local: u32) -> Vec<Mode> {
        match self.ways[local as usize].rate {
            RateChoice::Fixed(mode) => vec![mode],
            RateChoice::Ideal => self.ladder.iter().map(|rung| rung.mode).collect(),
            RateChoice::Minstrel(most) => {
                let guards = [Guard::Ns400, Guard::Ns800, Guard::Ns1600, Guard::Ns3200];
                let guards = guards.into_iter().filter(|guard| *guard >= most.guard);
                let widths = Width::ALL.into_iter().filter(|width| *width <= most.width);
                let shapes = widths.flat_map(|width| guards.clone().map(move |guard| (width, guard)));
                let streams =
                    shapes.flat_map(|(width, guard)| (1..=most.streams).map(move |count| (width, guard, count)));
                let all = streams.flat_map(|shape| (0..=most.mcs).map(move |mcs| (shape, mcs)));
                all.filter_map(|((width, guard, count), mcs)| Mode::new(most.format, width, count, guard, mcs).ok())
                    .collect()
            }
        }
    }

    /// The longest PPDU with A-MSDUs of this many packets.
    fn longest(&self, mode: Mode, packets: u64, bytes: u64) -> Longest {
        let mpdu = self.mpdu_bytes(packets, bytes);
        let Some(limits) = &self.ampdu else {
            let psdu = if self.format == Format::Ht { mpdu } else { aggregate_bytes(1, mpdu) };
            return Longest { mode, psdu, is_single: true, parts: [(1, packets), (0, 0)] };
        };
        let most = limits.bytes.min(longest_psdu(mode, limits.duration, &self.timing));
        let frames = limits.frames.min(u64::from(self.block_ack.window));
        let limits = Limits { frames, bytes: most, duration: Duration::MAX };
        let mpdus = largest_aggregate(mode, mpdu, &limits, &self.timing);
        // A shorter A-MSDU may still fit behind them.
        let before = mpdus * (DELIMITER + mpdu).next_multiple_of(4);
        let fits = |count: &u64| before + DELIMITER + self.mpdu_bytes(*count, bytes) <= most;
        let rest = if mpdus < frames { (1..packets).rev().find(fits).unwrap_or(0) } else { 0 };
        let psdu = match rest {
            0 => aggregate_bytes(mpdus, mpdu),
            rest => before + DELIMITER + self.mpdu_bytes(rest, bytes),
        };
        Longest {
            mode,
            psdu,
            is_single: mpdus == 1 && rest == 0,
            parts: [(mpdus, packets), (u64::from(rest > 0), rest)],
        }
    }

    /// Time of a PPDU with protection and answer.
    fn occupies(&self, longest: &Longest) -> Duration {
        let Phy { sifs, propagation, .. } = self.phy;
        let &Longest { mode, psdu, is_single, .. } = longest;
        let answer = if is_single { ACK } else { block_ack_bytes(u64::from(self.block_ack.window)) };
        let plain = ppdu_duration(mode, psdu, &self.timing) + sifs + self.control(mode, answer) + propagation * 2;
        match self.has_rts(psdu) {
            true => plain + self.control(mode, RTS) + self.control(mode, CTS) + (sifs + propagation) * 2,
            false => plain,
        }
    }

    /// Share of MPDUs of `packets` packets that arrives, over equally likely powers.
    fn arriving(&self, local: u32, mode: Mode, packets: u64, bytes: u64, powers: &[f64]) -> f64 {
        let (ratio, size) = (self.ratio(local), self.mpdu_bytes(packets, bytes) as f64);
        let arrives = |power: &f64| libm::exp(-data_hazard(mode, ratio * power) * size);
        (1.0 - self.ways[local as usize].loss) * powers.iter().map(arrives).sum::<f64>() / powers.len() as f64
    }

    /// Powers of a PPDU as multiples of the mean: the middles of equally likely parts.
    fn powers(&self) -> Vec<f64> {
        match self.noise {
            Some(noise) if noise.is_rayleigh => {
                (0..PARTS).map(|at| -libm::log(1.0 - (at as f64 + 0.5) / PARTS as f64)).collect()
            }
            _ => vec![1.0],
        }
    }

    /// Categories of the flows' data; best effort if none is known.
    pub fn data_categories(&self) -> impl Iterator<Item = Category> {
        let none = self.flows.is_empty().then_some(Category::BestEffort);
        self.flows.iter().map(|[data, _]| *data).chain(none)
    }

    /// Least mean time from the end of an exchange to a PPDU.
    fn least_access(&self, contention: Contention, is_only: bool) -> Duration {
        match (contention.txop > Duration::ZERO, is_only) {
            (true, _) => self.phy.sifs,
            (false, true) => self.mean_access(contention),
            (false, false) => self.phy.sifs + self.phy.slot * u64::from(contention.aifsn),
        }
    }

    /// Mean time from the end of an exchange to a PPDU of a station alone.
    fn mean_access(&self, contention: Contention) -> Duration {
        let Phy { slot, sifs, .. } = self.phy;
        sifs + slot * u64::from(contention.aifsn) + slot.scale(f64::from(contention.cw_min) / 2.0)
    }
}

/// Number of parts of the distribution of a fading signal.
const PARTS: usize = 64;
