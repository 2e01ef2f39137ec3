//! Clarabel, the solver of conic forms. Without the feature `conic` it is not compiled, and each program is refused.

use super::conic::{Builder, Found};
use crate::error::Error;

impl Builder {
    #[cfg(not(feature = "conic"))]
    pub fn solve(self, _: f64, _: f64) -> Result<Found, Error> {
        Err(Error::NotCompiled)
    }

    #[cfg(feature = "conic")]
    pub fn solve(self, scale: f64, tolerance: f64) -> Result<Found, Error> {
        use super::conic::Cone;
        use clarabel::algebra::CscMatrix;
        use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

        let columns = self.cost.len();
        let (i, (j, v)): (Vec<usize>, (Vec<usize>, Vec<f64>)) =
            self.entries.into_iter().map(|(i, j, v)| (i, (j, v))).unzip();
        let matrix = CscMatrix::new_from_triplets(self.constants.len(), columns, i, j, v);
        let cost: Vec<f64> = self.cost.iter().map(|c| -c / scale).collect();
        let cone = |cone: &Cone| match *cone {
            Cone::Zero => SupportedConeT::ZeroConeT(1),
            Cone::Nonnegative => SupportedConeT::NonnegativeConeT(1),
            Cone::SecondOrder(rows) => SupportedConeT::SecondOrderConeT(rows),
            Cone::Exponential => SupportedConeT::ExponentialConeT(),
            Cone::Power(e) => SupportedConeT::PowerConeT(e),
        };
        let cones: Vec<SupportedConeT<f64>> = self.cones.iter().map(cone).collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: tolerance,
            ..DefaultSettings::default()
        };
        let quadratic = CscMatrix::zeros((columns, columns));
        let solver = DefaultSolver::new(&quadratic, &cost, &matrix, &self.constants, &cones, settings);
        let mut solver = solver.map_err(|e| Error::invalid("conic form", e.to_string()))?;
        solver.solve();
        let solution = &solver.solution;
        match solution.status {
            // "Almost": reached the reduced tolerance and no further; the certificate tells how far.
            SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => {
                Ok(Found { x: solution.x.clone(), z: solution.z.clone(), iterations: solution.iterations as usize })
            }
            _ => Err(Error::NotConverged {
                method: "clarabel",
                iterations: solution.iterations as usize,
                residual: solution.r_prim.max(solution.r_dual),
                tolerance,
            }),
        }
    }
}
