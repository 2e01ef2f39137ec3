//! Regions of vertices by their facets (Kelley 1960). Each round solves with the half-spaces known so far, follows the
//! ray from 0 to the rates found, and adds the facet at which the ray leaves the region if it ends before them.
//!
//! Half-spaces are rows, which the logarithmic method solves at any scale; facets come from the simplex method, exact
//! to rounding. A region of many vertices is nearly smooth and takes dozens of rounds. This method is for problems that
//! the primal–dual method fails on.

use super::logarithmic;
use crate::error::Error;
use crate::program::{Kind, Outcome, Program};
use crate::region::{Exit, Walk};
use std::ops::Range;

/// nᵀr ≤ 1 over the rows of a block.
struct Facet {
    rows: Range<usize>,
    normal: Vec<f64>,
}

/// True if no mixture of `program` has entropy.
pub(crate) fn can_solve(program: &Program) -> bool {
    program.blocks.iter().all(|b| !matches!(&b.kind, Kind::Vertices(v) if v.temperature > 0.0))
}

/// Solves a `program` that [`can_solve`] accepts, to `tolerance`.
pub(crate) fn solve(program: &Program, tolerance: f64, max_iterations: usize) -> Result<Outcome, Error> {
    let walks: Vec<Option<Walk>> = (program.blocks.iter())
        .map(|block| match &block.kind {
            Kind::Vertices(vertices) => Some(Walk::new(vertices, block.rows.len())),
            Kind::Curved(_) => None,
        })
        .collect();
    let mut facets: Vec<Facet> = Vec::new();
    let mut iterations = 0;
    let mut outside = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        let outer = bounded(program, &walks, &facets);
        let mut outcome = logarithmic::solve(&outer, tolerance, max_iterations.saturating_sub(iterations))?;
        iterations += outcome.iterations;
        let load = program.loads(&outcome.rates);
        let mut mixtures = Vec::with_capacity(walks.len());
        outside = 0.0;
        for (block, walk) in program.blocks.iter().zip(&walks) {
            let Some(mut walk) = walk.clone() else {
                mixtures.push(Vec::new());
                continue;
            };
            let rates = &load[block.rows.clone()];
            // There is no ray from 0 to 0.
            if rates.iter().all(|r| *r == 0.0) {
                mixtures.push(walk.mixture());
                continue;
            }
            let stuck = Error::NotConverged { method: "cutting planes", iterations, residual: outside, tolerance };
            let Exit { length, prices } = walk.advance(rates, 1.0).ok_or(stuck)?;
            mixtures.push(walk.mixture());
            // The facet at which the ray leaves the region cuts these rates off.
            if let Some(prices) = prices.filter(|_| length < 1.0 - INSIDE * tolerance) {
                outside = f64::max(outside, 1.0 - length);
                let normal = prices.iter().map(|price| price / length).collect();
                facets.push(Facet { rows: block.rows.clone(), normal });
            }
        }
        // The best rates of a larger set that lie in the region are its best.
        if outside == 0.0 {
            let extra = outcome.prices.split_off(program.rows());
            // The price of a half-space is one of its links, by its normal.
            for (facet, price) in facets.iter().zip(extra) {
                facet.rows.clone().zip(&facet.normal).for_each(|(l, n)| outcome.prices[l] += n * price);
            }
            outcome.capacity.truncate(program.rows());
            for block in program.blocks.iter().filter(|b| matches!(b.kind, Kind::Vertices(_))) {
                block.rows.clone().for_each(|l| outcome.capacity[l] = load[l]);
            }
            return Ok(Outcome { mixtures, iterations, ..outcome });
        }
    }
    Err(Error::NotConverged { method: "cutting planes", iterations, residual: outside, tolerance })
}

/// Program with half-spaces in place of vertices: each link's rate if always served, and `facets`.
fn bounded(program: &Program, walks: &[Option<Walk>], facets: &[Facet]) -> Program {
    let mut out = Program {
        start: vec![0],
        row: Vec::new(),
        weight: Vec::new(),
        rhs: program.rhs.clone(),
        blocks: program.blocks.iter().filter(|b| matches!(b.kind, Kind::Curved(_))).cloned().collect(),
        coupling_rows: Vec::new(),
        places: Vec::new(),
        utilities: program.utilities.clone(),
        stop: program.stop.clone(),
    };
    for (block, walk) in program.blocks.iter().zip(walks) {
        if let Some(walk) = walk {
            out.rhs[block.rows.clone()].copy_from_slice(walk.alone());
        }
    }
    out.rhs.resize(program.rows() + facets.len(), 1.0);
    for s in 0..program.flows() {
        for (l, w) in program.route(s) {
            out.row.push(l as u32);
            out.weight.push(w);
        }
        for (f, facet) in facets.iter().enumerate() {
            let own = program.route(s).filter(|(l, _)| facet.rows.contains(l));
            let weight: f64 = own.map(|(l, w)| w * facet.normal[l - facet.rows.start]).sum();
            if weight > 0.0 {
                out.row.push((program.rows() + f) as u32);
                out.weight.push(weight);
            }
        }
        out.start.push(out.row.len() as u32);
    }
    out
}

/// Limit of rounds, far beyond the needs of a few links and some dozens of draws.
const MAX_ROUNDS: usize = 500;
/// Tolerance of rates outside their region, in tolerances of the method.
const INSIDE: f64 = 0.1;
