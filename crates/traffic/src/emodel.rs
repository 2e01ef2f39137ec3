//! Quality of speech: the reduced E-model of ITU-T G.107.

use windward_units::Duration;

/// A telephone call in one direction: its codec, and the buffer at the ear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallConfig {
    /// Playing time of a packet; positive.
    pub frame: Duration,
    /// Time that the receiver waits beyond the shortest delay before it plays a packet. Later packets are lost to it.
    pub playout: Duration,
    /// Impairment Ie of the codec.
    pub impairment: f64,
    /// Robustness Bpl of the codec against loss; positive.
    pub robustness: f64,
}

impl CallConfig {
    /// Rating R after `delay` from mouth to ear and a share `loss` of the packets, lost one by one (BurstR = 1):
    /// R = 93.2 − Id − Ie,eff with Id = 0.024 d + 0.11 (d − 177.3)⁺, d in milliseconds, and
    /// Ie,eff = Ie + (95 − Ie)·P/(P + Bpl), P in per cent.
    pub fn rating(&self, delay: Duration, loss: f64) -> f64 {
        let (delay, loss) = (delay.as_millis(), 100.0 * loss);
        let of_delay = 0.024 * delay + 0.11 * (delay - 177.3).max(0.0);
        93.2 - of_delay - self.impairment - (95.0 - self.impairment) * loss / (loss + self.robustness)
    }
}

/// Mean opinion score of a rating R: 1 + 0.035 R + R (R − 60)(100 − R)·7·10⁻⁶, between 1 and 4.5. Below R = 6.5 the
/// formula gives less than 1, the least score: there it is 1.
pub fn mean_opinion_score(rating: f64) -> f64 {
    let rating = rating.clamp(0.0, 100.0);
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G.711 with concealment, Ie = 0 and Bpl = 25.1: scores over delays in milliseconds and losses in per cent, worked
    /// out apart from this code; and the scores of some ratings.
    #[test]
    fn scores_are_those_of_the_formulas() {
        const LOSSES: [f64; 5] = [0.0, 1.0, 2.0, 5.0, 10.0];
        const SCORES: [(u64, [f64; 5]); 7] = [
            (0, [4.409, 4.328, 4.235, 3.923, 3.411]),
            (100, [4.358, 4.263, 4.159, 3.823, 3.291]),
            (150, [4.329, 4.228, 4.118, 3.771, 3.230]),
            (200, [4.226, 4.107, 3.981, 3.603, 3.040]),
            (250, [3.994, 3.846, 3.698, 3.275, 2.687]),
            (300, [3.712, 3.543, 3.379, 2.929, 2.338]),
            (400, [3.053, 2.863, 2.685, 2.230, 1.695]),
        ];
        let frame = Duration::from_millis(20);
        let call = CallConfig { frame, playout: frame, impairment: 0.0, robustness: 25.1 };
        for (ms, scores) in SCORES {
            for (loss, score) in LOSSES.into_iter().zip(scores) {
                let own = mean_opinion_score(call.rating(Duration::from_millis(ms), loss / 100.0));
                assert!((own - score).abs() < 6e-4, "{ms} ms, {loss} %: {own} and {score}");
            }
        }
        let ratings = [(93.2, 4.409), (90.0, 4.339), (80.0, 4.024), (70.0, 3.597), (60.0, 3.100), (50.0, 2.575)];
        for (rating, score) in [(-1.0, 1.0), (3.0, 1.0), (101.0, 4.5)].into_iter().chain(ratings) {
            assert!((mean_opinion_score(rating) - score).abs() < 6e-4, "{rating}");
        }
        // G.729A: 11 + 84/20.
        let g729 = CallConfig { impairment: 11.0, robustness: 19.0, ..call };
        assert!((g729.rating(Duration::ZERO, 0.01) - (93.2 - 11.0 - 84.0 / 20.0)).abs() < 1e-9);
    }
}
