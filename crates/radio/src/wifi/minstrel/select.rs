//! Choice of the rates with the highest throughput and of the most robust one.

use super::groups::{RATES, Rate, streams};
use super::receiver::Receiver;
use super::stats::fraction;

impl Receiver {
    /// Closes the statistics of an interval and chooses.
    pub(super) fn select(&mut self) {
        let lowest = Rate::new(self.first, 0);
        let mut best = [lowest; 4];
        for at in 0..self.groups.len() {
            let supported = self.groups[at].supported;
            if supported == 0 {
                continue;
            }
            let number = self.first + at;
            let mut best_of_group = [Rate::new(number, 0); 4];
            let mut last = 0;
            for mcs in (0..RATES).rev().filter(|mcs| supported & 1 << mcs != 0) {
                let rate = Rate::new(number, mcs);
                let stats = &mut self.groups[at].rates[mcs];
                stats.is_counted = false;
                stats.close();
                // An untried rate is at least as good as the faster ones of its group.
                let sure = stats.probability.max(last);
                if stats.is_tried {
                    last = sure;
                } else {
                    stats.probability = sure;
                }
                if self.throughput(rate, self.probability(rate)) > 0 {
                    self.insert(rate, &mut best);
                    self.insert(rate, &mut best_of_group);
                }
            }
            self.groups[at].best = best_of_group;
        }
        self.best = best;
        self.robust = self.most_robust(lowest);
    }

    /// Inserts a rate into a list by throughput, then by probability.
    fn insert(&self, rate: Rate, list: &mut [Rate; 4]) {
        let key = |rate| {
            let probability = self.probability(rate);
            (self.throughput(rate, probability), probability)
        };
        let mine = key(rate);
        let at = list.iter().rposition(|&other| mine <= key(other)).map_or(0, |at| at + 1);
        if at < list.len() {
            list[at..].rotate_right(1);
            list[at] = rate;
        }
    }

    /// Most robust rate, also of each group.
    fn most_robust(&mut self, lowest: Rate) -> Rate {
        let mut robust = lowest;
        for at in 0..self.groups.len() {
            let supported = self.groups[at].supported;
            if supported == 0 {
                continue;
            }
            let number = self.first + at;
            let mut robust_of_group = Rate::new(number, 0);
            for mcs in (0..RATES).filter(|mcs| supported & 1 << mcs != 0) {
                let rate = Rate::new(number, mcs);
                self.compete(rate, &mut robust, &mut robust_of_group);
            }
            self.groups[at].robust = robust_of_group;
        }
        // With fewer streams than the best rate, if there is such a group.
        let most = streams(self.best[0].group());
        let mut throughput = 0;
        for (at, group) in self.groups.iter().enumerate() {
            if group.supported == 0 {
                continue;
            }
            let own = self.throughput(group.robust, self.probability(group.robust));
            if own > throughput && streams(self.first + at) < most {
                robust = group.robust;
                throughput = own;
            }
        }
        robust
    }

    /// Replaces the most robust rates, of all and of the group, if `rate` is better.
    fn compete(&self, rate: Rate, robust: &mut Rate, robust_of_group: &mut Rate) {
        let probability = self.probability(rate);
        let best = self.best[0];
        if rate.duration() < best.duration() && probability < self.probability(best) {
            return;
        }
        let known = |rate| (self.throughput(rate, self.probability(rate)), self.probability(rate));
        let throughput = self.throughput(rate, probability);
        for place in [robust, robust_of_group] {
            let (its_throughput, its_probability) = known(*place);
            let is_better = if probability > fraction(75, 100) {
                throughput > its_throughput
            } else {
                probability > its_probability
            };
            if is_better {
                *place = rate;
            }
        }
    }

    /// Replacement of a rate that died: the best one, or the second, of the nearest lower group with no more streams.
    pub(super) fn downgraded(&self, rate: Rate, place: usize) -> Rate {
        let most = streams(rate.group());
        let lower = (self.first..rate.group()).rev();
        let mut fit =
            lower.filter(|&number| self.groups[number - self.first].supported != 0 && streams(number) <= most);
        fit.next().map_or(rate, |number| self.groups[number - self.first].best[place])
    }
}
