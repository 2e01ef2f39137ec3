//! Minstrel-HT towards one receiver.

use super::capabilities::Capabilities;
use super::chain::{Chain, STAGES, Stage};
use super::receiver::Receiver;
use super::sample::{Probes, SampleTable};
use super::stats::SCALE;
use windward_units::Time;

/// Nanoseconds of a tick of Linux's clock, HZ = 1000. Comparisons of times depend on it.
const TICK: u64 = 1_000_000;
/// Ticks after which statistics are closed.
const UPDATE: u64 = 50;
/// Ticks between probes.
const SAMPLE: u64 = 20;

/// Minstrel-HT towards one receiver.
#[derive(Clone, Debug)]
pub struct Minstrel {
    pub(super) to: Receiver,
    probes: Probes,
    tries: u8,
    reports_length: bool,
    /// MPDUs and reports of this interval.
    mpdus: u32,
    reports: u32,
    /// Ticks of the last update, and from which the next probe is due.
    updated: u64,
    sample_at: u64,
    pub(super) chain: Chain,
}

impl Minstrel {
    /// Initial state at `now`: the lowest rates.
    pub fn new(now: Time, capabilities: &Capabilities, table: SampleTable) -> Self {
        let to = Receiver::new(capabilities);
        let mut minstrel = Self {
            probes: Probes::new(table, to.first, to.groups.len()),
            tries: capabilities.tries,
            reports_length: capabilities.reports_length,
            mpdus: 0,
            reports: 0,
            updated: 0,
            sample_at: 0,
            chain: Chain::of(to.robust.mode(), 0),
            to,
        };
        minstrel.update(now.as_nanos() / TICK);
        minstrel.set_chain();
        minstrel
    }

    /// Chain of the next PPDU.
    pub fn chain(&mut self, now: Time) -> Chain {
        let tick = now.as_nanos() / TICK;
        let mut chain = self.chain;
        if tick < self.sample_at {
            return chain;
        }
        self.sample_at = tick + SAMPLE;
        let probe = self.probes.take();
        if !probe.is_none() {
            chain.stages[0] = Stage { mode: probe.mode(), attempts: 1, rts: false, rate: probe };
            chain.probe = true;
        }
        chain
    }

    /// Outcome of a PPDU of `mpdus` MPDUs: `tries` attempts in each stage of `chain`, of which the last stage attempted
    /// delivered `acknowledged` MPDUs.
    pub fn report(&mut self, now: Time, chain: &Chain, tries: [u8; STAGES], mpdus: u16, acknowledged: u16) {
        let tick = now.as_nanos() / TICK;
        self.reports += 1;
        self.mpdus += u32::from(mpdus);
        let used = tries.iter().take_while(|tries| **tries > 0).count();
        for (at, (stage, tries)) in chain.stages.iter().zip(tries).take(used).enumerate() {
            let stats = self.to.stats_mut(stage.rate);
            if at + 1 == used {
                stats.success = stats.success.wrapping_add(acknowledged);
            }
            stats.attempts = stats.attempts.wrapping_add(u16::from(tries).wrapping_mul(mpdus));
        }
        // Sudden death of the two best rates.
        let mut is_new = false;
        for at in 0..2 {
            let stats = self.to.stats(self.to.best[at]);
            if stats.attempts > 30 && stats.success < stats.attempts / 4 {
                self.to.best[at] = self.to.downgraded(self.to.best[at], at);
                is_new = true;
            }
        }
        if tick > self.updated + UPDATE {
            self.update(tick);
            is_new = true;
        }
        if is_new {
            self.set_chain();
        }
    }

    /// Expected throughput of the best rate in kbit/s.
    pub fn expected_throughput(&self) -> u64 {
        let best = self.to.best[0];
        u64::from(self.to.throughput(best, self.to.probability(best))) * 10 * 1200 * 8 / 1024
    }

    /// State that Linux's can be compared with, in Linux's numbers.
    pub fn observe(&self, mut see: impl FnMut(u32)) {
        for rate in self.to.best.iter().chain([&self.to.robust]) {
            see(u32::from(rate.number()));
        }
        for list in self.probes.lists() {
            list.rates().iter().for_each(|rate| see(u32::from(rate.number())));
        }
        see(self.to.length);
        for group in self.to.groups.iter().filter(|group| group.supported != 0) {
            for (mcs, stats) in group.rates.iter().enumerate() {
                if group.supported & 1 << mcs != 0 {
                    see(u32::from(stats.probability));
                    see(u32::from(stats.earlier));
                }
            }
        }
    }

    /// Linux's number of the rate of a stage.
    pub fn number(stage: &Stage) -> u16 {
        stage.rate.number()
    }

    /// Closes an interval.
    pub(super) fn update(&mut self, tick: u64) {
        self.close_length();
        self.to.select();
        self.probes.refill(&mut self.to);
        self.updated = tick;
        self.sample_at = tick;
    }

    /// Averages the number of MPDUs of the interval.
    fn close_length(&mut self) {
        if self.reports == 0 {
            return;
        }
        self.to.length = if self.reports_length {
            let new = ((self.mpdus << SCALE) / self.reports) as i32;
            let old = self.to.length as i32;
            (old + 32 * (new - old) / 128) as u32
        } else {
            0
        };
        (self.mpdus, self.reports) = (0, 0);
    }

    /// Sets the chain from the rates chosen.
    fn set_chain(&mut self) {
        let [best, second, third, _] = self.to.best;
        for (at, rate) in [best, second, third, self.to.robust].into_iter().enumerate() {
            let (plain, with_rts) = self.to.attempts(rate, self.tries);
            let attempts = if at == 0 { plain } else { with_rts };
            self.chain.stages[at] = Stage { mode: rate.mode(), attempts, rts: at > 0, rate };
        }
    }
}
