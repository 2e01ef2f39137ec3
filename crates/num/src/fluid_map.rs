//! F: w → (x, q, r) of huang2020 (11)–(17): rates, queueing delays and link rates of fixed windows.
//!
//! F is the problem max Σ w_s ln x_s − d_s x_s of (19), whose multipliers are the queueing delays. Along a trajectory
//! the windows change little, so Newton's method on the dual starts from the last delays. On the bottlenecks B it
//! solves (A_B D A_Bᵀ + N_B) Δq = A_B x − c_B with x = w/(d + q^s), D = x/(d + q^s) and N = ∂r/∂q. An answer is
//! accepted only if all conditions hold to [`TOLERANCE`]: links with a queue are full, the others are not overloaded.
//! Where Newton's method fails (the first step, a jump of the windows, an unforeseen change of bottlenecks) the
//! interior method solves from scratch, and identifies the bottlenecks for Newton's last digits.
//!
//! More links than flows make the system singular: rows that depend on earlier ones keep their delay. q is then one of
//! many solutions; q^s and x are unique.

use crate::answer::{self, Answer};
use crate::certificate::Certificate;
use crate::dense;
use crate::error::Error;
use crate::network::{Link, Network, Problem};
use crate::program::{Outcome, Place, Program};
use crate::region::{Curved, Entropic, Region};
use crate::solve::{interior, optimum};
use crate::stop::Stop;
use crate::utility::Utility;

/// F for one network, with the last answer as the next start.
///
/// ```
/// use windward_num::{FluidMap, Network};
/// // One link of 10 packets/s, d = 1 s: windows 8 and 12 queue 10 packets, x ∝ w.
/// let mut map = FluidMap::new(Network::wired(&[10.0], vec![vec![0], vec![0]]), &[1.0, 1.0])?;
/// map.solve(&[8.0, 12.0])?;
/// assert!((map.rates()[0] - 4.0).abs() < 1e-8 && (map.path_delays()[0] - 1.0).abs() < 1e-8);
/// # Ok::<(), windward_num::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FluidMap {
    network: Network,
    program: Program,
    base_rtt: Vec<f64>,
    windows: Vec<f64>,
    /// Price-dependent supply of each block; `None` if only the interior method applies (draws and sets without
    /// entropy).
    smooth: Vec<Option<Smooth>>,
    /// Delays of the program's rows; 0 off the bottlenecks.
    prices: Vec<f64>,
    has_start: bool,
    /// True if the fields below belong to `windows`.
    is_solved: bool,
    /// x, q^s, A x, b + r.
    rates: Vec<f64>,
    delays: Vec<f64>,
    load: Vec<f64>,
    capacity: Vec<f64>,
    /// Typical b + r, the reference for overload.
    scale: Vec<f64>,
    hessians: Vec<Vec<f64>>,
    mixtures: Vec<Vec<f64>>,
    /// Rows with a queue or overload, and each row's position among them.
    bottlenecks: Vec<u32>,
    position: Vec<u32>,
    /// D = x/(d + q^s) of each flow.
    drop: Vec<f64>,
    matrix: Vec<f64>,
    step: Vec<f64>,
}

/// Effort of finding an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FluidPoint {
    /// Newton steps from the last answer, or after the interior method.
    pub newton_steps: usize,
    /// Newton steps of the interior method; 0 if the warm start sufficed.
    pub interior_steps: usize,
}

#[derive(Clone, Debug)]
enum Smooth {
    Curved(Curved),
    Entropic(Entropic),
}

