//! Sizes of responses.

use super::shared::{MOST_BYTES, inside};
use crate::check::files::{ReadFile, path, replace};
use crate::check::listed;
use crate::format::{Arrivals, Recording, Response, Sizes};
use crate::problems::Problems;
use windward_sim::{self as sim, Size};
use windward_units::Bytes;

/// Reads the files of the arrivals, and of the sizes of the field `field`.
pub fn inline(
    (arrivals, sizes): (&mut Arrivals, Option<&mut Response>),
    field: &str,
    at: usize,
    read: ReadFile<'_>,
    problems: &mut Problems,
) {
    if let Arrivals::ListedArrivals(listed) = arrivals {
        replace(&mut listed.times, listed::arrivals, path("app", at, &["arrivals", "times"]), read, problems);
    }
    if let Some(Response(Sizes::ListedSizes(listed))) = sizes {
        replace(&mut listed.points, listed::points, path("app", at, &[field, "points"]), read, problems);
    }
}

/// Distribution of the sizes of the field `field`; reports problems.
pub fn size(Response(sizes): &Response, field: &'static str, at: usize, problems: &mut Problems) -> Option<Size> {
    let mut refuse = |key: &'static str, why: String| {
        problems.add(inside(at, [field.into(), key.into()]), why, None);
        None
    };
    let size = match sizes {
        Sizes::FixedSize(fixed) => Size::Fixed(fixed.size.0.count()),
        Sizes::ExponentialSize(exponential) => Size::Exponential(exponential.mean.0.count() as f64),
        Sizes::LognormalSize(lognormal) => {
            let cv = lognormal.cv.0;
            if !(0.001..=100.0).contains(&cv) {
                return refuse("cv", format!("{cv} is out of range; allowed: 0.001 to 100"));
            }
            Size::lognormal(lognormal.mean.0.count() as f64, cv)
        }
        Sizes::ParetoSize(pareto) => {
            let [min, max] = [pareto.min.0, pareto.max.0];
            if pareto.shape.0 <= 0.0 {
                return refuse("shape", format!("{} is out of range; allowed: above 0", pareto.shape.0));
            }
            if max <= min {
                return refuse("max", format!("`max` ({max}) must be above `min` ({min})"));
            }
            Size::Pareto { shape: pareto.shape.0, min: min.count() as f64, max: max.count() as f64 }
        }
        Sizes::WebSearchSize(_) => Size::Points(sim::WEB_SEARCH.into()),
        Sizes::DataMiningSize(_) => Size::Points(sim::DATA_MINING.into()),
        Sizes::ListedSizes(listed) => {
            let Recording::Values(points) = &listed.points else { return None };
            let points: Vec<(f64, f64)> =
                points.iter().map(|point| (point.bytes.0.count() as f64, point.share.0)).collect();
            let grows = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
            if !grows || points.first().is_none_or(|first| first.1 < 0.0) {
                return refuse("points", "sizes and shares must increase, from a share of at least 0".to_owned());
            }
            if points.last().is_none_or(|last| last.1 != 1.0) {
                return refuse("points", "the last share must be 1".to_owned());
            }
            Size::Points(points.into())
        }
    };
    if size.mean() > MOST_BYTES as f64 {
        let message = format!("responses are too large; at most {} are allowed", Bytes::new(MOST_BYTES));
        problems.add(inside(at, [field.into()]), message, None);
        return None;
    }
    Some(size)
}
