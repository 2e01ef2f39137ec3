//! Validation of regions: shapes and values.

use super::{MAX_INDEPENDENT_SETS, Region, independent_sets};
use crate::dense;
use crate::error::Error;

impl Region {
    /// Checks values and shape for a coupling of `links` links; marks links that can have a positive rate.
    pub(crate) fn check(&self, at: &str, links: usize) -> Result<Vec<bool>, Error> {
        let place = Place { at, links };
        if links == 0 {
            return Err(Error::invalid(format!("{at}.links"), "no link"));
        }
        match self {
            Self::Box { capacity } => {
                place.vector("capacity", capacity)?;
                Ok(positive(capacity))
            }
            Self::Norm { capacity, exponent } => place.norm(capacity, *exponent),
            Self::Ellipsoid { matrix } => place.ellipsoid(matrix),
            Self::HalfSpaces { normals, offsets } => place.half_spaces(normals, offsets),
            Self::Fading { rates, probabilities } => place.fading(rates, probabilities.as_deref()),
            Self::Csma { rates, conflicts, entropy } => place.csma(rates, conflicts, *entropy),
        }
    }
}

fn positive(values: &[f64]) -> Vec<bool> {
    values.iter().map(|&v| v > 0.0).collect()
}

/// Location of a region, and the number of links that it couples.
struct Place<'a> {
    at: &'a str,
    links: usize,
}

impl Place<'_> {
    /// Error of a field.
    fn wrong(&self, field: &str, why: impl Into<String>) -> Error {
        Error::invalid(format!("{}.region.{field}", self.at), why)
    }

    fn length(&self, field: &str, given: usize) -> Result<(), Error> {
        match given == self.links {
            true => Ok(()),
            false => Err(self.wrong(field, format!("{given} entries for {} links", self.links))),
        }
    }

    fn numbers(&self, field: &str, values: &[f64]) -> Result<(), Error> {
        match values.iter().find(|v| !(**v >= 0.0 && v.is_finite())) {
            Some(v) => Err(self.wrong(field, format!("{v} is not a number from 0"))),
            None => Ok(()),
        }
    }

    /// Checks one non-negative number per link.
    fn vector(&self, field: &str, values: &[f64]) -> Result<(), Error> {
        self.length(field, values.len())?;
        self.numbers(field, values)
    }

    fn norm(&self, capacity: &[f64], exponent: f64) -> Result<Vec<bool>, Error> {
        self.vector("capacity", capacity)?;
        if capacity.contains(&0.0) {
            return Err(self.wrong("capacity", "0 is not positive"));
        }
        if !(exponent >= 1.0 && exponent.is_finite()) {
            return Err(self.wrong("exponent", format!("{exponent} is not a number from 1; for its limit use box")));
        }
        Ok(vec![true; self.links])
    }

    fn ellipsoid(&self, matrix: &[Vec<f64>]) -> Result<Vec<bool>, Error> {
        let links = self.links;
        self.length("matrix", matrix.len())?;
        for row in matrix {
            self.length("matrix", row.len())?;
        }
        let symmetric = (0..links).all(|i| (0..i).all(|j| matrix[i][j] == matrix[j][i]));
        let finite = matrix.iter().flatten().all(|v| v.is_finite());
        let definite = || (0..links).all(|i| matrix[i][i] > 0.0) && dense::inverse(&matrix.concat(), links).is_some();
        match symmetric && finite && definite() {
            true => Ok(vec![true; links]),
            false => Err(self.wrong("matrix", "not symmetric and positive definite")),
        }
    }

    fn half_spaces(&self, normals: &[Vec<f64>], offsets: &[f64]) -> Result<Vec<bool>, Error> {
        if normals.len() != offsets.len() {
            let why = format!("{} normals and {} offsets", normals.len(), offsets.len());
            return Err(Error::invalid(format!("{}.region", self.at), why));
        }
        self.numbers("offsets", offsets)?;
        for row in normals {
            self.vector("normals", row)?;
        }
        if let Some(l) = (0..self.links).find(|&l| normals.iter().all(|row| row[l] == 0.0)) {
            let why = format!("position {l} has no positive entry: its rate would be unlimited");
            return Err(self.wrong("normals", why));
        }
        let able = |l: usize| normals.iter().zip(offsets).all(|(row, &b)| row[l] == 0.0 || b > 0.0);
        Ok((0..self.links).map(able).collect())
    }

    fn fading(&self, rates: &[Vec<f64>], probabilities: Option<&[f64]>) -> Result<Vec<bool>, Error> {
        for row in rates {
            self.vector("rates", row)?;
        }
        if let Some(p) = probabilities {
            self.numbers("probabilities", p)?;
            if p.len() != rates.len() || p.iter().sum::<f64>() <= 0.0 {
                let why = format!("{} entries for {} draws, or none positive", p.len(), rates.len());
                return Err(self.wrong("probabilities", why));
            }
        }
        let likely = |h: usize| probabilities.is_none_or(|p| p[h] > 0.0);
        let able = |l: usize| rates.iter().enumerate().any(|(h, row)| row[l] > 0.0 && likely(h));
        Ok((0..self.links).map(able).collect())
    }

    fn csma(&self, rates: &[f64], conflicts: &[(u32, u32)], entropy: f64) -> Result<Vec<bool>, Error> {
        let links = self.links;
        self.vector("rates", rates)?;
        self.numbers("entropy", &[entropy])?;
        if let Some((a, b)) = conflicts.iter().find(|(a, b)| a == b || *a.max(b) as usize >= links) {
            let why = format!("({a}, {b}) is no pair of different positions below {links}");
            return Err(self.wrong("conflicts", why));
        }
        match independent_sets(links, conflicts) {
            Some(_) => Ok(positive(rates)),
            None => Err(Error::TooManySets { at: self.at.into(), links, limit: MAX_INDEPENDENT_SETS }),
        }
    }
}