impl FluidMap {
    /// F on `network`; `base_rtt` holds d_s ≥ 0 in seconds, one per route.
    ///
    /// # Errors
    /// As [`Problem::check`]; [`Error::Unbounded`] for a flow with d = 0 and no link.
    pub fn new(network: Network, base_rtt: &[f64]) -> Result<Self, Error> {
        let utilities = base_rtt.iter().map(|&base_rtt| Utility::Window { window: 1.0, base_rtt }).collect();
        let problem = Problem { network, utilities };
        problem.check()?;
        let program = Program::new(&problem.network, problem.utilities);
        let network = problem.network;
        let smooth = |region: &Region| match region {
            Region::Csma { rates, conflicts, entropy } if *entropy > 0.0 => {
                Some(Smooth::Entropic(Entropic::new(rates, conflicts, *entropy)))
            }
            region => region.curved().map(Smooth::Curved),
        };
        let of_block = |rows: &std::ops::Range<usize>| {
            let k =
                program.coupling_rows.iter().position(|other| other == rows).expect("a block belongs to a coupling");
            smooth(&network.couplings[k].region)
        };
        let (n, m) = (program.flows(), program.rows());
        Ok(Self {
            smooth: program.blocks.iter().map(|b| of_block(&b.rows)).collect(),
            hessians: program.blocks.iter().map(|b| vec![0.0; b.rows.len() * b.rows.len()]).collect(),
            mixtures: vec![Vec::new(); program.blocks.len()],
            base_rtt: base_rtt.to_vec(),
            windows: vec![1.0; n],
            prices: vec![0.0; m],
            has_start: false,
            is_solved: false,
            rates: vec![0.0; n],
            delays: vec![0.0; n],
            load: vec![0.0; m],
            scale: program.typical_rates(),
            capacity: program.typical_rates(),
            bottlenecks: Vec::with_capacity(m),
            position: vec![0; m],
            drop: vec![0.0; n],
            matrix: Vec::new(),
            step: Vec::new(),
            network,
            program,
        })
    }

    /// Ends searches with [`Error::Interrupted`] once `stop` is set.
    pub fn stop_when(&mut self, stop: Stop) {
        self.program.stop = stop;
    }

    /// Sets the capacity of a wired link, positive; the last answer remains the next start.
    ///
    /// # Panics
    /// For a link of a region.
    pub fn set_capacity(&mut self, link: usize, capacity: f64) {
        assert!(matches!(self.network.links[link], Link::Wired(_)), "only a wire has a capacity of its own");
        let Place::Row(row) = self.program.places[link] else { unreachable!("a wire has one row") };
        let row = row as usize;
        if self.program.rhs[row] == capacity {
            return;
        }
        self.network.links[link] = Link::Wired(capacity);
        for value in [&mut self.program.rhs[row], &mut self.capacity[row], &mut self.scale[row]] {
            *value = capacity;
        }
        self.is_solved = false;
    }

