//! Rational functions of the window: the closed form of a rest.

use super::quantity::Quantity;
use super::text::{Binary, Node, Ternary, Tree, Unary};

/// A quotient of two polynomials, their coefficients from the constant on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rational {
    above: Vec<f64>,
    below: Vec<f64>,
}

impl Rational {
    pub(super) fn constant(value: f64) -> Self {
        Self { above: vec![value], below: vec![1.0] }
    }

    pub(super) fn variable() -> Self {
        Self { above: vec![0.0, 1.0], below: vec![1.0] }
    }

    /// The formula as a function of the window, with `read` for its quantities, as far as its sign goes: limits across
    /// zero do not move a root. `None` if it is none of a low degree.
    pub(super) fn of(tree: &Tree, read: &dyn Fn(Quantity) -> Option<Self>) -> Option<Self> {
        let mut locals = Vec::new();
        for local in &tree.locals {
            let value = part(local, &locals, read)?;
            locals.push(value);
        }
        sign_of(&tree.value, &locals, read)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let above = sum(&product(&self.above, &other.below)?, &product(&other.above, &self.below)?);
        Some(Self { above, below: product(&self.below, &other.below)? })
    }

    fn times(&self, other: &Self) -> Option<Self> {
        Some(Self { above: product(&self.above, &other.above)?, below: product(&self.below, &other.below)? })
    }

    pub(super) fn over(&self, other: &Self) -> Option<Self> {
        self.times(&Self { above: other.below.clone(), below: other.above.clone() })
    }

    fn negated(self) -> Self {
        Self { above: self.above.iter().map(|x| -x).collect(), ..self }
    }

    fn as_constant(&self) -> Option<f64> {
        match (self.above.as_slice(), self.below.as_slice()) {
            ([above], [below]) => Some(above / below),
            _ => None,
        }
    }

    /// Zeros of the numerator up to the second degree; none beyond it.
    pub(super) fn roots(&self) -> Vec<f64> {
        // A common factor W of both is none of the function's zeros, but one of W = 0, which is no window.
        let above = self.above.iter().position(|&x| x != 0.0).map_or(&[][..], |first| &self.above[first..]);
        let degree = above.iter().rposition(|&x| x != 0.0).unwrap_or(0);
        match above.get(..=degree).unwrap_or_default() {
            [c, b] => vec![-c / b],
            [c, b, a] => {
                let square = b * b - 4.0 * a * c;
                if square < 0.0 {
                    return Vec::new();
                }
                // Without cancellation.
                let half = -0.5 * (b + square.sqrt().copysign(*b));
                let mut roots = vec![half / a];
                if half != 0.0 && square > 0.0 {
                    roots.push(c / half);
                }
                roots
            }
            _ => Vec::new(),
        }
    }
}

/// Highest degree that is followed.
const MOST_TERMS: usize = 9;

fn product(x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let terms = x.len() + y.len() - 1;
    if terms > MOST_TERMS {
        return None;
    }
    let mut out = vec![0.0; terms];
    for (i, x) in x.iter().enumerate() {
        for (j, y) in y.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    Some(out)
}

fn sum(x: &[f64], y: &[f64]) -> Vec<f64> {
    let at = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
    (0..x.len().max(y.len())).map(|index| at(x, index) + at(y, index)).collect()
}

/// A function with the sign of `node`: positive factors and limits across zero fall away.
fn sign_of(node: &Node, locals: &[Rational], read: &dyn Fn(Quantity) -> Option<Rational>) -> Option<Rational> {
    match node {
        Node::Ternary(Ternary::Clamp, three) => match &**three {
            [x, Node::Number(low), Node::Number(high)] if *low < 0.0 && *high > 0.0 => sign_of(x, locals, read),
            _ => None,
        },
        Node::Binary(Binary::Multiply, pair) => match &**pair {
            [Node::Quantity(Quantity::Acked), x] | [x, Node::Quantity(Quantity::Acked)] => sign_of(x, locals, read),
            _ => part(node, locals, read),
        },
        node => part(node, locals, read),
    }
}

fn part(node: &Node, locals: &[Rational], read: &dyn Fn(Quantity) -> Option<Rational>) -> Option<Rational> {
    let of = |node: &Node| part(node, locals, read);
    match node {
        Node::Number(value) => Some(Rational::constant(*value)),
        Node::Quantity(quantity) => read(*quantity),
        Node::Local(local) => locals.get(*local).cloned(),
        Node::Unary(Unary::Negate, x) => of(x).map(Rational::negated),
        Node::Unary(Unary::Square, x) => {
            let x = of(x)?;
            x.times(&x)
        }
        Node::Unary(operation, x) => of(x)?.as_constant().map(|x| Rational::constant(operation.apply(x))),
        Node::Binary(operation, pair) => {
            let [x, y] = &**pair;
            let (x, y) = (of(x)?, of(y)?);
            match (operation, x.as_constant(), y.as_constant()) {
                (operation, Some(x), Some(y)) => Some(Rational::constant(operation.apply(x, y))),
                (Binary::Add, ..) => x.plus(&y),
                (Binary::Subtract, ..) => x.plus(&y.negated()),
                (Binary::Multiply, ..) => x.times(&y),
                (Binary::Divide, ..) => x.over(&y),
                _ => None,
            }
        }
        Node::Ternary(operation, three) => {
            let [x, y, z] = &**three;
            let (x, y, z) = (of(x)?, of(y)?, of(z)?);
            match (operation, x.as_constant(), y.as_constant(), z.as_constant()) {
                (operation, Some(x), Some(y), Some(z)) => Some(Rational::constant(operation.apply(x, y, z))),
                (Ternary::If, Some(condition), ..) => Some(if condition != 0.0 { y } else { z }),
                _ => None,
            }
        }
    }
}
