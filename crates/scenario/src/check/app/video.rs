//! Videos: their levels, chunks and rules.

use super::shared::{MOST_BYTES, MOST_REQUESTS, inside, request};
use crate::check::files::{ReadFile, path, replace};
use crate::check::listed;
use crate::format::{Mpc, Named, Recording, RobustMpc, Rule, Video};
use crate::problems::Problems;
use std::sync::Arc;
use windward_sim::traffic::video::{AbrRule, VideoConfig};
use windward_units::{BitRate, Bytes, Duration};

/// Most sequences of levels that a search compares.
const MOST_SEQUENCES: u64 = 100_000;

/// Most chunks that a search covers.
const MOST_HORIZON: u32 = 8;

/// Reads the file of the chunks' sizes.
pub fn inline(app: &mut Video, at: usize, read: ReadFile<'_>, problems: &mut Problems) {
    if let Some(sizes) = &mut app.sizes {
        replace(sizes, listed::levels, path("app", at, &["sizes"]), read, problems);
    }
}

/// Bytes of a request, and the video of the players of a table; reports problems.
pub fn config(app: &Video, span: Duration, at: usize, problems: &mut Problems) -> Option<(Bytes, VideoConfig)> {
    let before = problems.len();
    let request = request(app.request.0, at, problems);
    let (chunk, buffer) = (app.chunk.0, app.buffer.0);
    let mut refuse = |key: &'static str, why: String| problems.add(inside(at, [key.into()]), why, None);
    let ladder: Vec<BitRate> = app.ladder.iter().map(|rate| rate.0).collect();
    if ladder.is_empty() {
        refuse("ladder", "a video has at least one bit rate".to_owned());
    }
    if let Some(pair) = ladder.windows(2).find(|pair| pair[0] >= pair[1]) {
        refuse("ladder", format!("the bit rates must increase; {} follows {}", pair[1], pair[0]));
    }
    let top = ladder.last().map_or(0.0, |rate| rate.as_bits_per_sec() as f64 * chunk.as_secs() / 8.0);
    if top > MOST_BYTES as f64 {
        let most = Bytes::new(MOST_BYTES);
        refuse("chunk", format!("a chunk of the highest bit rate is larger than {most}, the most that is allowed"));
    }
    let chunks = (span.as_secs() + buffer.as_secs()) / chunk.as_secs();
    if chunks > MOST_REQUESTS {
        refuse("chunk", format!("the run takes some {chunks:.0} chunks; at most {MOST_REQUESTS:.0} are allowed"));
    }
    let first = chunk * u64::from(app.start_after.0);
    if buffer < first {
        let why = format!("a buffer of {buffer} has no room for the {first} before playback starts");
        refuse("buffer", why);
    }
    let (given, sizes) = sizes(app, ladder.len(), at, problems).unzip();
    let rule = rule(app, ladder.len() as u64, at, problems);
    if let (Some(given), Some(asked)) = (given, app.chunks)
        && asked.0 > given
    {
        let why = format!("`sizes` has {given} chunks, fewer than {}", asked.0);
        problems.add(inside(at, ["chunks".into()]), why, None);
    }
    if problems.len() > before {
        return None;
    }
    let video = VideoConfig {
        ladder: ladder.into(),
        chunk,
        chunks: app.chunks.map(|count| count.0).or(given).unwrap_or(u32::MAX),
        sizes,
        rule: rule?,
        buffer,
        start_after: app.start_after.0,
        qoe: app.qoe.into(),
    };
    Some((request?, video))
}

/// Number of the given chunks, and the bytes of each, level by level; reports wrong ones.
fn sizes(app: &Video, levels: usize, at: usize, problems: &mut Problems) -> Option<(u32, Arc<[u64]>)> {
    let Some(Recording::Values(rows)) = &app.sizes else { return None };
    let mut refuse = |why: String| {
        problems.add(inside(at, ["sizes".into()]), why, None);
        None
    };
    if let Some((row, sizes)) = rows.iter().enumerate().find(|(_, sizes)| sizes.len() != levels) {
        return refuse(format!("chunk {} has {} sizes; the ladder has {levels} bit rates", row + 1, sizes.len()));
    }
    let sizes: Arc<[u64]> = rows.iter().flatten().map(|size| size.0.count()).collect();
    if sizes.is_empty() {
        return refuse("a video has at least one chunk".to_owned());
    }
    if let Some(size) = sizes.iter().find(|size| **size > MOST_BYTES) {
        let [size, most] = [*size, MOST_BYTES].map(Bytes::new);
        return refuse(format!("a chunk of {size} is too large; at most {most} are allowed"));
    }
    Some((u32::try_from(rows.len()).unwrap_or(u32::MAX), sizes))
}

/// Rule of a player; reports problems.
fn rule(app: &Video, levels: u64, at: usize, problems: &mut Problems) -> Option<AbrRule> {
    let mut refuse = |key: &'static str, why: String| {
        problems.add(inside(at, ["rule".into(), key.into()]), why, None);
        None
    };
    let room = app.buffer.0;
    let Named(rule) = &app.rule;
    let fits = |reservoir: Duration, cushion: Duration| {
        let needed = reservoir + cushion;
        let why = format!("the highest level needs a buffer of {needed}; the player has room for {room}");
        if needed > room { Err(why) } else { Ok((reservoir, cushion)) }
    };
    match rule {
        Rule::Throughput(rule) => {
            let safety = rule.safety.0;
            if safety <= 0.0 {
                return refuse("safety", format!("{safety} is out of range; allowed: above 0"));
            }
            Some(AbrRule::Throughput { safety, estimate: rule.estimate.into() })
        }
        Rule::BufferBased(rule) => match fits(rule.reservoir.0, rule.cushion.0) {
            Ok((reservoir, cushion)) => Some(AbrRule::Buffer { reservoir, cushion }),
            Err(why) => refuse("cushion", why),
        },
        Rule::Bba(rule) => {
            let reservoir = rule.reservoir.map_or_else(|| room.scale(3.0 / 8.0), |reservoir| reservoir.0);
            let cushion = rule.cushion.map_or_else(|| room.scale(21.0 / 40.0), |cushion| cushion.0);
            match fits(reservoir, cushion) {
                Ok((reservoir, cushion)) => Some(AbrRule::Bba { reservoir, cushion }),
                Err(why) => refuse("cushion", why),
            }
        }
        Rule::Bola(rule) => {
            let (gamma, buffer) = (rule.gamma.0, rule.buffer.0);
            if gamma <= 0.0 {
                return refuse("gamma", format!("{gamma} is out of range; allowed: above 0"));
            }
            if buffer <= app.chunk.0 || buffer > room {
                let why = format!("{buffer} is out of range; allowed: above a chunk ({}) to {room}", app.chunk.0);
                return refuse("buffer", why);
            }
            Some(AbrRule::Bola { gamma, buffer })
        }
        Rule::Mpc(Mpc { horizon }) | Rule::RobustMpc(RobustMpc { horizon }) => {
            let (horizon, is_robust) = (horizon.0, matches!(rule, Rule::RobustMpc(_)));
            if horizon > MOST_HORIZON {
                return refuse("horizon", format!("{horizon} is out of range; allowed: 1 to {MOST_HORIZON}"));
            }
            let sequences = levels.saturating_pow(horizon);
            if sequences > MOST_SEQUENCES {
                let why = format!(
                    "{levels} levels of {horizon} chunks make {sequences} sequences; at most {MOST_SEQUENCES} are allowed"
                );
                return refuse("horizon", why);
            }
            Some(AbrRule::Mpc { horizon, is_robust })
        }
    }
}