    /// Finds F(w); `windows` in packets, one per route, positive. Read the answer with the other methods.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a window that is not positive; [`Error::NotConverged`]. The last answer is then lost.
    pub fn solve(&mut self, windows: &[f64]) -> Result<FluidPoint, Error> {
        if windows.len() != self.windows.len() {
            let why = format!("{} windows for {} routes", windows.len(), self.windows.len());
            return Err(Error::invalid("windows", why));
        }
        if let Some(s) = windows.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            return Err(Error::invalid(format!("windows[{s}]"), format!("{} is not a positive number", windows[s])));
        }
        if self.is_solved && self.windows == windows {
            return Ok(FluidPoint { newton_steps: 0, interior_steps: 0 });
        }
        self.is_solved = false;
        self.windows.copy_from_slice(windows);
        let is_smooth = self.smooth.iter().all(Option::is_some);
        if self.has_start
            && is_smooth
            && let Some(newton_steps) = self.newton()
        {
            self.is_solved = true;
            return Ok(FluidPoint { newton_steps, interior_steps: 0 });
        }
        self.has_start = false;
        let interior_steps = self.cold(is_smooth)?;
        (self.has_start, self.is_solved) = (true, true);
        let newton_steps = if is_smooth { self.polish() } else { 0 };
        Ok(FluidPoint { newton_steps, interior_steps })
    }

    /// x_s, packets a second.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// q^s, seconds.
    pub fn path_delays(&self) -> &[f64] {
        &self.delays
    }

    /// q_l of every link, seconds; one of many where links in series are full together.
    pub fn link_delays(&self) -> Vec<f64> {
        self.program.link_prices(&self.prices)
    }

    /// c_l or r_l of every link, packets a second; a link of a piecewise linear region gets its load.
    pub fn link_rates(&self) -> Vec<f64> {
        answer::link_rates(&self.network, &self.program, &self.rates, &self.capacity)
    }

    /// The problem (19) of the present windows.
    pub fn problem(&self) -> Problem {
        let utility = |(&window, &base_rtt): (&f64, &f64)| Utility::Window { window, base_rtt };
        Problem {
            network: self.network.clone(),
            utilities: self.windows.iter().zip(&self.base_rtt).map(utility).collect(),
        }
    }

    /// Certificate of the present answer.
    pub fn certificate(&self) -> Certificate {
        Certificate::of(&self.problem(), &self.answer())
    }

    /// ∂x_s/∂w_n = D̄⁻¹(I − X M D̄⁻¹) with M = A_Bᵀ(N_B + A_B D̄⁻¹ X A_Bᵀ)⁻¹A_B (huang2020 App. A), row by row, for
    /// fixed bottlenecks. `None` for regions of draws or sets without entropy, where r jumps.
    pub fn rate_jacobian(&mut self) -> Option<Vec<Vec<f64>>> {
        if self.smooth.iter().any(Option::is_none) {
            return None;
        }
        self.evaluate();
        self.bottlenecks = (0..self.prices.len() as u32).filter(|&l| self.prices[l as usize] > 0.0).collect();
        self.look();
        self.factor();
        let n = self.rates.len();
        let rtt: Vec<f64> = self.base_rtt.iter().zip(&self.delays).map(|(d, q)| d + q).collect();
        let mut out = vec![vec![0.0; n]; n];
        for column in 0..n {
            let mut step = vec![0.0; self.bottlenecks.len()];
            for (l, w) in self.program.route(column).filter(|(l, _)| self.prices[*l] > 0.0) {
                step[self.position[l] as usize] = w / rtt[column];
            }
            dense::solve(&self.matrix, step.len(), &mut step);
            for (s, row) in out.iter_mut().enumerate() {
                let bottlenecks = self.program.route(s).filter(|(l, _)| self.prices[*l] > 0.0);
                let delay: f64 = bottlenecks.map(|(l, w)| w * step[self.position[l] as usize]).sum();
                row[column] = (f64::from(u8::from(s == column)) - self.rates[s] * delay) / rtt[s];
            }
        }
        Some(out)
    }

    fn answer(&self) -> Answer {
        let outcome = Outcome {
            rates: self.rates.clone(),
            prices: self.prices.clone(),
            capacity: self.capacity.clone(),
            mixtures: self.mixtures.clone(),
            iterations: 0,
        };
        Answer::new(&self.network, &self.program, &outcome)
    }

    /// The interior method.
    fn cold(&mut self, is_smooth: bool) -> Result<usize, Error> {
        for ((utility, &window), &base_rtt) in self.program.utilities.iter_mut().zip(&self.windows).zip(&self.base_rtt)
        {
            *utility = Utility::Window { window, base_rtt };
        }
        let further = || interior::solve(&self.program, COLD_TOLERANCE, JUMP_TARGET, COLD_STEPS).ok();
        // The plain method is the more exact of the two where it arrives.
        let solve = || {
            interior::solve(&self.program, COLD_TOLERANCE, COLD_TOLERANCE, COLD_STEPS)
                .or_else(|_| optimum(&self.program, COLD_TOLERANCE, COLD_TOLERANCE, RESCUE_STEPS))
        };
        // So far only where it can be reached: degenerate points keep the method from it, and even throw it back.
        let outcome = if is_smooth { None } else { further() }.map_or_else(solve, Ok)?;
        self.load = self.program.loads(&outcome.rates);
        self.prices = outcome.prices;
        self.capacity = outcome.capacity;
        self.mixtures = outcome.mixtures;
        self.rates = outcome.rates;
        for s in 0..self.delays.len() {
            self.delays[s] = self.program.route(s).map(|(l, w)| w * self.prices[l]).sum();
        }
        Ok(outcome.iterations)
    }

    /// Newton's last digits, with no delay off the bottlenecks; if it fails the interior method's answer is kept.
    fn polish(&mut self) -> usize {
        let (prices, rates, delays) = (self.prices.clone(), self.rates.clone(), self.delays.clone());
        let (capacity, mixtures) = (self.capacity.clone(), self.mixtures.clone());
        let turnover: f64 = self.windows.iter().sum();
        for l in 0..prices.len() {
            // On the central path (q c/Σw)·(s/c) is the same everywhere: the larger factor tells the side.
            let queued = prices[l] * capacity[l] / turnover;
            if queued <= (capacity[l] - self.load[l]) / capacity[l] {
                self.prices[l] = 0.0;
            }
        }
        for (block, smooth) in self.program.blocks.iter().zip(&self.smooth) {
            // The links of a strictly convex region have queues all together or not at all (huang2020 App. E).
            let rows = block.rows.clone();
            if matches!(smooth, Some(Smooth::Curved(_))) && self.prices[rows.clone()].iter().any(|q| *q > 0.0) {
                self.prices[rows.clone()].copy_from_slice(&prices[rows]);
            }
        }
        self.newton().unwrap_or_else(|| {
            (self.prices, self.rates, self.delays) = (prices, rates, delays);
            (self.capacity, self.mixtures) = (capacity, mixtures);
            0
        })
    }

    /// Newton's method from the present delays; `None` where it does not reach the tolerance.
    fn newton(&mut self) -> Option<usize> {
        for steps in 0..=MAX_NEWTON {
            if !self.evaluate() {
                return None;
            }
            let mut is_solved = true;
            self.bottlenecks.clear();
            for l in 0..self.prices.len() {
                let excess = self.load[l] - self.capacity[l];
                let allowed = TOLERANCE * self.scale[l];
                if self.prices[l] > 0.0 || excess > allowed {
                    self.bottlenecks.push(l as u32);
                    is_solved &= excess.abs() <= allowed;
                }
            }
            if is_solved {
                return Some(steps);
            }
            self.look();
            self.step.clear();
            self.step.extend(self.bottlenecks.iter().map(|&l| self.load[l as usize] - self.capacity[l as usize]));
            if self.step.len() <= DENSE {
                self.factor();
                dense::solve(&self.matrix, self.step.len(), &mut self.step);
            } else {
                self.conjugate_gradients();
            }
            for (&l, d) in self.bottlenecks.iter().zip(&self.step) {
                self.prices[l as usize] = (self.prices[l as usize] + d).max(0.0);
            }
        }
        None
    }

    /// Rates, loads and link rates at the present delays; false if an overloaded region has no queue.
    fn evaluate(&mut self) -> bool {
        self.load.fill(0.0);
        let program = &self.program;
        for s in 0..self.rates.len() {
            let q: f64 = program.route(s).map(|(l, w)| w * self.prices[l]).sum();
            let x = self.windows[s] / (self.base_rtt[s] + q);
            self.delays[s] = q;
            self.rates[s] = x;
            program.route(s).for_each(|(l, w)| self.load[l] += w * x);
        }
        for (b, block) in program.blocks.iter().enumerate() {
            let q = &self.prices[block.rows.clone()];
            let rates = &mut self.capacity[block.rows.clone()];
            match &self.smooth[b] {
                Some(Smooth::Curved(curved)) => {
                    if q.iter().all(|q| *q == 0.0) {
                        // Any r ≥ load inside the region will do; the load scaled to its edge is one.
                        let load = &self.load[block.rows.clone()];
                        let gauge = curved.gauge(load);
                        if gauge > 1.0 + TOLERANCE {
                            return false;
                        }
                        rates.iter_mut().zip(load).for_each(|(r, x)| *r = if gauge > 0.0 { x / gauge } else { *r });
                        self.hessians[b].fill(0.0);
                    } else {
                        curved.evaluate(q, rates, Some(&mut self.hessians[b]));
                    }
                }
                Some(Smooth::Entropic(model)) => {
                    model.evaluate(q, rates, Some(&mut self.hessians[b]));
                    self.mixtures[b] = model.stationary(q);
                }
                None => return false,
            }
        }
        // A flow with d = 0 and no queue on its path has no rate.
        self.rates.iter().all(|x| x.is_finite())
    }

    /// Positions of the bottlenecks, and D.
    fn look(&mut self) {
        self.position.fill(u32::MAX);
        for (i, &l) in self.bottlenecks.iter().enumerate() {
            self.position[l as usize] = i as u32;
        }
        for s in 0..self.rates.len() {
            self.drop[s] = self.rates[s] / (self.base_rtt[s] + self.delays[s]);
        }
    }

    /// Solves (A_B D A_Bᵀ + N_B) x = g in place, g = `step`, without forming the matrix: one pass over the routes per
    /// product.
    fn conjugate_gradients(&mut self) {
        let k = self.step.len();
        let mut diagonal = vec![0.0; k];
        for s in 0..self.rates.len() {
            for (l, w) in self.program.route(s) {
                if let Some(own) = diagonal.get_mut(self.position[l] as usize) {
                    *own += self.drop[s] * w * w;
                }
            }
        }
        for (block, hessian) in self.program.blocks.iter().zip(&self.hessians) {
            for (a, l) in block.rows.clone().enumerate() {
                if let Some(own) = diagonal.get_mut(self.position[l] as usize) {
                    *own += hessian[a * block.rows.len() + a];
                }
            }
        }
        let mut rest = std::mem::take(&mut self.step);
        let mut found = vec![0.0; k];
        let mut scaled: Vec<f64> = rest.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut direction = scaled.clone();
        let mut product = vec![0.0; k];
        let mut size = dense::dot(&rest, &scaled);
        let enough = CG_TOLERANCE * CG_TOLERANCE * size;
        for _ in 0..CG_STEPS {
            if size <= enough || self.program.stop.is_set() {
                break;
            }
            self.multiply(&direction, &mut product);
            let length = size / dense::dot(&direction, &product);
            for i in 0..k {
                found[i] += length * direction[i];
                rest[i] -= length * product[i];
                scaled[i] = rest[i] / diagonal[i];
            }
            let next = dense::dot(&rest, &scaled);
            direction.iter_mut().zip(&scaled).for_each(|(d, z)| *d = z + next / size * *d);
            size = next;
        }
        self.step = found;
    }

    /// out = (A_B D A_Bᵀ + N_B) v.
    fn multiply(&self, v: &[f64], out: &mut [f64]) {
        let at = |l: usize| self.position[l] as usize;
        out.fill(0.0);
        for (s, d) in self.drop.iter().enumerate() {
            let sum: f64 = self.program.route(s).filter_map(|(l, w)| Some(w * v.get(at(l))?)).sum();
            for (l, w) in self.program.route(s) {
                if let Some(entry) = out.get_mut(at(l)) {
                    *entry += d * sum * w;
                }
            }
        }
        for (block, hessian) in self.program.blocks.iter().zip(&self.hessians) {
            let n = block.rows.len();
            for (a, l) in block.rows.clone().enumerate() {
                if let Some(entry) = out.get_mut(at(l)) {
                    let row = block.rows.clone().zip(&hessian[a * n..]);
                    *entry += row.filter_map(|(l, h)| Some(h * v.get(at(l))?)).sum::<f64>();
                }
            }
        }
    }

    /// Factor of A_B D A_Bᵀ + N_B.
    fn factor(&mut self) {
        let k = self.bottlenecks.len();
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for s in 0..self.rates.len() {
            let d = self.drop[s];
            for (a, wa) in self.program.route(s) {
                let i = self.position[a] as usize;
                if i == u32::MAX as usize {
                    continue;
                }
                let row = &mut self.matrix[i * k..i * k + i + 1];
                for (b, wb) in self.program.route(s) {
                    // Row and column of the lower triangle only; an absent row's position is beyond any.
                    if let Some(entry) = row.get_mut(self.position[b] as usize) {
                        *entry += d * wa * wb;
                    }
                }
            }
        }
        for (block, hessian) in self.program.blocks.iter().zip(&self.hessians) {
            let n = block.rows.len();
            for (a, l) in block.rows.clone().enumerate() {
                for (b, j) in block.rows.clone().enumerate() {
                    let (i, j) = (self.position[l] as usize, self.position[j] as usize);
                    if i < k && j <= i {
                        self.matrix[i * k + j] += hessian[a * n + b];
                    }
                }
            }
        }
        dense::factor(&mut self.matrix, k, dense::DEPENDENT);
    }
}

/// Relative tolerance between load and rate of a link, about the accuracy of the rates.
const TOLERANCE: f64 = 1e-10;
/// Limit of warm Newton steps; one or two usually suffice.
const MAX_NEWTON: usize = 12;
/// Bottlenecks up to which a dense factor is cheaper than conjugate gradients.
const DENSE: usize = 400;
/// Relative accuracy of conjugate gradients, in the preconditioned norm.
const CG_TOLERANCE: f64 = 1e-9;
/// Limit of conjugate gradient steps: they converge in some dozens, unless rows depend on others.
const CG_STEPS: usize = 500;
const COLD_TOLERANCE: f64 = 1e-10;
/// Tolerance without a following Newton step: degenerate mixtures leave rates within about its root.
const JUMP_TARGET: f64 = 1e-14;
/// Limit of interior steps; 30 to 40 usually suffice.
const COLD_STEPS: usize = 80;
/// Step limit of the methods for problems on which the interior method fails.
const RESCUE_STEPS: usize = 10_000;
