//! Compiled problem of the solvers: maximise Σ U_s(x_s) subject to A x ≤ b + r, r ∈ R.
//!
//! Boxes and half-spaces become rows with a constant right-hand side (a half-space Σ n_l r_l ≤ b with n ≥ 0 is the row
//! Σ_l n_l Σ_{s∈S(l)} x_s ≤ b). Curved, entropic and vertex regions keep one row per link and a block that maps prices
//! to rates. A is stored by flow: one pass gathers prices, evaluates the utility, scatters the rate.

use crate::network::{Link, Network};
use crate::region::{Curved, Region, Vertices};
use crate::stop::Stop;
use crate::utility::Utility;
use std::ops::Range;

/// A compiled problem. Requires a checked network and checked utilities.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Entries of flow s: `start[s]..start[s + 1]`.
    pub start: Vec<u32>,
    /// Row of an entry.
    pub row: Vec<u32>,
    /// Coefficient of an entry; empty if all are 1.
    pub weight: Vec<f64>,
    pub utilities: Vec<Utility>,
    /// b; for rows of a block the constant added to its rate.
    pub rhs: Vec<f64>,
    pub blocks: Vec<Block>,
    /// Rows of each link.
    pub places: Vec<Place>,
    /// Rows of a coupling's half-spaces, or of its links.
    pub coupling_rows: Vec<Range<usize>>,
    /// Stop signal of its solvers.
    pub stop: Stop,
}

/// Rows with a price-dependent right-hand side.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub rows: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Curved(Curved),
    Vertices(Vertices),
}

/// Rows that contain a link's load.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Row(u32),
    Faces(Vec<(u32, f64)>),
}

/// Solution of a program.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// x.
    pub rates: Vec<f64>,
    /// λ of the program's rows.
    pub prices: Vec<f64>,
    /// b + r of the program's rows.
    pub capacity: Vec<f64>,
    /// u of every vertex of each block; empty for other kinds.
    pub mixtures: Vec<Vec<f64>>,
    /// Newton steps.
    pub iterations: usize,
}

impl Program {
    pub(crate) fn new(network: &Network, utilities: Vec<Utility>) -> Self {
        let mut rhs = Vec::with_capacity(network.links.len());
        let mut places: Vec<Place> = Vec::with_capacity(network.links.len());
        for link in &network.links {
            places.push(Place::Row(rhs.len() as u32));
            if let Link::Wired(c) = link {
                rhs.push(*c);
            }
        }
        let mut blocks = Vec::new();
        let mut coupling_rows = Vec::new();
        for coupling in &network.couplings {
            let first = rhs.len();
            let k = coupling.links.len();
            // Half-spaces are rows themselves: a link counts in those that bound it.
            if let Some((normals, offsets)) = coupling.region.half_spaces() {
                for (i, &l) in coupling.links.iter().enumerate() {
                    let faces = normals.iter().enumerate().filter(|(_, row)| row[i] > 0.0);
                    places[l as usize] = Place::Faces(faces.map(|(f, row)| ((first + f) as u32, row[i])).collect());
                }
                rhs.extend(offsets);
            } else {
                for (i, &l) in coupling.links.iter().enumerate() {
                    places[l as usize] = Place::Row((first + i) as u32);
                }
                let region = &coupling.region;
                let kind = region.curved().map(Kind::Curved).or_else(|| region.vertices().map(Kind::Vertices));
                match (kind, region) {
                    (None, Region::Box { capacity }) => rhs.extend(capacity),
                    (kind, _) => {
                        rhs.resize(first + k, 0.0);
                        blocks.extend(kind.map(|kind| Block { rows: first..first + k, kind }));
                    }
                }
            }
            coupling_rows.push(first..rhs.len());
        }
        let (start, row, weight, stop) = (vec![0], Vec::new(), Vec::new(), Stop::default());
        let mut program = Self { start, row, weight, utilities, rhs, blocks, places, coupling_rows, stop };
        program.lay_routes(network);
        program
    }

    fn lay_routes(&mut self, network: &Network) {
        let is_unit = self.places.iter().all(|p| matches!(p, Place::Row(_)));
        let hops = network.routes.iter().map(Vec::len).sum();
        self.start.reserve(network.routes.len());
        self.row.reserve(hops);
        let mut entries: Vec<(u32, f64)> = Vec::new();
        for route in &network.routes {
            if is_unit {
                for &l in route {
                    if let Place::Row(row) = self.places[l as usize] {
                        self.row.push(row);
                    }
                }
            } else {
                entries.clear();
                for &l in route {
                    match &self.places[l as usize] {
                        Place::Row(row) => entries.push((*row, 1.0)),
                        Place::Faces(faces) => entries.extend(faces),
                    }
                }
                entries.sort_by_key(|e| e.0);
                for same in entries.chunk_by(|a, b| a.0 == b.0) {
                    self.row.push(same[0].0);
                    self.weight.push(same.iter().map(|e| e.1).sum());
                }
            }
            self.start.push(self.row.len() as u32);
        }
    }

    pub(crate) fn flows(&self) -> usize {
        self.utilities.len()
    }

    pub(crate) fn rows(&self) -> usize {
        self.rhs.len()
    }

    /// Entries of flow s as (row, coefficient).
    #[inline]
    pub(crate) fn route(&self, s: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let entries = self.start[s] as usize..self.start[s + 1] as usize;
        entries.map(|e| (self.row[e] as usize, if self.weight.is_empty() { 1.0 } else { self.weight[e] }))
    }

    /// A x.
    pub(crate) fn loads(&self, x: &[f64]) -> Vec<f64> {
        let mut loads = vec![0.0; self.rows()];
        for (s, x) in x.iter().enumerate() {
            self.route(s).for_each(|(l, w)| loads[l] += w * x);
        }
        loads
    }

    /// Prices of the links from prices of the rows.
    pub(crate) fn link_prices(&self, rows: &[f64]) -> Vec<f64> {
        let price = |place: &Place| match place {
            Place::Row(row) => rows[*row as usize],
            Place::Faces(faces) => faces.iter().map(|(row, n)| n * rows[*row as usize]).sum(),
        };
        self.places.iter().map(price).collect()
    }

    /// A strictly positive right-hand side: capacities, and for blocks an inner point of the region.
    pub(crate) fn typical_rates(&self) -> Vec<f64> {
        let mut rates = self.rhs.clone();
        for block in &self.blocks {
            let k = block.rows.len();
            let out = &mut rates[block.rows.clone()];
            let mut inner = vec![0.0; k];
            match &block.kind {
                Kind::Curved(curved) => {
                    let mut unit = vec![0.0; k];
                    for l in 0..k {
                        unit[l] = 1.0;
                        inner[l] = 1.0 / curved.gauge(&unit);
                        unit[l] = 0.0;
                    }
                    let gauge = curved.gauge(&inner);
                    inner.iter_mut().for_each(|r| *r /= gauge);
                }
                Kind::Vertices(vertices) => {
                    let mut u = vec![0.0; vertices.len()];
                    for (h, mass) in vertices.mass.iter().enumerate() {
                        let group = vertices.group(h);
                        let share = mass / group.len() as f64;
                        u[group].fill(share);
                    }
                    vertices.mix(&u, &mut inner);
                }
            }
            out.copy_from_slice(&inner);
        }
        rates
    }
}
